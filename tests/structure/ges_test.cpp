#include "olem/ges.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "graph/graphs.h"
#include "olem/graph_learner.h"
#include "structure/gaussian_score.h"
#include "structure/independence_oracle.h"
#include "structure/linear_models.h"
#include "structure/plain_ges.h"
#include "support/datasets.h"

namespace olem::ges_test {

using namespace internal;
namespace {

using test::LinearModel;

MixedGraph ka5_class() {
  MixedGraph graph(test::node_names(5), GraphKind::kCpdag);
  graph.set_undirected(0, 1);
  graph.set_undirected(0, 2);
  graph.set_directed(1, 3);
  graph.set_directed(2, 3);
  return graph;
}

double dag_score(const Covariance& covariance, const Dag& dag) {
  GaussianScore score(covariance, 0.5);
  double total = 0.0;
  for (std::size_t y = 0; y < dag.size(); ++y) total += score.local(y, members(dag.parents(y)));
  return total;
}

Table random_sample(std::size_t size, std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "ges test");
  const Dag dag = test::random_dag(random, size, 0.4);
  return test::sample(test::random_linear_model(random, dag), rows, seed);
}

std::uint64_t any_seed() { return *rc::gen::inRange<std::uint64_t>(0, 1000000); }

Table any_sample() {
  // From the first case on as large as they get: small tables have few operators to get wrong.
  const auto size = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(2, 11));
  return random_sample(size, *rc::gen::inRange<std::size_t>(20, 200), any_seed());
}

// By least squares in numpy 1.24.
TEST(Ges, LocalScoresOfTheKnownAnswerData) {
  const Covariance covariance = covariance_of(test::ka5(), Context());
  GaussianScore score(covariance, 0.5);
  struct Known {
    std::size_t y;
    std::vector<std::size_t> parents;
    double score;
    double sigma2;
  };
  const std::vector<Known> known = {{0, {}, -191.686680, 0.94502371},
                                    {1, {0}, -183.821184, 0.89507174},
                                    {2, {0}, -298.290350, 1.58644304},
                                    {3, {1, 2}, -228.823581, 1.10426717},
                                    {4, {}, -297.374986, 1.60303109}};
  double total = 0.0;
  for (const Known& entry : known) {
    EXPECT_NEAR(score.local(entry.y, entry.parents), entry.score, 1e-6) << entry.y;
    EXPECT_NEAR(std::exp(covariance.log_variance[entry.y]) * residual_share(covariance, entry.y, entry.parents),
                entry.sigma2, 1e-8);
    total += score.local(entry.y, entry.parents);
  }
  EXPECT_NEAR(total, -1199.996781, 1e-6);
}

TEST(Ges, ClassOfTheKnownAnswerData) {
  const GesResult result = learn_ges(test::ka5(), {}, {}, Context());
  EXPECT_EQ(result.graph, ka5_class());
  EXPECT_NEAR(result.score, -1199.996781, 1e-6);
  ASSERT_EQ(result.steps.size(), 8U);
  EXPECT_EQ(result.steps[0].x, 0U);
  EXPECT_EQ(result.steps[0].y, 1U);
  EXPECT_NEAR(result.steps[0].gain, 126.3303, 5e-5);
  // 1 - 0, 3 - 1 with T = {0}, 3 - 2, 1 - 2, 0 - 2, 3 - 0 inserted, 3 - 0 and 1 - 2 deleted.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const GesStep& step : result.steps) pairs.emplace_back(std::minmax(step.x, step.y));
  using Pairs = decltype(pairs);
  EXPECT_EQ(pairs, (Pairs{{0, 1}, {1, 3}, {2, 3}, {1, 2}, {0, 2}, {0, 3}, {0, 3}, {1, 2}}));
  EXPECT_EQ(result.steps[1].with, std::vector<std::size_t>{0});
  EXPECT_EQ(result.steps[6].move, GesMove::kDelete);
}

// True when GES takes exactly the steps of the search that makes all operators anew at every step.
bool takes_the_plain_steps(const Table& table, const GesOptions& options, const Precedence& knowledge) {
  const GesResult result = learn_ges(table, options, knowledge, test::one_thread());
  const Covariance covariance = covariance_of(table, test::one_thread());
  const double n = covariance.rows;
  const auto score = [&](std::size_t y, const std::vector<std::size_t>& parents) {
    const double log_variance = covariance.log_variance[y] + std::log(residual_share(covariance, y, parents));
    return -0.5 * n * (1.0 + log_variance) - options.penalty * static_cast<double>(parents.size() + 1) * std::log(n);
  };
  test::PlainGes plain(table.names(), score, 1e-12 * n,
                       options.max_parents == 0 ? 100 : static_cast<std::size_t>(options.max_parents), knowledge);
  plain.run();
  orient_by_knowledge(plain.graph, knowledge);
  const auto same = [](const GesStep& a, const GesStep& b) {
    return a.move == b.move && a.x == b.x && a.y == b.y && a.with == b.with && a.gain == b.gain;
  };
  return result.graph == plain.graph &&
         std::equal(result.steps.begin(), result.steps.end(), plain.steps.begin(), plain.steps.end(), same);
}

