#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <set>

#include "decide/cheapen.h"
#include "decide/decision_report.h"
#include "decide/ensemble.h"
#include "decide/judge.h"
#include "decide/level_search.h"
#include "decide/log_concave.h"
#include "decide/opinions.h"
#include "decide/optimizers.h"
#include "decide/prepared_problem.h"
#include "decide/search.h"
#include "decide/sequence_search.h"
#include "decide/subset_search.h"
#include "decide/unknown_context.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/parallel.h"

namespace olem {

using namespace internal;

namespace {

constexpr Choice kLosses[] = {
    {"center_mae", "mean L1 distance from the centre of the region (the paper's)"},
    {"center_mse", "mean squared distance from the centre"},
    {"ball_huber", "squared inside of the largest ball in the region, linear outside"},
    {"ball_insensitive", "distance outside of the largest ball"},
};
constexpr Choice kMethods[] = {
    {"olem-rh", "search for the most probable success, along an order or a graph"},
    {"qwz23", "most of the fixed draws in the region, exactly; for linear samplers"},
};
constexpr std::size_t kCheapenedPerProposal = 3;
// More draws than for judging: what is given up for fewer alterations is up to one standard error.
constexpr int kReleaseFactor = 4;
// What the search draws must show beyond the target, in standard errors: of those the cheapest is taken that holds on
// fresh draws.
constexpr double kMarginsOfTarget[] = {2.0, 1.0, 0.0};
// Combinations of levels that are searched from the best point of the screen, and those of them that get all searches.
constexpr std::size_t kMostSearched = 8;
constexpr std::size_t kFullySearched = 3;
// Of the screen: its draws, and the standard errors that a combination may seem to lack.
constexpr int kFewDraws = 250;
constexpr double kScreenErrors = 2.0;

// QWZ23 counts draws that move with the decision in proportion: levels do not.
void refuse_discrete(const PreparedProblem& prepared) {
  const SamplerSet& samplers = *prepared.problem().samplers;
  std::vector<std::string> names;
  const auto add = [&](const SamplerVariable& variable) {
    if (is_discrete(variable.about.type) || (variable.sampler && variable.sampler->is_discrete()))
      names.push_back(variable.name);
  };
  std::vector<bool> moved(samplers.variables.size(), false);   // by a lever
  std::vector<bool> needed(samplers.variables.size(), false);  // by an outcome
  const Subset altered = prepared.with_fixed(prepared.free());
  for (const std::size_t k : altered) {
    moved[samplers.index(prepared.problem().alterable[k].name)] = true;
    if (prepared.has_list(k)) names.push_back(prepared.problem().alterable[k].name);
  }
  for (std::size_t v = 0; v < moved.size(); ++v) {
    for (const std::size_t condition : samplers.variables[v].conditions) moved[v] = moved[v] || moved[condition];
  }
  for (const std::string& outcome : prepared.problem().region.outcomes()) needed[samplers.index(outcome)] = true;
  for (std::size_t v = needed.size(); v-- > 0;) {
    for (const std::size_t condition : samplers.variables[v].conditions)
      needed[condition] = needed[condition] || needed[v];
  }
  for (std::size_t v = 0; v < moved.size(); ++v) {
    const bool lever = std::any_of(altered.begin(), altered.end(), [&](std::size_t k) {
      return prepared.problem().alterable[k].name == samplers.variables[v].name;
    });
    if (moved[v] && needed[v] && !lever) add(samplers.variables[v]);
  }
  if (names.empty()) return;
  throw Error(ErrorCategory::kTask,
              fmt::format("QWZ23 is made for variables that move in proportion, but {} {}.", fmt::join(names, ", "),
                          names.size() == 1 ? "has single values" : "have single values"),
              {{"Choose the other method", "decision", "olem-rh"}});
}

// One decision from the first search to the last number.
class Decider {
 public:
  Decider(const DecisionProblem& problem, const DecisionOptions& options, const Context& context)
      : prepared_(problem, options, context),
        options_(prepared_.options()),
        judge_(prepared_, options_.judge_draws, DrawStream::kChoice) {}

