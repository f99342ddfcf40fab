#include "olem/rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "olem/error.h"
#include "olem/random.h"

namespace olem::test::rounds_test {
namespace {

// Columns of independent noise whose sample means, variances and covariances are exactly 0, 1 and 0.
Eigen::MatrixXd exact_columns(Eigen::Index rows, Eigen::Index columns) {
  RandomStream random(11, "rounds_test");
  Eigen::MatrixXd noise(rows, columns + 1);
  for (Eigen::Index j = 0; j <= columns; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) noise(i, j) = j == 0 ? 1.0 : random.normal();
  }
  const Eigen::MatrixXd q =
      Eigen::HouseholderQR<Eigen::MatrixXd>(noise).householderQ() * Eigen::MatrixXd::Identity(rows, columns + 1);
  return q.rightCols(columns) * std::sqrt(static_cast<double>(rows));
}

// The model of docs/methods/rounds.md: V = (x, z, y), one round given the one before.
std::shared_ptr<const SamplerSet> one_round() {
  const Eigen::Index n = 200;
  const Eigen::MatrixXd e = exact_columns(n, 6);
  std::vector<std::vector<double>> v(6, std::vector<double>(static_cast<std::size_t>(n)));
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto r = static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < 3; ++k) v[k][r] = 0.3 * static_cast<double>(k) + e(i, static_cast<Eigen::Index>(k));
    v[3][r] = 0.45 * v[0][r] + std::sqrt(0.04) * e(i, 3);
    v[4][r] = 0.2 * v[3][r] + 0.1 * v[1][r] + std::sqrt(0.03) * e(i, 4);
    v[5][r] = 0.4 * v[3][r] + 1.1 * v[4][r] - 0.35 * v[1][r] + 0.2 * v[2][r] + std::sqrt(0.05) * e(i, 5);
  }
  std::vector<double> cells;
  for (const auto& column : v) cells.insert(cells.end(), column.begin(), column.end());
  const std::vector<std::string> names = {"x@-1", "z@-1", "y@-1", "x", "z", "y"};
  SamplerOptions options;
  options.sampler = "gaussian";
  return std::make_shared<const SamplerSet>(
      fit_samplers(Table(names, cells, "made"), conditions_from_order(names), options, {}));
}

RoundsProblem posed(int rounds, double side, double x, std::vector<double> before, int done = 0) {
  RoundsProblem problem;
  problem.task.context = {"x"};
  problem.task.alterable = {{"z", -side, side}};
  problem.task.outcome = {"y"};
  problem.task.desired = Region::box({{"y", 0.85, 1.15}});
  problem.samplers = one_round();
  problem.observed = {{"x", x}};
  problem.past = Table({"x", "z", "y"}, std::move(before), "past");
  problem.options.rounds = rounds;
  problem.options.done = done;
  return problem;
}

DecisionOptions few_draws() {
  DecisionOptions options;
  options.draws = 300;
  options.judge_draws = 1000;
  return options;
}

TEST(Rounds, TheKnownAnswersOfOneRound) {
  const RoundsDecision free = decide_rounds(posed(1, 2.0, 0.3, {0.1, -0.2, 0.5}), few_draws(), {});
  ASSERT_EQ(free.plan.size(), 1U);
  EXPECT_NEAR(free.plan[0][0].value, 0.645455, 1e-6);
  EXPECT_NEAR(*free.decision.alterations[0].value, 0.645455, 1e-6);
  // .15 / sqrt(.05) to both sides.
  EXPECT_NEAR(free.decision.success_probability, std::erf(0.15 / std::sqrt(0.1)), 0.06);
  const RoundsDecision cut = decide_rounds(posed(1, 0.5, 0.3, {0.1, -0.2, 0.5}), few_draws(), {});
  EXPECT_NEAR(cut.plan[0][0].value, 0.5, 1e-6);
}

TEST(Rounds, TheKnownAnswersOfThreeRounds) {
  const RoundsDecision now = decide_rounds(posed(3, 2.0, 0.3, {0.1, -0.2, 0.5}), few_draws(), {});
  ASSERT_EQ(now.plan.size(), 3U);
  EXPECT_NEAR(now.plan[2][0].value, 0.922550, 1e-6);
  EXPECT_NEAR(now.plan[1][0].value, 0.813521, 1e-6);
  EXPECT_NEAR(now.plan[0][0].value, 0.791716, 1e-6);
  // With free levers only the noise of the last round is left, by three: P(|N(0, .05 / 9)| < .15).
  EXPECT_NEAR(now.decision.success_probability, std::erf(0.15 / std::sqrt(2.0 * 0.05 / 9.0)), 0.03);
}

TEST(Rounds, TheKnownAnswersAfterTheFirstOfThree) {
  const RoundsDecision next = decide_rounds(posed(2, 2.0, 0.25, {0.3, 0.6, 0.9}, 1), few_draws(), {});
  ASSERT_EQ(next.plan.size(), 2U);
  EXPECT_NEAR(next.plan[1][0].value, 1.007997, 1e-6);
  EXPECT_NEAR(next.plan[0][0].value, 0.888870, 1e-6);
}

