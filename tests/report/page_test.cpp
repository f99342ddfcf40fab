#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "decide/helpers.h"
#include "olem/error.h"
#include "olem/explain.h"
#include "olem/report_page.h"

namespace olem::page_test {

using namespace internal;
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The object that the command line would write.
Json finished(const std::string& verb, Json result) {
  Json object = {{"version", "0.1.0"}, {"verb", verb}};
  object.update(result);
  object["options"] = {{"draws", 100}, {"sampler", "linear"}};
  object["seed"] = 7;
  object["seconds"] = 0.5;
  object["warnings"] = {{{"code", "ties"}, {"text", "Many values coincide."}, {"where", ""}}};
  return object;
}

DecisionOptions few_draws() {
  DecisionOptions options;
  options.draws = 100;
  options.judge_draws = 100;
  return options;
}

Json decided(bool details, std::size_t contexts = 1) {
  static const RehearsalModel model = test::farm_model(300, "linear");
  std::vector<DecisionProblem> problems;
  for (std::size_t i = 0; i < contexts; ++i)
    problems.push_back(decision_problem(
        model, named_values(model.task.context, std::vector<double>{-0.5 + 0.1 * static_cast<double>(i)})));
  const DecisionOptions options = few_draws();
  const std::vector<Decision> decisions = decide_all(problems, options, Context());
  Json json = {{"task", to_json(model.task)}, {"order", model.order.order}, {"undecided_steps", {"dose, rate"}}};
  for (const Decision& decision : decisions) json["decisions"].push_back(to_json(decision));
  if (details) add_decision_details(json, model, problems, decisions, options, Context());
  return finished("decide", json);
}

// The farm's task with further keys, decided; the target is an option of the command line.
Json decided_with(const char* wishes, DecisionOptions options) {
  Json wishful = to_json(test::farm_task());
  wishful.update(Json::parse(wishes));
  RehearsalOptions learning;
  learning.samplers.sampler = "linear";
  const RehearsalModel model =
      fit_rehearsal(parse_task(wishful.dump(), "farm.json"), test::farm(300, 1), learning, std::nullopt, Context());
  const Decision decision =
      decide(decision_problem(model, named_values(model.task.context, std::vector<double>{-0.5})), options, Context());
  Json json = finished("decide", {{"task", to_json(model.task)}, {"order", model.order.order}});
  json["decisions"].push_back(to_json(decision));
  json["options"]["target"] = options.target;
  return json;
}

Json order_result(const std::vector<std::string>& names) {
  Json json = {{"method", "olem"}, {"order", names}};
  for (std::size_t i = names.size(); i-- > 1;) {
    json["steps"].push_back({{"sink", names[i]},
                             {"runner_up", names[i - 1]},
                             {"gap", 0.25},
                             {"gap_standard_error", i == 1 ? 0.2 : 0.01},
                             {"decided", i != 1},
                             {"forced", false}});
  }
  return finished("order", json);
}

void expect_sound(const std::string& page) {
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const char* const word : {"<script", "href", "url(", "src=", "@import", "nan", "null"})
    EXPECT_THAT(page, Not(HasSubstr(word)));
  std::size_t addresses = 0;
  for (std::size_t at = page.find("http"); at != std::string::npos; at = page.find("http", at + 1)) {
    const bool harmless =
        page.compare(at, 26, "http://www.w3.org/2000/svg") == 0 || page.compare(at, 10, "http-equiv") == 0;
    if (!harmless) ++addresses;
  }
  EXPECT_EQ(addresses, 0U);
  // Every element is closed: apart from the heads the page is XML.
  const std::size_t body = page.find("<body>");
  pugi::xml_document document;
  const std::string inside = page.substr(body, page.find("</html>") - body);
  const pugi::xml_parse_result parsed = document.load_string(inside.c_str());
  EXPECT_TRUE(parsed) << parsed.description() << " at " << inside.substr(static_cast<std::size_t>(parsed.offset), 80);
}

TEST(ReportPage, ADecisionIsAQuestionAndAnAnswer) {
  const std::string page = report_page(decided(true), "r.json");
  expect_sound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>What should be changed to have yield at least 3?</h1>"),
                          HasSubstr("<p class=\"answer\">Set dose to"), HasSubstr("without action.</p>")));
  for (const char* const part : {"where it is wanted", "observed in the data", "recommended", "the others as decided",
                                 "observed before the decision", "Many values coincide.", "dose, rate", "by knowledge",
                                 "<td>sampler</td><td>linear</td>", "<td>seed</td><td>7</td>", "0.1.0"})
    EXPECT_THAT(page, HasSubstr(part));
}

