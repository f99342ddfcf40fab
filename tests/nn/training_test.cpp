#include "nn/training.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <vector>

#include "nn/adam.h"
#include "olem/error.h"
#include "olem/random.h"

namespace olem::training_test {

using namespace internal;
namespace {

using nn::PartialBatch;
using nn::StopReason;
using nn::TrainingOptions;
using nn::TrainingProblem;
using nn::TrainingResult;

// Three steps from (1, -2) with gradients (0.5, 4), (-1, 4), (0, -3), as torch.optim.Adam (PyTorch 1.13) takes them
// with lr = 0.1.
TEST(Adam, StepsLikePyTorch) {
  std::vector<double> weights = {1.0, -2.0};
  nn::Adam<double> adam(2);
  const std::vector<std::vector<double>> gradients = {{0.5, 4.0}, {-1.0, 4.0}, {0.0, -3.0}};
  for (const auto& gradient : gradients) adam.step(weights, gradient, 0.1, Context());
  EXPECT_NEAR(weights[0], 0.9649102625501887, 1e-12);
  EXPECT_NEAR(weights[1], -2.238332551468744, 1e-12);
  // Forgetting makes the next step the first: of length 0.1, whatever the gradient.
  adam.reset();
  const double before = weights[0];
  adam.step(weights, std::vector<double>{8.0, 0.0}, 0.1, Context());
  EXPECT_NEAR(weights[0], before - 0.1, 1e-8);
}

TEST(Adam, ManyWeightsGiveTheSameBitsOnAnyNumberOfThreads) {
  RandomStream random(1, "gradient");
  std::vector<float> gradient(200000);
  for (float& entry : gradient) entry = static_cast<float>(random.normal());
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 3}) {
    Context context;
    context.threads = threads;
    std::vector<float> weights(gradient.size(), 1.0F);
    nn::Adam<float> adam(weights.size());
    for (int step = 0; step < 3; ++step) adam.step(weights, gradient, 1e-3, context);
    results.push_back(weights);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(ClipNorm, ShortensLongGradientsOnly) {
  std::vector<double> gradient = {3.0, 0.0, 4.0};
  EXPECT_EQ(nn::clip_norm<double>(gradient, 5.5), 5.0);
  EXPECT_EQ(gradient, (std::vector<double>{3.0, 0.0, 4.0}));
  EXPECT_EQ(nn::clip_norm<double>(gradient, 2.5), 5.0);
  EXPECT_EQ(gradient, (std::vector<double>{1.5, 0.0, 2.0}));
}

// One weight, loss (w - target)^2 for each row; the validation loss is whatever a test says.
struct Toy {
  std::vector<double> weights = {0.0};
  std::vector<std::vector<std::size_t>> batches;
  TrainingOptions options;
  TrainingProblem<double> problem;
  int validations = 0;

  Toy() {
    options.rows = 10;
    options.batch = 4;
    options.epochs = 50;
    options.learning_rate = 0.05;
    problem.loss = [this](std::span<const std::size_t> rows, std::uint64_t, std::span<double> gradient) {
      batches.emplace_back(rows.begin(), rows.end());
      gradient[0] += 2.0 * (weights[0] - 3.0);
      return (weights[0] - 3.0) * (weights[0] - 3.0);
    };
    problem.validation_loss = [this] {
      ++validations;
      return (weights[0] - 3.0) * (weights[0] - 3.0);
    };
  }
  TrainingResult run(const Context& context = Context()) {
    return nn::train<double>(weights, problem, options, context);
  }
};

TEST(Training, EveryRowIsUsedOncePerEpochInADifferentOrder) {
  Toy toy;
  toy.options.epochs = 2;
  toy.run();
  ASSERT_EQ(toy.batches.size(), 6U);  // 4, 4 and 2 rows, twice
  std::vector<std::vector<std::size_t>> epochs(2);
  for (std::size_t b = 0; b < 6; ++b) {
    EXPECT_EQ(toy.batches[b].size(), b % 3 == 2 ? 2U : 4U);
    epochs[b / 3].insert(epochs[b / 3].end(), toy.batches[b].begin(), toy.batches[b].end());
  }
  for (const auto& epoch : epochs) EXPECT_EQ(std::set<std::size_t>(epoch.begin(), epoch.end()).size(), 10U);
  EXPECT_NE(epochs[0], epochs[1]);
}

TEST(Training, PartialBatchesCanBeDropped) {
  Toy toy;
  toy.options.epochs = 20;
  toy.options.partial = PartialBatch::kDrop;
  toy.run();
  EXPECT_EQ(toy.batches.size(), 40U);
  std::set<std::size_t> seen;
  for (const auto& batch : toy.batches) {
    EXPECT_EQ(batch.size(), 4U);
    seen.insert(batch.begin(), batch.end());
  }
  EXPECT_EQ(seen.size(), 10U);  // shuffling gives every row its turn
}

TEST(Training, ValidationWaitsForTheWarmUpAndItsPeriod) {
  Toy toy;
  toy.options.epochs = 50;
  toy.options.warm_up = 20;
  toy.options.validation_period = 10;
  toy.options.patience = 100;
  const TrainingResult result = toy.run();
  EXPECT_EQ(toy.validations, 3);  // after epochs 30, 40 and 50
  EXPECT_EQ(result.epochs, 50);
  EXPECT_EQ(result.stop, StopReason::kEpochs);
}

TEST(Training, StopsWhenPatienceEndsAndRestoresTheBestWeights) {
  Toy toy;
  toy.options.patience = 5;
  // Best when the weight passes 0.5, on its way to 3.
  toy.problem.validation_loss = [&] { return std::abs(toy.weights[0] - 0.5); };
  const TrainingResult result = toy.run();
  EXPECT_EQ(result.stop, StopReason::kPatience);
  EXPECT_EQ(result.epochs, result.best_epoch + 5);
  EXPECT_NEAR(toy.weights[0], 0.5, 0.08);  // an epoch moves it by 3 x 0.05
  EXPECT_DOUBLE_EQ(*result.best_loss, std::abs(toy.weights[0] - 0.5));
}

TEST(Training, WithoutValidationTheLastWeightsStay) {
  Toy toy;
  toy.options.epochs = 30;
  toy.options.warm_up = 30;
  const TrainingResult result = toy.run();
  EXPECT_FALSE(result.best_loss.has_value());
  EXPECT_EQ(result.best_epoch, 30);
  EXPECT_EQ(toy.validations, 0);
  EXPECT_GT(toy.weights[0], 2.0);
}

TEST(Training, ALossThatIsNotFiniteHalvesTheLearningRate) {
  Toy toy;
  toy.options.rows = 4;
  toy.options.epochs = 10;
  int calls = 0;
  std::vector<double> seen;
  toy.problem.loss = [&](std::span<const std::size_t>, std::uint64_t, std::span<double> gradient) {
    seen.push_back(toy.weights[0]);
    gradient[0] += -1.0;
    return ++calls == 4 ? std::nan("") : 1.0 - toy.weights[0];
  };
  toy.problem.validation_loss = [&] { return 1.0 - toy.weights[0]; };
  const TrainingResult result = toy.run();
  EXPECT_EQ(result.restarts, 1);
  EXPECT_NEAR(seen[3], 0.15, 1e-6);             // three steps of 0.05
  EXPECT_NEAR(seen[4], 0.15, 1e-6);             // those were the best weights
  EXPECT_NEAR(seen[5] - seen[4], 0.025, 1e-6);  // half as fast from there
}

TEST(Training, ANetworkThatKeepsDivergingIsAnErrorWithItsName) {
  Toy toy;
  toy.options.what = "the sampler of 'dose'";
  toy.problem.loss = [](std::span<const std::size_t>, std::uint64_t, std::span<double>) {
    return std::numeric_limits<double>::infinity();
  };
  try {
    toy.run();
    FAIL() << "an infinite loss was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_NE(std::string(error.what()).find("'dose'"), std::string::npos) << error.what();
  }
}

TEST(Training, ProgressTellsTheLossAndInterruptionIsObeyed) {
  Toy toy;
  std::string phase;
  std::atomic<bool> stop{false};
  Context context;
  context.interrupt = &stop;
  context.progress = [&](double fraction, std::string_view text) {
    phase = text;
    if (fraction >= 0.2) stop = true;
  };
  EXPECT_THROW(toy.run(context), Error);
  EXPECT_EQ(phase.rfind("training, ", 0), 0U) << phase;
  EXPECT_NE(phase.find("loss"), std::string::npos) << phase;
  EXPECT_EQ(toy.batches.size(), 30U);  // ten of fifty epochs
}

}  // namespace
}  // namespace olem::training_test
