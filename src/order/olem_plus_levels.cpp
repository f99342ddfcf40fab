#include "order/olem_plus_levels.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/lapack.h"
#include "order/olem_plus_kernel.h"
#include "order/olem_plus_objective.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kMostClasses = 8;        // of a category as target; its rarer levels are one class
constexpr int kMostSteps = 30;           // of Newton's method
constexpr int kChoosingSteps = 4;        // of these, in which the penalty may change
constexpr double kConverged = 1e-4;      // nats that the next step would gain, of all rows
constexpr double kLinePenalty = 0.02;    // of straight lines: coefficients stay finite where levels are separable
constexpr double kProductPenalty = 1.0;  // of a product, in log-odds
constexpr double kMostOwnShare = 0.9;    // as a leverage
constexpr std::size_t kMostProducts = 12;
constexpr double kNormal99 = 2.3263478740408408;

double chi_square_99(double degrees) {
  const double spread = 2.0 / (9.0 * degrees);
  const double root = 1.0 - spread + kNormal99 * std::sqrt(spread);
  return degrees * root * root * root;
}

double logistic(double x) { return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x)); }

// What all families of probabilities of levels have: n rows with functions X, of which row i enters the likelihood
// through a few numbers.
class LevelModel {
 public:
  LevelModel(const PlusColumns& columns, std::vector<Index> classes, Index count)
      : row_count(static_cast<Index>(columns.rows)),
        class_of(std::move(classes)),
        class_count(count),
        weights_of_rows(&columns.weights) {}
  LevelModel(const LevelModel&) = delete;
  LevelModel& operator=(const LevelModel&) = delete;
  virtual ~LevelModel() = default;

  void set_functions(MatrixXd functions) { design = std::move(functions); }
  const MatrixXd& functions() const { return design; }
  double weight(Index i) const {
    return weights_of_rows->empty() ? 1.0 : (*weights_of_rows)[static_cast<std::size_t>(i)];
  }

  virtual Index parameters() const = 0;
  // The parameters without any effect of the functions.
  virtual VectorXd start() const = 0;
  // Spreads the penalty of the functions over the parameters.
  virtual VectorXd spread(const VectorXd& penalty) const = 0;
  // Fits other functions: the parameters of the old ones, which come first, and zeros.
  virtual VectorXd extended(const VectorXd& parameters, Index old_functions) const = 0;
  // Prepares what the others need, and gives -ln likelihood; infinite for parameters that are none.
  virtual double evaluate(const VectorXd& parameters) = 0;
  virtual VectorXd gradient() const = 0;
  virtual MatrixXd information() const = 0;  // lower triangle
  // -ln P(class of row i) with the row left out, to first order. `inverse`: lower triangle.
  virtual VectorXd left_out(const MatrixXd& inverse) const = 0;
  // Each row's derivatives of -ln P by the linear predictors and the diagonal of the second ones.
  virtual MatrixXd slopes() const = 0;
  virtual MatrixXd curvatures() const = 0;

 protected:
  Index row_count;
  std::vector<Index> class_of;
  Index class_count;
  const std::vector<double>* weights_of_rows;
  MatrixXd design;
};

// Both triangles.
MatrixXd symmetric(const MatrixXd& lower) { return lower.selfadjointView<Eigen::Lower>(); }

// X' diag(w) X for w >= 0; lower triangle.
MatrixXd weighted_square(const MatrixXd& x, const VectorXd& w) {
  const MatrixXd scaled = w.cwiseSqrt().asDiagonal() * x;
  MatrixXd result(x.cols(), x.cols());
  multiply_by_own_transpose(
      1.0, {scaled.data(), static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.cols()), 0, true}, 0.0,
      result.data());
  return result;
}

MatrixXd product(const MatrixXd& a, bool transposed, const MatrixXd& b) {
  MatrixXd result(transposed ? a.cols() : a.rows(), b.cols());
  multiply(1.0, {a.data(), static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols()), 0, transposed},
           {b.data(), static_cast<std::size_t>(b.rows()), static_cast<std::size_t>(b.cols())}, 0.0, result.data());
  return result;
}

// Softmax with class 0 as the reference. The constant is the last function.
class SoftmaxModel : public LevelModel {
 public:
  using LevelModel::LevelModel;

  Index parameters() const override { return others() * width(); }

