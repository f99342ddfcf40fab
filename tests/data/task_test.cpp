#include "olem/task.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "olem/random.h"
#include "olem/simulate.h"
#include "support/process.h"

namespace olem::task_test {
namespace {

using Names = std::vector<std::string>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const char* const kReef = R"({
  // what a reef does by night
  "data": "sea.csv",
  "context": ["Light", "Temp"],
  "alterable": {
    "DIC": [-1, 1],
    "TA": [-2, 2]
  },
  "outcome": ["NEC"],
  "desired": { "NEC": [0.5, null] },
  "observed": { "Light": 0.4, "Temp": -0.2 },
  "cost": { "DIC": 2 },
  "max_alterations": 1,
  "constraints": [ { "weights": { "DIC": 1, "TA": -1 }, "max": 1.5 } ],
  "before": [ ["Light", "Temp"], ["DIC", "CO2", "NEC"] ]
})";

std::string complaint(const std::function<void()>& call, ErrorCategory category = ErrorCategory::kData) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category) << error.what();
    return error.what();
  }
  return "";
}

std::string parse_complaint(const std::string& text) {
  return complaint([&] { parse_task(text, "t.json"); });
}

// The reef with one piece of its text replaced.
std::string reef_with(const std::string& from, const std::string& to) {
  std::string text = kReef;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Task reef() { return parse_task(kReef, "t.json"); }

// 100 rows; every column runs evenly over [-1, 1] in another order.
Table sea(const Names& names = {"Light", "Temp", "DIC", "TA", "CO2", "NEC"}) {
  constexpr std::size_t kRows = 101;
  std::vector<double> values;
  for (std::size_t j = 0; j < names.size(); ++j) {
    for (std::size_t i = 0; i < kRows; ++i)
      values.push_back(static_cast<double>((i * (2 * j + 3)) % kRows) / 50.0 - 1.0);
  }
  return {names, values, "sea.csv"};
}

std::string resolve_complaint(const Task& task, ErrorCategory category = ErrorCategory::kData) {
  return complaint([&] { resolve_task(task, sea(), Context()); }, category);
}

std::vector<std::string> codes(const std::vector<Warning>& warnings) {
  std::vector<std::string> result;
  for (const Warning& warning : warnings) result.push_back(warning.code);
  return result;
}

std::vector<std::string> codes(const std::vector<Problem>& problems) {
  std::vector<std::string> result;
  for (const Problem& problem : problems) result.push_back(problem.code);
  return result;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ParseTask, ReadsEveryKey) {
  const Task task = reef();
  EXPECT_EQ(task.source, "t.json");
  EXPECT_EQ(task.data, "sea.csv");
  EXPECT_EQ(task.context, (Names{"Light", "Temp"}));
  ASSERT_EQ(task.alterable.size(), 2U);
  EXPECT_EQ(task.alterable[1].name, "TA");
  EXPECT_EQ(task.alterable[1].low, -2.0);
  EXPECT_EQ(task.alterable[1].high, 2.0);
  EXPECT_EQ(task.outcome, Names{"NEC"});
  ASSERT_EQ(task.desired.rows(), 1U);
  EXPECT_EQ(task.desired.row_name(0), "NEC >= 0.5");
  EXPECT_EQ(task.observed[1].name, "Temp");
  EXPECT_EQ(task.observed[1].value, -0.2);
  EXPECT_EQ(task.cost[0].value, 2.0);
  EXPECT_EQ(task.max_alterations, 1);
  EXPECT_EQ(task.constraints[0].weights[1].value, -1.0);
  EXPECT_EQ(task.constraints[0].max, 1.5);
  EXPECT_EQ(task.before,
            (std::vector<std::pair<std::string, std::string>>{{"Light", "Temp"}, {"DIC", "CO2"}, {"CO2", "NEC"}}));
}

TEST(ParseTask, ReadsRolesBesideContextAndOutcome) {
  const std::string text = R"({"context":["Light"],"alterable":{"DIC":[-1.0,1.0]},"outcome":["NEC"],)"
                           R"("desired":{"NEC":[0.5,null]},"known_before":["TA"],"after":["CO2"],"ignore":["Temp"]})";
  const Task task = parse_task(text, "t.json");
  EXPECT_EQ(task.known_before, Names{"TA"});
  EXPECT_EQ(unused_columns(task), (Names{"CO2", "Temp"}));
  EXPECT_EQ(to_json(task).dump(), text);
  const Table table = without_unused(task, sea());
  EXPECT_EQ(table.names(), (Names{"Light", "DIC", "TA", "NEC"}));
  const Precedence known(resolve_task(task, table, Context()).knowledge, table.names());
  EXPECT_TRUE(known.precedes(0, 2));  // context, then what is known before the levers, then levers, then outcomes
  EXPECT_TRUE(known.precedes(2, 1));
  EXPECT_TRUE(known.precedes(1, 3));

  Task twice = task;
  twice.known_before = {"DIC"};
  EXPECT_TRUE(contains(resolve_complaint(twice), "'DIC' stands in \"alterable\" and in \"known_before\""));
  Task unknown = task;
  unknown.known_before = {"Ta"};
  EXPECT_TRUE(contains(resolve_complaint(unknown), "Did you mean 'TA'?"));
  Task backwards = task;
  backwards.before = {{"DIC", "TA"}};
  EXPECT_TRUE(contains(resolve_complaint(backwards), "'TA' is known before the levers"));
}

TEST(ParseTask, ReadsAPolytopeOverTheOutcomesInTheirOrder) {
  const Task task = parse_task(R"({"outcome": ["a", "b"], "alterable": {"x": [0, 1]},
      "desired": {"M": [[1, 2], [-1, 0]], "d": [3, 4]}})",
                               "t.json");
  EXPECT_EQ(task.desired.outcomes(), (Names{"a", "b"}));
  EXPECT_EQ(task.desired.row_name(0), "row 1 (a + 2 b <= 3)");
  // Outcomes may have these names themselves.
  const Task named = parse_task(R"({"outcome": ["M", "d"], "desired": {"M": [0, 1], "d": [null, 2]}})", "t.json");
  EXPECT_EQ(named.desired.rows(), 3U);
}

