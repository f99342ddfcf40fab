#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "advice.h"
#include "helpers.h"
#include "olem/random.h"

namespace olem::test::types_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Whether it is heated, how large it is and at which price it is let; the files that a user has of it.
class Types : public testing::Test {
 protected:
  Types() {
    Cells cells = {{"heating", "size", "vendor", "price", "demand", "noise"}};
    RandomStream random(1, "test.house");
    for (int i = 0; i < 200; ++i) {
      const int heating = random.uniform() < 0.5 ? 0 : 1;
      const double size = 50.0 + 10.0 * random.normal();
      const int vendor = 1 + static_cast<int>(random.uniform() * 4.0);
      const double price = 2.0 + 0.3 * heating + random.normal();
      const double demand = 3.0 * price + 2.0 * heating + 0.05 * size + random.normal();
      cells.push_back({fmt::format("{}", heating), fmt::format("{}", size), fmt::format("{}", vendor),
                       fmt::format("{}", price), fmt::format("{}", demand), fmt::format("{}", random.normal())});
    }
    folder_.write("house.csv", csv_of(cells));
    task_ = nlohmann::ordered_json::parse(R"({
      "name": "Letting", "note": "a test", "data": "house.csv",
      "reading": {"drop_columns": ["vendor", "noise"]},
      "columns": {
        "heating": {"type": "binary", "levels": ["off", "on"], "label": "Heating in winter"},
        "price": {"type": "real", "unit": "EUR"},
        "vendor": "category"
      },
      "context": ["heating", "size"], "alterable": {"price": [0, 4]}, "outcome": ["demand"],
      "desired": {"demand": [12, null]}, "observed": {"heating": "on", "size": 55}
    })");
    write_task();
    options_.folder = folder_.path();
  }

  void write_task() const { folder_.write("task.json", task_.dump(2)); }

  ProcessResult run(const std::vector<std::string>& arguments) const {
    const ProcessResult result = run_olem(arguments, options_);
    expect_sound_advice(arguments, result);
    return result;
  }

  nlohmann::ordered_json json_of(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return parse_json(result.out);
  }

  static std::vector<std::string> fast(std::vector<std::string> arguments) {
    return joined(std::move(arguments), {"--sampler", "linear", "--method", "varsort", "--draws", "200"});
  }

  TemporaryFolder folder_;
  ProcessOptions options_;
  nlohmann::ordered_json task_;
};

TEST_F(Types, SurviveFromTheTaskToTheDecision) {
  const auto json = json_of(fast({"decide", "task.json", "--report", "r.html"}));
  EXPECT_EQ(json["column_types"]["heating"].dump(),
            R"({"type":"binary","levels":{"off":0.0,"on":1.0},"label":"Heating in winter","reason":"declared",)"
            R"("declared":true})");
  EXPECT_EQ(json["column_types"]["price"]["unit"], "EUR");
  EXPECT_FALSE(json["column_types"].contains("vendor")) << "the task says that it is not read";
  EXPECT_EQ(json["decisions"][0]["context"]["heating"], "on");
  EXPECT_EQ(json["decisions"][0]["context"]["size"], 55);
  EXPECT_EQ(json["task"]["name"], "Letting");
  EXPECT_EQ(json["options"]["drop_columns"], "vendor,noise");
  const std::string page = read_text(folder_.file("r.html"));
  EXPECT_THAT(page, HasSubstr("heating = on"));
  EXPECT_THAT(page, HasSubstr("Heating in winter"));
  EXPECT_THAT(page, HasSubstr("What the columns were taken for"));
  EXPECT_THAT(page, HasSubstr("EUR"));

  const ProcessResult text = run(fast({"decide", "task.json"}));
  EXPECT_THAT(text.out, HasSubstr("Observed: heating = on, size = 55"));
  EXPECT_THAT(text.out, HasSubstr(" EUR"));
  EXPECT_THAT(text.err, Not(HasSubstr("unbounded"))) << "to want at least 12 is no reason to warn";
}

TEST_F(Types, AreInTheModelFile) {
  ASSERT_EQ(run({"fit", "task.json", "-o", "m.olem", "--no-calibrate", "--sampler", "linear", "--method", "varsort"})
                .exit_code,
            0);
  const auto direct = json_of(fast({"decide", "task.json"}));
  const auto kept = json_of({"decide", "--model", "m.olem", "--draws", "200"});
  EXPECT_EQ(kept["column_types"], direct["column_types"]);
  EXPECT_EQ(kept["decisions"][0]["alterations"], direct["decisions"][0]["alterations"]);
  const auto checked = json_of({"check", "m.olem"});
  EXPECT_EQ(checked["model"]["column_types"], direct["column_types"]);
  const auto off = json_of({"decide", "--model", "m.olem", "--context", "heating=off", "--draws", "200"});
  EXPECT_EQ(off["decisions"][0]["context"]["heating"], "off");
  EXPECT_EQ(json_of({"explain", "--model", "m.olem", "--draws", "200"})["explanations"][0]["context"]["heating"], "on");
  // Another label is no other task; another order of levels is.
  task_["columns"]["heating"]["label"] = "warm?";
  task_["name"] = "Renamed";
  write_task();
  EXPECT_EQ(run({"decide", "task.json", "--model", "m.olem", "--draws", "200"}).exit_code, 0);
  task_["columns"]["heating"]["levels"] = {"on", "off"};
  write_task();
  const ProcessResult other = run({"decide", "task.json", "--model", "m.olem"});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err, HasSubstr("\"columns\" is not the one that the model in m.olem was fitted for"));
}

