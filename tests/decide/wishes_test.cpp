#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/decision.h"
#include "olem/error.h"
#include "olem/random.h"
#include "olem/rehearsal.h"

namespace olem::wishes_test {
namespace {

using ::testing::HasSubstr;

// y = sum of effects x a_k + deviation x noise, the a_k independent and of deviation 1. Nothing is observed.
std::shared_ptr<const SamplerSet> linear_set(const std::vector<double>& effects, double deviation,
                                             std::uint64_t seed = 1, std::size_t rows = 300) {
  RandomStream random(seed, "wishes");
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<double> y(rows);
  for (double& value : y) value = deviation * random.normal();
  for (std::size_t k = 0; k < effects.size(); ++k) {
    names.push_back("a" + std::to_string(k));
    for (std::size_t i = 0; i < rows; ++i) {
      values.push_back(random.normal());
      y[i] += effects[k] * values.back();
    }
  }
  names.push_back("y");
  values.insert(values.end(), y.begin(), y.end());
  SamplerOptions options;
  options.sampler = "linear";
  return std::make_shared<const SamplerSet>(
      fit_samplers(Table(names, std::move(values)), conditions_from_order(names), options, Context()));
}

DecisionProblem linear_problem(const std::vector<double>& effects, double low, double high, double side = 3.0) {
  DecisionProblem problem;
  problem.samplers = linear_set(effects, 0.5);
  for (std::size_t k = 0; k < effects.size(); ++k) problem.alterable.push_back({"a" + std::to_string(k), -side, side});
  problem.region = Region::box({{"y", low, high}});
  return problem;
}

Decision decide_one(const DecisionProblem& problem, const DecisionOptions& options = {}) {
  return decide(problem, options, Context());
}

std::size_t count_altered(const Decision& decision) {
  return static_cast<std::size_t>(std::count_if(decision.alterations.begin(), decision.alterations.end(),
                                                [](const Alteration& a) { return a.value.has_value(); }));
}

double value_of(const Decision& decision, std::size_t k) { return decision.alterations[k].value.value_or(NAN); }

TEST(Optimizers, AllAgreeWithTheGrid) {
  for (const std::vector<double>& effects : {std::vector<double>{1.0}, std::vector<double>{1.0, -0.7}}) {
    const DecisionProblem problem = linear_problem(effects, 1.5, 2.5);
    DecisionOptions options;
    options.optimizer = "grid";
    const double grid = decide_one(problem, options).success_probability;
    for (const Choice& choice : optimizer_choices()) {
      options.optimizer = choice.name;
      EXPECT_NEAR(decide_one(problem, options).success_probability, grid, 0.01) << choice.name << effects.size();
    }
  }
}

TEST(Optimizers, AGridOfTooManyPointsIsRefusedWithARemedy) {
  DecisionOptions options;
  options.optimizer = "grid";
  try {
    decide_one(linear_problem({1.0, 1.0, 1.0}, 1.5, 2.5), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("3 alterable variables with 41 points each"));
    EXPECT_THAT(error.what(), HasSubstr("Take a coarser grid (DecisionOptions::grid_points = 27)"));
  }
  options.grid_points = 9;
  EXPECT_GT(decide_one(linear_problem({1.0, 1.0, 1.0}, 1.5, 2.5), options).success_probability, 0.6);
}

TEST(Optimizers, AnUnknownOneIsRefused) {
  DecisionOptions options;
  options.optimizer = "bayesian";
  EXPECT_THROW(decide_one(linear_problem({1.0}, 1.5, 2.5), options), Error);
}

// What a1 seems to do in 4000 rows is worth nothing, so that only a0 is set.
TEST(Release, AlterationsWithoutVisibleGainAreTakenBack) {
  DecisionProblem problem = linear_problem({1.0, 0.0}, 1.5, 2.5);
  problem.samplers = linear_set({1.0, 0.0}, 0.5, 1, 4000);
  const Decision decision = decide_one(problem);
  EXPECT_TRUE(decision.alterations[0].value.has_value());
  EXPECT_FALSE(decision.alterations[1].value.has_value());
  EXPECT_TRUE(decision.alterations[1].influences);
  EXPECT_NEAR(decision.success_probability, 0.6827, 0.04);
}

TEST(Release, AVariableWhoseDomainIsOneValueStaysSet) {
  DecisionProblem problem = linear_problem({1.0, 0.02}, 1.5, 2.5);
  problem.alterable[1] = {"a1", 0.1, 0.1};
  EXPECT_EQ(value_of(decide_one(problem), 1), 0.1);
}

TEST(MaxAlterations, TheOneVariableThatHelpsMostIsFound) {
  // Only a2 can lift y to 4 alone; a0 and a1 together could too.
  DecisionProblem problem = linear_problem({0.7, 0.7, 1.5}, 3.5, 4.5);
  problem.max_alterations = 1;
  const Decision decision = decide_one(problem);
  EXPECT_EQ(count_altered(decision), 1U);
  EXPECT_NEAR(value_of(decision, 2), 4.0 / 1.5, 0.3);
  EXPECT_THAT(decision.summary.message, HasSubstr("All choices of at most 1 of 3 variables"));
}

TEST(MaxAlterations, ManyVariablesAreSearchedGreedily) {
  std::vector<double> effects(12, 0.1);
  effects[4] = 1.0;
  effects[9] = 1.0;
  DecisionProblem problem = linear_problem(effects, 4.5, 6.0, 3.0);
  problem.max_alterations = 3;
  DecisionOptions options;
  options.draws = 200;
  options.steps = 20;
  options.screen = 5;
  options.ascent_steps = 4;
  const Decision decision = decide_one(problem, options);
  EXPECT_LE(count_altered(decision), 3U);
  EXPECT_GT(value_of(decision, 4), 1.0);
  EXPECT_GT(value_of(decision, 9), 1.0);
  EXPECT_THAT(decision.summary.message, HasSubstr("adding one at a time"));
}

TEST(Constraints, ABudgetIsSharedWhereItHelpsMost) {
  // y of at least 3 is wanted, but a0 + a1 may not pass 2: a0, which does more, gets all of it.
  DecisionProblem problem = linear_problem({1.0, 0.5}, 3.0, 100.0);
  problem.constraints = {{{{"a0", 1.0}, {"a1", 1.0}}, 2.0}};
  for (const Choice& choice : optimizer_choices()) {
    DecisionOptions options;
    options.optimizer = choice.name;
    const Decision decision = decide_one(problem, options);
    const double sum = decision.alterations[0].value.value_or(decision.alterations[0].expected) +
                       decision.alterations[1].value.value_or(decision.alterations[1].expected);
    EXPECT_LE(sum, 2.0 + 1e-7) << choice.name;
    EXPECT_GT(sum, 1.8) << choice.name;
    EXPECT_GT(value_of(decision, 0), 2.5) << choice.name;
  }
}

TEST(Constraints, ThatCannotHoldAreATaskError) {
  DecisionProblem problem = linear_problem({1.0, 0.5}, 3.0, 100.0);
  problem.constraints = {{{{"a0", 1.0}, {"a1", 1.0}}, -7.0}};
  try {
    decide_one(problem);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kTask);
  }
}

// Success of 0.8 needs y to be 1.5 + 0.8416 x 0.5 = 1.92 or more on average when all but chance is set; a0 does that
// for 1.92, a1 for 3.84 of its own deviations.
TEST(Target, TheCheapestVariableIsUsed) {
  DecisionProblem problem = linear_problem({1.0, 0.5}, 1.5, 100.0);
  DecisionOptions options;
  options.target = 0.8;
  const Decision plain = decide_one(problem, options);
  EXPECT_EQ(plain.summary.status, Status::kDone);
  EXPECT_NEAR(plain.success_probability, 0.8, 0.03);
  // a1 costs nothing at its expected value, where it only takes away chance.
  EXPECT_NEAR(plain.cost, 1.92, 0.25);
  EXPECT_NEAR(value_of(plain, 0), 1.92, 0.3);
  // With weights the other way round a1 is cheaper, though it must move twice as far.
  problem.cost = {{"a0", 5.0}, {"a1", 1.0}};
  const Decision weighted = decide_one(problem, options);
  EXPECT_GT(value_of(weighted, 1), 2.5);
  EXPECT_LT(std::abs(weighted.alterations[0].value.value_or(0.0)), 1.0);
  EXPECT_NEAR(weighted.success_probability, 0.8, 0.03);
}

TEST(Target, OutOfReachIsAStatusWithTheBestThatWasFound) {
  DecisionOptions options;
  options.target = 0.95;
  const Decision decision = decide_one(linear_problem({1.0}, 1.5, 2.5), options);
  EXPECT_EQ(decision.summary.status, Status::kTargetNotReached);
  EXPECT_NEAR(value_of(decision, 0), 2.0, 0.2);
  EXPECT_NEAR(decision.success_probability, 0.6827, 0.04);
}

TEST(Target, ReachedWithoutActionIsSaidAndTheOptimumGivenAllTheSame) {
  DecisionOptions options;
  options.target = 0.4;
  const Decision decision = decide_one(linear_problem({1.0}, -0.8, 0.8), options);
  EXPECT_EQ(decision.summary.status, Status::kAlreadyLikely);
  EXPECT_GE(decision.without_action, 0.4);
  EXPECT_NEAR(value_of(decision, 0), 0.0, 0.2);
  EXPECT_GT(decision.success_probability, 0.85);
}

TEST(Cost, OfDecisionsThatAreAboutAsGoodTheCheapestIsTaken) {
  DecisionProblem problem = linear_problem({1.0, 1.0}, 1.0, 3.0);
  problem.cost = {{"a0", 1.0}, {"a1", 10.0}};
  const Decision decision = decide_one(problem);
  // y = 2 by a0 alone; moving a1 by as much would cost ten times more.
  EXPECT_NEAR(value_of(decision, 0), 2.0, 0.5);
  EXPECT_LT(std::abs(decision.alterations[1].value.value_or(0.0)), 0.3);
  EXPECT_GT(decision.success_probability, 0.92);
}

TEST(Proposals, DifferAndComeBestFirst) {
  const DecisionProblem problem = linear_problem({1.0, 1.0, 1.0}, 1.5, 2.5);
  DecisionOptions options;
  options.proposals = 3;
  options.proposal_distance = 1.0;
  for (const char* const optimizer : {"gradient", "random"}) {
    options.optimizer = optimizer;
    const Decision decision = decide_one(problem, options);
    ASSERT_EQ(decision.proposals.size(), 3U) << optimizer;
    EXPECT_EQ(decision.proposals[0].success_probability, decision.success_probability);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GT(decision.proposals[i].success_probability, decision.without_action);
      for (std::size_t j = 0; j < i; ++j) {
        double squares = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
          const double expected = decision.alterations[k].expected;
          const double difference = decision.proposals[i].alterations[k].value.value_or(expected) -
                                    decision.proposals[j].alterations[k].value.value_or(expected);
          squares += difference * difference;
        }
        // Deviations in the data are 1 but for chance.
        EXPECT_GE(std::sqrt(squares), 0.85) << optimizer << i << j;
      }
    }
    EXPECT_EQ(to_json(decision)["proposals"].size(), 3U);
  }
}

