#include <algorithm>
#include <cmath>
#include <filesystem>

#include "advice.h"
#include "helpers.h"
#include "olem/random.h"

// Tables and tasks as people bring them who have not read a page about either.
namespace olem::test::odd_tables_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// A season that is known, a price that can be set, sales, and a column of words.
class OddTable : public testing::Test {
 protected:
  OddTable() {
    options_.folder = folder_.path();
    const Table numbers = normal_table(240, 3, 8);
    cells_ = {{"season", "price", "sales", "region"}};
    for (std::size_t i = 0; i < numbers.rows(); ++i) {
      const double price = 10.0 + numbers.at(i, 1);
      cells_.push_back({fmt::format("{:.3f}", numbers.at(i, 0)), fmt::format("{:.3f}", price),
                        fmt::format("{:.3f}", 30.0 - price + numbers.at(i, 2)), i % 3 == 0 ? "North" : "South"});
    }
    task_ = nlohmann::ordered_json::parse(R"({"data": "d.csv", "context": ["season"], "alterable": {"price": [8, 12]},
      "outcome": ["sales"], "desired": {"sales": [20, null]}, "observed": {"season": 0.1}})");
  }

  ProcessResult run(const std::vector<std::string>& arguments, const std::string& input = "") {
    options_.input = input;
    const ProcessResult result = run_olem(arguments, options_);
    expect_sound_advice(arguments, result);
    return result;
  }

  // What decide says, which is short; the answers of check and decide agree.
  ProcessResult decide_and_check(const std::vector<std::string>& flags = {}) {
    folder_.write("d.csv", csv_of(cells_));
    folder_.write("t.json", task_.dump(2));
    const ProcessResult decided = run(joined({"decide", "t.json", "--sampler", "linear", "--draws", "100",
                                              "--judge-draws", "200", "--steps", "20", "--restarts", "0"},
                                             flags));
    const ProcessResult checked = run(joined({"check", "t.json", "--json"}, flags));
    EXPECT_EQ(checked.exit_code, decided.exit_code) << checked.out << decided.err;
    return decided;
  }

  std::vector<std::string> codes_of_check() {
    folder_.write("d.csv", csv_of(cells_));
    std::vector<std::string> codes;
    const auto json = parse_json(run({"check", "d.csv", "--json"}).out);
    for (const auto& problem : json["problems"]) codes.push_back(problem["code"]);
    return codes;
  }

  void fill(std::size_t column, const std::function<std::string(std::size_t row)>& cell) {
    for (std::size_t i = 1; i < cells_.size(); ++i) cells_[i][column] = cell(i);
  }

  TemporaryFolder folder_;
  ProcessOptions options_;
  Cells cells_;
  nlohmann::ordered_json task_;
};

TEST_F(OddTable, IsFineAsItIs) {
  EXPECT_EQ(decide_and_check().exit_code, 0);
  EXPECT_THAT(codes_of_check(), testing::ElementsAre("text"));
}

TEST_F(OddTable, LevelsThatDifferInCapitalsAreNamed) {
  fill(3, [](std::size_t i) { return i % 4 == 0 ? "yes" : i % 4 == 1 ? "Yes" : i % 4 == 2 ? "no" : " NO "; });
  EXPECT_THAT(codes_of_check(), Contains("similar_levels"));
  const ProcessResult decided = decide_and_check();
  EXPECT_THAT(decided.err, HasSubstr("'NO' and 'no', 'Yes' and 'yes' of 'region'"));
  EXPECT_THAT(decided.err, HasSubstr("[similar_levels]"));
}

TEST_F(OddTable, DaysAsLevelsAreNamed) {
  fill(3, [](std::size_t i) { return fmt::format("2023-01-{:02}", 1 + i % 20); });
  EXPECT_THAT(codes_of_check(), Contains("date"));
}

