#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/order_result.h"

namespace olem::internal {

// Two variables that stand one way round in some orders and the other way round in others.
struct SeparatingPair {
  std::string first;  // before `second` in the first order
  std::string second;
  std::vector<bool> as_first;  // by order: they stand as in the first
  double explained = 0.0;      // share of the variance of the values that lies between the two groups
};

// The pair whose order separates the values, one per order, best; of equals the one that comes first. Nothing when all
// orders or all values are the same.
std::optional<SeparatingPair> separating_pair(std::span<const Order> orders, std::span<const double> values);

// 0 where one of them does not vary.
double squared_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace olem::internal