  VectorXd start() const override {
    VectorXd shares = VectorXd::Constant(class_count, 0.5);
    for (Index i = 0; i < row_count; ++i) shares[class_of[static_cast<std::size_t>(i)]] += weight(i);
    VectorXd parameters = VectorXd::Zero(this->parameters());
    for (Index a = 0; a < others(); ++a) parameters[(a + 1) * width() - 1] = std::log(shares[a + 1] / shares[0]);
    return parameters;
  }

  VectorXd spread(const VectorXd& penalty) const override {
    VectorXd all = VectorXd::Constant(parameters(), kLeastPenalty);
    for (Index a = 0; a < others(); ++a) all.segment(a * width(), penalty.size()) = penalty;
    return all;
  }

  VectorXd extended(const VectorXd& parameters, Index old_functions) const override {
    VectorXd all = VectorXd::Zero(this->parameters());
    for (Index a = 0; a < others(); ++a) {
      all.segment(a * width(), old_functions) = parameters.segment(a * (old_functions + 1), old_functions);
      all[(a + 1) * width() - 1] = parameters[(a + 1) * (old_functions + 1) - 1];
    }
    return all;
  }

  double evaluate(const VectorXd& parameters) override {
    const Eigen::Map<const MatrixXd> by_class(parameters.data(), width(), others());
    predictors_ = product(design, false, by_class.topRows(width() - 1));
    predictors_.rowwise() += by_class.row(width() - 1);
    probabilities_ = predictors_;
    const VectorXd most = predictors_.rowwise().maxCoeff().cwiseMax(0.0);
    probabilities_.colwise() -= most;
    VectorXd reference = -most;
    exponentials(probabilities_.data(), static_cast<std::size_t>(probabilities_.size()));
    exponentials(reference.data(), static_cast<std::size_t>(row_count));
    const VectorXd sums = probabilities_.rowwise().sum() + reference;
    double total = 0.0;
    for (Index i = 0; i < row_count; ++i) {
      const Index own = class_of[static_cast<std::size_t>(i)];
      total += weight(i) * (most[i] + std::log(sums[i]) - (own == 0 ? 0.0 : predictors_(i, own - 1)));
    }
    probabilities_.array().colwise() /= sums.array();
    return std::isfinite(total) ? total : std::numeric_limits<double>::infinity();
  }

  MatrixXd slopes() const override {
    MatrixXd slopes = probabilities_;
    for (Index i = 0; i < row_count; ++i) {
      const Index own = class_of[static_cast<std::size_t>(i)];
      if (own > 0) slopes(i, own - 1) -= 1.0;
    }
    return slopes;
  }

  MatrixXd curvatures() const override { return probabilities_.array() * (1.0 - probabilities_.array()); }

  VectorXd gradient() const override {
    MatrixXd weighted = slopes();
    if (!weights_of_rows->empty()) weighted.array().colwise() *= row_weights().array();
    MatrixXd by_class(width(), others());
    by_class.topRows(width() - 1) = product(design, true, weighted);
    by_class.row(width() - 1) = weighted.colwise().sum();
    return Eigen::Map<const VectorXd>(by_class.data(), by_class.size());
  }

  MatrixXd information() const override {
    MatrixXd result = MatrixXd::Zero(parameters(), parameters());
    const Index p = width() - 1;
    for (Index a = 0; a < others(); ++a) {
      for (Index b = 0; b <= a; ++b) {
        VectorXd w = probabilities_.col(a).array() * ((a == b ? 1.0 : 0.0) - probabilities_.col(b).array());
        if (!weights_of_rows->empty()) w.array() *= row_weights().array();
        auto block = result.block(a * width(), b * width(), width(), width());
        block.topLeftCorner(p, p) =
            a == b ? symmetric(weighted_square(design, w)) : product(design, true, w.asDiagonal() * design);
        const VectorXd sums = design.transpose() * w;
        block.row(p).head(p) = sums.transpose();
        block.col(p).head(p) = sums;
        block(p, p) = w.sum();
      }
    }
    return result;
  }

