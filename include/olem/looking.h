#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/column_types.h"
#include "olem/context.h"
#include "olem/decision.h"
#include "olem/json.h"

namespace olem {

// What seeing a variable before later levers are set is worth.
struct WorthOfLooking {
  std::string name;
  double seen = 0.0;    // success of the best plan when it is seen
  double unseen = 0.0;  // of the best one when it is not
  double gain() const { return seen - unseen; }
};

// Whether to change a lever or to watch it (influence power; Tao et al., ICLR 2026). Levers before it in the order take
// their own course; those after it answer to what is seen, each changed or watched as is best.
struct ChangeOrWatch {
  std::string name;
  double changed = 0.0;         // the best success when it is altered
  double watched = 0.0;         // the best one when it is left alone and seen
  std::optional<double> value;  // at which it is best
  double difference() const { return changed - watched; }
};

struct Looking {
  std::vector<WorthOfLooking> variables;  // that stand before a lever, the most worth first
  std::vector<ChangeOrWatch> levers;      // in the order of the problem
};

// By the plans of decide(), all on the same draws. Every number is a plan of its own, with fewer draws than a decision:
// with up to four later levers all choices of what to change are planned, beyond that none, each and all of them. A
// pure function of its arguments; runs on the context's threads. Throws what decide throws.
Looking explain_looking(const DecisionProblem& problem, const DecisionOptions& options, const Context& context);

// {"variables": [{"name", "seen", "unseen", "gain"}], "levers": [{"name", "changed", "watched", "difference",
// "value"}]}
Json to_json(const Looking& looking, std::span<const NamedColumn> columns = {});

}  // namespace olem
