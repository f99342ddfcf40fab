#include <fmt/format.h>

#include <memory>

#include "data_options.h"
#include "method_options.h"
#include "olem/error.h"
#include "olem/graph_file.h"
#include "olem/rehearsal.h"
#include "olem/report.h"
#include "session.h"

namespace olem::app {

namespace {

struct DecideArguments {
  CommonOptions common;
  DataOptions data;  // its file overrides the task's
  RehearsalOptions rehearsal;
  DecisionOptions decision;
  ContextSources contexts;
  std::string task;
  std::string order_file;
};

std::vector<Method> order_methods(OrderOptions& options) {
  std::vector<Method> list;
  for (const OrderLearnerKind& kind : order_learners()) list.push_back({kind.name, kind.help, kind.describe(options)});
  return list;
}

std::vector<Method> samplers(SamplerOptions& options) {
  std::vector<Method> list;
  for (const SamplerKind& kind : sampler_kinds()) list.push_back({kind.name, kind.help, kind.describe(options)});
  return list;
}

// Wishes that the search cannot obey must not be forgotten silently.
void refuse_unknown_wishes(const Task& task) {
  const char* const wish = !task.cost.empty()          ? "cost"
                           : task.max_alterations      ? "max_alterations"
                           : !task.constraints.empty() ? "constraints"
                                                       : nullptr;
  if (wish != nullptr) {
    throw Error(ErrorCategory::kTask,
                fmt::format("{}: The task asks for '{}', which the search cannot obey. Remove it to decide without it.",
                            task.source, wish));
  }
}

Json model_json(const RehearsalModel& model) {
  Json json = Json::object();
  for (const SamplerVariable& variable : model.samplers->variables) {
    if (variable.sampler) json[variable.name] = {{"form", variable.sampler->facts().form}};
  }
  return json;
}

int run_decide(const DecideArguments& arguments) {
  Session session(arguments.common);
  const Task task = read_task(arguments.task);
  refuse_unknown_wishes(task);
  const std::vector<std::vector<double>> contexts = read_contexts(task, arguments.contexts, session.context());
  DataOptions data = arguments.data;
  if (data.file.empty()) data.file = data_path(task);
  const LoadedTable loaded = load_table(data, session);
  std::optional<Order> given;
  if (!arguments.order_file.empty()) given = read_order(arguments.order_file, session.context());

  const RehearsalModel model = fit_rehearsal(task, loaded.table, arguments.rehearsal, given, session.context());
  session.warn(model.summary.warnings);
  std::vector<DecisionProblem> problems;
  for (const std::vector<double>& values : contexts) {
    session.warn(context_warnings(task, model.context, values));
    problems.push_back(decision_problem(model, values));
  }
  const std::vector<Decision> decisions = decide_all(problems, arguments.decision, session.context());
  const std::vector<std::string> undecided = undecided_between(model);
  for (const Decision& decision : decisions) {
    session.warn(decision.summary.warnings);
    if (arguments.common.strict && decision.summary.status == "no_influence")
      throw Error(ErrorCategory::kTask, fmt::format("{}: {}", task.source, decision.summary.message));
  }

  Json json;
  json["method"] = "olem-rh";
  json["task"] = to_json(task);
  json["order"] = model.order.order;
  json["order_method"] = model.order.method;
  json["models"] = model_json(model);
  json["undecided_steps"] = undecided;
  json["decisions"] = Json::array();
  for (const Decision& decision : decisions) {
    json["decisions"].push_back(to_json(decision));
    json["decisions"].back()["undecided_steps"] = undecided;
  }
  Json options = to_json(data);
  RehearsalOptions used = arguments.rehearsal;
  options["method"] = used.order.method;
  options.update(order_learner(used.order.method).describe(used.order).json());
  options["sampler"] = used.samplers.sampler;
  options.update(sampler_kind(used.samplers.sampler).describe(used.samplers).json());
  options["ignore_stages"] = used.ignore_stages;
  DecisionOptions search = arguments.decision;
  options.update(describe(search).json());
  session.finish("decide", json, std::move(options), decision_text(model, decisions));
  return 0;
}

}  // namespace

Verb add_decide_verb(CLI::App& app) {
  auto arguments = std::make_shared<DecideArguments>();
  CLI::App* const verb =
      app.add_subcommand("decide", "find what to change so that the outcome ends up where it is wanted");
  verb->add_option("TASK", arguments->task, "task file: roles of the columns, domains, what is desired")->required();
  const std::string group = "Context";
  verb->add_option("--context", arguments->contexts.values, "an observed value, NAME=VALUE; may be repeated")
      ->type_name("NAME=VALUE")
      ->group(group);
  verb->add_option("--contexts", arguments->contexts.file, "CSV file with a context in each row: one decision for each")
      ->type_name("FILE")
      ->group(group);
  verb->add_option("--order", arguments->order_file, "use this order instead of learning one: a name a line, or JSON")
      ->type_name("FILE")
      ->group("Order");
  verb->add_flag("--ignore-stages", arguments->rehearsal.ignore_stages,
                 "learn the order without the stages of the task, as the published algorithm does")
      ->group("Order");
  add_method_options(*verb, order_methods(arguments->rehearsal.order), arguments->rehearsal.order.method,
                     "how the order is learned");
  add_method_options(*verb, samplers(arguments->rehearsal.samplers), arguments->rehearsal.samplers.sampler,
                     "model of each variable given those before it", "--sampler");
  add_described_options(*verb, describe(arguments->decision), "Search");
  add_data_options(*verb, arguments->data, "--data");
  add_common_options(*verb, arguments->common);
  verb->footer(R"(
Examples:
  olem decide task.json
  olem decide task.json --context Light=0.4 --context Temp=-0.2 --context Sal=0.1
  olem decide task.json --contexts today.csv --json -o decisions.json
  olem decide task.json --sampler linear --caution 2

Exit codes: 0 done, 2 usage, 3 bad input, 4 the task cannot be solved as stated, 5 file, 6 memory or time,
130 interrupted.)");
  return {verb, [verb, arguments] {
            check_method_options(*verb, order_methods(arguments->rehearsal.order), arguments->rehearsal.order.method);
            check_method_options(*verb, samplers(arguments->rehearsal.samplers), arguments->rehearsal.samplers.sampler,
                                 "--sampler");
            return run_decide(*arguments);
          }};
}

}  // namespace olem::app
