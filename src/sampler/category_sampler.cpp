#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sampler/gp/gp_blocks.h"
#include "sampler/input_encoding.h"
#include "sampler/kinds.h"
#include "sampler/latent_process.h"
#include "sampler/level_draws.h"
#include "sampler/levels_sampler.h"

namespace olem::internal::sampling {

namespace {

constexpr double kCategoryVarianceLimit = 1.0;
constexpr int kCategoryTrainings = 2;
constexpr int kCycles = 12;                      // over the levels, in each training
constexpr std::size_t kMostNonlinearLevels = 8;  // with more, one process each would take long
constexpr std::size_t kMostCategories = 1000;    // that a stored sampler may have
constexpr double kModeration =
    std::numbers::pi / 8.0;  // MacKay (1992): a logit of variance v is worth 1/sqrt(1 + pi v/8)

struct CategoryParts {
  std::vector<double> levels;         // ascending, standardised
  std::vector<double> base;           // ln shares of the levels
  std::vector<GpOnInputs> processes;  // one per level
  std::size_t rows = 0;
  std::vector<SamplerScore> scores;
};

// Probabilities from means and variances of the processes, one per level.
void moderate(const CategoryParts& parts, std::span<const double> means, std::span<const double> variances,
              std::span<double> p) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = parts.base[k] + means[k] / std::sqrt(1.0 + kModeration * variances[k]);
    largest = std::max(largest, p[k]);
  }
  double sum = 0.0;
  for (double& value : p) sum += value = std::exp(value - largest);
  for (double& value : p) value /= sum;
}

class CategoryRun : public SamplerRun {
 public:
  CategoryRun(const CategoryParts& parts, std::span<const double> noise, std::size_t draws)
      : parts_(parts), uniform_(draws), inputs_(parts.processes.size()) {
    for (const GpOnInputs& process : parts.processes) evaluators_.emplace_back(process.model);
    for (std::size_t i = 0; i < draws; ++i) uniform_[i] = 0.5 * std::erfc(-noise[i] * std::numbers::sqrt2 / 2.0);
  }

  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override {
    caution_ = caution;
    const std::size_t levels = parts_.levels.size();
    for (std::size_t k = 0; k < levels; ++k) {
      parts_.processes[k].pick(conditions, inputs_[k]);
      evaluators_[k].evaluate(inputs_[k], y.size(), caution > 0.0);
    }
    cumulative_.resize(levels);
    for (std::size_t i = 0; i < y.size(); ++i) {
      fill_cumulative(i);
      if (temperature_ > 0.0) {
        y[i] = relaxed_level(parts_.levels, cumulative_, logit_of(uniform_[i]), temperature_, nullptr);
      } else {
        const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end() - 1, uniform_[i]);
        y[i] = parts_.levels[static_cast<std::size_t>(found - cumulative_.begin())];
      }
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    if (!(temperature_ > 0.0)) return;
    const std::size_t levels = parts_.levels.size();
    const std::size_t n = adjoint.size();
    std::vector<double> by_cumulative(levels - 1);
    std::vector<double> by_mean(levels * n, 0.0);
    std::vector<double> by_variance(caution_ > 0.0 ? levels * n : 0, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (adjoint[i] == 0.0) continue;
      fill_cumulative(i);
      relaxed_level(parts_.levels, cumulative_, logit_of(uniform_[i]), temperature_, by_cumulative.data());
      for (std::size_t j = 0; j < levels; ++j) {
        double by_logit = 0.0;
        for (std::size_t k = 0; k + 1 < levels; ++k)
          by_logit += by_cumulative[k] * p_[j] * ((j <= k ? 1.0 : 0.0) - cumulative_[k]);
        by_logit *= adjoint[i];
        const double square = 1.0 + kModeration * variances_[j];
        by_mean[j * n + i] = by_logit / std::sqrt(square);
        if (caution_ > 0.0) {
          by_variance[j * n + i] =
              -0.5 * by_logit * means_[j] * kModeration * caution_ * caution_ / (square * std::sqrt(square));
        }
      }
    }
    for (std::size_t j = 0; j < levels; ++j) {
      parts_.processes[j].pick(gradients, targets_);
      evaluators_[j].add_gradient(
          std::span(by_mean).subspan(j * n, n),
          caution_ > 0.0 ? std::span<const double>(by_variance).subspan(j * n, n) : std::span<const double>(),
          targets_);
    }
  }

