#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "olem/context.h"

namespace olem::internal {

// {y : normal_i . y <= bound_i}; row i of `normals` has `size` entries.
struct HalfSpaces {
  std::size_t size = 0;
  std::vector<double> normals;
  std::vector<double> bounds;

  std::span<const double> normal(std::size_t row) const { return {normals.data() + row * size, size}; }
};

enum class BallStatus {
  kFound,
  kEmpty,      // the half-spaces have no point in common
  kUnbounded,  // they hold balls of any size
};

struct LargestBall {
  BallStatus status = BallStatus::kFound;
  std::vector<double> centre;
  double radius = 0.0;
  bool flat = false;                  // there are points but no ball: the radius is 0
  std::vector<std::size_t> conflict;  // of kEmpty: rows without a common point, none of them superfluous; ascending
};

// The largest ball in the intersection of the half-spaces. When there are several, its centre is the one nearest to the
// origin; if every row has a single entry that is not zero (a box), it is instead the middle of every side with two
// ends and, for other coordinates, what is nearest to the origin.
//
// One linear programme over size + 1 variables and one least-distance problem (Lawson and Hanson 1974, chapter 23) on
// the set of its optima; closed form for a box. The centre satisfies every row to rounding and the radius is its least
// distance to a border. An internal error when an answer does not stand its test. Points closer than 1e-9 (relative to
// 1 and to the bounds that matter) count as equal, so that a region may be flat or empty by rounding only.
LargestBall largest_ball(const HalfSpaces& spaces, const Context& context);

}  // namespace olem::internal
