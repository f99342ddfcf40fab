#pragma once

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem {

enum class PrecisionEstimator { kPlain, kClime };

struct ListenOptions {
  // The plain inverse has no tuning parameter and no bias; CLIME is for tables with nearly as many columns as rows, or
  // more.
  PrecisionEstimator precision = PrecisionEstimator::kPlain;
  // How far S b may be from a column of the identity, for every entry. 0: sqrt(ln d / n) / 2, the rate of the
  // theory (Cai, Liu and Luo 2011) with the constant that published programs use.
  double clime_lambda = 0.0;
};

// Key of the weights among the matrices of the result.
inline constexpr const char* kListenWeights = "weights";

OptionSet describe(ListenOptions& options);

enum class ListenEdges { kThreshold, kPvalue, kCam };

// From the order and the weights of LISTEN to a graph.
struct ListenGraphOptions {
  // The publication keeps the weights that are not zero; with an inverse none is, and a threshold is the nearest rule.
  ListenEdges edges = ListenEdges::kThreshold;
  // The least weight in absolute value. Weights are in units of the child per unit of the parent: 0.1 suits columns on
  // comparable scales only.
  double threshold = 0.1;
  // As strict as the cutoff of CAM pruning, for the same number of tests.
  double alpha = 0.001;
};

OptionSet describe(ListenGraphOptions& options);

// LISTEN (Ghoshal and Honorio 2018, Algorithm 1) for linear models x_i = sum_j B_ij x_j + noise: of the precision
// matrix Omega of the variables left, the smallest diagonal entry belongs to a variable without children, when noise
// variances are equal or do not differ too much. It is put last, with the weights B_ij = -Omega_ij / Omega_ii of its
// regression on the others, and taken out.
//
// The steps' values are the diagonal of Omega, in one over the squared units of the columns. With the plain inverse a
// step is decided when its gap is more than twice its standard error; CLIME has none. The covariance has the divisor n.
// The matrix kListenWeights of the result holds the weight of i -> j. Plain inverse: O(n d^2 + d^4 / 100) time; CLIME:
// O(d^2) linear programmes with 2d variables.
//
// Fails with a data error that names the column when one is a linear combination of others (plain inverse), and when
// clime_lambda is so small that the linear programme of a column has no solution.
OrderResult learn_order_listen(const Table& table, const ListenOptions& options, const Precedence& knowledge,
                               const Context& context);

}  // namespace olem
