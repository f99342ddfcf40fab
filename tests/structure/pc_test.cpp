#include "olem/pc.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <nlohmann/json.hpp>

#include "graph/graphs.h"
#include "graph/knowledge_edges.h"
#include "olem/graph_learner.h"
#include "structure/independence_oracle.h"
#include "structure/linear_models.h"
#include "support/datasets.h"

namespace olem::pc_test {

using namespace internal;
namespace {

using test::LinearModel;

std::uint64_t any_seed() { return *rc::gen::inRange<std::uint64_t>(0, 1000000); }

Table any_sample() {
  const std::uint64_t seed = any_seed();
  RandomStream random(seed, "pc test");
  const Dag dag = test::random_dag(random, *rc::gen::inRange<std::size_t>(2, 9), 0.4);
  return test::sample(test::random_linear_model(random, dag), *rc::gen::inRange<std::size_t>(20, 200), seed);
}

// By numpy 1.24 (inverse of the correlation matrix) and math.erfc.
TEST(FisherZ, KnownAnswers) {
  const Covariance covariance = covariance_of(test::ka5(), Context());
  const IndependenceTest test = fisher_z_test(covariance);
  struct Known {
    std::size_t i, j;
    std::vector<std::size_t> given;
    double r, statistic, p;
  };
  const std::vector<Known> known = {{1, 2, {}, 0.26040028, 5.3107271, 1.0918872e-07},
                                    {1, 2, {0}, -0.072640072, 1.4480697, 0.14759755},
                                    {0, 3, {1, 2}, 0.030683898, 0.6100219, 0.5418473},
                                    {3, 4, {}, -0.064270659, 1.2823514, 0.19971939},
                                    {0, 4, {1, 2, 3}, -0.0031453860, 0.062434334, 0.95021695}};
  for (const Known& entry : known) {
    const double r = partial_correlation(covariance, entry.i, entry.j, entry.given);
    EXPECT_NEAR(r, entry.r, 1e-8);
    const double freedom = 400.0 - static_cast<double>(entry.given.size()) - 3.0;
    EXPECT_NEAR(std::sqrt(freedom) * std::abs(std::atanh(r)), entry.statistic, 1e-7);
    EXPECT_NEAR(test.p_value(entry.i, entry.j, entry.given), entry.p, 1e-8);
    EXPECT_EQ(test.p_value(entry.j, entry.i, entry.given), test.p_value(entry.i, entry.j, entry.given));
  }
}

RC_GTEST_PROP(FisherZ, PartialCorrelationsAreThoseOfTheInverse, ()) {
  const std::size_t d = *rc::gen::inRange<std::size_t>(2, 16);
  const Covariance covariance = covariance_of(test::linear_table(100, d, any_seed()), test::one_thread());
  std::vector<std::size_t> given;
  for (std::size_t k = 2; k < d; ++k) given.push_back(k);
  Eigen::MatrixXd matrix(d, d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = covariance.r(i, j);
  }
  const Eigen::MatrixXd inverse = matrix.inverse();
  const double expected = -inverse(0, 1) / std::sqrt(inverse(0, 0) * inverse(1, 1));
  RC_ASSERT(std::abs(partial_correlation(covariance, 0, 1, given) - expected) < 1e-9);
}

TEST(Pc, ClassOfTheKnownAnswerData) {
  const PcResult result = learn_pc(test::ka5(), {}, {}, Context());
  MixedGraph expected(test::node_names(5), GraphKind::kCpdag);
  expected.set_undirected(0, 1);
  expected.set_undirected(0, 2);
  expected.set_directed(1, 3);
  expected.set_directed(2, 3);
  EXPECT_EQ(result.graph, expected);
  EXPECT_EQ(result.separated.list.size(), 6U);
  EXPECT_EQ(result.separated.find(2, 1)->given, std::vector<std::size_t>{0});
  EXPECT_NEAR(result.separated.find(1, 2)->p_value, 0.14759755, 1e-8);
  EXPECT_EQ(result.separated.find(0, 3)->given, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(result.separated.find(0, 1), nullptr);
  EXPECT_EQ(result.levels[0].tests, 10U);
  EXPECT_EQ(result.levels[0].removed, 4U);
  EXPECT_TRUE(result.summary.warnings.empty());
}

TEST(Pc, IsTheClassOfEveryDagWhenTheTestsAreRight) {
  const Context context = test::one_thread();
  for (const std::size_t size : {2U, 3U, 4U}) {
    for (const Dag& dag : test::all_dags(size)) {
      ASSERT_EQ(learn_pc(dag.names().list(), test::oracle(dag), {}, {}, context).graph, cpdag(dag));
    }
  }
  RandomStream random(3, "pc oracle");
  for (std::size_t m = 0; m < 500; ++m) {
    const Dag dag = test::random_dag(random, 5 + m % 4, 0.2 + 0.1 * static_cast<double>(m % 5));
    const PcResult result = learn_pc(dag.names().list(), test::oracle(dag), {}, {}, context);
    ASSERT_EQ(result.graph, cpdag(dag));
    ASSERT_EQ(result.conflicts + result.withdrawn, 0U);
  }
}

TEST(Pc, TrueKnowledgeAddsDirectionsAndTakesNoEdges) {
  const Context context = test::one_thread();
  RandomStream random(4, "pc knowledge");
  for (std::size_t m = 0; m < 200; ++m) {
    const Dag dag = test::random_dag(random, 6, 0.4);
    const Order order = order_of(dag);
    Knowledge tiers;
    tiers.tiers = {{order.begin(), order.begin() + 2}, {order.begin() + 2, order.begin() + 4}, {order[5]}};
    const Precedence knowledge(tiers, dag.names().list());
    MixedGraph expected = cpdag(dag);
    orient_by_knowledge(expected, knowledge);
    ASSERT_EQ(learn_pc(dag.names().list(), test::oracle(dag), {}, knowledge, context).graph, expected);
  }
}

TEST(Pc, FindsTheTrueClassOfPopulations) {
  for (const LinearModel& model : test::faithful_models()) {
    const PcResult result = learn_pc(test::population(model, 1e12), {}, {}, test::one_thread());
    ASSERT_EQ(result.graph, cpdag(model.dag));
  }
}

RC_GTEST_PROP(Pc, ObeysWhatIsKnownAndHasNoCircles, ()) {
  const Table table = any_sample();
  IndependenceOptions options;
  options.alpha = *rc::gen::element(0.05, 0.3);  // the more false edges, the more contradictions
  const Precedence knowledge(test::random_tiers(table.names(), any_seed()), table.names());
  const MixedGraph graph = learn_pc(table, options, knowledge, test::one_thread()).graph;
  RC_ASSERT(test::obeys(graph, knowledge));
  for (std::size_t a = 0; a < table.columns(); ++a) {
    for (std::size_t b = 0; b < table.columns(); ++b) {
      if (knowledge.precedes(a, b) && graph.adjacent(a, b)) RC_ASSERT(graph.directed(a, b));
    }
  }
}

RC_GTEST_PROP(Pc, PermutingColumnsPermutesTheGraph, ()) {
  const Table table = any_sample();
  IndependenceOptions options;
  options.alpha = *rc::gen::element(0.05, 0.3);
  const PcResult permuted = learn_pc(test::permuted_columns(table, any_seed()), options, {}, test::one_thread());
  RC_ASSERT(permuted.graph.with_nodes(table.names()) == learn_pc(table, options, {}, test::one_thread()).graph);
}

TEST(Pc, KeepsItsPromisesWhateverTheTestsSay) {
  std::size_t conflicts = 0;
  std::size_t withdrawn = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<std::size_t> plain = {0, 1, 2, 3, 4, 5, 6};
    const std::vector<std::size_t> labels = test::random_labels(7, seed);
    const Knowledge tiers = seed % 2 == 0 ? Knowledge() : test::random_tiers(test::node_names(7), seed);
    const auto learn = [&](const std::vector<std::size_t>& order) {
      const Precedence knowledge(tiers, test::names_of(order));
      const PcResult result =
          learn_pc(test::names_of(order), test::noise_test(seed, order), {}, knowledge, test::one_thread());
      EXPECT_TRUE(test::obeys(result.graph, knowledge)) << seed;
      conflicts += result.conflicts;
      withdrawn += result.withdrawn;
      return result.graph;
    };
    ASSERT_EQ(learn(labels).with_nodes(test::node_names(7)), learn(plain)) << seed;
  }
  EXPECT_GT(conflicts, 0U);
  EXPECT_GT(withdrawn, 0U);
}

TEST(GraphLearners, ThreadsGiveEqualBytes) {
  const Table table = test::linear_table(300, 25, 2);
  for (const std::string method : {"ges", "pc", "fci"}) {
    GraphOptions options;
    options.method = method;
    options.independence.max_conditioning = 2;
    std::string first;
    for (const int threads : {1, 2, 8}) {
      Context context;
      context.threads = threads;
      const GraphResult result = learn_graph(table, options, {}, context);
      std::string bytes = result.details.dump();
      for (std::size_t a = 0; a < table.columns(); ++a) {
        for (std::size_t b = 0; b < table.columns(); ++b)
          bytes += static_cast<char>('0' + int(result.graph.mark(a, b)));
      }
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << method;
    }
  }
}

TEST(Pc, TheSurerColliderWinsAndTheOtherIsReported) {
  // Separations, with p-values: 0 | 2 given nothing (0.9) makes 0 -> 1 <- 2; 1 | 3 given nothing (0.2) would make
  // 1 -> 2 <- 3, against 2 -> 1.
  IndependenceTest test;
  test.p_value = [](std::size_t i, std::size_t j, std::span<const std::size_t> given) {
    if (!given.empty()) return 0.0;
    if (i == 0 && j == 2) return 0.9;
    if (i == 1 && j == 3) return 0.2;
    return i == 0 && j == 3 ? 0.5 : 0.0;
  };
  const PcResult result = learn_pc(test::node_names(4), test, {}, {}, Context());
  EXPECT_TRUE(result.graph.directed(0, 1));
  EXPECT_TRUE(result.graph.directed(2, 1));
  EXPECT_EQ(result.conflicts, 1U);
  ASSERT_EQ(result.summary.warnings.size(), 1U);
  EXPECT_EQ(result.summary.warnings[0].code, "collider_conflicts");
}

TEST(Pc, DirectionsThatLeadRoundInACircleAreTakenBack) {
  const PcResult result = learn_pc(test::node_names(5), test::contradictory_square(), {}, {}, Context());
  EXPECT_TRUE(result.graph.directed(4, 1));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(result.graph.undirected(i, (i + 1) % 4)) << i;
  EXPECT_EQ(result.withdrawn, 4U);
  ASSERT_EQ(result.summary.warnings.size(), 1U);
  EXPECT_EQ(result.summary.warnings[0].code, "contradicting_directions");
}

TEST(Pc, EdgesThatCannotBeTestedAreKeptAndReported) {
  // Six rows: a test given three others has no degree of freedom left.
  const PcResult result = learn_pc(test::linear_table(6, 5, 1), {0.001, -1}, {}, Context());
  std::size_t largest = 0;
  for (const TestLevel& level : result.levels) largest = std::max(largest, level.conditioning);
  EXPECT_LE(largest, 2U);
  Covariance three = covariance_of(test::ka5(), Context());
  three.rows = 3.0;
  const PcResult none = learn_pc(three, {}, {}, Context());
  EXPECT_EQ(none.graph.edge_count(), 10U);
  EXPECT_EQ(none.untested, 10U);
  ASSERT_EQ(none.summary.warnings.size(), 1U);
  EXPECT_EQ(none.summary.warnings[0].code, "untested_edges");
  three.rows = 4.0;
  EXPECT_EQ(fisher_z_test(three).largest_set, 0);
}

TEST(Pc, ConditioningSetsAreNoLargerThanAllowed) {
  const Table table = test::linear_table(300, 10, 5);
  for (const int most : {0, 1, 2}) {
    IndependenceOptions options;
    options.max_conditioning = most;
    const PcResult result = learn_pc(table, options, {}, Context());
    EXPECT_EQ(result.levels.size(), static_cast<std::size_t>(most) + 1);
    for (const SeparatingSet& set : result.separated.list) EXPECT_LE(set.given.size(), static_cast<std::size_t>(most));
  }
}

TEST(Pc, OfSeveralSeparatingSetsTheOneWithTheGreatestPValueIsKept) {
  IndependenceTest test;
  test.p_value = [](std::size_t i, std::size_t j, std::span<const std::size_t> given) {
    if (i != 0 || j != 1 || given.size() != 1) return 0.0;
    return given[0] == 2 ? 0.1 : 0.3;
  };
  const PcResult result = learn_pc(test::node_names(4), test, {}, {}, Context());
  ASSERT_EQ(result.separated.list.size(), 1U);
  EXPECT_EQ(result.separated.list[0].given, std::vector<std::size_t>{3});
}

TEST(Pc, ADagOfAContradictoryClassIsRefused) {
  GraphOptions options;
  options.method = "pc";
  options.dag = true;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Table table = test::linear_table(100, 12, seed);
    try {
      EXPECT_EQ(learn_graph(table, options, {}, test::one_thread()).graph.kind(), GraphKind::kDag);
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kTask);
      EXPECT_TRUE(test::holds(error.what(), "no DAG in its class")) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, 40U);
}

}  // namespace
}  // namespace olem::pc_test
