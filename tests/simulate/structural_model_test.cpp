#include "olem/structural_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "olem/error.h"
#include "olem/simulate.h"
#include "simulate/helpers.h"

namespace olem::structural_model_test {

using namespace internal;
namespace {

using test::equal;
using test::expect_error;
using test::seeded;

// A noise that is always zero, to see functions alone.
constexpr Noise kSilence{NoiseKind::kUniform, 0.0, 0.0};

// C -> A -> B with columns A, B, C; B = 2 A + 1, A = 3 C.
StructuralModel chain() {
  StructuralModel model;
  model.nodes = {{"A", {2}, LinearFunction{{3.0}, 0.0}, {NoiseKind::kGaussian, 1.0, 0.0}},
                 {"B", {0}, LinearFunction{{2.0}, 1.0}, {NoiseKind::kExponential, 0.5, 0.0}},
                 {"C", {}, LinearFunction{}, {NoiseKind::kBeta, 0.8, 1.2}}};
  model.anchors.resize(3);
  return model;
}

TEST(StructuralModel, CausalOrderPutsCausesFirst) {
  EXPECT_EQ(causal_order(chain()), (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(chain().edges(), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {2, 0}}));
}

TEST(StructuralModel, EqualArgumentsGiveEqualRows) {
  const Table table = draw_rows(chain(), 300, 7, seeded(1));
  EXPECT_TRUE(equal(table, draw_rows(chain(), 300, 7, seeded(1, 4))));
  EXPECT_FALSE(equal(table, draw_rows(chain(), 300, 8, seeded(1))));
  EXPECT_FALSE(equal(table, draw_rows(chain(), 300, 7, seeded(2))));
}

TEST(StructuralModel, ARowDoesNotDependOnTheNumberOfRows) {
  AufSimulationOptions options;
  options.family = AufFamily::kMlp;
  options.rows = 10;
  const StructuralModel model = random_auf_task(options, 0, seeded(4)).model;
  const Table few = draw_rows(model, 37, 0, seeded(1));
  const Table many = draw_rows(model, 700, 0, seeded(1, 3));
  for (std::size_t j = 0; j < few.columns(); ++j) {
    for (std::size_t i = 0; i < few.rows(); ++i) ASSERT_EQ(few.at(i, j), many.at(i, j)) << i << " " << j;
  }
}

TEST(StructuralModel, NoisesHaveTheMomentsOfTheirDistributions) {
  struct Case {
    Noise noise;
    double mean;
    double variance;
  };
  const std::vector<Case> cases = {{{NoiseKind::kBeta, 0.8, 1.2}, 0.4, 0.08},
                                   {{NoiseKind::kExponential, 0.75, 0.0}, 0.75, 0.5625},
                                   {{NoiseKind::kGaussian, 1.2, 0.0}, 0.0, 1.44},
                                   {{NoiseKind::kUniform, -1.0, 2.0}, 0.5, 0.75}};
  StructuralModel model;
  for (std::size_t j = 0; j < cases.size(); ++j) {
    model.nodes.push_back({"N" + std::to_string(j), {}, LinearFunction{}, cases[j].noise});
  }
  model.anchors.resize(cases.size());
  constexpr std::size_t kRows = 100000;
  const Table table = draw_rows(model, kRows, 0, seeded(11));
  for (std::size_t j = 0; j < cases.size(); ++j) {
    double mean = 0.0;
    double squares = 0.0;
    for (const double value : table.column(j)) mean += value / kRows;
    for (const double value : table.column(j)) squares += (value - mean) * (value - mean) / kRows;
    // Five standard errors; the fourth moment of none of them exceeds 9 squared variances.
    EXPECT_NEAR(mean, cases[j].mean, 5.0 * std::sqrt(cases[j].variance / kRows)) << j;
    EXPECT_NEAR(squares, cases[j].variance, 5.0 * cases[j].variance * std::sqrt(8.0 / kRows)) << j;
  }
}

// 2 sigmoid(0.5 - 2) - sigmoid(1 + 4), by hand.
TEST(StructuralModel, MlpIsASumOfSigmoids) {
  StructuralModel model;
  model.nodes = {{"Y", {1, 2}, MlpFunction{{0.5, -1.0, 1.0, 2.0}, {2.0, -1.0}}, kSilence},
                 {"A", {}, LinearFunction{{}, 1.0}, kSilence},
                 {"B", {}, LinearFunction{{}, 2.0}, kSilence}};
  model.anchors.resize(3);
  const double expected = 2.0 / (1.0 + std::exp(1.5)) - 1.0 / (1.0 + std::exp(-5.0));
  EXPECT_NEAR(draw_rows(model, 1, 0, seeded(0)).at(0, 0), expected, 1e-15);
}

// exp(-(0.25 + 1) / 2) * 3 - exp(-(0.25 + 4) / 2), by hand.
TEST(StructuralModel, GaussianProcessIsASumOverAnchors) {
  StructuralModel model;
  model.nodes = {{"Y", {1, 2}, GaussianProcessFunction{{3.0, -1.0}}, kSilence},
                 {"A", {}, LinearFunction{{}, 0.5}, kSilence},
                 {"B", {}, LinearFunction{{}, 1.0}, kSilence}};
  model.anchors = {{}, {0.0, 1.0}, {0.0, 3.0}};
  EXPECT_NEAR(draw_rows(model, 1, 0, seeded(0)).at(0, 0), 3.0 * std::exp(-0.625) - std::exp(-2.125), 1e-15);
}

TEST(SimulateDecision, CutsTheEdgesIntoAlteredNodesOnly) {
  const StructuralModel model = chain();
  const Table nothing = simulate_decision(model, {}, {}, 50, 3, seeded(5));
  const NamedValue altered{"A", 10.0};
  const Table after = simulate_decision(model, {}, {{altered}}, 50, 3, seeded(5));
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(after.at(i, 2), nothing.at(i, 2));  // the cause keeps its values
    EXPECT_EQ(after.at(i, 0), 10.0);
    EXPECT_NEAR(after.at(i, 1) - nothing.at(i, 1), 2.0 * (10.0 - nothing.at(i, 0)), 1e-12);
  }
}

TEST(SimulateDecision, ContextFixesItsOwnNodesAndReachesTheirEffects) {
  const NamedValue low{"C", 0.0};
  const NamedValue high{"C", 2.0};
  const Table before = simulate_decision(chain(), {{low}}, {}, 20, 0, seeded(5));
  const Table after = simulate_decision(chain(), {{high}}, {}, 20, 0, seeded(5));
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(after.at(i, 2), 2.0);
    EXPECT_NEAR(after.at(i, 0) - before.at(i, 0), 6.0, 1e-12);
    EXPECT_NEAR(after.at(i, 1) - before.at(i, 1), 12.0, 1e-12);
  }
}

