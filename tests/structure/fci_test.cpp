#include "olem/fci.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "graph/graphs.h"
#include "olem/graph_file.h"
#include "olem/graph_learner.h"
#include "structure/independence_oracle.h"
#include "structure/linear_models.h"
#include "support/datasets.h"

namespace olem::fci_test {

using namespace internal;
namespace {

using test::LinearModel;

std::uint64_t any_seed() { return *rc::gen::inRange<std::uint64_t>(0, 1000000); }

// "x0 o-> x1; ..." with the lower node first.
std::string text_of(const MixedGraph& graph) {
  std::string text;
  const auto sign = [](Mark mark, char arrow) {
    return mark == Mark::kArrow ? arrow : mark == Mark::kCircle ? 'o' : '-';
  };
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = a + 1; b < graph.size(); ++b) {
      if (!graph.adjacent(a, b)) continue;
      text += std::to_string(a) + ' ' + sign(graph.mark(b, a), '<') + '-' + sign(graph.mark(a, b), '>') + ' ' +
              std::to_string(b) + "; ";
    }
  }
  return text;
}

// A maximal ancestral graph without selection as the DAG that has a hidden cause for each two-headed edge.
struct AncestralGraph {
  MixedGraph marks;
  Dag dag;  // the observed nodes first
};

// All maximal ancestral graphs over 4 nodes with directed and two-headed edges (Richardson and Spirtes 2002), by what
// is independent in them: every statement of for_each_statement, in its order.
std::map<std::vector<bool>, std::vector<AncestralGraph>> ancestral_classes() {
  constexpr std::size_t kSize = 4;
  constexpr std::size_t kPairs = 6;
  std::map<std::vector<bool>, std::vector<AncestralGraph>> classes;
  for (std::size_t code = 0; code < (std::size_t{1} << (2 * kPairs)); ++code) {
    MixedGraph marks(test::node_names(kSize), GraphKind::kPag);
    std::vector<Edge> edges;
    std::vector<std::pair<std::size_t, std::size_t>> two_headed;
    std::size_t rest = code;
    std::size_t nodes = kSize;
    for (std::size_t a = 0; a < kSize; ++a) {
      for (std::size_t b = a + 1; b < kSize; ++b, rest /= 4) {
        if (rest % 4 == 1) marks.set_directed(a, b);
        if (rest % 4 == 2) marks.set_directed(b, a);
        if (rest % 4 == 3) {
          marks.set_edge(a, b, Mark::kArrow, Mark::kArrow);
          two_headed.emplace_back(a, b);
          edges.push_back({nodes, a});
          edges.push_back({nodes++, b});
        }
      }
    }
    for (const Edge& edge : marks.directed_edges()) edges.push_back(edge);
    if (find_cycle(nodes, edges)) continue;
    Dag dag = test::make_dag(nodes, edges);
    const bool ancestral = std::none_of(two_headed.begin(), two_headed.end(), [&](const auto& pair) {
      return ancestors(dag, pair.first).test(pair.second) || ancestors(dag, pair.second).test(pair.first);
    });
    if (!ancestral) continue;
    std::vector<bool> statements;
    std::set<std::pair<std::size_t, std::size_t>> separable;
    test::for_each_statement(kSize, [&](std::size_t i, std::size_t j, const std::vector<std::size_t>& given) {
      const std::size_t a[] = {i};
      const std::size_t b[] = {j};
      statements.push_back(d_separated(dag, a, b, given));
      if (statements.back()) separable.emplace(i, j);
    });
    bool maximal = true;
    for (std::size_t a = 0; a < kSize; ++a) {
      for (std::size_t b = a + 1; b < kSize; ++b) maximal &= marks.adjacent(a, b) != separable.contains({a, b});
    }
    if (maximal) classes[statements].push_back({std::move(marks), std::move(dag)});
  }
  return classes;
}

// The rules are complete (Zhang 2008): a mark is a circle exactly when members of the class differ in it.
TEST(Fci, GivesTheMarksThatAllMembersOfEveryClassOfFourNodesShare) {
  const auto classes = ancestral_classes();
  EXPECT_GT(classes.size(), 185U);  // the classes of DAGs are among them
  for (const auto& [statements, members] : classes) {
    MixedGraph expected = members.front().marks;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        if (!expected.adjacent(a, b)) continue;
        for (const AncestralGraph& member : members) {
          const bool agrees = member.marks.mark(a, b) == expected.mark(a, b);
          if (!agrees) expected.set_edge(a, b, expected.mark(b, a), Mark::kCircle);
        }
      }
    }
    const FciResult result =
        learn_fci(test::node_names(4), test::oracle(members.front().dag, {0, 1, 2, 3}), {}, {}, test::one_thread());
    ASSERT_EQ(text_of(result.graph), text_of(expected)) << text_of(members.front().marks);
  }
}

