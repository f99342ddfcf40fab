#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/order.h"
#include "support/datasets.h"

namespace olem::olem_test {
namespace {

double fact(const OrderStep& step, const std::string& key) {
  for (const auto& [name, value] : step.facts) {
    if (name == key) return value;
  }
  ADD_FAILURE() << "no " << key;
  return 0.0;
}

OlemOptions with_k(int k) {
  OlemOptions options;
  options.entropy.k = k;
  return options;
}

Order ka5_order() { return {"x0", "x1", "x2", "x3", "x4"}; }

double conditional(const OrderStep& step, const std::string& name) {
  for (const auto& [key, value] : step.values) {
    if (key == name) return value;
  }
  return std::nan("");
}

// h of all columns but one, per step of the known-answer data set, then the joint entropy.
TEST(Olem, KnownAnswersStepByStep) {
  const OrderResult result = learn_order_olem(test::ka5(), {}, {}, Context());
  EXPECT_EQ(result.order, ka5_order());
  const std::vector<std::vector<double>> without = {{6.324642, 5.946740, 5.769766, 5.673649, 5.630511},
                                                    {4.983308, 4.419845, 4.383440, 4.211624},
                                                    {3.411626, 2.809184, 2.742111},
                                                    {1.641634, 1.409938}};
  const std::vector<double> joint = {7.083493, 5.630511, 4.211624, 2.742111};
  ASSERT_EQ(result.steps.size(), 4U);
  for (std::size_t s = 0; s < 4; ++s) {
    const OrderStep& step = result.steps[s];
    EXPECT_EQ(step.sink, ka5_order()[4 - s]);
    EXPECT_NEAR(fact(step, "joint_entropy"), joint[s], 5e-7);
    for (std::size_t v = 0; v < without[s].size(); ++v) {
      EXPECT_NEAR(fact(step, "joint_entropy") - conditional(step, ka5_order()[v]), without[s][v], 5e-7);
    }
    EXPECT_NEAR(step.gap.value(), without[s][without[s].size() - 2] - without[s].back(), 1e-6);
    EXPECT_EQ(step.runner_up, ka5_order()[3 - s]);
  }
}

TEST(Olem, KnownAnswersWithMoreNeighbours) {
  const std::vector<std::pair<int, std::vector<double>>> known = {
      {3, {6.275747, 5.928288, 5.855581, 5.749155, 5.668408}}, {5, {6.301439, 5.944251, 5.890814, 5.789550, 5.691798}}};
  for (const auto& [k, without] : known) {
    const OrderResult result = learn_order_olem(test::ka5(), with_k(k), {}, Context());
    EXPECT_EQ(result.order, ka5_order());
    const OrderStep& step = result.steps.front();
    for (std::size_t v = 0; v < 5; ++v) {
      EXPECT_NEAR(fact(step, "joint_entropy") - conditional(step, ka5_order()[v]), without[v], 5e-7) << "k = " << k;
    }
  }
}

TEST(Olem, GapStandardErrorIsThatOfTheLogDistances) {
  // Two columns: the step compares the entropies of single columns, whose nearest distances are easy to write down.
  const Table table({"a", "b"}, {0, 1, 3, 7, 12, 0, 2, 4, 9, 16});
  const OrderResult result = learn_order_olem(table, {}, {}, Context());
  const std::vector<double> a = {1, 1, 2, 4, 5};
  const std::vector<double> b = {2, 2, 2, 5, 7};
  double mean = 0.0;
  for (std::size_t i = 0; i < 5; ++i) mean += (std::log(b[i]) - std::log(a[i])) / 5.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < 5; ++i) squares += std::pow(std::log(b[i]) - std::log(a[i]) - mean, 2);
  // Leaving b out leaves a, which has the smaller entropy: b is the sink.
  EXPECT_EQ(result.order, (Order{"a", "b"}));
  EXPECT_NEAR(*result.steps[0].gap, mean, 1e-12);
  EXPECT_NEAR(*result.steps[0].gap_standard_error, std::sqrt(squares / 4.0 / 5.0), 1e-12);
  EXPECT_EQ(result.steps[0].decided, mean > 2.0 * std::sqrt(squares / 4.0 / 5.0));
}

TEST(Olem, GaussianEstimatorGivesTheOrderOfLinearScaleInvariantNoise) {
  OlemOptions options;
  options.entropy.estimator = "gaussian";
  EXPECT_EQ(learn_order_olem(test::ka5(), options, {}, Context()).order, ka5_order());
}

TEST(Olem, EveryEstimatorFindsTheOrderOfALinearModel) {
  const Table table = test::linear_table(1500, 6, 4);
  for (const EntropyEstimatorKind& kind : entropy_estimators()) {
    OlemOptions options;
    options.entropy.estimator = kind.name;
    const OrderResult result = learn_order_olem(table, options, {}, Context());
    EXPECT_EQ(result.steps.front().sink, "x5") << kind.name;
  }
}

TEST(Olem, OneColumnIsTrivialAndEqualColumnsTakeTheFirst) {
  const OrderResult one = learn_order_olem(Table({"only"}, {1, 2, 3}), {}, {}, Context());
  EXPECT_EQ(one.order, Order{"only"});
  EXPECT_TRUE(one.steps.empty());
  const OrderResult tie = learn_order_olem(Table({"a", "b"}, {0, 1, 3, 0, 1, 3}), {}, {}, Context());
  EXPECT_EQ(tie.order, (Order{"b", "a"}));  // the smallest index is the sink
  EXPECT_FALSE(tie.steps[0].decided);
}

TEST(Olem, KnowledgeLeavesNoChoiceAndSaysSo) {
  Knowledge knowledge;
  knowledge.before = {{"x4", "x3"}, {"x3", "x2"}, {"x2", "x1"}, {"x1", "x0"}};
  const Table table = test::ka5();
  const OrderResult result = learn_order_olem(table, {}, Precedence(knowledge, table.names()), Context());
  EXPECT_EQ(result.order, (Order{"x4", "x3", "x2", "x1", "x0"}));
  for (const OrderStep& step : result.steps) {
    EXPECT_TRUE(step.forced);
    EXPECT_TRUE(step.decided);
    EXPECT_FALSE(step.gap.has_value());
    EXPECT_EQ(step.runner_up, "");
  }
}

TEST(Olem, DiscreteColumnsDoNoHarmWhereKnowledgeLeavesNoChoice) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i % 2);
  const Table smooth = test::normal_table(100, 1, 3);
  values.insert(values.end(), smooth.values().begin(), smooth.values().end());
  const Table table({"arm", "dose"}, std::move(values));
  EXPECT_THROW(learn_order_olem(table, {}, {}, Context()), Error);
  Knowledge knowledge;
  knowledge.tiers = {{"arm"}, {"dose"}};
  const OrderResult result = learn_order_olem(table, {}, Precedence(knowledge, table.names()), Context());
  EXPECT_EQ(result.order, (Order{"arm", "dose"}));
}

