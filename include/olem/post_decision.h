#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/context_model.h"
#include "olem/named_value.h"
#include "olem/sampler_set.h"
#include "olem/table.h"

namespace olem {

// Variables that are settled without being known, such as causes of something that was seen: every draw has values of
// its own, whatever is decided.
class HiddenDraws {
 public:
  virtual ~HiddenDraws() = default;
  virtual const std::vector<std::string>& names() const = 0;
  // A vector of `draws` values for each name, standardised. A pure function of its arguments; safe to share.
  virtual std::vector<std::vector<double>> draw(std::size_t draws, std::uint64_t noise,
                                                const Context& context) const = 0;
};

// What is known, what is set and what is asked for. Every other variable of the set is drawn if an outcome needs it.
struct PostDecisionPlan {
  std::vector<NamedValue> context;  // observed values, in the user's units
  // Context variables whose values are not known: every draw has values of its own, drawn by `context_model` given the
  // others.
  std::vector<std::string> unknown;
  std::shared_ptr<const ContextModel> context_model;  // needed where something is unknown
  std::shared_ptr<const HiddenDraws> hidden;          // further variables that are drawn so; may be null
  std::vector<std::string> altered;   // set by the decision; alterable variables left alone are not among them
  std::vector<std::string> outcomes;  // none of them altered or context
  std::size_t draws = 1000;
  // Which draws. Samplers with the same number, seed and draws share the noise of every variable, whatever is altered,
  // so that differences between decisions are not chance. Below 2^40.
  std::uint64_t noise = 0;
  // Without, gradient() must not be called, and an evaluation draws only what differs from the latest one.
  bool with_gradient = true;
};

// Outcomes of one evaluation in standardised units.
struct OutcomeDraws {
  std::size_t draws = 0;
  std::vector<double> values;        // outcomes x draws, outcome by outcome in the plan's order
  std::vector<unsigned char> valid;  // per draw; values of others are 0 and must not be used
  std::size_t excluded = 0;          // draws that are not valid
};

// Where a variable's conditions lie relative to the data it was learned from, over the draws of one evaluation.
struct VariableReach {
  std::string variable;
  double median = 0.0;         // of ConditionalSampler::extrapolation
  double share_outside = 0.0;  // of draws above the sampler's limit
};

// Draws outcomes from the distribution after a decision (Order-based Rehearsal Learning, Algorithm 2): along the order
// context and altered variables have their values, the rest come from their samplers. The noise is drawn once, so
// outcomes are a smooth function of the decision, with a gradient.
//
// Only what an outcome needs is drawn; what no altered variable influences is drawn once. When everything between the
// decision and the outcomes is linear, an evaluation is one matrix product. Draws that are not finite or beyond 1e6
// standard deviations are excluded.
//
// Values and outcomes are in standardised units; the set's variables convert. Not to be shared between threads; results
// do not depend on the context's threads.
class PostDecisionSampler {
 public:
  // Throws a usage error for names that are unknown, repeated or in two roles and for values that are not finite, and a
  // data error when a variable must be drawn that has no sampler. Keeps the set alive.
  PostDecisionSampler(std::shared_ptr<const SamplerSet> set, const PostDecisionPlan& plan, const Context& context);
  ~PostDecisionSampler();
  PostDecisionSampler(PostDecisionSampler&&) noexcept;
  PostDecisionSampler& operator=(PostDecisionSampler&&) noexcept;

  // Sets other variables from now on, on the same draws: as a new sampler would, without drawing the noise again.
  // Throws what the constructor throws; after that nothing but another alter() may follow.
  void alter(const std::vector<std::string>& altered);

  // The outcomes when the altered variables take these values, in the plan's order. `caution` multiplies the samplers'
  // posterior spread. The reference stands until the next call.
  const OutcomeDraws& sample(std::span<const double> values, double caution = 1.0);

  // For the latest sample(), at most once and before any other call: d/dvalues of the sum of adjoints x outcomes over
  // valid draws. `adjoints` has the shape of OutcomeDraws::values, `gradient` one entry per altered variable.
  void gradient(std::span<const double> adjoints, std::span<double> gradient);

  // Whether an altered variable reaches an outcome through a discrete variable, the outcome itself included, as now
  // altered: outcomes then jump as functions of the decision, and gradients are those of the continuous paths alone,
  // unless the draws are relaxed.
  bool has_jumps() const;

  // The temperature of the next draws of discrete variables (SamplerRun::relax); 0, as at the start: exact draws.
  void relax(double temperature);

  // One posterior function per variable for all draws, the one with this number: the samplers' own uncertainty is then
  // the same for every draw and not a part of the noise (SamplerRun::hold_function). Nothing, as at the start: every
  // draw has its own. A usage error for a sampler with gradients.
  void hold_functions(std::optional<std::uint64_t> which);

  // For each variable that is drawn, in order, how far from data the decision takes it.
  std::vector<VariableReach> reach(std::span<const double> values, double caution = 1.0);

  // One outcome by its place in the plan, standardised, when the noise of its own sampler is moved by offsets[i] of its
  // standard deviations (SamplerRun::move_noise) and everything else is as in sample(). Nothing where noise is added
  // on no scale.
  std::optional<std::vector<double>> with_moved_noise(std::size_t outcome, std::span<const double> offsets,
                                                      std::span<const double> values, double caution = 1.0);

  // The noise behind a standardised value of an outcome, for every draw (ConditionalSampler::noise_behind).
  std::optional<std::vector<double>> noise_behind(std::size_t outcome, double value, std::span<const double> values,
                                                  double caution = 1.0);

  // All variables that the outcomes need, for every valid draw, in the user's units: context, altered, drawn.
  Table table(std::span<const double> values, double caution = 1.0);

  // Whether any outcome can change with the altered variable at all, per altered variable.
  const std::vector<bool>& influences() const;

 private:
  class Chain;
  std::unique_ptr<Chain> chain_;
};

}  // namespace olem
