#include "decide/domain.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace olem::domain_test {

using namespace internal;
namespace {

// The unit square below x + y <= 1.
Domain triangle() { return *Domain::make({{0.0, 0.0}, {1.0, 1.0}}, {{{1.0, 1.0}, 1.0, 1e-9}}, Context()); }

TEST(Domain, MiddleIsThatOfTheLargestBall) {
  const double radius = 1.0 - std::sqrt(0.5);
  EXPECT_NEAR(triangle().middle()[0], radius, 1e-9);
  EXPECT_NEAR(triangle().middle()[1], radius, 1e-9);
  EXPECT_EQ(Domain::make({{-1.0}, {3.0}}, {}, Context())->middle(), std::vector<double>{1.0});
}

TEST(Domain, ProjectsToTheNearestPoint) {
  const auto projected = [](std::vector<double> at) {
    triangle().project(at);
    return at;
  };
  EXPECT_EQ(projected({0.25, 0.5}), (std::vector<double>{0.25, 0.5}));
  const std::vector<double> side = projected({1.0, 1.0});
  EXPECT_NEAR(side[0], 0.5, 1e-9);
  EXPECT_NEAR(side[1], 0.5, 1e-9);
  // The nearest point of the line, (1.5, -0.5), is outside of the box, so that the corner is nearest.
  const std::vector<double> corner = projected({2.0, 0.0});
  EXPECT_NEAR(corner[0], 1.0, 1e-6);
  EXPECT_NEAR(corner[1], 0.0, 1e-6);
}

TEST(Domain, ReachesAsFarAsConditionsAllow) {
  const std::vector<double> at = {0.2, 0.3};
  EXPECT_NEAR(triangle().furthest(at, 0, 1.0), 0.7, 1e-12);
  EXPECT_EQ(triangle().furthest(at, 0, -1.0), 0.0);
}

TEST(Domain, AnEmptyOneIsNoneAndASinglePointIsOne) {
  EXPECT_FALSE(Domain::make({{0.0, 0.0}, {1.0, 1.0}}, {{{-1.0, -1.0}, -3.0, 1e-9}}, Context()));
  const auto point = Domain::make({{0.0, 0.0}, {1.0, 1.0}}, {{{-1.0, -1.0}, -2.0, 1e-9}}, Context());
  ASSERT_TRUE(point);
  std::vector<double> at = {0.0, 0.5};
  point->project(at);
  EXPECT_NEAR(at[0], 1.0, 1e-8);
  EXPECT_TRUE(point->contains(at));
  // Sides without length, one of which a condition agrees with.
  EXPECT_TRUE(Domain::make({{2.0}, {2.0}}, {{{1.0}, 2.0, 1e-9}}, Context()));
  EXPECT_FALSE(Domain::make({{2.0}, {2.0}}, {{{1.0}, 1.0, 1e-9}}, Context()));
}

RC_GTEST_PROP(Domain, ProjectionsAndDrawsAreInside, (std::uint32_t seed)) {
  RandomStream random(seed, "domain");
  const std::size_t n = 1 + random.below(4);
  Box box;
  for (std::size_t k = 0; k < n; ++k) {
    box.low.push_back(random.uniform(-2.0, 1.0));
    box.high.push_back(box.low.back() + random.uniform(0.0, 2.0));
  }
  std::vector<LinearCondition> conditions(1 + random.below(3));
  for (LinearCondition& condition : conditions) {
    for (std::size_t k = 0; k < n; ++k) {
      condition.weights.push_back(random.uniform(-1.0, 1.0));
      condition.bound += condition.weights.back() * box.at(k, random.uniform(-1.0, 1.0));
    }
    condition.tolerance = 1e-9;
  }
  const std::optional<Domain> domain = Domain::make(box, conditions, Context());
  if (!domain) return;
  for (int i = 0; i < 5; ++i) {
    std::vector<double> at(n);
    for (double& x : at) x = random.uniform(-4.0, 4.0);
    const std::vector<double> from = at;
    domain->project(at);
    RC_ASSERT(domain->contains(at));
    std::vector<double> drawn(n);
    domain->draw(random, drawn);
    RC_ASSERT(domain->contains(drawn));
    // Nothing of the domain is nearer.
    double distance = 0.0;
    double other = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      distance += (at[k] - from[k]) * (at[k] - from[k]);
      other += (drawn[k] - from[k]) * (drawn[k] - from[k]);
    }
    RC_ASSERT(std::sqrt(distance) <= std::sqrt(other) + 1e-3);
  }
}

}  // namespace
}  // namespace olem::domain_test
