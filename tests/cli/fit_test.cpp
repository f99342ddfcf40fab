#include <filesystem>

#include "decide/helpers.h"
#include "helpers.h"
#include "olem/task.h"

namespace olem::test::fit_test {

using namespace internal;
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder with a task, its table and a model of it.
class Fit : public testing::Test {
 protected:
  Fit() {
    folder_.write("farm.csv", csv_of(farm(150, 1)));
    folder_.write("task.json", to_json(farm_task()).dump(2));
    options_.folder = folder_.path();
  }

  ProcessResult run(const std::vector<std::string>& arguments) const { return run_olem(arguments, options_); }

  ProcessResult fit(const std::vector<std::string>& arguments = {}) const {
    return run(joined({"fit", "task.json", "-o", "m.olem", "--no-calibrate"}, arguments));
  }

  // What `decide` says beside how it was told.
  static nlohmann::ordered_json answer(const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    nlohmann::ordered_json json = parse_json(result.out);
    json.erase("seconds");
    json.erase("options");
    for (auto& decision : json["decisions"]) decision.erase("seconds");
    return json;
  }

  TemporaryFolder folder_;
  ProcessOptions options_;
};

TEST_F(Fit, SavesWhatDecideNeeds) {
  const ProcessResult fitted = fit({"--seed", "7"});
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  const auto direct = answer(run({"decide", "task.json", "--json", "--seed", "7"}));
  std::filesystem::remove(folder_.file("farm.csv"));
  EXPECT_EQ(answer(run({"decide", "--model", "m.olem", "--json", "--seed", "7"})).dump(), direct.dump());

  const std::filesystem::path elsewhere = folder_.file("elsewhere");
  std::filesystem::create_directory(elsewhere);
  std::filesystem::rename(folder_.file("m.olem"), elsewhere / "m.olem");
  std::filesystem::remove(folder_.file("task.json"));
  EXPECT_EQ(answer(run({"decide", "--model", "elsewhere/m.olem", "--json", "--seed", "7"})).dump(), direct.dump());
}

TEST_F(Fit, KeepsWhatDecidedTheStepsOfOlemPlus) {
  const std::string task = source_path("examples/bermuda/task.json");
  const std::vector<std::string> learning = {"--method", "olem+", "--sampler", "linear"};
  const ProcessResult fitted = run(joined({"fit", task, "-o", "m.olem", "--no-calibrate"}, learning));
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  const auto direct = answer(run(joined({"decide", task, "--json", "--details"}, learning)));
  const auto kept = answer(run({"decide", "--model", "m.olem", "--json", "--details", "--context", "Light=0.4",
                                "--context", "Temp=-0.2", "--context", "Sal=0.1"}));
  EXPECT_EQ(kept["steps"].dump(), direct["steps"].dump());
  std::size_t compared = 0;
  for (const auto& step : kept["steps"]) {
    if (step["forced"].get<bool>()) continue;
    EXPECT_TRUE(step.contains("decided_by"));
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

TEST_F(Fit, ReportsOrderAndForms) {
  const ProcessResult text = fit();
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("weather > dose > rate > yield\n"));
  EXPECT_THAT(text.out, HasSubstr("Written: m.olem.\n"));
  EXPECT_THAT(text.out, HasSubstr("nonlinear in 1 and linear in 3 of 3 inputs"));

  const auto json = parse_json(fit({"--json", "--force"}).out);
  EXPECT_EQ(json["verb"], "fit");
  EXPECT_EQ(json["model"], "m.olem");
  EXPECT_EQ(json["order"].dump(), R"(["weather","dose","rate","yield"])");
  EXPECT_EQ(json["steps"].size(), 3U);
  EXPECT_FALSE(json["models"].contains("weather"));
  EXPECT_EQ(json["models"]["yield"]["kind"], "location-scale");
  EXPECT_GT(json["models"]["yield"]["inputs"]["dose"]["relevance"].get<double>(), 0.0);
  EXPECT_NEAR(json["models"]["yield"]["noise_sd"].get<double>(), 0.4, 0.1);
  EXPECT_EQ(json["options"]["sampler"], "auto");

  const auto old = parse_json(fit({"--json", "--force", "--like", "0.1"}).out);
  EXPECT_EQ(old["models"]["yield"]["kind"], "gp");
  EXPECT_EQ(old["options"]["sampler"], "gp");
  const auto both = parse_json(fit({"--json", "--force", "--like", "0.1", "--sampler", "linear"}).out);
  EXPECT_EQ(both["options"]["sampler"], "linear");
}

TEST_F(Fit, TestsTheSamplersOnRowsHeldOut) {
  const ProcessResult fitted = run({"fit", "task.json", "-o", "m.olem", "--json"});
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  const auto json = parse_json(fitted.out);
  const auto& calibration = json["calibration"];
  EXPECT_EQ(calibration["status"], "done");
  EXPECT_EQ(calibration["training_rows"], 105);
  EXPECT_EQ(calibration["held_out_rows"], 45);
  const auto& yield = calibration["variables"]["yield"];
  EXPECT_EQ(json["models"]["yield"]["validation_nll"].get<double>(), -yield["log_likelihood"].get<double>());
  EXPECT_GT(yield["log_likelihood"].get<double>(), yield["linear_log_likelihood"].get<double>());
  EXPECT_EQ(parse_json(run({"check", "m.olem", "--json"}).out)["model"]["calibration"], calibration);
  EXPECT_THAT(run({"check", "m.olem"}).out, HasSubstr("Forecasts of 45 rows by samplers"));
}

TEST_F(Fit, FewRowsAreLearnedFromButNotTestedOn) {
  folder_.write("farm.csv", csv_of(farm(20, 1)));
  const ProcessResult fitted = run({"fit", "task.json", "-o", "m.olem", "--json"});
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_EQ(parse_json(fitted.out)["calibration"]["status"], "too_few_rows");
}

TEST_F(Fit, LeavesNothingWhenItCannotFinish) {
  EXPECT_EQ(fit({"--time-limit", "1e-6"}).exit_code, 6);
  // There are too few rows to be sure.
  folder_.write("farm.csv", csv_of(farm(30, 1)));
  EXPECT_EQ(fit({"--strict"}).exit_code, 3);
  EXPECT_THAT(folder_.entries(), ElementsAre("farm.csv", "task.json"));
}

TEST_F(Fit, NeverReplacesByAccident) {
  EXPECT_THAT(run({"fit", "task.json"}).err, HasSubstr("-o is missing: name the model file to write."));
  folder_.write("m.olem", "mine");
  const ProcessResult refused = fit();
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_THAT(refused.err, HasSubstr("m.olem exists already. Replace it: --force."));
  EXPECT_EQ(read_text(folder_.file("m.olem")), "mine");
  for (const auto& [output, what] : {std::pair{"farm.csv", "the file with the data"}, {"task.json", "the task file"}}) {
    const ProcessResult result = run({"fit", "task.json", "-o", output, "--force"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(what));
  }
  EXPECT_EQ(fit({"--sampler", "linear", "--force"}).exit_code, 0);
  EXPECT_EQ(run({"decide", "--model", "m.olem", "-o", "m.olem", "--force"}).exit_code, 2);
  EXPECT_THAT(folder_.entries(), ElementsAre("farm.csv", "m.olem", "task.json"));
}

TEST_F(Fit, DecideWithAModelLearnsNothing) {
  ASSERT_EQ(fit({"--sampler", "linear"}).exit_code, 0);
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--sampler", "gp"},
                                                {"--order", "o.txt"},
                                                {"--levers", "first"},
                                                {"--data", "farm.csv"}}) {
    const ProcessResult result = run(joined({"decide", "--model", "m.olem"}, flags));
    EXPECT_EQ(result.exit_code, 2) << flags[0];
    EXPECT_THAT(result.err, HasSubstr(flags[0] + ": With --model nothing is learned"));
  }
  const ProcessResult nothing = run({"decide"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("Give a task file, or a model with --model."));
}

TEST_F(Fit, ContextsComeFromWhereTheyAlwaysDo) {
  ASSERT_EQ(fit({"--sampler", "linear"}).exit_code, 0);
  folder_.write("today.csv", "weather\n0.5\n-1\n");
  const auto several = answer(run({"decide", "--model", "m.olem", "--contexts", "today.csv", "--json"}));
  ASSERT_EQ(several["decisions"].size(), 2U);
  EXPECT_EQ(several["decisions"][1]["context"]["weather"], -1.0);
  const auto one = answer(run({"decide", "--model", "m.olem", "--context", "weather=0.5", "--json"}));
  EXPECT_EQ(one["decisions"][0]["context"]["weather"], 0.5);
  const ProcessResult wrong = run({"decide", "--model", "m.olem", "--context", "wether=1"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("weather"));
  const ProcessResult far = run({"decide", "--model", "m.olem", "--context", "weather=50", "--json"});
  EXPECT_THAT(warning_codes(parse_json(far.out)), Contains("extrapolation"));
}

TEST_F(Fit, ATaskBesideTheModelMustBeItsOwn) {
  ASSERT_EQ(fit({"--sampler", "linear"}).exit_code, 0);
  auto task = to_json(farm_task());
  task["observed"]["weather"] = 1.5;
  folder_.write("other.json", task.dump());
  const auto observed = answer(run({"decide", "other.json", "--model", "m.olem", "--json"}));
  EXPECT_EQ(observed["decisions"][0]["context"]["weather"], 1.5);
  task["desired"]["yield"] = {5, nullptr};
  folder_.write("other.json", task.dump());
  const ProcessResult refused = run({"decide", "other.json", "--model", "m.olem"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err,
              HasSubstr("other.json: \"desired\" is not the one that the model in m.olem was fitted for."));
  EXPECT_EQ(refused.out, "");
}

TEST_F(Fit, CheckSaysWhatAModelHolds) {
  ASSERT_EQ(fit({"--sampler", "linear", "--seed", "3"}).exit_code, 0);
  const ProcessResult text = run({"check", "m.olem"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("whole and sound."));
  EXPECT_THAT(text.out, HasSubstr("weather > dose > rate > yield\n"));

  // The bytes tell, not the name.
  std::filesystem::rename(folder_.file("m.olem"), folder_.file("m.csv"));
  const auto json = parse_json(run({"check", "m.csv", "--json"}).out);
  EXPECT_EQ(json["model"]["source"], "m.csv");
  EXPECT_EQ(json["model"]["seed"], 3);
  EXPECT_EQ(json["model"]["task"], to_json(farm_task()));
  EXPECT_EQ(json["model"]["models"]["yield"]["kind"], "linear");
  EXPECT_EQ(json["model"]["options"]["sampler"], "linear");

  const ProcessResult two = run({"check", "m.csv", "task.json"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_THAT(two.err, HasSubstr("m.csv is a model, which holds its own task."));
}

// A warning of the time of learning is as true when the model is used.
TEST_F(Fit, WarningsStayWithTheModel) {
  auto task = to_json(farm_task());
  task["alterable"]["dose"] = {-100.0, 100.0};
  folder_.write("task.json", task.dump());
  const ProcessResult fitted = fit({"--sampler", "linear", "--json"});
  EXPECT_THAT(warning_codes(parse_json(fitted.out)), Contains("extrapolation"));
  EXPECT_THAT(warning_codes(parse_json(run({"decide", "--model", "m.olem", "--json"}).out)), Contains("extrapolation"));
  const auto checked = parse_json(run({"check", "m.olem", "--json"}).out);
  EXPECT_EQ(checked["problems"][0]["code"], "extrapolation");
}

}  // namespace
}  // namespace olem::test::fit_test
