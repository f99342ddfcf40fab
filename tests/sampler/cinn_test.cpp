#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "olem/error.h"
#include "olem/sampler_set.h"
#include "olem/sampler_state.h"
#include "sampler/flow/coupling_chain.h"
#include "sampler/flow/network_sampler.h"
#include "sampler/helpers.h"
#include "sampler/kinds.h"

namespace olem::cinn_test {

using namespace internal;
namespace {

using sampling::CouplingShape;
using Chain = sampling::CouplingChain<double>;
using Sampler = std::shared_ptr<const ConditionalSampler>;

// A chain with weights far from where training starts, and a batch of random points.
struct RandomChain {
  explicit RandomChain(std::size_t blocks, CinnClamp clamp = CinnClamp::kDivided)
      : chain({2, 7, clamp, sampling::draw_swaps(blocks, RandomStream(3, "test.swaps"))}), batch(chain.shape(), 6) {
    weights.resize(static_cast<std::size_t>(chain.weight_count()));
    chain.initialise(weights.data(), RandomStream(1, "test.weights"));
    const std::vector<double> noise = test::normals(weights.size(), 1);
    for (std::size_t w = 0; w < weights.size(); ++w) weights[w] += noise[w];
    set_points(test::normals(12, 2));
    const std::vector<double> conditions = test::normals(12, 3);
    batch.input.bottomRows(2) = Eigen::Map<const Eigen::MatrixXd>(conditions.data(), 2, 6);
  }
  void set_points(const std::vector<double>& values) {
    batch.points = Eigen::Map<const Eigen::MatrixXd>(values.data(), 6, 2);
  }

