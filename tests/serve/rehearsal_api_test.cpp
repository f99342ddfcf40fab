#include "serve/rehearsal_api.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "decide/helpers.h"
#include "olem/decision.h"
#include "olem/post_decision.h"
#include "olem/report.h"
#include "olem/report_page.h"
#include "serve/guard.h"
#include "support/level_tables.h"

namespace olem::rehearsal_api_test {

using namespace internal;
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kPort = 8080;

ServeOptions small_options() {
  ServeOptions options;
  options.decision.draws = 100;
  options.decision.judge_draws = 200;
  options.decision.screen = 5;
  options.decision.steps = 20;
  return options;
}

// A search that lasts longer than any test.
ServeOptions endless_options() {
  ServeOptions options;
  options.decision.steps = options.decision.patience = 100000;
  options.decision.restarts = 1000;
  options.time_limit = 300.0;
  return options;
}

// Fitted once for all tests.
const RehearsalModel& farm_of_all() {
  static const RehearsalModel model = test::farm_model(150, "gp");
  return model;
}

class Api : public testing::Test {
 protected:
  Api() : api_(farm_of_all(), small_options(), kPort, Context()) {}

  static HttpRequest request(const std::string& method, const std::string& target, const std::string& body = "") {
    HttpRequest request{method, target, {{"Host", "127.0.0.1:8080"}}, body};
    if (method == "POST") {
      request.headers.push_back({"Content-Type", "application/json"});
      request.headers.push_back({"Content-Length", std::to_string(body.size())});
    }
    return request;
  }

  HttpAnswer get(const std::string& target) { return api_.answer(request("GET", target)); }
  HttpAnswer post(const std::string& target, const std::string& body) {
    return api_.answer(request("POST", target, body));
  }

  static Json json_of(const HttpAnswer& answer) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    return Json::parse(answer.body);
  }

  // The sentence of a refusal.
  static std::string refusal(const HttpAnswer& answer, int status) {
    EXPECT_EQ(answer.status, status) << answer.body;
    const Json json = Json::parse(answer.body);
    EXPECT_EQ(json.size(), 1U);
    return json.at("error");
  }

  RehearsalApi api_;
};

std::string header(const HttpAnswer& answer, const std::string& name) {
  for (const HttpHeader& entry : answer.headers) {
    if (entry.name == name) return entry.value;
  }
  return "";
}

