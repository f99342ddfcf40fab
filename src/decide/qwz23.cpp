#include "olem/qwz23.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/integer_programme.h"
#include "core/special.h"
#include "decide/satisfied_draws.h"
#include "olem/error.h"
#include "olem/post_decision.h"
#include "olem/sampler_state.h"

namespace olem {

using namespace internal;

namespace {

constexpr int kMostRounds = 50;  // of coordinate sweeps from one start

// B by propagation along the set: how much each variable changes with each altered one.
std::vector<double> responses(const SamplerSet& samplers, const std::vector<NamedValue>& observed,
                              const std::vector<std::string>& altered, const std::vector<std::string>& outcomes) {
  const std::size_t k = altered.size();
  const std::size_t d = samplers.variables.size();
  std::vector<double> effect(d * k, 0.0);
  std::vector<bool> fixed(d, false);
  for (const NamedValue& value : observed) fixed[samplers.index(value.name)] = true;
  for (std::size_t a = 0; a < k; ++a) {
    const std::size_t v = samplers.index(altered[a]);
    fixed[v] = true;
    effect[v * k + a] = 1.0;
  }
  std::vector<bool> linear(d, true);
  for (std::size_t v = 0; v < d; ++v) {
    const SamplerVariable& variable = samplers.variables[v];
    if (fixed[v] || !variable.sampler) continue;
    const SamplerFacts facts = variable.sampler->facts();
    const auto slopes = variable.sampler->slopes(0.0);
    linear[v] = slopes.has_value();
    for (std::size_t c = 0; c < variable.conditions.size(); ++c) {
      const std::size_t from = variable.conditions[c];
      if (!facts.inputs[c].used) continue;
      linear[v] = linear[v] && linear[from];
      if (!linear[v]) break;
      for (std::size_t a = 0; a < k; ++a) effect[v * k + a] += (*slopes)[c] * effect[from * k + a];
    }
  }
  std::vector<double> response;
  for (const std::string& name : outcomes) {
    const std::size_t v = samplers.index(name);
    if (!linear[v]) {
      const auto& variables = samplers.variables;
      if (std::any_of(variables.begin(), variables.end(), [](const SamplerVariable& variable) {
            return variable.sampler && variable.sampler->state().kind == "mixture";
          })) {
        throw Error(ErrorCategory::kUsage,
                    "QWZ23 needs one linear model, but this one was averaged over tables with imputed values.",
                    {{"Leave out the rows with missing values", "missing", "drop"},
                     {"Choose the other method", "decision", "olem-rh"}});
      }
      throw Error(ErrorCategory::kUsage,
                  fmt::format("QWZ23 needs outcomes that are linear in the decision, but the sampler of '{}', or of a "
                              "variable before it, is not.",
                              name),
                  {{"Fit a linear model", "sampler", "gaussian"}, {"Fit a linear model", "sampler", "linear"}});
    }
    response.insert(response.end(), effect.begin() + static_cast<std::ptrdiff_t>(v * k),
                    effect.begin() + static_cast<std::ptrdiff_t>((v + 1) * k));
  }
  return response;
}

// A box of decisions, the rows that say when a draw is satisfied, and what is looked for in it.
class Search {
 public:
  Search(const AffineOutcomes& outcomes, const Region& region, std::span<const double> low,
         std::span<const double> high, std::span<const double> preferred, const Context& context)
      : outcomes_(outcomes),
        rows_(shift_rows(outcomes, region)),
        low_(low),
        high_(high),
        preferred_(preferred),
        context_(context) {
    // Row r of M B.
    for (std::size_t r = 0; r < rows_.rows; ++r) {
      for (std::size_t a = 0; a < outcomes.altered; ++a) {
        double sum = 0.0;
        for (std::size_t o = 0; o < rows_.outcomes; ++o)
          sum += rows_.normal(r)[o] * outcomes.response[o * outcomes.altered + a];
        by_decision_.push_back(sum);
      }
    }
  }

