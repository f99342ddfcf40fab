#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/graphs.h"
#include "olem/graph.h"

namespace olem::dag_test {
namespace {

using test::data_error;
using test::holds;
using test::ka5_dag;
using test::make_dag;
using test::random_dag;

TEST(Dag, KnowsItsEdgesBothWays) {
  const Dag dag = ka5_dag();
  EXPECT_EQ(dag.edge_count(), 5U);
  EXPECT_TRUE(dag.has_edge(0, 1));
  EXPECT_FALSE(dag.has_edge(1, 0));
  EXPECT_EQ(members(dag.children(0)), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(members(dag.parents(3)), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(dag.edges(), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
}

TEST(Dag, NamesTheCycle) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 1}};
  const std::string message = data_error([&] { Dag({"rain", "wet", "slip", "fall"}, edges); });
  EXPECT_TRUE(holds(message, "wet -> slip -> fall -> wet")) << message;
}

TEST(Dag, RefusesSelfLoopsAndBadNames) {
  EXPECT_TRUE(holds(data_error([] { Dag({"a", "b"}, std::vector<Edge>{{1, 1}}); }), "b -> b"));
  EXPECT_TRUE(holds(data_error([] { Dag({"a", "a"}); }), "'a'"));
  EXPECT_TRUE(holds(data_error([] { Dag({"a", ""}); }), "empty"));
  EXPECT_TRUE(holds(data_error([] { Dag({"a", "\xff"}); }), "UTF-8"));
  EXPECT_TRUE(holds(data_error([] { Dag({"a", "b"}, std::vector<Edge>{{0, 2}}); }), "does not exist"));
}

TEST(Dag, UnknownNodeSuggestsTheClosestName) {
  const Dag dag({"temperature", "light"});
  EXPECT_TRUE(holds(data_error([&] { dag.names().index("temprature"); }), "'temperature'"));
}

TEST(Dag, WithNodesReordersAndAddsByName) {
  const Dag dag({"a", "b"}, std::vector<Edge>{{0, 1}});
  EXPECT_EQ(dag.with_nodes({"c", "b", "a"}), Dag({"c", "b", "a"}, std::vector<Edge>{{2, 1}}));
  data_error([&] { static_cast<void>(dag.with_nodes({"a", "c"})); });
}

TEST(Dag, TopologicalOrderTakesTheLowestIndexFirst) {
  EXPECT_EQ(topological_order(make_dag(5, {{4, 0}, {3, 1}})), (std::vector<std::size_t>{2, 3, 1, 4, 0}));
  EXPECT_EQ(order_of(make_dag(3, {{2, 0}})), (Order{"x1", "x2", "x0"}));
}

RC_GTEST_PROP(DagProperty, TopologicalOrderIsOneAndItsReverseIsNot, (std::uint64_t seed)) {
  RandomStream random(seed, "dag");
  const Dag dag = random_dag(random, 1 + random.below(90), 0.2);
  std::vector<std::size_t> order = topological_order(dag);
  RC_ASSERT(is_topological_order(dag, order));
  std::reverse(order.begin(), order.end());
  RC_ASSERT(is_topological_order(dag, order) == (dag.edge_count() == 0));
  order.back() = order.front();
  RC_ASSERT(dag.size() == 1 || !is_topological_order(dag, order));
}

RC_GTEST_PROP(DagProperty, DescendantsAreTheTransitiveClosure, (std::uint64_t seed)) {
  RandomStream random(seed, "dag");
  const std::size_t size = 1 + random.below(80);
  const Dag dag = random_dag(random, size, 0.1);
  std::vector<std::vector<bool>> reach(size, std::vector<bool>(size));
  for (const Edge& edge : dag.edges()) reach[edge.from][edge.to] = true;
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
    }
  }
  const BitMatrix closure = all_descendants(dag);
  for (std::size_t i = 0; i < size; ++i) {
    const BitSet below = descendants(dag, i);
    const BitSet above = ancestors(dag, i);
    for (std::size_t j = 0; j < size; ++j) {
      RC_ASSERT(closure.test(i, j) == reach[i][j]);
      RC_ASSERT(below.test(j) == reach[i][j]);
      RC_ASSERT(above.test(j) == reach[j][i]);
    }
  }
}

