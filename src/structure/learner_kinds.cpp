#include "structure/learner_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "olem/fci.h"
#include "olem/pc.h"

namespace olem::internal {

namespace {

using Names = std::vector<std::string>;

Json names_of(const std::vector<std::size_t>& nodes, const Names& names) {
  Json list = Json::array();
  for (const std::size_t node : nodes) list.push_back(names[node]);
  return list;
}

void describe_dag(OptionSet& set, GraphOptions& options) {
  set.flag("dag", options.dag, "turn the CPDAG into a DAG of its class");
}

Json steps_json(const std::vector<GesStep>& steps, const Names& names) {
  Json list = Json::array();
  for (const GesStep& step : steps) {
    list.push_back({{"move", step.move == GesMove::kInsert ? "insert" : "delete"},
                    {"from", names[step.x]},
                    {"to", names[step.y]},
                    {"with", names_of(step.with, names)},
                    {"gain", step.gain}});
  }
  return list;
}

Json levels_json(const std::vector<TestLevel>& levels) {
  Json list = Json::array();
  for (const TestLevel& level : levels) {
    list.push_back({{"conditioning", level.conditioning}, {"tests", level.tests}, {"removed", level.removed}});
  }
  return list;
}

Json separations_json(const SeparatingSets& separated, const Names& names) {
  Json list = Json::array();
  for (const SeparatingSet& set : separated.list) {
    list.push_back(
        {{"a", names[set.a]}, {"b", names[set.b]}, {"given", names_of(set.given, names)}, {"p_value", set.p_value}});
  }
  return list;
}

std::size_t tests_in(const std::vector<TestLevel>& levels) {
  std::size_t tests = 0;
  for (const TestLevel& level : levels) tests += level.tests;
  return tests;
}

std::string tests_text(std::size_t tests, const std::vector<TestLevel>& levels) {
  std::size_t largest = 0;
  for (const TestLevel& level : levels) largest = std::max(largest, level.conditioning);
  return fmt::format("{} tests of independence, given up to {} variable{}.\n", tests, largest, largest == 1 ? "" : "s");
}

// Centred columns have one dimension less than there are rows.
std::size_t rows_for_inverse(std::size_t columns) { return columns + 1; }

// Fisher's z needs 4 rows for its first test.
std::size_t rows_for_tests(std::size_t columns) { return std::max<std::size_t>(columns + 1, 4); }

}  // namespace

GraphLearnerKind ges_kind() {
  GraphLearnerKind kind;
  kind.name = "ges";
  kind.help = "greedy search over equivalence classes by a penalised Gaussian likelihood; gives a CPDAG";
  kind.describe = [](GraphOptions& options) {
    OptionSet set = describe(options.ges);
    describe_dag(set, options);
    return set;
  };
  kind.least_rows = [](std::size_t columns, const GraphOptions&) { return rows_for_inverse(columns); };
  kind.learn = [](const Table& table, const GraphOptions& options, const Precedence& knowledge,
                  const Context& context) {
    GesResult found = learn_ges(table, options.ges, knowledge, context);
    GraphResult result;
    result.rule = fmt::format("greedy equivalence search, penalty {:g} ln n per parent", options.ges.penalty);
    result.details["score"] = found.score;
    result.details["steps"] = steps_json(found.steps, table.names());
    result.details["local_scores"] = found.scores;
    result.text = fmt::format("Score {:.6f}. {}\n", found.score, found.summary.message);
    result.graph = std::move(found.graph);
    result.summary = std::move(found.summary);
    return result;
  };
  return kind;
}

GraphLearnerKind pc_kind() {
  GraphLearnerKind kind;
  kind.name = "pc";
  kind.help = "tests of independence by Fisher's z, in the order-independent form; gives a CPDAG";
  kind.describe = [](GraphOptions& options) {
    OptionSet set = describe(options.independence);
    describe_dag(set, options);
    return set;
  };
  kind.least_rows = [](std::size_t columns, const GraphOptions&) { return rows_for_tests(columns); };
  kind.learn = [](const Table& table, const GraphOptions& options, const Precedence& knowledge,
                  const Context& context) {
    PcResult found = learn_pc(table, options.independence, knowledge, context);
    GraphResult result;
    result.rule = fmt::format("PC with Fisher's z at level {:g}", options.independence.alpha);
    result.details["tests"] = levels_json(found.levels);
    result.details["separating_sets"] = separations_json(found.separated, table.names());
    result.details["untested_edges"] = found.untested;
    result.details["collider_conflicts"] = found.conflicts;
    result.details["contradicting_directions"] = found.withdrawn;
    result.text = tests_text(tests_in(found.levels), found.levels);
    result.graph = std::move(found.graph);
    result.summary = std::move(found.summary);
    return result;
  };
  return kind;
}

GraphLearnerKind fci_kind() {
  GraphLearnerKind kind;
  kind.name = "fci";
  kind.help = "tests of independence that allow for hidden common causes; gives a PAG";
  kind.describe = [](GraphOptions& options) { return describe(options.independence); };
  kind.least_rows = [](std::size_t columns, const GraphOptions&) { return rows_for_tests(columns); };
  kind.learn = [](const Table& table, const GraphOptions& options, const Precedence& knowledge,
                  const Context& context) {
    FciResult found = learn_fci(table, options.independence, knowledge, context);
    GraphResult result;
    result.rule = fmt::format("FCI with Fisher's z at level {:g}", options.independence.alpha);
    result.details["tests"] = levels_json(found.levels);
    result.details["possible_d_sep_tests"] = levels_json(found.possible_levels);
    result.details["separating_sets"] = separations_json(found.separated, table.names());
    result.details["untested_edges"] = found.untested;
    result.details["contradicting_directions"] = found.withdrawn;
    std::vector<TestLevel> all = found.levels;
    all.insert(all.end(), found.possible_levels.begin(), found.possible_levels.end());
    result.text = tests_text(tests_in(all), all);
    result.graph = std::move(found.graph);
    result.summary = std::move(found.summary);
    return result;
  };
  return kind;
}

}  // namespace olem::internal