  Chain chain;
  Chain::Batch batch;
  std::vector<double> weights;
};

// One block with a network that always answers (3, -4), g = 2 ln(e^5 - 1) + (0, 1), t = (0.1, -0.2) and a swap, at
// (0.5, -1); by hand from the equations.
TEST(CouplingChain, OneBlockByHand) {
  for (const CinnClamp clamp : {CinnClamp::kDivided, CinnClamp::kPlain}) {
    const Chain chain({0, 3, clamp, {true}});
    std::vector<double> weights(static_cast<std::size_t>(chain.weight_count()), 0.0);
    const auto global = static_cast<std::size_t>(chain.global_place(0));
    weights[global - 2] = 3.0;
    weights[global - 1] = -4.0;
    weights[global] = 9.9864785;
    weights[global + 1] = 10.9864785;
    weights[global + 2] = 0.1;
    weights[global + 3] = -0.2;
    Chain::Batch batch(chain.shape(), 1);
    batch.points << 0.5, -1.0;
    chain.forward(weights.data(), batch);
    const bool divided = clamp == CinnClamp::kDivided;
    EXPECT_NEAR(batch.points(0, 0), divided ? -2.1206098 : -2.60864353, 2e-8);
    EXPECT_NEAR(batch.points(0, 1), 0.6, 2e-8);
    EXPECT_NEAR(batch.log_det(0, 0), divided ? 0.3925974585 : 0.6774526162, 1e-8);
    // 0.5 |z|^2 - ln |det|
    EXPECT_NEAR(2.0 * chain.loss(batch), divided ? 2.0358955061 : 0.5 * (2.60864353 * 2.60864353 + 0.36) - 0.6774526162,
                2e-8);
  }
}

TEST(CouplingChain, StartsWithScalesOfOne) {
  const Chain chain({0, 3, CinnClamp::kDivided, {true, false}});
  std::vector<double> weights(static_cast<std::size_t>(chain.weight_count()));
  chain.initialise(weights.data(), RandomStream(1, "test"));
  EXPECT_NEAR(weights[static_cast<std::size_t>(chain.global_place(1))], 9.9864785, 1e-7);
}

TEST(CouplingChain, InverseUndoesForward) {
  for (const CinnClamp clamp : {CinnClamp::kDivided, CinnClamp::kPlain}) {
    RandomChain random(6, clamp);
    const Eigen::MatrixXd start = random.batch.points;
    random.chain.forward(random.weights.data(), random.batch);
    EXPECT_GT((random.batch.points - start).norm(), 1.0);
    random.chain.inverse(random.weights.data(), random.batch);
    EXPECT_LT((random.batch.points - start).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(CouplingChain, LogDetIsThatOfTheNumericalJacobian) {
  RandomChain random(5);
  const Eigen::MatrixXd start = random.batch.points;
  const auto forward_from = [&](const Eigen::MatrixXd& points) {
    random.batch.points = points;
    random.chain.forward(random.weights.data(), random.batch);
    return Eigen::MatrixXd(random.batch.points);
  };
  constexpr double kStep = 1e-6;
  std::vector<Eigen::MatrixXd> by;
  for (Eigen::Index coordinate = 0; coordinate < 2; ++coordinate) {
    Eigen::MatrixXd step = Eigen::MatrixXd::Zero(6, 2);
    step.col(coordinate).setConstant(kStep);
    by.emplace_back((forward_from(start + step) - forward_from(start - step)) / (2.0 * kStep));
  }
  forward_from(start);
  for (Eigen::Index i = 0; i < 6; ++i) {
    const double determinant = by[0](i, 0) * by[1](i, 1) - by[0](i, 1) * by[1](i, 0);
    EXPECT_NEAR(random.batch.log_det(i, 0), std::log(std::abs(determinant)), 1e-6);
  }
}

TEST(CouplingChain, LogDetOfAChainIsTheSumOfItsParts) {
  RandomChain whole(4);
  const Eigen::MatrixXd start = whole.batch.points;
  whole.chain.forward(whole.weights.data(), whole.batch);
  Eigen::MatrixXd points = start;
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(6, 1);
  const std::size_t per_block = whole.weights.size() / 4;
  for (std::size_t b = 0; b < 4; ++b) {
    const Chain part({2, 7, CinnClamp::kDivided, {whole.chain.shape().swaps[b]}});
    Chain::Batch batch(part.shape(), 6);
    batch.points = points;
    batch.input.bottomRows(2) = whole.batch.input.bottomRows(2);
    part.forward(whole.weights.data() + b * per_block, batch);
    points = batch.points;
    sum += batch.log_det;
  }
  EXPECT_LT((points - whole.batch.points).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((sum - whole.batch.log_det).cwiseAbs().maxCoeff(), 1e-12);
}

double central_difference(double& x, const std::function<double()>& value) {
  constexpr double kStep = 1e-6;
  const double before = x;
  x = before + kStep;
  const double above = value();
  x = before - kStep;
  const double below = value();
  x = before;
  return (above - below) / (2.0 * kStep);
}

TEST(CouplingChain, GradientByWeightsEqualsCentralDifferences) {
  for (const CinnClamp clamp : {CinnClamp::kDivided, CinnClamp::kPlain}) {
    RandomChain random(3, clamp);
    const Eigen::MatrixXd start = random.batch.points;
    const auto value = [&] {
      random.batch.points = start;
      random.chain.forward(random.weights.data(), random.batch);
      return random.chain.loss(random.batch);
    };
    const double loss = value();
    std::vector<double> gradient(random.weights.size(), 0.0);
    EXPECT_EQ(random.chain.loss(random.weights.data(), random.batch, gradient.data()), loss);
    for (std::size_t w = 0; w < gradient.size(); ++w) {
      EXPECT_NEAR(gradient[w], central_difference(random.weights[w], value), 1e-6 * (1.0 + std::abs(gradient[w])))
          << "weight " << w;
    }
  }
}

TEST(CouplingChain, GradientOfDrawsByConditionsEqualsCentralDifferences) {
  RandomChain random(4);
  const Eigen::MatrixXd noise = random.batch.points;
  const std::vector<double> weights = test::normals(12, 8);
  const Eigen::Map<const Eigen::MatrixXd> adjoint(weights.data(), 6, 2);
  const auto value = [&] {
    random.batch.points = noise;
    random.chain.inverse(random.weights.data(), random.batch);
    return (random.batch.points.array() * adjoint.array()).sum();
  };
  value();
  random.batch.d_points = adjoint;
  random.chain.inverse_gradient(random.weights.data(), random.batch);
  const Eigen::MatrixXd gradient = random.batch.d_conditions;
  for (Eigen::Index i = 0; i < 6; ++i) {
    for (Eigen::Index k = 0; k < 2; ++k) {
      EXPECT_NEAR(gradient(k, i), central_difference(random.batch.input(1 + k, i), value),
                  1e-6 * (1.0 + std::abs(gradient(k, i))));
    }
  }
}

TEST(CouplingChain, DensityOfThePlaneIntegratesToOne) {
  const Chain chain({0, 7, CinnClamp::kDivided, {true, true, false, true}});
  std::vector<double> weights(static_cast<std::size_t>(chain.weight_count()));
  chain.initialise(weights.data(), RandomStream(1, "test.weights"));
  const std::vector<double> noise = test::normals(weights.size(), 1);
  for (std::size_t w = 0; w < weights.size(); ++w) weights[w] += 0.5 * noise[w];
  constexpr Eigen::Index kSide = 400;
  constexpr double kReach = 12.0;
  Chain::Batch batch(chain.shape(), kSide);
  double sum = 0.0;
  for (Eigen::Index a = 0; a < kSide; ++a) {
    batch.points.col(0).setConstant(kReach * (2.0 * (static_cast<double>(a) + 0.5) / kSide - 1.0));
    batch.points.col(1).setLinSpaced(kSide, -kReach * (1.0 - 1.0 / kSide), kReach * (1.0 - 1.0 / kSide));
    chain.forward(weights.data(), batch);
    sum += (batch.log_det.array() - 0.5 * batch.points.rowwise().squaredNorm().array()).exp().sum();
  }
  EXPECT_NEAR(sum * std::pow(2.0 * kReach / kSide, 2) / (2.0 * std::numbers::pi), 1.0, 1e-3);
}

const test::Standardised& bent_data() {
  static const test::Standardised data = test::simulate(
      200, 2, [](std::span<const double> c) { return 1.5 * std::sin(c[0]) + 0.5 * c[1]; },
      [](RandomStream& r) { return r.exponential(0.5); }, 2);
  return data;
}

SamplerOptions small() {
  SamplerOptions options;
  options.sampler = "cinn";
  options.network.epochs = 200;
  options.network.batch = 64;
  options.network.learning_rate = 4e-3;
  options.cinn.blocks = 6;
  options.cinn.width = 32;
  return options;
}

const Sampler& fitted() {
  static const Sampler sampler = sampling::fit_cinn(bent_data().data(), small(), Context());
  return sampler;
}

TEST(CinnSampler, LogDensityIntegratesToOneAndBelongsToTheDraws) {
  const std::vector<double> c = {0.3, -0.5};
  const std::vector<Condition> conditions = {{c.data(), true}, {&c[1], true}};
  for (const bool duplicate : {false, true}) {
    SamplerOptions options = small();
    options.cinn.target = duplicate ? CinnTarget::kDuplicate : CinnTarget::kAugment;
    const Sampler sampler = duplicate ? sampling::fit_cinn(bent_data().data(), options, Context()) : fitted();
    constexpr std::size_t kPoints = 801;
    constexpr double kReach = 8.0;
    std::vector<double> y(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) y[i] = kReach * (2.0 * static_cast<double>(i) / (kPoints - 1) - 1.0);
    std::vector<double> density(kPoints);
    sampler->log_density(conditions, y, 1.0, density);
    std::vector<double> cdf(kPoints, 0.0);
    for (std::size_t i = 1; i < kPoints; ++i) {
      cdf[i] = cdf[i - 1] + (std::exp(density[i]) + std::exp(density[i - 1])) * kReach / (kPoints - 1);
    }
    EXPECT_NEAR(cdf.back(), 1.0, 3e-3) << duplicate;
    constexpr std::size_t kDraws = 4000;
    std::vector<double> draws(kDraws);
    sampler->start(test::normals(kDraws * 2, 2), kDraws)->sample(conditions, 1.0, draws);
    const double distance = test::ks_distance(draws, [&](double value) {
      const double at = std::clamp((value / kReach + 1.0) / 2.0 * (kPoints - 1), 0.0, kPoints - 1.001);
      const auto below = static_cast<std::size_t>(at);
      return cdf[below] + (at - std::floor(at)) * (cdf[below + 1] - cdf[below]);
    });
    EXPECT_LT(distance, 1.63 / std::sqrt(static_cast<double>(kDraws))) << duplicate;  // 1 % level
  }
}

TEST(CinnSampler, LearnsTheConditionalMean) {
  const test::Standardised& data = bent_data();
  double model = 0.0;
  for (std::size_t i = 0; i < 50; ++i) {
    const std::vector<double> c = {data.columns[0][i], data.columns[1][i]};
    std::vector<double> y(200);
    fitted()
        ->start(test::normals(400, 1), 200)
        ->sample(std::vector<Condition>{{c.data(), true}, {&c[1], true}}, 1.0, y);
    model += std::pow(data.columns[2][i] - test::mean(y), 2) / 50.0;
  }
  EXPECT_LT(model, 0.4);  // the variance of the target is 1, of its noise 0.16
  EXPECT_LT(fitted()->facts().noise_sd, 0.63);
}

TEST(CinnSampler, StateRoundTripDrawsTheSameBytes) {
  SamplerOptions options = small();
  options.network.epochs = 3;
  options.network.ensemble = 2;
  options.cinn.clamp = CinnClamp::kPlain;
  const Sampler sampler = sampling::fit_cinn(bent_data().data(), options, Context());
  const Sampler restored = restore_sampler(sampler->state());
  ASSERT_EQ(sampler->noise_entries(), 3U);
  const std::vector<double> noise = test::normals(300, 1);
  const std::vector<double> c = test::normals(100, 2);
  const std::vector<Condition> conditions = {{c.data(), false}, {&c[3], true}};
  std::vector<double> a(100);
  std::vector<double> b(100);
  sampler->start(noise, 100)->sample(conditions, 1.0, a);
  restored->start(noise, 100)->sample(conditions, 1.0, b);
  EXPECT_EQ(a, b);

  SamplerState damaged = sampler->state();
  for (auto& array : damaged.arrays) {
    if (array.name == "swaps_1") array.values[1] = 0.5;
  }
  EXPECT_THROW(restore_sampler(damaged), Error);
  damaged = sampler->state();
  damaged.settings["width"] = 33;
  EXPECT_THROW(restore_sampler(damaged), Error);
  damaged = sampler->state();
  damaged.settings["target"] = "triplicate";
  EXPECT_THROW(restore_sampler(damaged), Error);
}

TEST(NetworkSamplers, TheSameBytesOnAnyNumberOfThreads) {
  const test::Standardised& data = bent_data();
  std::vector<double> cells;
  for (const auto& column : data.columns) cells.insert(cells.end(), column.begin(), column.end());
  const Table table({"a", "b", "y"}, cells);
  for (const std::string kind : {"cinn", "spline"}) {
    SamplerOptions options = small();
    options.sampler = kind;
    options.network.epochs = 3;
    options.network.ensemble = 2;
    std::vector<SamplerState> states;
    for (const int threads : {1, 2, 8}) {
      Context context;
      context.threads = threads;
      const SamplerSet set = fit_samplers(table, conditions_from_order({"a", "b", "y"}), options, context);
      states.push_back(set.variables.back().sampler->state());
      EXPECT_TRUE(states.back().arrays == states.front().arrays) << kind << ", " << threads << " threads";
    }
  }
}

// A validation row beyond single precision makes every loss infinite; training gives up with the variable's name.
TEST(NetworkSamplers, LossesThatAreNotFiniteNameTheVariable) {
  test::Standardised data = bent_data();
  std::vector<double> numbers(data.columns[0].size());
  std::iota(numbers.begin(), numbers.end(), 0.0);
  const sampling::NetworkRows rows = sampling::split_rows(data.data(), {numbers}, 0, Context());
  EXPECT_EQ(rows.training, 140U);
  const double validation_row = rows.units.mean[0] + rows.inputs[0].back() / rows.units.factor[0];
  data.columns.back()[static_cast<std::size_t>(std::llround(validation_row))] = 1e60;
  try {
    sampling::fit_cinn(data.data(), small(), Context());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_NE(std::string(error.what()).find("the cinn sampler of 'y'"), std::string::npos) << error.what();
  }
}

// The units are those of the training rows alone.
TEST(NetworkSamplers, TrainingRowsSetTheUnits) {
  const test::Standardised& data = bent_data();
  const sampling::NetworkRows rows = sampling::split_rows(data.data(), data.input_spans(), 0, Context());
  for (const std::vector<double>* column : {&rows.inputs[0], &rows.inputs[1], &rows.target}) {
    EXPECT_EQ(column->size(), 200U);
    const std::vector<double> training(column->begin(), column->begin() + 140);
    EXPECT_NEAR(test::mean(training), 0.0, 1e-12);
    EXPECT_NEAR(test::deviation(training), 1.0, 1e-12);
    EXPECT_GT(std::abs(test::mean(*column)), 1e-4);
  }
}

TEST(NetworkSamplers, FarFromTheDataIsReported) {
  const std::vector<double> near(2, 0.1);
  const std::vector<double> far = {9.0, 0.0};
  std::vector<double> out(1);
  fitted()->extrapolation(std::vector<Condition>{{near.data(), true}, {&near[1], true}}, out);
  EXPECT_LT(out[0], fitted()->extrapolation_limit());
  fitted()->extrapolation(std::vector<Condition>{{far.data(), true}, {&far[1], true}}, out);
  EXPECT_GT(out[0], 3.0 * fitted()->extrapolation_limit());
}

}  // namespace
}  // namespace olem::cinn_test
