#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advice.h"
#include "helpers.h"
#include "support/level_tables.h"

namespace olem::test::levers_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Tables with levels whose truth is known, and the tasks of their users.
class Levers : public testing::Test {
 protected:
  Levers() {
    options_.folder = folder_.path();
    folder_.write("room.csv", words_csv(HeatedRoom::table(1000, 11)));
    folder_.write("vendors.csv", words_csv(Vendors::table(1000, 12)));
    folder_.write("renewals.csv", words_csv(Renewals::table(1000, 13)));
    room_ = nlohmann::ordered_json::parse(R"({"data": "room.csv", "context": ["outside"],
      "alterable": {"heating": [0, 1]}, "outcome": ["room"], "desired": {"room": [22, 25]},
      "observed": {"outside": -0.5}})");
    vendors_ = nlohmann::ordered_json::parse(R"({"data": "vendors.csv", "columns": {"vendor": "category"},
      "context": ["load"], "alterable": {"vendor": {}}, "outcome": ["quality"], "desired": {"quality": [1, null]},
      "observed": {"load": 0}})");
    renewals_ = nlohmann::ordered_json::parse(R"({"data": "renewals.csv", "context": ["age"],
      "alterable": {"price": [0.6, 1.6]}, "outcome": ["renewed"], "desired": {"renewed": "yes"},
      "observed": {"age": 0}})");
  }

  ProcessResult run(const std::vector<std::string>& arguments) const {
    const ProcessResult result = run_olem(arguments, options_);
    expect_sound_advice(arguments, result);
    return result;
  }

  ProcessResult decide_text(const nlohmann::ordered_json& task, const std::vector<std::string>& more = {}) const {
    folder_.write("task.json", task.dump(2));
    return run(joined({"decide", "task.json", "--sampler", "auto"}, more));
  }

  nlohmann::ordered_json decide(const nlohmann::ordered_json& task, const std::vector<std::string>& more = {}) const {
    const ProcessResult result = decide_text(task, joined({"--json"}, more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? parse_json(result.out) : nlohmann::ordered_json();
  }

  TemporaryFolder folder_;
  ProcessOptions options_;
  nlohmann::ordered_json room_;
  nlohmann::ordered_json vendors_;
  nlohmann::ordered_json renewals_;
};

TEST_F(Levers, ASwitchIsAWordAndNeverBetween) {
  const auto json = decide(room_);
  const auto& decision = json["decisions"][0];
  EXPECT_EQ(decision["alterations"]["heating"], "on");
  EXPECT_EQ(decision["expected"]["heating"], "on");
  EXPECT_NEAR(decision["success_probability"].get<double>(), HeatedRoom::success(-0.5, 1.0, 22.0, 25.0), 0.05);
  // What lies halfway is wanted, and cannot be had.
  room_["desired"]["room"] = {19, 21};
  for (const nlohmann::ordered_json& domain :
       {nlohmann::ordered_json{0, 1}, nlohmann::ordered_json::parse(R"({"values": ["off", "on"]})"),
        nlohmann::ordered_json::parse(R"({"values": [0, "on"]})"), nlohmann::ordered_json::object()}) {
    room_["alterable"]["heating"] = domain;
    const auto other = decide(room_)["decisions"][0];
    const auto& value = other["alterations"]["heating"];
    EXPECT_TRUE(value.is_null() || value == "off" || value == "on") << domain << value;
    EXPECT_LT(other["success_probability"].get<double>(),
              0.05 + std::max(HeatedRoom::success(-0.5, 0.0, 19.0, 21.0), HeatedRoom::success(-0.5, 1.0, 19.0, 21.0)));
  }
  room_["alterable"]["heating"] = {0.3, 0.6};
  const ProcessResult none = decide_text(room_);
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("The domain of 'heating', [0.3, 0.6], holds none of its values. Its levels are off "
                                  "and on."));
}

