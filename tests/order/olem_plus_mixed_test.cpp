#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "olem/order.h"
#include "olem/random.h"
#include "order/olem_plus_columns.h"
#include "order/olem_plus_fit.h"
#include "order/olem_plus_levels.h"
#include "order/olem_plus_objective.h"
#include "order/olem_plus_screen.h"

namespace olem::olem_plus_mixed_test {

using namespace internal;
namespace {

constexpr double kNormalEntropy = 1.4189385332046727;  // ln(2 pi e) / 2

struct Named {
  std::string name;
  ColumnType type = ColumnType::kReal;
  std::vector<double> values;
};

Table table_of(const std::vector<Named>& columns) {
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<Column> about;
  for (const Named& column : columns) {
    names.push_back(column.name);
    values.insert(values.end(), column.values.begin(), column.values.end());
    Column own;
    own.type = column.type;
    if (has_levels(column.type)) {
      for (const double value : column.values) {
        const auto same = [&](const ColumnLevel& level) { return level.value == value; };
        if (std::none_of(own.levels.begin(), own.levels.end(), same)) {
          own.levels.push_back({value, std::to_string(static_cast<int>(value))});
        }
      }
      std::sort(own.levels.begin(), own.levels.end(),
                [](const ColumnLevel& a, const ColumnLevel& b) { return a.value < b.value; });
    }
    about.push_back(own);
  }
  return Table(names, values, "", about);
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double entropy_of(double p) { return -p * std::log(p) - (1.0 - p) * std::log(1.0 - p); }

// The mean of f(X), X standard normal.
double normal_mean(const std::function<double(double)>& f) {
  constexpr double kStep = 0.01;
  double sum = 0.0;
  for (double x = -8.0; x <= 8.0; x += kStep) sum += f(x) * std::exp(-0.5 * x * x);
  return sum * kStep / std::sqrt(2.0 * std::acos(-1.0));
}

double normal_draws(RandomStream& random, std::vector<double>& values) {
  for (double& value : values) value = random.normal();
  return values.front();
}

OlemPlusOptions by_shape() {
  OlemPlusOptions options;
  options.units = ColumnUnits::kArbitrary;
  return options;
}

double shape_of(const Table& table, const Order& order) { return score_order_by_shape(table, order, Context()).shape; }

// Both factorisations of a pair of binary columns are saturated: the same likelihood, the entropy of the pair.
TEST(OlemPlusMixed, ABinaryPairHasItsEntropyWhicheverTheOrder) {
  constexpr std::size_t kRows = 20000;
  RandomStream random(1, "binary");
  std::vector<double> x(kRows);
  std::vector<double> y(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    x[i] = random.uniform() < 0.3 ? 1.0 : 0.0;
    y[i] = random.uniform() < (x[i] > 0.0 ? 0.7 : 0.2) ? 1.0 : 0.0;
  }
  const Table table = table_of({{"x", ColumnType::kBinary, x}, {"y", ColumnType::kBinary, y}});
  const double truth = entropy_of(0.3) + 0.3 * entropy_of(0.7) + 0.7 * entropy_of(0.2) + edge_price(kRows);
  const double forward = shape_of(table, {"x", "y"});
  const double backward = shape_of(table, {"y", "x"});
  EXPECT_NEAR(forward, truth, 4.0 * 0.8 / std::sqrt(kRows));
  EXPECT_NEAR(forward, backward, 1.0 / kRows);
  const OrderResult result = learn_order_olem_plus(table, {}, {}, Context());
  EXPECT_EQ(result.steps.front().evidence->decided_by, DecidedBy::kNone);
}

// h(X) + H(Y | X) of a logistic regression; the other way round the normal noise is not one.
TEST(OlemPlusMixed, ANormalCauseOfABinaryColumn) {
  constexpr std::size_t kRows = 10000;
  RandomStream random(2, "logistic");
  std::vector<double> x(kRows);
  std::vector<double> y(kRows);
  normal_draws(random, x);
  for (std::size_t i = 0; i < kRows; ++i) y[i] = random.uniform() < logistic(2.5 * x[i]) ? 1.0 : 0.0;
  const Table table = table_of({{"y", ColumnType::kBinary, y}, {"x", ColumnType::kReal, x}});
  const double truth =
      kNormalEntropy + normal_mean([](double at) { return entropy_of(logistic(2.5 * at)); }) + edge_price(kRows);
  EXPECT_NEAR(shape_of(table, {"x", "y"}), truth, 4.0 / std::sqrt(kRows));
  const OrderResult result = learn_order_olem_plus(table, {}, {}, Context());
  EXPECT_EQ(result.order, (Order{"x", "y"}));
  EXPECT_EQ(result.steps.front().evidence->decided_by, DecidedBy::kShape);
  EXPECT_GT(shape_of(table, {"y", "x"}), truth + 0.01);
}

TEST(OlemPlusMixed, AUniformCauseOfABinaryColumn) {
  constexpr std::size_t kRows = 10000;
  RandomStream random(3, "uniform");
  std::vector<double> x(kRows);
  std::vector<double> y(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    x[i] = random.uniform();
    y[i] = random.uniform() < logistic(6.0 * x[i] - 3.0) ? 1.0 : 0.0;
  }
  const Table table = table_of({{"y", ColumnType::kBinary, y}, {"x", ColumnType::kReal, x}});
  double truth = edge_price(kRows);  // the density of x is 1: entropy 0
  for (int k = 0; k < 1000; ++k) truth += entropy_of(logistic(6.0 * (k + 0.5) / 1000.0 - 3.0)) / 1000.0;
  // The spacings count .01 more than they find.
  EXPECT_NEAR(shape_of(table, {"x", "y"}), truth + 0.01, 4.0 / std::sqrt(kRows) + 0.005);
  EXPECT_EQ(learn_order_olem_plus(table, {}, {}, Context()).order, (Order{"x", "y"}));
}

TEST(OlemPlusMixed, ACategoryThatShiftsExponentialNoise) {
  constexpr std::size_t kRows = 6000;
  RandomStream random(4, "mixture");
  std::vector<double> c(kRows);
  std::vector<double> x(kRows);
  const double shift[] = {0.0, 3.0, 1.0};  // the codes have another order
  for (std::size_t i = 0; i < kRows; ++i) {
    const double u = random.uniform();
    c[i] = u < 0.2 ? 0.0 : u < 0.5 ? 1.0 : 2.0;
    x[i] = shift[static_cast<std::size_t>(c[i])] + random.exponential(1.0);
  }
  const Table table = table_of({{"x", ColumnType::kReal, x}, {"c", ColumnType::kCategory, c}});
  const double category = -0.2 * std::log(0.2) - 0.3 * std::log(0.3) - 0.5 * std::log(0.5);
  EXPECT_NEAR(shape_of(table, {"c", "x"}), category + 1.0 + 0.01 + edge_price(kRows), 4.0 / std::sqrt(kRows) + 0.02);
  const OrderResult result = learn_order_olem_plus(table, {}, {}, Context());
  EXPECT_EQ(result.order, (Order{"c", "x"}));
  EXPECT_EQ(result.steps.front().evidence->decided_by, DecidedBy::kShape);
}

// With normal noise of one size the log-odds of the levels are straight lines: both ways are true models.
TEST(OlemPlusMixed, ACategoryThatShiftsNormalNoiseIsNotDecidedByMuch) {
  constexpr std::size_t kRows = 6000;
  RandomStream random(5, "normal mixture");
  std::vector<double> c(kRows);
  std::vector<double> x(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    c[i] = std::floor(3.0 * random.uniform());
    x[i] = 1.5 * c[i] + 0.5 * random.normal();
  }
  const Table table = table_of({{"x", ColumnType::kReal, x}, {"c", ColumnType::kCategory, c}});
  const double truth = std::log(3.0) + kNormalEntropy + std::log(0.5) + edge_price(kRows);
  EXPECT_NEAR(shape_of(table, {"c", "x"}), truth, 4.0 / std::sqrt(kRows));
  EXPECT_NEAR(shape_of(table, {"x", "c"}), truth, 4.0 / std::sqrt(kRows) + 0.03);
}

TEST(OlemPlusMixed, ABinaryMediatorOfNonGaussianColumns) {
  constexpr std::size_t kRows = 3000;
  RandomStream random(6, "mediator");
  std::vector<double> a(kRows);
  std::vector<double> m(kRows);
  std::vector<double> b(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    a[i] = random.exponential(1.0);
    m[i] = random.uniform() < logistic(2.0 * a[i] - 2.0) ? 1.0 : 0.0;
    b[i] = 2.0 * m[i] + random.exponential(1.0);
  }
  const Table table =
      table_of({{"b", ColumnType::kReal, b}, {"m", ColumnType::kBinary, m}, {"a", ColumnType::kReal, a}});
  const OrderResult result = learn_order_olem_plus(table, by_shape(), {}, Context());
  EXPECT_EQ(result.order, (Order{"a", "m", "b"}));
  for (const OrderStep& step : result.steps) EXPECT_EQ(step.evidence->decided_by, DecidedBy::kShape) << step.sink;
}

// An entropy of ln y is turned into one of y; noise that grows with a parent is divided out. Both only where a discrete
// column makes the table mixed.
TEST(OlemPlusMixed, LogarithmsAndNoiseThatGrows) {
  constexpr std::size_t kRows = 4000;
  RandomStream random(7, "positive");
  std::vector<double> flag(kRows);
  std::vector<double> x(kRows);
  std::vector<double> y(kRows);
  std::vector<double> z(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    flag[i] = random.uniform() < 0.5 ? 1.0 : 0.0;
    x[i] = random.normal();
    y[i] = std::exp(0.6 * x[i] + 0.4 * random.normal());
    z[i] = x[i] + 0.8 * std::exp(0.5 * x[i]) * random.normal();
  }
  const Named binary{"flag", ColumnType::kBinary, flag};
  const Named cause{"x", ColumnType::kReal, x};
  const double rest = std::log(2.0) + kNormalEntropy + edge_price(kRows);
  const Table positive = table_of({binary, cause, {"y", ColumnType::kPositive, y}});
  // h(ln y | x) plus the mean of ln y, which is 0.
  EXPECT_NEAR(shape_of(positive, {"flag", "x", "y"}), rest + kNormalEntropy + std::log(0.4), 0.05);
  EXPECT_LT(shape_of(positive, {"flag", "x", "y"}),
            shape_of(table_of({binary, cause, {"y", ColumnType::kReal, y}}), {"flag", "x", "y"}) - 0.005);
  const Table growing = table_of({binary, cause, {"z", ColumnType::kReal, z}});
  EXPECT_NEAR(shape_of(growing, {"flag", "x", "z"}), rest + kNormalEntropy + std::log(0.8), 0.05);
  EXPECT_GT(shape_of(table_of({cause, {"z", ColumnType::kReal, z}}), {"x", "z"}),
            shape_of(growing, {"flag", "x", "z"}) - std::log(2.0) + 0.05);
}

TEST(OlemPlusMixed, ACountHasThePoissonEntropyOfItsCause) {
  constexpr std::size_t kRows = 6000;
  RandomStream random(8, "count");
  std::vector<double> x(kRows);
  std::vector<double> y(kRows);
  normal_draws(random, x);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double mean = std::exp(0.8 + 0.5 * x[i]);
    for (double left = random.exponential(1.0); left < mean; left += random.exponential(1.0)) y[i] += 1.0;
  }
  const auto entropy = [](double mean) {
    double sum = 0.0;
    for (int k = 0; k < 200; ++k) {
      const double log_p = k * std::log(mean) - mean - std::lgamma(k + 1.0);
      sum -= std::exp(log_p) * log_p;
    }
    return sum;
  };
  const double truth =
      kNormalEntropy + normal_mean([&](double at) { return entropy(std::exp(0.8 + 0.5 * at)); }) + edge_price(kRows);
  const Table table = table_of({{"y", ColumnType::kCount, y}, {"x", ColumnType::kReal, x}});
  EXPECT_NEAR(shape_of(table, {"x", "y"}), truth, 4.0 / std::sqrt(kRows));
  EXPECT_EQ(learn_order_olem_plus(table, {}, {}, Context()).order, (Order{"x", "y"}));
}

// The losses of left-out rows, one Newton step away from the fit of all, against fits in which a row has hardly any
// weight. Straight lines, so that the functions are the same.
TEST(OlemPlusMixed, LeftOutLossesAreThoseOfFitsWithoutTheRow) {
  constexpr std::size_t kRows = 80;
  RandomStream random(9, "left out");
  std::vector<double> x(kRows);
  std::vector<double> binary(kRows);
  std::vector<double> category(kRows);
  std::vector<double> ordinal(kRows);
  std::vector<double> count(kRows);
  normal_draws(random, x);
  for (std::size_t i = 0; i < kRows; ++i) {
    binary[i] = random.uniform() < logistic(1.5 * x[i]) ? 1.0 : 0.0;
    category[i] = random.uniform() < 0.4 ? 2.0 : random.uniform() < logistic(x[i]) ? 1.0 : 0.0;
    const double level = x[i] + random.normal();
    ordinal[i] = level < -0.7 ? 0.0 : level < 0.0 ? 1.0 : level < 1.0 ? 2.0 : 3.0;
    count[i] = std::floor(std::exp(0.5 * x[i] + random.normal()) * 1.5);
  }
  const Table table = table_of({{"x", ColumnType::kReal, x},
                                {"binary", ColumnType::kBinary, binary},
                                {"category", ColumnType::kCategory, category},
                                {"ordinal", ColumnType::kOrdinal, ordinal},
                                {"count", ColumnType::kCount, count}});
  const PlusColumns columns = prepare_plus_columns(table, {}, Context());
  const auto number = [&](std::size_t column) {
    const auto at = std::find(columns.table_column.begin(), columns.table_column.end(), column);
    return static_cast<std::size_t>(at - columns.table_column.begin());
  };
  const std::size_t active[] = {number(0)};
  PlusChoice lines;
  lines.smoothing = 1e7;
  for (std::size_t target = 1; target < 5; ++target) {
    const auto fit = [&](const PlusColumns& own) {
      return target == 4 ? fit_counts(own, number(target), active, &lines)
                         : fit_levels(own, number(target), active, &lines);
    };
    const PlusFit all = fit(columns);
    double approximate = 0.0;
    double exact = 0.0;
    for (std::size_t row = 0; row < kRows; ++row) {
      std::vector<double> weights(kRows, static_cast<double>(kRows) / (kRows - 1.0));
      weights[columns.table_row[row]] = 1e-9;
      const PlusFit without = fit(reweigh_plus_columns(columns, weights, Context()));
      approximate += static_cast<double>(all.contributions[row]) / kRows;
      exact += static_cast<double>(without.contributions[row]) / kRows;
      EXPECT_NEAR(all.contributions[row], without.contributions[row], 0.05 * std::max(1.0F, all.contributions[row]))
          << table.name(target) << " row " << row;
    }
    EXPECT_NEAR(approximate, exact, 0.003) << table.name(target);
  }
}

// Independent categories: the tests have the degrees of freedom of the levels of both.
TEST(OlemPlusMixed, ScreensOfCategoriesErrAsOftenAsTheySay) {
  constexpr int kTables = 400;
  int active = 0;
  for (int t = 0; t < kTables; ++t) {
    RandomStream random(10, "screen", static_cast<std::uint64_t>(t));
    std::vector<double> a(300);
    std::vector<double> b(300);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = std::floor(4.0 * random.uniform());
      b[i] = std::floor(3.0 * random.uniform());
    }
    const PlusColumns columns = prepare_plus_columns(
        table_of({{"a", ColumnType::kCategory, a}, {"b", ColumnType::kCategory, b}}), {}, Context());
    const std::size_t others[] = {1};
    active += static_cast<int>(active_predecessors(columns, 0, others).size());
  }
  // 5 %, within four standard errors.
  EXPECT_NEAR(static_cast<double>(active) / kTables, 0.05, 4.0 * std::sqrt(0.05 * 0.95 / kTables));
}

// A season and a temperature that varies little inside of it. Which of them a setting's effect rests on is open; that
// it rests on one of them is not.
TEST(OlemPlusMixed, ASeasonAndItsTemperature) {
  constexpr std::size_t kRows = 800;
  constexpr double kTemperatures[] = {2.0, 12.0, 22.0};
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    RandomStream random(seed, "season");
    std::vector<std::vector<double>> values(4, std::vector<double>(kRows));
    for (std::size_t i = 0; i < kRows; ++i) {
      values[0][i] = std::floor(3.0 * random.uniform());
      values[1][i] = kTemperatures[static_cast<std::size_t>(values[0][i])] + random.exponential(0.25);
      values[2][i] = random.uniform() < 0.5 ? 1.0 : 0.0;
      const double odds = 3.0 * values[2][i] + 0.3 * (values[1][i] - 16.0);
      values[3][i] = random.uniform() < logistic(odds) ? 1.0 : 0.0;
    }
    const Table table = table_of({{"season", ColumnType::kCategory, values[0]},
                                  {"temperature", ColumnType::kReal, values[1]},
                                  {"switch", ColumnType::kBinary, values[2]},
                                  {"content", ColumnType::kBinary, values[3]}});
    const PlusColumns columns = prepare_plus_columns(table, {}, Context());
    std::vector<std::size_t> number(4);
    for (std::size_t j = 0; j < 4; ++j) number[columns.table_column[j]] = j;
    std::vector<std::size_t> others = {number[0], number[1], number[2]};
    std::sort(others.begin(), others.end());
    const std::vector<std::size_t> active = active_predecessors(columns, number[3], others);
    const auto has = [&](std::size_t column) { return std::count(active.begin(), active.end(), number[column]); };
    EXPECT_EQ(has(2), 1) << seed;
    EXPECT_GE(has(0) + has(1), 1) << seed;
    // The temperature tells little about the content that the season does not: to have it last gains nothing.
    const double truth = shape_of(table, {"season", "temperature", "switch", "content"});
    EXPECT_LT(truth, shape_of(table, {"season", "switch", "content", "temperature"}) + edge_price(kRows)) << seed;
  }
}

