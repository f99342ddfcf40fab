#include "serve/http_server.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "olem/error.h"

namespace olem::internal {

std::unique_ptr<HttpServer> make_http_server() {
  void* const module = ::dlopen("libolem_http.so", RTLD_NOW | RTLD_LOCAL);
  void* const symbol = module != nullptr ? ::dlsym(module, kHttpServerSymbol) : nullptr;
  if (symbol == nullptr) {
    throw Error(ErrorCategory::kFile, fmt::format("This olem cannot serve pages ({}). Build it where "
                                                  "libcpp-httplib-dev is installed.",
                                                  ::dlerror()));
  }
  return std::unique_ptr<HttpServer>(reinterpret_cast<HttpServerFunction>(symbol)());
}

}  // namespace olem::internal
