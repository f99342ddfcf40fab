#include "olem/members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "decide/helpers.h"
#include "olem/error.h"
#include "olem/impute.h"
#include "olem/model_file.h"

namespace olem::test::members_test {
namespace {

using ::testing::ElementsAre;

RehearsalOptions with_members(int orders, int halves) {
  RehearsalOptions options;
  options.members = MemberOptions{orders, halves};
  return options;
}

RehearsalModel fit(const RehearsalOptions& options, const Context& context = {}, std::size_t rows = 200) {
  return fit_rehearsal(farm_task(), farm(rows, 1), options, std::nullopt, context);
}

std::size_t count(const RehearsalModel& model, MemberKind kind) { return model.members->of(kind).size(); }

TEST(Members, AreNotFittedUnlessAskedFor) { EXPECT_EQ(fit({}).members, nullptr); }

TEST(Members, HaveTheNumbersThatWereAskedFor) {
  const RehearsalModel model = fit(with_members(3, 5));
  EXPECT_EQ(count(model, MemberKind::kOrder), 3U);
  EXPECT_EQ(count(model, MemberKind::kHalf), 5U);
  for (const ModelMember& member : model.members->list) {
    std::set<std::string> names(member.order.begin(), member.order.end());
    EXPECT_EQ(names, std::set<std::string>(model.order.order.begin(), model.order.order.end()));
    ASSERT_EQ(member.samplers->variables.size(), member.order.size());
    for (std::size_t v = 0; v < member.order.size(); ++v)
      EXPECT_EQ(member.samplers->variables[v].name, member.order[v]);
  }
}

// Two halves of a pair hold every row once, so that their means average to that of the table.
TEST(Members, HalvesAreComplementary) {
  const RehearsalModel model = fit(with_members(0, 4));
  const auto halves = model.members->of(MemberKind::kHalf);
  const double mean = model.samplers->variables[model.samplers->index("yield")].mean;
  const auto half_mean = [&](std::size_t h) {
    return halves[h]->samplers->variables[halves[h]->samplers->index("yield")].mean;
  };
  EXPECT_NEAR(half_mean(0) + half_mean(1), 2.0 * mean, 1e-9);
  EXPECT_NEAR(half_mean(2) + half_mean(3), 2.0 * mean, 1e-9);
  EXPECT_NE(half_mean(0), half_mean(2));
}

TEST(Members, ShareTheSamplersOfTheFit) {
  const RehearsalModel model = fit(with_members(4, 0));
  for (const ModelMember* const member : model.members->of(MemberKind::kOrder)) {
    if (member->order == model.order.order) {
      EXPECT_EQ(member->samplers, model.samplers);
      continue;
    }
    for (const SamplerVariable& variable : member->samplers->variables) {
      const SamplerVariable& own = model.samplers->variables[model.samplers->index(variable.name)];
      std::set<std::string> given;
      std::set<std::string> own_given;
      for (const std::size_t k : variable.conditions) given.insert(member->samplers->variables[k].name);
      for (const std::size_t k : own.conditions) own_given.insert(model.samplers->variables[k].name);
      EXPECT_EQ(variable.sampler == own.sampler, given == own_given) << variable.name;
    }
  }
}

TEST(Members, AreTheSameForAnyNumberOfThreads) {
  Context one;
  one.threads = 1;
  Context three;
  three.threads = 3;
  EXPECT_EQ(model_bytes(fit(with_members(3, 4), one)), model_bytes(fit(with_members(3, 4), three)));
}

TEST(Members, FollowAnOrderThatIsGiven) {
  const Order order = {"weather", "dose", "rate", "yield"};
  const RehearsalModel model = fit_rehearsal(farm_task(), farm(200, 1), with_members(3, 4), order, Context());
  EXPECT_EQ(count(model, MemberKind::kOrder), 0U);
  EXPECT_EQ(count(model, MemberKind::kHalf), 4U);
  for (const ModelMember& member : model.members->list) EXPECT_EQ(member.order, order);
}

TEST(Members, FollowAGraphThatIsLearned) {
  RehearsalOptions options = with_members(3, 2);
  options.graph.emplace().method = "ges";
  options.samplers.sampler = "linear";
  const RehearsalModel model = fit(options);
  EXPECT_EQ(count(model, MemberKind::kOrder), 0U);
  EXPECT_EQ(count(model, MemberKind::kHalf), 2U);
}

TEST(Members, OfLearnersWithoutWeightsTakePartsOfTheRows) {
  RehearsalOptions options = with_members(2, 0);
  options.order.method = "varsort";
  EXPECT_EQ(count(fit(options), MemberKind::kOrder), 2U);
  options.order.method = "olem";
  EXPECT_EQ(count(fit(options), MemberKind::kOrder), 2U);
}

TEST(Members, TooFewRowsAreAWarning) {
  RehearsalOptions options = with_members(2, 2);
  options.samplers.sampler = "spline";
  const RehearsalModel model = fit(options, {}, 30);
  EXPECT_EQ(model.members, nullptr);
  ASSERT_FALSE(model.summary.warnings.empty());
  EXPECT_EQ(model.summary.warnings.back().code, "no_members");
}

TEST(Members, TakeCompletedTablesInTurn) {
  CompletedTables tables;
  tables.tables = {farm(150, 1), farm(150, 2)};
  const RehearsalModel model = fit_rehearsal(farm_task(), tables, with_members(2, 2), std::nullopt, Context());
  const auto orders = model.members->of(MemberKind::kOrder);
  ASSERT_EQ(orders.size(), 2U);
  const auto mean = [](const ModelMember& member) {
    return member.samplers->variables[member.samplers->index("yield")].mean;
  };
  const auto table_mean = [](const Table& table) {
    double sum = 0.0;
    for (const double value : table.column(table.index("yield"))) sum += value;
    return sum / static_cast<double>(table.rows());
  };
  EXPECT_NEAR(mean(*orders[0]), table_mean(tables.tables[0]), 1e-9);
  EXPECT_NEAR(mean(*orders[1]), table_mean(tables.tables[1]), 1e-9);
}

TEST(Members, StayInTheModelFile) {
  const RehearsalModel model = fit(with_members(8, 8));
  const std::string bytes = model_bytes(model);
  const RehearsalModel read = parse_model(bytes, "model");
  EXPECT_EQ(model_bytes(read), bytes);
  ASSERT_NE(read.members, nullptr);
  EXPECT_EQ(read.members->list.size(), model.members->list.size());
  EXPECT_LT(bytes.size(), 5 * model_bytes(fit({})).size());
}

// Stopped while members are fitted: what is finished is a model, whose halves are pairs.
TEST(Members, FinishedOnesAreKept) {
  RehearsalOptions options = with_members(3, 6);
  std::size_t least = 12;
  std::size_t most = 0;
  for (const double when : {0.0, 0.4, 0.7, 0.9}) {
    std::atomic<bool> stop = false;
    Context context;
    context.threads = 1;
    context.interrupt = &stop;
    context.progress = [&](double done, std::string_view phase) {
      if (phase == "members" && done >= when) stop = true;
    };
    options.keep_finished = false;
    EXPECT_THROW(fit(options, context), Error);
    stop = false;
    options.keep_finished = true;
    options.calibrate = true;
    const RehearsalModel model = fit(options, context);
    EXPECT_TRUE(model.stopped);
    EXPECT_FALSE(model.calibration);
    EXPECT_EQ(model.summary.warnings.back().code, "unfinished_members");
    const std::size_t finished = model.members ? model.members->list.size() : 0;
    least = std::min(least, finished);
    most = std::max(most, finished);
    EXPECT_LT(finished, 11U);
    if (model.members) {
      EXPECT_EQ(count(model, MemberKind::kHalf) % 2, 0U);
    }
    const RehearsalModel loaded = parse_model(model_bytes(model), "kept.olem");
    EXPECT_EQ(loaded.members == nullptr, model.members == nullptr);
    const std::vector<NamedValue> observed = {{"weather", -0.5}};
    const Decision decision = decide(loaded, observed, {}, Context());
    EXPECT_EQ(decision.uncertainty.has_value(), finished > 0);
  }
  EXPECT_EQ(least, 0U);
  EXPECT_GT(most, 3U);
}

TEST(Members, OptionsAreChecked) { EXPECT_THROW(fit(with_members(-1, 2)), Error); }

TEST(WeightedOlem, EqualWeightsChangeNothing) {
  const Table table = farm(200, 1);
  const std::vector<double> ones(200, 2.0);
  EXPECT_EQ(learn_order_olem_weighted(table, {}, {}, ones, Context()).order,
            learn_order_olem(table, {}, {}, Context()).order);
}

}  // namespace
}  // namespace olem::test::members_test
