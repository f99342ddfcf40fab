#include "sampler/imputation_models.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "data/greatest_share.h"

namespace olem::internal::sampling {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Of a slope on standardised inputs, in units of the noise: as much as one row says. Keeps collinear inputs finite.
constexpr double kLinearPrecision = 1.0;
// Of log-odds: slopes of 2.5 per standard deviation are large ones (Gelman et al. 2008).
constexpr double kLogitPrecision = 1.0 / (2.5 * 2.5);
constexpr double kInterceptPrecision = 1e-2;
constexpr std::size_t kDonors = 5;  // of a count
constexpr double kFarthest = 1.0;   // beyond the known values, in widths of their range
constexpr int kNewtonSteps = 30;
constexpr std::size_t kFewestForNumbers = 5;  // known values; below them known values are drawn

// Rows of the inputs with a first column of ones.
Matrix design(const ImputationRows& rows, const std::vector<std::size_t>& which) {
  Matrix x(static_cast<Eigen::Index>(which.size()), static_cast<Eigen::Index>(rows.inputs.size() + 1));
  x.col(0).setOnes();
  for (std::size_t k = 0; k < rows.inputs.size(); ++k) {
    for (std::size_t i = 0; i < which.size(); ++i)
      x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k + 1)) = rows.inputs[k][which[i]];
  }
  return x;
}

Vector normals(Eigen::Index count, RandomStream& random) {
  Vector z(count);
  for (Eigen::Index k = 0; k < count; ++k) z(k) = random.normal();
  return z;
}

// Sum of squares of `degrees` standard normal numbers. The exact quantile is not needed: beyond 30 degrees the cube
// root is normal to three digits (Wilson and Hilferty 1931).
double chi_square(std::size_t degrees, RandomStream& random) {
  if (degrees > 30) {
    const auto k = static_cast<double>(degrees);
    const double root = 1.0 - 2.0 / (9.0 * k) + std::sqrt(2.0 / (9.0 * k)) * random.normal();
    return k * root * root * root;
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < degrees; ++i) {
    const double z = random.normal();
    sum += z * z;
  }
  return sum;
}

// A linear model with normal noise, flat on intercept and log of the noise: posterior mean and one posterior draw.
struct LinearDraw {
  Vector mean;
  Vector drawn;
  double noise = 0.0;             // drawn standard deviation
  std::vector<double> residuals;  // of the known rows, scaled to mean 0 and deviation 1; empty when there is no noise
};

LinearDraw draw_linear(const Matrix& x, const Vector& y, RandomStream& random) {
  Matrix precision = Matrix::Zero(x.cols(), x.cols());
  precision.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
  for (Eigen::Index k = 0; k < x.cols(); ++k) precision(k, k) += k == 0 ? 1e-9 : kLinearPrecision;
  const Eigen::LLT<Matrix, Eigen::Lower> factor(precision);
  LinearDraw draw;
  draw.mean = factor.solve(x.transpose() * y);
  const Vector residual = y - x * draw.mean;
  // What the slopes have used up, not counting those that the ridge holds at 0.
  const Matrix inverse = factor.solve(Matrix::Identity(x.cols(), x.cols()));
  const double effective =
      static_cast<double>(x.cols()) - kLinearPrecision * inverse.diagonal().tail(x.cols() - 1).sum();
  const double rows = static_cast<double>(x.rows());
  const double degrees = std::max(1.0, rows - effective);
  const double squares = residual.squaredNorm();
  draw.noise =
      std::sqrt(squares / std::max(1e-12, chi_square(static_cast<std::size_t>(std::llround(degrees)), random)));
  draw.drawn = draw.mean + draw.noise * factor.matrixU().solve(normals(x.cols(), random));
  const double centre = residual.mean();
  const double spread = std::sqrt((residual.array() - centre).square().mean());
  if (spread > 0.0) {
    for (Eigen::Index i = 0; i < residual.size(); ++i) draw.residuals.push_back((residual(i) - centre) / spread);
  }
  return draw;
}

std::vector<double> resampled(const std::vector<double>& known, std::size_t count, RandomStream& random) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < count; ++i) drawn.push_back(known[random.below(known.size())]);
  return drawn;
}

// Numbers on the scale on which they are linear.
std::vector<double> draw_numbers(const ImputationRows& rows, const std::vector<double>& target, RandomStream& random) {
  const auto [low, high] = std::minmax_element(target.begin(), target.end());
  if (*low == *high) return std::vector<double>(rows.gaps.size(), *low);
  if (target.size() < kFewestForNumbers) return resampled(target, rows.gaps.size(), random);
  const double centre = std::accumulate(target.begin(), target.end(), 0.0) / static_cast<double>(target.size());
  const double unit = *high - *low;
  Vector y(static_cast<Eigen::Index>(target.size()));
  for (std::size_t i = 0; i < target.size(); ++i) y(static_cast<Eigen::Index>(i)) = (target[i] - centre) / unit;
  const LinearDraw model = draw_linear(design(rows, rows.known), y, random);
  const Vector means = design(rows, rows.gaps) * model.drawn;
  std::vector<double> drawn;
  for (Eigen::Index i = 0; i < means.size(); ++i) {
    const double e = model.residuals.empty() ? 0.0 : model.residuals[random.below(model.residuals.size())];
    const double value = centre + unit * (means(i) + model.noise * e);
    drawn.push_back(std::clamp(value, *low - kFarthest * unit, *high + kFarthest * unit));
  }
  return drawn;
}

