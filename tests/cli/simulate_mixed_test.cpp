// olem simulate mixed and olem simulate evaluate as a person uses them.
#include "faults.h"
#include "helpers.h"

namespace olem::test::simulate_mixed_test {
namespace {

// NAME=VALUE of each, as flags.
std::vector<std::string> assignments(const std::string& flag, const Json& values) {
  std::vector<std::string> words;
  for (const auto& [name, value] : values.items()) {
    words.push_back(flag);
    words.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return words;
}

TEST(CliSimulateMixed, WritesATableWithWordsATaskAndItsTruth) {
  const TemporaryFolder folder;
  const std::vector<std::string> command = {"simulate",  "mixed", "--seed",   "4", "--rows", "300",
                                            "--missing", "0.1",   "--rounds", "6", "--json", "-o"};
  const ProcessResult run = run_olem(joined(command, {folder.file("a")}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = parse_json(run.out);
  EXPECT_EQ(json["kind"], "mixed");
  EXPECT_EQ(json["rows"], 300);
  EXPECT_EQ(json["columns"], 12);
  EXPECT_GE(json["best"].get<double>(), 0.2);
  ASSERT_EQ(run_olem(joined(command, {folder.file("b"), "--threads", "1"})).exit_code, 0);
  for (const std::string file : {"data.csv", "graph.csv", "truth.json", "task.json", "contexts.csv"})
    EXPECT_EQ(read_text(folder.file("a/" + file)), read_text(folder.file("b/" + file))) << file;

  const Json task = Json::parse(read_text(folder.file("a/task.json")));
  EXPECT_EQ(task["columns"].size(), 12U);
  EXPECT_EQ(task["alterable"].size(), 3U);
  const std::string data = read_text(folder.file("a/data.csv"));
  EXPECT_EQ(std::count(data.begin(), data.end(), '\n'), 301);
  EXPECT_THAT(data, testing::HasSubstr(",,"));
  const std::string contexts = read_text(folder.file("a/contexts.csv"));
  EXPECT_EQ(std::count(contexts.begin(), contexts.end(), '\n'), 7);
  // The types are declared, so that the table is read as it was drawn.
  std::vector<std::string> check = {"order", folder.file("a/data.csv"), "--missing", "drop", "-q", "--json"};
  for (const auto& [name, column] : task["columns"].items()) {
    check.push_back("--type");
    check.push_back(name + "=" + (column.is_string() ? column.get<std::string>() : column["type"].get<std::string>()));
  }
  const ProcessResult order = run_olem(check);
  ASSERT_EQ(order.exit_code, 0) << order.err;
  EXPECT_EQ(run_olem(joined(command, {folder.file("a")})).exit_code, 5) << "an existing folder was replaced";
}

TEST(CliSimulateMixed, EvaluatesDecisionsWithTheTruth) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_olem({"simulate", "mixed", "--seed", "4", "--rows", "50", "-o", folder.file("a")}).exit_code, 0);
  const Json truth = Json::parse(read_text(folder.file("a/truth.json")));
  const Json& best = truth["best"][1];
  const std::vector<std::string> context =
      joined({"simulate", "evaluate", folder.file("a/truth.json")}, assignments("--context", best["observed"]));
  const ProcessResult run = run_olem(joined(joined(context, assignments("--set", best["alterations"])), {"--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = parse_json(run.out);
  EXPECT_NEAR(json["success"].get<double>(), best["success"].get<double>(), 0.035);
  EXPECT_NEAR(json["without_action"].get<double>(), best["without_action"].get<double>(), 0.035);
  EXPECT_NEAR(json["best"]["success"].get<double>(), best["success"].get<double>(), 0.035);
  EXPECT_EQ(json["context"].size(), best["observed"].size());
  const ProcessResult text = run_olem(context);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, testing::HasSubstr("True probability of success: "));
  EXPECT_THAT(text.out, testing::HasSubstr("Best decision at once that was found: "));

  const auto refuse = [&](const std::vector<std::string>& words, int code, const std::string& part) {
    const ProcessResult refused = run_olem(words);
    EXPECT_EQ(refused.exit_code, code) << refused.err;
    EXPECT_THAT(refused.err, testing::HasSubstr(part));
    EXPECT_EQ(refused.out, "");
  };
  const std::string file = folder.file("a/truth.json");
  refuse({"simulate", "evaluate", file}, 2, "has no value");
  refuse(joined(context, {"--set", "Q=1"}), 2, "no node 'Q'");
  refuse(joined(context, {"--set", "Z1"}), 2, "not a name and a value");
  refuse(joined(context, {"--draws", "0"}), 2, "--draws");
  refuse({"simulate", "evaluate", folder.file("a/task.json")}, 3, "has no \"format\"");
  refuse({"simulate", "evaluate", folder.file("none.json")}, 5, "none.json");
  refuse({"simulate", "evaluate"}, 2, "TRUTH");
  ASSERT_EQ(run_olem({"simulate", "order", "--rows", "50", "-o", folder.file("order")}).exit_code, 0);
  refuse({"simulate", "evaluate", folder.file("order/truth.json")}, 3, "There is no task in this truth");
}

class MixedFault : public testing::TestWithParam<Fault> {};

TEST_P(MixedFault, IsRefusedWithoutATrace) { expect_refusal(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, MixedFault,
    testing::Values(
        Fault{"no_folder", {}, {"simulate", "mixed", "-o", ""}, 2, {"-o is missing"}},
        Fault{"few_variables", {}, {"simulate", "mixed", "--variables", "5", "-o", "m"}, 2, {"--variables", "from 6"}},
        Fault{"index",
              {},
              {"simulate", "mixed", "--index", "1099511627776", "-o", "m"},
              2,
              {"--index", "from 0 to 1099511627775"}},
        Fault{"index_of_another_kind",
              {},
              {"simulate", "auf", "--index", "9000000000000000000", "-o", "m"},
              2,
              {"--index"}},
        Fault{"no_rows", {}, {"simulate", "mixed", "--rows", "1", "-o", "m"}, 2, {"--rows"}},
        Fault{
            "missing_share", {}, {"simulate", "mixed", "--missing", "1", "-o", "m"}, 2, {"--missing", "from 0 to 0.9"}},
        Fault{"unknown_type",
              {},
              {"simulate", "mixed", "--types", "ordinal=1", "-o", "m"},
              2,
              {"--types", "'ordinal'", "real"}},
        Fault{
            "type_without_share", {}, {"simulate", "mixed", "--types", "real", "-o", "m"}, 2, {"--types", "real=0.5"}},
        Fault{"share_above_one",
              {},
              {"simulate", "mixed", "--types", "real=2", "-o", "m"},
              2,
              {"--types", "from 0 to 1"}},
        Fault{"type_twice", {}, {"simulate", "mixed", "--types", "real=1,real=1", "-o", "m"}, 2, {"--types", "twice"}},
        Fault{"no_numeric_type",
              {},
              {"simulate", "mixed", "--types", "binary=1", "-o", "m"},
              2,
              {"--types", "no numeric type"}},
        Fault{"memory",
              {},
              {"simulate", "mixed", "--rows", "10000000", "--memory", "1G", "-o", "m"},
              6,
              {"table needs about"}},
        Fault{"a_file_in_its_place",
              {{"m", "mine"}},
              {"simulate", "mixed", "-o", "m"},
              5,
              {"something else with this name"}}),
    fault_name);

}  // namespace
}  // namespace olem::test::simulate_mixed_test