TEST_F(Api, EveryAnswerKeepsBrowsersFromMischief) {
  for (const HttpAnswer& answer : {get("/api/model"), get("/nothing"), post("/api/rehearse", "{")}) {
    EXPECT_THAT(header(answer, "Content-Security-Policy"), StartsWith("default-src 'none'; script-src 'self';"));
    EXPECT_EQ(header(answer, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header(answer, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(header(answer, "Cache-Control"), "no-store");
    EXPECT_EQ(header(answer, "Access-Control-Allow-Origin"), "");
  }
}

TEST_F(Api, TellsWhatTheModelHolds) {
  const Json json = json_of(get("/api/model"));
  EXPECT_EQ(json["order"].dump(), R"(["weather","dose","rate","yield"])");
  EXPECT_EQ(json["context"][0]["name"], "weather");
  EXPECT_EQ(json["context"][0]["value"], -0.5);
  EXPECT_LT(json["context"][0]["low"].get<double>(), farm_of_all().context[0].low);
  EXPECT_GT(json["context"][0]["high"].get<double>(), farm_of_all().context[0].high);
  EXPECT_EQ(json["context"][0]["data_low"], farm_of_all().context[0].low);
  EXPECT_EQ(json["context"][0]["data_high"], farm_of_all().context[0].high);
  EXPECT_EQ(json["alterable"][1]["name"], "rate");
  EXPECT_EQ(json["alterable"][1]["high"], 6.0);
  EXPECT_FALSE(json["alterable"][1]["data_counts"].empty());
  EXPECT_EQ(json["outcome"].dump(), R"([{"name":"yield","about":{"type":"real","reason":"","declared":false},)"
                                    R"("low":3.0,"high":null}])");
  EXPECT_EQ(json["draws"], 400) << "twice those of the judge, as for every number that is reported";
  EXPECT_THAT(json.dump(), Not(HasSubstr("farm.json")));
}

TEST_F(Api, ARegionThatIsNoBoxIsShownAndCannotBeEdited) {
  RehearsalModel model = farm_of_all();
  model.task.desired = Region::polytope({"yield"}, {{-1.0}}, {-3.0});
  RehearsalApi api(model, small_options(), kPort, Context());
  const Json json = json_of(api.answer(request("GET", "/api/model")));
  EXPECT_EQ(json["region"].dump(), R"({"M":[[-1.0]],"d":[-3.0]})");
  EXPECT_FALSE(json["outcome"][0].contains("low"));
  const Json same = json_of(api.answer(request("POST", "/api/rehearse", R"({"alterations": {"dose": 1.0}})")));
  EXPECT_EQ(same["success_probability"],
            json_of(post("/api/rehearse", R"({"alterations": {"dose": 1.0}})"))["success_probability"]);
  EXPECT_THAT(refusal(api.answer(request("POST", "/api/rehearse", R"({"desired": {"yield": [1, 2]}})")), 400),
              HasSubstr("cannot be changed here"));
}

// Share of draws with a yield of at least `low`, straight from the sampler.
double success_at_least(const std::vector<NamedValue>& set, double weather, double low) {
  const RehearsalModel& model = farm_of_all();
  PostDecisionPlan plan;
  plan.context = {{"weather", weather}};
  std::vector<double> values;
  for (const NamedValue& value : set) {
    plan.altered.push_back(value.name);
    values.push_back(model.samplers->variables[model.samplers->index(value.name)].standardise(value.value));
  }
  plan.outcomes = {"yield"};
  plan.draws = 400;
  plan.noise = 2;
  PostDecisionSampler sampler(model.samplers, plan, Context());
  const OutcomeDraws& draws = sampler.sample(values);
  const SamplerVariable& yield = model.samplers->variables[model.samplers->index("yield")];
  std::size_t inside = 0;
  for (const double value : draws.values) inside += yield.restore(value) >= low ? 1 : 0;
  return static_cast<double>(inside) / 400.0;
}

TEST_F(Api, RehearsesWithTheDrawsOfTheSampler) {
  const Json json = json_of(post("/api/rehearse", R"({"context": {"weather": 0.3},
    "alterations": {"rate": 5.0, "dose": 1.0}, "desired": {"yield": [4, null]}})"));
  EXPECT_EQ(json["success_probability"], success_at_least({{"dose", 1.0}, {"rate", 5.0}}, 0.3, 4.0));
  EXPECT_EQ(json["without_action"], success_at_least({}, 0.3, 4.0));
  EXPECT_LT(json["interval"][0].get<double>(), json["success_probability"].get<double>());
  EXPECT_GT(json["interval"][1].get<double>(), json["success_probability"].get<double>());
  // 2 tanh(1) + 0.5 x 5 + 0.3, from 150 rows
  EXPECT_NEAR(json["outcomes"][0]["mean"].get<double>(), 4.32, 0.3);
  // 0.5 x 0.3
  EXPECT_NEAR(json["expected"]["dose"].get<double>(), 0.15, 0.3);
  EXPECT_THAT(json["svg"]["yield"].get<std::string>(), HasSubstr("class=\"olem-plot\""));
  EXPECT_THAT(json["svg"]["yield"].get<std::string>(), HasSubstr("where it is wanted"));
  const Json narrow = json_of(post("/api/rehearse", R"({"width": 300})"));
  EXPECT_THAT(narrow["svg"]["yield"].get<std::string>(), HasSubstr("viewBox=\"0 0 316 "));
}

TEST_F(Api, NothingFlickersWhileALeverMoves) {
  const std::string one = R"({"context": {"weather": 0.3}, "alterations": {"dose": 1.0}})";
  const std::string first = post("/api/rehearse", one).body;
  for (int i = 0; i < 20; ++i) post("/api/rehearse", fmt::format(R"({{"alterations": {{"dose": {}}}}})", 0.1 * i));
  for (int i = 0; i < 20; ++i) post("/api/rehearse", fmt::format(R"({{"context": {{"weather": {}}}}})", 0.1 * i));
  EXPECT_EQ(post("/api/rehearse", one).body, first);
}

TEST_F(Api, WithoutAlterationsAndContextTheStartIsRehearsed) {
  const Json json = json_of(post("/api/rehearse", R"({"alterations": {"dose": null}})"));
  EXPECT_EQ(json["success_probability"], json["without_action"]);
  EXPECT_EQ(json["without_action"], success_at_least({}, -0.5, 3.0));
}

TEST_F(Api, FarFromTheDataIsSaid) {
  const Json json = json_of(post("/api/rehearse", R"({"context": {"weather": 50}})"));
  EXPECT_THAT(json["extrapolated"].dump(), HasSubstr("yield"));
  EXPECT_THAT(json["warnings"].dump(), HasSubstr("lies far outside of the data"));
}

// null in a context: not known.
TEST_F(Api, UnknownContextValuesAreDrawnWhereTheModelCan) {
  EXPECT_EQ(post("/api/recommend", R"({"context": {"weather": null}})").status, 400);
  EXPECT_THAT(post("/api/recommend", R"({"context": {"weather": null}})").body, HasSubstr("fit it again"));
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  options.context_model = true;
  const RehearsalModel model = fit_rehearsal(test::farm_task(), test::farm(150, 1), options, std::nullopt, {});
  ServeOptions quick = small_options();
  quick.decision.worth_draws = 3;
  RehearsalApi api(model, quick, kPort, Context());
  const Json decision =
      json_of(api.answer(request("POST", "/api/recommend", R"({"context": {"weather": null}})")))["decision"];
  EXPECT_TRUE(decision["context"]["weather"].is_null());
  EXPECT_EQ(decision["unknown"][0]["name"], "weather");
  EXPECT_TRUE(decision["unknown"][0]["worth"].is_number());
  const Json rehearsed = json_of(api.answer(request("POST", "/api/rehearse", R"({"context": {"weather": null}})")));
  EXPECT_NEAR(rehearsed["without_action"].get<double>(), decision["without_action"].get<double>(), 0.1);
  const Json rows = json_of(api.answer(request("POST", "/api/contexts", R"({"csv": "weather\nNA\n0.5\n"})")));
  EXPECT_EQ(rows["rows"].size(), 2U);
}

TEST_F(Api, TheIntervalOfAPlainModelIsThatOfTheDraws) {
  const std::string body = R"({"alterations": {"dose": 1}})";
  const Json interval = json_of(post("/api/interval", body));
  EXPECT_EQ(interval["members"], false);
  EXPECT_EQ(interval["interval"], json_of(post("/api/rehearse", body))["interval"]);
}

TEST_F(Api, TheIntervalOfMembersIsThatOfTheRecommendation) {
  RehearsalOptions fit;
  fit.samplers.sampler = "linear";
  fit.members = MemberOptions{2, 2};
  const RehearsalModel model = fit_rehearsal(test::farm_task(), test::farm(150, 1), fit, std::nullopt, Context());
  RehearsalApi api(model, small_options(), kPort, Context());
  const Json recommended = json_of(api.answer(request("POST", "/api/recommend", "{}")))["decision"];
  Json body = {{"alterations", Json::object()}};
  for (const auto& [name, value] : recommended["alterations"].items()) {
    if (!value.is_null()) body["alterations"][name] = value;
  }
  const Json interval = json_of(api.answer(request("POST", "/api/interval", body.dump())));
  EXPECT_EQ(interval["members"], true);
  EXPECT_EQ(interval["interval"], recommended["interval"]);
  EXPECT_EQ(interval["success_probability"], recommended["success_probability"]);
  // And of a scenario, in the table that is saved as well.
  body["name"] = "A";
  const Json compared =
      json_of(api.answer(request("POST", "/api/compare", Json{{"scenarios", Json::array({body})}}.dump())));
  EXPECT_EQ(compared["rows"][0]["success_probability"], recommended["success_probability"]);
  EXPECT_THAT(compared["csv"].get<std::string>(),
              HasSubstr(fmt::format(",{},", recommended["success_probability"].get<double>())));
}

// Six farms whose yields differ: what is set out for one of them is the answer of its own model, everywhere.
TEST_F(Api, AnswersForTheGroupThatIsAsked) {
  const Table plain = test::farm(240, 1);
  std::vector<std::string> names;
  std::vector<double> values;
  for (std::size_t j = 0; j < plain.columns(); ++j) {
    names.push_back(plain.name(j));
    for (std::size_t i = 0; i < plain.rows(); ++i)
      values.push_back(plain.column(j)[i] + (names.back() == "yield" ? static_cast<double>(i % 6) - 2.5 : 0.0));
  }
  names.emplace_back("farm");
  for (std::size_t i = 0; i < plain.rows(); ++i) values.push_back(static_cast<double>(i % 6));
  Task task = test::farm_task();
  task.group = "farm";
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  const RehearsalModel model =
      fit_rehearsal(task, Table(names, std::move(values), "farms.csv"), options, std::nullopt, Context());
  RehearsalApi api(model, small_options(), kPort, Context());
  const auto ask = [&](const std::string& target, const std::string& body) {
    return api.answer(request("POST", target, body));
  };
  const Json shown = json_of(api.answer(request("GET", "/api/model")));
  EXPECT_EQ(shown["group"].dump(), R"({"column":"farm","names":["0","1","2","3","4","5"],"value":null})");
  const auto success = [&](const char* group) {
    return json_of(ask("/api/rehearse", fmt::format(R"({{"group": {}}})", group)))["success_probability"].get<double>();
  };
  EXPECT_LT(success("\"0\"") + 0.3, success("\"5\""));
  EXPECT_LT(success("\"0\""), success("null"));
  EXPECT_EQ(json_of(ask("/api/rehearse", "{}"))["success_probability"], success("null"));

  // The recommendation is that of decide for this group, and one number stands everywhere.
  const Json recommended = json_of(ask("/api/recommend", R"({"group": "1"})"))["decision"];
  const std::vector<NamedValue> observed = named_values(task.context, std::vector<double>{-0.5});
  Json decided = to_json(
      decide(problem_in_group(decision_problem(model, observed), model, "1"), small_options().decision, Context()));
  EXPECT_EQ(recommended["group"], "1");
  EXPECT_EQ(recommended["alterations"], decided["alterations"]);
  EXPECT_EQ(recommended["success_probability"], decided["success_probability"]);
  const Json again = {{"group", "1"}, {"alterations", recommended["alterations"]}};
  EXPECT_EQ(json_of(ask("/api/rehearse", again.dump()))["success_probability"], recommended["success_probability"]);
  const Json table = json_of(ask("/api/contexts", R"({"group": "1", "csv": "weather\n-0.5\n"})"))["rows"][0];
  EXPECT_EQ(table["success_probability"], recommended["success_probability"]);

  const Json both =
      json_of(ask("/api/compare", R"({"scenarios": [{"name": "A", "group": "0"}, {"name": "B", "group": "5"}]})"));
  EXPECT_EQ(both["same_context"], false);
  EXPECT_EQ(both["rows"][0]["success_probability"], success("\"0\""));
  EXPECT_THAT(both["csv"].get<std::string>(), StartsWith("scenario,farm,weather,"));
  EXPECT_THAT(both["csv"].get<std::string>(), HasSubstr("\nB,5,-0.5,"));

  EXPECT_THAT(refusal(ask("/api/rehearse", R"({"group": "7"})"), 400), HasSubstr("none of the 6 groups of 'farm'"));
  EXPECT_THAT(refusal(ask("/api/rehearse", R"({"group": 1})"), 400), HasSubstr("nor null"));
  EXPECT_THAT(refusal(post("/api/rehearse", R"({"group": "1"})"), 400), HasSubstr("have no groups"));
}

TEST_F(Api, RecommendsWhatDecideDoes) {
  const RehearsalModel& model = farm_of_all();
  const Json json = json_of(post("/api/recommend", "{}"));
  Json decided = to_json(decide(decision_problem(model, named_values(model.task.context, std::vector<double>{-0.5})),
                                small_options().decision, Context()));
  Json recommended = json["decision"];
  recommended.erase("seconds");
  decided.erase("seconds");
  EXPECT_EQ(recommended.dump(), decided.dump());
}

TEST_F(Api, DecidesTheNextStep) {
  const Json json = json_of(post("/api/recommend", R"({"so_far": {"dose": 0.5, "rate": null}})"));
  const Json& decision = json["decision"];
  EXPECT_EQ(decision["so_far"]["dose"], 0.5);
  EXPECT_FALSE(decision["alterations"].contains("dose"));
  EXPECT_TRUE(decision["alterations"].contains("rate"));
  EXPECT_EQ(post("/api/recommend", R"({"so_far": {"does": 0.5}})").status, 400);
  EXPECT_EQ(post("/api/recommend", R"({"so_far": {"yield": 1}})").status, 400);
}

// One number for one decision: what is recommended and what is rehearsed stand on the same draws.
TEST_F(Api, ARecommendationRehearsedHasTheSameNumbers) {
  const Json recommended = json_of(post("/api/recommend", R"({"context": {"weather": 0.2}, "proposals": 2})"));
  const Json& decision = recommended["decision"];
  const auto rehearse = [&](const Json& alterations) {
    return json_of(post("/api/rehearse", Json{{"context", {{"weather", 0.2}}}, {"alterations", alterations}}.dump()));
  };
  const Json rehearsed = rehearse(decision["alterations"]);
  for (const char* const key : {"success_probability", "interval", "without_action"})
    EXPECT_EQ(rehearsed[key], decision[key]) << key;
  // Values pass through the user's units on the way.
  EXPECT_DOUBLE_EQ(rehearsed["cost"].get<double>(), decision["cost"].get<double>());
  ASSERT_EQ(decision["proposals"].size(), 2U);
  const Json& other = decision["proposals"][1];
  EXPECT_EQ(rehearse(other["alterations"])["success_probability"], other["success_probability"]);
  EXPECT_DOUBLE_EQ(rehearse(other["alterations"])["cost"].get<double>(), other["cost"].get<double>());
  // The values for people: short, and as good.
  const Json rounded = recommended["rounded"];
  for (const auto& [name, value] : rounded.items()) {
    EXPECT_LE(value.dump().size(), decision["alterations"][name].dump().size());
    EXPECT_NEAR(value.get<double>(), decision["alterations"][name].get<double>(), 0.5);
  }
  EXPECT_NEAR(rehearse(rounded)["success_probability"].get<double>(), decision["success_probability"].get<double>(),
              0.005 + 1e-12);
}

TEST_F(Api, ScenariosAreComparedOnTheSameDraws) {
  const std::string body = R"({"width": 400, "scenarios": [
    {"name": "A"}, {"name": "B", "alterations": {"dose": 1.0, "rate": 5.0}}, {"name": "=C", "alterations": {"dose": 1}},
    {"name": "D", "alterations": {"rate": 5.0, "dose": 1.0}}]})";
  const Json json = json_of(post("/api/compare", body));
  ASSERT_EQ(json["rows"].size(), 4U);
  EXPECT_EQ(json["rows"][0]["success_probability"], json["rows"][0]["without_action"]);
  EXPECT_EQ(json["rows"][0]["cost"], 0.0);
  const Json alone = json_of(post("/api/rehearse", R"({"alterations": {"dose": 1.0, "rate": 5.0}})"));
  for (const char* const key : {"success_probability", "interval", "cost", "outcomes"})
    EXPECT_EQ(json["rows"][1][key], alone[key]) << key;
  EXPECT_EQ(json["rows"][1]["best"], true) << "the first of two equal ones";
  EXPECT_EQ(json["rows"][3]["best"], false);
  EXPECT_EQ(json["rows"][3]["behind"], 0.0);
  EXPECT_EQ(json["rows"][3]["as_good"], true);
  EXPECT_EQ(json["rows"][0]["as_good"], false);
  EXPECT_NEAR(json["rows"][0]["behind"].get<double>(),
              alone["success_probability"].get<double>() - alone["without_action"].get<double>(), 1e-12);
  EXPECT_EQ(json["same_context"], true);
  const std::string figure = json["svg"]["yield"];
  for (const char* const label : {">A<", ">B<", "without action", "where it is wanted"})
    EXPECT_THAT(figure, HasSubstr(label));
  const std::string csv = json["csv"];
  EXPECT_THAT(csv, StartsWith("scenario,weather,dose,rate,success_probability,low,high,without_action,cost,best,"));
  EXPECT_THAT(csv, HasSubstr("\nB,-0.5,1,5,"));
  EXPECT_THAT(csv, HasSubstr("\n'=C,-0.5,1,,")) << "no formula for a spreadsheet";
  const std::string page = json["report"];
  EXPECT_THAT(page, HasSubstr("Which of 4 scenarios is best to have yield at least 3?"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));

  const Json other = json_of(post("/api/compare", R"({"scenarios": [{"name": "A", "context": {"weather": 0.5}},
    {"name": "B", "desired": {"yield": [1, null]}}]})"));
  EXPECT_EQ(other["same_context"], false);
  EXPECT_EQ(other["same_desired"], false);
  EXPECT_THAT(other["svg"]["yield"].get<std::string>(), Not(HasSubstr("without action")));

  const auto why = [&](const std::string& text) { return refusal(post("/api/compare", text), 400); };
  EXPECT_THAT(why("{}"), HasSubstr("at least one scenario"));
  EXPECT_THAT(why(R"({"scenarios": [1]})"), HasSubstr("not an object"));
  EXPECT_THAT(why(R"({"scenarios": [{}]})"), HasSubstr("not a text"));
  EXPECT_THAT(why(R"({"scenarios": [{"name": ""}]})"), HasSubstr("is empty"));
  EXPECT_THAT(why(R"({"scenarios": [{"name": "A"}, {"name": "A"}]})"), HasSubstr("Two scenarios are called 'A'"));
  EXPECT_THAT(why(R"({"scenarios": [{"name": "A", "switches": {}}]})"), HasSubstr("unknown key 'switches'"));
  EXPECT_THAT(why(R"({"scenarios": [{"name": "A", "alterations": {"dose": 9}}]})"), HasSubstr("outside of the domain"));
  std::string many = R"({"scenarios": [{"name": "0"})";
  for (int i = 1; i < 13; ++i) many += fmt::format(R"(, {{"name": "{}"}})", i);
  EXPECT_THAT(why(many + "]}"), HasSubstr("13 scenarios, but at most 12"));
}