// y = a0 + a1 + noise of 0.5 is wanted in [1.5, 2.5].
TEST(Settled, AFixedValueIsKeptAndTheRestIsChosenAroundIt) {
  DecisionProblem problem = linear_problem({1.0, 1.0}, 1.5, 2.5);
  problem.fixed = {{"a0", 0.5}};
  DecisionOptions options;
  for (const Choice& choice : optimizer_choices()) {
    options.optimizer = choice.name;
    const Decision decision = decide_one(problem, options);
    EXPECT_EQ(value_of(decision, 0), 0.5) << choice.name;
    EXPECT_NEAR(value_of(decision, 1), 1.5, 0.25) << choice.name;
    EXPECT_NEAR(decision.success_probability, 0.6827, 0.04) << choice.name;
    EXPECT_TRUE(decision.alterations[0].fixed);
    EXPECT_EQ(to_json(decision)["fixed"].dump(), R"(["a0"])");
    // In standard deviations: 0.5 + 1.5.
    EXPECT_NEAR(decision.cost, 2.0, 0.4);
  }
}

TEST(Settled, AFixedValueThatDoesHarmIsNotTakenBackAndIsNotWithoutAction) {
  DecisionProblem problem = linear_problem({1.0}, -0.8, 0.8);
  problem.fixed = {{"a0", 2.5}};
  const Decision decision = decide_one(problem);
  EXPECT_EQ(value_of(decision, 0), 2.5);
  EXPECT_LT(decision.success_probability, 0.01);
  EXPECT_GT(decision.without_action, 0.4);
  EXPECT_EQ(decision.found_by, FoundBy::kFixedValues);
  EXPECT_EQ(decision.summary.status, Status::kDone);
  EXPECT_THAT(decision.summary.message, HasSubstr("better than the fixed values alone"));
}

