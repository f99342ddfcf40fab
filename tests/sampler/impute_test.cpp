#include "olem/impute.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "olem/error.h"
#include "olem/random.h"
#include "sampler/helpers.h"

namespace olem::test::impute_test {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

Context seeded(std::uint64_t seed, int threads = 1) {
  Context context;
  context.seed = seed;
  context.threads = threads;
  return context;
}

// x ~ N(0, 1) is known; y = 0.8 x + 0.6 e, and is missing where `gone` says so.
struct Pairs {
  std::vector<double> x;
  std::vector<double> y;        // all of them
  std::vector<double> visible;  // NaN where missing
  std::size_t missing = 0;

  IncompleteTable table() const {
    std::vector<double> values = x;
    values.insert(values.end(), visible.begin(), visible.end());
    return make_incomplete({"x", "y"}, values, "", {Column{}, Column{}});
  }
};

Pairs pairs(std::size_t rows, std::uint64_t seed, const std::function<bool(double x, RandomStream&)>& gone) {
  RandomStream random(seed, "test.pairs");
  Pairs all;
  for (std::size_t i = 0; i < rows; ++i) {
    all.x.push_back(random.normal());
    all.y.push_back(0.8 * all.x.back() + 0.6 * random.normal());
    const bool hidden = gone(all.x.back(), random);
    all.visible.push_back(hidden ? kGap : all.y.back());
    all.missing += hidden ? 1 : 0;
  }
  return all;
}

double product_mean(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum / static_cast<double>(a.size());
}

// Least squares of y on x where y is known.
struct Line {
  double intercept = 0.0;
  double slope = 0.0;
  double noise_variance = 0.0;
  double known = 0.0;
  double mean_x = 0.0;     // over the known rows
  double squares_x = 0.0;  // around it
};

Line fitted_line(const Pairs& data) {
  Line line;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    if (std::isnan(data.visible[i])) continue;
    line.known += 1.0;
    line.mean_x += data.x[i];
    mean_y += data.y[i];
  }
  line.mean_x /= line.known;
  mean_y /= line.known;
  double products = 0.0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    if (std::isnan(data.visible[i])) continue;
    line.squares_x += (data.x[i] - line.mean_x) * (data.x[i] - line.mean_x);
    products += (data.x[i] - line.mean_x) * (data.y[i] - mean_y);
  }
  line.slope = products / line.squares_x;
  line.intercept = mean_y - line.slope * line.mean_x;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    if (std::isnan(data.visible[i])) continue;
    const double residual = data.y[i] - line.intercept - line.slope * data.x[i];
    line.noise_variance += residual * residual / (line.known - 2.0);
  }
  return line;
}

// Rubin (1987, chapter 5): with a normal linear model the mean of y over completed tables is the regression estimate,
// and the variance between them that of the mean of the missing values given what is known.
TEST(Impute, MeanCovarianceAndVarianceBetweenTablesOfANormalPair) {
  const Pairs data = pairs(1000, 11, [](double, RandomStream& random) { return random.uniform() < 0.4; });
  constexpr int kTables = 200;
  ImputeOptions options;
  options.imputations = kTables;
  options.rounds = 1;  // one column has gaps: the first draw is as good as any
  const CompletedTables completed = impute(data.table(), options, seeded(5));
  ASSERT_EQ(completed.tables.size(), static_cast<std::size_t>(kTables));

  const Line line = fitted_line(data);
  const double n = 1000.0;
  const auto missing = static_cast<double>(data.missing);
  double missing_x = 0.0;
  for (std::size_t i = 0; i < data.x.size(); ++i) missing_x += std::isnan(data.visible[i]) ? data.x[i] / missing : 0.0;
  const double far = (missing_x - line.mean_x) * (missing_x - line.mean_x);
  const double between = line.noise_variance *
                         (missing / (n * n) + missing * missing / (n * n) * (1.0 / line.known + far / line.squares_x));
  std::vector<double> means;
  double covariance = 0.0;
  for (const Table& table : completed.tables) {
    means.push_back(mean(table.column(1)));
    covariance += (product_mean(table.column(0), table.column(1)) - mean(table.column(0)) * means.back()) / kTables;
  }
  double squares = 0.0;
  for (const double value : means) squares += (value - mean(means)) * (value - mean(means));
  const double regression = line.intercept + line.slope * mean(data.x);
  EXPECT_NEAR(mean(means), regression, 4.0 * std::sqrt(between / kTables) + 1e-3);
  // The relative standard error of a variance of 200 numbers is 0.1.
  EXPECT_NEAR(squares / (kTables - 1) / between, 1.0, 0.35);
  const double variance_x = deviation(data.x) * deviation(data.x);
  EXPECT_NEAR(covariance, line.slope * variance_x, 0.01);
  // The known cells are what they were.
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    if (!std::isnan(data.visible[i])) {
      ASSERT_EQ(completed.tables[7].at(i, 1), data.y[i]);
    }
  }
}