  Qwz23Answer by_sweep() const {
    const bool line = rows_.outcomes == 1;
    return settle(
        line ? best_on_line(rows_, outcomes_, low_, high_) : best_in_plane(rows_, outcomes_, low_, high_, context_),
        line ? FoundBy::kSweep : FoundBy::kPlaneSweep);
  }

  Qwz23Answer by_coordinates() const {
    const std::size_t k = outcomes_.altered;
    std::vector<std::vector<double>> starts(4, std::vector<double>(k));
    for (std::size_t a = 0; a < k; ++a) {
      starts[0][a] = preferred_[a];
      starts[1][a] = 0.5 * (low_[a] + high_[a]);
      starts[2][a] = low_[a];
      starts[3][a] = high_[a];
    }
    Qwz23Answer best;
    for (const std::vector<double>& start : starts) {
      Qwz23Answer found = from(start);
      if (found.satisfied > best.satisfied) best = std::move(found);
    }
    return best;
  }

  Qwz23Answer from(std::vector<double> z) const {
    ascend(z);
    return settle(row_values(rows_, outcomes_, z), FoundBy::kCoordinateSweeps);
  }

  // Looks for more draws than `known` satisfies.
  Qwz23Answer by_programme(Qwz23Answer known, const Qwz23Options& options) const {
    std::size_t always = 0;
    const IntegerProgramme programme = statement(always);
    IntegerOptions limits;
    limits.nodes = options.nodes;
    limits.seconds = options.seconds;
    // Counts are whole numbers.
    if (!known.values.empty()) limits.cutoff = -0.5 - static_cast<double>(known.satisfied - always);
    const IntegerSolution found = solve_integer_programme(programme, limits, context_);
    const auto bound = static_cast<std::size_t>(std::max(0.0, std::floor(1e-6 - found.bound))) + always;
    if (!found.x.empty()) {
      const std::vector<double> z(found.x.begin(), found.x.begin() + static_cast<std::ptrdiff_t>(outcomes_.altered));
      Qwz23Answer answer = settle(row_values(rows_, outcomes_, z), FoundBy::kIntegerProgramme);
      if (answer.satisfied > known.satisfied) known = std::move(answer);
    }
    const bool exhausted = found.status == IntegerStatus::kOptimal || found.status == IntegerStatus::kInfeasible;
    known.at_most = exhausted ? known.satisfied : std::max(known.satisfied, std::min(bound, rows_.draws));
    return known;
  }

 private:
  double by_decision(std::size_t row, std::size_t a) const { return by_decision_[row * outcomes_.altered + a]; }

  // Moves one coordinate at a time to where most draws are satisfied; the number never falls.
  void ascend(std::vector<double>& z) const {
    const std::size_t k = outcomes_.altered;
    std::vector<double> values = row_values(rows_, outcomes_, z);
    std::size_t depth = satisfied_at(rows_, values).size();
    std::vector<Stretch> stretches;
    bool moved = true;
    for (int round = 0; round < kMostRounds && moved; ++round) {
      moved = false;
      for (std::size_t a = 0; a < k; ++a) {
        context_.check_interrupt();
        ShiftLine line;
        line.low = low_[a];
        line.high = high_[a];
        for (std::size_t r = 0; r < rows_.rows; ++r) {
          line.slope.push_back(by_decision(r, a));
          line.start.push_back(values[r] - by_decision(r, a) * z[a]);
        }
        stretches_on(rows_, line, stretches);
        const DeepestStretch best = deepest_stretch(stretches, low_[a], high_[a]);
        if (best.depth <= depth) continue;
        depth = best.depth;
        moved = true;
        z[a] = 0.5 * (best.at.low + best.at.high);
        for (std::size_t r = 0; r < rows_.rows; ++r) values[r] = line.start[r] + line.slope[r] * z[a];
      }
    }
  }

