#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/linear_programme.h"
#include "olem/context.h"

namespace olem::internal {

// A linear programme some of whose variables must be whole numbers.
struct IntegerProgramme {
  LinearProgramme linear;
  std::vector<std::size_t> whole;  // their indices; both bounds finite
};

enum class IntegerStatus {
  kOptimal,     // nothing better exists, by the solver's word
  kFeasible,    // a limit was reached first; `bound` says how much better an answer could be
  kInfeasible,  // no x satisfies everything, by the solver's word
  kNone,        // a limit was reached before any answer, or the solver failed; `message` says why
};

struct IntegerSolution {
  IntegerStatus status = IntegerStatus::kNone;
  std::vector<double> x;  // of kOptimal and kFeasible; whole numbers are exactly so
  double value = 0.0;     // cost^T x
  double bound = 0.0;     // no x costs less
  int nodes = 0;          // of the search tree
  std::string message;
};

struct IntegerOptions {
  // The search ends after this many nodes. A count, so that results do not depend on the speed of the machine.
  int nodes = 100000;
  // And, whatever is found, after this many seconds. Results depend on it where it is reached.
  double seconds = 1e30;
  // Only answers that cost less than this are of interest; kNone or kInfeasible when there is none.
  double cutoff = 1e30;
};

// Solves the programme by branch and cut (Cbc). Deterministic unless the seconds end it, silent, safe to call from
// several threads at once; runs in the calling thread. Before an answer is returned its whole numbers are rounded and
// the linear programme of the others is solved again, whose answer is tested as solve_linear_programme tests. Ends
// within a node when the context is interrupted or its deadline passes, with the error of check_interrupt().
IntegerSolution solve_integer_programme(const IntegerProgramme& programme, const IntegerOptions& options,
                                        const Context& context);

}  // namespace olem::internal
