#include "gam/thin_plate_basis.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "olem/random.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// sum_{b < a} (u_a - u_b)^3 v_b for every a, added to `sums`. The four moments about the current point are carried from
// one point to the next; powers of u itself would cancel where points lie close together.
template <class Position>
void add_one_sided_sums(Index q, const Position& position, std::span<const double> u,
                        const Eigen::Ref<const VectorXd>& v, VectorXd& sums) {
  double m0 = 0.0;
  double m1 = 0.0;
  double m2 = 0.0;
  double m3 = 0.0;
  double previous = u[static_cast<std::size_t>(position(0))];
  for (Index step = 0; step < q; ++step) {
    const Index a = position(step);
    const double h = std::abs(u[static_cast<std::size_t>(a)] - previous);
    previous = u[static_cast<std::size_t>(a)];
    m3 += h * (3.0 * m2 + h * (3.0 * m1 + h * m0));
    m2 += h * (2.0 * m1 + h * m0);
    m1 += h * m0;
    sums[a] += m3;
    m0 += v[a];
  }
}

struct Eigenpairs {
  VectorXd values;
  MatrixXd vectors;
};

// The `count` pairs largest in absolute value.
Eigenpairs leading(const VectorXd& values, const MatrixXd& vectors, Index count) {
  std::vector<Index> by_size(static_cast<std::size_t>(values.size()));
  std::iota(by_size.begin(), by_size.end(), Index{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](Index a, Index b) { return std::abs(values[a]) > std::abs(values[b]); });
  count = std::min(count, values.size());
  by_size.resize(static_cast<std::size_t>(count));
  return {values(by_size), vectors(Eigen::all, by_size)};
}

