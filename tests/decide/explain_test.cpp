#include "olem/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "decide/explain/explain_json.h"
#include "olem/error.h"
#include "olem/random.h"
#include "olem/rehearsal.h"
#include "olem/report.h"

namespace olem::explain_test {

using namespace internal;
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double normal_probability(double low, double high, double mean, double deviation) {
  const auto below = [&](double value) { return 0.5 * std::erfc((mean - value) / (deviation * std::numbers::sqrt2)); };
  return below(high) - below(low);
}

// a = c + noise, b = a + noise, w = noise, y = a + b + c + 0.5 noise, all noises standard normal; w moves nothing.
RehearsalModel model() {
  constexpr std::size_t kRows = 4000;
  RandomStream random(7, "explain");
  std::vector<std::vector<double>> columns(5, std::vector<double>(kRows));
  for (std::size_t i = 0; i < kRows; ++i) {
    const double c = columns[0][i] = random.normal();
    const double a = columns[1][i] = c + random.normal();
    const double b = columns[2][i] = a + random.normal();
    columns[3][i] = random.normal();
    columns[4][i] = a + b + c + 0.5 * random.normal();
  }
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  const Task task = parse_task(R"({"context": ["c"], "alterable": {"a": [-2, 2], "b": [-2, 2], "w": [0, 1]},
                                   "outcome": ["y"], "desired": {"y": [2, 4]}, "observed": {"c": 0}})",
                               "task.json");
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  return fit_rehearsal(task, Table({"c", "a", "b", "w", "y"}, std::move(values), "t.csv"), options,
                       Order{"c", "a", "b", "y", "w"}, Context());
}

const RehearsalModel& shared_model() {
  static const RehearsalModel fitted = model();
  return fitted;
}

DecisionProblem problem_at(double c) {
  return decision_problem(shared_model(), named_values(shared_model().task.context, std::vector<double>{c}));
}

// Given c = 0: y is N(0, 4 + 1 + 1/4) without action, N(2 a, 1 + 1/4) with a set, N(b, 1 + 1/4) with b set (a stays
// random), and N(a + b, 1/4) with both.
TEST(Explain, AgreesWithTheClosedFormOfALinearGaussianModel) {
  const Explanation explanation = explain(problem_at(0.0), {{"a", 1.0}}, {}, Context());
  EXPECT_NEAR(explanation.without_action, normal_probability(2, 4, 0, std::sqrt(5.25)), 0.025);
  const SuccessCurve& a = explanation.curves[0];
  const SuccessCurve& b = explanation.curves[1];
  ASSERT_EQ(a.values.size(), 41U);
  EXPECT_EQ(a.values.front(), -2.0);
  EXPECT_EQ(a.values.back(), 2.0);
  EXPECT_NEAR(a.expected, 0.0, 0.1);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    EXPECT_NEAR(a.success[i], normal_probability(2, 4, 2 * a.values[i], std::sqrt(1.25)), 0.04) << a.values[i];
    EXPECT_NEAR(b.success[i], normal_probability(2, 4, b.values[i], std::sqrt(1.25)), 0.04) << b.values[i];
    EXPECT_NEAR(b.beside_decision[i], normal_probability(2, 4, 1.0 + b.values[i], 0.5), 0.05) << b.values[i];
    EXPECT_EQ(a.beside_decision[i], a.success[i]);
  }
  EXPECT_NEAR(a.best_value, 1.5, 0.15);
  EXPECT_EQ(b.best_value, 2.0);
  EXPECT_NEAR(*explanation.with_decision, normal_probability(2, 4, 2, std::sqrt(1.25)), 0.04);

  ASSERT_EQ(explanation.maps.size(), 3U);
  const SuccessMap& both = explanation.maps[0];
  for (std::size_t row = 0; row < 17; ++row) {
    for (std::size_t column = 0; column < 17; ++column) {
      const double sum = both.first_values[column] + both.second_values[row];
      EXPECT_NEAR(both.success[row * 17 + column], normal_probability(2, 4, sum, 0.5), 0.07) << sum;
    }
  }
  EXPECT_NEAR(both.best_success, normal_probability(2, 4, 3, 0.5), 0.03);
  EXPECT_NEAR(both.gain_over_single, both.best_success - a.best_success, 1e-12);
}

TEST(Explain, RanksAloneAndTogether) {
  const Explanation explanation = explain(problem_at(0.0), {}, {}, Context());
  EXPECT_THAT(explanation.alone, ElementsAre(0, 1, 2));
  EXPECT_EQ(explanation.together.front(), 0U);
  const SuccessCurve& idle = explanation.curves[2];
  EXPECT_FALSE(idle.influences);
  EXPECT_EQ(idle.best_success, explanation.without_action);
  EXPECT_FALSE(explanation.with_decision.has_value());
  EXPECT_TRUE(explanation.curves[0].beside_decision.empty());
  // What an idle variable adds to a pair is nothing: the map repeats the curve of the other.
  EXPECT_NEAR(explanation.maps[1].gain_over_single, 0.0, 0.03);
}