// A plan knows what later levers will do, a rehearsal does not: a scenario that is a recommendation in steps keeps the
// number of the recommendation as long as nothing of it is changed.
TEST_F(Api, AScenarioThatIsAPlanHasItsNumber) {
  const Json answer = json_of(post("/api/recommend", R"({"so_far": {"rate": 5.0}})"));
  const Json& decision = answer["decision"];
  ASSERT_FALSE(decision["alterations"]["dose"].is_null());
  const auto compared = [&](const Json& levers, const std::string& id) {
    const Json body = {{"scenarios", {{{"name", "A"}, {"alterations", levers}, {"result", id}}}}};
    return json_of(post("/api/compare", body.dump()))["rows"][0];
  };
  const std::string id = answer["id"];
  const Json own = compared(decision["alterations"], id);
  EXPECT_EQ(own["in_steps"], true);
  EXPECT_EQ(own["success_probability"], decision["success_probability"]);
  EXPECT_EQ(own["interval"], decision["interval"]);
  for (const Json& row : {compared({{"dose", 0.0}}, id), compared(decision["alterations"], "forgotten"),
                          compared(decision["alterations"], json_of(post("/api/recommend", "{}"))["id"])})
    EXPECT_EQ(row["in_steps"], false) << row;
  EXPECT_THAT(refusal(post("/api/compare", R"({"scenarios": [{"name": "A", "result": 1}]})"), 400),
              HasSubstr("not a text"));
}

