// The random models with columns of all types: against what docs/simulate.md says of them.
#include "olem/mixed_model.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "helpers.h"
#include "olem/simulate_mixed.h"
#include "simulate/mixed_draws.h"

namespace olem::mixed_model_test {
namespace {

using namespace internal;
using test::expect_error;
using test::seeded;

MixedSimulationOptions small(int variables = 12) {
  MixedSimulationOptions options;
  options.variables = variables;
  return options;
}

// A real root with normal noise and one node of the type that depends on it, slope 1 or `predictors`.
MixedModel pair_model(ColumnType type, std::vector<LinearPredictor> predictors = {}) {
  MixedModel model;
  model.nodes.resize(2);
  model.nodes[0].name = "x";
  model.nodes[0].predictors.resize(1);
  MixedNode& y = model.nodes[1];
  y.name = "y";
  y.about.type = type;
  y.parents = {0};
  if (predictors.empty()) predictors = {{{{{0, 0.0, 1.0}, false, {1.0}, {}}}, {}}};
  y.predictors = std::move(predictors);
  for (std::size_t k = 0; has_levels(type) && k < std::max<std::size_t>(2, y.predictors.size()); ++k)
    y.about.levels.push_back({static_cast<double>(k), std::string(1, static_cast<char>('a' + k))});
  model.order = {0, 1};
  return model;
}

// y of 40 000 trials with x given.
std::vector<double> given_x(const MixedModel& model, double x) {
  const std::vector<NamedValue> set = {{"x", x}};
  const Table rows = simulate_decision(model, set, {}, 40000, 3, seeded(5));
  return {rows.column(1).begin(), rows.column(1).end()};
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0.0;
  for (const double v : values) sum += (v - middle) * (v - middle);
  return sum / static_cast<double>(values.size());
}

double share_of(const std::vector<double>& values, double value) {
  return static_cast<double>(std::count(values.begin(), values.end(), value)) / static_cast<double>(values.size());
}

TEST(MixedModel, RealColumnsHaveTheirMeanAndNoiseOfEveryShape) {
  for (const Noise noise : {Noise{NoiseKind::kGaussian, 1.0, 0.0}, Noise{NoiseKind::kExponential, 1.0, 0.0},
                            Noise{NoiseKind::kBeta, 0.8, 1.2}}) {
    MixedModel model = pair_model(ColumnType::kReal);
    model.nodes[1].noise = noise;
    std::vector<double> values = given_x(model, 1.5);
    EXPECT_NEAR(mean(values), 1.5, 0.015);
    EXPECT_NEAR(variance(values), 0.64, 0.03);
    model.nodes[1].scale = ScaledParent{0, 0.0, 1.0};
    values = given_x(model, 2.0);
    EXPECT_NEAR(mean(values), 2.0, 0.04);
    EXPECT_NEAR(std::sqrt(variance(values)), 0.8 * std::exp(0.875), 0.05);
  }
}

TEST(MixedModel, PositiveSharesAndCountsFollowTheirDistributions) {
  std::vector<double> values = given_x(pair_model(ColumnType::kPositive), 1.0);
  EXPECT_NEAR(mean(values), std::exp(0.6 + 0.08), 0.02);
  for (double& value : values) value = std::log(value);
  EXPECT_NEAR(mean(values), 0.6, 0.01);
  EXPECT_NEAR(variance(values), 0.16, 0.005);

  values = given_x(pair_model(ColumnType::kShare), 1.0);
  for (double& value : values) value = std::log(value / (1.0 - value));
  EXPECT_NEAR(mean(values), 0.5, 0.015);
  EXPECT_NEAR(variance(values), 0.49, 0.015);

  values = given_x(pair_model(ColumnType::kCount), 1.0);
  const double rate = std::exp(1.3);
  EXPECT_NEAR(mean(values), rate, 0.04);
  EXPECT_NEAR(variance(values), rate, 0.12);
  EXPECT_NEAR(share_of(values, 2.0), std::exp(-rate) * rate * rate / 2.0, 0.01);
}

TEST(MixedModel, LevelsHaveLogisticAndSoftmaxProbabilities) {
  EXPECT_NEAR(share_of(given_x(pair_model(ColumnType::kBinary), 1.0), 1.0), 1.0 / (1.0 + std::exp(-1.3)), 0.01);
  std::vector<LinearPredictor> predictors(3);
  predictors[0].numeric = {{{0, 0.0, 1.0}, false, {1.0}, {}}};
  predictors[1].numeric = {{{0, 0.0, 1.0}, true, {-1.0}, {}}};
  const std::vector<double> levels = given_x(pair_model(ColumnType::kCategory, predictors), 0.7);
  const std::vector<double> weights = {std::exp(0.7), std::exp(-std::tanh(1.05)), 1.0};
  const double total = weights[0] + weights[1] + weights[2];
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(share_of(levels, static_cast<double>(k)), weights[k] / total, 0.01);
}

TEST(MixedModel, TermsAreScaledSaturateAndDifferByLevel) {
  MixedModel model = pair_model(ColumnType::kReal);
  MixedNode& x = model.nodes[0];
  x.about = {ColumnType::kCategory, {{0, "a"}, {1, "b"}, {2, "c"}}, {}, {}, {}, true};
  x.predictors.resize(3);
  MixedNode z;
  z.name = "z";
  z.predictors.resize(1);
  model.nodes.push_back(z);
  model.order = {0, 2, 1};
  model.nodes[1].parents = {0, 2};
  model.nodes[1].predictors = {{{{{2, 10.0, 2.0}, false, {1.0, -1.0, 0.5}, 0}}, {{0, {0.0, 0.3, -0.2}}}}};
  const auto expect_mean = [&](double level, double value, double expected) {
    const std::vector<NamedValue> set = {{"x", level}, {"z", value}};
    const Table rows = simulate_decision(model, set, {}, 20000, 3, seeded(5));
    EXPECT_NEAR(mean({rows.column(1).begin(), rows.column(1).end()}), expected, 0.02) << level << " " << value;
  };
  expect_mean(0.0, 12.0, 1.0);
  expect_mean(1.0, 12.0, 0.3 - 1.0);
  expect_mean(2.0, 14.0, 1.0 - 0.2);
  expect_mean(0.0, 30.0, 4.0);  // at most 4 deviations
  expect_mean(0.0, -30.0, -4.0);
}

TEST(MixedModel, PoissonQuantilesInvertTheDistribution) {
  for (const double rate : {0.3, 2.0, 40.0, 150.0, 400.0}) {
    for (const double u : {0.001, 0.2, 0.5, 0.9, 0.9999}) {
      const double k = poisson_quantile(rate, u);
      const auto below = [&](double last) {
        double sum = 0.0;
        for (double i = 0.0; i <= last; ++i) sum += std::exp(i * std::log(rate) - rate - std::lgamma(i + 1.0));
        return sum;
      };
      const double tolerance = rate > 200.0 ? 1e-4 : 1e-12;
      EXPECT_GE(below(k), u - tolerance) << rate << " " << u;
      EXPECT_LT(below(k - 1.0), u + tolerance) << rate << " " << u;
    }
  }
}

TEST(MixedModel, RandomModelsHaveTheGraphsAndTypesThatTheyShould) {
  std::map<ColumnType, int> types;
  std::map<NoiseKind, int> shapes;
  int free_columns = 0, saturating = 0, numeric = 0, scaled = 0, scalable = 0, interactions = 0, may_interact = 0;
  double parents = 0.0;
  int beyond_third = 0;
  for (std::uint64_t index = 0; index < 150; ++index) {
    const MixedModel model = random_mixed_model(small(), index, seeded(11));
    ASSERT_NO_THROW(check_model(model));
    for (std::size_t k = 0; k < 12; ++k) {
      const MixedNode& node = model.nodes[model.order[k]];
      ASSERT_LE(node.parents.size(), 3U);
      if (k < 3) {
        EXPECT_EQ(node.name[0], 'X');
        EXPECT_TRUE(node.about.type == ColumnType::kReal || has_levels(node.about.type));
      } else {
        EXPECT_GE(node.parents.size(), 1U);
        parents += static_cast<double>(node.parents.size());
        ++beyond_third;
      }
      if (k >= 3 && k < 10) {
        ++types[node.about.type];
        ++free_columns;
      }
      if (node.about.type == ColumnType::kReal) {
        ++shapes[node.noise.kind];
        scalable += node.predictors[0].numeric.empty() ? 0 : 1;
        scaled += node.scale ? 1 : 0;
      }
      if (node.about.type == ColumnType::kCategory) {
        EXPECT_TRUE(node.about.levels.size() == 3 || node.about.levels.size() == 4);
      }
      for (const LinearPredictor& predictor : node.predictors) {
        bool category = false;
        bool differs = false;
        for (const LevelTerm& term : predictor.levels)
          category |= model.nodes[term.parent].about.type == ColumnType::kCategory;
        for (const NumericTerm& term : predictor.numeric) {
          ++numeric;
          saturating += term.saturating ? 1 : 0;
          differs |= term.by.has_value();
          for (const double slope : term.slopes) {
            EXPECT_GE(std::abs(slope), 0.5);
            EXPECT_LE(std::abs(slope), 1.2);
          }
        }
        if (category && !predictor.numeric.empty()) ++may_interact;
        interactions += differs ? 1 : 0;
      }
    }
    const ColumnType last = model.nodes[model.order[11]].about.type;
    const ColumnType before = model.nodes[model.order[10]].about.type;
    EXPECT_TRUE(!has_levels(last) || (model.nodes[model.order[10]].name[0] == 'Y' && !has_levels(before)));
  }
  const auto expect_share = [](int found, int of, double share) {
    EXPECT_NEAR(found, of * share, 4.0 * std::sqrt(of * share * (1.0 - share)));
  };
  expect_share(types[ColumnType::kReal], free_columns, 0.45);
  expect_share(types[ColumnType::kPositive], free_columns, 0.15);
  expect_share(types[ColumnType::kShare], free_columns, 0.1);
  expect_share(types[ColumnType::kBinary], free_columns, 0.12);
  expect_share(types[ColumnType::kCategory], free_columns, 0.1);
  expect_share(types[ColumnType::kCount], free_columns, 0.08);
  for (const NoiseKind kind : {NoiseKind::kGaussian, NoiseKind::kExponential, NoiseKind::kBeta})
    expect_share(shapes[kind],
                 shapes[NoiseKind::kGaussian] + shapes[NoiseKind::kExponential] + shapes[NoiseKind::kBeta], 1.0 / 3.0);
  expect_share(saturating, numeric, 0.4);
  expect_share(scaled, scalable, 0.4);
  expect_share(interactions, may_interact, 0.3);
  // Poisson(1.8) kept within 1 and 3: P(<= 1) = .4628, P(2) = .2678, P(>= 3) = .2694.
  EXPECT_NEAR(parents / beyond_third, 0.4628 + 2.0 * 0.2678 + 3.0 * 0.2694, 0.09);
}

TEST(MixedModel, LevelsAreAllSeenAndTablesAreTheSameOnAnyThreads) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    const MixedModel model = random_mixed_model(small(8), index, seeded(2, 3));
    EXPECT_EQ(random_mixed_model(small(8), index, seeded(2, 1)), model);
    const Table table = draw_rows(model, 2000, index, seeded(2, 1));
    EXPECT_TRUE(test::equal(draw_rows(model, 2000, index, seeded(2, 4)), table));
    for (std::size_t j = 0; j < table.columns(); ++j) {
      EXPECT_EQ(table.about(j), model.nodes[j].about);
      for (const double value : table.column(j)) ASSERT_TRUE(is_value(table.about(j), value)) << table.name(j);
      for (const ColumnLevel& level : table.about(j).levels) {
        const auto seen = std::count(table.column(j).begin(), table.column(j).end(), level.value);
        EXPECT_GT(seen, 20) << index << " " << table.name(j) << " " << level.name;
      }
    }
  }
}

