#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/calibration.h"
#include "olem/context.h"
#include "olem/decision.h"
#include "olem/json.h"
#include "olem/order.h"
#include "olem/sampler_set.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem {

struct RehearsalOptions {
  OrderOptions order;
  SamplerOptions samplers;
  // Learn the order without the stages of the task, as in the published algorithm. They are known to hold, so using
  // them can only help: on the Bermuda data the literal algorithm loses up to .07 of success on some samples.
  bool ignore_stages = false;
  // Test the samplers on rows held out. Costs nearly as much as fitting them, which a single decision need not pay.
  bool calibrate = false;
};

// Every option of the chosen learner and sampler with its value.
Json to_json(const RehearsalOptions& options);

// What was learned for one task: enough to decide for any context.
struct RehearsalModel {
  Task task;
  OrderResult order;                   // learned, or given (method "given order")
  std::vector<ColumnSummary> context;  // of the context variables, in the order of the task
  RegionCentre centre;                 // of the desired region
  std::shared_ptr<const SamplerSet> samplers;
  RehearsalOptions options;
  std::uint64_t seed = 0;
  std::string version;                     // of the olem that learned it
  std::optional<Calibration> calibration;  // of the samplers along this order, where asked for
  Summary summary;                         // seconds and warnings of learning
};

// OLEM-Rh up to the decision (Order-based Rehearsal Learning, Algorithms 1 and 2): the order of the columns, with the
// stages of the task as tiers unless they are to be ignored, then a sampler for every variable given those before it.
// A `given` order is used as it is; where it contradicts the stages or what the task knows, a warning names the pairs.
//
// Throws what resolve_task, learn_order and fit_samplers throw.
RehearsalModel fit_rehearsal(const Task& task, const Table& table, const RehearsalOptions& options,
                             const std::optional<Order>& given, const Context& context);

// What each sampler is, by variable: {"kind", "form", "noise_sd" in the variable's units, "inputs": {name: {"slope" in
// standard deviations per standard deviation, "relevance" of the nonlinear part}} of those that it uses}. Variables
// that are always observed have none.
Json models_json(const RehearsalModel& model);

// The decision to make for one context, with a value for each context variable in the order of the task.
DecisionProblem decision_problem(const RehearsalModel& model, std::span<const double> context_values);

// The steps of the order that the data did not decide and that stand between an alterable variable and an outcome, as
// "a, b": the two may stand the other way round, and the decision with them.
std::vector<std::string> undecided_between(const RehearsalModel& model);

}  // namespace olem
