#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "olem/simulate.h"
#include "simulate/helpers.h"
#include "support/process.h"

namespace olem::write_test {

using namespace internal;
namespace {

using test::TemporaryFolder;
using Names = std::vector<std::string>;

Simulation order_simulation(std::uint64_t index = 0) {
  OrderSimulationOptions options;
  options.variables = 4;
  options.rows = 30;
  options.density = 1.0;
  options.linearity = 0.0;
  return random_order_model(options, index, {});
}

Names entries(const std::string& folder) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void expect_refused(ErrorCategory category, const std::string& part, const std::string& folder, bool overwrite) {
  test::expect_error(category, part, [&] { check_simulation_folder(folder, overwrite); });
  test::expect_error(category, part, [&] { write_simulation(folder, order_simulation(), overwrite); });
}

TEST(WriteSimulation, OrderFilesHoldDataGraphAndTruth) {
  const TemporaryFolder folder;
  const Simulation simulation = order_simulation();
  const std::string out = folder.file("out");
  EXPECT_EQ(write_simulation(out, simulation, false), (Names{"data.csv", "graph.csv", "truth.json"}));
  EXPECT_EQ(folder.entries(), Names{"out"});  // nothing else is left beside it
  EXPECT_EQ(entries(out), (Names{"data.csv", "graph.csv", "truth.json"}));

  std::istringstream data(test::read_text(out + "/data.csv"));
  std::string line;
  std::getline(data, line);
  EXPECT_EQ(line, "V1,V2,V3,V4");
  std::size_t rows = 0;
  while (std::getline(data, line)) {
    const char* at = line.data();
    for (std::size_t j = 0; j < 4; ++j) {
      double value = 0.0;
      at = std::from_chars(at, line.data() + line.size(), value).ptr + 1;
      EXPECT_EQ(value, simulation.data.at(rows, j));
    }
    ++rows;
  }
  EXPECT_EQ(rows, 30U);

  std::string graph = "from,to\n";
  const Names names = simulation.model.names();
  for (const auto& [from, to] : simulation.model.edges()) graph += names[from] + "," + names[to] + "\n";
  EXPECT_EQ(test::read_text(out + "/graph.csv"), graph);

  EXPECT_EQ(read_structural_model(out + "/truth.json"), simulation.model);
  const auto truth = test::parse_json(test::read_text(out + "/truth.json"));
  EXPECT_EQ(truth["format"], "olem-truth");
  EXPECT_EQ(truth["format_version"], 1);
  EXPECT_EQ(truth["kind"], "order");
  EXPECT_EQ(truth["seed"], 0);
  EXPECT_EQ(truth["options"]["rows"], 30);
  EXPECT_EQ(truth["options"]["noise"], "beta");
}

TEST(WriteSimulation, TaskFileIsReadyBesideItsData) {
  const TemporaryFolder folder;
  const Simulation simulation = bermuda_task({20, 4}, 0, {});
  const std::string out = folder.file("bermuda/");
  EXPECT_EQ(write_simulation(out, simulation, false),
            (Names{"data.csv", "graph.csv", "truth.json", "task.json", "contexts.csv"}));
  const auto task = test::parse_json(test::read_text(out + "task.json"));
  EXPECT_EQ(task["data"], "data.csv");
  EXPECT_EQ(task["context"], (Names{"Light", "Temp", "Sal"}));
  EXPECT_EQ(task["alterable"]["TA"], (std::vector<double>{-1.0, 1.0}));
  EXPECT_EQ(task["outcome"], (Names{"NEC"}));
  EXPECT_EQ(task["desired"]["NEC"], (std::vector<double>{0.5, 2.0}));
  EXPECT_EQ(task["observed"].size(), 3U);
  EXPECT_EQ(task["observed"]["Temp"].get<double>(), simulation.task->contexts.at(0, 1));
  EXPECT_EQ(task.size(), 6U);
  const std::string contexts = test::read_text(out + "contexts.csv");
  EXPECT_EQ(contexts.substr(0, contexts.find('\n')), "Light,Temp,Sal");
  EXPECT_EQ(std::count(contexts.begin(), contexts.end(), '\n'), 5);
}

TEST(WriteSimulation, TheTruthOfATaskIsReadBack) {
  const TemporaryFolder folder;
  AufSimulationOptions options;
  options.rows = 50;
  options.rounds = 2;
  options.outcomes = 2;
  const Simulation simulation = random_auf_task(options, 3, {});
  write_simulation(folder.file("auf"), simulation, false);
  const SimulationTruth truth = read_simulation_truth(folder.file("auf/truth.json"));
  EXPECT_EQ(truth_kind(folder.file("auf/truth.json")), "auf");
  EXPECT_EQ(truth.model, simulation.model);
  EXPECT_EQ(truth.task.context, simulation.task->context);
  EXPECT_EQ(truth.task.outcome, simulation.task->outcome);
  ASSERT_EQ(truth.task.alterable.size(), simulation.task->alterable.size());
  for (std::size_t k = 0; k < truth.task.alterable.size(); ++k) {
    EXPECT_EQ(truth.task.alterable[k].name, simulation.task->alterable[k].name);
    EXPECT_EQ(truth.task.alterable[k].low, simulation.task->alterable[k].low);
    EXPECT_EQ(truth.task.alterable[k].high, simulation.task->alterable[k].high);
  }
  std::vector<NamedValue> observed;
  for (const std::string& name : truth.task.context)
    observed.push_back({name, simulation.task->contexts.at(0, simulation.task->contexts.index(name))});
  const Table rows = simulate_decision(simulation.model, observed, {}, 400, 7, {});
  EXPECT_EQ(true_success(truth, observed, {}, 400, 7, {}), success_rate(rows, simulation.task->desired));
}

TEST(WriteSimulation, ATruthWithoutATaskIsToldApart) {
  const TemporaryFolder folder;
  OrderSimulationOptions options;
  options.variables = 4;
  options.rows = 20;
  write_simulation(folder.file("order"), random_order_model(options, 0, {}), false);
  test::expect_error(ErrorCategory::kData, "no task", [&] { read_simulation_truth(folder.file("order/truth.json")); });
  write_simulation(folder.file("reef"), bermuda_task({20, 1}, 0, {}), false);
  const std::string path = folder.file("reef/truth.json");
  auto json = nlohmann::json::parse(test::read_text(path));
  json["task"]["desired"]["NEC"] = {2.0, 0.5};
  test::expect_error(ErrorCategory::kData, "'NEC'",
                     [&] { read_simulation_truth(folder.write("sides.json", json.dump())); });
  json["task"]["outcome"] = {"NCE"};
  test::expect_error(ErrorCategory::kData, "'NEC' is near",
                     [&] { read_simulation_truth(folder.write("names.json", json.dump())); });
}

// The simulator of the reef is linear: no decision of its box succeeds with more than .6794 (docs/study.md), which the
// search comes near.
TEST(BestDecision, OfTheReefIsNearTheGreatestSuccess) {
  const Simulation reef = bermuda_task({20, 3}, 0, {});
  const SimulationTruth truth{reef.model, *reef.task};
  double mean = 0.0;
  for (std::size_t round = 0; round < 3; ++round) {
    std::vector<NamedValue> observed;
    for (std::size_t k = 0; k < 3; ++k)
      observed.push_back({reef.task->contexts.name(k), reef.task->contexts.at(round, k)});
    const NamedDecision best = best_decision(truth, observed, {});
    EXPECT_EQ(best_decision(truth, observed, {}).success, best.success);
    mean += best.success / 3.0;
  }
  EXPECT_GT(mean, 0.66);
  EXPECT_LT(mean, 0.69);
}

TEST(WriteSimulation, NamesAreQuotedWhereACsvReaderNeedsIt) {
  const TemporaryFolder folder;
  Simulation simulation;
  simulation.model.nodes = {{"dose, mg", {}, LinearFunction{}, {}},
                            {"the \"end\"", {0}, LinearFunction{{1.0}, 0.0}, {}}};
  simulation.model.anchors.resize(2);
  simulation.data = draw_rows(simulation.model, 2, 0, {});
  write_simulation(folder.file("out"), simulation, false);
  EXPECT_EQ(test::read_text(folder.file("out/graph.csv")), "from,to\n\"dose, mg\",\"the \"\"end\"\"\"\n");
}

TEST(WriteSimulation, TakesAnEmptyFolderAndRefusesAFullOne) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  std::filesystem::create_directory(out);
  write_simulation(out, order_simulation(0), false);
  const std::string before = test::read_text(out + "/data.csv");
  expect_refused(ErrorCategory::kFile, "Replace the simulation in it.", out, false);
  EXPECT_EQ(test::read_text(out + "/data.csv"), before);
  write_simulation(out, order_simulation(1), true);
  EXPECT_NE(test::read_text(out + "/data.csv"), before);
  EXPECT_EQ(folder.entries(), Names{"out"});
}

TEST(WriteSimulation, OverwritingLeavesNoFileOfTheEarlierKind) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  write_simulation(out, bermuda_task({20, 4}, 0, {}), false);
  write_simulation(out, order_simulation(), true);
  EXPECT_EQ(entries(out), (Names{"data.csv", "graph.csv", "truth.json"}));
}