  Decision run() {
    if (!prepared_.any_influence()) return report_decision(prepared_, prepared_.idle(), prepared_.idle_finder());
    Judged winner = find();
    const bool reached = reached_;
    std::vector<Judged> proposals;
    if (options_.proposals > 1) proposals = diverse(winner);
    Decision decision = report_decision(prepared_, winner.setting, winner.found_by);
    for (const Judged& proposal : proposals)
      decision.proposals.push_back(report_proposal(prepared_, proposal.setting, proposal.found_by));
    conclude(decision, reached);
    return decision;
  }

  // The decision alone, in the user's units.
  FoundDecision run_search() {
    FoundDecision found;
    found.values.resize(prepared_.size());
    if (!prepared_.any_influence()) {
      found.found_by = prepared_.idle_finder();
      for (const std::size_t k : prepared_.fixed()) found.values[k] = prepared_.restore(k, prepared_.box().low[k]);
      return found;
    }
    const Judged winner = find();
    found.found_by = winner.found_by;
    for (const std::size_t k : altered_by(winner.setting)) found.values[k] = prepared_.restore(k, *winner.setting[k]);
    return found;
  }

 private:
  Judged find() {
    check_feasible();
    idle_ = judge_.judge(prepared_.idle(), prepared_.idle_finder());
    idle_permitted_ = prepared_.permits(idle_.setting);
    already_likely_ = idle_permitted_ && options_.target > 0.0 && idle_.success >= options_.target;
    search_everything();
    if (!idle_permitted_ && pool_.empty()) {
      throw Error(ErrorCategory::kTask,
                  "The fixed values break a constraint, and nothing else that may be altered makes room for them.");
    }
    const Judged winner = choose();
    reached_ = winner.success >= options_.target;
    return refine(winner);
  }

  bool wants_cheapest() const { return options_.target > 0.0 && !already_likely_; }
  bool has_cost() const { return !prepared_.problem().cost.empty(); }
  // Among decisions that are as good as the best the cheapest is wanted. QWZ23 has a rule of its own.
  bool spares_effort() const { return options_.least_effort > 0.0 && options_.method != DecisionMethod::kQwz23; }

  void check_feasible() const {
    const HiddenDraws* const hidden = prepared_.problem().hidden.get();
    if (options_.method == DecisionMethod::kQwz23 &&
        (!prepared_.problem().unknown.empty() || (hidden != nullptr && !hidden->names().empty()))) {
      throw Error(ErrorCategory::kTask, "QWZ23 needs to know the whole context, and the causes of what was seen.",
                  {{"Give the values", "context"}, {"Choose the other method", "decision", "olem-rh"}});
    }
    if (options_.method == DecisionMethod::kQwz23 && !prepared_.problem().constraints.empty()) {
      throw Error(ErrorCategory::kTask,
                  "QWZ23 searches boxes and cannot take constraints between alterable variables into account.",
                  {{"Remove the constraints"}, {"Choose the other method", "decision", "olem-rh"}});
    }
    if (options_.method == DecisionMethod::kQwz23 && prepared_.problem().region.ellipse()) {
      throw Error(ErrorCategory::kTask, "QWZ23 needs a region with straight sides, and the desired one is an ellipse.",
                  {{"Choose the other method", "decision", "olem-rh"}});
    }
    if (options_.method == DecisionMethod::kQwz23) refuse_discrete(prepared_);
    if (!prepared_.domain(prepared_.with_fixed(prepared_.free()))) {
      throw Error(ErrorCategory::kTask,
                  "The constraints cannot be satisfied at once within the domains of the alterable variables.",
                  {{"Widen a domain, loosen a constraint or free what is fixed or left alone"}});
    }
  }

  LeverCost cost_of(const Subset& altered) const {
    LeverCost cost;
    cost.weights = prepared_.slope_of_cost(altered);
    for (const std::size_t k : altered) {
      cost.origin.push_back(prepared_.origin_of_cost(k));
      cost.powers.push_back(prepared_.power_of_cost(k));
    }
    return cost;
  }

