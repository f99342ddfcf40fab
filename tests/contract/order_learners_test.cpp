#include <map>
#include <nlohmann/json.hpp>

#include "contract/contract.h"
#include "olem/order.h"

namespace olem::order_learners_test {
namespace {

using test::contract_table;
using test::with_threads;

class OrderLearner : public testing::TestWithParam<std::string> {
 protected:
  OrderLearner() : options_(test::quick_options()) { options_.method = GetParam(); }

  const OrderLearnerKind& kind() const { return order_learner(GetParam()); }
  OrderResult learn(const Table& table, const Context& context = with_threads(1), const Precedence& known = {}) const {
    return learn_order(table, options_, known, context);
  }

  OrderOptions options_;
};

// The values of every step by variable; of a search over edges, the gains.
std::vector<std::map<std::string, double>> values_of(const OrderResult& result) {
  std::vector<std::map<std::string, double>> all;
  for (const OrderStep& step : result.steps) all.emplace_back(step.values.begin(), step.values.end());
  for (const EdgeInclusion& edge : result.inclusions) all.push_back({{edge.from + " -> " + edge.to, edge.gain}});
  return all;
}

void expect_same_values(const OrderResult& a, const OrderResult& b, const std::string& what) {
  const auto left = values_of(a);
  const auto right = values_of(b);
  ASSERT_EQ(left.size(), right.size()) << what;
  for (std::size_t s = 0; s < left.size(); ++s) {
    for (const auto& [name, value] : left[s]) {
      ASSERT_EQ(right[s].count(name), 1U) << what << ", step " << s << ": " << name;
      EXPECT_NEAR(value, right[s].at(name), 1e-9 * std::max(1.0, std::abs(value))) << what << ", step " << s;
    }
  }
}

TEST_P(OrderLearner, GivesEqualBytesAgainAndWithAnyNumberOfThreads) {
  const Table table = contract_table();
  const std::string first = to_json(learn(table, with_threads(1))).dump();
  for (const int threads : {1, 2, 8}) EXPECT_EQ(to_json(learn(table, with_threads(threads))).dump(), first) << threads;
}

TEST_P(OrderLearner, KeepsNamesAndInputAndSaysWhatDecided) {
  const Table table = contract_table();
  const std::vector<double> before(table.values().begin(), table.values().end());
  const OrderResult result = learn(table);
  EXPECT_EQ(std::vector<double>(table.values().begin(), table.values().end()), before);
  EXPECT_NO_THROW(check_order(result.order, table.names()));
  EXPECT_EQ(result.method, GetParam());
  EXPECT_FALSE(kind().explanation.empty());
  EXPECT_EQ(result.steps.size() + (result.inclusions.empty() ? 0 : 3), 3U);
  for (const OrderStep& step : result.steps) {
    EXPECT_FALSE(step.runner_up.empty());
    EXPECT_GE(step.gap.value(), 0.0);
    EXPECT_FALSE(step.forced);
  }
}

TEST_P(OrderLearner, ObeysTiersAndPairs) {
  const Table table = contract_table();
  Knowledge knowledge;
  knowledge.tiers = {{"w"}, {"z", "y"}};
  knowledge.before = {{"z", "x"}};
  const Precedence known(knowledge, table.names());
  const OrderResult result = learn(table, with_threads(2), known);
  const std::vector<std::size_t> order = order_indices(result.order, NodeNames(table.names()));
  for (std::size_t late = 0; late < order.size(); ++late) {
    for (std::size_t early = 0; early < late; ++early) EXPECT_FALSE(known.precedes(order[late], order[early]));
  }
}

TEST_P(OrderLearner, ReportsAChoiceThatKnowledgeMade) {
  const Table table = contract_table();
  Knowledge knowledge;
  knowledge.before = {{"w", "z"}, {"z", "y"}, {"y", "x"}};
  const OrderResult result = learn(table, with_threads(1), Precedence(knowledge, table.names()));
  EXPECT_EQ(result.order, (Order{"w", "z", "y", "x"}));
  for (const OrderStep& step : result.steps) EXPECT_TRUE(step.forced);
}

TEST_P(OrderLearner, RefusesConstantColumnsAndTooFewRows) {
  const Table table = contract_table();
  test::expect_refused([&] { learn(test::with_constant_column(table)); }, ErrorCategory::kData,
                       {"model.csv", "'flat'", "drop_columns"});
  std::size_t needed = kind().least_rows(table.columns(), options_);
  if (needed < 2) needed = 2;
  test::expect_refused([&] { learn(test::first_rows(table, needed - 1)); }, ErrorCategory::kData,
                       {"model.csv", "needs at least", std::to_string(needed)});
  EXPECT_NO_THROW(learn(test::first_rows(table, std::max<std::size_t>(needed, 3))));
}

TEST_P(OrderLearner, OneColumnIsTrivialAndNoneIsAnError) {
  EXPECT_EQ(learn(Table({"only"}, {1.0, 2.0, 4.0})).order, Order{"only"});
  test::expect_refused([&] { learn(Table()); }, ErrorCategory::kData, {"no columns"});
}

TEST_P(OrderLearner, CanBeStoppedAndShowsProgress) {
  const Table table = contract_table();
  test::expect_stops([&](const Context& context) { learn(table, context); });
  test::expect_progress([&](const Context& context) { learn(table, context); });
}

TEST_P(OrderLearner, HasTheInvariancesItDeclares) {
  const Table table = contract_table();
  const OrderResult base = learn(table);
  const Invariances& has = kind().invariances;
  EXPECT_EQ(has.why_not.empty(),
            has.column_permutation && has.row_permutation && has.translation && has.common_scaling);
  const auto check = [&](bool declared, const Table& other, bool values, const std::string& what) {
    if (!declared) return;
    const OrderResult result = learn(other);
    EXPECT_EQ(result.order, base.order) << what;
    if (values) expect_same_values(base, result, what);
  };
  check(has.column_permutation, test::reversed_columns(table), true, "columns permuted");
  check(has.row_permutation, test::shuffled_rows(table), true, "rows permuted");
  check(has.translation, test::changed(table, [](double v, std::size_t j) { return v + 4.0 * double(j + 1); }), true,
        "translated");
  check(has.common_scaling, test::changed(table, [](double v, std::size_t) { return 3.0 * v; }), false, "scaled");
}

TEST_P(OrderLearner, OptionsRefuseWhatTheyAreNot) {
  OrderOptions options;
  test::expect_options_are_checked(kind().describe(options));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const OrderLearnerKind& kind : order_learners()) all.push_back(kind.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, OrderLearner, testing::ValuesIn(names()),
                         [](const auto& method) { return test::test_name(method.param); });

TEST(OrderLearners, AnUnknownNameIsRefusedWithTheClosest) {
  test::expect_refused([] { order_learner("olam"); }, ErrorCategory::kUsage, {"'olam'", "did you mean 'olem'"});
}

}  // namespace
}  // namespace olem::order_learners_test