  VectorXd left_out(const MatrixXd& inverse) const override {
    const Index p = width() - 1;
    const MatrixXd whole = symmetric(inverse);
    // Row by row the covariance of the linear predictors.
    std::vector<VectorXd> covariance;
    for (Index a = 0; a < others(); ++a) {
      for (Index b = 0; b <= a; ++b) {
        const auto block = whole.block(a * width(), b * width(), width(), width());
        const MatrixXd rotated = product(design, false, block.topLeftCorner(p, p));
        covariance.emplace_back(rotated.cwiseProduct(design).rowwise().sum());
        covariance.back() += design * (block.col(p).head(p) + block.row(p).head(p).transpose());
        covariance.back().array() += block(p, p);
      }
    }
    const MatrixXd slopes = this->slopes();
    VectorXd result(row_count);
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostClasses - 1, kMostClasses - 1>;
    using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostClasses - 1, 1>;
    const Index k = others();
    Small v(k, k);
    Small m(k, k);
    for (Index i = 0; i < row_count; ++i) {
      for (Index a = 0, at = 0; a < k; ++a) {
        for (Index b = 0; b <= a; ++b, ++at) {
          v(a, b) = v(b, a) = weight(i) * covariance[static_cast<std::size_t>(at)][i];
          const double pa = probabilities_(i, a);
          m(a, b) = m(b, a) = (a == b ? pa : 0.0) - pa * probabilities_(i, b);
        }
      }
      const SmallVector slope = slopes.row(i).transpose();
      Small own = m * v;
      const double share = own.trace();
      if (share > kMostOwnShare) {
        v *= kMostOwnShare / share;
        own *= kMostOwnShare / share;
      }
      const Small left = Small::Identity(k, k) - own;
      const SmallVector moved =
          predictors_.row(i).transpose() +
          v * SmallVector(k == 1 ? SmallVector(slope / left(0, 0)) : SmallVector(left.partialPivLu().solve(slope)));
      const double most = std::max(0.0, moved.maxCoeff());
      const Index own_class = class_of[static_cast<std::size_t>(i)];
      result[i] = most + std::log(std::exp(-most) + (moved.array() - most).exp().sum()) -
                  (own_class == 0 ? 0.0 : moved[own_class - 1]);
    }
    return result;
  }

 private:
  Index others() const { return class_count - 1; }
  Index width() const { return design.cols() + 1; }
  Eigen::Map<const VectorXd> row_weights() const { return {weights_of_rows->data(), row_count}; }

  MatrixXd predictors_;     // n x (K - 1)
  MatrixXd probabilities_;  // of the classes but the first
};

// P(class <= k) = logistic(t_k - x b). The parameters are the thresholds, then b.
class CumulativeModel : public LevelModel {
 public:
  using LevelModel::LevelModel;

  Index parameters() const override { return thresholds() + design.cols(); }

  VectorXd start() const override {
    VectorXd shares = VectorXd::Constant(class_count, 0.5);
    for (Index i = 0; i < row_count; ++i) shares[class_of[static_cast<std::size_t>(i)]] += weight(i);
    VectorXd parameters = VectorXd::Zero(this->parameters());
    double below = 0.0;
    const double all = shares.sum();
    for (Index k = 0; k < thresholds(); ++k) {
      below += shares[k];
      parameters[k] = std::log(below / (all - below));
    }
    return parameters;
  }

  VectorXd spread(const VectorXd& penalty) const override {
    VectorXd all = VectorXd::Constant(parameters(), kLeastPenalty);
    all.tail(penalty.size()) = penalty;
    return all;
  }

  VectorXd extended(const VectorXd& parameters, Index /*old_functions*/) const override {
    VectorXd all = VectorXd::Zero(this->parameters());
    all.head(parameters.size()) = parameters;
    return all;
  }

  double evaluate(const VectorXd& parameters) override {
    for (Index k = 0; k + 1 < thresholds(); ++k) {
      if (!(parameters[k] < parameters[k + 1])) return std::numeric_limits<double>::infinity();
    }
    const MatrixXd slope = parameters.tail(design.cols());
    predictors_ = product(design, false, slope).col(0);
    upper_.resize(row_count);
    lower_.resize(row_count);
    rows_.resize(row_count, 5);
    double total = 0.0;
    for (Index i = 0; i < row_count; ++i) {
      const Index own = class_of[static_cast<std::size_t>(i)];
      upper_[i] = own < thresholds() ? parameters[own] - predictors_[i] : std::numeric_limits<double>::infinity();
      lower_[i] = own > 0 ? parameters[own - 1] - predictors_[i] : -std::numeric_limits<double>::infinity();
      const double p = cell(upper_[i], lower_[i]);
      total -= weight(i) * std::log(p);
      const double fu = logistic(upper_[i]);
      const double fv = logistic(lower_[i]);
      const double du = fu * (1.0 - fu) / p;
      const double dv = fv * (1.0 - fv) / p;
      rows_(i, 0) = -du;
      rows_(i, 1) = dv;
      rows_(i, 2) = du * (du - (1.0 - 2.0 * fu));
      rows_(i, 3) = -du * dv;
      rows_(i, 4) = dv * (dv + (1.0 - 2.0 * fv));
    }
    return std::isfinite(total) ? total : std::numeric_limits<double>::infinity();
  }

