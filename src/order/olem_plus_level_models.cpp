#include "order/olem_plus_level_models.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lapack.h"
#include "order/olem_plus_fit.h"
#include "order/olem_plus_kernel.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kMostOwnShare = 0.9;  // as a leverage

double logistic(double x) { return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x)); }

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

}  // namespace

std::unique_ptr<LevelModel> softmax_model(const PlusColumns& columns, std::vector<Index> classes, Index count) {
  return std::make_unique<SoftmaxModel>(columns, std::move(classes), count);
}

std::unique_ptr<LevelModel> cumulative_model(const PlusColumns& columns, std::vector<Index> classes, Index count) {
  return std::make_unique<CumulativeModel>(columns, std::move(classes), count);
}

std::unique_ptr<LevelModel> count_model(const PlusColumns& columns, const std::vector<double>& counts) {
  return std::make_unique<CountModel>(columns, counts);
}

}  // namespace olem::internal
