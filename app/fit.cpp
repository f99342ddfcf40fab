#include <fmt/format.h>

#include <memory>

#include "olem/error.h"
#include "olem/model_file.h"
#include "olem/report.h"
#include "ranks_run.h"
#include "rehearsal_options.h"
#include "session.h"

namespace olem::app {

namespace {

struct FitArguments {
  CommonOptions common;
  RehearsalArguments learning;
  std::string task;
  bool no_calibrate = false;
  bool quick = false;
  bool keep_rows = false;
};

// The numbers of each sampler, with how it fared on rows that it had not seen.
Json models_with_validation(const RehearsalModel& model) {
  Json json = models_json(model);
  if (model.calibration) {
    for (const VariableCalibration& variable : model.calibration->variables)
      json[variable.name]["validation_nll"] = -variable.log_likelihood;
  }
  return json;
}

int run_fit(FitArguments arguments, const Ranks* ranks) {
  const std::string file = arguments.common.output;
  if (file.empty()) throw Error(ErrorCategory::kUsage, "-o is missing: name the model file to write.");
  CommonOptions common = arguments.common;
  common.output.clear();  // the model here, not the JSON
  Session session(common, ranks);
  session.reserve_file(file, "-o");
  session.protect(arguments.task, "the task file");
  Task task = load_task(arguments.task, session);
  const DataOptions data = data_options(arguments.learning, task);
  const LoadedTable loaded = load_tables(data, session, &task);
  arguments.learning.options.calibrate = !arguments.no_calibrate;
  arguments.learning.options.context_model = true;
  arguments.learning.options.keep_rows = arguments.keep_rows;
  arguments.learning.options.keep_finished = true;
  if (arguments.quick || !arguments.learning.like.empty()) arguments.learning.options.members.reset();
  const RehearsalModel model = learn_model(arguments.learning, task, loaded, session);
  if (model.stopped && memory_ran_out()) throw Error(*session.stop());
  session.warn(model.summary.warnings);

  Json json;
  json["model"] = file;
  json["task"] = to_json(task);
  json["data"] = {
      {"source", loaded.table.source()}, {"rows", loaded.table.rows()}, {"columns", loaded.table.columns()}};
  json["column_types"] = column_types_json(model.columns);
  if (model.gaps) json["missing"] = to_json(*model.gaps);
  if (model.agreement) json["agreement"] = to_json(*model.agreement);
  json.update(row_facts_json(model));
  json["order_method"] = model.order.method;
  json.update(to_json(model.order));
  if (model.graph) json["graph"] = to_json(*model.graph);
  json["undecided_steps"] = undecided_between(model);
  json["models"] = models_with_validation(model);
  if (model.calibration) json["calibration"] = to_json(*model.calibration);
  json["message"] = model.samplers->summary.message;
  Json options = to_json(data);
  options.update(to_json(arguments.learning.options));
  session.finish("fit", json, std::move(options), model_text(model) + fmt::format("\nWritten: {}.\n", file), "",
                 [&] { write_model(file, model, common.force); });
  return model.stopped ? exit_code(session.stop()->category()) : 0;
}

}  // namespace

std::function<int()> fill_fit_verb(CLI::App* verb) {
  auto arguments = std::make_shared<FitArguments>();
  verb->add_option("TASK", arguments->task, "task file: roles of the columns, domains, what is desired")->required();
  add_rehearsal_options(*verb, arguments->learning);
  add_member_options(*verb, arguments->learning);
  verb->add_flag("--quick", arguments->quick, "one fit without members: intervals cover the chance of the draws only")
      ->group("Uncertainty");
  verb->add_flag("--no-calibrate", arguments->no_calibrate,
                 "do not test the samplers on rows held out, which takes about as long as fitting them")
      ->group("Sampler");
  verb->add_flag("--keep-rows", arguments->keep_rows,
                 "put the rows into the model, 8 bytes for each cell: olem update then needs no other file")
      ->group("Data");
  add_common_options(*verb, arguments->common, "the model file to write");
  verb->footer(R"(
Examples:
  olem fit task.json -o reef.olem
  olem fit task.json -o reef.olem --sampler linear --force
  olem fit task.json -o reef.olem --graph graph.csv
  olem fit task.json -o reef.olem --graph-method caps --sampler gaussian
  olem decide --model reef.olem --context Light=0.4 --context Temp=-0.2 --context Sal=0.1
  olem check reef.olem
  mpirun -n 8 olem fit task.json -o reef.olem --threads 1

Exit codes: 0 done, 2 usage, 3 bad input, 4 the task cannot be solved as stated, 5 file, 6 memory or time,
130 interrupted.)");
  return [verb, arguments] {
    check_rehearsal_options(*verb, arguments->learning);
    return run_on_ranks(*verb, [&](const Ranks* ranks) { return run_fit(*arguments, ranks); });
  };
}

}  // namespace olem::app
