#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/data_check.h"
#include "support/datasets.h"
#include "support/random_tables.h"

namespace olem::check_faults_test {
namespace {

using test::RandomTableParts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> warnings_about(const RandomTableParts& parts, CheckDepth depth = CheckDepth::kThorough) {
  std::vector<std::string> codes;
  for (const Problem& problem : check_table(parts.table(), {}, depth, &parts.facts)) {
    if (problem.severity != Severity::kNote) codes.push_back(problem.code);
  }
  return codes;
}

// The full rates are those of bench/check_bench with 200 tables; here is enough to notice that a check fell asleep.
constexpr std::size_t kTables = 30;
constexpr std::uint64_t kSeed = 7;

class Planted : public testing::TestWithParam<std::size_t> {};

TEST_P(Planted, FaultsAreFound) {
  const test::PlantedFault& fault = test::planted_faults()[GetParam()];
  std::size_t found = 0;
  for (std::size_t t = 0; t < kTables; ++t) {
    const auto codes = warnings_about(test::random_faulty_table(fault, kSeed, t));
    found += std::count(codes.begin(), codes.end(), fault.code) > 0 ? 1 : 0;
  }
  // 95 % of them on average; fewer than 25 of 30 would have a chance below 2e-3 then.
  EXPECT_GE(found, 25U) << fault.name;
}

INSTANTIATE_TEST_SUITE_P(CheckTable, Planted, testing::Range(std::size_t{0}, test::planted_faults().size()));

TEST(CheckTable, CleanTablesGetNoWarning) {
  std::size_t warned = 0;
  for (std::size_t t = 0; t < 2 * kTables; ++t) {
    warned += warnings_about(test::random_clean_table(kSeed, t)).empty() ? 0 : 1;
  }
  // 2 % of 60 are 1.2; 6 or more would have a chance below 2e-3.
  EXPECT_LE(warned, 5U);
}

Problem finding(const Table& table, const std::string& code, const ReadFacts* facts = nullptr) {
  for (const Problem& problem : check_table(table, {}, CheckDepth::kThorough, facts)) {
    if (problem.code == code) return problem;
  }
  ADD_FAILURE() << "no " << code;
  return {};
}

// One column of the table replaced.
Table replaced(const Table& table, std::size_t column, const std::vector<double>& cells) {
  std::vector<double> values(table.values().begin(), table.values().end());
  std::copy(cells.begin(), cells.end(), values.begin() + static_cast<std::ptrdiff_t>(column * table.rows()));
  return {table.names(), values, table.source()};
}

std::vector<double> cells_of(const Table& table, std::size_t column) {
  return {table.column(column).begin(), table.column(column).end()};
}

TEST(CheckTable, NamesTheCellOfAnOutlier) {
  const Table table = test::normal_table(300, 4, 1);
  std::vector<double> cells = cells_of(table, 2);
  cells[41] = 30.0;
  const Problem problem = finding(replaced(table, 2, cells), "outlier");
  EXPECT_THAT(problem.text, HasSubstr("30 of 'x2' in row 42"));
  EXPECT_THAT(problem.columns, ElementsAre("x2"));
  EXPECT_THAT(problem.rows, ElementsAre(41));
  EXPECT_EQ(to_json(problem)["rows"].dump(), "[42]");
  ReadFacts facts;
  facts.first_line = 2;
  EXPECT_THAT(finding(replaced(table, 2, cells), "outlier", &facts).text, HasSubstr("in line 43"));
}

// A large value that the rest of its row explains is none, and a usual value that the rest rules out is one.
TEST(CheckTable, OutliersAreJudgedGivenTheOtherColumns) {
  const Table table = test::normal_table(500, 5, 2);
  std::vector<double> x = cells_of(table, 0);
  std::vector<double> y(500);
  for (std::size_t i = 0; i < 500; ++i) y[i] = 2.0 * x[i] + 0.1 * table.at(i, 1);
  const auto codes = [&] {
    std::vector<std::string> found;
    for (const Problem& problem : check_table(replaced(replaced(table, 0, x), 1, y), {})) found.push_back(problem.code);
    return found;
  };
  EXPECT_THAT(codes(), ElementsAre());
  x[7] = 40.0;
  y[7] = 80.0;
  EXPECT_THAT(codes(), ElementsAre());
  x[7] = 1.0;
  y[7] = -2.0;
  EXPECT_THAT(codes(), ElementsAre("outlier"));
}

TEST(CheckTable, CellsThatAreNoObservationsDoNotHideOthers) {
  const Table table = test::normal_table(300, 4, 3);
  std::vector<double> cells = cells_of(table, 1);
  for (std::size_t i = 0; i < 300; i += 30) cells[i] = -999.0;
  cells[77] = 25.0;
  const Table faulty = replaced(table, 1, cells);
  EXPECT_THAT(finding(faulty, "sentinel").text, HasSubstr("-999 in 'x1' (10 rows)"));
  EXPECT_THAT(finding(faulty, "sentinel").rows, ElementsAre(0, 30, 60, 90, 120));
  EXPECT_THAT(finding(faulty, "outlier").rows, ElementsAre(77));
}

TEST(CheckTable, WritesRelationsAsFormulas) {
  const Table table = test::normal_table(200, 4, 4);
  std::vector<double> sum(200);
  for (std::size_t i = 0; i < 200; ++i) sum[i] = table.at(i, 0) - 2.5 * table.at(i, 1) + 7.0;
  EXPECT_THAT(finding(replaced(table, 3, sum), "derived").text, HasSubstr("'x3' = 'x0' - 2.5 x 'x1' + 7"));
  std::vector<double> a(200);
  std::vector<double> b(200);
  std::vector<double> ratio(200);
  for (std::size_t i = 0; i < 200; ++i) {
    a[i] = std::exp(table.at(i, 0));
    b[i] = std::exp(table.at(i, 1));
    ratio[i] = a[i] / b[i];
  }
  const Table ratios = replaced(replaced(replaced(table, 0, a), 1, b), 3, ratio);
  EXPECT_THAT(finding(ratios, "derived").text, HasSubstr("'x3' = 'x0' x 'x1'^-1"));
}

// Revenue is price times orders: that is no riddle where revenue is the outcome, and a column with a role stays.
TEST(CheckTable, RelationsAreReadInTheLightOfTheTask) {
  const Table table = test::normal_table(200, 3, 6);
  std::vector<double> price(200);
  std::vector<double> orders(200);
  std::vector<double> revenue(200);
  for (std::size_t i = 0; i < 200; ++i) {
    price[i] = std::exp(table.at(i, 0));
    orders[i] = std::exp(table.at(i, 1));
    revenue[i] = price[i] * orders[i];
  }
  const Table shop = replaced(replaced(replaced(table, 0, price), 1, orders), 2, revenue);
  EXPECT_EQ(finding(shop, "derived").severity, Severity::kWarning);
  ReadFacts facts;
  facts.roles = {"x0", "x2"};
  const Problem riddle = finding(shop, "derived", &facts);
  EXPECT_EQ(riddle.severity, Severity::kWarning);
  EXPECT_EQ(riddle.remedies.at(0).value, "x1");
  facts.roles = {"x0", "x1", "x2"};
  EXPECT_EQ(finding(shop, "derived", &facts).remedies.at(0).option, "");
  for (const std::string outcome : {"x0", "x1", "x2"}) {  // however the formula is written
    facts.outcomes = {outcome};
    const Problem settled = finding(shop, "derived", &facts);
    EXPECT_EQ(settled.severity, Severity::kNote);
    EXPECT_THAT(settled.columns, ElementsAre(outcome));
    EXPECT_TRUE(settled.remedies.empty());
  }
  facts.outcomes = {"x0", "x2"};
  EXPECT_EQ(finding(shop, "derived", &facts).severity, Severity::kWarning);
}

TEST(CheckTable, SaysWhatDatesMean) {
  const Table table = test::normal_table(100, 2, 5);
  std::vector<double> serial(100);
  for (std::size_t i = 0; i < 100; ++i) serial[i] = 44927.0 + static_cast<double>(i * 37 % 365);
  EXPECT_THAT(finding(replaced(table, 1, serial), "date").text,
              HasSubstr("'x1' (dates as a spreadsheet counts days, 2023-01-01 to 2023-12-"));
}

TEST(CheckTable, ARowIsNamedByItsLineWhenThatIsKnown) {
  Table table = test::normal_table(50, 3, 6);
  std::vector<double> values;
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0.0;
    for (const double cell : table.column(j)) {
      values.push_back(cell);
      sum += cell;
    }
    values.push_back(sum);
  }
  ReadFacts facts;
  facts.first_line = 2;
  const Problem problem = finding(Table(table.names(), values), "totals", &facts);
  EXPECT_EQ(problem.severity, Severity::kStrongWarning);
  EXPECT_THAT(problem.text, HasSubstr("The last row (line 52) holds the sum"));
}

// Programs sum what they know and show it rounded.
TEST(CheckTable, FindsTotalsOfWhatWasRoundedLater) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Table table = test::normal_table(250, 3, seed);
    std::vector<double> values;
    for (std::size_t j = 0; j < 3; ++j) {
      double total = 0.0;
      for (const double cell : table.column(j)) {
        const double amount = 20.0 + 2.0 * cell;
        values.push_back(std::round(100.0 * amount) / 100.0);
        total += amount;
      }
      if (seed % 2 == 1) total /= 250.0;
      values.push_back(std::round(100.0 * total) / 100.0);
    }
    EXPECT_THAT(finding(Table(table.names(), values), "totals").text,
                HasSubstr(seed % 2 == 1 ? "holds the mean of" : "holds the sum of"))
        << seed;
  }
}

