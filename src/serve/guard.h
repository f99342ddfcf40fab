#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "serve/http.h"

namespace olem::internal {

// Bytes: of a table, and of everything else that is asked.
inline constexpr std::size_t kBodyLimit = 64 << 20U;
inline constexpr std::size_t kSmallBodyLimit = 1 << 20U;

// A place of the API, and how it may be asked. A path that ends with a slash stands for everything below it.
struct HttpRoute {
  std::string_view path;
  std::string_view method;  // GET, which HEAD may ask too, or POST
  std::size_t body_limit = kSmallBodyLimit;
};

// The route of a request target, without what follows a question mark; null for none.
const HttpRoute* find_route(std::span<const HttpRoute> routes, std::string_view target);
std::string_view path_of(std::string_view target);

// What is wrong with a request before its body is read, in the order in which it is looked for: Host is not 127.0.0.1
// or localhost with this port (a page elsewhere that had its name pointed here; 400 when missing or repeated, 421),
// Origin is another page (403), no such path (404), wrong method (405), no or wrong length (411, 400), too long (413),
// not JSON (415). Nothing when it may be answered.
std::optional<HttpAnswer> guard(const HttpRequest& head, std::span<const HttpRoute> routes, int port);

// The value of the only header of this name; nothing when there is none or more than one.
std::optional<std::string> single_header(const HttpRequest& request, std::string_view name);

// {"error": sentence}, with headers that keep browsers from doing anything with it but show it.
HttpAnswer error_answer(int status, std::string_view sentence);
// The answer to what is no request that anybody could understand, and to one too many.
HttpAnswer broken_answer(int status);
HttpAnswer text_answer(std::string body, std::string_view type);

}  // namespace olem::internal