// A slope whose sign depends on a level, for a continuous and for a binary target.
TEST(OlemPlusMixed, SlopesThatDifferByLevel) {
  constexpr std::size_t kRows = 3000;
  RandomStream random(11, "slopes");
  std::vector<double> c(kRows);
  std::vector<double> x(kRows);
  std::vector<double> y(kRows);
  std::vector<double> z(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    c[i] = std::floor(3.0 * random.uniform());
    x[i] = random.normal();
    const double slope = c[i] == 1.0 ? -1.5 : 1.0;
    y[i] = slope * x[i] + 0.5 * c[i] + 0.5 * random.normal();
    z[i] = random.uniform() < logistic(2.0 * slope * x[i] + c[i]) ? 1.0 : 0.0;
  }
  const Named category{"c", ColumnType::kCategory, c};
  const Named cause{"x", ColumnType::kReal, x};
  const double causes = std::log(3.0) + kNormalEntropy;
  EXPECT_NEAR(shape_of(table_of({category, cause, {"y", ColumnType::kReal, y}}), {"c", "x", "y"}),
              causes + kNormalEntropy + std::log(0.5) + 2.0 * edge_price(kRows), 0.1);
  double truth = causes + 2.0 * edge_price(kRows);
  for (int level = 0; level < 3; ++level) {
    const double slope = level == 1 ? -3.0 : 2.0;
    truth += normal_mean([&](double at) { return entropy_of(logistic(slope * at + level)); }) / 3.0;
  }
  EXPECT_NEAR(shape_of(table_of({category, cause, {"z", ColumnType::kBinary, z}}), {"c", "x", "z"}), truth, 0.05);
}

