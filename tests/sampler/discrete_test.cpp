#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "decide/shop.h"
#include "olem/error.h"
#include "olem/post_decision.h"
#include "olem/random.h"
#include "olem/sampler_state.h"
#include "sampler/discrete_data.h"
#include "sampler/helpers.h"
#include "support/datasets.h"

namespace olem::discrete_test {
namespace {

SamplerSet fit_last(const Table& table, const Order& order, const std::string& kind = "auto") {
  std::vector<VariableConditions> variables = conditions_from_order(order);
  for (std::size_t k = 0; k + 1 < variables.size(); ++k) variables[k].given = true;
  SamplerOptions options;
  options.sampler = kind;
  Context context;
  context.threads = 1;
  return fit_samplers(table, variables, options, context);
}

// What the last variable of the set is asked about: the rows of a table.
struct Rows {
  Rows(const SamplerSet& set, const Table& table) {
    for (const SamplerVariable& variable : set.variables) {
      std::vector<double>& column = columns.emplace_back();
      for (const double value : table.column(table.index(variable.name))) column.push_back(variable.standardise(value));
    }
    for (std::size_t k = 0; k + 1 < columns.size(); ++k) conditions.push_back({columns[k].data(), false});
  }
  std::vector<std::vector<double>> columns;
  std::vector<Condition> conditions;
};

double log_loss(const SamplerSet& set, const Table& held_out) {
  const Rows rows(set, held_out);
  std::vector<double> density(held_out.rows());
  set.variables.back().sampler->log_density(rows.conditions, rows.columns.back(), 1.0, density);
  return -test::mean(density);
}

std::map<std::string, double> losses_of_r() {
  std::ifstream file(test::source_path("tests/golden/logistic.csv"));
  std::map<std::string, double> losses;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) losses[line.substr(0, line.find(','))] = std::stod(line.substr(line.rfind(',') + 1));
  return losses;
}

// R is told the right form, and olem is not.
TEST(DiscreteTruth, ForecastsAreAsGoodAsThoseOfR) {
  const std::map<std::string, double> losses = losses_of_r();
  ASSERT_EQ(losses.size(), 4U);
  for (const std::string form : {"binary", "ordinal", "category"}) {
    const SamplerSet set = fit_last(test::discrete_table(form, test::kGoldenRows, 1), {"a", "b", "g", "y"});
    const double loss = log_loss(set, test::discrete_table(form, test::kGoldenHeldOut, 2));
    EXPECT_LT(loss, 1.01 * losses.at(form)) << form;
    EXPECT_EQ(set.variables.back().sampler->facts().form.find("nonlinear"), std::string::npos) << form;
  }
  const SamplerSet set = fit_last(test::discrete_table("bent", test::kGoldenRows, 1), {"a", "b", "g", "y"});
  EXPECT_LT(log_loss(set, test::discrete_table("bent", test::kGoldenHeldOut, 2)), 0.7 * losses.at("bent"));
}

TEST(Discrete, DrawsAreLevelsWithTheProbabilitiesThatAreTold) {
  constexpr std::size_t kDraws = 20000;
  for (const std::string form : {"binary", "ordinal", "category"}) {
    const SamplerSet set = fit_last(test::discrete_table(form, 300, 3), {"a", "b", "g", "y"});
    const SamplerVariable& y = set.variables.back();
    std::vector<double> at = {0.4, -0.7, set.variables[2].standardise(2.0)};
    std::vector<Condition> conditions;
    for (const double& value : at) conditions.push_back({&value, true});
    std::vector<double> draws(kDraws);
    y.sampler->start(test::normals(kDraws * y.sampler->noise_entries(), 4), kDraws)->sample(conditions, 1.0, draws);
    std::map<double, double> shares;
    for (const double draw : draws) shares[std::round(1e6 * y.restore(draw)) / 1e6] += 1.0 / kDraws;
    EXPECT_EQ(shares.size(), form == "binary" ? 2U : form == "ordinal" ? 4U : 3U);
    for (const auto& [level, share] : shares) {
      EXPECT_EQ(level, std::round(level));
      const double value = y.standardise(level);
      double below = 0.0;
      double up_to = 0.0;
      y.sampler->distribution(conditions, {&value, 1}, 1.0, {&below, 1}, {&up_to, 1});
      EXPECT_NEAR(share, up_to - below, 4.0 * std::sqrt(0.25 / kDraws)) << form << ' ' << level;
    }
  }
}

// With few rows the posterior variance draws probabilities towards the middle, the more the farther from the data.
TEST(Discrete, WhereLittleIsKnownNothingIsCertain) {
  const SamplerSet set = fit_last(test::discrete_table("binary", 60, 5), {"a", "b", "g", "y"});
  const SamplerVariable& y = set.variables.back();
  std::vector<double> at = {6.0, -6.0, set.variables[2].standardise(1.0)};
  std::vector<Condition> conditions;
  for (const double& value : at) conditions.push_back({&value, true});
  const double one = y.standardise(1.0);
  double with = 0.0;
  double without = 0.0;
  y.sampler->log_density(conditions, {&one, 1}, 1.0, {&with, 1});
  y.sampler->log_density(conditions, {&one, 1}, 0.0, {&without, 1});
  EXPECT_GT(std::exp(without), 0.99);
  EXPECT_LT(std::exp(with), std::exp(without) - 0.005);
  double reach = 0.0;
  y.sampler->extrapolation(conditions, {&reach, 1});
  EXPECT_GT(reach, y.sampler->extrapolation_limit());
}

TEST(Discrete, RelaxedDrawsHaveGradientsAndBecomeExact) {
  constexpr std::size_t kDraws = 50;
  for (const std::string form : {"binary", "ordinal", "category"}) {
    const SamplerSet set = fit_last(test::discrete_table(form, 200, 6), {"a", "b", "g", "y"});
    const ConditionalSampler& sampler = *set.variables.back().sampler;
    EXPECT_TRUE(sampler.is_discrete());
    const auto run = sampler.start(test::normals(kDraws * sampler.noise_entries(), 7), kDraws);
    double a = 0.3;
    const double b = -0.2;
    const double g = set.variables[2].standardise(1.0);
    const std::vector<Condition> conditions = {{&a, true}, {&b, true}, {&g, true}};
    std::vector<double> exact(kDraws);
    std::vector<double> y(kDraws);
    run->sample(conditions, 1.0, exact);
    const std::vector<double> ones(kDraws, 1.0);
    double none = 0.0;
    run->add_gradient(ones, std::vector<double*>{&none, nullptr, nullptr});
    EXPECT_EQ(none, 0.0);
    run->relax(1e-3);
    run->sample(conditions, 1.0, y);
    const auto equal = std::count_if(y.begin(), y.end(), [&](const double& value) {
      return std::abs(value - exact[static_cast<std::size_t>(&value - y.data())]) < 1e-3;
    });
    EXPECT_GE(equal, 48) << form;

    run->relax(0.5);
    constexpr double kStep = 1e-4;
    std::vector<double> sums;
    for (const double step : {-kStep, kStep, 0.0}) {
      a = 0.3 + step;
      run->sample(conditions, 1.0, y);
      sums.push_back(test::mean(y) * kDraws);
    }
    double gradient = 0.0;
    run->add_gradient(ones, std::vector<double*>{&gradient, nullptr, nullptr});
    EXPECT_NE(gradient, 0.0);
    EXPECT_NEAR(gradient, (sums[1] - sums[0]) / (2.0 * kStep), 2e-3 * (1.0 + std::abs(gradient))) << form;
  }
}

// Counts, complaints >= 3 in the evidence: a model of numbers says 55 % where the truth is 83 %.
TEST(Discrete, CountsHaveTheirOwnDistribution) {
  RandomStream random(8, "test.counts");
  std::vector<double> x;
  std::vector<double> few;
  std::vector<double> many;
  const auto poisson = [&](double mean) {
    double count = -1.0;
    for (double left = mean; left >= 0.0; ++count) left -= random.exponential(1.0);
    return count;
  };
  for (int i = 0; i < 800; ++i) {
    x.push_back(random.normal());
    few.push_back(poisson(std::exp(0.8 + 0.5 * x.back())));
    many.push_back(poisson(std::exp(3.5 + 0.5 * x.back())));
  }
  std::vector<double> values;
  for (const auto* column : {&x, &few, &many}) values.insert(values.end(), column->begin(), column->end());
  const Column count = test::column_of(ColumnType::kCount);
  const Table table({"x", "few", "many"}, std::move(values), "counts.csv", {Column(), count, count});
  const double at = 1.0;
  for (const std::string name : {"few", "many"}) {
    const SamplerSet set = fit_last(table, {"x", name});
    const SamplerVariable& y = set.variables.back();
    const double c = set.variables[0].standardise(at);
    const std::vector<Condition> conditions = {{&c, true}};
    constexpr std::size_t kDraws = 4000;
    std::vector<double> draws(kDraws);
    y.sampler->start(test::normals(kDraws * y.sampler->noise_entries(), 9), kDraws)->sample(conditions, 1.0, draws);
    const double mean = std::exp((name == "few" ? 0.8 : 3.5) + 0.5 * at);
    const double limit = std::floor(mean);
    double truth = 1.0;  // P(Y >= limit)
    double p = std::exp(-mean);
    for (double k = 0.0; k < limit; ++k) {
      truth -= p;
      p *= mean / (k + 1.0);
    }
    double share = 0.0;
    for (const double draw : draws) {
      const double value = y.restore(draw);
      EXPECT_NEAR(value, std::round(value), 1e-6);
      EXPECT_GE(value, -1e-6);
      share += value > limit - 0.5 ? 1.0 / kDraws : 0.0;
    }
    EXPECT_NEAR(share, truth, 0.05) << name;
    // The probabilities of all counts add up to one.
    double sum = 0.0;
    for (double k = 0.0; k < 400.0; ++k) {
      const double value = y.standardise(k);
      double below = 0.0;
      double up_to = 0.0;
      y.sampler->distribution(conditions, {&value, 1}, 1.0, {&below, 1}, {&up_to, 1});
      sum += up_to - below;
    }
    EXPECT_NEAR(sum, 1.0, 1e-3);
  }
}

TEST(Discrete, ZerosOfAPositiveColumnAreAHurdle) {
  RandomStream random(10, "test.hurdle");
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 800; ++i) {
    x.push_back(random.normal());
    const bool zero = random.uniform() < test::logistic(-0.5 - x.back());
    y.push_back(zero ? 0.0 : std::exp(0.5 * x.back() + 0.4 * random.normal()));
  }
  std::vector<double> values(x);
  values.insert(values.end(), y.begin(), y.end());
  const Table table({"x", "y"}, std::move(values), "sales.csv", {Column(), test::column_of(ColumnType::kPositive)});
  const SamplerSet set = fit_last(table, {"x", "y"});
  const SamplerVariable& variable = set.variables.back();
  EXPECT_EQ(variable.sampler->state().kind, "hurdle");
  const double c = set.variables[0].standardise(1.0);
  const std::vector<Condition> conditions = {{&c, true}};
  constexpr std::size_t kDraws = 4000;
  std::vector<double> draws(kDraws);
  variable.sampler->start(test::normals(kDraws * variable.sampler->noise_entries(), 11), kDraws)
      ->sample(conditions, 1.0, draws);
  double zeros = 0.0;
  double logs = 0.0;
  for (const double draw : draws) {
    const double value = variable.restore(draw);
    EXPECT_GT(value, -1e-9);
    if (value < 1e-9) {
      zeros += 1.0;
    } else {
      logs += std::log(value);
    }
  }
  EXPECT_NEAR(zeros / kDraws, test::logistic(-1.5), 0.05);
  EXPECT_NEAR(logs / (kDraws - zeros), 0.5, 0.08);
}

