#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contract/rehearsals.h"
#include "olem/post_decision.h"
#include "sampler/sampler_ranks.h"

namespace olem::samplers_test {
namespace {

using test::contract_table;
using test::Units;
using test::with_threads;

std::vector<VariableConditions> causal_conditions() { return conditions_from_order({"x", "y", "z", "w"}); }

// The table with columns that the kind can model.
Table table_for(const SamplerKind& kind, std::size_t rows) {
  const Table table = contract_table(rows);
  if (kind.suits == nullptr) return table;
  Column about;
  for (const std::string& name : column_type_names()) {
    about.type = *find_column_type(name);
    if (kind.suits(about.type)) break;
  }
  const auto change = [&](double value, std::size_t) {
    if (about.type == ColumnType::kPositive) return std::max(value + 0.3, 0.0);
    if (about.type == ColumnType::kBinary) return value > 0.2 ? 1.0 : 0.0;
    return std::clamp(std::round(value), -1.0, 2.0) + 1.0;
  };
  return test::changed(table, change).with_about(std::vector<Column>(table.columns(), about));
}

class SamplerContract : public testing::TestWithParam<std::string> {
 protected:
  const SamplerKind& kind() const { return sampler_kind(GetParam()); }
  SamplerSet fit(const Table& table, const Context& context = with_threads(1),
                 const std::vector<VariableConditions>& variables = causal_conditions()) const {
    return fit_samplers(table, variables, test::quick_sampler(GetParam()), context);
  }
};

// z and w after y was set, in the units of contract_table().
Table draws(const SamplerSet& set, const Units& units = {}) {
  const auto shared = std::make_shared<const SamplerSet>(set);
  PostDecisionPlan plan;
  plan.context = {{"x", units.change("x", 0.4)}};
  plan.altered = {"y"};
  plan.outcomes = {"z", "w"};
  plan.draws = 40;
  const SamplerVariable& y = shared->variables[shared->index("y")];
  const Table drawn = PostDecisionSampler(shared, plan, with_threads(1))
                          .table(std::vector<double>{y.standardise(units.change("y", -0.3))});
  return test::changed(drawn, [&](double v, std::size_t j) { return units.restore(drawn.name(j), v); });
}

// The columns of contract_table() vary by about one.
double largest_difference(const Table& a, const Table& b) {
  EXPECT_EQ(a.names(), b.names());
  EXPECT_EQ(a.rows(), b.rows());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.values().size(); ++i)
    largest = std::max(largest, std::abs(a.values()[i] - b.values()[i]));
  return largest;
}

TEST_P(SamplerContract, GivesEqualBytesAgainAndWithAnyNumberOfThreads) {
  const Table table = table_for(kind(), test::kFewRows);
  test::expect_same_on_any_threads([&](const Context& context) { return test::bytes(fit(table, context)); });
}

TEST_P(SamplerContract, DrawsEqualBytesOnAnyNumberOfThreads) {
  const auto set = std::make_shared<const SamplerSet>(fit(table_for(kind(), test::kFewRows)));
  PostDecisionPlan plan;
  plan.context = {{"x", 0.4}};
  plan.altered = {"y"};
  plan.outcomes = {"z", "w"};
  plan.draws = 600;  // more than one piece of work
  test::expect_same_on_any_threads([&](const Context& context) {
    PostDecisionSampler sampler(set, plan, context);
    const OutcomeDraws& drawn = sampler.sample(std::vector<double>{0.5});
    std::string all = fmt::format("{:a} {}", fmt::join(drawn.values, " "), fmt::join(drawn.valid, " "));
    const std::vector<double> adjoints(drawn.values.size(), 1.0);
    std::vector<double> gradient(1);
    sampler.gradient(adjoints, gradient);
    for (const VariableReach& reach : sampler.reach(std::vector<double>{0.5}))
      all += fmt::format(" {:a}", reach.median);
    return all + fmt::format(" {:a}", gradient[0]);
  });
}

TEST_P(SamplerContract, LeavesTheTableAloneAndAStateGivesItsDraws) {
  const Table table = table_for(kind(), test::kFewRows);
  const std::vector<double> before(table.values().begin(), table.values().end());
  const SamplerSet set = fit(table);
  EXPECT_EQ(std::vector<double>(table.values().begin(), table.values().end()), before);
  SamplerSet restored = set;
  for (SamplerVariable& variable : restored.variables) {
    const SamplerState state = variable.sampler->state();
    EXPECT_EQ(state.kind, GetParam() == "auto" ? "location-scale" : GetParam());
    variable.sampler = restore_sampler({state.kind, Json::parse(state.settings.dump()), state.arrays});
  }
  EXPECT_EQ(test::bytes(restored), test::bytes(set));
  const Table first = draws(set);
  const Table second = draws(restored);
  EXPECT_TRUE(std::equal(first.values().begin(), first.values().end(), second.values().begin()));

  // As ranks give them to each other.
  for (SamplerVariable& variable : restored.variables) {
    internal::ByteWriter writer;
    internal::write_sampler(writer, *variable.sampler);
    const std::string bytes = writer.take();
    internal::ByteReader reader(bytes);
    variable.sampler = internal::read_sampler(reader);
    reader.check_end();
  }
  EXPECT_EQ(test::bytes(restored), test::bytes(set));
}

TEST_P(SamplerContract, HasTheInvariancesItDeclares) {
  const Table table = table_for(kind(), test::kFewRows);
  const Table base = draws(fit(table));
  const SamplerInvariances& has = kind().invariances;
  EXPECT_EQ(has.why_not.empty(), has.units && has.row_permutation && has.condition_permutation);
  const auto check = [&](bool declared, const SamplerSet& other, const Units& units, const std::string& what) {
    if (declared) {
      EXPECT_LT(largest_difference(draws(other, units), base), 1e-3) << what;
    }
  };
  const Units units = test::celsius();
  check(has.units, fit(units.change(table)), units, "other units");
  check(has.row_permutation, fit(test::shuffled_rows(table)), {}, "rows permuted");
  std::vector<VariableConditions> reversed = causal_conditions();
  for (VariableConditions& variable : reversed) std::reverse(variable.conditions.begin(), variable.conditions.end());
  check(has.condition_permutation, fit(table, with_threads(1), reversed), {}, "conditions permuted");
}

TEST_P(SamplerContract, PowersOfTwoChangeNoBit) {
  const Table table = table_for(kind(), test::kFewRows);
  const Units units = test::doubled();
  EXPECT_EQ(largest_difference(draws(fit(units.change(table)), units), draws(fit(table))), 0.0);
}

TEST_P(SamplerContract, AColumnThatNeverVariesStaysWhatItIs) {
  const SamplerSet set = fit(test::with_constant_column(table_for(kind(), test::kFewRows)), with_threads(2),
                             conditions_from_order({"x", "flat", "y"}));
  EXPECT_EQ(set.variables[1].sampler->state().kind, "constant");
  PostDecisionPlan plan;
  plan.context = {{"x", 1.0}};
  plan.outcomes = {"flat", "y"};
  plan.draws = 10;
  const Table drawn =
      PostDecisionSampler(std::make_shared<const SamplerSet>(set), plan, with_threads(1)).table(std::vector<double>());
  for (const double value : drawn.column(drawn.index("flat"))) EXPECT_EQ(value, 3.0);
}

TEST_P(SamplerContract, RefusesTooFewRowsAndWhatDoesNotFit) {
  const Table table = table_for(kind(), test::kFewRows);
  const std::size_t needed = kind().least_rows(3);
  test::expect_refused([&] { fit(test::first_rows(table, needed - 1)); }, ErrorCategory::kData,
                       {"model.csv", GetParam() + " sampler of", fmt::format("needs at least {} rows", needed)});
  EXPECT_NO_THROW(fit(test::first_rows(table, needed)));
  test::expect_memory_is_asked_for([&](const Context& context) { fit(table, context); });
}

TEST_P(SamplerContract, CanBeStoppedAndShowsProgress) {
  const Table table = table_for(kind(), test::kFewRows);
  test::expect_stops([&](const Context& context) { fit(table, context); });
  test::expect_progress([&](const Context& context) { fit(table, context); });
}

TEST_P(SamplerContract, ModelsOnlyTheTypesItSuits) {
  if (kind().suits == nullptr) return;
  test::expect_refused([&] { fit(contract_table(test::kFewRows)); }, ErrorCategory::kData,
                       {"model.csv", "The " + GetParam() + " sampler cannot model", "of the type real", "auto"});
}

// What a calibration needs: the probabilities of a value's cell, and of all below it, agree with the density.
TEST_P(SamplerContract, DiscreteOnesHaveADistributionFunction) {
  const SamplerSet set = fit(table_for(kind(), test::kFewRows));
  const SamplerVariable& w = set.variables.back();
  EXPECT_EQ(w.sampler->is_discrete(), kind().suits != nullptr);
  if (!w.sampler->is_discrete()) return;
  const Table table = table_for(kind(), test::kFewRows);
  std::vector<std::vector<double>> columns;
  for (const SamplerVariable& variable : set.variables) {
    std::vector<double>& column = columns.emplace_back();
    for (const double value : table.column(table.index(variable.name))) column.push_back(variable.standardise(value));
  }
  std::vector<Condition> conditions;
  for (const std::size_t k : w.conditions) conditions.push_back({columns[k].data(), false});
  std::vector<double> below(table.rows());
  std::vector<double> up_to(table.rows());
  std::vector<double> density(table.rows());
  ASSERT_TRUE(w.sampler->distribution(conditions, columns.back(), 1.0, below, up_to));
  w.sampler->log_density(conditions, columns.back(), 1.0, density);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    EXPECT_GE(below[i], 0.0);
    EXPECT_LE(up_to[i], 1.0 + 1e-12);
    if (up_to[i] > below[i]) {
      EXPECT_NEAR(std::log(up_to[i] - below[i]), density[i], 1e-9);
    }
  }
}

