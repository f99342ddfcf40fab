#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/named_value.h"
#include "olem/sequence.h"
#include "olem/table.h"

namespace olem {

enum class NoiseKind { kBeta, kExponential, kGaussian, kUniform };

// An additive noise. It is not centred: Beta and exponential noise have a positive mean.
struct Noise {
  NoiseKind kind = NoiseKind::kGaussian;
  double a = 1.0;  // beta: first shape; exponential: scale (the mean); gaussian: standard deviation; uniform: low
  double b = 0.0;  // beta: second shape; uniform: high; not used by the others
  bool operator==(const Noise&) const = default;
};

// intercept + sum of weights[p] * parent p. A node without parents has no weights.
struct LinearFunction {
  std::vector<double> weights;
  double intercept = 0.0;
  bool operator==(const LinearFunction&) const = default;
};

// sum over hidden units h of output_weights[h] * sigmoid(sum over p of input_weights[h * parents + p] * parent p)
struct MlpFunction {
  std::vector<double> input_weights;   // hidden x parents, row by row
  std::vector<double> output_weights;  // hidden
  bool operator==(const MlpFunction&) const = default;
};

// f(x) = sum over anchor rows i of weights[i] * exp(-||x - x_i||^2 / 2), where x_i holds the parents' values in anchor
// row i of the model. At the anchors f is a draw from the zero-mean Gaussian process with this kernel; elsewhere it is
// the mean of the process given its values at the anchors. That continuation is smooth and deterministic, but it
// returns to zero away from the anchors: with many parents most of the space is away from them.
struct GaussianProcessFunction {
  std::vector<double> weights;
  bool operator==(const GaussianProcessFunction&) const = default;
};

using StructuralFunction = std::variant<LinearFunction, MlpFunction, GaussianProcessFunction>;

// value = function(values of the parents) + noise
struct StructuralNode {
  std::string name;
  std::vector<std::size_t> parents;  // indices of nodes, in the order of the function's arguments
  StructuralFunction function;
  Noise noise;
  bool operator==(const StructuralNode&) const = default;
};

// A structural causal model with additive independent noise. Nodes stand in the order of the data's columns, which need
// not be causal. A plain value: equal models make equal data.
struct StructuralModel {
  std::vector<StructuralNode> nodes;
  // For each node its values in the anchor rows of the Gaussian-process functions; empty for a node that is no parent
  // of such a function.
  std::vector<std::vector<double>> anchors;

  std::vector<std::string> names() const;
  std::vector<std::pair<std::size_t, std::size_t>> edges() const;  // from -> to, by `from`, then by `to`
  bool operator==(const StructuralModel&) const = default;
};

// Throws a data error that names node and rule unless: 1 to 65535 nodes with unique names, parents that exist and
// differ, no cycle (it is printed as a -> b -> a), as many weights as parents, hidden units or anchor rows ask for,
// finite numbers, and noise parameters that make a distribution. `source` starts the message.
void check_model(const StructuralModel& model, std::string_view source = "");

// Node indices, causes first; among nodes that are free to come next the first column comes first. For a model whose
// parents exist; throws a data error that prints the cycle when there is one.
std::vector<std::size_t> causal_order(const StructuralModel& model);

// `rows` independent observations, one column per node. The noise of node j is the stream (seed, "simulate.rows", draw
// and j), so equal arguments give equal tables whatever the number of threads, and row i does not depend on `rows`.
// O(rows) per weight. `draw` is below 2^48. Throws what check_model throws.
Table draw_rows(const StructuralModel& model, std::size_t rows, std::uint64_t draw, const Context& context);

// What happens when the observed variables have the given values and then the alterations are made: edges into altered
// nodes are cut, everything else keeps its function and fresh noise. Returns one row per trial, one column per node.
// Two calls with the same `draw` share their noise, so that their difference is the effect of the decision alone.
//
// Fixing the observed values equals conditioning on them only when all their causes are observed, too; otherwise this
// throws a task error that names the missing one. Unknown or repeated names and values that are not finite are usage
// errors. A lever with a rule is set in each trial by what is seen there; a task error where a rule answers to what its
// lever changes.
Table simulate_decision(const StructuralModel& model, std::span<const NamedValue> observed,
                        std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw,
                        const Context& context, std::span<const AlterationRule> rules = {});

// Fraction of the rows in which every named column lies in its range, sides included.
double success_rate(const Table& rows, std::span<const NamedRange> desired);

// {"nodes": [...], "anchors": {...}} as docs/simulate.md describes. The round trip is exact to the last bit. Throws
// what check_model throws.
Json to_json(const StructuralModel& model);

// Reads the model out of such an object; other keys beside them do not matter. Throws a data error that starts with
// `source` and names the node.
StructuralModel parse_structural_model(const Json& json, const std::string& source);

// The same for a truth file, whose format and version are checked first.
StructuralModel read_structural_model(const std::string& path);

}  // namespace olem