  // Draws of the outcomes for a search. Where they jump, exact ones and, for gradients, others that can be relaxed.
  struct Draws {
    PostDecisionSampler exact;
    std::optional<PostDecisionSampler> relaxed;
  };
  Draws draws_for(const Subset& altered, int draws, DrawStream stream) const {
    PostDecisionSampler sampler = prepared_.sampler(altered, draws, stream);
    if (!sampler.has_jumps()) return {std::move(sampler), std::nullopt};
    return {prepared_.plain_sampler(altered, draws, stream), std::move(sampler)};
  }
  DecisionSearch search_in(Draws& draws, const Domain& domain) const {
    return DecisionSearch(draws.exact, draws.relaxed ? &*draws.relaxed : nullptr, prepared_.objective(), domain,
                          options_, prepared_.context());
  }

  // The same success, or nearly, for less. `found` are candidates of the search, best first; `domain` is where they
  // lie, unless some variable has a list: each combination then has its own.
  std::vector<Candidate> cheaper(Draws& draws, const std::optional<Domain>& domain, const std::vector<Candidate>& found,
                                 const Subset& altered) {
    std::vector<Candidate> results;
    const auto count = static_cast<double>(options_.draws);
    const LeverCost cost = cost_of(altered);
    const std::size_t most = kCheapenedPerProposal * static_cast<std::size_t>(options_.proposals) +
                             (prepared_.any_list(altered) ? kMostSearched : 0);
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
      const double success = wants_cheapest() ? options_.target : found[i].success;
      const double error = std::sqrt(success * (1.0 - success) / count);
      const std::optional<Domain> own = domain ? std::nullopt : prepared_.domain(altered, found[i].values);
      if (!domain && !own) continue;
      DecisionSearch search = search_in(draws, domain ? *domain : *own);
      Candidate at = found[i];
      for (const double margin : kMarginsOfTarget) {
        const double goal = wants_cheapest() ? success + error * margin : success - options_.least_effort;
        if (at.success < goal) continue;
        Candidate cheapened = cheapen(search, at, goal, cost);
        if (!domain) {
          // Of other levels the domain is another one, so that what follows starts from there.
          const Candidate lower = LevelSearch(prepared_, altered, true).cheapen(search, cheapened, goal);
          if (lower.values != cheapened.values) results.push_back(lower);
        }
        if (cheapened.values == at.values) continue;
        at = std::move(cheapened);
        results.push_back(at);
      }
    }
    return results;
  }

  // The method of Qin, Wang and Zhou: the values with which most draws of the search are in the region.
  std::vector<Candidate> most_satisfied(const Subset& altered, DecisionSearch& search) {
    const DecisionProblem& problem = prepared_.problem();
    std::vector<std::string> names;
    std::vector<double> low;
    std::vector<double> high;
    std::vector<double> preferred;
    for (const std::size_t k : altered) {
      names.push_back(problem.alterable[k].name);
      low.push_back(prepared_.box().low[k]);
      high.push_back(prepared_.box().high[k]);
      preferred.push_back(std::clamp(prepared_.expected()[k], low.back(), high.back()));
    }
    const AffineOutcomes outcomes = affine_outcomes(
        problem.samplers, known_values(problem), names, problem.region.outcomes(),
        static_cast<std::size_t>(options_.draws), static_cast<std::uint64_t>(DrawStream::kSearch), prepared_.context());
    const Qwz23Answer answer = maximise_satisfied(outcomes, prepared_.objective().region(), low, high, preferred,
                                                  options_.qwz23, prepared_.context());
    if (answer.at_most > answer.satisfied && answer.values.empty()) note_not_proven(answer, outcomes.draws);
    if (answer.values.empty()) return {};
    std::vector<Candidate> found = {{answer.found_by, answer.values, search.success(answer.values)}};
    if (answer.at_most == answer.satisfied) return found;
    if (!is_log_concave(prepared_, altered)) {
      note_not_proven(answer, outcomes.draws);
      return found;
    }
    // Where success has one maximum an ascent from anywhere ends there, and what it finds is proven for the model.
    RandomStream random(prepared_.context().seed, "decide.log_concave");
    found.push_back(search.ascend(found.front()));
    found.push_back(search.ascend(search.screen(random)));
    const double error = 2.0 * std::sqrt(0.25 / options_.draws);
    if (std::abs(found[1].success - found[2].success) > error) {
      note_not_proven(answer, outcomes.draws);
    } else {
      proven_ = fmt::format(
          "{} of {} draws are satisfied; success is log-concave in the decision, and ascents from several starts end "
          "at "
          "the same success, so that no other decision is better by the model.",
          answer.satisfied, outcomes.draws);
    }
    return found;
  }

