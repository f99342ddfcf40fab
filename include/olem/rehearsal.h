#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/agreement.h"
#include "olem/calibration.h"
#include "olem/context.h"
#include "olem/context_model.h"
#include "olem/graph.h"
#include "olem/graph_file.h"
#include "olem/graph_options.h"
#include "olem/impute.h"
#include "olem/json.h"
#include "olem/members.h"
#include "olem/order.h"
#include "olem/sampler_set.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem {

// Where levers stand among the columns that have no role in the task. People set levers after they have seen the
// context, and most columns without a role are consequences of what was set; data alone often cannot tell.
enum class LeverRule {
  kAuto,   // before all of them, unless the shape of the data prefers the learned order by more than 3 standard errors
  kFirst,  // before all of them
  kLearned,  // where the order learner puts them
};

struct RehearsalOptions {
  OrderOptions order;
  SamplerOptions samplers;
  // Learn the order without the stages of the task, as in the published algorithm. They are known to hold, so using
  // them can only help: on the Bermuda data the literal algorithm loses up to .07 of success on some samples.
  bool ignore_stages = false;
  // Of a learned order. The published algorithm learns it from data alone; on tables in natural units hidden causes and
  // units mislead every order learner, and levers that stand first cost little where they do not.
  LeverRule levers = LeverRule::kAuto;
  // Learn a graph instead of an order and condition every variable on its parents only (Grad-Rh).
  std::optional<GraphOptions> graph;
  // Test the samplers on rows held out. Costs nearly as much as fitting them, which a single decision need not pay.
  bool calibrate = false;
  // Fit models of each context variable given the others too, by which values that are not known at decision time are
  // drawn.
  bool context_model = false;
  // Fit members too, from which decisions have intervals that cover data and order, not only the draws. Nothing: one
  // fit, as in version 0.1. Costs three to five times the fit.
  std::optional<MemberOptions> members;
  // Learners beside the one of the fit, by whose orders or graphs every decision is evaluated too: an order where the
  // learner has one (its conditions are all variables before), otherwise a graph. They never take part in choosing.
  std::vector<std::string> opinions;
  // Fit only the samplers that decide() can need: those of the outcomes and levers and of what they depend on.
  // Decisions are the same. The other variables have no sampler, so that such a model is not kept in a file; QWZ23,
  // observations so far and explain() may ask for more. No effect for tasks with steps or with rows of which something
  // is known.
  bool only_needed = false;
  // When the work is stopped while members are fitted, keep those that are finished, with the warning
  // unfinished_members, in place of the error. Calibration is then left out. No effect under mpirun.
  bool keep_finished = false;
  // Put the rows into the model, which updating it needs (olem/update.h): 8 bytes for each cell.
  bool keep_rows = false;
};

// The options of learning that belong to no method: levers.
OptionSet describe(RehearsalOptions& options);

// The options that an earlier version had where none were given: "0.1" learns the order with OLEM, levers included,
// and models every variable as a number by gp. A usage error that names the known versions for any other.
RehearsalOptions rehearsal_defaults(std::string_view version);

// Every option of the chosen learner and sampler with its value.
Json to_json(const RehearsalOptions& options);

// The graph along which a model was learned.
struct RehearsalGraph {
  std::string method;  // a name of graph_learners(), or "given graph"
  std::string rule;    // how its edges were chosen, in words
  Dag dag;             // its nodes stand in the order of the model
};

// {"method", "rule", "edges": [[from, to]]}
Json to_json(const RehearsalGraph& graph);

// What was assumed about levers and columns without a role.
struct LeverPlacement {
  bool first = false;                  // the levers stand before `following`
  std::vector<std::string> following;  // columns without a role that nothing known puts before a lever
  // With kAuto: J by shape of the learned order minus that of the best order found with levers first (olem+), with its
  // standard error. Nothing when both are the same order or there are too few rows to tell.
  std::optional<ShapeDifference> difference;
};

// {"rule", "first", "following", "difference", "standard_error"}
Json to_json(const LeverPlacement& placement, LeverRule rule);

// The table that a model was learned from.
struct DataSource {
  std::string file;      // its name without folders; empty for a table that was not read from a file
  std::size_t rows = 0;  // incomplete ones too, where they were completed
};

// {"source", "rows"}
Json to_json(const DataSource& data);

// What rows in which a lever was set say about its effect on an outcome, and what the others say: slopes of straight
// lines, given what comes before the lever, in units of the outcome per unit of the lever.
struct SetEffect {
  std::string lever;
  std::string outcome;
  std::size_t set_rows = 0;
  std::size_t other_rows = 0;
  double set_effect = 0.0;
  double set_error = 0.0;  // standard error
  double other_effect = 0.0;
  double other_error = 0.0;
  bool contradict = false;  // beyond chance: something hidden moves lever and outcome where the lever is left alone

  bool operator==(const SetEffect&) const = default;
};

