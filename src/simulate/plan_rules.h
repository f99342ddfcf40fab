#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "olem/sequence.h"

namespace olem::internal {

// A rule whose names are places among the columns of a simulator.
struct PlacedRule {
  const AlterationRule* rule = nullptr;
  std::size_t lever = 0;
  std::vector<std::size_t> inputs;
  std::vector<std::vector<std::size_t>> others;  // of each limit

  // Everything that has its value before the lever is set.
  std::vector<std::size_t> before() const;

  // What the lever is set to, limits included; value(place) is that of a column in the same row.
  template <class Value>
  double operator()(const Value& value) const {
    std::vector<double> seen;
    for (const std::size_t input : inputs) seen.push_back(value(input));
    double low = rule->low;
    double high = rule->high;
    for (std::size_t l = 0; l < others.size(); ++l) {
      const AlterationRule::Limit& limit = rule->limits[l];
      double room = limit.max;
      for (std::size_t o = 0; o < others[l].size(); ++o) room -= limit.others[o].weight * value(others[l][o]);
      if (limit.weight > 0.0) high = std::min(high, room / limit.weight);
      if (limit.weight < 0.0) low = std::max(low, room / limit.weight);
    }
    return within(seen, low, high);
  }

 private:
  double within(std::span<const double> seen, double low, double high) const;
};

// By the names of the columns. A usage error for a name that is none of them, and for a lever that has two rules.
std::vector<PlacedRule> place_rules(std::span<const AlterationRule> rules, const std::vector<std::string>& names);

// The rule of this column, or null.
const PlacedRule* rule_of(const std::vector<PlacedRule>& rules, std::size_t column);

// The columns in an order in which each stands after those that it depends on; among columns that are free to come next
// the first one comes first. parents[j] are those of column j. A task error that names a lever where a rule answers to
// what the lever itself changes.
std::vector<std::size_t> order_with_rules(std::vector<std::vector<std::size_t>> parents,
                                          const std::vector<PlacedRule>& rules);

}  // namespace olem::internal
