#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/graph.h"
#include "olem/metrics.h"
#include "olem/order.h"
#include "olem/random.h"
#include "order/diffan_votes.h"
#include "support/datasets.h"

namespace olem::diffan_test {

using namespace internal;
namespace {

// A network that trains in a moment.
DiffanOptions small() {
  DiffanOptions options;
  options.epochs = 60;
  options.warm_up = 20;
  options.narrow = 16;
  options.wide = 32;
  options.rows = 300;
  return options;
}

OrderResult learn(const Table& table, const DiffanOptions& options, const Precedence& knowledge = {},
                  std::uint64_t seed = 0, int threads = 1) {
  Context context;
  context.seed = seed;
  context.threads = threads;
  return learn_order_diffan(table, options, knowledge, context);
}

std::string bytes(const OrderResult& result) { return to_json(result).dump(); }

// a -> b -> c -> d with bent functions and Gaussian noise; the columns stand in another order.
Table bent_chain(std::size_t rows, std::uint64_t seed) {
  std::vector<double> values(4 * rows);
  RandomStream random(seed, "bent_chain");
  for (std::size_t i = 0; i < rows; ++i) {
    double x = random.normal();
    for (const std::size_t column : {2U, 0U, 3U, 1U}) {
      values[column * rows + i] = x;
      x = 2.0 * std::sin(1.5 * x) + 0.5 * random.normal();
    }
  }
  return {{"b", "d", "a", "c"}, std::move(values)};
}

bool has_warning(const OrderResult& result, const std::string& code) {
  return std::any_of(result.summary.warnings.begin(), result.summary.warnings.end(),
                     [&](const Warning& warning) { return warning.code == code; });
}

TEST(Diffan, OrdersABentChain) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}};
  const Dag truth({"a", "b", "c", "d"}, edges);
  DiffanOptions options = small();
  options.epochs = 300;
  options.narrow = 64;
  options.wide = 128;
  for (const DiffanVariant variant : {DiffanVariant::kResidue, DiffanVariant::kMasking}) {
    options.variant = variant;
    std::size_t divergence = 0;
    for (const std::uint64_t seed : {1U, 2U}) {
      divergence += order_divergence(truth, learn(bent_chain(500, seed), options, {}, seed).order);
    }
    EXPECT_LE(divergence, 1U) << "of 6 edges";
  }
}

TEST(Diffan, DependsOnTheSeedButNotOnThreads) {
  const Table table = test::ka5();
  for (const DiffanVariant variant : {DiffanVariant::kResidue, DiffanVariant::kMasking}) {
    DiffanOptions options = small();
    options.variant = variant;
    const std::string once = bytes(learn(table, options));
    EXPECT_EQ(bytes(learn(table, options, {}, 0, 2)), once);
    EXPECT_EQ(bytes(learn(table, options, {}, 0, 8)), once);
    EXPECT_NE(bytes(learn(table, options, {}, 1)), once);
  }
}

TEST(Diffan, EveryStepCountsItsVotes) {
  const OrderResult result = learn(test::ka5(), small());
  EXPECT_EQ(result.criterion, "votes");
  ASSERT_EQ(result.steps.size(), 4U);
  for (const OrderStep& step : result.steps) {
    double votes = 0.0;
    double most = 0.0;
    for (const auto& [name, value] : step.values) {
      EXPECT_EQ(value, std::floor(value));
      votes += value;
      most = std::max(most, value);
      if (name == step.sink) {
        EXPECT_GE(value, 1.0);
      }
    }
    EXPECT_EQ(votes, 4.0);
    for (const auto& [name, value] : step.values) {
      if (name == step.sink) {
        EXPECT_EQ(value, most);
      }
      if (name == step.runner_up) {
        EXPECT_EQ(*step.gap, most - value);
      }
    }
    EXPECT_EQ(step.decided, *step.gap > 0.0);
    ASSERT_EQ(step.facts.size(), 3U);
    EXPECT_LE(step.facts[0].second, step.facts[1].second);  // the variances of the first and second choice
  }
}

TEST(Diffan, VotesGoToTheSmallestVarianceAmongCandidates) {
  const std::vector<double> variances = {0.5, 3.0, 2.0, 4.0, std::nan("")};
  const auto vote = cast_vote(variances, std::vector<std::size_t>{1, 2, 3, 4}, 33);
  ASSERT_TRUE(vote.has_value());
  EXPECT_EQ(vote->choice, 2U);
  EXPECT_EQ(vote->time_step, 33U);
  EXPECT_EQ(vote->variance, 2.0);
  EXPECT_EQ(vote->next_variance, 3.0);
  EXPECT_FALSE(cast_vote(variances, std::vector<std::size_t>{4}, 0).has_value());
}

