#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "decide/objective.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/random.h"

namespace olem::convex_test {
namespace {

using ::testing::HasSubstr;

// `outcomes` columns that two levers move, with normal noise of their own.
DecisionProblem moved(std::size_t outcomes, std::size_t rows = 500) {
  std::vector<std::string> names = {"u", "v"};
  std::vector<std::vector<double>> columns(2 + outcomes, std::vector<double>(rows));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    RandomStream random(11, "test.convex", j);
    for (double& value : columns[j]) value = random.normal();
    if (j < 2) continue;
    names.push_back("y" + std::to_string(j - 1));
    const double slope = 1.0 - 0.5 * static_cast<double>(j - 2);
    for (std::size_t i = 0; i < rows; ++i)
      columns[j][i] = 0.7 * columns[j][i] + slope * columns[0][i] + 0.8 * columns[1][i];
  }
  std::vector<double> cells;
  for (const auto& column : columns) cells.insert(cells.end(), column.begin(), column.end());
  std::vector<VariableConditions> conditions = {{"u", {}}, {"v", {}}};
  for (std::size_t j = 2; j < names.size(); ++j) conditions.push_back({names[j], {"u", "v"}});
  SamplerOptions options;
  options.sampler = "gaussian";
  DecisionProblem problem;
  problem.samplers = std::make_shared<const SamplerSet>(
      fit_samplers(Table(names, std::move(cells), "moved.csv"), conditions, options, Context()));
  problem.alterable = {{"u", -2.0, 2.0}, {"v", -2.0, 2.0}};
  return problem;
}

TEST(Ellipse, ContainsWhatLiesWithin) {
  const Region region = Region::ellipse({"a", "b"}, {1.0, -1.0}, {2.0, 0.5});
  EXPECT_TRUE(region.is_given());
  const auto inside = [&](double a, double b) {
    const double y[] = {a, b};
    return region.contains(y);
  };
  EXPECT_TRUE(inside(1.0, -1.0));
  EXPECT_TRUE(inside(3.0, -1.0));
  EXPECT_FALSE(inside(3.01, -1.0));
  EXPECT_TRUE(inside(1.0, -0.5));
  EXPECT_FALSE(inside(2.9, -0.6));
  const double means[] = {1.0, 0.0};
  const double deviations[] = {2.0, 4.0};
  const Region standardised = region.standardised(means, deviations);
  for (const auto& [a, b] : {std::pair{1.5, -0.9}, {2.9, -1.1}, {-0.9, -1.3}}) {
    const double y[] = {(a - 1.0) / 2.0, b / 4.0};
    EXPECT_EQ(standardised.contains(y), inside(a, b));
  }
}

TEST(Ellipse, TasksHoldBallsAndEllipses) {
  const auto task = [](const std::string& desired) {
    return parse_task(
        R"({"context": [], "alterable": {"x": [0, 1]}, "outcome": ["a", "b"], "desired": )" + desired + "}", "t.json");
  };
  const Task ball = task(R"({"centre": [1, 2], "radius": 0.5})");
  ASSERT_TRUE(ball.desired.ellipse());
  EXPECT_EQ(ball.desired.ellipse()->radii, std::vector<double>({0.5, 0.5}));
  EXPECT_EQ(to_json(ball.desired).dump(), R"({"centre":[1.0,2.0],"radius":0.5})");
  EXPECT_EQ(to_json(task(R"({"centre": [1, 2], "radius": [1, 3]})")).dump(),
            to_json(parse_task(to_json(task(R"({"centre": [1, 2], "radius": [1, 3]})")).dump(), "t.json")).dump());
  const auto complaint = [&](const std::string& desired) -> std::string {
    try {
      task(desired);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint(R"({"centre": [1, 2]})"), HasSubstr("needs both"));
  EXPECT_THAT(complaint(R"({"centre": [1], "radius": 1})"), HasSubstr("one for each"));
  EXPECT_THAT(complaint(R"({"centre": [1, 2], "radius": -1})"), HasSubstr("must be positive"));
  EXPECT_THAT(complaint(R"({"center": [1, 2], "radius": 1})"), HasSubstr("Did you mean \"centre\"?"));
}

TEST(Ellipse, SmoothedSuccessHasItsGradient) {
  const internal::OutcomeObjective objective(Region::ellipse({"a", "b"}, {0.2, -0.1}, {1.5, 0.6}), {0.2, -0.1}, 0.6,
                                             Context());
  OutcomeDraws draws;
  draws.draws = 40;
  RandomStream random(1, "test.ellipse");
  for (int i = 0; i < 80; ++i) draws.values.push_back(random.normal());
  draws.valid.assign(40, 1);
  std::vector<double> adjoints(80);
  objective.smoothed(0.25, draws, adjoints);
  for (const std::size_t k : {0U, 7U, 39U, 40U, 61U}) {
    constexpr double kStep = 1e-6;
    std::vector<double> unused(80);
    OutcomeDraws up = draws;
    OutcomeDraws down = draws;
    up.values[k] += kStep;
    down.values[k] -= kStep;
    const double difference =
        (objective.smoothed(0.25, up, unused) - objective.smoothed(0.25, down, unused)) / (2.0 * kStep);
    EXPECT_NEAR(adjoints[k], difference, 1e-7);
  }
}

TEST(Ellipse, DecisionsFindIt) {
  DecisionProblem problem = moved(2);
  problem.region = Region::ellipse(
      problem.samplers->variables.size() == 4 ? std::vector<std::string>{"y1", "y2"} : std::vector<std::string>{},
      {1.2, 0.4}, {1.5, 1.5});
  const Decision decision = decide(problem, {}, Context());
  // Two normals of deviation .7 around the centre: P(chi-square of 2 < (1.5 / .7)^2) = .899.
  EXPECT_NEAR(decision.success_probability, 0.899, 0.03);
  DecisionOptions qwz23;
  qwz23.method = DecisionMethod::kQwz23;
  EXPECT_THROW(decide(problem, qwz23, Context()), Error);
}

// Success is log-concave in the decision for lines with normal noise and a convex region, so that every start ends at
// the same success.
TEST(LogConcave, SeveralStartsOneValue) {
  DecisionProblem problem = moved(3);
  problem.region = Region::box({{"y1", 0.0, 2.0}, {"y2", -0.5, 1.5}, {"y3", -0.8, 1.0}});
  std::vector<double> found;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Context context;
    context.seed = seed;
    for (const char* optimizer : {"gradient", "random"}) {
      DecisionOptions options;
      options.optimizer = optimizer;
      options.judge_draws = 10000;
      options.restarts = 0;
      options.screen = 0;
      found.push_back(decide(problem, options, context).success_probability);
    }
  }
  // Four standard errors of 20 000 draws, and what is given up for less effort.
  for (const double success : found) EXPECT_NEAR(success, found.front(), 4.0 * std::sqrt(0.5 / 20000.0) + 0.005);
}

// The midpoint of two decisions is at least as good as their geometric mean.
TEST(LogConcave, AlongLines) {
  DecisionProblem problem = moved(3);
  problem.region = Region::box({{"y1", 0.0, 2.0}, {"y2", -0.5, 1.5}, {"y3", -0.8, 1.0}});
  DecisionOptions options;
  options.judge_draws = 20000;
  const auto success = [&](double u, double v) {
    problem.fixed = {{"u", u}, {"v", v}};
    return decide(problem, options, Context()).success_probability;
  };
  RandomStream random(4, "test.log_concave");
  for (int pair = 0; pair < 4; ++pair) {
    const double u0 = random.uniform(-1.5, 1.5);
    const double v0 = random.uniform(-1.5, 1.5);
    const double u1 = random.uniform(-1.5, 1.5);
    const double v1 = random.uniform(-1.5, 1.5);
    const double ends = std::sqrt(success(u0, v0) * success(u1, v1));
    // Common draws; what is left is their chance.
    EXPECT_GE(success(0.5 * (u0 + u1), 0.5 * (v0 + v1)), ends - 0.01);
  }
}

TEST(LogConcave, ProvesQwz23BeyondTwoOutcomes) {
  DecisionProblem problem = moved(3);
  problem.region = Region::box({{"y1", 0.0, 2.0}, {"y2", -0.5, 1.5}, {"y3", -0.8, 1.0}});
  DecisionOptions options;
  options.method = DecisionMethod::kQwz23;
  const Decision decision = decide(problem, options, Context());
  for (const Warning& warning : decision.summary.warnings) EXPECT_NE(warning.code, "not_proven");
}

}  // namespace
}  // namespace olem::convex_test