TEST_F(Levers, SayTheirLevelsEverywhere) {
  const ProcessResult text = decide_text(room_, {"--report", "r.html", "--csv", "d.csv"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, testing::ContainsRegex("heating +on +on"));
  EXPECT_THAT(read_text(folder_.file("d.csv")), HasSubstr("-0.5,on,"));
  EXPECT_THAT(read_text(folder_.file("r.html")), HasSubstr("heating to on"));
  const ProcessResult explained = run({"explain", "task.json", "--sampler", "auto", "--at", "heating=off"});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.out, testing::ContainsRegex("heating +off .* on +on"));
  EXPECT_THAT(explained.out, HasSubstr("With heating = off"));
  const ProcessResult json = run({"explain", "task.json", "--sampler", "auto", "--at", "heating=0", "--json"});
  const auto curve = parse_json(json.out)["explanations"][0]["variables"][0];
  EXPECT_EQ(curve["values"].dump(), "[0.0,1.0]");
  EXPECT_EQ(curve["levels"].dump(), R"(["off","on"])");
  EXPECT_EQ(curve["best"]["level"], "on");
  EXPECT_EQ(parse_json(json.out)["explanations"][0]["decision"]["heating"], "off");
  const ProcessResult between = run({"explain", "task.json", "--sampler", "auto", "--at", "heating=0.5"});
  EXPECT_EQ(between.exit_code, 2);
  EXPECT_THAT(between.err, HasSubstr("Its levels are off and on."));
  // A page of a result with words, and the model file.
  const ProcessResult fitted = run({"fit", "task.json", "--sampler", "auto", "-o", "m.olem", "--no-calibrate"});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const ProcessResult kept = run({"decide", "--model", "m.olem", "--json"});
  EXPECT_EQ(parse_json(kept.out)["decisions"][0]["alterations"]["heating"], "on");
}

TEST_F(Levers, NumbersOfVendorsHaveNoOrder) {
  auto undeclared = vendors_;
  undeclared.erase("columns");
  undeclared["alterable"]["vendor"] = {1, 4};
  folder_.write("task.json", undeclared.dump());
  EXPECT_THAT(run({"check", "task.json"}).out,
              HasSubstr("'vendor' holds whole numbers with few values and is taken as ordered."));
  const auto json = decide(vendors_);
  EXPECT_EQ(json["decisions"][0]["alterations"]["vendor"], 2);
  EXPECT_NEAR(json["decisions"][0]["success_probability"].get<double>(), Vendors::success(0.0, 2.0, 1.0), 0.05);
  vendors_["alterable"]["vendor"] = nlohmann::ordered_json::parse(R"({"values": [1, 3, 4]})");
  EXPECT_EQ(decide(vendors_)["decisions"][0]["alterations"]["vendor"], 4);
  vendors_["alterable"]["vendor"]["values"] = {1, 5};
  const ProcessResult unknown = decide_text(vendors_);
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err,
              HasSubstr("'5' in the domain of 'vendor' is none of its levels. Its levels are 1, 2, 3 and 4."));
}

TEST_F(Levers, ALevelIsDesiredInManyWays) {
  const auto first = decide(renewals_)["decisions"][0];
  EXPECT_NEAR(first["success_probability"].get<double>(), Renewals::success(0.0, 0.6), 0.05);
  EXPECT_EQ(first["outcomes"]["renewed"]["levels"]["yes"], first["success_probability"]);
  for (const char* const way : {"1", "[1, 1]", "[0.5, 1.5]", "[1, null]", "[0.5, null]", R"({"values": ["Yes"]})"}) {
    renewals_["desired"]["renewed"] = nlohmann::ordered_json::parse(way);
    const auto json = decide(renewals_);
    EXPECT_EQ(json["decisions"][0]["success_probability"], first["success_probability"]) << way;
    EXPECT_EQ(json["decisions"][0]["alterations"], first["alterations"]) << way;
    EXPECT_THAT(warning_codes(json), Not(Contains("flat_region"))) << way;
  }
  const ProcessResult text = decide_text(renewals_);
  EXPECT_THAT(text.out, testing::ContainsRegex("renewed +yes [0-9.]+ %, no"));
  struct Fault {
    const char* desired;
    int exit_code;
    const char* text;
  };
  for (const Fault& fault :
       {Fault{R"("yess")", 3,
              "'yess', which is desired of 'renewed', is none of its levels. Its levels are no and yes. "
              "Did you mean 'yes'?"},
        Fault{"2", 3, "'2', which is desired of 'renewed', is none of its levels."},
        Fault{"[0.2, 0.8]", 4, "The desired region is empty: 'renewed' has no level in [0.2, 0.8]."}}) {
    renewals_["desired"]["renewed"] = nlohmann::ordered_json::parse(fault.desired);
    const ProcessResult result = decide_text(renewals_);
    EXPECT_EQ(result.exit_code, fault.exit_code) << fault.desired;
    EXPECT_THAT(result.err, HasSubstr(fault.text));
  }
  renewals_["desired"] = nlohmann::ordered_json::parse(R"({"renewed": "yes"})");
  folder_.write("task.json", renewals_.dump());
  folder_.write("order.txt", "age\nprice\nrenewed\n");
  const ProcessResult refused =
      run({"decide", "task.json", "--decision", "qwz23", "--sampler", "gaussian", "--order", "order.txt"});
  EXPECT_EQ(refused.exit_code, 4) << refused.out;
  EXPECT_THAT(refused.err, HasSubstr("renewed has single values"));
}

