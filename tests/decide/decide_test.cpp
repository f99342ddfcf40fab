#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "decide/search.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/random.h"
#include "olem/rehearsal.h"
#include "olem/simulate.h"

namespace olem::decide_test {

using namespace internal;
namespace {

// x -> z -> y and x -> y, with w beside: y = z + 0.5 x + 0.5 noise, z = x + noise, w = noise.
Table small_table(std::size_t rows = 400) {
  RandomStream random(1, "decide");
  std::vector<double> x(rows);
  std::vector<double> z(rows);
  std::vector<double> w(rows);
  std::vector<double> y(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = random.normal();
    z[i] = x[i] + random.normal();
    w[i] = random.normal();
    y[i] = z[i] + 0.5 * x[i] + 0.5 * random.normal();
  }
  std::vector<double> values;
  for (const auto* column : {&x, &z, &w, &y}) values.insert(values.end(), column->begin(), column->end());
  return Table({"x", "z", "w", "y"}, std::move(values), "small.csv");
}

Task small_task(const std::string& desired = "{\"y\": [1.5, 2.5]}", const std::string& domain = "[-3, 3]") {
  return parse_task("{\"context\": [\"x\"], \"alterable\": {\"z\": " + domain +
                        "}, \"outcome\": [\"y\"], \"desired\": " + desired + ", \"observed\": {\"x\": 1.0}}",
                    "task.json");
}

RehearsalModel linear_model(const Task& task, const Table& table = small_table()) {
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  return fit_rehearsal(task, table, options, Order{"x", "z", "w", "y"}, Context());
}

Decision decide_at(const RehearsalModel& model, double x, const DecisionOptions& options = {}) {
  const std::vector<double> values = {x};
  return decide(decision_problem(model, named_values(model.task.context, values)), options, Context());
}

TEST(Box, ReachesItsSidesExactlyAndBack) {
  const Box box{{-1.0}, {3.0}};
  EXPECT_EQ(box.at(0, 1.0), 3.0);
  EXPECT_EQ(box.at(0, -1.0), -1.0);
  EXPECT_NEAR(box.at(0, std::tanh(0.5)), 1.9242343145, 1e-9);
  EXPECT_NEAR(box.at(0, std::tanh(-2.0)), -0.9280551602, 1e-9);
  EXPECT_NEAR(box.coordinate(0, 1.9242343145), std::tanh(0.5), 1e-9);
}

// P(|0.5 noise| <= 0.5) = 0.6827 is the best that can be had, at z + 0.5 x = 2.
TEST(Decide, FindsTheBestValueOfALinearModel) {
  const Decision decision = decide_at(linear_model(small_task()), 1.0);
  ASSERT_TRUE(decision.alterations[0].value.has_value());
  EXPECT_NEAR(*decision.alterations[0].value, 1.5, 0.15);
  EXPECT_NEAR(decision.success_probability, 0.6827, 0.05);
  EXPECT_LE(decision.success_low, decision.success_probability);
  EXPECT_GE(decision.success_high, decision.success_probability);
  EXPECT_NEAR(decision.alterations[0].expected, 1.0, 0.2);
  EXPECT_NEAR(decision.alterations[0].success_if_released, decision.without_action, 1e-12);
  EXPECT_LT(decision.without_action, decision.success_probability);
  EXPECT_NEAR(decision.outcomes[0].mean, 2.0, 0.15);
  EXPECT_EQ(decision.summary.status, Status::kDone);
}

TEST(Decide, AsksForTheBorderWhenTheBestLiesBeyond) {
  const RehearsalModel model = linear_model(small_task("{\"y\": [1, null]}", "[-1, 1]"));
  DecisionOptions options;
  options.least_effort = 0.0;
  EXPECT_EQ(decide_at(model, -1.0, options).alterations[0].value, 1.0);
  // Little less is as good, and less effort.
  EXPECT_NEAR(decide_at(model, -1.0).alterations[0].value.value_or(0.0), 1.0, 0.02);
}

TEST(Decide, RecommendsNothingWhenNothingIsBest) {
  // Setting z to any value loses against leaving it where it is: wanted is a wide range around what happens anyway.
  const Decision decision = decide_at(linear_model(small_task("{\"y\": [-50, 50]}")), 1.0);
  EXPECT_FALSE(decision.acts());
  EXPECT_EQ(decision.summary.status, Status::kNoAction);
  EXPECT_EQ(decision.success_probability, 1.0);
}

TEST(Decide, SaysWhenNothingCanHaveInfluence) {
  const Task task = small_task();
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  const RehearsalModel model = fit_rehearsal(task, small_table(), options, Order{"x", "y", "z", "w"}, Context());
  ASSERT_EQ(model.summary.warnings.size(), 1U);
  EXPECT_EQ(model.summary.warnings[0].code, "order_contradicts_stages");
  const Decision decision = decide_at(model, 1.0);
  EXPECT_EQ(decision.summary.status, Status::kNoInfluence);
  EXPECT_FALSE(decision.acts());
  EXPECT_FALSE(decision.alterations[0].influences);
}

TEST(Decide, StagesAreUsedUnlessTheyAreToBeIgnored) {
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  const RehearsalModel model = fit_rehearsal(small_task(), small_table(), options, std::nullopt, Context());
  EXPECT_EQ(model.order.order.front(), "x");
  EXPECT_EQ(model.order.order.back(), "y");
  options.ignore_stages = true;
  const RehearsalModel free = fit_rehearsal(small_task(), small_table(), options, std::nullopt, Context());
  // y has the smallest noise of its own, so that its conditional entropy is the smallest: OLEM alone puts it elsewhere.
  EXPECT_NE(free.order.order.back(), "y");
}

TEST(Decide, ManyContextsAreDecidedAsOneByOneWithAnyNumberOfThreads) {
  const RehearsalModel model = linear_model(small_task());
  std::vector<DecisionProblem> problems;
  for (const double x : {-1.0, 0.0, 1.0})
    problems.push_back(decision_problem(model, named_values(model.task.context, std::vector<double>{x})));
  std::string first;
  for (const int threads : {1, 2, 8}) {
    Context context;
    context.threads = threads;
    std::string bytes;
    for (const Decision& decision : decide_all(problems, {}, context)) {
      Json json = to_json(decision);
      json.erase("seconds");
      bytes += json.dump();
    }
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads;
  }
  // A decision depends on its context, not on its place among others.
  std::string alone;
  for (const DecisionProblem& problem : problems) {
    Json json = to_json(decide(problem, {}, Context()));
    json.erase("seconds");
    alone += json.dump();
  }
  EXPECT_EQ(alone, first);
}

// The gradient of the smoothed success with respect to the decision, through the whole chain, in double.
TEST(Decide, GradientOfTheChainIsThatOfCentralDifferences) {
  AufSimulationOptions simulation_options;
  simulation_options.family = AufFamily::kMlp;
  simulation_options.rows = 120;
  const Simulation simulation = random_auf_task(simulation_options, 0, Context());
  const Order order = [&] {
    Order names;
    for (const std::size_t node : causal_order(simulation.model)) names.push_back(simulation.model.nodes[node].name);
    return names;
  }();
  std::vector<OutcomeRange> ranges;
  for (const NamedRange& range : simulation.task->desired) ranges.push_back({range.name, range.low, range.high});
  const auto samplers = std::make_shared<const SamplerSet>(
      fit_samplers(simulation.data, conditions_from_order(order), SamplerOptions{}, Context()));
  const PreparedObjective prepared = prepare_objective(Region::box(ranges), *samplers, Context());
  PostDecisionPlan plan;
  for (std::size_t k = 0; k < simulation.task->context.size(); ++k)
    plan.context.push_back({simulation.task->context[k], simulation.task->contexts.at(0, k)});
  for (const NamedRange& range : simulation.task->alterable) plan.altered.push_back(range.name);
  plan.outcomes = simulation.task->outcome;
  plan.draws = 200;
  PostDecisionSampler sampler(samplers, plan, Context());
  const std::size_t k = plan.altered.size();
  std::vector<double> values(k, 0.3);
  std::vector<double> adjoints;
  std::vector<double> gradient(k);
  const auto smoothed = [&](const std::vector<double>& at) {
    const OutcomeDraws& draws = sampler.sample(at, 1.0);
    adjoints.resize(draws.values.size());
    return prepared.objective.smoothed(0.25, draws, adjoints);
  };
  smoothed(values);
  sampler.gradient(adjoints, gradient);
  for (std::size_t j = 0; j < k; ++j) {
    constexpr double kStep =
        1e-3;  // a gp's posterior spread is rounded to about 1e-5 of the noise's standard deviation
    std::vector<double> moved = values;
    moved[j] += kStep;
    const double up = smoothed(moved);
    moved[j] -= 2.0 * kStep;
    const double numerical = (up - smoothed(moved)) / (2.0 * kStep);
    EXPECT_NEAR(gradient[j], numerical, 2e-5 * std::max(1.0, std::abs(numerical))) << plan.altered[j];
  }
}

TEST(Decide, RefusesDomainsAndNamesThatCannotBe) {
  const RehearsalModel model = linear_model(small_task());
  DecisionProblem problem = decision_problem(model, named_values(model.task.context, std::vector<double>{1.0}));
  problem.alterable[0].low = 5.0;
  EXPECT_THROW(decide(problem, {}, Context()), Error);
  problem.alterable[0] = {"q", -1.0, 1.0};
  EXPECT_THROW(decide(problem, {}, Context()), Error);
  DecisionOptions options;
  options.draws = 1;
  EXPECT_THROW(
      decide(decision_problem(model, named_values(model.task.context, std::vector<double>{1.0})), options, Context()),
      Error);
}

TEST(Decide, ObservedValuesAreMatchedByName) {
  const Task task = parse_task(
      R"({"context": ["x", "w"], "alterable": {"z": [-3, 3]}, "outcome": ["y"], "desired": {"y": [1.5, 2.5]}})",
      "task.json");
  const RehearsalModel model = linear_model(task);
  const auto json = [](const Decision& decision) {
    Json object = to_json(decision);
    object.erase("seconds");
    return object.dump();
  };
  const std::string expected = json(
      decide(decision_problem(model, named_values(model.task.context, std::vector<double>{1.0, -0.5})), {}, Context()));
  EXPECT_EQ(json(decide(model, {{"x", 1.0}, {"w", -0.5}}, {}, Context())), expected);
  EXPECT_EQ(json(decide(model, {{"w", -0.5}, {"x", 1.0}}, {}, Context())), expected);
  EXPECT_NE(json(decide(model, {{"w", 1.0}, {"x", -0.5}}, {}, Context())), expected);
  const std::vector<NamedValue> observed = {{"w", -0.5}, {"x", 1.0}};
  EXPECT_EQ(decision_problem(model, observed).context, (std::vector<NamedValue>{{"x", 1.0}, {"w", -0.5}}));
  // What the model never saw is decided with a warning.
  const Decision far = decide(model, {{"w", 0.0}, {"x", 100.0}}, {}, Context());
  ASSERT_FALSE(far.summary.warnings.empty());
  EXPECT_EQ(far.summary.warnings.front().code, "extrapolation");
}

TEST(Decide, ObservedValuesThatDoNotFitTheContextAreRefused) {
  const Task task = parse_task(
      R"({"context": ["light", "heat"], "alterable": {"z": [-3, 3]}, "outcome": ["y"], "desired": {"y": [1, 2]}})",
      "task.json");
  Table table = small_table();
  table = Table({"light", "z", "heat", "y"}, {table.values().begin(), table.values().end()}, "small.csv");
  RehearsalOptions fit;
  fit.samplers.sampler = "linear";
  const RehearsalModel model = fit_rehearsal(task, table, fit, Order{"light", "heat", "z", "y"}, Context());
  const auto refusal = [&](const std::vector<NamedValue>& observed) -> std::string {
    try {
      decide(model, observed, {}, Context());
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kUsage);
      return error.what();
    }
    return "decided";
  };
  EXPECT_EQ(refusal({{"lihgt", 1.0}, {"heat", 0.0}}),
            "'lihgt' is not a context variable of the model; did you mean 'light'? The context variables are: light, "
            "heat.");
  EXPECT_EQ(
      refusal({{"light", 1.0}}),
      "The context variable 'heat' has no value. The context variables are: light, heat. Have it drawn from what is "
      "known of the context: UnknownPolicy::kDraw.");
  EXPECT_EQ(refusal({{"light", 1.0}, {"heat", 0.0}, {"light", 2.0}}), "The context variable 'light' is given twice.");
  EXPECT_NE(refusal({{"light", std::nan("")}, {"heat", 0.0}}).find("light"), std::string::npos);
  EXPECT_NE(refusal({{"light", std::nan("")}, {"heat", 0.0}}).find("finite"), std::string::npos);
}

TEST(Decide, CanBeInterrupted) {
  const RehearsalModel model = linear_model(small_task());
  std::atomic<bool> stop = true;
  Context context;
  context.interrupt = &stop;
  EXPECT_THROW(decide(decision_problem(model, named_values(model.task.context, std::vector<double>{1.0})), {}, context),
               Error);
}

// Steps that are not decided are told when they stand between what is altered and what is wanted, and when the other
// way round a lever would come before one more variable.
TEST(Decide, UndecidedStepsBetweenDecisionAndOutcomeAreNamed) {
  RehearsalModel model = linear_model(small_task());
  OrderStep step;
  step.sink = "w";
  step.runner_up = "z";
  step.decided = false;
  model.order.steps = {step};
  EXPECT_EQ(undecided_between(model), std::vector<std::string>{"z, w"});
  model.order.order = {"w", "x", "z", "y"};  // the lever is z
  model.order.steps[0].sink = "z";
  model.order.steps[0].runner_up = "x";
  EXPECT_EQ(undecided_between(model), std::vector<std::string>{"x, z"});
  model.order.steps[0].sink = "x";
  model.order.steps[0].runner_up = "w";
  EXPECT_TRUE(undecided_between(model).empty());
}

}  // namespace
}  // namespace olem::decide_test