  // By the predictor x b.
  MatrixXd slopes() const override { return -(rows_.col(0) + rows_.col(1)); }
  MatrixXd curvatures() const override { return rows_.col(2) + 2.0 * rows_.col(3) + rows_.col(4); }

  VectorXd gradient() const override {
    VectorXd result = VectorXd::Zero(parameters());
    for (Index i = 0; i < row_count; ++i) {
      const Index own = class_of[static_cast<std::size_t>(i)];
      if (own < thresholds()) result[own] += weight(i) * rows_(i, 0);
      if (own > 0) result[own - 1] += weight(i) * rows_(i, 1);
    }
    result.tail(design.cols()) = design.transpose() * weighted(slopes().col(0));
    return result;
  }

  MatrixXd information() const override {
    const Index t = thresholds();
    const Index p = design.cols();
    MatrixXd result = MatrixXd::Zero(parameters(), parameters());
    MatrixXd between = MatrixXd::Zero(row_count, t);
    for (Index i = 0; i < row_count; ++i) {
      const Index own = class_of[static_cast<std::size_t>(i)];
      const double w = weight(i);
      if (own < t) {
        result(own, own) += w * rows_(i, 2);
        between(i, own) = -w * (rows_(i, 2) + rows_(i, 3));
      }
      if (own > 0) {
        result(own - 1, own - 1) += w * rows_(i, 4);
        between(i, own - 1) = -w * (rows_(i, 3) + rows_(i, 4));
      }
      if (own > 0 && own < t) result(own, own - 1) += w * rows_(i, 3);
    }
    result.block(t, 0, p, t) = product(design, true, between);
    result.block(t, t, p, p) = symmetric(weighted_square(design, weighted(curvatures().col(0)).cwiseMax(0.0)));
    return result;
  }

  VectorXd left_out(const MatrixXd& inverse) const override {
    const Index t = thresholds();
    const Index p = design.cols();
    const MatrixXd whole = symmetric(inverse);
    const MatrixXd rotated = product(design, false, whole.bottomRightCorner(p, p));
    const VectorXd slope_variance = rotated.cwiseProduct(design).rowwise().sum();
    const MatrixXd mixed = product(design, false, whole.bottomLeftCorner(p, t));  // of x b and each threshold
    VectorXd result(row_count);
    for (Index i = 0; i < row_count; ++i) {
      const Index own = class_of[static_cast<std::size_t>(i)];
      const bool has_upper = own < t;
      const bool has_lower = own > 0;
      const double w = weight(i);
      Eigen::Matrix2d v = Eigen::Matrix2d::Zero();
      if (has_upper) v(0, 0) = whole(own, own) - 2.0 * mixed(i, own) + slope_variance[i];
      if (has_lower) v(1, 1) = whole(own - 1, own - 1) - 2.0 * mixed(i, own - 1) + slope_variance[i];
      if (has_upper && has_lower) {
        v(0, 1) = v(1, 0) = whole(own, own - 1) - mixed(i, own) - mixed(i, own - 1) + slope_variance[i];
      }
      v *= w;
      Eigen::Matrix2d m;
      m << rows_(i, 2), rows_(i, 3), rows_(i, 3), rows_(i, 4);
      Eigen::Matrix2d share = m * v;
      const double trace = share.trace();
      if (trace > kMostOwnShare) {
        v *= kMostOwnShare / trace;
        share *= kMostOwnShare / trace;
      }
      const Eigen::Vector2d slope(rows_(i, 0), rows_(i, 1));
      const Eigen::Vector2d moved = v * (Eigen::Matrix2d::Identity() - share).inverse() * slope;
      result[i] = -std::log(cell(upper_[i] + moved[0], lower_[i] + moved[1]));
    }
    return result;
  }

 private:
  Index thresholds() const { return class_count - 1; }