struct MixedChain {
  Table table;
  Order truth = {"a", "m", "k", "b"};
};

MixedChain mixed_chain(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "mixed chain");
  std::vector<double> a(rows);
  std::vector<double> m(rows);
  std::vector<double> k(rows);
  std::vector<double> b(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    a[i] = random.exponential(1.0);
    m[i] = random.uniform() < logistic(2.0 * a[i] - 2.0) ? 1.0 : 0.0;
    k[i] = std::floor(3.0 * random.uniform());
    b[i] = 2.0 * m[i] - 1.5 * (k[i] == 1.0 ? 1.0 : 0.0) + random.exponential(1.0);
  }
  return {table_of({{"b", ColumnType::kReal, b},
                    {"k", ColumnType::kCategory, k},
                    {"m", ColumnType::kBinary, m},
                    {"a", ColumnType::kReal, a}})};
}

// The names of levels are labels: other numbers for them change nothing but rounding.
TEST(OlemPlusMixed, NumbersOfLevelsAreLabels) {
  const Table table = mixed_chain(1000, 12).table;
  std::vector<double> values(table.values().begin(), table.values().end());
  const double other[] = {7.0, 3.0, 5.0};
  for (std::size_t i = 1000; i < 2000; ++i) values[i] = other[static_cast<std::size_t>(values[i])];
  std::vector<Column> about = table.about();
  about[1].levels = {{3.0, "3"}, {5.0, "5"}, {7.0, "7"}};
  const Table relabelled(table.names(), values, "", about);
  const OrderResult one = learn_order_olem_plus(table, {}, {}, Context());
  const OrderResult two = learn_order_olem_plus(relabelled, {}, {}, Context());
  EXPECT_EQ(one.order, two.order);
  EXPECT_NEAR(shape_of(table, one.order), shape_of(relabelled, one.order), 0.005);
}

