#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "decide/ensemble.h"
#include "decide/rule_sampler.h"
#include "olem/belief.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/random.h"
#include "olem/sampler_state.h"
#include "olem/simulate.h"
#include "sampler/linear_gaussian.h"

namespace olem::sequence_test {
namespace {

using ::testing::HasSubstr;

// Columns with mean 0 and sample variance 1 (divisor n - 1) that are orthogonal: least squares finds equations made of
// them exactly.
std::vector<std::vector<double>> exact_noise(std::size_t columns, std::size_t rows) {
  std::vector<std::vector<double>> noise(columns, std::vector<double>(rows));
  const auto n = static_cast<double>(rows);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>((j + 1) * i) / n;
      noise[j][i] = std::sqrt(2.0 * (n - 1.0) / n) * std::cos(angle);
    }
  }
  return noise;
}

std::vector<std::vector<double>> random_noise(std::size_t columns, std::size_t rows, std::uint64_t seed) {
  std::vector<std::vector<double>> noise(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    RandomStream random(seed, "test.sequence", j);
    for (std::size_t i = 0; i < rows; ++i) noise[j].push_back(random.normal());
  }
  return noise;
}

SamplerSet fit(std::vector<std::string> names, const std::vector<std::vector<double>>& columns,
               const std::string& sampler) {
  std::vector<double> cells;
  for (const auto& column : columns) cells.insert(cells.end(), column.begin(), column.end());
  const Table table(names, std::move(cells), "made.csv");
  SamplerOptions options;
  options.sampler = sampler;
  return fit_samplers(table, conditions_from_order(names), options, Context());
}

// E = Q + P + e, all variances 1.
SamplerSet sum_of_two() {
  const auto noise = exact_noise(3, 64);
  std::vector<std::vector<double>> columns = {noise[0], noise[1], noise[2]};
  for (std::size_t i = 0; i < 64; ++i) columns[2][i] += columns[0][i] + columns[1][i];
  return fit({"Q", "P", "E"}, columns, "gaussian");
}

// Four variables a, b, c, d.
SamplerSet four() {
  const auto noise = exact_noise(4, 64);
  std::vector<std::vector<double>> v(4, std::vector<double>(64));
  for (std::size_t i = 0; i < 64; ++i) {
    v[0][i] = 0.1 + noise[0][i];
    v[1][i] = 0.8 * v[0][i] + std::sqrt(0.5) * noise[1][i];
    v[2][i] = -0.2 + 0.5 * v[0][i] - 1.2 * v[1][i] + 0.5 * noise[2][i];
    v[3][i] = 0.3 + 0.7 * v[1][i] + 0.9 * v[2][i] + 0.2 * noise[3][i];
  }
  return fit({"a", "b", "c", "d"}, v, "gaussian");
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// The same model under another name, so that nothing about it is known in closed form.
class Disguised : public ConditionalSampler {
 public:
  explicit Disguised(std::shared_ptr<const ConditionalSampler> inner) : inner_(std::move(inner)) {}
  std::size_t conditions() const override { return inner_->conditions(); }
  std::size_t noise_entries() const override { return inner_->noise_entries(); }
  SamplerFacts facts() const override { return inner_->facts(); }
  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return inner_->start(noise, draws);
  }
  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    inner_->log_density(conditions, y, caution, out);
  }
  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    inner_->extrapolation(conditions, out);
  }
  double extrapolation_limit() const override { return inner_->extrapolation_limit(); }
  std::optional<std::vector<double>> slopes(double caution) const override { return inner_->slopes(caution); }
  SamplerState state() const override {
    SamplerState state = inner_->state();
    state.kind = "disguised";
    return state;
  }

 private:
  std::shared_ptr<const ConditionalSampler> inner_;
};

std::shared_ptr<const SamplerSet> disguised(SamplerSet set) {
  for (SamplerVariable& variable : set.variables) variable.sampler = std::make_shared<Disguised>(variable.sampler);
  return std::make_shared<const SamplerSet>(std::move(set));
}

struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};
Moments moments(const SamplerVariable& variable, const std::vector<double>& standardised) {
  Moments result;
  const auto count = static_cast<double>(standardised.size());
  for (const double value : standardised) result.mean += variable.restore(value) / count;
  for (const double value : standardised) result.variance += std::pow(variable.restore(value) - result.mean, 2) / count;
  return result;
}

Moments moments_of(const internal::LinearGaussian& model, const SamplerSet& set, std::size_t v) {
  const auto i = static_cast<Eigen::Index>(v);
  const SamplerVariable& variable = set.variables[v];
  return {variable.restore(model.mean()[i]), variable.sd * variable.sd * model.covariance()(i, i)};
}

TEST(Belief, SumOfTwoInClosedForm) {
  const SamplerSet set = sum_of_two();
  auto model = internal::LinearGaussian::of(set, {true, true, true});
  ASSERT_TRUE(model);
  model->observe(2, set.variables[2].standardise(-1.0));
  model->observe(0, set.variables[0].standardise(1.0));
  const Moments p = moments_of(*model, set, 1);
  EXPECT_NEAR(p.mean, -1.0, 1e-6);
  EXPECT_NEAR(p.variance, 0.5, 1e-6);
}