// The order of the ranges in the file does not matter.
TEST(ParseTask, ABoxFollowsTheOutcomes) {
  const Task task = parse_task(R"({"desired": {"b": [1, 2], "a": [3, 4]}, "outcome": ["a", "b"]})", "t.json");
  EXPECT_EQ(task.desired.row_name(0), "a >= 3");
}

TEST(ParseTask, SurvivesARoundTrip) {
  const std::string text = to_json(reef()).dump();
  EXPECT_EQ(to_json(parse_task(text, "t.json")).dump(), text);
  const std::string undecided = R"({"context":[],"alterable":{},"outcome":["y"]})";
  EXPECT_EQ(to_json(parse_task(undecided, "t.json")).dump(), undecided) << "nothing is desired yet";
  EXPECT_EQ(text,
            R"({"data":"sea.csv","context":["Light","Temp"],"alterable":{"DIC":[-1.0,1.0],"TA":[-2.0,2.0]},)"
            R"("outcome":["NEC"],"desired":{"NEC":[0.5,null]},"observed":{"Light":0.4,"Temp":-0.2},"cost":{"DIC":2.0},)"
            R"("max_alterations":1,"constraints":[{"weights":{"DIC":1.0,"TA":-1.0},"max":1.5}],)"
            R"("before":[["Light","Temp"],["DIC","CO2"],["CO2","NEC"]]})");
}

const char* const kHouse = R"({
  "name": "A warm house",
  "note": "with what it costs",
  "data": "house.csv",
  "reading": {"delimiter": ";", "drop_columns": ["id", "a, b"], "missing": "drop", "header": true, "constant": "drop"},
  "columns": {
    "heating": {"type": "binary", "levels": ["off", "on"], "label": "Heating"},
    "crew": "count",
    "grade": {"type": "ordinal", "levels": [1, 2, "3"]},
    "price": {"unit": "EUR"}
  },
  "context": ["grade", "heating"],
  "alterable": {"price": [0, 1]},
  "outcome": ["y"],
  "desired": {"y": [0, 1]},
  "observed": {"grade": 2, "heating": "on"}
})";

TEST(ParseTask, ReadsWhatIsKnownOfColumnsAndTheirReading) {
  const Task task = parse_task(kHouse, "t.json");
  EXPECT_EQ(task.name, "A warm house");
  EXPECT_EQ(task.note, "with what it costs");
  ASSERT_EQ(task.columns.size(), 4U);
  EXPECT_EQ(task.columns[0].type, ColumnType::kBinary);
  EXPECT_EQ(task.columns[0].levels, (Names{"off", "on"}));
  EXPECT_EQ(task.columns[0].label, "Heating");
  EXPECT_EQ(task.columns[1].type, ColumnType::kCount);
  EXPECT_EQ(task.columns[2].levels, (Names{"1", "2", "3"}));
  EXPECT_EQ(task.columns[3].type, std::nullopt);
  EXPECT_EQ(task.columns[3].unit, "EUR");
  EXPECT_EQ(task.observed.size(), 1U);
  ASSERT_EQ(task.observed_words.size(), 1U);
  EXPECT_EQ(task.observed_words[0].word, "on");
  const ReadingOptions reading = reading_options(task);
  EXPECT_EQ(reading.read.delimiter, ';');
  EXPECT_EQ(reading.read.drop_columns, (Names{"id", "a, b"}));
  EXPECT_EQ(reading.read.missing, MissingPolicy::kDrop);
  EXPECT_EQ(reading.read.header, HeaderMode::kPresent);
  EXPECT_EQ(reading.constant, ConstantPolicy::kDrop);
  const std::string text = to_json(task).dump();
  const Task again = parse_task(text, "t.json");
  EXPECT_EQ(to_json(again).dump(), text);
  EXPECT_EQ(reading_options(again).read.drop_columns, (Names{"id", "a, b"}));
}

