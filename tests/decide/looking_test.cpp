#include "olem/looking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/sampler_state.h"

namespace olem::looking_test {
namespace {

// 1 with a probability that is a function of the conditions, exactly.
class Coin : public ConditionalSampler {
 public:
  using Probability = std::function<double(const std::vector<double>&)>;
  Coin(std::size_t conditions, Probability probability)
      : conditions_(conditions), probability_(std::move(probability)) {}

  std::size_t conditions() const override { return conditions_; }
  std::size_t noise_entries() const override { return 1; }
  SamplerFacts facts() const override {
    SamplerFacts facts;
    facts.form = "coin";
    facts.inputs.assign(conditions_, {0.0, 0.0, true});
    return facts;
  }
  double at(std::span<const Condition> conditions, std::size_t draw) const {
    std::vector<double> values;
    for (const Condition& condition : conditions) values.push_back(condition.values[condition.shared ? 0 : draw]);
    return probability_(values);
  }
  class Run : public SamplerRun {
   public:
    Run(const Coin& coin, std::span<const double> noise) : coin_(coin), noise_(noise.begin(), noise.end()) {}
    void sample(std::span<const Condition> conditions, double /*caution*/, std::span<double> y) override {
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double uniform = 0.5 * std::erfc(-noise_[i] / std::sqrt(2.0));
        y[i] = uniform < coin_.at(conditions, i) ? 1.0 : 0.0;
      }
    }
    void add_gradient(std::span<const double> /*adjoint*/, std::span<double* const> /*gradients*/) override {}

   private:
    const Coin& coin_;
    std::vector<double> noise_;
  };
  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t /*draws*/) const override {
    return std::make_unique<Run>(*this, noise);
  }
  void log_density(std::span<const Condition> conditions, std::span<const double> y, double /*caution*/,
                   std::span<double> out) const override {
    for (std::size_t i = 0; i < y.size(); ++i)
      out[i] = std::log(y[i] > 0.5 ? at(conditions, i) : 1.0 - at(conditions, i));
  }
  void extrapolation(std::span<const Condition> /*conditions*/, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
  }
  double extrapolation_limit() const override { return 1.0; }
  std::optional<std::vector<double>> slopes(double /*caution*/) const override { return std::nullopt; }
  bool is_discrete() const override { return true; }
  SamplerState state() const override { throw Error(ErrorCategory::kInternal, "Not kept."); }

 private:
  std::size_t conditions_;
  Probability probability_;
};

struct Node {
  const char* name;
  std::vector<std::size_t> parents;
  Coin::Probability probability;
};

DecisionProblem problem_of(const std::vector<Node>& nodes, const std::vector<std::string>& levers) {
  auto set = std::make_shared<SamplerSet>();
  for (const Node& node : nodes) {
    SamplerVariable& variable = set->variables.emplace_back();
    variable.name = node.name;
    variable.about.type = ColumnType::kBinary;
    variable.about.levels = {{0.0, "0"}, {1.0, "1"}};
    variable.high = 1.0;
    variable.conditions = node.parents;
    variable.sampler = std::make_shared<Coin>(node.parents.size(), node.probability);
  }
  DecisionProblem problem;
  problem.samplers = std::move(set);
  for (const std::string& lever : levers) problem.alterable.push_back({.name = lever, .values = {0.0, 1.0}});
  problem.region = Region::box({{.outcome = nodes.back().name, .values = {1.0}}});
  return problem;
}

Coin::Probability constant(double p) {
  return [p](const std::vector<double>&) { return p; };
}
// The condition with this probability, the other value otherwise.
Coin::Probability same(double p) {
  return [p](const std::vector<double>& v) { return v[0] > 0.5 ? p : 1.0 - p; };
}
// Of V1 and V4.
double trade(const std::vector<double>& v) { return v[1] > 0.5 ? 1.0 - v[0] : 0.4; }

struct Known {
  const char* lever;
  double changed;
  double watched;
};

// Four standard errors of the draws that are reported; the best of several choices is a little above its truth.
constexpr double kError = 0.033;

void expect(const DecisionProblem& problem, const std::vector<Known>& known) {
  const Looking looking = explain_looking(problem, {}, Context());
  for (const Known& answer : known) {
    SCOPED_TRACE(answer.lever);
    const auto found = std::find_if(looking.levers.begin(), looking.levers.end(),
                                    [&](const ChangeOrWatch& lever) { return lever.name == answer.lever; });
    ASSERT_NE(found, looking.levers.end());
    EXPECT_NEAR(found->changed, answer.changed, kError);
    EXPECT_NEAR(found->watched, answer.watched, kError);
    // The two share their draws.
    EXPECT_NEAR(found->difference(), answer.changed - answer.watched, kError);
  }
}

// Known answers of the literature, exact.
struct BinaryTask {
  const char* name;
  std::vector<Node> nodes;
  std::vector<std::string> levers;
  std::vector<Known> known;
};