TEST(OlemPlusMixed, ObeysKnowledgeAndHasEvidence) {
  const Table table = mixed_chain(800, 13).table;
  Knowledge knowledge;
  knowledge.before = {{"b", "m"}, {"m", "a"}};
  const OrderResult result = learn_order_olem_plus(table, {}, Precedence(knowledge, table.names()), Context());
  const auto place = [&](const std::string& name) {
    return std::find(result.order.begin(), result.order.end(), name) - result.order.begin();
  };
  EXPECT_LT(place("b"), place("m"));
  EXPECT_LT(place("m"), place("a"));
  for (const OrderStep& step : result.steps) {
    if (step.forced) continue;
    EXPECT_GT(*step.gap_standard_error, 0.0);
    EXPECT_GE(*step.gap, 0.0);
  }
  EXPECT_TRUE(result.summary.warnings.empty());
  // The rows add up to the score without the price of edges.
  const OrderScore score = score_order_by_shape(table, result.order, Context());
  const double mean = std::accumulate(score.row_shape.begin(), score.row_shape.end(), 0.0) / 800.0;
  const double edges = std::round((score.shape - mean) / edge_price(800));
  EXPECT_NEAR(score.shape, mean + edges * edge_price(800), 1e-5);
}

TEST(OlemPlusMixed, WeightsAndThreads) {
  const Table table = mixed_chain(600, 14).table;
  OlemPlusProblem problem(table, {}, Context());
  const OrderResult plain = problem.learn({}, Context());
  const std::vector<double> twos(600, 2.0);
  const OrderResult weighted = learn_order_olem_plus_weighted(table, {}, {}, twos, {}, Context());
  OlemPlusProblem same = problem.reweighted(twos, Context());
  const OrderResult again = same.learn({}, Context(), plain.order);
  Context threads;
  threads.threads = 3;
  const OrderResult parallel = learn_order_olem_plus(table, {}, {}, threads);
  EXPECT_EQ(to_json(plain), to_json(parallel));
  for (const OrderResult* other : {&weighted, &again}) {
    EXPECT_EQ(plain.order, other->order);
    for (std::size_t s = 0; s < plain.steps.size(); ++s) EXPECT_NEAR(*plain.steps[s].gap, *other->steps[s].gap, 1e-4);
  }
  RandomStream random(15, "bootstrap");
  std::vector<double> weights(600);
  for (double& weight : weights) weight = random.exponential(1.0);
  // The numbers of a weighted problem that chooses for itself are near.
  EXPECT_NEAR(problem.reweighted(weights, Context()).score(plain.order, Context()).shape,
              OlemPlusProblem(table, {}, Context(), weights).score(plain.order, Context()).shape, 0.2);
}