RC_GTEST_PROP(Ges, TakesTheStepsOfThePlainSearch, ()) {
  const Table table = any_sample();
  GesOptions options;
  options.penalty = *rc::gen::element(0.5, 0.5, 0.1, 2.0);
  options.max_parents = *rc::gen::element(0, 0, 1, 2);
  const bool known = *rc::gen::arbitrary<bool>();
  const Precedence knowledge =
      known ? Precedence(test::random_tiers(table.names(), any_seed()), table.names()) : Precedence();
  RC_ASSERT(takes_the_plain_steps(table, options, knowledge));
}

// What is kept wrongly between steps shows only in some graphs.
TEST(Ges, TakesTheStepsOfThePlainSearchOnManyTables) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ASSERT_TRUE(takes_the_plain_steps(random_sample(9, 150, seed), {}, {})) << seed;
  }
}

TEST(Ges, ScoreIsThatOfEveryMemberOfTheClass) {
  const std::vector<Dag> dags = test::all_dags(4);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Table table = random_sample(4, 100, seed);
    const Covariance covariance = covariance_of(table, Context());
    const GesResult result = learn_ges(covariance, {}, {}, Context());
    std::size_t found = 0;
    for (const Dag& dag : dags) {
      if (!(cpdag(dag) == result.graph)) continue;
      ++found;
      EXPECT_NEAR(dag_score(covariance, dag), result.score, 1e-9 * std::abs(result.score));
    }
    EXPECT_GT(found, 0U);
  }
}

TEST(Ges, GainsAddUpToTheScore) {
  const Covariance covariance = covariance_of(random_sample(8, 300, 3), Context());
  const GesResult result = learn_ges(covariance, {}, {}, Context());
  double total = dag_score(covariance, Dag(covariance.names));
  for (const GesStep& step : result.steps) total += step.gain;
  EXPECT_NEAR(total, result.score, 1e-9 * std::abs(total));
}

TEST(Ges, FindsTheTrueClassOfPopulations) {
  for (const LinearModel& model : test::faithful_models()) {
    const GesResult result = learn_ges(test::population(model, 1e12), {}, {}, Context());
    ASSERT_EQ(result.graph, cpdag(model.dag));
  }
}

RC_GTEST_PROP(Ges, ObeysWhatIsKnown, ()) {
  const Table table = any_sample();
  const Precedence knowledge(test::random_tiers(table.names(), any_seed()), table.names());
  GraphOptions options;
  options.method = "ges";
  const GraphResult result = learn_graph(table, options, knowledge, Context());
  RC_ASSERT(test::obeys(result.graph, knowledge));
  for (std::size_t a = 0; a < table.columns(); ++a) {
    for (std::size_t b = 0; b < table.columns(); ++b) {
      if (knowledge.precedes(a, b) && result.graph.adjacent(a, b)) RC_ASSERT(result.graph.directed(a, b));
    }
  }
  options.dag = true;
  const GraphResult member = learn_graph(table, options, knowledge, Context());
  RC_ASSERT(member.graph.kind() == GraphKind::kDag);
  RC_ASSERT(test::obeys(member.graph, knowledge));
  MixedGraph known = cpdag(to_dag(member.graph));
  orient_by_knowledge(known, knowledge);
  RC_ASSERT(known == result.graph);
}

TEST(Ges, TrueKnowledgeKeepsTheTrueClass) {
  RandomStream random(11, "true tiers");
  for (std::size_t m = 0; m < 30; ++m) {
    const Dag dag = test::random_dag(random, 6, 0.4);
    const LinearModel model = test::random_linear_model(random, dag);
    if (test::weakest_dependence(model) < 1e-4) continue;
    const Order order = order_of(dag);
    Knowledge tiers;
    tiers.tiers = {{order.begin(), order.begin() + 3}, {order.begin() + 3, order.end()}};
    const Precedence knowledge(tiers, dag.names().list());
    MixedGraph expected = cpdag(dag);
    orient_by_knowledge(expected, knowledge);
    EXPECT_EQ(learn_ges(test::population(model, 1e12), {}, knowledge, Context()).graph, expected) << m;
  }
}

