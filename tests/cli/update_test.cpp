#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/helpers.h"
#include "olem/file.h"
#include "olem/simulate.h"
#include "support/process.h"

namespace olem::test::update_cli_test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

// Bermuda rows of a model whose effect of Omega on NEC may be another.
Table bermuda_rows(std::size_t rows, std::uint64_t index, double effect) {
  StructuralModel model = bermuda_model();
  StructuralNode& nec = model.nodes.back();
  for (std::size_t k = 0; k < nec.parents.size(); ++k) {
    if (model.nodes[nec.parents[k]].name == "Omega") std::get<LinearFunction>(nec.function).weights[k] = effect;
  }
  return draw_rows(model, rows, index, {});
}

constexpr double kEffect = -2.330312207868607;

struct Fitted {
  TemporaryFolder folder;
  std::string model = folder.file("m.olem");
  std::string data = folder.file("data.csv");
  std::string fresh = folder.file("new.csv");

  explicit Fitted(bool keep, double effect = kEffect) {
    BermudaSimulationOptions options;
    options.rows = 300;
    options.rounds = 5;
    const Simulation simulation = bermuda_task(options, 0, {});
    write_simulation(folder.file("sim"), simulation, false);
    std::ofstream(data) << csv_of(simulation.data);
    std::ofstream(fresh) << csv_of(bermuda_rows(60, 77, effect));
    std::vector<std::string> words = {
        "fit", folder.file("sim") + "/task.json", "-o", model, "--sampler", "linear", "--no-calibrate"};
    if (keep) words.emplace_back("--keep-rows");
    const ProcessResult result = run_olem(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
};

Json decided(const std::string& model) {
  const ProcessResult result = run_olem({"decide", "--model", model, "--context", "Light=0.4", "--context", "Temp=-0.2",
                                         "--context", "Sal=0.1", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(result.out)["decisions"][0];
}

TEST(CliUpdate, ReplacesTheModelAndKeepsTheOldOne) {
  const Fitted made(true);
  const std::string before = read_file(made.model);
  const ProcessResult result = run_olem({"update", made.model, made.fresh, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = parse_json(result.out);
  EXPECT_EQ(json["old_rows"], 300);
  EXPECT_EQ(json["new_rows"], 60);
  for (const Json& variable : json["variables"]) EXPECT_FALSE(variable["changed"].get<bool>()) << variable;
  EXPECT_EQ(read_file(made.model + "~"), before);
  EXPECT_NE(read_file(made.model), before);
  EXPECT_EQ(run_olem({"check", made.model}).exit_code, 0);
  decided(made.model);
  // The next rows go behind these.
  const ProcessResult twice = run_olem({"update", made.model, made.fresh});
  EXPECT_EQ(twice.exit_code, 3);
  EXPECT_THAT(twice.err, HasSubstr("has already"));
}

TEST(CliUpdate, NeedsTheOldRowsOneWayOrTheOther) {
  const Fitted made(false);
  const ProcessResult none = run_olem({"update", made.model, made.fresh});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("--data"));
  const std::string other = made.folder.file("other.olem");
  const std::string before = read_file(made.model);
  EXPECT_EQ(run_olem({"update", made.model, made.fresh, "--data", made.data, "-o", other}).exit_code, 0);
  EXPECT_EQ(read_file(made.model), before);
  EXPECT_FALSE(std::filesystem::exists(made.model + "~"));
  // With kept rows the same model comes out, but for the rows.
  const Fitted kept(true);
  EXPECT_EQ(run_olem({"update", kept.model, made.fresh}).exit_code, 0);
  EXPECT_EQ(decided(kept.model)["alterations"], decided(other)["alterations"]);
}

TEST(CliUpdate, AChangedEffectIsFollowedAndFoundByCheck) {
  const Fitted made(true, -1.0);
  const ProcessResult check = run_olem({"check", made.model, "--data", made.fresh, "--json"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  const Json drift = parse_json(check.out)["drift"];
  EXPECT_EQ(drift["drifted"], Json::array({"NEC"}));
  EXPECT_EQ(run_olem({"check", made.model, "--data", made.fresh, "--strict"}).exit_code, 3);
  const ProcessResult update = run_olem({"update", made.model, made.fresh});
  EXPECT_EQ(update.exit_code, 0) << update.err;
  EXPECT_THAT(update.out, HasSubstr("What these depend on has changed: NEC."));
  // New rows of the same kind are no drift any more.
  std::ofstream(made.fresh) << csv_of(bermuda_rows(60, 78, -1.0));
  const ProcessResult after = run_olem({"check", made.model, "--data", made.fresh});
  EXPECT_THAT(after.out, HasSubstr("no drift was found"));
}

TEST(CliUpdate, ABrokenOffUpdateLeavesTheOldModelWhole) {
  const Fitted made(true);
  const std::string before = read_file(made.model);
  for (const int after_ms : {1, 30, 60, 100, 150}) {
    ProcessOptions options;
    options.signal = SIGKILL;
    options.signal_after_ms = after_ms;
    run_olem({"update", made.model, made.fresh}, options);
    const std::string now = read_file(made.model);
    if (now == before) continue;  // killed in time
    EXPECT_EQ(read_file(made.model + "~"), before);
    EXPECT_EQ(run_olem({"check", made.model}).exit_code, 0);
    break;
  }
}

TEST(CliUpdate, RefusesATaskThatSaysSomethingAboutItsRows) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_olem({"simulate", "acted", "--rows", "200", "-o", folder.file("a")}).exit_code, 0);
  const std::string model = folder.file("m.olem");
  ASSERT_EQ(run_olem({"fit", folder.file("a") + "/task.json", "-o", model, "--sampler", "linear", "--no-calibrate",
                      "--keep-rows"})
                .exit_code,
            0);
  const std::string before = read_text(model);
  const ProcessResult result = run_olem({"update", model, folder.file("a") + "/data.csv"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("\"set_by_hand\""));
  EXPECT_THAT(result.err, HasSubstr("Fit a model to the old and the new rows in one table"));
  EXPECT_EQ(read_text(model), before);
}

TEST(CliUpdate, JoinsTheLog) {
  const Fitted made(true);
  const std::string log = made.folder.file("log.jsonl");
  const ProcessResult decided_now = run_olem(
      {"decide", "--model", made.model, "--contexts", made.folder.file("sim") + "/contexts.csv", "--log", log});
  ASSERT_EQ(decided_now.exit_code, 0) << decided_now.err;
  EXPECT_THAT(decided_now.out, HasSubstr("as decisions 1 to 5."));
  Table rows = bermuda_rows(5, 90, kEffect);
  Cells cells = cells_of(rows);
  cells[0].push_back("decision");
  for (std::size_t i = 1; i < cells.size(); ++i) cells[i].push_back(std::to_string(i));
  std::ofstream(made.fresh) << csv_of(cells);
  const ProcessResult result = run_olem({"update", made.model, made.fresh, "--log", log, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(parse_json(result.out)["realised"]["decisions"], 5);
  EXPECT_EQ(parse_json(run_olem({"check", "--log", log, "--json"}).out)["realised"]["decisions"], 5);
}

}  // namespace
}  // namespace olem::test::update_cli_test
