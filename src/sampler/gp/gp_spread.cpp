#include "sampler/gp/gp_spread.h"

#include <algorithm>
#include <type_traits>

#include "core/lapack.h"
#include "sampler/gp/kernel_loops.h"

namespace olem::internal::sampling {

namespace {

// Columns of a triangular product that are made together: few of the zeros above the diagonal are multiplied, and the
// library takes its way for small products, which does not copy them first.
constexpr std::size_t kStrip = 16;
static_assert(kStrip >= kLeadingPoints);

void copy_to(std::size_t n, const double* from, double* to) { std::copy_n(from, n, to); }
void copy_to(std::size_t n, const double* from, float* to) { kernel_loops().narrow(n, from, to); }

void scale_by(std::size_t n, const double* factor, double* x) { kernel_loops().scale(n, factor, x); }
void scale_by(std::size_t n, const float* factor, float* x) { kernel_loops().scale_single(n, factor, x); }

void take_squares(std::size_t n, std::size_t columns, const double* x, double* left) {
  kernel_loops().subtract_squares(n, columns, x, left);
}
void take_squares(std::size_t n, std::size_t columns, const float* x, double* left) {
  kernel_loops().subtract_squares_single(n, columns, x, left);
}

}  // namespace

std::vector<double> angle_columns(const GpModel& model) {
  const ScaledPoints& points = model.points;
  std::vector<double> columns = points.values;
  if (model.parameters.kernel != GpKernel::kArcsine) return columns;
  for (std::size_t c = 0; c < points.coordinates; ++c) {
    for (std::size_t j = 0; j < points.points; ++j) columns[c * points.points + j] *= 2.0 * points.scales[j];
  }
  return columns;
}

template <>
GpSpread<double>::GpSpread(const GpModel& model)
    : model_(model), spread_(model.spread.data()), columns_(angle_columns(model)) {}

template <>
GpSpread<float>::GpSpread(const GpModel& model)
    : model_(model), spread_(model.single.spread.data()), leading_(kLeadingPoints) {
  const std::vector<double> columns = angle_columns(model);
  columns_.resize(columns.size());
  copy_to(columns.size(), columns.data(), columns_.data());
}

template <class Scalar>
std::unique_ptr<Scalar[]> GpSpread<Scalar>::start(std::size_t draws, std::size_t most_per_block, Keep keep) {
  keep_ = keep;
  slopes_.resize(keep_ == Keep::kForGradient ? draws * model_.spread_points : 0);
  directions_.resize((keep_ == Keep::kForGradient ? draws : most_per_block) * model_.directions);
  return std::unique_ptr<Scalar[]>(new Scalar[most_per_block * model_.features()]);
}

template <>
void GpSpread<double>::take_points(std::size_t first, std::size_t n, std::size_t first_point, std::size_t count,
                                   const double* values, const double* slopes, double* features) {
  std::copy_n(values, n * count, features + n * first_point);
  if (keep_ == Keep::kNothing) return;
  std::copy_n(slopes, n * count, slopes_.data() + first * model_.spread_points + n * first_point);
}

template <>
void GpSpread<float>::take_points(std::size_t first, std::size_t n, std::size_t first_point, std::size_t count,
                                  const double* values, const double* slopes, float* features) {
  const KernelLoops& loops = kernel_loops();
  if (first_point == 0) {
    independent_.resize(n * leading_);
    multiply(1.0, {values, n, leading_}, {model_.single.whiten.data(), leading_, leading_, 0, true}, 0.0,
             independent_.data());
  }
  for (std::size_t j = first_point == 0 ? leading_ : 0; j < count; ++j) {
    const std::size_t point = first_point + j;
    loops.narrow_rest(n, independent_.data(), model_.single.weights.data() + leading_ * point, values + n * j,
                      features + n * point);
  }
  if (keep_ == Keep::kNothing) return;
  loops.narrow(n * count, slopes, slopes_.data() + first * model_.spread_points + n * first_point);
}

template <class Scalar>
void GpSpread<Scalar>::explain(std::size_t first, std::size_t n, std::span<const Condition> conditions,
                               Scalar* features, double* left) {
  const std::size_t p = model_.features();
  const std::size_t r = model_.directions;
  Scalar* column = features + n * model_.spread_points;
  std::fill_n(column, n, Scalar{1});
  for (const Condition& condition : conditions) {
    column += n;
    if (condition.shared) {
      std::fill_n(column, n, static_cast<Scalar>(*condition.values));
    } else {
      copy_to(n, condition.values + first, column);
    }
  }
  std::fill_n(left, n, 0.0);
  Scalar* directions = directions_.data() + (keep_ == Keep::kForGradient ? first * r : 0);
  for (std::size_t l = 0; l < r; l += kStrip) {
    const std::size_t count = std::min(kStrip, r - l);
    const std::size_t from = std::max(l, leading_);
    multiply(Scalar{1}, BasicMatrixView<Scalar>{features + n * from, n, p - from},
             BasicMatrixView<Scalar>{spread_ + l * p + from, p - from, count, p}, Scalar{0}, directions + n * l);
    if (l < leading_) {
      add_independent(n, directions, left);
      const std::size_t done = std::min(leading_, r);
      take_squares(n, count - done, directions + n * done, left);
      continue;
    }
    take_squares(n, count, directions + n * l, left);
  }
}

// Completes the first directions in double, where they are large, and takes their squares.
template <class Scalar>
void GpSpread<Scalar>::add_independent(std::size_t n, Scalar* directions, double* left) {
  const std::size_t count = std::min(leading_, model_.directions);
  std::vector<double> sums(directions, directions + n * count);
  multiply(1.0, {independent_.data(), n, leading_}, {model_.single.corner.data(), leading_, count}, 1.0, sums.data());
  take_squares(n, count, sums.data(), left);
  copy_to(n * count, sums.data(), directions);
}

// Half the derivatives of the explained variance by some of the features.
template <class Scalar>
void GpSpread<Scalar>::derive(std::size_t first, std::size_t n, const Scalar* rows, std::size_t count,
                              std::size_t stride, std::size_t directions, Scalar* derivatives) const {
  multiply(Scalar{1}, BasicMatrixView<Scalar>{directions_.data() + first * model_.directions, n, directions},
           BasicMatrixView<Scalar>{rows, count, directions, stride, true}, Scalar{0}, derivatives);
}

template <class Scalar>
void GpSpread<Scalar>::add_gradient(std::size_t first, std::span<const double> factors,
                                    std::span<const Condition> conditions, double* products,
                                    std::span<double* const> gradients) const {
  const std::size_t n = factors.size();
  const std::size_t p = model_.features();
  const std::size_t r = model_.directions;
  const std::size_t m = model_.spread_points;
  const std::size_t width = model_.points.coordinates;
  const std::size_t inputs = conditions.size();
  std::vector<Scalar> strip(n * std::max(kStrip, inputs));
  derive(first, n, spread_ + m + 1, inputs, p, r, strip.data());
  for (std::size_t k = 0; k < inputs; ++k) {
    if (gradients[k] == nullptr) continue;
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double gradient = factors[i] * static_cast<double>(strip[k * n + i]);
      (conditions[k].shared ? total : gradients[k][first + i]) += gradient;
    }
    if (conditions[k].shared) gradients[k][0] += total;
  }
  if (products == nullptr) return;

  std::vector<Scalar> reached(n * width);
  const Scalar* slopes = slopes_.data() + first * m;
  const auto add_points = [&](std::size_t j, std::size_t count) {
    scale_by(n * count, slopes + n * j, strip.data());
    multiply(Scalar{1}, BasicMatrixView<Scalar>{strip.data(), n, count},
             BasicMatrixView<Scalar>{columns_.data() + j, count, width, model_.points.points}, Scalar{1},
             reached.data());
  };
  if constexpr (std::is_same_v<Scalar, float>) {
    derive(first, n, model_.single.first.data(), leading_, leading_, r, strip.data());
    add_points(0, leading_);
  }
  for (std::size_t j = leading_; j < m; j += kStrip) {
    const std::size_t count = std::min(kStrip, m - j);
    derive(first, n, spread_ + j, count, p, std::min(j + count, r), strip.data());
    add_points(j, count);
  }
  for (std::size_t c = 0; c < width; ++c) {
    for (std::size_t i = 0; i < n; ++i) products[c * n + i] += factors[i] * static_cast<double>(reached[c * n + i]);
  }
}

template class GpSpread<float>;
template class GpSpread<double>;

}  // namespace olem::internal::sampling