TEST(MixedModel, IsReadBackToTheLastBit) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    const MixedModel model = random_mixed_model(small(), index, seeded(2));
    EXPECT_EQ(parse_mixed_model(Json::parse(to_json(model).dump()), "truth.json"), model);
  }
}

TEST(MixedModel, ADecisionCutsWhatStandsBeforeIt) {
  const MixedModel model = pair_model(ColumnType::kReal);
  const std::vector<NamedValue> set = {{"y", 3.0}};
  const Table rows = simulate_decision(model, {}, set, 20000, 1, seeded(1));
  EXPECT_NEAR(mean({rows.column(0).begin(), rows.column(0).end()}), 0.0, 0.02);
  EXPECT_EQ(rows.at(7, 1), 3.0);
  expect_error(ErrorCategory::kTask, "its cause 'x' is not",
               [&] { simulate_decision(model, set, {}, 9, 1, seeded(1)); });
  const auto refuse = [&](const MixedModel& of, const std::vector<NamedValue>& values, const std::string& part) {
    expect_error(ErrorCategory::kUsage, part, [&] { simulate_decision(of, {}, values, 9, 1, seeded(1)); });
  };
  refuse(model, {{"z", 1.0}}, "no node 'z'");
  refuse(model, {{"x", 1.0}, {"x", 2.0}}, "given twice");
  refuse(model, {{"x", std::nan("")}}, "no value of 'x'");
  refuse(pair_model(ColumnType::kBinary), {{"y", 0.5}}, "0.5 is no value of 'y', which is of type binary");
  refuse(pair_model(ColumnType::kCount), {{"y", 2.5}}, "no value");
  refuse(pair_model(ColumnType::kShare), {{"y", 1.5}}, "no value");
  refuse(pair_model(ColumnType::kPositive), {{"y", -1.0}}, "no value");
}