// A number must not differ between two verbs that were asked the same.
TEST(Explain, SaysWhatDecideSays) {
  std::vector<DecisionProblem> problems = {problem_at(0.0), problem_at(-0.7)};
  const std::vector<Decision> decisions = decide_all(problems, {}, Context());
  std::vector<std::vector<NamedValue>> values;
  for (const Decision& decision : decisions) {
    auto& list = values.emplace_back();
    for (const Alteration& alteration : decision.alterations) {
      if (alteration.value) list.push_back({alteration.name, *alteration.value});
    }
  }
  ExplainOptions options;
  options.pair_points = 0;
  const std::vector<Explanation> explanations = explain_all(problems, values, options, Context());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    EXPECT_EQ(explanations[i].without_action, decisions[i].without_action);
    EXPECT_NEAR(*explanations[i].with_decision, decisions[i].success_probability, 1e-3);
    EXPECT_TRUE(explanations[i].maps.empty());
  }
}

TEST(Explain, ReadsItsJsonBack) {
  ExplainOptions options;
  options.pair_points = 3;
  const Explanation explanation = explain(problem_at(0.5), {{"a", 1.0}}, options, Context());
  const Json json = to_json(explanation);
  const std::string source = "result.json";
  EXPECT_EQ(to_json(read_explanation(JsonPart(json, source))), json);
  for (const char* const place : {"/variables/0/success", "/pairs/0/names", "/outcomes/y/without_action"}) {
    Json broken = json;
    broken[Json::json_pointer(place)] = Json::array({"nobody", "nothing"});
    EXPECT_THROW(read_explanation(JsonPart(broken, source)), Error) << place;
  }
}

TEST(Explain, DoesNotDependOnThreads) {
  Context one;
  one.threads = 1;
  Context four;
  four.threads = 4;
  ExplainOptions options;
  options.draws = 100;
  options.pair_points = 5;
  const std::vector<DecisionProblem> problems = {problem_at(0.0), problem_at(1.0)};
  const auto first = explain_all(problems, {}, options, one);
  const auto second = explain_all(problems, {}, options, four);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    EXPECT_EQ(to_json(first[i]), to_json(second[i]));
    EXPECT_EQ(explanation_svg(first[i]), explanation_svg(second[i]));
  }
  EXPECT_NE(to_json(first[0]), to_json(first[1]));
}

TEST(Explain, HistogramsCountTheDraws) {
  const Explanation explanation = explain(problem_at(0.0), {{"a", 1.5}}, {}, Context());
  ASSERT_EQ(explanation.outcomes.size(), 1U);
  const OutcomeHistogram& y = explanation.outcomes[0];
  EXPECT_EQ(y.desired_low, 2.0);
  EXPECT_EQ(y.edges.size(), y.without_action.size() + 1);
  std::size_t without = 0;
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < y.without_action.size(); ++i) {
    without += y.without_action[i];
    if (y.edges[i] >= 2.0 && y.edges[i + 1] <= 4.0) wanted += y.with_decision[i];
  }
  EXPECT_GE(without, 3980U);
  EXPECT_LE(without, 4000U);
  EXPECT_NEAR(static_cast<double>(wanted) / 4000.0, *explanation.with_decision, 0.15);
}

TEST(Explain, ADomainOfOneValueIsOnePoint) {
  DecisionProblem problem = problem_at(0.0);
  problem.alterable[0].low = problem.alterable[0].high = 1.5;
  const Explanation explanation = explain(problem, {}, {}, Context());
  EXPECT_THAT(explanation.curves[0].values, ElementsAre(1.5));
  EXPECT_THAT(explanation.maps[0].first_values, ElementsAre(1.5));
  EXPECT_EQ(explanation.maps[0].success.size(), 17U);
  EXPECT_THAT(explanation_svg(explanation), HasSubstr("</svg>"));
  EXPECT_THAT(explanation_text({explanation}), HasSubstr("1.5 "));
}

TEST(Explain, ValuesOfADecisionAreChecked) {
  const std::vector<LeverDomain> domains = {{"dose", 0.0, 1.0}, {"a=b", -1.0, 1.0}};
  check_alterations(domains, {{"a=b", 0.5}, {"dose", 1.0}});
  const std::pair<std::vector<NamedValue>, std::string> wrong[] = {
      {{{"dos", 1.0}}, "at: 'dos' is no alterable variable of the task. Did you mean 'dose'?"},
      {{{"dose", 2.0}}, "at: 2 is outside of the domain [0, 1] of 'dose'."},
      {{{"dose", std::nan("")}}, "at: nan is outside of the domain [0, 1] of 'dose'."},
      {{{"dose", 1.0}, {"dose", 0.0}}, "at: 'dose' is given twice. Give it once."},
  };
  for (const auto& [values, message] : wrong) {
    try {
      check_alterations(domains, values);
      ADD_FAILURE() << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace olem::explain_test