TEST(WriteSimulation, NeverRemovesWhatItDidNotWrite) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("home/data.csv"));  // a folder in disguise
  folder.write("file", "text");
  expect_refused(ErrorCategory::kFile, "'data.csv', which is no file of a simulation", folder.file("home"), true);
  std::filesystem::remove(folder.file("home/data.csv"));
  folder.write("home/thesis.txt", "years of work");
  expect_refused(ErrorCategory::kFile, "'thesis.txt'", folder.file("home"), true);
  EXPECT_EQ(test::read_text(folder.file("home/thesis.txt")), "years of work");
  expect_refused(ErrorCategory::kFile, "something else", folder.file("file"), true);
  expect_refused(ErrorCategory::kFile, "No such file", folder.file("missing/out"), false);
  expect_refused(ErrorCategory::kUsage, "no name", ".", true);
  expect_refused(ErrorCategory::kUsage, "no name", "", true);
  expect_refused(ErrorCategory::kUsage, "no name", "/", true);
  EXPECT_EQ(folder.entries(), (Names{"file", "home"}));
}

TEST(WriteSimulation, FollowsALinkToAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("real"));
  std::filesystem::create_directory_symlink("real", folder.file("link"));
  write_simulation(folder.file("link"), order_simulation(), false);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(entries(folder.file("real")).size(), 3U);
}

