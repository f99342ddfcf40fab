#include "sampler/acted_fit.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "olem/random.h"
#include "sampler/acted_sampler.h"
#include "sampler/kinds.h"
#include "sampler/ridge_trend.h"

namespace olem::internal::sampling {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kDesignRidge = 1e-8;            // relative to the rows: only against columns that say nothing
constexpr std::size_t kRowsPerSquare = 20;       // with fewer rows for each function there are no squares
constexpr std::size_t kFewestOwnRows = 30;       // from which a mechanism is learned
constexpr double kConstantWithin = 1e-6;         // share of the variance inside of groups below which there is none
constexpr double kGroupSignificance = 2.0;       // standard deviations of the ratio of variances by chance
constexpr double kNoticeableShareOfRows = 0.05;  // set rows whose larger noise is worth a second fit

// The rows that a variable is fitted to.
struct RowSelection {
  std::vector<std::size_t> rows;
  std::vector<double> target;
  std::vector<std::vector<double>> conditions;

  std::size_t size() const { return rows.size(); }
};

// Rows in proportion to their weights, at equal distances along their sum: as many as independent rows of equal weight
// would be as sure (Kish's effective number), so that few of them stand twice and none is counted for more than it
// says.
std::vector<std::size_t> rows_by_weight(const std::vector<std::size_t>& rows, std::span<const double> weights) {
  double sum = 0.0;
  double squares = 0.0;
  for (const std::size_t i : rows) {
    sum += weights[i];
    squares += weights[i] * weights[i];
  }
  const auto count = static_cast<std::size_t>(std::lround(sum * sum / squares));
  std::vector<std::size_t> chosen;
  double below = 0.0;
  std::size_t at = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double place = (static_cast<double>(k) + 0.5) * sum / static_cast<double>(count);
    while (at + 1 < rows.size() && below + weights[rows[at]] < place) below += weights[rows[at++]];
    chosen.push_back(rows[at]);
  }
  return chosen;
}

RowSelection select_rows(const SamplerData& data, const RowUse& use, bool all) {
  RowSelection chosen;
  for (std::size_t i = 0; i < data.target.size(); ++i) {
    if (all || use.own.empty() || use.own[i] == 0) chosen.rows.push_back(i);
  }
  if (!use.weights.empty()) chosen.rows = rows_by_weight(chosen.rows, use.weights);
  for (const std::size_t i : chosen.rows) chosen.target.push_back(data.target[i]);
  for (const std::span<const double>& condition : data.conditions) {
    std::vector<double>& own = chosen.conditions.emplace_back();
    for (const std::size_t i : chosen.rows) own.push_back(condition[i]);
  }
  return chosen;
}

std::vector<double> sorted_values(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

// Conditions as columns of a regression: lines and squares, of categories indicators.
MatrixXd design_of(const SamplerData& data, const RowSelection& rows, std::span<const std::size_t> chosen) {
  const bool squares = rows.size() >= kRowsPerSquare * (2 * chosen.size() + 1);
  std::vector<std::vector<double>> columns;
  for (const std::size_t k : chosen) {
    const std::vector<double>& values = rows.conditions[k];
    const bool is_category =
        k < data.condition_columns.size() && data.condition_columns[k].about.type == ColumnType::kCategory;
    const std::vector<double> levels = is_category || squares ? sorted_values(values) : std::vector<double>();
    if (is_category && levels.size() > 2) {
      for (std::size_t level = 1; level < levels.size(); ++level) {
        std::vector<double>& indicator = columns.emplace_back();
        for (const double value : values) indicator.push_back(value == levels[level] ? 1.0 : 0.0);
      }
      continue;
    }
    columns.push_back(values);
    if (!squares || levels.size() <= 2) continue;
    std::vector<double>& square = columns.emplace_back();
    for (const double value : values) square.push_back(value * value - 1.0);
  }
  MatrixXd design(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c)
    design.col(static_cast<Index>(c)) = Eigen::Map<const VectorXd>(columns[c].data(), design.rows());
  return design;
}

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); }