TEST_F(Api, SaysWhatLookingIsWorth) {
  const Json json = json_of(post("/api/looking", R"({"context": {"weather": 0.2}})"));
  EXPECT_TRUE(json["variables"].is_array());
  ASSERT_EQ(json["levers"].size(), 2U);
  EXPECT_EQ(json["levers"][0]["name"], "dose");
  EXPECT_THAT(refusal(post("/api/looking", R"({"contex": {}})"), 400), HasSubstr("Did you mean 'context'?"));
}

TEST_F(Api, TellsWhereTheModelComesFromAndWhatItsOrderRestsOn) {
  const Json json = json_of(get("/api/model"));
  EXPECT_EQ(json["data"].dump(), R"({"source":"farm.csv","rows":150})");
  EXPECT_EQ(json["can_draw_context"], false);
  RehearsalModel model = farm_of_all();
  OrderStep step;
  step.sink = "yield";
  step.runner_up = "rate";
  step.evidence = StepEvidence{};
  step.evidence->decided_by = DecidedBy::kScale;
  model.order.steps = {step};
  model.data.reset();
  RehearsalApi api(model, small_options(), kPort, Context());
  const Json other = json_of(api.answer(request("GET", "/api/model")));
  EXPECT_EQ(other["order_steps"].dump(), R"([{"name":"yield","rival":"rate","decided_by":"scale"}])");
  EXPECT_TRUE(other["data"].is_null());
}

