#include "olem/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "model_source.h"
#include "olem/column_types.h"
#include "olem/error.h"
#include "olem/simulate_mixed.h"
#include "olem/simulate_named.h"
#include "olem/simulate_plan.h"
#include "session.h"
#include "values.h"

namespace olem::app {

namespace {

constexpr std::uint64_t kMostIndex = (std::uint64_t{1} << 40) - 1;  // what every kind of simulation has streams for

constexpr std::string_view kMeasured = "bermuda-measured";  // by the option of bermuda
constexpr Choice kBermudaNoises[] = {
    {"simulated", "variance .05 in every equation, uniform roots"},
    {"measured", "variances as measured, normal roots, and the region that goes with them"},
};

// By kind; one without an entry has an example that follows from its name.
const std::map<std::string, std::string_view>& examples() {
  static const std::map<std::string, std::string_view> kExamples = {
      {"order", "  olem simulate order -o toy --variables 10 --density 0.5 --noise beta --seed 1\n"},
      {"auf", "  olem simulate auf -o task --family mlp\n"},
      {"bermuda",
       "  olem simulate bermuda -o bermuda --rows 1000\n  olem simulate bermuda -o measured --noise measured\n"},
      {"ride-hailing", "  olem simulate ride-hailing -o rides\n"},
      {"mixed", "  olem simulate mixed -o shop --variables 12 --types real=0.5,binary=0.3,count=0.2 --missing 0.1\n"},
      {"comfort", "  olem simulate comfort -o office\n"},
      {"evaluate",
       "  olem simulate evaluate office/truth.json --context t_out=4 --context people=12 --context solar=300 \\\n"
       "      --context clo=1 --set t_supply=24 --set vent=180\n"
       "  olem simulate evaluate shop/truth.json --context X1=0.3 --context X2=yes --context X3=B --set Z4=no\n"
       "  olem simulate evaluate reef/truth.json --plan decision.json\n"},
  };
  return kExamples;
}

struct SimulateArguments {
  CommonOptions common;
  OrderSimulationOptions order;
  AufSimulationOptions auf;
  BermudaSimulationOptions bermuda;
  MixedSimulationOptions mixed;
  NamedSimulationOptions named;
  std::string noise = "simulated";  // of bermuda
  std::uint64_t index = 0;
  std::string truth;  // of evaluate
  std::vector<std::string> observed;
  std::vector<std::string> set;
  std::string plan;
  int draws = 20000;
  bool no_best = false;
};

Json options_json(Simulation& simulation) {
  return std::visit([](auto& options) { return describe(options).json(); }, simulation.options);
}

Json options_json(MixedSimulation& simulation) {
  Json json = describe(simulation.options).json();
  json["types"] = to_text(simulation.options.types);
  return json;
}

Json options_json(NamedSimulation& simulation) { return describe(simulation.options).json(); }

std::string_view kind_name(const NamedSimulation& simulation) { return simulation.name; }

std::size_t edge_count(const NamedSimulation& simulation) { return NamedModel(simulation.name).edges().size(); }
template <class Made>
std::size_t edge_count(const Made& simulation) {
  return simulation.model.edges().size();
}

void add_findings(const NamedSimulation& /*simulation*/, Json& /*json*/, std::string& /*text*/) {}

// How good decisions can be, where that is known.
void add_findings(const Simulation& /*simulation*/, Json& /*json*/, std::string& /*text*/) {}

void add_findings(const MixedSimulation& simulation, Json& json, std::string& text) {
  double best = 0.0;
  for (const TrueDecision& decision : simulation.best) {
    best += decision.success / static_cast<double>(simulation.best.size());
  }
  json["without_action"] = simulation.without_action;
  json["best"] = best;
  text += fmt::format("True success without action: {:.1f} %; of the best decisions, mean of {} contexts: {:.1f} %.\n",
                      100.0 * simulation.without_action, simulation.best.size(), 100.0 * best);
}

template <class Options, class Simulate>
int run_simulate(const SimulateArguments& arguments, const Options& options, const Simulate& simulate) {
  const std::string folder = arguments.common.output;
  if (folder.empty()) throw Error(ErrorCategory::kUsage, "-o is missing: name the folder to write into.");
  if (arguments.index > kMostIndex) {
    throw Error::of_option("index",
                           fmt::format("'{}' is not a whole number from 0 to {}.", arguments.index, kMostIndex));
  }
  CommonOptions common = arguments.common;
  common.output.clear();  // a folder of files here, not the JSON
  Session session(common);
  check_simulation_folder(folder, common.force);
  session.reserve_folder(folder, "-o");
  auto simulation = simulate(options, arguments.index, session.context());
  const auto files = write_simulation(folder, simulation, common.force, session.context());

  Json json;
  json["kind"] = kind_name(simulation);
  json["folder"] = folder;
  json["files"] = files;
  json["rows"] = simulation.data.rows();
  json["columns"] = simulation.data.columns();
  json["edges"] = edge_count(simulation);
  Json used = options_json(simulation);
  used["index"] = arguments.index;
  std::string text = fmt::format("{}: {} rows of {} variables with {} edges.\n", folder, simulation.data.rows(),
                                 simulation.data.columns(), edge_count(simulation));
  add_findings(simulation, json, text);
  text += fmt::format("Written: {}.\n", fmt::join(files, ", "));
  session.finish("simulate", json, std::move(used), text);
  return 0;
}

Json named_json(const std::vector<NamedValue>& values, std::span<const NamedColumn> columns) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = value_json(about_column(columns, name), value);
  return json;
}

// What is evaluated: by --context and --set, or by --plan.
DecisionPlan asked_plan(const SimulateArguments& arguments, std::span<const NamedColumn> columns) {
  DecisionPlan plan;
  if (!arguments.plan.empty()) plan = read_decision_plan(arguments.plan);
  if (!arguments.plan.empty() && !arguments.set.empty())
    throw Error::of_option("set", "What is set stands in the plan already.", {{"Leave out one of them", "plan"}});
  if (!arguments.observed.empty()) plan.observed = parse_assignments(arguments.observed, "context", columns);
  if (!arguments.set.empty()) plan.alterations = parse_assignments(arguments.set, "set", columns);
  return plan;
}

// What is the same for all truths: the success of the decision, of none and, where it was sought, of the best one
// found.
template <class Success, class Search>
int finish_evaluation(Session& session, const SimulateArguments& arguments, const DecisionPlan& plan,
                      std::span<const NamedColumn> columns, const Success& success, const Search& search) {
  const std::vector<NamedValue>& observed = plan.observed;
  const std::vector<NamedValue>& set = plan.alterations;
  const double decided = success(set, plan.rules);
  const double idle = success({}, {});
  const double error = std::sqrt(decided * (1.0 - decided) / static_cast<double>(arguments.draws));
  Json json;
  json["context"] = named_json(observed, columns);
  json["alterations"] = named_json(set, columns);
  for (const AlterationRule& rule : plan.rules) json["rules"][rule.name] = to_json(rule, columns);
  json["success"] = decided;
  json["standard_error"] = error;
  json["without_action"] = idle;
  std::string text =
      fmt::format("True probability of success: {:.1f} % (standard error {:.1f} %).\nWithout action: {:.1f} %.\n",
                  100.0 * decided, 100.0 * error, 100.0 * idle);
  if (!arguments.no_best) {
    const std::vector<NamedValue> best = search().alterations;
    const double reached = success(best, {});
    json["best"] = {{"alterations", named_json(best, columns)}, {"success", reached}};
    std::vector<std::string> words;
    for (const auto& [name, value] : best)
      words.push_back(fmt::format("{} = {}", name, value_name(about_column(columns, name), value)));
    text += fmt::format("Best decision at once that was found: {:.1f} % with {}.\n", 100.0 * reached,
                        words.empty() ? "nothing altered" : fmt::format("{}", fmt::join(words, ", ")));
  }
  Json used;
  used["draws"] = arguments.draws;
  session.finish("simulate", json, std::move(used), text);
  return 0;
}

// A column without a type is real: every value is a number.
void check_roles(const std::vector<std::string>& context, const std::vector<std::string>& levers,
                 const DecisionPlan& plan) {
  const std::vector<NamedValue>& observed = plan.observed;
  for (const std::string& name : context) {
    if (std::none_of(observed.begin(), observed.end(), [&](const NamedValue& one) { return one.name == name; }))
      throw Error::of_option("context", fmt::format("The context variable '{}' has no value.", name),
                             {{"Give its value", "context"}});
  }
  const auto check_lever = [&](const std::string& name, const char* option) {
    if (std::find(levers.begin(), levers.end(), name) == levers.end())
      throw Error::of_option(option, fmt::format("'{}' is not alterable.", name));
  };
  for (const NamedValue& value : plan.alterations) check_lever(value.name, "set");
  for (const AlterationRule& rule : plan.rules) check_lever(rule.name, "plan");
}

// Of a simulator with equations. Every value is a number.
int run_named_evaluate(const SimulateArguments& arguments, Session& session) {
  const NamedModel model = read_named_truth(arguments.truth);
  const Task task = model.task();
  const DecisionPlan plan = asked_plan(arguments, {});
  std::vector<std::string> levers;
  for (const LeverDomain& lever : task.alterable) levers.push_back(lever.name);
  check_roles(task.context, levers, plan);
  const auto success = [&](const std::vector<NamedValue>& alterations, const std::vector<AlterationRule>& rules) {
    return model.success(plan.observed, alterations, static_cast<std::size_t>(arguments.draws), 3, session.context(),
                         rules);
  };
  return finish_evaluation(session, arguments, plan, {}, success,
                           [&] { return best_decision(model, plan.observed, session.context()); });
}

// Of a model with additive noise: auf and bermuda.
int run_structural_evaluate(const SimulateArguments& arguments, Session& session) {
  const SimulationTruth truth = read_simulation_truth(arguments.truth);
  const DecisionPlan plan = asked_plan(arguments, {});
  std::vector<std::string> levers;
  for (const NamedRange& lever : truth.task.alterable) levers.push_back(lever.name);
  check_roles(truth.task.context, levers, plan);
  const auto success = [&](const std::vector<NamedValue>& alterations, const std::vector<AlterationRule>& rules) {
    return true_success(truth, plan.observed, alterations, static_cast<std::size_t>(arguments.draws), 3,
                        session.context(), rules);
  };
  return finish_evaluation(session, arguments, plan, {}, success,
                           [&] { return best_decision(truth, plan.observed, session.context()); });
}

int run_evaluate(const SimulateArguments& arguments) {
  Session session(arguments.common);
  const std::string kind = truth_kind(arguments.truth);
  if (kind == "equations") return run_named_evaluate(arguments, session);
  if (kind != "mixed") return run_structural_evaluate(arguments, session);
  if (!arguments.plan.empty()) {
    throw Error::of_option("plan", "Plans are evaluated in simulations whose columns are numbers, not in mixed ones.",
                           {{"Give the values that are set", "set"}});
  }
  const MixedTruth truth = read_mixed_truth(arguments.truth);
  std::vector<NamedColumn> columns;
  for (const MixedNode& node : truth.model.nodes) columns.push_back({node.name, node.about});
  const DecisionPlan plan = asked_plan(arguments, columns);
  const auto draws = static_cast<std::size_t>(arguments.draws);
  const auto success = [&](const std::vector<NamedValue>& alterations, const std::vector<AlterationRule>& /*none*/) {
    return evaluate_decision(truth.model, truth.task, plan.observed, alterations, draws, 3, session.context());
  };
  return finish_evaluation(session, arguments, plan, columns, success,
                           [&] { return best_decision(truth.model, truth.task, plan.observed, session.context()); });
}

}  // namespace