TEST(Settled, AFixedVariableThatChangesNothingStaysSet) {
  DecisionProblem problem = linear_problem({1.0, 0.0}, 1.5, 2.5);
  problem.samplers = linear_set({1.0, 0.0}, 0.5, 1, 4000);
  problem.fixed = {{"a1", 0.25}};
  const Decision decision = decide_one(problem);
  EXPECT_EQ(value_of(decision, 1), 0.25);
  EXPECT_NEAR(value_of(decision, 0), 2.0, 0.2);
}

TEST(Settled, WhatIsLeftAloneIsNotAltered) {
  DecisionProblem problem = linear_problem({1.0, 0.5}, 1.5, 2.5);
  problem.left_alone = {"a0"};
  const Decision one = decide_one(problem);
  EXPECT_FALSE(one.alterations[0].value.has_value());
  EXPECT_GT(value_of(one, 1), 2.0);
  problem.left_alone = {"a0", "a1"};
  const Decision none = decide_one(problem);
  EXPECT_FALSE(none.acts());
  EXPECT_EQ(none.summary.status, Status::kNoAction);
  EXPECT_EQ(none.success_probability, none.without_action);
  EXPECT_THAT(none.summary.message, HasSubstr("left alone"));
}

TEST(Settled, FixedValuesCountAsAlterations) {
  DecisionProblem problem = linear_problem({0.7, 0.7, 1.5}, 3.5, 4.5);
  problem.max_alterations = 2;
  problem.fixed = {{"a0", 1.0}};
  const Decision decision = decide_one(problem);
  EXPECT_EQ(value_of(decision, 0), 1.0);
  EXPECT_NEAR(value_of(decision, 2), 3.3 / 1.5, 0.3);
  EXPECT_FALSE(decision.alterations[1].value.has_value());
  problem.max_alterations = 1;
  EXPECT_EQ(count_altered(decide_one(problem)), 1U);
  problem.fixed.push_back({"a1", 1.0});
  try {
    decide_one(problem);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kTask);
    EXPECT_THAT(error.what(), HasSubstr("2 variables are fixed, but no more than 1 may be altered"));
  }
}

