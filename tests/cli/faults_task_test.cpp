#include "faults.h"

namespace olem::test::faults_task_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
  expect_sound_advice({"check"}, checked.result);
  if (!checked.result.out.empty()) checked.json = parse_json(checked.result.out);
  return checked;
}

struct Change {
  std::string name;
  std::string pointer;  // what of the good task is replaced
  std::string value;    // by what
  int exit_code;
  std::string code;
  std::string severity;
  std::string fragment;  // of the text or remedy
};

void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

std::vector<Change> changes() {
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
      {"far_region", "/desired/nec", "[100, 101]", 0, "far_region", "warning", "outside of the data"},
      {"bound_beyond_numbers", "/desired/nec", "[1e308, null]", 3, "not_a_task", "error", "beyond 1e+150"},
      {"row_beyond_numbers", "/desired", R"({"M": [[1e-9]], "d": [1e18]})", 3, "not_a_task", "error", "beyond 1e+15"},
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
      {"context_silent", "/observed", "{}", 3, "no_observed", "error", "Give its values"},
      {"context_extra", "/observed/dic", "1", 3, "observed", "error", "'dic', which is no context variable"},
      {"context_text", "/observed/temp", "\"warm\"", 3, "observed", "error", "The observed value of 'temp' is warm."},
      {"context_flag", "/observed/temp", "true", 3, "observed", "error", "The observed value of 'temp' is true."},
      {"context_list", "/observed/temp", "[1]", 3, "not_a_task", "error", "'temp' in \"observed\" is [1], but must be"},
      {"columns_no_object", "/columns", "[]", 3, "not_a_task", "error", "\"columns\" is [], but must be an object"},
      {"column_type_unknown", "/columns", R"({"temp": "reel"})", 3, "not_a_task", "error", "Did you mean \"real\"?"},
      {"column_unknown", "/columns", R"({"tepm": "real"})", 3, "columns", "error", "Did you mean 'temp'?"},
      {"column_contradicted", "/columns", R"({"temp": "binary"})", 3, "columns", "error",
       "'temp' is declared as binary, but has"},
      {"reading_unknown", "/reading", R"({"missings": "drop"})", 3, "not_a_task", "error", "Did you mean \"missing\"?"},
      {"reading_nonsense", "/reading", R"({"missing": "ignore"})", 3, "not_a_task", "error",
       "'ignore' is neither error, drop nor impute"},
      {"reading_imputations", "/reading", R"({"imputations": 0})", 3, "not_a_task", "error",
       "'0' is not a whole number from 1 to 60"},
      {"name_no_text", "/name", "3", 3, "not_a_task", "error", "\"name\" is 3, but must be a text"},
      {"level_desired", "/desired/nec", "\"good\"", 3, "desired", "error",
       "Single values are desired of 'nec', which is a real column and has no levels."},
      {"desired_null", "/desired/nec", "null", 3, "not_a_task", "error", "What is desired of 'nec' is null"},
      {"desired_ends", "/desired/nec", R"({"min": 1})", 3, "not_a_task", "error", "for at least 0.5, [0.5, null]"},
      {"key_by_another_word", "/lever", "[]", 3, "not_a_task", "error", "Did you mean \"alterable\"?"},
      {"role_left_out", "/reading", R"({"drop_columns": ["dic"]})", 3, "unknown_column", "error",
       "\"alterable\" names 'dic', which \"drop_columns\" in \"reading\" leaves out."},
      {"role_not_chosen", "/reading", R"({"columns": ["light", "temp", "ta", "nec"]})", 3, "unknown_column", "error",
       "\"alterable\" names 'dic', which \"columns\" in \"reading\" lacks."},
      {"domain_of_words", "/alterable/dic", R"(["low", "high"])", 3, "not_a_task", "error",
       "{\"values\": [\"off\", \"on\"]}"},
      {"desired_key", "/desired/nec", R"({"value": [1]})", 3, "not_a_task", "error", "Did you mean \"values\"?"},
      {"domain_word", "/alterable/dic", R"({"values": ["high"]})", 3, "domain", "error",
       "'high' in the domain of 'dic' is no value of a real column."},
      {"domain_all_levels", "/alterable/dic", "{}", 3, "domain", "error", "must have two finite ends"},
      {"domain_step", "/alterable/dic", R"({"min": 0, "max": 1, "step": -1})", 3, "not_a_task", "error",
       "\"step\" of 'dic' is -1, but must be above 0."},
      {"domain_fine_step", "/alterable/dic", R"({"min": 0, "max": 1, "step": 1e-7})", 3, "domain", "error",
       "has 1e+07 values, more than 10000."},
      {"domain_key", "/alterable/dic", R"({"low": 0, "max": 1})", 3, "not_a_task", "error", "The key \"low\" is not"},
      {"constraint_level", "/constraints", R"([{"weights": {"dic=high": 1}, "max": 0}])", 3, "constraint", "error",
       "'high' is no level of 'dic'. It has no levels."},
      {"context_null", "/observed/temp", "null", 3, "observed", "error",
       "no observed value of the context variable 'temp'"},
      {"context_null_of_none", "/observed/dic", "null", 3, "observed", "error", "'dic', which is no context variable"},
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

nlohmann::ordered_json changed_task(const Change& change) {
  nlohmann::ordered_json task = good();
  task[nlohmann::ordered_json::json_pointer(change.pointer)] = nlohmann::ordered_json::parse(change.value);
  return task;
}

class TaskFault : public testing::TestWithParam<Change> {};

TEST_P(TaskFault, IsFoundByCheck) {
  const Change& fault = GetParam();
  const nlohmann::ordered_json task = changed_task(fault);
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

// Decides with little work.
std::vector<std::string> decide_quickly(const std::vector<std::string>& arguments = {}) {
  return joined({"decide", "t.json", "--sampler", "linear", "--draws", "100", "--judge-draws", "200", "--steps", "20",
                 "--restarts", "0", "--screen", "0", "--ascent-steps", "2"},
                arguments);
}

Files sea_and(const nlohmann::ordered_json& task) { return {{"sea.csv", sea()}, {"t.json", task.dump(2)}}; }

TEST_P(TaskFault, HasTheSameAnswerFromDecide) {
  const Change& change = GetParam();
  if (change.severity == "note") return;
  const nlohmann::ordered_json task = changed_task(change);
  const Answer answer = change.exit_code != 0 ? Answer(change.exit_code) : Answer(change.code.c_str());
  expect_answer({change.name, sea_and(task), decide_quickly(), answer, {change.fragment}, ""});
}

INSTANTIATE_TEST_SUITE_P(CheckVerb, TaskFault, testing::ValuesIn(changes()),
                         [](const auto& tested) { return tested.param.name; });

// A good task, and something wrong with what is given beside it.
std::vector<Fault> faults() {
  std::vector<Fault> all;
  const auto with = [&](const std::string& name, const std::string& flag, const std::string& content,
                        const Answer& answer, const std::vector<std::string>& fragments) {
    Files files = sea_and(good());
    files.emplace_back("given.txt", content);
    all.push_back({name, files, decide_quickly({flag, "given.txt"}), answer, fragments, ""});
  };
  with("order_lacks_a_name", "--order", "light\ntemp\ndic\nta\n", 3, {"given.txt: ", "'nec'"});
  with("order_repeats_a_name", "--order", "light\ntemp\ndic\nta\nnec\nta\n", 3, {"given.txt, line 6", "'ta'"});
  with("order_with_another_name", "--order", "light\ntmep\ndic\nta\nnec\n", 3,
       {"given.txt: ", "'tmep'", "Did you mean 'temp'?"});
  with("order_against_the_stages", "--order", "light\ntemp\nnec\ndic\nta\n", "order_contradicts_stages",
       {"dic before nec, ta before nec"});
  with("graph_with_a_cycle", "--graph", "from,to\ndic,ta\nta,nec\nnec,dic\n", 3,
       {"given.txt: The graph has a cycle: dic -> ta -> nec -> dic."});
  with("graph_with_opposite_edges", "--graph", "from,to\ndic,ta\nta,dic\n", 3,
       {"given.txt, line 3: The graph has a cycle: ta -> dic -> ta"});
  with("graph_with_a_loop", "--graph", "from,to\ndic,dic\n", 3, {"given.txt, line 2", "leads from a node to itself"});
  with("graph_with_an_edge_twice", "--graph", "from,to\nlight,nec\nlight,nec\n", 3, {"line 3", "two edges between"});
  with("graph_with_another_name", "--graph", "from,to\nlight,necc\n", 3, {"given.txt: ", "Did you mean 'nec'?"});
  with("graph_with_a_weight_not_finite", "--graph",
       "light,temp,dic,ta,nec\n0,0,nan,0,0\n0,0,0,0,0\n0,0,0,0,1\n0,0,0,0,0\n0,0,0,0,0\n", 3,
       {"given.txt, line 2: The entry 'nan' from 'light' to 'dic' is not a finite number."});
  with("contexts_lack_a_column", "--contexts", "light\n1\n", 3, {"given.txt: There is no column 'temp'"});
  with("contexts_with_a_hole", "--contexts", "light,temp\n1,NA\n", 3, {"given.txt, line 2, column 'temp'", "missing"});
  with("contexts_with_text", "--contexts", "light,temp\n1,warm\n", 3,
       {"line 2, column 'temp': 'warm' is not a number"});
  with("contexts_without_rows", "--contexts", "light,temp\n", 3, {"given.txt: There are no rows with contexts."});
  with("contexts_far_outside", "--contexts", "light,temp\n1,90\n0,0\n", "extrapolation", {"'temp', 90"});

  const auto flags = [&](const std::string& name, const std::vector<std::string>& values, const std::string& fragment) {
    std::vector<std::string> arguments;
    for (const std::string& value : values) arguments = joined(arguments, {"--context", value});
    all.push_back({name, sea_and(good()), decide_quickly(arguments), 2, {"olem: --context: " + fragment}, ""});
  };
  flags("context_with_another_name", {"tmep=1"}, "'tmep' is no context variable of the task. Did you mean 'temp'?");
  flags("context_of_an_alterable", {"dic=1"}, "'dic' is no context variable");
  flags("context_not_finite", {"temp=nan"}, "'nan' is not a finite number");
  flags("context_of_text", {"temp=warm"}, "'warm' is not a finite number");
  flags("context_twice", {"light=1", "light=2"}, "'light' is given twice.");

  nlohmann::ordered_json unknown = good();
  unknown.erase("observed");
  all.push_back(
      {"context_not_given", sea_and(unknown), decide_quickly(), 3, {"t.json: Nothing is known of the context"}, ""});
  return all;
}

class GivenFault : public testing::TestWithParam<Fault> {};

TEST_P(GivenFault, HasItsAnswer) { expect_answer(GetParam()); }

INSTANTIATE_TEST_SUITE_P(DecideVerb, GivenFault, testing::ValuesIn(faults()), fault_name);

nlohmann::ordered_json decide_in(const TemporaryFolder& folder, const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem(joined(arguments, {"--json", "-q"}), options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(result.out)["decisions"][0];
}

// Statuses are results: something is answered, and what it is worth is said.
TEST(TaskStatus, SaysWhatThereIsToKnow) {
  const TemporaryFolder folder;
  for (const auto& [name, content] : sea_and(good())) folder.write(name, content);
  folder.write("idle.csv", "from,to\nlight,nec\ntemp,dic\n");
  const auto idle = decide_in(folder, decide_quickly({"--graph", "idle.csv"}));
  EXPECT_EQ(idle["status"], "no_influence");
  EXPECT_EQ(idle["success_probability"], idle["without_action"]);
  for (const auto& [variable, value] : idle["alterations"].items()) EXPECT_TRUE(value.is_null()) << variable;

  const auto likely = decide_in(folder, decide_quickly({"--target", "0.01"}));
  EXPECT_EQ(likely["status"], "already_likely");
  EXPECT_THAT(likely["message"].get<std::string>(),
              testing::StartsWith("The target of 1 % is reached without action."));
  EXPECT_GE(likely["success_probability"].get<double>(), likely["without_action"].get<double>());

  EXPECT_EQ(decide_in(folder, decide_quickly({"--context", "temp=90"}))["extrapolation"], true);
  EXPECT_EQ(decide_in(folder, decide_quickly())["extrapolation"], false);
  EXPECT_EQ(decide_in(folder, decide_quickly({"--context", "temp=1e300"}))["status"], "unreliable");

  nlohmann::ordered_json flat = good();
  flat["desired"]["nec"] = {1, 1};
  folder.write("t.json", flat.dump());
  EXPECT_EQ(decide_in(folder, decide_quickly())["success_probability"], 0.0);
}

TEST(TaskStatus, NoInfluenceIsAnErrorWithStrict) {
  Files files = sea_and(good());
  files.emplace_back("idle.csv", "from,to\nlight,nec\ntemp,dic\n");
  expect_refusal({"",
                  files,
                  decide_quickly({"--graph", "idle.csv", "--strict"}),
                  4,
                  {"t.json: No alterable variable can change an outcome"},
                  ""});
}

TEST(CheckTaskVerb, FindsNothingInAGoodTask) {
  const Checked checked = check(good().dump());
  EXPECT_EQ(checked.result.exit_code, 0);
  EXPECT_EQ(checked.json["problems"].dump(), "[]");
  EXPECT_EQ(checked.json["task"].dump(), R"({"source":"t.json"})");
  EXPECT_EQ(checked.json["data"].dump(), R"({"source":"sea.csv","rows":100,"columns":5})");
}

// Whatever decide refuses is something to mend for check, also what only learning finds out, and nothing else is.
TEST(CheckTaskVerb, FindsSomethingToMendWhereDecideRefuses) {
  const auto table = [](std::size_t rows, double scale) {
    Cells cells = cells_of(normal_table(rows, 5, 1));
    cells[0] = {"light", "temp", "dic", "ta", "nec"};
    for (std::size_t i = 1; i < cells.size(); ++i) cells[i][3] = fmt::format("{}", scale * std::stod(cells[i][3]));
    return csv_of(cells);
  };
  struct Case {
    std::string data;
    std::vector<std::string> arguments = {};
  };
  std::size_t refused = 0;
  const std::vector<Case> cases = {{table(100, 1.0)},
                                   {table(2, 1.0)},
                                   {table(3, 1.0)},
                                   {table(10, 1.0)},
                                   {table(100, 0.0)},
                                   {table(100, 1e200)},
                                   {table(100, 0.0), {"--constant", "drop"}}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.data.substr(0, 120));
    const TemporaryFolder folder;
    folder.write("sea.csv", each.data);
    folder.write("t.json", good().dump());
    ProcessOptions options;
    options.folder = folder.path();
    const ProcessResult checked = run_olem(joined({"check", "t.json"}, each.arguments), options);
    const ProcessResult decided = run_olem(decide_quickly(each.arguments), options);
    EXPECT_EQ(checked.exit_code, decided.exit_code) << checked.out << checked.err << decided.err;
    if (decided.exit_code == 0) continue;
    ++refused;
    EXPECT_THAT(checked.out, testing::Not(HasSubstr(": 0 errors")));
  }
  // Constant columns, with and without leaving one out that the task names, and a table of two rows at least.
  EXPECT_GE(refused, 3U);
  EXPECT_LT(refused, cases.size());
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
  EXPECT_EQ(check(task.dump(), {"--strict"}).result.exit_code, 0);  // to want at least so much is nothing to warn of
  task["desired"]["nec"] = {0.5, 0.5};
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
  EXPECT_THAT(run_olem({"check", "t.json"}, options).out,
              StartsWith("t.json with sea.csv: 1 error, 0 other findings.\n\nerror: empty_region\n  The desired region "
                         "is empty: nothing satisfies 'nec >= 2' and 'nec <= 1' at once. Correct one of\n  them.\n"));
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
  EXPECT_THAT(result.out, StartsWith("reef/task.json with reef/data.csv: no problems found.\n"));
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
