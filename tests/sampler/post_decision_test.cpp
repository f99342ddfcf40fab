#include "olem/post_decision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "olem/error.h"
#include "olem/sampler_state.h"
#include "olem/simulate.h"
#include "sampler/helpers.h"

namespace olem::post_decision_test {

using namespace internal;
namespace {

using Set = std::shared_ptr<const SamplerSet>;

// x -> a -> m -> y, with b -> y and a variable that nothing needs at the end. Nonlinear between a and y.
const Table& chain_table() {
  static const Table table = [] {
    RandomStream random(8, "test.chain");
    constexpr std::size_t kRows = 200;
    std::vector<std::vector<double>> columns(6, std::vector<double>(kRows));
    for (std::size_t i = 0; i < kRows; ++i) {
      const double x = random.normal();
      const double s = 0.5 * x + random.normal();
      const double a = x + random.normal();
      const double b = random.normal();
      const double m = 2.0 * std::tanh(a) + 0.3 * s + 0.3 * random.normal();
      const double y = 10.0 + m + std::sin(b) + 0.3 * random.normal();
      const std::vector<double> row = {x, s, a, b, m, y};
      for (std::size_t k = 0; k < 6; ++k) columns[k][i] = row[k];
    }
    std::vector<double> values;
    for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
    values.insert(values.end(), columns[5].begin(), columns[5].end());
    for (std::size_t i = 0; i < kRows; ++i) values[6 * kRows + i] += random.normal();
    return Table({"x", "s", "a", "b", "m", "y", "late"}, std::move(values));
  }();
  return table;
}

Set fit_chain(const std::string& kind, const Context& context = Context()) {
  SamplerOptions options;
  options.sampler = kind;
  return std::make_shared<SamplerSet>(
      fit_samplers(chain_table(), conditions_from_order(chain_table().names()), options, context));
}

const Set& gp_chain() {
  static const Set set = fit_chain("gp");
  return set;
}

const Set& linear_chain() {
  static const Set set = fit_chain("linear");
  return set;
}

PostDecisionPlan plan_of(std::vector<std::string> altered) {
  PostDecisionPlan plan;
  plan.context = {{"x", 0.4}};
  plan.altered = std::move(altered);
  plan.outcomes = {"m", "y"};
  plan.draws = 600;
  return plan;
}

double loss(PostDecisionSampler& sampler, const std::vector<double>& values, double caution,
            std::vector<double>* adjoints) {
  const OutcomeDraws& draws = sampler.sample(values, caution);
  double sum = 0.0;
  if (adjoints != nullptr) adjoints->resize(draws.values.size());
  for (std::size_t i = 0; i < draws.values.size(); ++i) {
    const double t = std::tanh(draws.values[i] - 0.5);
    sum += t / static_cast<double>(draws.draws);
    if (adjoints != nullptr) (*adjoints)[i] = (1.0 - t * t) / static_cast<double>(draws.draws);
  }
  return sum;
}

TEST(PostDecision, GradientOfTheWholeChainEqualsCentralDifferences) {
  for (const Set& set : {gp_chain(), linear_chain()}) {
    PostDecisionSampler sampler(set, plan_of({"b", "a"}), Context());
    for (const double caution : {1.0, 0.0}) {
      // The posterior spread of a gp is rounded to about 1e-5 of the noise's standard deviation.
      const bool rounded = set == gp_chain() && caution > 0.0;
      const double step = rounded ? 1e-3 : 1e-5;
      const double tolerance = rounded ? 2e-4 : 1e-6;
      std::vector<double> values = {-0.3, 0.8};
      std::vector<double> adjoints;
      loss(sampler, values, caution, &adjoints);
      std::vector<double> gradient(2);
      sampler.gradient(adjoints, gradient);
      for (std::size_t a = 0; a < 2; ++a) {
        const double before = values[a];
        values[a] = before + step;
        const double above = loss(sampler, values, caution, nullptr);
        values[a] = before - step;
        const double below = loss(sampler, values, caution, nullptr);
        values[a] = before;
        EXPECT_NEAR(gradient[a], (above - below) / (2.0 * step), tolerance)
            << "altered " << a << ", caution " << caution;
        EXPECT_GT(std::abs(gradient[a]), 1e-3);
      }
    }
  }
}

// table() always draws variable by variable, sample() takes the short way when all is linear.
TEST(PostDecision, LinearShortCutEqualsTheLongWay) {
  PostDecisionSampler sampler(linear_chain(), plan_of({"a", "b"}), Context());
  const std::vector<double> values = {0.7, -1.1};
  const OutcomeDraws draws = sampler.sample(values);
  const Table table = sampler.table(values);
  const SamplerVariable& y = linear_chain()->variables[linear_chain()->index("y")];
  const auto column = table.column(table.index("y"));
  ASSERT_EQ(column.size(), draws.draws);
  for (std::size_t i = 0; i < draws.draws; ++i) {
    EXPECT_NEAR(draws.values[draws.draws + i], y.standardise(column[i]), 1e-12);
  }
}

TEST(PostDecision, OnlyWhatOutcomesNeedIsDrawnInTheUsersUnits) {
  PostDecisionSampler sampler(gp_chain(), plan_of({"a"}), Context());
  const SamplerVariable& a = gp_chain()->variables[gp_chain()->index("a")];
  const Table table = sampler.table(std::vector<double>{a.standardise(1.5)});
  EXPECT_FALSE(table.find("late"));
  for (const double value : table.column(table.index("a"))) EXPECT_NEAR(value, 1.5, 1e-12);
  for (const double value : table.column(table.index("x"))) EXPECT_NEAR(value, 0.4, 1e-12);
  // E y = 10 + 2 tanh(1.5) + 0.3 E s, E s = 0.2, E sin b = 0.
  EXPECT_NEAR(test::mean(table.column(table.index("y"))), 10.0 + 2.0 * std::tanh(1.5) + 0.06, 0.2);
}

TEST(PostDecision, DoingNothingDrawsTheAlterablesThemselves) {
  PostDecisionSampler nothing(gp_chain(), plan_of({}), Context());
  const Table table = nothing.table({});
  // a given x = 0.4 is 0.4 + N(0, 1).
  EXPECT_NEAR(test::mean(table.column(table.index("a"))), 0.4, 0.2);
  EXPECT_NEAR(test::deviation(table.column(table.index("a"))), 1.0, 0.12);
}

TEST(PostDecision, NoiseIsSharedBetweenPlansAndDiffersByNumber) {
  PostDecisionPlan plan = plan_of({"a"});
  PostDecisionSampler with_a(gp_chain(), plan, Context());
  plan.altered = {"a", "b"};
  PostDecisionSampler with_both(gp_chain(), plan, Context());
  const std::vector<double> value = {0.2};
  const Table one = with_a.table(value);
  const Table two = with_both.table(std::vector<double>{0.2, 0.0});
  EXPECT_TRUE(std::ranges::equal(one.column(one.index("m")), two.column(two.index("m"))));
  plan.altered = {"a"};
  plan.noise = 1;
  PostDecisionSampler other(gp_chain(), plan, Context());
  EXPECT_NE(other.sample(value).values[0], with_a.sample(value).values[0]);
}

// From any set of altered variables to any other: outcomes, gradient and all that was drawn.
TEST(PostDecision, AlteringOthersEqualsANewSampler) {
  const std::vector<std::vector<std::string>> sets = {{"a", "b"}, {}, {"b"}, {"a"}, {"b", "s", "a"}, {"s"}, {"a", "b"}};
  for (const auto& [set, with_gradient] : {std::pair{gp_chain(), true}, {gp_chain(), false}, {linear_chain(), true}}) {
    PostDecisionPlan plan = plan_of(sets.front());
    plan.with_gradient = with_gradient;
    PostDecisionSampler sampler(set, plan, Context());
    for (const std::vector<std::string>& altered : sets) {
      SCOPED_TRACE(altered.size());
      sampler.alter(altered);
      plan.altered = altered;
      PostDecisionSampler fresh(set, plan, Context());
      const std::vector<double> values(altered.size(), 0.3);
      std::vector<double> adjoints;
      EXPECT_EQ(loss(sampler, values, 1.0, &adjoints), loss(fresh, values, 1.0, nullptr));
      if (with_gradient) {
        std::vector<double> gradient(altered.size());
        std::vector<double> expected(altered.size());
        sampler.gradient(adjoints, gradient);
        fresh.gradient(adjoints, expected);
        EXPECT_EQ(gradient, expected);
      }
      EXPECT_EQ(sampler.influences(), fresh.influences());
      const Table table = sampler.table(values);
      const Table expected_table = fresh.table(values);
      EXPECT_EQ(table.names(), expected_table.names());
      for (std::size_t c = 0; c < table.columns(); ++c)
        EXPECT_TRUE(std::ranges::equal(table.column(c), expected_table.column(c))) << table.names()[c];
    }
  }
}

TEST(PostDecision, AnErrorOfAlterIsOverWithTheNext) {
  PostDecisionSampler sampler(gp_chain(), plan_of({"a"}), Context());
  const double before = loss(sampler, {0.2}, 1.0, nullptr);
  EXPECT_THROW(sampler.alter({"a", "y"}), Error);
  sampler.alter({"a"});
  EXPECT_EQ(loss(sampler, {0.2}, 1.0, nullptr), before);
}

TEST(PostDecision, WithoutGradientTheOutcomesAreTheSame) {
  PostDecisionPlan plan = plan_of({"a", "b"});
  PostDecisionSampler with(gp_chain(), plan, Context());
  plan.with_gradient = false;
  PostDecisionSampler without(gp_chain(), plan, Context());
  const std::vector<double> values = {0.7, -1.1};
  for (const double caution : {0.0, 1.0}) {
    const OutcomeDraws expected = with.sample(values, caution);
    const OutcomeDraws& draws = without.sample(values, caution);
    EXPECT_EQ(draws.values, expected.values);
  }
  std::vector<double> gradient(2);
  EXPECT_THROW(without.gradient(std::vector<double>(1200, 1.0), gradient), Error);
}

// What has the right values already is not drawn again, and nothing else is taken for it.
TEST(PostDecision, ReachAndTableFollowTheValues) {
  for (const auto& [set, with_gradient] : {std::pair{gp_chain(), true}, {gp_chain(), false}, {linear_chain(), false}}) {
    PostDecisionPlan plan = plan_of({"a", "b"});
    plan.with_gradient = with_gradient;
    PostDecisionSampler sampler(set, plan, Context());
    const std::vector<double> near = {0.1, 0.2};
    const std::vector<double> far = {3.0, -3.0};
    const auto first = [&, &model = set](const std::vector<double>& values, double caution) {
      PostDecisionSampler fresh(model, plan_of({"a", "b"}), Context());
      return fresh.table(values, caution).column(4)[0];
    };
    sampler.sample(near);
    sampler.sample(far);
    EXPECT_EQ(sampler.table(far).column(4)[0], first(far, 1.0));
    EXPECT_EQ(sampler.table(near).column(4)[0], first(near, 1.0));
    sampler.sample(near, 0.0);
    EXPECT_EQ(sampler.table(near, 0.0).column(4)[0], first(near, 0.0));
    EXPECT_EQ(sampler.table(near).column(4)[0], first(near, 1.0));
    const double median = sampler.reach(near).back().median;
    sampler.sample(near);
    EXPECT_EQ(sampler.reach(near).back().median, median);
    EXPECT_GT(sampler.reach(far).back().median, median);
  }
}

TEST(PostDecision, CautionZeroLeavesDoubtOut) {
  PostDecisionSampler sampler(gp_chain(), plan_of({"a", "b"}), Context());
  const std::vector<double> far = {5.0, -5.0};
  const OutcomeDraws plain = sampler.sample(far, 0.0);
  const OutcomeDraws full = sampler.sample(far, 1.0);
  const OutcomeDraws careful = sampler.sample(far, 2.0);
  const auto spread = [](const OutcomeDraws& draws) {
    return test::deviation(std::span(draws.values).subspan(draws.draws));
  };
  EXPECT_GT(spread(full), 1.2 * spread(plain));
  EXPECT_GT(spread(careful), 1.2 * spread(full));
}

// Far from the data the samplers know little: one function for all draws moves all of them together, and over many
// functions the draws are those with a number of their own each.
TEST(PostDecision, OneFunctionForAllDrawsMovesThemTogether) {
  PostDecisionPlan plan;
  plan.altered = {"a"};
  plan.outcomes = {"y"};
  plan.draws = 400;
  plan.with_gradient = false;
  PostDecisionSampler sampler(gp_chain(), plan, Context());
  const std::vector<double> far = {4.0};
  const auto mean_of = [&] {
    const OutcomeDraws& draws = sampler.sample(far);
    return test::mean(draws.values);
  };
  const auto spread_of = [&] {
    const OutcomeDraws& draws = sampler.sample(far);
    const double middle = test::mean(draws.values);
    double squares = 0.0;
    for (const double value : draws.values) squares += (value - middle) * (value - middle);
    return squares / static_cast<double>(draws.draws);
  };
  const OutcomeDraws plain = sampler.sample(far);
  const double plain_spread = spread_of();
  constexpr std::uint64_t kFunctions = 200;
  double mean = 0.0;
  double between = 0.0;
  double within = 0.0;
  std::vector<double> means;
  for (std::uint64_t f = 0; f < kFunctions; ++f) {
    sampler.hold_functions(f);
    means.push_back(mean_of());
    within += spread_of() / static_cast<double>(kFunctions);
    mean += means.back() / static_cast<double>(kFunctions);
  }
  for (const double own : means) between += (own - mean) * (own - mean) / static_cast<double>(kFunctions);
  EXPECT_GT(between, 0.0);
  EXPECT_LT(within, plain_spread);
  EXPECT_NEAR(within + between, plain_spread, 0.25 * plain_spread);
  sampler.hold_functions(std::nullopt);
  EXPECT_EQ(sampler.sample(far).values, plain.values);
  plan.with_gradient = true;
  PostDecisionSampler with_gradient(gp_chain(), plan, Context());
  EXPECT_THROW(with_gradient.hold_functions(1), Error);
}

TEST(PostDecision, ReachGrowsAwayFromTheData) {
  for (const Set& set : {gp_chain(), linear_chain()}) {
    PostDecisionSampler sampler(set, plan_of({"a", "b"}), Context());
    const auto outside = [&](double value) {
      double share = 0.0;
      for (const VariableReach& reach : sampler.reach(std::vector<double>{value, value})) {
        share = std::max(share, reach.share_outside);
      }
      return share;
    };
    EXPECT_LT(outside(0.2), 0.05);
    EXPECT_GT(outside(12.0), 0.9);
  }
}

TEST(PostDecision, SaysWhichAlteredVariablesCanMatter) {
  PostDecisionPlan plan = plan_of({"late", "a"});
  PostDecisionSampler sampler(gp_chain(), plan, Context());
  EXPECT_EQ(sampler.influences(), (std::vector<bool>{false, true}));
  std::vector<double> gradient(2, 7.0);
  std::vector<double> adjoints(sampler.sample(std::vector<double>{1.0, 0.0}).values.size(), 1.0);
  sampler.gradient(adjoints, gradient);
  EXPECT_EQ(gradient[0], 0.0);
  EXPECT_NE(gradient[1], 0.0);
}

TEST(PostDecision, AbsurdDrawsAreExcludedAndCounted) {
  for (const Set& set : {gp_chain(), linear_chain()}) {
    PostDecisionPlan plan = plan_of({"a"});
    PostDecisionSampler sampler(set, plan, Context());
    const OutcomeDraws& draws = sampler.sample(std::vector<double>{1e15}, 0.0);
    EXPECT_EQ(draws.excluded, draws.draws);
    EXPECT_TRUE(std::all_of(draws.values.begin(), draws.values.end(), [](double value) { return value == 0.0; }));
    std::vector<double> gradient(1, 7.0);
    sampler.gradient(std::vector<double>(draws.values.size(), 1.0), gradient);
    EXPECT_EQ(gradient[0], 0.0);
    EXPECT_EQ(sampler.sample(std::vector<double>{0.0}, 0.0).excluded, 0U);
  }
}

// Also when a is not drawn again, since only b changes.
TEST(PostDecision, AbsurdDrawsStayExcluded) {
  PostDecisionPlan plan = plan_of({"a", "b"});
  plan.with_gradient = false;
  PostDecisionSampler sampler(gp_chain(), plan, Context());
  for (const double b : {0.0, 1.0, 0.0}) {
    EXPECT_EQ(sampler.sample(std::vector<double>{1e15, b}, 0.0).excluded, plan.draws);
    EXPECT_EQ(sampler.sample(std::vector<double>{0.0, b}, 0.0).excluded, 0U);
  }
  EXPECT_EQ(sampler.sample(std::vector<double>{1e15, 0.0}, 0.0).excluded, plan.draws);
  EXPECT_EQ(sampler.sample(std::vector<double>{1e15, 1.0}, 0.0).excluded, plan.draws);
}

TEST(PostDecision, ThreadsDoNotChangeABit) {
  std::vector<double> first;
  for (const int threads : {1, 2, 8}) {
    Context context;
    context.threads = threads;
    const Set set = fit_chain("gp", context);
    PostDecisionSampler sampler(set, plan_of({"a", "b"}), context);
    std::vector<double> all = sampler.sample(std::vector<double>{0.3, 0.4}).values;
    std::vector<double> gradient(2);
    sampler.gradient(std::vector<double>(all.size(), 1.0), gradient);
    all.insert(all.end(), gradient.begin(), gradient.end());
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << threads << " threads";
  }
}

void expect_error(ErrorCategory category, const PostDecisionPlan& plan, const Set& set) {
  try {
    PostDecisionSampler sampler(set, plan, Context());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category) << error.what();
  }
}

TEST(PostDecision, RefusesRolesThatContradict) {
  expect_error(ErrorCategory::kUsage, plan_of({"x"}), gp_chain());
  expect_error(ErrorCategory::kUsage, plan_of({"y"}), gp_chain());
  expect_error(ErrorCategory::kUsage, plan_of({"a", "a"}), gp_chain());
  expect_error(ErrorCategory::kUsage, plan_of({"z"}), gp_chain());
  PostDecisionPlan plan = plan_of({"a"});
  plan.outcomes.clear();
  expect_error(ErrorCategory::kUsage, plan, gp_chain());
  plan = plan_of({"a"});
  plan.context[0].value = std::nan("");
  expect_error(ErrorCategory::kUsage, plan, gp_chain());
}

TEST(SamplerSet, GivenVariablesHaveNoSamplerAndCannotBeDrawn) {
  auto variables = conditions_from_order(chain_table().names());
  variables[0].given = true;
  SamplerOptions options;
  options.sampler = "linear";
  const Set set = std::make_shared<SamplerSet>(fit_samplers(chain_table(), variables, options, Context()));
  EXPECT_EQ(set->variables[0].sampler, nullptr);
  PostDecisionPlan plan = plan_of({"a"});
  PostDecisionSampler works(set, plan, Context());
  plan.context.clear();
  expect_error(ErrorCategory::kData, plan, set);
}

TEST(SamplerSet, ParentsOfAGraphAreTheConditions) {
  const Dag dag({"y", "m", "b", "a", "x"}, std::vector<Edge>{{4, 3}, {3, 1}, {1, 0}, {2, 0}});
  SamplerOptions options;
  options.sampler = "linear";
  const SamplerSet set = fit_samplers(chain_table(), conditions_from_graph(dag), options, Context());
  const SamplerVariable& y = set.variables[set.index("y")];
  ASSERT_EQ(y.conditions.size(), 2U);
  EXPECT_EQ(set.variables[y.conditions[0]].name, "m");
  EXPECT_EQ(set.variables[y.conditions[1]].name, "b");
  EXPECT_EQ(y.sampler->conditions(), 2U);
  EXPECT_TRUE(set.variables[set.index("x")].conditions.empty());
}

TEST(SamplerSet, AConstantColumnIsThatConstant) {
  const Table table({"c", "v", "w"}, {3, 3, 3, 3, 3, 3, 1, 2, 4, 2, 7, 3, 2, 3, 5, 3, 9, 2});
  const Set set =
      std::make_shared<SamplerSet>(fit_samplers(table, conditions_from_order(table.names()), {}, Context()));
  EXPECT_EQ(set->variables[0].sampler->facts().form, "constant");
  EXPECT_EQ(restore_sampler(set->variables[0].sampler->state())->noise_entries(), 0U);
  PostDecisionPlan plan;
  plan.outcomes = {"c", "w"};
  plan.draws = 10;
  const Table draws = PostDecisionSampler(set, plan, Context()).table({});
  for (const double value : draws.column(draws.index("c"))) EXPECT_EQ(value, 3.0);
}

TEST(SamplerSet, WrongListsAndTooFewRowsAreDataErrors) {
  const auto category_of = [](const Table& table, const std::vector<VariableConditions>& variables,
                              const std::string& kind) {
    SamplerOptions options;
    options.sampler = kind;
    try {
      fit_samplers(table, variables, options, Context());
    } catch (const Error& error) {
      return error.category();
    }
    return ErrorCategory::kInternal;
  };
  const Table& table = chain_table();
  EXPECT_EQ(category_of(table, {{"x", {}}, {"x", {}}}, "linear"), ErrorCategory::kData);
  EXPECT_EQ(category_of(table, {{"a", {"x"}}, {"x", {}}}, "linear"), ErrorCategory::kData);
  EXPECT_EQ(category_of(table, {{"nobody", {}}}, "linear"), ErrorCategory::kData);
  const Table small({"p", "q"}, {1, 2, 3, 4, 1, 5});
  EXPECT_EQ(category_of(small, conditions_from_order(small.names()), "linear"), ErrorCategory::kData);
  EXPECT_EQ(category_of(small, conditions_from_order(small.names()), "gp"), ErrorCategory::kData);
}

TEST(SamplerSet, OutsideRangeIsInWidths) {
  SamplerVariable variable;
  variable.low = -1.0;
  variable.high = 3.0;
  EXPECT_EQ(variable.outside_range(2.9), 0.0);
  EXPECT_EQ(variable.outside_range(7.0), 1.0);
  EXPECT_EQ(variable.outside_range(-3.0), 0.5);
}

// DIC = 1 is 4 standard deviations of DIC above anything usual. The truth is the mean of 200 000 simulated units.
TEST(Bermuda, MeanOutcomeFarOutsideOfTheData) {
  BermudaSimulationOptions options;
  options.rows = 1000;
  options.rounds = 1;
  Context context;
  context.seed = 3;
  const Simulation simulation = bermuda_task(options, 0, context);
  Order order;
  for (const std::size_t node : causal_order(simulation.model)) order.push_back(simulation.model.nodes[node].name);
  const Set set = std::make_shared<SamplerSet>(
      fit_samplers(simulation.data, conditions_from_order(order), SamplerOptions(), context));
  PostDecisionPlan plan;
  plan.altered = {"DIC"};
  plan.outcomes = {"NEC"};
  const SamplerVariable& dic = set->variables[set->index("DIC")];
  const Table draws = PostDecisionSampler(set, plan, context).table(std::vector<double>{dic.standardise(1.0)});
  const Table truth =
      simulate_decision(simulation.model, {}, std::vector<NamedValue>{{"DIC", 1.0}}, 200000, 0, context);
  EXPECT_NEAR(test::mean(draws.column(draws.index("NEC"))), test::mean(truth.column(truth.index("NEC"))), 0.35);
}

}  // namespace
}  // namespace olem::post_decision_test
