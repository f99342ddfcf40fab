#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "olem/sampler_set.h"
#include "olem/sequence.h"

namespace olem::internal {

// How a lever is set by what was seen, in standardised units of the set. What was seen enters as z = (value - centre) /
// scale, which keeps the weights of one size whatever the present step makes of the inputs.
struct Rule {
  // weight x lever + sum of others <= bound: cuts what the rule says.
  struct Limit {
    double weight = 0.0;
    double bound = 0.0;
    std::vector<std::pair<std::size_t, double>> others;  // places in the set, all settled before the lever is
  };

  std::size_t lever = 0;                    // place in the set, as the inputs
  std::vector<std::size_t> inputs;          //
  std::vector<double> centre;               // one per input
  std::vector<double> scale;                //
  double low = 0.0;                         // ends of the domain
  double high = 0.0;                        //
  std::vector<double> list;                 // the values that are possible, ascending; empty: every number
  std::vector<std::vector<double>> levels;  // of each input, where the rule is a table; empty otherwise
  bool squares = false;                     // of z beside z itself
  std::vector<Limit> limits;
  // Table: one per cell, the last input fastest: the value. Otherwise constant, slopes, squares; with a list these for
  // each value in turn, as its score.
  std::vector<double> weights;

  bool is_table() const { return !levels.empty(); }
  std::size_t features() const { return 1 + (squares ? 2 : 1) * inputs.size(); }  // of one sum
  std::size_t size() const;                                                       // of weights
  // Weights that a gradient can find: of a lever with a list there are none.
  std::size_t parameters() const { return list.empty() ? size() : 0; }
  // The same value whatever is seen.
  void set_constant(double value);
  // The same rule, with squares of weight 0 where it is a sum without them.
  void add_squares();
  // The same rule by another centre and scale of its inputs.
  void reframe(const std::vector<double>& new_centre, const std::vector<double>& new_scale);
  // The cell of a table.
  std::size_t cell(const std::vector<double>& seen) const;
};

// The set in which the lever of each rule follows it, its parameters being further variables, at the end of the set,
// that are to be set: so that draws, gradients and what is drawn anew are those of any decision. A lever's place and
// the noise of all variables stay as they are.
std::shared_ptr<const SamplerSet> with_rules(const SamplerSet& set, const std::vector<Rule>& rules);

// A rule that was found with one fit, for the samplers of another. An input that stands behind the lever there counts
// with its mean. Limits are those of the other order: of the levers that have one of `rules`, those behind this one are
// settled after it; all others are set before.
Rule rule_for(const AlterationRule& rule, const SamplerSet& set, std::span<const AlterationRule> rules);

// Names of the parameters of a rule in that set.
std::vector<std::string> parameter_names(const SamplerSet& set, const Rule& rule);

}  // namespace olem::internal
