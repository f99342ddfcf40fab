#include "helpers.h"

namespace olem::test::check_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Checked {
  ProcessResult result;
  nlohmann::ordered_json json;
};

Checked check_json(const std::string& content, const std::vector<std::string>& arguments = {}) {
  const TemporaryFolder folder;
  folder.write("d.csv", content);
  ProcessOptions options;
  options.folder = folder.path();
  Checked checked;
  checked.result = run_olem(joined({"check", "d.csv", "--json"}, arguments), options);
  checked.json = parse_json(checked.result.out);
  return checked;
}

std::vector<std::string> problem_codes(const nlohmann::ordered_json& json) {
  std::vector<std::string> codes;
  for (const auto& problem : json.at("problems")) codes.push_back(problem.at("code"));
  return codes;
}

// A column that never changes, one that is another one in other units, a coin and repeated rows, in 20 rows.
std::string troubled() {
  Cells cells = cells_of(linear_table(20, 2, 1));
  const Table table = linear_table(20, 2, 1);
  cells[0] = {"dose", "effect", "site", "hundredths", "coin"};
  for (std::size_t i = 0; i < 20; ++i) {
    cells[i + 1].insert(cells[i + 1].end(), {"7", fmt::format("{}", 100.0 * table.at(i, 0)), i % 2 == 0 ? "0" : "1"});
  }
  cells[20] = cells[2];
  return csv_of(cells);
}

TEST(CheckVerb, FindsNothingInGoodData) {
  const Checked checked = check_json(csv_of(linear_table(100, 3, 1)));
  EXPECT_EQ(checked.result.exit_code, 0);
  EXPECT_EQ(checked.json["verb"], "check");
  EXPECT_EQ(checked.json["data"].dump(), R"({"source":"d.csv","rows":100,"columns":3})");
  EXPECT_EQ(checked.json["problems"].dump(), "[]");
  EXPECT_EQ(checked.json["warnings"].dump(), "[]");
}

TEST(CheckVerb, ListsProblemsTheMostSevereFirst) {
  const Checked checked = check_json(troubled());
  EXPECT_EQ(checked.result.exit_code, 3);
  EXPECT_EQ(checked.result.err, "");
  EXPECT_THAT(problem_codes(checked.json), ElementsAre("constant", "proportional", "few_rows", "repeated_rows"));
  for (const auto& problem : checked.json["problems"]) {
    EXPECT_FALSE(problem["text"].get<std::string>().empty());
    EXPECT_FALSE(problem["remedy"].get<std::string>().empty()) << problem["code"];
  }
  EXPECT_EQ(checked.json["problems"][0]["severity"], "error");
  EXPECT_EQ(checked.json["problems"][0]["columns"].dump(), R"(["site"])");
  EXPECT_EQ(checked.json["problems"][1]["columns"].dump(), R"(["dose","hundredths"])");
  EXPECT_EQ(checked.json["problems"][2]["severity"], "warning");
}

TEST(CheckVerb, SaysWhatToDoInText) {
  const TemporaryFolder folder;
  folder.write("d.csv", troubled());
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem({"check", "d.csv"}, options);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("d.csv: 2 errors, 2 other findings.\n"));
  EXPECT_THAT(
      result.out,
      HasSubstr("\nerror: constant\n  1 column is constant: 'site' (always 7). A column that never changes has no "
                "place in an order.\n  What to do: "));
  EXPECT_THAT(result.out, HasSubstr("Column 'hundredths' is 100 times column 'dose'."));
  EXPECT_THAT(result.out, HasSubstr("\nwarning: repeated_rows\n"));

  folder.write("good.csv", csv_of(linear_table(100, 3, 1)));
  EXPECT_EQ(run_olem({"check", "good.csv"}, options).out,
            "good.csv: no problems found.\n\nWhat the columns are taken for:\n\n  x0      real      numbers\n"
            "  x1      real      numbers\n  x2      real      numbers\n");
}