// Data, rows and date under the headline, what is uncertain beside it, and what few read folded.
TEST(ReportPage, SaysWhereItComesFromAndWhatIsUncertainFirst) {
  Json result = decided(true);
  result["data"] = {{"source", "/home/me/farm.csv"}, {"rows", 150}};
  result["date"] = "2026-11-17";
  const std::string page = report_page(result, "r.json");
  expect_sound(page);
  EXPECT_THAT(page,
              AllOf(HasSubstr("<p class=\"byline\">Data: farm.csv, 150 rows. Made on 2026-11-17 with olem 0.1.0.</p>"),
                    HasSubstr("<details><summary>All "), HasSubstr("ranks, not a chain of causes"),
                    HasSubstr("<dt>probability of success</dt>"), Not(HasSubstr("→"))));
  const std::size_t uncertainty = page.find("<h2>Uncertainty</h2>");
  EXPECT_LT(page.find("class=\"answer\""), uncertainty);
  EXPECT_LT(uncertainty, page.find("<h2>What was asked for</h2>"));
  EXPECT_LT(page.find("<details>"), page.find("<td>sampler</td><td>linear</td>"));
}

TEST(ReportPage, WishesAreSaidInSentences) {
  DecisionOptions options = few_draws();
  options.proposals = 3;
  const Json result = decided_with(R"({"cost": {"dose": 2}, "max_alterations": 1,
                                       "constraints": [{"weights": {"dose": 1, "rate": -0.5}, "max": 1.5}]})",
                                   options);
  ASSERT_GT(result["decisions"][0]["proposals"].size(), 1U);
  const std::string page = report_page(result, "r.json");
  expect_sound(page);
  for (const char* const part :
       {"<li>Observed before the decision: weather.</li>", "dose (-2 to 2), rate (0 to 6).",
        "No more than 1 of them may be altered at once.", "dose - 0.5 rate must be at most 1.5.",
        "2 per unit of dose; the others cost nothing.", "Known of the order: dose before rate.", "The decision costs ",
        "times its weight.", "Decisions to choose from",
        "<th scope=\"col\">success</th><th scope=\"col\">cost</th><th scope=\"col\">dose</th>", "<td>recommended</td>",
        "<td>alternative 1</td>"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(ReportPage, TheAnswerSaysThatATargetIsOutOfReach) {
  DecisionOptions options = few_draws();
  options.target = 0.999;
  const std::string page = report_page(decided_with("{}", options), "r.json");
  expect_sound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<p class=\"answer\">No decision was found that reaches the target of 99.9\u202f%"),
                          HasSubstr("A success of 99.9\u202f% is enough"), HasSubstr("in standard deviations.")));
  EXPECT_EQ(page.find("No decision was found"), page.rfind("No decision was found"));
}

TEST(ReportPage, EverySideOfARegionIsNamed) {
  Json result = decided(false);
  result["task"]["outcome"] = {"yield", "rate"};
  result["task"]["alterable"].erase("rate");
  result["task"]["desired"] = {{"M", {{1.0, -2.0}, {0.0, 1.0}}}, {"d", {4.0, 2.5}}};
  EXPECT_THAT(report_page(result, "r.json"), HasSubstr("to have yield - 2 rate at most 4 and rate at most 2.5?"));
}

TEST(ReportPage, TheGraphOfAModelIsDrawn) {
  Json result = decided(false);
  EXPECT_THAT(report_page(result, "r.json"), Not(HasSubstr("<h2>The graph</h2>")));
  result["graph"] = Json::parse(
      R"({"method": "given graph", "rule": "as given", "edges": [["weather", "yield"], ["dose", "yield"]]})");
  const std::string page = report_page(result, "r.json");
  expect_sound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("4 variables, 2 edges, as given."), HasSubstr("What can be altered is a ring."),
                          HasSubstr("class=\"hollow c0\"")));
}

TEST(ReportPage, WithoutDetailsItSaysHowToHaveThem) {
  const std::string page = report_page(decided(false), "r.json");
  expect_sound(page);
  EXPECT_THAT(page, HasSubstr("made without details"));
}