// A category has no order: a model that took its code for a number would see no effect here.
TEST(Encoding, ACategoryIsNotItsNumber) {
  RandomStream random(12, "test.encoding");
  std::vector<double> g;
  std::vector<double> y;
  for (int i = 0; i < 400; ++i) {
    g.push_back(std::floor(3.0 * random.uniform()));
    y.push_back((g.back() == 1.0 ? 2.0 : 0.0) + 0.5 * random.normal());
  }
  std::vector<double> values(g);
  values.insert(values.end(), y.begin(), y.end());
  const Table table({"g", "y"}, std::move(values), "g.csv", {test::column_of(ColumnType::kCategory, 3), Column()});
  for (const std::string kind : {"linear", "gp", "auto"}) {
    const auto set = std::make_shared<const SamplerSet>(fit_last(table, {"g", "y"}, kind));
    for (const double level : {0.0, 1.0, 2.0}) {
      PostDecisionPlan plan;
      plan.context = {{"g", level}};
      plan.outcomes = {"y"};
      plan.draws = 400;
      const Table drawn = PostDecisionSampler(set, plan, Context()).table(std::vector<double>());
      EXPECT_NEAR(test::mean(drawn.column(drawn.index("y"))), level == 1.0 ? 2.0 : 0.0, 0.15) << kind << level;
    }
    const SamplerState state = set->variables.back().sampler->state();
    EXPECT_EQ(state.kind, "encoded");
    const auto restored = restore_sampler({state.kind, Json::parse(state.settings.dump()), state.arrays});
    EXPECT_EQ(restored->state().arrays, state.arrays);
    EXPECT_EQ(restored->facts().form, set->variables.back().sampler->facts().form);
  }
}