RC_GTEST_PROP(Ges, PermutingColumnsPermutesTheGraph, ()) {
  const Table table = any_sample();
  const GesResult permuted = learn_ges(test::permuted_columns(table, any_seed()), {}, {}, Context());
  RC_ASSERT(permuted.graph.with_nodes(table.names()) == learn_ges(table, {}, {}, Context()).graph);
}

TEST(Ges, NoMemberOfTheClassHasMoreParentsThanAllowed) {
  const Table table = random_sample(8, 500, 1);
  for (const int most : {1, 2, 3}) {
    GesOptions options;
    options.max_parents = most;
    const GesResult result = learn_ges(table, options, {}, Context());
    const Dag dag = consistent_extension(result.graph).value();
    std::size_t largest = 0;
    for (std::size_t y = 0; y < dag.size(); ++y) largest = std::max(largest, count(dag.parents(y)));
    EXPECT_EQ(largest, static_cast<std::size_t>(most));
  }
}

TEST(Ges, ThePenaltyDecidesHowMuchIsKept) {
  const Table table = random_sample(8, 500, 2);
  std::size_t previous = 1000;
  for (const double penalty : {0.05, 0.5, 20.0, 1e6}) {
    GesOptions options;
    options.penalty = penalty;
    const std::size_t edges = learn_ges(table, options, {}, Context()).graph.edge_count();
    EXPECT_LE(edges, previous);
    previous = edges;
  }
  EXPECT_EQ(previous, 0U);
}

TEST(Ges, UnitsDoNotMatterHoweverLarge) {
  const Table table = test::ka5();
  std::vector<double> values(table.values().begin(), table.values().end());
  const double factor[] = {1e200, 1e-200, 3.0, 1e-9, 1e12};
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t i = 0; i < table.rows(); ++i) values[j * table.rows() + i] *= factor[j];
  }
  EXPECT_EQ(learn_ges(Table(table.names(), values), {}, {}, Context()).graph, ka5_class());
}

TEST(Ges, OneColumnHasNoEdges) {
  EXPECT_EQ(learn_ges(Table({"only"}, {1, 2, 4}), {}, {}, Context()).graph.edge_count(), 0U);
}

TEST(Covariance, ADependentColumnIsNamedWithTheColumnsItFollowsFrom) {
  const Table noise = test::normal_table(50, 3, 1);
  std::vector<double> values(noise.values().begin(), noise.values().end());
  for (std::size_t i = 0; i < 50; ++i) values.push_back(2.0 * noise.at(i, 0) - 3.0 * noise.at(i, 2) + 7.0);
  const Table table({"a", "b", "c", "sum"}, values, "four.csv");
  const std::string message = test::data_error([&] { covariance_of(table, Context()); });
  EXPECT_TRUE(test::holds(message, "four.csv: Column 'sum' is a linear combination of 'a', 'c',")) << message;
}

TEST(Covariance, TooFewRowsAreRefusedWithTheNumberNeeded) {
  const Table table = test::normal_table(5, 5, 1);
  EXPECT_TRUE(test::holds(test::data_error([&] { covariance_of(table, Context()); }), "at least 6 rows"));
  GraphOptions options;
  for (const std::string method : {"ges", "pc", "fci"}) {
    options.method = method;
    const std::string message = test::data_error([&] { learn_graph(table, options, {}, Context()); });
    EXPECT_TRUE(test::holds(message, method + " needs at least 6 rows for 5 columns")) << message;
  }
}

TEST(Covariance, MatricesThatAreNoCovarianceAreRefused) {
  EXPECT_THROW(make_covariance({"a", "b"}, std::vector<double>{1, 0, 0}, 10), Error);
  EXPECT_THROW(make_covariance({"a", "b"}, std::vector<double>{1, 0.5, 0.4, 1}, 10), Error);
  EXPECT_THROW(make_covariance({"a", "b"}, std::vector<double>{1, 0, 0, 0}, 10), Error);
  EXPECT_THROW(make_covariance({"a", "b"}, std::vector<double>{1, 2, 2, 1}, 10), Error);
  EXPECT_THROW(make_covariance({"a", "b"}, std::vector<double>{1, 0, 0, 1}, 0), Error);
  EXPECT_EQ(make_covariance({"a", "b"}, std::vector<double>{4, 1, 1, 1}, 10).r(0, 1), 0.5);
}

TEST(GraphLearners, StopAtTheDeadlineWithAResourceError) {
  const Table table = test::linear_table(200, 30, 1);
  for (const std::string method : {"ges", "pc", "fci"}) {
    Context context;
    context.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    GraphOptions options;
    options.method = method;
    try {
      learn_graph(table, options, {}, context);
      ADD_FAILURE() << method;
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kResource) << method;
    }
  }
}

}  // namespace
}  // namespace olem::ges_test