std::vector<BinaryTask> binary_tasks() {
  const auto after = [](const std::vector<double>& v) { return 0.8 * (1.0 - v[0]); };
  const auto both = [](const std::vector<double>& v) { return 0.8 * v[0] * v[1]; };
  return {{"chain",
           {{"X", {}, constant(0.9)}, {"Z", {0}, same(0.9)}, {"Y", {1}, same(0.9)}},
           {"X", "Z"},
           {{"X", 0.9, 0.9}, {"Z", 0.9, 0.756}}},
          {"trader",
           {{"V1", {}, constant(0.5)},
            {"V2", {0}, same(0.8)},
            {"V3", {1}, same(0.8)},
            {"V4", {2}, same(0.8)},
            {"Y", {0, 3}, trade}},
           {"V2", "V3", "V4"},
           {{"V2", 0.5, 0.6}, {"V3", 0.5, 0.54}, {"V4", 0.5, 0.396}}},
          {"farmer",
           {{"V1", {}, constant(0.8)}, {"V2", {0}, after}, {"V3", {1}, after}, {"V4", {2}, after}, {"Y", {0, 3}, both}},
           {"V2", "V3", "V4"},
           {{"V2", 0.64, 0.64}, {"V4", 0.64, 0.1024}}},
          {"doctor",
           {{"V1", {}, constant(0.5)},
            {"V2", {}, constant(0.2)},
            {"V3", {0, 1}, both},
            {"V4", {}, constant(0.2)},
            {"Y", {0, 3}, trade}},
           {"V2", "V3", "V4"},
           {{"V2", 0.66, 0.532}, {"V3", 0.5, 0.532}, {"V4", 0.5, 0.42}}}};
}

TEST(Looking, TasksOfTheLiterature) {
  for (const BinaryTask& task : binary_tasks()) {
    SCOPED_TRACE(task.name);
    expect(problem_of(task.nodes, task.levers), task.known);
  }
}

// The probability of success of a plan by summing over all values of all variables.
double summed_success(const std::vector<Node>& nodes, const Decision& plan) {
  const std::function<double(std::vector<double>&)> from = [&](std::vector<double>& values) -> double {
    if (values.size() == nodes.size()) return values.back();
    const Node& node = nodes[values.size()];
    const auto with = [&](double value) {
      values.push_back(value);
      const double success = from(values);
      values.pop_back();
      return success;
    };
    for (const Alteration& alteration : plan.alterations) {
      if (alteration.name == node.name && alteration.value) return with(*alteration.value);
    }
    const std::vector<AlterationRule> none;
    for (const AlterationRule& rule : plan.sequence ? plan.sequence->rules : none) {
      if (rule.name != node.name) continue;
      std::vector<double> seen;
      for (const std::string& input : rule.inputs) {
        const auto place =
            std::find_if(nodes.begin(), nodes.end(), [&](const Node& other) { return other.name == input; });
        seen.push_back(values[static_cast<std::size_t>(place - nodes.begin())]);
      }
      return with(rule(seen));
    }
    std::vector<double> parents;
    for (const std::size_t parent : node.parents) parents.push_back(values[parent]);
    const double p = node.probability(parents);
    return p * with(1.0) + (1.0 - p) * with(0.0);
  };
  std::vector<double> values;
  return from(values);
}

// The plans that are found are the best there are, to every digit: what is left in the numbers is chance of draws.
TEST(Looking, PlansAreExactlyTheBest) {
  for (const BinaryTask& task : binary_tasks()) {
    for (const Known& answer : task.known) {
      SCOPED_TRACE(std::string(task.name) + " " + answer.lever);
      const auto lever = std::find(task.levers.begin(), task.levers.end(), answer.lever);
      const std::vector<std::string> later(lever + 1, task.levers.end());
      double changed = 0.0;
      double watched = 0.0;
      for (std::size_t choice = 0; choice < std::size_t{2} << later.size(); ++choice) {
        const bool alter = (choice & 1U) != 0;
        std::vector<std::string> altered;
        std::vector<SequenceStep> steps(1);
        (alter ? steps[0].alter : steps[0].then_observe).push_back(answer.lever);
        if (alter) altered.push_back(answer.lever);
        for (std::size_t k = 0; k < later.size(); ++k) {
          if (((choice >> (k + 1)) & 1U) == 0) {
            steps.back().then_observe.push_back(later[k]);
            continue;
          }
          altered.push_back(later[k]);
          steps.push_back({{later[k]}, {}});
        }
        DecisionProblem problem = problem_of(task.nodes, altered);
        problem.sequence = steps;
        DecisionOptions options;
        options.least_effort = 0.0;
        for (const double value : {0.0, 1.0}) {
          if (alter) problem.fixed = {{answer.lever, value}};
          double& best = alter ? changed : watched;
          best = std::max(best, summed_success(task.nodes, decide(problem, options, Context())));
        }
      }
      EXPECT_NEAR(changed, answer.changed, 1e-6);
      EXPECT_NEAR(watched, answer.watched, 1e-6);
    }
  }
}

// Seeing what the last lever can answer to is worth .6 - .5; a coin of its own is worth nothing.
TEST(Looking, WorthOfSeeing) {
  const DecisionProblem problem = problem_of({{"V1", {}, constant(0.5)},
                                              {"hint", {0}, same(0.8)},
                                              {"other", {}, constant(0.5)},
                                              {"V4", {}, constant(0.5)},
                                              {"Y", {0, 3}, trade}},
                                             {"V4"});
  const Looking looking = explain_looking(problem, {}, Context());
  ASSERT_EQ(looking.variables.size(), 3U);
  EXPECT_EQ(looking.variables[0].name, "V1");
  // V1 itself: set V4 where it is 0, leave it off where it is 1: .5 + .5 x .4.
  EXPECT_NEAR(looking.variables[0].gain(), 0.7 - 0.5, kError);
  EXPECT_EQ(looking.variables[1].name, "hint");
  EXPECT_NEAR(looking.variables[1].gain(), 0.1, kError);
  EXPECT_NEAR(looking.variables[2].gain(), 0.0, 0.01);
  const Json json = to_json(looking);
  EXPECT_EQ(json["variables"].size(), 3U);
  EXPECT_EQ(json["levers"][0]["name"], "V4");
}

}  // namespace
}  // namespace olem::looking_test