std::function<int()> fill_simulate_verb(CLI::App* verb) {
  auto arguments = std::make_shared<SimulateArguments>();
  verb->require_subcommand(1);
  const auto add_kind = [&](const std::string& name, const std::string& help, const OptionSet& options) {
    CLI::App* const kind = verb->add_subcommand(name, help);
    add_described_options(*kind, options, "Model");
    kind->add_option("--index", arguments->index, "which repetition of this setting (default 0)")
        ->type_name("NUMBER")
        ->group("Model");
    add_common_options(*kind, arguments->common, "the folder to write into");
    kind->get_option("--output")->type_name("FOLDER");
    return kind;
  };
  CLI::App* const order =
      add_kind("order", "a random graph with linear and Gaussian-process functions", describe(arguments->order));
  CLI::App* const auf =
      add_kind("auf", "a random decision task: data, truth and a task file", describe(arguments->auf));
  CLI::App* const bermuda =
      add_kind("bermuda", "the Bermuda coral reef task from its simulator", describe(arguments->bermuda));
  OptionSet noises;
  noises.name_choice("noise", arguments->noise, kBermudaNoises, "of the equations");
  add_described_options(*bermuda, noises, "Model");
  std::vector<std::pair<CLI::App*, std::string>> named;
  for (const NamedSimulator& simulator : named_simulators()) {
    if (simulator.name != kMeasured)
      named.emplace_back(add_kind(std::string(simulator.name), std::string(simulator.help), describe(arguments->named)),
                         simulator.name);
  }
  CLI::App* const mixed =
      add_kind("mixed", "a random decision task with columns of all types", describe(arguments->mixed));
  mixed
      ->add_option_function<std::string>(
          "--types", [arguments](const std::string& text) { arguments->mixed.types = parse_type_shares(text); },
          fmt::format("shares of the types of columns (default {})", to_text(arguments->mixed.types)))
      ->type_name("NAME=SHARE,...")
      ->group("Model");
  CLI::App* const evaluate = verb->add_subcommand("evaluate", "the true success of a decision in a simulated task");
  evaluate->add_option("TRUTH", arguments->truth, "truth.json of such a task")->required();
  add_assignments(*evaluate, "--context", arguments->observed, "an observed value, NAME=VALUE; may be repeated");
  add_assignments(*evaluate, "--set", arguments->set, "a value of the decision, NAME=VALUE; may be repeated");
  evaluate
      ->add_option("--plan", arguments->plan,
                   "a JSON result of olem decide for one context: its context, what it sets and the rules of later "
                   "steps")
      ->type_name("FILE")
      ->group("Context");
  OptionSet draws;
  draws.integer("draws", arguments->draws, 1, 10000000, "draws of the true model");
  add_described_options(*evaluate, draws, "Context");
  evaluate->add_flag("--no-best", arguments->no_best, "without the search for the best decision, which takes most time")
      ->group("Context");
  add_common_options(*evaluate, arguments->common);
  const std::string files =
      "\nEvery folder gets data.csv, graph.csv and truth.json; decision tasks also task.json, and contexts.csv "
      "where something is observed first.";
  std::string all;
  for (CLI::App* const kind : verb->get_subcommands([](CLI::App*) { return true; })) {
    const auto example = examples().find(kind->get_name());
    const std::string own = example == examples().end()
                                ? fmt::format("  olem simulate {0} -o {0} --seed 1\n", kind->get_name())
                                : std::string(example->second);
    kind->footer("\nExamples:\n" + own + (kind == evaluate ? "" : files));
    if (example != examples().end()) all += own;
  }
  verb->footer("\nExamples:\n" + all + files);
  return [=] {
    if (order->parsed()) return run_simulate(*arguments, arguments->order, random_order_model);
    if (auf->parsed()) return run_simulate(*arguments, arguments->auf, random_auf_task);
    if (mixed->parsed()) return run_simulate(*arguments, arguments->mixed, random_mixed_task);
    if (evaluate->parsed()) return run_evaluate(*arguments);
    const auto run_named = [&](const std::string& name, const NamedSimulationOptions& options) {
      return run_simulate(*arguments, options,
                          [&](const NamedSimulationOptions& given, std::uint64_t index, const Context& context) {
                            return simulate_named(name, given, index, context);
                          });
    };
    for (const auto& [kind, name] : named) {
      if (kind->parsed()) return run_named(name, arguments->named);
    }
    static_cast<void>(bermuda);
    if (arguments->noise == "measured")
      return run_named(std::string(kMeasured), {arguments->bermuda.rows, arguments->bermuda.rounds});
    return run_simulate(*arguments, arguments->bermuda, bermuda_task);
  };
}

}  // namespace olem::app
