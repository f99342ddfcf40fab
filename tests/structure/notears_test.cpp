#include "olem/notears.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "olem/error.h"
#include "olem/graph_learner.h"
#include "olem/random.h"
#include "support/datasets.h"

namespace olem::notears_test {
namespace {

NotearsResult learn(const Table& table, const NotearsOptions& options = {}, const Precedence& knowledge = {},
                    const Context& context = Context()) {
  return learn_notears(table, options, knowledge, context);
}

// The reference implementation's weights on this data set.
TEST(Notears, KnownAnswers) {
  const NotearsResult result = learn(test::ka5());
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.summary.status, Status::kDone);
  EXPECT_LE(result.h, 1e-8);
  EXPECT_EQ(result.threshold, 0.3);
  EXPECT_EQ(result.graph.edges(), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  std::vector<std::vector<double>> weights = result.weights;
  const auto take = [&](std::size_t i, std::size_t j) { return std::exchange(weights[i][j], 0.0); };
  EXPECT_NEAR(take(0, 1), 0.820112, 1e-3);
  EXPECT_NEAR(take(0, 2), 0.537765, 1e-3);
  EXPECT_NEAR(take(1, 3), 0.683292, 1e-3);
  EXPECT_NEAR(take(2, 3), -0.624048, 1e-3);
  double largest = 0.0;
  for (const auto& row : weights) {
    for (const double weight : row) largest = std::max(largest, std::abs(weight));
  }
  EXPECT_NEAR(largest, 0.0087, 1e-3);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(result.weights[i][i], 0.0);
}

TEST(Notears, IterationsTellTheSearch) {
  std::vector<std::string> log;
  Context context;
  context.log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::kInfo) log.emplace_back(text);
  };
  std::vector<double> progress;
  context.progress = [&](double fraction, std::string_view) { progress.push_back(fraction); };
  const NotearsResult result = learn(test::ka5(), {}, {}, context);
  ASSERT_EQ(log.size(), result.iterations.size());
  EXPECT_EQ(log[0].rfind("NOTEARS iteration 1: rho 1, alpha 0, h ", 0), 0U) << log[0];
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_EQ(progress.back(), 1.0);
  double alpha = 0.0;
  double h = std::numeric_limits<double>::infinity();
  for (const NotearsIteration& iteration : result.iterations) {
    EXPECT_NEAR(iteration.alpha, alpha, 1e-12 * alpha);
    EXPECT_LE(iteration.h, 0.25 * h);
    EXPECT_GE(iteration.evaluations, iteration.inner_iterations);
    alpha += iteration.rho * iteration.h;
    h = iteration.h;
  }
  EXPECT_EQ(h, result.h);
}

// Two variables: with 1 -> 0 forbidden the problem is a lasso with the solution (s01 - lambda) / s00, soft-thresholded.
TEST(Notears, OneEdgeIsTheLasso) {
  const Table table = test::linear_table(300, 2, 12);
  Knowledge knowledge;
  knowledge.before = {{"x0", "x1"}};
  const auto mean = [&](std::size_t j) {
    const auto column = table.column(j);
    return std::accumulate(column.begin(), column.end(), 0.0) / 300.0;
  };
  double s00 = 0.0;
  double s01 = 0.0;
  for (std::size_t i = 0; i < 300; ++i) {
    s00 += std::pow(table.at(i, 0) - mean(0), 2) / 300.0;
    s01 += (table.at(i, 0) - mean(0)) * (table.at(i, 1) - mean(1)) / 300.0;
  }
  const double expected = std::copysign(std::max(0.0, std::abs(s01) - 0.1), s01) / s00;
  const NotearsResult result = learn(table, {}, Precedence(knowledge, table.names()));
  EXPECT_NEAR(result.weights[0][1], expected, 1e-5);
  EXPECT_EQ(result.weights[1][0], 0.0);
}

TEST(Notears, FindsASparseLinearGraph) {
  // 0 -> 1 -> 2 -> ... -> 9 and 0 -> 5, equal noise.
  constexpr std::size_t kRows = 1000;
  RandomStream random(3, "sparse");
  std::vector<double> values(10 * kRows);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < 10; ++j) {
    names.push_back("x" + std::to_string(j));
    for (std::size_t i = 0; i < kRows; ++i) {
      double value = random.normal();
      if (j > 0) value += (j % 2 == 0 ? -0.9 : 1.1) * values[(j - 1) * kRows + i];
      if (j == 5) value += 1.2 * values[i];
      values[j * kRows + i] = value;
    }
  }
  const NotearsResult result = learn(Table(names, std::move(values)));
  std::vector<Edge> expected = {{0, 1}, {0, 5}};
  for (std::size_t j = 1; j < 9; ++j) expected.push_back({j, j + 1});
  EXPECT_EQ(result.graph.edges(), expected);
  EXPECT_TRUE(result.converged);
}