// Half-samples without a row of a rare level are drawn again.
TEST(OlemPlusMixed, HalfSamplesKeepRareLevels) {
  Table table = mixed_chain(200, 16).table;
  std::vector<double> values(table.values().begin(), table.values().end());
  std::fill(values.begin() + 400, values.begin() + 600, 0.0);
  values[450] = values[520] = 1.0;
  table = Table(table.names(), values, "", table.about());
  OrderOptions options;
  options.bootstrap = 20;
  EXPECT_EQ(learn_order(table, options, {}, Context()).stability->repetitions, 20);
}

// Tables without discrete columns are learned as if all columns were real.
TEST(OlemPlusMixed, PositiveColumnsAloneAreNumbers) {
  RandomStream random(17, "positive alone");
  std::vector<double> x(400);
  std::vector<double> y(400);
  for (std::size_t i = 0; i < 400; ++i) {
    x[i] = random.exponential(1.0);
    y[i] = x[i] * std::exp(0.3 * random.normal());
  }
  const OrderResult typed = learn_order_olem_plus(
      table_of({{"x", ColumnType::kPositive, x}, {"y", ColumnType::kPositive, y}}), {}, {}, Context());
  const OrderResult plain =
      learn_order_olem_plus(table_of({{"x", ColumnType::kReal, x}, {"y", ColumnType::kReal, y}}), {}, {}, Context());
  EXPECT_EQ(to_json(typed), to_json(plain));
}