TEST(ParseTask, ColumnsAndReadingAreCheckedWithTheirLine) {
  const auto house_with = [](std::string_view from, std::string_view to) {
    std::string text = kHouse;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return parse_complaint(text.replace(at, from.size(), to));
  };
  EXPECT_EQ(house_with("\"count\"", "\"counts\""),
            "t.json, line 8: The type of 'crew' is \"counts\", but must be one of \"real\", \"positive\", \"share\", "
            "\"count\", \"ordinal\", \"binary\" and \"category\". Did you mean \"count\"?");
  EXPECT_TRUE(contains(house_with("\"count\"", "7"), "line 8: 'crew' in \"columns\" is 7, but must be a type"));
  EXPECT_TRUE(contains(house_with("\"unit\"", "\"units\""), "line 10: The key \"units\" is not known. Did you mean"));
  EXPECT_TRUE(contains(house_with("\"EUR\"", "3"), "line 10: \"unit\" is 3, but must be a text in quotes."));
  EXPECT_TRUE(contains(house_with("[1, 2, \"3\"]", "[1, 2, \"2\"]"), "line 9: \"levels\" of 'grade' holds '2' twice."));
  EXPECT_TRUE(contains(house_with("[1, 2, \"3\"]", "\"1\""), "line 9: \"levels\" of 'grade' is \"1\", but must be"));
  EXPECT_TRUE(contains(house_with("\"ordinal\"", "\"real\""), "'grade' is declared as real and with levels"));
  EXPECT_TRUE(contains(house_with("\"delimiter\"", "\"delimeter\""),
                       "line 5: The key \"delimeter\" is not known. Did you mean \"delimiter\"?"));
  EXPECT_TRUE(contains(house_with("\";\"", "\";;\""), "line 5: \"delimiter\" in \"reading\": ';;' is not"));
  EXPECT_TRUE(contains(house_with("\"missing\": \"drop\"", "\"missing\": null"), "\"missing\" in \"reading\" is null"));
  EXPECT_TRUE(contains(house_with("\"constant\": \"drop\"", "\"constant\": \"keep\""), "'keep' is not one of"));
  EXPECT_TRUE(contains(house_with("\"A warm house\"", "7"), "line 2: \"name\" is 7, but must be a text in quotes."));
  EXPECT_TRUE(
      contains(house_with("\"y\": [0, 1]", "\"y\": null"), "What is desired of 'y' is null, but must be a range"));
  EXPECT_TRUE(contains(house_with("\"y\": [0, 1]", "\"y\": {\"values\": []}"), "\"values\" of 'y' is [], but must be"));
  EXPECT_TRUE(contains(house_with("\"y\": [0, 1]", "\"y\": {\"value\": [1]}"), "Did you mean \"values\"?"));
  const auto domain = [&](const std::string& text) { return house_with("\"price\": [0, 1]", "\"price\": " + text); };
  EXPECT_TRUE(contains(domain("3"), "The domain of 'price' is 3, but must be its least"));
  EXPECT_TRUE(contains(domain("{\"values\": [0, null]}"), "\"values\" of 'price' is [0,null], but must be a list"));
  EXPECT_TRUE(contains(domain("{\"values\": [0], \"min\": 1}"), "has \"values\" and other keys"));
  EXPECT_TRUE(contains(domain("{\"min\": 0}"), "The domain of 'price' lacks \"max\""));
  EXPECT_TRUE(contains(domain("{\"step\": 1}"), "The domain of 'price' lacks \"min\""));
  EXPECT_TRUE(contains(domain("{\"min\": 0, \"max\": \"1\"}"), "\"max\" of 'price' is \"1\", but must be a number"));
  EXPECT_TRUE(
      contains(domain("{\"min\": 0, \"max\": 1, \"step\": 0}"), "\"step\" of 'price' is 0, but must be above 0"));
  EXPECT_TRUE(contains(domain("{\"min\": 0, \"max\": 1, \"stepp\": 1}"), "Did you mean \"step\"?"));
}

// The data of the house: heating 0/1 with the words of the task.
TEST(ReadContexts, LevelsAreGivenByTheirWords) {
  const Task task = parse_task(kHouse, "t.json");
  Column grade;
  grade.type = ColumnType::kOrdinal;
  grade.levels = {{1, "1"}, {2, "2"}, {3, "3"}};
  Column heating;
  heating.type = ColumnType::kBinary;
  heating.levels = {{0, "off"}, {1, "on"}};
  const std::vector<Column> about = {grade, heating};
  using Rows = std::vector<std::vector<double>>;
  EXPECT_EQ(read_contexts(task, {}, Context(), about), (Rows{{2, 1}}));
  EXPECT_EQ(read_contexts(task, {{{"heating", "off"}}, ""}, Context(), about), (Rows{{2, 0}}));
  EXPECT_EQ(complaint(
                [&] {
                  read_contexts(task, {{{"heating", "of"}}, ""}, Context(), about);
                },
                ErrorCategory::kUsage),
            "context: 'of' is no level of 'heating'. Its levels are off and on. Did you mean 'off'?");
  Task wrong = task;
  wrong.observed_words[0].word = "warm";
  EXPECT_EQ(complaint([&] { read_contexts(wrong, {}, Context(), about); }),
            "t.json: The observed value of 'heating' is warm, which is no level of it. Its levels are off and on. Give "
            "one of the levels.");
  EXPECT_EQ(parse_contexts(task, "heating,grade\non,3\n0,1\n", "c.csv", Context(), about), (Rows{{3, 1}, {1, 0}}));
  EXPECT_EQ(complaint([&] { parse_contexts(task, "heating,grade\nonn,3\n", "c.csv", Context(), about); }),
            "c.csv, line 2, column 'heating': 'onn' is no level of the column. Its levels are off and on. Did you mean "
            "'on'?");
  EXPECT_EQ(complaint([&] { parse_contexts(task, "heating,grade\n0.5,3\n", "c.csv", Context(), about); }),
            "c.csv, line 2, column 'heating': '0.5' is no level of the column. Its levels are off and on.");
}

TEST(CheckTask, DeclaredColumnsMustBeThere) {
  Task task = reef();
  const Table table = sea();
  task.columns = {{"CO3", ColumnType::kCategory}};
  const auto unknown = check_task(task, table, Context());
  ASSERT_FALSE(unknown.empty());
  EXPECT_EQ(unknown[0].code, "columns");
  EXPECT_EQ(unknown[0].severity, Severity::kError);
  EXPECT_TRUE(
      contains(resolve_complaint(task), "t.json: There is no column 'CO3', which \"columns\" names, in sea.csv."));
}

TEST(ParseTask, ReadsWhatSimulationsWrite) {
  const test::TemporaryFolder folder;
  AufSimulationOptions auf;
  auf.rows = 200;
  write_simulation(folder.file("auf"), random_auf_task(auf, 3, Context()), false);
  write_simulation(folder.file("bermuda"), bermuda_task({}, 0, Context()), false);
  for (const std::string kind : {"auf", "bermuda"}) {
    const Task task = read_task(folder.file(kind) + "/task.json");
    EXPECT_EQ(data_path(task), folder.file(kind) + "/data.csv");
    const Table table = read_table(data_path(task), {}, Context()).table;
    EXPECT_TRUE(check_task(task, table, Context()).empty());
    const ResolvedTask resolved = resolve_task(task, table, Context());
    EXPECT_EQ(resolved.context.size() + resolved.intermediate.size() + resolved.outcome.size(), table.columns());
    EXPECT_FALSE(resolved.centre.from_data_box);
    const auto contexts = read_contexts(task, {{}, folder.file(kind) + "/contexts.csv"}, Context());
    EXPECT_EQ(contexts.size(), 50U);
    EXPECT_EQ(read_contexts(task, {}, Context()).front(), contexts.front());
  }
}

