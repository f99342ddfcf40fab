#include "sampler/levels_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/lapack.h"
#include "sampler/gp/gp_blocks.h"
#include "sampler/kinds.h"
#include "sampler/latent_process.h"
#include "sampler/level_draws.h"

namespace olem::internal::sampling {

namespace {

constexpr double kLevelVarianceLimit = 1.0;  // posterior variance of a logit: a factor of e in the odds
constexpr int kTrainings = 2;                // of the hyper-parameters, as the likelihood's shape becomes known
constexpr int kLevelSteps = 12;
constexpr int kAlternations = 20;  // of thresholds and process
constexpr std::size_t kMostLevels = 1000;
constexpr double kLeastCell = 1e-9;                 // of probability
constexpr double kLogisticSd = 1.8137993642342178;  // pi / sqrt 3

// The integral of logit u over u from 0 to p.
double logit_integral(double p) { return p > 0.0 && p < 1.0 ? p * std::log(p) + (1.0 - p) * std::log1p(-p) : 0.0; }

struct LevelsParts {
  std::string kind;
  std::vector<double> levels;      // ascending, standardised
  std::vector<double> thresholds;  // one less
  GpOnInputs process;
  std::size_t rows = 0;  // that it was fitted to
  std::vector<SamplerScore> scores;

  // P(level <= k) for a ~ N(mean, variance).
  double cumulative(std::size_t k, double mean, double variance) const {
    return mean_logistic(thresholds[k] - mean, variance);
  }
  // Of a level that was never seen.
  double unseen() const { return 0.5 / (static_cast<double>(rows) + 1.0); }
};

class LevelsRun : public SamplerRun {
 public:
  LevelsRun(const LevelsParts& parts, std::span<const double> noise, std::size_t draws)
      : parts_(parts), evaluator_(parts.process.model), uniform_(draws) {
    for (std::size_t i = 0; i < draws; ++i) uniform_[i] = 0.5 * std::erfc(-noise[i] * std::numbers::sqrt2 / 2.0);
  }

  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override {
    caution_ = caution;
    parts_.process.pick(conditions, inputs_);
    evaluator_.evaluate(inputs_, y.size(), caution > 0.0);
    const std::size_t steps = parts_.thresholds.size();
    cumulative_.resize(steps);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double mean = mean_of_draw(i);
      const double variance = variance_of_draw(i);
      if (temperature_ > 0.0) {
        for (std::size_t k = 0; k < steps; ++k) cumulative_[k] = parts_.cumulative(k, mean, variance);
        y[i] = relaxed_level(parts_.levels, cumulative_, logit_of(uniform_[i]), temperature_, nullptr);
        continue;
      }
      y[i] = exact_level(i, mean, variance);
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    if (!(temperature_ > 0.0)) return;
    const std::size_t steps = parts_.thresholds.size();
    std::vector<double> by_cumulative(steps);
    by_mean_.assign(adjoint.size(), 0.0);
    by_variance_.assign(caution_ > 0.0 ? adjoint.size() : 0, 0.0);
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      if (adjoint[i] == 0.0) continue;
      const double mean = evaluator_.mean()[i];
      const double variance = variance_of_draw(i);
      for (std::size_t k = 0; k < steps; ++k) cumulative_[k] = parts_.cumulative(k, mean, variance);
      relaxed_level(parts_.levels, cumulative_, logit_of(uniform_[i]), temperature_, by_cumulative.data());
      for (std::size_t k = 0; k < steps; ++k) {
        const MeanLogisticSlopes slopes = mean_logistic_slopes(parts_.thresholds[k] - mean, variance);
        by_mean_[i] -= adjoint[i] * by_cumulative[k] * slopes.by_mean;
        if (caution_ > 0.0) by_variance_[i] += adjoint[i] * by_cumulative[k] * slopes.by_variance * caution_ * caution_;
      }
    }
    parts_.process.pick(gradients, targets_);
    evaluator_.add_gradient(by_mean_, by_variance_, targets_);
  }

