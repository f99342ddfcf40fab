#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "order/olem_plus_columns.h"

namespace olem::internal {

// Factors of the penalty of nonlinear functions; the last leaves straight lines.
inline constexpr std::array kSmoothings = {1e-3, 0.1, 1.0, 10.0, 100.0, 1e7};
inline constexpr double kLeastPenalty = 1e-6;

// Rows of one task of a regression. Sums over rows are taken task by task, whatever the number of threads.
inline constexpr std::size_t kRowsOfTask = 8192;

// The functions of an additive regression.
struct AdditiveFunctions {
  std::vector<Eigen::Index> chosen;  // basis columns
  Eigen::VectorXd roughness;         // penalty of each at smoothing 1
  Eigen::VectorXd least;             // penalty of each at any smoothing

  Eigen::VectorXd penalty(double smoothing) const { return (smoothing * roughness).cwiseMax(least); }
};

AdditiveFunctions additive_functions(const PlusColumns& columns, std::span<const std::size_t> active);

enum class PlusModel { kMean, kAdditive, kProcess, kLevels, kCounts };

// The regression that cross-validation chose.
struct PlusChoice {
  PlusModel model = PlusModel::kMean;
  double smoothing = 0.0;    // of kAdditive, kLevels and kCounts; of kProcess: the ridge
  double length = 0.0;       // of kProcess: the length scale of the kernel, in standard deviations
  bool transformed = false;  // the target is its logarithm or its log-odds
  bool scaled = false;       // residuals are divided by a scale that depends on the predecessors
  // Of kLevels and kCounts: pairs of functions of the predecessors whose products are functions too.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> products;
};

// What the regression of one column on its active predecessors leaves unexplained.
struct PlusFit {
  // Of the leave-one-out residuals, in the units of the column, nats. Of a discrete column: the mean of -ln P(its
  // level) by logistic regression with the row left out.
  double entropy = 0.0;
  std::vector<float> contributions;  // of each row, whose weighted mean is `entropy`
  PlusChoice choice;
};

// The leave-one-out residuals of a regression, in standard deviations of the target.
struct PlusResiduals {
  std::vector<double> values;
  PlusChoice choice;
};

// The better by generalised cross-validation of an additive regression on the basis functions, its smoothness chosen
// from six values up to straight lines, and from two predecessors on of a Gaussian process with a Gaussian kernel on at
// most 100 landmark rows beside straight lines; or the one regression of `known`, at a third of the cost. O(n (q
// |active|)^2 + n M^2 + M^3), the passes over more than 8192 rows on the context's threads. `active` ascending. The
// target is a continuous column, `transformed` or as it is.
PlusResiduals regression_residuals(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                                   const Context& context, const PlusChoice* known = nullptr, bool transformed = false);

// Of a column with a transform: that form which leaves the smaller entropy. Of discrete columns and counts see
// olem_plus_levels.h. Of a column that was set in some rows the others' share of the entropy, from these alone.
PlusFit fit_column(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                   const Context& context, const PlusChoice* known = nullptr);

}  // namespace olem::internal