TEST_F(Levers, ThroughADiscreteMediator) {
  folder_.write("patients.csv", csv_of(Patients::table(1000, 14, 0.0)));
  const auto task = nlohmann::ordered_json::parse(R"({"data": "patients.csv", "context": ["severity"],
    "alterable": {"dose": {"min": 0, "max": 8, "step": 0.5}}, "outcome": ["score"], "desired": {"score": [55, null]},
    "observed": {"severity": 0}, "before": [["dose", "responded"]]})");
  const auto decision = decide(task)["decisions"][0];
  const double dose = decision["alterations"]["dose"].get<double>();
  EXPECT_EQ(2.0 * dose, std::floor(2.0 * dose));
  EXPECT_GT(Patients::success(0.0, dose, 55.0, 0.0), Patients::success(0.0, 8.0, 55.0, 0.0) - 0.03);
  EXPECT_NEAR(decision["success_probability"].get<double>(), Patients::success(0.0, dose, 55.0, 0.0), 0.05);
}

// A crew of 0 to 14, a switch and four sites; the yield is known.
class Site : public Levers {
 protected:
  Site() {
    RandomStream random(21, "test.site");
    Cells cells = {{"crew", "pump", "site", "price", "yield"}};
    for (int i = 0; i < 600; ++i) {
      const double crew = std::floor(15.0 * random.uniform());
      const bool pump = random.uniform() < 0.3;
      const auto site = static_cast<std::size_t>(4.0 * random.uniform());
      const double price = random.uniform() < 0.5 ? 1.0 + 2.0 * random.uniform() : 9.0 + random.uniform();
      const double yield = 0.5 * crew + (pump ? 2.0 : 0.0) + kSites[site] + 0.1 * price + 0.5 * random.normal();
      cells.push_back({fmt::format("{}", crew), pump ? "on" : "off", std::string(1, static_cast<char>('A' + site)),
                       fmt::format("{:.4f}", price), fmt::format("{:.4f}", yield)});
    }
    folder_.write("site.csv", csv_of(cells));
    task_ = nlohmann::ordered_json::parse(R"({"data": "site.csv", "context": [],
      "alterable": {"crew": {"min": 2, "max": 6, "step": 2}, "pump": {"values": ["off", "on"]},
                    "site": {"values": ["A", "B", "D"]}},
      "outcome": ["yield"], "desired": {"yield": [6.5, null]}, "ignore": ["price"]})");
  }
  static constexpr double kSites[] = {0.0, 1.5, 3.0, -1.0};
  nlohmann::ordered_json task_;
};

TEST_F(Site, CountsHaveSteps) {
  const auto decision = decide(task_)["decisions"][0];
  EXPECT_EQ(decision["alterations"].dump(), R"({"crew":6.0,"pump":"on","site":"B"})");
  // The price, which is left alone, adds 0.2 or 0.95.
  const double truth = 0.5 * (normal_below(2.0 * (6.7 - 6.5)) + normal_below(2.0 * (7.45 - 6.5)));
  EXPECT_NEAR(decision["success_probability"].get<double>(), truth, 0.06);
}

TEST_F(Site, ChangesCostWhatTheTaskSays) {
  task_["desired"]["yield"] = {5, nullptr};
  task_["cost"] = {{"crew", 1}, {"pump", 3}, {"site", 100}};
  const auto decision = decide(task_, {"--target", "0.9"})["decisions"][0];
  double cost = 0.0;
  if (!decision["alterations"]["crew"].is_null()) {
    cost += std::abs(decision["alterations"]["crew"].get<double>() - decision["expected"]["crew"].get<double>());
  }
  const auto changed = [&](const char* name) {
    const auto& value = decision["alterations"][name];
    return !value.is_null() && value != decision["expected"][name];
  };
  cost += changed("pump") ? 3.0 : 0.0;
  cost += changed("site") ? 100.0 : 0.0;
  EXPECT_NEAR(decision["cost"].get<double>(), cost, 1e-9);
}

TEST_F(Site, ConstraintsNameLevels) {
  task_["constraints"] = nlohmann::ordered_json::parse(R"([{"weights": {"site=B": 1, "pump=on": 1}, "max": 1}])");
  task_["desired"]["yield"] = {4.5, nullptr};
  const auto decision = decide(task_)["decisions"][0];
  EXPECT_FALSE(decision["alterations"]["site"] == "B" && decision["alterations"]["pump"] == "on");
  EXPECT_EQ(decision["alterations"]["pump"], "on") << "worth more than the site";
  task_["constraints"][0]["weights"] = {{"site=E", 1}};
  const ProcessResult unknown = decide_text(task_);
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("Constraint 1 holds 'site=E', but 'E' is no level of 'site'. Its levels are A, B, "
                                     "C and D."));
  task_["constraints"][0] = nlohmann::ordered_json::parse(R"({"weights": {"crew": 1}, "max": 1})");
  EXPECT_EQ(decide_text(task_).exit_code, 4) << "the least crew is 2";
}