  void note_not_proven(const Qwz23Answer& answer, std::size_t draws) {
    not_proven_ = fmt::format(
        "{} of {} draws are satisfied; that no other decision satisfies more is not proven beyond two outcomes.",
        answer.satisfied, draws);
  }

  // Combinations that deserve a search, of all that were screened, best first: the best ones, and of those that may be
  // good enough the cheapest.
  std::vector<Candidate> worth_searching(const std::vector<Candidate>& screened, const Subset& altered,
                                         std::size_t most, int draws) const {
    std::vector<Candidate> chosen(screened.begin(),
                                  screened.begin() + static_cast<std::ptrdiff_t>(std::min(most, screened.size())));
    if ((!wants_cheapest() && !has_cost()) || screened.empty()) return chosen;
    const double success = wants_cheapest() ? options_.target : screened.front().success;
    const double enough = success - kScreenErrors * std::sqrt(0.25 / draws);
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t i = chosen.size(); i < screened.size() && screened[i].success >= enough; ++i) {
      double cost = 0.0;
      for (std::size_t k = 0; k < altered.size(); ++k) {
        if (prepared_.has_list(altered[k])) cost += prepared_.cost(altered[k], screened[i].values[k]);
      }
      others.emplace_back(cost, i);
    }
    std::stable_sort(others.begin(), others.end());
    for (std::size_t i = 0; i < std::min(most, others.size()); ++i) chosen.push_back(screened[others[i].second]);
    return chosen;
  }

  // With at least one variable that has a choice between values.
  std::vector<Candidate> search_levels(const Subset& altered, Draws& draws) {
    const bool brief = prepared_.problem().max_alterations.has_value();
    LevelSearch levels(prepared_, altered, brief);
    const bool grid = options_.optimizer == "grid";
    if (grid && !levels.looks_at_all()) {
      throw Error::of_option("optimizer",
                             fmt::format("{:.6g} combinations of levels are more than the {} of which each can have a "
                                         "grid of its own.",
                                         levels.combinations(), LevelSearch::kMostCombinations),
                             {{"Choose another optimiser", "optimizer", "gradient"}});
    }
    const std::vector<Candidate> screened = levels.screen();
    how_levels_ = combinations_sentence(levels);
    if (!levels.has_continuous())
      return worth_searching(screened, altered, brief ? kFullySearched : 2 * kMostSearched, options_.draws);
    std::vector<Candidate> found;
    const auto search_at = [&](const Candidate& at, const auto& how) {
      const std::optional<Domain> domain = prepared_.domain(altered, at.values);
      if (!domain) return;
      DecisionSearch searching = search_in(draws, *domain);
      how(searching);
    };
    const std::size_t full = grid ? screened.size() : brief ? 1 : kFullySearched;
    std::vector<Candidate> chosen = worth_searching(screened, altered,
                                                    grid    ? screened.size()
                                                    : brief ? kFullySearched
                                                            : kMostSearched,
                                                    kFewDraws);
    if (options_.optimizer == "gradient" && chosen.size() > full && options_.ascent_steps > 0) {
      for (Candidate& candidate : chosen) {
        search_at(candidate, [&](DecisionSearch& searching) {
          candidate.success = searching.success(candidate.values);
          candidate = searching.ascend(candidate);
          if (searching.has_jumps()) candidate = searching.polish(candidate);
          searching.snap(candidate);
        });
      }
      found = chosen;
      std::stable_sort(chosen.begin(), chosen.end(),
                       [](const Candidate& a, const Candidate& b) { return a.success > b.success; });
    }
    chosen.resize(std::min(chosen.size(), full));
    for (const Candidate& candidate : chosen) {
      search_at(candidate, [&](DecisionSearch& searching) {
        RandomStream random(prepared_.context().seed, "decide.search");
        const std::vector<Candidate> best = optimise(searching, random);
        found.insert(found.end(), best.begin(), best.end());
      });
    }
    return found;
  }

