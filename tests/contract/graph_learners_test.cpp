#include <set>

#include "contract/contract.h"
#include "olem/graph_file.h"
#include "olem/graph_learner.h"

namespace olem::graph_learners_test {
namespace {

using test::contract_table;
using test::with_threads;

class GraphLearner : public testing::TestWithParam<std::string> {
 protected:
  GraphLearner() {
    options_.method = GetParam();
    options_.order = test::quick_options();
  }

  const GraphLearnerKind& kind() const { return graph_learner(GetParam()); }
  GraphResult learn(const Table& table, const Context& context = with_threads(1), const Precedence& known = {}) const {
    return learn_graph(table, options_, known, context);
  }

  GraphOptions options_;
};

// Everything but the seconds.
std::string bytes(const GraphResult& result) {
  Json json = to_json(result.graph);
  json.update(result.details);
  json["rule"] = result.rule;
  json["status"] = status_name(result.summary.status);
  if (result.order) json["order"] = result.order->order;
  if (result.pruning) json.update(to_json(*result.pruning));
  return json.dump();
}

// Marks by name, so that graphs with their nodes in another order can be compared.
std::set<std::string> marks(const MixedGraph& graph) {
  std::set<std::string> all;
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (std::size_t b = 0; b < graph.size(); ++b) {
      if (a != b && graph.adjacent(a, b))
        all.insert(graph.name(a) + " " + graph.name(b) + " " + std::to_string(static_cast<int>(graph.mark(a, b))));
    }
  }
  return all;
}

TEST_P(GraphLearner, GivesEqualBytesAgainAndWithAnyNumberOfThreads) {
  const Table table = contract_table();
  const std::string first = bytes(learn(table, with_threads(1)));
  for (const int threads : {1, 2, 8}) EXPECT_EQ(bytes(learn(table, with_threads(threads))), first) << threads;
}

TEST_P(GraphLearner, KeepsNamesAndInputAndFindsSomething) {
  const Table table = contract_table();
  const std::vector<double> before(table.values().begin(), table.values().end());
  const GraphResult result = learn(table);
  EXPECT_EQ(std::vector<double>(table.values().begin(), table.values().end()), before);
  EXPECT_EQ(result.graph.names().list(), table.names());
  EXPECT_GE(result.graph.edge_count(), 2U);
  EXPECT_EQ(result.method, GetParam());
  EXPECT_FALSE(result.rule.empty());
}

TEST_P(GraphLearner, ObeysTiersAndPairs) {
  const Table table = contract_table(400);
  Knowledge knowledge;
  knowledge.tiers = {{"w"}, {"z", "y"}};
  knowledge.before = {{"z", "x"}};
  const Precedence known(knowledge, table.names());
  const MixedGraph graph = learn(table, with_threads(2), known).graph;
  for (std::size_t early = 0; early < graph.size(); ++early) {
    for (std::size_t late = 0; late < graph.size(); ++late) {
      // Known to be earlier: an edge between the two has an arrow at the later one.
      if (early == late || !known.precedes(early, late) || !graph.adjacent(early, late)) continue;
      EXPECT_EQ(graph.mark(early, late), Mark::kArrow) << graph.name(early) << " " << graph.name(late);
    }
  }
}

TEST_P(GraphLearner, RefusesConstantColumnsAndTooFewRows) {
  const Table table = contract_table();
  test::expect_refused([&] { learn(test::with_constant_column(table)); }, ErrorCategory::kData,
                       {"model.csv", "'flat'", "drop_columns"});
  const std::size_t needed = std::max<std::size_t>(2, kind().least_rows(table.columns(), options_));
  test::expect_refused([&] { learn(test::first_rows(table, needed - 1)); }, ErrorCategory::kData,
                       {"model.csv", "needs at least", std::to_string(needed)});
}

TEST_P(GraphLearner, CanBeStoppedAndShowsProgress) {
  const Table table = contract_table();
  test::expect_stops([&](const Context& context) { learn(table, context); });
  test::expect_progress([&](const Context& context) { learn(table, context); });
}

TEST_P(GraphLearner, HasTheInvariancesItDeclares) {
  const Table table = contract_table();
  const std::set<std::string> base = marks(learn(table).graph);
  const Invariances& has = kind().invariances;
  EXPECT_EQ(has.why_not.empty(),
            has.column_permutation && has.row_permutation && has.translation && has.common_scaling);
  const auto check = [&](bool declared, const Table& other, const std::string& what) {
    if (declared) {
      EXPECT_EQ(marks(learn(other).graph), base) << what;
    }
  };
  check(has.column_permutation, test::reversed_columns(table), "columns permuted");
  check(has.row_permutation, test::shuffled_rows(table), "rows permuted");
  check(has.translation, test::changed(table, [](double v, std::size_t j) { return v + 4.0 * double(j + 1); }),
        "translated");
  check(has.common_scaling, test::changed(table, [](double v, std::size_t) { return 3.0 * v; }), "scaled");
}

TEST_P(GraphLearner, OptionsRefuseWhatTheyAreNot) {
  GraphOptions options;
  test::expect_options_are_checked(kind().describe(options));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const GraphLearnerKind& kind : graph_learners()) all.push_back(kind.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, GraphLearner, testing::ValuesIn(names()),
                         [](const auto& method) { return test::test_name(method.param); });

TEST(GraphLearners, AnUnknownNameIsRefusedWithTheClosest) {
  test::expect_refused([] { graph_learner("olam"); }, ErrorCategory::kUsage, {"'olam'", "did you mean 'olem'"});
}

}  // namespace
}  // namespace olem::graph_learners_test
