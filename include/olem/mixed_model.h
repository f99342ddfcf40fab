#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "olem/column.h"
#include "olem/context.h"
#include "olem/json.h"
#include "olem/named_value.h"
#include "olem/structural_model.h"
#include "olem/table.h"

namespace olem {

// A numeric parent as equations see it: (value - mean) / deviation, within -4 and 4.
struct ScaledParent {
  std::size_t node = 0;
  double mean = 0.0;
  double deviation = 1.0;
  bool operator==(const ScaledParent&) const = default;
};

// slope x, or slope tanh(1.5 x), of a numeric parent.
struct NumericTerm {
  ScaledParent parent;
  bool saturating = false;        // tanh(1.5 x)
  std::vector<double> slopes;     // one, or one per level of `by`
  std::optional<std::size_t> by;  // a category parent that the slope depends on
  bool operator==(const NumericTerm&) const = default;
};

// One effect per level of a binary or category parent.
struct LevelTerm {
  std::size_t parent = 0;
  std::vector<double> effects;
  bool operator==(const LevelTerm&) const = default;
};

// The sum of its terms.
struct LinearPredictor {
  std::vector<NumericTerm> numeric;
  std::vector<LevelTerm> levels;
  bool operator==(const LinearPredictor&) const = default;
};

// One column and its equation, a being its predictor and e independent noise (docs/simulate.md):
//   real      a + s e, s = .8, or .8 exp(.5 x - .125) where `scale` is given; e has mean 0 and variance 1
//   positive  exp(.6 a + .4 e), e normal
//   share     logistic(a - .5 + .7 e), e normal
//   binary    the second level with probability logistic(1.3 a)
//   category  softmax of one predictor per level
//   count     Poisson with mean exp(.8 + .5 a)
struct MixedNode {
  std::string name;
  Column about;                             // levels are 0, 1, ...
  std::vector<std::size_t> parents;         // indices of nodes
  std::vector<LinearPredictor> predictors;  // one; of a category one per level
  Noise noise;                              // of a real node: its shape, brought to mean 0 and variance 1
  std::optional<ScaledParent> scale;        // of a real node
  bool operator==(const MixedNode&) const = default;
};

// A structural causal model with columns of all types. Nodes stand in the order of the data's columns, which is not
// causal. A plain value: equal models make equal data.
struct MixedModel {
  std::vector<MixedNode> nodes;
  std::vector<std::size_t> order;  // indices of nodes, causes first

  std::vector<std::string> names() const;
  std::vector<Column> about() const;
  std::vector<std::pair<std::size_t, std::size_t>> edges() const;  // from -> to, by `from`, then by `to`
  bool operator==(const MixedModel&) const = default;
};

// Throws a data error that starts with `source` and names node and rule unless names are unique, `order` holds every
// node once with its parents before it, and every equation fits the types of its node and its parents.
void check_model(const MixedModel& model, std::string_view source = "");

// `rows` independent observations with the types of the columns. Levels are numbers 0, 1, ... with their words in
// Table::about. The noise of node j is the stream (seed, "simulate.mixed.rows", draw and j): equal arguments give equal
// tables whatever the number of threads, and row i does not depend on `rows`. Throws what check_model throws.
Table draw_rows(const MixedModel& model, std::size_t rows, std::uint64_t draw, const Context& context);

// As simulate_decision of a StructuralModel: observed values are fixed, edges into altered nodes are cut, everything
// else keeps its equation and has fresh noise, which calls with the same `draw` share. Its errors, and a usage error
// for a value that the type of its column does not have.
Table simulate_decision(const MixedModel& model, std::span<const NamedValue> observed,
                        std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw,
                        const Context& context);

// {"nodes": [...], "order": [...]} as docs/simulate.md describes. The round trip is exact to the last bit.
Json to_json(const MixedModel& model);

// Throws a data error that starts with `source` and names the node.
MixedModel parse_mixed_model(const Json& json, const std::string& source);

}  // namespace olem