TEST(MixedModel, WrongModelsAreNamed) {
  const MixedModel right = pair_model(ColumnType::kCategory, std::vector<LinearPredictor>(3));
  const auto refuse = [&](const std::string& part, const std::function<void(MixedModel&)>& spoil) {
    MixedModel wrong = right;
    spoil(wrong);
    expect_error(ErrorCategory::kData, part, [&] { check_model(wrong, "t.json"); });
  };
  EXPECT_NO_THROW(check_model(right));
  refuse("t.json: The model has 0 nodes", [](MixedModel& m) { m.nodes.clear(); });
  refuse("Two nodes are called 'x'", [](MixedModel& m) { m.nodes[1].name = "x"; });
  refuse("no name", [](MixedModel& m) { m.nodes[1].name = ""; });
  refuse("The order has 1 of 2", [](MixedModel& m) { m.order.pop_back(); });
  refuse("every node once", [](MixedModel& m) { m.order[1] = 0; });
  refuse("before its parent 'x'", [](MixedModel& m) { std::swap(m.order[0], m.order[1]); });
  refuse("does not exist", [](MixedModel& m) { m.nodes[1].parents = {9}; });
  refuse("ordinal", [](MixedModel& m) { m.nodes[1].about.type = ColumnType::kOrdinal; });
  refuse("fewer than 2 levels", [](MixedModel& m) { m.nodes[1].about.levels.resize(1); });
  refuse("has not 2 levels", [](MixedModel& m) { m.nodes[1].about.type = ColumnType::kBinary; });
  refuse("levels that are not 0, 1", [](MixedModel& m) { m.nodes[1].about.levels[1].value = 5.0; });
  refuse("has 2 predictors, but needs 3", [](MixedModel& m) { m.nodes[1].predictors.pop_back(); });
  refuse("not its parent", [](MixedModel& m) { m.nodes[1].predictors[0].levels = {{1, {0.0, 0.0, 0.0}}}; });
  refuse("one number per level of 'x'", [](MixedModel& m) { m.nodes[1].predictors[0].levels = {{0, {0.0}}}; });
  refuse("one slope", [](MixedModel& m) { m.nodes[1].predictors[0].numeric = {{{0, 0.0, 1.0}, false, {}, {}}}; });
  refuse("mean and deviation", [](MixedModel& m) {
    m.nodes[1].predictors[0].numeric = {{{0, 0.0, 0.0}, false, {1.0}, {}}};
  });
  refuse("among its weights", [](MixedModel& m) {
    m.nodes[1].predictors[0].numeric = {{{0, 0.0, 1.0}, false, {INFINITY}, {}}};
  });
  refuse("has a scale, but is not real", [](MixedModel& m) { m.nodes[1].scale = ScaledParent{0, 0.0, 1.0}; });
  refuse("beta noise", [](MixedModel& m) { m.nodes[0].noise = {NoiseKind::kBeta, 0.0, 1.0}; });
  refuse("uniform noise", [](MixedModel& m) { m.nodes[0].noise.kind = NoiseKind::kUniform; });
}

