#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/table.h"

namespace olem {

// Linear NOTEARS (Zheng et al. 2018). The defaults are those of the paper and its code.
struct NotearsOptions {
  // Weight of the sum of absolute weights, in the squared units of the data. 0.1 is the value of the paper's
  // experiments.
  double lambda = 0.1;
  // Weights below this in absolute value become 0. 0.3 is the paper's choice: the constraint is met only up to
  // rounding, so small weights against the order remain.
  double threshold = 0.3;
  int iterations = 100;     // of the augmented Lagrangian, at most
  double tolerance = 1e-8;  // of the acyclicity: converged when h is not above it
};

OptionSet describe(NotearsOptions& options);

// One iteration of the augmented Lagrangian.
struct NotearsIteration {
  double rho = 0.0;          // penalty of the last minimisation in it
  double alpha = 0.0;        // multiplier that minimisation used
  double h = 0.0;            // tr(exp(W o W)) - d; 0 for a graph without cycles
  double loss = 0.0;         // (1 / 2n) ||X - X W||^2
  int minimisations = 0;     // more than one when rho had to be raised
  int inner_iterations = 0;  // of L-BFGS-B, in all of them
  int evaluations = 0;
};

struct NotearsResult {
  std::vector<std::vector<double>> weights;  // [i][j] of i -> j before the threshold, in table order; in the units of j
                                             // per unit of i
  Dag graph;                                 // weights of at least `threshold` in absolute value; nodes in table order
  double threshold = 0.0;                    // as used: raised where the one asked for leaves a cycle
  std::vector<NotearsIteration> iterations;
  bool converged = false;  // h fell to the tolerance
  double h = 0.0;          // of `weights`
  Summary summary;         // not_converged when h did not
};

// Minimises (1 / 2n) ||X - X W||^2 + lambda ||W||_1 over weighted graphs W without cycles (theorem 1 and section 4), X
// with its column means removed, by an augmented Lagrangian around L-BFGS-B. The problem is not convex: what comes back
// is a stationary point near the start W = 0. It depends on the units of the columns; nothing is standardised.
//
// When the threshold leaves a cycle, it is raised to the smallest absolute weight that leaves none, with a warning.
// Edges that `knowledge` forbids have weight 0; where it orders two variables, no directed path runs the other way.
//
// Cost of one evaluation O(d^3), whatever the number of rows; d = 100 needs some thousand of them. Memory O(d^2).
NotearsResult learn_notears(const Table& table, const NotearsOptions& options, const Precedence& knowledge,
                            const Context& context);

}  // namespace olem