  std::vector<Candidate> search_domain(const Subset& altered, Draws& draws, const Domain& domain) {
    DecisionSearch searching = search_in(draws, domain);
    RandomStream random(prepared_.context().seed, "decide.search");
    return options_.method == DecisionMethod::kQwz23 ? most_satisfied(altered, searching) : optimise(searching, random);
  }

  // Adds what can be done with these variables to the pool; returns the success of the best on fresh draws.
  double search(const Subset& altered) {
    if (!searched_.insert(altered).second) return -1.0;
    const std::optional<Domain> whole = prepared_.domain(altered);
    if (!whole) return -1.0;
    const bool lists = prepared_.any_list(altered);
    Draws draws = draws_for(altered, options_.draws, DrawStream::kSearch);
    std::vector<Candidate> found = lists ? search_levels(altered, draws) : search_domain(altered, draws, *whole);
    Candidate expected{FoundBy::kExpectedValues, {}, 0.0};
    for (const std::size_t k : altered)
      expected.values.push_back(lists ? prepared_.nearest(k, prepared_.expected()[k]) : prepared_.expected()[k]);
    const std::optional<Domain> near = lists ? prepared_.domain(altered, expected.values) : whole;
    if (near) {
      near->project(expected.values);
      expected.success = search_in(draws, *near).success(expected.values);
      found.push_back(std::move(expected));
    }
    if (found.empty()) return -1.0;
    if (wants_cheapest() || has_cost()) {
      std::stable_sort(found.begin(), found.end(),
                       [](const Candidate& a, const Candidate& b) { return a.success > b.success; });
      const std::vector<Candidate> cheap = cheaper(draws, lists ? std::nullopt : whole, found, altered);
      found.insert(found.end(), cheap.begin(), cheap.end());
    }
    double best = -1.0;
    for (const Candidate& candidate : found) {
      pool_.push_back(judge_.judge(prepared_.setting(altered, candidate.values), candidate.found_by));
      best = std::max(best, pool_.back().success);
    }
    return best;
  }

  void search_everything() {
    const Subset useful = useful_variables(prepared_, prepared_.free());
    const std::optional<int> most = prepared_.problem().max_alterations;
    const std::size_t others = most ? static_cast<std::size_t>(*most) - prepared_.fixed().size() : useful.size();
    if (others == 0) return;
    if (others < useful.size()) {
      how_subsets_ = search_subsets(prepared_, others,
                                    [this](const Subset& chosen) { return search(prepared_.with_fixed(chosen)); });
    } else if (!useful.empty()) {
      search(prepared_.with_fixed(useful));
    }
  }

  // Success first; of equals the cheapest. Doing nothing costs nothing. Fixed values alone may break a constraint.
  const Judged& most_successful() const {
    const Judged* best = idle_permitted_ ? &idle_ : &pool_.front();
    for (const Judged& judged : pool_) {
      if (judged.success > best->success || (judged.success == best->success && judged.cost < best->cost))
        best = &judged;
    }
    return *best;
  }

  // What is asked of a decision that is to be cheap: the target with one standard error to spare where that can
  // be had, since the cheapest of many is flattered by his draws too; otherwise the target.
  double cheap_enough() const {
    const double best = most_successful().success;
    const double error = std::sqrt(options_.target * (1.0 - options_.target) / options_.judge_draws);
    return best >= options_.target + error ? options_.target + error : options_.target;
  }