TEST(Belief, FourVariablesInClosedForm) {
  const SamplerSet set = four();
  auto model = internal::LinearGaussian::of(set, {true, true, true, true});
  ASSERT_TRUE(model);
  const auto check = [&](std::size_t v, double mean, double variance) {
    const Moments found = moments_of(*model, set, v);
    EXPECT_NEAR(found.mean, mean, 1e-6) << set.variables[v].name;
    EXPECT_NEAR(found.variance, variance, 1e-6) << set.variables[v].name;
  };
  check(3, 0.1346, 0.336016);
  model->set(1, set.variables[1].standardise(0.6));
  check(0, 0.1, 1.0);
  check(1, 0.6, 0.0);
  EXPECT_NEAR(moments_of(*model, set, 2).mean, -0.87, 1e-6);
  check(3, -0.063, 0.445);
  model->observe(2, set.variables[2].standardise(0.4));
  check(0, 1.37, 0.5);
  check(2, 0.4, 0.0);
  check(3, 1.08, 0.04);
  const auto omega = [&](Eigen::Index i, Eigen::Index j) {
    return model->omega()(i, j) * set.variables[static_cast<std::size_t>(i)].sd *
           set.variables[static_cast<std::size_t>(j)].sd;
  };
  EXPECT_NEAR(omega(0, 0), 0.5, 1e-6);
  EXPECT_NEAR(omega(2, 2), 0.125, 1e-6);
  EXPECT_NEAR(omega(0, 2), -0.25, 1e-6);
  const Moments d = moments_of(*model, set, 3);
  const double sd = std::sqrt(d.variance);
  EXPECT_NEAR(normal_cdf((1.5 - d.mean) / sd) - normal_cdf((0.5 - d.mean) / sd), 0.980270, 1e-6);
}

TEST(Belief, WeightedDrawsAgreeWithTheClosedForm) {
  const auto set = disguised(sum_of_two());
  const Belief belief(set, {{}, {}, nullptr, {}, {{"Q", 1.0}, {"E", -1.0}}});
  EXPECT_FALSE(belief.is_exact());
  EXPECT_EQ(belief.names(), std::vector<std::string>({"P"}));
  const auto drawn = belief.draw(4000, 3, Context());
  ASSERT_EQ(drawn.size(), 1U);
  const Moments p = moments(set->variables[1], drawn[0]);
  // Draws are worth as many as their effective number.
  const double effective = belief.effective_number(4000, Context());
  EXPECT_GT(effective, 500.0);
  EXPECT_NEAR(p.mean, -1.0, 4.0 * std::sqrt(0.5 / effective));
  EXPECT_NEAR(p.variance, 0.5, 4.0 * 0.5 * std::sqrt(2.0 / effective));
  // Other draws for another purpose, the same for the same.
  EXPECT_EQ(belief.draw(4000, 3, Context()), drawn);
  EXPECT_NE(belief.draw(4000, 4, Context()), drawn);
}

TEST(Belief, ExactDrawsAndWhatIsSetSaysNothingOfItsCauses) {
  const auto set = std::make_shared<const SamplerSet>(four());
  const Belief seen(set, {{}, {}, nullptr, {{"b", 0.6}}, {{"c", 0.4}}});
  EXPECT_TRUE(seen.is_exact());
  EXPECT_EQ(seen.names(), std::vector<std::string>({"a"}));
  const Moments a = moments(set->variables[0], seen.draw(4000, 0, Context())[0]);
  EXPECT_NEAR(a.mean, 1.37, 4.0 * std::sqrt(0.5 / 4000));
  EXPECT_NEAR(a.variance, 0.5, 4.0 * 0.5 * std::sqrt(2.0 / 4000));
  const Belief set_only(set, {{}, {}, nullptr, {{"b", 0.6}}, {}});
  EXPECT_TRUE(set_only.names().empty());
}

TEST(Belief, UnlikelyObservationsWarn) {
  const Context context;
  const auto exact = std::make_shared<const SamplerSet>(sum_of_two());
  const auto weighted = disguised(sum_of_two());
  const Situation usual{{}, {}, nullptr, {}, {{"E", 1.0}}};
  const Situation absurd{{}, {}, nullptr, {}, {{"E", 40.0}}};
  for (const auto& set : {exact, weighted}) {
    EXPECT_TRUE(observation_warnings(Belief(set, usual), usual, context).empty());
    const std::vector<Warning> warnings = observation_warnings(Belief(set, absurd), absurd, context);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].code, "unlikely_observation");
  }
}

// first, then seen = first / 2 + noise, then second, result = seen + second + a little noise.
std::vector<std::vector<double>> answering_rows() {
  constexpr std::size_t kRows = 400;
  const auto noise = random_noise(4, kRows, 5);
  std::vector<std::vector<double>> v(4, std::vector<double>(kRows));
  for (std::size_t i = 0; i < kRows; ++i) {
    v[0][i] = noise[0][i];
    v[1][i] = 0.5 * v[0][i] + noise[1][i];
    v[2][i] = noise[2][i];
    v[3][i] = v[1][i] + v[2][i] + 0.2 * noise[3][i];
  }
  return v;
}

DecisionProblem answering(const std::string& sampler = "gaussian") {
  const auto v = answering_rows();
  DecisionProblem problem;
  problem.samplers = std::make_shared<const SamplerSet>(fit({"first", "seen", "second", "result"}, v, sampler));
  problem.alterable = {{"first", -1.0, 1.0}, {"second", -3.0, 3.0}};
  problem.region = Region::box({{"result", -0.5, 0.5}});
  problem.sequence = {{{"first"}, {"seen"}}, {{"second"}, {}}};
  return problem;
}

TEST(Sequence, TheRuleAnswersToWhatIsSeen) {
  for (const char* sampler : {"gaussian", "linear", "gp"}) {
    SCOPED_TRACE(sampler);
    const Decision decision = decide(answering(sampler), {}, Context());
    ASSERT_TRUE(decision.sequence);
    // P(|N(0, .04)| < .5) = .9876; at once P(|N(0, 1.04)| < .5) = .376.
    EXPECT_GT(decision.success_probability, 0.96);
    EXPECT_NEAR(decision.sequence->at_once, 0.376, 0.05);
    ASSERT_EQ(decision.sequence->rules.size(), 1U);
    const AlterationRule& rule = decision.sequence->rules[0];
    EXPECT_EQ(rule.name, "second");
    EXPECT_EQ(rule.step, 2U);
    EXPECT_EQ(rule.inputs, std::vector<std::string>({"seen"}));
    EXPECT_NEAR(rule.sums[0].slopes[0], -1.0, 0.15);
    const double seen[] = {0.7};
    EXPECT_NEAR(rule(seen), -0.7, 0.2);
    const double far[] = {50.0};
    EXPECT_EQ(rule(far), -3.0);
    // What the first lever does can be answered, so that altering it is effort for nothing.
    EXPECT_FALSE(decision.alterations[0].value);
    EXPECT_FALSE(decision.alterations[1].value);
    EXPECT_EQ(decision.summary.status, Status::kDone);
  }
}

