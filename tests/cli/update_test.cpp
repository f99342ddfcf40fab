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

// Rows come one by one.
TEST(CliUpdate, OneRowIsEnough) {
  const Fitted made(true);
  const std::string whole = csv_of(bermuda_rows(60, 77, kEffect));
  for (const std::size_t rows : {1U, 2U, 4U}) {
    std::size_t end = 0;
    for (std::size_t line = 0; line <= rows; ++line) end = whole.find('\n', end) + 1;
    std::ofstream(made.fresh) << whole.substr(0, end);
    const ProcessResult check = run_olem({"check", made.model, "--data", made.fresh, "--strict"});
    EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
    EXPECT_THAT(check.out, HasSubstr(rows < 3 ? "too few to test for drift" : "4 rows: no drift was found"));
  }
  std::ofstream(made.fresh) << csv_of(bermuda_rows(1, 77, kEffect));
  const ProcessResult update = run_olem({"update", made.model, made.fresh, "--json"});
  ASSERT_EQ(update.exit_code, 0) << update.err;
  EXPECT_EQ(parse_json(update.out)["new_rows"], 1);
  const ProcessResult twice = run_olem({"update", made.model, made.fresh});
  EXPECT_EQ(twice.exit_code, 3);
  EXPECT_THAT(twice.err, HasSubstr("This is the last row of those that the model has already."));
}

// A misspelt outcome is not passed over as if it had not drifted.
TEST(CliUpdate, ColumnsThatLackAreNamed) {
  const Fitted made(true);
  std::string rows = csv_of(bermuda_rows(60, 77, kEffect));
  rows.replace(rows.find("NEC"), 3, "nec");
  std::ofstream(made.fresh) << rows;
  const ProcessResult check = run_olem({"check", made.model, "--data", made.fresh});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("is not in these rows: NEC."));
  const ProcessResult update = run_olem({"update", made.model, made.fresh});
  EXPECT_EQ(update.exit_code, 3);
  EXPECT_THAT(update.err, HasSubstr("new.csv: There is no column 'NEC', which updating the model needs"));
  EXPECT_THAT(update.err, HasSubstr("Did you mean 'nec'?"));
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

// Killed at every call that opens, writes, syncs or renames a file, a write half done: the model is the old one or the
// new one, and where it is the new one the old one stands beside it.
TEST(CliUpdate, AKilledUpdateLeavesTheOldModelWhole) {
  if (failing_calls_library().empty()) GTEST_SKIP() << "A sanitizer has taken the place of malloc.";
  const Fitted made(true);
  const std::string before = read_file(made.model);
  const auto run = [&](long call) {
    ProcessOptions options;
    options.environment = {"LD_PRELOAD=" + failing_calls_library(), fmt::format("OLEM_FAILING=kill:{}", call),
                           "OLEM_FAILING_COUNT=" + made.folder.file("count"), "OPENBLAS_NUM_THREADS=1"};
    return run_olem({"update", made.model, made.fresh, "--threads", "1"}, options).exit_code;
  };
  ASSERT_EQ(run(0), 0);
  const long calls = std::stol(read_text(made.folder.file("count")));
  const std::string after = read_file(made.model);
  ASSERT_NE(after, before);
  ASSERT_GE(calls, 6);  // at least: read the model and the rows, write and rename both models
  int old_ones = 0;
  for (long call = 1; call <= calls; ++call) {
    SCOPED_TRACE(call);
    std::filesystem::remove(made.model + "~");
    std::ofstream(made.model, std::ios::binary | std::ios::trunc) << before;
    EXPECT_EQ(run(call), 128 + SIGKILL);
    const std::string now = read_file(made.model);
    if (now == before) {
      ++old_ones;
      continue;
    }
    EXPECT_EQ(read_file(made.model + "~"), before);
    EXPECT_EQ(now.size(), after.size());
    EXPECT_EQ(run_olem({"check", made.model}).exit_code, 0);
  }
  EXPECT_GE(old_ones, 4);
  // And what a kill left behind is in nobody's way.
  std::ofstream(made.model, std::ios::binary | std::ios::trunc) << before;
  EXPECT_EQ(run(0), 0);
}

