#include "olem/mixed_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "olem/error.h"
#include "olem/options.h"
#include "simulate/mixed_draws.h"

namespace olem {

using namespace internal;

namespace {

bool is_words(const MixedNode& node) {
  return node.about.type == ColumnType::kBinary || node.about.type == ColumnType::kCategory;
}

class MixedChecker {
 public:
  MixedChecker(const MixedModel& model, std::string_view source) : model_(model), source_(source) {}

  [[noreturn]] void fail(const std::string& text) const {
    throw Error(ErrorCategory::kData, source_.empty() ? text : fmt::format("{}: {}", source_, text));
  }

  void names() const {
    std::unordered_set<std::string_view> seen;
    for (const MixedNode& node : model_.nodes) {
      if (node.name.empty()) fail("A node has no name.");
      if (!seen.insert(node.name).second) fail(fmt::format("Two nodes are called '{}'.", node.name));
    }
  }

  void order() const {
    std::vector<bool> placed(model_.nodes.size(), false);
    if (model_.order.size() != model_.nodes.size()) {
      fail(fmt::format("The order has {} of {} nodes.", model_.order.size(), model_.nodes.size()));
    }
    for (const std::size_t node : model_.order) {
      if (node >= placed.size() || placed[node]) fail("The order does not hold every node once.");
      for (const std::size_t parent : model_.nodes[node].parents) {
        if (parent >= placed.size()) {
          fail(fmt::format("Node '{}' has a parent that does not exist.", model_.nodes[node].name));
        }
        if (!placed[parent]) {
          fail(fmt::format("Node '{}' stands before its parent '{}' in the order.", model_.nodes[node].name,
                           model_.nodes[parent].name));
        }
      }
      placed[node] = true;
    }
  }

  void equation(const MixedNode& node) const {
    const ColumnType type = node.about.type;
    if (type == ColumnType::kOrdinal) wrong(node, "is ordinal, which has no equation");
    if (is_words(node) && node.about.levels.size() < 2) wrong(node, "has fewer than 2 levels");
    if (type == ColumnType::kBinary && node.about.levels.size() != 2) wrong(node, "is binary, but has not 2 levels");
    for (std::size_t k = 0; k < node.about.levels.size(); ++k) {
      if (node.about.levels[k].value != static_cast<double>(k)) wrong(node, "has levels that are not 0, 1, ...");
    }
    const std::size_t wanted = type == ColumnType::kCategory ? node.about.levels.size() : 1;
    if (node.predictors.size() != wanted) {
      wrong(node, fmt::format("has {} predictors, but needs {}", node.predictors.size(), wanted));
    }
    for (const LinearPredictor& predictor : node.predictors) {
      for (const NumericTerm& term : predictor.numeric) {
        numeric_parent(node, term.parent);
        if (term.by) level_parent(node, *term.by, term.slopes);
        if (!term.by && term.slopes.size() != 1) wrong(node, "has a term that needs one slope");
        finite(node, term.slopes);
      }
      for (const LevelTerm& term : predictor.levels) {
        level_parent(node, term.parent, term.effects);
        finite(node, term.effects);
      }
    }
    if (node.scale) {
      if (type != ColumnType::kReal) wrong(node, "has a scale, but is not real");
      numeric_parent(node, *node.scale);
    }
    if (type == ColumnType::kReal && node.noise.kind == NoiseKind::kUniform) wrong(node, "has uniform noise");
    const bool beta = node.noise.kind == NoiseKind::kBeta;
    if (type == ColumnType::kReal && beta && !(node.noise.a > 0.0 && node.noise.b > 0.0)) {
      wrong(node, "has beta noise whose parameters are not positive");
    }
  }

 private:
  [[noreturn]] void wrong(const MixedNode& node, const std::string& what) const {
    fail(fmt::format("Node '{}' {}.", node.name, what));
  }

  void is_parent(const MixedNode& node, std::size_t parent) const {
    if (std::find(node.parents.begin(), node.parents.end(), parent) == node.parents.end()) {
      wrong(node, "has a term of a node that is not its parent");
    }
  }

  void numeric_parent(const MixedNode& node, const ScaledParent& parent) const {
    is_parent(node, parent.node);
    if (is_words(model_.nodes[parent.node])) wrong(node, "has a numeric term of a parent with levels");
    if (!std::isfinite(parent.mean) || !std::isfinite(parent.deviation) || !(parent.deviation > 0.0)) {
      wrong(node, "has a parent whose mean and deviation are no finite numbers");
    }
  }