TEST(ParseTask, WrongShapesHaveAKeyAndALine) {
  EXPECT_EQ(parse_complaint(reef_with("\"context\": [\"Light\", \"Temp\"]", "\"context\": \"Light\"")),
            "t.json, line 4: \"context\" is \"Light\", but must be a list of column names, such as [\"a\", \"b\"].");
  EXPECT_EQ(parse_complaint(reef_with("[-2, 2]", "[-2, \"2\"]")),
            "t.json, line 7: The domain of 'TA' is [-2,\"2\"], but must be its least and its greatest value, such as "
            "[-1, 1], {\"min\": 2, \"max\": 6, \"step\": 1}, or {\"values\": [\"off\", \"on\"]}; {} stands for all "
            "levels of its column.");
  EXPECT_TRUE(contains(parse_complaint(reef_with("[-2, 2]", "[-2, null]")), "line 7: The domain of 'TA'"));
  EXPECT_EQ(
      parse_complaint(reef_with("[0.5, null]", "[0.5]")),
      "t.json, line 10: What is desired of 'NEC' is [0.5], but must be a range, such as [0.5, 2] or, for at least "
      "0.5, [0.5, null]; a level, such as \"yes\"; or levels, such as {\"values\": [\"good\", \"very good\"]}.");
  EXPECT_EQ(parse_complaint(reef_with("\"Light\": 0.4", "\"Light\": \"hot\"")),
            "");  // may be a level: what columns there are is not known here
  EXPECT_EQ(parse_complaint(reef_with("\"Light\": 0.4", "\"Light\": true")), "");  // the level of truth values
  EXPECT_EQ(
      parse_complaint(reef_with("\"Light\": 0.4", "\"Light\": [0.4]")),
      "t.json, line 11: 'Light' in \"observed\" is [0.4], but must be a number, a level in quotes, true or false, "
      "or null.");
  EXPECT_EQ(parse_complaint(reef_with("\"max_alterations\": 1", "\"max_alterations\": 0")),
            "t.json, line 13: \"max_alterations\" is 0, but must be a whole number of at least 1.");
  EXPECT_EQ(parse_complaint(reef_with("\"max\": 1.5", "\"max\": \"x\"")),
            "t.json, line 14: \"max\" of constraint 1 is \"x\", but must be a number.");
  EXPECT_EQ(parse_complaint(reef_with(", \"max\": 1.5", "")),
            "t.json, line 14: Constraint 1 is {\"weights\":{\"DIC\":1,\"TA\":-1}}, but must be an object with "
            "\"weights\" and \"max\".");
  EXPECT_EQ(parse_complaint(reef_with("[\"Light\", \"Temp\"], [", "[\"Light\"], [")),
            "t.json, line 15: An entry of \"before\" is [\"Light\"], but must be at least two column names in a list.");
  EXPECT_EQ(parse_complaint(reef_with("\"sea.csv\"", "7")),
            "t.json, line 3: \"data\" is 7, but must be the path of a CSV or .npy file in quotes.");
  EXPECT_TRUE(contains(parse_complaint("[1]"), "t.json: A task must be one JSON object"));
  EXPECT_TRUE(contains(parse_complaint("{\"data\": \"a\",\n}"), "t.json, line 2, column 1: This is not valid JSON"));
  EXPECT_TRUE(contains(parse_complaint("{\"alterable\": {\"x\": [0, 1e999]}}"), "t.json: "));
}

// Lines are found past comments, texts with quotes and braces, and lists.
TEST(ParseTask, LinesAreThoseOfTheFile) {
  const std::string text =
      "{ /* \"cost\": {\n */ \"data\": \"{\\\"cost\\\"\",\n // \"cost\": 1\n\n \"before\": [[\"a\",\n \"cost\"]],\n "
      "\"c\\u006fst\": 3 }";
  EXPECT_EQ(parse_complaint(text),
            "t.json, line 7: \"cost\" is 3, but must be an object of names and numbers, such as {\"a\": 0.5}.");
}

TEST(ParseTask, UnknownKeysNameTheClosest) {
  const std::string text = parse_complaint(reef_with("\"observed\"", "\"observd\""));
  EXPECT_TRUE(
      text.starts_with("t.json, line 11: The key \"observd\" is not known. Did you mean \"observed\"? The keys "
                       "are \"name\", \"note\", \"data\","))
      << text;
  EXPECT_TRUE(contains(parse_complaint(reef_with("\"max\"", "\"maximum\"")), "\"weights\" and \"max\""));
  EXPECT_TRUE(contains(parse_complaint(R"({"outcome": ["y"], "desired": {"M": [[1]], "d": [1], "D": [1]}})"),
                       "The key \"D\" is not known."));
}