TEST(Olem, TwoRowsDecideNothing) {
  const OrderResult result = learn_order_olem(Table({"a", "b"}, {0, 1, 0, 3}), {}, {}, Context());
  EXPECT_FALSE(result.steps[0].decided);
}

TEST(Olem, DiscreteColumnsAreRefusedByName) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i % 2);
  for (int i = 0; i < 100; ++i) values.push_back((i / 2) % 2);
  for (int i = 0; i < 100; ++i) values.push_back((i / 4) % 2);
  try {
    learn_order_olem(Table({"a", "b", "c"}, std::move(values)), {}, {}, Context());
    FAIL() << "discrete columns were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_NE(std::string(error.what()).find("b, c"), std::string::npos) << error.what();
  }
}

Column binary_column() {
  Column column;
  column.type = ColumnType::kBinary;
  column.levels = {{0, "off"}, {1, "on"}};
  return column;
}

// sex (binary), then continuous columns with a known order, then an outcome that is binary.
Table mixed_table(std::size_t rows) {
  const Table chain = test::ka5();
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) values.push_back(static_cast<double>(i % 3 == 0));
  for (std::size_t j = 0; j < 3; ++j)
    values.insert(values.end(), chain.column(j).begin(), chain.column(j).begin() + static_cast<std::ptrdiff_t>(rows));
  for (std::size_t i = 0; i < rows; ++i) values.push_back(static_cast<double>(i % 5 == 0));
  return {{"sex", "x0", "x1", "x2", "well"}, std::move(values), "", {binary_column(), {}, {}, {}, binary_column()}};
}

TEST(Olem, DiscreteColumnsStandWhereKnowledgePutsThem) {
  const Table table = mixed_table(test::ka5().rows());
  Knowledge knowledge;
  knowledge.tiers = {{"sex"}, {"x0", "x1", "x2"}, {"well"}};
  const OrderResult result = learn_order_olem(table, {}, Precedence(knowledge, table.names()), Context());
  const OrderResult alone = learn_order_olem(table.with_columns(std::vector<std::size_t>{1, 2, 3}), {}, {}, Context());
  EXPECT_EQ(result.order.front(), "sex");
  EXPECT_EQ(result.order.back(), "well");
  EXPECT_EQ(Order(result.order.begin() + 1, result.order.end() - 1), alone.order);
  ASSERT_EQ(result.steps.size(), 4U);
  EXPECT_EQ(result.steps[0].sink, "well");
  EXPECT_TRUE(result.steps[0].forced);
  EXPECT_EQ(result.steps[1].gap, alone.steps[0].gap);
  EXPECT_TRUE(result.steps[3].forced) << "what is first among the continuous ones comes after sex";
}