// Separation in the moral graph of the ancestral set (Lauritzen et al. 1990).
bool separated_by_moralisation(const Dag& dag, const std::vector<std::size_t>& a, const std::vector<std::size_t>& b,
                               const std::vector<std::size_t>& given) {
  const std::size_t size = dag.size();
  std::vector<bool> kept(size);
  for (const auto* set : {&a, &b, &given}) {
    for (const std::size_t node : *set) {
      kept[node] = true;
      for (const std::size_t above : ancestors(dag, node).members()) kept[above] = true;
    }
  }
  std::vector<std::vector<bool>> linked(size, std::vector<bool>(size));
  for (std::size_t child = 0; child < size; ++child) {
    if (!kept[child]) continue;
    std::vector<std::size_t> family = members(dag.parents(child));
    family.push_back(child);
    for (const std::size_t i : family) {
      for (const std::size_t j : family) linked[i][j] = true;
    }
  }
  std::vector<bool> seen(size);
  for (const std::size_t node : given) seen[node] = true;
  std::vector<std::size_t> stack = a;
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    if (seen[node]) continue;
    seen[node] = true;
    if (std::find(b.begin(), b.end(), node) != b.end()) return false;
    for (std::size_t next = 0; next < size; ++next) {
      if (linked[node][next]) stack.push_back(next);
    }
  }
  return true;
}

TEST(DSeparation, ChainForkAndCollider) {
  using Set = std::vector<std::size_t>;
  const Dag chain = make_dag(3, {{0, 1}, {1, 2}});
  EXPECT_FALSE(d_separated(chain, Set{0}, Set{2}, Set{}));
  EXPECT_TRUE(d_separated(chain, Set{0}, Set{2}, Set{1}));
  const Dag collider = make_dag(4, {{0, 1}, {2, 1}, {1, 3}});
  EXPECT_TRUE(d_separated(collider, Set{0}, Set{2}, Set{}));
  EXPECT_FALSE(d_separated(collider, Set{0}, Set{2}, Set{1}));
  EXPECT_FALSE(d_separated(collider, Set{0}, Set{2}, Set{3}));
  EXPECT_THROW(d_separated(chain, Set{0}, Set{0}, Set{}), Error);
  EXPECT_THROW(d_separated(chain, Set{0}, Set{1}, Set{1}), Error);
}

TEST(DSeparation, EqualsSeparationInTheMoralGraph) {
  std::size_t separations = 0;
  constexpr std::size_t kTrials = 20'000;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    RandomStream random(7, "separation", trial);
    const std::size_t size = 2 + random.below(7);
    const Dag dag = random_dag(random, size, random.uniform(0.1, 0.7));
    std::vector<std::size_t> sets[4];
    for (std::size_t node = 0; node < size; ++node) sets[random.below(4)].push_back(node);
    if (sets[0].empty() || sets[1].empty()) continue;
    const bool expected = separated_by_moralisation(dag, sets[0], sets[1], sets[2]);
    ASSERT_EQ(d_separated(dag, sets[0], sets[1], sets[2]), expected);
    separations += expected ? 1 : 0;
  }
  EXPECT_GT(separations, kTrials / 10);  // both answers occur often
  EXPECT_LT(separations, kTrials * 9 / 10);
}

TEST(Order, ChecksThatItIsAPermutation) {
  const std::vector<std::string> names = {"Light", "Temp", "Sal"};
  check_order({"Sal", "Light", "Temp"}, names);
  EXPECT_TRUE(holds(data_error([&] {
                      check_order({"Sal", "Light", "Tmp"}, names, "o.txt");
                    }),
                    "o.txt: The order names 'Tmp', which is not one of the variables. Did you mean 'Temp'?"));
  EXPECT_TRUE(holds(data_error([&] { check_order({"Sal", "Light", "Sal"}, names); }), "'Sal' twice"));
  EXPECT_TRUE(holds(data_error([&] { check_order({"Sal", "Light"}, names); }), "does not name 'Temp'"));
}

TEST(Order, DenseGraphHasEveryEdgeThatTheOrderAllows) {
  const Dag dag = dense_dag({"b", "a", "c"});
  EXPECT_EQ(dag.edge_count(), 3U);
  EXPECT_TRUE(dag.has_edge(dag.names().index("b"), dag.names().index("a")));
  EXPECT_EQ(order_of(dag), (Order{"b", "a", "c"}));
}

TEST(Graph, AThousandNodes) {
  RandomStream random(1, "large");
  const Dag dag = random_dag(random, 1000, 0.01);
  const MixedGraph graph = cpdag(dag);
  EXPECT_EQ(graph.edge_count(), dag.edge_count());
  const std::optional<Dag> member = consistent_extension(graph);
  ASSERT_TRUE(member);
  EXPECT_EQ(cpdag(*member), graph);
}

TEST(Graph, MoreNodesThanCanBeHandledIsAResourceError) {
  try {
    const Dag dag(test::node_names(kMaxNodes + 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
  }
}

}  // namespace
}  // namespace olem::dag_test
