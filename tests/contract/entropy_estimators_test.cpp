#include <algorithm>
#include <cmath>

#include "contract/contract.h"
#include "olem/entropy.h"

namespace olem::entropy_estimators_test {
namespace {

using test::contract_table;
using test::with_threads;

class EntropyEstimator : public testing::TestWithParam<std::string> {
 protected:
  EntropyEstimator() { options_.estimator = GetParam(); }

  const EntropyEstimatorKind& kind() const {
    const auto& all = entropy_estimators();
    return *std::find_if(all.begin(), all.end(), [](const auto& each) { return each.name == GetParam(); });
  }
  double entropy(const Table& table, const Context& context = with_threads(1)) const {
    return estimate_entropy(table, options_, context).value;
  }
  // All entropies of a sequence that loses its columns from the front.
  std::string sequence(const Table& table, const Context& context) const {
    const auto started = start_entropy_sequence(table, options_, context);
    std::string all;
    for (std::size_t left = table.columns(); left > 1; --left) {
      const StepEntropies step = started->evaluate(context, [](double) {});
      all += fmt::format("{:a} {:a} {:a}\n", step.joint, fmt::join(step.without, " "),
                         fmt::join(started->contributions(left - 1), " "));
      if (left > 2) started->remove(context, 0);
    }
    return all;
  }

  EntropyOptions options_;
};

TEST_P(EntropyEstimator, GivesEqualBytesAgainAndWithAnyNumberOfThreads) {
  const Table table = contract_table();
  const std::vector<double> before(table.values().begin(), table.values().end());
  test::expect_same_on_any_threads([&](const Context& context) { return sequence(table, context); });
  EXPECT_EQ(std::vector<double>(table.values().begin(), table.values().end()), before);
}

TEST_P(EntropyEstimator, FollowsUnitsAndNotPlaces) {
  const Table table = contract_table();
  const double base = entropy(table);
  EXPECT_TRUE(std::isfinite(base));
  const auto scaled = [&](double factor) {
    return entropy(test::changed(table, [=](double v, std::size_t) { return factor * v; }));
  };
  EXPECT_NEAR(entropy(test::reversed_columns(table)), base, 1e-9);
  if (kind().rows_matter.empty()) {
    EXPECT_NEAR(entropy(test::shuffled_rows(table)), base, 1e-9);
  }
  EXPECT_NEAR(entropy(test::changed(table, [](double v, std::size_t j) { return v + 4.0 * double(j + 1); })), base,
              1e-9);
  EXPECT_NEAR(scaled(3.0), base + 4.0 * std::log(3.0), 1e-9);
  EXPECT_NEAR(scaled(-0.01), base + 4.0 * std::log(0.01), 1e-9);
}

// With --affine scale each column may have units of its own.
TEST_P(EntropyEstimator, FollowsTheUnitsOfEachColumnWhenAsked) {
  const Table table = contract_table();
  options_.affine = AffineCorrection::kScale;
  const Table other = test::changed(table, [](double v, std::size_t j) { return v * std::pow(10.0, double(j)); });
  EXPECT_NEAR(entropy(other), entropy(table) + 6.0 * std::log(10.0), 1e-9);
}

TEST_P(EntropyEstimator, RefusesTooFewRows) {
  const Table table = contract_table();
  test::expect_refused([&] { entropy(test::first_rows(table, 1)); }, ErrorCategory::kData, {"model.csv"});
}

TEST_P(EntropyEstimator, CanBeStopped) {
  const Table table = contract_table();
  test::expect_stops([&](const Context& context) { sequence(table, context); });
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const EntropyEstimatorKind& kind : entropy_estimators()) all.push_back(kind.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, EntropyEstimator, testing::ValuesIn(names()),
                         [](const auto& kind) { return test::test_name(kind.param); });

// What can be asked for is what there is.
TEST(EntropyEstimators, TheOptionNamesTheRegistry) {
  EntropyOptions options;
  const OptionSet set = describe(options);
  test::expect_options_are_checked(set);
  std::vector<std::string> choices;
  for (const Choice& choice : set.find("estimator")->choices) choices.emplace_back(choice.name);
  EXPECT_EQ(choices, names());
}

}  // namespace
}  // namespace olem::entropy_estimators_test