  // minimise - sum s_i over z in the box and s_i in {0, 1}, with M B z + K_ir s_i <= bound_ir + K_ir, where K_ir is
  // what row r can exceed the bound by at most. Draws that are satisfied everywhere are counted, not stated.
  IntegerProgramme statement(std::size_t& always) const {
    const std::size_t k = outcomes_.altered;
    IntegerProgramme programme;
    for (std::size_t a = 0; a < k; ++a) programme.linear.add_variable(0.0, low_[a], high_[a]);
    std::vector<double> least(rows_.rows, 0.0);
    std::vector<double> most(rows_.rows, 0.0);
    for (std::size_t r = 0; r < rows_.rows; ++r) {
      for (std::size_t a = 0; a < k; ++a) {
        least[r] += std::min(by_decision(r, a) * low_[a], by_decision(r, a) * high_[a]);
        most[r] += std::max(by_decision(r, a) * low_[a], by_decision(r, a) * high_[a]);
      }
    }
    std::vector<std::size_t> places(k + 1);
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::vector<double> entries(k + 1);
    for (std::size_t i = 0; i < rows_.draws && !rows_.impossible; ++i) {
      bool possible = true;
      bool certain = true;
      for (std::size_t r = 0; r < rows_.rows; ++r) {
        possible = possible && least[r] <= rows_.bound(i, r) + kBorderSlack;
        certain = certain && most[r] <= rows_.bound(i, r);
      }
      if (certain) ++always;
      if (certain || !possible) continue;
      places[k] = programme.linear.add_variable(-1.0, 0.0, 1.0);
      programme.whole.push_back(places[k]);
      for (std::size_t r = 0; r < rows_.rows; ++r) {
        const double excess = most[r] - rows_.bound(i, r);
        if (excess <= 0.0) continue;
        for (std::size_t a = 0; a < k; ++a) entries[a] = by_decision(r, a);
        entries[k] = excess;
        programme.linear.add_row(places, entries, -kInfinity, rows_.bound(i, r) + excess);
      }
    }
    return programme;
  }

  // A decision in the middle of those that satisfy the same draws as a point at which the rows have these values.
  Qwz23Answer settle(const std::vector<double>& values, FoundBy found_by) const {
    Qwz23Answer answer;
    if (values.empty()) return answer;
    const std::vector<std::size_t> satisfied = satisfied_at(rows_, values);
    if (satisfied.empty()) return answer;
    std::vector<double> tightest(rows_.rows, kInfinity);
    for (const std::size_t i : satisfied) {
      for (std::size_t r = 0; r < rows_.rows; ++r) tightest[r] = std::min(tightest[r], rows_.bound(i, r));
    }
    answer.values = nearest_to_preferred(tightest, widest_margin(tightest));
    answer.satisfied = satisfied_at(rows_, row_values(rows_, outcomes_, answer.values)).size();
    answer.at_most = answer.satisfied;
    answer.found_by = found_by;
    return answer;
  }

  // Rows M B z + margin <= bound.
  LinearProgramme box_programme() const {
    LinearProgramme programme;
    for (std::size_t a = 0; a < outcomes_.altered; ++a) programme.add_variable(0.0, low_[a], high_[a]);
    return programme;
  }

  std::span<const double> decision_row(std::size_t r) const {
    return {by_decision_.data() + r * outcomes_.altered, outcomes_.altered};
  }

  // The largest distance that a shift can keep from all rows; below zero by rounding only.
  double widest_margin(const std::vector<double>& tightest) const {
    LinearProgramme programme = box_programme();
    programme.add_variable(-1.0, -1.0, kInfinity);
    for (std::size_t r = 0; r < rows_.rows; ++r) {
      std::vector<double> row(decision_row(r).begin(), decision_row(r).end());
      row.push_back(1.0);
      programme.add_row(row, -kInfinity, tightest[r]);
    }
    const LinearSolution solution = solve(programme);
    return solution.x.back();
  }

  std::vector<double> nearest_to_preferred(const std::vector<double>& tightest, double margin) const {
    LinearProgramme programme = box_programme();
    const std::size_t k = outcomes_.altered;
    for (std::size_t r = 0; r < rows_.rows; ++r) {
      const double bound = tightest[r] - margin;
      programme.add_row(decision_row(r), -kInfinity, bound + 0.1 * kBorderSlack * std::max(1.0, std::abs(bound)));
    }
    for (std::size_t a = 0; a < k; ++a) {
      const std::size_t distance = programme.add_variable(1.0, 0.0, kInfinity);
      const std::size_t places[] = {a, distance};
      programme.add_row(places, std::vector{1.0, -1.0}, -kInfinity, preferred_[a]);
      programme.add_row(places, std::vector{1.0, 1.0}, preferred_[a], kInfinity);
    }
    std::vector<double> x = solve(programme).x;
    x.resize(k);
    return x;
  }

