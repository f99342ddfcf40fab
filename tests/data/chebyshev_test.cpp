#include "data/chebyshev.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "olem/random.h"

namespace olem::chebyshev_test {

using namespace internal;
namespace {

// Tangents of the unit ball around `inside`, moved outwards by up to `room` each.
HalfSpaces random_spaces(RandomStream& random, std::size_t size, std::size_t rows, double room) {
  HalfSpaces spaces;
  spaces.size = size;
  std::vector<double> inside(size);
  for (double& value : inside) value = random.uniform(-3.0, 3.0);
  for (std::size_t i = 0; i < rows; ++i) {
    double norm = 0.0;
    double bound = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      const double value = random.normal();
      spaces.normals.push_back(value);
      norm += value * value;
      bound += value * inside[j];
    }
    spaces.bounds.push_back(bound + std::sqrt(norm) * random.uniform(0.1, 0.1 + room));
  }
  return spaces;
}

// Small whole numbers: parallel, equal and superfluous rows, and many centres that are equally good.
HalfSpaces degenerate_spaces(RandomStream& random, std::size_t size, std::size_t rows) {
  HalfSpaces spaces;
  spaces.size = size;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < size; ++j) spaces.normals.push_back(static_cast<double>(random.below(3)) - 1.0);
    spaces.bounds.push_back(static_cast<double>(random.below(4)));
  }
  return spaces;
}

double least_distance_to_border(const HalfSpaces& spaces, std::span<const double> point) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < spaces.bounds.size(); ++i) {
    const auto normal = spaces.normal(i);
    const double norm = std::sqrt(std::inner_product(normal.begin(), normal.end(), normal.begin(), 0.0));
    if (norm == 0.0) continue;
    const double activity = std::inner_product(normal.begin(), normal.end(), point.begin(), 0.0);
    least = std::min(least, (spaces.bounds[i] - activity) / norm);
  }
  return least;
}

void expect_same(const LargestBall& a, const LargestBall& b, std::span<const double> moved) {
  RC_ASSERT(a.status == b.status);
  if (a.status != BallStatus::kFound) return;
  RC_ASSERT(std::abs(a.radius - b.radius) < 1e-8);
  for (std::size_t j = 0; j < a.centre.size(); ++j) {
    RC_ASSERT(std::abs(a.centre[j] + moved[j] - b.centre[j]) < 1e-7);
  }
}

RC_GTEST_PROP(LargestBallProperty, FitsAndIsTheLargest, ()) {
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "region");
  const auto size = *rc::gen::inRange<std::size_t>(2, 6);
  const auto rows = *rc::gen::inRange<std::size_t>(size + 1, 25);
  const HalfSpaces spaces =
      *rc::gen::arbitrary<bool>() ? random_spaces(random, size, rows, 2.0) : degenerate_spaces(random, size, rows);
  const LargestBall ball = largest_ball(spaces, Context());
  RC_ASSERT(ball.status != BallStatus::kEmpty);
  RC_CLASSIFY(ball.status == BallStatus::kUnbounded);
  RC_CLASSIFY(ball.flat);
  if (ball.status == BallStatus::kUnbounded) return;
  RC_ASSERT(ball.flat == (ball.radius == 0.0));
  RC_ASSERT(std::abs(least_distance_to_border(spaces, ball.centre) - ball.radius) < 1e-10);
  std::vector<double> point(size);
  for (int trial = 0; trial < 1000; ++trial) {
    const double reach = std::pow(10.0, random.uniform(-6.0, 1.0));
    for (std::size_t j = 0; j < size; ++j) point[j] = ball.centre[j] + reach * random.normal();
    RC_ASSERT(least_distance_to_border(spaces, point) <= ball.radius + 1e-9 * (1.0 + reach));
  }
}

RC_GTEST_PROP(LargestBallProperty, RowOrderAndPositiveFactorsDoNotMatter, ()) {
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "region");
  const auto size = *rc::gen::inRange<std::size_t>(2, 6);
  const auto rows = *rc::gen::inRange<std::size_t>(size + 1, 25);
  const HalfSpaces spaces =
      *rc::gen::arbitrary<bool>() ? random_spaces(random, size, rows, 2.0) : degenerate_spaces(random, size, rows);
  HalfSpaces changed;
  changed.size = size;
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return spaces.bounds[a] < spaces.bounds[b]; });
  for (const std::size_t i : order) {
    const double factor = std::pow(10.0, random.uniform(-6.0, 6.0));
    for (const double value : spaces.normal(i)) changed.normals.push_back(factor * value);
    changed.bounds.push_back(factor * spaces.bounds[i]);
  }
  expect_same(largest_ball(spaces, Context()), largest_ball(changed, Context()), std::vector<double>(size, 0.0));
}

