#include "decide/hidden_cause.h"

#include <algorithm>
#include <cmath>

namespace olem::internal {

namespace {

constexpr int kStrengths = 20;  // 0, .05, ..., .95
constexpr double kStrengthStep = 0.05;

// A lever or an outcome with the standard deviation of its noise.
struct Noisy {
  std::string name;
  std::size_t place = 0;  // of the lever among the alterable variables, of the outcome among the outcomes
  double noise_sd = 0.0;
};

}  // namespace

HiddenCause hidden_cause(const PreparedProblem& prepared, const Setting& setting, const OutcomeDraws& draws,
                         double without_action) {
  HiddenCause cause;
  const SamplerSet& samplers = *prepared.problem().samplers;
  const auto take = [&](const std::string& name, std::size_t place, std::vector<Noisy>& list) {
    const SamplerVariable& variable = samplers.variables[samplers.index(name)];
    const SamplerFacts facts = variable.sampler ? variable.sampler->facts() : SamplerFacts();
    if (facts.additive && facts.noise_sd > 0.0) {
      list.push_back({name, place, facts.noise_sd});
    } else {
      cause.left_out.push_back(name);
    }
  };
  std::vector<Noisy> levers;
  std::vector<Noisy> outcomes;
  for (const std::size_t k : altered_by(setting)) take(prepared.problem().alterable[k].name, k, levers);
  const std::vector<std::string> names = prepared.problem().region.outcomes();
  for (std::size_t o = 0; o < names.size(); ++o) take(names[o], o, outcomes);

  OutcomeDraws shifted = draws;
  for (int step = 0; step < kStrengths; ++step) {
    const double r = kStrengthStep * step;
    double least = prepared.objective().success(draws);
    const std::string* lever = nullptr;
    const std::string* outcome = nullptr;
    for (const Noisy& a : levers) {
      const double moved = *setting[a.place] - prepared.expected()[a.place];
      for (const Noisy& y : outcomes) {
        for (const double sign : {-1.0, 1.0}) {
          const double shift = sign * r * r / std::sqrt(1.0 - r * r) * y.noise_sd / a.noise_sd * moved;
          double* const values = shifted.values.data() + y.place * draws.draws;
          const double* const own = draws.values.data() + y.place * draws.draws;
          for (std::size_t i = 0; i < draws.draws; ++i) values[i] = own[i] + shift;
          const double success = prepared.objective().success(shifted);
          if (success < least) {
            least = success;
            lever = &a.name;
            outcome = &y.name;
          }
          std::copy(own, own + draws.draws, values);
        }
      }
    }
    cause.curve.push_back({r, least});
    if (cause.breakdown || least > without_action || lever == nullptr) continue;
    cause.breakdown = r;
    cause.lever = *lever;
    cause.outcome = *outcome;
  }
  return cause;
}

}  // namespace olem::internal
