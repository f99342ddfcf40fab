#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "decide/helpers.h"
#include "decide/shop.h"
#include "olem/impute.h"
#include "olem/rehearsal.h"
#include "olem/simulate_named.h"

namespace olem::test {

// The models that a version keeps: one of each kind of sampler, and one of everything else that a file can hold.
inline constexpr std::size_t kKeptRows = 40;

struct WantedModel {
  std::string name;
  Task task = farm_task();
  RehearsalOptions options;
  std::optional<GraphFile> graph;
  std::optional<Order> order;
  Table table = farm(kKeptRows, 1);
  bool gaps = false;  // some cells are missing and drawn, in two completed tables
};

// The table without every tenth cell of the rate and every eighth of the yield.
inline IncompleteTable with_gaps(const Table& table) {
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (i % 10 == 3) values[table.index("rate") * table.rows() + i] = std::numeric_limits<double>::quiet_NaN();
    if (i % 8 == 5) values[table.index("yield") * table.rows() + i] = std::numeric_limits<double>::quiet_NaN();
  }
  return make_incomplete(table.names(), std::move(values), table.source());
}

inline RehearsalModel fit_wanted(const WantedModel& wanted) {
  if (wanted.graph) return fit_rehearsal_on_graph(wanted.task, wanted.table, wanted.options, *wanted.graph, Context());
  if (!wanted.gaps) return fit_rehearsal(wanted.task, wanted.table, wanted.options, wanted.order, Context());
  const CompletedTables completed = impute(with_gaps(wanted.table), {.imputations = 2, .rounds = 2}, Context());
  return fit_rehearsal(wanted.task, completed, wanted.options, wanted.order, Context());
}

inline RehearsalOptions small_options(const std::string& sampler) {
  RehearsalOptions options;
  options.samplers.sampler = sampler;
  options.samplers.spline = {.bins = 4, .width = 4};
  options.samplers.cinn.blocks = 2;
  options.samplers.cinn.width = 4;
  options.samplers.network.epochs = 20;
  options.samplers.network.ensemble = 2;
  return options;
}

inline std::vector<WantedModel> wanted_models() {
  std::vector<WantedModel> all;
  for (const SamplerKind& kind : sampler_kinds()) {
    if (kind.suits != nullptr) continue;
    WantedModel& sampler = all.emplace_back();
    sampler.name = kind.name;
    sampler.options = small_options(kind.name);
  }

  // The kinds of discrete columns, transforms and encoded inputs; what is kept of a calibration; models of the context.
  WantedModel& mixed = all.emplace_back();
  mixed.name = "mixed";
  mixed.task = shop_task();
  mixed.table = shop(120, 1);
  mixed.order = shop_order();
  mixed.options.calibrate = true;
  mixed.options.context_model = true;

  WantedModel& graph = all.emplace_back();
  graph.name = "graph";
  graph.options = small_options("linear");
  graph.graph.emplace();
  graph.graph->graph =
      Dag({"weather", "dose", "rate", "yield"}, std::vector<Edge>{{0, 1}, {1, 2}, {0, 3}, {1, 3}, {2, 3}});
  graph.graph->source = "graph.csv";

  WantedModel& constant = all.emplace_back();
  constant.name = "constant";
  constant.options = small_options("linear");
  constant.order = Order{"weather", "soil", "dose", "rate", "yield"};
  std::vector<double> values(constant.table.values().begin(), constant.table.values().end());
  values.insert(values.end(), kKeptRows, 3.0);
  constant.table = Table({"weather", "dose", "rate", "yield", "soil"}, std::move(values), "farm.csv");

  WantedModel& evidence = all.emplace_back();
  evidence.name = "calibration";
  evidence.options = small_options("linear");
  evidence.options.calibrate = true;
  evidence.options.order.bootstrap = 5;

  WantedModel& wishes = all.emplace_back();
  wishes.name = "wishes";
  wishes.options = small_options("gaussian");
  wishes.options.order.method = "cam";
  wishes.task = parse_task(R"({
    "data": "farm.csv",
    "columns": {"dose": {"type": "real", "unit": "mg"}, "yield": {"label": "yield of a field"}},
    "alterable": {"dose": [-2, 2], "weather": [-1, 1]},
    "outcome": ["yield", "rate"],
    "desired": {"M": [[-1, 0], [1, 2]], "d": [-1, 12]},
    "cost": {"dose": 2.5, "weather": 1},
    "max_alterations": 1,
    "constraints": [{"weights": {"dose": 1, "weather": 0.5}, "max": 1.5}]
  })",
                           "wishes.json");

  // What a task says of its rows, costs that are squares, members, other learners, and the rows themselves.
  WantedModel& acted = all.emplace_back();
  acted.name = "acted";
  acted.options = small_options("linear");
  acted.options.members = MemberOptions{.orders = 2, .halves = 2};
  acted.options.opinions = {"varsort"};
  acted.options.keep_rows = true;
  acted.table = farm(200, 1);
  std::vector<double> spoken(acted.table.values().begin(), acted.table.values().end());
  for (const std::size_t period : {3U, 5U, 2U, 200U}) {
    for (std::size_t i = 0; i < 200; ++i)
      spoken.push_back(static_cast<double>(period == 3 ? i % 3 / 2 : i % period + 1));
  }
  std::vector<Column> about(8);
  about[5].type = ColumnType::kCategory;
  about[5].levels = {{1, "north"}, {2, "south"}, {3, "east"}, {4, "west"}, {5, "centre"}};
  acted.table = Table({"weather", "dose", "rate", "yield", "dose_was_set", "field", "w", "week"}, std::move(spoken),
                      "farm.csv", std::move(about));
  acted.task = parse_task(R"({
    "data": "farm.csv", "context": ["weather"], "alterable": {"dose": [-2, 2], "rate": [0, 6]}, "outcome": ["yield"],
    "desired": {"centre": [3], "radius": 1}, "before": [["dose", "rate"]],
    "cost": {"dose": {"weight": 10, "datum": 0.5, "power": 2}, "rate": 1},
    "set_by_hand": {"dose": "dose_was_set"}, "group": "field", "weight": "w", "time": "week"
  })",
                          "acted.json");

  // Levels that are drawn, by a sampler of their own.
  WantedModel& category = all.emplace_back();
  category.name = "category";
  category.task = shop_task();
  std::erase(category.task.context, "season");
  category.task.observed_words.clear();
  category.table = shop(120, 1);
  category.order = shop_order();

  // Rows of groups that differ.
  WantedModel& branches = all.emplace_back();
  branches.name = "branches";
  branches.task = NamedModel("branches").task();
  branches.table = simulate_named("branches", {100, 1}, 0, Context()).data;
  branches.options = small_options("linear");

  WantedModel& gaps = all.emplace_back();
  gaps.name = "gaps";
  gaps.options = small_options("linear");
  gaps.gaps = true;

  WantedModel& steps = all.emplace_back();
  steps.name = "steps";
  steps.options = small_options("linear");
  SequenceStep& step = steps.task.sequence.emplace_back();
  step.alter.emplace_back("dose");
  step.then_observe.emplace_back("rate");
  steps.task.alterable.pop_back();
  return all;
}

}  // namespace olem::test
