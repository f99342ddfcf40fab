#include <filesystem>

#include "helpers.h"

namespace olem::test::explain_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

std::string bermuda() { return source_path("examples/bermuda/task.json"); }

// A quick explanation of the bundled task in a folder of its own.
class CliExplain : public testing::Test {
 protected:
  CliExplain() { options_.folder = folder_.path(); }

  ProcessResult run(const std::vector<std::string>& arguments) {
    return run_olem(
        joined({"explain", "-q", "--sampler", "linear", "--draws", "100", "--points", "5", "--pair-points", "3"},
               arguments),
        options_);
  }

  TemporaryFolder folder_;
  ProcessOptions options_;
};

TEST_F(CliExplain, TextRanksTheVariables) {
  const ProcessResult result = run({bermuda()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* const part :
       {"Observed: Light", "Without action", "best at", "over the better one alone", "TA, ", "▁"})
    EXPECT_THAT(result.out, HasSubstr(part));
}

TEST_F(CliExplain, JsonHoldsEverySeries) {
  const ProcessResult result = run({bermuda(), "--json", "--at", "TA=0.2", "--at", "DIC=-1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out);
  EXPECT_EQ(json["verb"], "explain");
  EXPECT_EQ(json["options"]["points"], 5);
  ASSERT_EQ(json["explanations"].size(), 1U);
  const Json& explanation = json["explanations"][0];
  EXPECT_EQ(explanation["decision"], (Json{{"TA", 0.2}, {"DIC", -1.0}}));
  EXPECT_EQ(explanation["variables"].size(), 5U);
  EXPECT_EQ(explanation["pairs"].size(), 10U);
  EXPECT_EQ(explanation["alone"].size(), 5U);
  EXPECT_EQ(explanation["together"].size(), 10U);
  for (const Json& variable : explanation["variables"]) {
    EXPECT_EQ(variable["values"].size(), 5U);
    EXPECT_EQ(variable["success"].size(), 5U);
    EXPECT_EQ(variable["success_beside_decision"].size(), 5U);
  }
  EXPECT_EQ(explanation["pairs"][0]["success"].size(), 3U);
  EXPECT_EQ(explanation["pairs"][0]["success"][0].size(), 3U);
  EXPECT_EQ(explanation["outcomes"]["NEC"]["desired"], (Json{0.5, 2.0}));
}

TEST_F(CliExplain, FigureIsWrittenWholeAndNotOverAnother) {
  const ProcessResult first = run({bermuda(), "--svg", "a.svg"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const std::string figure = read_text(folder_.file("a.svg"));
  EXPECT_TRUE(figure.starts_with("<?xml")) << figure.substr(0, 80);
  EXPECT_TRUE(figure.ends_with("</svg>\n"));
  EXPECT_THAT(figure, HasSubstr("Nutrients_PC1"));
  const ProcessResult second = run({bermuda(), "--svg", "a.svg"});
  EXPECT_EQ(second.exit_code, 5);
  EXPECT_THAT(second.err, HasSubstr("a.svg exists already. Replace it: --force."));
  EXPECT_EQ(run({bermuda(), "--svg", "a.svg", "--force"}).exit_code, 0);
  EXPECT_EQ(read_text(folder_.file("a.svg")), figure);
  EXPECT_THAT(folder_.entries(), ElementsAre("a.svg"));
}

TEST_F(CliExplain, RefusesWhatItCannotShow) {
  folder_.write("two.csv", "Light,Temp,Sal\n0.1,0.2,0.3\n-0.5,0,0.5\n");
  const std::pair<std::vector<std::string>, std::string> wrong[] = {
      {{}, "Give a task file, or a model with --model. See olem explain --help."},
      {{bermuda(), "--at", "NEC=1"}, "--at: 'NEC' is no alterable variable of the task."},
      {{bermuda(), "--at", "TA=7"}, "--at: 7 is outside of the domain [-1, 1] of 'TA'."},
      {{bermuda(), "--contexts", "two.csv", "--svg", "a.svg"}, "--svg draws one context, and there are 2."},
      {{bermuda(), "--svg", "a", "-o", "a"}, "--svg and -o both name a."},
  };
  for (const auto& [arguments, message] : wrong) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("a.svg")));
  const ProcessResult many = run({bermuda(), "--contexts", "two.csv"});
  EXPECT_EQ(many.exit_code, 0) << many.err;
  EXPECT_THAT(many.out, HasSubstr("Context 2 of 2"));
}

TEST_F(CliExplain, AModelGivesWhatTheTaskGives) {
  ASSERT_EQ(run_olem({"fit", bermuda(), "-q", "--sampler", "linear", "-o", "m.olem"}, options_).exit_code, 0);
  const ProcessResult from_model = run_olem(
      {"explain", "-q", "--model", "m.olem", "--draws", "100", "--points", "5", "--pair-points", "3"}, options_);
  EXPECT_EQ(from_model.out, run({bermuda()}).out);
}

}  // namespace
}  // namespace olem::test::explain_test