TEST(Settled, ConstraintsSeeFixedValues) {
  DecisionProblem problem = linear_problem({1.0, 0.5}, 1.0, 100.0);
  problem.constraints = {{{{"a0", 1.0}, {"a1", 1.0}}, 2.0}};
  problem.fixed = {{"a1", 1.5}};
  const Decision room = decide_one(problem);
  EXPECT_NEAR(value_of(room, 0), 0.5, 0.05);
  // Alone it breaks the constraint; a0 must give way although that costs success.
  problem.fixed = {{"a1", 3.0}};
  const Decision gives_way = decide_one(problem);
  EXPECT_NEAR(value_of(gives_way, 0), -1.0, 0.05);
  problem.left_alone = {"a0"};
  EXPECT_THROW(decide_one(problem), Error);
}

TEST(Settled, ATargetReachedWithFixedValuesAloneIsSaid) {
  DecisionProblem problem = linear_problem({1.0}, 1.5, 2.5);
  problem.fixed = {{"a0", 2.0}};
  DecisionOptions options;
  options.target = 0.5;
  const Decision decision = decide_one(problem, options);
  EXPECT_EQ(decision.summary.status, Status::kAlreadyLikely);
  EXPECT_THAT(decision.summary.message, HasSubstr("with the fixed values alone. Nothing was found that is better."));
}

