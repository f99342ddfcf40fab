#include "olem/qwz23.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decide/helpers.h"
#include "decide/satisfied_draws.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/post_decision.h"

namespace olem::test {

using namespace internal;
namespace {

struct Instance {
  AffineOutcomes outcomes;
  Region region;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<double> preferred;

  Qwz23Answer solve(Qwz23Search search) const {
    Qwz23Options options;
    options.nodes = 1000000;
    return maximise_satisfied(outcomes, region, low, high, preferred, options, Context(), search);
  }
};

Region random_region(RandomStream& random, std::size_t outcomes, bool box) {
  std::vector<std::string> names;
  std::vector<OutcomeRange> ranges;
  for (std::size_t o = 0; o < outcomes; ++o) {
    names.push_back("y" + std::to_string(o));
    const double low = random.uniform(-1.0, 0.5);
    ranges.push_back({names.back(), low, low + random.uniform(0.5, 2.0)});
    if (random.uniform() < 0.2) ranges.back().high.reset();
  }
  if (box) return Region::box(ranges);
  std::vector<std::vector<double>> weights;
  std::vector<double> bounds;
  for (std::size_t r = 0; r < outcomes + 2; ++r) {
    std::vector<double>& row = weights.emplace_back();
    for (std::size_t o = 0; o < outcomes; ++o) row.push_back(random.normal());
    bounds.push_back(random.uniform(0.2, 1.0));
  }
  return Region::polytope(names, weights, bounds);
}

Instance random_instance(std::uint64_t seed, std::size_t outcomes, std::size_t altered, std::size_t draws, bool box) {
  RandomStream random(seed, "qwz23");
  Instance instance;
  instance.outcomes.draws = draws;
  instance.outcomes.outcomes = outcomes;
  instance.outcomes.altered = altered;
  for (std::size_t i = 0; i < draws * outcomes; ++i) instance.outcomes.base.push_back(1.5 * random.normal());
  for (std::size_t i = 0; i < outcomes * altered; ++i) instance.outcomes.response.push_back(random.normal());
  instance.region = random_region(random, outcomes, box);
  for (std::size_t a = 0; a < altered; ++a) {
    instance.low.push_back(random.uniform(-1.5, 0.0));
    instance.high.push_back(random.uniform(0.0, 1.5));
    instance.preferred.push_back(0.5 * (instance.low[a] + instance.high[a]));
  }
  return instance;
}

// Draws at b + z, wanted in [0.9, 1.1]: b = 0 needs z in [0.9, 1.1], b = 0.2 needs [0.7, 0.9], and no other two can be
// had together.
TEST(Qwz23, FindsThePointThatTwoDrawsShare) {
  Instance instance;
  instance.outcomes = {4, 1, 1, {-1.0, 0.0, 0.2, 2.0}, {1.0}};
  instance.region = Region::box({{"y", 0.9, 1.1}});
  instance.low = {-2.0};
  instance.high = {2.0};
  instance.preferred = {0.0};
  for (const Qwz23Search search : {Qwz23Search::kSweep, Qwz23Search::kProgramme}) {
    const Qwz23Answer answer = instance.solve(search);
    EXPECT_EQ(answer.satisfied, 2U);
    ASSERT_EQ(answer.values.size(), 1U);
    EXPECT_NEAR(answer.values[0], 0.9, 1e-8);
  }
}

TEST(Qwz23, TheDeepestStretchIsTheWidestOfTheDeepest) {
  const std::vector<Stretch> stretches = {{0, 4}, {1, 2}, {3, 10}, {3.5, 3.6}, {6, 9}, {5, 4}, {11, 12}};
  const DeepestStretch whole = deepest_stretch(stretches, -100.0, 100.0);
  EXPECT_EQ(whole.depth, 3U);
  EXPECT_EQ(whole.at.low, 3.5);
  EXPECT_EQ(whole.at.high, 3.6);
  const DeepestStretch part = deepest_stretch(stretches, 3.8, 100.0);
  EXPECT_EQ(part.depth, 2U);
  EXPECT_EQ(part.at.low, 6.0);
  EXPECT_EQ(part.at.high, 9.0);
  EXPECT_EQ(deepest_stretch(stretches, 20.0, 30.0).depth, 0U);
}

// The programme proves that nothing is better, so that both can only agree when the sweep is exact.
TEST(Qwz23, SweepsAgreeWithTheIntegerProgramme) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t outcomes = 1 + seed % 2;
    const Instance instance = random_instance(seed, outcomes, 1 + seed % 4, 16, seed % 3 != 0);
    const Qwz23Answer sweep = instance.solve(Qwz23Search::kSweep);
    const Qwz23Answer programme = instance.solve(Qwz23Search::kProgramme);
    ASSERT_EQ(programme.at_most, programme.satisfied);
    ASSERT_EQ(sweep.satisfied, programme.satisfied) << "seed " << seed;
    for (std::size_t a = 0; a < sweep.values.size(); ++a) {
      EXPECT_GE(sweep.values[a], instance.low[a]);
      EXPECT_LE(sweep.values[a], instance.high[a]);
    }
  }
}