TEST(CliUpdate, AnInterruptedUpdateLeavesTheOldModelAlone) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_olem({"simulate", "bermuda", "--rows", "300", "-o", folder.file("sim")}).exit_code, 0);
  const std::string model = folder.file("m.olem");
  ProcessOptions options;
  options.members = true;  // the update fits them again, which takes long enough to be interrupted
  ASSERT_EQ(
      run_olem({"fit", folder.file("sim") + "/task.json", "-o", model, "--sampler", "linear", "--keep-rows"}, options)
          .exit_code,
      0);
  const std::string before = read_file(model);
  const std::string fresh = folder.write("new.csv", csv_of(bermuda_rows(60, 77, kEffect)));
  options.signal = SIGINT;
  options.signal_after_ms = 100;
  const ProcessResult result = run_olem({"update", model, fresh}, options);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_EQ(read_file(model), before);
  EXPECT_FALSE(std::filesystem::exists(model + "~"));
}

// What the task says of the rows of old it says of the new ones.
TEST(CliUpdate, RowsOfWhichTheTaskSpeaks) {
  const TemporaryFolder folder;
  for (const std::string name : {"acted", "branches"}) {
    SCOPED_TRACE(name);
    const std::string place = folder.file(name);
    ASSERT_EQ(run_olem({"simulate", name, "--rows", "1000", "--rounds", "1", "--seed", "4", "-o", place}).exit_code, 0);
    // 700 rows of old, 300 new ones; of the branches six are new as well.
    const Cells all = cells_of(read_table(place + "/data.csv", ReadOptions(), Context()).table);
    const auto part = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      Cells cells(all.begin() + from, all.begin() + to);
      cells.insert(cells.begin(), all.front());
      return cells;
    };
    const Cells fresh = part(701, 1001);
    std::ofstream(place + "/data.csv") << csv_of(part(1, 701));
    const std::string model = folder.file(name + ".olem");
    ASSERT_EQ(
        run_olem({"fit", place + "/task.json", "-o", model, "--sampler", "linear", "--no-calibrate", "--keep-rows"})
            .exit_code,
        0);
    const ProcessResult update = run_olem({"update", model, folder.write("new.csv", csv_of(fresh)), "--json"});
    ASSERT_EQ(update.exit_code, 0) << update.err;
    const ProcessResult check = run_olem({"check", model, "--json"});
    EXPECT_EQ(check.exit_code, 0);
    const ProcessResult decided = run_olem(
        joined({"decide", "--model", model, "--json"},
               name == "acted" ? std::vector<std::string>{"--context", "season=0.5"} : std::vector<std::string>()));
    ASSERT_EQ(decided.exit_code, 0) << decided.err;
    const Json json = parse_json(decided.out);
    if (name == "acted") {
      const Json& effect = json["set_by_hand"][0];
      EXPECT_EQ(effect["set_rows"].get<int>() + effect["other_rows"].get<int>(), 1000);
      EXPECT_NEAR(effect["set"]["effect"].get<double>(), 0.3, 4 * effect["set"]["standard_error"].get<double>());
    } else {
      EXPECT_EQ(json["groups"].size(), 20U);
    }
    // Rows without the column are refused by its name.
    const std::string column = name == "acted" ? "price_was_set" : "branch";
    Cells cells = fresh;
    cells.pop_back();  // all of them are known by now
    const auto at = std::find(cells[0].begin(), cells[0].end(), column) - cells[0].begin();
    for (auto& row : cells) row.erase(row.begin() + at);
    const ProcessResult without = run_olem({"update", model, folder.write("without.csv", csv_of(cells))});
    EXPECT_EQ(without.exit_code, 3) << without.err;
    EXPECT_THAT(without.err, HasSubstr(column));
  }
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
