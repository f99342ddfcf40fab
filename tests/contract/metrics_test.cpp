#include "olem/metrics.h"

#include <map>
#include <nlohmann/json.hpp>

#include "contract/contract.h"
#include "olem/graph.h"

// Every number that `olem compare` prints, found by its key: a new one is covered when it is printed.
namespace olem::metrics_test {
namespace {

constexpr std::size_t kNodes = 6;

std::vector<std::string> node_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kNodes; ++i) names.push_back(fmt::format("n{}", i));
  return names;
}

std::vector<std::size_t> permutation(RandomStream& random) {
  std::vector<std::size_t> places(kNodes);
  std::iota(places.begin(), places.end(), std::size_t{0});
  for (std::size_t i = kNodes; i > 1; --i) std::swap(places[i - 1], places[random.below(i)]);
  return places;
}

Dag random_dag(RandomStream& random) {
  const std::vector<std::size_t> order = permutation(random);
  std::vector<Edge> edges;
  for (std::size_t late = 1; late < kNodes; ++late) {
    for (std::size_t early = 0; early < late; ++early) {
      if (random.below(5) < 2) edges.push_back({order[early], order[late]});
    }
  }
  if (edges.empty()) edges.push_back({order[0], order[1]});
  return Dag(node_names(), edges);
}

// The graph after its nodes have got the names of others.
Dag renamed(const Dag& dag, const std::vector<std::size_t>& places) {
  std::vector<std::string> names(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) names[i] = dag.name(places[i]);
  return Dag(names, dag.edges());
}

// A learned graph as a learner gives it: a DAG, or the class that it belongs to.
struct Pair {
  Dag truth;
  Dag learned;
  bool as_class = false;

  MixedGraph shown(const Dag& dag) const { return as_class ? cpdag(dag) : MixedGraph(dag); }
  Json compare(const Dag& left, const Dag& right) const { return to_json(compare_graphs(left, shown(right))); }
  Json compare() const { return compare(truth, learned); }
};

template <class Check>
void for_pairs(const Check& check) {
  RandomStream random(3, "contract.metrics");
  for (int i = 0; i < 40; ++i) {
    const Dag truth = random_dag(random);
    const Pair pair{truth, random_dag(random), i % 2 == 1};
    check(pair, random);
  }
}

TEST(Metrics, DependOnNamesAndNotOnPlaces) {
  for_pairs([](const Pair& pair, RandomStream& random) {
    const Json base = pair.compare();
    EXPECT_EQ(pair.compare(), base);
    // Both sides renamed alike; and the nodes of one side listed in another order.
    const std::vector<std::size_t> places = permutation(random);
    EXPECT_EQ(pair.compare(renamed(pair.truth, places), renamed(pair.learned, places)), base);
    std::vector<std::string> listed(kNodes);
    for (std::size_t i = 0; i < kNodes; ++i) listed[i] = pair.truth.name(places[i]);
    EXPECT_EQ(pair.compare(pair.truth, pair.learned.with_nodes(listed)), base);
    EXPECT_EQ(pair.compare(pair.truth.with_nodes(listed), pair.learned), base);
  });
}

// The identity has no distance and the best shares; what is 0 or 1 there is never less than 0, or never above 1, for
// any other pair.
TEST(Metrics, AreBestForTheTruthItself) {
  for_pairs([](const Pair& pair, RandomStream&) {
    const Pair dags{pair.truth, pair.learned, false};
    const Json same = dags.compare(pair.truth, pair.truth);
    const Json other = dags.compare();
    for (const auto& [key, value] : same.items()) {
      if (!value.is_number() || key == "nodes" || key.ends_with("_edges")) continue;
      EXPECT_TRUE(value == 0 || value == 1) << key << " " << value;
      if (!other[key].is_number()) continue;
      EXPECT_GE(other[key].get<double>(), 0.0) << key;
      if (value == 1) {
        EXPECT_LE(other[key].get<double>(), 1.0) << key;
      }
    }
    EXPECT_EQ(same["true_edges"], same["learned_edges"]);
  });
}

// With truth and learned exchanged each number becomes that of its partner. DIV and SID have none.
TEST(Metrics, AreSymmetricWhereTheySayTheyAre) {
  const std::map<std::string, std::string> partner = {{"shd", "shd"},
                                                      {"shd2", "shd2"},
                                                      {"shd_cpdag", "shd_cpdag"},
                                                      {"f1", "f1"},
                                                      {"precision", "recall"},
                                                      {"missing", "extra"},
                                                      {"reversed", "reversed"},
                                                      {"undecided", "undecided"},
                                                      {"true_edges", "learned_edges"}};
  bool div_differs = false;
  bool sid_differs = false;
  for_pairs([&](const Pair& pair, RandomStream&) {
    if (pair.as_class) return;
    const Json there = pair.compare();
    const Json back = pair.compare(pair.learned, pair.truth);
    for (const auto& [key, other] : partner) {
      EXPECT_EQ(there[key], back[other]) << key;
      EXPECT_EQ(there[other], back[key]) << key;
    }
    div_differs = div_differs || there["div"] != back["div"];
    sid_differs = sid_differs || there["sid"] != back["sid"];
  });
  EXPECT_TRUE(div_differs);
  EXPECT_TRUE(sid_differs);
}

TEST(Metrics, RefuseOtherNodes) {
  const Dag truth({"a", "b"}, std::vector<Edge>{{0, 1}});
  const Dag other({"a", "c"}, std::vector<Edge>{{0, 1}});
  test::expect_refused([&] { compare_graphs(truth, other); }, ErrorCategory::kData, {"'"});
  test::expect_refused([&] { compare_order(truth, {"a", "c"}); }, ErrorCategory::kData, {"'c'"});
}

}  // namespace
}  // namespace olem::metrics_test