TEST(Encoding, AnUnknownLevelIsRefusedByName) {
  const Table table = test::discrete_table("binary", 100, 13);
  const auto set = std::make_shared<const SamplerSet>(fit_last(table, {"a", "b", "g", "y"}));
  PostDecisionPlan plan;
  plan.context = {{"a", 0.0}, {"b", 0.0}, {"g", 7.0}};
  plan.outcomes = {"y"};
  try {
    PostDecisionSampler(set, plan, Context());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kUsage);
    EXPECT_NE(std::string(error.what()).find("7 is no level of 'g'. Its levels are level 0, level 1, level 2"),
              std::string::npos)
        << error.what();
  }
}

// Through a discrete variable between lever and outcome.
TEST(Encoding, JumpsAreToldAndRelaxedDrawsHaveAGradient) {
  RandomStream random(14, "test.mediator");
  std::vector<double> dose;
  std::vector<double> responded;
  std::vector<double> score;
  for (int i = 0; i < 500; ++i) {
    dose.push_back(random.normal());
    responded.push_back(random.uniform() < test::logistic(2.0 * dose.back()) ? 1.0 : 0.0);
    score.push_back(2.0 * responded.back() + 0.5 * random.normal());
  }
  std::vector<double> values;
  for (const auto* column : {&dose, &responded, &score}) values.insert(values.end(), column->begin(), column->end());
  const Table table({"dose", "responded", "score"}, std::move(values), "dose.csv",
                    {Column(), test::column_of(ColumnType::kBinary, 2), Column()});
  std::vector<VariableConditions> variables = {
      {"dose", {}, true}, {"responded", {"dose"}, false}, {"score", {"responded"}, false}};
  SamplerOptions options;
  options.sampler = "auto";
  const auto set = std::make_shared<const SamplerSet>(fit_samplers(table, variables, options, Context()));
  PostDecisionPlan plan;
  plan.altered = {"dose"};
  plan.outcomes = {"score"};
  plan.draws = 600;
  PostDecisionSampler sampler(set, plan, Context());
  EXPECT_TRUE(sampler.has_jumps());
  const auto mean_at = [&](double value) { return test::mean(sampler.sample(std::vector<double>{value}).values); };
  const double low = mean_at(-1.0);
  const double high = mean_at(1.0);
  EXPECT_GT(high - low, 0.5);
  const std::vector<double> adjoints(600, 1.0 / 600.0);
  std::vector<double> gradient(1);
  mean_at(0.0);
  sampler.gradient(adjoints, gradient);
  EXPECT_EQ(gradient[0], 0.0);
  sampler.relax(0.3);
  mean_at(0.0);
  sampler.gradient(adjoints, gradient);
  EXPECT_GT(gradient[0], 0.3 * (high - low) / 2.0);
  sampler.relax(0.0);
  EXPECT_EQ(mean_at(1.0), high);
  EXPECT_THROW(sampler.relax(-1.0), Error);
}