TEST(Settled, QwzKeepsWhatIsFixed) {
  DecisionProblem problem = linear_problem({1.0, 1.0}, 1.5, 2.5);
  problem.fixed = {{"a0", 0.5}};
  DecisionOptions options;
  options.method = DecisionMethod::kQwz23;
  const Decision decision = decide_one(problem, options);
  EXPECT_EQ(value_of(decision, 0), 0.5);
  EXPECT_NEAR(value_of(decision, 1), 1.5, 0.25);
}

TEST(Settled, IsChecked) {
  DecisionProblem problem = linear_problem({1.0, 1.0}, 1.5, 2.5);
  problem.fixed = {{"y", 1.0}};
  EXPECT_THROW(decide_one(problem), Error);
  problem.fixed = {{"a0", 3.5}};
  EXPECT_THROW(decide_one(problem), Error);
  problem.fixed = {{"a0", NAN}};
  EXPECT_THROW(decide_one(problem), Error);
  problem.fixed = {{"a0", 1.0}};
  problem.left_alone = {"a0"};
  EXPECT_THROW(decide_one(problem), Error);
}

TEST(Wishes, AreChecked) {
  DecisionProblem problem = linear_problem({1.0}, 1.5, 2.5);
  problem.cost = {{"a7", 1.0}};
  EXPECT_THROW(decide_one(problem), Error);
  problem.cost = {{"a0", -1.0}};
  EXPECT_THROW(decide_one(problem), Error);
  problem.cost.clear();
  problem.constraints = {{{{"y", 1.0}}, 1.0}};
  EXPECT_THROW(decide_one(problem), Error);
  problem.constraints.clear();
  problem.max_alterations = 0;
  EXPECT_THROW(decide_one(problem), Error);
}

