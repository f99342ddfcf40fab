#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>

#include "olem/simulate.h"
#include "simulate/helpers.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::bermuda_test {

using namespace internal;
namespace {

using test::seeded;

using Values = std::map<std::string, double>;

std::vector<NamedValue> named(const Values& values) {
  std::vector<NamedValue> list;
  for (const auto& [name, value] : values) list.push_back({name, value});
  return list;
}

std::vector<double> outcome(const Values& observed, const Values& altered, std::size_t trials) {
  const Table rows = simulate_decision(bermuda_model(), named(observed), named(altered), trials, 0, seeded(8));
  const auto nec = rows.column(rows.index("NEC"));
  return {nec.begin(), nec.end()};
}

const Values kObserved = {{"Light", 0.4}, {"Temp", -0.2}, {"Sal", 0.1}};
const Values kAltered = {{"DIC", 0.0}, {"TA", 0.0}, {"Omega", 0.0}, {"Chla", 0.0}, {"Nutrients_PC1", 0.0}};

// Sums over paths of products of coefficients: with the noise in common, one unit more of a variable moves every trial
// by its total effect.
TEST(Bermuda, TotalEffectsOnTheOutcome) {
  const Values effects = {{"DIC", -2.623361},          {"TA", 3.054964},    {"Omega", -2.330312}, {"Chla", 0.131080},
                          {"Nutrients_PC1", 0.098256}, {"Light", 0.032063}, {"Temp", 1.519619},   {"Sal", -0.074818}};
  const std::vector<double> before = outcome(kObserved, kAltered, 10);
  for (const auto& [name, effect] : effects) {
    Values observed = kObserved;
    Values altered = kAltered;
    (observed.contains(name) ? observed : altered)[name] += 1.0;
    const std::vector<double> after = outcome(observed, altered, 10);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(after[i] - before[i], effect, 2e-6) << name;
  }
}

// sqrt(0.05 (1 + 2.037612^2 + 2.500353^2)) = 0.755104 whatever the decision, hence at best 2 Phi(0.75 / 0.755104) - 1 =
// 0.6794, with the mean in the middle of the region.
TEST(Bermuda, SpreadAndBestSuccessWhenAllFiveAreAltered) {
  constexpr std::size_t kTrials = 200000;
  Values altered = kAltered;
  std::vector<double> nec = outcome(kObserved, altered, kTrials);
  double mean = std::accumulate(nec.begin(), nec.end(), 0.0) / kTrials;
  // TA and Omega share the way to the middle, so that both stay in [-1, 1].
  const double missing = 1.25 - mean;
  altered["TA"] = 0.5 * missing / 3.054964;
  altered["Omega"] = -0.5 * missing / 2.330312;
  EXPECT_LT(std::abs(altered["TA"]), 1.0);
  EXPECT_LT(std::abs(altered["Omega"]), 1.0);

  nec = outcome(kObserved, altered, kTrials);
  mean = std::accumulate(nec.begin(), nec.end(), 0.0) / kTrials;
  double squares = 0.0;
  double inside = 0.0;
  for (const double value : nec) {
    squares += (value - mean) * (value - mean);
    inside += value >= 0.5 && value <= 2.0 ? 1.0 : 0.0;
  }
  EXPECT_NEAR(std::sqrt(squares / kTrials), 0.755104, 4.0 * 0.755104 / std::sqrt(2.0 * kTrials));
  EXPECT_NEAR(inside / kTrials, 0.6794, 4.0 * std::sqrt(0.6794 * 0.3206 / kTrials));
}

TEST(Bermuda, TaskIsThePublishedOne) {
  const Simulation simulation = bermuda_task({}, 0, seeded(1));
  EXPECT_EQ(simulation.data.rows(), 1000U);
  const SimulatedTask& task = simulation.task.value();
  EXPECT_EQ(task.context, (std::vector<std::string>{"Light", "Temp", "Sal"}));
  EXPECT_EQ(task.outcome, (std::vector<std::string>{"NEC"}));
  EXPECT_EQ(task.desired[0].low, 0.5);
  EXPECT_EQ(task.desired[0].high, 2.0);
  EXPECT_EQ(task.alterable.size(), 5U);
  EXPECT_EQ(task.contexts.rows(), 50U);
  for (const NamedRange& range : task.alterable) {
    EXPECT_EQ(range.low, -1.0);
    EXPECT_EQ(range.high, 1.0);
    EXPECT_TRUE(kAltered.contains(range.name)) << range.name;
  }
}

// Rows of a small CSV file without quotes; an empty cell is not a number.
std::vector<std::vector<std::string>> cells(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(test::read_text(test::source_path(path)));
  for (std::string line; std::getline(text, line);) {
    rows.emplace_back(1);
    for (const char c : line) {
      if (c == ',') rows.back().emplace_back();
      if (c != ',') rows.back().back() += c;
    }
  }
  return rows;
}

double number(const std::string& cell) {
  double value = NAN;
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

TEST(Bermuda, GraphIsTheOneOfItsFile) {
  const StructuralModel model = bermuda_model();
  std::vector<std::pair<std::string, std::string>> expected;
  for (const auto& row : cells("data/bermuda/graph.csv")) expected.emplace_back(row[0], row[1]);
  expected.erase(expected.begin());
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [from, to] : model.edges()) found.emplace_back(model.nodes[from].name, model.nodes[to].name);
  EXPECT_EQ(found.size(), 26U);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

// The measurements themselves are the oracle: least squares with an intercept on the standardised columns.
TEST(Bermuda, CoefficientsAreTheLeastSquaresFitsOfTheMeasurements) {
  const auto rows = cells("data/bermuda/bermuda.csv");
  const auto units = cells("data/bermuda/units.csv");
  const StructuralModel model = bermuda_model();
  ASSERT_EQ(rows.front(), model.names());
  const std::size_t n = rows.size() - 1;
  ASSERT_EQ(n, 95U);
  std::vector<std::vector<double>> columns;
  for (std::size_t j = 0; j < model.nodes.size(); ++j) {
    ASSERT_EQ(units[j + 1][0], model.nodes[j].name);
    std::vector<double> column;
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t i = 1; i <= n; ++i) {
      column.push_back(number(rows[i][j]));
      if (std::isfinite(column.back())) {
        sum += column.back();
        count += 1.0;
      }
    }
    double squares = 0.0;
    for (const double value : column)
      squares += std::isfinite(value) ? (value - sum / count) * (value - sum / count) : 0;
    const double deviation = std::sqrt(squares / (count - 1.0));
    EXPECT_NEAR(number(units[j + 1][1]), sum / count, 1e-10 * std::abs(sum / count));
    EXPECT_NEAR(number(units[j + 1][2]), deviation, 1e-10 * deviation);
    for (double& value : column) value = (value - sum / count) / deviation;
    columns.push_back(std::move(column));
  }
  for (std::size_t j = 0; j < model.nodes.size(); ++j) {
    const StructuralNode& node = model.nodes[j];
    if (node.parents.empty()) {
      const auto [low, high] = std::minmax_element(columns[j].begin(), columns[j].end());
      EXPECT_NEAR(node.noise.a, *low, 1e-12);
      EXPECT_NEAR(node.noise.b, *high, 1e-12);
      continue;
    }
    const auto& weights = std::get<LinearFunction>(node.function).weights;
    std::vector<Eigen::Index> complete;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isfinite(columns[j][i])) complete.push_back(static_cast<Eigen::Index>(i));
    }
    const auto size = static_cast<Eigen::Index>(complete.size());
    Eigen::MatrixXd design = Eigen::MatrixXd::Ones(size, static_cast<Eigen::Index>(weights.size()) + 1);
    Eigen::VectorXd response(size);
    for (Eigen::Index k = 0; k < size; ++k) {
      const auto i = static_cast<std::size_t>(complete[static_cast<std::size_t>(k)]);
      for (std::size_t p = 0; p < weights.size(); ++p) {
        design(k, static_cast<Eigen::Index>(p)) = columns[node.parents[p]][i];
      }
      response(k) = columns[j][i];
    }
    const Eigen::VectorXd fit = design.colPivHouseholderQr().solve(response);
    for (std::size_t p = 0; p < weights.size(); ++p) {
      EXPECT_NEAR(fit(static_cast<Eigen::Index>(p)), weights[p], 1e-9) << node.name;
    }
  }
}

TEST(Bermuda, TruthFileInTheDataFolderIsTheModel) {
  EXPECT_EQ(read_structural_model(test::source_path("data/bermuda/truth.json")), bermuda_model());
}

}  // namespace
}  // namespace olem::bermuda_test