// Log-odds that level off in two of twelve inputs: the search among all of them loses the way, and finds it among those
// that a line uses.
TEST(DiscreteTruth, FindsLogOddsThatLevelOffAmongManyInputs) {
  RandomStream random(31, "test.level_off");
  constexpr std::size_t kRows = 1000;
  constexpr std::size_t kInputs = 12;
  std::vector<double> values((kInputs + 1) * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kInputs; ++k) values[k * kRows + i] = random.normal();
    const double odds = 1.3 * (0.96 * std::tanh(1.5 * values[i]) + 1.15 * std::tanh(1.5 * values[kRows + i]));
    values[kInputs * kRows + i] = random.uniform() < test::logistic(odds) ? 1.0 : 0.0;
  }
  std::vector<Column> about(kInputs + 1);
  about.back().type = ColumnType::kBinary;
  about.back().levels = {{0.0, "no"}, {1.0, "yes"}};
  std::vector<std::string> names;
  for (std::size_t k = 0; k <= kInputs; ++k) names.push_back(k < kInputs ? "x" + std::to_string(k) : "y");
  const Table table(names, std::move(values), "level_off.csv", about);
  const SamplerFacts facts = fit_last(table, names).variables.back().sampler->facts();
  EXPECT_NE(facts.form.find("nonlinear in 2"), std::string::npos) << facts.form;
  EXPECT_GT(facts.inputs[0].relevance, 0.0);
  EXPECT_GT(facts.inputs[1].relevance, 0.0);
}

