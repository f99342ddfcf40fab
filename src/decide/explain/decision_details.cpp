#include <nlohmann/json.hpp>

#include "olem/explain.h"

namespace olem {

void add_decision_details(Json& result, const RehearsalModel& model, const std::vector<DecisionProblem>& problems,
                          const std::vector<Decision>& decisions, const DecisionOptions& options,
                          const Context& context) {
  ExplainOptions explain;
  explain.pair_points = 0;
  explain.draws = options.draws;
  explain.final_draws = 2 * options.judge_draws;
  explain.caution = options.caution;
  std::vector<std::vector<NamedValue>> values;
  for (const Decision& decision : decisions) {
    std::vector<NamedValue>& list = values.emplace_back();
    for (const Alteration& alteration : decision.alterations) {
      if (alteration.value) list.push_back({alteration.name, *alteration.value});
    }
  }
  // What one fit decided is explained by that fit.
  std::vector<DecisionProblem> explained = problems;
  for (std::size_t i = 0; i < explained.size(); ++i) {
    if (!decisions[i].uncertainty) explained[i].members = nullptr;
  }
  const std::vector<Explanation> explanations = explain_all(explained, values, explain, context);
  for (std::size_t i = 0; i < explanations.size(); ++i)
    result["decisions"][i]["details"] = to_json(explanations[i], model.columns);
  result.update(to_json(model.order));
  if (model.calibration) result["calibration"] = to_json(*model.calibration);
}

}  // namespace olem
