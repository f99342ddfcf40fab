#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/entropy.h"
#include "olem/graph.h"
#include "olem/json.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/table.h"

namespace olem {

struct OlemOptions {
  EntropyOptions entropy;
  // Repetitions on half-samples for the stability of the order; 0: none. 100 gives probabilities to about .05.
  int bootstrap = 0;
};

OptionSet describe(OlemOptions& options);

// One variable found to be last among those that were left.
struct OrderStep {
  std::string sink;
  std::string runner_up;       // the second best candidate; empty when knowledge left only one
  double joint_entropy = 0.0;  // of the variables left, nats
  std::vector<std::pair<std::string, double>>
      conditional_entropy;    // of each variable left given the others, table order
  std::optional<double> gap;  // conditional entropy of the sink less that of the runner-up, >= 0
  std::optional<double> gap_standard_error;
  // The gap is more than twice its standard error, or knowledge left no choice.
  bool decided = true;
  bool forced = false;      // knowledge left no choice
  double zero_share = 0.0;  // greatest share of zero distances among the candidates
};

// How the order fares on half-samples drawn without replacement.
struct OrderStability {
  int repetitions = 0;
  std::vector<std::string> names;           // of the rows and columns of `before`, in table order
  std::vector<std::vector<double>> before;  // before[i][j]: share of half-samples with i before j
  Order consensus;                          // by mean position, within what knowledge allows
  std::vector<double> adjacent;             // share with consensus[i] before consensus[i + 1]
};

struct OlemResult {
  Order order;
  std::vector<OrderStep> steps;  // in the order found: the last variable first
  std::optional<OrderStability> stability;
  Summary summary;
};

// OLEM (Tao, Wang and Zhou, Algorithm 1): finds the variable with the greatest conditional entropy given the rest, puts
// it last, repeats without it. Candidates are restricted to what `knowledge` allows. Cost O(d n^2 d) in the worst case,
// far less in practice; memory O(n d).
//
// Fails with a data error when the estimator needs more rows and when the columns are so discrete that every distance
// is zero.
OlemResult learn_order_olem(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                            const Context& context);

// The result as the keys that `olem order --json` prints: order, steps, and with bootstrap before, consensus,
// stability.
Json to_json(const OlemResult& result);

}  // namespace olem