TEST_F(OddTable, NumbersOfNineteenDigitsAreIdentifiers) {
  fill(0, [](std::size_t i) {
    return fmt::format("{}", 1'000'000'000'000'000'003ULL + 7'919'000'000'007ULL * (97 * i % 241));
  });
  EXPECT_THAT(codes_of_check(), Contains("identifier"));
  // A quantity of this size has few digits.
  fill(0, [&](std::size_t i) { return cells_[i][1] + "e17"; });
  EXPECT_THAT(codes_of_check(), Not(Contains("identifier")));
}

TEST_F(OddTable, AWordThatMeansMissingMayBeALevel) {
  fill(3, [](std::size_t i) { return i % 3 == 0 ? "none" : i % 3 == 1 ? "some" : "much"; });
  const ProcessResult refused = decide_and_check();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("In 'region' the word 'none' counts as missing."),
                                 HasSubstr("--type region=category:much,none,some")));
  EXPECT_EQ(decide_and_check({"--type", "region=category:much,none,some"}).exit_code, 0);
  task_["columns"]["region"] = {{"type", "ordinal"}, {"levels", {"none", "some", "much"}}};
  EXPECT_EQ(decide_and_check().exit_code, 0);
  task_["context"].push_back("region");
  task_["observed"]["region"] = "none";
  EXPECT_EQ(decide_and_check().exit_code, 0);
}

TEST_F(OddTable, TheOrderOfWordsMustBeSaid) {
  fill(3, [](std::size_t i) { return i % 3 == 0 ? "poor" : i % 3 == 1 ? "fair" : "good"; });
  task_["columns"]["region"] = "ordinal";
  const ProcessResult refused = decide_and_check();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("'region' is declared as ordinal, but the order of its levels is not known: fair, "
                                     "good and poor. Name them from the lowest to the highest, as \"levels\"."));
}

TEST_F(OddTable, AWrongOptionInTheTaskIsNoFlag) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, nlohmann::ordered_json>>{
           {"type", {{"prise", "real"}}}, {"drop_columns", {"prise"}}, {"columns", {"prise", "sales"}}}) {
    task_["reading"] = {{key, value}};
    const ProcessResult refused = decide_and_check();
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("t.json: \"" + key + "\" in \"reading\": d.csv has no column 'prise'."),
                                   HasSubstr("Did you mean 'price'?"), Not(HasSubstr("--"))));
  }
}

TEST_F(OddTable, WhatIsBehindTheOutcomeCannotComeBeforeIt) {
  task_["after"] = {"region"};
  task_["before"] = nlohmann::ordered_json::parse(R"([["region", "sales"]])");
  const ProcessResult refused = decide_and_check();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("\"before\" names 'region', which \"after\" leaves out."));
}

TEST_F(OddTable, NamesAreJudgedBeforeWhatWasObserved) {
  task_["context"] = {"Season"};
  const ProcessResult refused = decide_and_check();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("There is no column 'Season', which \"context\" names, in d.csv. Did you mean "
                                     "'season'?"));
}

TEST_F(OddTable, CheckRefusesAnUnknownContextUnlessItIsDrawn) {
  task_["observed"]["season"] = nullptr;
  EXPECT_EQ(decide_and_check().exit_code, 3);
  EXPECT_EQ(decide_and_check({"--unknown", "draw"}).exit_code, 0);
  EXPECT_THAT(run({"check", "t.json", "--json"}).out, HasSubstr("(--unknown draw)"));
  EXPECT_THAT(run({"check", "t.json", "--unknown", "draw"}).out,
              AllOf(HasSubstr("0 errors"), HasSubstr("It is drawn.")));
}

