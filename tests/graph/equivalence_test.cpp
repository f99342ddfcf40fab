#include <gtest/gtest.h>

#include "graph/graphs.h"
#include "olem/graph.h"

namespace olem::equivalence_test {
namespace {

using test::all_dags;
using test::class_key;
using test::ClassKey;
using test::common_graph;
using test::make_dag;
using test::node_names;

std::map<ClassKey, std::vector<Dag>> equivalence_classes(std::size_t size) {
  std::map<ClassKey, std::vector<Dag>> classes;
  for (const Dag& dag : all_dags(size)) classes[class_key(dag)].push_back(dag);
  return classes;
}

// Numbers of classes over 2, 3, 4 and 5 labelled nodes (Gillispie and Perlman 2001).
constexpr std::size_t kClassCounts[] = {2, 11, 185, 8782};

class Classes : public testing::TestWithParam<std::size_t> {};

TEST_P(Classes, CpdagDirectsExactlyWhatAllMembersAgreeOn) {
  const auto classes = equivalence_classes(GetParam());
  EXPECT_EQ(classes.size(), kClassCounts[GetParam() - 2]);
  for (const auto& [key, dags] : classes) {
    const MixedGraph expected = common_graph(dags);
    for (const Dag& dag : dags) ASSERT_EQ(cpdag(dag), expected);
  }
}

TEST_P(Classes, ExtensionIsAMemberOfTheClass) {
  for (const auto& [key, dags] : equivalence_classes(GetParam())) {
    const std::optional<Dag> member = consistent_extension(cpdag(dags.front()));
    ASSERT_TRUE(member);
    ASSERT_EQ(class_key(*member), key);
  }
}

TEST_P(Classes, MeekRulesCompleteThePatternOfColliders) {
  for (const auto& [key, dags] : equivalence_classes(GetParam())) {
    MixedGraph pattern(node_names(GetParam()), GraphKind::kCpdag);
    for (const auto& [a, b] : key.first) pattern.set_undirected(a, b);
    for (const auto& collider : key.second) {
      pattern.set_directed(collider[0], collider[2]);
      pattern.set_directed(collider[1], collider[2]);
    }
    close_under_meek_rules(pattern);
    ASSERT_EQ(pattern, cpdag(dags.front()));
  }
}

INSTANTIATE_TEST_SUITE_P(UpToFiveNodes, Classes, testing::Values(2, 3, 4, 5));

// With rule 4 the rules are complete under outside knowledge as well (Meek 1995).
TEST(MeekRules, DirectWhatFollowsFromOneKnownEdge) {
  std::size_t further = 0;
  for (const auto& [key, dags] : equivalence_classes(4)) {
    const MixedGraph graph = cpdag(dags.front());
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        if (!graph.undirected(a, b)) continue;
        std::vector<Dag> agreeing;
        for (const Dag& dag : dags) {
          if (dag.has_edge(a, b)) agreeing.push_back(dag);
        }
        MixedGraph closed = graph;
        closed.set_directed(a, b);
        close_under_meek_rules(closed);
        ASSERT_EQ(closed, common_graph(agreeing));
        further += closed.directed_edges().size() - graph.directed_edges().size() - 1;
      }
    }
  }
  EXPECT_GT(further, 0U);
}

// No other rule directs a - b here.
TEST(MeekRules, RuleFour) {
  MixedGraph graph({"a", "b", "c", "d"}, GraphKind::kCpdag);
  graph.set_undirected(0, 1);
  graph.set_undirected(0, 2);
  graph.set_undirected(0, 3);
  graph.set_directed(2, 3);
  graph.set_directed(3, 1);
  close_under_meek_rules(graph);
  EXPECT_TRUE(graph.directed(0, 1));
}

TEST(Extension, NoneForAnUndirectedSquare) {
  MixedGraph square(node_names(4), GraphKind::kCpdag);
  for (std::size_t i = 0; i < 4; ++i) square.set_undirected(i, (i + 1) % 4);
  EXPECT_FALSE(consistent_extension(square));
}

TEST(Extension, NoneWhenTheDirectedEdgesFormACycle) {
  MixedGraph triangle(node_names(3), GraphKind::kCpdag);
  for (std::size_t i = 0; i < 3; ++i) triangle.set_directed(i, (i + 1) % 3);
  EXPECT_FALSE(consistent_extension(triangle));
}

TEST(Extension, CirclesAreRefused) {
  MixedGraph pag({"a", "b"}, GraphKind::kPag);
  pag.set_edge(0, 1, Mark::kCircle, Mark::kArrow);
  EXPECT_THROW(consistent_extension(pag), Error);
  EXPECT_THROW(close_under_meek_rules(pag), Error);
}

TEST(MixedGraph, ToDagNamesTheEdgeWithoutDirectionOrTheCycle) {
  MixedGraph graph({"a", "b", "c"}, GraphKind::kCpdag);
  graph.set_directed(0, 1);
  graph.set_undirected(2, 1);
  EXPECT_TRUE(test::holds(test::data_error([&] { to_dag(graph); }), "'b' and 'c'"));
  graph.set_directed(1, 2);
  EXPECT_EQ(to_dag(graph), Dag({"a", "b", "c"}, std::vector<Edge>{{0, 1}, {1, 2}}));
  graph.set_directed(2, 0);
  EXPECT_TRUE(test::holds(test::data_error([&] { to_dag(graph); }), "a -> b -> c -> a"));
}

TEST(MixedGraph, NarrowestKind) {
  MixedGraph graph({"a", "b", "c"}, GraphKind::kPag);
  graph.set_directed(0, 1);
  EXPECT_EQ(graph.narrowest_kind(), GraphKind::kDag);
  graph.set_undirected(1, 2);
  EXPECT_EQ(graph.narrowest_kind(), GraphKind::kCpdag);
  graph.set_edge(0, 2, Mark::kArrow, Mark::kArrow);
  EXPECT_EQ(graph.narrowest_kind(), GraphKind::kPag);
  EXPECT_EQ(graph.edge_count(), 3U);
  graph.remove_edge(0, 2);
  EXPECT_EQ(graph.edge_count(), 2U);
}

}  // namespace
}  // namespace olem::equivalence_test