  void forgo_gradient() override { evaluator_.forgo_gradient(); }
  void relax(double temperature) override { temperature_ = temperature; }
  bool move_noise(std::span<const double> offsets, std::span<double> y) override {
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = exact_level(i, mean_of_draw(i) + offsets[i] * kLogisticSd, variance_of_draw(i));
    return true;
  }
  void hold_function(std::span<const double> normals) override {
    held_ = normals.empty() ? std::nullopt : std::optional(normals.front());
  }

 private:
  double exact_level(std::size_t i, double mean, double variance) const {
    std::size_t low = 0;  // the first k whose cumulative probability is not below the uniform number
    std::size_t high = parts_.thresholds.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (parts_.cumulative(middle, mean, variance) < uniform_[i]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return parts_.levels[low];
  }

  // Of the latent value. One function has no spread: it lies as a whole above or below the mean.
  double mean_of_draw(std::size_t i) const {
    const double shift = held_ && caution_ > 0.0 ? caution_ * *held_ * std::sqrt(evaluator_.variance()[i]) : 0.0;
    return evaluator_.mean()[i] + shift;
  }
  double variance_of_draw(std::size_t i) const {
    return caution_ > 0.0 && !held_ ? caution_ * caution_ * evaluator_.variance()[i] : 0.0;
  }

  const LevelsParts& parts_;
  GpEvaluator evaluator_;
  std::vector<double> uniform_;
  std::optional<double> held_;
  std::vector<Condition> inputs_;
  std::vector<double*> targets_;
  std::vector<double> cumulative_;
  std::vector<double> by_mean_;
  std::vector<double> by_variance_;
  double caution_ = 0.0;
  double temperature_ = 0.0;
};

class LevelsSampler : public ConditionalSampler {
 public:
  explicit LevelsSampler(LevelsParts parts) : parts_(std::move(parts)) {}

  std::size_t conditions() const override { return parts_.process.conditions; }
  std::size_t noise_entries() const override { return 1; }
  std::size_t function_entries() const override { return 1; }

  SamplerFacts facts() const override {
    SamplerFacts facts = gp_facts(parts_.process);
    facts.form = fmt::format("{}: log-odds {}", parts_.kind, facts.form);
    facts.noise_sd = 0.0;
    facts.additive = false;
    facts.scores = parts_.scores;
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<LevelsRun>(parts_, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    std::vector<double> below(y.size());
    distribution(conditions, y, caution, below, out);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool known = level_place(parts_.levels, y[i]) < parts_.levels.size();
      out[i] = std::log(known ? std::max(out[i] - below[i], std::numeric_limits<double>::min()) : parts_.unseen());
    }
  }

  bool distribution(std::span<const Condition> conditions, std::span<const double> y, double caution,
                    std::span<double> below, std::span<double> up_to) const override {
    for_gp_blocks(parts_.process, conditions, y.size(), caution > 0.0,
                  [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
                    const double variance = caution > 0.0 ? caution * caution * evaluator.variance()[i] : 0.0;
                    const double mean = evaluator.mean()[i];
                    const auto less = static_cast<std::size_t>(
                        std::count_if(parts_.levels.begin(), parts_.levels.end(),
                                      [&](double level) { return level < y[at] - 1e-9 * (1.0 + std::abs(y[at])); }));
                    const auto not_more = static_cast<std::size_t>(
                        std::count_if(parts_.levels.begin(), parts_.levels.end(),
                                      [&](double level) { return level <= y[at] + 1e-9 * (1.0 + std::abs(y[at])); }));
                    const auto up_to_place = [&](std::size_t count) {
                      if (count == 0) return 0.0;
                      return count > parts_.thresholds.size() ? 1.0 : parts_.cumulative(count - 1, mean, variance);
                    };
                    below[at] = up_to_place(less);
                    up_to[at] = up_to_place(not_more);
                  });
    return true;
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    for_gp_blocks(
        parts_.process, conditions, out.size(), true,
        [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) { out[at] = evaluator.variance()[i]; });
  }
  double extrapolation_limit() const override { return kLevelVarianceLimit; }

  std::optional<std::vector<double>> slopes(double /*caution*/) const override {
    if (!parts_.process.inputs.empty()) return std::nullopt;
    return std::vector<double>(conditions(), 0.0);
  }

  bool is_discrete() const override { return true; }

