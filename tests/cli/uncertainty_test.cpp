#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/helpers.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::test::uncertainty_test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

// The bundled task with the first 300 rows.
class ReefOf300 {
 public:
  ReefOf300() {
    std::ifstream data(source_path("examples/bermuda/data.csv"));
    std::ofstream few(folder_.file("data.csv"));
    std::string line;
    for (int i = 0; i <= 300 && std::getline(data, line); ++i) few << line << "\n";
    std::ifstream task(source_path("examples/bermuda/task.json"));
    std::ofstream(folder_.file("task.json")) << task.rdbuf();
  }

  ProcessResult run(const std::vector<std::string>& arguments) const {
    ProcessOptions options;
    options.members = true;
    options.folder = folder_.path();
    return run_olem(arguments, options);
  }
  Json decision(const std::vector<std::string>& arguments) const {
    const ProcessResult result = run(joined(arguments, {"--json"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    Json made = parse_json(result.out)["decisions"][0];
    made.erase("seconds");
    return made;
  }

  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  TemporaryFolder folder_;
};

TEST(CliUncertainty, TheAnswerSaysWhatTheIntervalCovers) {
  const ReefOf300 reef;
  const ProcessResult result = reef.run({"decide", "task.json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("The interval covers draws, data and order: 8 fits to halves of the rows gave"));
  EXPECT_THAT(result.out, HasSubstr("This holds if nothing unobserved"));
  EXPECT_THAT(result.out, Not(HasSubstr("draws only")));
  // From the probability to the forecasts there are at most eight lines.
  const std::size_t first = result.out.find("Probability of success");
  const std::size_t last = result.out.find("\n\n", first);
  ASSERT_NE(last, std::string::npos);
  EXPECT_LE(std::count(result.out.begin() + static_cast<std::ptrdiff_t>(first),
                       result.out.begin() + static_cast<std::ptrdiff_t>(last), '\n'),
            7);
}

TEST(CliUncertainty, TheObjectHasAllOfIt) {
  const ReefOf300 reef;
  const Json decision = reef.decision({"decide", "task.json", "--halves", "4", "--orders", "3"});
  const double low = decision["interval"][0];
  const double high = decision["interval"][1];
  EXPECT_LT(low, decision["interval_80"][0].get<double>());
  EXPECT_GT(high, decision["interval_80"][1].get<double>());
  EXPECT_GT(high - low, decision["interval_draws"][1].get<double>() - decision["interval_draws"][0].get<double>());
  EXPECT_EQ(decision["members"].size(), 40U);  // with 32 posterior functions
  EXPECT_EQ(decision["members"][0]["kind"], "fit");
  for (const char* const source : {"draws", "rows", "order", "extrapolation"})
    EXPECT_GE(decision["uncertainty"][source].get<double>(), 0.0) << source;
  EXPECT_EQ(decision["hidden_cause"]["curve"].size(), 20U);
  EXPECT_TRUE(decision.contains("measure_next"));
}

TEST(CliUncertainty, QuickSaysDrawsOnly) {
  const ReefOf300 reef;
  const ProcessResult result = reef.run({"decide", "task.json", "--quick"});
  EXPECT_THAT(result.out, HasSubstr("chance of the draws only"));
  const Json quick = reef.decision({"decide", "task.json", "--quick"});
  EXPECT_FALSE(quick.contains("members"));
  EXPECT_EQ(quick["interval"], quick["interval_draws"]);
  // The answers of an earlier version are those of one fit.
  EXPECT_FALSE(reef.decision({"decide", "task.json", "--like", "0.1"}).contains("members"));
}

TEST(CliUncertainty, AModelKeepsItsMembers) {
  const ReefOf300 reef;
  const std::vector<std::string> few = {"--halves", "2", "--orders", "2", "--sampler", "linear"};
  ASSERT_EQ(reef.run(joined({"fit", "task.json", "-o", "reef.olem", "--no-calibrate"}, few)).exit_code, 0);
  EXPECT_EQ(reef.decision({"decide", "--model", "reef.olem"}), reef.decision(joined({"decide", "task.json"}, few)));
  EXPECT_FALSE(reef.decision({"decide", "--model", "reef.olem", "--quick"}).contains("members"));
  const ProcessResult refused = reef.run({"decide", "--model", "reef.olem", "--halves", "4"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--halves"));
  // Without members a model is smaller, and says so.
  ASSERT_EQ(reef.run({"fit", "task.json", "-o", "plain.olem", "--no-calibrate", "--quick"}).exit_code, 0);
  EXPECT_THAT(reef.run({"decide", "--model", "plain.olem"}).out, HasSubstr("chance of the draws only"));
}

// Other learners say what they make of the decision; the decision is the same without them.
TEST(CliUncertainty, OpinionsAreReportedAndNeverChoose) {
  const ReefOf300 reef;
  const std::vector<std::string> quick = {"decide", "task.json", "--quick", "--sampler", "linear"};
  Json asked = reef.decision(joined(quick, {"--opinions", "olem,ges", "--threads", "1"}));
  EXPECT_EQ(asked, reef.decision(joined(quick, {"--opinions", "olem,ges", "--threads", "3"})));
  ASSERT_EQ(asked["opinions"].size(), 2U);
  EXPECT_EQ(asked["opinions"][0]["learner"], "olem");
  EXPECT_EQ(asked["opinions"][1]["learner"], "ges");
  for (const Json& opinion : asked["opinions"]) {
    EXPECT_GT(opinion["success"].get<double>(), 0.0);
    EXPECT_LT(opinion["without_action"].get<double>(), 1.0);
  }
  asked.erase("opinions");
  EXPECT_EQ(asked, reef.decision(quick));
  // Its own learner agrees with itself but for the draws.
  const Json own = reef.decision(joined(quick, {"--opinions", "olem+"}));
  EXPECT_NEAR(own["opinions"][0]["success"].get<double>(), own["success_probability"].get<double>(), 0.03);
  EXPECT_NEAR(own["opinions"][0]["without_action"].get<double>(), own["without_action"].get<double>(), 0.03);
}

TEST(CliUncertainty, AnOpinionThatDisagreesIsNoted) {
  const ReefOf300 reef;
  // A given order with the outcome's causes after it contradicts what any learner says.
  std::ofstream(reef.file("order.txt")) << "Light\nTemp\nSal\nDIC\nTA\nChla\nNutrients_PC1\npHsw\nCO2\nNEC\nOmega\n";
  const ProcessResult result = reef.run({"decide", "task.json", "--quick", "--sampler", "linear", "--order",
                                         "order.txt", "--opinions", "olem+,ges", "--report", "page.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("By the order or graph of other learners: olem+"));
  const Json decision = reef.decision(
      {"decide", "task.json", "--quick", "--sampler", "linear", "--order", "order.txt", "--opinions", "olem+,ges"});
  bool any = false;
  for (const Json& opinion : decision["opinions"])
    any = any || std::abs(opinion["success"].get<double>() - decision["success_probability"].get<double>()) > 0.1;
  EXPECT_EQ(result.out.find("Note: ") != std::string::npos, any);
  std::ifstream file(reef.file("page.html"));
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), HasSubstr("Other learners"));
}

TEST(CliUncertainty, OpinionsAreCheckedAndKept) {
  const ReefOf300 reef;
  const ProcessResult unknown = reef.run({"decide", "task.json", "--opinions", "gse"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("Did you mean 'ges'?"));
  EXPECT_EQ(reef.run({"decide", "task.json", "--opinions", "ges,ges"}).exit_code, 2);
  const std::vector<std::string> quick = {"--quick", "--sampler", "linear", "--opinions", "varsort,ges"};
  ASSERT_EQ(reef.run(joined({"fit", "task.json", "-o", "reef.olem", "--no-calibrate"}, quick)).exit_code, 0);
  EXPECT_EQ(reef.decision({"decide", "--model", "reef.olem"}), reef.decision(joined({"decide", "task.json"}, quick)));
  const ProcessResult refused = reef.run({"decide", "--model", "reef.olem", "--opinions", "ges"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("Give it to olem fit"));
  // A graph with circles is no opinion about what causes what.
  const ProcessResult pag = reef.run({"decide", "task.json", "--quick", "--sampler", "linear", "--opinions", "fci"});
  EXPECT_EQ(pag.exit_code, 0);
  EXPECT_THAT(pag.err, HasSubstr("There is no opinion of fci"));
}

TEST(CliUncertainty, ThreadsDoNotChangeTheAnswer) {
  const ReefOf300 reef;
  const std::vector<std::string> few = {"decide", "task.json", "--halves", "2", "--orders", "2", "--sampler", "linear"};
  EXPECT_EQ(reef.decision(joined(few, {"--threads", "1"})), reef.decision(joined(few, {"--threads", "3"})));
}

TEST(CliUncertainty, TheReportDrawsTheHiddenCause) {
  const ReefOf300 reef;
  const ProcessResult result = reef.run(
      {"decide", "task.json", "--halves", "2", "--orders", "2", "--sampler", "linear", "--report", "page.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::ifstream file(reef.file("page.html"));
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), HasSubstr("What an unobserved cause would do"));
  EXPECT_THAT(page.str(), HasSubstr("The interval covers draws, data and order"));
}

}  // namespace
}  // namespace olem::test::uncertainty_test