// Shares, counts and levels have no unit that could be compared with others.
TEST(OlemPlusMixed, OnlyRealColumnsAreComparedByScale) {
  RandomStream random(18, "scale");
  std::vector<Named> columns = {{"flag", ColumnType::kBinary, std::vector<double>(500)},
                                {"x", ColumnType::kReal, std::vector<double>(500)},
                                {"share", ColumnType::kShare, std::vector<double>(500)}};
  for (std::size_t i = 0; i < 500; ++i) {
    columns[0].values[i] = random.uniform() < 0.5 ? 1.0 : 0.0;
    columns[1].values[i] = random.normal() + columns[0].values[i];
    columns[2].values[i] = logistic(columns[1].values[i] + random.normal());
  }
  OlemPlusOptions comparable;
  comparable.units = ColumnUnits::kComparable;
  const OrderResult result = learn_order_olem_plus(table_of(columns), comparable, {}, Context());
  for (const OrderStep& step : result.steps) {
    EXPECT_EQ(step.evidence->gap_scale, 0.0);
    EXPECT_NE(step.evidence->decided_by, DecidedBy::kScale);
  }
}

// No continuous column at all; many levels; a level that occurs once.
TEST(OlemPlusMixed, TakesTablesOfLevelsOnly) {
  RandomStream random(19, "levels");
  std::vector<Named> columns = {{"many", ColumnType::kCategory, std::vector<double>(400)},
                                {"grade", ColumnType::kOrdinal, std::vector<double>(400)},
                                {"flag", ColumnType::kBinary, std::vector<double>(400)}};
  for (std::size_t i = 0; i < 400; ++i) {
    columns[0].values[i] = i == 7 ? 30.0 : std::floor(20.0 * random.uniform());
    columns[1].values[i] = std::floor(columns[0].values[i] / 6.0 + 2.0 * random.uniform());
    columns[2].values[i] = random.uniform() < 0.2 + 0.1 * columns[1].values[i] ? 1.0 : 0.0;
  }
  const OrderResult result = learn_order_olem_plus(table_of(columns), {}, {}, Context());
  EXPECT_EQ(result.order.size(), 3U);
  for (const OrderStep& step : result.steps) EXPECT_TRUE(std::isfinite(*step.gap));
}

}  // namespace
}  // namespace olem::olem_plus_mixed_test