// The value of one of the known rows whose forecasts are nearest (predictive mean matching; Little 1988).
std::vector<double> draw_donors(const ImputationRows& rows, const std::vector<double>& scale, RandomStream& random) {
  if (rows.target.size() < kFewestForNumbers) return resampled(rows.target, rows.gaps.size(), random);
  const Vector y = Eigen::Map<const Vector>(scale.data(), static_cast<Eigen::Index>(scale.size()));
  const Matrix x = design(rows, rows.known);
  const LinearDraw model = draw_linear(x, y, random);
  const Vector forecasts = x * model.mean;
  std::vector<std::pair<double, std::size_t>> donors;
  for (std::size_t i = 0; i < rows.target.size(); ++i) donors.emplace_back(forecasts(static_cast<Eigen::Index>(i)), i);
  std::sort(donors.begin(), donors.end());
  const Vector wanted = design(rows, rows.gaps) * model.drawn;
  std::vector<double> drawn;
  for (Eigen::Index g = 0; g < wanted.size(); ++g) {
    auto high = std::lower_bound(donors.begin(), donors.end(), std::pair(wanted(g), std::size_t{0}));
    auto low = high;
    while (high - low < static_cast<std::ptrdiff_t>(std::min(kDonors, donors.size()))) {
      const bool down = high == donors.end() ||
                        (low != donors.begin() && wanted(g) - std::prev(low)->first <= high->first - wanted(g));
      if (down) {
        --low;
      } else {
        ++high;
      }
    }
    const auto place = static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint64_t>(high - low)));
    drawn.push_back(rows.target[(low + place)->second]);
  }
  return drawn;
}

double logistic(double a) { return a >= 0.0 ? 1.0 / (1.0 + std::exp(-a)) : std::exp(a) / (1.0 + std::exp(a)); }

// Log-odds of y = 1, linear in x: a draw from the normal approximation of the posterior at its mode.
Vector draw_logistic(const Matrix& x, const Vector& y, RandomStream& random) {
  const Eigen::Index width = x.cols();
  Vector prior = Vector::Constant(width, kLogitPrecision);
  prior(0) = kInterceptPrecision;
  Vector beta = Vector::Zero(width);
  Eigen::LLT<Matrix, Eigen::Lower> factor;
  const auto value_at = [&](const Vector& at) {
    const Vector a = x * at;
    double sum = -0.5 * (prior.array() * at.array().square()).sum();
    for (Eigen::Index i = 0; i < a.size(); ++i)
      sum += y(i) * a(i) - (a(i) > 0.0 ? a(i) + std::log1p(std::exp(-a(i))) : std::log1p(std::exp(a(i))));
    return sum;
  };
  double value = value_at(beta);
  for (int step = 0; step < kNewtonSteps; ++step) {
    const Vector p = (x * beta).unaryExpr([](double a) { return logistic(a); });
    const Vector weight = p.array() * (1.0 - p.array());
    const Matrix weighted = weight.cwiseSqrt().asDiagonal() * x;
    Matrix hessian = Matrix::Zero(width, width);
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
    hessian.diagonal() += prior;
    factor.compute(hessian);
    const Vector gradient = x.transpose() * (y - p) - prior.cwiseProduct(beta);
    const Vector move = factor.solve(gradient);
    if (gradient.dot(move) < 1e-9) break;
    double length = 1.0;
    Vector next = beta + move;
    double found = value_at(next);
    for (int halving = 0; halving < 30 && !(found > value); ++halving) {
      length *= 0.5;
      next = beta + length * move;
      found = value_at(next);
    }
    if (!(found > value)) break;
    beta = next;
    value = found;
  }
  return beta + factor.matrixU().solve(normals(width, random));
}

// Levels one after the other: this one, given that it is none of those before it. The posterior is then a product of
// logistic regressions.
std::vector<double> draw_levels(const ImputationRows& rows, const std::vector<double>& target,
                                const std::vector<double>& levels, RandomStream& random) {
  std::vector<double> drawn(rows.gaps.size(), levels.back());
  std::vector<bool> settled(rows.gaps.size(), false);
  const Matrix gaps = design(rows, rows.gaps);
  std::vector<std::size_t> left(rows.known.size());  // places among the known rows
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
    std::vector<std::size_t> at;
    std::vector<std::size_t> others;
    Vector y(static_cast<Eigen::Index>(left.size()));
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool own = target[left[i]] == levels[k];
      y(static_cast<Eigen::Index>(i)) = own ? 1.0 : 0.0;
      at.push_back(rows.known[left[i]]);
      if (!own) others.push_back(left[i]);
    }
    const Vector odds = gaps * draw_logistic(design(rows, at), y, random);
    for (std::size_t g = 0; g < rows.gaps.size(); ++g) {
      const bool own = random.uniform() < logistic(odds(static_cast<Eigen::Index>(g)));
      if (!own || settled[g]) continue;
      drawn[g] = levels[k];
      settled[g] = true;
    }
    left = std::move(others);
  }
  return drawn;
}

