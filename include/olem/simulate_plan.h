#pragma once

#include <string>
#include <vector>

#include "olem/named_value.h"
#include "olem/sequence.h"

namespace olem {

// A decision with the rules of its later steps, as `olem decide --json` writes it (docs/methods/sequence.md).
struct DecisionPlan {
  std::vector<NamedValue> observed;     // the context that it was made for
  std::vector<NamedValue> alterations;  // what is set now
  std::vector<AlterationRule> rules;    // of the later steps; none for a decision at once
};

// The one decision of a JSON result. A data error, which names what is wrong, for a file that is no such result, for
// one with several decisions, and for a level whose word is no number.
DecisionPlan read_decision_plan(const std::string& path);

}  // namespace olem