// Expected normal number behind each value of a lever, from ranks of what its own conditions leave.
std::vector<double> noise_numbers(const std::vector<double>& left) {
  std::vector<std::size_t> sorted(left.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return left[a] < left[b]; });
  std::vector<double> numbers(left.size());
  const auto n = static_cast<double>(left.size());
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first + 1;
    while (end < sorted.size() && left[sorted[end]] == left[sorted[first]]) ++end;
    const double middle = 0.5 * static_cast<double>(first + end);
    for (std::size_t place = first; place < end; ++place) numbers[sorted[place]] = normal_quantile(middle / n);
    first = end;
  }
  return numbers;
}

// Of a lever with two values: its normal number is above the quantile of the lower one's probability, or below.
std::vector<double> switch_numbers(const std::vector<double>& values, const std::vector<double>& fitted) {
  const double low = *std::min_element(values.begin(), values.end());
  const double high = *std::max_element(values.begin(), values.end());
  std::vector<double> numbers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = std::clamp((fitted[i] - low) / (high - low), 0.01, 0.99);
    const double density = normal_density(normal_quantile(1.0 - p));
    numbers.push_back(values[i] == high ? density / p : -density / (1.0 - p));
  }
  return numbers;
}

// By row of the selection; none where the rows cannot tell, or the lever is a category.
std::vector<double> hidden_numbers(const SamplerData& data, const RowSelection& rows, const RowUse::Lever& lever,
                                   std::size_t least) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (lever.set[rows.rows[i]] == 0) free.push_back(i);
  }
  if (free.size() < least || rows.size() - free.size() < least) return {};
  const std::vector<double>& values = rows.conditions[lever.condition];
  const std::vector<double> levels = sorted_values(values);
  const bool is_category = lever.condition < data.condition_columns.size() &&
                           data.condition_columns[lever.condition].about.type == ColumnType::kCategory &&
                           levels.size() > 2;
  if (is_category || levels.size() < 2) return {};
  const MatrixXd design = design_of(data, rows, lever.before);
  std::vector<std::vector<double>> columns(static_cast<std::size_t>(design.cols()));
  std::vector<double> own;
  for (const std::size_t i : free) {
    own.push_back(values[i]);
    for (std::size_t c = 0; c < columns.size(); ++c)
      columns[c].push_back(design(static_cast<Index>(i), static_cast<Index>(c)));
  }
  if (sorted_values(own).size() < 2) return {};
  const Inputs inputs(columns.begin(), columns.end());
  const RidgeTrend trend = fit_ridge(inputs, own, kDesignRidge);
  std::vector<double> numbers;
  if (levels.size() == 2) {
    std::vector<double> fitted;
    for (std::size_t i = 0; i < own.size(); ++i) fitted.push_back(own[i] - trend.leave_one_out[i]);
    numbers = switch_numbers(own, fitted);
  } else {
    numbers = noise_numbers(trend.leave_one_out);
  }
  std::vector<double> result(rows.size(), 0.0);
  for (std::size_t i = 0; i < free.size(); ++i) result[free[i]] = numbers[i];
  return result;
}

// Groups of the rows of a selection.
struct Grouping {
  std::vector<std::size_t> of_row;
  std::vector<double> sizes;  // by group; weighted

  bool empty() const { return of_row.empty(); }
  template <class Derived>
  VectorXd means(const Eigen::MatrixBase<Derived>& values, const VectorXd& weights) const {
    VectorXd sums = VectorXd::Zero(static_cast<Index>(sizes.size()));
    for (std::size_t i = 0; i < of_row.size(); ++i)
      sums[static_cast<Index>(of_row[i])] += weights[static_cast<Index>(i)] * values[static_cast<Index>(i)];
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      if (sizes[g] > 0.0) sums[static_cast<Index>(g)] /= sizes[g];
    }
    return sums;
  }
  // Less the mean of its group; less that of all rows where there are none.
  VectorXd centred(const VectorXd& values, const VectorXd& weights) const {
    if (empty()) return values.array() - values.dot(weights) / weights.sum();
    const VectorXd own = means(values, weights);
    VectorXd result = values;
    for (std::size_t i = 0; i < of_row.size(); ++i) result[static_cast<Index>(i)] -= own[static_cast<Index>(of_row[i])];
    return result;
  }
};

