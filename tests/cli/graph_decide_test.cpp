#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/helpers.h"
#include "olem/simulate.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

std::string task_file() { return source_path("examples/bermuda/task.json"); }

// The true graph of the bundled task.
std::string write_graph(const TemporaryFolder& folder) {
  const StructuralModel model = bermuda_model();
  std::string text = "from,to\n";
  for (const auto& [from, to] : model.edges()) text += model.nodes[from].name + "," + model.nodes[to].name + "\n";
  return folder.write("graph.csv", text);
}

Json run_json(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const ProcessResult result = run_olem(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return parse_json(result.out);
}

TEST(CliGradRh, DecidesWithAGivenGraph) {
  const TemporaryFolder folder;
  const std::string graph = write_graph(folder);
  const Json json = run_json({"decide", task_file(), "--graph", graph, "--sampler", "linear"});
  EXPECT_EQ(json["method"], "grad-rh");
  EXPECT_EQ(json["graph"]["method"], "given graph");
  EXPECT_EQ(json["graph"]["edges"].size(), 26U);
  EXPECT_NEAR(json["decisions"][0]["success_probability"].get<double>(), 0.68, 0.04);
  const ProcessResult text = run_olem({"decide", task_file(), "--graph", graph, "--sampler", "linear"});
  EXPECT_THAT(text.out, HasSubstr("A graph of 26 edges among 11 variables (given graph)"));
}

TEST(CliGradRh, AGraphAgainstTheStagesIsExitCode3WithItsEdge) {
  const TemporaryFolder folder;
  const std::string graph = folder.write("graph.csv", "from,to\nDIC,TA\nNEC,DIC\n");
  const ProcessResult result = run_olem({"decide", task_file(), "--graph", graph});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("graph.csv"));
  EXPECT_THAT(result.err, HasSubstr("NEC -> DIC"));
}

TEST(CliGradRh, FittedModelsKeepTheGraphAndDecideTheSame) {
  const TemporaryFolder folder;
  const std::string file = folder.file("reef.olem");
  const std::vector<std::string> how = {"--graph-method", "ges", "--ges-penalty", "1", "--sampler", "gaussian"};
  const Json fitted = run_json(joined({"fit", task_file(), "-o", file, "--no-calibrate"}, how));
  EXPECT_EQ(fitted["graph"]["method"], "ges");
  EXPECT_EQ(fitted["options"]["graph_method"], "ges");
  EXPECT_EQ(fitted["options"]["ges_penalty"], 1.0);
  const Json direct = run_json(joined({"decide", task_file()}, how));
  const Json stored = run_json({"decide", "--model", file});
  EXPECT_EQ(stored["graph"], direct["graph"]);
  EXPECT_EQ(stored["method"], "grad-rh");
  EXPECT_EQ(stored["decisions"][0]["alterations"], direct["decisions"][0]["alterations"]);
  const Json checked = run_json({"check", file});
  EXPECT_EQ(checked["model"]["graph"], direct["graph"]);
  const Json exact = run_json({"decide", "--model", file, "--decision", "qwz23"});
  EXPECT_EQ(exact["method"], "qwz23");
  EXPECT_EQ(exact["decisions"][0]["qwz23_interval"].size(), 2U);
}

TEST(CliGradRh, FlagsThatContradictEachOtherAreExplained) {
  const auto error = [](const std::vector<std::string>& flags) {
    const ProcessResult result = run_olem(joined({"decide", task_file()}, flags));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(error({"--graph", "g.csv", "--order", "o.txt"}), HasSubstr("--graph and --order"));
  EXPECT_THAT(error({"--graph-method", "ges", "--method", "cam"}), HasSubstr("--graph-method and --method"));
  EXPECT_THAT(error({"--graph-method", "gess"}), HasSubstr("Did you mean 'ges'"));
  EXPECT_THAT(error({"--ges-penalty", "2"}), HasSubstr("--graph-method ges, which was not given"));
  EXPECT_THAT(error({"--graph-method", "ges", "--notears-lambda", "0.2"}), HasSubstr("it belongs to notears"));
}

TEST(CliQwz23, DecidesWithAGraphAndAsksForOne) {
  const TemporaryFolder folder;
  const Json json = run_json({"decide", task_file(), "--decision", "qwz23", "--graph", write_graph(folder)});
  EXPECT_EQ(json["method"], "qwz23");
  EXPECT_EQ(json["options"]["sampler"], "gaussian");
  const Json& decision = json["decisions"][0];
  EXPECT_EQ(decision["found_by"], "sweep");
  EXPECT_NEAR(decision["success_probability"].get<double>(), 0.68, 0.04);
  const double low = decision["qwz23_interval"][0];
  EXPECT_LT(low, decision["success_probability"].get<double>());
  const ProcessResult without = run_olem({"decide", task_file(), "--decision", "qwz23"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("--graph FILE"));
}

}  // namespace
}  // namespace olem::test
