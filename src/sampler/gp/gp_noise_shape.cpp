#include "sampler/gp/gp_noise_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/statistics.h"

namespace olem::internal::sampling {

namespace {

constexpr int kPasses = 3;  // a fourth changes little
// The shape that a row is judged by comes from the other parts of the rows, so that a shape which follows chance does
// not seem to say much.
constexpr std::size_t kParts = 5;
constexpr std::size_t kFewestRows = 50;  // with fewer the parts know no shape
// The pulls must save at least this share of the variance.
constexpr double kLeastSaving = 0.2;
constexpr double kLeastPullVariance = 0.02;  // that pulls may have, relative to the noise
// Shapes are not known more finely than this, in standard deviations, nor is the function.
constexpr double kLeastDoubt = 0.1;
// Nor may the function fit the rows worse by this share than by least squares, as it does when the noise's shape is not
// the same everywhere.
constexpr double kMostLoss = 0.01;
// Beyond, the density is evaluated at fixed places: most rows know the function better than kLeastDoubt.
constexpr std::size_t kTabulatedRows = 20000;

double variance_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

// Residuals of rows left out are a little larger than the noise, since the other rows do not know the mean exactly;
// that doubt is the posterior's to add.
std::vector<double> without_doubt(std::vector<double> residuals, double variance) {
  const double mean = mean_of(residuals);
  const double scale = std::min(1.0, std::sqrt(variance / variance_of(residuals)));
  for (double& residual : residuals) residual = mean + (residual - mean) * scale;
  return residuals;
}

// The log-density of a noise plus a normal number, as a mixture of normals around the noise's quantiles.
class SmoothDensity {
 public:
  explicit SmoothDensity(const NoiseDistribution& noise) {
    constexpr int kSteps = 80;
    constexpr double kReach = 4.8;
    for (int s = -kSteps; s <= kSteps; ++s) {
      const double z = kReach * s / kSteps;
      centres_.push_back(noise.draw(z));
      logarithms_.push_back(-0.5 * z * z);
    }
  }

  struct Pull {
    double slope = 0.0;      // of the log-density, downwards
    double curvature = 0.0;  // the derivative of `slope`
  };
  Pull at(double e, double sd) const {
    double largest = -std::numeric_limits<double>::infinity();
    exponents_.resize(centres_.size());
    for (std::size_t k = 0; k < centres_.size(); ++k) {
      const double t = (e - centres_[k]) / sd;
      exponents_[k] = logarithms_[k] - 0.5 * t * t;
      largest = std::max(largest, exponents_[k]);
    }
    double mass = 0.0;
    double first = 0.0;
    double second = 0.0;
    for (std::size_t k = 0; k < centres_.size(); ++k) {
      const double weight = std::exp(exponents_[k] - largest);
      const double distance = e - centres_[k];
      mass += weight;
      first += weight * distance;
      second += weight * distance * distance;
    }
    const double mean = first / mass;
    const double variance = second / mass - mean * mean;
    return {mean / (sd * sd), (1.0 - variance / (sd * sd)) / (sd * sd)};
  }

 private:
  std::vector<double> centres_;
  std::vector<double> logarithms_;         // of their weights
  mutable std::vector<double> exponents_;  // scratch
};

// The same for one standard deviation and many places, between which it is interpolated.
class TabulatedPulls {
 public:
  TabulatedPulls(const SmoothDensity& density, double sd, double low, double high)
      : low_(low), step_((high - low) / static_cast<double>(kPlaces - 1)), entries_(kPlaces) {
    for (std::size_t k = 0; k < kPlaces; ++k) entries_[k] = density.at(low + step_ * static_cast<double>(k), sd);
  }

  SmoothDensity::Pull at(double e) const {
    const double place = std::clamp((e - low_) / step_, 0.0, static_cast<double>(kPlaces - 1));
    const std::size_t k = std::min(static_cast<std::size_t>(place), kPlaces - 2);
    const double share = place - static_cast<double>(k);
    return {entries_[k].slope + share * (entries_[k + 1].slope - entries_[k].slope),
            entries_[k].curvature + share * (entries_[k + 1].curvature - entries_[k].curvature)};
  }

