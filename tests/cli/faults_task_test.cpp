#include "helpers.h"

namespace olem::test::faults_task_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kRows = 100;

// Columns with a range of about [-2.5, 2.5] and standard deviations near 1.
std::string sea() {
  Cells cells = cells_of(normal_table(kRows, 5, 1));
  cells[0] = {"light", "temp", "dic", "ta", "nec"};
  return csv_of(cells);
}

// A task about which there is nothing to say.
nlohmann::ordered_json good() {
  return nlohmann::ordered_json::parse(R"({
    "data": "sea.csv",
    "context": ["light", "temp"],
    "alterable": {"dic": [-1, 1], "ta": [-1, 1]},
    "outcome": ["nec"],
    "desired": {"nec": [0.5, 2]},
    "observed": {"light": 0.4, "temp": -0.2}
  })");
}

struct Checked {
  ProcessResult result;
  nlohmann::ordered_json json;
};

Checked check(const std::string& task, const std::vector<std::string>& arguments = {}) {
  const TemporaryFolder folder;
  folder.write("sea.csv", sea());
  folder.write("t.json", task);
  ProcessOptions options;
  options.folder = folder.path();
  Checked checked;
  checked.result = run_olem(joined({"check", "t.json", "--json"}, arguments), options);
  if (!checked.result.out.empty()) checked.json = parse_json(checked.result.out);
  return checked;
}