  static double cell(double upper, double lower) {
    const double p = lower > 0.0 ? logistic(-lower) - logistic(-upper) : logistic(upper) - logistic(lower);
    return std::max(p, 1e-300);
  }

  VectorXd weighted(const VectorXd& values) const {
    if (weights_of_rows->empty()) return values;
    return values.cwiseProduct(Eigen::Map<const VectorXd>(weights_of_rows->data(), row_count));
  }

  VectorXd predictors_;
  VectorXd upper_;
  VectorXd lower_;
  MatrixXd rows_;  // derivatives of -ln P by upper and lower: two first, three second ones
};

// Counts with mean exp(x b): Poisson, whose slopes serve all distributions with this mean. The constant is the last
// function.
class CountModel : public LevelModel {
 public:
  CountModel(const PlusColumns& columns, const std::vector<double>& counts)
      : LevelModel(columns, {}, 0), counts_(Eigen::Map<const VectorXd>(counts.data(), row_count)) {}

  Index parameters() const override { return design.cols() + 1; }

  VectorXd start() const override {
    double sum = 0.5;
    for (Index i = 0; i < row_count; ++i) sum += weight(i) * counts_[i];
    VectorXd parameters = VectorXd::Zero(this->parameters());
    parameters[design.cols()] = std::log(sum / static_cast<double>(row_count));
    return parameters;
  }

  VectorXd spread(const VectorXd& penalty) const override {
    VectorXd all(parameters());
    all << penalty, kLeastPenalty;
    return all;
  }

  VectorXd extended(const VectorXd& parameters, Index old_functions) const override {
    VectorXd all = VectorXd::Zero(this->parameters());
    all.head(old_functions) = parameters.head(old_functions);
    all[design.cols()] = parameters[old_functions];
    return all;
  }

  // But for ln y!.
  double evaluate(const VectorXd& parameters) override {
    const MatrixXd slope = parameters.head(design.cols());
    predictors_ = product(design, false, slope).col(0);
    predictors_.array() += parameters[design.cols()];
    if (!(predictors_.maxCoeff() < kMostLogMean)) return std::numeric_limits<double>::infinity();
    means_ = predictors_;
    exponentials(means_.data(), static_cast<std::size_t>(row_count));
    return weighted(means_ - counts_.cwiseProduct(predictors_)).sum();
  }

  MatrixXd slopes() const override { return means_ - counts_; }
  MatrixXd curvatures() const override { return means_; }

  VectorXd gradient() const override {
    const VectorXd own = weighted(means_ - counts_);
    VectorXd result(parameters());
    result << design.transpose() * own, own.sum();
    return result;
  }

  MatrixXd information() const override {
    const VectorXd own = weighted(means_);
    MatrixXd result = MatrixXd::Zero(parameters(), parameters());
    result.topLeftCorner(design.cols(), design.cols()) = weighted_square(design, own);
    result.row(design.cols()) << (design.transpose() * own).transpose(), own.sum();
    return result;
  }

  // Of the negative binomial distribution (variance mean + a mean^2) whose a, one of a few from 0 on, fits best.
  VectorXd left_out(const MatrixXd& inverse) const override {
    const Index p = design.cols();
    const MatrixXd whole = symmetric(inverse);
    VectorXd variance = product(design, false, whole.topLeftCorner(p, p)).cwiseProduct(design).rowwise().sum();
    variance += design * (2.0 * whole.col(p).head(p));
    variance.array() += whole(p, p);
    VectorXd mean(row_count);
    for (Index i = 0; i < row_count; ++i) {
      const double v = weight(i) * variance[i];
      const double share = std::min(kMostOwnShare, v * means_[i]);
      mean[i] = std::exp(std::min(kMostLogMean, predictors_[i] + v * (means_[i] - counts_[i]) / (1.0 - share)));
    }
    VectorXd best;
    double least = std::numeric_limits<double>::infinity();
    for (const double spread : {0.0, 0.03, 0.1, 0.2, 0.4, 0.8, 1.6}) {
      VectorXd own(row_count);
      for (Index i = 0; i < row_count; ++i) own[i] = count_loss(counts_[i], mean[i], spread);
      const double sum = weighted(own).sum();
      if (sum < least) {
        least = sum;
        best = std::move(own);
      }
    }
    return best;
  }

 private:
  static constexpr double kMostLogMean = 30.0;