// Hidden nodes among the others: two observed nodes are adjacent exactly when no set of observed nodes separates them,
// and every arrow and tail is true of the causes in the DAG.
TEST(Fci, MarksAreTrueOfRandomModelsWithHiddenCauses) {
  std::size_t marks_seen[4] = {};
  for (std::uint64_t m = 0; m < 300; ++m) {
    RandomStream random(m, "fci oracle");
    const Dag dag = test::random_dag(random, 9, 0.3);
    const std::vector<std::size_t> observed = random.sample_without_replacement(9, 6);
    const bool known = m % 2 == 1;
    Knowledge tiers;
    if (known) {
      tiers.tiers.resize(2);
      const std::vector<std::size_t> order = topological_order(dag);
      for (std::size_t i = 0; i < 6; ++i) {
        const auto place = std::find(order.begin(), order.end(), observed[i]) - order.begin();
        tiers.tiers[place < 5 ? 0 : 1].push_back("x" + std::to_string(i));
      }
    }
    const Precedence knowledge = known ? Precedence(tiers, test::node_names(6)) : Precedence();
    const FciResult result =
        learn_fci(test::node_names(6), test::oracle(dag, observed), {}, knowledge, test::one_thread());
    BitMatrix separable(6);
    test::for_each_statement(6, [&](std::size_t i, std::size_t j, const std::vector<std::size_t>& given) {
      if (test::oracle(dag, observed).p_value(i, j, given) > 0.5) separable.set(i, j);
    });
    for (std::size_t a = 0; a < 6; ++a) {
      for (std::size_t b = 0; b < 6; ++b) {
        if (a < b) {
          ASSERT_NE(result.graph.adjacent(a, b), separable.test(a, b)) << m;
        }
        const Mark mark = result.graph.mark(a, b);
        const bool causes = ancestors(dag, observed[a]).test(observed[b]);  // b causes a
        ASSERT_FALSE(mark == Mark::kArrow && causes) << m;
        ASSERT_FALSE(mark == Mark::kTail && !causes) << m;
        ASSERT_FALSE(knowledge.precedes(a, b) && result.graph.adjacent(a, b) && mark != Mark::kArrow) << m;
        ++marks_seen[static_cast<std::size_t>(mark)];
      }
    }
  }
  for (const std::size_t seen : marks_seen) EXPECT_GT(seen, 0U);
}

TEST(Fci, PagOfTheKnownAnswerData) {
  const FciResult result = learn_fci(test::ka5(), {}, {}, Context());
  // The tails at 1 and 2 come from rule 9 and the paths 1, 0, 2, 3 and 2, 0, 1, 3.
  EXPECT_EQ(text_of(result.graph), "0 o-o 1; 0 o-o 2; 1 --> 3; 2 --> 3; ");
  EXPECT_EQ(result.graph.kind(), GraphKind::kPag);
}

// x0 -> x1, x3 -> x2 and a hidden common cause of x1 and x2.
TEST(Fci, AHiddenCommonCauseGivesArrowsAtBothEnds) {
  RandomStream random(5, "hidden cause");
  const LinearModel model = test::random_linear_model(
      random, Dag({"x0", "x1", "x2", "x3", "hidden"}, std::vector<Edge>{{0, 1}, {3, 2}, {4, 1}, {4, 2}}));
  const Covariance all = test::population(model, 1e9);
  std::vector<double> seen;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      seen.push_back(all.r(i, j) * std::exp(0.5 * (all.log_variance[i] + all.log_variance[j])));
    }
  }
  const Covariance covariance = make_covariance(test::node_names(4), seen, 1e9);
  EXPECT_EQ(text_of(learn_fci(covariance, {}, {}, Context()).graph), "0 o-> 1; 1 <-> 2; 2 <-o 3; ");
}