// The cost of the known answers: weight 1, datum 0, power 2. Other weights of the same square change nothing.
TEST(Rounds, QuadraticCostsMakeThePlan) {
  for (const double weight : {1.0, 7.0}) {
    RoundsProblem problem = posed(3, 2.0, 0.3, {0.1, -0.2, 0.5});
    problem.task.cost = {{"z", weight}};
    problem.task.cost_forms = {{"z", 0.0, 2}};
    const RoundsDecision now = decide_rounds(problem, few_draws(), {});
    ASSERT_EQ(now.plan.size(), 3U);
    EXPECT_NEAR(now.plan[2][0].value, 0.922550, 1e-6);
    EXPECT_NEAR(now.plan[1][0].value, 0.813521, 1e-6);
    EXPECT_NEAR(now.plan[0][0].value, 0.791716, 1e-6);
  }
}

// With the datum at the plan itself nothing is moved from it; from another the plan differs, and the mean is the same.
TEST(Rounds, TheDatumIsWhereThePlanStartsFrom) {
  RoundsProblem problem = posed(3, 2.0, 0.3, {0.1, -0.2, 0.5});
  const RoundsDecision squares = decide_rounds(problem, few_draws(), {});
  problem.task.cost = {{"z", 1.0}};
  problem.task.cost_forms = {{"z", 0.5, 2}};
  const RoundsDecision from = decide_rounds(problem, few_draws(), {});
  ASSERT_EQ(from.plan.size(), 3U);
  // Effects of z on the mean are proportional to the first plan, which reaches the same mean from 0: by hand
  // z = .5 + m w, with w the first plan and w'z = w'w.
  double across = 0.0;
  double along = 0.0;
  for (const auto& round : squares.plan) {
    along += round[0].value * round[0].value;
    across += 0.5 * round[0].value;
  }
  for (std::size_t round = 0; round < 3; ++round) {
    const double by_hand = 0.5 + (along - across) / along * squares.plan[round][0].value;
    EXPECT_NEAR(from.plan[round][0].value, by_hand, 1e-6) << round;
  }
}

// Other costs have no closed form: they are searched, and count as the task says.
TEST(Rounds, OtherCostsAreCountedAsTheyAre) {
  RoundsProblem problem = posed(1, 2.0, 0.3, {0.1, -0.2, 0.5});
  problem.task.cost = {{"z", 3.0}};
  problem.task.cost_forms = {{"z", 0.25, 1}};
  const RoundsDecision decided = decide_rounds(problem, few_draws(), {});
  EXPECT_TRUE(decided.plan.empty());
  ASSERT_TRUE(decided.decision.alterations[0].value);
  const double value = *decided.decision.alterations[0].value;
  EXPECT_NEAR(value, 0.645455, 0.1);
  EXPECT_NEAR(decided.decision.cost, 3.0 * std::abs(value - 0.25), 1e-9);
  // A target asks for less than the most, so that the plan of the most does not hold.
  DecisionOptions options = few_draws();
  options.target = 0.3;
  problem.task.cost_forms = {{"z", 0.0, 2}};
  const RoundsDecision enough = decide_rounds(problem, options, {});
  EXPECT_TRUE(enough.plan.empty());
  EXPECT_GE(enough.decision.success_probability, 0.25);
  EXPECT_LT(enough.decision.success_probability, 0.42);
}

TEST(Rounds, ASumIsAMeanTimesTheRounds) {
  RoundsProblem problem = posed(3, 2.0, 0.3, {0.1, -0.2, 0.5});
  problem.options.sum = true;
  problem.task.desired = Region::box({{"y", 2.55, 3.45}});
  EXPECT_NEAR(decide_rounds(problem, few_draws(), {}).plan[0][0].value, 0.791716, 1e-6);
}

TEST(Rounds, RowsGetTheOneBeforeThem) {
  const Table lagged = with_lag(Table({"a", "b"}, {1, 2, 3, 4, 5, 6}, "t"));
  EXPECT_EQ(lagged.names(), (std::vector<std::string>{"a@-1", "b@-1", "a", "b"}));
  EXPECT_EQ(lagged.rows(), 2U);
  EXPECT_EQ(lagged.at(1, 0), 2.0);
  EXPECT_EQ(lagged.at(1, 2), 3.0);
  Task task;
  task.context = {"a"};
  task.outcome = {"b"};
  const Task of_rounds = with_lag(task, {"a", "b"});
  EXPECT_EQ(of_rounds.context, (std::vector<std::string>{"a@-1", "b@-1"}));
  EXPECT_EQ(of_rounds.known_before, std::vector<std::string>{"a"});
}

TEST(Rounds, WhatCannotBePlannedIsRefused) {
  RoundsProblem problem = posed(2, 2.0, 0.3, {0.1, -0.2, 0.5});
  problem.options.done = 2;
  EXPECT_THROW(decide_rounds(problem, {}, {}), Error);
  problem.options.done = 0;
  problem.observed.clear();
  EXPECT_THROW(decide_rounds(problem, {}, {}), Error);
  problem = posed(0, 2.0, 0.3, {0.1, -0.2, 0.5});
  EXPECT_THROW(decide_rounds(problem, {}, {}), Error);
}

}  // namespace
}  // namespace olem::test::rounds_test
