#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"

namespace olem::internal {

struct LbfgsbOptions {
  int corrections = 10;                // pairs kept of the approximation of the Hessian
  double relative_reduction = 2.2e-9;  // stop when (f - f_next) / max(|f|, |f_next|, 1) is below
  double gradient_tolerance = 1e-5;    // stop when the largest component of the projected gradient is below
  int iterations = 15000;              // at most
};

struct LbfgsbResult {
  std::vector<double> x;  // the best point found, within the bounds
  double value = 0.0;
  int iterations = 0;
  int evaluations = 0;
  bool converged = false;  // one of the two tolerances was met
  std::string message;     // the solver's own words
};

// Value at x, with the gradient written to `gradient`. A value that is not finite ends the search at the best point.
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

// Minimises a smooth function within bounds (Byrd, Lu, Nocedal and Zhu 1995), lower[i] <= x[i] <= upper[i]; infinite
// bounds count as none. `start` is moved into the bounds first. Deterministic; may be called from several threads.
// Interruption is checked at every evaluation.
LbfgsbResult minimise_lbfgsb(std::vector<double> start, std::span<const double> lower, std::span<const double> upper,
                             const Objective& objective, const LbfgsbOptions& options, const Context& context);

}  // namespace olem::internal
