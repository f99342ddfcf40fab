#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "serve/http.h"

namespace olem::internal {

struct HttpLimits {
  std::size_t connections = 100;          // at once, each with one request at a time; more are answered 503 and closed
  std::chrono::milliseconds idle{30000};  // until the next request begins
  // From the first byte of a request to its last, however they trickle in; and for its answer to be taken.
  std::chrono::milliseconds whole{30000};
};

// A server on the loopback address. It lives in a module of its own (src/serve/http/), since what it stands on would
// add a quarter to the time that every olem takes to start.
//
// The head of a request may have 64 kB, a line of it 8 kB. What is too slow, too long or cannot be understood is
// answered with a 4xx, or not at all, and ends the connection.
class HttpServer {
 public:
  virtual ~HttpServer() = default;

  // Takes the port, 0: any that is free. Returns it, or -errno.
  virtual int listen(int port) = 0;
  // After listen(): answers until `stop` says so, which is asked every few milliseconds; then ends all connections.
  // False when the system took the port away before.
  virtual bool run(HttpService& service, const HttpLimits& limits, const std::function<bool()>& stop) = 0;
};

using HttpServerFunction = HttpServer* (*)();
inline constexpr const char* kHttpServerSymbol = "olem_http_server";

// Loads the module. A file error when there is none.
std::unique_ptr<HttpServer> make_http_server();

}  // namespace olem::internal