TEST(ParseTask, ARegionMustFitTheOutcomes) {
  EXPECT_EQ(parse_complaint(reef_with("\"NEC\": [0.5, null]", "\"NEX\": [0.5, null]")),
            "t.json, line 10: \"desired\" holds 'NEX', which is not in \"outcome\". Did you mean 'NEC'?");
  EXPECT_EQ(
      parse_complaint(reef_with("\"NEC\": [0.5, null]", "")),
      "t.json, line 10: \"desired\" does not say what is wanted of 'NEC'. Give its range, or [null, null] when it "
      "does not matter.");
  EXPECT_EQ(parse_complaint(reef_with("[0.5, null]", "[null, null]")),
            "t.json: The desired region asks nothing of any outcome. Give at least one side of one outcome.");
  const auto with_region = [](const std::string& region) {
    return parse_complaint(reef_with("{ \"NEC\": [0.5, null] }", region));
  };
  EXPECT_EQ(with_region("{\"M\": [[1, 2]], \"d\": [1]}"),
            "t.json: Row 1 of \"M\" has 2 numbers, but there is 1 outcome (NEC). Give one number for each outcome.");
  EXPECT_EQ(with_region("{\"M\": [[1], [2]], \"d\": [1]}"),
            "t.json: \"M\" of the desired region has 2 rows, but \"d\" has 1 number. Give one number for each row.");
  EXPECT_EQ(with_region("{\"M\": [[0]], \"d\": [1]}"),
            "t.json: \"M\" of the desired region holds only zeros, so that no outcome counts. Give at least one row "
            "with a number that is not 0.");
  EXPECT_EQ(with_region("{\"M\": [[1]]}"),
            "t.json, line 10: \"desired\" has \"M\" but not \"d\". A region M y <= d needs both.");
  EXPECT_TRUE(contains(with_region("{\"M\": [[null]], \"d\": [1]}"), "line 10: \"M\" is [[null]], but must be"));
  EXPECT_TRUE(contains(with_region("{\"M\": [[1]], \"d\": 1}"), "line 10: \"d\" is 1, but must be"));
}

TEST(DataPath, IsRelativeToTheTaskFile) {
  Task task;
  task.data = "sea.csv";
  EXPECT_EQ(data_path(task), "sea.csv");
  task.source = "reef/t.json";
  EXPECT_EQ(data_path(task), "reef/sea.csv");
  task.data = "/tmp/sea.csv";
  EXPECT_EQ(data_path(task), "/tmp/sea.csv");
  task.data = "";
  EXPECT_TRUE(contains(complaint([&] { data_path(task); }), "reef/t.json: The task names no table."));
}

TEST(LooksLikeTask, IsDecidedByTheFirstCharacterThatCounts) {
  EXPECT_TRUE(looks_like_task("{}"));
  EXPECT_TRUE(looks_like_task("\xEF\xBB\xBF \n// a\n/* { */ {\"data\""));
  EXPECT_FALSE(looks_like_task("a,b\n1,2\n"));
  EXPECT_FALSE(looks_like_task("// {"));
  EXPECT_FALSE(looks_like_task(""));
  EXPECT_FALSE(looks_like_task("[{}]"));
}

TEST(ResolveTask, FindsTheColumns) {
  const ResolvedTask resolved = resolve_task(reef(), sea(), Context());
  EXPECT_EQ(resolved.context, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(resolved.alterable, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(resolved.outcome, (std::vector<std::size_t>{5}));
  EXPECT_EQ(resolved.intermediate, (std::vector<std::size_t>{2, 3, 4}));
  EXPECT_NEAR(resolved.columns[4].mean, 0.0, 1e-12);
  EXPECT_NEAR(resolved.columns[4].deviation, std::sqrt((101.0 * 101.0 - 1.0) / 12.0) / 50.0, 1e-12);
  EXPECT_EQ(resolved.columns[4].low, -1.0);
  EXPECT_EQ(resolved.columns[4].high, 1.0);
  // NEC >= 0.5 within [-3, 3].
  EXPECT_NEAR(resolved.centre.centre[0], 1.75, 1e-12);
  EXPECT_EQ(codes(resolved.warnings), Names{}) << "to want at least 0.5 is what most people want";
  EXPECT_EQ(resolved.knowledge.source, "t.json");
}

TEST(ResolveTask, StagesAreTiers) {
  const Table table = sea();
  const Precedence precedence(resolve_task(reef(), table, Context()).knowledge, table.names());
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      const auto stage = [](std::size_t column) { return column < 2 ? 0 : column < 5 ? 1 : 2; };
      const bool by_pair = (i == 0 && j == 1) || (i == 2 && j == 4);
      EXPECT_EQ(precedence.precedes(i, j), stage(i) < stage(j) || by_pair) << i << " " << j;
    }
  }
  const Knowledge free = task_knowledge(reef(), table.names(), false);
  EXPECT_TRUE(free.tiers.empty());
  EXPECT_EQ(free.before.size(), 3U);
}

TEST(ResolveTask, RolesAreDisjointAndNamesKnown) {
  Task task = reef();
  task.context.push_back("NEC");
  EXPECT_EQ(resolve_complaint(task),
            "t.json: 'NEC' stands in \"context\" and in \"outcome\". Give every variable one role only.");
  task = reef();
  task.context.push_back("Light");
  EXPECT_EQ(resolve_complaint(task), "t.json: 'Light' stands twice in \"context\". Give every variable one role only.");
  task = reef();
  task.context[0] = "Ligth";
  EXPECT_EQ(resolve_complaint(task),
            "t.json: There is no column 'Ligth', which \"context\" names, in sea.csv. Did you mean 'Light'?");
  task = reef();
  task.before.emplace_back("DIC", "everything");
  EXPECT_TRUE(
      contains(resolve_complaint(task), "There is no column 'everything', which \"before\" names, in sea.csv."));
  EXPECT_EQ(complaint([] {
              resolve_task(parse_task(R"({"alterable": {"DIC": [0, 1]}, "outcome": [], "desired": {}})", "t.json"),
                           sea(), Context());
            }),
            "t.json: The task names no outcome. List at least one column under \"outcome\".");
  task = reef();
  task.alterable.clear();
  EXPECT_TRUE(resolve_complaint(task).starts_with("t.json: The task names no variable that may be altered."));
  EXPECT_EQ(complaint([] {
              resolve_task(parse_task(R"({"alterable": {"DIC": [0, 1]}, "outcome": ["NEC"]})", "t.json"), sea(),
                           Context());
            }),
            "t.json: The task does not say where the outcomes are wanted. Give a range for each under \"desired\".");
}