TEST(Diffan, TiedVotesGoToTheFirst) {
  const auto winner = [](const std::vector<std::size_t>& choices) {
    std::vector<DiffanVote> votes;
    for (const std::size_t choice : choices) votes.push_back({choice, 0, 1.0, 1.0});
    const std::vector<double> values = count_votes(votes, 5);
    double total = 0.0;
    for (const double value : values) total += std::floor(value);
    EXPECT_EQ(total, static_cast<double>(choices.size()));
    return std::max_element(values.begin(), values.end()) - values.begin();
  };
  EXPECT_EQ(winner({3, 1, 1, 3}), 3);
  EXPECT_EQ(winner({1, 3, 3, 1}), 1);
  EXPECT_EQ(winner({4, 2, 1, 0}), 4);
  EXPECT_EQ(winner({4, 2, 1, 1}), 1);
  EXPECT_TRUE(std::isnan(count_votes({}, 2)[0]));
}

TEST(Diffan, KnowledgeRestrictsWhoCanBeVotedFor) {
  const Table table = test::ka5();
  Knowledge knowledge;
  knowledge.tiers = {{"x4", "x3"}, {"x0", "x1"}};
  const OrderResult result = learn(table, small(), Precedence(knowledge, table.names()));
  const auto place = [&](const std::string& name) {
    return std::find(result.order.begin(), result.order.end(), name) - result.order.begin();
  };
  for (const std::string early : {"x3", "x4"}) {
    for (const std::string late : {"x0", "x1"}) EXPECT_LT(place(early), place(late));
  }
  const OrderStep& first = result.steps.front();
  double votes = 0.0;
  for (const auto& [name, value] : first.values) {
    votes += value;
    if (name == "x3" || name == "x4") {
      EXPECT_EQ(value, 0.0);
    }
  }
  EXPECT_EQ(votes, 4.0);
}

TEST(Diffan, WhereKnowledgeLeavesNoChoiceNobodyVotes) {
  const Table table = test::ka5();
  Knowledge knowledge;
  knowledge.before = {{"x4", "x3"}, {"x3", "x2"}, {"x2", "x1"}, {"x1", "x0"}};
  const OrderResult result = learn(table, small(), Precedence(knowledge, table.names()));
  EXPECT_EQ(result.order, (Order{"x4", "x3", "x2", "x1", "x0"}));
  for (const OrderStep& step : result.steps) {
    EXPECT_TRUE(step.forced);
    EXPECT_TRUE(step.facts.empty());
  }
}

TEST(Diffan, SaysHowTrainingWent) {
  DiffanOptions options = small();
  const OrderResult short_run = learn(test::ka5(), options);
  EXPECT_TRUE(has_warning(short_run, "not_converged"));
  const Json json = to_json(short_run);
  EXPECT_EQ(json["epochs"], 60.0);
  EXPECT_LE(json["best_epoch"], 60.0);
  EXPECT_LT(json["validation_loss"], 1.1);
  options.warm_up = 60;
  EXPECT_TRUE(has_warning(learn(test::ka5(), options), "not_validated"));
  options.warm_up = 0;
  options.epochs = 2000;
  options.patience = 20;
  options.learning_rate = 0.01;
  const OrderResult patient = learn(test::ka5(), options);
  EXPECT_TRUE(patient.summary.warnings.empty());
  EXPECT_EQ(to_json(patient)["epochs"].get<double>(), to_json(patient)["best_epoch"].get<double>() + 20.0);
}

TEST(Diffan, IsFoundByNameAndRefusesTooLittleData) {
  OrderOptions options;
  options.method = "diffan";
  options.diffan = small();
  EXPECT_EQ(learn_order(test::normal_table(60, 3, 1), options, {}, Context()).method, "diffan");
  try {
    learn_order(test::normal_table(49, 3, 1), options, {}, Context());
    FAIL() << "49 rows were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_NE(std::string(error.what()).find("at least 50 rows"), std::string::npos) << error.what();
  }
  std::vector<double> values(100, 1.0);
  for (std::size_t i = 50; i < 100; ++i) values[i] = static_cast<double>(i);
  EXPECT_THROW(learn(Table({"constant", "b"}, values), small()), Error);
}

TEST(Diffan, TimeLimitAndInterruptionStopTheTraining) {
  const Table table = test::linear_table(2000, 10, 1);
  Context late;
  late.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  try {
    learn_order_diffan(table, {}, {}, late);
    FAIL() << "the deadline was ignored";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
  }
  std::atomic<bool> stop{true};
  Context interrupted;
  interrupted.interrupt = &stop;
  EXPECT_THROW(learn_order_diffan(table, {}, {}, interrupted), Error);
}

TEST(Diffan, MemoryIsPredictedBeforeItIsUsed) {
  Context context;
  context.memory_limit = 1000000;
  EXPECT_THROW(learn_order_diffan(test::ka5(), {}, {}, context), Error);
}

TEST(Diffan, ProgressRisesInBothPhases) {
  std::vector<double> training;
  std::vector<double> order;
  Context context;
  context.progress = [&](double fraction, std::string_view phase) {
    EXPECT_TRUE(phase == "order" || phase.starts_with("training, ")) << phase;
    (phase == "order" ? order : training).push_back(fraction);
  };
  learn_order_diffan(test::ka5(), small(), {}, context);
  EXPECT_EQ(training.size(), 60U);
  EXPECT_TRUE(std::is_sorted(training.begin(), training.end()));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_NEAR(order.back(), 1.0, 1e-12);
}

}  // namespace
}  // namespace olem::diffan_test
