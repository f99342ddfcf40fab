#include "decide/member_claims.h"

#include "decide/so_far.h"
#include "olem/parallel.h"
#include "olem/random.h"

namespace olem::internal {

namespace {

constexpr std::size_t kFunctionsAtOnce = 8;
constexpr double kMostTimesDraws = 4.0;

double expit(double a) { return 1.0 / (1.0 + std::exp(-a)); }

double variance_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0.0;
  const auto n = static_cast<double>(values.size());
  double mean = 0.0;
  for (const double value : values) mean += value / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / (n - 1.0);
}

double mean_square_off(const std::vector<double>& shares, double success) {
  double sum = 0.0;
  for (const double share : shares) {
    const double off = logit(share) - logit(success);
    sum += off * off / static_cast<double>(shares.size());
  }
  return sum;
}

}  // namespace

std::vector<double> logits_of(const std::vector<double>& shares) {
  std::vector<double> logits;
  for (const double share : shares) logits.push_back(logit(share));
  return logits;
}

Ends ends_of(double success, double variance, double quantile) {
  const double half = quantile * std::sqrt(variance);
  const double low = expit(logit(success) - half);
  const double high = expit(logit(success) + half);
  return {low <= kClip ? 0.0 : low, high >= 1.0 - kClip ? 1.0 : high};
}

MemberDraws::MemberDraws(const DecisionProblem& problem, std::shared_ptr<const SamplerSet> samplers, int draws,
                         std::uint64_t noise, double caution, const Context& context,
                         std::span<const AlterationRule> rules)
    : problem_(problem),
      samplers_(std::move(samplers)),
      caution_(caution),
      context_(context),
      prepared_(prepare_objective(problem.region, *samplers_, context)) {
  plan_.context = known_values(problem);
  plan_.hidden = hidden_for(problem, samplers_);
  if (!rules.empty()) {
    std::vector<Rule> own;
    for (const AlterationRule& rule : rules) {
      own.push_back(rule_for(rule, *samplers_, rules));
      const std::vector<std::string> names = parameter_names(*samplers_, own.back());
      parameters_.insert(parameters_.end(), names.begin(), names.end());
      weights_.insert(weights_.end(), own.back().weights.begin(),
                      own.back().weights.begin() + static_cast<std::ptrdiff_t>(own.back().parameters()));
    }
    samplers_ = with_rules(*samplers_, own);
  }
  plan_.unknown = problem.unknown;
  plan_.context_model = problem.context_model;
  plan_.outcomes = problem.region.outcomes();
  plan_.draws = static_cast<std::size_t>(draws);
  plan_.noise = noise;
  plan_.with_gradient = false;
}

std::vector<unsigned char> MemberDraws::inside(const Values& values) {
  return prepared_.objective.inside(sample(values));
}

double MemberDraws::success(const Values& values, OutcomeDraws* kept) {
  const OutcomeDraws& draws = sample(values);
  if (kept != nullptr) *kept = draws;
  return prepared_.objective.success(draws);
}

void MemberDraws::hold_functions(std::uint64_t which, const Values& values) {
  arrange(values);
  sampler_->hold_functions(which);
}

void MemberDraws::arrange(const Values& values) {
  std::vector<std::string> altered;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k]) altered.push_back(problem_.alterable[k].name);
  }
  altered.insert(altered.end(), parameters_.begin(), parameters_.end());
  if (!sampler_) {
    plan_.altered = altered;
    sampler_.emplace(samplers_, plan_, context_);
  } else if (altered != altered_) {
    sampler_->alter(altered);
  }
  altered_ = std::move(altered);
}

const OutcomeDraws& MemberDraws::sample(const Values& values) {
  arrange(values);
  std::vector<double> set;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!values[k]) continue;
    const SamplerVariable& variable = samplers_->variables[samplers_->index(problem_.alterable[k].name)];
    set.push_back(variable.standardise(*values[k]));
  }
  set.insert(set.end(), weights_.begin(), weights_.end());
  return sampler_->sample(set, caution_);
}

Signature signature_of(const SamplerSet& set, const std::vector<std::string>& outcomes) {
  Signature signature;
  std::vector<std::size_t> open;
  for (const std::string& outcome : outcomes) open.push_back(set.index(outcome));
  while (!open.empty()) {
    const SamplerVariable& variable = set.variables[open.back()];
    open.pop_back();
    if (!variable.sampler || !signature.emplace(variable.name, variable.sampler.get()).second) continue;
    const SamplerFacts facts = variable.sampler->facts();
    for (std::size_t k = 0; k < variable.conditions.size(); ++k) {
      if (facts.inputs[k].used) open.push_back(variable.conditions[k]);
    }
  }
  return signature;
}

