#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/order_result.h"
#include "olem/stein_options.h"
#include "olem/table.h"

namespace olem::internal {

// Fewest rows with a bandwidth: of two rows most entries of the matrix of distances are zero.
inline constexpr std::size_t kFewestSteinRows = 3;

// Derivatives of the log-density at every row, in the order of the columns asked for.
struct SteinEstimate {
  double bandwidth = 0.0;                    // of the kernel, in the units of the data
  std::vector<std::vector<double>> score;    // [column][row]: first derivative by the column
  std::vector<std::vector<double>> hessian;  // [column][row]: second derivative by the column, twice
};

// The Stein estimator of Rolland et al. 2022 with the kernel exp(-D^2 / (2 s^2)) / s of the
// published code: D the distance of two rows, s the median of D.
//
// Holds one n x n matrix, 8 n^2 bytes, for all its estimates; the constructor asks whether it fits (resource error).
// The first derivatives by Stein's identity and the second share one Cholesky factor when their etas agree. n^3 / 3
// operations for it, 4 n^2 per column for each of products and solutions; all of it spread over the threads of the
// context of each call in fixed pieces, with the same bytes for any number of them.
class SteinEstimator {
 public:
  // Draws the rows when there are more than options.rows. `table` must outlive the estimator.
  SteinEstimator(const Table& table, const SteinOptions& options, const Context& context);

  // From the given columns alone, bandwidth included. `progress` gets the share that is done; may be empty. Fails with
  // a data error when the bandwidth is zero or not finite, or the kernel matrix is not positive definite.
  SteinEstimate estimate(std::span<const std::size_t> columns, const Context& context,
                         const std::function<void(double)>& progress = {});

  // What one estimator holds for a table with this many rows.
  static std::size_t bytes(std::size_t rows, std::size_t columns, const SteinOptions& options);

 private:
  double fill_kernel(std::span<const std::size_t> columns, const Context& context);
  std::vector<double> right_sides(std::span<const std::size_t> columns, double bandwidth, const Context& context) const;
  void factor(double diagonal, std::size_t columns, const Context& context,
              const std::function<void(double)>& progress);

  const Table& table_;
  SteinOptions options_;
  std::size_t rows_ = 0;
  std::vector<std::vector<double>> columns_;  // of the table: the rows drawn, less their mean
  // During an estimate: squared distances below the diagonal, then the kernel with zeros on the diagonal, then its
  // factor in the lower triangle and the kernel still above it.
  std::vector<double> matrix_;
};

// Gives a step that was not forced the standard error of its gap, and the verdict whether the gap is more than chance
// makes. `sink` and `runner_up` hold what each row contributes to the two criteria, as a mean; rows are taken for
// independent.
void judge_gap(OrderStep& step, std::span<const double> sink, std::span<const double> runner_up);

}  // namespace olem::internal