TEST(Sequence, TheNextStepIsDecidedByWhatWasSeen) {
  for (const double seen : {-0.8, 0.4}) {
    const std::vector<NamedValue> so_far = {{"first", 0.2}, {"seen", seen}};
    const ProblemSoFar next = problem_so_far(answering(), so_far, Context());
    EXPECT_TRUE(next.warnings.empty());
    EXPECT_EQ(next.problem.alterable.size(), 1U);
    const Decision decision = decide(next.problem, {}, Context());
    EXPECT_FALSE(decision.sequence);
    ASSERT_TRUE(decision.alterations[0].value);
    EXPECT_NEAR(*decision.alterations[0].value, -seen, 0.25);
    EXPECT_GT(decision.success_probability, 0.96);
    EXPECT_EQ(decision.so_far.size(), 2U);
  }
}

TEST(Sequence, OneStepIsThePlainDecision) {
  DecisionProblem problem = answering();
  problem.sequence = {{{"first", "second"}, {}}};
  DecisionProblem plain = problem;
  plain.sequence.clear();
  Decision with = decide(problem, {}, Context());
  Decision without = decide(plain, {}, Context());
  with.summary.seconds = without.summary.seconds = 0.0;
  EXPECT_EQ(to_json(with).dump(), to_json(without).dump());
}

TEST(Sequence, LimitsCountOverAllSteps) {
  DecisionProblem problem = answering();
  problem.max_alterations = 1;
  const Decision decision = decide(problem, {}, Context());
  ASSERT_EQ(decision.sequence->rules.size(), 1U);
  EXPECT_FALSE(decision.alterations[0].value);
  const std::vector<NamedValue> used = {{"first", 0.2}, {"seen", 0.4}};
  const Decision spent = decide(problem_so_far(problem, used, Context()).problem, {}, Context());
  EXPECT_FALSE(spent.acts());
  const std::vector<NamedValue> too_many = {{"first", 0.2}, {"second", 0.4}};
  EXPECT_THROW(problem_so_far(problem, too_many, Context()), Error);
}

// second <= 0 - first: with first at -1 the rule has room up to 1, and takes no more.
TEST(Sequence, ConstraintsCutTheRule) {
  DecisionProblem problem = answering();
  problem.fixed = {{"first", -0.5}};
  problem.constraints = {{{{"first", 1.0}, {"second", 1.0}}, 0.0}};
  const double cut = decide(problem, {}, Context()).success_probability;
  // seen ~ N(-.25, 1): where it is below -.5 - .5 by more than the noise there is no answer.
  EXPECT_LT(cut, 0.90);
  EXPECT_GT(cut, 0.70);
  problem.constraints[0].max = 10.0;
  EXPECT_GT(decide(problem, {}, Context()).success_probability, 0.96);
}