struct LeastSquares {
  VectorXd coefficients;
  MatrixXd inverse;  // of the normal matrix
};

LeastSquares least_squares(const MatrixXd& design, const VectorXd& target, const VectorXd& weights) {
  MatrixXd normal = design.transpose() * weights.asDiagonal() * design;
  normal.diagonal().array() += kDesignRidge * static_cast<double>(design.rows());
  const Eigen::LDLT<MatrixXd> solver(normal);
  return {solver.solve(design.transpose() * (weights.asDiagonal() * target)),
          solver.solve(MatrixXd::Identity(normal.rows(), normal.cols()))};
}

class RowFit {
 public:
  RowFit(const SamplerKind& kind, const SamplerData& data, const SamplerOptions& options, const RowUse& use,
         const ConditionalSampler* like, const Context& context)
      : kind_(kind), data_(data), options_(options), use_(use), like_(like), context_(context) {
    parts_.conditions = data.conditions.size();
  }

  std::shared_ptr<const ConditionalSampler> run() {
    rows_ = select_rows(data_, use_, false);
    const std::size_t least = std::max(kFewestOwnRows, kind_.least_rows(data_.conditions.size()));
    if (!use_.own.empty() && (rows_.size() < least || sorted_values(rows_.target).size() < 2)) return fit_marginal();
    weights_ = VectorXd::Ones(count());
    find_groups();
    find_hidden();
    estimate();
    return fit_inner();
  }

 private:
  bool is_additive() const {
    return data_.target_column.about.type == ColumnType::kReal ||
           (!kind_.encodes && kind_.name != "location-scale" && kind_.suits == nullptr && kind_.name != "hurdle");
  }

  // Nothing says what the variable does when it is left alone: as it was set.
  std::shared_ptr<const ConditionalSampler> fit_marginal() {
    rows_ = select_rows(data_, use_, true);
    if (data_.warnings != nullptr) {
      std::vector<Warning>& warnings = *data_.warnings;
      warnings.push_back(
          {"always_set",
           fmt::format("'{}' was set from outside in all rows but {}, so that nothing is known of what it does when it "
                       "is left alone: it is then drawn like the values that were set.",
                       data_.name, std::count(use_.own.begin(), use_.own.end(), 0)),
           data_.name});
    }
    parts_.marginal = true;
    rows_.conditions.clear();
    parts_.inner = fit_to(rows_.target, data_.target_column, {});
    return make_acted(std::move(parts_));
  }

  Index count() const { return static_cast<Index>(rows_.size()); }

  void find_groups() {
    if (use_.groups.empty()) return;
    grouping_.sizes.assign(use_.group_count, 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      grouping_.of_row.push_back(use_.groups[rows_.rows[i]]);
      grouping_.sizes[grouping_.of_row.back()] += weights_[static_cast<Index>(i)];
    }
  }

  void find_hidden() {
    for (const RowUse::Lever& lever : use_.levers) {
      std::vector<double> numbers = hidden_numbers(data_, rows_, lever, use_.least_set_rows);
      if (numbers.empty()) continue;
      levers_.push_back(&lever);
      numbers_.push_back(std::move(numbers));
    }
  }