  LinearSolution solve(const LinearProgramme& programme) const {
    LinearSolution solution = solve_linear_programme(programme, {}, context_);
    if (solution.status != LinearStatus::kOptimal) {
      throw Error(ErrorCategory::kInternal, "A decision that satisfies draws was not found again: " + solution.message);
    }
    return solution;
  }

  const AffineOutcomes& outcomes_;
  ShiftRows rows_;
  std::span<const double> low_;
  std::span<const double> high_;
  std::span<const double> preferred_;
  const Context& context_;
  std::vector<double> by_decision_;  // rows x altered: M B
};

}  // namespace

OptionSet describe(Qwz23Options& options) {
  OptionSet set;
  set.integer("qwz23_programme_draws", options.programme_draws, 0, 100000,
              "draws of the integer programme, which is used beyond two outcomes");
  set.integer("qwz23_nodes", options.nodes, 0, 100000000, "of the search tree of the integer programme, at most");
  set.real("qwz23_seconds", options.seconds, 0.0, 1e9, "of the integer programme, at most, for each decision");
  return set;
}

AffineOutcomes affine_outcomes(const std::shared_ptr<const SamplerSet>& samplers,
                               const std::vector<NamedValue>& observed, const std::vector<std::string>& altered,
                               const std::vector<std::string>& outcomes, std::size_t draws, std::uint64_t noise,
                               const Context& context) {
  AffineOutcomes result;
  result.outcomes = outcomes.size();
  result.altered = altered.size();
  result.response = responses(*samplers, observed, altered, outcomes);
  PostDecisionPlan plan;
  plan.context = observed;
  plan.altered = altered;
  plan.outcomes = outcomes;
  plan.draws = draws;
  plan.noise = noise;
  plan.with_gradient = false;
  PostDecisionSampler sampler(samplers, plan, context);
  const OutcomeDraws& drawn = sampler.sample(std::vector<double>(altered.size(), 0.0), 0.0);
  for (std::size_t i = 0; i < drawn.draws; ++i) {
    if (drawn.valid[i] == 0) continue;
    for (std::size_t o = 0; o < outcomes.size(); ++o) result.base.push_back(drawn.values[o * drawn.draws + i]);
    ++result.draws;
  }
  return result;
}

Qwz23Answer maximise_satisfied(const AffineOutcomes& outcomes, const Region& region, std::span<const double> low,
                               std::span<const double> high, std::span<const double> preferred,
                               const Qwz23Options& options, const Context& context, Qwz23Search search) {
  const Search within(outcomes, region, low, high, preferred, context);
  if (search == Qwz23Search::kSweep && outcomes.outcomes > 2) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("A sweep is exact for one or two outcomes only, not for {}.", outcomes.outcomes));
  }
  if (search == Qwz23Search::kSweep || (search == Qwz23Search::kAuto && outcomes.outcomes <= 2))
    return within.by_sweep();
  Qwz23Answer best = within.by_coordinates();
  const auto stated = static_cast<std::size_t>(options.programme_draws);
  if (outcomes.draws <= stated) return within.by_programme(std::move(best), options);
  if (stated > 0) {
    AffineOutcomes some = outcomes;
    some.draws = stated;
    some.base.resize(stated * some.outcomes);
    const Search sample(some, region, low, high, preferred, context);
    const Qwz23Answer start = sample.by_programme(sample.by_coordinates(), options);
    if (!start.values.empty()) {
      Qwz23Answer found = within.from(start.values);
      found.found_by = FoundBy::kIntegerProgramme;
      if (found.satisfied > best.satisfied) best = std::move(found);
    }
  }
  best.at_most = outcomes.draws;
  return best;
}

}  // namespace olem