  // The mean of a logistic number between the ends of the level's cell.
  bool noise_behind(std::span<const Condition> conditions, double y, std::span<double> out) const override {
    const std::size_t place = level_place(parts_.levels, y);
    if (place == parts_.levels.size()) return false;
    for_gp_blocks(parts_.process, conditions, out.size(), false,
                  [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
                    const double mean = evaluator.mean()[i];
                    const double lower = place > 0 ? logistic_of(parts_.thresholds[place - 1] - mean) : 0.0;
                    const double upper =
                        place < parts_.thresholds.size() ? logistic_of(parts_.thresholds[place] - mean) : 1.0;
                    const double width = upper - lower;
                    // A cell without width is one point.
                    out[at] = (width > kLeastCell ? (logit_integral(upper) - logit_integral(lower)) / width
                                                  : logit_of(std::clamp(upper, kLeastCell, 1.0 - kLeastCell))) /
                              kLogisticSd;
                  });
    return true;
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = parts_.kind;
    store_gp(parts_.process, state);
    state.settings["levels"] = parts_.levels.size();
    state.settings["rows"] = parts_.rows;
    state.arrays.push_back({"levels", parts_.levels});
    state.arrays.push_back({"thresholds", parts_.thresholds});
    store_scores(parts_.scores, state);
    return state;
  }

 private:
  LevelsParts parts_;
};

// Thresholds, and with `scale` a factor of the values, by Newton's method: the likelihood is log-concave in them.
class Thresholds {
 public:
  Thresholds(std::span<const std::size_t> places, std::size_t levels) : places_(places), values_(levels - 1) {
    std::vector<double> counts(levels, 0.0);
    for (const std::size_t place : places) counts[place] += 1.0;
    double below = 0.0;
    for (std::size_t k = 0; k + 1 < levels; ++k) {
      below += counts[k];
      values_[k] = logit_of(below / static_cast<double>(places.size()));
    }
  }

  const std::vector<double>& values() const { return values_; }

  // Of row i at a: both ends of its cell.
  struct Cell {
    double lower = 0.0;  // distribution functions
    double upper = 1.0;
  };
  Cell cell(std::size_t i, double a) const {
    Cell result;
    const std::size_t k = places_[i];
    if (k > 0) result.lower = logistic_of(values_[k - 1] - a);
    if (k < values_.size()) result.upper = logistic_of(values_[k] - a);
    return result;
  }

  LatentSlope slope(std::size_t i, double a) const {
    const Cell at = cell(i, a);
    return {at.upper + at.lower - 1.0, at.upper * (1.0 - at.upper) + at.lower * (1.0 - at.lower)};
  }

  double log_likelihood(std::span<const double> a, const std::vector<double>& thresholds, double factor) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t k = places_[i];
      const double upper = k < thresholds.size() ? logistic_of(thresholds[k] - factor * a[i]) : 1.0;
      const double lower = k > 0 ? logistic_of(thresholds[k - 1] - factor * a[i]) : 0.0;
      sum += std::log(std::max(upper - lower, std::numeric_limits<double>::min()));
    }
    return sum;
  }

  // Returns the factor.
  double improve(std::span<const double> a, bool with_factor, int steps) {
    const std::size_t p = values_.size() + (with_factor ? 1 : 0);
    double factor = 1.0;
    double current = log_likelihood(a, values_, factor);
    for (int step = 0; step < steps; ++step) {
      std::vector<double> gradient(p, 0.0);
      std::vector<double> hessian(p * p, 0.0);  // downwards
      for (std::size_t i = 0; i < a.size(); ++i) add_row(i, a[i], factor, with_factor, gradient, hessian);
      for (std::size_t k = 0; k < p; ++k) hessian[k * p + k] += 1e-9 + 1e-6 * hessian[k * p + k];
      if (!cholesky_lower(hessian.data(), p)) return factor;
      solve_lower(hessian.data(), p, false, gradient.data(), 1);
      solve_lower(hessian.data(), p, true, gradient.data(), 1);
      bool moved = false;
      for (double size = 1.0; size > 1e-3; size *= 0.5) {
        std::vector<double> next = values_;
        for (std::size_t k = 0; k < values_.size(); ++k) next[k] += size * gradient[k];
        const double next_factor = with_factor ? factor + size * gradient.back() : factor;
        const bool ordered = std::adjacent_find(next.begin(), next.end(), std::greater_equal<>()) == next.end();
        if (!ordered || !(next_factor > 0.0)) continue;
        const double value = log_likelihood(a, next, next_factor);
        if (!(value > current)) continue;
        moved = value > current + 1e-7 * std::abs(current);
        current = value;
        values_ = std::move(next);
        factor = next_factor;
        break;
      }
      if (!moved) break;
    }
    return factor;
  }