// A total that the numbers do not give away: labelled so, or with columns that were summed in another way.
TEST(CheckTable, ALabelTellsATotal) {
  const Table table = test::normal_table(60, 3, 7);
  ReadFacts facts;
  facts.first_line = 2;
  facts.total_label = "Total";
  const Problem problem = finding(table, "totals", &facts);
  EXPECT_EQ(problem.severity, Severity::kStrongWarning);
  EXPECT_THAT(problem.text, HasSubstr("The last row (line 61) is labelled 'Total'."));
  EXPECT_EQ(problem.remedies.at(0).value, "61");
}

// A row of another scale fits itself: what follows from its cells is no excuse.
TEST(CheckTable, ARowApartInHalfOfTheColumnsIsAnOutlier) {
  const Table table = test::normal_table(400, 4, 6);
  std::vector<double> sum(400);
  std::vector<double> x = cells_of(table, 0);
  std::vector<double> y = cells_of(table, 1);
  x[30] = 70.0;
  y[30] = 90.0;
  for (std::size_t i = 0; i < 400; ++i) sum[i] = x[i] + y[i] + 0.1 * table.at(i, 2);
  const Problem problem = finding(replaced(replaced(replaced(table, 0, x), 1, y), 2, sum), "outlier");
  EXPECT_EQ(problem.text,
            "1 row lies far from all others in 3 of 4 columns of quantities: row 31. It can decide what is learned.");
  EXPECT_THAT(problem.columns, ElementsAre("x0", "x1", "x2"));
  EXPECT_THAT(problem.rows, ElementsAre(30));
}

