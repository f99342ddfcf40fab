#include "decide/subset_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace olem::internal {

namespace {

constexpr double kMostSubsets = 64;  // beyond, a decision would take minutes
constexpr int kExchangeRounds = 3;

// Of sizes 1 to `most`.
double subset_count(std::size_t variables, std::size_t most) {
  double count = 0.0;
  double of_size = 1.0;
  for (std::size_t size = 1; size <= most; ++size) {
    of_size *= static_cast<double>(variables - size + 1) / static_cast<double>(size);
    count += of_size;
  }
  return count;
}

void for_each_subset(const Subset& variables, std::size_t most, std::size_t first, Subset& chosen,
                     const std::function<void(const Subset&)>& visit) {
  for (std::size_t i = first; i < variables.size(); ++i) {
    chosen.push_back(variables[i]);
    visit(chosen);
    if (chosen.size() < most) for_each_subset(variables, most, i + 1, chosen, visit);
    chosen.pop_back();
  }
}

bool shares_constraint(const PreparedProblem& prepared, std::size_t variable, const Subset& others) {
  const std::vector<LeverDomain>& alterable = prepared.problem().alterable;
  for (const AlterationConstraint& constraint : prepared.problem().constraints) {
    const auto holds = [&](std::size_t k) {
      return std::any_of(constraint.weights.begin(), constraint.weights.end(), [&](const NamedValue& weight) {
        const auto level = find_level_of(alterable, weight.name);
        return level ? level->lever == k : weight.name == alterable[k].name;
      });
    };
    if (holds(variable) && std::any_of(others.begin(), others.end(), holds)) return true;
  }
  return false;
}

class Explorer {
 public:
  Explorer(const std::function<double(const Subset&)>& search, const std::function<bool(const Subset&)>& useful)
      : search_(search), useful_(useful) {}

  // A subset with members that change nothing is one of fewer variables.
  double value(Subset subset) {
    std::sort(subset.begin(), subset.end());
    const auto known = values_.find(subset);
    if (known != values_.end()) return known->second;
    const double found = useful_(subset) ? search_(subset) : -1.0;
    values_.emplace(std::move(subset), found);
    return found;
  }

 private:
  const std::function<double(const Subset&)>& search_;
  const std::function<bool(const Subset&)>& useful_;
  std::map<Subset, double> values_;
};

// Forward steps, then exchanges; every subset on the way is searched.
void search_greedily(const Subset& variables, std::size_t most, Explorer& explorer) {
  Subset best;
  const auto outside = [&](std::size_t k) { return std::find(best.begin(), best.end(), k) == best.end(); };
  while (best.size() < most) {
    double highest = -1.0;
    std::size_t next = variables.size();
    for (const std::size_t k : variables) {
      if (!outside(k)) continue;
      Subset more = best;
      more.push_back(k);
      const double value = explorer.value(std::move(more));
      if (value <= highest) continue;
      highest = value;
      next = k;
    }
    if (highest < 0.0) break;
    best.push_back(next);
  }
  for (int round = 0; round < kExchangeRounds; ++round) {
    Subset better = best;
    for (std::size_t place = 0; place < best.size(); ++place) {
      for (const std::size_t k : variables) {
        if (!outside(k)) continue;
        Subset exchanged = best;
        exchanged[place] = k;
        if (explorer.value(exchanged) > explorer.value(better)) better = exchanged;
      }
    }
    if (better == best) break;
    best = std::move(better);
  }
}

}  // namespace

Subset useful_variables(const PreparedProblem& prepared, const Subset& among) {
  if (among.empty()) return {};
  const Subset altered = prepared.with_fixed(among);
  const std::vector<bool> influences = prepared.plain_sampler(altered, 1, DrawStream::kSearch).influences();
  Subset influential = prepared.fixed();
  for (std::size_t i = 0; i < altered.size(); ++i) {
    if (influences[i]) influential.push_back(altered[i]);
  }
  if (influential.empty()) return {};
  Subset useful;
  for (const std::size_t k : among) {
    const bool influences_itself = std::find(influential.begin(), influential.end(), k) != influential.end();
    if (influences_itself || shares_constraint(prepared, k, influential)) useful.push_back(k);
  }
  return useful;
}

std::string search_subsets(const PreparedProblem& prepared, std::size_t most,
                           const std::function<double(const Subset&)>& search) {
  return search_subsets(prepared, most, search,
                        [&](const Subset& subset) { return useful_variables(prepared, subset) == subset; });
}

std::string search_subsets(const PreparedProblem& prepared, std::size_t most,
                           const std::function<double(const Subset&)>& search,
                           const std::function<bool(const Subset&)>& useful) {
  const Subset& variables = prepared.free();
  most = std::min(most, variables.size());
  Explorer explorer(search, useful);
  if (subset_count(variables.size(), most) <= kMostSubsets) {
    Subset chosen;
    for_each_subset(variables, most, 0, chosen, [&](const Subset& subset) { explorer.value(subset); });
    return fmt::format("All choices of at most {} of {} variables were searched.", most, variables.size());
  }
  search_greedily(variables, most, explorer);
  return fmt::format(
      "The choice of at most {} of {} variables was found by adding one at a time and exchanging them; another may be "
      "better.",
      most, variables.size());
}

}  // namespace olem::internal