TEST_F(Types, UnknownLevelsNameTheKnownOnes) {
  const ProcessResult flag = run(fast({"decide", "task.json", "--context", "heating=onn"}));
  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_THAT(flag.err, HasSubstr("'onn' is no level of 'heating'. Its levels are off and on. Did you mean 'on'?"));
  folder_.write("c.csv", "size,heating\n40,off\n60,warm\n");
  const ProcessResult file = run(fast({"decide", "task.json", "--contexts", "c.csv"}));
  EXPECT_EQ(file.exit_code, 3);
  EXPECT_THAT(file.err, HasSubstr("c.csv, line 3, column 'heating': 'warm' is no level of the column."));
  const ProcessResult at = run(fast({"explain", "task.json", "--at", "price=cheap"}));
  EXPECT_EQ(at.exit_code, 2);
  EXPECT_THAT(at.err, HasSubstr("'cheap' is not a finite number"));
}

TEST_F(Types, ContextsAreDecidedIntoATable) {
  folder_.write("c.csv", "size,heating,who\n40,off,me\n60,1,you\n");
  const auto json = json_of(fast({"decide", "task.json", "--contexts", "c.csv", "--csv", "out.csv"}));
  const std::string table = read_text(folder_.file("out.csv"));
  ASSERT_EQ(json["decisions"].size(), 2U);
  std::string expected = "heating,size,price,success_probability,low,high,without_action,status\n";
  for (const auto& decision : json["decisions"]) {
    const auto& price = decision["alterations"]["price"];
    expected += fmt::format("{},{},{},{},{},{},{},{}\n", decision["context"]["heating"].get<std::string>(),
                            decision["context"]["size"].get<double>(),
                            price.is_null() ? "" : fmt::format("{}", price.get<double>()),
                            decision["success_probability"].get<double>(), decision["interval"][0].get<double>(),
                            decision["interval"][1].get<double>(), decision["without_action"].get<double>(),
                            decision["status"].get<std::string>());
  }
  EXPECT_EQ(table, expected);
  EXPECT_THAT(table, HasSubstr("\noff,40,"));

  const ProcessResult again = run(fast({"decide", "task.json", "--contexts", "c.csv", "--csv", "out.csv"}));
  EXPECT_EQ(again.exit_code, 5);
  EXPECT_THAT(again.err, HasSubstr("out.csv"));
  EXPECT_EQ(run(fast({"decide", "task.json", "--csv", "out.csv", "--force"})).exit_code, 0);
  EXPECT_THAT(read_text(folder_.file("out.csv")), HasSubstr("\non,55,"));
  const ProcessResult twice = run(fast({"decide", "task.json", "--csv", "a.csv", "-o", "a.csv"}));
  EXPECT_EQ(twice.exit_code, 2);
  const ProcessResult input = run(fast({"decide", "task.json", "--contexts", "c.csv", "--csv", "c.csv", "--force"}));
  EXPECT_EQ(input.exit_code, 2) << input.err;
}

TEST_F(Types, FlagsGoBeforeWhatTheTaskSaysAboutReading) {
  const auto all = json_of(fast({"decide", "task.json", "--drop-columns", "noise"}));
  EXPECT_EQ(all["options"]["drop_columns"], "noise");
  EXPECT_TRUE(all["column_types"].contains("vendor"));
  EXPECT_THAT(warning_codes(all), Contains("codes")) << "linear models a category by the numbers of its levels";
  const auto by_type = json_of({"decide", "task.json", "--drop-columns", "noise", "--draws", "200"});
  EXPECT_THAT(warning_codes(by_type), Not(Contains("codes")));
  const auto typed = json_of(fast({"decide", "task.json", "--drop-columns", "noise", "--type", "vendor=ordinal"}));
  EXPECT_EQ(typed["column_types"]["vendor"]["type"], "ordinal");
}