 private:
  void add_row(std::size_t i, double a, double factor, bool with_factor, std::vector<double>& gradient,
               std::vector<double>& hessian) const {
    const std::size_t p = gradient.size();
    const std::size_t k = places_[i];
    const bool has_upper = k < values_.size();
    const bool has_lower = k > 0;
    const double upper = has_upper ? logistic_of(values_[k] - factor * a) : 1.0;
    const double lower = has_lower ? logistic_of(values_[k - 1] - factor * a) : 0.0;
    const double width = std::max(upper - lower, 1e-12);
    const double du = upper * (1.0 - upper) / width;
    const double dl = lower * (1.0 - lower) / width;
    // Second derivatives of ln width by the arguments of both ends.
    const double uu = du * du - du * (1.0 - 2.0 * upper);  // downwards
    const double ll = dl * dl + dl * (1.0 - 2.0 * lower);
    const double ul = -du * dl;
    const auto add = [&](std::size_t row, std::size_t column, double value) { hessian[column * p + row] += value; };
    if (has_upper) {
      gradient[k] += du;
      add(k, k, uu);
    }
    if (has_lower) {
      gradient[k - 1] -= dl;
      add(k - 1, k - 1, ll);
    }
    if (has_upper && has_lower) add(k, k - 1, ul);
    if (!with_factor) return;
    const std::size_t last = p - 1;
    gradient[last] -= a * (du - dl);
    if (has_upper) add(last, k, -a * (uu + ul));
    if (has_lower) add(last, k - 1, -a * (ll + ul));
    add(last, last, a * a * (uu + ll + 2.0 * ul));
  }

  std::span<const std::size_t> places_;
  std::vector<double> values_;
};

double crps_of_levels(const LevelsParts& parts, double mean, double variance, std::size_t place) {
  double sum = 0.0;
  for (std::size_t k = 0; k < parts.thresholds.size(); ++k) {
    const double off = parts.cumulative(k, mean, variance) - (place <= k ? 1.0 : 0.0);
    sum += off * off * (parts.levels[k + 1] - parts.levels[k]);
  }
  return sum;
}

struct FittedLevels {
  LevelsParts parts;
  std::vector<double> held_out;
  SamplerScore score;
};

FittedLevels fit_levels_once(const std::string& kind, const SamplerData& data, const std::vector<double>& levels,
                             const std::vector<std::size_t>& places, const SamplerOptions& options, bool linear,
                             const Context& context) {
  const std::size_t rows = data.target.size();
  Thresholds thresholds(places, levels.size());
  LatentProcess process(data.conditions, rows, options.gp, data.index, linear, context);
  const LatentLikelihood likelihood = [&](std::size_t i, double a) { return thresholds.slope(i, a); };
  for (int training = 0; training < kTrainings; ++training) {
    process.train(likelihood);
    for (int round = 0; round < kAlternations; ++round) {
      const double moved = process.step(likelihood, round == 0 ? kLevelSteps : 2);
      // The size of the values and the distances of the thresholds depend on each other so much that alternation alone
      // is slow at first.
      const std::vector<double> before = thresholds.values();
      const double factor = thresholds.improve(process.values(), round < 2 && levels.size() > 2, 5);
      if (factor != 1.0) process.scale_values(factor);
      double most = 0.0;
      for (std::size_t k = 0; k < before.size(); ++k)
        most = std::max(most, std::abs(before[k] - thresholds.values()[k]));
      if (round >= 2 && moved < 1e-3 && most < 1e-3) break;
    }
  }
  FittedLevels fitted;
  fitted.parts = {kind, levels, thresholds.values(), process.posterior(), rows, {}};
  double crps = 0.0;
  for (const std::size_t i : scored_rows(rows)) {
    const double mean = process.left_out_mean()[i];
    const double variance = process.left_out_variance()[i];
    const double upper =
        places[i] < fitted.parts.thresholds.size() ? fitted.parts.cumulative(places[i], mean, variance) : 1.0;
    const double lower = places[i] > 0 ? fitted.parts.cumulative(places[i] - 1, mean, variance) : 0.0;
    fitted.held_out.push_back(std::log(std::max(upper - lower, 1e-12)));
    crps += crps_of_levels(fitted.parts, mean, variance, places[i]);
  }
  const auto count = static_cast<double>(fitted.held_out.size());
  double sum = 0.0;
  for (const double value : fitted.held_out) sum += value;
  fitted.score = {gp_facts(fitted.parts.process).form, sum / count, crps / count, false};
  return fitted;
}

