#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <nlohmann/json.hpp>

#include "graph/csv_rows.h"
#include "olem/error.h"
#include "olem/graph_learner.h"
#include "olem/metrics.h"
#include "order/precision.h"
#include "support/datasets.h"

namespace olem::listen_test {

using namespace internal;
namespace {

Order ka5_order() { return {"x0", "x1", "x2", "x3", "x4"}; }

std::string error_text(const Table& table, ErrorCategory category) {
  try {
    learn_order_listen(table, {}, {}, Context());
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

// A table whose covariance with divisor n is exactly `covariance`: the columns of an orthogonal design, mixed.
Table table_with_covariance(const Eigen::MatrixXd& covariance) {
  const Eigen::Index d = covariance.rows();
  const Eigen::Index n = 8;  // a Hadamard matrix: its first column is the mean, the others are orthogonal
  Eigen::MatrixXd hadamard(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) hadamard(i, j) = __builtin_popcount(static_cast<unsigned>(i & j)) % 2 == 0 ? 1.0 : -1.0;
  }
  const Eigen::MatrixXd values = hadamard.middleCols(1, d) * Eigen::MatrixXd(covariance.llt().matrixL()).transpose();
  std::vector<std::string> names;
  for (Eigen::Index j = 0; j < d; ++j) names.push_back("x" + std::to_string(j));
  return {names, {values.data(), values.data() + values.size()}};
}

// 0 -> 1 with weight 2, 1 -> 2 with weight -0.5, unit noise.
Eigen::MatrixXd chain_covariance() {
  Eigen::MatrixXd covariance(3, 3);
  covariance << 1, 2, -1, 2, 5, -2.5, -1, -2.5, 2.25;
  return covariance;
}

TEST(Listen, PopulationOfAChain) {
  const OrderResult result = learn_order_listen(table_with_covariance(chain_covariance()), {}, {}, Context());
  EXPECT_EQ(result.order, (Order{"x0", "x1", "x2"}));
  const std::vector<std::vector<double>> diagonals = {{5.0, 1.25, 1.0}, {5.0, 1.0}};
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t p = 0; p < diagonals[s].size(); ++p) {
      EXPECT_NEAR(result.steps[s].values[p].second, diagonals[s][p], 1e-12);
    }
  }
  const std::vector<std::vector<double>> weights = {{0.0, 2.0, 0.0}, {0.0, 0.0, -0.5}, {0.0, 0.0, 0.0}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR((*result.matrix(kListenWeights))[i][j], weights[i][j], 1e-12) << i << " -> " << j;
  }
}

TEST(Listen, KnownAnswersStepByStep) {
  const OrderResult result = learn_order_listen(test::ka5(), {}, {}, Context());
  EXPECT_EQ(result.order, ka5_order());
  const std::vector<std::vector<double>> diagonals = {{2.364346, 1.623437, 1.084361, 0.909984, 0.629451},
                                                      {2.364322, 1.620012, 1.084317, 0.906431},
                                                      {2.362096, 1.123155, 0.633685},
                                                      {2.020158, 1.117229}};
  ASSERT_EQ(result.steps.size(), 4U);
  for (std::size_t s = 0; s < 4; ++s) {
    ASSERT_EQ(result.steps[s].values.size(), diagonals[s].size());
    for (std::size_t p = 0; p < diagonals[s].size(); ++p) {
      EXPECT_NEAR(result.steps[s].values[p].second, diagonals[s][p], 6e-7);
    }
  }
  const std::vector<std::vector<double>> rows = {
      {}, {0.92792}, {0.73458, -0.09671}, {0.04956, 0.74037, -0.70509}, {-0.0061, 0.07376, 0.00836, -0.07513}};
  for (std::size_t child = 0; child < 5; ++child) {
    for (std::size_t parent = 0; parent < 5; ++parent) {
      const double expected = parent < child ? rows[child][parent] : 0.0;
      EXPECT_NEAR((*result.matrix(kListenWeights))[parent][child], expected, 6e-6) << parent << " -> " << child;
    }
  }
}

TEST(Listen, StandardErrorIsTheSpreadOverRepeatedSamples) {
  constexpr int kSamples = 400;
  double sum = 0.0;
  double squares = 0.0;
  double claimed = 0.0;
  for (int sample = 0; sample < kSamples; ++sample) {
    const Table noise = test::normal_table(300, 4, 1000 + static_cast<std::uint64_t>(sample));
    std::vector<double> values(noise.values().begin(), noise.values().end());
    for (std::size_t i = 0; i < 300; ++i) values[300 + i] += 0.8 * values[i];  // x0 -> x1; x2 and x3 by themselves
    const PlainPrecision precision(Table(noise.names(), std::move(values)), Context());
    const double difference = precision.matrix()(0, 0) - precision.matrix()(2, 2);
    sum += difference;
    squares += difference * difference;
    const std::vector<double> a = precision.contributions(0);
    const std::vector<double> b = precision.contributions(2);
    double mean = 0.0;
    double variance = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) mean += (a[i] - b[i]) / 300.0;
    for (std::size_t i = 0; i < a.size(); ++i) variance += std::pow(a[i] - b[i] - mean, 2) / 299.0 / 300.0;
    EXPECT_NEAR(mean, difference, 1e-10);
    claimed += std::sqrt(variance) / kSamples;
  }
  const double spread = std::sqrt(squares / kSamples - std::pow(sum / kSamples, 2));
  EXPECT_NEAR(claimed / spread, 1.0, 0.1);
}