TEST_F(Types, WordsOfTheFileAreLevels) {
  Cells cells = {{"season", "dose", "yield"}};
  RandomStream random(2, "test.words");
  for (int i = 0; i < 150; ++i) {
    const int season = static_cast<int>(random.below(2));
    const double dose = random.normal();
    cells.push_back({season == 0 ? "winter" : "summer", fmt::format("{}", dose),
                     fmt::format("{}", 2.0 * dose + season + 0.5 * random.normal())});
  }
  folder_.write("words.csv", csv_of(cells));
  folder_.write("words.json", R"({"data": "words.csv", "context": ["season"], "alterable": {"dose": [-2, 2]},
      "columns": {"season": {"levels": ["winter", "summer"]}},
      "outcome": ["yield"], "desired": {"yield": [2, null]}, "observed": {"season": "summer"}})");
  const auto json = json_of(fast({"decide", "words.json"}));
  EXPECT_EQ(json["column_types"]["season"]["levels"].dump(), R"({"winter":0.0,"summer":1.0})");
  EXPECT_EQ(json["decisions"][0]["context"]["season"], "summer");
  const ProcessResult unknown = run(fast({"decide", "words.json", "--context", "season=spring"}));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'spring' is no level of 'season'. Its levels are winter and summer."));
}

TEST_F(Types, CheckSaysWhatColumnsAreTakenFor) {
  const ProcessResult text = run({"check", "task.json"});
  EXPECT_EQ(text.exit_code, 0) << text.out;
  EXPECT_THAT(text.out, HasSubstr("heating (Heating in winter)  binary    declared: off, on"));
  EXPECT_EQ(json_of({"check", "task.json"})["column_types"]["price"]["unit"], "EUR");
  task_["columns"]["size"] = "binary";
  write_task();
  const ProcessResult refused = run({"check", "task.json"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.out, HasSubstr("'size' is declared as binary, but has"));
  const ProcessResult decided = run(fast({"decide", "task.json"}));
  EXPECT_EQ(decided.exit_code, 3);
  EXPECT_THAT(decided.err, HasSubstr("task.json: The column 'size' is declared as binary, but has"));
}

// A category shifts a temperature, which with a switch decides whether people are content: words, wherever they stand.
TEST_F(Types, OlemPlusPlacesWords) {
  Cells cells = {{"content", "bill", "switch", "temperature", "season"}};
  RandomStream random(3, "test.home");
  const std::vector<std::string> seasons = {"winter", "spring", "summer"};
  const std::vector<double> shift = {2.0, 6.0, 10.0};
  for (int i = 0; i < 800; ++i) {
    const auto season = static_cast<std::size_t>(random.below(3));
    const bool on = random.uniform() < 0.5;
    const double temperature = shift[season] + random.exponential(3.0);
    const double log_odds = (on ? 2.0 : -2.0) + 0.5 * (temperature - 9.0);
    const bool content = random.uniform() < 1.0 / (1.0 + std::exp(-log_odds));
    const double bill = (content ? 3.0 : 0.0) + random.exponential(1.0);
    cells.push_back({content ? "yes" : "no", fmt::format("{}", bill), on ? "on" : "off", fmt::format("{}", temperature),
                     seasons[season]});
  }
  folder_.write("home.csv", csv_of(cells));
  const auto json = json_of({"order", "home.csv"});
  const auto place = [&](const std::string& name) {
    const auto& order = json["order"];
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  EXPECT_LT(place("season"), place("temperature"));
  EXPECT_LT(place("temperature"), place("content"));
  EXPECT_LT(place("content"), place("bill"));
  EXPECT_TRUE(warning_codes(json).empty());
  for (const auto& step : json["steps"]) {
    EXPECT_TRUE(step.contains("gap_shape_standard_error")) << step;
    // Swaps of columns that do not depend on each other cost nothing and decide nothing.
    if (step["gap"].get<double>() < 1e-9) {
      EXPECT_EQ(step["decided_by"], "none");
    }
  }
  const auto known = json_of({"order", "home.csv", "--before", "bill,season", "--bootstrap", "4"});
  EXPECT_EQ(known["repetitions"], 4);
  EXPECT_LT(known["consensus"].dump().find("bill"), known["consensus"].dump().find("season"));
  folder_.write("home.json",
                R"({"data": "home.csv", "context": ["season", "switch"], "alterable": {"temperature": [0, 30]},
      "outcome": ["bill"], "desired": {"bill": [3, null]}, "observed": {"season": "winter", "switch": "on"}})");
  const auto decided = json_of(fast({"decide", "home.json"}));
  EXPECT_EQ(decided["order"].dump(), R"(["switch","season","temperature","content","bill"])");
  // OLEM itself has no entropy for words.
  const ProcessResult refused = run({"order", "home.csv", "--method", "olem"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("cannot place 'content' (binary)"));
}

TEST_F(Types, OrdersAndGraphsHaveThemToo) {
  EXPECT_TRUE(json_of({"order", "house.csv", "--method", "varsort"})["column_types"].contains("price"));
  EXPECT_TRUE(json_of({"graph", "house.csv", "--method", "varsort"})["column_types"].contains("price"));
}

}  // namespace
}  // namespace olem::test::types_test