TEST(ResolveTask, DomainsMustMakeSense) {
  Task task = reef();
  task.alterable[0] = {"DIC", 1.0, -1.0};
  EXPECT_EQ(resolve_complaint(task),
            "t.json: The domain of 'DIC' is [1, -1]: its least value is above its greatest. Exchange the two, or "
            "correct one of them.");
  task.alterable[0] = {"DIC", 0.0, kInfinity};
  EXPECT_TRUE(contains(resolve_complaint(task), "The domain of 'DIC' is [0, inf], but must have two finite ends."));
  task.alterable[0] = {"DIC", std::nan(""), 1.0};
  EXPECT_TRUE(contains(resolve_complaint(task), "The domain of 'DIC' is [nan, 1]"));
  task.alterable[0] = {"DIC", 0.25, 0.25};
  EXPECT_EQ(codes(check_task(task, sea(), Context())), Names{"fixed_domain"});
  EXPECT_EQ(codes(resolve_task(task, sea(), Context()).warnings), Names{});
}

// The columns end at 1 and have a standard deviation of 0.583.
TEST(ResolveTask, ADomainFarFromTheDataIsWarnedOf) {
  Task task = reef();
  task.alterable[0] = {"DIC", -1.0, 2.1};
  EXPECT_EQ(codes(resolve_task(task, sea(), Context()).warnings), Names{});
  task.alterable[0] = {"DIC", -1.0, 2.2};
  const ResolvedTask resolved = resolve_task(task, sea(), Context());
  ASSERT_EQ(codes(resolved.warnings), Names{"extrapolation"});
  EXPECT_EQ(resolved.warnings[0].where, "DIC");
  EXPECT_TRUE(contains(resolved.warnings[0].text,
                       "reaches 2.06 standard deviations beyond its values in the data, [-1, "
                       "1]."))
      << resolved.warnings[0].text;
}

TEST(ResolveTask, AnEmptyRegionIsATaskThatCannotBeSolved) {
  Task task = parse_task(reef_with("[0.5, null]", "[2, 0.5]"), "t.json");
  EXPECT_EQ(
      resolve_complaint(task, ErrorCategory::kTask),
      "t.json: The desired region is empty: nothing satisfies 'NEC >= 2' and 'NEC <= 0.5' at once. Correct one of "
      "them.");
  task = parse_task(reef_with("[0.5, null]", "[1, 1]"), "t.json");
  EXPECT_EQ(codes(resolve_task(task, sea(), Context()).warnings), Names{"flat_region"});
}

TEST(ResolveTask, CostsAndConstraintsMustMakeSense) {
  Task task = reef();
  task.cost = {{"DIC", -1.0}};
  EXPECT_EQ(resolve_complaint(task), "t.json: The cost of 'DIC' is -1. Give a finite number that is not negative.");
  task.cost = {{"DIk", 1.0}};
  EXPECT_EQ(resolve_complaint(task), "t.json: \"cost\" holds 'DIk', which is not alterable. Did you mean 'DIC'?");
  task = reef();
  task.constraints.push_back({{{"CO2", 1.0}}, 1.0});
  EXPECT_TRUE(contains(resolve_complaint(task), "Constraint 2 holds 'CO2', which is not alterable."));
  task = reef();
  task.constraints[0].max = std::nan("");
  EXPECT_TRUE(contains(resolve_complaint(task), "Constraint 1 holds a number that is not finite."));
  task = reef();
  task.max_alterations = 0;
  EXPECT_TRUE(contains(resolve_complaint(task), "\"max_alterations\" is 0."));
}

// DIC in [-1, 1] and TA in [-2, 2].
TEST(ResolveTask, ConstraintsMustLeaveADecision) {
  Task task = reef();
  task.constraints = {{{{"DIC", 1.0}, {"TA", 1.0}}, 3.0}, {{{"DIC", -1.0}, {"TA", -1.0}}, -3.0}};
  EXPECT_EQ(resolve_complaint(task), "");
  task.constraints.push_back({{{"TA", 1.0}}, 1.5});
  EXPECT_EQ(
      resolve_complaint(task, ErrorCategory::kTask),
      "t.json: The constraints 2 and 3 cannot be satisfied at once within the domains of the alterable variables. "
      "Widen a domain or loosen a constraint.");
  task.constraints = {{{{"TA", -2.0}}, -4.5}};
  EXPECT_TRUE(
      contains(resolve_complaint(task, ErrorCategory::kTask), "Constraint 1 cannot be satisfied within the domains"));
}

TEST(ResolveTask, PairsMustAgreeWithTheStagesAndEachOther) {
  Task task = reef();
  task.before.emplace_back("NEC", "DIC");
  EXPECT_EQ(
      resolve_complaint(task),
      "t.json: \"before\" puts 'NEC' before 'DIC', but 'NEC' is an outcome and 'DIC' is intermediate: the context "
      "comes first, then what is known before the levers, and the outcomes come last. Remove the pair, or change a "
      "role.");
  task = reef();
  task.before.emplace_back("Temp", "Light");
  EXPECT_TRUE(resolve_complaint(task).starts_with("t.json: The knowledge contradicts itself: Light -> Temp -> Light."))
      << resolve_complaint(task);
}

TEST(ResolveTask, AConstantOutcomeIsRefused) {
  Task task = reef();
  std::vector<double> values;
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t i = 0; i < 10; ++i) values.push_back(j == 5 ? 3.0 : static_cast<double>(i * (j + 1) % 7));
  }
  const Table table({"Light", "Temp", "DIC", "TA", "CO2", "NEC"}, values, "sea.csv");
  EXPECT_TRUE(contains(complaint([&] { resolve_task(task, table, Context()); }), "The outcome 'NEC' never changes"));
}

