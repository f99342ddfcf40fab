#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "olem/context_model.h"
#include "olem/error.h"
#include "olem/found_by.h"
#include "olem/json.h"
#include "olem/lever.h"
#include "olem/named_value.h"
#include "olem/options.h"
#include "olem/post_decision.h"
#include "olem/qwz23.h"
#include "olem/region.h"
#include "olem/rehearsal.h"
#include "olem/sampler_set.h"
#include "olem/sequence.h"
#include "olem/task.h"
#include "olem/uncertainty.h"

namespace olem {

// What the first search pulls towards: distances of the outcomes from the centre c of the region, r its radius.
enum class SurrogateLoss {
  kCenterMae,        // mean of ||y - c||_1
  kCenterMse,        // mean of ||y - c||^2
  kBallHuber,        // the square inside of the ball, linear outside
  kBallInsensitive,  // how far outside of the ball
};

// How the values of the alterable variables are found.
enum class DecisionMethod {
  kOlemRh,  // the gradient search, along an order or a graph
  kQwz23,   // most of the fixed draws satisfied, exactly; linear samplers only
};

struct DecisionOptions {
  DecisionMethod method = DecisionMethod::kOlemRh;  // the one that needs no line, no graph and no normal noise
  Qwz23Options qwz23;
  // A name of optimizer_choices(). Gradients cost no more than a few evaluations and lead where points do not.
  std::string optimizer = "gradient";
  SurrogateLoss loss = SurrogateLoss::kCenterMae;  // the paper's choice
  // Fixed draws of the search. With 1000 a probability of 0.7 is known to 0.015 (one standard error).
  int draws = 1000;
  // Fresh draws on which the candidates are judged, and as many again, twice, for the numbers that are reported.
  int judge_draws = 2000;
  // Of Adam on the surrogate, as in the paper; in units of the tanh that keeps a value in its domain.
  double learning_rate = 0.5;
  int steps = 200;    // at most, for each start of the surrogate
  int patience = 20;  // steps without a minimum that is lower by a thousandth, after which a start ends
  int restarts = 1;   // further starts of the surrogate, at random
  // Random points whose success is estimated before the direct ascent; the best of them is its second start.
  int screen = 30;
  // Of the direct ascent, for each of its four degrees of smoothing; 0 leaves it out.
  int ascent_steps = 8;
  // Multiplies the posterior standard deviation of the samplers. 1: as it is. More avoids decisions far from the data.
  double caution = 1.0;
  // Success that is enough: the cheapest decision that reaches it is looked for. 0: as much success as can be had.
  double target = 0.0;
  // Success that may be given up for less effort, among decisions that are as good as the best: with more levers than
  // outcomes these form a ridge, along which a search wanders, and the cheapest of them are also the surest. 0:
  // nothing.
  double least_effort = 0.002;
  // How many different decisions to propose, the best one among them.
  int proposals = 1;
  // Between two proposals, in standard deviations of what is altered (Euclidean): half of one is a visible difference.
  double proposal_distance = 0.5;
  // Of --optimizer grid, along each coordinate: the tabulated reference for one or two of them.
  int grid_points = 41;
  // Of --optimizer random: as close together in two dimensions as those of the grid.
  int random_points = 1600;
  // Of --optimizer bayes; 0: 20 and 10 more for each altered variable.
  int bayes_evaluations = 0;
  // Values of each unknown context variable for which is decided to say what knowing it would be worth; 0: not said.
  int worth_draws = 20;
  // Posterior functions behind the part of the interval that says how far a decision leads from the data.
  int posterior_functions = 32;
  // Decide with the fit alone, also where the problem has members: the interval covers the chance of the draws only.
  bool quick = false;
};

OptionSet describe(DecisionOptions& options);

// Ways to search: gradient, bayes, random, grid.
std::span<const Choice> optimizer_choices();

// Which draws stand behind a number: PostDecisionPlan::noise. What was chosen on some draws looks better on them than
// it is, so that each choice is made on draws of its own and the numbers that are reported come from others.
enum class DrawStream : std::uint64_t {
  kSearch = 0,     // of the search, and the expected values without action
  kChoice = 1,     // on which one candidate is chosen
  kReport = 2,     // behind every number that is reported
  kRelease = 3,    // on which alterations are taken back
  kWorth = 4,      // values of unknown context variables as if they were known
  kFunctions = 5,  // with posterior functions
  // From here on two for each member: on which the members choose, and behind what they say of the decision.
  kMembers = std::uint64_t{1} << 20U,
  // From here on one for each other learner's opinion.
  kOpinions = std::uint64_t{1} << 30U,
  // From here on: draws that no decision has seen.
  kFirstFree = std::uint64_t{1} << 39U,
};

// One context to decide for.
struct DecisionProblem {
  std::shared_ptr<const SamplerSet> samplers;
  std::shared_ptr<const ModelMembers> members;   // null: one fit; the interval covers the draws only
  std::shared_ptr<const ModelMembers> opinions;  // other learners that evaluate the decision; null: none
  std::vector<NamedValue> context;               // observed, in the user's units
  // Context variables that are not known, and the model that draws them for every draw anew.
  std::vector<std::string> unknown;
  std::shared_ptr<const ContextModel> context_model;
  std::vector<LeverDomain> alterable;  // domains, in the user's units; of discrete columns only their own values
  Region region;                       // of the outcomes, in the user's units
  // Wishes, as in a Task. A variable that is left alone counts with its expected value in constraints, and a constraint
  // on nothing that is altered does not bind.
  std::vector<NamedValue> cost;
  std::vector<CostForm> cost_forms;
  std::string group;  // the one that is decided for; empty: a new one, or there are no groups
  std::optional<int> max_alterations;
  std::vector<AlterationConstraint> constraints;
  // What is settled already, by name of an alterable variable. A fixed value, within the domain, is part of every
  // decision, also of the one that does nothing else: it is never taken back, costs what it costs, counts as an
  // alteration and is seen by constraints. What is left alone is not altered.
  std::vector<NamedValue> fixed;
  std::vector<std::string> left_alone;
  // Steps from now on, the present one first, which hold every alterable variable once; none, or one: everything is
  // decided at once.
  std::vector<SequenceStep> sequence;
  // What was set and seen since the context was observed, and draws of its causes that were not seen; made by
  // problem_so_far().
  std::vector<NamedValue> so_far;
  std::shared_ptr<const HiddenDraws> hidden;
};

// What becomes of one alterable variable.
struct Alteration {
  std::string name;
  std::optional<double> value;  // nothing: leave it alone
  // What is expected of it when nothing is done: its mean, or of a discrete column one of its values: the most probable
  // level of a switch or category, the median of others.
  double expected = 0.0;
  // Success when this one is left alone after all and the others keep their values.
  double success_if_released = 0.0;
  bool influences = false;  // it can change an outcome at all
  bool fixed = false;       // its value was given with the problem
};

// Where one outcome will be.
struct OutcomeForecast {
  std::string name;
  double mean = 0.0;
  double low = 0.0;   // a tenth of the draws lies below
  double high = 0.0;  // a tenth lies above
  // Of a binary, ordinal or category column the share of the draws of each level, by its name; empty for others.
  std::vector<NamedValue> levels = {};
};

// Another decision that may be taken.
struct Proposal {
  struct Value {
    std::string name;
    std::optional<double> value;  // nothing: leave it alone
  };
  std::vector<Value> alterations;  // in the order of the problem
  double success_probability = 0.0;
  double success_low = 0.0;
  double success_high = 1.0;
  double cost = 0.0;
  FoundBy found_by = FoundBy::kNoAction;
};

// A context variable that was not known, and drawn.
struct UnknownContext {
  std::string name;
  // By how much the probability of success would be higher on average if its value were known: the mean over values,
  // drawn given what is known, of the success of the best decision for the value minus that of this decision, both with
  // the same draws. With the standard error of that mean. Nothing where it was not asked for.
  std::optional<double> worth;
  std::optional<double> standard_error;
};

// What the order or graph of another learner says of the decision.
struct Opinion {
  std::string learner;
  double success = 0.0;
  double without_action = 0.0;
};

// By how much an opinion must differ from the claimed success to count as one that disagrees.
constexpr double kOpinionDisagrees = 0.1;

struct Decision {
  std::vector<NamedValue> context;
  std::string group;               // the one that was decided for; may be empty
  std::vector<NamedValue> so_far;  // set and seen since
  std::vector<UnknownContext> unknown;
  std::vector<Alteration> alterations;  // in the order of the problem
  // Share of fresh draws of the full samplers in the region: the number to rely on. With members the mean over the fit
  // and the weighted orders, and the 95 % interval covers draws, rows, order and extrapolation; without, the interval
  // (Clopper and Pearson) covers the chance of the draws only.
  double success_probability = 0.0;
  double success_low = 0.0;
  double success_high = 1.0;
  std::optional<DecisionUncertainty> uncertainty;  // with members
  std::optional<HiddenCause> hidden_cause;         // where something is altered
  std::vector<Opinion> opinions;                   // of the learners that were asked; they never choose
  // The same by the bound of Qin, Wang and Zhou 2023 at level 0.05, when their method decided.
  std::optional<std::pair<double, double>> qwz23_interval;
  double plug_in_probability = 0.0;  // of the samplers without their posterior variance
  double without_action = 0.0;       // success when nothing is altered, on the same draws
  // Sum over what is altered of weight x |value - expected value|: steps between the levels of an ordinal column, 1 for
  // another level of a switch or category. Without weights in standard deviations.
  double cost = 0.0;
  std::vector<OutcomeForecast> outcomes;
  std::vector<OutcomeForecast> outcomes_without_action;
  // Of the variables drawn, those whose conditions lie outside of the data in more than half of the draws.
  std::vector<std::string> extrapolated;
  FoundBy found_by = FoundBy::kNoAction;
  std::size_t excluded_draws = 0;  // of the final draws, not finite or absurdly far; counted as failures
  // Where several were asked for: the decision itself and those that differ from it and each other, best first.
  std::vector<Proposal> proposals;
  // Of a decision with later steps: how these will be decided. Every number of the decision counts with it, and the
  // alterations of later steps have no values.
  std::optional<SequencePlan> sequence;
  Summary summary;