// The two ways for two outcomes: a row that never matters makes a polygon of the box.
TEST(Qwz23, RectanglesAndLinesAgree) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Instance instance = random_instance(seed, 2, 1 + seed % 3, 120, true);
    const Qwz23Answer rectangles = instance.solve(Qwz23Search::kSweep);
    std::vector<std::vector<double>> weights = {{1.0, 1.0}};
    std::vector<double> bounds = {1e6};
    for (std::size_t r = 0; r < instance.region.rows(); ++r) {
      weights.emplace_back(instance.region.weights(r).begin(), instance.region.weights(r).end());
      bounds.push_back(instance.region.bound(r));
    }
    instance.region = Region::polytope(instance.region.outcomes(), weights, bounds);
    EXPECT_EQ(instance.solve(Qwz23Search::kSweep).satisfied, rectangles.satisfied) << "seed " << seed;
  }
}

// No point of a fine grid satisfies more.
TEST(Qwz23, NothingInAFineGridIsBetter) {
  const Instance instance = random_instance(5, 2, 2, 200, true);
  const Qwz23Answer answer = instance.solve(Qwz23Search::kSweep);
  const ShiftRows rows = shift_rows(instance.outcomes, instance.region);
  std::size_t best = 0;
  for (int i = 0; i <= 100; ++i) {
    for (int j = 0; j <= 100; ++j) {
      const double z[] = {instance.low[0] + 0.01 * i * (instance.high[0] - instance.low[0]),
                          instance.low[1] + 0.01 * j * (instance.high[1] - instance.low[1])};
      best = std::max(best, satisfied_at(rows, row_values(rows, instance.outcomes, z)).size());
    }
  }
  EXPECT_GE(answer.satisfied, best);
  EXPECT_LE(answer.satisfied, best + 6);
}

TEST(Qwz23, ThreeOutcomesByTheIntegerProgramme) {
  const Instance many = random_instance(8, 3, 2, 80, false);
  const Qwz23Answer start = many.solve(Qwz23Search::kAuto);
  EXPECT_GT(start.satisfied, 0U);
  EXPECT_EQ(start.at_most, 80U);
  const Instance instance = random_instance(7, 3, 3, 14, true);
  const Qwz23Answer answer = instance.solve(Qwz23Search::kAuto);
  EXPECT_EQ(answer.at_most, answer.satisfied);
  const ShiftRows rows = shift_rows(instance.outcomes, instance.region);
  EXPECT_EQ(satisfied_at(rows, row_values(rows, instance.outcomes, answer.values)).size(), answer.satisfied);
  RandomStream random(1, "points");
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> z;
    for (std::size_t a = 0; a < 3; ++a) z.push_back(random.uniform(instance.low[a], instance.high[a]));
    EXPECT_LE(satisfied_at(rows, row_values(rows, instance.outcomes, z)).size(), answer.satisfied);
  }
  EXPECT_THROW(instance.solve(Qwz23Search::kSweep), Error);
}

// Of all decisions with the same outcomes the one that changes least: only the first variable has to move.
TEST(Qwz23, AltersNoMoreThanItMust) {
  Instance instance;
  instance.outcomes = {3, 1, 2, {-0.1, 0.0, 0.1}, {2.0, 1.0}};
  instance.region = Region::box({{"y", 0.5, 1.5}});
  instance.low = {-1.0, -1.0};
  instance.high = {1.0, 1.0};
  instance.preferred = {0.0, 0.0};
  const Qwz23Answer answer = instance.solve(Qwz23Search::kAuto);
  EXPECT_EQ(answer.satisfied, 3U);
  EXPECT_NEAR(answer.values[0], 0.5, 1e-8);
  EXPECT_NEAR(answer.values[1], 0.0, 1e-8);
}