// Whatever is wished for, with whatever optimiser: no value outside of its domain, no constraint broken, no alteration
// too many; and the same with every number of threads.
RC_GTEST_PROP(Wishes, NoDecisionLeavesWhatIsPermitted, (std::uint32_t seed)) {
  RandomStream random(seed, "wishes.property");
  const auto maybe = [&] { return random.below(2) == 0; };
  const std::size_t count = 1 + random.below(3);
  std::vector<double> effects;
  for (std::size_t k = 0; k < count; ++k) effects.push_back(random.uniform(-1.5, 1.5));
  DecisionProblem problem;
  problem.samplers = linear_set(effects, random.uniform(0.1, 1.0), seed, 40);
  std::vector<double> permitted;  // a point that satisfies everything
  for (std::size_t k = 0; k < count; ++k) {
    const double low = random.uniform(-3.0, 2.0);
    problem.alterable.push_back(
        {"a" + std::to_string(k), low, low + (random.below(8) == 0 ? 0.0 : random.uniform(0.0, 3.0))});
    permitted.push_back(random.uniform(problem.alterable[k].low, problem.alterable[k].high));
    if (maybe()) problem.cost.push_back({"a" + std::to_string(k), random.uniform(0.0, 3.0)});
  }
  const double low = random.uniform(-3.0, 3.0);
  problem.region = Region::box({{"y", low, low + random.uniform(0.2, 3.0)}});
  for (std::size_t i = random.below(3); i > 0; --i) {
    AlterationConstraint constraint;
    for (std::size_t k = 0; k < count; ++k) {
      constraint.weights.push_back({"a" + std::to_string(k), random.uniform(-2.0, 2.0)});
      constraint.max += constraint.weights.back().value * permitted[k];
    }
    problem.constraints.push_back(constraint);
  }
  if (maybe()) problem.max_alterations = 1 + static_cast<int>(random.below(count));
  const bool settles = maybe();
  for (std::size_t k = 0; settles && k < count; ++k) {
    const std::size_t how = random.below(3);
    if (how == 0) problem.fixed.push_back({"a" + std::to_string(k), permitted[k]});
    if (how == 1) problem.left_alone.push_back("a" + std::to_string(k));
  }
  DecisionOptions options;
  options.optimizer = optimizer_choices()[random.below(optimizer_choices().size())].name;
  options.draws = 40;
  options.judge_draws = 40;
  options.steps = 10;
  options.screen = 4;
  options.ascent_steps = 3;
  options.grid_points = 5;
  options.random_points = 30;
  options.bayes_evaluations = 12;
  if (maybe()) options.target = random.uniform(0.1, 0.99);
  if (maybe()) options.proposals = 1 + static_cast<int>(random.below(3));

  Decision decision;
  try {
    decision = decide_one(problem, options);
  } catch (const Error& error) {
    RC_ASSERT(settles);  // only then may there be nothing left
    RC_ASSERT(error.category() == ErrorCategory::kTask);
    return;
  }
  std::vector<std::vector<std::optional<double>>> all(1);
  for (const Alteration& alteration : decision.alterations) all[0].push_back(alteration.value);
  for (const Proposal& proposal : decision.proposals) {
    all.emplace_back();
    for (const Proposal::Value& value : proposal.alterations) all.back().push_back(value.value);
  }
  for (const auto& values : all) {
    int altered = 0;
    for (const NamedValue& fixed : problem.fixed)
      RC_ASSERT(values[static_cast<std::size_t>(fixed.name[1] - '0')] == fixed.value);
    for (const std::string& left : problem.left_alone) RC_ASSERT(!values[static_cast<std::size_t>(left[1] - '0')]);
    for (std::size_t k = 0; k < count; ++k) {
      if (!values[k]) continue;
      ++altered;
      RC_ASSERT(*values[k] >= problem.alterable[k].low);
      RC_ASSERT(*values[k] <= problem.alterable[k].high);
    }
    RC_ASSERT(altered <= problem.max_alterations.value_or(altered));
    for (const AlterationConstraint& constraint : problem.constraints) {
      double sum = 0.0;
      double size = std::abs(constraint.max);
      for (std::size_t k = 0; k < count; ++k) {
        const double value = values[k].value_or(decision.alterations[k].expected);
        sum += constraint.weights[k].value * value;
        size += std::abs(constraint.weights[k].value) *
                std::max(std::abs(problem.alterable[k].low), std::abs(problem.alterable[k].high));
      }
      if (altered > 0) RC_ASSERT(sum <= constraint.max + 1e-8 * size);
    }
  }
}

TEST(Wishes, GiveTheSameBytesWithAnyNumberOfThreads) {
  DecisionProblem problem = linear_problem({1.0, 0.8, -0.5}, 1.5, 100.0);
  problem.max_alterations = 2;
  problem.constraints = {{{{"a0", 1.0}, {"a1", 1.0}}, 2.5}};
  const std::vector<DecisionProblem> problems(2, problem);
  for (const Choice& choice : optimizer_choices()) {
    DecisionOptions options;
    options.optimizer = choice.name;
    options.draws = 200;
    options.judge_draws = 200;
    options.random_points = 50;
    options.grid_points = 9;
    options.bayes_evaluations = 10;
    options.target = 0.7;
    options.proposals = 2;
    std::string first;
    for (const int threads : {1, 2}) {
      Context context;
      context.threads = threads;
      std::string bytes;
      for (const Decision& decision : decide_all(problems, options, context)) {
        Json json = to_json(decision);
        json.erase("seconds");
        bytes += json.dump();
      }
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << choice.name << threads;
    }
  }
}

}  // namespace
}  // namespace olem::wishes_test