  static double count_loss(double count, double mean, double spread) {
    const double log_factorial = std::lgamma(count + 1.0);
    if (spread == 0.0) return mean - count * std::log(mean) + log_factorial;
    const double size = 1.0 / spread;
    return log_factorial + std::lgamma(size) - std::lgamma(count + size) + (size + count) * std::log1p(spread * mean) -
           count * std::log(spread * mean);
  }

  VectorXd weighted(const VectorXd& values) const {
    if (weights_of_rows->empty()) return values;
    return values.cwiseProduct(Eigen::Map<const VectorXd>(weights_of_rows->data(), row_count));
  }

  Eigen::Map<const VectorXd> counts_;
  VectorXd predictors_;
  VectorXd means_;
};

struct LevelFit {
  VectorXd parameters;
  double smoothing = 0.0;
  VectorXd losses;  // -ln P of each row, left out
};

// `penalty` of a smoothing, for all functions.
template <class Penalty>
LevelFit newton(LevelModel& model, VectorXd parameters, std::span<const double> smoothings, const Penalty& penalty) {
  LevelFit fit;
  const auto size = static_cast<std::size_t>(model.parameters());
  fit.smoothing = smoothings.size() > 2 ? smoothings[2] : smoothings.front();
  VectorXd own_penalty = model.spread(penalty(fit.smoothing));
  double loss = model.evaluate(parameters);
  MatrixXd information;
  for (int step = 0; step < kMostSteps; ++step) {
    const VectorXd gradient = model.gradient();
    information = model.information();
    const MatrixXd whole = symmetric(information);
    const VectorXd right = whole * parameters - gradient;
    double best = std::numeric_limits<double>::infinity();
    VectorXd next;
    const std::span<const double> tried =
        step < kChoosingSteps ? smoothings : std::span<const double>(&fit.smoothing, 1);
    double chosen = fit.smoothing;
    for (const double smoothing : tried) {
      const VectorXd candidate_penalty = model.spread(penalty(smoothing));
      MatrixXd factor = information;
      factor.diagonal() += candidate_penalty;
      if (!cholesky_lower(factor.data(), size)) continue;
      VectorXd candidate = right;
      solve_lower(factor.data(), size, false, candidate.data(), 1);
      solve_lower(factor.data(), size, true, candidate.data(), 1);
      double criterion = 0.0;
      if (tried.size() > 1) {
        invert_from_cholesky(factor.data(), size);
        const VectorXd move = candidate - parameters;
        // The likelihood to second order, and the parameters that count.
        criterion = gradient.dot(move) + 0.5 * move.dot(whole * move) - candidate_penalty.dot(factor.diagonal());
      }
      if (criterion < best) {
        best = criterion;
        next = std::move(candidate);
        own_penalty = candidate_penalty;
        chosen = smoothing;
      }
    }
    if (next.size() == 0) break;
    fit.smoothing = chosen;
    const VectorXd move = next - parameters;
    const double slope = gradient.dot(move) + own_penalty.cwiseProduct(parameters).dot(move);
    const auto penalised = [&](const VectorXd& at, double own_loss) {
      return own_loss + 0.5 * own_penalty.dot(at.cwiseAbs2());
    };
    const double before = penalised(parameters, loss);
    double length = 1.0;
    VectorXd at = next;
    double next_loss = model.evaluate(at);
    while (!(penalised(at, next_loss) <= before + 1e-3 * length * slope + 1e-9) && length > 1e-4) {
      length *= 0.5;
      at = parameters + length * move;
      next_loss = model.evaluate(at);
    }
    parameters = std::move(at);
    loss = next_loss;
    if (-slope < kConverged) break;
  }
  information = model.information();
  information.diagonal() += own_penalty;
  if (cholesky_lower(information.data(), size)) {
    invert_from_cholesky(information.data(), size);
  } else {
    information.setZero();
  }
  fit.losses = model.left_out(information);
  fit.parameters = std::move(parameters);
  return fit;
}

MatrixXd gathered(const PlusColumns& columns, std::span<const Index> chosen,
                  std::span<const std::pair<std::uint32_t, std::uint32_t>> products) {
  MatrixXd x(static_cast<Index>(columns.rows), static_cast<Index>(chosen.size() + products.size()));
  Index at = 0;
  for (const Index k : chosen) x.col(at++) = columns.basis.col(k);
  for (const auto& [a, b] : products) {
    auto own = x.col(at++);
    own = columns.basis.col(a).cwiseProduct(columns.basis.col(b));
    own.array() -= own.mean();
    const double size = std::sqrt(own.squaredNorm() / static_cast<double>(columns.rows));
    if (size > 0.0) own /= size;
  }
  return x;
}