MemberClaims::MemberClaims(const DecisionProblem& problem, const DecisionOptions& options, const Context& context)
    : problem_(problem), options_(options), context_(context), serial_(context.serial()) {
  std::vector<std::string> outcomes = problem.region.outcomes();
  // What rules answer to matters as much as the outcomes.
  for (const SequenceStep& step : problem.sequence)
    outcomes.insert(outcomes.end(), step.then_observe.begin(), step.then_observe.end());
  const std::vector<const ModelMember*> orders = problem.members->of(MemberKind::kOrder);
  const double share = 1.0 / static_cast<double>(orders.size() + 1);
  std::vector<Signature> signatures = {signature_of(*problem.samplers, outcomes)};
  judges_.push_back({problem.samplers, share});
  judge_of_.push_back(0);
  for (const ModelMember* const order : orders) {
    const Signature own = signature_of(*order->samplers, outcomes);
    const auto place =
        static_cast<std::size_t>(std::find(signatures.begin(), signatures.end(), own) - signatures.begin());
    if (place == signatures.size()) {
      signatures.push_back(own);
      judges_.push_back({order->samplers, 0.0});
    }
    judges_[place].weight += share;
    judge_of_.push_back(place);
  }
  halves_ = problem.members->of(MemberKind::kHalf);
}

int MemberClaims::draws_of(std::size_t judge) const {
  const double stands_for = judges_[judge].weight * static_cast<double>(judge_of_.size());
  return options_.judge_draws * static_cast<int>(std::clamp(std::round(stands_for), 1.0, kMostTimesDraws));
}

std::uint64_t MemberClaims::stream(std::size_t member, bool report) {
  return static_cast<std::uint64_t>(DrawStream::kMembers) + 2 * member + (report ? 1 : 0);
}

double MemberClaims::draws_variance(double success, std::span<const double> by_judge) const {
  double of_draws = 0.0;
  for (std::size_t j = 0; j < judges_.size(); ++j) {
    const double w = judges_[j].weight;
    const double p = clipped(by_judge[j]);
    of_draws += w * w * p * (1.0 - p) / draws_of(j);
  }
  const double p = clipped(success);
  return of_draws / (p * (1.0 - p) * p * (1.0 - p));
}

Ends MemberClaims::interval(const Claim& claim, double quantile) const {
  return ends_of(claim.success, claim.variance(!halves_.empty()), quantile);
}

Claim MemberClaims::of(const Values& values, std::span<const AlterationRule> rules, std::vector<FitDraws>* kept) const {
  Claim claim;
  const std::size_t judges = judges_.size();
  const auto functions = static_cast<std::size_t>(options_.posterior_functions);
  const std::size_t batches = (functions + kFunctionsAtOnce - 1) / kFunctionsAtOnce;
  claim.by_judge.resize(judges);
  claim.by_half.resize(halves_.size());
  claim.by_function.resize(functions);
  std::vector<FitDraws> fits(judges);
  parallel_for(context_, 0, judges + halves_.size() + batches, 1, [&](std::size_t i, std::size_t) {
    if (i < judges) {
      fits[i].samplers = judges_[i].samplers.get();
      fits[i].weight = judges_[i].weight;
      claim.by_judge[i] =
          MemberDraws(problem_, judges_[i].samplers, draws_of(i), stream(i, true), options_.caution, serial_, rules)
              .success(values, &fits[i].draws);
    } else if (i < judges + halves_.size()) {
      const std::size_t h = i - judges;
      claim.by_half[h] = MemberDraws(problem_, halves_[h]->samplers, options_.judge_draws, stream(judges + h, true),
                                     options_.caution, serial_, rules)
                             .success(values);
    } else {
      const std::size_t first = (i - judges - halves_.size()) * kFunctionsAtOnce;
      MemberDraws draws(problem_, problem_.samplers, std::max(10, options_.judge_draws / 2),
                        static_cast<std::uint64_t>(DrawStream::kFunctions), options_.caution, serial_, rules);
      for (std::size_t f = first; f < std::min(functions, first + kFunctionsAtOnce); ++f) {
        draws.hold_functions(f, values);
        claim.by_function[f] = draws.success(values);
      }
    }
  });
  claim.outcomes = mixture_forecasts(fits, problem_.region.outcomes());
  if (kept != nullptr) *kept = std::move(fits);
  claim.success = mean_of(claim.by_judge);
  claim.draws = draws_variance(claim.success, claim.by_judge);
  claim.halves = mean_square_off(claim.by_half, claim.success);
  std::vector<double> orders;
  for (std::size_t m = 1; m < judge_of_.size(); ++m) orders.push_back(logit(claim.by_judge[judge_of_[m]]));
  claim.orders = variance_of(orders);
  claim.functions = variance_of(logits_of(claim.by_function));
  return claim;
}