TEST(ReportPage, ManyContextsHaveATable) {
  const std::string page = report_page(decided(false, 22), "r.json");
  expect_sound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("22 contexts were decided"), HasSubstr("<h2>Context 20</h2>"),
                          Not(HasSubstr("<h2>Context 21</h2>")), HasSubstr("22: weather = 1.6"),
                          HasSubstr("Probability of success: ")));
  const std::size_t words = page.find("covers the chance of the draws");
  ASSERT_NE(words, std::string::npos);
  EXPECT_EQ(words, page.rfind("covers the chance of the draws"));
}

TEST(ReportPage, OrdersShowWhatIsNotDecided) {
  Json result = order_result({"a", "b", "c"});
  result["repetitions"] = 10;
  result["names"] = {"a", "b", "c"};
  result["before"] = Json::parse("[[0, 0.6, 1], [0.4, 0, 1], [0, 0, 0]]");
  result["consensus"] = {"a", "b", "c"};
  const std::string page = report_page(result, "r.json");
  expect_sound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<li class=\"open\"><i>2</i><b>b</b><small>not decided against a</small></li>"),
                          HasSubstr("0.25 ± 0.01 after b"), HasSubstr("1 of 2 steps is not decided"),
                          HasSubstr("How often each comes before each")));
}

TEST(ReportPage, GraphsOfEveryKind) {
  const Json result = finished("graph", Json::parse(R"({
    "nodes": ["a", "b", "c"], "edges": [["a", "b"]], "undirected": [["b", "c"]], "marks": [["a", "<-o", "c"]],
    "candidates": [{"from": "a", "to": "b", "p_value": null, "edf": 1.0, "kept": true}]})"));
  const std::string page = report_page(result, "r.json");
  expect_sound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("3 variables, 3 edges"), HasSubstr("<title>The graph</title>"),
                          HasSubstr("<p class=\"answer\">a → b, b – c, a &lt;-o c.</p>")));
}

TEST(ReportPage, StudiesHaveLinesAndRows) {
  const Json result = finished("study", Json::parse(R"({"study": "orders", "rows": [
    {"setting": {"d": "10"}, "method": "olem", "metric": "DIV", "mean": 2.5, "deviation": 0.5, "published": 2.0,
     "difference": 0.5, "standard_error": 0.4, "marked": false},
    {"setting": {"d": "20"}, "method": "olem", "metric": "DIV", "mean": 5.5, "deviation": 1.5, "published": 4.0,
     "difference": 1.5, "standard_error": 0.4, "marked": true},
    {"setting": {"d": "10"}, "method": "cam", "metric": "DIV", "mean": 3.5, "deviation": 0.5, "published": null}],
    "pooled": [{"method": "OLEM", "metric": "DIV", "rows": 2, "mean": 4.0, "published": 3.0, "difference": 1.0,
                "standard_error": 0.25, "marked": true}]})"));
  const std::string page = report_page(result, "r.json");
  expect_sound(page);
  EXPECT_THAT(page,
              AllOf(HasSubstr("Study orders: do the published"), HasSubstr("1 of 2 published numbers come out again"),
                    HasSubstr(">published<"), HasSubstr("<td>d=20</td><td>olem</td>"), HasSubstr("1.5 ± 0.4 *"),
                    HasSubstr("<td>OLEM, DIV</td><td>4</td><td>3</td><td>1 ± 0.25 *</td>")));
}

TEST(ReportPage, HostileNamesStayText) {
  const std::string page = report_page(order_result({"<script>alert(1)</script>", "a&b", "\"'>", "x\x01"}), "r.json");
  expect_sound(page);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
}

TEST(ReportPage, WhatIsNoResultIsRefusedByName) {
  Json broken = decided(true);
  broken["decisions"][0]["details"]["variables"][0]["success"].erase(0);
  const std::pair<Json, std::string> wrong[] = {
      {Json::array({1}), "r.json: This is no result of olem."},
      {Json{{"verb", "compare"}, {"version", "0.1.0"}}, "A result of olem compare has no report"},
      {Json{{"verb", "order"}, {"version", "0.1.0"}}, "'order' is missing"},
      {broken, "does not have one number for each value"},
  };
  for (const auto& [json, message] : wrong) {
    try {
      report_page(json, "r.json");
      ADD_FAILURE() << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kData);
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace olem::page_test
