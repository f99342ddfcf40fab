#include "serve/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "olem/json.h"

namespace olem::internal {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t count_headers(const HttpRequest& request, std::string_view name) {
  return static_cast<std::size_t>(
      std::count_if(request.headers.begin(), request.headers.end(),
                    [&](const HttpHeader& header) { return same_word(header.name, name); }));
}

bool is_this_server(std::string_view host, int port) {
  for (const char* const name : {"127.0.0.1", "localhost"}) {
    if (same_word(host, fmt::format("{}:{}", name, port)) || (port == 80 && same_word(host, name))) return true;
  }
  return false;
}

std::optional<HttpAnswer> guard_origin(const HttpRequest& head, int port) {
  const std::optional<std::string> host = single_header(head, "Host");
  if (!host) return error_answer(400, "A request needs one Host header.");
  if (!is_this_server(*host, port)) return error_answer(421, "This server answers for 127.0.0.1 and localhost only.");
  if (count_headers(head, "Origin") == 0) return std::nullopt;
  const std::optional<std::string> origin = single_header(head, "Origin");
  constexpr std::string_view kScheme = "http://";
  if (!origin || !origin->starts_with(kScheme) || !is_this_server(origin->substr(kScheme.size()), port))
    return error_answer(403, "Pages of other addresses may not ask this server.");
  return std::nullopt;
}

bool is_json_type(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return same_word(type, "application/json");
}

std::optional<HttpAnswer> guard_body(const HttpRequest& head, const HttpRoute& route) {
  const bool expected = route.method == "POST";
  const std::size_t lengths = count_headers(head, "Content-Length");
  const bool coded = count_headers(head, "Transfer-Encoding") > 0;
  if (!expected && lengths == 0 && !coded) return std::nullopt;
  if (coded) return error_answer(411, "Send the length of the body in Content-Length, and the body in one piece.");
  if (lengths == 0) return error_answer(411, "The request lacks its Content-Length.");
  const std::optional<std::string> text = single_header(head, "Content-Length");
  std::size_t length = 0;
  if (!text || text->empty()) return error_answer(400, "Content-Length is not a number of bytes.");
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, length);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && stop == end && length > route.body_limit))
    return error_answer(413, fmt::format("The body is larger than {} MB.", route.body_limit >> 20U));
  if (error != std::errc{} || stop != end) return error_answer(400, "Content-Length is not a number of bytes.");
  if (!expected) return length == 0 ? std::nullopt : std::optional(error_answer(400, "This request has no body."));
  if (count_headers(head, "Content-Encoding") > 0) return error_answer(415, "Send the body without compression.");
  const std::optional<std::string> type = single_header(head, "Content-Type");
  if (!type || !is_json_type(*type)) return error_answer(415, "The body must be JSON: Content-Type application/json.");
  return std::nullopt;
}

}  // namespace

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

const HttpRoute* find_route(std::span<const HttpRoute> routes, std::string_view target) {
  const std::string_view path = path_of(target);
  const auto found = std::find_if(routes.begin(), routes.end(), [&](const HttpRoute& route) {
    const bool folder = route.path.size() > 1 && route.path.ends_with('/');
    return folder ? path.starts_with(route.path) : path == route.path;
  });
  return found == routes.end() ? nullptr : &*found;
}

std::optional<std::string> single_header(const HttpRequest& request, std::string_view name) {
  if (count_headers(request, name) != 1) return std::nullopt;
  return std::find_if(request.headers.begin(), request.headers.end(),
                      [&](const HttpHeader& header) { return same_word(header.name, name); })
      ->value;
}

std::optional<HttpAnswer> guard(const HttpRequest& head, std::span<const HttpRoute> routes, int port) {
  if (std::optional<HttpAnswer> foreign = guard_origin(head, port)) return foreign;
  const HttpRoute* const route = find_route(routes, head.target);
  if (route == nullptr) return error_answer(404, "There is nothing at this address.");
  const bool posts = route->method == "POST";
  if (head.method != route->method && (posts || head.method != "HEAD")) {
    HttpAnswer answer = error_answer(405, fmt::format("This address is asked with {}.", route->method));
    answer.headers.push_back({"Allow", posts ? "POST" : "GET, HEAD"});
    return answer;
  }
  return guard_body(head, *route);
}

HttpAnswer text_answer(std::string body, std::string_view type) {
  HttpAnswer answer;
  answer.headers = {
      {"Content-Type", std::string(type)},
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src "
       "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Referrer-Policy", "no-referrer"},
      {"Cache-Control", "no-store"},
  };
  answer.body = std::move(body);
  return answer;
}

HttpAnswer broken_answer(int status) {
  switch (status) {
    case 413: return error_answer(status, "The body is too large.");
    case 414: return error_answer(status, "The address is too long.");
    case 431: return error_answer(status, "The head of the request is too long.");
    case 500: return error_answer(status, "Something went wrong inside of the server. This is a defect of olem.");
    case 503: return error_answer(status, "The server has too many connections. Try again in a moment.");
    default: return error_answer(status, "The request could not be understood.");
  }
}

HttpAnswer error_answer(int status, std::string_view sentence) {
  const Json json = {{"error", sentence}};
  HttpAnswer answer =
      text_answer(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", "application/json; charset=utf-8");
  answer.status = status;
  if (status == 429 || status == 503) answer.headers.push_back({"Retry-After", "1"});
  return answer;
}

}  // namespace olem::internal
