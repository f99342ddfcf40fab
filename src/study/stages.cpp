// Decisions in steps on the Bermuda simulator, closed loop: decide, let the simulator answer, decide again.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "olem/decision.h"
#include "olem/random.h"
#include "olem/simulate.h"
#include "study/kind.h"

namespace olem::internal {

namespace {

constexpr std::size_t kRuleTrials = 2000;  // by which a rule is evaluated, and doing nothing
constexpr std::size_t kFollowUps = 10;     // cases of each context that are followed to the second step
constexpr const char* kSeen = "CO2";

struct StagesMethod {
  StudyName name;
  bool steps = true;
  std::optional<int> most;
  std::string sampler = "linear";
};

const std::vector<StagesMethod>& stages_methods() {
  static const std::vector<StagesMethod> kAll = {
      {{"at-once", "everything at once"}, false, std::nullopt},
      {{"two-steps", "two steps"}, true, std::nullopt},
      {{"at-most-two", "two steps, at most 2"}, true, 2},
      {{"default-sampler", "two steps, default sampler"}, true, std::nullopt, "auto"}};
  return kAll;
}

const StagesMethod& stages_method(const std::string& name) {
  return *std::find_if(stages_methods().begin(), stages_methods().end(),
                       [&](const StagesMethod& method) { return method.name.name == name; });
}

std::vector<NamedValue> alterations_in(const Decision& decision) {
  std::vector<NamedValue> values;
  for (const Alteration& alteration : decision.alterations) {
    if (alteration.value) values.push_back({alteration.name, *alteration.value});
  }
  return values;
}

// The truth about one context, the same noise for every decision.
struct StagesTruth {
  const Simulation& simulation;
  std::vector<NamedValue> observed;
  std::uint64_t draw = 0;
  Context context;

  Table rows(const std::vector<NamedValue>& altered, std::size_t trials) const {
    return simulate_decision(simulation.model, observed, altered, trials, draw, context);
  }
  double success(const std::vector<NamedValue>& altered) const {
    return success_rate(rows(altered, kRuleTrials), simulation.task->desired);
  }