TEST(MixedModel, SharesOfTypesAreReadAndRefused) {
  EXPECT_EQ(to_text(TypeShares()), "real=0.45,positive=0.15,share=0.1,binary=0.12,category=0.1,count=0.08");
  EXPECT_EQ(parse_type_shares(to_text(TypeShares())), TypeShares());
  EXPECT_EQ(parse_type_shares("count=1"), (TypeShares{0.0, 0.0, 0.0, 0.0, 0.0, 1.0}));
  const auto refuse = [](const std::string& text, const std::string& part) {
    expect_error(ErrorCategory::kUsage, part, [&] { parse_type_shares(text); });
  };
  refuse("", "such as real=0.5");
  refuse("real", "such as real=0.5");
  refuse("real=1,", "such as real=0.5");
  refuse("ordinal=1", "these are real, positive, share, binary, category, count");
  refuse("real=1,real=1", "given twice");
  refuse("real=2", "from 0 to 1");
  refuse("real=x", "from 0 to 1");
  refuse("real=-0.1", "from 0 to 1");
  refuse("real=nan", "from 0 to 1");
  refuse("binary=1", "no numeric type");
  MixedSimulationOptions only = small(40);
  only.types = parse_type_shares("count=1");
  const MixedModel model = random_mixed_model(only, 0, seeded(3));
  for (std::size_t k = 0; k < 40; ++k)
    EXPECT_EQ(model.nodes[model.order[k]].about.type, k < 10 ? ColumnType::kReal : ColumnType::kCount);
  expect_error(ErrorCategory::kUsage, "variables", [] { random_mixed_model(small(5), 0, seeded(3)); });
}

}  // namespace
}  // namespace olem::mixed_model_test