TEST(Listen, SchurComplementsAgreeWithInversesOfTheCovariance) {
  const Table table = test::linear_table(300, 50, 3);
  PlainPrecision precision(table, Context());
  const Eigen::MatrixXd covariance = centered_columns(table, Context()).covariance;
  while (precision.remaining().size() > 2) {
    precision.remove(precision.remaining().size() / 2);
    const Eigen::MatrixXd expected =
        Eigen::MatrixXd(covariance(precision.remaining(), precision.remaining())).inverse();
    ASSERT_LT((precision.matrix() - expected).norm(), 1e-10 * expected.norm()) << precision.remaining().size();
  }
}

TEST(Listen, SachsIsAsPublished) {
  const Table table = test::sachs();
  const OrderResult result = learn_order_listen(table, {}, {}, Context());
  std::vector<Edge> truth;
  for (const auto& [from, to] : std::vector<std::pair<std::size_t, std::size_t>>{{0, 1},
                                                                                 {1, 5},
                                                                                 {2, 3},
                                                                                 {2, 4},
                                                                                 {4, 3},
                                                                                 {5, 6},
                                                                                 {7, 0},
                                                                                 {7, 1},
                                                                                 {7, 5},
                                                                                 {7, 6},
                                                                                 {7, 9},
                                                                                 {7, 10},
                                                                                 {8, 0},
                                                                                 {8, 1},
                                                                                 {8, 7},
                                                                                 {8, 9},
                                                                                 {8, 10}}) {
    truth.push_back({from, to});
  }
  EXPECT_EQ(order_divergence(Dag(table.names(), truth), result.order), 8U);
}

TEST(Listen, DependentColumnIsNamedWithWhatItIsMadeOf) {
  const Table base = test::normal_table(50, 3, 5);
  std::vector<double> values(base.values().begin(), base.values().end());
  for (std::size_t i = 0; i < 50; ++i) values.push_back(2.0 * base.at(i, 0) - 3.0 * base.at(i, 2) + 1.0);
  const std::string text = error_text(Table({"a", "b", "c", "sum"}, std::move(values), "t.csv"), ErrorCategory::kData);
  EXPECT_NE(text.find("t.csv: Column 'sum' is a linear combination of 'a', 'c'"), std::string::npos) << text;
}

TEST(Listen, TooFewRowsAreRefusedWithTheirNumber) {
  OrderOptions options;
  options.method = "listen";
  try {
    learn_order(test::normal_table(5, 5, 1), options, {}, Context());
    FAIL() << "five rows were enough for five columns";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("at least 6 rows for 5 columns"), std::string::npos) << error.what();
  }
  EXPECT_EQ(learn_order(test::normal_table(6, 5, 1), options, {}, Context()).order.size(), 5U);
}

TEST(Listen, KnowledgeIsObeyed) {
  const Table table = test::ka5();
  Knowledge knowledge;
  knowledge.before = {{"x4", "x3"}, {"x3", "x2"}};
  const OrderResult result = learn_order_listen(table, {}, Precedence(knowledge, table.names()), Context());
  EXPECT_EQ(result.order, (Order{"x0", "x1", "x4", "x3", "x2"}));
  EXPECT_EQ((*result.matrix(kListenWeights))[3][4], 0.0);
  EXPECT_NE((*result.matrix(kListenWeights))[4][3], 0.0);
}

GraphOptions graph_options(ListenEdges edges) {
  GraphOptions options;
  options.method = "listen";
  options.listen.edges = edges;
  return options;
}

std::vector<Edge> edges_of(const Table& table, const GraphOptions& options) {
  return learn_graph(table, options, {}, Context()).graph.directed_edges();
}

TEST(ListenGraph, ThresholdKeepsTheLargeWeights) {
  GraphOptions options = graph_options(ListenEdges::kThreshold);
  EXPECT_EQ(edges_of(test::ka5(), options), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  options.listen.threshold = 0.075;  // below the 0.07513 of 3 -> 4 and the 0.09671 of 1 -> 2
  const GraphResult result = learn_graph(test::ka5(), options, {}, Context());
  EXPECT_EQ(result.graph.directed_edges(), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 4}}));
  EXPECT_EQ(result.rule, "weights of at least 0.075 in absolute value");
  EXPECT_EQ(result.details["candidates"].size(), 10U);
  EXPECT_NE(result.text.find("x3 = 0.7404 x1 - 0.7051 x2"), std::string::npos) << result.text;
}

// Of the same regression, the pruning with straight lines only has the same t-tests.
TEST(ListenGraph, PValuesAreThoseOfTheRegression) {
  GraphOptions options = graph_options(ListenEdges::kPvalue);
  const Table table = test::ka5();
  const GraphResult result = learn_graph(table, options, {}, Context());
  EXPECT_EQ(result.graph.directed_edges(), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  // summary(lm(x3 ~ x0 + x1 + x2)): F = 0.37318599 on 1 and 396 degrees of freedom for x0.
  for (const Json& candidate : result.details["candidates"]) {
    if (candidate["from"] != "x0" || candidate["to"] != "x3") continue;
    EXPECT_NEAR(candidate["p_value"].get<double>(), 0.541623, 5e-7);
    return;
  }
  FAIL() << "x0 -> x3 is no candidate";
}

TEST(ListenGraph, CamRulePrunesTheOrder) {
  const GraphResult result = learn_graph(test::ka5(), graph_options(ListenEdges::kCam), {}, Context());
  EXPECT_EQ(result.graph.directed_edges(), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
  EXPECT_TRUE(result.pruning.has_value());
  EXPECT_NE(result.rule.find("CAM pruning"), std::string::npos);
}

}  // namespace
}  // namespace olem::listen_test