  // Every case by its rule. The simulator is linear: what a lever does is the same in all cases.
  double success(const std::vector<NamedValue>& now, const std::vector<AlterationRule>& rules) const {
    std::vector<NamedValue> altered = now;
    for (const AlterationRule& rule : rules) altered.push_back({rule.name, 0.0});
    const Table before = rows(now, kRuleTrials);
    const Table base = rows(altered, kRuleTrials);
    const NamedRange& wanted = simulation.task->desired.front();
    const std::size_t outcome = base.index(wanted.name);
    std::vector<double> y(base.column(outcome).begin(), base.column(outcome).end());
    for (std::size_t r = 0; r < rules.size(); ++r) {
      std::vector<NamedValue> unit = altered;
      unit[now.size() + r].value = 1.0;
      const Table raised = rows(unit, kRuleTrials);
      std::vector<double> seen(rules[r].inputs.size());
      for (std::size_t i = 0; i < y.size(); ++i) {
        for (std::size_t k = 0; k < seen.size(); ++k) seen[k] = before.at(i, before.index(rules[r].inputs[k]));
        y[i] += rules[r](seen) * (raised.at(i, outcome) - base.at(i, outcome));
      }
    }
    const auto inside =
        std::count_if(y.begin(), y.end(), [&](double value) { return value >= wanted.low && value <= wanted.high; });
    return static_cast<double>(inside) / static_cast<double>(y.size());
  }
};

// Means over the contexts: success when the second step is decided by what was seen, by the rule of the first, what was
// claimed, and without action.
StudyValues follow(const Simulation& simulation, const StagesMethod& method, std::size_t rounds,
                   const Context& context) {
  Task task = decision_task(simulation);
  if (method.steps) task.sequence = {{{"DIC", "TA"}, {kSeen}}, {{"Omega", "Chla"}, {}}};
  task.max_alterations = method.most;
  RehearsalOptions learning;
  learning.samplers.sampler = method.sampler;
  const RehearsalModel model = fit_rehearsal(task, simulation.data, learning, std::nullopt, context);
  const Table& contexts = simulation.task->contexts;
  double success = 0.0;
  double by_rule = 0.0;
  double claimed = 0.0;
  double idle = 0.0;
  for (std::size_t round = 0; round < rounds; ++round) {
    context.check_interrupt();
    StagesTruth truth{simulation, {}, stream_index({{2, 8}, {simulation.index, 20}, {round, 20}}), context};
    truth.context.seed = simulation.seed;
    for (std::size_t k = 0; k < contexts.columns(); ++k)
      truth.observed.push_back({contexts.name(k), contexts.at(round, k)});
    const DecisionProblem problem = decision_problem(model, truth.observed);
    const Decision now = decide(problem, {}, context);
    const std::vector<NamedValue> set = alterations_in(now);
    claimed += now.success_probability;
    idle += truth.success({});
    const double rule = now.sequence ? truth.success(set, now.sequence->rules) : truth.success(set);
    by_rule += rule;
    if (!now.sequence) {
      success += rule;
      continue;
    }
    const Table first = truth.rows(set, kFollowUps);
    for (std::size_t i = 0; i < kFollowUps; ++i) {
      std::vector<NamedValue> so_far = set;
      so_far.push_back({kSeen, first.at(i, first.index(kSeen))});
      const Decision then = decide(problem_so_far(problem, so_far, context).problem, {}, context);
      std::vector<NamedValue> both = set;
      for (const NamedValue& value : alterations_in(then)) both.push_back(value);
      const Table last = truth.rows(both, kFollowUps);
      const NamedRange& wanted = simulation.task->desired.front();
      const double outcome = last.at(i, last.index(wanted.name));
      success += (outcome >= wanted.low && outcome <= wanted.high ? 1.0 : 0.0) / kFollowUps;
    }
  }
  const auto count = static_cast<double>(rounds);
  return {
      {"success", success / count}, {"rule", by_rule / count}, {"claimed", claimed / count}, {"idle", idle / count}};
}

std::vector<Batch> plan_stages(const StudyRequest& request) {
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    BermudaSimulationOptions options;
    options.rows = static_cast<int>(setting.number("n"));
    options.rounds = request.rounds;
    for (int task = 0; task < request.tasks; ++task) {
      Batch& batch = batches.emplace_back();
      for (const std::string& method : request.methods) {
        batch.cells.push_back(
            {setting, method, 0, task,
             fmt::format("{} rounds={} task={} method={}", setting.text(), request.rounds, task, method),
             1.0 + (stages_method(method).steps ? 0.5 : 0.05) * request.rounds});
      }
      batch.cost = 0.1;
      batch.prepare = [options, task, seed = request.seed, text = setting.text(),
                       rounds = request.rounds](const Context& context) {
        Context own = context;
        own.seed = derived_seed(seed, text);
        const auto simulation =
            std::make_shared<const Simulation>(bermuda_task(options, static_cast<std::uint64_t>(task), own));
        return [simulation, seed, rounds](const Cell& cell, const Context& its_context) {
          Context of_method = its_context;
          of_method.seed = derived_seed(seed, cell.key);
          return follow(*simulation, stages_method(cell.method), static_cast<std::size_t>(rounds), of_method);
        };
      };
    }
  }
  return batches;
}

// Tao, Wang, Jiang and Zhou, IJCAI 2025: 81.67 of 100 with at most two alterations.
std::optional<PublishedNumber> published_stages(const StudySetting& setting, const std::string& method,
                                                const std::string& metric) {
  if (method != "at-most-two" || metric != "success" || setting.number("n") != 1000.0) return std::nullopt;
  return PublishedNumber{0.8167, std::nullopt, 1};
}

}  // namespace

StudyKind stages_study() {
  StudyKind kind;
  kind.name = "stages";
  kind.help = "success of decisions in two steps on the Bermuda simulator, closed loop";
  for (const StagesMethod& method : stages_methods()) kind.methods.push_back(method.name);
  kind.metrics = {{"success", "success"}, {"rule", "by the rule"}, {"claimed", "claimed"}, {"idle", "no action"}};
  for (const char* const rows : {"300", "1000"}) kind.settings.push_back(StudySetting{{"n", rows}});
  kind.units_are_tasks = true;
  kind.protocol.epochs = 0;
  kind.protocol.tasks = 10;
  kind.protocol.rounds = 20;
  kind.plan = plan_stages;
  kind.published = published_stages;
  return kind;
}

}  // namespace olem::internal
