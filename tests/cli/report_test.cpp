#include "helpers.h"

namespace olem::test::report_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CliReport : public testing::Test {
 protected:
  CliReport() { options_.folder = folder_.path(); }

  ProcessResult run(const std::vector<std::string>& arguments) { return run_olem(arguments, options_); }

  TemporaryFolder folder_;
  ProcessOptions options_;
};

// Nothing but the result file is needed: the page of decide and the page made of its file are the same bytes.
TEST_F(CliReport, TheResultFileHoldsAllThatThePageShows) {
  const ProcessResult decide = run({"decide", "-q", source_path("examples/bermuda/task.json"), "--sampler", "linear",
                                    "--draws", "100", "--judge-draws", "200", "-o", "d.json", "--report", "a.html"});
  ASSERT_EQ(decide.exit_code, 0) << decide.err;
  const ProcessResult report = run({"report", "d.json", "-o", "b.html"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(report.out, "Written: b.html.\n");
  const std::string page = read_text(folder_.file("a.html"));
  EXPECT_EQ(read_text(folder_.file("b.html")), page);
  EXPECT_THAT(page, AllOf(HasSubstr("What should be changed to have NEC between 0.5 and 2?"),
                          HasSubstr("observed in the data"), HasSubstr("<b>Nutrients_PC1</b>")));
  EXPECT_EQ(run({"report", "d.json", "-o", "b.html"}).exit_code, 5);
  EXPECT_EQ(run({"report", "d.json", "-o", "b.html", "--force"}).exit_code, 0);
  EXPECT_THAT(folder_.entries(), ElementsAre("a.html", "b.html", "d.json"));
}

// A decision along a learned graph, with every wish: all of it is on the page.
TEST_F(CliReport, WishesAlternativesAndTheGraphAreOnThePage) {
  Json task = parse_json(read_text(source_path("examples/bermuda/task.json")));
  task["data"] = source_path("examples/bermuda/data.csv");
  task["cost"] = {{"DIC", 1}, {"TA", 3}};
  task["max_alterations"] = 3;
  task["constraints"] = {{{"weights", {{"DIC", 1}, {"TA", 1}}}, {"max", 0.8}}};
  folder_.write("t.json", task.dump());
  const ProcessResult decide = run({"decide", "-q", "t.json", "--graph-method", "ges", "--sampler", "linear", "--draws",
                                    "100", "--judge-draws", "200", "--proposals", "2", "--report", "a.html"});
  ASSERT_EQ(decide.exit_code, 0) << decide.err;
  EXPECT_THAT(read_text(folder_.file("a.html")),
              AllOf(HasSubstr("1 per unit of DIC, 3 per unit of TA; the others cost nothing"),
                    HasSubstr("No more than 3 of them"), HasSubstr("DIC + TA must be at most 0.8"),
                    HasSubstr("<td>alternative 1</td>"), HasSubstr("<h2>The graph</h2>"),
                    HasSubstr("by greedy equivalence search"), HasSubstr("How well the models forecast")));
}

TEST_F(CliReport, OrdersGraphsAndModelsHavePages) {
  const std::string data = source_path("data/sachs/sachs.csv");
  const std::pair<std::vector<std::string>, std::string> results[] = {
      {{"order", data, "-q", "--bootstrap", "2", "-o", "r.json"}, "How often each comes before each"},
      {{"order", data, "-q", "--method", "olem+", "-o", "r.json"}, "decided by shape"},
      {{"order", data, "-q", "--method", "olem+", "--olem-plus-units", "comparable", "-o", "r.json"},
       "decided by scale only (dashed): they hold if the units of the columns are comparable"},
      {{"graph", data, "-q", "-o", "r.json"}, "Tests of the edges"},
      {{"graph", data, "-q", "--method", "fci", "-o", "r.json"}, "11 variables, 8 edges"},
      {{"explain", source_path("examples/bermuda/task.json"), "-q", "--sampler", "linear", "--draws", "50", "--points",
        "3", "--pair-points", "3", "-o", "r.json"},
       "Success over pairs"},
  };
  for (const auto& [arguments, part] : results) {
    ASSERT_EQ(run(joined(arguments, {"--force"})).exit_code, 0) << part;
    const ProcessResult report = run({"report", "r.json", "-o", "r.html", "--force"});
    EXPECT_EQ(report.exit_code, 0) << report.err;
    EXPECT_THAT(read_text(folder_.file("r.html")), HasSubstr(part));
  }
}

// The trait of the applicant is recorded, but not known when the loan is set: seeing it is worth something.
TEST_F(CliReport, WhatLookingIsWorthHasBars) {
  ASSERT_EQ(run({"simulate", "bank", "--rows", "300", "--rounds", "1", "-o", "bank"}).exit_code, 0);
  const ProcessResult explain = run({"explain", "bank/task.json", "-q", "--sampler", "linear", "--draws", "50",
                                     "--points", "3", "--looking", "-o", "r.json"});
  ASSERT_EQ(explain.exit_code, 0) << explain.err;
  ASSERT_EQ(run({"report", "r.json", "-o", "r.html"}).exit_code, 0);
  const Json worth = parse_json(read_text(folder_.file("r.json")))["explanations"][0]["looking"]["variables"][0];
  EXPECT_EQ(worth["name"], "U");
  EXPECT_THAT(
      read_text(folder_.file("r.html")),
      AllOf(HasSubstr("<title>What looking is worth</title>"), HasSubstr("<title>Change it or watch it</title>"),
            HasSubstr(fmt::format("and when it is not: U {:+.3f}", worth["gain"].get<double>()))));
}

TEST_F(CliReport, WhatIsNoResultIsRefused) {
  folder_.write("no.json", "{");
  folder_.write("other.json", "{\"a\": 1}");
  EXPECT_THAT(run({"report", "no.json", "-o", "p.html"}).err,
              HasSubstr("no.json, line 1, column 2: This is not valid"));
  const ProcessResult other = run({"report", "other.json", "-o", "p.html"});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err, HasSubstr("other.json: This is no result of olem."));
  constexpr std::size_t kDepth = 200'000;
  folder_.write("other.json", R"({"verb": "study", "version": "0", "options": {"a": )" + std::string(kDepth, '[') +
                                  std::string(kDepth, ']') + "}}");
  const ProcessResult deep = run({"report", "other.json", "-o", "p.html"});
  EXPECT_EQ(deep.exit_code, 3);
  EXPECT_THAT(deep.err, HasSubstr("other.json: Lists and objects are nested deeper than 64 levels."));
  EXPECT_EQ(run({"report", "absent.json", "-o", "p.html"}).exit_code, 5);
  EXPECT_EQ(run({"report", "no.json"}).exit_code, 2);
  EXPECT_EQ(run({"report", "no.json", "-o", "no.json", "--force"}).exit_code, 2);
  EXPECT_THAT(folder_.entries(), ElementsAre("no.json", "other.json"));
}

}  // namespace
}  // namespace olem::test::report_test