TEST(Olem, DiscreteColumnsThatCannotBePlacedAreNamed) {
  const Table table = mixed_table(100);
  Knowledge knowledge;
  knowledge.tiers = {{"sex"}, {"x0", "x1", "x2", "well"}};
  try {
    learn_order_olem(table, {}, Precedence(knowledge, table.names()), Context());
    FAIL() << "a discrete column was placed by nothing";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cannot place 'well' (binary) relative to x0, x1, x2."), std::string::npos) << text;
    EXPECT_EQ(text.find("'sex'"), std::string::npos) << text;
    EXPECT_EQ(text.find("jitter"), std::string::npos) << text;
  }
}

// 45 values, each in four or five rows.
TEST(Olem, RoundedColumnsAreNeverRefused) {
  std::vector<double> values;
  RandomStream random(3, "test.rounded");
  for (int i = 0; i < 200; ++i) values.push_back(0.1 * static_cast<double>((7 * i) % 45));
  for (int i = 0; i < 200; ++i) values.push_back(values[static_cast<std::size_t>(i)] + 0.5 * random.normal());
  const OrderResult result = learn_order_olem(Table({"rounded", "noisy"}, std::move(values)), {}, {}, Context());
  EXPECT_EQ(result.order, (Order{"rounded", "noisy"}));
  ASSERT_FALSE(result.summary.warnings.empty());
  EXPECT_EQ(result.summary.warnings.back().code, "rounded");
}

TEST(Olem, BootstrapIsAProbabilityAndDoesNotDependOnThreads) {
  OrderOptions options;
  options.bootstrap = 20;
  const Table table = test::ka5();
  Context one;
  one.threads = 1;
  Context three;
  three.threads = 3;
  const OrderResult result = learn_order(table, options, {}, one);
  ASSERT_TRUE(result.stability.has_value());
  const OrderStability& stability = *result.stability;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(stability.before[i][i], 0.0);
    for (std::size_t j = 0; j < i; ++j) EXPECT_DOUBLE_EQ(stability.before[i][j] + stability.before[j][i], 1.0);
  }
  EXPECT_EQ(stability.consensus.front(), "x0");
  EXPECT_EQ(stability.adjacent.size(), 4U);
  EXPECT_GT(stability.before[0][4], 0.9);
  EXPECT_EQ(to_json(result).dump(), to_json(learn_order(table, options, {}, three)).dump());
}

TEST(Olem, BootstrapObeysKnowledge) {
  OrderOptions options;
  options.bootstrap = 10;
  const Table table = test::ka5();
  Knowledge knowledge;
  knowledge.tiers = {{"x4"}, {"x0", "x1"}};
  const OrderResult result = learn_order(table, options, Precedence(knowledge, table.names()), Context());
  EXPECT_EQ(result.stability->before[4][0], 1.0);
  EXPECT_EQ(result.stability->before[4][1], 1.0);
  const Order& consensus = result.stability->consensus;
  const auto place = [&](const std::string& name) {
    return std::find(consensus.begin(), consensus.end(), name) - consensus.begin();
  };
  EXPECT_LT(place("x4"), place("x0"));
  EXPECT_LT(place("x4"), place("x1"));
}

TEST(Olem, ProgressRisesToOne) {
  std::vector<double> seen;
  Context context;
  context.progress = [&](double fraction, std::string_view) { seen.push_back(fraction); };
  learn_order_olem(test::ka5(), {}, {}, context);
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_NEAR(seen.back(), 1.0, 1e-12);
}

TEST(Olem, DeadlineAndInterruptionStopTheWork) {
  const Table table = test::normal_table(4000, 12, 1);
  Context late;
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  try {
    learn_order_olem(table, {}, {}, late);
    FAIL() << "the deadline was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
  }
  std::atomic<bool> stop{true};
  Context interrupted;
  interrupted.interrupt = &stop;
  try {
    learn_order_olem(table, {}, {}, interrupted);
    FAIL() << "the interruption was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kInterrupted);
  }
}

TEST(Olem, MemoryIsPredictedBeforeItIsUsed) {
  Context context;
  context.memory_limit = 1000;
  try {
    learn_order_olem(test::ka5(), {}, {}, context);
    FAIL() << "the memory limit was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
    EXPECT_NE(std::string(error.what()).find("needs about"), std::string::npos);
  }
}

// Columns without a common unit: gaps beyond chance are the units' and count for nothing.
TEST(Olem, WarnsWhenUnitsDecide) {
  const Table table = test::ka5();
  EXPECT_TRUE(learn_order_olem(table, {}, {}, Context()).summary.warnings.empty());
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t i = 0; i < table.rows(); ++i) values[i] *= 1000.0;
  const OrderResult result = learn_order_olem(Table(table.names(), values), {}, {}, Context());
  EXPECT_EQ(result.order.back(), "x0");
  ASSERT_EQ(result.summary.warnings.size(), 1U);
  EXPECT_EQ(result.summary.warnings[0].code, "units");
  EXPECT_GT(*result.steps[0].gap, 2.0 * *result.steps[0].gap_standard_error);
  for (const OrderStep& step : result.steps) EXPECT_FALSE(step.decided);
}

}  // namespace
}  // namespace olem::olem_test