Eigenpairs dense_eigenpairs(std::span<const double> u, Index count) {
  const Index q = static_cast<Index>(u.size());
  MatrixXd kernel(q, q);
  for (Index b = 0; b < q; ++b) {
    for (Index a = 0; a < q; ++a) {
      kernel(a, b) = std::pow(std::abs(u[static_cast<std::size_t>(a)] - u[static_cast<std::size_t>(b)]), 3) / 12.0;
    }
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(kernel);
  return leading(solver.eigenvalues(), solver.eigenvectors(), count);
}

Eigenpairs lanczos_eigenpairs(std::span<const double> u, Index count) {
  const Index q = static_cast<Index>(u.size());
  const Index most = std::min<Index>(q, 40 + 10 * count);
  MatrixXd basis(q, most);
  VectorXd diagonal(most);
  VectorXd off_diagonal(most);
  RandomStream random(0, "thin_plate_start");  // any start with a part in every wanted direction gives the same answer
  for (Index i = 0; i < q; ++i) basis(i, 0) = random.normal();
  basis.col(0).normalize();
  for (Index step = 0; step < most; ++step) {
    VectorXd next = cubic_kernel_product(u, basis.col(step));
    diagonal[step] = basis.col(step).dot(next);
    for (int pass = 0; pass < 2; ++pass) {
      const VectorXd overlap = basis.leftCols(step + 1).transpose() * next;
      next.noalias() -= basis.leftCols(step + 1) * overlap;
    }
    off_diagonal[step] = next.norm();
    const Index size = step + 1;
    const bool last = size == most || off_diagonal[step] == 0.0;
    if (last || (size >= 2 * count + 10 && size % 5 == 0)) {
      Eigen::SelfAdjointEigenSolver<MatrixXd> solver;
      solver.computeFromTridiagonal(diagonal.head(size), off_diagonal.head(size - 1));
      const Eigenpairs ritz = leading(solver.eigenvalues(), solver.eigenvectors(), count);
      const double error = off_diagonal[step] * ritz.vectors.row(size - 1).cwiseAbs().maxCoeff();
      if (last || error <= kEpsilon * std::abs(ritz.values[0])) {
        return {ritz.values, basis.leftCols(size) * ritz.vectors};
      }
    }
    basis.col(step + 1) = next / off_diagonal[step];
  }
  return {};
}

// The functions that bend, at the distinct values, and the penalty on their coefficients.
struct Wiggles {
  MatrixXd functions;  // values x (K - 2)
  MatrixXd penalty;
  MatrixXd mgcv_axes;  // orthogonal: mgcv's coefficients, before it scales them, in these
};

// The coefficients of the eigenvectors that satisfy both constraints, as mgcv chooses their axes: eigenvalues by
// falling value, not size, and reflections onto the last two of them.
MatrixXd mgcv_null_space(const MatrixXd& constraint, const Eigen::Ref<const VectorXd>& eigenvalues) {
  const Index size = constraint.rows();
  std::vector<Index> rising(static_cast<std::size_t>(size));
  std::iota(rising.begin(), rising.end(), Index{0});
  std::stable_sort(rising.begin(), rising.end(), [&](Index a, Index b) { return eigenvalues[a] < eigenvalues[b]; });
  const MatrixXd rotation =
      Eigen::HouseholderQR<MatrixXd>(constraint(rising, Eigen::all)).householderQ() * MatrixXd::Identity(size, size);
  MatrixXd axes(size, size - 2);
  axes(rising, Eigen::all) = rotation.rightCols(size - 2).rowwise().reverse();
  return axes;
}

Wiggles wiggles(const ThinPlateSpectrum& spectrum, Index size) {
  const Index q = static_cast<Index>(spectrum.values.size());
  const Index knots = static_cast<Index>(spectrum.knots.size());
  const auto vectors = spectrum.eigenvectors.leftCols(size);
  const auto eigenvalues = spectrum.eigenvalues.head(size);
  MatrixXd null_space(knots, 2);
  for (Index k = 0; k < knots; ++k) {
    null_space(k, 0) = 1.0;
    null_space(k, 1) = spectrum.values[spectrum.knots[static_cast<std::size_t>(k)]];
  }
  const MatrixXd constraint = vectors.transpose() * null_space;
  const MatrixXd rotation = Eigen::HouseholderQR<MatrixXd>(constraint).householderQ() * MatrixXd::Identity(size, size);
  const MatrixXd free = rotation.rightCols(size - 2);

  Wiggles result;
  result.penalty = free.transpose() * eigenvalues.asDiagonal() * free;
  result.mgcv_axes = free.transpose() * mgcv_null_space(constraint, eigenvalues);
  if (knots == q) {
    result.functions = vectors * (eigenvalues.asDiagonal() * free);
    return result;
  }
  const MatrixXd weights = vectors * free;
  result.functions.resize(q, size - 2);
  VectorXd spread = VectorXd::Zero(q);
  for (Index j = 0; j < size - 2; ++j) {
    for (Index k = 0; k < knots; ++k) spread[spectrum.knots[static_cast<std::size_t>(k)]] = weights(k, j);
    result.functions.col(j) = cubic_kernel_product(spectrum.values, spread);
  }
  return result;
}

// `triangle` is that of the QR decomposition of the constant, the line and the wiggles.
void add_mgcv_diagonals(const MatrixXd& triangle, const Wiggles& wiggle, double unit, SmoothBasis& basis) {
  const Index bends = wiggle.mgcv_axes.cols();
  const VectorXd constant = triangle.col(0);
  MatrixXd design(triangle.rows(), bends + 1);
  design << triangle.rightCols(bends) * wiggle.mgcv_axes, constant;
  // Every function to mean square 1; the constant has it.
  const VectorXd scale = constant.norm() * design.leftCols(bends).colwise().norm().cwiseInverse().transpose();
  design.leftCols(bends) *= scale.asDiagonal();
  MatrixXd penalty = MatrixXd::Zero(bends + 1, bends + 1);
  penalty.topLeftCorner(bends, bends) =
      scale.asDiagonal() * (wiggle.mgcv_axes.transpose() * wiggle.penalty * wiggle.mgcv_axes) * scale.asDiagonal();
  // The functions that sum to zero: what a reflection of the sums onto the first axis leaves of the others.
  const VectorXd sums = design.transpose() * constant;
  const MatrixXd reflection =
      Eigen::HouseholderQR<MatrixXd>(sums).householderQ() * MatrixXd::Identity(bends + 1, bends + 1);
  const auto kept = reflection.rightCols(bends);
  const VectorXd diagonal = (kept.transpose() * penalty * kept).diagonal();
  std::vector<Index> penalized;  // more than by rounding
  for (Index i = 0; i < bends; ++i) {
    if (diagonal[i] > std::pow(kEpsilon, 0.8) * diagonal.maxCoeff()) penalized.push_back(i);
  }
  basis.mgcv_squares = (design * kept(Eigen::all, penalized)).colwise().squaredNorm();
  basis.mgcv_penalty = unit * diagonal(penalized);
}

MatrixXd copy_to_rows(const ThinPlateSpectrum& spectrum, const MatrixXd& at_values) {
  const Index n = static_cast<Index>(spectrum.value_of_row.size());
  MatrixXd rows(n, at_values.cols());
  for (Index j = 0; j < at_values.cols(); ++j) {
    for (Index i = 0; i < n; ++i) rows(i, j) = at_values(spectrum.value_of_row[static_cast<std::size_t>(i)], j);
  }
  return rows;
}

}  // namespace

VectorXd cubic_kernel_product(std::span<const double> ascending, const Eigen::Ref<const VectorXd>& v) {
  const Index q = v.size();
  VectorXd sums = VectorXd::Zero(q);
  if (q == 0) return sums;
  add_one_sided_sums(
      q, [](Index step) { return step; }, ascending, v, sums);
  add_one_sided_sums(
      q, [q](Index step) { return q - 1 - step; }, ascending, v, sums);
  return sums / 12.0;
}

