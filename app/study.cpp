#include "olem/study.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "choices.h"
#include "olem/error.h"
#include "olem/file.h"
#include "ranks_run.h"
#include "session.h"
#include "values.h"

namespace olem::app {

namespace {

struct StudyArguments {
  CommonOptions common;
  StudyOptions study;
  std::string methods;
  std::string without;
  std::string metrics;
  std::string settings;
  std::string figures;
  bool dry_run = false;
};

std::string duration_text(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

Json options_json(const StudyOptions& options) {
  const auto number = [](int value) { return value > 0 ? Json(value) : Json(); };
  Json json;
  json["study"] = options.study;
  json["methods"] = options.methods;
  json["without"] = options.without;
  json["metrics"] = options.metrics;
  json["settings"] = fmt::format("{}", fmt::join(options.settings, ","));
  json["epochs"] = number(options.epochs);
  json["tasks"] = number(options.tasks);
  json["rounds"] = number(options.rounds);
  json["rows"] = number(options.rows);
  return json;
}

int print_forecast(const StudyOptions& options, Session& session) {
  const StudyForecast forecast = forecast_study(options, session.context());
  const int threads = session.context().thread_count();
  const double seconds = forecast.core_seconds / threads;
  Json json;
  json["study"] = options.study;
  json["cells"] = forecast.cells;
  json["finished"] = forecast.finished;
  json["expected_seconds"] = seconds;
  const std::string text = fmt::format(
      "Study {}: {} cells, of which {} are finished. The rest takes about {} with {} thread{}.\n", options.study,
      forecast.cells, forecast.finished, duration_text(seconds), threads, threads == 1 ? "" : "s");
  session.finish("study", json, options_json(options), text);
  return 0;
}

// Before any work: whether the study has figures, and whether they can be written into the folder, which need not
// exist. Those of this study are replaced only with --force.
void check_figures_folder(const std::string& folder, const std::string& study, bool force) {
  namespace fs = std::filesystem;
  for (const StudyDescription& known : studies()) {
    if (known.name != study || known.has_figures) continue;
    throw Error(ErrorCategory::kUsage,
                fmt::format("The study {} is a table without figures. Leave out --figures.", study));
  }
  std::error_code error;
  if (!fs::exists(folder, error)) return check_writable(folder, force);
  check_writable(fmt::format("{}/{}.svg", folder, study), force);
  if (force) return;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(study + "-") || !name.ends_with(".svg")) continue;
    throw Error(ErrorCategory::kFile, fmt::format("{} exists already.", entry.path().string()),
                {{"Replace the figures of the study", "force", "true"}});
  }
}

Json write_figures(const StudyResult& result, const std::string& folder, bool force) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) throw Error(ErrorCategory::kFile, fmt::format("Cannot make the folder {}: {}.", folder, error.message()));
  Json paths = Json::array();
  for (const StudyFigure& figure : study_figures(result)) {
    const std::string path = fmt::format("{}/{}.svg", folder, figure.name);
    write_file_atomically(path, figure.svg, force);
    paths.push_back(path);
  }
  return paths;
}

int run_study_verb(const StudyArguments& arguments, const Ranks* ranks) {
  StudyOptions options = arguments.study;
  options.methods = names_in(arguments.methods, "methods");
  options.without = names_in(arguments.without, "without");
  options.metrics = names_in(arguments.metrics, "metrics");
  options.settings = names_in(arguments.settings, "settings");
  if (options.journal.empty()) options.journal = fmt::format("olem-study-{}.journal", options.study);
  Session session(arguments.common, ranks);
  if (arguments.dry_run) return print_forecast(options, session);
  session.protect(options.journal, "the journal");
  if (!arguments.figures.empty()) {
    check_figures_folder(arguments.figures, options.study, arguments.common.force);
    session.reserve_folder(arguments.figures, "--figures");
  }
  const StudyResult result = run_study(options, session.context());
  session.warn(result.summary.warnings);
  Json json = to_json(result);
  std::string text = study_text(result);
  if (!arguments.figures.empty() && session.speaks()) {
    json["figures"] = write_figures(result, arguments.figures, arguments.common.force);
    text += fmt::format("Figures: {} in {}.\n", json["figures"].size(), arguments.figures);
  }
  session.finish("study", json, options_json(options), text);
  return 0;
}

}  // namespace

std::function<int()> fill_study_verb(CLI::App* verb) {
  auto arguments = std::make_shared<StudyArguments>();
  std::vector<std::string> names;
  std::string list;
  for (const StudyDescription& study : studies()) {
    names.push_back(study.name);
    list += fmt::format("  {:<9} {}\n            methods: {}\n            metrics: {}\n", study.name, study.help,
                        fmt::join(study.methods, ", "), fmt::join(study.metrics, ", "));
  }
  CLI::Option* const name =
      verb->add_option("NAME", arguments->study.study, fmt::format("study: {}", fmt::join(names, ", ")));
  name->required();
  keep_choices(*name, names);
  const std::string cells = "Which cells";
  verb->add_option("--methods", arguments->methods, "only these methods")->type_name("NAMES")->group(cells);
  verb->add_option("--without", arguments->without, "all methods but these")->type_name("NAMES")->group(cells);
  verb->add_option("--metrics", arguments->metrics, "only these metrics")->type_name("NAMES")->group(cells);
  verb->add_option("--settings", arguments->settings,
                   "only settings with these values, such as d=10,p=0.3; a name given twice matches either value")
      ->type_name("LIST")
      ->group(cells);
  const auto number = [&](const char* flag, int& value, const char* help) {
    verb->add_option(flag, value, help)->type_name("NUMBER")->group(cells)->check(CLI::Range(1, 1000000));
  };
  number("--epochs", arguments->study.epochs, "epochs, or shuffles of the study sachs (default: as in the paper)");
  number("--tasks", arguments->study.tasks, "models or tasks per epoch (default: as in the paper)");
  number("--rounds", arguments->study.rounds, "decisions per task (default: as in the paper)");
  number("--rows", arguments->study.rows, "rows of each data set; other than the paper's have no published numbers");
  const std::string run = "Run";
  verb->add_option("--journal", arguments->study.journal,
                   "file of finished cells, which the same command goes on from (default olem-study-NAME.journal)")
      ->type_name("FILE")
      ->group(run);
  verb->add_flag("--fresh", arguments->study.fresh, "begin the journal again")->group(run);
  verb->add_flag("--dry-run", arguments->dry_run, "say how many cells there are and how long they take")->group(run);
  verb->add_option("--figures", arguments->figures, "write figures as SVG into this folder")
      ->type_name("FOLDER")
      ->group(run);
  add_common_options(*verb, arguments->common);
  verb->footer(fmt::format(R"(
Studies:
{}
Examples:
  olem study sachs --without diffan
  olem study order --settings d=10,p=0.3 --metrics div --without diffan,cam --figures figures
  olem study auf --tasks 2 --rounds 5 --dry-run
  mpirun -n 8 olem study order --threads 1

Whatever ends a run, the finished cells are in the journal, and the same command goes on from there.
Exit codes: 0 done, 2 usage, 3 bad journal, 5 file, 6 memory or time, 130 interrupted.)",
                           list));
  return [verb, arguments] {
    return run_on_ranks(*verb, [&](const Ranks* ranks) { return run_study_verb(*arguments, ranks); });
  };
}

}  // namespace olem::app