// What only the file tells: the number of a line, and points that may separate thousands.
TEST(CheckVerb, KnowsWhatTheFileLookedLike) {
  Cells cells = cells_of(linear_table(200, 3, 1));
  for (std::size_t i = 1; i < cells.size(); ++i)
    cells[i].push_back(fmt::format("{}.{:03}", i * i % 9 + 1, i * i * i % 997));
  cells[0].push_back("sales");
  cells[42][1] = "300";
  const Checked checked = check_json("# exported\n" + csv_of(cells, ";"));
  ASSERT_THAT(problem_codes(checked.json), ElementsAre("outlier", "thousands"));
  EXPECT_THAT(checked.json["problems"][0]["text"].get<std::string>(), HasSubstr("300 of 'x1' in line 44"));
  EXPECT_EQ(checked.json["problems"][1]["columns"].dump(), R"(["sales"])");
}

TEST(CheckVerb, ReportsAFileThatIsNoTable) {
  const Checked checked = check_json("a,b\n1,2\n3,hot\n");
  EXPECT_EQ(checked.result.exit_code, 3);
  EXPECT_THAT(problem_codes(checked.json), ElementsAre("not_a_table"));
  EXPECT_EQ(checked.json["problems"][0]["severity"], "error");
  EXPECT_THAT(checked.json["problems"][0]["text"].get<std::string>(),
              HasSubstr("d.csv, line 3, column 'b' (2): 'hot' is not a number."));
  EXPECT_EQ(checked.json["data"].dump(), R"({"source":"d.csv"})");
}

TEST(CheckVerb, NamesJsonThatIsNoTask) {
  for (const std::string text : {"{\"a\": {\"0\": 1, \"1\": 2}}", "{\"a\": 1}\n{\"a\": 2}\n"}) {
    const Checked checked = check_json(text);
    EXPECT_EQ(checked.result.exit_code, 3);
    EXPECT_THAT(problem_codes(checked.json), ElementsAre("not_a_table"));
    EXPECT_THAT(checked.result.out, HasSubstr("pandas.read_json"));
  }
  EXPECT_THAT(problem_codes(check_json("{\"alterable\": {\"a\": [0, 1]}, \"a\": 1}").json), ElementsAre("not_a_task"));
}

TEST(CheckVerb, WarningsFailOnlyWithStrict) {
  const std::string doubtful = csv_of(linear_table(20, 3, 1));
  const Checked lenient = check_json(doubtful);
  EXPECT_EQ(lenient.result.exit_code, 0);
  EXPECT_THAT(problem_codes(lenient.json), ElementsAre("few_rows"));
  const Checked strict = check_json(doubtful, {"--strict"});
  EXPECT_EQ(strict.result.exit_code, 3);
  EXPECT_THAT(problem_codes(strict.json), ElementsAre("few_rows"));
}

TEST(CheckVerb, TellsOfRowsThatAreLeftOut) {
  Cells cells = cells_of(linear_table(100, 3, 1));
  cells[4][0] = "NA";
  const Checked checked = check_json(csv_of(cells), {"--missing", "drop"});
  EXPECT_EQ(checked.result.exit_code, 0);
  EXPECT_THAT(problem_codes(checked.json), ElementsAre("missing_rows"));
  EXPECT_EQ(checked.json["data"]["rows"], 99);
}

// Tables that earlier versions answered wrongly without a word. The truth: price lowers sales, and a lower price
// reaches 20 with a probability near one half.
struct BadTable {
  std::string code;
  std::string fragment;
  void (*spoil)(Cells& cells);
};

void PrintTo(const BadTable& bad, std::ostream* out) { *out << bad.code; }

Cells shop() {
  Cells cells = cells_of(normal_table(600, 3, 4));
  cells[0] = {"season", "price", "sales"};
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const double season = std::stod(cells[i][0]);
    const double price = 10.0 + 0.5 * season + std::stod(cells[i][1]);
    cells[i] = {fmt::format("{:.3f}", season), fmt::format("{:.3f}", price),
                fmt::format("{:.3f}", 30.0 + 2.0 * season - 1.2 * price + 2.0 * std::stod(cells[i][2]))};
  }
  return cells;
}