// A limit on the size of files plays the full disk: some of the files are written, then one cannot be.
TEST(WriteSimulation, AFailureHalfWayChangesNothing) {
  const TemporaryFolder folder;
  const std::string old = folder.file("old");
  write_simulation(old, order_simulation(0), false);
  const std::string before = test::read_text(old + "/data.csv");
  const Simulation simulation = order_simulation(1);
  write_simulation(folder.file("whole"), simulation, false);
  const auto truth_size = std::filesystem::file_size(folder.file("whole/truth.json"));
  ASSERT_LT(std::filesystem::file_size(folder.file("whole/data.csv")), truth_size);
  std::filesystem::remove_all(folder.file("whole"));

  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{truth_size - 1, limit.rlim_max};  // data and graph fit, the truth does not
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::vector<ErrorCategory> categories;
  for (const char* name : {"old", "new"}) {
    try {
      write_simulation(folder.file(name), simulation, true);
    } catch (const Error& error) {
      categories.push_back(error.category());
    }
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, handler);

  EXPECT_EQ(categories, (std::vector<ErrorCategory>{ErrorCategory::kFile, ErrorCategory::kFile}));
  EXPECT_EQ(folder.entries(), Names{"old"});
  EXPECT_EQ(test::read_text(old + "/data.csv"), before);
}

}  // namespace
}  // namespace olem::write_test
