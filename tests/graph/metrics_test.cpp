#include "olem/metrics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/graphs.h"
#include "olem/graph_file.h"

namespace olem::metrics_test {

using namespace internal;
namespace {

using test::data_error;
using test::holds;
using test::ka5_dag;
using test::make_dag;
using test::random_dag;

Dag ka5_learned() { return make_dag(5, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {3, 1}, {3, 2}, {3, 4}}); }

// What PC and GES return on KA5: 1 - 0 - 2, 1 -> 3 <- 2, node 4 alone.
MixedGraph ka5_class() {
  MixedGraph graph(test::node_names(5), GraphKind::kCpdag);
  graph.set_undirected(0, 1);
  graph.set_undirected(0, 2);
  graph.set_directed(1, 3);
  graph.set_directed(2, 3);
  return graph;
}

TEST(OrderDivergence, KnownOrders) {
  EXPECT_EQ(order_divergence(ka5_dag(), Order{"x0", "x1", "x2", "x3", "x4"}), 0U);
  EXPECT_EQ(order_divergence(ka5_dag(), Order{"x1", "x0", "x2", "x4", "x3"}), 2U);
  EXPECT_EQ(order_divergence(ka5_dag(), Order{"x4", "x3", "x2", "x1", "x0"}), 5U);
  EXPECT_EQ(order_divergence(ka5_dag(), Order{"x0", "x3", "x4", "x1", "x2"}), 2U);
}

RC_GTEST_PROP(OrderDivergenceProperty, OfADenseGraphIsThatOfItsOrder, (std::uint64_t seed)) {
  RandomStream random(seed, "div");
  const std::size_t size = 1 + random.below(12);
  const Dag truth = random_dag(random, size, 0.4);
  const Order order = order_of(random_dag(random, size, 0.6));
  RC_ASSERT(order_divergence(truth, order) == order_divergence(truth, dense_dag(order)));
  RC_ASSERT(order_divergence(truth, order_of(truth)) == 0U);
}

TEST(Shd, ConventionsDifferByReversedEdges) {
  const EdgeCounts counts = count_edges(ka5_dag(), ka5_learned());
  EXPECT_EQ(counts.extra, 2U);
  EXPECT_EQ(counts.reversed, 2U);
  EXPECT_EQ(counts.missing, 0U);
  EXPECT_EQ(counts.correct, 3U);
  EXPECT_EQ(shd(ka5_dag(), ka5_learned()), 4U);
  EXPECT_EQ(shd2(ka5_dag(), ka5_learned()), 6U);
  EXPECT_DOUBLE_EQ(*counts.precision(), 3.0 / 7.0);
  EXPECT_DOUBLE_EQ(*counts.recall(), 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(*counts.f1(), 0.5);
}

TEST(Shd, OfAClass) {
  // The class has everything but 3 -> 4, and leaves two edges open.
  EXPECT_EQ(shd(ka5_dag(), ka5_class()), 3U);
  EXPECT_EQ(shd2(ka5_dag(), ka5_class()), 3U);
  EXPECT_EQ(shd_cpdag(ka5_dag(), ka5_class()), 1U);
  EXPECT_EQ(count_edges(ka5_dag(), ka5_class()).undecided, 2U);
  EXPECT_EQ(shd_cpdag(ka5_dag(), cpdag(ka5_dag())), 0U);
}

RC_GTEST_PROP(ShdProperty, IsADistanceBetweenDags, (std::uint64_t seed)) {
  RandomStream random(seed, "shd");
  const std::size_t size = 1 + random.below(10);
  const Dag a = random_dag(random, size, random.uniform());
  const Dag b = random_dag(random, size, random.uniform());
  const Dag c = random_dag(random, size, random.uniform());
  RC_ASSERT(shd(a, a) == 0U);
  RC_ASSERT(shd(a, b) == shd(b, a));
  RC_ASSERT(shd(a, c) <= shd(a, b) + shd(b, c));
  RC_ASSERT(shd2(a, b) == shd(a, b) + count_edges(a, b).reversed);
  RC_ASSERT(sid(a, a) == 0U);
}

TEST(EdgeCounts, WithoutEdgesHaveNoRates) {
  const Dag empty = make_dag(3, {});
  const EdgeCounts none = count_edges(empty, empty);
  EXPECT_FALSE(none.precision() || none.recall() || none.f1());
  const EdgeCounts missed = count_edges(make_dag(3, {{0, 1}}), empty);
  EXPECT_FALSE(missed.precision());
  EXPECT_EQ(missed.recall(), 0.0);
  EXPECT_EQ(missed.f1(), 0.0);
}

TEST(Compare, TwoDags) {
  const Json json = to_json(compare_graphs(ka5_dag(), ka5_learned()));
  const Json expected = Json::parse(R"({"basis": "directed", "nodes": 5, "true_edges": 5, "learned_edges": 7,
      "div": 2, "shd": 4, "shd2": 6, "sid": 7, "precision": 0.42857142857142855, "recall": 0.6, "f1": 0.5,
      "shd_cpdag": 5, "missing": 0, "extra": 2, "reversed": 2, "undecided": 0, "notes": []})");
  EXPECT_EQ(json, expected) << json.dump();
}

TEST(Compare, TheLearnedOrderGivesTheDivergence) {
  const Order order = {"x4", "x3", "x2", "x1", "x0"};
  EXPECT_EQ(compare_graphs(ka5_dag(), make_dag(5, {}), &order).div, 5U);
  EXPECT_EQ(compare_graphs(ka5_dag(), make_dag(5, {})).div, 0U);
}

TEST(Compare, AClassGetsARangeOfSid) {
  const Comparison comparison = compare_graphs(ka5_dag(), ka5_class());
  ASSERT_TRUE(comparison.sid_bounds);
  // The members are 0 -> 1, 0 -> 2 (SID 4), 1 -> 0 -> 2 and 2 -> 0 -> 1.
  const std::size_t first = sid(ka5_dag(), make_dag(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
  const std::size_t second = sid(ka5_dag(), make_dag(5, {{1, 0}, {0, 2}, {1, 3}, {2, 3}}));
  const std::size_t third = sid(ka5_dag(), make_dag(5, {{0, 1}, {2, 0}, {1, 3}, {2, 3}}));
  EXPECT_EQ(comparison.sid_bounds->lower, std::min({first, second, third}));
  EXPECT_EQ(comparison.sid_bounds->upper, std::max({first, second, third}));
  EXPECT_FALSE(comparison.sid);
  EXPECT_FALSE(comparison.div);
  const Json json = to_json(comparison);
  EXPECT_TRUE(json.at("sid").is_null());
  EXPECT_EQ(json.at("sid_lower"), 4);
}

TEST(Compare, APagIsComparedBySkeletonAndSaysSo) {
  MixedGraph pag(test::node_names(5), GraphKind::kPag);
  pag.set_edge(0, 1, Mark::kCircle, Mark::kCircle);
  pag.set_edge(0, 2, Mark::kCircle, Mark::kCircle);
  pag.set_directed(1, 3);
  pag.set_directed(2, 3);
  const Comparison comparison = compare_graphs(ka5_dag(), pag);
  EXPECT_EQ(comparison.basis, ComparisonBasis::kSkeleton);
  EXPECT_EQ(comparison.shd, 1U);
  EXPECT_EQ(comparison.precision, 1.0);
  EXPECT_EQ(comparison.recall, 0.8);
  EXPECT_FALSE(comparison.shd2 || comparison.sid || comparison.div);
  EXPECT_TRUE(holds(to_json(comparison).dump(), "only skeletons were compared"));
}

TEST(Compare, AnOrderHasOnlyADivergence) {
  const Comparison comparison = compare_order(ka5_dag(), {"x1", "x0", "x2", "x4", "x3"});
  EXPECT_EQ(comparison.div, 2U);
  const Json json = to_json(comparison);
  EXPECT_EQ(json.at("basis"), "order");
  for (const char* key : {"shd", "shd2", "sid", "precision", "recall", "f1"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  data_error([] { compare_order(ka5_dag(), {"x0"}); });
}

TEST(Compare, ATrueClassCountsOnlyItsDirectedEdgesInDiv) {
  EXPECT_EQ(compare_order(ka5_class(), {"x4", "x3", "x2", "x1", "x0"}).div, 2U);
  const Comparison comparison = compare_graphs(ka5_class(), ka5_dag());
  EXPECT_FALSE(comparison.sid);
  EXPECT_EQ(comparison.shd_cpdag, 1U);
}

TEST(Compare, DifferentNodesAreRefused) {
  const std::string message = data_error([] { compare_graphs(Dag({"Light", "Temp"}), MixedGraph({"Light", "Tmp"})); });
  EXPECT_TRUE(holds(message, "'Tmp'") && holds(message, "Did you mean 'Temp'?")) << message;
  EXPECT_TRUE(holds(data_error([] { compare_graphs(Dag({"a", "b"}), Dag({"a"})); }), "'b'"));
}

GraphFile parsed(const std::string& text, const std::string& source) { return parse_graph(text, source); }

TEST(MatchNodes, AnEdgeListGetsTheNodesItCannotName) {
  GraphFile truth = parsed("from,to\na,b\nb,c\n", "t.csv");
  GraphFile learned = parsed("from,to\nb,a\n", "l.csv");
  match_nodes(truth, learned);
  EXPECT_EQ(learned.graph.names().list(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(learned.graph.directed(1, 0));
  GraphFile listed = parsed(R"({"nodes": ["d", "c", "b", "a"], "edges": []})", "l.json");
  match_nodes(truth, listed);
  EXPECT_EQ(truth.graph.names().list(), (std::vector<std::string>{"d", "c", "b", "a"}));
}

TEST(MatchNodes, AWrongNameIsNeverTakenForANewNode) {
  GraphFile truth = parsed("from,to\nLight,Temp\n", "t.csv");
  GraphFile learned = parsed("from,to\nLight,Tmep\n", "l.csv");
  const std::string message = data_error([&] { match_nodes(truth, learned); });
  EXPECT_TRUE(holds(message, "l.csv: The node 'Tmep'") && holds(message, "Did you mean 'Temp'?") &&
              holds(message, "give the data"))
      << message;
  EXPECT_TRUE(holds(data_error([&] { match_nodes(truth, learned, {"Light", "Temp", "Sal"}); }), "columns of the data"));
}

TEST(MatchNodes, AFileThatListsItsNodesIsTakenAtItsWord) {
  GraphFile truth = parsed(R"({"nodes": ["a", "b", "c"], "edges": [["a", "b"]]})", "t.json");
  GraphFile learned = parsed(R"({"nodes": ["a", "b"], "edges": []})", "l.json");
  const std::string message = data_error([&] { match_nodes(truth, learned); });
  EXPECT_TRUE(holds(message, "l.json: The node 'c'") && holds(message, "missing")) << message;
}

TEST(MatchNodes, DataCompletesBothSides) {
  GraphFile truth = parsed("from,to\na,b\n", "t.csv");
  GraphFile learned = parsed("from,to\nc,b\n", "l.csv");
  match_nodes(truth, learned, {"c", "b", "a", "d"});
  EXPECT_EQ(truth.graph.names(), learned.graph.names());
  EXPECT_EQ(shd(truth.graph, learned.graph), 2U);
}

TEST(MatchNodes, AnOrderCompletesAnEdgeListButMustHoldAllItsNames) {
  GraphFile truth = parsed("from,to\na,b\n", "t.csv");
  match_nodes(truth, {"c", "b", "a"}, "o.txt");
  EXPECT_EQ(truth.graph.size(), 3U);
  GraphFile again = parsed("from,to\nLight,Temp\n", "t.csv");
  EXPECT_TRUE(holds(data_error([&] { match_nodes(again, {"Light", "Tmp"}, "o.txt"); }), "Did you mean 'Tmp'?"));
}

}  // namespace
}  // namespace olem::metrics_test