TEST_F(Api, SwitchesTargetAndRegionAreObeyed) {
  const Json json = json_of(post("/api/recommend", R"({"switches": {"dose": 0.25, "rate": "free"}, "proposals": 2,
    "desired": {"yield": [2, 4]}})"));
  const RehearsalModel& model = farm_of_all();
  DecisionProblem problem = decision_problem(model, named_values(model.task.context, std::vector<double>{-0.5}));
  problem.fixed = {{"dose", 0.25}};
  problem.region = Region::box({{"yield", 2.0, 4.0}});
  DecisionOptions options = small_options().decision;
  options.proposals = 2;
  Json decided = to_json(decide(problem, options, Context()));
  Json recommended = json["decision"];
  recommended.erase("seconds");
  decided.erase("seconds");
  EXPECT_EQ(recommended.dump(), decided.dump());
  EXPECT_EQ(recommended["alterations"]["dose"], 0.25);

  const Json left = json_of(post("/api/recommend", R"({"switches": {"dose": "leave"}, "target": 0.99})"));
  EXPECT_TRUE(left["decision"]["alterations"]["dose"].is_null());
  EXPECT_EQ(left["decision"]["status"], "target_not_reached");
}

TEST_F(Api, ResultsCanBeSavedAndReadAgain) {
  const Json json = json_of(post("/api/recommend", R"({"context": {"weather": 0.2}, "desired": {"yield": [2, 4]}})"));
  const std::string id = json["id"];
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  const HttpAnswer saved = get("/api/result/" + id + ".json");
  EXPECT_EQ(header(saved, "Content-Disposition"), "attachment; filename=\"decision.json\"");
  const Json result = json_of(saved);
  EXPECT_EQ(result["verb"], "decide");
  EXPECT_EQ(result["task"]["desired"].dump(), R"({"yield":[2.0,4.0]})");
  EXPECT_EQ(result["task"]["observed"].dump(), R"({"weather":0.2})");
  EXPECT_EQ(result["decisions"][0]["alterations"], json["decision"]["alterations"]);
  EXPECT_FALSE(result["decisions"][0]["details"]["variables"].empty());
  const HttpAnswer page = get("/api/result/" + id + ".html");
  EXPECT_EQ(header(page, "Content-Disposition"), "attachment; filename=\"decision.html\"");
  EXPECT_EQ(page.body, report_page(result, "r.json"));
  EXPECT_NE(json_of(post("/api/recommend", "{}"))["id"], id);
}

TEST_F(Api, OnlyTheLastHundredResultsAreKept) {
  ServeOptions options = small_options();
  options.decision.draws = options.decision.judge_draws = 10;
  options.decision.ascent_steps = options.decision.screen = 0;
  options.decision.steps = 1;
  RehearsalApi api(farm_of_all(), options, kPort, Context());
  const auto recommend = [&] {
    return json_of(api.answer(request("POST", "/api/recommend", R"({"switches": {"rate": "leave"}})")))["id"]
        .get<std::string>();
  };
  const std::string first = recommend();
  const std::string second = recommend();
  for (int i = 0; i < 99; ++i) recommend();
  EXPECT_THAT(refusal(api.answer(request("GET", "/api/result/" + first + ".json")), 404), HasSubstr("no such result"));
  EXPECT_EQ(api.answer(request("GET", "/api/result/" + second + ".json")).status, 200);
}

