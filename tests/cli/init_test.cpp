#include <filesystem>

#include "advice.h"
#include "helpers.h"

namespace olem::test::init_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// A shop: the season is known, the price is set, visitors follow it, sales follow all.
Cells shop() {
  Cells cells = cells_of(normal_table(300, 4, 4));
  cells[0] = {"order", "season", "price", "visitors", "sales"};
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const double season = std::stod(cells[i][0]);
    const double price = 10.0 + 0.5 * season + std::stod(cells[i][1]);
    const double visitors = 50.0 - 2.0 * price + 3.0 * season + 2.0 * std::stod(cells[i][2]);
    const double sales = 10.0 + 0.4 * visitors - 0.5 * price + std::stod(cells[i][3]);
    cells[i] = {fmt::format("{}", 1000 + i), fmt::format("{:.3f}", season), fmt::format("{:.3f}", price),
                fmt::format("{:.3f}", visitors), fmt::format("{:.3f}", sales)};
  }
  return cells;
}

class Shop {
 public:
  Shop() { folder.write("shop.csv", csv_of(shop())); }
  ProcessResult run(const std::vector<std::string>& arguments, ProcessOptions options = {}) const {
    options.folder = folder.path();
    return run_olem(arguments, options);
  }
  TemporaryFolder folder;
};

std::vector<std::string> decide_quickly(const std::string& task) {
  return {"decide",  task, "--sampler",  "linear", "--draws",  "100", "--judge-draws",  "200",
          "--steps", "20", "--restarts", "0",      "--screen", "0",   "--ascent-steps", "2"};
}

