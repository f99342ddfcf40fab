#include "decide/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "decide/explain/explain_json.h"
#include "decide/helpers.h"
#include "decide/influence_step.h"
#include "decide/order_question.h"
#include "decide/shop.h"
#include "olem/error.h"
#include "olem/explain.h"
#include "olem/random.h"

namespace olem::test::ensemble_test {

using namespace internal;
namespace {

constexpr double kPi = 3.14159265358979;

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
  EXPECT_EQ(uncertainty.members.size(), 17U);  // the fit, 4 orders, 4 halves, 8 posterior functions
  EXPECT_EQ(uncertainty.members.back().kind, "posterior_function");
  EXPECT_EQ(to_json(decision)["members"].back()["success"], uncertainty.members.back().success);
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
    } else if (member.kind != "posterior_function") {
      mean += member.success / 5.0;
    }
  }
  EXPECT_NEAR(decision.success_probability, mean, 1e-9);
  EXPECT_NEAR(decision.uncertainty->rows + decision.uncertainty->order, halves, 1e-9);
}

const std::vector<NamedValue> kShopContext = {{"demand", 0.2}, {"season", 2.0}};

// The shop with members; one outcome, and one of its levels is wanted.
const RehearsalModel& shop_model() {
  static const RehearsalModel model = [] {
    const Task task = parse_task(R"({"data": "shop.csv", "context": ["demand", "season"],
                                     "alterable": {"price": [0.4, 2.5], "heating": {"values": ["off", "on"]}},
                                     "outcome": ["renewed"], "desired": {"renewed": "yes"},
                                     "observed": {"demand": 0.2, "season": "winter"}})",
                                 "shop.json");
    RehearsalOptions options;
    options.members = MemberOptions{3, 2};
    return fit_rehearsal(task, shop(300, 4), options, std::nullopt, Context());
  }();
  return model;
}

// One number for one thing: the share of the wanted level in the forecast is the probability of success.
TEST(DecisionWithMembers, ForecastsAreOfTheSameMixture) {
  const Decision decision = decide(shop_model(), kShopContext, brief(), Context());
  ASSERT_TRUE(decision.uncertainty);
  const auto share = [](const std::vector<OutcomeForecast>& forecasts) { return forecasts.front().levels.at(1).value; };
  EXPECT_EQ(decision.outcomes.front().levels.at(1).name, "yes");
  EXPECT_NEAR(share(decision.outcomes), decision.success_probability, 1e-9);
  EXPECT_NEAR(share(decision.outcomes_without_action), decision.without_action, 1e-9);
  EXPECT_NEAR(decision.outcomes.front().mean, decision.success_probability, 1e-9);  // "no" is 0, "yes" is 1
}

TEST(DecisionWithMembers, TheCurveOfHiddenCausesBeginsWithItsSuccess) {
  const Decision decision = decide(shop_model(), kShopContext, brief(), Context());
  ASSERT_TRUE(decision.hidden_cause);
  EXPECT_NEAR(decision.hidden_cause->curve.front().success, decision.success_probability, 1e-9);
  // A switch and a positive lever, a yes/no outcome: all of them have a scale on which noise is added.
  EXPECT_TRUE(decision.hidden_cause->left_out.empty()) << decision.hidden_cause->left_out.front();
  EXPECT_LT(decision.hidden_cause->curve.back().success, decision.success_probability - 0.05);
}

TEST(DecisionWithMembers, ExplanationsHaveItsNumbers) {
  const DecisionProblem asked = decision_problem(shop_model(), kShopContext);
  const Decision decision = decide(asked, brief(), Context());
  ExplainOptions options;
  options.draws = brief().draws;
  options.final_draws = 2 * brief().judge_draws;
  options.points = 11;
  options.pair_points = 3;
  std::vector<NamedValue> values;
  for (const Alteration& alteration : decision.alterations) {
    if (alteration.value) values.push_back({alteration.name, *alteration.value});
  }
  const Explanation explanation = explain(asked, values, options, Context());
  EXPECT_NEAR(explanation.without_action, decision.without_action, 1e-9);
  ASSERT_TRUE(explanation.with_decision);
  EXPECT_NEAR(*explanation.with_decision, decision.success_probability, 1e-9);
  ASSERT_TRUE(explanation.with_decision_interval);
  for (const SuccessCurve& curve : explanation.curves) {
    ASSERT_EQ(curve.success_low.size(), curve.values.size());
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
      EXPECT_LT(curve.success_low[i], curve.success[i]);
      EXPECT_GT(curve.success_high[i], curve.success[i]);
    }
    ASSERT_TRUE(curve.best_interval);
    EXPECT_LT(curve.best_interval->first, curve.best_success);
  }
  const Json json = to_json(explanation);
  EXPECT_EQ(to_json(read_explanation(JsonPart(json, "explanation"))), json);
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