TEST_F(Api, ATableOfContextsGivesWhatEachOfThemGivesAlone) {
  const Json json = json_of(post(
      "/api/contexts", R"({"csv": "weather;note\n-0.5;a\n0.25;b\n1;c\n", "switches": {"dose": 0.5, "rate": "free"}})"));
  ASSERT_EQ(json["rows"].size(), 3U);
  const std::vector<std::string> weathers = {"-0.5", "0.25", "1"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Json alone =
        json_of(post("/api/recommend",
                     fmt::format(R"({{"context": {{"weather": {}}}, "switches": {{"dose": 0.5}}}})", weathers[i])));
    for (const char* const key : {"context", "alterations", "success_probability", "interval", "without_action"})
      EXPECT_EQ(json["rows"][i][key], alone["decision"][key]) << i << key;
  }
  EXPECT_THAT(json["csv"].get<std::string>(),
              StartsWith("weather,dose,rate,success_probability,low,high,without_action,status\n-0.5,0.5,"));
}

TEST_F(Api, BadTablesAreRefusedWithLineAndColumn) {
  const auto table = [&](const std::string& csv) {
    return refusal(post("/api/contexts", Json{{"csv", csv}}.dump()), 400);
  };
  EXPECT_EQ(table("weather\n1\nfog\n"), "The table, line 3, column 'weather': 'fog' is not a number.");
  EXPECT_THAT(table("wether\n1\n"), HasSubstr("Did you mean it by 'wether'?"));
  EXPECT_THAT(table("weather\n"), HasSubstr("no rows"));
  EXPECT_THAT(table("weather\n\"1"), HasSubstr("line 2"));
  std::string many = "weather\n";
  for (int i = 0; i < 1001; ++i) many += "1\n";
  EXPECT_THAT(table(many), HasSubstr("1001 rows, but at most 1000"));
  EXPECT_THAT(table("weather\n" + std::string(100001, '\n')), HasSubstr("more than 100000 lines"));
  EXPECT_THAT(refusal(post("/api/contexts", "{}"), 400), HasSubstr("'csv' is not the text of a table"));
}

TEST_F(Api, FormulasInNamesDoNotReachASpreadsheet) {
  Decision decision;
  decision.context = {{"=cmd()", -1.5}, {"a \"b\", c", 2.0}};
  decision.alterations = {{"@sum", -3.0, 0.0, 0.0, true, false}, {"+x", std::nullopt, 0.0, 0.0, true, false}};
  EXPECT_EQ(decisions_csv({decision}, {}),
            "'=cmd(),\"a \"\"b\"\", c\",'@sum,'+x,success_probability,low,high,without_action,status\n"
            "-1.5,2,-3,,0,0,1,0,done\n");
}

TEST_F(Api, HostAndOriginMustBeThisServer) {
  const auto ask = [&](std::vector<HttpHeader> headers) {
    return api_.answer({"GET", "/api/model", std::move(headers), ""}).status;
  };
  EXPECT_EQ(ask({{"Host", "localhost:8080"}}), 200);
  EXPECT_EQ(ask({{"hOST", "LocalHost:8080"}, {"Origin", "http://localhost:8080"}}), 200);
  EXPECT_EQ(ask({{"Host", "127.0.0.1:8080"}, {"Origin", "http://127.0.0.1:8080"}}), 200);
  EXPECT_EQ(ask({}), 400);
  EXPECT_EQ(ask({{"Host", "127.0.0.1:8080"}, {"Host", "127.0.0.1:8080"}}), 400);
  for (const char* const host : {"127.0.0.1", "127.0.0.1:8081", "evil.example:8080", "127.0.0.1.evil.example:8080",
                                 "127.0.0.1:8080.evil.example", "", "[::1]:8080", "0.0.0.0:8080"})
    EXPECT_EQ(ask({{"Host", host}}), 421) << host;
  for (const char* const origin : {"null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081",
                                   "http://127.0.0.1:8080.evil.example", ""})
    EXPECT_EQ(ask({{"Host", "127.0.0.1:8080"}, {"Origin", origin}}), 403) << origin;
}

