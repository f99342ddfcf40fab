#pragma once

#include <Eigen/Core>
#include <span>

#include "olem/order_diffan.h"
#include "order/diffan_network.h"

namespace olem::internal {

// What DiffAN reads from its network at a point. With f the output (the noise told, proportional to the score), J its
// Jacobian with respect to the variables, R the removed and L the remaining variables:
//   masking: J_ll;
//   residue: d/dx_l of f_l - sum over r in R of f_r J_rl / J_rr
//          = J_ll - sum_r [J_rl^2 + f_r (H_rll - J_rl H_rrl / J_rr)] / J_rr, H_r the Hessian of f_r;
//   published: the same with the sum added.
// For one removed variable the residue leaves the score of the others' own distribution (Sanchez et al. 2023, Theorem
// 1). A removed variable whose J_rr is exactly zero at a point counts for nothing there.
//
// The derivatives are exact. After the second LayerNorm the network is piecewise linear, so its output is linear in
// what comes out of there with one row of coefficients per output, which the transposed products of the Jacobian yield
// anyway. Curvature comes from the two LayerNorms alone, whose second derivative is a closed form in inner products:
// the residue costs hardly more than the Jacobian. One pass of the network per variable and point, 2 x weights
// operations each.
//
// The memory of a call is kept for the next one: one object per thread.
template <class Scalar>
class DiffanDerivatives {
 public:
  // For at most `points` points at a time.
  DiffanDerivatives(const DiffanNetwork<Scalar>& network, nn::Index points);

  // Points for which a call with this many variables is fast and needs about 10 MB.
  static nn::Index points_per_call(nn::Index variables);
  static std::size_t bytes(const DiffanShape& shape, nn::Index points);

  // One row per entry of `remaining`, one column per column of `input`, (d + 1) x points, in which the removed
  // variables are already zero. In the calling thread.
  void diagonal(const Scalar* weights, const nn::ConstView<Scalar>& input, std::span<const std::size_t> remaining,
                std::span<const std::size_t> removed, DiffanVariant variant, Eigen::Ref<Eigen::MatrixXd> result);

 private:
  // Pulls unit vectors of `outputs` back to the input: fills jacobian_ and the stages on the way.
  void pull_back(const Scalar* weights, nn::Index points, std::span<const std::size_t> outputs);
  // Pushes the unit vectors of all variables forward to what goes into the second LayerNorm.
  void push_forward(const Scalar* weights, nn::Index points);
  // Second derivatives of the removed outputs at one point: H_rll and H_rrl for each pair, removed x remaining.
  void add_curvature(const nn::LayerNorm<Scalar>& norm, const Scalar* weights, const nn::Matrix<Scalar>& hidden,
                     const nn::Matrix<Scalar>& moments, const nn::Matrix<Scalar>& pulled,
                     const nn::Matrix<Scalar>& pushed, nn::Index point, std::span<const std::size_t> remaining,
                     std::span<const std::size_t> removed);

  const DiffanNetwork<Scalar>& network_;
  typename DiffanNetwork<Scalar>::Batch batch_;
  // One column per point and output, outputs fastest: the transposed Jacobian from each stage on.
  nn::Matrix<Scalar> pulled4_, pulled3_, pulled_normal2_, pulled2_, pulled_normal1_, pulled1_, jacobian_;
  // One column per point and variable: the Jacobian up to each stage.
  nn::Matrix<Scalar> pushed1_, pushed_normal1_, pushed2_;
  Eigen::MatrixXd along_both_;  // H_rll
  Eigen::MatrixXd along_own_;   // H_rrl
};

}  // namespace olem::internal
