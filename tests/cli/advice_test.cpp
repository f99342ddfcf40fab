#include "advice.h"

namespace olem::test::advice_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

// The checks of this file and of the tables of faults can fail.
TEST(Advice, WhatAVerbLacksIsFound) {
  EXPECT_THAT(unknown_advice({"decide"}, "Say what you know (--tier NAMES)."), ElementsAre("--tier"));
  EXPECT_THAT(unknown_advice({"order"}, "Say what you know (--tier NAMES)."), ElementsAre());
  EXPECT_THAT(unknown_advice({"check"}, "Choose (--ties NAME)."), ElementsAre("--ties"));
  EXPECT_THAT(unknown_advice({"check"}, "Choose (--ties NAME of olem order)."), ElementsAre());
  EXPECT_THAT(unknown_advice({"check"}, "Choose (--tiess NAME of olem order)."), ElementsAre("--tiess"));
  EXPECT_THAT(unknown_advice({"decide"}, "Say so: \"befor\" in the task."), ElementsAre("befor"));
  EXPECT_THAT(unknown_advice({"simulate", "auf"}, "Draw denser graphs (--density NUMBER)."), ElementsAre());
  EXPECT_THAT(unknown_advice({"order"}, "Column '--seeds' equals column 'a'."), ElementsAre());
  EXPECT_THAT(flags_in("a (--k 3), or b (--ties NAME of olem order)."),
              ElementsAre(Pair("--k", ""), Pair("--ties", "order")));
}

// A line of --help that speaks of another option names one that the verb has.
TEST(Advice, HelpNamesFlagsThatExist) {
  for (const std::string verb : {"order", "graph", "compare", "fit", "decide", "explain", "serve", "study", "check"}) {
    const std::string help = run_olem({verb, "--help-all"}).out;
    const std::string options = help.substr(0, help.find("\nExamples:"));
    EXPECT_THAT(unknown_advice({verb}, options), ElementsAre()) << verb;
    EXPECT_GT(flags_of({verb}).size(), 5U) << verb;
    EXPECT_THAT(options, Not(HasSubstr("`"))) << verb;
  }
}

Cells table_with(const std::string& name) {
  Cells cells = cells_of(linear_table(60, 3, 1));
  cells[0].push_back(name);
  for (std::size_t i = 1; i < cells.size(); ++i) cells[i].push_back("7");
  return cells;
}

ProcessResult run_in(const TemporaryFolder& folder, const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.folder = folder.path();
  return run_olem(arguments, options);
}

// The words after a flag are those that a shell hands on.
TEST(Advice, ValuesAreQuotedForTheShell) {
  const TemporaryFolder folder;
  for (const auto& [name, flag] : std::vector<std::pair<std::string, std::string>>{
           {"Light", "--drop-columns Light or"},
           {"blue light", "--drop-columns 'blue light' or"},
           {"it's", "--drop-columns 'it'\\''s' or"},
           {"--seed", "--drop-columns=--seed or"},
           {"a\tb's", "--drop-columns $'a\\011b\\'s' or"},
           {"Lücke", "--drop-columns Lücke or"},
           {"csi\xC2\x9B", "--drop-columns $'csi\\302\\233' or"},
           {std::string(300, 'x'), "--drop-columns NAMES or"},
       }) {
    folder.write("d.csv", csv_of(table_with(name)));
    const ProcessResult refused = run_in(folder, {"order", "d.csv"});
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, HasSubstr("Leave the column out: " + flag + " --constant drop.\n"));
    EXPECT_EQ(run_in(folder, {"order", "d.csv", "--drop-columns=" + name}).exit_code, 0) << name;
  }
}

struct Sea {
  explicit Sea(std::size_t rows = 30) {
    folder.write("d.csv", csv_of(linear_table(rows, 4, 1)));
    folder.write("t.json", R"({"data": "d.csv", "context": ["x0"], "alterable": {"x1": [-1, 1]}, "outcome": ["x3"],
                              "desired": {"x3": [-1, 2]}, "observed": {"x0": 0.2}})");
  }
  TemporaryFolder folder;
};

