#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/order.h"
#include "olem/order_caps.h"
#include "olem/random.h"
#include "support/datasets.h"

namespace olem::caps_test {
namespace {

OrderResult learn(const Table& table, const Precedence& knowledge = {}, const Context& context = Context()) {
  return learn_order_caps(table, {}, {}, knowledge, context);
}

Order ka5_order() { return {"x0", "x1", "x2", "x3", "x4"}; }

TEST(Caps, KnownAnswersStepByStep) {
  const OrderResult result = learn(test::ka5());
  EXPECT_EQ(result.order, ka5_order());
  EXPECT_EQ(result.criterion, "hessian_mean");
  const std::vector<std::vector<double>> means = {{-4.437653, -2.074006, -1.794369, -1.656479, -1.40746},
                                                  {-4.412623, -1.861441, -1.76873, -1.104532},
                                                  {-4.72687, -1.465273, -1.326655},
                                                  {-2.387334, -1.329452}};
  const std::vector<double> bandwidths = {3.710651, 3.259802, 2.550131, 1.730056};
  ASSERT_EQ(result.steps.size(), 4U);
  for (std::size_t s = 0; s < 4; ++s) {
    const OrderStep& step = result.steps[s];
    EXPECT_EQ(step.sink, ka5_order()[4 - s]);
    EXPECT_EQ(step.runner_up, ka5_order()[3 - s]);
    EXPECT_NEAR(step.facts.at(0).second, bandwidths[s], 5e-7);
    for (std::size_t v = 0; v < means[s].size(); ++v) EXPECT_NEAR(step.values[v].second, means[s][v], 6e-7);
    EXPECT_NEAR(*step.gap, means[s].back() - means[s][means[s].size() - 2], 2e-6);
    EXPECT_EQ(step.decided, *step.gap > 2.0 * *step.gap_standard_error);
  }
  EXPECT_EQ(result.matrix(kCapsParentScores), nullptr);
}

TEST(Caps, ParentScores) {
  const Table table = test::ka5();
  CapsOptions options;
  options.parent_scores = true;
  const OrderResult result = learn_order_caps(table, {}, options, {}, Context());
  // [i][j]: the mean second derivative by i moves by this much when j is left out.
  const std::vector<std::vector<double>> expected = {{0, 0.67453, 1.37290, 0.11082, 0.02503},
                                                     {0.49630, 0, 0.12344, 0.49288, 0.21256},
                                                     {0.43562, 0.13595, 0, 0.37035, 0.02564},
                                                     {0.01835, 0.32302, 0.15500, 0, 0.55195},
                                                     {0.02250, 0.04702, 0.00978, 0.39052, 0}};
  ASSERT_NE(result.matrix(kCapsParentScores), nullptr);
  const auto& scores = *result.matrix(kCapsParentScores);
  ASSERT_EQ(scores.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_EQ(scores[i].size(), 5U);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(scores[i][j], expected[i][j], 6e-6) << i << " " << j;
  }
  EXPECT_EQ(to_json(result)["parent_scores"].size(), 5U);
}

TEST(Caps, ParentScoresDoNotDependOnThreadsOrMemory) {
  const Table table = test::ka5();
  const OrderResult order = learn(table);
  Context one;
  one.threads = 1;
  const auto first = caps_parent_scores(table, order, {}, one);
  Context many;
  many.threads = 8;
  EXPECT_EQ(caps_parent_scores(table, order, {}, many), first);
  many.memory_limit = 1'500'000;  // for one estimate at a time
  EXPECT_EQ(caps_parent_scores(table, order, {}, many), first);
}

TEST(Caps, ParentScoresOfTwoColumns) {
  const Table table = test::linear_table(100, 2, 3);
  const auto scores = caps_parent_scores(table, learn(table), {}, Context());
  const OrderResult reversed = learn(table.with_columns(std::vector<std::size_t>{1, 0}));
  EXPECT_GT(scores[0][1], 0.0);
  const auto turned = caps_parent_scores(table.with_columns(std::vector<std::size_t>{1, 0}), reversed, {}, Context());
  EXPECT_NEAR(turned[1][0], scores[0][1], 1e-9);
  EXPECT_NEAR(turned[0][1], scores[1][0], 1e-9);
}

// Linear models with equal noise, where the curvature is the same everywhere and its mean tells the order.
TEST(Caps, FindsTheOrderOfALinearModel) {
  constexpr std::size_t kRows = 600;
  RandomStream random(2, "chain");
  std::vector<double> values(5 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    double before = 0.0;
    for (std::size_t j = 0; j < 5; ++j) values[j * kRows + i] = before = random.normal() - before;
  }
  EXPECT_EQ(learn(Table(ka5_order(), std::move(values))).order, ka5_order());
}

TEST(Caps, ObeysKnowledge) {
  Knowledge knowledge;
  knowledge.before = {{"x4", "x3"}, {"x3", "x2"}, {"x2", "x1"}, {"x1", "x0"}};
  const Table table = test::ka5();
  const OrderResult result = learn(table, Precedence(knowledge, table.names()));
  EXPECT_EQ(result.order, (Order{"x4", "x3", "x2", "x1", "x0"}));
  EXPECT_TRUE(result.steps[0].forced);
  EXPECT_FALSE(result.steps[0].gap_standard_error.has_value());
}

TEST(Caps, HalfSamplesGiveEqualBytesForAnyThreads) {
  OrderOptions options;
  options.method = "caps";
  options.bootstrap = 5;
  options.caps.parent_scores = true;
  const Table table = test::ka5();
  std::string first;
  for (const int threads : {1, 3}) {
    Context context;
    context.threads = threads;
    const std::string bytes = to_json(learn_order(table, options, {}, context)).dump();
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

}  // namespace
}  // namespace olem::caps_test