TEST_F(OddTable, ATotalIsLeftOutByItsLine) {
  cells_.push_back({"12.5", "2400.7", "4800.3", "Total"});
  folder_.write("d.csv", csv_of(cells_));
  const ProcessResult refused = run({"order", "d.csv"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("Leave the last row out, if it is a total (--skip-lines 242)"));
  EXPECT_EQ(run({"order", "d.csv", "--skip-lines", "242", "--method", "varsort"}).exit_code, 0);
  // Without a word in it, it is found by its sums.
  double sums[3] = {0.0, 0.0, 0.0};
  for (std::size_t i = 1; i + 1 < cells_.size(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) sums[j] += std::stod(cells_[i][j]);
  }
  for (auto& row : cells_) row.resize(3);
  for (std::size_t j = 0; j < 3; ++j) cells_.back()[j] = fmt::format("{:.3f}", sums[j]);
  folder_.write("d.csv", csv_of(cells_));
  EXPECT_THAT(run({"check", "d.csv"}).out, HasSubstr("Remove the last line of the file: --skip-lines 242."));
}

// As spreadsheets write them: the sum of what they know below what they show.
TEST_F(OddTable, ATotalOfMoreDigitsThanAreShownIsFound) {
  const Table numbers = normal_table(240, 3, 8);
  for (auto& row : cells_) row.resize(3);
  double sums[3] = {0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < numbers.rows(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double amount = 20.0 + 5.0 * numbers.at(i, j);
      cells_[i + 1][j] = fmt::format("{:.2f}", amount);
      sums[j] += amount;
    }
  }
  cells_.push_back({fmt::format("{:.2f}", sums[0]), fmt::format("{:.2f}", sums[1]), fmt::format("{:.2f}", sums[2])});
  EXPECT_THAT(codes_of_check(), testing::ElementsAre("totals"));
}

// The labels are no data, but what stands in front of the last row says what it is.
TEST_F(OddTable, ALabelOfTheLastRowTellsATotal) {
  for (auto& row : cells_) row.insert(row.begin(), fmt::format("shop {}", &row - cells_.data()));
  cells_[0][0] = "";
  cells_.push_back({"TOTAL", "12.5", "2400.7", "4800.3", "South"});
  folder_.write("d.csv", csv_of(cells_));
  EXPECT_THAT(run({"check", "d.csv"}).out,
              AllOf(HasSubstr("The last row (line 242) is labelled 'TOTAL'."), HasSubstr("--skip-lines 242")));
  EXPECT_THAT(run({"order", "d.csv", "--method", "varsort", "--drop-columns", "region"}).err, HasSubstr("[totals]"));
  EXPECT_THAT(run({"check", "d.csv", "--skip-lines", "242"}).out, Not(HasSubstr("TOTAL")));
}

TEST_F(OddTable, AnEmptyColumnAtTheEndOfEveryLineIsLeftOut) {
  folder_.write("d.csv", csv_of(cells_, ",", ",\n"));
  const ProcessResult checked = run({"check", "d.csv", "--strict"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("Every line ends with a separator."));
  const ProcessResult learned = run({"order", "d.csv", "--method", "varsort", "--drop-columns", "region"});
  EXPECT_EQ(learned.exit_code, 0) << learned.err;
  EXPECT_THAT(learned.err, Not(HasSubstr("separator")));
}

TEST_F(OddTable, AModelIsNoTask) {
  folder_.write("d.csv", csv_of(cells_));
  folder_.write("t.json", task_.dump(2));
  ASSERT_EQ(run({"fit", "t.json", "-o", "m.olem", "--sampler", "linear", "--no-calibrate"}).exit_code, 0);
  for (const char* const verb : {"decide", "explain"}) {
    const ProcessResult refused = run({verb, "m.olem"});
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("m.olem is a model, which holds its own task."), HasSubstr("--model m.olem")))
        << verb;
  }
}

// Methods that compare columns as quantities take the third level for three times the first.
TEST_F(OddTable, CategoriesByTheirCodesAreNamed) {
  fill(3, [](std::size_t i) { return i % 3 == 0 ? "north" : i % 3 == 1 ? "south" : "west"; });
  folder_.write("d.csv", csv_of(cells_));
  for (const std::string method : {"listen", "varsort", "cam"}) {
    const ProcessResult learned = run({"order", "d.csv", "--method", method, "--explain-warnings"});
    EXPECT_EQ(learned.exit_code, 0) << learned.err;
    EXPECT_THAT(learned.err, AllOf(HasSubstr("'region' has levels without an order, which " + method +
                                             " takes for quantities by their numbers."),
                                   HasSubstr("--method olem+"), HasSubstr("--drop-columns region")));
  }
  for (const std::string method : {"ges", "pc", "notears", "varsort"}) {
    const auto json = parse_json(run({"graph", "d.csv", "--method", method, "--json"}).out);
    const std::vector<std::string> codes = warning_codes(json);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), "codes"), 1) << method;
  }
  EXPECT_THAT(warning_codes(parse_json(run({"order", "d.csv", "--method", "olem+", "--json"}).out)),
              Not(Contains("codes")));
  fill(3, [](std::size_t i) { return i % 3 == 0 ? "north" : "south"; });
  folder_.write("d.csv", csv_of(cells_));
  EXPECT_THAT(warning_codes(parse_json(run({"order", "d.csv", "--method", "varsort", "--json"}).out)),
              Not(Contains("codes")));
}