  Judged choose() const {
    const Judged& best = most_successful();
    const Judged* cheapest = &best;
    const double enough = cheap_enough();
    const auto consider = [&](const Judged& judged) {
      if (judged.cost >= cheapest->cost) return;
      const Gain lost = gain(best, judged);
      if (wants_cheapest() ? judged.success >= enough : lost.mean <= options_.least_effort) cheapest = &judged;
    };
    if (wants_cheapest() ? best.success < options_.target : !spares_effort()) return best;
    if (idle_permitted_) consider(idle_);
    for (const Judged& judged : pool_) consider(judged);
    return *cheapest;
  }

  // Without the alterations that make no visible difference. The winner was chosen for doing well on the draws of the
  // judge, so that everything in it seems to help there: what it is worth shows on others, and what is worth much on
  // the first of them.
  Judged without_the_superfluous(const Judged& found) {
    Judge few(prepared_, options_.judge_draws, DrawStream::kRelease);
    const Subset doubtful = few.doubtful(few.judge(found.setting, found.found_by));
    if (doubtful.empty()) return found;
    Judge fresh(prepared_, kReleaseFactor * options_.judge_draws, DrawStream::kRelease);
    const Judged released = fresh.release(fresh.judge(found.setting, found.found_by), doubtful, std::nullopt);
    return released.setting == found.setting ? found : judge_.judge(released.setting, released.found_by);
  }

  // Without the alterations that are not needed, and no more effort than what is left is worth.
  Judged refine(const Judged& found) {
    const double enough = cheap_enough();
    if (!wants_cheapest() || found.success < enough) {
      Judged needed = without_the_superfluous(found);
      if (!spares_effort()) return needed;
      Judged cheaper = as_cheap_as(needed, needed.success - options_.least_effort);
      cheaper.found_by = needed.found_by;
      return cheaper.cost < needed.cost ? cheaper : needed;
    }
    return as_cheap_as(judge_.release(found, altered_by(found.setting), enough), enough);
  }

  // What the decision alters, as cheap as the draws of the evaluation allow for a success of `goal`.
  Judged as_cheap_as(const Judged& best, double goal) {
    const Subset altered = altered_by(best.setting);
    const std::vector<double> values = prepared_.values(best.setting);
    const std::optional<Domain> domain = prepared_.domain(altered, values);
    if (altered.empty() || !domain) return best;
    Draws draws = draws_for(altered, options_.judge_draws, DrawStream::kChoice);
    DecisionSearch searching = search_in(draws, *domain);
    Candidate cheap = cheapen(searching, {best.found_by, values, best.success}, goal, cost_of(altered));
    if (prepared_.any_list(altered)) cheap = LevelSearch(prepared_, altered, true).cheapen(searching, cheap, goal);
    return judge_.judge(prepared_.setting(altered, cheap.values), cheap.found_by);
  }

  // Euclidean, in standard deviations; what is left alone counts with its expected value.
  double distance(const Judged& a, const Judged& b) const {
    double squares = 0.0;
    for (std::size_t k = 0; k < prepared_.size(); ++k) {
      const double expected = prepared_.expected()[k];
      double difference = a.setting[k].value_or(expected) - b.setting[k].value_or(expected);
      if (prepared_.is_nominal(k) && difference != 0.0) difference = 1.0;
      squares += difference * difference;
    }
    return std::sqrt(squares);
  }

