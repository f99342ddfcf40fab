#include "olem/structural_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "olem/error.h"
#include "olem/options.h"
#include "simulate/evaluate.h"
#include "simulate/plan_rules.h"

namespace olem {

using namespace internal;

namespace {

// Collects what every message of check_model starts with.
class Checker {
 public:
  Checker(const StructuralModel& model, std::string_view source) : model_(model), source_(source) {}

  [[noreturn]] void fail(const std::string& text) const {
    throw Error(ErrorCategory::kData, source_.empty() ? text : fmt::format("{}: {}", source_, text));
  }

  void size(const StructuralNode& node, std::string_view what, std::size_t found, std::size_t wanted) const {
    if (found != wanted) fail(fmt::format("Node '{}' has {} {}, but needs {}.", node.name, found, what, wanted));
  }

  void finite(const StructuralNode& node, std::string_view what, std::span<const double> values) const {
    for (const double value : values) {
      if (!std::isfinite(value)) fail(fmt::format("Node '{}' has {} among its {}.", node.name, value, what));
    }
  }

  void names() const {
    std::unordered_set<std::string_view> seen;
    for (const StructuralNode& node : model_.nodes) {
      if (node.name.empty()) fail("A node has no name.");
      if (!seen.insert(node.name).second) fail(fmt::format("Two nodes are called '{}'.", node.name));
    }
  }

  void parents(std::size_t index) const {
    const StructuralNode& node = model_.nodes[index];
    std::unordered_set<std::size_t> seen;
    for (const std::size_t parent : node.parents) {
      if (parent >= model_.nodes.size()) fail(fmt::format("Node '{}' has a parent that does not exist.", node.name));
      if (parent == index) fail(fmt::format("Node '{}' is its own parent.", node.name));
      if (!seen.insert(parent).second) {
        fail(fmt::format("Node '{}' has the parent '{}' twice.", node.name, model_.nodes[parent].name));
      }
    }
  }

  void function(const StructuralNode& node) const {
    const std::size_t inputs = node.parents.size();
    if (const auto* linear = std::get_if<LinearFunction>(&node.function)) {
      size(node, "weights", linear->weights.size(), inputs);
      finite(node, "weights", linear->weights);
      finite(node, "intercepts", {&linear->intercept, 1});
    } else if (const auto* mlp = std::get_if<MlpFunction>(&node.function)) {
      size(node, "input weights", mlp->input_weights.size(), inputs * mlp->output_weights.size());
      finite(node, "input weights", mlp->input_weights);
      finite(node, "output weights", mlp->output_weights);
    } else {
      const auto& weights = std::get<GaussianProcessFunction>(node.function).weights;
      if (inputs == 0) fail(fmt::format("Node '{}' has a Gaussian-process function, but no parents.", node.name));
      finite(node, "weights", weights);
      for (const std::size_t parent : node.parents) {
        size(model_.nodes[parent], "anchor values", model_.anchors[parent].size(), weights.size());
      }
    }
  }

  void noise(const StructuralNode& node) const {
    const Noise& noise = node.noise;
    finite(node, "noise parameters", std::vector<double>{noise.a, noise.b});
    const bool has_b = noise.kind == NoiseKind::kBeta;
    if (noise.kind == NoiseKind::kUniform) {
      if (noise.a > noise.b) fail(fmt::format("The noise of node '{}' has low above high.", node.name));
    } else if (!(noise.a > 0.0) || (has_b && !(noise.b > 0.0))) {
      fail(fmt::format("The noise of node '{}' has a parameter that is not positive.", node.name));
    }
  }

  // Only called when some nodes cannot be ordered: then a walk along parents that are themselves stuck must return to
  // where it has been.
  [[noreturn]] void cycle(const std::vector<bool>& placed) const {
    std::size_t node = static_cast<std::size_t>(std::find(placed.begin(), placed.end(), false) - placed.begin());
    std::vector<std::size_t> walk;
    while (std::find(walk.begin(), walk.end(), node) == walk.end()) {
      walk.push_back(node);
      const auto& up = model_.nodes[node].parents;
      node = *std::find_if(up.begin(), up.end(), [&](std::size_t parent) { return !placed[parent]; });
    }
    std::string text = model_.nodes[node].name;
    for (auto step = walk.rbegin(); step != walk.rend(); ++step) {
      text += " -> " + model_.nodes[*step].name;
      if (*step == node) break;
    }
    fail(fmt::format("The graph has a cycle: {}.", text));
  }