  void forgo_gradient() override {
    for (GpEvaluator& evaluator : evaluators_) evaluator.forgo_gradient();
  }
  void relax(double temperature) override { temperature_ = temperature; }
  void hold_function(std::span<const double> normals) override { held_.assign(normals.begin(), normals.end()); }

 private:
  void fill_cumulative(std::size_t i) {
    const std::size_t levels = parts_.levels.size();
    means_.resize(levels);
    variances_.assign(levels, 0.0);
    p_.resize(levels);
    for (std::size_t k = 0; k < levels; ++k) {
      means_[k] = evaluators_[k].mean()[i];
      if (!(caution_ > 0.0)) continue;
      const double variance = caution_ * caution_ * evaluators_[k].variance()[i];
      if (held_.empty()) {
        variances_[k] = variance;
      } else {
        means_[k] += std::sqrt(variance) * held_[k];
      }
    }
    moderate(parts_, means_, variances_, p_);
    double sum = 0.0;
    for (std::size_t k = 0; k < levels; ++k) cumulative_[k] = sum += p_[k];
  }

  const CategoryParts& parts_;
  std::vector<double> uniform_;
  std::vector<double> held_;  // of each level; empty: the spread is part of the probabilities
  std::vector<GpEvaluator> evaluators_;
  std::vector<std::vector<Condition>> inputs_;
  std::vector<double*> targets_;
  std::vector<double> cumulative_;
  std::vector<double> means_;
  std::vector<double> variances_;
  std::vector<double> p_;
  double caution_ = 0.0;
  double temperature_ = 0.0;
};

class CategorySampler : public ConditionalSampler {
 public:
  explicit CategorySampler(CategoryParts parts) : parts_(std::move(parts)) {}

  std::size_t conditions() const override { return parts_.processes.front().conditions; }
  std::size_t noise_entries() const override { return 1; }
  std::size_t function_entries() const override { return parts_.processes.size(); }

  SamplerFacts facts() const override {
    SamplerFacts facts;
    facts.inputs.resize(conditions());
    bool nonlinear = false;
    for (const GpOnInputs& process : parts_.processes) {
      const SamplerFacts own = gp_facts(process);
      nonlinear = nonlinear || process.model.points.points > 0;
      for (std::size_t k = 0; k < own.inputs.size(); ++k) {
        if (std::abs(own.inputs[k].slope) > std::abs(facts.inputs[k].slope))
          facts.inputs[k].slope = own.inputs[k].slope;
        facts.inputs[k].relevance = std::max(facts.inputs[k].relevance, own.inputs[k].relevance);
        facts.inputs[k].used = facts.inputs[k].used || own.inputs[k].used;
      }
    }
    const auto used =
        std::count_if(facts.inputs.begin(), facts.inputs.end(), [](const auto& input) { return input.used; });
    facts.form = fmt::format("category of {} levels: log-odds {} in {} of {} inputs", parts_.levels.size(),
                             nonlinear ? "nonlinear" : "linear", used, conditions());
    facts.additive = false;
    facts.scores = parts_.scores;
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<CategoryRun>(parts_, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    const std::size_t levels = parts_.levels.size();
    const std::vector<double> p = probabilities(conditions, y.size(), caution);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t place = level_place(parts_.levels, y[i]);
      out[i] = std::log(place < levels ? std::max(p[i * levels + place], std::numeric_limits<double>::min())
                                       : 0.5 / (static_cast<double>(parts_.rows) + 1.0));
    }
  }

