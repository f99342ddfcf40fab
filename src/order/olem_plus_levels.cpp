#include "order/olem_plus_levels.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/lapack.h"
#include "order/olem_plus_level_models.h"
#include "order/olem_plus_objective.h"

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMostSteps = 30;           // of Newton's method
constexpr int kChoosingSteps = 4;        // of these, in which the penalty may change
constexpr double kConverged = 1e-4;      // nats that the next step would gain, of all rows
constexpr double kLinePenalty = 0.02;    // of straight lines: coefficients stay finite where levels are separable
constexpr double kProductPenalty = 1.0;  // of a product, in log-odds
constexpr std::size_t kMostProducts = 12;
constexpr double kNormal99 = 2.3263478740408408;

double chi_square_99(double degrees) {
  const double spread = 2.0 / (9.0 * degrees);
  const double root = 1.0 - spread + kNormal99 * std::sqrt(spread);
  return degrees * root * root * root;
}

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
    const MatrixXd whole = information.selfadjointView<Eigen::Lower>();
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
  const std::unique_ptr<LevelModel> model = count_model(columns, columns.counts[target]);
  const LogisticFit found = fit_model(columns, active, *model, known);
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
  const std::unique_ptr<LevelModel> model = levels.ordered ? cumulative_model(columns, std::move(row_class), classes)
                                                           : softmax_model(columns, std::move(row_class), classes);
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