// What no number of the column can be is not looked for.
TEST_F(OddTable, RegionsBeyondWhatAColumnCanBeAreEmpty) {
  RandomStream random(5, "test.regions");
  fill(2, [&](std::size_t) { return fmt::format("{}", static_cast<int>(30.0 * random.uniform())); });
  task_["desired"]["sales"] = {nullptr, -1};
  const ProcessResult count = decide_and_check();
  EXPECT_EQ(count.exit_code, 4);
  EXPECT_THAT(count.err, HasSubstr("no count lies in [null, -1], which is desired of 'sales'."));
  fill(2, [&](std::size_t) { return fmt::format("{:.3f}", random.uniform()); });
  task_["desired"]["sales"] = {1.5, nullptr};
  const ProcessResult share = decide_and_check();
  EXPECT_EQ(share.exit_code, 4);
  EXPECT_THAT(share.err, HasSubstr("'sales' is taken for a share column, whose values lie between 0 and 1, and is "
                                   "wanted at 1.5 at least."));
  EXPECT_EQ(decide_and_check({"--type", "sales=real"}).exit_code, 0);
  task_["desired"]["sales"] = {0.5, nullptr};
  EXPECT_EQ(decide_and_check().exit_code, 0);
  fill(2, [&](std::size_t) { return fmt::format("{:.3f}", std::exp(2.0 + random.normal())); });
  task_["desired"]["sales"] = {nullptr, -1};
  EXPECT_THAT(decide_and_check().err, HasSubstr("a positive column, whose values are not below 0"));
}

TEST_F(OddTable, ADomainThatNothingCanBeComputedInIsRefused) {
  task_["alterable"]["price"] = {8, 1e300};
  const ProcessResult refused = decide_and_check();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("The domain of 'price' holds 1e+300, beyond 1e+150, where nothing can be "
                                     "computed."));
}

TEST_F(OddTable, NumbersThatNothingCanBeComputedWithAreRefused) {
  task_["cost"] = {{"price", 1e300}};
  EXPECT_THAT(decide_and_check().err, HasSubstr("The cost of 'price' is 1e+300, beyond 1e+15"));
  task_.erase("cost");
  task_["constraints"] = nlohmann::ordered_json::parse(R"([{"weights": {"price": 1e300}, "max": 1}])");
  EXPECT_THAT(decide_and_check().err, HasSubstr("Constraint 1 holds 1e+300 times 'price', beyond 1e+15"));
  task_.erase("constraints");
  cells_[7][2] = "2e155";
  const ProcessResult outcome = decide_and_check();
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("Rescale it."));
}

TEST_F(OddTable, WideTablesOfFewRowsAreRefusedByBoth) {
  cells_.resize(8);
  const Table numbers = normal_table(8, 70, 9);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i].resize(3);
    for (std::size_t j = 0; j < 70; ++j)
      cells_[i].push_back(i == 0 ? fmt::format("v{}", j) : fmt::format("{:.3f}", numbers.at(i, j)));
  }
  const ProcessResult refused = decide_and_check();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("needs at least 8 rows for 73 columns, but there are 7."));
}

TEST_F(OddTable, AGroupThatNoRowHasIsRefused) {
  task_["group"] = "region";
  task_["observed"]["region"] = "Sout";
  const ProcessResult refused = decide_and_check();
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("t.json: 'Sout' is none of the 2 groups of 'region'. Did you mean 'South'?"));
  task_["observed"]["region"] = "South";
  EXPECT_EQ(decide_and_check().exit_code, 0);
}

