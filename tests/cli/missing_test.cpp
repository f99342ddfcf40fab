#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/helpers.h"
#include "olem/random.h"

namespace olem::test::cli_missing_test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// w ~ N(0, 1), z = 0.8 w + 0.6 e, the lever x ~ N(0, 1), y = x + z + 0.5 e. `gap` says which cells are empty.
std::string table(std::size_t rows, std::uint64_t seed,
                  const std::function<bool(std::size_t column, RandomStream&)>& gap) {
  RandomStream random(seed, "test.cli.missing");
  std::string text = "w,z,x,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double w = random.normal();
    const double z = 0.8 * w + 0.6 * random.normal();
    const double x = random.normal();
    const double y = x + z + 0.5 * random.normal();
    std::vector<std::string> cells;
    for (const double value : {w, z, x, y}) cells.push_back(gap(cells.size(), random) ? "" : fmt::format("{}", value));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string complete(std::size_t rows, std::uint64_t seed) {
  return table(rows, seed, [](std::size_t, RandomStream&) { return false; });
}

// A tenth of all cells.
std::string with_gaps(std::size_t rows, std::uint64_t seed) {
  return table(rows, seed, [](std::size_t, RandomStream& random) { return random.uniform() < 0.1; });
}

constexpr const char* kTask = R"({"data": "d.csv", "context": ["w", "z"], "alterable": {"x": [-3, 3]},
  "outcome": ["y"], "desired": {"y": [-1, 1]}, "observed": {"w": 1, "z": null}})";