  // Loads of the hidden causes and intercepts of the groups, by least squares inside of the groups.
  void estimate() {
    std::vector<std::size_t> all(rows_.conditions.size());
    std::iota(all.begin(), all.end(), 0);
    const MatrixXd conditions = design_of(data_, rows_, all);
    MatrixXd design(count(), conditions.cols() + static_cast<Index>(numbers_.size()));
    design.leftCols(conditions.cols()) = conditions;
    for (std::size_t h = 0; h < numbers_.size(); ++h) {
      design.col(conditions.cols() + static_cast<Index>(h)) = Eigen::Map<const VectorXd>(numbers_[h].data(), count());
    }
    const VectorXd target = Eigen::Map<const VectorXd>(rows_.target.data(), count());
    MatrixXd within(design.rows(), design.cols());
    for (Index c = 0; c < design.cols(); ++c) within.col(c) = grouping_.centred(design.col(c), weights_);
    const VectorXd own = grouping_.centred(target, weights_);
    const double freedom = std::max(1.0, static_cast<double>(count() - design.cols()) -
                                             static_cast<double>(std::max<std::size_t>(1, grouping_.sizes.size())));
    if (!numbers_.empty()) estimate_loads(within, own, freedom, conditions.cols());
    adjusted_ = target;
    for (std::size_t h = 0; h < numbers_.size(); ++h)
      adjusted_ -= loads_[h] * Eigen::Map<const VectorXd>(numbers_[h].data(), count());
    if (grouping_.empty()) return;
    const VectorXd left = grouping_.centred(adjusted_, weights_);
    const VectorXd slopes = least_squares(within.leftCols(conditions.cols()), left, weights_).coefficients;
    const VectorXd residual = left - within.leftCols(conditions.cols()) * slopes;
    const double variance = residual.dot(weights_.asDiagonal() * residual) / freedom;
    estimate_groups(conditions, within, adjusted_ - conditions * slopes, variance);
  }

