#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace olem::internal {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method;
  std::string target;  // as it stands in the request line, not decoded
  std::vector<HttpHeader> headers;
  std::string body;
};

struct HttpAnswer {
  int status = 200;
  std::vector<HttpHeader> headers;  // Content-Type among them; the length is added by who sends it
  std::string body;
};

// What a server asks. Both may be called from many threads at once and do not throw.
class HttpService {
 public:
  virtual ~HttpService() = default;

  // Looks at a request whose body was not read yet; an answer here means that it is not worth reading.
  virtual std::optional<HttpAnswer> refuse(const HttpRequest& head) const = 0;
  virtual HttpAnswer answer(const HttpRequest& request) = 0;
  // The answer to what is no request that anybody could understand, and to one too many.
  virtual HttpAnswer broken(int status) const = 0;
};

}  // namespace olem::internal