TEST(InitVerb, WithRolesItWritesATaskThatDecides) {
  const Shop shop;
  const ProcessResult result = shop.run(
      {"init", "shop.csv", "-o", "task.json", "--lever", "price", "--outcome", "sales", "--context", "season"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "Written: task.json.\nRead it, then: olem check task.json, olem decide task.json\n");
  const std::string task = read_text(shop.folder.file("task.json"));
  EXPECT_THAT(task, HasSubstr("\"data\": \"shop.csv\""));
  EXPECT_THAT(task, HasSubstr("\"reading\": {\"drop_columns\":[\"order\"]}"));
  EXPECT_THAT(task, ContainsRegex("\"price\": \\[[0-9.]+, [0-9.]+\\]"));
  EXPECT_THAT(task, ContainsRegex("\"sales\": \\[[0-9.]+, null\\]  // sales is at least"));
  EXPECT_THAT(task, ContainsRegex("\"observed\": \\{ \"season\": -?[0-9.]+ \\}"));
  EXPECT_THAT(task, HasSubstr("may change them: visitors."));
  EXPECT_THAT(task, HasSubstr("* identifier: "));
  EXPECT_THAT(task, HasSubstr("\"set_by_hand\": {"));
  EXPECT_THAT(task, HasSubstr("\"group\""));
  const ProcessResult checked = shop.run({"check", "task.json"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  const ProcessResult decided = shop.run(decide_quickly("task.json"));
  EXPECT_EQ(decided.exit_code, 0) << decided.err;
}

TEST(InitVerb, CodesForMissingGetTheLineThatReadsThem) {
  const Shop shop;
  Cells cells = olem::test::init_test::shop();
  for (std::size_t i = 5; i < cells.size(); i += 20) cells[i][3] = "-999";
  shop.folder.write("shop.csv", csv_of(cells));
  ASSERT_EQ(shop.run({"init", "shop.csv", "-o", "task.json", "--lever", "price", "--outcome", "sales"}).exit_code, 0);
  std::string task = read_text(shop.folder.file("task.json"));
  const std::string line = R"("reading": {"drop_columns":["order"],"na":["-999"],"missing":"impute"},)";
  EXPECT_THAT(task, HasSubstr("  // " + line + "\n"));
  // Put in the place of the other line it does what it says.
  const std::string other = R"("reading": {"drop_columns":["order"]},)";
  ASSERT_NE(task.find(other), std::string::npos) << task;
  task.replace(task.find(other), other.size(), line);
  shop.folder.write("task.json", task);
  const auto json = parse_json(shop.run({"check", "task.json", "--json"}).out);
  EXPECT_EQ(json["missing"]["columns"]["visitors"], 15);
  for (const auto& problem : json["problems"]) EXPECT_NE(problem["code"], "sentinel");
}

TEST(InitVerb, WithoutRolesItSaysWhatToFillIn) {
  const Shop shop;
  const ProcessResult result = shop.run({"init", "shop.csv", "-o", "task.json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Fill in what can be set"));
  const std::string task = read_text(shop.folder.file("task.json"));
  EXPECT_THAT(task, HasSubstr("To be filled in:"));
  EXPECT_THAT(task, ContainsRegex("//   \"price\": \\[[0-9.]+, [0-9.]+\\],"));
  // It is a task file with two things missing, and no worse.
  const auto json = parse_json(shop.run({"check", "task.json", "--json"}).out);
  for (const auto& problem : json["problems"]) {
    if (problem["severity"] == "error") {
      EXPECT_THAT(problem["code"].get<std::string>(), testing::AnyOf("no_outcome", "no_alterable"));
    }
  }
}

TEST(InitVerb, PrintsWithoutAnOutputFile) {
  const Shop shop;
  const ProcessResult result = shop.run({"init", "shop.csv", "--lever", "price", "--outcome", "sales"});
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, testing::StartsWith("// A task for olem, drafted from shop.csv (300 rows, 5 columns)."));
  shop.folder.write("printed.json", result.out);
  EXPECT_EQ(shop.run({"check", "printed.json"}).exit_code, 0);
  const auto json = parse_json(shop.run({"init", "shop.csv", "--lever", "price", "--outcome", "sales", "--json"}).out);
  EXPECT_EQ(json["draft"], result.out);
  EXPECT_EQ(json["complete"], true);
}

TEST(InitVerb, NamesTheTableFromTheFolderOfTheTask) {
  const Shop shop;
  std::filesystem::create_directory(shop.folder.file("tasks"));
  ASSERT_EQ(shop.run({"init", "shop.csv", "-o", "tasks/t.json", "--lever", "price", "--outcome", "sales"}).exit_code,
            0);
  EXPECT_THAT(read_text(shop.folder.file("tasks/t.json")), HasSubstr("\"data\": \"../shop.csv\""));
  EXPECT_EQ(shop.run({"check", "tasks/t.json"}).exit_code, 0);
}

TEST(InitVerb, NeverOverwritesWithoutForce) {
  const Shop shop;
  shop.folder.write("task.json", "mine");
  const ProcessResult refused = shop.run({"init", "shop.csv", "-o", "task.json"});
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_EQ(read_text(shop.folder.file("task.json")), "mine");
  EXPECT_EQ(shop.run({"init", "shop.csv", "-o", "task.json", "--force"}).exit_code, 0);
  const ProcessResult onto = shop.run({"init", "shop.csv", "-o", "shop.csv", "--force"});
  EXPECT_EQ(onto.exit_code, 2);
  EXPECT_EQ(read_text(shop.folder.file("shop.csv")), csv_of(init_test::shop()));
}

TEST(InitVerb, RefusesRolesThatMakeNoSense) {
  const Shop shop;
  const ProcessResult unknown = shop.run({"init", "shop.csv", "--lever", "prise"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "olem: --lever: shop.csv has no column 'prise'. Did you mean 'price'?\n");
  const ProcessResult both = shop.run({"init", "shop.csv", "--lever", "price", "--outcome", "price"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("A column has one role."));
  const ProcessResult twice = shop.run({"init", "shop.csv", "--lever", "price", "--lever", "price"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("'price' is given twice."));
}

// Names with quotes, backslashes and what would end a comment.
TEST(InitVerb, NamesAreEscaped) {
  const TemporaryFolder folder;
  Cells cells = cells_of(linear_table(200, 3, 3));
  cells[0] = {"\"a \"\"b\"\"\"", "back\\slash", "*/ \xC3\xBC"};
  folder.write("odd.csv", csv_of(cells));
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result =
      run_olem({"init", "odd.csv", "-o", "t.json", "--lever", "a \"b\"", "--outcome", "*/ \xC3\xBC"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(run_olem({"check", "t.json"}, options).exit_code, 0) << read_text(folder.file("t.json"));
}

// Every finding of the checks that can be mended by leaving columns out is.
TEST(InitVerb, LeavesOutWhatLearningWouldRefuse) {
  const TemporaryFolder folder;
  Cells cells = cells_of(linear_table(200, 3, 3));
  cells[0].insert(cells[0].end(), {"site", "again"});
  for (std::size_t i = 1; i < cells.size(); ++i) cells[i].insert(cells[i].end(), {"7", cells[i][1]});
  folder.write("d.csv", csv_of(cells));
  ProcessOptions options;
  options.folder = folder.path();
  ASSERT_EQ(run_olem({"init", "d.csv", "-o", "t.json", "--lever", "x0", "--outcome", "again"}, options).exit_code, 0);
  EXPECT_THAT(read_text(folder.file("t.json")), HasSubstr("\"drop_columns\":[\"site\",\"x1\"]"));
  EXPECT_EQ(run_olem({"check", "t.json"}, options).exit_code, 0);
  EXPECT_EQ(run_olem(decide_quickly("t.json"), options).exit_code, 0);
}

// A lever that never changes, and two levers that are the same: only the user can say what else is meant.
TEST(InitVerb, SaysWhatOnlyTheUserCanMend) {
  const TemporaryFolder folder;
  Cells cells = cells_of(linear_table(200, 3, 3));
  cells[0].insert(cells[0].end(), {"site", "again"});
  for (std::size_t i = 1; i < cells.size(); ++i) cells[i].insert(cells[i].end(), {"7", cells[i][1]});
  folder.write("d.csv", csv_of(cells));
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult constant =
      run_olem({"init", "d.csv", "-o", "t.json", "--lever", "site", "--outcome", "x2"}, options);
  EXPECT_EQ(constant.exit_code, 0);
  EXPECT_THAT(constant.err, HasSubstr("To be mended before a decision: 1 column is constant: 'site' (always 7)."));
  const ProcessResult refused = run_olem({"decide", "t.json"}, options);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("Take site out of the task."));
  EXPECT_THAT(refused.err, Not(HasSubstr("--drop-columns")));
  const ProcessResult copies =
      run_olem({"init", "d.csv", "-o", "t.json", "--force", "--lever", "x1,again", "--outcome", "x2"}, options);
  EXPECT_THAT(copies.err, HasSubstr("Column 'again' equals column 'x1'. Take again out of the task."));
  EXPECT_THAT(run_olem({"check", "t.json"}, options).out, HasSubstr("What to do: Take again out of the task."));
  // Of a pair of which the task names one, the other can go, whichever comes first.
  folder.write("t.json", R"({"data": "d.csv", "reading": {"drop_columns": ["site"]}, "context": ["x0"],
    "alterable": {"again": [-1, 1]}, "outcome": ["x2"], "desired": {"x2": [0, null]}, "observed": {"x0": 0}})");
  const ProcessResult first = run_olem({"decide", "t.json"}, options);
  EXPECT_EQ(first.exit_code, 3);
  EXPECT_THAT(first.err, HasSubstr("Leave the column out: --drop-columns x1."));
}

// Roles are asked for at a terminal: numbers and names, Enter for the guess.
TEST(InitVerb, AsksAtATerminal) {
  const Shop shop;
  ProcessOptions options;
  options.launcher = {"python3", "-c",
                      "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"};
  options.input = "\nnonsense\n3\nseason\n19.5\n";
  const ProcessResult result = shop.run({"init", "shop.csv", "-o", "task.json"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("'nonsense' is no column that is free for this."));
  const std::string task = read_text(shop.folder.file("task.json"));
  EXPECT_THAT(task, HasSubstr("\"outcome\": [\"sales\"]"));
  EXPECT_THAT(task, HasSubstr("\"context\": [\"season\"]"));
  EXPECT_THAT(task, HasSubstr("\"sales\": [19.5, null]"));
  EXPECT_EQ(shop.run({"check", "task.json"}).exit_code, 0);
}

TEST(DecideVerb, ATableIsOfferedATask) {
  const Shop shop;
  for (const char* verb : {"decide", "explain"}) {
    const ProcessResult result = shop.run({verb, "shop.csv"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.err, HasSubstr("shop.csv is a table, not a task."));
    EXPECT_THAT(result.err, HasSubstr("olem init shop.csv -o task.json"));
  }
}

}  // namespace
}  // namespace olem::test::init_test