  void estimate_loads(const MatrixXd& within, const VectorXd& own, double freedom, Index first) {
    VectorXd weights = weights_;
    LeastSquares fit = least_squares(within, own, weights);
    // What a hidden cause adds is explained where the lever took its own course, and noise where it was set.
    VectorXd residual = own - within * fit.coefficients;
    double free_squares = 0.0;
    double free_weight = 0.0;
    double set_squares = 0.0;
    double set_weight = 0.0;
    const auto was_set = [&](std::size_t i) {
      return std::any_of(levers_.begin(), levers_.end(),
                         [&](const RowUse::Lever* lever) { return lever->set[rows_.rows[i]] != 0; });
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto at = static_cast<Index>(i);
      (was_set(i) ? set_squares : free_squares) += weights_[at] * residual[at] * residual[at];
      (was_set(i) ? set_weight : free_weight) += weights_[at];
    }
    const double ratio =
        free_weight > 0.0 && set_squares > 0.0 ? (free_squares / free_weight) / (set_squares / set_weight) : 1.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (was_set(i)) weights[static_cast<Index>(i)] *= std::clamp(ratio, 0.01, 1.0);
    }
    fit = least_squares(within, own, weights);
    residual = own - within * fit.coefficients;
    const double variance = residual.dot(weights.asDiagonal() * residual) / freedom;
    noise_variance_ = variance;
    for (std::size_t h = 0; h < numbers_.size(); ++h) {
      const Index at = first + static_cast<Index>(h);
      const double raw = fit.coefficients[at];
      // The variance between what both kinds of rows say, estimated from their contradiction: none where that is no
      // larger than chance, and then all rows count alike.
      const double share = std::max(0.0, 1.0 - variance * fit.inverse(at, at) / std::max(raw * raw, 1e-300));
      loads_.push_back(share * raw);
    }
  }

  void estimate_groups(const MatrixXd& conditions, const MatrixXd& within, const VectorXd& left, double variance) {
    VectorXd means = grouping_.means(left, weights_);
    std::vector<Index> present;
    for (std::size_t g = 0; g < grouping_.sizes.size(); ++g) {
      if (grouping_.sizes[g] > 0.0) present.push_back(static_cast<Index>(g));
    }
    if (present.size() < 2) return;
    // What is the same in all rows of a group says what its intercept is expected to be.
    std::vector<Index> between;
    for (Index c = 0; c < conditions.cols(); ++c) {
      const double total = (conditions.col(c).array() - conditions.col(c).mean()).square().mean();
      if (within.col(c).squaredNorm() / static_cast<double>(count()) < kConstantWithin * total) between.push_back(c);
    }
    if (!between.empty() && present.size() >= between.size() + 5) {
      MatrixXd by_group(static_cast<Index>(present.size()), static_cast<Index>(between.size()));
      for (std::size_t c = 0; c < between.size(); ++c) {
        const VectorXd own = grouping_.means(conditions.col(between[c]), weights_);
        for (std::size_t g = 0; g < present.size(); ++g)
          by_group(static_cast<Index>(g), static_cast<Index>(c)) = own[present[g]];
      }
      by_group.rowwise() -= by_group.colwise().mean().eval();
      VectorXd own(static_cast<Index>(present.size()));
      for (std::size_t g = 0; g < present.size(); ++g) own[static_cast<Index>(g)] = means[present[g]];
      const VectorXd expected =
          by_group * least_squares(by_group, own.array() - own.mean(), VectorXd::Ones(own.size())).coefficients;
      for (std::size_t g = 0; g < present.size(); ++g) means[present[g]] -= expected[static_cast<Index>(g)];
    }
    const auto groups = static_cast<double>(present.size());
    double mean = 0.0;
    double inverse_size = 0.0;
    for (const Index g : present) {
      mean += means[g] / groups;
      inverse_size += 1.0 / grouping_.sizes[static_cast<std::size_t>(g)] / groups;
    }
    double squares = 0.0;
    for (const Index g : present) squares += (means[g] - mean) * (means[g] - mean) / (groups - 1.0);
    const double by_chance = variance * inverse_size;
    if (!(squares > by_chance * (1.0 + kGroupSignificance * std::sqrt(2.0 / (groups - 1.0))))) return;
    const double among = squares - by_chance;
    parts_.effects.assign(grouping_.sizes.size(), 0.0);
    parts_.spreads.assign(grouping_.sizes.size(), std::sqrt(among));
    raw_effects_.assign(grouping_.sizes.size(), 0.0);
    for (const Index g : present) {
      const auto at = static_cast<std::size_t>(g);
      const double own = variance / grouping_.sizes[at];
      raw_effects_[at] = means[g] - mean;
      parts_.effects[at] = raw_effects_[at] * among / (among + own);
      parts_.spreads[at] = std::sqrt(among * own / (among + own));
    }
  }

  std::shared_ptr<const ConditionalSampler> fit_inner() {
    const bool moved = std::any_of(loads_.begin(), loads_.end(), [](double load) { return load != 0.0; });
    if (!moved && raw_effects_.empty()) {
      parts_.inner = fit_to(rows_.target, data_.target_column, {});
      return make_acted(std::move(parts_));
    }
    parts_.additive = is_additive();
    if (!parts_.additive) return fit_with_terms();
    for (std::size_t h = 0; h < loads_.size(); ++h) {
      if (loads_[h] != 0.0) parts_.hidden.push_back({name_of(*levers_[h]), loads_[h], 1.0});
    }
    std::vector<double> values(adjusted_.data(), adjusted_.data() + adjusted_.size());
    for (std::size_t i = 0; i < values.size() && !raw_effects_.empty(); ++i)
      values[i] -= raw_effects_[grouping_.of_row[i]];
    parts_.offset = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double squares = 0.0;
    for (const double value : values) squares += (value - parts_.offset) * (value - parts_.offset);
    parts_.scale = std::sqrt(squares / static_cast<double>(values.size()));
    if (!(parts_.scale > 0.0)) parts_.scale = 1.0;
    for (double& value : values) value = (value - parts_.offset) / parts_.scale;
    SamplerColumn column = data_.target_column;
    column.mean = data_.target_column.restore(parts_.offset);
    column.sd = data_.target_column.sd * parts_.scale;
    parts_.inner = fit_to(values, column, {});
    if (moved && calm_set_rows(values)) parts_.inner = fit_to(values, column, {});
    return make_acted(std::move(parts_));
  }

  // The hidden cause is noise in rows in which the lever was set, and a term of its own when one draws: what these rows
  // are off is made as small as it is in the others. False where they are few.
  bool calm_set_rows(std::vector<double>& values) const {
    double variance = 0.0;
    for (const double load : loads_) variance += load * load;
    const double factor = std::sqrt(noise_variance_ / (noise_variance_ + variance));
    std::vector<Condition> inputs;
    for (const std::vector<double>& condition : rows_.conditions) inputs.push_back({condition.data(), false});
    const std::vector<double> noise(parts_.inner->noise_entries() * values.size(), 0.0);
    std::vector<double> centre(values.size());
    const auto run = parts_.inner->start(noise, values.size());
    run->forgo_gradient();
    run->sample(inputs, 0.0, centre);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool was_set = std::any_of(levers_.begin(), levers_.end(),
                                       [&](const RowUse::Lever* lever) { return lever->set[rows_.rows[i]] != 0; });
      if (!was_set) continue;
      values[i] = centre[i] + factor * (values[i] - centre[i]);
      ++changed;
    }
    return static_cast<double>(changed) > kNoticeableShareOfRows * static_cast<double>(values.size());
  }

  // Levels, counts and positive numbers cannot be shifted: what moves them is a condition more.
  std::shared_ptr<const ConditionalSampler> fit_with_terms() {
    std::vector<std::vector<double>> terms;
    const auto add = [&](std::vector<double> values) {
      double squares = 0.0;
      for (const double value : values) squares += value * value;
      const double divisor = std::max(std::sqrt(squares / static_cast<double>(values.size())), 1e-12);
      for (double& value : values) value /= divisor;
      terms.push_back(std::move(values));
      return divisor;
    };
    for (std::size_t h = 0; h < loads_.size(); ++h) {
      if (loads_[h] != 0.0) parts_.hidden.push_back({name_of(*levers_[h]), 1.0, add(numbers_[h])});
    }
    if (!parts_.effects.empty()) {
      std::vector<double> values;
      for (const std::size_t group : grouping_.of_row) values.push_back(parts_.effects[group]);
      parts_.group_divisor = add(std::move(values));
    }
    parts_.inner = fit_to(rows_.target, data_.target_column, terms);
    return make_acted(std::move(parts_));
  }

  const std::string& name_of(const RowUse::Lever& lever) const { return data_.condition_names[lever.condition]; }

  std::shared_ptr<const ConditionalSampler> fit_to(std::span<const double> target, const SamplerColumn& column,
                                                   const std::vector<std::vector<double>>& terms) const {
    SamplerData own = data_;
    own.target = target;
    own.target_column = column;
    own.conditions.assign(rows_.conditions.begin(), rows_.conditions.end());
    if (parts_.marginal) own.condition_columns.clear();
    for (const std::vector<double>& term : terms) {
      own.conditions.emplace_back(term);
      own.condition_columns.emplace_back();
    }
    const ActedParts* const of_like = like_ == nullptr ? nullptr : acted_parts(*like_);
    const ConditionalSampler* const like = of_like == nullptr ? like_ : of_like->inner.get();
    if (like != nullptr && like->conditions() == own.conditions.size())
      return refit_kind(kind_, *like, own, options_, context_);
    return fit_kind(kind_, own, options_, context_);
  }

  const SamplerKind& kind_;
  const SamplerData& data_;
  const SamplerOptions& options_;
  const RowUse& use_;
  const ConditionalSampler* like_;
  const Context& context_;
  RowSelection rows_;
  VectorXd weights_;
  Grouping grouping_;
  std::vector<const RowUse::Lever*> levers_;
  std::vector<std::vector<double>> numbers_;  // of each of them
  std::vector<double> loads_;                 // the same
  std::vector<double> raw_effects_;           // of the groups, not shrunk
  VectorXd adjusted_;                         // the target less what the hidden causes add
  double noise_variance_ = 0.0;
  ActedParts parts_;
};

}  // namespace