// {"lever", "outcome", "set_rows", "other_rows", "set": {"effect", "standard_error"}, "other": {...}, "contradict"}
Json to_json(const SetEffect& effect);

// What was learned for one task: enough to decide for any context.
struct RehearsalModel {
  Task task;
  OrderResult order;                     // learned, or given (method "given order"); with a graph an order of that
  std::optional<LeverPlacement> levers;  // nothing when the order was not learned, or by LeverRule::kLearned
  std::optional<RehearsalGraph> graph;   // nothing: every variable is conditioned on all before it
  std::optional<DataSource> data;        // nothing is known of it in models of 0.1
  std::optional<GapSummary> gaps;        // what was missing, when it was learned from completed tables
  // Between what was learned from each completed table: orders, or graphs. Nothing when one was given.
  std::optional<Agreement> agreement;
  std::vector<NamedColumn> columns;    // types, levels, units and labels; nothing is known of those that lack
  std::vector<ColumnSummary> context;  // of the context variables, in the order of the task
  RegionCentre centre;                 // of the desired region
  std::shared_ptr<const SamplerSet> samplers;
  std::shared_ptr<const ContextModel> context_model;  // null: not asked for, or no context
  std::shared_ptr<const ModelMembers> members;        // null: not asked for, or too few rows
  std::shared_ptr<const ModelMembers> opinions;       // null: not asked for
  RehearsalOptions options;
  std::uint64_t seed = 0;
  std::string version;                     // of the olem that learned it
  std::optional<Table> rows;               // that it was learned from, where they were to be kept
  std::optional<Calibration> calibration;  // of the samplers along this order, where asked for
  std::vector<SetEffect> set_by_hand;      // of the levers that were set in some rows
  std::vector<std::string> groups;         // names of the groups, by number; none: the rows have no groups
  std::optional<double> effective_rows;    // in time or with weights: independent rows of equal weight that say as much
  bool stopped = false;                    // before all members were fitted, with RehearsalOptions::keep_finished
  Summary summary;                         // seconds and warnings of learning
};

// OLEM-Rh up to the decision (Order-based Rehearsal Learning, Algorithms 1 and 2): the order of the columns, with the
// stages of the task as tiers unless they are to be ignored, then a sampler for every variable given those before it.
// A `given` order is used as it is; where it contradicts the stages or what the task knows, a warning names the pairs.
//
// With `options.graph` a graph is learned, which gets what is known of the order, and every variable is conditioned on
// its parents (Grad-Rh, Qin et al. 2025); a variable without parents is drawn from its marginal distribution. A CPDAG
// is extended to a DAG of its class that agrees with what is known. A task error when there is none and for a PAG, a
// usage error for a given order beside it.
//
// Throws what resolve_task, learn_order, learn_graph and fit_samplers throw.
RehearsalModel fit_rehearsal(const Task& task, const Table& table, const RehearsalOptions& options,
                             const std::optional<Order>& given, const Context& context);

// The same from completed tables (olem/impute.h). An order or graph is learned from each of them, and the one that
// agrees best with the others is used; every variable has a sampler from each, and draws come from all of them alike
// (fit_samplers). Task and columns are checked on the first table; calibration splits its rows, fits to all completed
// tables without the rows held out, and tests on the held-out ones of the first table, so that gaps there are tested
// with one of their imputed values.
RehearsalModel fit_rehearsal(const Task& task, const CompletedTables& tables, const RehearsalOptions& options,
                             const std::optional<Order>& given, const Context& context);
RehearsalModel fit_rehearsal_on_graph(const Task& task, const CompletedTables& tables, const RehearsalOptions& options,
                                      const GraphFile& given, const Context& context);

// The same with a graph that is given: a DAG, or a CPDAG, which is extended likewise. Its nodes are matched to the
// columns by name; columns that a file without a list of nodes is silent about have no edges. The order is one of the
// graph that agrees with the stages, lowest column first. A data error that begins with the graph's source and names
// the edges when the graph contradicts the stages of the task or its "before", has no extension, or has two-headed
// edges or circles.
RehearsalModel fit_rehearsal_on_graph(const Task& task, const Table& table, const RehearsalOptions& options,
                                      const GraphFile& given, const Context& context);

// What each sampler is, by variable: {"kind", "form", "noise_sd" in the variable's units, "inputs": {name: {"slope" in
// standard deviations per standard deviation, "relevance" of the nonlinear part}} of those that it uses}. Variables
// that are always observed, or were not needed, have none.
Json models_json(const RehearsalModel& model);

// What came of what the task says about its rows: "set_by_hand", "groups" and "effective_rows", each where there is
// something.
Json row_facts_json(const RehearsalModel& model);

// The steps of the order that the data did not decide and that stand between an alterable variable and an outcome, as
// "a, b": the two may stand the other way round, and the decision with them.
std::vector<std::string> undecided_between(const RehearsalModel& model);

}  // namespace olem
