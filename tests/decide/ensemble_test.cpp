#include "decide/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "decide/helpers.h"
#include "decide/order_question.h"
#include "olem/error.h"

namespace olem::test::ensemble_test {

using namespace internal;
namespace {

const RehearsalModel& model_with_members() {
  static const RehearsalModel model = [] {
    RehearsalOptions options;
    options.members = MemberOptions{4, 4};
    return fit_rehearsal(farm_task(), farm(150, 1), options, std::nullopt, Context());
  }();
  return model;
}

// Neither certain nor hopeless: the window is about as wide as the noise.
DecisionProblem problem() {
  DecisionProblem made = decision_problem(model_with_members(), farm_task().observed);
  made.region = parse_task(R"({"data": "farm.csv", "context": ["weather"], "alterable": {"dose": [-2, 2]},
                               "outcome": ["yield"], "desired": {"yield": [3, 3.8]}})",
                           "narrow.json")
                    .desired;
  return made;
}

DecisionOptions brief() {
  DecisionOptions options;
  options.draws = 300;
  options.judge_draws = 600;
  options.posterior_functions = 8;
  return options;
}

TEST(DecisionWithMembers, HasAnIntervalThatCoversMoreThanTheDraws) {
  const Decision decision = decide(problem(), brief(), Context());
  ASSERT_TRUE(decision.uncertainty);
  const DecisionUncertainty& uncertainty = *decision.uncertainty;
  EXPECT_LT(decision.success_low, decision.success_probability);
  EXPECT_GT(decision.success_high, decision.success_probability);
  EXPECT_GE(uncertainty.low_80, decision.success_low);
  EXPECT_LE(uncertainty.high_80, decision.success_high);
  EXPECT_EQ(uncertainty.members.size(), 9U);
  EXPECT_GT(uncertainty.variance(), uncertainty.draws);
  // The formula: expit(logit P +- 1.96 sqrt v).
  const double logit = std::log(decision.success_probability / (1.0 - decision.success_probability));
  const double half = 1.959963984540054 * std::sqrt(uncertainty.variance());
  EXPECT_NEAR(decision.success_low, 1.0 / (1.0 + std::exp(-(logit - half))), 1e-9);
  EXPECT_NEAR(decision.success_high, 1.0 / (1.0 + std::exp(-(logit + half))), 1e-9);
}

// P is the mean over the fit and the orders, v that of the half-samples around it and of the other parts.
TEST(DecisionWithMembers, ClaimsTheMeanOverFitAndOrders) {
  const Decision decision = decide(problem(), brief(), Context());
  double mean = 0.0;
  double halves = 0.0;
  const auto logit = [](double p) { return std::log(p / (1.0 - p)); };
  for (const MemberSuccess& member : decision.uncertainty->members) {
    if (member.kind == "half") {
      const double off = logit(member.success) - logit(decision.success_probability);
      halves += off * off / 4.0;
    } else {
      mean += member.success / 5.0;
    }
  }
  EXPECT_NEAR(decision.success_probability, mean, 1e-9);
  EXPECT_NEAR(decision.uncertainty->rows + decision.uncertainty->order, halves, 1e-9);
}

TEST(DecisionWithMembers, IsTheSameForAnyNumberOfThreads) {
  Context one;
  one.threads = 1;
  Context three;
  three.threads = 3;
  Json first = to_json(decide(problem(), brief(), one));
  Json second = to_json(decide(problem(), brief(), three));
  first.erase("seconds");
  second.erase("seconds");
  EXPECT_EQ(first, second);
}

TEST(DecisionWithMembers, QuickIsTheFitAlone) {
  DecisionOptions quick = brief();
  quick.quick = true;
  DecisionProblem plain = problem();
  plain.members = nullptr;
  Json first = to_json(decide(problem(), quick, Context()));
  Json second = to_json(decide(plain, brief(), Context()));
  first.erase("seconds");
  second.erase("seconds");
  EXPECT_EQ(first, second);
  EXPECT_FALSE(first.contains("members"));
  EXPECT_EQ(first["interval"], first["interval_draws"]);
}

TEST(DecisionWithMembers, ObeysWhatIsFixedAndLeftAlone) {
  DecisionProblem settled = problem();
  settled.fixed = {{"dose", 1.0}};
  settled.left_alone = {"rate"};
  const Decision decision = decide(settled, brief(), Context());
  EXPECT_EQ(decision.alterations[0].value, 1.0);
  EXPECT_FALSE(decision.alterations[1].value);
}

