#include "order/diffan_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nn/gradient_check.h"
#include "order/diffan_derivatives.h"

namespace olem::diffan_network_test {

using namespace internal;
namespace {

using nn::Index;
using Network = DiffanNetwork<double>;
using MatrixD = nn::Matrix<double>;

constexpr DiffanShape kTiny{3, 5, 7};

// The weights, points and noise of tests/golden/diffan_network.py.
std::vector<double> golden_weights() {
  std::vector<double> weights;
  for (int i = 0; i < 200; ++i) weights.push_back(0.5 * std::sin(1.7 * i + 0.3));
  return weights;
}

MatrixD golden_input() {
  MatrixD input(4, 2);
  input << 0.4, -0.9, -1.1, 0.3, 0.7, 1.6, 0.33, 0.33;
  return input;
}

Network::Batch golden_batch() {
  Network::Batch batch(kTiny, 2);
  batch.input = golden_input();
  batch.target << 0.2, -1.0, 0.5, 0.1, -0.3, 0.6;
  return batch;
}

MatrixD diagonal(const Network& network, const std::vector<double>& weights, MatrixD input,
                 const std::vector<std::size_t>& remaining, const std::vector<std::size_t>& removed,
                 DiffanVariant variant) {
  for (const std::size_t r : removed) input.row(static_cast<Index>(r)).setZero();
  MatrixD result(static_cast<Index>(remaining.size()), input.cols());
  DiffanDerivatives<double> derivatives(network, input.cols());
  derivatives.diagonal(weights.data(), input, remaining, removed, variant, result);
  return result;
}

TEST(Diffusion, SignalLeftAtEachStep) {
  const std::vector<double> signal = diffusion_signal();
  ASSERT_EQ(signal.size(), 100U);
  EXPECT_NEAR(signal[0], 0.9999, 5e-8);
  EXPECT_NEAR(signal[33], 0.8900905, 5e-8);
  EXPECT_NEAR(signal[49], 0.7771801, 5e-8);
  EXPECT_NEAR(signal[66], 0.6356087, 5e-8);
  EXPECT_NEAR(signal[99], 0.3635632, 5e-8);
}

TEST(DiffanNetwork, HasThePublishedNumberOfWeights) {
  // 128 (d + 1) + 1024 (128 + 1) + 1024 (1024 + 1) + 128 (1024 + 1) + d (128 + 1) and twice 128 + 1024 of LayerNorm.
  EXPECT_EQ(Network({10, 128, 1024}).weight_count(), 1408 + 132096 + 1049600 + 131200 + 1290 + 2304);
  EXPECT_EQ(Network(kTiny).weight_count(), 200);
}

TEST(DiffanNetwork, LossAndGradientAreThoseOfAutomaticDifferentiation) {
  const Network network(kTiny);
  const std::vector<double> weights = golden_weights();
  Network::Batch batch = golden_batch();
  std::vector<double> gradient(weights.size(), 0.0);
  EXPECT_NEAR(network.loss(weights.data(), batch, {}, gradient.data(), Context()), 0.6647254179830949, 1e-13);
  const std::vector<std::pair<std::size_t, double>> known = {
      {0, -7.943146445958533e-05}, {7, 0.011353165492237957},     {22, -0.5008735138931918},
      {26, -0.1555365084318415},   {30, -0.0004686655186803235},  {70, -0.1745832007651655},
      {75, -0.016244656088353644}, {82, 0.14070091424214112},     {100, -0.000261688814917927},
      {140, 0.048525232704770056}, {145, 1.7667270214300417e-05}, {180, -0.004766047169214716},
      {185, 0.16571859085781104},  {199, -0.38117214064018673}};
  double squares = 0.0;
  for (const double entry : gradient) squares += entry * entry;
  EXPECT_NEAR(std::sqrt(squares), 1.5779290264131536, 1e-12);
  for (const auto& [place, value] : known) EXPECT_NEAR(gradient[place], value, 1e-13) << place;
}

TEST(DiffanNetwork, GradientWithDropoutAgreesWithDifferences) {
  const Network network(kTiny);
  std::vector<double> weights = golden_weights();
  Network::Batch batch(kTiny, 200);  // two pieces
  batch.input = test::random_matrix(4, 200, 1);
  batch.target = test::random_matrix(3, 200, 2);
  const Network::Dropout dropout{0.4, 11, 5};
  std::vector<double> gradient(weights.size(), 0.0);
  network.loss(weights.data(), batch, dropout, gradient.data(), Context());
  std::vector<double> scratch(weights.size());
  // 200 points with 24 kinks each: a step must be short to cross none of them.
  constexpr double kStep = 1e-7;
  double largest = 0.0;
  for (const double entry : gradient) largest = std::max(largest, std::abs(entry));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double before = weights[i];
    weights[i] = before + kStep;
    const double above = network.loss(weights.data(), batch, dropout, scratch.data(), Context());
    weights[i] = before - kStep;
    const double below = network.loss(weights.data(), batch, dropout, scratch.data(), Context());
    weights[i] = before;
    EXPECT_NEAR(gradient[i], (above - below) / (2.0 * kStep), 1e-6 * largest) << i;
  }
}

TEST(DiffanNetwork, ThreadsGiveEqualBitsAndFloatFollowsDouble) {
  const DiffanShape shape{6, 40, 300};
  const DiffanNetwork<float> network(shape);
  const Network reference(shape);
  std::vector<float> weights(static_cast<std::size_t>(network.weight_count()));
  network.initialise(weights.data(), RandomStream(3, "weights"));
  const std::vector<double> precise(weights.begin(), weights.end());
  std::vector<std::vector<float>> gradients;
  std::vector<double> losses;
  DiffanNetwork<float>::Batch batch(shape, 500);
  batch.input = test::random_matrix(7, 500, 1).cast<float>();
  batch.target = test::random_matrix(6, 500, 2).cast<float>();
  for (const int threads : {1, 2, 8}) {
    Context context;
    context.threads = threads;
    gradients.emplace_back(weights.size(), 0.0F);
    losses.push_back(network.loss(weights.data(), batch, {0.2, 1, 2}, gradients.back().data(), context));
    EXPECT_EQ(losses.back(), losses.front());
    EXPECT_EQ(gradients.back(), gradients.front());
  }
  Network::Batch precise_batch(shape, 500);
  precise_batch.input = batch.input.cast<double>();
  precise_batch.target = batch.target.cast<double>();
  std::vector<double> gradient(weights.size(), 0.0);
  const double loss = reference.loss(precise.data(), precise_batch, {0.2, 1, 2}, gradient.data(), Context());
  EXPECT_NEAR(losses.front(), loss, 1e-5 * loss);
  double largest = 0.0;
  double error = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    largest = std::max(largest, std::abs(gradient[i]));
    error = std::max(error, std::abs(gradient[i] - static_cast<double>(gradients.front()[i])));
  }
  EXPECT_LT(error, 1e-5 * largest);
}

