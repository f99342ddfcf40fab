#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/decision.h"
#include "olem/json.h"
#include "olem/rehearsal.h"

namespace olem {

// The object that a verb writes: its own keys in `result`, and around them version, verb, options, seed, seconds and
// warnings.
Json result_json(const std::string& verb, const Json& result, Json options, std::uint64_t seed, double seconds,
                 const std::vector<Warning>& warnings);

// A result of olem as one HTML page that stands alone: no address, script or font outside of it, readable in light and
// dark, printed, and without colours. `result` is the object that `olem order`, `graph`, `fit`, `decide`, `explain` or
// `study` writes; all that the page shows is in it, and parts that it lacks are left out. `source` begins every
// message: a data error for what is no such object, and for parts that do not fit together.
std::string report_page(const Json& result, const std::string& source);

// Adds to the object of `olem decide` what its page shows beside the decisions: the steps of the order, the calibration
// of the samplers where there is one, and in each decision, as "details", the curves of every alterable variable beside
// the decision and the forecasts (docs/explain.md). Costs about a tenth of a second for each decision, on the context's
// threads.
void add_decision_details(Json& result, const RehearsalModel& model, const std::vector<DecisionProblem>& problems,
                          const std::vector<Decision>& decisions, const DecisionOptions& options,
                          const Context& context);

}  // namespace olem