// Pairs of straight lines and indicators of two predecessors whose product the fit misses, by score tests.
std::vector<std::pair<std::uint32_t, std::uint32_t>> missed_products(const PlusColumns& columns,
                                                                     std::span<const std::size_t> active,
                                                                     const LevelModel& model) {
  struct Candidate {
    double excess = 0.0;
    std::pair<std::uint32_t, std::uint32_t> functions;
  };
  const MatrixXd slopes = model.slopes();
  const MatrixXd curvatures = model.curvatures();
  const auto n = static_cast<Index>(columns.rows);
  VectorXd weights = VectorXd::Ones(n);
  for (Index i = 0; i < n; ++i) weights[i] = model.weight(i);
  const double least = chi_square_99(static_cast<double>(slopes.cols()));
  const auto lines = [&](std::size_t j) { return columns.is_indicated(j) ? columns.functions(j) : std::size_t{1}; };
  std::vector<Candidate> found;
  for (std::size_t a = 0; a < active.size(); ++a) {
    for (std::size_t b = a + 1; b < active.size(); ++b) {
      for (std::size_t k = 0; k < lines(active[a]); ++k) {
        for (std::size_t l = 0; l < lines(active[b]); ++l) {
          const std::size_t first = columns.first[active[a]] + k;
          const std::size_t second = columns.first[active[b]] + l;
          VectorXd z =
              columns.basis.col(static_cast<Index>(first)).cwiseProduct(columns.basis.col(static_cast<Index>(second)));
          z.array() -= z.mean();
          double statistic = 0.0;
          for (Index c = 0; c < slopes.cols(); ++c) {
            const double score = (z.array() * weights.array() * slopes.col(c).array()).sum();
            const double variance = (z.array().square() * weights.array().square() * curvatures.col(c).array()).sum();
            if (variance > 0.0) statistic += score * score / variance;
          }
          if (statistic > least) {
            found.push_back({statistic, {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)}});
          }
        }
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.excess > b.excess; });
  if (found.size() > kMostProducts) found.resize(kMostProducts);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> products;
  for (const Candidate& candidate : found) products.push_back(candidate.functions);
  std::sort(products.begin(), products.end());
  return products;
}

// Shares of the levels with one row left out and half a row added to each (Krichevsky and Trofimov 1981).
class LevelShares {
 public:
  LevelShares(const PlusColumns& columns, const PlusLevels& levels, std::size_t first)
      : counts_(levels.count, 0.0), first_(first) {
    for (std::size_t i = 0; i < columns.rows; ++i) {
      if (levels.level[i] >= first) counts_[levels.level[i]] += columns.weights.empty() ? 1.0 : columns.weights[i];
    }
    all_ = std::accumulate(counts_.begin(), counts_.end(), 0.0);
  }

  double share(std::size_t level, double weight) const {
    const auto levels = static_cast<double>(counts_.size() - first_);
    return (std::max(0.0, counts_[level] - weight) + 0.5) / (std::max(0.0, all_ - weight) + 0.5 * levels);
  }

 private:
  std::vector<double> counts_;
  std::size_t first_;  // levels from this one on
  double all_ = 0.0;
};

// The additive functions, and products where they pay.
struct LogisticFit {
  VectorXd losses;
  double smoothing = 0.0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> products;
  double mean = 0.0;
};