TEST(CheckTask, ListsEveryProblemTheMostSevereFirst) {
  const Task task = parse_task(R"({
    "context": ["Light"],
    "alterable": {"DIC": [1, 0], "TA": [0, 0]},
    "outcome": ["NEC"],
    "desired": {"NEC": [1, 0]},
    "observed": {"Temp": 1},
    "cost": {"TA": -1}
  })",
                               "t.json");
  const std::vector<Problem> problems = check_task(task, sea(), Context());
  EXPECT_EQ(codes(problems), (Names{"domain", "cost", "empty_region", "observed", "observed", "fixed_domain"}));
  EXPECT_EQ(problem_category(problems[0]), ErrorCategory::kData);
  EXPECT_EQ(problem_category(problems[2]), ErrorCategory::kTask);
  Task silent = reef();
  silent.observed.clear();
  EXPECT_EQ(codes(check_task(silent, sea(), Context())), Names{"no_observed"});
}

// Data on [-1, 1], range 2: up to 3 is near.
TEST(CheckTask, AnObservedValueFarFromTheDataIsWarnedOf) {
  Task task = parse_task(reef_with("\"Light\": 0.4", "\"Light\": 3"), "t.json");
  EXPECT_EQ(codes(check_task(task, sea(), Context())), Names{});
  task = parse_task(reef_with("\"Light\": 0.4", "\"Light\": -3.1"), "t.json");
  const std::vector<Problem> problems = check_task(task, sea(), Context());
  EXPECT_EQ(codes(problems), Names{"extrapolation"});
  EXPECT_EQ(problems[0].columns, Names{"Light"});
}

// An effect of the outcome: it explains what context and levers leave of it.
TEST(CheckTask, AColumnThatFollowsTheOutcomeIsNoted) {
  RandomStream random(4, "after");
  std::vector<std::vector<double>> columns(4);
  for (int i = 0; i < 200; ++i) {
    const double lever = random.normal();
    const double between = lever + random.normal();
    const double outcome = between + random.normal();
    const double bill = 3.0 * outcome + 0.1 * random.normal();
    for (std::size_t j = 0; j < 4; ++j) columns[j].push_back(std::vector<double>{lever, between, outcome, bill}[j]);
  }
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  const Table table({"lever", "between", "outcome", "bill"}, values);
  const std::string text =
      R"({"alterable": {"lever": [-1, 1]}, "outcome": ["outcome"], "desired": {"outcome": [0, null]}, "data": "d.csv"})";
  Task task = parse_task(text, "t.json");
  const std::vector<Problem> problems = check_task(task, table, Context());
  ASSERT_EQ(codes(problems), Names{"after_outcome"});
  EXPECT_EQ(problems[0].severity, Severity::kNote);
  EXPECT_EQ(problems[0].columns, Names{"bill"});
  ASSERT_EQ(problems[0].remedies.size(), 1U);
  EXPECT_EQ(problems[0].remedies[0].option, "after");
  EXPECT_EQ(problems[0].remedies[0].value, "bill");
  task.after = {"bill"};
  EXPECT_EQ(codes(check_task(task, without_unused(task, table), Context())), Names{});
}

// Vendor 1 to 4: nobody can tell from the numbers whether they are ordered.
TEST(CheckTask, WholeNumbersWithFewValuesAsLeverMayBeCodes) {
  RandomStream random(5, "codes");
  std::vector<double> values(400);
  for (std::size_t i = 0; i < 200; ++i) {
    values[i] = static_cast<double>(1 + random.below(4));
    values[200 + i] = values[i] + random.normal();
  }
  Column vendor;
  vendor.type = ColumnType::kOrdinal;
  const auto found = [&](const Column& about) {
    const Table table({"vendor", "price"}, values, "", {about, Column()});
    const std::string text =
        R"({"alterable": {"vendor": [1, 4]}, "outcome": ["price"], "desired": {"price": [3, null]}, "data": "d.csv"})";
    return check_task(parse_task(text, "t.json"), table, Context());
  };
  const std::vector<Problem> problems = found(vendor);
  ASSERT_EQ(codes(problems), Names{"ordered_codes"});
  EXPECT_EQ(problems[0].severity, Severity::kNote);
  EXPECT_EQ(problems[0].remedies.at(0).value, "vendor=category");
  vendor.declared = true;
  EXPECT_EQ(codes(found(vendor)), Names{}) << "the user has said what it is";
}

TEST(ReadContexts, ReadsTheDialectsOfTables) {
  using Rows = std::vector<std::vector<double>>;
  const Rows rows = {{1.5, -0.2}, {2.0, 3.0}};
  for (const std::string text : {"Light,Temp\n1.5,-0.2\n2,3\n", "sep=;\nLight;Temp\n1,5;-0,2\n2;3\n",
                                 "# seen today\nTemp\tLight\n-0.2\t1.5\n3\t2\n", "Light|Temp\r\n1.5|-0.2\r\n\r\n2|3"})
    EXPECT_EQ(parse_contexts(reef(), text, "c.csv", Context()), rows) << text;
}

TEST(ReadContexts, ValuesReplaceAndAddToWhatWasObserved) {
  using Rows = std::vector<std::vector<double>>;
  EXPECT_EQ(read_contexts(reef(), {}, Context()), (Rows{{0.4, -0.2}}));
  EXPECT_EQ(read_contexts(reef(), {{{"Temp", "7"}, {"Light", "0.1"}}, ""}, Context()), (Rows{{0.1, 7.0}}));
  EXPECT_EQ(read_contexts(reef(), {{{"Temp", "7"}}, ""}, Context()), (Rows{{0.4, 7.0}}));
  Task task = reef();
  task.observed.clear();
  EXPECT_EQ(read_contexts(task, {{{"Temp", "7"}, {"Light", "1.0"}}, ""}, Context()), (Rows{{1.0, 7.0}}));
  task.context.clear();
  EXPECT_EQ(read_contexts(task, {}, Context()), Rows{{}});
}