class SpoiltTable : public testing::TestWithParam<BadTable> {};

TEST_P(SpoiltTable, IsFoundByCheckAndSaidBeforeADecision) {
  const BadTable& bad = GetParam();
  const TemporaryFolder folder;
  Cells cells = shop();
  ProcessOptions options;
  options.folder = folder.path();
  folder.write("good.csv", csv_of(cells));
  EXPECT_EQ(run_olem({"check", "good.csv", "--strict"}, options).exit_code, 0);
  bad.spoil(cells);
  folder.write("d.csv", csv_of(cells));
  const auto json = parse_json(run_olem({"check", "d.csv", "--json"}, options).out);
  EXPECT_THAT(problem_codes(json), testing::Contains(bad.code));
  folder.write("t.json", R"({"data": "d.csv", "context": ["season"], "alterable": {"price": [8, 12]},
    "outcome": ["sales"], "desired": {"sales": [20, null]}, "observed": {"season": 0}})");
  const ProcessResult decided = run_olem({"decide", "t.json", "--sampler", "linear", "--draws", "100", "--judge-draws",
                                          "200", "--steps", "20", "--restarts", "0", "--screen", "0"},
                                         options);
  EXPECT_EQ(decided.exit_code, 0) << decided.err;
  EXPECT_THAT(decided.err, HasSubstr("warning: "));
  EXPECT_THAT(decided.err, HasSubstr(bad.fragment));
}

INSTANTIATE_TEST_SUITE_P(
    CheckVerb, SpoiltTable,
    testing::Values(BadTable{"totals", "The last row (line 602) holds the sum of the rows above it in 3 of 3 columns",
                             [](Cells& cells) {
                               std::vector<std::string> total;
                               for (std::size_t j = 0; j < 3; ++j) {
                                 double sum = 0.0;
                                 for (std::size_t i = 1; i < cells.size(); ++i) sum += std::stod(cells[i][j]);
                                 total.push_back(fmt::format("{:.3f}", sum));
                               }
                               cells.push_back(total);
                             }},
                    BadTable{"sentinel", "-999 in 'price' (20 rows)",
                             [](Cells& cells) {
                               for (std::size_t i = 0; i < 20; ++i) cells[30 * i + 7][1] = "-999";
                             }},
                    BadTable{"outlier", "1034.2 of 'price' in line 301",
                             [](Cells& cells) { cells[300][1] = "1034.2"; }}),
    [](const auto& tested) { return tested.param.code; });

TEST(CheckVerb, WhatCannotChangeADecisionIsSaidBehindIt) {
  const TemporaryFolder folder;
  folder.write("d.csv", csv_of(linear_table(30, 3, 1)));
  ProcessOptions options;
  options.folder = folder.path();
  options.launcher = {"sh", "-c", "\"$@\" 2>&1", "sh"};
  const ProcessResult result = run_olem({"order", "d.csv"}, options);
  EXPECT_EQ(result.exit_code, 0);
  const std::size_t warning = result.out.find("warning: The table has only 30 rows");
  ASSERT_NE(warning, std::string::npos) << result.out;
  EXPECT_GT(warning, result.out.find("x0"));
}

TEST(CheckVerb, WritesTheObjectItPrints) {
  const TemporaryFolder folder;
  folder.write("d.csv", troubled());
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem({"check", "d.csv", "--json", "-o", "out.json"}, options);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(read_text(folder.file("out.json")), result.out);
}

TEST(CheckVerb, MissingFileIsAFileError) {
  const ProcessResult result = run_olem({"check", "absent.csv", "--json"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "olem: Cannot read absent.csv: No such file or directory.\n");
}

}  // namespace
}  // namespace olem::test::check_test