// 0 <-> 2 -> 1 and 1 <-> 3 -> 0 ask for 2 and 3 to be held, which opens 0 <-> 2 <- 4 -> 3 <-> 1: only with 4, which is
// a neighbour of neither, are 0 and 1 independent. Nodes 5 and 6 are the hidden causes.
TEST(Fci, SetsOutOfPossibleDSepTakeEdgesThatNeighboursLeave) {
  const Dag dag = test::make_dag(7, {{5, 0}, {5, 2}, {6, 1}, {6, 3}, {3, 0}, {2, 1}, {4, 2}, {4, 3}});
  const IndependenceTest test = test::oracle(dag, {0, 1, 2, 3, 4});
  const FciResult result = learn_fci(test::node_names(5), test, {}, {}, Context());
  EXPECT_EQ(result.separated.find(0, 1)->given, (std::vector<std::size_t>{2, 3, 4}));
  ASSERT_EQ(result.possible_levels.size(), 3U);
  EXPECT_EQ(result.possible_levels.back().removed, 1U);
  EXPECT_EQ(text_of(result.graph), "0 <-> 2; 0 <-- 3; 1 <-- 2; 1 <-> 3; 2 <-o 4; 3 <-o 4; ");
}

RC_GTEST_PROP(Fci, ArrowsObeyWhatIsKnownAndNoCircleIsLeft, ()) {
  const Table table = test::linear_table(60, *rc::gen::inRange<std::size_t>(2, 8), any_seed());
  const Precedence knowledge(test::random_tiers(table.names(), any_seed()), table.names());
  const MixedGraph pag = learn_fci(table, {}, knowledge, test::one_thread()).graph;
  RC_ASSERT(test::obeys(pag, knowledge));
  for (std::size_t a = 0; a < table.columns(); ++a) {
    for (std::size_t b = 0; b < table.columns(); ++b) {
      if (knowledge.precedes(a, b) && pag.adjacent(a, b)) RC_ASSERT(pag.mark(a, b) == Mark::kArrow);
    }
  }
  for (const GraphFormat format : {GraphFormat::kTetrad, GraphFormat::kJson, GraphFormat::kDot}) {
    MixedGraph read = parse_graph(write_graph_text(pag, format), "pag").graph;
    read.set_kind(GraphKind::kPag);
    RC_ASSERT(read == pag);
  }
}

RC_GTEST_PROP(Fci, PermutingColumnsPermutesTheGraph, ()) {
  const Table table = test::linear_table(60, *rc::gen::inRange<std::size_t>(2, 8), any_seed());
  const FciResult permuted = learn_fci(test::permuted_columns(table, any_seed()), {}, {}, test::one_thread());
  RC_ASSERT(permuted.graph.with_nodes(table.names()) == learn_fci(table, {}, {}, test::one_thread()).graph);
}

TEST(Fci, KeepsItsPromisesWhateverTheTestsSay) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<std::size_t> plain = {0, 1, 2, 3, 4, 5, 6};
    const std::vector<std::size_t> labels = test::random_labels(7, seed);
    const Knowledge tiers = seed % 2 == 0 ? Knowledge() : test::random_tiers(test::node_names(7), seed);
    const auto learn = [&](const std::vector<std::size_t>& order) {
      const Precedence knowledge(tiers, test::names_of(order));
      const FciResult result =
          learn_fci(test::names_of(order), test::noise_test(seed, order), {}, knowledge, test::one_thread());
      EXPECT_TRUE(test::obeys(result.graph, knowledge)) << seed;
      return result.graph;
    };
    ASSERT_EQ(text_of(learn(labels).with_nodes(test::node_names(7))), text_of(learn(plain))) << seed;
  }
}

TEST(Fci, DirectionsThatLeadRoundInACircleAreTakenBack) {
  const FciResult result = learn_fci(test::node_names(5), test::contradictory_square(), {}, {}, Context());
  EXPECT_EQ(text_of(result.graph), "0 o-> 1; 0 <-o 3; 1 o-> 2; 1 <-o 4; 2 o-> 3; ");
  EXPECT_EQ(result.withdrawn, 4U);
  ASSERT_EQ(result.summary.warnings.size(), 1U);
  EXPECT_EQ(result.summary.warnings[0].code, "contradicting_directions");
}

TEST(Fci, StandsForNoSingleDag) {
  GraphOptions options;
  options.method = "fci";
  options.dag = true;
  try {
    learn_graph(test::ka5(), options, {}, Context());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kTask);
    EXPECT_TRUE(test::holds(error.what(), "fci gives a PAG")) << error.what();
  }
}

}  // namespace
}  // namespace olem::fci_test