TEST(DiffanDerivatives, AreThoseOfAutomaticDifferentiation) {
  const Network network(kTiny);
  const std::vector<double> weights = golden_weights();
  struct Known {
    std::vector<std::size_t> remaining;
    std::vector<std::size_t> removed;
    std::vector<double> first;
    std::vector<double> second;
  };
  const std::vector<Known> all = {
      {{0, 1, 2},
       {},
       {-3.967620329375635e-05, 0.00010843463112023643, 0.0005033175065599763},
       {0.1548742339996665, 0.016043783733608447, -0.10832802041315868}},
      {{0, 2}, {1}, {-20.130448386848354, -23.621887941256865}, {-0.1019463927870113, 0.04199870823254133}},
      {{1}, {2, 0}, {-0.3076676789206341}, {213109.21324986673}}};
  for (const Known& known : all) {
    const MatrixD found =
        diagonal(network, weights, golden_input(), known.remaining, known.removed, DiffanVariant::kResidue);
    for (std::size_t l = 0; l < known.remaining.size(); ++l) {
      const auto row = static_cast<Index>(l);
      EXPECT_NEAR(found(row, 0), known.first[l], 1e-9 * std::abs(known.first[l]));
      EXPECT_NEAR(found(row, 1), known.second[l], 1e-9 * std::abs(known.second[l]));
    }
  }
}

