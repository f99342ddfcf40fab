#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decide/ensemble.h"
#include "decide/explain/outcome_histogram.h"
#include "serve/rehearser.h"
#include "serve/requests.h"

namespace olem::internal {

// Rehearsals side by side, on the same draws.
struct Comparison {
  struct Row {
    std::string name;
    RehearseRequest request;
    Rehearsal rehearsal;
    // By the draws, or by the members of the model, which speak for all that is uncertain.
    double success = 0.0;
    Interval interval;
    double without_action = 0.0;
    bool in_steps = false;  // the success is that of a plan, with its later steps
    bool best = false;      // the most probable success; of equals the cheapest, and of those the first
    // Behind the best, with the standard error of the difference, draw by draw.
    double behind = 0.0;
    double standard_error = 0.0;
    // The difference may be chance: it is less than two of its standard errors.
    bool as_good() const { return behind <= 2.0 * standard_error; }
  };
  std::vector<Row> rows;
  // Of every row, in their order, and behind them of no action where all have the same context.
  std::vector<OverlaidHistogram> histograms;
  bool same_context = true;
  bool same_desired = true;
};

// What the members of a model say of a rehearsal; nothing where there are none.
using ClaimFunction = std::function<std::optional<SuccessClaim>(const RehearseRequest&)>;
// What was claimed of a scenario that is a recommendation in steps; nothing for any other.
using PlanFunction = std::function<std::optional<SuccessClaim>(const CompareRequest::Scenario&)>;

Comparison compare_rehearsals(Rehearser& rehearser, const RehearsalModel& model, const CompareRequest& request,
                              const ClaimFunction& claim, const PlanFunction& plan);

// {"rows": [{"name", "success_probability", "interval", "without_action", "cost", "outcomes", "best", "as_good",
// "behind", "standard_error", "in_steps"}], "same_context", "same_desired", "svg": {outcome: figure}}
Json comparison_json(const Comparison& comparison, double width);

// A row for each scenario: name, context, what is set, success with its interval, without action, cost, means.
std::string comparison_csv(const Comparison& comparison, const RehearsalModel& model);

// A page of HTML that stands alone, like those of olem report.
std::string comparison_page(const Comparison& comparison, const RehearsalModel& model);

}  // namespace olem::internal