TEST_F(Api, PathsAndMethodsThatAreNoneAreRefused) {
  for (const char* const path : {"/", "/page.js", "/index.html", "/../etc/passwd", "/api", "/api/", "/api/model/", "//",
                                 "", "/%2e%2e/etc/passwd", "/api/result", "http://evil.example/", "*"})
    refusal(get(path), 404);
  for (const char* const path :
       {"/api/result/", "/api/result/0123", "/api/result/0123.json", "/api/result/../../x.json", "/api/result/a.txt"})
    refusal(get(path), 404);
  const HttpAnswer wrong = get("/api/rehearse");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(header(wrong, "Allow"), "POST");
  for (const char* const method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"})
    EXPECT_EQ(api_.answer(request(method, "/api/model")).status, 405) << method;
}

TEST_F(Api, BodiesMustBeJsonOfKnownLength) {
  const auto ask = [&](std::vector<HttpHeader> headers, const char* path = "/api/rehearse") {
    headers.push_back({"Host", "127.0.0.1:8080"});
    const std::optional<HttpAnswer> refused = api_.refuse({"POST", path, std::move(headers), ""});
    return refused ? refused->status : 200;
  };
  const HttpHeader type{"Content-Type", "application/json"};
  EXPECT_EQ(ask({type, {"Content-Length", "2"}}), 200);
  EXPECT_EQ(ask({{"Content-Type", "Application/JSON; charset=utf-8"}, {"content-length", "2"}}), 200);
  EXPECT_EQ(ask({{"Content-Length", "2"}}), 415);
  EXPECT_EQ(ask({{"Content-Type", "text/plain"}, {"Content-Length", "2"}}), 415);
  EXPECT_EQ(ask({{"Content-Type", "multipart/form-data; boundary=x"}, {"Content-Length", "2"}}), 415);
  EXPECT_EQ(ask({{"Content-Type", "application/x-www-form-urlencoded"}, {"Content-Length", "2"}}), 415);
  EXPECT_EQ(ask({type, {"Content-Length", "2"}, {"Content-Encoding", "gzip"}}), 415);
  EXPECT_EQ(ask({type}), 411);
  EXPECT_EQ(ask({type, {"Transfer-Encoding", "chunked"}}), 411);
  EXPECT_EQ(ask({type, {"Content-Length", "1048576"}}), 200);
  EXPECT_EQ(ask({type, {"Content-Length", "1048577"}}), 413);
  EXPECT_EQ(ask({type, {"Content-Length", "67108864"}}, "/api/contexts"), 200);
  EXPECT_EQ(ask({type, {"Content-Length", "67108865"}}, "/api/contexts"), 413);
  EXPECT_EQ(ask({type, {"Content-Length", "99999999999999999999999"}}), 413);
  for (const char* const length : {"", "-1", "2x", "0x2", " 2"})
    EXPECT_EQ(ask({type, {"Content-Length", length}}), 400);
  EXPECT_EQ(ask({type, {"Content-Length", "2"}, {"Content-Length", "3"}}), 400);
  HttpRequest with_body = request("GET", "/api/model");
  with_body.headers.push_back({"Content-Length", "5"});
  EXPECT_EQ(api_.answer(with_body).status, 400);
}

TEST_F(Api, BodiesThatMakeNoSenseAreRefusedInWords) {
  const auto why = [&](const std::string& body) { return refusal(post("/api/rehearse", body), 400); };
  EXPECT_THAT(why(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(why("[]"), HasSubstr("not an object"));
  EXPECT_THAT(why("{\"context\": \"\xff\"}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(why(R"({"a": 1})"), HasSubstr("unknown key 'a'"));
  EXPECT_THAT(why(R"({"contexts": {}})"), HasSubstr("Did you mean 'context'?"));
  EXPECT_THAT(why(R"({"context": {}, "context": {}})"), HasSubstr("stands twice"));
  EXPECT_THAT(why(std::string(1000, '[') + std::string(1000, ']')), HasSubstr("deeper than 64"));
  std::string many = "[0";
  for (int i = 0; i < 100001; ++i) many += ",0";
  EXPECT_THAT(why(many + "]"), HasSubstr("more than 100000 values"));
  EXPECT_THAT(why(R"({"context": {"weather": NaN}})"), HasSubstr("not valid JSON"));
  EXPECT_THAT(why(R"({"context": {"weather": 1e999}})"), HasSubstr("number"));
  EXPECT_THAT(why(R"({"context": {"weather": "1"}})"), HasSubstr("'weather' is not a finite number"));
  EXPECT_THAT(why(R"({"context": {"wether": 1}})"), HasSubstr("Did you mean 'weather'?"));
  EXPECT_THAT(why(R"({"context": {}})"), HasSubstr("lacks a value of 'weather'"));
  EXPECT_THAT(why(R"({"context": [1]})"), HasSubstr("not an object of names"));
  EXPECT_THAT(why(R"({"width": 20})"), HasSubstr("'width' is 20, but must lie between 200 and 2000."));
  EXPECT_THAT(why(R"({"alterations": {"dose": 2.5}})"), HasSubstr("outside of the domain [-2, 2] of 'dose'"));
  EXPECT_THAT(why(R"({"alterations": {"yield": 2.5}})"), HasSubstr("no alterable variable"));
  EXPECT_THAT(why(R"({"desired": {"yield": [1]}})"), HasSubstr("neither a range [low, high]"));
  EXPECT_THAT(why(R"({"desired": {"yield": "high"}})"), HasSubstr("Single values are desired of 'yield'"));
  EXPECT_THAT(why(R"({"desired": {"yield": [1, "2"]}})"), HasSubstr("not a finite number"));
  EXPECT_THAT(why(R"({"desired": {"yield": [null, null]}})"), Not(HasSubstr("farm")));
  const auto recommend = [&](const std::string& body) { return refusal(post("/api/recommend", body), 400); };
  EXPECT_THAT(recommend(R"({"switches": {"dose": "fixed"}})"), HasSubstr("neither \"free\" nor \"leave\""));
  EXPECT_THAT(recommend(R"({"switches": {"dose": 9}})"), HasSubstr("outside of the domain"));
  EXPECT_THAT(recommend(R"({"target": 1.5})"), HasSubstr("between 0 and 1"));
  EXPECT_THAT(recommend(R"({"proposals": 2.5})"), HasSubstr("whole number"));
  EXPECT_THAT(recommend(R"({"proposals": 1e9})"), HasSubstr("whole number"));
  EXPECT_THAT(refusal(post("/api/recommend", R"({"desired": {"yield": [3, 2]}})"), 422), Not(HasSubstr("farm")));
}

TEST_F(Api, ARecommendationThatTakesTooLongEnds) {
  ServeOptions options = endless_options();
  options.time_limit = 0.001;
  RehearsalApi api(farm_of_all(), options, kPort, Context());
  EXPECT_THAT(refusal(api.answer(request("POST", "/api/recommend", "{}")), 422), HasSubstr("time limit"));
}

TEST_F(Api, AStopEndsWhatIsBeingSearched) {
  std::atomic<bool> stop{false};
  Context context;
  context.interrupt = &stop;
  RehearsalApi api(farm_of_all(), endless_options(), kPort, context);
  HttpAnswer answer;
  std::thread asking([&] { answer = api.answer(request("POST", "/api/recommend", "{}")); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  stop = true;
  asking.join();
  EXPECT_EQ(refusal(answer, 503), "The server is stopping.");
}

// Four at once, not more; the others are told so and nothing waits.
TEST_F(Api, OnlyAFewRecommendationsRunAtOnce) {
  std::atomic<bool> stop{false};
  Context context;
  context.interrupt = &stop;
  RehearsalApi api(farm_of_all(), endless_options(), kPort, context);
  std::atomic<int> busy{0};
  std::vector<std::thread> asking;
  for (int i = 0; i < 6; ++i) {
    asking.emplace_back([&] {
      if (api.answer(request("POST", "/api/recommend", "{}")).status == 429) ++busy;
      if (busy == 2) stop = true;
    });
  }
  for (std::thread& thread : asking) thread.join();
  EXPECT_EQ(busy, 2);
}

TEST_F(Api, ManyThreadsGetTheAnswersThatOneGets) {
  std::vector<std::string> bodies;
  for (int i = 0; i < 5; ++i)
    bodies.push_back(
        fmt::format(R"({{"context": {{"weather": {}}}, "alterations": {{"dose": {}}}}})", 0.2 * (i % 2), 0.3 * i));
  std::vector<std::string> alone;
  for (const std::string& body : bodies) alone.push_back(post("/api/rehearse", body).body);
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 20; ++i) {
        const std::size_t which = (i * (t + 1)) % bodies.size();
        if (post("/api/rehearse", bodies[which]).body != alone[which]) ++different;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

TEST_F(Api, LevelsAreWordsOrNumbers) {
  const Task task = parse_task(R"({"context": ["outside"], "alterable": {"heating": {}}, "outcome": ["room"],
    "desired": {"room": [18, 22]}, "observed": {"outside": -2}})",
                               "room.json");
  RehearsalOptions options;
  options.samplers.sampler = "auto";
  RehearsalApi api(fit_rehearsal(task, test::HeatedRoom::table(300, 5), options, std::nullopt, Context()),
                   small_options(), kPort, Context());
  const auto ask = [&](const std::string& target, const std::string& body) {
    return api.answer(request("POST", target, body));
  };
  const Json model = json_of(api.answer(request("GET", "/api/model")));
  EXPECT_EQ(model["alterable"][0]["values"].dump(), "[0.0,1.0]");
  EXPECT_EQ(model["alterable"][0]["expected"], "on") << "the more probable level";
  const Json word = json_of(ask("/api/rehearse", R"({"alterations": {"heating": "on"}})"));
  const Json number = json_of(ask("/api/rehearse", R"({"alterations": {"heating": 1}})"));
  EXPECT_EQ(word["success_probability"], number["success_probability"]);
  EXPECT_EQ(word["expected"]["heating"], "on");
  // As olem decide --json has them.
  const Json recommended = json_of(ask("/api/recommend", R"({"proposals": 2})"));
  EXPECT_EQ(recommended["decision"]["alterations"]["heating"], "on");
  EXPECT_EQ(recommended["decision"]["expected"]["heating"], "on");
  EXPECT_EQ(recommended["decision"]["proposals"][0]["alterations"]["heating"], "on");
  EXPECT_EQ(recommended["rounded"]["heating"], "on");
  for (const char* const off : {"\"off\"", "0"}) {
    const std::string fixed = fmt::format(R"({{"switches": {{"heating": {}}}}})", off);
    EXPECT_EQ(json_of(ask("/api/recommend", fixed))["decision"]["alterations"]["heating"], "off") << off;
  }
  const Json table = json_of(ask("/api/contexts", R"({"csv": "outside\n-2\n"})"));
  EXPECT_EQ(table["rows"][0]["alterations"]["heating"], "on");
  const Json scenarios =
      json_of(ask("/api/compare", R"({"scenarios": [{"name": "A", "alterations": {"heating": "on"}}]})"));
  EXPECT_THAT(scenarios["csv"].get<std::string>(), StartsWith("scenario,outside,heating,success_probability,"));
  const HttpAnswer between = ask("/api/rehearse", R"({"alterations": {"heating": 0.46}})");
  EXPECT_EQ(between.status, 400);
  EXPECT_THAT(between.body, HasSubstr("0.46 is none of the values of 'heating': off and on."));
  EXPECT_THAT(ask("/api/rehearse", R"({"alterations": {"heating": "onn"}})").body, HasSubstr("Did you mean 'on'?"));
}

TEST_F(Api, HostileNamesAreText) {
  const std::string name = "<script>alert(1)</script>";
  const Table plain = test::farm(60, 1);
  const Table table({"weather", "dose", "rate", name}, {plain.values().begin(), plain.values().end()}, "farm.csv");
  Task task = test::farm_task();
  task.outcome = {name};
  task.desired = Region::box({{name, 3.0, std::nullopt}});
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  RehearsalApi api(fit_rehearsal(task, table, options, std::nullopt, Context()), small_options(), kPort, Context());
  const Json json = json_of(api.answer(request("POST", "/api/rehearse", "{}")));
  EXPECT_THAT(json["svg"][name].get<std::string>(), Not(HasSubstr("<script")));
  EXPECT_THAT(json["svg"][name].get<std::string>(), HasSubstr("&lt;script&gt;"));
  const std::string id = json_of(api.answer(request("POST", "/api/recommend", "{}")))["id"];
  EXPECT_THAT(api.answer(request("GET", "/api/result/" + id + ".html")).body, Not(HasSubstr("<script")));
}

// Whatever a body holds: an answer, and a sentence when it is none that was hoped for.
RC_GTEST_PROP(ApiProperty, AnyBodyGetsAnAnswer, ()) {
  static RehearsalApi api(farm_of_all(), small_options(), kPort, Context());
  std::string body =
      R"({"context": {"weather": 0.1}, "alterations": {"dose": 1, "rate": null}, "desired": {"yield": [2, 3]}})";
  const auto edits = *rc::gen::container<std::vector<std::pair<std::uint16_t, std::uint8_t>>>(
      rc::gen::pair(rc::gen::arbitrary<std::uint16_t>(), rc::gen::arbitrary<std::uint8_t>()));
  for (const auto& [place, byte] : edits) body[place % body.size()] = static_cast<char>(byte);
  HttpRequest request{"POST",
                      "/api/rehearse",
                      {{"Host", "localhost:8080"},
                       {"Content-Type", "application/json"},
                       {"Content-Length", std::to_string(body.size())}},
                      body};
  const HttpAnswer answer = api.answer(request);
  RC_ASSERT(answer.status == 200 || answer.status == 400 || answer.status == 422);
  const Json json = Json::parse(answer.body);
  if (answer.status != 200) RC_ASSERT(json.contains("error"));
}

}  // namespace
}  // namespace olem::rehearsal_api_test