// The nonlinear form in some of the inputs.
FittedLevels fit_levels_among(const std::vector<std::size_t>& inputs, const std::string& kind, const SamplerData& data,
                              const std::vector<double>& levels, const std::vector<std::size_t>& places,
                              const SamplerOptions& options, const Context& context) {
  SamplerData some = data;
  some.conditions.clear();
  some.condition_columns.clear();
  for (const std::size_t k : inputs) some.conditions.push_back(data.conditions[k]);
  FittedLevels fitted = fit_levels_once(kind, some, levels, places, options, false, context);
  fitted.parts.process.conditions = data.conditions.size();
  for (std::size_t& input : fitted.parts.process.inputs) input = inputs[input];
  fitted.score.form = gp_facts(fitted.parts.process).form;
  return fitted;
}

}  // namespace

std::vector<double> distinct_levels(std::span<const double> column) {
  std::vector<double> levels(column.begin(), column.end());
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

ScoredSampler fit_levels(const std::string& kind, const SamplerData& data, const SamplerOptions& options,
                         const Context& context) {
  const std::vector<double> levels = distinct_levels(data.target);
  std::vector<std::size_t> places;
  for (const double y : data.target) {
    places.push_back(static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), y) - levels.begin()));
  }
  FittedLevels best = fit_levels_once(kind, data, levels, places, options, false, context);
  std::vector<SamplerScore> scores;
  const auto is_nonlinear = [](const FittedLevels& fitted) { return fitted.parts.process.model.points.points > 0; };
  if (is_nonlinear(best)) {
    FittedLevels linear = fit_levels_once(kind, data, levels, places, options, true, context);
    if (!(gain_of(best.held_out, linear.held_out, data.target.size()).sum > 0.0)) std::swap(best, linear);
    scores.push_back(linear.score);
  } else if (const std::vector<std::size_t> used = best.parts.process.inputs; used.size() < data.conditions.size()) {
    // Among many inputs that do not matter the search may lose the way to those that do, which a line shows.
    FittedLevels among = fit_levels_among(used, kind, data, levels, places, options, context);
    if (is_nonlinear(among)) {
      if (gain_of(among.held_out, best.held_out, data.target.size()).sum > 0.0) std::swap(best, among);
      scores.push_back(among.score);
    }
  }
  if (!data.conditions.empty()) scores.push_back(score_shares(places, levels, true));
  best.score.chosen = true;
  scores.insert(scores.begin(), best.score);
  best.parts.scores = scores;
  return {std::make_shared<LevelsSampler>(std::move(best.parts)), std::move(best.held_out), std::move(scores)};
}

std::shared_ptr<const ConditionalSampler> restore_levels(const SamplerState& state) {
  const StateReader reader(state);
  LevelsParts parts;
  parts.kind = state.kind;
  parts.process = read_gp(reader);
  const std::size_t count = reader.count("levels", kMostLevels);
  parts.levels = reader.array("levels", count);
  if (count < 2) reader.fail("it has fewer than two levels");
  parts.thresholds = reader.array("thresholds", count - 1);
  const auto ascending = [](const std::vector<double>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
  };
  if (!ascending(parts.levels) || !ascending(parts.thresholds)) reader.fail("its levels do not ascend");
  parts.rows = reader.count("rows", std::numeric_limits<std::size_t>::max() / 2);
  parts.scores = read_scores(state);
  return std::make_shared<LevelsSampler>(std::move(parts));
}

}  // namespace olem::internal::sampling