  // The winner, and of what else was found the best that is better than nothing and lies apart.
  std::vector<Judged> diverse(const Judged& winner) {
    const Subset altered = altered_by(winner.setting);
    Subset chosen_freely;
    std::set_difference(altered.begin(), altered.end(), prepared_.fixed().begin(), prepared_.fixed().end(),
                        std::back_inserter(chosen_freely));
    if (chosen_freely.empty()) return {};
    for (std::size_t left_out = 0; chosen_freely.size() > 1 && left_out < chosen_freely.size(); ++left_out) {
      Subset others = chosen_freely;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
      if (useful_variables(prepared_, others) == others) search(prepared_.with_fixed(others));
    }
    const bool by_cost = wants_cheapest() && winner.success >= options_.target;
    const auto better = [&](const Judged& a, const Judged& b) {
      return by_cost ? a.cost < b.cost : a.success > b.success;
    };
    std::vector<Judged> others = pool_;
    std::stable_sort(others.begin(), others.end(), better);
    std::vector<Judged> chosen = {winner};
    const auto acceptable = [&](const Judged& judged) {
      if (judged.success <= idle_.success || (by_cost && judged.success < options_.target)) return false;
      return std::all_of(chosen.begin(), chosen.end(),
                         [&](const Judged& other) { return distance(judged, other) >= options_.proposal_distance; });
    };
    for (const Judged& judged : others) {
      if (chosen.size() == static_cast<std::size_t>(options_.proposals)) break;
      if (!acceptable(judged)) continue;
      const Judged refined = refine(judged);
      chosen.push_back(acceptable(refined) ? refined : judged);
    }
    std::stable_sort(chosen.begin() + 1, chosen.end(), better);
    return chosen;
  }

  void conclude(Decision& decision, bool reached) const {
    Summary& summary = decision.summary;
    conclude_target(prepared_, already_likely_, reached, decision);
    if (!not_proven_.empty()) summary.warnings.push_back({"not_proven", not_proven_, ""});
    if (!proven_.empty()) summary.message += " " + proven_;
    if (!how_levels_.empty()) summary.message += " " + how_levels_;
    if (!how_subsets_.empty()) summary.message += " " + how_subsets_;
  }

  PreparedProblem prepared_;
  const DecisionOptions& options_;
  Judge judge_;
  Judged idle_;
  bool idle_permitted_ = true;  // fixed values alone may break a constraint
  bool already_likely_ = false;
  bool reached_ = false;  // the target, before what is not needed was taken back
  std::vector<Judged> pool_;
  std::set<Subset> searched_;
  std::string not_proven_;   // how far QWZ23 is from proven
  std::string proven_;       // why it is, where its draws do not tell
  std::string how_levels_;   // how combinations of levels were searched, where not all were looked at
  std::string how_subsets_;  // which choices of variables were searched, where that is limited
};

}  // namespace

namespace internal {

Decision decide_by_fit(const DecisionProblem& problem, const DecisionOptions& options, const Context& context) {
  return Decider(problem, options, context).run();
}

FoundDecision find_decision(const DecisionProblem& problem, const DecisionOptions& options, const Context& context) {
  return Decider(problem, options, context).run_search();
}

}  // namespace internal

OptionSet describe(DecisionOptions& options) {
  OptionSet set;
  set.choice("decision", options.method, kMethods, "how decisions are made");
  set.append(describe(options.qwz23));
  set.name_choice("optimizer", options.optimizer, optimizer_choices(), "how the values are searched for");
  set.real("target", options.target, 0.0, 1.0,
           "probability of success that is enough: find the cheapest decision that reaches it; 0: maximise success");
  set.real("least_effort", options.least_effort, 0.0, 1.0,
           "success that may be given up for less effort; 0: the best one, whatever it costs");
  set.integer("proposals", options.proposals, 1, 100, "how many different decisions to propose");
  set.real("proposal_distance", options.proposal_distance, 0.0, 100.0,
           "between two proposals, in standard deviations of what is altered");
  set.choice("loss", options.loss, kLosses, "surrogate loss of the first search");
  set.integer("draws", options.draws, 10, 1000000, "fixed draws of the search");
  set.integer("judge_draws", options.judge_draws, 10, 1000000,
              "fresh draws on which candidates are evaluated; twice as many for the numbers reported");
  set.real("learning_rate", options.learning_rate, 1e-6, 100.0, "of the first search");
  set.integer("steps", options.steps, 1, 100000, "at most, for each start of the first search");
  set.integer("patience", options.patience, 1, 100000,
              "steps without a minimum lower by a thousandth after which a start ends");
  set.integer("restarts", options.restarts, 0, 1000, "further starts of the first search, at random");
  set.integer("screen", options.screen, 0, 100000, "random points that are tried before the direct ascent");
  set.integer("ascent_steps", options.ascent_steps, 0, 100000,
              "of the direct ascent for each degree of smoothing; 0: only the first search");
  set.real("caution", options.caution, 0.0, 100.0,
           "factor of the posterior standard deviation of the samplers: more stays nearer to the data");
  set.integer("grid_points", options.grid_points, 2, 20000, "of `optimizer` grid, along each coordinate");
  set.integer("random_points", options.random_points, 1, 10000000, "of `optimizer` random");
  set.integer("bayes_evaluations", options.bayes_evaluations, 0, 2000,
              "of `optimizer` bayes; 0: 20 and 10 more for each altered variable");
  set.integer("worth_draws", options.worth_draws, 0, 10000,
              "values of an unknown context variable that estimate what knowing it is worth; 0: not estimated");
  set.integer("posterior_functions", options.posterior_functions, 2, 1000,
              "functions drawn from the posterior of the samplers behind the interval");
  set.flag("quick", options.quick, "one fit without members: the interval covers the chance of the draws only");
  return set;
}