 private:
  const StructuralModel& model_;
  std::string_view source_;
};

std::vector<std::size_t> order_or_fail(const StructuralModel& model, const Checker& check) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(model.nodes.size(), false);
  while (order.size() < model.nodes.size()) {
    const std::size_t before = order.size();
    for (std::size_t j = 0; j < model.nodes.size(); ++j) {
      const auto& parents = model.nodes[j].parents;
      if (placed[j] || !std::all_of(parents.begin(), parents.end(), [&](std::size_t p) { return placed[p]; })) continue;
      placed[j] = true;
      order.push_back(j);
      break;
    }
    if (order.size() == before) check.cycle(placed);
  }
  return order;
}

std::size_t find_node(const StructuralModel& model, const std::string& name) {
  for (std::size_t j = 0; j < model.nodes.size(); ++j) {
    if (model.nodes[j].name == name) return j;
  }
  const std::string near = closest_name(name, model.names());
  throw Error(ErrorCategory::kUsage, fmt::format("The model has no node '{}'.{}", name,
                                                 near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
}

}  // namespace

std::vector<std::string> StructuralModel::names() const {
  std::vector<std::string> names;
  for (const StructuralNode& node : nodes) names.push_back(node.name);
  return names;
}

std::vector<std::pair<std::size_t, std::size_t>> StructuralModel::edges() const {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    for (const std::size_t parent : nodes[j].parents) edges.emplace_back(parent, j);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

void check_model(const StructuralModel& model, std::string_view source) {
  const Checker check(model, source);
  if (model.nodes.empty() || model.nodes.size() > kMaxModelNodes) {
    check.fail(fmt::format("The model has {} nodes, but must have 1 to {}.", model.nodes.size(), kMaxModelNodes));
  }
  if (model.anchors.size() != model.nodes.size()) {
    check.fail(
        fmt::format("The model has {} columns of anchors for {} nodes.", model.anchors.size(), model.nodes.size()));
  }
  check.names();
  for (std::size_t j = 0; j < model.nodes.size(); ++j) {
    check.parents(j);
    check.function(model.nodes[j]);
    check.noise(model.nodes[j]);
    check.finite(model.nodes[j], "anchor values", model.anchors[j]);
  }
  static_cast<void>(order_or_fail(model, check));
}

std::vector<std::size_t> causal_order(const StructuralModel& model) { return order_or_fail(model, Checker(model, "")); }

Table draw_rows(const StructuralModel& model, std::size_t rows, std::uint64_t draw, const Context& context) {
  check_model(model);
  check_at_least("rows", static_cast<long long>(rows), 1);
  return as_table(model, draw_columns(model, rows, "simulate.rows", draw, context), "simulated data");
}

Table simulate_decision(const StructuralModel& model, std::span<const NamedValue> observed,
                        std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw,
                        const Context& context, std::span<const AlterationRule> rules) {
  check_model(model);
  check_at_least("trials", static_cast<long long>(trials), 1);
  std::vector<std::optional<double>> fixed(model.nodes.size());
  const auto fix = [&](const NamedValue& given) {
    check_finite(given.name, given.value);
    const std::size_t node = find_node(model, given.name);
    if (fixed[node]) throw Error(ErrorCategory::kUsage, fmt::format("'{}' is given twice.", given.name));
    fixed[node] = given.value;
    return node;
  };
  std::vector<std::size_t> observed_nodes;
  for (const NamedValue& given : observed) observed_nodes.push_back(fix(given));
  const std::vector<std::optional<double>> context_values = fixed;
  for (const NamedValue& given : alterations) fix(given);
  for (const std::size_t node : observed_nodes) {
    for (const std::size_t parent : model.nodes[node].parents) {
      if (context_values[parent]) continue;
      throw Error(ErrorCategory::kTask,
                  fmt::format("'{}' is observed, but its cause '{}' is not: fixing the one would say nothing about the "
                              "other. Observe '{}' as well, or leave '{}' out.",
                              model.nodes[node].name, model.nodes[parent].name, model.nodes[parent].name,
                              model.nodes[node].name));
    }
  }

  const std::vector<PlacedRule> placed = place_rules(rules, model.names());
  std::vector<std::vector<std::size_t>> parents(model.nodes.size());
  for (std::size_t node = 0; node < parents.size(); ++node) {
    if (!fixed[node]) parents[node] = model.nodes[node].parents;
    if (fixed[node] && rule_of(placed, node) != nullptr)
      throw Error(ErrorCategory::kUsage, fmt::format("'{}' is given twice.", model.nodes[node].name));
  }
  context.require_memory(2 * trials * model.nodes.size() * sizeof(double), "The simulation of a decision");
  Columns columns(model.nodes.size());
  std::vector<std::size_t> free_nodes;
  const std::vector<std::size_t> order = order_with_rules(std::move(parents), placed);
  for (const std::size_t node : order) {
    columns[node].assign(trials, fixed[node].value_or(0.0));
    if (!fixed[node] && rule_of(placed, node) == nullptr) free_nodes.push_back(node);
  }
  fill_noise(model, free_nodes, "simulate.trials", draw, columns, context);
  for (const std::size_t node : order) {
    if (fixed[node]) continue;
    const PlacedRule* const rule = rule_of(placed, node);
    if (rule == nullptr) add_function(model, node, columns, context);
    for (std::size_t i = 0; i < trials && rule != nullptr; ++i)
      columns[node][i] = (*rule)([&](std::size_t column) { return columns[column][i]; });
  }
  return as_table(model, columns, "simulated decision");
}

double success_rate(const Table& rows, std::span<const NamedRange> desired) {
  check_at_least("rows", static_cast<long long>(rows.rows()), 1);
  std::vector<bool> inside(rows.rows(), true);
  for (const NamedRange& range : desired) {
    const auto values = rows.column(rows.index(range.name));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < range.low || values[i] > range.high) inside[i] = false;
    }
  }
  return static_cast<double>(std::count(inside.begin(), inside.end(), true)) / static_cast<double>(rows.rows());
}

}  // namespace olem
