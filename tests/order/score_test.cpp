#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/statistics.h"
#include "olem/error.h"
#include "olem/graph_file.h"
#include "olem/metrics.h"
#include "olem/order.h"
#include "olem/order_score.h"
#include "olem/random.h"
#include "order/stein.h"
#include "support/datasets.h"

namespace olem::score_test {

using namespace internal;
namespace {

OrderResult learn(const Table& table, const ScoreOptions& options = {}, const Precedence& knowledge = {},
                  const Context& context = Context()) {
  return learn_order_score(table, {}, options, knowledge, context);
}

Order ka5_order() { return {"x0", "x1", "x2", "x3", "x4"}; }

TEST(Score, KnownAnswersStepByStep) {
  const OrderResult result = learn(test::ka5());
  EXPECT_EQ(result.order, ka5_order());
  EXPECT_EQ(result.criterion, "hessian_variance");
  const std::vector<std::vector<double>> variances = {{32.688468, 3.984784, 3.282435, 3.346681, 2.838799},
                                                      {31.017015, 1.7609, 2.888942, 0.797995},
                                                      {28.852282, 2.305807, 1.413249},
                                                      {4.852723, 1.422194}};
  const std::vector<double> bandwidths = {3.710651, 3.259802, 2.550131, 1.730056};
  ASSERT_EQ(result.steps.size(), 4U);
  for (std::size_t s = 0; s < 4; ++s) {
    const OrderStep& step = result.steps[s];
    EXPECT_EQ(step.sink, ka5_order()[4 - s]);
    ASSERT_EQ(step.facts.size(), 1U);
    EXPECT_EQ(step.facts[0].first, "bandwidth");
    EXPECT_NEAR(step.facts[0].second, bandwidths[s], 5e-7);
    ASSERT_EQ(step.values.size(), variances[s].size());
    for (std::size_t v = 0; v < variances[s].size(); ++v) {
      EXPECT_EQ(step.values[v].first, ka5_order()[v]);
      EXPECT_NEAR(step.values[v].second, variances[s][v], 6e-7);
    }
  }
  EXPECT_EQ(result.steps[0].runner_up, "x2");
  EXPECT_NEAR(*result.steps[0].gap, 3.282435 - 2.838799, 2e-6);
}

// Four points whose second derivatives are known (tests/order/stein_test.cpp).
TEST(Score, MeasuresOfSpread) {
  const Table table({"x", "y"}, {0, 1, -1, 0.5, 0, 0.5, 1, -1.5});
  const std::vector<double> x = {-3.15681866, -3.42912272, -0.14073131, -0.43904371};
  const auto value = [&](const ScoreOptions& options) { return learn(table, options).steps[0].values[0].second; };
  EXPECT_NEAR(value({}), 3.0333595, 1e-7);
  EXPECT_NEAR(learn(table).steps[0].values[1].second, 0.52998417, 1e-7);
  const double mean = -1.7914291;
  ScoreOptions normalised;
  normalised.normalise = true;
  EXPECT_NEAR(value(normalised), 3.0333595 / (mean * mean), 1e-7);
  ScoreOptions mad;
  mad.spread = ScoreSpread::kMad;
  const double deviation = ((x[2] - x[0]) + (x[0] - x[1]) + (x[3] - x[0])) / 4.0;  // the lower median is the first
  EXPECT_NEAR(value(mad), deviation, 1e-7);
  EXPECT_EQ(learn(table, mad).criterion, "hessian_deviation");
  mad.normalise = true;
  EXPECT_NEAR(value(mad), deviation / std::abs(mean), 1e-7);
}

// The standard error belongs to a mean of contributions: leaving out one row at a time (the estimates at the other rows
// as they are) must give the same number. This checks the linearisation of every measure of spread.
TEST(Score, GapStandardErrorIsThatOfTheJackknife) {
  const Table table = test::ka5();
  const auto order = std::vector<std::size_t>{0, 1, 2, 3, 4};
  const SteinEstimate estimate = SteinEstimator(table, {}, Context()).estimate(order, Context());
  const std::size_t n = table.rows();
  const auto normalised_variance = [&](std::vector<double> h, std::size_t without) {
    h.erase(h.begin() + static_cast<std::ptrdiff_t>(without));
    const double mean = mean_of(h);
    double squares = 0.0;
    for (const double value : h) squares += (value - mean) * (value - mean);
    return squares / static_cast<double>(n - 2) / (mean * mean);
  };
  ScoreOptions options;
  options.normalise = true;
  const OrderStep step = learn(table, options).steps[0];
  const std::size_t sink = table.index(step.sink);
  const std::size_t second = table.index(step.runner_up);
  std::vector<double> gaps;
  for (std::size_t row = 0; row < n; ++row) {
    gaps.push_back(normalised_variance(estimate.hessian[second], row) -
                   normalised_variance(estimate.hessian[sink], row));
  }
  const double mean = mean_of(gaps);
  double squares = 0.0;
  for (const double gap : gaps) squares += (gap - mean) * (gap - mean);
  const double jackknife = std::sqrt(squares * static_cast<double>(n - 1) / static_cast<double>(n));
  EXPECT_NEAR(*step.gap_standard_error, jackknife, 0.05 * jackknife);
  EXPECT_EQ(step.decided, *step.gap > 2.0 * *step.gap_standard_error);
}

// Against the consensus network the raw data give a divergence of 8, like OLEM.
TEST(Score, SachsInItsOwnUnits) {
  const Table table = read_table(test::source_path("data/sachs/sachs.csv"), {}, Context()).table;
  const Dag truth = to_dag(read_graph(test::source_path("data/sachs/graph.csv"), Context()).graph);
  EXPECT_EQ(order_divergence(truth, learn(table).order), 8U);
}

TEST(Score, PartOfTheRowsGivesTheOrderOfAll) {
  // A chain of bent functions, each of which leaves a trace in the curvature of the density.
  constexpr std::size_t kRows = 900;
  RandomStream random(6, "chain");
  std::vector<double> values(4 * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    double before = 0.0;
    for (std::size_t j = 0; j < 4; ++j) {
      before = 2.0 * std::sin(1.3 * before) + random.normal();
      values[j * kRows + i] = before;
    }
  }
  const Table table({"a", "b", "c", "d"}, std::move(values));
  SteinOptions part;
  part.rows = 400;
  const OrderResult whole = learn(table);
  EXPECT_EQ(whole.order, (Order{"a", "b", "c", "d"}));
  EXPECT_EQ(learn_order_score(table, part, {}, {}, Context()).order, whole.order);
}

TEST(Score, OneColumnIsTrivialAndTooFewRowsAreRefused) {
  EXPECT_EQ(learn(Table({"only"}, {1, 2, 3})).order, Order{"only"});
  OrderOptions options;
  options.method = "score";
  try {
    learn_order(Table({"a", "b"}, {0, 1, 0, 3}), options, {}, Context());
    FAIL() << "two rows were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_NE(std::string(error.what()).find("needs at least 3 rows"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(learn_order(Table({"a", "b"}, {0, 1, 5, 0, 3, 1}), options, {}, Context()));
}

TEST(Score, ObeysKnowledge) {
  const Table table = test::ka5();
  Knowledge knowledge;
  knowledge.tiers = {{"x4"}, {"x0", "x1"}};
  knowledge.before = {{"x3", "x2"}};
  const Precedence precedence(knowledge, table.names());
  const Order order = learn(table, {}, precedence).order;
  for (std::size_t late = 0; late < order.size(); ++late) {
    for (std::size_t early = 0; early < late; ++early)
      EXPECT_FALSE(precedence.precedes(table.index(order[late]), table.index(order[early])));
  }
}

TEST(Score, RowsColumnsAndOriginDoNotMatter) {
  const Table table = test::ka5();
  const OrderResult expected = learn(table);
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.rbegin(), rows.rend(), std::size_t{0});
  std::vector<double> shifted(table.values().begin(), table.values().end());
  for (std::size_t i = 0; i < shifted.size(); ++i) shifted[i] += 10.0 * static_cast<double>(i / table.rows());
  for (const Table& other : {table.with_rows(rows), table.with_columns(std::vector<std::size_t>{3, 1, 4, 0, 2}),
                             Table(table.names(), shifted)}) {
    const OrderResult result = learn(other);
    EXPECT_EQ(result.order, expected.order);
    for (std::size_t s = 0; s < 4; ++s) {
      for (const auto& [name, value] : expected.steps[s].values) {
        for (const auto& [other_name, other_value] : result.steps[s].values) {
          if (other_name == name) {
            EXPECT_NEAR(other_value, value, 1e-9 * value);
          }
        }
      }
    }
  }
}

TEST(Score, ProgressRisesToOne) {
  std::vector<double> seen;
  Context context;
  context.progress = [&](double fraction, std::string_view) { seen.push_back(fraction); };
  learn(test::ka5(), {}, {}, context);
  ASSERT_GT(seen.size(), 8U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_NEAR(seen.back(), 1.0, 1e-12);
}

TEST(Score, InterruptionStopsTheWork) {
  std::atomic<bool> stop{true};
  Context context;
  context.interrupt = &stop;
  try {
    learn(test::ka5(), {}, {}, context);
    FAIL() << "the interruption was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kInterrupted);
  }
}

}  // namespace
}  // namespace olem::score_test