Decision decide(const DecisionProblem& problem, const DecisionOptions& options, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  DecisionOptions checked = options;
  describe(checked).validate();
  const bool later = has_later_steps(problem);
  const bool members = problem.members && !checked.quick && !problem.members->list.empty();
  Decision decision =
      members ? decide_with_members(problem, checked, context) : decide_by_fit(problem, checked, context);
  if (later) {
    if (!members) decision = decide_sequence(problem, decision, checked, context);
    // Decisions at once do not tell what knowing something is worth to those with steps.
    checked.worth_draws = 0;
  }
  decision.unknown = worth_of_knowing(problem, decision, checked, context);
  decision.opinions = opinions_on(problem, decision, checked, context);
  decision.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return decision;
}

DecidedSoFar decide_until_stopped(const std::vector<DecisionProblem>& problems, const DecisionOptions& options,
                                  const Context& context) {
  std::vector<std::optional<Decision>> made(problems.size());
  // One decision has all threads for its draws.
  Context own = problems.size() == 1 ? context : context.serial();
  own.ranks = nullptr;
  own.progress = nullptr;
  DecisionOptions without_worth = options;
  without_worth.worth_draws = 0;
  // A batch at a time, so that the caller's thread can report how far it is.
  const auto batch = static_cast<std::size_t>(context.thread_count());
  DecidedSoFar result;
  context.report_progress(0.0, "decisions");
  try {
    for (std::size_t first = 0; first < problems.size(); first += batch) {
      const std::size_t last = std::min(problems.size(), first + batch);
      parallel_for(context, first, last, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) made[i] = decide(problems[i], without_worth, own);
      });
      // These are many decisions themselves, for which there are all threads.
      for (std::size_t i = first; i < last && options.worth_draws > 0; ++i) {
        if (!problems[i].unknown.empty() && !made[i]->sequence)
          made[i]->unknown = worth_of_knowing(problems[i], *made[i], options, context);
      }
      context.report_progress(static_cast<double>(last) / static_cast<double>(problems.size()), "decisions");
    }
  } catch (const Error& error) {
    const bool stop = error.category() == ErrorCategory::kInterrupted || error.category() == ErrorCategory::kResource;
    if (!stop || !context.should_stop()) throw;
    result.stopped = error;
  }
  for (std::size_t i = 0; i < made.size() && made[i]; ++i) result.decisions.push_back(std::move(*made[i]));
  return result;
}

std::vector<Decision> decide_all(const std::vector<DecisionProblem>& problems, const DecisionOptions& options,
                                 const Context& context) {
  DecidedSoFar decided = decide_until_stopped(problems, options, context);
  if (decided.stopped) throw Error(*decided.stopped);
  return std::move(decided.decisions);
}

}  // namespace olem