LogisticFit fit_model(const PlusColumns& columns, std::span<const std::size_t> active, LevelModel& model,
                      const PlusChoice* known) {
  const AdditiveFunctions functions = additive_functions(columns, active);
  LogisticFit result;
  const auto penalty = [&](double smoothing) {
    const Index own = functions.roughness.size();
    VectorXd all = VectorXd::Constant(own + static_cast<Index>(result.products.size()), kProductPenalty);
    all.head(own) = functions.penalty(smoothing).cwiseMax(kLinePenalty);
    return all;
  };
  const auto n = static_cast<Index>(columns.rows);
  const auto mean_loss = [&](const VectorXd& losses) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) sum += model.weight(i) * losses[i];
    return sum / static_cast<double>(n);
  };
  const std::span<const double> smoothings =
      known == nullptr ? std::span<const double>(kSmoothings) : std::span(&known->smoothing, 1);
  if (known != nullptr) result.products = known->products;
  model.set_functions(gathered(columns, functions.chosen, result.products));
  LevelFit best = newton(model, model.start(), smoothings, penalty);
  result.smoothing = best.smoothing;
  result.mean = mean_loss(best.losses);
  if (known == nullptr && active.size() > 1) {
    result.products = missed_products(columns, active, model);
    if (!result.products.empty()) {
      const Index old_functions = model.functions().cols();
      model.set_functions(gathered(columns, functions.chosen, result.products));
      const VectorXd start = model.extended(best.parameters, old_functions);
      LevelFit richer = newton(model, start, std::span(&best.smoothing, 1), penalty);
      const double mean = mean_loss(richer.losses);
      if (mean + edge_price(columns.rows) * static_cast<double>(result.products.size()) < result.mean) {
        best = std::move(richer);
        result.mean = mean;
      } else {
        result.products.clear();
      }
    }
  }
  result.losses = std::move(best.losses);
  return result;
}

// The contributions of the rows, by `loss`, and their mean.
template <class Loss>
void set_losses(const PlusColumns& columns, const Loss& loss, PlusFit& fit) {
  fit.contributions.resize(columns.rows);
  double sum = 0.0;
  for (std::size_t i = 0; i < columns.rows; ++i) {
    const double own = loss(i);
    sum += (columns.weights.empty() ? 1.0 : columns.weights[i]) * own;
    fit.contributions[i] = static_cast<float>(own);
  }
  fit.entropy = sum / static_cast<double>(columns.rows);
}

}  // namespace

PlusFit fit_counts(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                   const PlusChoice* known) {
  CountModel model(columns, columns.counts[target]);
  const LogisticFit found = fit_model(columns, active, model, known);
  PlusFit fit;
  fit.choice.model = PlusModel::kCounts;
  fit.choice.smoothing = found.smoothing;
  fit.choice.products = found.products;
  set_losses(
      columns, [&](std::size_t i) { return found.losses[static_cast<Index>(i)]; }, fit);
  return fit;
}

PlusFit fit_levels(const PlusColumns& columns, std::size_t target, std::span<const std::size_t> active,
                   const PlusChoice* known) {
  const PlusLevels& levels = *columns.levels[target];
  const std::size_t n = columns.rows;
  const auto weight = [&](std::size_t i) { return columns.weights.empty() ? 1.0 : columns.weights[i]; };
  PlusFit fit;
  const LevelShares shares(columns, levels, 0);
  if (active.empty()) {
    set_losses(
        columns, [&](std::size_t i) { return -std::log(shares.share(levels.level[i], weight(i))); }, fit);
    return fit;
  }
  const Index classes =
      levels.ordered ? static_cast<Index>(levels.count) : std::min(kMostClasses, static_cast<Index>(levels.count));
  const auto last_class = static_cast<std::size_t>(classes) - 1;
  const bool pooled = last_class + 1 < levels.count;
  std::vector<Index> row_class(n);
  for (std::size_t i = 0; i < n; ++i) {
    row_class[i] = static_cast<Index>(std::min<std::size_t>(levels.level[i], last_class));
  }
  std::unique_ptr<LevelModel> model;
  if (levels.ordered) {
    model = std::make_unique<CumulativeModel>(columns, std::move(row_class), classes);
  } else {
    model = std::make_unique<SoftmaxModel>(columns, std::move(row_class), classes);
  }
  const LogisticFit found = fit_model(columns, active, *model, known);
  fit.choice.model = PlusModel::kLevels;
  fit.choice.smoothing = found.smoothing;
  fit.choice.products = found.products;
  const LevelShares rare(columns, levels, last_class);
  // A row never seen the like of may have a probability of zero to all digits: a row's worth of the shares of all.
  const double doubt = 1.0 / static_cast<double>(n);
  set_losses(
      columns,
      [&](std::size_t i) {
        const std::size_t level = levels.level[i];
        double probability = std::exp(-found.losses[static_cast<Index>(i)]);
        if (pooled && level >= last_class) probability *= rare.share(level, weight(i));
        return -std::log((1.0 - doubt) * probability + doubt * shares.share(level, weight(i)));
      },
      fit);
  return fit;
}

}  // namespace olem::internal
