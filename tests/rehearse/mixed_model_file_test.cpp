#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "decide/shop.h"
#include "kept/answers.h"
#include "olem/decision.h"
#include "olem/impute.h"
#include "olem/model_file.h"
#include "olem/sampler_state.h"

// Models of columns of every type in a file.
namespace olem::test::mixed_model_file_test {
namespace {

void collect_kinds(const Json& part, std::set<std::string>& kinds) {
  if (part.is_object() && part.contains("kind") && part["kind"].is_string()) kinds.insert(part["kind"]);
  if (!part.is_structured()) return;
  for (const Json& entry : part) collect_kinds(entry, kinds);
}

// Of all samplers, those inside of others among them.
std::set<std::string> kinds_of(const RehearsalModel& model) {
  std::set<std::string> kinds;
  std::vector<SamplerVariable> variables = model.samplers->variables;
  if (model.context_model) {
    const std::vector<SamplerVariable>& context = model.context_model->variables;
    variables.insert(variables.end(), context.begin(), context.end());
  }
  for (const SamplerVariable& variable : variables) {
    if (!variable.sampler) continue;
    const SamplerState state = variable.sampler->state();
    kinds.insert(state.kind);
    collect_kinds(state.settings, kinds);
  }
  return kinds;
}

const RehearsalModel& shop_model() {
  static const RehearsalModel model = [] {
    RehearsalOptions options;
    options.calibrate = true;
    options.context_model = true;
    return fit_rehearsal(shop_task(), shop(300, 1), options, shop_order(), Context());
  }();
  return model;
}

Json decided(const RehearsalModel& model) {
  DecisionOptions options;
  options.draws = options.judge_draws = 200;
  const std::vector<NamedValue> observed = {{"demand", 0.2}, {"season", 2.0}};
  const Decision decision = decide(model, observed, options, Context());
  Json json = decisions_json(model, model.task, options, {decision});
  json["decisions"][0].erase("seconds");
  return json;
}

TEST(MixedModelFile, EveryKindSurvivesByteForByte) {
  const RehearsalModel& model = shop_model();
  const std::set<std::string> kinds = kinds_of(model);
  for (const char* const kind : {"encoded", "location-scale", "binary", "ordinal", "category", "count", "hurdle"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
  const std::string bytes = model_bytes(model);
  const RehearsalModel loaded = parse_model(bytes, "shop.olem");
  EXPECT_EQ(model_bytes(loaded), bytes);
  EXPECT_EQ(kinds_of(loaded), kinds_of(model));
  EXPECT_EQ(kept_answers(loaded).dump(), kept_answers(model).dump());
  EXPECT_EQ(decided(loaded).dump(), decided(model).dump());
}

TEST(MixedModelFile, MixturesOfEveryKindSurvive) {
  const Table whole = shop(300, 2);
  std::vector<double> values(whole.values().begin(), whole.values().end());
  RandomStream random(3, "test.gaps");
  for (double& value : values) {
    if (random.uniform() < 0.05) value = std::numeric_limits<double>::quiet_NaN();
  }
  const CompletedTables tables =
      impute(make_incomplete(whole.names(), values, whole.source(), whole.about()), {.imputations = 2}, {});
  const RehearsalModel model = fit_rehearsal(shop_task(), tables, {}, shop_order(), Context());
  EXPECT_TRUE(kinds_of(model).contains("mixture"));
  const std::string bytes = model_bytes(model);
  const RehearsalModel loaded = parse_model(bytes, "shop.olem");
  EXPECT_EQ(model_bytes(loaded), bytes);
  EXPECT_EQ(decided(loaded).dump(), decided(model).dump());
}

TEST(MixedModelFile, PeopleReadTheKindOfTheModelInside) {
  const Json models = models_json(shop_model());
  EXPECT_EQ(models["renewed"]["kind"], "binary");
  EXPECT_EQ(models["crew"]["kind"], "ordinal");
  EXPECT_EQ(models["visits"]["kind"], "count");
  EXPECT_EQ(models["rebate"]["kind"], "hurdle");
  EXPECT_EQ(models["rate"]["kind"], "location-scale");
  for (const char* const name : {"renewed", "crew", "visits", "rate"}) {
    const Json& scores = models[name]["scores"];
    ASSERT_GE(scores.size(), 2U) << name;
    EXPECT_EQ(std::count_if(scores.begin(), scores.end(), [](const Json& score) { return score["chosen"] == true; }), 1)
        << name;
  }
}

// A fifth of the 90 rows that were held out.
TEST(MixedModelFile, ADecisionTellsTheCalibrationNearby) {
  const Json decision = decided(shop_model())["decisions"][0];
  ASSERT_TRUE(decision.contains("calibration_near"));
  const Json& near = decision["calibration_near"];
  EXPECT_EQ(near["rows"], 18);
  EXPECT_TRUE(near["variables"].contains("rate"));
  EXPECT_TRUE(near["variables"].contains("renewed"));
  for (const auto& [name, value] : decision["alterations"].items()) {
    EXPECT_EQ(near["variables"].contains(name), value.is_null()) << name;
  }
  RehearsalModel without = shop_model();
  without.calibration.reset();
  EXPECT_FALSE(decided(without)["decisions"][0].contains("calibration_near"));
}

}  // namespace
}  // namespace olem::test::mixed_model_file_test