std::vector<std::vector<double>> MemberClaims::judged(const std::vector<Values>& decisions, bool report) const {
  std::vector<std::vector<double>> by_judge(decisions.size(), std::vector<double>(judges_.size()));
  parallel_for(context_, 0, judges_.size(), 1, [&](std::size_t j, std::size_t) {
    MemberDraws draws(problem_, judges_[j].samplers, draws_of(j), stream(j, report), options_.caution, serial_);
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      serial_.check_interrupt();
      by_judge[i][j] = draws.success(decisions[i]);
    }
  });
  return by_judge;
}

double MemberClaims::mean_of(std::span<const double> by_judge) const {
  double mean = 0.0;
  for (std::size_t j = 0; j < judges_.size(); ++j) mean += judges_[j].weight * by_judge[j];
  return mean;
}

std::vector<double> MemberClaims::means(const std::vector<Values>& decisions, bool report) const {
  std::vector<double> means;
  for (const std::vector<double>& by_judge : judged(decisions, report)) means.push_back(mean_of(by_judge));
  return means;
}

MemberClaims::Band MemberClaims::band(const std::vector<Values>& decisions, std::size_t stride) const {
  Band band;
  if (decisions.empty()) return band;
  const std::vector<std::vector<double>> by_judge = judged(decisions, true);
  for (const std::vector<double>& one : by_judge) band.success.push_back(mean_of(one));
  std::vector<std::size_t> anchors;
  for (std::size_t i = 0; i + 1 < decisions.size(); i += stride) anchors.push_back(i);
  anchors.push_back(decisions.size() - 1);
  // Shares by half-sample and by function, at each anchor.
  const std::size_t functions = static_cast<std::size_t>(options_.posterior_functions);
  std::vector<std::vector<double>> by_half(anchors.size(), std::vector<double>(halves_.size()));
  std::vector<std::vector<double>> by_function(anchors.size(), std::vector<double>(functions));
  parallel_for(context_, 0, halves_.size() + functions, 1, [&](std::size_t i, std::size_t) {
    const bool half = i < halves_.size();
    const int few = std::max(10, options_.judge_draws / 2);
    MemberDraws draws(problem_, half ? halves_[i]->samplers : problem_.samplers, half ? options_.judge_draws : few,
                      half ? stream(judges_.size() + i, true) : static_cast<std::uint64_t>(DrawStream::kFunctions),
                      options_.caution, serial_);
    if (!half) draws.hold_functions(i - halves_.size(), decisions.front());
    for (std::size_t a = 0; a < anchors.size(); ++a) {
      serial_.check_interrupt();
      (half ? by_half[a][i] : by_function[a][i - halves_.size()]) = draws.success(decisions[anchors[a]]);
    }
  });
  std::vector<double> variances;  // beside that of the draws
  for (std::size_t a = 0; a < anchors.size(); ++a) {
    std::vector<double> orders;
    for (std::size_t m = 1; m < judge_of_.size(); ++m) orders.push_back(logit(by_judge[anchors[a]][judge_of_[m]]));
    variances.push_back(
        (halves_.empty() ? variance_of(orders) : mean_square_off(by_half[a], band.success[anchors[a]])) +
        variance_of(logits_of(by_function[a])));
  }
  std::size_t after = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    while (anchors[after] < i) ++after;
    double other = variances[after];
    if (after > 0 && anchors[after] > i) {
      const double share =
          static_cast<double>(i - anchors[after - 1]) / static_cast<double>(anchors[after] - anchors[after - 1]);
      other = (1.0 - share) * variances[after - 1] + share * variances[after];
    }
    const Ends ends = ends_of(band.success[i], other + draws_variance(band.success[i], by_judge[i]), kTwoSided95);
    band.low.push_back(ends.low);
    band.high.push_back(ends.high);
  }
  return band;
}

}  // namespace olem::internal
