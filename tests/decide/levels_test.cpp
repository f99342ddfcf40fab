#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "olem/decision.h"
#include "olem/error.h"
#include "olem/explain.h"
#include "olem/random.h"
#include "olem/report.h"
#include "support/level_tables.h"

namespace olem::levels_test {
namespace {

using ::testing::HasSubstr;
using namespace olem::test;

std::shared_ptr<const SamplerSet> fit_auto(const Table& table, const std::vector<VariableConditions>& conditions) {
  SamplerOptions options;
  options.sampler = "auto";
  Context context;
  context.threads = 1;
  return std::make_shared<const SamplerSet>(fit_samplers(table, conditions, options, context));
}

std::shared_ptr<const SamplerSet> fit_in_order(const Table& table) {
  return fit_auto(table, conditions_from_order(table.names()));
}

std::optional<double> value_of(const Decision& decision, const std::string& name) {
  for (const Alteration& alteration : decision.alterations) {
    if (alteration.name == name) return alteration.value;
  }
  ADD_FAILURE() << name;
  return std::nullopt;
}

Decision decided(const DecisionProblem& problem, const DecisionOptions& options = {}) {
  return decide(problem, options, Context());
}

std::string complaint_of(const DecisionProblem& problem, const DecisionOptions& options = {}) {
  try {
    decided(problem, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

DecisionProblem room_problem(double low, double high, double outside = 0.0) {
  static const std::shared_ptr<const SamplerSet> samplers = fit_in_order(HeatedRoom::table(1000, 1));
  DecisionProblem problem;
  problem.samplers = samplers;
  problem.context = {{"outside", outside}};
  problem.alterable = {{"heating", 0, 1}};
  problem.region = Region::box({{"room", low, high}});
  return problem;
}

TEST(Levels, ASwitchIsNeverSetBetween) {
  // Halfway between off and on the room would be as wanted.
  for (const std::string optimizer : {"gradient", "bayes", "random", "grid"}) {
    DecisionOptions options;
    options.optimizer = optimizer;
    const Decision decision = decided(room_problem(20.0, 22.0), options);
    const std::optional<double> value = value_of(decision, "heating");
    EXPECT_TRUE(!value || *value == 0.0 || *value == 1.0) << optimizer << *value;
    EXPECT_NEAR(decision.success_probability, HeatedRoom::success(0.0, 1.0, 20.0, 22.0), 0.03) << optimizer;
  }
  const Decision warm = decided(room_problem(22.0, 25.0, -0.5));
  EXPECT_EQ(value_of(warm, "heating"), 1.0);
  EXPECT_NEAR(warm.success_probability, HeatedRoom::success(-0.5, 1.0, 22.0, 25.0), 0.05);
  EXPECT_EQ(warm.alterations[0].expected, 1.0) << "the more probable of the two when it is cold outside";
  const Decision cool = decided(room_problem(15.0, 18.5, -0.5));
  EXPECT_EQ(value_of(cool, "heating"), 0.0);
}

TEST(Levels, TheBestOfUnorderedLevelsIsFound) {
  DecisionProblem problem;
  problem.samplers = fit_in_order(Vendors::table(1000, 2));
  problem.context = {{"load", 0.3}};
  problem.alterable = {{.name = "vendor"}};
  problem.region = Region::box({{"quality", 1.0, std::nullopt}});
  const Decision decision = decided(problem);
  EXPECT_EQ(value_of(decision, "vendor"), 2.0);
  EXPECT_NEAR(decision.success_probability, Vendors::success(0.3, 2.0, 1.0), 0.05);
  problem.alterable = {{.name = "vendor", .values = {1, 3, 4}}};
  EXPECT_EQ(value_of(decided(problem), "vendor"), 4.0);
  // 2.49 lies between a good vendor and a bad one.
  problem.region = Region::box({{"quality", 0.3, 0.7}});
  const std::optional<double> value = value_of(decided(problem), "vendor");
  EXPECT_TRUE(!value || *value == 1.0 || *value == 3.0 || *value == 4.0);

  problem.fixed = {{"vendor", 2.0}};
  EXPECT_THAT(complaint_of(problem), HasSubstr("'vendor' is fixed at 2, which is none of its values: 1, 3 and 4."));
  problem.fixed = {{"vendor", 3.0}};
  EXPECT_EQ(value_of(decided(problem), "vendor"), 3.0);
  const Explanation explanation = explain(problem, {}, {}, Context());
  EXPECT_EQ(explanation.curves[0].values, (std::vector<double>{1, 3, 4}));
}

TEST(Levels, TheSearchGoesThroughADiscreteMediator) {
  DecisionProblem problem;
  problem.samplers = fit_in_order(Patients::table(2000, 3));
  problem.context = {{"severity", 0.0}};
  problem.alterable = {{"dose", 0.0, 8.0}};
  problem.region = Region::box({{"score", 53.0, std::nullopt}});
  const Decision decision = decided(problem);
  double best = 0.0;
  for (double dose = 0.0; dose <= 8.0; dose += 0.05) best = std::max(best, Patients::success(0.0, dose, 53.0));
  ASSERT_TRUE(value_of(decision, "dose"));
  const double truth = Patients::success(0.0, *value_of(decision, "dose"), 53.0);
  EXPECT_GT(truth, best - 0.02);
  EXPECT_NEAR(decision.success_probability, truth, 0.05);
  EXPECT_GT(best - Patients::success(0.0, 8.0, 53.0), 0.1) << "otherwise nothing is tested";
}

// A figure of an outcome counts its levels, or its whole numbers, and nothing between them.
TEST(Levels, HistogramsHaveABinForEachLevelAndEachWholeNumber) {
  DecisionProblem problem;
  problem.samplers = fit_in_order(Renewals::table(300, 4));
  problem.context = {{"age", 0.0}};
  problem.alterable = {{"price", 0.6, 1.6}};
  problem.region = Region::box({{"renewed", {}, {}, {}, {"yes"}}});
  const Explanation renewals = explain(problem, {}, {}, Context());
  const OutcomeHistogram& renewed = renewals.outcomes.front();
  EXPECT_EQ(renewed.levels, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(renewed.wanted, std::vector<std::string>{"yes"});
  ASSERT_EQ(renewed.without_action.size(), 2U);
  EXPECT_NEAR(static_cast<double>(renewed.without_action[1]), renewals.without_action * 4000.0, 1e-6);
  EXPECT_THAT(explanation_svg(renewals), HasSubstr("yes (wanted)"));

  RandomStream random(5, "bins");
  std::vector<double> values(600);
  for (std::size_t i = 0; i < 300; ++i) {
    values[i] = random.normal();
    values[300 + i] = std::floor(3.0 * std::exp(0.3 * values[i]) * random.exponential(1.0));
  }
  std::vector<Column> about(2);
  about[1].type = ColumnType::kCount;
  problem.samplers = fit_in_order(Table({"lever", "visits"}, std::move(values), "visits.csv", std::move(about)));
  problem.context.clear();
  problem.alterable = {{"lever", -1.0, 1.0}};
  problem.region = Region::box({{"visits", std::nullopt, 2.0}});
  const Explanation counted = explain(problem, {}, {}, Context());
  const OutcomeHistogram& visits = counted.outcomes.front();
  EXPECT_TRUE(visits.whole);
  double wanted = 0.0;
  for (std::size_t i = 0; i < visits.without_action.size(); ++i) {
    EXPECT_EQ(visits.edges[i], std::floor(visits.edges[i]) + 0.5);
    if (visits.edges[i] < 2.5) wanted += static_cast<double>(visits.without_action[i]);
  }
  EXPECT_NEAR(wanted, counted.without_action * 4000.0, 0.002 * 4000.0) << "but for the outermost draws";
}

TEST(Levels, DesiredLevelsAreCountedOnExactDraws) {
  DecisionProblem problem;
  problem.samplers = fit_in_order(Renewals::table(1000, 4));
  problem.context = {{"age", 0.0}};
  problem.alterable = {{"price", 0.6, 1.6}};
  problem.region = Region::box({{"renewed", {}, {}, {}, {"yes"}}});
  const Decision decision = decided(problem);
  EXPECT_NEAR(decision.success_probability, Renewals::success(0.0, 0.6), 0.05);
  EXPECT_LT(*value_of(decision, "price"), 0.7);
  ASSERT_EQ(decision.outcomes[0].levels.size(), 2U);
  EXPECT_EQ(decision.outcomes[0].levels[1].name, "yes");
  EXPECT_NEAR(decision.outcomes[0].levels[1].value, decision.success_probability, 1e-12);
  problem.region = Region::box({{"renewed", 1.0, 1.0}});
  EXPECT_EQ(decided(problem).success_probability, decision.success_probability);

  DecisionOptions options;
  options.method = DecisionMethod::kQwz23;
  EXPECT_THAT(complaint_of(problem, options), HasSubstr("QWZ23 is made for variables that move in proportion, but "
                                                        "renewed has single values."));
}

// Five categories and a count, each with its effect on y; the best level of each is known.
struct ManyLevers {
  static constexpr std::size_t kCategories = 5;
  static double effect(std::size_t lever, double level) {
    constexpr double kOfLevels[][4] = {
        {0, 1, -1, .5}, {1, 0, .5, -1}, {-1, .3, 0, 1}, {0, -1, 1.2, .2}, {.4, 1, -.5, 0}};
    return lever == kCategories ? -0.15 * std::abs(level - 7.0) : kOfLevels[lever][static_cast<std::size_t>(level)];
  }
  static Table table() {
    RandomStream random(7, "test.many_levers");
    std::vector<std::vector<double>> columns(kCategories + 2, std::vector<double>(2000));
    std::vector<std::string> names;
    std::vector<ColumnDeclaration> declared;
    for (std::size_t k = 0; k <= kCategories; ++k) {
      names.push_back(k == kCategories ? "calls" : "c" + std::to_string(k));
      declared.push_back({.name = names.back(), .type = k == kCategories ? ColumnType::kCount : ColumnType::kCategory});
    }
    names.emplace_back("y");
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
      double sum = 0.8 * random.normal();
      for (std::size_t k = 0; k <= kCategories; ++k) {
        columns[k][i] = std::floor((k == kCategories ? 12.0 : 4.0) * random.uniform());
        sum += effect(k, columns[k][i]);
      }
      columns.back()[i] = sum;
    }
    return table_of(names, columns, declared);
  }
};

DecisionProblem many_levers() {
  static const std::shared_ptr<const SamplerSet> samplers = [] {
    const Table table = ManyLevers::table();
    std::vector<VariableConditions> conditions;
    for (const std::string& name : table.names()) conditions.push_back({name, {}});
    conditions.back().conditions = {table.names().begin(), table.names().end() - 1};
    return fit_auto(table, conditions);
  }();
  DecisionProblem problem;
  problem.samplers = samplers;
  for (std::size_t k = 0; k < ManyLevers::kCategories; ++k)
    problem.alterable.push_back({.name = "c" + std::to_string(k)});
  problem.alterable.push_back({.name = "calls", .low = 1, .high = 11, .step = 2});
  problem.region = Region::box({{"y", 4.5, std::nullopt}});
  return problem;
}

TEST(Levels, ManyCombinationsAreSearchedByExchanges) {
  const Decision decision = decided(many_levers());
  const std::vector<double> best = {1, 0, 3, 2, 1, 7};
  for (std::size_t k = 0; k < best.size(); ++k)
    EXPECT_EQ(decision.alterations[k].value, best[k]) << decision.alterations[k].name;
  EXPECT_NEAR(decision.success_probability, 1.0 - normal_below((4.5 - 5.2) / 0.8), 0.05);
  EXPECT_THAT(decision.summary.message, HasSubstr("The best of 6144 combinations of levels"));
  DecisionOptions options;
  options.optimizer = "grid";
  EXPECT_THAT(complaint_of(many_levers(), options), HasSubstr("6144 combinations of levels are more than the 200"));
}

TEST(Levels, MaxAlterationsChoosesTheLevelsThatMatterMost) {
  DecisionProblem problem = many_levers();
  problem.alterable.resize(4);
  problem.max_alterations = 2;
  problem.region = Region::box({{"y", 2.0, std::nullopt}});
  const Decision decision = decided(problem);
  double effects = 0.0;
  std::size_t altered = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    if (!decision.alterations[k].value) continue;
    ++altered;
    effects += ManyLevers::effect(k, *decision.alterations[k].value);
  }
  EXPECT_LE(altered, 2U);
  EXPECT_GE(effects, 2.0);
}

TEST(Levels, ConstraintsCountSingleLevels) {
  DecisionProblem problem = many_levers();
  problem.alterable.resize(2);
  problem.region = Region::box({{"y", 1.0, std::nullopt}});
  EXPECT_EQ(value_of(decided(problem), "c0"), 1.0);
  // Not both of the best levels, and c1 gains as much from its best as c0.
  problem.constraints = {{{{"c0=1", 1.0}, {"c1=0", 1.0}}, 1.0}};
  Decision decision = decided(problem);
  EXPECT_FALSE(value_of(decision, "c0") == 1.0 && value_of(decision, "c1") == 0.0);
  EXPECT_NEAR(ManyLevers::effect(0, value_of(decision, "c0").value_or(2.0)) +
                  ManyLevers::effect(1, value_of(decision, "c1").value_or(3.0)),
              1.5, 1e-9);
  // By their numbers: c0 + c1 <= 0 leaves one pair.
  problem.constraints = {{{{"c0", 1.0}, {"c1", 1.0}}, 0.0}};
  decision = decided(problem);
  for (const char* const name : {"c0", "c1"}) EXPECT_EQ(value_of(decision, name).value_or(0.0), 0.0) << name;
  problem.constraints = {{{{"c0=9", 1.0}}, 1.0}};
  EXPECT_THAT(complaint_of(problem), HasSubstr("'9', which has a constraint, is no level of 'c0'"));
  problem.constraints = {{{{"c0=0", -1.0}, {"c0=1", -1.0}, {"c0=2", -1.0}, {"c0=3", -1.0}}, -2.0}};
  EXPECT_FALSE(decided(problem).acts() && value_of(decided(problem), "c0")) << "no level satisfies that";
}

TEST(Levels, CostsCountStepsAndChanges) {
  // A switch, an ordinal lever with levels 1, 2, 5 and a count; y is their sum.
  RandomStream random(5, "test.costs");
  std::vector<std::vector<double>> columns(4, std::vector<double>(800));
  for (std::size_t i = 0; i < 800; ++i) {
    columns[0][i] = random.uniform() < 0.2 ? 1.0 : 0.0;
    const double u = random.uniform();
    columns[1][i] = u < 0.6 ? 1.0 : u < 0.8 ? 2.0 : 5.0;
    columns[2][i] = std::floor(15.0 * random.uniform());
    columns[3][i] = 4.0 * columns[0][i] + columns[1][i] + 0.5 * columns[2][i] + 0.3 * random.normal();
  }
  const Table table = table_of({"on", "stage", "calls", "y"}, columns);
  ASSERT_EQ(table.about(1).type, ColumnType::kOrdinal);
  ASSERT_EQ(table.about(2).type, ColumnType::kCount);
  DecisionProblem problem;
  problem.samplers = fit_auto(table, {{"on", {}}, {"stage", {}}, {"calls", {}}, {"y", {"on", "stage", "calls"}}});
  problem.alterable = {{"on", 0, 1}, {"stage", 1, 5}, {"calls", 0, 14}};
  problem.cost = {{"on", 10.0}, {"stage", 3.0}, {"calls", 0.5}};
  problem.region = Region::box({{"y", 15.0, std::nullopt}});  // 4 + 5 + 7 is the most
  const Decision decision = decided(problem);
  EXPECT_EQ(value_of(decision, "on"), 1.0);
  EXPECT_EQ(value_of(decision, "stage"), 5.0);
  EXPECT_EQ(decision.alterations[0].expected, 0.0);
  EXPECT_EQ(decision.alterations[1].expected, 1.0);
  EXPECT_EQ(decision.alterations[2].expected, std::floor(decision.alterations[2].expected));
  const double calls = std::abs(*value_of(decision, "calls") - decision.alterations[2].expected);
  EXPECT_NEAR(decision.cost, 10.0 + 2.0 * 3.0 + 0.5 * calls, 1e-9);

  // At least 9: with the switch and calls, or stage 5 and calls; the switch is dear and a step is not.
  problem.region = Region::box({{"y", 9.0, std::nullopt}});
  DecisionOptions options;
  options.target = 0.9;
  const Decision cheap = decided(problem, options);
  EXPECT_GE(cheap.success_probability, 0.87);
  EXPECT_FALSE(value_of(cheap, "on"));
  EXPECT_LT(cheap.cost, 10.0);

  options = {};
  options.proposals = 3;
  const Decision several = decided(problem, options);
  for (const Proposal& proposal : several.proposals) {
    for (const Proposal::Value& value : proposal.alterations)
      EXPECT_TRUE(!value.value || *value.value == std::floor(*value.value)) << value.name << *value.value;
  }
}

TEST(Levels, WhatTheColumnDoesNotHaveIsRefused) {
  DecisionProblem problem = room_problem(20.0, 22.0);
  problem.alterable = {{.name = "heating", .words = {"half"}}};
  EXPECT_THAT(complaint_of(problem), HasSubstr("'half' in the domain of 'heating' is none of its levels"));
  problem.alterable = {{"heating", 0.3, 0.6}};
  EXPECT_THAT(complaint_of(problem), HasSubstr("holds none of its values"));
}

}  // namespace
}  // namespace olem::levels_test