// The limit of a rule in the user's units is what cuts it: another program, and other fits, can follow it.
TEST(Sequence, ARuleCarriesItsLimits) {
  DecisionProblem problem = answering();
  problem.fixed = {{"first", -0.5}};
  problem.constraints = {{{{"first", 2.0}, {"second", 4.0}}, 1.0}};
  const Decision decision = decide(problem, {}, Context());
  ASSERT_EQ(decision.sequence->rules.size(), 1U);
  const AlterationRule& rule = decision.sequence->rules[0];
  ASSERT_EQ(rule.limits.size(), 1U);
  ASSERT_EQ(rule.limits[0].others.size(), 1U);
  const AlterationRule::Limit::Other& first = rule.limits[0].others[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_TRUE(first.before);
  // In any scale: 4 second + 2 first <= 1.
  EXPECT_NEAR(first.weight / rule.limits[0].weight, 0.5, 1e-9);
  EXPECT_NEAR(rule.limits[0].max / rule.limits[0].weight, 0.25, 1e-9);
  const Json json = to_json(rule);
  EXPECT_NEAR(json["limits"][0]["weights"]["first"].get<double>(), first.weight, 1e-12);
  // By the same fit the claim of the members is that of the plan: its rule is cut alike.
  auto members = std::make_shared<ModelMembers>();
  members->list.push_back({MemberKind::kOrder, {}, problem.samplers});
  problem.members = members;
  const Decision claimed = decide(problem, {}, Context());
  ASSERT_TRUE(claimed.uncertainty);
  EXPECT_NEAR(claimed.success_probability, decision.success_probability, 0.02);
  EXPECT_LT(claimed.success_probability, 0.90);
}

// The answer to what is seen is a parabola.
DecisionProblem parabola() {
  constexpr std::size_t kRows = 600;
  const auto noise = random_noise(3, kRows, 11);
  std::vector<std::vector<double>> v(3, std::vector<double>(kRows));
  for (std::size_t i = 0; i < kRows; ++i) {
    v[0][i] = noise[0][i];
    v[1][i] = noise[1][i];
    v[2][i] = v[1][i] - v[0][i] * v[0][i] + 0.2 * noise[2][i];
  }
  DecisionProblem problem;
  problem.samplers = std::make_shared<const SamplerSet>(fit({"seen", "lever", "result"}, v, "gp"));
  problem.alterable = {{"lever", -1.0, 4.0}};
  problem.region = Region::box({{"result", -0.5, 0.5}});
  problem.sequence = {{{}, {"seen"}}, {{"lever"}, {}}};
  return problem;
}

// Squares pay there. Where the answer is a straight line there are none.
TEST(Sequence, RulesHaveSquaresWhereTheyPay) {
  const Decision decision = decide(parabola(), {}, Context());
  ASSERT_EQ(decision.sequence->rules.size(), 1U);
  const AlterationRule& rule = decision.sequence->rules[0];
  ASSERT_EQ(rule.sums[0].squares.size(), 1U);
  EXPECT_NEAR(rule.sums[0].squares[0], 1.0, 0.3);
  // No straight line keeps seen^2 - line within .5 so often.
  EXPECT_GT(decision.success_probability, 0.85);
  EXPECT_GT(to_json(rule)["squares"]["seen"].get<double>(), 0.7);
  const Decision straight = decide(answering("gp"), {}, Context());
  EXPECT_TRUE(straight.sequence->rules[0].sums[0].squares.empty());
}

TEST(Sequence, ATargetIsReachedForLess) {
  DecisionOptions options;
  const Decision most = decide(answering(), options, Context());
  options.target = 0.7;
  const Decision enough = decide(answering(), options, Context());
  EXPECT_GE(enough.success_probability, 0.67);
  EXPECT_LT(enough.success_probability, 0.80);
  EXPECT_LT(enough.cost, 0.9 * most.cost);
}

// What is seen has levels, and so has the lever: the better level for each.
TEST(Sequence, LevelsAreAnsweredByATable) {
  constexpr std::size_t kRows = 600;
  RandomStream random(3, "test.sequence.levels");
  std::vector<std::vector<double>> v(3, std::vector<double>(kRows));
  for (std::size_t i = 0; i < kRows; ++i) {
    v[0][i] = random.uniform() < 0.5 ? 1.0 : 0.0;
    v[1][i] = random.uniform() < 0.5 ? 1.0 : 0.0;
    const double same = v[0][i] == v[1][i] ? 0.9 : 0.1;
    v[2][i] = random.uniform() < same ? 1.0 : 0.0;
  }
  std::vector<double> cells;
  for (const auto& column : v) cells.insert(cells.end(), column.begin(), column.end());
  Table table({"seen", "lever", "result"}, std::move(cells), "made.csv");
  const std::vector<ColumnDeclaration> binary = {
      {"seen", ColumnType::kBinary}, {"lever", ColumnType::kBinary}, {"result", ColumnType::kBinary}};
  table = declare_columns(table, binary);
  SamplerOptions options;
  options.sampler = "auto";
  DecisionProblem problem;
  problem.samplers =
      std::make_shared<const SamplerSet>(fit_samplers(table, conditions_from_order(table.names()), options, Context()));
  problem.alterable = {{.name = "lever", .values = {0.0, 1.0}}};
  problem.region = Region::box({{.outcome = "result", .values = {1.0}}});
  problem.sequence = {{{}, {"seen"}}, {{"lever"}, {}}};
  const Decision decision = decide(problem, {}, Context());
  ASSERT_TRUE(decision.sequence);
  EXPECT_LT(decision.sequence->at_once, 0.60);
  // The trees and lines of "auto" know the interaction only roughly.
  EXPECT_GE(decision.success_probability, decision.sequence->at_once - 0.005);
  for (const AlterationRule& rule : decision.sequence->rules) {
    EXPECT_EQ(rule.form, AlterationRule::Form::kTable);
    EXPECT_EQ(rule.cells.size(), 2U);
  }
}

// The same where the two add up, which every sampler knows: the best lever is the other of what is seen.
DecisionProblem adding_up() {
  constexpr std::size_t kRows = 600;
  RandomStream random(6, "test.sequence.table");
  std::vector<std::vector<double>> v(3, std::vector<double>(kRows));
  for (std::size_t i = 0; i < kRows; ++i) {
    v[0][i] = random.uniform() < 0.5 ? 1.0 : 0.0;
    v[1][i] = random.uniform() < 0.5 ? 1.0 : 0.0;
    v[2][i] = v[0][i] + v[1][i] + 0.25 * random.normal();
  }
  std::vector<double> cells;
  for (const auto& column : v) cells.insert(cells.end(), column.begin(), column.end());
  const std::vector<ColumnDeclaration> binary = {{"seen", ColumnType::kBinary}, {"lever", ColumnType::kBinary}};
  const Table table = declare_columns(Table({"seen", "lever", "result"}, std::move(cells), "made.csv"), binary);
  SamplerOptions options;
  options.sampler = "auto";
  DecisionProblem problem;
  problem.samplers =
      std::make_shared<const SamplerSet>(fit_samplers(table, conditions_from_order(table.names()), options, Context()));
  problem.alterable = {{.name = "lever", .values = {0.0, 1.0}}};
  problem.region = Region::box({{"result", 0.5, 1.5}});
  problem.sequence = {{{}, {"seen"}}, {{"lever"}, {}}};
  return problem;
}

// A target asks for no more of the lever than is needed.
TEST(Sequence, ATableIsFilledAndATargetIsReached) {
  const DecisionProblem problem = adding_up();
  const Decision decision = decide(problem, {}, Context());
  // 1 -+ .5 by a noise of .25: .9545; either level alone half of that.
  EXPECT_NEAR(decision.success_probability, 0.9545, 0.03);
  EXPECT_NEAR(decision.sequence->at_once, 0.5, 0.05);
  ASSERT_EQ(decision.sequence->rules.size(), 1U);
  const AlterationRule& rule = decision.sequence->rules[0];
  ASSERT_EQ(rule.form, AlterationRule::Form::kTable);
  for (const double seen : {0.0, 1.0}) EXPECT_EQ(rule(std::span(&seen, 1)), 1.0 - seen);
  // A target between is reached by the same rule, and one below what happens anyway needs no plan.
  DecisionOptions options_with_target;
  options_with_target.target = 0.7;
  const Decision enough = decide(problem, options_with_target, Context());
  EXPECT_GE(enough.success_probability, 0.67);
  EXPECT_LE(enough.cost, decision.cost + 1e-9);
  options_with_target.target = 0.4;  // seen and lever differ in half of the rows: .48
  EXPECT_EQ(decide(problem, options_with_target, Context()).summary.status, Status::kAlreadyLikely);
}

// On tasks of the studies a plan is never below everything at once by more than .005, whatever is looked at between.
TEST(Sequence, NeverBelowAtOnceOnTasksOfTheStudies) {
  const auto check = [](const Simulation& simulation, const char* name) {
    SCOPED_TRACE(name);
    const Order order = [&] {
      Order names;
      for (const std::size_t node : causal_order(simulation.model)) names.push_back(simulation.model.nodes[node].name);
      return names;
    }();
    DecisionProblem problem;
    SamplerOptions options;
    options.sampler = "linear";
    std::vector<VariableConditions> conditions = conditions_from_order(order);
    const Table& contexts = simulation.task->contexts;
    for (VariableConditions& variable : conditions) {
      for (std::size_t j = 0; j < contexts.columns(); ++j) variable.given |= variable.name == contexts.name(j);
    }
    problem.samplers =
        std::make_shared<const SamplerSet>(fit_samplers(simulation.data, conditions, options, Context()));
    for (std::size_t j = 0; j < contexts.columns(); ++j)
      problem.context.push_back({contexts.name(j), contexts.at(0, j)});
    for (const NamedRange& lever : simulation.task->alterable)
      problem.alterable.push_back({lever.name, lever.low, lever.high});
    std::vector<OutcomeRange> ranges;
    for (const NamedRange& range : simulation.task->desired) ranges.push_back({range.name, range.low, range.high});
    problem.region = Region::box(ranges);
    // The levers one after the other, each with a look at the last column before it that has no role.
    const auto place = [&](const std::string& variable) {
      return std::find(order.begin(), order.end(), variable) - order.begin();
    };
    std::sort(problem.alterable.begin(), problem.alterable.end(),
              [&](const auto& a, const auto& b) { return place(a.name) < place(b.name); });
    const std::size_t half = problem.alterable.size() / 2;
    SequenceStep first;
    SequenceStep second;
    for (std::size_t k = 0; k < problem.alterable.size(); ++k)
      (k < half ? first : second).alter.push_back(problem.alterable[k].name);
    for (std::ptrdiff_t at = place(problem.alterable[half].name) - 1; at >= 0; --at) {
      const std::string& candidate = order[static_cast<std::size_t>(at)];
      const auto is_it = [&](const auto& one) { return one.name == candidate; };
      const bool lever = std::any_of(problem.alterable.begin(), problem.alterable.end(), is_it);
      const bool context = std::any_of(problem.context.begin(), problem.context.end(), is_it);
      if (lever || context) continue;
      first.then_observe.push_back(candidate);
      break;
    }
    if (first.alter.empty() && first.then_observe.empty()) return false;
    problem.sequence = {first, second};
    const Decision decision = decide(problem, {}, Context());
    EXPECT_TRUE(decision.sequence);
    if (!decision.sequence) return false;
    EXPECT_GE(decision.success_probability, decision.sequence->at_once - 0.005);
    return !first.then_observe.empty();
  };
  int with_a_look = 0;
  const auto count = [&](bool looked) { with_a_look += looked ? 1 : 0; };
  count(check(bermuda_task({}, 0, Context()), "bermuda"));
  for (const AufFamily family : {AufFamily::kLinear, AufFamily::kMlp}) {
    for (const NoiseKind noise : {NoiseKind::kBeta, NoiseKind::kExponential}) {
      AufSimulationOptions options;
      options.family = family;
      options.noise = noise;
      for (std::uint64_t task = 0; task < 3; ++task)
        count(check(random_auf_task(options, task, Context()), family == AufFamily::kLinear ? "linear" : "mlp"));
    }
  }
  EXPECT_GE(with_a_look, 6);
}

// A lever that is over and was not set counts in constraints with what is expected of it given what was seen: .5 / 1.25
// x .7 = .28 here.
TEST(Sequence, WhatWasLeftAloneCountsInConstraints) {
  for (const bool exact : {true, false}) {
    DecisionProblem problem = answering();
    if (!exact) problem.samplers = disguised(*problem.samplers);
    problem.constraints = {{{{"first", 1.0}, {"second", 1.0}}, 0.0}};
    const std::vector<NamedValue> so_far = {{"seen", 0.7}};
    const ProblemSoFar next = problem_so_far(problem, so_far, Context());
    ASSERT_EQ(next.problem.constraints.size(), 1U);
    EXPECT_NEAR(next.problem.constraints[0].max, -0.28, 0.1);
    ASSERT_EQ(next.problem.constraints[0].weights.size(), 1U);
    const Decision decision = decide(next.problem, {}, Context());
    ASSERT_TRUE(decision.alterations[0].value);
    EXPECT_LE(*decision.alterations[0].value, next.problem.constraints[0].max + 1e-6);
  }
}

// Without steps too: what was seen has its causes behind it, in the fit. Where another order has a lever among them, it
// is decided all the same.
TEST(Sequence, WhatWasSeenHasItsCausesBehindIt) {
  DecisionProblem problem = answering();
  problem.sequence.clear();
  const std::vector<NamedValue> so_far = {{"seen", 0.7}};
  const ProblemSoFar next = problem_so_far(problem, so_far, Context());
  ASSERT_EQ(next.problem.alterable.size(), 1U);
  EXPECT_EQ(next.problem.alterable[0].name, "second");
  ASSERT_EQ(next.warnings.size(), 1U);
  EXPECT_EQ(next.warnings[0].code, "course_taken");
  EXPECT_EQ(next.warnings[0].where, "first");
  EXPECT_NEAR(*decide(next.problem, {}, Context()).alterations[0].value, -0.7, 0.25);

  const auto v = answering_rows();
  auto members = std::make_shared<ModelMembers>();
  const Order turned = {"second", "seen", "first", "result"};
  // Least squares depend on all before, if only by chance.
  members->list.push_back({MemberKind::kOrder, turned,
                           std::make_shared<const SamplerSet>(fit(turned, {v[2], v[1], v[0], v[3]}, "gaussian"))});
  problem.members = members;
  const Decision decision = decide(problem_so_far(problem, so_far, Context()).problem, {}, Context());
  ASSERT_TRUE(decision.uncertainty);
  EXPECT_NEAR(*decision.alterations[0].value, -0.7, 0.25);
}

// What was set is paid: its weight, and how it counts, are gone, and no other lever gets a weight for that.
TEST(Sequence, WhatWasSetIsPaid) {
  DecisionProblem problem = answering();
  problem.cost = {{"first", 2.0}};
  problem.cost_forms = {{.name = "first", .datum = 0.0, .power = 2}};
  const std::vector<NamedValue> so_far = {{"first", 0.5}, {"seen", 0.7}};
  const ProblemSoFar next = problem_so_far(problem, so_far, Context());
  EXPECT_EQ(decide(next.problem, {}, Context()).cost, 0.0);
}

TEST(Sequence, SoFarIsChecked) {
  const auto complaint = [](std::vector<NamedValue> so_far) -> std::string {
    try {
      problem_so_far(answering(), so_far, Context());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint({{"sene", 1.0}}), HasSubstr("Did you mean 'seen'?"));
  EXPECT_THAT(complaint({{"seen", 1.0}, {"seen", 2.0}}), HasSubstr("twice"));
  EXPECT_THAT(complaint({{"result", 1.0}}), HasSubstr("'result' is an outcome"));
}

// What a program that knows nothing but the JSON of a rule sets, by docs/methods/sequence.md.
double set_by_json(const Json& rule, const std::string& lever, const std::map<std::string, double>& known) {
  const auto sum = [&](const Json& part) {
    double total = part["constant"];
    for (const auto& [name, slope] : part["slopes"].items()) total += slope.get<double>() * known.at(name);
    if (!part.contains("squares")) return total;
    for (const auto& [name, square] : part["squares"].items())
      total += square.get<double>() * std::pow(known.at(name), 2);
    return total;
  };
  double low = rule["min"];
  double high = rule["max"];
  for (const Json& limit : rule.value("limits", Json::array())) {
    double room = limit["max"];
    double own = 0.0;
    for (const auto& [name, weight] : limit["weights"].items())
      (name == lever ? own : room) += name == lever ? weight.get<double>() : -weight.get<double>() * known.at(name);
    if (own > 0.0) high = std::max(rule["min"].get<double>(), std::min(high, room / own));
    if (own < 0.0) low = std::min(rule["max"].get<double>(), std::max(low, room / own));
  }
  if (rule["form"] == "affine") return std::clamp(sum(rule), low, high);
  if (rule["form"] == "scores") {
    std::map<double, double> values;  // by score
    for (const Json& score : rule["scores"]) {
      const double value = score["value"];
      if (value >= low && value <= high) values[sum(score)] = value;
    }
    return values.rbegin()->second;
  }
  for (const Json& cell : rule["cells"]) {
    bool matches = true;
    for (const auto& [name, level] : cell["seen"].items())
      matches = matches && std::abs(known.at(name) - level.get<double>()) < 1e-9;
    if (matches) return cell["value"];
  }
  ADD_FAILURE() << "no cell";
  return 0.0;
}

// The second lever has levels, and each has a line as its score.
DecisionProblem scored() {
  constexpr std::size_t kRows = 500;
  const auto noise = random_noise(3, kRows, 17);
  std::vector<std::vector<double>> v(3, std::vector<double>(kRows));
  RandomStream random(5, "test.sequence.scored");
  for (std::size_t i = 0; i < kRows; ++i) {
    v[0][i] = noise[0][i];
    v[1][i] = static_cast<double>(random.below(3));
    v[2][i] = v[0][i] + 1.5 * v[1][i] + 0.3 * noise[2][i];
  }
  DecisionProblem problem;
  problem.samplers = std::make_shared<const SamplerSet>(fit({"seen", "lever", "result"}, v, "linear"));
  problem.alterable = {{.name = "lever", .values = {0.0, 1.0, 2.0}}};
  problem.region = Region::box({{"result", 0.7, 2.3}});
  problem.sequence = {{{}, {"seen"}}, {{"lever"}, {}}};
  return problem;
}

// Rules as data: what the draws of the claim had, another program sets too.
TEST(Rules, AnotherProgramSetsTheSame) {
  DecisionProblem limited = answering();
  limited.fixed = {{"first", -0.5}};
  limited.constraints = {{{{"first", 2.0}, {"second", 4.0}}, 1.0}};
  const std::vector<std::pair<DecisionProblem, std::string>> cases = {{answering(), "affine"},
                                                                      {limited, "affine"},
                                                                      {parabola(), "affine"},
                                                                      {scored(), "scores"},
                                                                      {adding_up(), "table"}};
  for (const auto& [problem, form] : cases) {
    const Decision decision = decide(problem, {}, Context());
    ASSERT_TRUE(decision.sequence);
    const std::vector<AlterationRule>& rules = decision.sequence->rules;
    ASSERT_EQ(rules.size(), 1U);
    const Json json = to_json(rules[0]);
    SCOPED_TRACE(json.dump());
    EXPECT_EQ(json["form"], form);

    const SamplerSet& set = *problem.samplers;
    const internal::Rule own = internal::rule_for(rules[0], set, rules);
    PostDecisionPlan plan;
    plan.altered = internal::parameter_names(set, own);
    std::vector<double> at(own.weights.begin(), own.weights.begin() + static_cast<std::ptrdiff_t>(own.parameters()));
    std::vector<std::optional<double>> values;
    for (const Alteration& alteration : decision.alterations) {
      values.push_back(alteration.value);
      if (!alteration.value) continue;
      plan.altered.push_back(alteration.name);
      at.push_back(set.variables[set.index(alteration.name)].standardise(*alteration.value));
    }
    plan.outcomes = {rules[0].name};
    plan.draws = 500;
    const Table drawn = PostDecisionSampler(internal::with_rules(set, {own}), plan, Context()).table(at);
    std::set<double> different;
    for (std::size_t i = 0; i < drawn.rows(); ++i) {
      std::map<std::string, double> known;
      for (std::size_t j = 0; j < drawn.columns(); ++j) known[drawn.name(j)] = drawn.at(i, j);
      const double value = drawn.at(i, drawn.index(rules[0].name));
      ASSERT_NEAR(set_by_json(json, rules[0].name, known), value, 1e-9);
      different.insert(value);
    }
    EXPECT_GE(different.size(), 2U);
    // These draws are those of the claim.
    const double success =
        internal::success_by(problem, problem.samplers, values, rules, static_cast<std::uint64_t>(DrawStream::kReport),
                             DecisionOptions(), Context());
    EXPECT_NEAR(success, decision.success_probability, 1e-12);
  }
}

// A lever that follows a rule, second = b x seen with b about -1, has sd 1 and is expected to be 0: a cause moves the
// outcome, of sd .2, by .2 r^2 / sqrt(1 - r^2) x second in every draw, the way that is worse.
TEST(Sequence, HiddenCausesMoveAPlanToo) {
  const Decision decision = decide(answering(), {}, Context());
  ASSERT_TRUE(decision.hidden_cause);
  EXPECT_TRUE(decision.hidden_cause->left_out.empty());
  ASSERT_EQ(decision.hidden_cause->curve.size(), 20U);
  const double slope = decision.sequence->rules[0].sums[0].slopes[0];
  for (const HiddenCause::Point& point : decision.hidden_cause->curve) {
    const double r = point.strength;
    const double moved = 0.2 * r * r / std::sqrt(1.0 - r * r);
    const double left = std::abs(1.0 + slope) + moved * std::abs(slope);
    // seen has variance 1.25.
    const double sd = std::sqrt(0.04 + 1.25 * left * left);
    EXPECT_NEAR(point.success, 2.0 * normal_cdf(0.5 / sd) - 1.0, 0.05) << r;
  }
  EXPECT_LT(decision.hidden_cause->curve.back().success, 0.7);
  EXPECT_FALSE(decision.hidden_cause->breakdown);  // .26 without action
}

// Along an order in which what is seen comes after the second lever no rule can answer to it.
TEST(Sequence, MembersSayWhatWouldChangeAPlan) {
  const auto v = answering_rows();
  const Order turned = {"first", "second", "seen", "result"};
  const auto other = std::make_shared<const SamplerSet>(fit(turned, {v[0], v[2], v[1], v[3]}, "gaussian"));
  const auto decided = [&](const std::vector<MemberKind>& kinds) {
    DecisionProblem problem = answering();
    auto members = std::make_shared<ModelMembers>();
    members->list.push_back({MemberKind::kOrder, {"first", "seen", "second", "result"}, problem.samplers});
    for (const MemberKind kind : kinds) members->list.push_back({kind, turned, other});
    problem.members = members;
    return decide(problem, {}, Context());
  };
  const Decision alike = decided({});
  ASSERT_TRUE(alike.uncertainty);
  EXPECT_FALSE(alike.uncertainty->question);
  EXPECT_FALSE(alike.uncertainty->other_order);
  EXPECT_FALSE(alike.uncertainty->units);
  EXPECT_TRUE(alike.uncertainty->next);

  const Decision noted = decided({MemberKind::kOtherOrder, MemberKind::kOtherUnits});
  EXPECT_EQ(noted.success_probability, alike.success_probability);  // they never take part
  ASSERT_TRUE(noted.uncertainty->other_order);
  // What is seen counts with its mean there: |N(0, 2.29 - 1)| < .5, or so.
  EXPECT_LT(noted.uncertainty->other_order->success, 0.5);
  const std::vector<std::pair<std::string, std::string>> pairs = {{"seen", "second"}};
  EXPECT_EQ(noted.uncertainty->other_order->pairs, pairs);
  ASSERT_TRUE(noted.uncertainty->units);
  EXPECT_NEAR(noted.uncertainty->units->success, noted.uncertainty->other_order->success, 0.05);
  EXPECT_LT(noted.uncertainty->units->decision.success, 0.6);

  // Where the orders themselves differ, it is a question.
  const Decision asked = decided({MemberKind::kOrder});
  ASSERT_TRUE(asked.uncertainty->question);
  const OrderQuestion& question = *asked.uncertainty->question;
  EXPECT_EQ(question.first, "seen");
  EXPECT_EQ(question.second, "second");
  EXPECT_GT(question.as_learned, 0.9);
  EXPECT_LT(question.other_way, 0.5);
  EXPECT_GT(question.other_decision.success, 0.2);
  EXPECT_NEAR(asked.success_probability, (2.0 * question.as_learned + question.other_way) / 3.0, 0.02);
}

// Three orders say otherwise than the fit what the second lever does, and what is seen.
DecisionProblem contradicted(double of_seen, double of_second) {
  DecisionProblem problem = answering();
  auto v = answering_rows();
  const auto noise = random_noise(1, v[0].size(), 23);
  for (std::size_t i = 0; i < v[0].size(); ++i) v[3][i] = of_seen * v[1][i] + of_second * v[2][i] + 0.2 * noise[0][i];
  const Order order = {"first", "seen", "second", "result"};
  const auto other = std::make_shared<const SamplerSet>(fit(order, v, "gaussian"));
  auto members = std::make_shared<ModelMembers>();
  for (int k = 0; k < 3; ++k) members->list.push_back({MemberKind::kOrder, order, other});
  problem.members = members;
  return problem;
}

// second = -seen has .98 by the fit and .6 by the three, second = -2 seen .35 and .98: the mean decides.
TEST(Sequence, PlansAreChosenByTheMean) {
  const DecisionProblem problem = contradicted(1.0, 0.5);
  const Decision decision = decide(problem, {}, Context());
  ASSERT_TRUE(decision.uncertainty);
  EXPECT_TRUE(decision.uncertainty->chosen_by_members);
  ASSERT_EQ(decision.sequence->rules.size(), 1U);
  EXPECT_NEAR(decision.sequence->rules[0].sums[0].slopes[0], -2.0, 0.4);
  EXPECT_GT(decision.success_probability, 0.75);
  double mean = 0.0;
  for (const MemberSuccess& member : decision.uncertainty->members)
    mean += member.kind == "posterior_function" ? 0.0 : member.success / 4.0;
  EXPECT_NEAR(decision.success_probability, mean, 1e-9);
  // A target is one of the mean too.
  DecisionOptions options;
  options.target = 0.7;
  const Decision enough = decide(problem, options, Context());
  EXPECT_EQ(enough.summary.status, Status::kDone);
  EXPECT_GE(enough.success_probability, 0.68);
  EXPECT_LE(enough.cost, decision.cost + 1e-9);
  options.target = 0.95;
  const Decision missed = decide(problem, options, Context());
  EXPECT_EQ(missed.summary.status, Status::kTargetNotReached);
  EXPECT_THAT(missed.summary.message, HasSubstr("No plan was found that reaches the target of 95 %"));
  EXPECT_LT(missed.success_probability, 0.95);
}

// By the three nothing is to be answered to: the plan of the fit alone would have .5 by the mean, the decision at once
// has .83.
TEST(Sequence, APlanIsNotBelowAtOnceByTheMean) {
  const Decision decision = decide(contradicted(0.0, 1.0), {}, Context());
  EXPECT_GT(decision.success_probability, 0.78);
  EXPECT_GE(decision.success_probability, decision.sequence->at_once - 0.005);
  EXPECT_GT(decision.sequence->at_once, 0.78);
}

// Gradients of draws under rules against central differences.
TEST(Rules, GradientsAgreeWithDifferences) {
  const DecisionProblem problem = answering();
  internal::Rule rule;
  rule.lever = 2;
  rule.inputs = {1};
  rule.centre = {0.1};
  rule.scale = {0.8};
  rule.low = -1.5;
  rule.high = 1.5;
  rule.squares = true;
  rule.limits = {{1.0, 1.0, {{0, 0.7}}}};
  const std::vector<internal::Rule> rules = {rule};
  const auto set = internal::with_rules(*problem.samplers, rules);
  PostDecisionPlan plan;
  plan.altered = {"first"};
  for (const std::string& name : internal::parameter_names(*problem.samplers, rule)) plan.altered.push_back(name);
  plan.outcomes = {"result"};
  plan.draws = 300;
  PostDecisionSampler sampler(set, plan, Context());
  const std::vector<double> at = {0.3, 0.2, -0.6, 0.15};
  const auto mean_square = [&](const std::vector<double>& values) {
    double sum = 0.0;
    for (const double y : sampler.sample(values).values) sum += y * y;
    return sum;
  };
  const std::vector<double> drawn = sampler.sample(at).values;
  std::vector<double> adjoints;
  for (const double y : drawn) adjoints.push_back(2.0 * y);
  std::vector<double> gradient(at.size());
  sampler.sample(at);
  sampler.gradient(adjoints, gradient);
  for (std::size_t k = 0; k < at.size(); ++k) {
    constexpr double kStep = 1e-6;
    std::vector<double> up = at;
    std::vector<double> down = at;
    up[k] += kStep;
    down[k] -= kStep;
    const double difference = (mean_square(up) - mean_square(down)) / (2.0 * kStep);
    EXPECT_NEAR(gradient[k], difference, 1e-4 * std::max(1.0, std::abs(difference))) << k;
  }
}

TEST(Rules, AnotherFrameIsTheSameRule) {
  internal::Rule rule;
  rule.inputs = {0, 1};
  rule.centre = {0.5, -1.0};
  rule.scale = {2.0, 0.3};
  rule.squares = true;
  rule.low = -100.0;
  rule.high = 100.0;
  rule.weights = {0.4, 1.1, -0.7, 0.2, 0.3};
  const auto value = [](const internal::Rule& of, double a, double b) {
    const double z[] = {(a - of.centre[0]) / of.scale[0], (b - of.centre[1]) / of.scale[1]};
    return of.weights[0] + of.weights[1] * z[0] + of.weights[2] * z[1] + of.weights[3] * z[0] * z[0] +
           of.weights[4] * z[1] * z[1];
  };
  internal::Rule other = rule;
  other.reframe({1.5, 0.0}, {0.7, 2.0});
  for (const auto& [a, b] : {std::pair{0.0, 0.0}, {1.0, -2.0}, {-3.0, 0.4}})
    EXPECT_NEAR(value(other, a, b), value(rule, a, b), 1e-9);
}

}  // namespace
}  // namespace olem::sequence_test