TEST(ReadContexts, RefusesWhatIsMissingExtraOrNoNumber) {
  const auto with_values = [](const std::vector<NamedWord>& values, ErrorCategory category) {
    Task task = reef();
    task.observed.clear();
    return complaint([&] { read_contexts(task, {values, ""}, Context()); }, category);
  };
  EXPECT_EQ(with_values({}, ErrorCategory::kData),
            "t.json: Nothing is known of the context (Light, Temp). Give its values (Task::observed), "
            "or have them drawn (UnknownPolicy::kDraw).");
  EXPECT_EQ(with_values({{"Light", "1.0"}}, ErrorCategory::kData),
            "t.json: There is no observed value of the context variable 'Temp'. Give one (Task::observed)"
            ", or have it drawn from what is known of the context (UnknownPolicy::kDraw).");
  EXPECT_EQ(with_values({{"Ligth", "1"}}, ErrorCategory::kUsage),
            "context: 'Ligth' is no context variable of the task. Did you mean 'Light'?");
  EXPECT_EQ(with_values({{"Light", "nan"}}, ErrorCategory::kUsage),
            "context: 'nan' is not a finite number, so that 'Light' has no value.");
  EXPECT_EQ(with_values({{"Light", "1"}, {"Light", "2"}}, ErrorCategory::kUsage),
            "context: 'Light' is given twice. Give it once.");

  Task extra = reef();
  extra.observed.push_back({"DIC", 1.0});
  EXPECT_TRUE(complaint([&] {
                read_contexts(extra, {}, Context());
              }).starts_with("t.json: \"observed\" holds 'DIC', which is no context variable."));
  Task nan = reef();
  nan.observed[0].value = std::nan("");
  EXPECT_TRUE(contains(complaint([&] { read_contexts(nan, {}, Context()); }), "The observed value of 'Light' is nan."));
}

class ContextsFile : public testing::Test {
 protected:
  std::vector<std::vector<double>> read(const std::string& content) const {
    folder_.write("c.csv", content);
    return read_contexts(reef(), {{}, folder_.file("c.csv")}, Context());
  }
  std::string refusal(const std::string& content) const {
    const std::string text = complaint([&] { read(content); });
    const std::string path = folder_.path() + "/";
    EXPECT_TRUE(text.starts_with(path)) << text;
    return text.substr(std::min(path.size(), text.size()));
  }
  test::TemporaryFolder folder_;
};

TEST_F(ContextsFile, IsMatchedByNameAndMayHoldOtherColumns) {
  using Rows = std::vector<std::vector<double>>;
  EXPECT_EQ(read("Temp,Light\n1,2\n3,4\n"), (Rows{{2.0, 1.0}, {4.0, 3.0}}));
  EXPECT_EQ(read("\xEF\xBB\xBFid;Temp;NEC;Light\r\n\"a;b\";1;;2\r\n\r\n"), (Rows{{2.0, 1.0}}));
}

TEST_F(ContextsFile, ComplaintsHaveLineAndColumn) {
  EXPECT_EQ(refusal("Temp,Ligth\n1,2\n"),
            "c.csv: There is no column 'Light', which is a context variable of the task. Did you mean it by 'Ligth'?");
  EXPECT_EQ(refusal("Temp,Light\n1,2\n3,hot\n"), "c.csv, line 3, column 'Light': 'hot' is not a number.");
  EXPECT_EQ(refusal("Temp,Light\n1,2\nNA,2\n"),
            "c.csv, line 3, column 'Temp': The value is missing or not finite. Every context needs a value of every "
            "context variable. Fill in the value, or have it drawn from what is known of the context "
            "(UnknownPolicy::kDraw).");
  EXPECT_EQ(refusal("Temp,Light\n1,2,3\n"), "c.csv, line 2: Expected 2 cells, as in the first line, but found 3.");
  EXPECT_EQ(refusal("Temp,Light\n1\n"), "c.csv, line 2: Expected 2 cells, as in the first line, but found 1.");
  EXPECT_EQ(refusal("Temp,Light\n"), "c.csv: There are no rows with contexts. Give at least one below the names.");
  EXPECT_EQ(refusal("Temp,Light,Temp\n1,2,3\n"), "c.csv: Two columns are called 'Temp'. Rename one of them.");
  EXPECT_EQ(refusal(""), "c.csv: There are no rows with contexts. Give at least one below the names.");
}

TEST_F(ContextsFile, StandsAlone) {
  folder_.write("c.csv", "Temp,Light\n1,2\n");
  EXPECT_EQ(
      complaint(
          [&] {
            read_contexts(reef(), {{{"Light", "1"}}, folder_.file("c.csv")}, Context());
          },
          ErrorCategory::kUsage),
      "contexts: A file of contexts and single observed values exclude each other. Put all values into the file.");
  Task task = reef();
  task.context.clear();
  EXPECT_TRUE(contains(complaint(
                           [&] {
                             read_contexts(task, {{}, folder_.file("c.csv")}, Context());
                           },
                           ErrorCategory::kUsage),
                       "The task has no context variables."));
  EXPECT_TRUE(contains(complaint(
                           [&] {
                             read_contexts(reef(), {{}, folder_.file("none.csv")}, Context());
                           },
                           ErrorCategory::kFile),
                       "none.csv: No such file"));
}

// Any text of these characters is a task, or an error of the right kind.
RC_GTEST_PROP(TaskProperty, ParsingNeverEndsInADefect, ()) {
  std::string text = kReef;
  const auto changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto length = *rc::gen::inRange<std::size_t>(0, 8);
    const auto piece = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("{}[]\",:0-1eNn/*\\ \n")));
    text.replace(at, length, piece.substr(0, 6));
  }
  try {
    const Task task = parse_task(text, "t.json");
    const std::string json = to_json(task).dump();
    RC_ASSERT(to_json(parse_task(json, "t.json")).dump() == json);
    check_task(task, sea(), Context());
  } catch (const Error& error) {
    RC_ASSERT(error.category() == ErrorCategory::kData);
  }
}

}  // namespace
}  // namespace olem::task_test