  bool distribution(std::span<const Condition> conditions, std::span<const double> y, double caution,
                    std::span<double> below, std::span<double> up_to) const override {
    const std::size_t levels = parts_.levels.size();
    const std::vector<double> p = probabilities(conditions, y.size(), caution);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double tolerance = 1e-9 * (1.0 + std::abs(y[i]));
      below[i] = 0.0;
      up_to[i] = 0.0;
      for (std::size_t k = 0; k < levels; ++k) {
        if (parts_.levels[k] < y[i] - tolerance) below[i] += p[i * levels + k];
        if (parts_.levels[k] <= y[i] + tolerance) up_to[i] += p[i * levels + k];
      }
    }
    return true;
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    for (const GpOnInputs& process : parts_.processes) {
      for_gp_blocks(process, conditions, out.size(), true,
                    [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
                      out[at] = std::max(out[at], evaluator.variance()[i]);
                    });
    }
  }
  double extrapolation_limit() const override { return kCategoryVarianceLimit; }

  std::optional<std::vector<double>> slopes(double /*caution*/) const override {
    for (const GpOnInputs& process : parts_.processes) {
      if (!process.inputs.empty()) return std::nullopt;
    }
    return std::vector<double>(conditions(), 0.0);
  }

  bool is_discrete() const override { return true; }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "category";
    state.settings["levels"] = parts_.levels.size();
    state.settings["rows"] = parts_.rows;
    state.arrays.push_back({"levels", parts_.levels});
    state.arrays.push_back({"base", parts_.base});
    for (std::size_t k = 0; k < parts_.processes.size(); ++k) {
      SamplerState process;
      process.kind = "process";
      store_gp(parts_.processes[k], process);
      store_nested(process, fmt::format("level_{}", k), state);
    }
    store_scores(parts_.scores, state);
    return state;
  }

 private:
  // rows x levels, row by row.
  std::vector<double> probabilities(std::span<const Condition> conditions, std::size_t rows, double caution) const {
    const std::size_t levels = parts_.levels.size();
    std::vector<double> means(rows * levels);
    std::vector<double> variances(rows * levels, 0.0);
    for (std::size_t k = 0; k < levels; ++k) {
      for_gp_blocks(parts_.processes[k], conditions, rows, caution > 0.0,
                    [&](std::size_t at, std::size_t i, const GpEvaluator& evaluator) {
                      means[at * levels + k] = evaluator.mean()[i];
                      if (caution > 0.0) variances[at * levels + k] = caution * caution * evaluator.variance()[i];
                    });
    }
    std::vector<double> p(rows * levels);
    for (std::size_t i = 0; i < rows; ++i) {
      moderate(parts_, std::span(means).subspan(i * levels, levels), std::span(variances).subspan(i * levels, levels),
               std::span(p).subspan(i * levels, levels));
    }
    return p;
  }

  CategoryParts parts_;
};

struct FittedCategory {
  CategoryParts parts;
  std::vector<double> held_out;
  SamplerScore score;
};