// Noise that is moved by nothing leaves every draw as it is, and upwards it never lowers one.
TEST(MovedNoise, MovesDrawsOnTheirOwnScale) {
  const Table table = test::shop(400, 3);
  const std::vector<std::string> order = test::shop_order();
  for (std::size_t last = 2; last < order.size(); ++last) {
    const Order some(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    const SamplerSet set = fit_last(table, some);
    const ConditionalSampler& sampler = *set.variables.back().sampler;
    const Rows rows(set, table);
    constexpr std::size_t kDraws = 200;
    RandomStream random(1, "test.moved");
    std::vector<double> noise(sampler.noise_entries() * kDraws);
    for (double& one : noise) one = random.normal();
    const auto run = sampler.start(noise, kDraws);
    std::vector<double> y(kDraws), same(kDraws), up(kDraws), behind(kDraws);
    run->sample(rows.conditions, 1.0, y);
    ASSERT_TRUE(run->move_noise(std::vector<double>(kDraws, 0.0), same)) << order[last];
    ASSERT_TRUE(run->move_noise(std::vector<double>(kDraws, 1.5), up)) << order[last];
    double moved = 0.0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      EXPECT_NEAR(same[i], y[i], 1e-9) << order[last];
      EXPECT_GE(up[i], y[i] - 1e-9) << order[last];
      moved += up[i] - y[i];
    }
    EXPECT_GT(moved, 0.0) << order[last];
    // Larger values have larger noise behind them.
    std::vector<double> more(kDraws);
    const auto [low, high] = std::minmax_element(rows.columns.back().begin(), rows.columns.back().end());
    ASSERT_TRUE(sampler.noise_behind(rows.conditions, *low, behind)) << order[last];
    ASSERT_TRUE(sampler.noise_behind(rows.conditions, *high, more)) << order[last];
    for (std::size_t i = 0; i < kDraws; ++i) EXPECT_LT(behind[i], more[i]) << order[last];
  }
}

// Whatever the scale on which a positive column and a share are modelled, no draw of theirs is impossible.
TEST(PossibleDraws, StayWithinWhatAColumnCanBe) {
  RandomStream random(8, "test.possible");
  constexpr std::size_t kRows = 500;
  std::vector<double> values(3 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = random.normal();
    values[kRows + i] = std::abs(1.5 + 1.2 * values[i] + 0.4 * random.normal()) + 0.01;
    values[2 * kRows + i] = std::min(0.999, std::max(0.001, 0.5 + 0.2 * values[i] + 0.1 * random.normal()));
  }
  std::vector<Column> about(3);
  about[1].type = ColumnType::kPositive;
  about[2].type = ColumnType::kShare;
  const Table table({"x", "amount", "share"}, std::move(values), "possible.csv", about);
  std::vector<VariableConditions> variables = conditions_from_order({"x", "amount", "share"});
  variables[0].given = true;
  SamplerOptions options;
  options.sampler = "gp";  // on the scale of the column itself
  const auto set = std::make_shared<const SamplerSet>(fit_samplers(table, variables, options, Context()));
  PostDecisionPlan plan;
  plan.altered = {"x"};
  plan.outcomes = {"amount", "share"};
  plan.draws = 2000;
  PostDecisionSampler sampler(set, plan, Context());
  for (const double x : {-2.5, 2.5}) {
    const Table draws = sampler.table(std::vector<double>{set->variables[0].standardise(x)});
    std::size_t at_the_end = 0;
    for (const double amount : draws.column(draws.index("amount"))) {
      EXPECT_GE(amount, -1e-12);
      at_the_end += amount < 1e-9 ? 1 : 0;
    }
    for (const double share : draws.column(draws.index("share"))) {
      EXPECT_GE(share, -1e-12);
      EXPECT_LE(share, 1.0 + 1e-12);
      at_the_end += share < 1e-9 || share > 1.0 - 1e-9 ? 1 : 0;
    }
    EXPECT_GT(at_the_end, 0U);
  }
}

}  // namespace
}  // namespace olem::discrete_test
