#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace olem::internal {

// (E v)_a = sum_b |u_a - u_b|^3 v_b / 12 for ascending u: the product with the thin plate kernel of one dimension in
// O(q) instead of O(q^2), as accurate as the dense product.
Eigen::VectorXd cubic_kernel_product(std::span<const double> ascending, const Eigen::Ref<const Eigen::VectorXd>& v);

// What a column of data contributes to every thin plate regression spline of it: its distinct values and the leading
// eigenvectors of the kernel between them (Wood 2003). It does not depend on the response, so it is made once per
// column.
struct ThinPlateSpectrum {
  std::vector<double> values;               // distinct, ascending, shifted and scaled into [-1, 1]
  std::vector<double> counts;               // observations that have each value
  std::vector<std::uint32_t> value_of_row;  // index into `values` for each observation
  std::vector<std::uint32_t> knots;         // indices into `values`: all of them, or kMaxKnots evenly spread ones
  Eigen::VectorXd eigenvalues;              // by falling absolute value, at most the number asked for
  Eigen::MatrixXd eigenvectors;             // knots x eigenvalues, orthonormal
};

inline constexpr std::size_t kMaxKnots = 2000;

// The `count` eigenvalues largest in absolute value, fewer when there are fewer distinct values or when the rest cannot
// be told from rounding (extreme outliers). Lanczos with full reorthogonalisation: O(q steps^2), about 40 steps.
ThinPlateSpectrum thin_plate_spectrum(std::span<const double> column, int count);

// One smooth term in its natural (Demmler-Reinsch) form: functions that are orthonormal over the observations,
// orthogonal to the constant, and in which the roughness penalty is diagonal.
struct SmoothBasis {
  Eigen::MatrixXd functions;  // observations x functions; the first is the linear one; no columns for a constant column
  Eigen::VectorXd roughness;  // of each function: 0 for the linear one, then ascending from 1 on
  // Diagonals of X^T X and of the penalty, the latter in the units of `roughness`, of the bending coefficients as R's
  // mgcv writes the term: where its search for the smoothing parameters starts depends on them.
  Eigen::VectorXd mgcv_squares;
  Eigen::VectorXd mgcv_penalty;
};

// The thin plate regression spline with `basis_size` functions, the constant included, so at most basis_size - 1
// columns. It spans the leading eigenvectors and the linear functions, as in Wood (2003), section 2.3. With fewer than
// 4 distinct values, or basis_size below 3, only the linear function is left. O(n K^2).
SmoothBasis smooth_basis(const ThinPlateSpectrum& spectrum, int basis_size);

}  // namespace olem::internal