std::map<double, std::size_t> counts_of(std::span<const double> values) {
  std::map<double, std::size_t> counts;
  for (const double value : values) ++counts[value];
  return counts;
}

// Of a category the most frequent first; of others from the lowest on.
std::vector<double> level_sequence(const std::vector<double>& target, ColumnType type) {
  const std::map<double, std::size_t> counts = counts_of(target);
  std::vector<double> levels;
  for (const auto& [level, count] : counts) levels.push_back(level);
  if (type == ColumnType::kCategory) {
    std::stable_sort(levels.begin(), levels.end(), [&](double a, double b) { return counts.at(a) > counts.at(b); });
  }
  return levels;
}

// Positive numbers and shares: exact ends have a probability of their own, the rest lies on the scale of `forward`.
std::vector<double> draw_bounded(const ImputationRows& rows, double low, double high, RandomStream& random) {
  const auto forward = [&](double v) {
    return std::isfinite(high) ? std::log((v - low) / (high - v)) : std::log(v - low);
  };
  const auto backward = [&](double t) {
    return std::isfinite(high) ? low + (high - low) * logistic(t) : low + std::exp(t);
  };
  const auto place = [&](double v) { return v <= low ? 0.0 : v >= high ? 2.0 : 1.0; };
  std::vector<double> places;
  ImputationRows inner;
  std::vector<double> scale;
  for (std::size_t i = 0; i < rows.target.size(); ++i) {
    places.push_back(place(rows.target[i]));
    if (places.back() != 1.0) continue;
    inner.known.push_back(rows.known[i]);
    scale.push_back(forward(rows.target[i]));
  }
  const std::vector<double> kinds = level_sequence(places, ColumnType::kCategory);
  const std::vector<double> chosen = kinds.size() == 1 ? std::vector<double>(rows.gaps.size(), kinds.front())
                                                       : draw_levels(rows, places, kinds, random);
  std::vector<double> drawn(rows.gaps.size(), low);
  if (!scale.empty()) {
    inner.inputs = rows.inputs;
    inner.gaps = rows.gaps;
    const std::vector<double> inside = draw_numbers(inner, scale, random);
    for (std::size_t g = 0; g < drawn.size(); ++g) drawn[g] = backward(inside[g]);
  }
  for (std::size_t g = 0; g < drawn.size(); ++g) {
    if (chosen[g] != 1.0) drawn[g] = chosen[g] == 0.0 ? low : high;
  }
  return drawn;
}

}  // namespace

void add_inputs(std::span<const double> cells, const Column& about, std::vector<std::vector<double>>& inputs) {
  const auto add = [&](std::vector<double> values) {
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0.0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double sd = std::sqrt(squares / n);
    if (!(sd > 0.0) || !std::isfinite(sd)) return;
    for (double& value : values) value = (value - mean) / sd;
    inputs.push_back(std::move(values));
  };
  if (about.type == ColumnType::kCategory) {
    const std::map<double, std::size_t> counts = counts_of(cells);
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    for (auto level = counts.begin(); level != counts.end(); ++level) {
      if (level == most) continue;
      std::vector<double> values;
      for (const double cell : cells) values.push_back(cell == level->first ? 1.0 : 0.0);
      add(std::move(values));
    }
    return;
  }
  std::vector<double> values(cells.begin(), cells.end());
  const bool logs = about.type == ColumnType::kPositive &&
                    std::all_of(values.begin(), values.end(), [](double value) { return value > 0.0; });
  if (logs || about.type == ColumnType::kCount) {
    for (double& value : values) value = logs ? std::log(value) : std::log1p(std::max(0.0, value));
  }
  add(std::move(values));
}

std::vector<double> draw_gaps(const ImputationRows& rows, const Column& about, RandomStream& random) {
  switch (about.type) {
    case ColumnType::kBinary:
    case ColumnType::kOrdinal:
    case ColumnType::kCategory: {
      const std::vector<double> levels = level_sequence(rows.target, about.type);
      if (levels.size() == 1) return std::vector<double>(rows.gaps.size(), levels.front());
      return draw_levels(rows, rows.target, levels, random);
    }
    case ColumnType::kCount: {
      std::vector<double> scale;
      for (const double value : rows.target) scale.push_back(std::log1p(std::max(0.0, value)));
      return draw_donors(rows, scale, random);
    }
    case ColumnType::kPositive: return draw_bounded(rows, 0.0, std::numeric_limits<double>::infinity(), random);
    case ColumnType::kShare: return draw_bounded(rows, 0.0, greatest_share(about), random);
    case ColumnType::kReal: break;
  }
  return draw_numbers(rows, rows.target, random);
}

}  // namespace olem::internal::sampling