ThinPlateSpectrum thin_plate_spectrum(std::span<const double> column, int count) {
  ThinPlateSpectrum spectrum;
  const std::size_t n = column.size();
  std::vector<std::uint32_t> sorted(n);
  std::iota(sorted.begin(), sorted.end(), std::uint32_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; });
  spectrum.value_of_row.resize(n);
  for (const std::uint32_t row : sorted) {
    if (spectrum.values.empty() || column[row] != spectrum.values.back()) {
      spectrum.values.push_back(column[row]);
      spectrum.counts.push_back(0.0);
    }
    spectrum.counts.back() += 1.0;
    spectrum.value_of_row[row] = static_cast<std::uint32_t>(spectrum.values.size() - 1);
  }
  const std::size_t q = spectrum.values.size();

  // Half-differences, so that the full range of double cannot overflow.
  double mean = 0.0;
  for (std::size_t a = 0; a < q; ++a) mean += spectrum.values[a] * (spectrum.counts[a] / static_cast<double>(n));
  double largest = 0.0;
  for (const double value : spectrum.values) largest = std::max(largest, std::abs(0.5 * value - 0.5 * mean));
  for (double& value : spectrum.values) value = largest > 0.0 ? (0.5 * value - 0.5 * mean) / largest : 0.0;

  const std::size_t knots = std::min(q, kMaxKnots);
  for (std::size_t k = 0; k < knots; ++k) spectrum.knots.push_back(static_cast<std::uint32_t>(k * q / knots));
  if (q < 4 || count < 3) return spectrum;

  std::vector<double> u(knots);
  for (std::size_t k = 0; k < knots; ++k) u[k] = spectrum.values[spectrum.knots[k]];
  constexpr std::size_t kSmall = 64;  // where the dense solver is as fast
  const Eigenpairs pairs = knots <= kSmall ? dense_eigenpairs(u, count) : lanczos_eigenpairs(u, count);
  const double noise = 100.0 * kEpsilon * std::abs(pairs.values[0]);
  Index usable = 0;
  while (usable < pairs.values.size() && std::abs(pairs.values[usable]) > noise) ++usable;
  spectrum.eigenvalues = pairs.values.head(usable);
  spectrum.eigenvectors = pairs.vectors.leftCols(usable);
  return spectrum;
}

SmoothBasis smooth_basis(const ThinPlateSpectrum& spectrum, int basis_size) {
  const Index q = static_cast<Index>(spectrum.values.size());
  if (q < 2) return {MatrixXd(static_cast<Index>(spectrum.value_of_row.size()), 0), VectorXd(0), {}, {}};
  const Index size = std::min<Index>(basis_size, spectrum.eigenvalues.size());
  const Eigen::Map<const VectorXd> u(spectrum.values.data(), q);
  const VectorXd root_counts = Eigen::Map<const VectorXd>(spectrum.counts.data(), q).cwiseSqrt();

  const Index bends = q >= 4 && size >= 3 ? size - 2 : 0;
  MatrixXd stacked(q, 2 + bends);
  stacked.col(0).setOnes();
  stacked.col(1) = u;
  Wiggles wiggle;
  if (bends > 0) {
    wiggle = wiggles(spectrum, size);
    stacked.rightCols(bends) = wiggle.functions;
  }
  stacked = root_counts.asDiagonal() * stacked;
  const Eigen::HouseholderQR<MatrixXd> qr(stacked);
  const MatrixXd orthonormal = qr.householderQ() * MatrixXd::Identity(q, 2 + bends);
  const double orientation = qr.matrixQR()(1, 1) < 0.0 ? -1.0 : 1.0;

  MatrixXd at_values(q, 1 + bends);
  at_values.col(0) = orientation * orthonormal.col(1);
  SmoothBasis basis;
  VectorXd roughness = VectorXd::Zero(1 + bends);
  Index kept = 0;
  if (bends > 0) {
    // In coordinates in which the penalty is the identity, the singular values of the design are the inverse square
    // roots of the roughness of its left singular vectors.
    const Eigen::SelfAdjointEigenSolver<MatrixXd> bending(wiggle.penalty);
    Index first = 0;
    while (first < bends && bending.eigenvalues()[first] <= kEpsilon * bending.eigenvalues()[bends - 1]) ++first;
    const MatrixXd triangle = qr.matrixQR().block(2, 2, bends, bends).triangularView<Eigen::Upper>();
    const MatrixXd design = triangle * bending.eigenvectors().rightCols(bends - first) *
                            bending.eigenvalues().tail(bends - first).cwiseSqrt().cwiseInverse().asDiagonal();
    const Eigen::JacobiSVD<MatrixXd> svd(design, Eigen::ComputeThinU);
    const VectorXd& sizes = svd.singularValues();
    constexpr double kInvisible = 1e-9;  // such a function is penalised away at any smoothing parameter of interest
    while (kept < sizes.size() && sizes[kept] > kInvisible * sizes[0]) {
      roughness[1 + kept] = (sizes[0] / sizes[kept]) * (sizes[0] / sizes[kept]);
      ++kept;
    }
    at_values.middleCols(1, kept) = orthonormal.rightCols(bends) * svd.matrixU().leftCols(kept);
    add_mgcv_diagonals(qr.matrixQR().topRows(2 + bends).triangularView<Eigen::Upper>(), wiggle, sizes[0] * sizes[0],
                       basis);
  }
  at_values = root_counts.cwiseInverse().asDiagonal() * at_values;
  basis.functions = copy_to_rows(spectrum, at_values.leftCols(1 + kept));
  basis.roughness = roughness.head(1 + kept);
  return basis;
}

}  // namespace olem::internal
