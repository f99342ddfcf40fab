#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order_result.h"
#include "olem/table.h"
#include "olem/task_rows.h"

namespace olem {

// Whether the scales of the columns say something about the order.
enum class ColumnUnits {
  kAuto,        // as far as the residual entropies spread no more than columns in common units do
  kComparable,  // all columns are measured in the same or comparable units
  kArbitrary,   // each column has a unit of its own: only what is free of units counts
};

struct OlemPlusOptions {
  // The first choice of a person who knows the table: `comparable` for twenty prices in euro, `arbitrary` for a
  // temperature beside a price. kAuto looks at the residual entropies along OLEM's order: d more regressions at most.
  ColumnUnits units = ColumnUnits::kAuto;
  // Preference for larger residual entropies later in the order. Chosen on simulated models with 5, 10 and 20
  // variables; beyond 20 variables it is multiplied by 20 / d, so that its sum over the order keeps its size.
  double beta = 0.01;
  // Preference for residual entropies that are alike.
  double kappa = 0.03;
  // What is known of the rows of the table, or null: a row in which a variable was set says nothing about what that
  // variable depends on, and rows count by their weights. Of a table with another number of rows it is ignored.
  std::shared_ptr<const TaskRows> rows;
};

OptionSet describe(OlemPlusOptions& options);

// What J is made of, for one order. All values in nats per row.
struct OrderScore {
  // Residual entropies and the price of the edges: free of the units of the columns, up to a constant that all orders
  // of one table share.
  double shape = 0.0;
  double scale = 0.0;  // the two terms that compare residual entropies with each other; 0 for arbitrary units
  // One number for each row of the table, in its order: the mean over the rows is `shape` without the price of the
  // edges. The difference of two orders, row by row, has a standard error.
  std::vector<double> row_shape;

  double total() const { return shape + scale; }
};

// J by shape of one order minus J by shape of another.
struct ShapeDifference {
  double value = 0.0;           // below 0: the first is preferred
  double standard_error = 0.0;  // of the paired difference
};
ShapeDifference compare_by_shape(const OrderScore& first, const OrderScore& second);

// How far a search goes. Walks past orders that are worse by up to .2 nats take half of its time and seldom find a
// better one; a near search leaves them out.
enum class OlemPlusReach { kNear, kFull };

// A table prepared for olem+, with every regression that was made: orders under different knowledge, their scores and
// orders under row weights share them. Holds O(n d q) numbers with q <= 8 and 4 n bytes for each regression. Not safe
// to use from several threads at once. The table may go away.
class OlemPlusProblem {
 public:
  // `weights`: one positive number for each row, or empty: all rows count the same. They are divided by their mean.
  // Throws a data error for weights that are not positive and finite, or of another number than the rows.
  OlemPlusProblem(const Table& table, const OlemPlusOptions& options, const Context& context,
                  std::span<const double> weights = {});
  ~OlemPlusProblem();
  OlemPlusProblem(OlemPlusProblem&&) noexcept;
  OlemPlusProblem& operator=(OlemPlusProblem&&) noexcept;

  // The best order found within `knowledge`, with its evidence. `start`: an order of the columns to search from, in
  // place of the usual ones; it must obey the knowledge. Such a search has the weight of the scale terms of the one
  // before it, if there was one.
  OrderResult learn(const Precedence& knowledge, const Context& context, std::span<const std::string> start = {},
                    OlemPlusReach reach = OlemPlusReach::kFull);

  // The same columns with other row weights, such as Exp(1) draws for a Bayesian bootstrap. Where this problem has
  // chosen active predecessors and regressions they are kept, and only coefficients and entropies follow the weights: a
  // third of the cost. The new problem may be used in another thread, while this one is not used by anybody.
  OlemPlusProblem reweighted(std::span<const double> weights, const Context& context) const;

  // The score of a given order of all columns. Throws a data error when it is not an order of them.
  OrderScore score(std::span<const std::string> order, const Context& context);

 private:
  class Impl;
  explicit OlemPlusProblem(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// OLEM+: the order with the least J(order) = sum of the entropies of what an additive or Gaussian-process regression on
// the predecessors leaves unexplained, plus ln(n) / 2n for each predecessor that is needed, plus two weak terms that
// use the scales of the columns (docs/methods/olem-plus.md). The search starts from OLEM's order and moves variables,
// one at a time, within what `knowledge` allows. Cost: some d log d to d^2 regressions of O(n 100^2); memory O(8 n d)
// numbers.
//
// The steps are the adjacent pairs from the end of the order: the sink, the variable before it as runner-up, J with the
// two swapped minus J as gap, and its evidence. Their values are residual entropies in nats.
OrderResult learn_order_olem_plus(const Table& table, const OlemPlusOptions& options, const Precedence& knowledge,
                                  const Context& context);

// The same with each row counted `weights[row]` times (any positive numbers; they are divided by their mean), such as
// Exp(1) draws for a Bayesian bootstrap. `start`: the order to search from, usually that of all rows; empty: the usual
// starts.
OrderResult learn_order_olem_plus_weighted(const Table& table, const OlemPlusOptions& options,
                                           const Precedence& knowledge, std::span<const double> weights,
                                           std::span<const std::string> start, const Context& context);

// The score of a given order by shape alone (beta = kappa = 0), with the contribution of every row.
OrderScore score_order_by_shape(const Table& table, std::span<const std::string> order, const Context& context);

}  // namespace olem