TEST(Notears, AThresholdThatLeavesACycleIsRaised) {
  NotearsOptions options;
  options.threshold = 0.0;
  options.iterations = 1;  // the first minimisation has hardly any penalty on cycles
  const NotearsResult result = learn(test::ka5(), options);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.summary.status, Status::kNotConverged);
  EXPECT_GT(result.threshold, 0.0);
  ASSERT_EQ(result.summary.warnings.size(), 2U);
  EXPECT_EQ(result.summary.warnings[0].code, "threshold_raised");
  EXPECT_EQ(result.summary.warnings[1].code, "not_converged");
  EXPECT_EQ(result.summary.warnings[1].remedies.front().option, "notears_iterations");

  // It is the size of a weight that is kept, and the next smaller weight would close a cycle.
  double below = 0.0;
  bool is_a_weight = false;
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      const double size = std::abs(result.weights[i][j]);
      is_a_weight = is_a_weight || size == result.threshold;
      if (size < result.threshold) below = std::max(below, size);
    }
  }
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if (std::abs(result.weights[i][j]) >= below && result.weights[i][j] != 0.0) edges.push_back({i, j});
    }
  }
  EXPECT_TRUE(is_a_weight);
  EXPECT_TRUE(find_cycle(5, edges).has_value());
}

TEST(Notears, ObeysKnowledgeAlongPaths) {
  const Table table = test::ka5();
  Knowledge tiers;
  tiers.tiers = {{"x3"}, {"x1", "x2"}, {"x0", "x4"}};
  const Precedence reversed(tiers, table.names());
  const NotearsResult result = learn(table, {}, reversed);
  EXPECT_TRUE(result.converged);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if (reversed.precedes(i, j)) {
        EXPECT_EQ(result.weights[j][i], 0.0);
      }
    }
  }
  EXPECT_TRUE(result.graph.has_edge(3, 1));

  // Only x3 before x0: 0 -> 1 -> 3 would contradict it although no edge of it does.
  Knowledge pair;
  pair.before = {{"x3", "x0"}};
  const NotearsResult along = learn(table, {}, Precedence(pair, table.names()));
  EXPECT_FALSE(descendants(along.graph, 0).test(3));
}

TEST(Notears, PermutingColumnsPermutesTheGraph) {
  const Table table = test::ka5();
  const std::vector<std::size_t> places = {3, 0, 4, 2, 1};
  const NotearsResult expected = learn(table);
  const NotearsResult permuted = learn(table.with_columns(places));
  EXPECT_EQ(permuted.graph.with_nodes(table.names()), expected.graph);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(permuted.weights[i][j], expected.weights[places[i]][places[j]], 1e-3);
    }
  }
}

TEST(Notears, IsALearnerOfGraphs) {
  GraphOptions options;
  options.method = "notears";
  options.notears.threshold = 0.6;
  const GraphResult result = learn_graph(test::ka5(), options, {}, Context());
  EXPECT_EQ(to_dag(result.graph).edges(), (std::vector<Edge>{{0, 1}, {1, 3}, {2, 3}}));
  EXPECT_EQ(result.method, "notears");
  EXPECT_EQ(result.details["threshold"], 0.6);
  EXPECT_EQ(result.details["converged"], true);
  EXPECT_NEAR(result.details["weights"][0][1].get<double>(), 0.820112, 1e-3);
  EXPECT_EQ(result.details["iterations"][0]["rho"], 1.0);
  EXPECT_NE(result.text.find("x2 -> x3"), std::string::npos);
}

TEST(Notears, OneColumnHasNoEdges) { EXPECT_EQ(learn(Table({"only"}, {1, 2, 4})).graph.edge_count(), 0U); }

TEST(Notears, RefusesWhatItCannotSquare) { EXPECT_THROW(learn(Table({"a", "b"}, {1, 2, 4, 0, 1e200, -1e200})), Error); }

TEST(Notears, CanBeInterrupted) {
  std::atomic<bool> stop{true};
  Context context;
  context.interrupt = &stop;
  EXPECT_THROW(learn(test::ka5(), {}, {}, context), Error);
}

}  // namespace
}  // namespace olem::notears_test
