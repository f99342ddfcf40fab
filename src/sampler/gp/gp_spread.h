#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "olem/sampler.h"
#include "sampler/gp/gp_model.h"

namespace olem::internal::sampling {

// Derivatives of angles (arcsine) or exponents (rbf) by the draw's coordinates, less what is the same for all points:
// points x coordinates.
std::vector<double> angle_columns(const GpModel& model);

// The part of a GpModel's variance that the data explains, |spread^T g(c)|^2, and its derivatives, for draws that have
// kernel values of their own. Features and directions are Scalars, squares are summed in double. `float` is for
// models with a SingleSpread, `double` for all. For n draws, p features and r directions: n (p r - r^2 / 2)
// products for the values and as many for the derivatives.
//
// Draws come in blocks of n, the first of them numbered `first`; matrices of a block have n rows.
template <class Scalar>
class GpSpread {
 public:
  // The model must stand.
  explicit GpSpread(const GpModel& model);

  enum class Keep {
    kForGradient,  // what add_gradient needs of all draws
    kNothing,      // add_gradient must not follow
  };
  // Before the blocks: room for what is kept, and scratch for the features of a block.
  std::unique_ptr<Scalar[]> start(std::size_t draws, std::size_t most_per_block, Keep keep);

  // Kernel values and slopes (n x count) of some of the spread points, in their order, kLeadingPoints of them or more
  // the first time: values go to `features`, slopes are kept if anything is.
  void take_points(std::size_t first, std::size_t n, std::size_t first_point, std::size_t count, const double* values,
                   const double* slopes, Scalar* features);

  // The rest of the features; then left = -explained variance, per draw of the block.
  void explain(std::size_t first, std::size_t n, std::span<const Condition> conditions, Scalar* features, double* left);

  // Adds factor_i times half the derivative of draw i's explained variance: by the inputs, through the linear part, to
  // gradients[k] (of all draws; null pointers are left out), and, unless `products` is null, by the angles or exponents
  // times angle_columns to `products` (n x coordinates).
  void add_gradient(std::size_t first, std::span<const double> factors, std::span<const Condition> conditions,
                    double* products, std::span<double* const> gradients) const;

 private:
  void add_independent(std::size_t n, Scalar* directions, double* left);
  // Rows of `rows`, `stride` apart, times the directions of a block.
  void derive(std::size_t first, std::size_t n, const Scalar* rows, std::size_t count, std::size_t stride,
              std::size_t directions, Scalar* derivatives) const;

  const GpModel& model_;
  const Scalar* spread_;             // the model's, or that of its SingleSpread
  std::size_t leading_ = 0;          // points of the SingleSpread that are taken care of in double
  std::vector<double> independent_;  // block x leading: f of the SingleSpread
  std::vector<Scalar> columns_;      // angle_columns
  Keep keep_ = Keep::kForGradient;
  std::vector<Scalar> slopes_;      // draws x spread points, by blocks; empty when nothing is kept
  std::vector<Scalar> directions_;  // draws x directions, by blocks; of the latest block when nothing is kept
};

template <>
GpSpread<double>::GpSpread(const GpModel& model);
template <>
GpSpread<float>::GpSpread(const GpModel& model);
template <>
void GpSpread<double>::take_points(std::size_t first, std::size_t n, std::size_t first_point, std::size_t count,
                                   const double* values, const double* slopes, double* features);
template <>
void GpSpread<float>::take_points(std::size_t first, std::size_t n, std::size_t first_point, std::size_t count,
                                  const double* values, const double* slopes, float* features);
extern template class GpSpread<float>;
extern template class GpSpread<double>;

}  // namespace olem::internal::sampling
