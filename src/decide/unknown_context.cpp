#include "decide/unknown_context.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "olem/parallel.h"

namespace olem::internal {

namespace {

constexpr int kWorthDraws = 400;
constexpr int kWorthJudgeDraws = 1000;

// Success alone is compared, on fewer draws and from fewer starts.
DecisionOptions quicker(const DecisionOptions& options) {
  DecisionOptions quick = options;
  quick.draws = std::min(options.draws, kWorthDraws);
  quick.judge_draws = std::min(options.judge_draws, kWorthJudgeDraws);
  quick.restarts = 0;
  quick.screen = std::min(options.screen, 15);
  quick.target = 0.0;
  quick.proposals = 1;
  quick.worth_draws = 0;
  quick.quick = true;
  return quick;
}

// The same decision, whatever is known: its success is all that is asked for.
DecisionProblem settled(DecisionProblem problem, const Decision& decision) {
  problem.fixed.clear();
  problem.left_alone.clear();
  for (const Alteration& alteration : decision.alterations) {
    if (alteration.value) {
      problem.fixed.push_back({alteration.name, *alteration.value});
    } else {
      problem.left_alone.push_back(alteration.name);
    }
  }
  problem.max_alterations.reset();
  problem.constraints.clear();
  return problem;
}

}  // namespace

std::vector<UnknownContext> worth_of_knowing(const DecisionProblem& problem, const Decision& decision,
                                             const DecisionOptions& options, const Context& context) {
  std::vector<UnknownContext> all;
  for (const std::string& name : problem.unknown) all.push_back({name, std::nullopt, std::nullopt});
  const auto draws = static_cast<std::size_t>(options.worth_draws);
  if (all.empty() || draws == 0) return all;
  const DecisionOptions quick = quicker(options);
  const std::vector<std::vector<double>> values =
      draw_unknown(*problem.context_model, problem.context, problem.unknown, draws,
                   static_cast<std::uint64_t>(DrawStream::kWorth), context);
  // A decision for a target is cheap, not the best that can be done without knowing.
  const Decision without = options.target > 0.0 ? decide(problem, quick, context) : decision;
  const Context serial = context.serial();
  std::vector<double> gains(all.size() * draws);
  parallel_for(context, 0, gains.size(), 1, [&](std::size_t piece, std::size_t) {
    const std::size_t k = piece / draws;
    DecisionProblem known = problem;
    known.context.push_back({problem.unknown[k], values[k][piece % draws]});
    known.unknown.erase(known.unknown.begin() + static_cast<std::ptrdiff_t>(k));
    const double best = decide(known, quick, serial).success_probability;
    gains[piece] = best - decide(settled(known, without), quick, serial).success_probability;
  });
  const auto count = static_cast<double>(draws);
  for (std::size_t k = 0; k < all.size(); ++k) {
    double mean = 0.0;
    for (std::size_t i = 0; i < draws; ++i) mean += gains[k * draws + i] / count;
    double squares = 0.0;
    for (std::size_t i = 0; i < draws; ++i) squares += (gains[k * draws + i] - mean) * (gains[k * draws + i] - mean);
    all[k].worth = mean;
    if (draws > 1) all[k].standard_error = std::sqrt(squares / (count - 1.0) / count);
  }
  return all;
}

}  // namespace olem::internal
