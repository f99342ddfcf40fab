#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/random.h"

namespace olem::internal {

// A box in standardised units. Points in it are also written by coordinates in [-1, 1], side to side.
struct Box {
  std::vector<double> low;
  std::vector<double> high;

  std::size_t size() const { return low.size(); }
  double at(std::size_t k, double coordinate) const;
  double coordinate(std::size_t k, double value) const;  // 0 for a side without length
};

// sum of weights[k] x value k <= bound, in standardised units.
struct LinearCondition {
  std::vector<double> weights;  // one per coordinate of the box
  double bound = 0.0;
  double tolerance = 0.0;  // by how much rounding may break it
};

// Where the values of a decision may lie: a box, cut by linear conditions.
class Domain {
 public:
  // Nothing when no point of the box satisfies the conditions. One linear programme if there are any.
  static std::optional<Domain> make(Box box, std::vector<LinearCondition> conditions, const Context& context);

  const Box& box() const { return box_; }
  std::size_t size() const { return box_.size(); }
  bool is_box() const { return conditions_.empty(); }
  const std::vector<LinearCondition>& conditions() const { return conditions_; }
  // The middle of the box, or of the largest ball between the conditions and the sides.
  const std::vector<double>& middle() const { return middle_; }

  bool contains(std::span<const double> values) const;

  // Moves a point to the nearest one of the domain (Dykstra's alternating projections; to about 1e-9, then pulled
  // towards the middle until every condition holds).
  void project(std::span<double> values) const;

  // Uniform in a box; with conditions uniform in what they leave of it, where that is not a small part.
  void draw(RandomStream& random, std::span<double> values) const;

  // The last value of coordinate k towards its lower (side < 0) or upper side when the others stay where they are.
  double furthest(std::span<const double> values, std::size_t k, double side) const;

 private:
  bool satisfied(std::span<const double> values) const;

  Box box_;
  std::vector<LinearCondition> conditions_;
  std::vector<double> middle_;
};

}  // namespace olem::internal