TEST(CheckTable, EffectiveRowsOfATimeSeries) {
  RandomStream random(9, "series");
  std::vector<double> values;
  for (int column = 0; column < 2; ++column) {
    double state = 0.0;
    for (int i = 0; i < 400; ++i) values.push_back(state = 0.8 * state + random.normal());
  }
  const Problem problem = finding(Table({"a", "b"}, values), "time_series");
  EXPECT_EQ(problem.severity, Severity::kWarning);
  // 400 (1 - 0.8) / (1 + 0.8) = 44
  EXPECT_THAT(problem.text, ::testing::ContainsRegex("worth about (3|4|5)[0-9] independent"));
}

TEST(CheckTable, ATableSortedByAQuantityIsNoTimeSeries) {
  const Table table = test::normal_table(400, 3, 8);
  std::vector<double> x = cells_of(table, 0);
  std::sort(x.begin(), x.end());
  std::vector<double> y(400);
  for (std::size_t i = 0; i < 400; ++i) y[i] = x[i] * x[i] + 0.3 * table.at(i, 1);
  for (const Problem& problem : check_table(replaced(replaced(table, 0, x), 1, y), {}))
    EXPECT_EQ(problem.severity, Severity::kNote) << problem.text;
}

}  // namespace
}  // namespace olem::check_faults_test