struct Fault {
  std::string name;
  std::string pointer;  // what of the good task is replaced
  std::string value;    // by what
  int exit_code;
  std::string code;
  std::string severity;
  std::string fragment;  // of the text or remedy
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

std::vector<Fault> faults() {
  return {
      {"two_roles", "/context", R"(["light", "temp", "nec"])", 3, "roles", "error",
       "'nec' stands in \"context\" and in \"outcome\"."},
      {"twice_in_a_role", "/outcome", R"(["nec", "nec"])", 3, "roles", "error", "'nec' stands twice in \"outcome\"."},
      {"unknown_name", "/context", R"(["light", "tepm"])", 3, "unknown_column", "error", "Did you mean 'temp'?"},
      {"no_outcome", "/outcome", "[]", 3, "no_outcome", "error", "The task names no outcome."},
      {"no_alterable", "/alterable", "{}", 3, "no_alterable", "error", "no variable that may be altered"},
      {"empty_region", "/desired/nec", "[2, 0.5]", 4, "empty_region", "error",
       "nothing satisfies 'nec >= 2' and 'nec <= 0.5' at once"},
      {"empty_polytope", "/desired", R"({"M": [[1], [3], [-1]], "d": [9, 3, -2]})", 4, "empty_region", "error",
       "nothing satisfies row 2 (3 nec <= 3) and row 3 (-nec <= -2) at once"},
      {"impossible_zero_row", "/desired", R"({"M": [[1], [0]], "d": [1, -1]})", 4, "empty_region", "error",
       "nothing satisfies row 2 (0 <= -1)"},
      {"flat_region", "/desired/nec", "[1, 1]", 0, "flat_region", "warning", "with probability 0"},
      {"one_sided_region", "/desired/nec", "[0.8, null]", 0, "unbounded_region", "warning",
       "success is still judged by the whole region"},
      {"far_region", "/desired/nec", "[100, 101]", 0, "far_region", "warning", "outside of the data"},
      {"zero_rows", "/desired", R"({"M": [[0], [0]], "d": [1, 2]})", 3, "not_a_task", "error", "holds only zeros"},
      {"nan_in_region", "/desired", R"({"M": [["nan"]], "d": [1]})", 3, "not_a_task", "error", "\"M\" is [[\"nan\"]]"},
      {"wrong_width", "/desired", R"({"M": [[1, 2]], "d": [1]})", 3, "not_a_task", "error",
       "Row 1 of \"M\" has 2 numbers, but there is 1 outcome"},
      {"domain_reversed", "/alterable/dic", "[1, -1]", 3, "domain", "error", "[1, -1]: its least value is above"},
      {"domain_open", "/alterable/dic", "[null, 1]", 3, "not_a_task", "error", "The domain of 'dic' is [null,1]"},
      {"domain_text", "/alterable/dic", R"(["nan", 1])", 3, "not_a_task", "error", "The domain of 'dic'"},
      {"domain_fixed", "/alterable/dic", "[0.5, 0.5]", 0, "fixed_domain", "note", "has the one value 0.5"},
      {"domain_far", "/alterable/dic", "[-50, 1]", 0, "extrapolation", "warning", "standard deviations beyond"},
      {"context_missing", "/observed", R"({"light": 1})", 3, "observed", "error",
       "no observed value of the context variable 'temp'"},
      {"context_extra", "/observed/dic", "1", 3, "observed", "error", "'dic', which is no context variable"},
      {"context_text", "/observed/temp", "\"warm\"", 3, "not_a_task", "error",
       "'temp' in \"observed\" is \"warm\", but must be a number"},
      {"context_null", "/observed/temp", "null", 3, "not_a_task", "error", "'temp' in \"observed\" is null"},
      {"context_far", "/observed/temp", "40", 0, "extrapolation", "warning",
       "The observed value of 'temp', 40, lies far outside"},
      {"negative_cost", "/cost", R"({"dic": -2})", 3, "cost", "error", "The cost of 'dic' is -2."},
      {"cost_of_context", "/cost", R"({"light": 2})", 3, "cost", "error", "'light', which is not alterable"},
      {"constraint_on_outcome", "/constraints", R"([{"weights": {"nec": 1}, "max": 0}])", 3, "constraint", "error",
       "Constraint 1 holds 'nec', which is not alterable"},
      {"constraints_without_solution", "/constraints",
       R"([{"weights": {"dic": 1}, "max": 5}, {"weights": {"dic": -1, "ta": -1}, "max": -3}])", 4,
       "no_feasible_decision", "error", "Constraint 2 cannot be satisfied within the domains"},
      {"before_against_stages", "/before", R"([["nec", "light"]])", 3, "stages", "error",
       "'nec' is an outcome and 'light' is context"},
      {"before_in_a_circle", "/before", R"([["dic", "ta"], ["ta", "dic"]])", 3, "stages", "error", "dic -> ta -> dic"},
      {"unknown_key", "/desire", "{}", 3, "not_a_task", "error", "Did you mean \"desired\"?"},
      {"no_data", "/data", "\"\"", 3, "no_data", "error", "The task names no table."},
  };
}

class TaskFault : public testing::TestWithParam<Fault> {};

TEST_P(TaskFault, HasItsAnswer) {
  const Fault& fault = GetParam();
  nlohmann::ordered_json task = good();
  task[nlohmann::ordered_json::json_pointer(fault.pointer)] = nlohmann::ordered_json::parse(fault.value);
  const Checked checked = check(task.dump(2));
  EXPECT_EQ(checked.result.exit_code, fault.exit_code) << checked.result.err;
  EXPECT_EQ(checked.result.err, "");
  ASSERT_EQ(checked.json["problems"].size(), 1U) << checked.json["problems"].dump(2);
  const auto& problem = checked.json["problems"][0];
  EXPECT_EQ(problem["code"], fault.code);
  EXPECT_EQ(problem["severity"], fault.severity);
  EXPECT_THAT(problem["text"].get<std::string>() + " " + problem["remedy"].get<std::string>(),
              HasSubstr(fault.fragment));
  // Wrong shapes are found in the text of the file, which has a name.
  if (fault.code == "not_a_task") {
    EXPECT_THAT(problem["text"].get<std::string>(), ::testing::StartsWith("t.json"));
  }
}

INSTANTIATE_TEST_SUITE_P(CheckVerb, TaskFault, testing::ValuesIn(faults()),
                         [](const auto& tested) { return tested.param.name; });

TEST(CheckTaskVerb, FindsNothingInAGoodTask) {
  const Checked checked = check(good().dump());
  EXPECT_EQ(checked.result.exit_code, 0);
  EXPECT_EQ(checked.json["problems"].dump(), "[]");
  EXPECT_EQ(checked.json["task"].dump(), R"({"source":"t.json"})");
  EXPECT_EQ(checked.json["data"].dump(), R"({"source":"sea.csv","rows":100,"columns":5})");
}

TEST(CheckTaskVerb, BadInputOutweighsAnImpossibleTask) {
  nlohmann::ordered_json task = good();
  task["desired"]["nec"] = {2, 1};
  task["alterable"]["dic"] = {2, 1};
  EXPECT_EQ(check(task.dump()).result.exit_code, 3);
}

TEST(CheckTaskVerb, WarningsFailOnlyWithStrict) {
  nlohmann::ordered_json task = good();
  task["desired"]["nec"] = {0.5, nullptr};
  EXPECT_EQ(check(task.dump()).result.exit_code, 0);
  EXPECT_EQ(check(task.dump(), {"--strict"}).result.exit_code, 3);
}

TEST(CheckTaskVerb, ReadsAsAPersonWould) {
  const TemporaryFolder folder;
  folder.write("sea.csv", sea());
  nlohmann::ordered_json task = good();
  task["desired"]["nec"] = {2, 1};
  folder.write("t.json", "// by night\n" + task.dump());
  ProcessOptions options;
  options.folder = folder.path();
  EXPECT_EQ(run_olem({"check", "t.json"}, options).out,
            "t.json with sea.csv: 1 to mend, 0 to know about.\n\nerror: empty_region\n  The desired region is empty: "
            "nothing satisfies 'nec >= 2' and 'nec <= 1' at once. Correct one of\n  them.\n");
}

TEST(CheckTaskVerb, TheDataMayBeGivenBesideTheTask) {
  const TemporaryFolder folder;
  Cells cells = cells_of(normal_table(kRows, 5, 2));
  cells[0] = {"light", "temp", "dic", "ta", "yield"};
  folder.write("other.csv", csv_of(cells));
  folder.write("t.json", good().dump());
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem({"check", "other.csv", "t.json", "--json"}, options);
  EXPECT_EQ(result.exit_code, 3);
  const auto json = parse_json(result.out);
  EXPECT_EQ(json["data"]["source"], "other.csv");
  ASSERT_EQ(json["problems"].size(), 1U);
  EXPECT_THAT(json["problems"][0]["text"].get<std::string>(),
              HasSubstr("There is no column 'nec', which \"outcome\" names, in other.csv."));

  const ProcessResult reversed = run_olem({"check", "t.json", "other.csv"}, options);
  EXPECT_EQ(reversed.exit_code, 2);
  EXPECT_EQ(reversed.err, "olem: t.json is a task, but the first of two files must be the data.\n");
}

TEST(CheckTaskVerb, PathsAreRelativeToTheTask) {
  const TemporaryFolder folder;
  ProcessOptions options;
  options.folder = folder.path();
  ASSERT_EQ(run_olem({"simulate", "bermuda", "-o", "reef"}, options).exit_code, 0);
  const ProcessResult result = run_olem({"check", "reef/task.json"}, options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "reef/task.json with reef/data.csv: no problems found.\n");
}

TEST(CheckTaskVerb, ProblemsOfTheDataComeToo) {
  const TemporaryFolder folder;
  Cells cells = cells_of(normal_table(20, 5, 2));
  cells[0] = {"light", "temp", "dic", "ta", "nec"};
  folder.write("sea.csv", csv_of(cells));
  nlohmann::ordered_json task = good();
  task["cost"] = {{"dic", -1}};
  folder.write("t.json", task.dump());
  ProcessOptions options;
  options.folder = folder.path();
  const auto json = parse_json(run_olem({"check", "t.json", "--json"}, options).out);
  std::vector<std::string> codes;
  for (const auto& problem : json["problems"]) codes.push_back(problem["code"]);
  EXPECT_THAT(codes, ElementsAre("cost", "few_rows"));
}

TEST(CheckTaskVerb, MissingDataIsAFileErrorAndTheTaskIsNeverOverwritten) {
  const TemporaryFolder folder;
  folder.write("t.json", good().dump());
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult missing = run_olem({"check", "t.json"}, options);
  EXPECT_EQ(missing.exit_code, 5);
  EXPECT_EQ(missing.err, "olem: Cannot read sea.csv: No such file or directory.\n");
  const ProcessResult onto = run_olem({"check", "t.json", "-o", "t.json", "--force"}, options);
  EXPECT_EQ(onto.exit_code, 2);
  EXPECT_EQ(read_text(folder.file("t.json")), good().dump());
}

}  // namespace
}  // namespace olem::test::faults_task_test