  bool acts() const;  // at least one variable is altered
};

// Searches for the values of the alterable variables, each within its domain, that make it most probable that the
// outcomes fall into the region (Order-based Rehearsal Learning, Algorithm 3, with a direct ascent on the probability
// after it), or by another optimiser of the same probability, or after Qin, Wang and Zhou 2023. All candidates are
// judged on fresh draws; alterations that gain no more than .003 beyond one standard error are taken back.
// docs/methods/olem-rh.md. A pure function of problem, options and the context's seed; runs in the calling thread.
//
// Throws a task error when the region is empty, no point satisfies the constraints or more is fixed than may be
// altered, a usage error for a problem without samplers, for names that the samplers do not know, for domains that are
// empty, not finite or hold levels that the column does not have, for fixed values outside of them, and for a grid with
// too many points, a task error for QWZ23 with discrete variables, and what
// maximise_satisfied and affine_outcomes throw.
Decision decide(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);

// The same for each problem, spread over the context's threads. A decision does not depend on its place in the list.
std::vector<Decision> decide_all(const std::vector<DecisionProblem>& problems, const DecisionOptions& options,
                                 const Context& context);

// What was decided before the work had to stop.
struct DecidedSoFar {
  std::vector<Decision> decisions;  // of the first problems, equal to those of decide_all
  std::optional<Error> stopped;     // the interruption or time limit because of which there are not more
};

// The same, but an interruption or a time limit does not throw the decisions away that are made. Any other error is
// thrown.
DecidedSoFar decide_until_stopped(const std::vector<DecisionProblem>& problems, const DecisionOptions& options,
                                  const Context& context);

// The object that `olem decide --json` prints for one context. A value that is a level of its column is the word of
// that level, where it has one.
Json to_json(const Decision& decision, std::span<const NamedColumn> columns = {});

// A problem after these variables were set (those that are alterable) or seen (all others), in the user's units. Steps
// up to the latest one of which a value is given are over: their levers are no longer alterable, and those without a
// value took their own course. Values that were set count in constraints and as alterations; their cost is spent.
// Warnings: "unlikely_observation". A usage error for names that are context, outcome or unknown, stand twice, or have
// no finite value.
struct ProblemSoFar {
  DecisionProblem problem;
  std::vector<Warning> warnings;
};
ProblemSoFar problem_so_far(DecisionProblem problem, std::span<const NamedValue> so_far, const Context& context);

// The values that are the same for every decision: context and what was set and seen since.
std::vector<NamedValue> known_values(const DecisionProblem& problem);

// The decision to make for one context. The values are matched to the context variables by name, in any order. A usage
// error for a model that was not fitted, and one that names it for a context variable without a value, and for a value
// that is not finite, is given twice or has a name that is no context variable; with the closest one where there is
// one.
// With UnknownPolicy::kDraw variables without a value are unknown; a usage error when the model cannot draw them.
DecisionProblem decision_problem(const RehearsalModel& model, std::span<const NamedValue> observed,
                                 UnknownPolicy unknown = UnknownPolicy::kError);

// The same decision for one of the groups that the model was learned from, in place of a new one: with the intercepts
// of that group. A usage error that names the closest group for a name that is none.
DecisionProblem problem_in_group(DecisionProblem problem, const RehearsalModel& model, const std::string& name);

// Values as people write them, in numbers: {"heating", "on"}, {"price", "0.4"}. For `observed` and for
// DecisionProblem::fixed; value_name() is the way back. A usage error that names the levels for a word that is none.
std::vector<NamedValue> level_values(const RehearsalModel& model, std::span<const NamedWord> values);

// What to do when these values of the context variables are observed: decide() of that problem. Values far outside of
// what the model has seen are warnings of the decision. Throws what decide and decision_problem throw.
Decision decide(const RehearsalModel& model, std::span<const NamedValue> observed, const DecisionOptions& options,
                const Context& context, UnknownPolicy unknown = UnknownPolicy::kError);

// decide(model, {{"Light", 1.3}, {"Temp", 0.4}}, options, context)
inline Decision decide(const RehearsalModel& model, std::initializer_list<NamedValue> observed,
                       const DecisionOptions& options, const Context& context) {
  return decide(model, std::span<const NamedValue>(observed.begin(), observed.size()), options, context);
}

// How well the samplers forecast the held-out rows nearest to what is observed and set (calibration_near). Nothing for
// a model without calibration, and where there are too few rows.
std::optional<NearCalibration> calibration_near(const RehearsalModel& model, const Decision& decision);

// What is wrong there with the forecasts of the variables that are no levers.
std::vector<Warning> calibration_warnings(const RehearsalModel& model, const Decision& decision);

// What `olem decide` says of decisions beside its options: {"method", "task", "column_types", "order", "order_method",
// "graph", "models", "undecided_steps", "decisions"}. `task` is the model's, with the values that were observed.
Json decisions_json(const RehearsalModel& model, const Task& task, const DecisionOptions& options,
                    const std::vector<Decision>& decisions);

}  // namespace olem