// What is missing depends on x: the rows that are left are no sample of all.
TEST(Impute, IsRightWhereDroppingRowsIsNot) {
  const Pairs data = pairs(2000, 12, [](double x, RandomStream& random) { return x > 0.0 && random.uniform() < 0.7; });
  const CompletedTables completed = impute(data.table(), {}, seeded(6));
  double imputed = 0.0;
  for (const Table& table : completed.tables) imputed += mean(table.column(1)) / 5.0;
  double left = 0.0;
  for (const double value : data.visible)
    left += std::isnan(value) ? 0.0 : value / static_cast<double>(2000 - data.missing);
  EXPECT_NEAR(imputed, mean(data.y), 0.05);  // standard error 0.012
  EXPECT_LT(left, mean(data.y) - 0.2);
}

TEST(Impute, BinaryGapsKeepTheirDependence) {
  RandomStream random(3, "test.binary");
  std::vector<double> x;
  std::vector<double> z;
  std::vector<double> visible;
  for (std::size_t i = 0; i < 3000; ++i) {
    x.push_back(random.normal());
    z.push_back(random.uniform() < 1.0 / (1.0 + std::exp(-2.0 * x.back())) ? 1.0 : 0.0);
    visible.push_back(x.back() > 0.0 && random.uniform() < 0.6 ? kGap : z.back());
  }
  std::vector<double> values = x;
  values.insert(values.end(), visible.begin(), visible.end());
  Column binary{ColumnType::kBinary, {{0.0, "no"}, {1.0, "yes"}}, "", "", "", true};
  const CompletedTables completed = impute(make_incomplete({"x", "z"}, values, "", {Column{}, binary}), {}, seeded(7));
  for (const double edge : {0.0, 0.7}) {  // share of ones among x in [edge, edge + 0.7]
    double truth = 0.0;
    double found = 0.0;
    double count = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] < edge || x[i] > edge + 0.7) continue;
      count += 1.0;
      truth += z[i];
      for (const Table& table : completed.tables) found += table.at(i, 1) / 5.0;
    }
    EXPECT_NEAR(found / count, truth / count, 0.05) << edge;  // standard error 0.02
  }
}

// One column of every type, with a fifth of all cells gone.
IncompleteTable every_type(std::size_t rows) {
  RandomStream random(9, "test.types");
  std::vector<std::vector<double>> columns(7, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal();
    const double e = random.normal();
    columns[0][i] = a;
    columns[1][i] = random.uniform() < 0.2 ? 0.0 : std::exp(a + 0.3 * e);
    columns[2][i] = random.uniform() < 0.1 ? 1.0 : 1.0 / (1.0 + std::exp(-a - e));
    columns[3][i] = std::floor(std::exp(0.8 + 0.5 * a) + random.uniform());
    columns[4][i] = std::clamp(std::round(a + 0.5 * e), -1.0, 2.0) + 2.0;
    columns[5][i] = a + e > 0.3 ? 1.0 : 0.0;
    columns[6][i] = static_cast<double>(random.below(3)) + (a > 1.0 ? 1.0 : 0.0);
  }
  std::vector<double> values;
  for (const std::vector<double>& column : columns) {
    for (const double value : column) values.push_back(random.uniform() < 0.2 ? kGap : value);
  }
  const auto levels = [](int first, int last) {
    std::vector<ColumnLevel> all;
    for (int level = first; level <= last; ++level) all.push_back({static_cast<double>(level), std::to_string(level)});
    return all;
  };
  std::vector<Column> about(7);
  about[1].type = ColumnType::kPositive;
  about[2].type = ColumnType::kShare;
  about[3].type = ColumnType::kCount;
  about[4] = {ColumnType::kOrdinal, levels(1, 4), "", "", "", true};
  about[5] = {ColumnType::kBinary, levels(0, 1), "", "", "", true};
  about[6] = {ColumnType::kCategory, levels(0, 3), "", "", "", true};
  return make_incomplete({"real", "positive", "share", "count", "ordinal", "binary", "category"}, values, "", about);
}

