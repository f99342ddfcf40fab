// Entropy of a normal distribution with the sample's covariance.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "entropy/estimators.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

class GaussianSequence final : public EntropySequence {
 public:
  GaussianSequence(const Table& table, const EntropyOptions& options)
      : table_(table), centred_(static_cast<Eigen::Index>(table.rows()), static_cast<Eigen::Index>(table.columns())) {
    for (std::size_t j = 0; j < table.columns(); ++j) {
      const auto column = table.column(j);
      const Eigen::Map<const Eigen::VectorXd> values(column.data(), static_cast<Eigen::Index>(column.size()));
      centred_.col(static_cast<Eigen::Index>(j)) = values.array() - values.mean();
      remaining_.push_back(j);
    }
    covariance_ = centred_.transpose() * centred_ / static_cast<double>(table.rows());
    covariance_.diagonal().array() += options.ridge * covariance_.diagonal().mean();
  }

  StepEntropies evaluate(const Context& context, const std::function<void(double)>& progress) override {
    context.check_interrupt();
    const Eigen::Index m = covariance_.rows();
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance_);
    check_regular(factor);
    precision_ = factor.solve(Eigen::MatrixXd::Identity(m, m));
    const double log_determinant = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
    const double unit = std::log(2.0 * std::numbers::pi * std::numbers::e);

    StepEntropies step;
    step.joint = 0.5 * (static_cast<double>(m) * unit + log_determinant);
    for (Eigen::Index v = 0; v < m; ++v) {
      // det S = det S_without / Omega_vv
      const double without = log_determinant + std::log(precision_(v, v));
      step.without.push_back(m == 1 ? 0.0 : 0.5 * (static_cast<double>(m - 1) * unit + without));
      step.zero_share.push_back(0.0);
    }
    progress(1.0);
    return step;
  }

  std::vector<double> contributions(std::size_t position) const override {
    // Influence of a point on half of ln det S_without: half of its squared Mahalanobis length in those columns.
    const auto v = static_cast<Eigen::Index>(position);
    const Eigen::MatrixXd product = centred_ * precision_;
    const Eigen::VectorXd length = (product.array() * centred_.array()).rowwise().sum();
    const Eigen::VectorXd result = 0.5 * (length.array() - product.col(v).array().square() / precision_(v, v));
    return {result.data(), result.data() + result.size()};
  }

  void remove(const Context& /*context*/, std::size_t position) override {
    const auto v = static_cast<Eigen::Index>(position);
    const Eigen::Index rest = covariance_.rows() - 1 - v;
    const Eigen::MatrixXd below = covariance_.bottomRows(rest);
    covariance_.middleRows(v, rest) = below;
    const Eigen::MatrixXd right = covariance_.rightCols(rest);
    covariance_.middleCols(v, rest) = right;
    covariance_.conservativeResize(covariance_.rows() - 1, covariance_.cols() - 1);
    const Eigen::MatrixXd columns = centred_.rightCols(rest);
    centred_.middleCols(v, rest) = columns;
    centred_.conservativeResize(Eigen::NoChange, centred_.cols() - 1);
    remaining_.erase(remaining_.begin() + static_cast<std::ptrdiff_t>(position));
  }

 private:
  // Throws when the covariance has no inverse to speak of: the square of a diagonal entry of the factor is the variance
  // that the columns before leave unexplained.
  void check_regular(const Eigen::LLT<Eigen::MatrixXd>& factor) const {
    constexpr double kUnexplained = 1e-12;
    const auto pivots = factor.matrixLLT().diagonal().array().square();
    if (factor.info() == Eigen::Success && (pivots > kUnexplained * covariance_.diagonal().array()).all()) return;
    const auto independent = [this](Eigen::Index columns) {
      Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(centred_.leftCols(columns).colwise().normalized());
      qr.setThreshold(1e-6);
      return qr.rank() == columns;
    };
    Eigen::Index dependent = 0;
    while (dependent + 1 < centred_.cols() && independent(dependent + 1)) ++dependent;
    const std::string& name = table_.name(remaining_[static_cast<std::size_t>(dependent)]);
    throw Error(ErrorCategory::kData,
                fmt::format("{}Column '{}' is a linear combination of other columns, so the covariance matrix has no "
                            "inverse.",
                            table_.prefix(), name),
                {leave_out({&name, 1}), {"Regularise the covariance matrix", "ridge", "1e-8"}});
  }

  const Table& table_;
  Eigen::MatrixXd centred_;
  Eigen::MatrixXd covariance_;
  Eigen::MatrixXd precision_;
  std::vector<std::size_t> remaining_;
};

}  // namespace

std::unique_ptr<EntropySequence> start_gaussian_entropy(const Table& table, const EntropyOptions& options,
                                                        const Context& /*context*/) {
  if (table.rows() <= table.columns() && options.ridge == 0.0) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}The gaussian estimator needs more rows than columns: at least {} "
                            "for {} columns, but there are {}.",
                            table.prefix(), table.columns() + 1, table.columns(), table.rows()),
                {{"Choose another estimator", "estimator", "kl"}});
  }
  return std::make_unique<GaussianSequence>(table, options);
}

}  // namespace olem::internal
