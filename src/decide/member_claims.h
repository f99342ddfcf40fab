#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/explain/outcome_histogram.h"
#include "decide/objective.h"
#include "decide/prepared_problem.h"
#include "decide/rule_sampler.h"
#include "olem/decision.h"
#include "olem/post_decision.h"

// What the members of a model say of a decision (docs/methods/uncertainty.md).
namespace olem::internal {

inline constexpr double kClip = 0.0005;  // of probabilities before their logits
inline constexpr double kTwoSided95 = 1.959963984540054;
inline constexpr double kTwoSided80 = 1.2815515655446004;

inline double clipped(double p) { return std::clamp(p, kClip, 1.0 - kClip); }
inline double logit(double p) { return std::log(clipped(p) / (1.0 - clipped(p))); }
std::vector<double> logits_of(const std::vector<double>& shares);

struct Ends {
  double low = 0.0;
  double high = 1.0;
};
// On the logit scale. An end at the clip is as good as certain.
Ends ends_of(double success, double variance, double quantile);

// Draws of one fit, whatever is altered. For one thread at a time.
class MemberDraws {
 public:
  // `rules`: of levers of later steps, which then follow them.
  MemberDraws(const DecisionProblem& problem, std::shared_ptr<const SamplerSet> samplers, int draws,
              std::uint64_t noise, double caution, const Context& context, std::span<const AlterationRule> rules = {});

  // Whether each draw is in the region.
  std::vector<unsigned char> inside(const Values& values);
  // `kept`, unless null, becomes the draws.
  double success(const Values& values, OutcomeDraws* kept = nullptr);
  void hold_functions(std::uint64_t which, const Values& values);

 private:
  void arrange(const Values& values);
  const OutcomeDraws& sample(const Values& values);

  const DecisionProblem& problem_;
  std::shared_ptr<const SamplerSet> samplers_;
  double caution_;
  const Context& context_;
  PreparedObjective prepared_;
  PostDecisionPlan plan_;
  std::vector<std::string> parameters_;  // of the rules
  std::vector<double> weights_;          // their values
  std::vector<std::string> altered_;
  std::optional<PostDecisionSampler> sampler_;
};

// The samplers that the outcomes need, with nothing altered: fits that have the same ones say the same.
using Signature = std::map<std::string, const ConditionalSampler*>;
Signature signature_of(const SamplerSet& set, const std::vector<std::string>& outcomes);

// A fit that judges, and for how many members it stands.
struct MeanJudge {
  std::shared_ptr<const SamplerSet> samplers;
  double weight = 0.0;  // the sum over all judges is 1
};

// What the members say of one decision. Variances are those of the logit.
struct Claim {
  double success = 0.0;
  double draws = 0.0;
  double halves = 0.0;
  double orders = 0.0;
  double functions = 0.0;
  std::vector<double> by_judge;
  std::vector<double> by_half;
  std::vector<double> by_function;
  std::vector<OutcomeForecast> outcomes;  // of the fit and the orders together

  double order_part(bool any_halves) const { return any_halves ? std::min(orders, halves) : orders; }
  // Without half-samples the orders are all that is known of the rows.
  double variance(bool any_halves) const { return draws + (any_halves ? halves : orders) + functions; }
};

// The fit, its weighted orders and half-samples, as those who judge decisions on fresh draws.
class MemberClaims {
 public:
  // Keeps the references; the problem must have members.
  MemberClaims(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);

  const std::vector<MeanJudge>& judges() const { return judges_; }        // the fit, and orders that differ
  const std::vector<std::size_t>& judge_of() const { return judge_of_; }  // of the fit and of every weighted order
  const std::vector<const ModelMember*>& halves() const { return halves_; }
  // More draws where a judge stands for several members, or the mean would hang on the chance of its draws.
  int draws_of(std::size_t judge) const;
  // Two streams of draws for each member: for choices, and for what is reported.
  static std::uint64_t stream(std::size_t member, bool report);

  // On draws that no choice has seen. `kept`, unless null, becomes the draws of the fit and the orders.
  Claim of(const Values& values, std::span<const AlterationRule> rules = {},
           std::vector<FitDraws>* kept = nullptr) const;
  Ends interval(const Claim& claim, double quantile) const;

  // The mean over the fit and the orders for each of some decisions that alter the same variables, and its interval
  // (95 %). The part of the variance that is not the draws' is found for every `stride`-th decision and interpolated.
  // The mean is that of of().
  struct Band {
    std::vector<double> success;
    std::vector<double> low;
    std::vector<double> high;
  };
  Band band(const std::vector<Values>& decisions, std::size_t stride) const;
  // The means alone, on the draws that are reported or on those for choices.
  std::vector<double> means(const std::vector<Values>& decisions, bool report) const;

 private:
  // Success of each decision by each judge.
  std::vector<std::vector<double>> judged(const std::vector<Values>& decisions, bool report) const;
  double mean_of(std::span<const double> by_judge) const;
  double draws_variance(double success, std::span<const double> by_judge) const;

  const DecisionProblem& problem_;
  const DecisionOptions& options_;
  const Context& context_;
  Context serial_;
  std::vector<MeanJudge> judges_;
  std::vector<std::size_t> judge_of_;
  std::vector<const ModelMember*> halves_;
};

}  // namespace olem::internal