TEST(Qwz23, WithoutHopeNothingIsProposed) {
  Instance instance;
  instance.outcomes = {2, 1, 1, {0.0, 0.1}, {1.0}};
  instance.region = Region::box({{"y", 5.0, 6.0}});
  instance.low = {-1.0};
  instance.high = {1.0};
  instance.preferred = {0.0};
  for (const Qwz23Search search : {Qwz23Search::kSweep, Qwz23Search::kProgramme}) {
    EXPECT_TRUE(instance.solve(search).values.empty());
    EXPECT_EQ(instance.solve(search).at_most, 0U);
  }
}

GraphFile farm_graph() {
  GraphFile file;
  file.graph = Dag({"weather", "dose", "rate", "yield"}, std::vector<Edge>{{0, 1}, {1, 2}, {0, 3}, {1, 3}, {2, 3}});
  file.source = "farm-graph.csv";
  return file;
}

RehearsalModel gaussian_farm(GaussianFit fit = GaussianFit::kLeastSquares) {
  RehearsalOptions options;
  options.samplers.sampler = "gaussian";
  options.samplers.gaussian.fit = fit;
  return fit_rehearsal_on_graph(farm_task(), farm(300, 1), options, farm_graph(), Context());
}

// Base and response against what the samplers themselves draw at other values: the map is affine, so that differences
// over any step are exact. With only the dose altered its effect also goes through the rate.
TEST(Qwz23, TheAffineMapIsWhatTheSamplersDraw) {
  for (const GaussianFit fit : {GaussianFit::kLeastSquares, GaussianFit::kBayesianRidge}) {
    const RehearsalModel model = gaussian_farm(fit);
    const std::vector<NamedValue> observed = {{"weather", -0.5}};
    for (const std::vector<std::string>& altered :
         {std::vector<std::string>{"dose", "rate"}, std::vector<std::string>{"dose"}}) {
      const AffineOutcomes map = affine_outcomes(model.samplers, observed, altered, {"yield"}, 50, 3, Context());
      PostDecisionPlan plan;
      plan.context = observed;
      plan.altered = altered;
      plan.outcomes = {"yield"};
      plan.draws = 50;
      plan.noise = 3;
      PostDecisionSampler sampler(model.samplers, plan, Context());
      std::vector<double> z(altered.size(), 0.7);
      z[0] = -1.3;
      const OutcomeDraws& draws = sampler.sample(z, 0.0);
      ASSERT_EQ(map.draws, 50U);
      for (std::size_t i = 0; i < 50; ++i) {
        double y = map.base[i];
        for (std::size_t a = 0; a < z.size(); ++a) y += map.response[a] * z[a];
        EXPECT_NEAR(y, draws.values[i], 1e-10);
      }
    }
  }
}

TEST(Qwz23, DecidesThroughTheSameDoorAndReportsItsInterval) {
  const RehearsalModel model = gaussian_farm();
  DecisionOptions options;
  options.method = DecisionMethod::kQwz23;
  const DecisionProblem problem = decision_problem(model, named_values(model.task.context, std::vector{-0.5}));
  const Decision decision = decide(problem, options, Context());
  EXPECT_EQ(decision.found_by, FoundBy::kSweep);
  EXPECT_GT(decision.success_probability, decision.without_action + 0.2);
  ASSERT_TRUE(decision.qwz23_interval.has_value());
  EXPECT_LE(decision.qwz23_interval->first, decision.success_probability);
  EXPECT_GE(decision.qwz23_interval->second, decision.success_probability);
  for (std::size_t k = 0; k < 2; ++k) {
    if (!decision.alterations[k].value) continue;
    EXPECT_GE(*decision.alterations[k].value, problem.alterable[k].low);
    EXPECT_LE(*decision.alterations[k].value, problem.alterable[k].high);
  }
  // No worse than the search by gradients in its own model.
  options.method = DecisionMethod::kOlemRh;
  const Decision searched = decide(problem, options, Context());
  EXPECT_FALSE(searched.qwz23_interval.has_value());
  EXPECT_GE(decision.success_probability, searched.success_probability - 0.02);
}

TEST(Qwz23, SaysWhichOutcomeIsNotLinear) {
  DecisionOptions options;
  options.method = DecisionMethod::kQwz23;
  try {
    const RehearsalModel model = farm_model(200, "gp");
    decide(decision_problem(model, named_values(model.task.context, std::vector{-0.5})), options, Context());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kUsage);
    EXPECT_NE(std::string(error.what()).find("'yield'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace olem::test
