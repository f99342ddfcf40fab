#include "decide/hidden_cause.h"

#include <algorithm>
#include <cmath>

namespace olem::internal {

namespace {

constexpr int kStrengths = 20;  // 0, .05, ..., .95
constexpr double kStrengthStep = 0.05;

// The standard deviation of noise that is simply added to a variable; 0 for others.
double plain_noise_sd(const SamplerVariable& variable) {
  if (!variable.sampler) return 0.0;
  const SamplerFacts facts = variable.sampler->facts();
  return facts.additive ? facts.noise_sd : 0.0;
}

// A lever with the noise that stands for its value, in standard deviations, for every draw.
struct NoisyLever {
  std::string name;
  std::vector<double> noise;
};

struct NoisyOutcome {
  std::string name;
  std::size_t place = 0;
  double plain_sd = 0.0;  // 0: its sampler moves the draws
};

std::optional<NoisyLever> noisy_lever(const PreparedProblem& prepared, std::size_t place, double value,
                                      std::size_t draws) {
  const SamplerVariable& variable = prepared.variable(place);
  if (!variable.sampler) return std::nullopt;
  if (const double sd = plain_noise_sd(variable); sd > 0.0)
    return NoisyLever{variable.name, std::vector<double>(draws, (value - prepared.expected()[place]) / sd)};
  if (variable.sampler->facts().additive) return std::nullopt;
  PostDecisionPlan plan = prepared.plan({}, static_cast<int>(draws), DrawStream::kReport);
  plan.outcomes = {variable.name};
  plan.with_gradient = false;
  PostDecisionSampler without(prepared.problem().samplers, plan, prepared.context());
  std::optional<std::vector<double>> noise = without.noise_behind(0, value, {}, prepared.options().caution);
  if (!noise) return std::nullopt;
  return NoisyLever{variable.name, std::move(*noise)};
}

}  // namespace

HiddenCause hidden_cause(const PreparedProblem& prepared, const Setting& setting, PostDecisionSampler& sampler,
                         const std::vector<double>& values, double without_action, std::span<const RuledLever> later) {
  HiddenCause cause;
  const double caution = prepared.options().caution;
  const SamplerSet& samplers = *prepared.problem().samplers;
  const OutcomeDraws draws = sampler.sample(values, caution);
  std::vector<NoisyLever> levers;
  for (const std::size_t k : altered_by(setting)) {
    std::optional<NoisyLever> lever = noisy_lever(prepared, k, *setting[k], draws.draws);
    if (lever) {
      levers.push_back(std::move(*lever));
    } else {
      cause.left_out.push_back(prepared.problem().alterable[k].name);
    }
  }
  for (const RuledLever& ruled : later) {
    const SamplerVariable& variable = prepared.variable(ruled.place);
    const double sd = plain_noise_sd(variable);
    if (!(sd > 0.0)) {
      cause.left_out.push_back(variable.name);
      continue;
    }
    NoisyLever& lever = levers.emplace_back(NoisyLever{variable.name, ruled.values});
    for (double& value : lever.noise) value = (value - prepared.expected()[ruled.place]) / sd;
  }
  std::vector<NoisyOutcome> outcomes;
  const std::vector<std::string> names = prepared.problem().region.outcomes();
  const std::vector<double> unmoved(draws.draws, 0.0);
  for (std::size_t o = 0; o < names.size(); ++o) {
    const SamplerVariable& variable = samplers.variables[samplers.index(names[o])];
    const double sd = plain_noise_sd(variable);
    const bool plain = variable.sampler->facts().additive;
    if (sd > 0.0 || (!plain && sampler.with_moved_noise(o, unmoved, values, caution))) {
      outcomes.push_back({names[o], o, sd});
    } else {
      cause.left_out.push_back(names[o]);
    }
  }

  OutcomeDraws shifted = draws;
  std::vector<double> offsets(draws.draws);
  const double at_once = prepared.objective().success(draws);
  for (int step = 0; step < kStrengths; ++step) {
    const double r = kStrengthStep * step;
    double least = at_once;
    const std::string* lever = nullptr;
    const std::string* outcome = nullptr;
    for (const NoisyLever& a : levers) {
      if (step == 0) break;
      for (const NoisyOutcome& y : outcomes) {
        const auto own = draws.values.begin() + static_cast<std::ptrdiff_t>(y.place * draws.draws);
        const auto to = shifted.values.begin() + static_cast<std::ptrdiff_t>(y.place * draws.draws);
        for (const double sign : {-1.0, 1.0}) {
          const double strength = sign * r * r / std::sqrt(1.0 - r * r);
          for (std::size_t i = 0; i < draws.draws; ++i) offsets[i] = strength * a.noise[i];
          if (y.plain_sd > 0.0) {
            for (std::size_t i = 0; i < draws.draws; ++i)
              to[static_cast<std::ptrdiff_t>(i)] = own[static_cast<std::ptrdiff_t>(i)] + y.plain_sd * offsets[i];
          } else {
            const auto moved = sampler.with_moved_noise(y.place, offsets, values, caution);
            std::copy(moved->begin(), moved->end(), to);
          }
          const double success = prepared.objective().success(shifted);
          if (success < least) {
            least = success;
            lever = &a.name;
            outcome = &y.name;
          }
        }
        std::copy(own, own + static_cast<std::ptrdiff_t>(draws.draws), to);
      }
    }
    cause.curve.push_back({r, least, lever ? *lever : "", outcome ? *outcome : ""});
  }
  find_breakdown(cause, without_action);
  return cause;
}

void find_breakdown(HiddenCause& cause, double without_action) {
  cause.breakdown.reset();
  cause.lever.clear();
  cause.outcome.clear();
  for (const HiddenCause::Point& point : cause.curve) {
    if (point.success > without_action || point.lever.empty()) continue;
    cause.breakdown = point.strength;
    cause.lever = point.lever;
    cause.outcome = point.outcome;
    return;
  }
}

}  // namespace olem::internal
