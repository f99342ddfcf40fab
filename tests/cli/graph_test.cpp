// olem graph, olem compare and olem simulate as a person uses them.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/datasets.h"
#include "support/process.h"

namespace olem::test::graph_test {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kSachsOrder = {"PKC", "P38",  "Erk", "Akt",  "Plcg", "Mek",
                                              "Jnk", "PIP3", "Raf", "PIP2", "PKA"};

std::string sachs() { return source_path("data/sachs/sachs.csv"); }
std::string sachs_truth() { return source_path("data/sachs/graph.csv"); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CliGraph, SachsGivesTheEdgesOfThePaper) {
  const TemporaryFolder folder;
  const ProcessResult run =
      run_olem({"graph", sachs(), "--method", "olem", "--quiet", "--json", "-o", folder.file("graph.json")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = parse_json(run.out);
  EXPECT_EQ(read_text(folder.file("graph.json")), run.out);
  EXPECT_EQ(json["order"].get<std::vector<std::string>>(), kSachsOrder);
  const Json expected = Json::parse(R"([["Mek","Raf"],["Plcg","PIP2"],["Plcg","PIP3"],["PIP3","PIP2"],["Erk","Akt"],
    ["Erk","PKA"],["Akt","PKA"],["PKC","P38"],["PKC","Jnk"],["P38","Jnk"]])");
  std::vector<Json> found(json["edges"].begin(), json["edges"].end());
  std::vector<Json> known(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  std::sort(known.begin(), known.end());
  EXPECT_EQ(found, known);
  EXPECT_EQ(json["candidates"].size(), 55U);
  for (const Json& candidate : json["candidates"]) {
    if (candidate["from"] != "Jnk" || candidate["to"] != "PIP3") continue;
    EXPECT_NEAR(candidate["p_value"].get<double>(), 0.00109, 0.00001);
    EXPECT_FALSE(candidate["kept"].get<bool>());
  }
  for (const Json& node : json["regressions"]) EXPECT_TRUE(node["converged"].get<bool>()) << node.dump();

  const ProcessResult compared = run_olem({"compare", sachs_truth(), folder.file("graph.json"), "--json"});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  const Json numbers = parse_json(compared.out);
  EXPECT_EQ(numbers["div"], 8);
  EXPECT_EQ(numbers["shd"], 12);
  EXPECT_EQ(numbers["shd2"], 15);
  EXPECT_EQ(numbers["sid"], 45);
}

TEST(CliGraph, TheBorderlineEdgeMakesThePapersRow) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_olem({"graph", sachs(), "-q", "--method", "olem", "--cutoff", "0.0011", "-o", folder.file("g.json")})
                .exit_code,
            0);
  const Json numbers = parse_json(run_olem({"compare", sachs_truth(), folder.file("g.json"), "--json"}).out);
  EXPECT_EQ(numbers["div"], 8);
  EXPECT_EQ(numbers["shd2"], 16);
  EXPECT_EQ(numbers["sid"], 45);
}

TEST(CliGraph, TheSearchOfMgcv) {
  const TemporaryFolder folder;
  std::string lines;
  for (const std::string& name : kSachsOrder) lines += name + "\n";
  const std::string order = folder.write("order.txt", lines);
  const ProcessResult run =
      run_olem({"graph", sachs(), "-q", "--order", order, "--smoothing-search", "mgcv", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = parse_json(run.out);
  EXPECT_EQ(json["options"]["smoothing_search"], "mgcv");
  EXPECT_EQ(json["candidates"].size(), 55U);

  const ProcessResult refused = run_olem({"graph", sachs(), "-q", "--smoothing-search", "mgcv", "--criterion", "reml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "--smoothing-search")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--criterion gcv")) << refused.err;
}

TEST(CliGraph, AGivenOrderIsPrunedAndThreadsDoNotMatter) {
  const TemporaryFolder folder;
  std::string lines;
  for (const std::string& name : kSachsOrder) lines += name + "\n";
  const std::string order = folder.write("order.txt", lines);
  std::string first;
  for (const std::string threads : {"1", "2", "8"}) {
    Json json = parse_json(run_olem({"graph", sachs(), "-q", "--order", order, "--threads", threads, "--json"}).out);
    EXPECT_EQ(json["edges"].size(), 10U);
    json.erase("seconds");
    json["options"].erase("threads");
    if (first.empty()) first = json.dump();
    EXPECT_EQ(json.dump(), first);
  }
  const ProcessResult compared = run_olem({"compare", sachs_truth(), order, "--data", sachs(), "--json", "-q"});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_EQ(parse_json(compared.out)["sid"], 45);
  const Json alone = parse_json(run_olem({"compare", sachs_truth(), order, "--json"}).out);
  EXPECT_EQ(alone["div"], 8);
  EXPECT_TRUE(!alone.contains("sid") || alone["sid"].is_null());
}

TEST(CliGraph, AGivenOrderThatContradictsKnowledgeIsWarnedOf) {
  const TemporaryFolder folder;
  const std::string data =
      folder.write("d.csv", "a,b,c\n1,2,0.5\n2,1.5,0.1\n3,4,0.7\n4,4.5,0.2\n5,6.2,0.9\n6,5.1,0.4\n");
  const std::string order = folder.write("order.txt", "c\nb\na\n");
  const ProcessResult run = run_olem({"graph", data, "--order", order, "--before", "a,b,c", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.err, "it should have b before c, a before c, a before b")) << run.err;
  bool told = false;
  const Json json = parse_json(run.out);
  for (const Json& warning : json["warnings"]) told |= warning["code"] == "order_contradicts_knowledge";
  EXPECT_TRUE(told);
  EXPECT_EQ(run_olem({"graph", data, "--order", folder.write("bad.txt", "c\nb\n")}).exit_code, 3);
}

TEST(CliGraph, EveryGraphFormatIsWrittenAndReadBack) {
  const TemporaryFolder folder;
  for (const std::string format : {"edges", "adjacency", "json", "dot", "gml", "graphml", "tetrad"}) {
    const std::string file = folder.file("graph." + format);
    const ProcessResult run =
        run_olem({"graph", sachs(), "-q", "--method", "olem", "--graph-file", file, "--format", format});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json numbers = parse_json(run_olem({"compare", sachs_truth(), file, "--json"}).out);
    EXPECT_EQ(numbers["sid"], 45) << format;
    EXPECT_EQ(numbers["shd2"], 15) << format;
  }
  const ProcessResult refused = run_olem({"graph", sachs(), "--format", "pdf", "--graph-file", folder.file("x")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(run_olem({"graph", sachs(), "-q", "--graph-file", folder.file("graph.dot")}).exit_code, 5) << "overwrote";
}

TEST(CliGraph, TextShowsWhatWasNearTheCutoff) {
  const ProcessResult run = run_olem({"graph", sachs(), "--method", "olem", "-q"});
  EXPECT_TRUE(contains(run.out, "A graph of 10 edges among 11 variables")) << run.out;
  const std::size_t near = run.out.find("near the cutoff");
  ASSERT_NE(near, std::string::npos);
  EXPECT_NE(run.out.find("Jnk  -> PIP3", near), std::string::npos) << run.out;
}

struct BadFile {
  const char* what;
  const char* content;
  const char* message;
};

class CliBadGraph : public testing::TestWithParam<BadFile> {};

TEST_P(CliBadGraph, IsAClearErrorAndNothingIsWritten) {
  const TemporaryFolder folder;
  const std::string truth = folder.write("truth.csv", "from,to\na,b\nb,c\n");
  const std::string bad = folder.write("bad", GetParam().content);
  const ProcessResult run = run_olem({"compare", truth, bad, "-o", folder.file("out.json")});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(contains(run.err, "bad")) << run.err;
  EXPECT_TRUE(contains(run.err, GetParam().message)) << run.err;
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"bad", "truth.csv"}));
}

INSTANTIATE_TEST_SUITE_P(
    Files, CliBadGraph,
    testing::Values(BadFile{"Cycle", "from,to\na,b\nb,c\nc,a\n", "a -> b -> c -> a"},
                    BadFile{"SelfLoop", "from,to\na,a\n", "a"}, BadFile{"UnknownNode", "from,to\na,bb\n", "bb"},
                    BadFile{"Repeated", "from,to\na,b\na,b\n", "line"},
                    BadFile{"MissingNode", R"({"nodes": ["a", "b"], "edges": [["a", "b"]]})", "c"},
                    BadFile{"OrderMissesAName", "a\nb\n", "c"}, BadFile{"OrderRepeatsAName", "a\nb\nb\nc\n", "b"},
                    BadFile{"Empty", "", "empty"}, BadFile{"EdgeWithoutEnd", "from,to\na\n", "line 2"},
                    BadFile{"AdjacencyNotSquare", ",a,b,c\na,0,1,0\nb,0,0,1\n", "c"},
                    BadFile{"JsonCutOff", R"({"nodes": ["a", "b", "c"], "edges": [["a", )", "JSON"},
                    BadFile{"DotCutOff", "digraph { a -> b; b -> ", "cut off"},
                    BadFile{"GmlCutOff", "graph [ directed 1 node [ id 0 label \"a\" ", "never closed"},
                    BadFile{"GraphmlCutOff",
                            "<?xml version=\"1.0\"?><graphml><graph edgedefault=\"directed\"><node id=\"a\"/>", "XML"},
                    BadFile{"TetradCutOff", "Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a -->", "line"},
                    BadFile{"WeightNotANumber", "from,to,weight\na,b,nan\n", "weight"}),
    [](const testing::TestParamInfo<BadFile>& file) { return file.param.what; });

TEST(CliCompare, AMissingFileAndAGraphWithData) {
  const TemporaryFolder folder;
  const std::string truth = folder.write("truth.csv", "from,to\na,b\n");
  EXPECT_EQ(run_olem({"compare", truth, folder.file("nobody.csv")}).exit_code, 5);
  const ProcessResult both = run_olem({"compare", sachs_truth(), sachs_truth(), "--data", sachs()});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_TRUE(contains(both.err, "--data")) << both.err;
}

TEST(CliCompare, APagIsComparedBySkeletonAndSaysSo) {
  const TemporaryFolder folder;
  const std::string truth = folder.write("truth.csv", "from,to\na,b\nb,c\n");
  const std::string pag = folder.write("pag.csv", "from,to,edge\na,b,o->\nb,c,o-o\n");
  const ProcessResult run = run_olem({"compare", truth, pag, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = parse_json(run.out);
  EXPECT_EQ(json["basis"], "skeleton");
  EXPECT_EQ(json["shd"], 0);
  EXPECT_TRUE(contains(run_olem({"compare", truth, pag}).out, "skeleton"));
}

TEST(CliSimulate, WritesDataBesideItsTruthAndIsSeeded) {
  const TemporaryFolder folder;
  const std::vector<std::string> command = {"simulate", "order",  "--variables", "6", "--rows",
                                            "200",      "--seed", "5",           "-o"};
  const auto simulate = [&](const std::string& name, const std::string& seed) {
    std::vector<std::string> words = command;
    words[7] = seed;
    words.push_back(folder.file(name));
    return run_olem(words);
  };
  ASSERT_EQ(simulate("a", "5").exit_code, 0);
  ASSERT_EQ(simulate("b", "5").exit_code, 0);
  ASSERT_EQ(simulate("c", "6").exit_code, 0);
  for (const std::string file : {"data.csv", "graph.csv", "truth.json"}) {
    EXPECT_EQ(read_text(folder.file("a/" + file)), read_text(folder.file("b/" + file)));
    EXPECT_FALSE(read_text(folder.file("a/" + file)).empty());
  }
  EXPECT_NE(read_text(folder.file("a/data.csv")), read_text(folder.file("c/data.csv")));
  EXPECT_EQ(simulate("a", "5").exit_code, 5) << "an existing folder was replaced";
  const ProcessResult order = run_olem({"order", folder.file("a/data.csv"), "-q", "-o", folder.file("o.json")});
  ASSERT_EQ(order.exit_code, 0) << order.err;
  EXPECT_EQ(run_olem({"compare", folder.file("a/graph.csv"), folder.file("o.json")}).exit_code, 0);
}

TEST(CliSimulate, DecisionTasksComeWithATaskFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_olem({"simulate", "bermuda", "--rows", "50", "-o", folder.file("b")}).exit_code, 0);
  const Json task = Json::parse(read_text(folder.file("b/task.json")));
  EXPECT_EQ(task["data"], "data.csv");
  EXPECT_EQ(task["outcome"], Json::array({"NEC"}));
  EXPECT_EQ(task["desired"]["NEC"], Json::array({0.5, 2.0}));
  ASSERT_EQ(run_olem({"simulate", "auf", "--family", "mlp", "--rows", "50", "-o", folder.file("m")}).exit_code, 0);
  EXPECT_FALSE(Json::parse(read_text(folder.file("m/task.json")))["alterable"].empty());
  EXPECT_EQ(run_olem({"simulate", "order"}).exit_code, 2);
  EXPECT_EQ(run_olem({"simulate", "order", "--density", "2", "-o", folder.file("x")}).exit_code, 2);
  const ProcessResult weather = run_olem({"simulate", "weather", "-o", folder.file("x")});
  EXPECT_EQ(weather.exit_code, 2);
  EXPECT_TRUE(contains(weather.err, "There are order, auf, bermuda")) << weather.err;
  EXPECT_TRUE(contains(run_olem({"simulate"}).err, "one of order, auf, bermuda"));
  const ProcessResult flag = run_olem({"simulate", "order", "--variable", "3", "-o", folder.file("x")});
  EXPECT_TRUE(contains(flag.err, "Did you mean --variables?")) << flag.err;
  const std::string config = folder.write("c.json", R"({"rows": 40, "variables": 3})");
  const ProcessResult small =
      run_olem({"simulate", "order", "--config", config, "--rows", "60", "-o", folder.file("s"), "--json"});
  ASSERT_EQ(small.exit_code, 0) << small.err;
  EXPECT_EQ(parse_json(small.out)["rows"], 60);
  EXPECT_EQ(parse_json(small.out)["columns"], 3);
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"b", "c.json", "m", "s"}));
}

}  // namespace
}  // namespace olem::test::graph_test