// outcome = slope_a a + slope_b b + noise
std::shared_ptr<const SamplerSet> plane(double slope_a, double slope_b) {
  RandomStream random(9, "test.plane");
  constexpr std::size_t kRows = 400;
  std::vector<double> values(3 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = random.normal();
    values[kRows + i] = random.normal();
    values[2 * kRows + i] = slope_a * values[i] + slope_b * values[kRows + i] + 0.4 * random.normal();
  }
  SamplerOptions options;
  options.sampler = "gaussian";
  const Table table({"a", "b", "outcome"}, std::move(values), "plane.csv");
  return std::make_shared<const SamplerSet>(
      fit_samplers(table, conditions_from_order(table.names()), options, Context()));
}

// For .6 the fit sets a alone, the other order b alone, and either has .45 by the mean. More of a reaches .67 by it.
TEST(DecisionWithMembers, ATargetIsReachedByTheMean) {
  DecisionProblem asked;
  asked.samplers = plane(1.0, 0.7);
  asked.alterable = {{"a", -3.0, 3.0}, {"b", -3.0, 3.0}};
  asked.region = Region::box({{"outcome", 1.0, 2.0}});
  auto members = std::make_shared<ModelMembers>();
  members->list.push_back({MemberKind::kOrder, {"a", "b", "outcome"}, plane(0.7, 1.0)});
  asked.members = members;
  DecisionOptions options;
  options.target = 0.6;
  const Decision enough = decide(asked, options, Context());
  EXPECT_EQ(enough.summary.status, Status::kDone);
  EXPECT_GE(enough.success_probability, 0.58);
  options.target = 0.0;
  const Decision best = decide(asked, options, Context());
  EXPECT_LT(enough.cost, best.cost);
  EXPECT_GT(best.success_probability, enough.success_probability);
  // What nothing reaches is not said to be reached, and the best there is is shown.
  options.target = 0.9;
  const Decision missed = decide(asked, options, Context());
  EXPECT_EQ(missed.summary.status, Status::kTargetNotReached);
  EXPECT_NEAR(missed.success_probability, best.success_probability, 0.02);
}

// One lever, one outcome that goes with it or against it.
std::shared_ptr<const SamplerSet> line(double slope) {
  RandomStream random(8, "test.line");
  constexpr std::size_t kRows = 400;
  std::vector<double> values(2 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = random.normal();
    values[kRows + i] = slope * values[i] + 0.4 * random.normal();
  }
  SamplerOptions options;
  options.sampler = "gaussian";
  const Table table({"lever", "outcome"}, std::move(values), "line.csv");
  return std::make_shared<const SamplerSet>(
      fit_samplers(table, conditions_from_order(table.names()), options, Context()));
}

DecisionProblem line_problem() {
  DecisionProblem made;
  made.samplers = line(1.0);
  made.alterable = {{"lever", -3.0, 3.0}};
  made.region = Region::box({{"outcome", 1.0, 2.0}});
  return made;
}

// Three orders contradict the fit: what they would do is better on average, and is done.
TEST(DecisionWithMembers, TheBestMeanIsTaken) {
  DecisionProblem asked = line_problem();
  auto members = std::make_shared<ModelMembers>();
  for (int k = 0; k < 3; ++k) members->list.push_back({MemberKind::kOrder, {"lever", "outcome"}, line(-1.0)});
  asked.members = members;
  const Decision decision = decide(asked, {}, Context());
  EXPECT_TRUE(decision.uncertainty->chosen_by_members);
  EXPECT_NEAR(*decision.alterations.front().value, -1.5, 0.2);
  // 1.5 -+ .5 by a noise of .4: .789, by three of four.
  EXPECT_NEAR(decision.success_probability, 0.75 * 0.789, 0.03);
  for (ModelMember& member : members->list) member.samplers = asked.samplers;
  const Decision agreed = decide(asked, {}, Context());
  EXPECT_FALSE(agreed.uncertainty->chosen_by_members);
  EXPECT_NEAR(*agreed.alterations.front().value, 1.5, 0.2);
}

// Where the fit's own decision is no worse than .005, it stands.
TEST(DecisionWithMembers, AnotherDecisionMustBeVisiblyBetter) {
  DecisionProblem asked = line_problem();
  auto members = std::make_shared<ModelMembers>();
  members->list.push_back({MemberKind::kOrder, {"lever", "outcome"}, line(0.98)});
  asked.members = members;
  DecisionOptions options;
  options.least_effort = 0.0;  // which gives up some success on purpose, that other draws may find to be more
  EXPECT_FALSE(decide(asked, options, Context()).uncertainty->chosen_by_members);
}

