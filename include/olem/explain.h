#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "olem/decision.h"
#include "olem/json.h"
#include "olem/named_value.h"
#include "olem/options.h"

namespace olem {

struct ExplainOptions {
  // The same for every point. On these the best points are chosen, and pairs are shown, whose colours need no more.
  int draws = 1000;
  // Fresh ones behind curves, forecasts and all numbers that are ranked: the best of many points flatters itself on the
  // draws that chose it. As many as `olem decide` reports with, so that equal decisions have equal numbers.
  int final_draws = 4000;
  int points = 41;       // of each curve, from one end of the domain to the other
  int pair_points = 17;  // of each side of a pair; 0 leaves pairs out, which are most of the work
  double caution = 1.0;  // as for a decision
};

OptionSet describe(ExplainOptions& options);

// What one alterable variable can do.
struct SuccessCurve {
  std::string name;
  double low = 0.0;  // its domain
  double high = 0.0;
  double data_low = 0.0;  // its range in the data
  double data_high = 0.0;
  std::vector<std::size_t> data_counts;  // rows in bins of equal width over that range; empty where not known
  double expected = 0.0;                 // as Alteration::expected
  bool influences = false;               // it can change an outcome when it is set alone
  std::vector<double> values;            // ascending; a single one when the domain holds no other
  std::vector<std::string> levels = {};  // the words of the values, where they have them
  bool is_list = false;                  // nothing lies between the values
  std::vector<double> success;           // at each value, the others left alone
  std::vector<double> success_low = {};  // 95 %, with members; empty without
  std::vector<double> success_high = {};
  std::vector<double> beside_decision;      // the others as in the decision; empty without one
  std::vector<unsigned char> extrapolated;  // 1: some variable is mostly drawn from where there is no data
  // The best of the values, of equals the nearest to `expected`, and its success on the curve.
  double best_value = 0.0;
  double best_success = 0.0;
  std::optional<std::pair<double, double>> best_interval = {};  // with members
};

// What two of them can do together, the others left alone.
struct SuccessMap {
  std::size_t first = 0;  // places among the curves
  std::size_t second = 0;
  std::vector<double> first_values;
  std::vector<double> second_values;
  std::vector<double> success;  // second_values x first_values, row by row; by the fit, on fewer draws than curves
  double best_first = 0.0;
  double best_second = 0.0;
  double best_success = 0.0;      // on fresh draws
  double gain_over_single = 0.0;  // best_success less that of the better one alone; below 0: one alone is better
};

// Where the draws of one outcome fall.
struct OutcomeHistogram {
  std::string name;
  std::optional<double> desired_low;  // of a region that is a box
  std::optional<double> desired_high;
  // Bins of equal width between the outermost 0.2 % of all draws, of a count around whole numbers; of a column with
  // levels one bin around the place of each.
  std::vector<double> edges;
  std::vector<std::size_t> without_action;  // draws in each bin
  std::vector<std::size_t> with_decision;   // empty without a decision
  bool whole = false;                       // a count
  std::vector<std::string> levels = {};     // their words
  std::vector<std::string> wanted = {};     // those that are desired, of a region that is a box
};

struct Explanation {
  std::vector<NamedValue> context;
  std::vector<NamedValue> decision;  // that was given to compare with; may be empty
  double without_action = 0.0;       // on the fresh draws
  std::optional<double> with_decision;
  // 95 %, with members: as those of the decision itself.
  std::optional<std::pair<double, double>> without_action_interval = {};
  std::optional<std::pair<double, double>> with_decision_interval = {};
  std::vector<SuccessCurve> curves;   // in the order of the problem
  std::vector<SuccessMap> maps;       // every pair of curves, first < second
  std::vector<std::size_t> alone;     // curves, the most successful first
  std::vector<std::size_t> together;  // maps, the most successful first
  std::vector<OutcomeHistogram> outcomes;
  std::size_t draws = 0;  // behind each histogram
  std::vector<Warning> warnings;
};

// How the probability of success depends on what is altered: alone, over the whole domain, and in pairs; one result per
// problem. `decisions` is empty, or has for each problem values of some of the alterable variables: each curve is then
// also made with the other ones set to them.
//
// With members every success but those of maps is the mean over the fit and the weighted orders, and curves have the
// interval of all members; it is found for every fifth point and interpolated on the logit scale.
//
// A pure function of problems, options and the context's seed, on the context's threads. The draws are those of
// decide(). With k alterable variables a problem costs k times points (twice that with a decision) and k (k - 1) / 2
// times pair_points^2 evaluations. Throws a task error when a region is empty, a usage error for unknown names, and for
// domains that are empty or not finite.
std::vector<Explanation> explain_all(const std::vector<DecisionProblem>& problems,
                                     const std::vector<std::vector<NamedValue>>& decisions,
                                     const ExplainOptions& options, const Context& context);

// The same for one problem.
Explanation explain(const DecisionProblem& problem, const std::vector<NamedValue>& decision,
                    const ExplainOptions& options, const Context& context);

// Throws a usage error for values that are no decision: of something that is not alterable, outside of its domain (of a
// discrete column: none of its values), or given twice.
void check_alterations(const std::vector<LeverDomain>& alterable, const std::vector<NamedValue>& values,
                       std::span<const NamedColumn> columns = {});

// The object that `olem explain --json` prints for one context: every number that text and figure show.
// Observed levels are words, where they have one.
Json to_json(const Explanation& explanation, std::span<const NamedColumn> columns = {});

// Adds to the object of `olem decide` what its page shows beside the decisions: the steps of the order, the calibration
// of the samplers where there is one, and in each decision, as "details", the curves of every alterable variable beside
// the decision and the forecasts (docs/explain.md). Costs about a tenth of a second for each decision, on the context's
// threads.
void add_decision_details(Json& result, const RehearsalModel& model, const std::vector<DecisionProblem>& problems,
                          const std::vector<Decision>& decisions, const DecisionOptions& options,
                          const Context& context);

}  // namespace olem