FittedCategory fit_category_once(const SamplerData& data, const std::vector<double>& levels,
                                 const std::vector<std::size_t>& places, const SamplerOptions& options, bool linear,
                                 const Context& context) {
  const std::size_t rows = places.size();
  const std::size_t count = levels.size();
  FittedCategory fitted;
  CategoryParts& parts = fitted.parts;
  parts.levels = levels;
  parts.rows = rows;
  parts.base.assign(count, 0.0);
  for (const std::size_t place : places) parts.base[place] += 1.0 / static_cast<double>(rows);
  for (double& value : parts.base) value = std::log(value);

  std::vector<LatentProcess> processes;
  for (std::size_t k = 0; k < count; ++k) {
    processes.emplace_back(data.conditions, rows, options.gp, data.index * count + k, linear, context);
  }
  // Given the others, a level against the rest is a logistic regression with an offset.
  std::size_t at = 0;
  std::vector<double> offset(rows);
  const auto choose = [&](std::size_t level) {
    at = level;
    for (std::size_t i = 0; i < rows; ++i) {
      double others = 0.0;
      for (std::size_t j = 0; j < count; ++j) {
        if (j != level) others += std::exp(parts.base[j] + processes[j].values()[i]);
      }
      offset[i] = parts.base[level] - std::log(others);
    }
  };
  const LatentLikelihood likelihood = [&](std::size_t i, double a) -> LatentSlope {
    const double p = logistic_of(offset[i] + a);
    return {(places[i] == at ? 1.0 : 0.0) - p, p * (1.0 - p)};
  };
  for (int training = 0; training < kCategoryTrainings; ++training) {
    for (std::size_t k = 0; k < count; ++k) {
      choose(k);
      processes[k].train(likelihood);
      processes[k].step(likelihood, 2);
    }
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      double moved = 0.0;
      for (std::size_t k = 0; k < count; ++k) {
        choose(k);
        moved = std::max(moved, processes[k].step(likelihood, 2));
      }
      if (moved < 1e-3) break;
    }
  }
  for (const LatentProcess& process : processes) parts.processes.push_back(process.posterior());

  std::vector<double> means(count);
  std::vector<double> variances(count);
  std::vector<double> p(count);
  double sum = 0.0;
  double brier = 0.0;
  for (const std::size_t i : scored_rows(rows)) {
    for (std::size_t k = 0; k < count; ++k) {
      means[k] = processes[k].left_out_mean()[i];
      variances[k] = processes[k].left_out_variance()[i];
    }
    moderate(parts, means, variances, p);
    fitted.held_out.push_back(std::log(std::max(p[places[i]], 1e-12)));
    sum += fitted.held_out.back();
    for (std::size_t k = 0; k < count; ++k) {
      const double off = p[k] - (places[i] == k ? 1.0 : 0.0);
      brier += 0.5 * off * off;
    }
  }
  const auto scored = static_cast<double>(fitted.held_out.size());
  fitted.score = {linear ? "linear" : "nonlinear", sum / scored, brier / scored, false};
  return fitted;
}

}  // namespace

ScoredSampler fit_category(const SamplerData& data, const SamplerOptions& options, const Context& context) {
  const std::vector<double> levels = distinct_levels(data.target);
  std::vector<std::size_t> places;
  for (const double y : data.target) {
    places.push_back(static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), y) - levels.begin()));
  }
  FittedCategory best = fit_category_once(data, levels, places, options, true, context);
  std::vector<SamplerScore> scores;
  if (levels.size() <= kMostNonlinearLevels && !data.conditions.empty()) {
    FittedCategory other = fit_category_once(data, levels, places, options, false, context);
    const bool nonlinear = std::any_of(other.parts.processes.begin(), other.parts.processes.end(),
                                       [](const GpOnInputs& process) { return process.model.points.points > 0; });
    if (nonlinear) {
      if (gain_of(other.held_out, best.held_out, places.size()).sum > 0.0) std::swap(best, other);
      scores.push_back(other.score);
    }
  }
  if (!data.conditions.empty()) scores.push_back(score_shares(places, levels, false));
  best.score.chosen = true;
  scores.insert(scores.begin(), best.score);
  best.parts.scores = scores;
  return {std::make_shared<CategorySampler>(std::move(best.parts)), std::move(best.held_out), std::move(scores)};
}

std::shared_ptr<const ConditionalSampler> restore_category(const SamplerState& state) {
  const StateReader reader(state);
  CategoryParts parts;
  const std::size_t count = reader.count("levels", kMostCategories);
  parts.levels = reader.array("levels", count);
  if (count < 2) reader.fail("it has fewer than two levels");
  if (std::adjacent_find(parts.levels.begin(), parts.levels.end(), std::greater_equal<>()) != parts.levels.end())
    reader.fail("its levels do not ascend");
  parts.base = reader.array("base", count);
  parts.rows = reader.count("rows", std::numeric_limits<std::size_t>::max() / 2);
  for (std::size_t k = 0; k < count; ++k) {
    parts.processes.push_back(read_gp(StateReader(read_nested(state, fmt::format("level_{}", k)))));
    if (parts.processes[k].conditions != parts.processes[0].conditions) reader.fail("its levels have other conditions");
  }
  parts.scores = read_scores(state);
  return std::make_shared<CategorySampler>(std::move(parts));
}

}  // namespace olem::internal::sampling