TEST(DecisionWithMembers, OtherOrderAndUnitsAreNotedAndNeverChoose) {
  DecisionProblem asked = problem();
  auto members = std::make_shared<ModelMembers>(*asked.members);
  std::erase_if(members->list, [](const ModelMember& member) { return member.kind > MemberKind::kHalf; });
  asked.members = members;
  const Decision plain = decide(asked, brief(), Context());
  EXPECT_FALSE(plain.uncertainty->other_order);
  EXPECT_FALSE(plain.uncertainty->units);
  // The yield before the levers: nothing that is set can change it.
  const Order turned = {"weather", "yield", "dose", "rate"};
  const auto behind = fit_rehearsal(farm_task(), farm(150, 1), {}, turned, Context()).samplers;
  members->list.push_back({MemberKind::kOtherOrder, turned, behind});
  members->list.push_back({MemberKind::kOtherUnits, turned, behind});
  const Decision noted = decide(asked, brief(), Context());
  for (std::size_t k = 0; k < plain.alterations.size(); ++k)
    EXPECT_EQ(noted.alterations[k].value, plain.alterations[k].value);
  EXPECT_EQ(noted.success_probability, plain.success_probability);
  ASSERT_TRUE(noted.uncertainty->other_order);
  EXPECT_LT(noted.uncertainty->other_order->success, plain.success_probability - 0.1);
  EXPECT_EQ(noted.uncertainty->other_order->success, noted.uncertainty->other_order->without_action);
  const std::vector<std::pair<std::string, std::string>> pairs = {{"yield", "dose"}, {"yield", "rate"}};
  EXPECT_EQ(noted.uncertainty->other_order->pairs, pairs);
  ASSERT_TRUE(noted.uncertainty->units);
  EXPECT_TRUE(noted.uncertainty->units->decision.alterations.empty());
  EXPECT_LT(noted.uncertainty->units->success, plain.success_probability - 0.05);
}

// Far beyond all rows most of the uncertainty is that of the functions themselves.
TEST(DecisionWithMembers, BeyondTheDataItIsUnreliable) {
  const auto codes = [](const Decision& decision) {
    std::vector<std::string> all;
    for (const Warning& warning : decision.summary.warnings) all.push_back(warning.code);
    return all;
  };
  DecisionProblem asked = problem();
  const Decision near = decide(asked, brief(), Context());
  const auto with_near = codes(near);
  EXPECT_EQ(std::find(with_near.begin(), with_near.end(), "beyond_data") != with_near.end(),
            near.uncertainty->extrapolation > 0.5 * near.uncertainty->variance());
  asked.alterable[0].high = 12.0;
  asked.fixed = {{"dose", 12.0}};
  const Decision far = decide(asked, brief(), Context());
  EXPECT_GT(far.uncertainty->extrapolation, 0.5 * far.uncertainty->variance());
  EXPECT_GT(far.uncertainty->extrapolation, 2.0 * near.uncertainty->extrapolation);
  EXPECT_EQ(far.summary.status, Status::kUnreliable);
  EXPECT_THAT(codes(far), ::testing::Contains("beyond_data"));
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

// A switch as outcome and a lever whose noise grows with the context: shifts on the scales on which noise is added.
TEST(HiddenCauses, ShiftDiscreteOutcomesOnTheirLogOdds) {
  RandomStream random(6, "test.hidden");
  constexpr std::size_t kRows = 3000;
  std::vector<double> values(2 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = random.normal();
    values[kRows + i] = random.uniform() < 1.0 / (1.0 + std::exp(-1.5 * values[i])) ? 1.0 : 0.0;
  }
  Column binary;
  binary.type = ColumnType::kBinary;
  binary.levels = {{0.0, "no"}, {1.0, "yes"}};
  const Table table({"A", "Y"}, std::move(values), "pair.csv", {Column(), binary});
  const Task task = parse_task(R"({"data": "pair.csv", "context": [], "alterable": {"A": [-1, 1]}, "outcome": ["Y"],
                                   "desired": {"Y": "yes"}, "observed": {}})",
                               "pair.json");
  const RehearsalModel model = fit_rehearsal(task, table, {}, Order{"A", "Y"}, Context());
  DecisionOptions at_the_border;
  at_the_border.least_effort = 0.0;
  const Decision decision = decide(decision_problem(model, {}), at_the_border, Context());
  ASSERT_TRUE(decision.hidden_cause);
  EXPECT_TRUE(decision.hidden_cause->left_out.empty());
  // The log-odds move by r^2 / sqrt(1 - r^2) (a - e) / s_A standard deviations of logistic noise; s_A = 1.
  const Alteration& lever = decision.alterations.front();
  const double start = decision.hidden_cause->curve.front().success;
  for (const HiddenCause::Point& point : decision.hidden_cause->curve) {
    const double r = point.strength;
    const double moved = r * r / std::sqrt(1.0 - r * r) * (*lever.value - lever.expected) * kPi / std::sqrt(3.0);
    // Four standard errors of 4000 draws that both shares have in common for the most part.
    EXPECT_NEAR(point.success, 1.0 / (1.0 + std::exp(moved - std::log(start / (1.0 - start)))), 0.03) << r;
  }
  // No action has one half: 1.5 = 1.814 r^2 / sqrt(1 - r^2), r = .742, on a grid of .05.
  ASSERT_TRUE(decision.hidden_cause->breakdown);
  EXPECT_NEAR(*decision.hidden_cause->breakdown, 0.775, 0.05);
}

