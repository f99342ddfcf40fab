#include "olem/serve.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "olem/error.h"
#include "serve/http_server.h"
#include "serve/model_shelf.h"

namespace olem {

using namespace internal;

OptionSet describe(ServeOptions& options) {
  OptionSet set;
  set.integer("port", options.port, 0, 65535, "of 127.0.0.1; 0: any that is free");
  return set;
}

void serve(RehearsalModel model, const ServeOptions& options, const std::function<void(const std::string&)>& ready,
           const Context& context) {
  std::vector<ServedModel> models(1);
  models.front().model = std::move(model);
  serve(std::move(models), options, ready, context);
}

void serve(std::vector<ServedModel> models, const ServeOptions& options,
           const std::function<void(const std::string&)>& ready, const Context& context) {
  check_at_least("number of models", static_cast<long long>(models.size()), 1);
  for (const ServedModel& model : models) {
    if (!model.model && !model.learn)
      throw Error(ErrorCategory::kUsage, fmt::format("'{}' has neither a model nor a way to learn one.", model.file));
  }
  ServeOptions checked = options;
  describe(checked).validate();
  describe(checked.decision).validate();
  check_positive("time limit", checked.time_limit);
  const std::unique_ptr<HttpServer> server = make_http_server();
  const int port = server->listen(options.port);
  if (port < 0) {
    const bool taken = port == -EADDRINUSE;
    std::vector<Remedy> remedies;
    if (taken) remedies = {{"Give another one", "port"}, {"Take any that is free", "port", "0"}};
    throw Error(ErrorCategory::kFile,
                fmt::format("Port {} of 127.0.0.1 cannot be used: {}.", options.port,
                            taken ? "Another program listens there" : std::strerror(-port)),
                std::move(remedies));
  }
  Context quiet = context;
  quiet.progress = nullptr;
  quiet.log = nullptr;
  quiet.deadline.reset();
  ModelShelf shelf(std::move(models), options, port, quiet);
  ready(fmt::format("http://127.0.0.1:{}/", port));
  const auto stop = [&context] { return context.interrupt != nullptr && context.interrupt->load(); };
  if (!server->run(shelf, HttpLimits(), stop))
    throw Error(ErrorCategory::kFile, fmt::format("Port {} of 127.0.0.1 can no longer be listened on.", port));
}

}  // namespace olem
