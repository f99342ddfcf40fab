// The learners of graphs as a person uses them.
#include <cmath>

#include "helpers.h"
#include "olem/graph_file.h"
#include "olem/random.h"

namespace olem::test::graph_learners_test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

// x0 -> x1 <- hidden -> x2 <- x3, without the hidden column.
Table hidden_cause_table() {
  constexpr std::size_t kRows = 500;
  RandomStream random(1, "hidden cause");
  std::vector<double> values(kRows * 4);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double hidden = random.normal();
    const double x0 = random.normal();
    const double x3 = random.normal();
    const double row[4] = {x0, x0 + hidden + random.normal(), x3 - hidden + random.normal(), x3};
    for (std::size_t j = 0; j < 4; ++j) values[j * kRows + i] = row[j];
  }
  return {{"x0", "x1", "x2", "x3"}, std::move(values)};
}

TEST(CliGraphLearners, GesAndPcGiveTheClassOfTheKnownAnswerData) {
  const TemporaryFolder folder;
  const std::string data = folder.write("ka5.csv", csv_of(ka5()));
  for (const std::string method : {"ges", "pc"}) {
    const ProcessResult run = run_olem({"graph", data, "--method", method, "--json"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json json = parse_json(run.out);
    EXPECT_EQ(json["method"], method);
    EXPECT_EQ(json["edges"], Json::parse(R"([["x1","x3"],["x2","x3"]])"));
    EXPECT_EQ(json["undirected"], Json::parse(R"([["x0","x1"],["x0","x2"]])"));
    const ProcessResult text = run_olem({"graph", data, "--method", method});
    EXPECT_THAT(text.out, HasSubstr("A CPDAG of 4 edges among 5 variables"));
    EXPECT_THAT(text.out, HasSubstr("x0   --- x1"));
    EXPECT_THAT(text.out, HasSubstr("x1   --> x3"));
  }
  const Json ges = parse_json(run_olem({"graph", data, "--method", "ges", "--json"}).out);
  EXPECT_NEAR(ges["score"].get<double>(), -1199.996781, 1e-6);
  EXPECT_EQ(ges["steps"].size(), 8U);
  EXPECT_EQ(ges["steps"][0]["from"], "x0");
  EXPECT_EQ(ges["steps"][1]["with"], Json::array({"x0"}));
  const Json pc = parse_json(run_olem({"graph", data, "--method", "pc", "--json"}).out);
  EXPECT_EQ(pc["tests"][0]["tests"], 10);
  bool told = false;
  for (const Json& set : pc["separating_sets"]) {
    if (set["a"] != "x1" || set["b"] != "x2") continue;
    EXPECT_EQ(set["given"], Json::array({"x0"}));
    EXPECT_NEAR(set["p_value"].get<double>(), 0.14759755, 1e-8);
    told = true;
  }
  EXPECT_TRUE(told);
}

TEST(CliGraphLearners, ADagOfTheClassObeysWhatIsKnown) {
  const TemporaryFolder folder;
  const std::string data = folder.write("ka5.csv", csv_of(ka5()));
  for (const std::string method : {"ges", "pc"}) {
    const ProcessResult run =
        run_olem({"graph", data, "--method", method, "--dag", "--before", "x1,x0", "--json", "-q"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json json = parse_json(run.out);
    EXPECT_EQ(json["edges"], Json::parse(R"([["x0","x2"],["x1","x0"],["x1","x3"],["x2","x3"]])"));
    EXPECT_FALSE(json.contains("undirected"));
    EXPECT_THAT(json["rule"], HasSubstr("one of its class"));
  }
}

TEST(CliGraphLearners, FciShowsTheHiddenCause) {
  const TemporaryFolder folder;
  const std::string data = folder.write("d.csv", csv_of(hidden_cause_table()));
  const ProcessResult run = run_olem({"graph", data, "--method", "fci", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = parse_json(run.out);
  EXPECT_EQ(json["marks"], Json::parse(R"([["x0","o->","x1"],["x1","<->","x2"],["x2","<-o","x3"]])"));
  EXPECT_EQ(json["edges"], Json::array());
  const ProcessResult text = run_olem({"graph", data, "--method", "fci"});
  EXPECT_THAT(text.out, HasSubstr("A PAG of 3 edges among 4 variables"));
  EXPECT_THAT(text.out, HasSubstr("x1   <-> x2"));
}

TEST(CliGraphLearners, MixedGraphsAreWrittenAndReadBack) {
  const TemporaryFolder folder;
  const std::string ka5_file = folder.write("ka5.csv", csv_of(ka5()));
  const std::string hidden_file = folder.write("hidden.csv", csv_of(hidden_cause_table()));
  for (const std::string format : {"edges", "adjacency", "json", "dot", "gml", "graphml", "tetrad"}) {
    for (const std::string method : {"pc", "fci"}) {
      if (method == "fci" && format == "adjacency") continue;
      const std::string file = folder.file(method + "." + format);
      const std::string result = folder.file(method + "." + format + ".json");
      const ProcessResult run = run_olem({"graph", method == "pc" ? ka5_file : hidden_file, "--method", method, "-q",
                                          "--graph-file", file, "--format", format, "-o", result});
      ASSERT_EQ(run.exit_code, 0) << run.err;
      const MixedGraph printed = read_graph(result).graph;
      MixedGraph written = read_graph(file).graph.with_nodes(printed.names().list());
      EXPECT_EQ(printed.kind(), method == "pc" ? GraphKind::kCpdag : GraphKind::kPag);
      EXPECT_EQ(written, printed) << method << " " << format;
      // Both sides are files: the class itself is compared, or its skeleton.
      const Json same = parse_json(run_olem({"compare", result, file, "--json"}).out);
      EXPECT_EQ(same["shd"], 0);
    }
  }
}

TEST(CliGraphLearners, WhatCannotHoldAPagIsRefusedAndNothingIsWritten) {
  const TemporaryFolder folder;
  const std::string data = folder.write("d.csv", csv_of(hidden_cause_table()));
  const ProcessResult matrix = run_olem({"graph", data, "--method", "fci", "--graph-file", folder.file("g.csv"),
                                         "--format", "adjacency", "-o", folder.file("r.json")});
  EXPECT_EQ(matrix.exit_code, 2);
  EXPECT_EQ(matrix.out, "");
  EXPECT_THAT(matrix.err, HasSubstr("An adjacency matrix cannot hold a PAG. Write it as json, dot or tetrad."));
  const ProcessResult dag = run_olem({"graph", data, "--method", "fci", "--dag"});
  EXPECT_EQ(dag.exit_code, 2);
  EXPECT_THAT(dag.err, HasSubstr("'--dag' is not an option of --method fci; it belongs to ges, pc."));
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"d.csv"});
}

TEST(CliGraphLearners, BadInputIsNamed) {
  const TemporaryFolder folder;
  Cells cells = cells_of(ka5());
  cells[0].push_back("sum");
  for (std::size_t i = 1; i < cells.size(); ++i) {
    cells[i].push_back(fmt::format("{}", std::stod(cells[i][0]) + std::stod(cells[i][3])));
  }
  const std::string dependent = folder.write("dependent.csv", csv_of(cells));
  cells.resize(6);
  const std::string few = folder.write("few.csv", csv_of(cells));
  for (const std::string method : {"ges", "pc", "fci"}) {
    const ProcessResult combination = run_olem({"graph", dependent, "--method", method});
    EXPECT_EQ(combination.exit_code, 3);
    EXPECT_THAT(combination.err, HasSubstr("Column 'sum' is a linear combination of 'x0', 'x3'"));
    const ProcessResult short_table = run_olem({"graph", few, "--method", method});
    EXPECT_EQ(short_table.exit_code, 3);
    EXPECT_THAT(short_table.err, HasSubstr(method + " needs at least 7 rows for 6 columns, but there are 5"));
  }
}

TEST(CliGraphLearners, TimeLimitsAndOptionsAreObeyed) {
  const TemporaryFolder folder;
  const std::string data = folder.write("d.csv", csv_of(linear_table(300, 40, 1)));
  const ProcessResult late = run_olem({"graph", data, "--method", "fci", "--time-limit", "0.3"});
  EXPECT_EQ(late.exit_code, 6) << late.err;
  EXPECT_THAT(late.err, HasSubstr("--time-limit"));
  const Json bounded =
      parse_json(run_olem({"graph", data, "--method", "pc", "--max-conditioning", "1", "--json", "-q"}).out);
  EXPECT_EQ(bounded["tests"].size(), 2U);
  EXPECT_EQ(bounded["options"]["max_conditioning"], 1);
  EXPECT_EQ(run_olem({"graph", data, "--method", "pc", "--independence-alpha", "2"}).exit_code, 2);
  EXPECT_EQ(run_olem({"graph", data, "--method", "ges", "--independence-alpha", "0.1"}).exit_code, 2);
  const Json sparse = parse_json(run_olem({"graph", data, "--method", "ges", "--ges-penalty", "1e6", "--json"}).out);
  EXPECT_EQ(sparse["edges"].size(), 0U);
}

}  // namespace
}  // namespace olem::test::graph_learners_test