TEST(HiddenCauses, LeaveCategoriesOut) {
  const Task task = parse_task(R"({"data": "shop.csv", "context": ["demand"],
                                   "alterable": {"season": {"values": ["spring", "summer", "winter"]}},
                                   "outcome": ["heating"], "desired": {"heating": "on"}, "observed": {"demand": 0.2}})",
                               "seasons.json");
  const RehearsalModel model = fit_rehearsal(task, shop(300, 4), {}, shop_order(), Context());
  const Decision decision = decide(model, task.observed, brief(), Context());
  ASSERT_TRUE(decision.acts());
  EXPECT_THAT(decision.hidden_cause->left_out, ::testing::ElementsAre("season"));
  EXPECT_FALSE(decision.hidden_cause->breakdown);
}

// x -> m -> y with the lever x behind m in the order: the answer rests on that step.
TEST(NoInfluence, NamesTheStepThatItRestsOn) {
  RandomStream random(7, "test.no_influence");
  constexpr std::size_t kRows = 400;
  std::vector<double> values(3 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = random.normal();
    values[kRows + i] = values[i] + 0.5 * random.normal();
    values[2 * kRows + i] = values[kRows + i] + 0.5 * random.normal();
  }
  const Table table({"x", "m", "y"}, std::move(values), "chain.csv");
  const Task task = parse_task(R"({"data": "chain.csv", "context": [], "alterable": {"x": [-2, 2]}, "outcome": ["y"],
                                   "desired": {"y": [1, null]}, "observed": {}})",
                               "chain.json");
  // The default prunes inputs that do nothing: of x beside m for y nothing is left.
  const RehearsalOptions options;
  const RehearsalModel behind = fit_rehearsal(task, table, options, Order{"m", "x", "y"}, Context());
  const RehearsalModel first = fit_rehearsal(task, table, options, Order{"x", "m", "y"}, Context());
  const std::vector<std::string> levers = {"x"};
  const std::vector<std::string> outcomes = {"y"};
  const auto turned = turned_step(*behind.samplers, *first.samplers, levers, outcomes);
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->first, "m");
  EXPECT_EQ(turned->second, "x");
  EXPECT_FALSE(turned_step(*first.samplers, *first.samplers, levers, outcomes));

  DecisionProblem asked = decision_problem(behind, {});
  ASSERT_EQ(decide(asked, brief(), Context()).summary.status, Status::kNoInfluence);
  EXPECT_THAT(decide(asked, brief(), Context()).summary.message,
              ::testing::HasSubstr("It rests on m coming before x."));
  auto members = std::make_shared<ModelMembers>();
  members->list.push_back({MemberKind::kOtherOrder, {"x", "m", "y"}, first.samplers});
  asked.members = members;
  const Decision decision = decide(asked, brief(), Context());
  ASSERT_TRUE(decision.uncertainty && decision.uncertainty->influence_step);
  const InfluenceStep& step = *decision.uncertainty->influence_step;
  EXPECT_EQ(step.first, "m");
  EXPECT_EQ(step.by, "other_order");
  ASSERT_EQ(step.decision.alterations.size(), 1U);
  EXPECT_GT(step.decision.success, step.without_action + 0.3);
  EXPECT_THAT(decision.summary.message,
              ::testing::ContainsRegex("the other way round the best would be to set x to [0-9][.]?[0-9]?[0-9]?[0-9]?, "
                                       "which has a probability of success of [0-9]+ % by that order, where doing "
                                       "nothing has [0-9]+ %[.]"));
  EXPECT_EQ(to_json(decision)["influence_step"]["pair"], Json({"m", "x"}));
}

}  // namespace
}  // namespace olem::test::ensemble_test
