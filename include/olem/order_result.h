#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/json.h"

namespace olem {

// What decided between two neighbours of an order: what is free of the units of the columns, or only their scales,
// which say something when the units are comparable.
enum class DecidedBy { kNone, kShape, kScale };

// The JSON value: "none", "shape" or "scale".
std::string_view name_of(DecidedBy decided_by);
// Throws a data error for anything else.
DecidedBy decided_by_name(std::string_view name);

// The gap of a step of olem+ taken apart; in nats per row, with standard errors of the paired differences.
struct StepEvidence {
  double gap_shape = 0.0;  // by residual entropies and the price of edges: free of units; may be below 0
  double gap_shape_standard_error = 0.0;
  double gap_scale = 0.0;  // by comparing residual entropies with each other
  double gap_scale_standard_error = 0.0;
  DecidedBy decided_by = DecidedBy::kNone;
};

// One variable found to be last among those that were left.
struct OrderStep {
  std::string sink;
  std::string runner_up;                               // the second best candidate; empty when there was one only
  std::vector<std::pair<std::string, double>> values;  // the criterion for each variable left, in table order
  std::optional<double> gap;                           // by how much the sink was ahead of the runner-up, >= 0
  std::optional<double> gap_standard_error;            // where the method has one
  // The gap is more than chance makes (where there is a standard error) or more than zero (where there is none), or
  // knowledge left no choice. With evidence: the gap by shape is more than chance makes.
  bool decided = true;
  bool forced = false;                                // knowledge left no choice
  std::vector<std::pair<std::string, double>> facts;  // further numbers of the step, by JSON key
  std::optional<StepEvidence> evidence;               // of olem+, unless forced
};

// One edge that a greedy search over edges put into its graph.
struct EdgeInclusion {
  std::string from;
  std::string to;
  double gain = 0.0;          // in score
  std::optional<double> gap;  // to the next best edge that could have been taken
  double score = 0.0;         // of the whole graph afterwards
};

// How the order fares on half-samples drawn without replacement.
struct OrderStability {
  int repetitions = 0;
  std::vector<std::string> names;           // of the rows and columns of `before`, in table order
  std::vector<std::vector<double>> before;  // before[i][j]: share of half-samples with i before j
  Order consensus;                          // by mean position, within what knowledge allows
  std::vector<double> adjacent;             // share with consensus[i] before consensus[i + 1]
};

// A number for each pair of columns, such as LISTEN's weights or CaPS's parent scores.
struct PairMatrix {
  std::string key;                          // in the JSON result: "weights", "parent_scores"
  std::vector<std::vector<double>> values;  // values[i][j] of i -> j, in table order
};

// What every order learner returns.
struct OrderResult {
  std::string method;
  Order order;
  std::string criterion;         // of the steps' values, as a JSON key: "conditional_entropy", "hessian_variance", ...
  std::vector<OrderStep> steps;  // in the order found: the last variable first; empty for a search over edges
  std::vector<EdgeInclusion> inclusions;              // of a search over edges, in the order found
  std::vector<PairMatrix> matrices;                   // what the method found out about pairs of columns, by JSON key
  std::vector<std::pair<std::string, double>> facts;  // further numbers of the whole, by JSON key
  std::optional<OrderStability> stability;
  Summary summary;

  // The values of the matrix with this key; null when the method left none.
  const std::vector<std::vector<double>>* matrix(std::string_view key) const;
};

// The result as the keys that `olem order --json` prints: order, steps or inclusions, and with half-samples before,
// consensus, stability.
Json to_json(const OrderResult& result);

}  // namespace olem
