// Models of which only the samplers were fitted that a decision can need: the decision is that of the whole model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "decide/helpers.h"
#include "olem/error.h"
#include "olem/model_file.h"

namespace olem::test::only_needed_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

// The farm with a column that is only noise, two that follow the yield, and one behind the dose that says nothing of
// the yield beyond dose and rate.
Table wide_farm(std::size_t rows) {
  const Table farm_table = farm(rows, 1);
  RandomStream random(1, "test.wide_farm");
  std::vector<std::string> names = farm_table.names();
  std::vector<double> values(farm_table.values().begin(), farm_table.values().end());
  for (const char* const name : {"visitors", "residue", "price", "income"}) {
    names.emplace_back(name);
    for (std::size_t i = 0; i < rows; ++i) {
      const double noise = random.normal();
      const double yield = farm_table.at(i, 3);
      const std::string column = name;
      values.push_back(column == "visitors"  ? noise
                       : column == "residue" ? std::tanh(farm_table.at(i, 1)) + 0.5 * noise
                       : column == "price"   ? 0.5 * noise - yield
                                             : yield * yield + noise);
    }
  }
  return {names, std::move(values), "farm.csv"};
}

const std::vector<NamedValue> kObserved = {{"weather", -0.5}};
const Order kOrder = {"weather", "visitors", "dose", "residue", "rate", "yield", "price", "income"};

RehearsalModel fit(bool only_needed, RehearsalOptions options = {}, int threads = 2,
                   const std::optional<Order>& order = kOrder) {
  options.only_needed = only_needed;
  Context context;
  context.threads = threads;
  return fit_rehearsal(farm_task(), wide_farm(300), options, order, context);
}

std::vector<std::string> without_sampler(const SamplerSet& set) {
  std::vector<std::string> names;
  for (const SamplerVariable& variable : set.variables) {
    if (!variable.sampler) names.push_back(variable.name);
  }
  return names;
}

DecisionOptions quick() {
  DecisionOptions options;
  options.draws = 200;
  options.judge_draws = 400;
  return options;
}

Json decision_of(const RehearsalModel& model, const DecisionOptions& options = quick()) {
  Json json = to_json(decide(model, kObserved, options, Context()));
  json.erase("seconds");
  return json;
}

TEST(OnlyNeeded, LeavesOutWhatDecisionsDoNotDraw) {
  EXPECT_THAT(without_sampler(*fit(false).samplers), ElementsAre("weather"));
  // The visitors stand before the levers, so that a sampler of these may keep them by chance.
  EXPECT_THAT(without_sampler(*fit(true).samplers), IsSupersetOf({"weather", "residue", "price", "income"}));
}

TEST(OnlyNeeded, DecidesAsTheWholeModel) { EXPECT_EQ(decision_of(fit(true)), decision_of(fit(false))); }

TEST(OnlyNeeded, DecidesAsTheWholeModelWithMembers) {
  RehearsalOptions options;
  options.members = MemberOptions{3, 4};
  options.opinions = {"varsort", "ges"};
  const RehearsalModel some = fit(true, options, 2, std::nullopt);
  const RehearsalModel all = fit(false, options, 2, std::nullopt);
  EXPECT_EQ(decision_of(some), decision_of(all));
  std::size_t left_out = 0;
  for (const ModelMember& member : some.members->list) left_out += without_sampler(*member.samplers).size() - 1;
  EXPECT_GT(left_out, 0U);
  for (const ModelMember& member : all.members->list)
    EXPECT_THAT(without_sampler(*member.samplers), ElementsAre("weather"));
}

// Whether threads had time to guess what is needed.
TEST(OnlyNeeded, IsTheSameForAnyNumberOfThreads) {
  RehearsalOptions options;
  options.members = MemberOptions{0, 2};
  const RehearsalModel one = fit(true, options, 1);
  for (const int threads : {2, 8}) {
    const RehearsalModel more = fit(true, options, threads);
    EXPECT_EQ(without_sampler(*more.samplers), without_sampler(*one.samplers));
    EXPECT_EQ(models_json(more), models_json(one));
    EXPECT_EQ(more.samplers->summary.message, one.samplers->summary.message);
    for (std::size_t m = 0; m < one.members->list.size(); ++m) {
      EXPECT_EQ(without_sampler(*more.members->list[m].samplers), without_sampler(*one.members->list[m].samplers));
    }
  }
}

TEST(OnlyNeeded, DecidesAsTheWholeModelAlongAGraph) {
  RehearsalOptions options;
  options.graph.emplace().method = "ges";
  options.samplers.sampler = "linear";
  const RehearsalModel some = fit(true, options, 2, std::nullopt);
  EXPECT_EQ(decision_of(some), decision_of(fit(false, options, 2, std::nullopt)));
  EXPECT_GT(without_sampler(*some.samplers).size(), 1U);
}

TEST(OnlyNeeded, DecidesAsTheWholeModelFromCompletedTables) {
  CompletedTables tables;
  tables.tables = {wide_farm(200), wide_farm(200)};
  RehearsalOptions options;
  options.members = MemberOptions{2, 2};
  const RehearsalModel all = fit_rehearsal(farm_task(), tables, options, kOrder, Context());
  options.only_needed = true;
  const RehearsalModel some = fit_rehearsal(farm_task(), tables, options, kOrder, Context());
  EXPECT_EQ(decision_of(some), decision_of(all));
  EXPECT_GT(without_sampler(*some.samplers).size(), 1U);
}

TEST(OnlyNeeded, TasksWithStepsHaveAllSamplers) {
  Task task = farm_task();
  task.sequence = {{{"dose"}, {"residue"}}, {{"rate"}, {}}};
  RehearsalOptions options;
  options.only_needed = true;
  const RehearsalModel model = fit_rehearsal(task, wide_farm(300), options, kOrder, Context());
  EXPECT_THAT(without_sampler(*model.samplers), ElementsAre("weather"));
}

TEST(OnlyNeeded, IsNotKeptInAFileUnlessItIsWhole) {
  EXPECT_THROW(model_bytes(fit(true)), Error);
  RehearsalOptions options;
  options.only_needed = true;
  const RehearsalModel whole = fit_rehearsal(farm_task(), farm(200, 1), options, std::nullopt, Context());
  EXPECT_THAT(without_sampler(*whole.samplers), ElementsAre("weather"));
  EXPECT_THAT(model_bytes(whole), ::testing::Not(IsEmpty()));
}

TEST(OnlyNeeded, RefusesToDrawWhatItLeftOut) {
  const RehearsalModel model = fit(true);
  DecisionProblem problem = decision_problem(model, kObserved);
  problem.region = parse_task(R"({"data": "farm.csv", "context": ["weather"], "alterable": {"dose": [-2, 2]},
                                  "outcome": ["price"], "desired": {"price": [0, null]}})",
                              "task")
                       .desired;
  try {
    decide(problem, quick(), Context());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("'price' has no sampler"));
  }
}

}  // namespace
}  // namespace olem::test::only_needed_test
