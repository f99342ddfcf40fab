#include "structure/caps_graph.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "olem/graph_learner.h"
#include "support/datasets.h"

namespace olem::caps_graph_test {

using namespace internal;
namespace {

using Scores = std::vector<std::vector<double>>;
using Lists = std::vector<std::vector<std::size_t>>;

GraphResult learn(const Table& table, const GraphOptions& changed = {}, const Precedence& knowledge = {}) {
  GraphOptions options = changed;
  options.method = "caps";
  return learn_graph(table, options, knowledge, Context());
}

TEST(CapsGraph, FindsTheTrueEdges) {
  const GraphResult result = learn(test::ka5());
  EXPECT_EQ(to_dag(result.graph).edges(), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
  EXPECT_EQ(result.method, "caps");
  EXPECT_NE(result.rule.find("parent scores"), std::string::npos);
  EXPECT_NEAR(result.details["parent_scores"][0][2].get<double>(), 1.37290, 6e-6);
  // Of the ten pairs, 0 -> 4 (0.02503 of 0.55195) is above 1 / 50 of the child's greatest score, as are the others.
  EXPECT_EQ(result.details["dropped_candidates"], 0);
  EXPECT_EQ(result.pruning->candidates.size(), 10U);
  EXPECT_TRUE(result.details["added_edges"].empty());
  EXPECT_EQ(result.order->matrix(kCapsParentScores)->size(), 5U);
}

TEST(CapsGraph, CandidatesAreBeforeTheChildAndNearItsGreatestScore) {
  // Scores of the columns 0, 1, 2 as parents of column 2 are 10, 1, - and of the others 0.
  const Scores scores = {{0, 0, 10}, {0, 0, 1}, {20, 0, 0}};
  const std::vector<std::size_t> order = {0, 1, 2};
  EXPECT_EQ(caps_candidates(order, scores, 5.0), (Lists{{}, {0}, {0}}));
  EXPECT_EQ(caps_candidates(order, scores, 10.0), (Lists{{}, {0}, {0, 1}}));  // exactly a tenth stays
  EXPECT_EQ(caps_candidates(order, scores, 0.0), (Lists{{}, {0}, {0, 1}}));
  // The greatest score of a child may belong to a column that comes after it.
  EXPECT_EQ(caps_candidates({2, 0, 1}, {{0, 0, 1}, {9, 0, 0}, {1, 0, 0}}, 5.0), (Lists{{}, {2, 0}, {}}));
}

TEST(CapsGraph, PruningByScoresReachesTheRegressions) {
  GraphOptions options;
  options.caps.prune_ratio = 2.0;
  const GraphResult result = learn(test::ka5(), options);
  for (const EdgeCandidate& candidate : result.pruning->candidates) {
    double greatest = 0.0;
    for (const auto& row : *result.order->matrix(kCapsParentScores)) greatest = std::max(greatest, row[candidate.to]);
    EXPECT_GE((*result.order->matrix(kCapsParentScores))[candidate.from][candidate.to], greatest / 2.0);
  }
  EXPECT_EQ(result.details["dropped_candidates"].get<std::size_t>(), 10 - result.pruning->candidates.size());
  EXPECT_GT(result.details["dropped_candidates"].get<std::size_t>(), 0U);
}

TEST(CapsGraph, EdgesWhoseScoreStandsOutAreAdded) {
  // One edge 0 -> 1 of score 9: the mean over the 9 cells is 1.
  const std::vector<Edge> edges = {{0, 1}};
  const Scores scores = {{0, 9, 4}, {8, 0, 6}, {5, 7, 0}};
  // 8: 1 -> 0 would close a cycle; 7: 2 -> 1; 6: 1 -> 2 would close one; 5: 2 -> 0.
  EXPECT_EQ(caps_supplement(edges, scores, 5.0, {}), (std::vector<Edge>{{2, 1}, {2, 0}}));
  EXPECT_EQ(caps_supplement(edges, scores, 5.5, {}), (std::vector<Edge>{{2, 1}}));
  EXPECT_TRUE(caps_supplement(edges, scores, 0.0, {}).empty());
}

TEST(CapsGraph, NothingIsAddedToAnEmptyGraph) { EXPECT_TRUE(caps_supplement({}, {{0, 9}, {8, 0}}, 50.0, {}).empty()); }

TEST(CapsGraph, AddedEdgesAndPathsObeyKnowledge) {
  Knowledge knowledge;
  knowledge.before = {{"a", "c"}};
  const Precedence precedence(knowledge, {"a", "b", "c"});
  const std::vector<Edge> edges = {{1, 0}};
  const Scores scores = {{0, 0, 4}, {9, 0, 0}, {8, 7, 0}};
  // 2 -> 0 contradicts what is known, 2 -> 1 makes the path 2 -> 1 -> 0 that does.
  EXPECT_EQ(caps_supplement(edges, scores, 4.0, precedence), (std::vector<Edge>{{0, 2}}));
  EXPECT_EQ(caps_supplement(edges, scores, 4.0, {}), (std::vector<Edge>{{2, 0}, {2, 1}}));
}

TEST(CapsGraph, ObeysKnowledgeFromEndToEnd) {
  const Table table = test::ka5();
  Knowledge knowledge;
  knowledge.tiers = {{"x3", "x4"}, {"x0", "x1", "x2"}};
  const Precedence precedence(knowledge, table.names());
  GraphOptions options;
  options.caps.supplement_ratio = 0.5;  // plenty of edges
  const GraphResult result = learn(table, options, precedence);
  EXPECT_FALSE(result.details["added_edges"].empty());
  for (const Edge& edge : to_dag(result.graph).edges()) EXPECT_FALSE(precedence.precedes(edge.to, edge.from));
}

TEST(CapsGraph, OneColumnHasNoEdges) { EXPECT_EQ(learn(Table({"only"}, {1, 2, 4, 7})).graph.edge_count(), 0U); }

}  // namespace
}  // namespace olem::caps_graph_test