 private:
  static constexpr std::size_t kPlaces = 8192;
  double low_;
  double step_;
  std::vector<SmoothDensity::Pull> entries_;
};

struct Pulls {
  std::vector<double> by_row;  // off the mean without the row
  double variance = 0.0;       // around the function
};

// `residuals` and the variances of the means they are off from, both of rows left out.
Pulls pulls_of(std::span<const double> residuals, std::span<const double> doubt, double noise) {
  const std::size_t n = residuals.size();
  Pulls pulls;
  pulls.by_row.resize(n);
  double squares = 0.0;
  double curvature = 0.0;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<double> others;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % kParts != part) others.push_back(residuals[i]);
    }
    const SmoothDensity density(fit_noise(without_doubt(std::move(others), noise)));
    const double least = kLeastDoubt * kLeastDoubt * noise;
    std::optional<TabulatedPulls> table;
    if (n > kTabulatedRows) {
      const auto [low, high] = std::minmax_element(residuals.begin(), residuals.end());
      table.emplace(density, std::sqrt(least), *low, *high);
    }
    for (std::size_t i = part; i < n; i += kParts) {
      const SmoothDensity::Pull pull = table && doubt[i] <= least
                                           ? table->at(residuals[i])
                                           : density.at(residuals[i], std::sqrt(std::max(doubt[i], least)));
      pulls.by_row[i] = pull.slope;
      squares += pull.slope * pull.slope / static_cast<double>(n);
      curvature += pull.curvature / static_cast<double>(n);
    }
  }
  for (double& pull : pulls.by_row) pull /= curvature;
  // Of slopes s with mean derivative b, s / b answers a small shift of the function in full, and has the variance
  // mean(s^2) / b^2, of which the doubt about the mean is a part. For the true density b = mean(s^2).
  pulls.variance = curvature > 0.0 ? squares / (curvature * curvature) - mean_of(doubt) : noise;
  return pulls;
}

ShapedNoise with_distribution(ShapedNoise found, const GpRegression& regression, std::vector<double> residuals,
                              double noise) {
  found.left_out = residuals;
  found.mean_variance = regression.left_out_variance();
  if (variance_of(residuals) > 0.0) residuals = without_doubt(std::move(residuals), noise);
  found.distribution = fit_noise(residuals);
  found.variance = noise;
  return found;
}

}  // namespace

ShapedNoise fit_by_least_squares(GpRegression& regression, std::span<const double> target, double noise,
                                 const Context& context) {
  ShapedNoise found;
  regression.fit(target, noise, context);
  found.left_out_variance = variance_of(regression.leave_one_out());
  return with_distribution(std::move(found), regression, regression.leave_one_out(), noise);
}

ShapedNoise fit_with_noise_shape(GpRegression& regression, std::span<const double> target, double noise,
                                 const Context& context) {
  ShapedNoise found;
  regression.fit(target, noise, context);
  std::vector<double> residuals = regression.leave_one_out();
  const double plain_noise = noise;
  const double plain_variance = variance_of(residuals);
  found.left_out_variance = plain_variance;
  const bool shape_known = target.size() >= kFewestRows && plain_variance > 0.0;
  for (int pass = 0; pass < kPasses && shape_known; ++pass) {
    Pulls pulls = pulls_of(residuals, regression.left_out_variance(), noise);
    if (!(pulls.variance < (1.0 - kLeastSaving) * noise)) break;
    found.pulls = std::move(pulls.by_row);
    for (std::size_t i = 0; i < target.size(); ++i) found.pulls[i] += target[i] - residuals[i];
    regression.fit(found.pulls, std::max(pulls.variance, kLeastPullVariance * noise), context);
    for (std::size_t i = 0; i < target.size(); ++i) {
      residuals[i] = target[i] - (found.pulls[i] - regression.leave_one_out()[i]);
    }
    found.left_out_variance = variance_of(residuals);
    if (!(found.left_out_variance < (1.0 + kMostLoss) * plain_variance)) {
      noise = plain_noise;
      regression.fit(target, noise, context);
      residuals = regression.leave_one_out();
      found.left_out_variance = plain_variance;
      found.pulls.clear();
      break;
    }
    noise = std::max(found.left_out_variance - mean_of(regression.left_out_variance()), 0.5 * found.left_out_variance);
  }
  return with_distribution(std::move(found), regression, std::move(residuals), noise);
}

}  // namespace olem::internal::sampling