class CliMissing : public testing::Test {
 protected:
  ProcessResult run(const std::vector<std::string>& arguments) const {
    ProcessOptions options;
    options.folder = folder_.path();
    return run_olem(arguments, options);
  }
  // What is printed, whatever its lines are.
  std::string printed(const std::vector<std::string>& arguments) const {
    std::string text = run(arguments).out;
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  Json json(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return parse_json(result.out);
  }
  TemporaryFolder folder_;
};

// Given w = 1, z ~ N(0.8, 0.36): the best x is -0.8, and y then lies within 1 of 0 with probability 2 Phi(1 / 0.781)
// - 1. With z known the best x is -z, and the probability 2 Phi(2) - 1.
TEST_F(CliMissing, UnknownContextAgainstTheClosedForm) {
  folder_.write("d.csv", complete(1000, 3));
  folder_.write("task.json", kTask);
  const Json result = json({"decide", "task.json", "--sampler", "linear", "--unknown", "draw"});
  const Json& decision = result["decisions"][0];
  const double without = 2.0 * normal_cdf(1.0 / std::sqrt(0.61)) - 1.0;
  const double known = 2.0 * normal_cdf(2.0) - 1.0;
  EXPECT_NEAR(decision["alterations"]["x"].get<double>(), -0.8, 0.12);
  EXPECT_NEAR(decision["success_probability"].get<double>(), without, 0.03);
  EXPECT_TRUE(decision["context"]["z"].is_null());
  EXPECT_EQ(decision["context"]["w"], 1.0);
  ASSERT_EQ(decision["unknown"].size(), 1U);
  EXPECT_EQ(decision["unknown"][0]["name"], "z");
  const double error = decision["unknown"][0]["standard_error"];
  EXPECT_GT(error, 0.0);
  EXPECT_LT(error, 0.1);
  EXPECT_NEAR(decision["unknown"][0]["worth"].get<double>(), known - without, 3.0 * error + 0.03);
  EXPECT_TRUE(result["task"]["observed"]["z"].is_null());

  // The same from a model, and from a file of contexts with an empty cell.
  ASSERT_EQ(run({"fit", "task.json", "-o", "m.olem", "--sampler", "linear", "--no-calibrate"}).exit_code, 0);
  folder_.write("c.csv", "w,z\n1,\n1,0.5\n");
  const Json rows =
      json({"decide", "--model", "m.olem", "--contexts", "c.csv", "--unknown", "draw", "--csv", "out.csv"});
  EXPECT_EQ(rows["decisions"][0]["alterations"], decision["alterations"]);
  EXPECT_EQ(rows["decisions"][0]["unknown"], decision["unknown"]);
  EXPECT_FALSE(rows["decisions"][1].contains("unknown"));
  EXPECT_THAT(read_text(folder_.file("out.csv")), HasSubstr("w,z,x,success_probability"));
  EXPECT_THAT(read_text(folder_.file("out.csv")), HasSubstr("\n1,,-0."));

  // The task of the model has null for z too.
  const std::string text = printed({"decide", "--model", "m.olem", "--unknown", "draw", "--report", "p.html"});
  EXPECT_THAT(text, HasSubstr("z unknown"));
  EXPECT_THAT(text, HasSubstr("To know z would raise the probability of success by"));
  EXPECT_THAT(read_text(folder_.file("p.html")), HasSubstr("To know z would raise the probability of success by"));
  EXPECT_EQ(run({"explain", "--model", "m.olem", "--context", "w=1", "--unknown", "draw"}).exit_code, 0);
}

TEST_F(CliMissing, UnknownContextIsRefusedWithoutTheWord) {
  folder_.write("d.csv", complete(200, 3));
  folder_.write("task.json", kTask);
  const ProcessResult refused = run({"decide", "task.json", "--sampler", "linear"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("There is no observed value of the context variable 'z'."));
  EXPECT_THAT(refused.err, HasSubstr("--unknown draw"));
  folder_.write("c.csv", "w,z\n1,\n");
  const ProcessResult cell = run({"decide", "task.json", "--sampler", "linear", "--contexts", "c.csv"});
  EXPECT_EQ(cell.exit_code, 3);
  EXPECT_THAT(cell.err, HasSubstr("c.csv, line 2, column 'z'"));
  EXPECT_THAT(cell.err, HasSubstr("--unknown draw"));
  EXPECT_EQ(run({"decide", "task.json", "--unknown", "guess"}).exit_code, 2);
  // What decide refuses check refuses, and what the word allows is allowed to both.
  const ProcessResult checked = run({"check", "task.json"});
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_THAT(checked.out, HasSubstr("There is no observed value of the context variable 'z'."));
  EXPECT_THAT(checked.out, HasSubstr("--unknown draw"));
  EXPECT_EQ(run({"check", "task.json", "--unknown", "draw"}).exit_code, 0);
}

TEST_F(CliMissing, DecidesFromTablesWithGaps) {
  folder_.write("d.csv", with_gaps(1000, 5));
  folder_.write("task.json", kTask);
  const std::vector<std::string> arguments = {"decide",    "task.json", "--sampler", "linear",
                                              "--context", "z=1",       "--missing", "impute"};
  const Json result = json(arguments);
  EXPECT_EQ(result["missing"]["imputations"], 5);
  EXPECT_EQ(result["missing"]["rows"], 999);  // one is empty
  EXPECT_GT(result["missing"]["columns"]["y"].get<int>(), 60);
  EXPECT_EQ(result["agreement"]["differing"].size(), 5U);
  EXPECT_EQ(result["models"]["y"]["kind"], "mixture");
  EXPECT_NEAR(result["decisions"][0]["alterations"]["x"].get<double>(), -1.0, 0.12);
  EXPECT_NEAR(result["decisions"][0]["success_probability"].get<double>(), 2.0 * normal_cdf(2.0) - 1.0, 0.03);
  folder_.write("order.txt", "w\nz\nx\ny\n");
  const ProcessResult exact = run(joined(arguments, {"--decision", "qwz23", "--order", "order.txt"}));
  EXPECT_EQ(exact.exit_code, 2);
  EXPECT_THAT(exact.err, HasSubstr("averaged over tables with imputed values"));
  const Json other = json(joined(arguments, {"--threads", "2"}));
  EXPECT_EQ(other["decisions"][0]["success_probability"], result["decisions"][0]["success_probability"]);
  EXPECT_EQ(other["models"], result["models"]);
  EXPECT_EQ(run(joined(arguments, {"--report", "p.html"})).exit_code, 0);
  EXPECT_THAT(read_text(folder_.file("p.html")), HasSubstr("imputed in 5 completed tables"));
  EXPECT_THAT(printed(arguments), HasSubstr("imputed in 5 completed tables"));
  // The task can say it, with another number of tables.
  Json task = Json::parse(kTask);
  task["reading"] = {{"missing", "impute"}, {"imputations", 2}};
  task["observed"]["z"] = 1;
  folder_.write("task.json", task.dump());
  EXPECT_EQ(json({"decide", "task.json", "--sampler", "linear"})["missing"]["imputations"], 2);
  EXPECT_EQ(run({"check", "task.json"}).exit_code, 0);
  EXPECT_THAT(printed({"fit", "task.json", "-o", "m.olem", "--sampler", "linear"}), HasSubstr("2 completed tables"));
}

TEST_F(CliMissing, OrdersAndGraphsOfTablesWithGaps) {
  folder_.write("d.csv", with_gaps(400, 6));
  const ProcessResult refused = run({"order", "d.csv"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("--missing impute"));
  EXPECT_THAT(refused.err, HasSubstr("of 400 rows would be left without these rows"));
  const Json order = json({"order", "d.csv", "--missing", "impute", "--imputations", "3"});
  EXPECT_EQ(order["order"].size(), 4U);
  EXPECT_EQ(order["agreement"]["tables"], 3);
  EXPECT_EQ(order["agreement"]["pairs"], 6);
  EXPECT_THAT(printed({"order", "d.csv", "--missing", "impute"}), HasSubstr("The orders learned from them"));
  const Json graph = json({"graph", "d.csv", "--method", "pc", "--missing", "impute"});
  EXPECT_EQ(graph["agreement"]["tables"], 5);
  EXPECT_EQ(graph["missing"]["policy"], "impute");
}

TEST_F(CliMissing, SaysWhatIsDoubtfulAboutGaps) {
  folder_.write("d.csv", table(300, 7, [](std::size_t column, RandomStream& random) {
                           return column == 1 && random.uniform() < 0.6;
                         }) + "NA,NA,NA,NA\n");
  const Json order = json({"order", "d.csv", "--missing", "impute"});
  const std::vector<std::string> codes = warning_codes(order);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "many_missing"), 1);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "empty_rows"), 1);
  EXPECT_EQ(order["missing"]["rows"], 300);
  EXPECT_EQ(run({"order", "d.csv", "--missing", "impute", "--imputations", "none"}).exit_code, 2);
}

}  // namespace
}  // namespace olem::test::cli_missing_test
