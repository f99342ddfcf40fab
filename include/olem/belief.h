#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/context_model.h"
#include "olem/named_value.h"
#include "olem/post_decision.h"
#include "olem/sampler_set.h"

namespace olem {

// One case after something was set and something was seen, all in the user's units.
struct Situation {
  std::vector<NamedValue> context;  // observed before anything was set
  std::vector<std::string> unknown;
  std::shared_ptr<const ContextModel> context_model;  // needed where something is unknown
  std::vector<NamedValue> set;                        // from outside: their causes say nothing about them
  std::vector<NamedValue> seen;                       // took their own course, and were observed
};

// What was seen says something about its causes that were not seen. Their draws given it:
//
// * every model between is linear with normal noise (the sampler "gaussian"): exactly, from the conditional normal
//   distribution;
// * otherwise weighted draws: along the order every hidden cause is drawn, and a draw's weight is the product of the
//   densities of what was seen, each given the draw's conditions. Draws are resampled when their effective number
//   (sum w)^2 / sum w^2 falls below a quarter of them and at the end; below 50 there are four times as many, up to 64
//   times.
//
// docs/methods/sequence.md.
class Belief : public HiddenDraws {
 public:
  // Throws a usage error for names that the set does not know, that are in two roles or have values that are not
  // finite, and a data error for a cause without a sampler.
  Belief(std::shared_ptr<const SamplerSet> set, Situation situation);
  ~Belief() override;

  const std::vector<std::string>& names() const override;
  std::vector<std::vector<double>> draw(std::size_t draws, std::uint64_t noise, const Context& context) const override;

  // Of `draws` weighted draws, before the last resampling, with as many more as it takes; all of them where nothing is
  // hidden or the draws are exact.
  double effective_number(std::size_t draws, const Context& context) const;

  // How unusual what was seen is: the largest distance of a value from what was expected given everything before it, in
  // standard deviations, or where the distribution is known in those of a normal distribution with the same tail.
  double surprise(const Context& context) const;

  bool is_exact() const;

  // The same situation by another fit.
  std::shared_ptr<const Belief> with_samplers(std::shared_ptr<const SamplerSet> set) const;

 private:
  class Model;
  std::unique_ptr<const Model> model_;
};

// The text of the warning "unlikely_observation", or nothing when what was seen is no surprise.
std::vector<Warning> observation_warnings(const Belief& belief, const Situation& situation, const Context& context);

}  // namespace olem
