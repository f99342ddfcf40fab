#include "olem/context_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "olem/error.h"
#include "olem/post_decision.h"
#include "sampler/helpers.h"

namespace olem::test::context_model_test {
namespace {

// a ~ N(2, 1), b = a + e, c = a + b + e with standard normal e; word = 1 where a + e > 2; out = c + lever.
Table table(std::size_t rows) {
  RandomStream random(21, "test.context");
  std::vector<std::vector<double>> columns(6, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = 2.0 + random.normal();
    const double b = a + random.normal();
    columns[0][i] = a;
    columns[1][i] = b;
    columns[2][i] = a + b + random.normal();
    columns[3][i] = a + random.normal() > 2.0 ? 1.0 : 0.0;
    columns[4][i] = random.normal();
    columns[5][i] = columns[2][i] + columns[4][i];
  }
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  std::vector<Column> about(6);
  about[3] = {ColumnType::kBinary, {{0.0, "no"}, {1.0, "yes"}}, "", "", "", true};
  return {{"a", "b", "c", "word", "lever", "out"}, values, "", about};
}

ContextModel model_of(const std::vector<std::string>& names, const Table& data) {
  return fit_context_model({&data, 1}, names, {}, Context());
}

// Given a the two others are normal: b ~ N(a, 1), c ~ N(2 a, 2), with covariance 1.
TEST(ContextModel, SweepsGiveTheJointConditionalDistribution) {
  const Table data = table(1500);
  const ContextModel model = model_of({"a", "b", "c"}, data);
  const std::vector<NamedValue> known = {{"a", 3.0}};
  const auto drawn = draw_unknown(model, known, {"c", "b"}, 4000, 7, Context());
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_NEAR(mean(drawn[0]), 6.0, 0.2);  // the slopes are estimated: standard error 0.07
  EXPECT_NEAR(mean(drawn[1]), 3.0, 0.15);
  EXPECT_NEAR(deviation(drawn[0]), std::sqrt(2.0), 0.15);
  EXPECT_NEAR(deviation(drawn[1]), 1.0, 0.12);
  double products = 0.0;
  for (std::size_t i = 0; i < 4000; ++i)
    products += (drawn[0][i] - mean(drawn[0])) * (drawn[1][i] - mean(drawn[1])) / 4000.0;
  EXPECT_NEAR(products, 1.0, 0.2);
}

TEST(ContextModel, DrawsAreAPureFunctionOfTheNoiseAndDoNotDependOnTheirNumber) {
  const Table data = table(300);
  const ContextModel model = model_of({"a", "b", "c"}, data);
  const std::vector<NamedValue> known = {{"a", 3.0}};
  const auto many = draw_unknown(model, known, {"b", "c"}, 50, 7, Context());
  auto few = draw_unknown(model, known, {"b", "c"}, 20, 7, Context());
  EXPECT_TRUE(std::equal(few[1].begin(), few[1].end(), many[1].begin()));
  EXPECT_NE(draw_unknown(model, known, {"b", "c"}, 20, 8, Context()), few);
}

TEST(ContextModel, LevelsAreLevels) {
  const Table data = table(600);
  const ContextModel model = model_of({"a", "word"}, data);
  const std::vector<NamedValue> known = {{"a", 3.0}};
  const auto drawn = draw_unknown(model, known, {"word"}, 2000, 1, Context());
  for (const double value : drawn[0]) EXPECT_TRUE(value == 0.0 || value == 1.0);
  EXPECT_NEAR(mean(drawn[0]), 0.8413, 0.06);  // Phi(1)
}

TEST(ContextModel, RefusesWhatItDoesNotKnow) {
  const Table data = table(100);
  const ContextModel model = model_of({"a", "b"}, data);
  const std::vector<NamedValue> known = {{"a", 3.0}};
  EXPECT_THROW(draw_unknown(model, known, {"c"}, 10, 1, Context()), Error);
  EXPECT_THROW(draw_unknown(model, known, {"a", "b"}, 10, 1, Context()), Error);
  EXPECT_THROW(draw_unknown(model, {}, {"b"}, 10, 1, Context()), Error);
}

// The outcome is c + lever: with c unknown its spread is that of c given a and b.
TEST(ContextModel, PostDecisionDrawsHaveUnknownContextOfTheirOwn) {
  const Table data = table(1500);
  const auto model = std::make_shared<const ContextModel>(model_of({"a", "b", "c"}, data));
  SamplerOptions options;
  options.sampler = "linear";
  const std::vector<VariableConditions> variables = {{"a", {}, true},
                                                     {"b", {"a"}, true},
                                                     {"c", {"a", "b"}, true},
                                                     {"lever", {"a", "b", "c"}, false},
                                                     {"out", {"a", "b", "c", "lever"}, false}};
  const auto set = std::make_shared<const SamplerSet>(fit_samplers(data, variables, options, Context()));
  PostDecisionPlan plan;
  plan.context = {{"a", 2.0}, {"b", 2.0}};
  plan.unknown = {"c"};
  plan.context_model = model;
  plan.altered = {"lever"};
  plan.outcomes = {"out"};
  plan.draws = 2000;
  PostDecisionSampler sampler(set, plan, Context());
  const double lever = set->variables[3].standardise(1.0);
  const Table drawn = sampler.table(std::vector<double>{lever});
  const auto c = drawn.column(drawn.index("c"));
  const auto out = drawn.column(drawn.index("out"));
  EXPECT_NEAR(mean(c), 4.0, 0.15);
  EXPECT_NEAR(deviation(c), 1.0, 0.1);
  for (std::size_t i = 0; i < drawn.rows(); ++i) EXPECT_NEAR(out[i], c[i] + 1.0, 1e-3);
  // The fast path of linear samplers gives the same.
  const OutcomeDraws& fast = sampler.sample(std::vector<double>{lever});
  for (std::size_t i = 0; i < drawn.rows(); ++i) EXPECT_NEAR(set->variables[4].restore(fast.values[i]), out[i], 1e-9);
  plan.context_model = nullptr;
  EXPECT_THROW(PostDecisionSampler(set, plan, Context()), Error);
}

}  // namespace
}  // namespace olem::test::context_model_test