// Of completed tables every variable gets a mixture of this kind, which keeps the same promises.
TEST_P(SamplerContract, MixturesOfCompletedTablesKeepThePromises) {
  const Table table = table_for(kind(), test::kFewRows);
  // Two cells differ, and take the values of other rows.
  std::vector<double> values(table.values().begin(), table.values().end());
  std::swap(values[table.rows() + 3], values[table.rows() + 17]);
  std::swap(values[3 * table.rows() + 5], values[3 * table.rows() + 30]);
  const std::vector<Table> tables = {table, Table(table.names(), values, table.source(), table.about()), table};
  const auto fit_all = [&](const Context& context) {
    return fit_samplers(tables, causal_conditions(), test::quick_sampler(GetParam()), context);
  };
  test::expect_same_on_any_threads([&](const Context& context) { return test::bytes(fit_all(context)); });
  test::expect_stops([&](const Context& context) { fit_all(context); });
  test::expect_progress([&](const Context& context) { fit_all(context); });
  const SamplerSet set = fit_all(with_threads(1));
  SamplerSet restored = set;
  for (SamplerVariable& variable : restored.variables) {
    const SamplerState state = variable.sampler->state();
    EXPECT_EQ(state.kind, "mixture");
    variable.sampler = restore_sampler({state.kind, Json::parse(state.settings.dump()), state.arrays});
    EXPECT_EQ(variable.sampler->is_discrete(), kind().suits != nullptr);
    EXPECT_LT(variable.sampler->noise_entries(), 16U);  // that the draws of a decision have room for
  }
  EXPECT_EQ(test::bytes(restored), test::bytes(set));
  const Table first = draws(set);
  const Table second = draws(restored);
  EXPECT_TRUE(std::equal(first.values().begin(), first.values().end(), second.values().begin()));
  const Units units = test::doubled();
  std::vector<Table> in_other_units;
  for (const Table& one : tables) in_other_units.push_back(units.change(one));
  const SamplerSet scaled =
      fit_samplers(in_other_units, causal_conditions(), test::quick_sampler(GetParam()), with_threads(1));
  EXPECT_EQ(largest_difference(draws(scaled, units), first), 0.0);
}

TEST_P(SamplerContract, OptionsRefuseWhatTheyAreNot) {
  SamplerOptions options;
  test::expect_options_are_checked(kind().describe(options));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const SamplerKind& kind : sampler_kinds()) all.push_back(kind.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, SamplerContract, testing::ValuesIn(names()),
                         [](const auto& kind) { return test::test_name(kind.param); });

TEST(SamplerSets, WhatWasNotFittedIsRefused) {
  PostDecisionPlan plan;
  plan.outcomes = {"w"};
  test::expect_refused([&] { PostDecisionSampler(nullptr, plan, {}); }, ErrorCategory::kUsage, {"nothing was fitted"});
  std::vector<VariableConditions> variables = causal_conditions();
  variables.back().given = true;
  const auto set = std::make_shared<const SamplerSet>(
      fit_samplers(contract_table(test::kFewRows), variables, test::quick_sampler("linear"), with_threads(1)));
  test::expect_refused([&] { PostDecisionSampler(set, plan, {}); }, ErrorCategory::kData, {"'w'"});
}

}  // namespace
}  // namespace olem::samplers_test