TEST(Impute, ValuesAreOnesThatTheirColumnsCanHave) {
  const IncompleteTable table = every_type(400);
  const CompletedTables completed = impute(table, {}, seeded(1));
  for (const Table& one : completed.tables) {
    for (std::size_t j = 0; j < one.columns(); ++j) {
      std::set<double> known;
      for (std::size_t i = 0; i < one.rows(); ++i) {
        if (!table.is_missing(i, j)) known.insert(one.at(i, j));
      }
      for (std::size_t i = 0; i < one.rows(); ++i) {
        const double value = one.at(i, j);
        if (is_discrete(one.about(j).type)) {
          EXPECT_EQ(known.count(value), 1U) << one.name(j);
        }
        if (j == 1 || j == 2) {
          EXPECT_GE(value, 0.0);
        }
        if (j == 2) {
          EXPECT_LE(value, 1.0);
        }
      }
    }
  }
  EXPECT_EQ(completed.gaps.cells(), table.missing_cells());
  EXPECT_EQ(to_json(completed.gaps)["columns"]["count"], table.missing_in(3));
}

TEST(Impute, SameBytesOnAnyThreadsAndFirstTablesDoNotDependOnTheirNumber) {
  const IncompleteTable table = every_type(120);
  const auto values = [](const Table& one) { return std::vector<double>(one.values().begin(), one.values().end()); };
  const CompletedTables one = impute(table, {}, seeded(1, 1));
  const CompletedTables two = impute(table, {}, seeded(1, 2));
  const CompletedTables few = impute(table, {.imputations = 2}, seeded(1, 2));
  for (std::size_t t = 0; t < 5; ++t) EXPECT_EQ(values(one.tables[t]), values(two.tables[t])) << t;
  for (std::size_t t = 0; t < 2; ++t) EXPECT_EQ(values(one.tables[t]), values(few.tables[t])) << t;
  EXPECT_NE(values(one.tables[0]), values(one.tables[1]));
  EXPECT_NE(values(one.tables[0]), values(impute(table, {}, seeded(2)).tables[0]));
}

TEST(Impute, ObeysInterruptionAndReportsProgress) {
  Context context = seeded(1);
  double last = 0.0;
  context.progress = [&](double fraction, std::string_view phase) {
    EXPECT_EQ(phase, "imputation");
    EXPECT_GE(fraction, last);
    last = fraction;
  };
  impute(every_type(60), {}, context);
  EXPECT_EQ(last, 1.0);
  const std::atomic<bool> stop{true};
  context.interrupt = &stop;
  context.progress = nullptr;
  EXPECT_THROW(impute(every_type(60), {}, context), Error);
}

TEST(Impute, RefusesWhatCannotBeCompleted) {
  EXPECT_THROW(make_incomplete({"a", "b"}, {1, 2, 3, kGap, kGap, kGap}), Error);  // a column without a value
  EXPECT_THROW(make_incomplete({"a", "b"}, {1, kGap, 1, kGap}), Error);           // one row is left
  EXPECT_THROW(impute(every_type(30), {.imputations = 0}, seeded(1)), Error);
  const IncompleteTable few = make_incomplete({"a", "b"}, {1, 2, kGap, 4, kGap, 5, kGap, 5});
  EXPECT_EQ(few.rows(), 3U);  // nothing is known of the third row
  for (const Table& table : impute(few, {}, seeded(1)).tables) EXPECT_EQ(table.at(0, 1), 5.0);
}

}  // namespace
}  // namespace olem::test::impute_test