  void level_parent(const MixedNode& node, std::size_t parent, const std::vector<double>& values) const {
    is_parent(node, parent);
    if (values.size() != model_.nodes[parent].about.levels.size() || values.empty()) {
      wrong(node, fmt::format("needs one number per level of '{}'", model_.nodes[parent].name));
    }
  }

  void finite(const MixedNode& node, const std::vector<double>& values) const {
    for (const double value : values) {
      if (!std::isfinite(value)) wrong(node, fmt::format("has {} among its weights", value));
    }
  }

  const MixedModel& model_;
  std::string_view source_;
};

std::size_t find_mixed_node(const MixedModel& model, const std::string& name) {
  for (std::size_t j = 0; j < model.nodes.size(); ++j) {
    if (model.nodes[j].name == name) return j;
  }
  const std::string near = closest_name(name, model.names());
  throw Error(ErrorCategory::kUsage, fmt::format("The model has no node '{}'.{}", name,
                                                 near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
}

}  // namespace

std::vector<std::string> MixedModel::names() const {
  std::vector<std::string> names;
  for (const MixedNode& node : nodes) names.push_back(node.name);
  return names;
}

std::vector<Column> MixedModel::about() const {
  std::vector<Column> about;
  for (const MixedNode& node : nodes) about.push_back(node.about);
  return about;
}

std::vector<std::pair<std::size_t, std::size_t>> MixedModel::edges() const {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    for (const std::size_t parent : nodes[j].parents) edges.emplace_back(parent, j);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

void check_model(const MixedModel& model, std::string_view source) {
  const MixedChecker check(model, source);
  if (model.nodes.empty() || model.nodes.size() > kMaxModelNodes) {
    check.fail(fmt::format("The model has {} nodes, but must have 1 to {}.", model.nodes.size(), kMaxModelNodes));
  }
  check.names();
  check.order();
  for (const MixedNode& node : model.nodes) check.equation(node);
}

Table draw_rows(const MixedModel& model, std::size_t rows, std::uint64_t draw, const Context& context) {
  check_model(model);
  check_at_least("rows", static_cast<long long>(rows), 1);
  return as_table(model, draw_columns(model, rows, "simulate.mixed.rows", draw, context), "simulated data");
}

Table simulate_decision(const MixedModel& model, std::span<const NamedValue> observed,
                        std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw,
                        const Context& context) {
  check_model(model);
  check_at_least("trials", static_cast<long long>(trials), 1);
  std::vector<std::optional<double>> fixed(model.nodes.size());
  std::vector<bool> is_observed(model.nodes.size(), false);
  const auto fix = [&](const NamedValue& given) {
    const std::size_t node = find_mixed_node(model, given.name);
    if (!is_value(model.nodes[node].about, given.value)) {
      throw Error(ErrorCategory::kUsage, fmt::format("{} is no value of '{}', which is of type {}.", given.value,
                                                     given.name, column_type_name(model.nodes[node].about.type)));
    }
    if (fixed[node]) throw Error(ErrorCategory::kUsage, fmt::format("'{}' is given twice.", given.name));
    fixed[node] = given.value;
    return node;
  };
  for (const NamedValue& given : observed) is_observed[fix(given)] = true;
  for (const NamedValue& given : alterations) fix(given);
  for (std::size_t node = 0; node < model.nodes.size(); ++node) {
    if (!is_observed[node]) continue;
    for (const std::size_t parent : model.nodes[node].parents) {
      if (is_observed[parent]) continue;
      throw Error(ErrorCategory::kTask,
                  fmt::format("'{}' is observed, but its cause '{}' is not: fixing the one would say nothing about the "
                              "other. Observe '{}' as well, or leave '{}' out.",
                              model.nodes[node].name, model.nodes[parent].name, model.nodes[parent].name,
                              model.nodes[node].name));
    }
  }

  context.require_memory(3 * trials * model.nodes.size() * sizeof(double), "The simulation of a decision");
  std::vector<std::size_t> free_nodes;
  Columns columns(model.nodes.size());
  for (const std::size_t node : model.order) {
    if (fixed[node]) {
      columns[node].assign(trials, *fixed[node]);
    } else {
      free_nodes.push_back(node);
    }
  }
  const Columns noise = mixed_noise(model, free_nodes, trials, "simulate.mixed.trials", draw, context);
  for (const std::size_t node : free_nodes) {
    context.check_interrupt();
    apply_equation(model, node, noise[node], trials, columns);
  }
  return as_table(model, columns, "simulated decision");
}

}  // namespace olem
