#include "decide/objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "olem/random.h"

namespace olem::objective_test {

using namespace internal;
namespace {

OutcomeDraws draws_of(std::vector<double> values, std::size_t draws) {
  OutcomeDraws all;
  all.draws = draws;
  all.values = std::move(values);
  all.valid.assign(draws, 1);
  return all;
}

// Both outcomes wanted in [-0.5, 2.5]: centre (1, 1), radius 1.5.
OutcomeObjective square() {
  const Region region = Region::box({{"a", -0.5, 2.5}, {"b", -0.5, 2.5}});
  return OutcomeObjective(region, {1.0, 1.0}, 1.5, Context());
}

// Samples (1, 1), (3, 1), (0, -1), (1, 4).
OutcomeDraws four_draws() { return draws_of({1, 3, 0, 1, 1, 1, -1, 4}, 4); }

TEST(Objective, SurrogateLossesOfFourDraws) {
  std::vector<double> adjoints(8);
  const auto loss = [&](SurrogateLoss kind) { return square().surrogate(kind, four_draws(), adjoints); };
  EXPECT_NEAR(loss(SurrogateLoss::kCenterMae), 2.0, 1e-12);
  EXPECT_NEAR(loss(SurrogateLoss::kCenterMse), 4.5, 1e-12);
  EXPECT_NEAR(loss(SurrogateLoss::kBallHuber), 3.7395509831, 1e-9);
  EXPECT_NEAR(loss(SurrogateLoss::kBallInsensitive), 0.6840169944, 1e-9);
}

TEST(Objective, DrawsThatAreNotValidAreNeitherSuccessesNorPartOfALoss) {
  OutcomeDraws draws = four_draws();
  draws.valid[0] = 0;
  draws.excluded = 1;
  std::vector<double> adjoints(8);
  EXPECT_EQ(square().successes(four_draws()), 1U);
  EXPECT_EQ(square().successes(draws), 0U);
  EXPECT_NEAR(square().surrogate(SurrogateLoss::kCenterMae, draws, adjoints), 8.0 / 3.0, 1e-12);
  EXPECT_EQ(adjoints[0], 0.0);
}

TEST(Objective, GradientsAreThoseOfCentralDifferences) {
  const Region region = Region::polytope({"a", "b"}, {{1.0, 2.0}, {-1.0, 0.5}, {0.0, -1.0}}, {2.0, 1.0, 1.5});
  const OutcomeObjective objective(region, {0.2, -0.1}, 0.8, Context());
  RandomStream random(3, "objective");
  const std::size_t n = 20;
  std::vector<double> values(2 * n);
  for (double& v : values) v = random.normal();
  std::vector<double> adjoints(2 * n);
  std::vector<double> unused(2 * n);
  const auto check = [&](const auto& value_of, const char* what) {
    value_of(values, adjoints);
    for (std::size_t i = 0; i < values.size(); ++i) {
      constexpr double kStep = 1e-6;
      std::vector<double> moved = values;
      moved[i] += kStep;
      const double up = value_of(moved, unused);
      moved[i] -= 2.0 * kStep;
      const double down = value_of(moved, unused);
      EXPECT_NEAR(adjoints[i], (up - down) / (2.0 * kStep), 1e-8) << what;
    }
  };
  for (const SurrogateLoss loss : {SurrogateLoss::kCenterMae, SurrogateLoss::kCenterMse, SurrogateLoss::kBallHuber,
                                   SurrogateLoss::kBallInsensitive}) {
    check([&](const std::vector<double>& v,
              std::vector<double>& a) { return objective.surrogate(loss, draws_of(v, n), a); },
          "surrogate");
  }
  for (const double tau : {0.5, 0.06}) {
    check([&](const std::vector<double>& v,
              std::vector<double>& a) { return objective.smoothed(tau, draws_of(v, n), a); },
          "smoothed");
  }
}

// Two outcomes with levels and a range between them; draws anywhere, as relaxed ones are.
TEST(Objective, LevelsAreSmoothedWithTheirGradient) {
  Column grade;
  grade.type = ColumnType::kOrdinal;
  grade.levels = {{-1.0, "poor"}, {0.0, "fair"}, {0.5, "good"}, {2.0, "very good"}};
  const Region written =
      Region::box({{"a", {}, {}, {}, {"poor", "good"}}, {"y", -0.5, 1.0}, {"b", {}, {}, {}, {"very good"}}});
  const Region region = written.resolved(std::vector<Column>{grade, Column(), grade});
  const OutcomeObjective objective(region, {0.5, 0.2, 2.0}, 0.5, Context());
  RandomStream random(8, "levels");
  const std::size_t n = 30;
  OutcomeDraws draws;
  draws.draws = n;
  draws.valid.assign(n, 1);
  for (std::size_t i = 0; i < 3 * n; ++i) draws.values.push_back(1.2 * random.normal());
  std::vector<double> adjoints(3 * n);
  std::vector<double> unused(3 * n);
  for (const double tau : {0.5, 0.12}) {
    objective.smoothed(tau, draws, adjoints);
    for (std::size_t i = 0; i < draws.values.size(); ++i) {
      constexpr double kStep = 1e-6;
      OutcomeDraws moved = draws;
      moved.values[i] += kStep;
      const double up = objective.smoothed(tau, moved, unused);
      moved.values[i] -= 2.0 * kStep;
      EXPECT_NEAR(adjoints[i], (up - objective.smoothed(tau, moved, unused)) / (2.0 * kStep), 1e-8) << tau;
    }
  }
  EXPECT_NEAR(objective.smoothed(1e-5, draws, adjoints), objective.success(draws), 1e-3);
}

TEST(Objective, SmoothedSuccessTendsToTheShareOfSuccesses) {
  RandomStream random(5, "smoothed");
  const std::size_t n = 500;
  std::vector<double> values(2 * n);
  for (double& v : values) v = 2.0 * random.normal();
  const OutcomeDraws draws = draws_of(values, n);
  std::vector<double> adjoints(2 * n);
  EXPECT_NEAR(square().smoothed(1e-4, draws, adjoints), square().success(draws), 2e-3);
}

// Rows are smoothed over the half width of the region in their direction, open ones over a standard deviation.
TEST(Objective, RowWidths) {
  EXPECT_NEAR(square().row_widths()[0], 1.5, 1e-9);
  const OutcomeObjective open(Region::box({{"a", 0.8, std::nullopt}}), {1.0}, 1.0, Context());
  EXPECT_NEAR(open.row_widths()[0], 1.0, 1e-12);
  // Multiplying a row by a positive number changes nothing.
  const OutcomeObjective scaled(Region::polytope({"a"}, {{5.0}, {-2.0}}, {10.0, 0.0}), {1.0}, 1.0, Context());
  const OutcomeObjective plain(Region::polytope({"a"}, {{1.0}, {-1.0}}, {2.0, 0.0}), {1.0}, 1.0, Context());
  const OutcomeDraws draws = draws_of({-0.5, 0.1, 0.9, 1.9, 2.3}, 5);
  std::vector<double> adjoints(5);
  EXPECT_NEAR(scaled.smoothed(0.1, draws, adjoints), plain.smoothed(0.1, draws, adjoints), 1e-12);
}

}  // namespace
}  // namespace olem::objective_test
