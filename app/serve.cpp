#include "olem/serve.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/journal.h"
#include "olem/model_file.h"
#include "rehearsal_options.h"
#include "session.h"

namespace olem::app {

namespace {

struct ServeArguments {
  CommonOptions common;
  RehearsalArguments learning;
  ServeOptions options;
  std::string log;
  std::vector<std::string> files;
};

// When the file was last written, in local time; nothing where that is not known.
std::string date_of(const std::string& path) {
  std::error_code unknown;
  const auto written = std::filesystem::last_write_time(path, unknown);
  if (unknown) return "";
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(std::chrono::file_clock::to_sys(written)));
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(seconds));
}

// A path in a message is the user's, but a page may be shown to others.
std::string without_folder(std::string text, const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) return text;
  for (std::size_t at = text.find(folder + "/"); at != std::string::npos; at = text.find(folder + "/", at))
    text.erase(at, folder.size() + 1);
  return text;
}

// Task and table are read now, so that what is wrong with them is said at once; learning comes when the page is there.
ServedModel model_to_learn(const std::string& path, const ServeArguments& arguments, Session& session) {
  struct Material {
    RehearsalArguments learning;
    Task task;
    LoadedTable loaded;
  };
  Task task = load_task(path, session);
  LoadedTable loaded = load_tables(data_options(arguments.learning, task), session, &task);
  auto material = std::make_shared<Material>(Material{arguments.learning, std::move(task), std::move(loaded)});
  material->learning.options.context_model = true;
  if (arguments.options.decision.quick || !arguments.learning.like.empty()) material->learning.options.members.reset();
  ServedModel served;
  served.learn = [material, path](const Context& context) {
    try {
      return learn_model(material->learning, material->task, material->loaded, context);
    } catch (const Error& error) {
      throw Error(error.category(), without_folder(error.finding(), path), error.remedies());
    }
  };
  served.failed = [](const std::string& text) { print_message("error: " + text + "\n"); };
  return served;
}

int run_serve(const ServeArguments& arguments) {
  CommonOptions common = arguments.common;
  ServeOptions options = arguments.options;
  if (common.time_limit > 0.0) options.time_limit = common.time_limit;
  common.time_limit = 0.0;  // of a recommendation, not of the server
  Session session(common);
  if (!arguments.log.empty()) {
    DecisionLog log = read_decision_log(arguments.log, session.context());
    session.warn(log.warnings);
    log.source = std::filesystem::path(log.source).filename().string();
    options.realised = realised_calibration(log);
    session.warn(realised_warnings(*options.realised));
  }
  std::vector<ServedModel> models;
  bool learns = false;
  for (const std::string& path : arguments.files) {
    ServedModel& served = models.emplace_back();
    const std::string content = read_file(path, session.context());
    if (path.ends_with(".olem") || looks_like_model(content)) {
      served.model = parse_model(content, path);
      session.warn(served.model->summary.warnings);
    } else {
      served = model_to_learn(path, arguments, session);
      learns = true;
    }
    served.file = std::filesystem::path(path).filename().string();
    served.date = date_of(path);
  }
  if (!learns) refuse_rehearsal_options(arguments.learning, "Every file is a model, so nothing is learned.");
  serve(
      std::move(models), options, [](const std::string& address) { print_out(address + "\n"); }, session.context());
  return 0;
}

}  // namespace

std::function<int()> fill_serve_verb(CLI::App* verb) {
  auto arguments = std::make_shared<ServeArguments>();
  verb->add_option("FILE", arguments->files, "models of olem fit, or task files to learn from first")->required();
  add_described_options(*verb, describe(arguments->options), "Server");
  verb->add_option("--log", arguments->log,
                   "log of decisions: the page shows how those whose outcome was recorded came out")
      ->type_name("FILE")
      ->group("Server");
  add_described_options(*verb, describe(arguments->options.decision), "Search");
  add_rehearsal_options(*verb, arguments->learning);
  add_resource_options(*verb, arguments->common, "of one recommendation or table of contexts (default 30)");
  verb->footer(R"(
Examples:
  olem fit task.json -o reef.olem && olem serve reef.olem
  olem serve task.json
  olem serve reef.olem farm.olem --port 0
  olem serve reef.olem --proposals 3 --time-limit 10
  olem serve reef.olem --log decisions.jsonl

Prints the address of the page and runs until Ctrl-C or SIGTERM, which is its ordinary end: exit code 0. No other
machine can reach it. No request reads or writes a file. A model that is learned from a task is not kept: olem fit
writes it to a file.

Exit codes: 0 stopped, 2 usage, 3 bad input, 5 file, or the port is in use.)");
  return [verb, arguments] {
    check_rehearsal_options(*verb, arguments->learning);
    return run_serve(*arguments);
  };
}

}  // namespace olem::app
