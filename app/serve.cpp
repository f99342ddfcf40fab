#include "olem/serve.h"

#include <fmt/format.h>

#include <memory>

#include "olem/model_file.h"
#include "session.h"

namespace olem::app {

namespace {

struct ServeArguments {
  CommonOptions common;
  ServeOptions options;
  std::string model;
};

int run_serve(const ServeArguments& arguments) {
  CommonOptions common = arguments.common;
  ServeOptions options = arguments.options;
  if (common.time_limit > 0.0) options.time_limit = common.time_limit;
  common.time_limit = 0.0;  // of a recommendation, not of the server
  Session session(common);
  RehearsalModel model = read_model(arguments.model, session.context());
  session.warn(model.summary.warnings);
  serve(
      std::move(model), options, [](const std::string& address) { print_out(address + "\n"); }, session.context());
  return 0;
}

}  // namespace

Verb add_serve_verb(CLI::App& app) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App* const verb = app.add_subcommand("serve", "rehearse decisions in a browser: levers, forecasts, advice");
  verb->add_option("MODEL", arguments->model, "model file of olem fit")->required();
  add_described_options(*verb, describe(arguments->options), "Server");
  add_described_options(*verb, describe(arguments->options.decision), "Search");
  add_resource_options(*verb, arguments->common, "of one recommendation or table of contexts (default 30)");
  verb->footer(R"(
Examples:
  olem fit task.json -o reef.olem && olem serve reef.olem
  olem serve reef.olem --port 0
  olem serve reef.olem --proposals 3 --time-limit 10

Prints the address of the page and runs until Ctrl-C or SIGTERM, which is its ordinary end: exit code 0. Nobody but
this machine can reach it. No request reads or writes a file.

Exit codes: 0 stopped, 2 usage, 3 bad input, 5 file, or the port is in use.)");
  return {verb, [arguments] { return run_serve(*arguments); }};
}

}  // namespace olem::app