TEST_F(OddTable, ALevelThatNoRowHasIsNamed) {
  task_["columns"]["region"] = {{"type", "category"}, {"levels", {"North", "South", "West"}}};
  task_["context"].push_back("region");
  task_["observed"]["region"] = "West";
  const ProcessResult decided = decide_and_check();
  EXPECT_EQ(decided.exit_code, 0);
  EXPECT_THAT(decided.err, HasSubstr("'region' = West (0 rows). [rare_level]"));
}

// A percentage is a share in another unit: what is found and claimed is the same, beyond the data as well.
TEST_F(OddTable, PercentagesAreModelledAsSharesAre) {
  RandomStream random(6, "test.percentages");
  std::vector<double> shares;
  for (std::size_t i = 1; i < cells_.size(); ++i) {
    const double price = std::stod(cells_[i][1]);
    shares.push_back(1.0 / (1.0 + std::exp(2.0 + 0.6 * (price - 10.0) + 0.8 * random.normal())));
  }
  const double beyond = *std::max_element(shares.begin(), shares.end()) + 0.005;
  ASSERT_LT(beyond, 0.9);
  task_["alterable"]["price"] = {7, 12};
  const auto decided_with = [&](const std::function<std::string(double)>& written, double least) {
    fill(2, [&](std::size_t i) { return written(shares[i - 1]); });
    task_["desired"]["sales"] = {least, nullptr};
    folder_.write("d.csv", csv_of(cells_));
    folder_.write("t.json", task_.dump());
    const ProcessResult result = run({"decide", "t.json", "--draws", "500", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return parse_json(result.out)["decisions"][0];
  };
  const auto share = decided_with([](double value) { return fmt::format("{:.5f}", value); }, beyond);
  const auto percentage =
      decided_with([](double value) { return fmt::format("{:.3f} %", 100.0 * value); }, 100.0 * beyond);
  const auto success = [](const auto& decision) { return decision["success_probability"].template get<double>(); };
  EXPECT_GT(success(share), 0.01);
  // Numbers differ by rounding, so that a draw may fall on the other side.
  EXPECT_NEAR(success(percentage), success(share), 0.002);
}

TEST_F(OddTable, RemarksBelowTheTableAreNamed) {
  folder_.write("d.csv", csv_of(cells_) + "\nSource: own books\nAll prices in EUR\n");
  EXPECT_THAT(run({"order", "d.csv"}).err,
              HasSubstr("Leave the lines 243 to 244 out, if they are remarks (--skip-lines 243-244)"));
  EXPECT_EQ(run({"order", "d.csv", "--skip-lines", "243-244", "--method", "varsort"}).exit_code, 0);
}

TEST_F(OddTable, TitlesAboveTheTableAreNamed) {
  for (const std::string title : {"Sales of 2023\n", "Sales of 2023\n\n", "Sales, all shops\n"}) {
    folder_.write("d.csv", title + csv_of(cells_));
    EXPECT_THAT(run({"order", "d.csv"}).err, HasSubstr("Leave line 1 out, if it is a title (--skip-lines 1)")) << title;
    EXPECT_EQ(run({"order", "d.csv", "--skip-lines", "1", "--method", "varsort"}).exit_code, 0) << title;
  }
}

// Commas of both kinds between several columns cannot be told apart, and no option helps.
TEST_F(OddTable, DecimalCommasBetweenCommasAreNotPromised) {
  Cells commas = cells_;
  for (std::size_t i = 1; i < commas.size(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) commas[i][j].replace(commas[i][j].find('.'), 1, ",");
  }
  folder_.write("d.csv", csv_of(commas));
  const ProcessResult refused = run({"order", "d.csv"});
  EXPECT_THAT(refused.err, AllOf(HasSubstr("with semicolons between the cells"), Not(HasSubstr("--decimal"))));
  folder_.write("d.csv", csv_of(commas, ";"));
  EXPECT_EQ(run({"order", "d.csv", "--method", "varsort"}).exit_code, 0);
}

TEST_F(OddTable, ATaskIsNoTableAndATableNoTask) {
  folder_.write("d.csv", csv_of(cells_));
  folder_.write("t.json", "// mine\n" + task_.dump(2));
  for (const char* const verb : {"order", "init"}) {
    const ProcessResult refused = run({verb, "t.json"});
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, HasSubstr("t.json is a task, not a table."));
  }
  folder_.write("book.xlsx", std::string("PK\x03\x04") + std::string(26, '\1') + "[Content_Types].xml");
  folder_.write("empty.json", "");
  folder_.write("one.csv", "sales\n1\n2\n");
  folder_.write("half.json", "\"data\": \"d.csv\",\n\"context\": []}");
  EXPECT_THAT(run({"decide", "book.xlsx"}).err, HasSubstr("a spreadsheet (.xlsx)"));
  EXPECT_THAT(run({"decide", "empty.json"}).err, HasSubstr("empty.json is empty, and no task. A task says"));
  EXPECT_THAT(run({"decide", "one.csv"}).err, HasSubstr("one.csv is no task, which is a JSON object."));
  EXPECT_THAT(run({"decide", "half.json"}).err, HasSubstr("half.json, line 1"));
}

TEST_F(OddTable, ADraftTakesSeveralNamesAtOnce) {
  cells_[0][2] = "sales, net";
  for (std::size_t i = 1; i < cells_.size(); ++i) cells_[i].push_back(cells_[i][2] + "1");
  cells_[0].push_back("visitors");
  Cells quoted = cells_;
  quoted[0][2] = "\"sales, net\"";
  folder_.write("d.csv", csv_of(quoted));
  const ProcessResult drafted =
      run({"init", "d.csv", "--lever", "price,region", "--outcome", "sales, net", "--drop-columns", "visitors"});
  ASSERT_EQ(drafted.exit_code, 0) << drafted.err;
  EXPECT_THAT(drafted.out, AllOf(HasSubstr("\"outcome\": [\"sales, net\"]"), HasSubstr("\"price\": ["),
                                 HasSubstr("\"region\": { \"values\"")));
  // A table from standard input has no path yet.
  const ProcessResult piped =
      run({"init", "-", "--lever", "price", "--outcome", "visitors", "-o", "t.json"}, csv_of(quoted));
  ASSERT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_THAT(piped.out, HasSubstr("Fill in the path of the table (\"data\"); then: olem check t.json"));
}

// As spreadsheets write them.
TEST_F(OddTable, ContextsMayEndWithEmptyRows) {
  folder_.write("d.csv", csv_of(cells_));
  folder_.write("t.json", task_.dump(2));
  const std::vector<std::string> decide = {"decide",        "t.json", "--sampler", "linear", "--draws",    "50",
                                           "--judge-draws", "100",    "--steps",   "5",      "--restarts", "0",
                                           "--contexts",    "c.csv",  "--json"};
  folder_.write("c.csv", "customer;season\r\nA;0,5\r\nB;-1,25\r\n;\r\n");
  const ProcessResult two = run(decide);
  ASSERT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(parse_json(two.out)["decisions"].size(), 2U);
  folder_.write("c.csv", "");
  EXPECT_THAT(run(decide).err, HasSubstr("c.csv: There are no rows with contexts."));
  folder_.write("c.csv", "customer,season\nA,0,5\n");
  EXPECT_THAT(run(decide).err, HasSubstr("c.csv, line 2: Expected 2 cells, as in the first line, but found 3."));
}

TEST(Help, OfAKindThatDoesNotExist) {
  EXPECT_THAT(run_olem({"help", "decide", "nope"}).err, HasSubstr("olem decide has no kinds, such as 'nope'."));
  EXPECT_THAT(run_olem({"help", "simulate", "bermda"}).err,
              HasSubstr("'bermda' is nothing that olem can simulate. Did you mean bermuda?"));
  EXPECT_THAT(run_olem({"version"}).err, HasSubstr("Did you mean olem --version?"));
}

}  // namespace
}  // namespace olem::test::odd_tables_test