TEST(DecisionWithMembers, ReachesATargetCheaply) {
  DecisionOptions options = brief();
  options.target = 0.5;
  const Decision target = decide(problem(), options, Context());
  const Decision best = decide(problem(), brief(), Context());
  EXPECT_LT(target.cost, best.cost);
  EXPECT_GT(target.success_probability, 0.45);
}

TEST(DecisionWithMembers, EveryProposalHasAnInterval) {
  DecisionOptions options = brief();
  options.proposals = 2;
  const Decision decision = decide(problem(), options, Context());
  for (const Proposal& proposal : decision.proposals) {
    EXPECT_LT(proposal.success_low, proposal.success_probability);
    EXPECT_GT(proposal.success_high, proposal.success_probability);
  }
}

TEST(SuccessClaims, AreThoseOfTheDecision) {
  const Decision decision = decide(problem(), brief(), Context());
  std::vector<std::optional<double>> values;
  for (const Alteration& alteration : decision.alterations) values.push_back(alteration.value);
  const SuccessClaim claim = claim_of(problem(), values, brief(), Context());
  EXPECT_EQ(claim.success, decision.success_probability);
  EXPECT_EQ(claim.low, decision.success_low);
  EXPECT_EQ(claim.high, decision.success_high);
}

TEST(SeparatingPair, IsTheOneThatExplainsTheValues) {
  const std::vector<Order> orders = {{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"}, {"b", "c", "a"}};
  // High where a comes before b.
  const std::optional<SeparatingPair> pair = separating_pair(orders, std::vector<double>{2.0, 2.1, -1.0, -0.9});
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->first, "a");
  EXPECT_EQ(pair->second, "b");
  EXPECT_GT(pair->explained, 0.99);
  EXPECT_EQ(pair->as_first, (std::vector<bool>{true, true, false, false}));
  EXPECT_FALSE(separating_pair(std::vector<Order>{{"a", "b"}, {"a", "b"}}, std::vector<double>{1.0, 2.0}));
}

// One lever, one outcome, both linear with normal noise, so that the shifted success is known.
TEST(HiddenCauses, ShiftTheOutcomeByTheFormula) {
  RandomStream random(5, "test.hidden");
  constexpr std::size_t kRows = 2000;
  std::vector<double> values(2 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = random.normal();
    values[kRows + i] = values[i] + random.normal();
  }
  const Table table({"A", "Y"}, std::move(values), "pair.csv");
  const Task task = parse_task(R"({"data": "pair.csv", "context": [], "alterable": {"A": [-2, 2]}, "outcome": ["Y"],
                                   "desired": {"Y": [1, null]}, "observed": {}})",
                               "pair.json");
  RehearsalOptions options;
  options.samplers.sampler = "gaussian";
  const RehearsalModel model = fit_rehearsal(task, table, options, Order{"A", "Y"}, Context());
  DecisionOptions at_the_border;
  at_the_border.least_effort = 0.0;
  const Decision decision = decide(decision_problem(model, {}), at_the_border, Context());
  ASSERT_TRUE(decision.hidden_cause);
  const HiddenCause& cause = *decision.hidden_cause;
  ASSERT_EQ(cause.curve.size(), 20U);
  EXPECT_NEAR(*decision.alterations.front().value, 2.0, 1e-6);
  const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  // s_A = s_Y = 1, e = 0, a = 2: success = P(2 - 2 r^2 / sqrt(1 - r^2) + noise > 1).
  for (const HiddenCause::Point& point : cause.curve) {
    const double r = point.strength;
    EXPECT_NEAR(point.success, phi(1.0 - 2.0 * r * r / std::sqrt(1.0 - r * r)), 0.04) << r;
  }
  // No action: P(N(0, 2) > 1) = .240, which is reached where 1 - 2 r^2 / sqrt(1 - r^2) = -.707: r = .751.
  ASSERT_TRUE(cause.breakdown);
  EXPECT_NEAR(*cause.breakdown, 0.775, 0.03);
  EXPECT_EQ(cause.lever, "A");
  EXPECT_EQ(cause.outcome, "Y");
  EXPECT_TRUE(cause.left_out.empty());
}

}  // namespace
}  // namespace olem::test::ensemble_test
