#include "olem/explain.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "model_source.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/looking.h"
#include "olem/report.h"
#include "olem/report_looking.h"
#include "ranks_run.h"
#include "values.h"

namespace olem::app {

namespace {

struct ExplainArguments {
  CommonOptions common;
  RehearsalArguments learning;
  ExplainOptions explain;
  ModelArguments source;
  std::vector<std::string> decision;
  std::string svg;
  bool looking = false;
  bool quick = false;
};

// Curves go over whole domains, whatever the task prefers.
std::vector<Warning> wish_warnings(const Task& task) {
  if (task.constraints.empty()) return {};
  return {{"constraints",
           "The task has constraints between alterable variables. Curves and pairs show what the samplers expect all "
           "over the domains, also for values that a constraint forbids.",
           task.source}};
}

int run_explain(ExplainArguments arguments, const Ranks* ranks) {
  Session session(arguments.common, ranks);
  reserve_output(arguments.source, arguments.svg, "--svg", session);
  const std::string& file = arguments.source.model;
  ModelSource source = find_model_source(arguments.source.task, file, arguments.learning, "explain", session);
  const Task task = source.task;
  const std::vector<NamedValue> decision = parse_assignments(arguments.decision, "at", source.columns);
  check_alterations(task.alterable, decision, source.columns);
  const std::vector<std::vector<double>> contexts = load_contexts(source, arguments.source, session);
  if (!arguments.svg.empty() && contexts.size() > 1) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("--svg draws one context, and there are {}. Give one with --context.", contexts.size()));
  }
  Json options = source.options;
  if (arguments.quick) arguments.learning.options.members.reset();
  arguments.learning.options.context_model = any_unknown(contexts);
  const RehearsalModel model = take_model(source, arguments.learning, session);
  if (!session.goes_on_alone()) return 0;
  session.warn(wish_warnings(task));
  DecisionProblems problems = make_problems(model, task, contexts, arguments.source, session);
  if (arguments.quick) {
    for (DecisionProblem& problem : problems.list) problem.members = nullptr;
  }
  session.warn(problems.warnings);
  const std::vector<std::vector<NamedValue>> decisions(problems.list.size(), decision);
  const std::vector<Explanation> explanations =
      explain_all(problems.list, decisions, arguments.explain, session.context());

  Json json;
  json["task"] = to_json(task);
  json["column_types"] = column_types_json(model.columns);
  if (model.data) json["data"] = to_json(*model.data);
  json["order"] = model.order.order;
  json["order_method"] = model.order.method;
  if (model.graph) json["graph"] = to_json(*model.graph);
  if (model.gaps) json["missing"] = to_json(*model.gaps);
  if (model.agreement) json["agreement"] = to_json(*model.agreement);
  json.update(row_facts_json(model));
  json["undecided_steps"] = undecided_between(model);
  json["explanations"] = Json::array();
  for (const Explanation& explanation : explanations) {
    session.warn(explanation.warnings);
    json["explanations"].push_back(to_json(explanation, model.columns));
  }
  std::string text = explanation_text(explanations, model.columns);
  if (arguments.looking) {
    for (std::size_t i = 0; i < problems.list.size(); ++i) {
      const Looking looking = explain_looking(problems.list[i], {}, session.context());
      json["explanations"][i]["looking"] = to_json(looking, model.columns);
      text += "\n" + looking_text(looking, model.columns);
    }
  }
  options["looking"] = arguments.looking;
  if (model.calibration) json["calibration"] = to_json(*model.calibration);
  options.update(to_json(model.options));
  options["quick"] = arguments.quick || !model.members;
  ExplainOptions used = arguments.explain;
  options.update(describe(used).json());
  if (!arguments.svg.empty()) {
    write_file_atomically(arguments.svg, explanation_svg(explanations.front(), model.columns), arguments.common.force);
    options["svg"] = arguments.svg;
  }
  session.finish("explain", json, std::move(options), text);
  return 0;
}

}  // namespace

std::function<int()> fill_explain_verb(CLI::App* verb) {
  auto arguments = std::make_shared<ExplainArguments>();
  add_model_options(*verb, arguments->source, "CSV file with a context in each row: each is explained");
  add_assignments(
      *verb, "--at", arguments->decision,
      "a value of a decision to compare with, NAME=VALUE; may be repeated: curves also with the others there");
  add_so_far_option(*verb, arguments->source);
  verb->add_flag("--looking", arguments->looking,
                 "also say what seeing each variable is worth, and which levers to change or to watch")
      ->group("Curves");
  verb->add_flag("--quick", arguments->quick, "one fit without members: numbers without their intervals")
      ->group("Curves");
  add_rehearsal_options(*verb, arguments->learning);
  add_member_options(*verb, arguments->learning);
  add_described_options(*verb, describe(arguments->explain), "Curves");
  add_common_options(*verb, arguments->common);
  verb->add_option("--svg", arguments->svg, "draw rankings, forecast, curves and pairs into this file")
      ->type_name("FILE")
      ->group("Output and resources");
  verb->footer(R"(
Examples:
  olem explain task.json
  olem explain task.json --svg influence.svg
  olem explain task.json --looking
  olem explain task.json --quick
  olem explain --model reef.olem --context Light=0.4 --context Temp=-0.2 --context Sal=0.1
  olem explain --model reef.olem --at DIC=0 --at TA=0.2 --pair-points 0
  olem explain task.json --contexts today.csv --json -o influence.json

Exit codes: 0 done, 2 usage, 3 bad input, 4 the task cannot be solved as stated, 5 file, 6 memory or time,
130 interrupted.)");
  return [verb, arguments] {
    check_rehearsal_options(*verb, arguments->learning);
    // An earlier version had one fit.
    if (!arguments->learning.like.empty()) arguments->quick = true;
    return run_on_ranks(*verb, [&](const Ranks* ranks) { return run_explain(*arguments, ranks); });
  };
}

}  // namespace olem::app