// f_L - sum over r of f_r / J_rr J_rL with J from central differences of the network itself.
std::vector<double> corrected_output(const Network& network, const std::vector<double>& weights, const MatrixD& point,
                                     const std::vector<std::size_t>& remaining,
                                     const std::vector<std::size_t>& removed) {
  constexpr double kStep = 1e-4;
  const Index variables = network.shape().variables;
  Network::Batch batch(network.shape(), 2 * variables + 1);
  batch.input = point.replicate(1, 2 * variables + 1);
  for (Index v = 0; v < variables; ++v) {
    batch.input(v, 2 * v) += kStep;
    batch.input(v, 2 * v + 1) -= kStep;
  }
  network.predict(weights.data(), batch, batch.columns(), Context());
  const auto at = [](std::size_t i) { return static_cast<Index>(i); };
  const auto jacobian = [&](std::size_t output, std::size_t variable) {
    return (batch.output(at(output), 2 * at(variable)) - batch.output(at(output), 2 * at(variable) + 1)) /
           (2.0 * kStep);
  };
  std::vector<double> result;
  for (const std::size_t l : remaining) {
    double value = batch.output(at(l), 2 * variables);
    for (const std::size_t r : removed) {
      value -= batch.output(at(r), 2 * variables) / jacobian(r, r) * jacobian(r, l);
    }
    result.push_back(value);
  }
  return result;
}

TEST(DiffanDerivatives, AgreeWithDifferencesOfTheCorrectedOutput) {
  const DiffanShape shape{4, 9, 12};
  const Network network(shape);
  std::vector<double> weights(static_cast<std::size_t>(network.weight_count()));
  RandomStream random(8, "weights");
  network.initialise(weights.data(), random);
  // LayerNorm starts with equal gains; others tell whether they are in the right place.
  for (double& weight : weights) weight += 0.1 * random.normal();
  const std::vector<std::size_t> remaining = {0, 3};
  const std::vector<std::size_t> removed = {2, 1};
  MatrixD input = test::random_matrix(5, 6, 3);
  input.row(1).setZero();
  input.row(2).setZero();
  const MatrixD residue = diagonal(network, weights, input, remaining, removed, DiffanVariant::kResidue);
  const MatrixD masking = diagonal(network, weights, input, remaining, removed, DiffanVariant::kMasking);
  const MatrixD published = diagonal(network, weights, input, remaining, removed, DiffanVariant::kPublished);
  EXPECT_LT((published + residue - 2.0 * masking).norm(), 1e-9 * residue.norm());
  constexpr double kStep = 1e-3;
  int compared = 0;
  for (Index p = 0; p < input.cols(); ++p) {
    for (Index l = 0; l < 2; ++l) {
      const auto variable = static_cast<Index>(remaining[static_cast<std::size_t>(l)]);
      for (const bool corrected : {false, true}) {
        const auto difference = [&](double step) {
          MatrixD point = input.col(p);
          point(variable, 0) += step;
          const auto used = corrected ? removed : std::vector<std::size_t>();
          return corrected_output(network, weights, point, remaining, used)[static_cast<std::size_t>(l)];
        };
        const auto slope = [&](double step) { return (difference(step) - difference(-step)) / (2.0 * step); };
        const double expected = slope(kStep);
        // A kink within the step shows as a slope that changes with it.
        if (std::abs(expected - slope(2.0 * kStep)) > 1e-4 * std::abs(expected)) continue;
        ++compared;
        EXPECT_NEAR((corrected ? residue : masking)(l, p), expected, 1e-4 * std::abs(expected));
      }
    }
  }
  EXPECT_GE(compared, 12);  // of 24
}

TEST(DiffanDerivatives, ManyPointsAtOnceAreEachAsAlone) {
  const DiffanShape shape{5, 20, 30};
  const DiffanNetwork<float> network(shape);
  std::vector<float> weights(static_cast<std::size_t>(network.weight_count()));
  network.initialise(weights.data(), RandomStream(2, "weights"));
  nn::Matrix<float> input = test::random_matrix(6, 9, 4).cast<float>();
  input.row(3).setZero();
  const std::vector<std::size_t> remaining = {0, 1, 2, 4};
  const std::vector<std::size_t> removed = {3};
  for (const DiffanVariant variant : {DiffanVariant::kResidue, DiffanVariant::kMasking}) {
    DiffanDerivatives<float> derivatives(network, 9);
    Eigen::MatrixXd together(4, 9);
    derivatives.diagonal(weights.data(), input, remaining, removed, variant, together);
    for (Index p = 0; p < 9; ++p) {
      Eigen::MatrixXd alone(4, 1);
      derivatives.diagonal(weights.data(), input.col(p), remaining, removed, variant, alone);
      EXPECT_LT((alone - together.col(p)).norm(), 1e-4 * alone.norm());
    }
  }
}

}  // namespace
}  // namespace olem::diffan_network_test
