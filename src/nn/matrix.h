#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

#include "core/lapack.h"

// Small differentiable layers. Batches hold one sample per column: features x samples. Everything is a template of the
// scalar type with instances for float, which runs, and double, in which derivatives are tested; definitions are in the
// .cpp files.
namespace olem::internal::nn {

using Index = Eigen::Index;

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

// Any block of a matrix, without a copy.
template <class Scalar>
using View = Eigen::Ref<Matrix<Scalar>>;
template <class Scalar>
using ConstView = Eigen::Ref<const Matrix<Scalar>>;

enum class Form { kPlain, kTransposed };

// c = a b + keep c, with either factor transposed. A single thread; OpenBLAS: 2.6 times as fast as Eigen's own product
// in a build that must run on every processor.
template <class Scalar>
void multiply(const ConstView<Scalar>& a, Form form_a, const ConstView<Scalar>& b, Form form_b, Scalar keep,
              View<Scalar> c) {
  // The stride of a single column is never used, and Eigen may say anything; BLAS insists on at least its length.
  const auto stride = [](const auto& matrix) {
    return static_cast<std::size_t>(std::max(matrix.outerStride(), matrix.rows()));
  };
  const auto factor = [&](const ConstView<Scalar>& matrix, Form form) {
    return BasicMatrixView<Scalar>{matrix.data(), static_cast<std::size_t>(matrix.rows()),
                                   static_cast<std::size_t>(matrix.cols()), stride(matrix), form == Form::kTransposed};
  };
  internal::multiply(Scalar{1}, factor(a, form_a), factor(b, form_b), keep, c.data(), stride(c));
}

}  // namespace olem::internal::nn
