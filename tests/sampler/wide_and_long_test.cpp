// Regressions on many inputs, which are screened before hyper-parameters are sought, and on many rows, of which some
// choose the form and all make the fit.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "olem/random.h"
#include "olem/sampler_set.h"
#include "olem/sampler_state.h"
#include "sampler/gp/gp_screen.h"
#include "sampler/gp/gp_training.h"
#include "sampler/helpers.h"
#include "sampler/kinds.h"
#include "sampler/long_fit.h"

namespace olem::internal::sampling::wide_and_long_test {
namespace {

constexpr std::size_t kWide = 45;

using Function = double (*)(std::span<const double>);

double normal_noise(RandomStream& random) { return 0.5 * random.normal(); }

test::Standardised wide(Function function, std::uint64_t seed = 5, std::size_t rows = 600) {
  return test::simulate(rows, kWide, function, normal_noise, seed);
}

GpScreen screen(const test::Standardised& data) {
  return screen_inputs(data.input_spans(), data.columns.back(), {}, false, Context());
}

bool holds(const std::vector<std::size_t>& list, std::size_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

TEST(Screen, KeepsWhatALinearTargetDependsOnAndSeeksNothingNonlinear) {
  int nonlinear = 0;
  std::size_t kept = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const GpScreen found =
        screen(wide([](std::span<const double> c) { return c[3] - 0.4 * c[20] + 0.3 * c[44]; }, seed));
    for (const std::size_t k : {3U, 20U, 44U}) EXPECT_TRUE(holds(found.inputs, k)) << seed;
    nonlinear += found.nonlinear.empty() ? 0 : 1;
    kept += found.inputs.size();
  }
  // Three families of tests at 1 % each: more than 3 of 20 have the probability .003. Of 42 inputs without effect each
  // is kept with the probability .16, so that 194 are expected with the three; 260 is beyond six standard deviations.
  EXPECT_LE(nonlinear, 3);
  EXPECT_LT(kept, 260U);
}

TEST(Screen, FindsEvenFunctionsProductsAndWhatLevelsOff) {
  const auto nonlinear_inputs = [](Function function) {
    const GpScreen found = screen(wide(function));
    std::vector<std::size_t> inputs;
    for (const std::size_t place : found.nonlinear) inputs.push_back(found.inputs[place]);
    return inputs;
  };
  EXPECT_TRUE(holds(nonlinear_inputs([](std::span<const double> c) { return std::abs(c[7]) + c[1]; }), 7));
  const auto product = nonlinear_inputs([](std::span<const double> c) { return c[2] + c[9] + 0.5 * c[2] * c[9]; });
  EXPECT_TRUE(holds(product, 2) && holds(product, 9));
  const auto levels_off =
      nonlinear_inputs([](std::span<const double> c) { return 2.0 * std::tanh(c[0] + c[11] - c[30]); });
  EXPECT_TRUE(holds(levels_off, 0) && holds(levels_off, 11) && holds(levels_off, 30));
}

TEST(Screen, WeightsCountRows) {
  // Rows of little weight that say something else.
  test::Standardised data = wide([](std::span<const double> c) { return c[3] + std::abs(c[8]); });
  std::vector<double> target = data.columns.back();
  std::vector<double> weights(target.size(), 1.0);
  for (std::size_t i = 0; i < target.size(); i += 3) {
    weights[i] = 1e-3;
    target[i] = 1e-3 * data.columns[20][i];
  }
  const GpScreen found = screen_inputs(data.input_spans(), target, weights, false, Context());
  EXPECT_TRUE(holds(found.inputs, 3));
  EXPECT_TRUE(holds(found.inputs, 8));
  EXPECT_FALSE(holds(found.inputs, 20));
  EXPECT_FALSE(found.nonlinear.empty());
}

TEST(WideGp, FitsWhatAFitToTheInputsThatMatterFits) {
  const auto function = [](std::span<const double> c) { return 2.0 * std::tanh(1.5 * c[1]) + std::abs(c[4]) + c[2]; };
  const test::Standardised data = wide(function);
  const Inputs all = data.input_spans();
  const TrainedGp of_all = train_gp(all, data.columns.back(), {}, 0, Context());
  const TrainedGp of_three = train_gp({all[1], all[2], all[4]}, data.columns.back(), {}, 0, Context());
  for (const std::size_t k : {1U, 2U, 4U}) EXPECT_TRUE(holds(of_all.inputs, k));
  EXPECT_GT(of_all.model.points.points, 0U);
  // Rows left out are forecast as well but for 2 %: what a few inputs without effect may cost.
  EXPECT_LT(of_all.noise.left_out_variance, 1.02 * of_three.noise.left_out_variance);
}

class Long : public ::testing::Test {
 protected:
  static std::shared_ptr<const ConditionalSampler> fit(const test::Standardised& data, const std::string& kind) {
    return fit_kind(sampler_kind(kind), data.data(), SamplerOptions(), Context());
  }
  static double root_mean_square_error(const ConditionalSampler& sampler, const test::Standardised& data,
                                       Function function) {
    double sum = 0.0;
    RandomStream random(3, "test.long");
    constexpr int kPlaces = 200;
    for (int place = 0; place < kPlaces; ++place) {
      std::vector<double> plain(data.inputs());
      std::vector<double> values(data.inputs());
      std::vector<Condition> conditions;
      for (std::size_t k = 0; k < plain.size(); ++k) {
        plain[k] = random.uniform(-1.5, 1.5);
        values[k] = (plain[k] - data.means[k]) / data.deviations[k];
        conditions.push_back({&values[k], true});
      }
      // The mean over quantiles of the noise; noise of the posterior at 0.
      constexpr std::size_t kDraws = 401;
      std::vector<double> noise(sampler.noise_entries() * kDraws, 0.0);
      for (std::size_t i = 0; i < kDraws; ++i)
        noise[i] = normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(kDraws));
      std::vector<double> draws(kDraws);
      sampler.start(noise, kDraws)->sample(conditions, 1.0, draws);
      const double truth = (function(plain) - data.means.back()) / data.deviations.back();
      sum += std::pow(test::mean(draws) - truth, 2);
    }
    return std::sqrt(sum / kPlaces);
  }
};

double straight(std::span<const double> c) { return c[0] - 0.5 * c[2]; }
double curved(std::span<const double> c) { return 2.0 * std::tanh(1.5 * c[0]) + 0.5 * c[2]; }

double two_inputs(std::span<const double> c) { return c[0] + c[1]; }

TEST_F(Long, ALinearModelHasTheSlopesOfAllRows) {
  const test::Standardised data = test::simulate(40000, 4, &straight, normal_noise, 9);
  const auto rows = static_cast<Eigen::Index>(data.columns.back().size());
  Eigen::MatrixXd inputs(rows, 4);
  for (std::size_t k = 0; k < 4; ++k)
    inputs.col(static_cast<Eigen::Index>(k)) = Eigen::Map<const Eigen::VectorXd>(data.columns[k].data(), rows);
  const Eigen::VectorXd target = Eigen::Map<const Eigen::VectorXd>(data.columns.back().data(), rows);
  const Eigen::VectorXd slopes = (inputs.transpose() * inputs).ldlt().solve(inputs.transpose() * target);
  for (const char* const kind : {"gp", "location-scale", "auto"}) {
    const SamplerFacts facts = fit(data, kind)->facts();
    // Those of 5000 rows have a standard error of .006; what is left here is shrinkage.
    for (const std::size_t k : {std::size_t{0}, std::size_t{2}})
      EXPECT_NEAR(facts.inputs[k].slope, slopes[static_cast<Eigen::Index>(k)], 5e-4) << kind;
  }
}

TEST_F(Long, RowsBeyondTheChoiceMakeANonlinearFitBetter) {
  const test::Standardised few = test::simulate(1000, 4, &curved, normal_noise, 9);
  const test::Standardised many = test::simulate(40000, 4, &curved, normal_noise, 9);
  const double by_few = root_mean_square_error(*fit(few, "auto"), few, &curved);
  const double by_many = root_mean_square_error(*fit(many, "auto"), many, &curved);
  // The square root of 40 is 6.3; the 5000 rows of the choice alone would give 2.2.
  EXPECT_LT(by_many, by_few / 2.5);
  EXPECT_LT(by_many, 0.02);
}

TEST_F(Long, AsManyRowsAsChooseAreFittedAsEver) {
  const test::Standardised data = test::simulate(kChoiceRows, 2, &two_inputs, normal_noise, 2);
  EXPECT_FALSE(is_long(sampler_kind("gp"), data.data()));
}

TEST_F(Long, NoiseThatDependsOnTheInputsKeepsItsForm) {
  const test::Standardised data = [] {
    RandomStream random(4, "test.scale");
    std::vector<std::vector<double>> columns(3, std::vector<double>(20000));
    for (std::size_t i = 0; i < 20000; ++i) {
      for (std::size_t k = 0; k < 2; ++k) columns[k][i] = random.normal();
      columns[2][i] = columns[0][i] + 0.4 * std::exp(0.5 * columns[1][i]) * random.normal();
    }
    return test::standardise(std::move(columns));
  }();
  const auto sampler = fit(data, "location-scale");
  EXPECT_NE(sampler->facts().form.find("noise linear"), std::string::npos) << sampler->facts().form;
  // Draws at two places: the standard deviation grows by e^1 from -1 to 1.
  const std::vector<double> noise = test::normals(3 * 20000, 1);
  const auto deviation_at = [&](double x) {
    const double zero = 0.0;
    const std::vector<Condition> conditions = {{&zero, true}, {&x, true}};
    std::vector<double> draws(20000);
    sampler->start(noise, draws.size())->sample(conditions, 1.0, draws);
    return test::deviation(draws);
  };
  EXPECT_NEAR(std::log(deviation_at(1.0) / deviation_at(-1.0)), 1.0, 0.1);
}

TEST_F(Long, LevelsThatTheSampleLacksAreModelledToo) {
  // Two of 30000 rows have the third level: random rows lack both with the probability .7.
  RandomStream random(6, "test.levels");
  std::vector<std::vector<double>> columns(2, std::vector<double>(30000));
  for (std::size_t i = 0; i < 30000; ++i) {
    columns[0][i] = random.normal();
    columns[1][i] = columns[0][i] + random.normal() > 0.0 ? 1.0 : 0.0;
  }
  columns[1][17] = columns[1][20017] = 2.0;
  const test::Standardised data = test::standardise(std::move(columns));
  SamplerData of_levels = data.data();
  of_levels.target_column = {Column{}, data.means.back(), data.deviations.back()};
  of_levels.target_column.about.type = ColumnType::kOrdinal;
  const auto sampler = fit_kind(sampler_kind("ordinal"), of_levels, SamplerOptions(), Context());
  const double zero = 0.0;
  const double top = (2.0 - data.means.back()) / data.deviations.back();
  double density = 0.0;
  const std::vector<Condition> conditions = {{&zero, true}};
  sampler->log_density(conditions, {&top, 1}, 1.0, {&density, 1});
  EXPECT_GT(density, std::log(1e-6));
}

}  // namespace
}  // namespace olem::internal::sampling::wide_and_long_test