TEST(SimulateDecision, DoesNotReuseTheNoiseOfTheData) {
  const Table data = draw_rows(chain(), 5, 0, seeded(5));
  const Table trials = simulate_decision(chain(), {}, {}, 5, 0, seeded(5));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NE(data.at(i, 2), trials.at(i, 2));
}

TEST(SimulateDecision, RefusesWhatItCannotAnswer) {
  const NamedValue a{"A", 1.0};
  const NamedValue c{"C", 1.0};
  const NamedValue typo{"c1", 1.0};
  const NamedValue nan{"A", std::nan("")};
  const StructuralModel model = chain();
  expect_error(ErrorCategory::kTask, "'A' is observed, but its cause 'C' is not",
               [&] { simulate_decision(model, {{a}}, {}, 5, 0, seeded(0)); });
  expect_error(ErrorCategory::kTask, "its cause 'C' is not",
               [&] { simulate_decision(model, {{a}}, {{c}}, 5, 0, seeded(0)); });
  expect_error(ErrorCategory::kUsage, "Did you mean 'C'?",
               [&] { simulate_decision(model, {}, {{typo}}, 5, 0, seeded(0)); });
  expect_error(ErrorCategory::kUsage, "'C' is given twice",
               [&] { simulate_decision(model, {{c}}, {{c}}, 5, 0, seeded(0)); });
  expect_error(ErrorCategory::kUsage, "finite", [&] { simulate_decision(model, {}, {{nan}}, 5, 0, seeded(0)); });
  expect_error(ErrorCategory::kUsage, "at least 1", [&] { simulate_decision(model, {}, {}, 0, 0, seeded(0)); });
}

TEST(SuccessRate, CountsTheBorderAsInsideAndNeedsEveryOutcome) {
  const Table rows({"u", "v"}, {0.0, 1.0, 2.0, 3.0, 5.0, 5.0, 9.0, 5.0});
  const std::vector<NamedRange> one = {{"u", 0.0, 2.0}};
  const std::vector<NamedRange> both = {{"u", 0.0, 2.0}, {"v", 4.0, 6.0}};
  EXPECT_EQ(success_rate(rows, one), 0.75);
  EXPECT_EQ(success_rate(rows, both), 0.5);
}

TEST(CheckModel, NamesWhatIsWrong) {
  const auto broken = [](const std::function<void(StructuralModel&)>& change) {
    StructuralModel model = chain();
    change(model);
    return [model] { check_model(model, "truth.json"); };
  };
  expect_error(ErrorCategory::kData, "truth.json: The graph has a cycle: A -> B -> A.",
               broken([](StructuralModel& m) { m.nodes[0].parents = {1}; }));
  expect_error(ErrorCategory::kData, "'B' has 2 weights, but needs 1", broken([](StructuralModel& m) {
                 m.nodes[1].function = LinearFunction{{1.0, 2.0}, 0.0};
               }));
  expect_error(ErrorCategory::kData, "Two nodes are called 'B'",
               broken([](StructuralModel& m) { m.nodes[0].name = "B"; }));
  expect_error(ErrorCategory::kData, "'C' is its own parent",
               broken([](StructuralModel& m) { m.nodes[2].parents = {2}; }));
  expect_error(ErrorCategory::kData, "the parent 'C' twice", broken([](StructuralModel& m) {
                 m.nodes[0].parents = {2, 2};
               }));
  expect_error(ErrorCategory::kData, "'B' has a parameter that is not positive",
               broken([](StructuralModel& m) { m.nodes[1].noise.a = 0.0; }));
  expect_error(ErrorCategory::kData, "'B' has inf among its weights", broken([](StructuralModel& m) {
                 m.nodes[1].function = LinearFunction{{INFINITY}, 0.0};
               }));
  expect_error(ErrorCategory::kData, "'A' has 0 anchor values, but needs 1",
               broken([](StructuralModel& m) { m.nodes[1].function = GaussianProcessFunction{{1.0}}; }));
}

}  // namespace
}  // namespace olem::structural_model_test