RowUse row_use(const TaskRows& rows, const std::string& variable, std::span<const std::string> conditions,
               const std::vector<std::vector<std::string>>& before) {
  RowUse use;
  if (const TaskRows::Set* const own = rows.find(variable)) use.own = own->rows;
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    const TaskRows::Set* const set = rows.find(conditions[k]);
    if (set == nullptr) continue;
    RowUse::Lever& lever = use.levers.emplace_back(RowUse::Lever{k, set->rows, {}});
    for (std::size_t other = 0; other < conditions.size(); ++other) {
      if (std::find(before[k].begin(), before[k].end(), conditions[other]) != before[k].end())
        lever.before.push_back(other);
    }
  }
  use.groups = rows.groups;
  use.group_count = rows.group_names.size();
  use.weights = rows.weights;
  return use;
}

std::shared_ptr<const ConditionalSampler> fit_on_rows(const SamplerKind& kind, const SamplerData& data,
                                                      const SamplerOptions& options, const RowUse& use,
                                                      const ConditionalSampler* like, const Context& context) {
  if (use.plain()) {
    return like == nullptr ? fit_kind(kind, data, options, context) : refit_kind(kind, *like, data, options, context);
  }
  return RowFit(kind, data, options, use, like, context).run();
}

std::shared_ptr<const ConditionalSampler> combine_tables(
    std::vector<std::shared_ptr<const ConditionalSampler>> models) {
  const auto shares = [](const auto& model) { return !model->shared_noise().empty(); };
  if (models.size() == 1 || std::none_of(models.begin(), models.end(), shares)) return make_mixture(std::move(models));
  // Terms that several variables share stand outside of the mixture.
  ActedParts outer = *acted_parts(**std::find_if(models.begin(), models.end(), shares));
  const auto same_terms = [&](const std::shared_ptr<const ConditionalSampler>& model) {
    const ActedParts* const own = acted_parts(*model);
    return own != nullptr && own->hidden.size() == outer.hidden.size() && own->effects.size() == outer.effects.size();
  };
  // As conditions of the models they are the same in all of them, or the models cannot be mixed.
  if (!outer.additive) std::erase_if(models, [&](const auto& model) { return !same_terms(model); });
  const auto tables = static_cast<double>(models.size());
  for (ActedParts::Hidden& hidden : outer.hidden) {
    if (outer.additive) hidden.load = 0.0;
  }
  std::fill(outer.effects.begin(), outer.effects.end(), 0.0);
  std::fill(outer.spreads.begin(), outer.spreads.end(), 0.0);
  for (std::shared_ptr<const ConditionalSampler>& model : models) {
    const ActedParts* const own = acted_parts(*model);
    if (own == nullptr) continue;
    for (ActedParts::Hidden& hidden : outer.hidden) {
      for (const ActedParts::Hidden& other : own->hidden) {
        if (outer.additive && other.variable == hidden.variable) hidden.load += other.load / tables;
      }
    }
    for (std::size_t g = 0; g < own->effects.size() && g < outer.effects.size(); ++g) {
      outer.effects[g] += own->effects[g] / tables;
      outer.spreads[g] += own->spreads[g] / tables;
    }
    ActedParts alone = *own;
    alone.hidden.clear();
    alone.effects.clear();
    alone.spreads.clear();
    model = outer.additive ? make_acted(std::move(alone)) : own->inner;
  }
  outer.offset = 0.0;
  outer.scale = 1.0;
  outer.inner = make_mixture(std::move(models));
  return make_acted(std::move(outer));
}

}  // namespace olem::internal::sampling
