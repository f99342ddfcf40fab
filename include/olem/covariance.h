#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/table.h"

namespace olem {

// The second moments of named columns: all that a method for linear Gaussian data sees of a table. Variances are kept
// as logarithms and apart from the correlations, so that the units of the columns, however large or small, cost no
// digit. The correlation matrix is positive definite in every one that the functions below return.
struct Covariance {
  std::vector<std::string> names;
  std::vector<double> log_variance;  // ln of the variances, divisor n
  std::vector<double> correlation;   // d x d
  double rows = 0.0;                 // n; may be any number >= 1 for a population

  std::size_t size() const { return names.size(); }
  double r(std::size_t i, std::size_t j) const { return correlation[i * size() + j]; }
};

// Of the columns of a table. Columns that never vary, and a column that is a linear combination of those before it (to
// 1e-12 of its variance), are data errors that name it; so are fewer than d + 1 rows, which always are dependent.
// O(n d^2 + n d log n), spread over the context's threads with the same bits for any number of them; 8 n d bytes.
Covariance covariance_of(const Table& table, const Context& context);

// Of a given symmetric d x d covariance matrix and number of rows. Throws a data error as above, a usage error for
// sizes that do not fit, entries that are not finite, a matrix that is not symmetric and rows below 1.
Covariance make_covariance(std::vector<std::string> names, std::span<const double> matrix, double rows);

// 1 - R^2 of the regression of y on `given` (ascending, without y): the share of its variance that they leave
// unexplained, at least the machine epsilon. O(|given|^3 / 6).
double residual_share(const Covariance& covariance, std::size_t y, std::span<const std::size_t> given);

// Correlation of i and j given `given` (without i and j), at most 1 - 1e-15 in size. The order of i and j does not
// matter to the last bit. Closed forms up to two given columns, O(|given|^3 / 6) beyond.
double partial_correlation(const Covariance& covariance, std::size_t i, std::size_t j,
                           std::span<const std::size_t> given);

}  // namespace olem