// Prisms: with as few rows as twice the dimension or less, often many balls are equally large. Of those the nearest to
// the origin is taken, so the origin is moved along.
RC_GTEST_PROP(LargestBallProperty, OfManyItIsTheNearest, ()) {
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "region");
  const auto size = *rc::gen::inRange<std::size_t>(2, 6);
  HalfSpaces spaces = random_spaces(random, size, *rc::gen::inRange<std::size_t>(0, 6), 20.0);
  // Two parallel sides decide the radius.
  std::vector<double> normal(size);
  for (double& value : normal) value = random.normal();
  const double norm = std::sqrt(std::inner_product(normal.begin(), normal.end(), normal.begin(), 0.0));
  const double middle = random.uniform(-1.0, 1.0);
  for (const double sign : {1.0, -1.0}) {
    for (const double value : normal) spaces.normals.push_back(sign * value);
    spaces.bounds.push_back(sign * middle + 0.01 * norm);
  }
  const LargestBall ball = largest_ball(spaces, Context());
  RC_PRE(ball.status == BallStatus::kFound);
  const double length = std::inner_product(ball.centre.begin(), ball.centre.end(), ball.centre.begin(), 0.0);
  std::vector<double> point(size);
  for (int trial = 0; trial < 1000; ++trial) {
    // Steps within the plane between the two sides.
    const double reach = std::pow(10.0, random.uniform(-5.0, 1.0));
    double along = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      point[j] = reach * random.normal();
      along += point[j] * normal[j] / norm;
    }
    for (std::size_t j = 0; j < size; ++j) point[j] += ball.centre[j] - along * normal[j] / norm;
    if (least_distance_to_border(spaces, point) < ball.radius - 1e-12) continue;
    RC_ASSERT(std::inner_product(point.begin(), point.end(), point.begin(), 0.0) >= length - 1e-8 * (1.0 + length));
  }
}

// Moving everything, the origin included, moves the ball: with one centre only, moving the half-spaces suffices.
RC_GTEST_PROP(LargestBallProperty, MovesWithTheRegion, ()) {
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "region");
  const auto size = *rc::gen::inRange<std::size_t>(2, 5);
  const HalfSpaces spaces = random_spaces(random, size, 12 * size, 2.0);
  std::vector<double> shift(size);
  for (double& value : shift) value = random.uniform(-100.0, 100.0);
  HalfSpaces moved = spaces;
  for (std::size_t i = 0; i < moved.bounds.size(); ++i) {
    const auto normal = spaces.normal(i);
    moved.bounds[i] += std::inner_product(normal.begin(), normal.end(), shift.begin(), 0.0);
  }
  expect_same(largest_ball(spaces, Context()), largest_ball(moved, Context()), shift);
}

// Rows that exclude a common point: the named ones alone exclude it, and no fewer of them do.
RC_GTEST_PROP(LargestBallProperty, NamesAMinimalConflict, ()) {
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "region");
  const auto size = *rc::gen::inRange<std::size_t>(2, 5);
  HalfSpaces spaces = random_spaces(random, size, *rc::gen::inRange<std::size_t>(4, 20), 1.0);
  for (double& bound : spaces.bounds) bound -= random.uniform(0.0, 3.0);
  const LargestBall ball = largest_ball(spaces, Context());
  RC_PRE(ball.status == BallStatus::kEmpty);
  const auto status_without = [&](std::size_t left_out) {
    HalfSpaces few;
    few.size = size;
    for (const std::size_t i : ball.conflict) {
      if (i == left_out) continue;
      few.normals.insert(few.normals.end(), spaces.normal(i).begin(), spaces.normal(i).end());
      few.bounds.push_back(spaces.bounds[i]);
    }
    return largest_ball(few, Context()).status;
  };
  RC_ASSERT(status_without(spaces.bounds.size()) == BallStatus::kEmpty);
  for (const std::size_t i : ball.conflict) RC_ASSERT(status_without(i) != BallStatus::kEmpty);
}

// The closed form of a box against the programme: a row that says nothing but has two entries makes it a polytope.
RC_GTEST_PROP(LargestBallProperty, ABoxHasTheRadiusOfItsProgramme, ()) {
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "region");
  const auto size = *rc::gen::inRange<std::size_t>(2, 6);
  HalfSpaces box;
  box.size = size;
  for (std::size_t j = 0; j < size; ++j) {
    const double low = random.uniform(-5.0, 5.0);
    for (const double sign : {-1.0, 1.0}) {
      if (random.uniform() < 0.3) continue;
      std::vector<double> normal(size, 0.0);
      normal[j] = sign * 2.0;
      box.normals.insert(box.normals.end(), normal.begin(), normal.end());
      box.bounds.push_back(2.0 * (sign < 0.0 ? -low : low + random.uniform(0.1, 3.0)));
    }
  }
  const LargestBall closed = largest_ball(box, Context());
  HalfSpaces polytope = box;
  for (std::size_t j = 0; j < size; ++j) polytope.normals.push_back(j < 2 ? 1.0 : 0.0);
  polytope.bounds.push_back(1000.0);
  const LargestBall programme = largest_ball(polytope, Context());
  if (closed.status == BallStatus::kUnbounded) return;
  RC_ASSERT(programme.status == closed.status);
  RC_ASSERT(std::abs(programme.radius - closed.radius) < 1e-10);
  RC_ASSERT(std::abs(least_distance_to_border(box, closed.centre) - closed.radius) < 1e-12);
}

}  // namespace
}  // namespace olem::chebyshev_test