std::string warning_of(const ProcessResult& result, const std::string& code) {
  const auto json = parse_json(result.out);
  for (const char* const list : {"warnings", "problems"}) {
    if (!json.contains(list)) continue;
    for (const auto& entry : json[list]) {
      if (entry["code"] == code) return entry["text"].get<std::string>() + " " + entry.value("remedy", "");
    }
  }
  return "";
}

// One finding, as each verb can act on it.
TEST(Advice, SpeaksTheLanguageOfTheVerb) {
  const Sea sea;
  const std::vector<std::string> quick = {"--sampler", "linear", "--json", "-q"};
  EXPECT_THAT(warning_of(run_in(sea.folder, {"order", "d.csv", "--json", "-q"}), "few_rows"),
              HasSubstr("rely on what you know (--tier NAMES or --before A,B)."));
  EXPECT_THAT(warning_of(run_in(sea.folder, joined({"decide", "t.json"}, quick)), "few_rows"),
              HasSubstr("rely on what you know (\"before\" in the task)."));
  EXPECT_THAT(warning_of(run_in(sea.folder, joined({"fit", "t.json", "-o", "m.olem"}, quick)), "few_rows"),
              HasSubstr("rely on what you know (\"before\" in the task)."));
  EXPECT_THAT(warning_of(run_in(sea.folder, {"check", "d.csv", "--json"}), "few_rows"),
              HasSubstr("rely on what you know (--tier NAMES of olem order or --before A,B of olem order)."));
  EXPECT_THAT(warning_of(run_in(sea.folder, {"check", "t.json", "--json"}), "few_rows"),
              HasSubstr("rely on what you know (\"before\" in the task)."));
}

// What a model was learned with is changed where it is learned.
TEST(Advice, AboutAModelNamesFit) {
  const Sea sea(200);
  const std::vector<std::string> short_training = {"--sampler", "spline", "--network-epochs", "3", "--no-calibrate"};
  EXPECT_EQ(run_in(sea.folder, joined({"fit", "t.json", "-o", "m.olem"}, short_training)).exit_code, 0);
  const std::vector<std::string> quick = {"--draws", "50", "--judge-draws", "50", "--steps", "5", "--json", "-q"};
  const std::string text =
      warning_of(run_in(sea.folder, joined({"decide", "--model", "m.olem"}, quick)), "not_converged");
  EXPECT_THAT(text, HasSubstr("Train longer: --network-epochs NUMBER of olem fit."));
  EXPECT_THAT(unknown_advice({"decide"}, text), ElementsAre());
  EXPECT_THAT(warning_of(run_in(sea.folder, {"check", "m.olem", "--json"}), "not_converged"),
              HasSubstr("Train longer: --network-epochs NUMBER of olem fit."));
}

TEST(Advice, NamesAndValuesAreReadWithCare) {
  const Sea sea;
  const auto refusal = [&](const std::vector<std::string>& arguments) {
    const ProcessResult result = run_in(sea.folder, joined({"explain", "t.json"}, arguments));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    expect_sound_advice({"explain"}, result);
    return result.err;
  };
  EXPECT_THAT(refusal({"--context", "x0"}),
              EndsWith("olem: --context: 'x0' is not a name and a value, such as Light=0.4.\n"));
  for (const std::string value : {"hot", "nan", "inf", "", "1,5", "1e999", "+-1", "1 2"}) {
    EXPECT_THAT(refusal({"--context", "x0=" + value}),
                EndsWith("olem: --context: '" + value + "' is not a finite number, so that 'x0' has no value.\n"));
  }
  EXPECT_THAT(refusal({"--context", "x9=1"}), HasSubstr("--context: 'x9' is no context variable of the task."));
  EXPECT_THAT(refusal({"--context", "x0=1", "--context", "x0=2"}), HasSubstr("--context: 'x0' is given twice."));
  EXPECT_THAT(refusal({"--at", "x1"}), HasSubstr("--at: 'x1' is not a name and a value"));
  EXPECT_THAT(refusal({"--at", "x1=2"}), HasSubstr("--at: 2 is outside of the domain [-1, 1] of 'x1'."));
  EXPECT_THAT(refusal({"--columns", "x0,,x1"}), HasSubstr("--columns: 'x0,,x1' is not a list of names"));
}

}  // namespace
}  // namespace olem::test::advice_test
