#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/covariance.h"
#include "olem/graph.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/table.h"

namespace olem {

struct GesOptions {
  // c in the score below: what a parent must gain, in units of ln n. 0.5 makes the score the Bayesian information
  // criterion, which finds the true class as n grows; more gives sparser graphs.
  double penalty = 0.5;
  // Most parents of a variable, in every DAG of the class; 0: any number. Without a bound dense data can take
  // exponential time.
  int max_parents = 0;
};

OptionSet describe(GesOptions& options);

enum class GesMove { kInsert, kDelete };

// One step of the search. Insert adds x -> y and directs t -> y for t in `with`; Delete takes the edge between x and y
// away and directs y -> h and x -> h for h in `with`. (The class decides which directions stay.)
struct GesStep {
  GesMove move = GesMove::kInsert;
  std::size_t x = 0;
  std::size_t y = 0;
  std::vector<std::size_t> with;  // T or H, ascending
  double gain = 0.0;              // of the score, > 0
};

struct GesResult {
  MixedGraph graph;            // a CPDAG, its edges directed by what is known where that decides
  double score = 0.0;          // of every DAG of the class
  std::vector<GesStep> steps;  // in the order taken: insertions, then deletions
  std::size_t scores = 0;      // local scores computed
  Summary summary;
};

// Greedy equivalence search (Chickering 2002): starts without edges, makes the best Insert while one gains, then the
// best Delete while one gains. The score of a DAG is the sum over its nodes of
//   s(y | P) = -(n/2) (1 + ln sigma2) - c (|P| + 1) ln n,
// sigma2 being the variance that linear regression on the parents P leaves. Gains that differ by less than 1e-12 n, the
// rounding of such scores, are equal: the first operator in the order of x, y, then the size and lexicographic order of
// its set is taken, and such a gain counts as none.
//
// What is known is obeyed exactly: a step is only taken into a class that holds a DAG with an order that obeys it.
//
// Operators are kept per pair and looked at again only where the last step changed their surroundings; the result is
// the one of recomputing them all. A step costs about d operators for each variable whose parents or neighbours
// changed, and O(d^2) for the new class. Memory O(d^2) and the cache of local scores.
GesResult learn_ges(const Covariance& covariance, const GesOptions& options, const Precedence& knowledge,
                    const Context& context);

// The same for the columns of a table; fails as covariance_of does.
GesResult learn_ges(const Table& table, const GesOptions& options, const Precedence& knowledge, const Context& context);

}  // namespace olem