// Between the values of a list there is nothing, whatever intervals would permit.
TEST_F(Site, ConstraintsThatNoLevelsSatisfyAreNamed) {
  const auto refused = [&](const char* constraints, const char* text) {
    task_["constraints"] = nlohmann::ordered_json::parse(constraints);
    const ProcessResult decided = decide_text(task_);
    EXPECT_EQ(decided.exit_code, 4) << constraints << decided.out;
    EXPECT_THAT(decided.err, HasSubstr(text)) << constraints;
    const ProcessResult checked = run({"check", "task.json"});
    EXPECT_EQ(checked.exit_code, 4) << constraints << checked.out;
    EXPECT_THAT(checked.out, HasSubstr(text)) << constraints;
  };
  // A crew of 3 while 2, 4 and 6 are possible; both states of the pump; a pump and a site that are C.
  refused(R"([{"weights": {"crew": 1}, "max": 3.5}, {"weights": {"pump": -1}, "max": 0},
              {"weights": {"crew": -1}, "max": -2.5}])",
          "The constraints 1 and 3 cannot be satisfied at once");
  refused(R"([{"weights": {"pump=on": -1}, "max": -1}, {"weights": {"pump=off": -1}, "max": -1}])",
          "The constraints 1 and 2 cannot be satisfied at once");
  refused(R"([{"weights": {"site=C": -1}, "max": -1}])", "Constraint 1 cannot be satisfied");
  task_["constraints"] = nlohmann::ordered_json::parse(
      R"([{"weights": {"crew": 1}, "max": 4.5}, {"weights": {"crew": -1}, "max": -2.5}])");
  const auto crew = decide(task_)["decisions"][0]["alterations"]["crew"];
  EXPECT_TRUE(crew.is_null() || crew == 4.0) << crew;
}

TEST_F(Site, GapsAreNamed) {
  task_.erase("ignore");
  task_["alterable"]["price"] = {1, 10};
  const auto json = decide(task_, {"--draws", "200"});
  EXPECT_THAT(warning_codes(json), Contains("gap"));
  folder_.write("task.json", task_.dump());
  const ProcessResult checked = run({"check", "task.json"});
  EXPECT_THAT(checked.out, HasSubstr("[1, 10], holds a gap in the data: no row has a value between"));
  task_["alterable"]["price"] = nlohmann::ordered_json::parse(R"({"values": [1, 2, 3, 9, 10]})");
  const auto listed = decide(task_, {"--draws", "200"});
  EXPECT_THAT(warning_codes(listed), Not(Contains("gap")));
  task_["alterable"]["price"] = {1, 3};
  EXPECT_THAT(warning_codes(decide(task_, {"--draws", "200"})), Not(Contains("gap")));
}

TEST_F(Site, MoreThanAFewHundredCombinationsAreExchanged) {
  task_.erase("ignore");
  task_["alterable"] = nlohmann::ordered_json::parse(
      R"({"crew": [0, 14], "pump": {}, "site": {}, "price": {"min": 1, "max": 3, "step": 0.25}})");
  task_["desired"]["yield"] = {11.5, nullptr};
  const auto decision = decide(task_)["decisions"][0];
  EXPECT_EQ(decision["alterations"]["pump"], "on");
  EXPECT_EQ(decision["alterations"]["site"], "C");
  EXPECT_GE(decision["alterations"]["crew"].get<double>(), 13.0);
  EXPECT_THAT(decision["message"].get<std::string>(), HasSubstr("1080 combinations"));
  // The same bytes on any number of threads.
  EXPECT_EQ(decide(task_, {"--threads", "2"})["decisions"][0]["alterations"], decision["alterations"]);
}

TEST_F(Site, ADraftTaskHasLevels) {
  const ProcessResult draft = run({"init", "site.csv", "--outcome", "pump", "--lever", "site", "--lever", "crew"});
  ASSERT_EQ(draft.exit_code, 0) << draft.err;
  EXPECT_THAT(draft.out, HasSubstr("\"site\": { \"values\": [\"A\", \"B\", \"C\", \"D\"] }"));
  EXPECT_THAT(draft.out, HasSubstr("\"pump\": \"on\""));
}

}  // namespace
}  // namespace olem::test::levers_test
