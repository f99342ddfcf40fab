#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "olem/decision.h"
#include "olem/region.h"
#include "olem/rehearsal.h"

namespace olem::internal {

// The bodies of requests to the rehearsal API as values. Each reader takes a JSON object and throws a data error, in
// words for the person in front of the page, for text that is not JSON, nested deeper than 64 levels, with a key twice
// or a number that is not finite, for unknown keys and variables (with the closest name), and for values that the task
// does not allow.

struct RehearseRequest {
  std::vector<double> context;          // in the order of the task
  std::vector<NamedValue> alterations;  // of what is set, in the order of the task
  Region desired;
  double width = 560.0;    // of a figure, in pixels
  std::string group = {};  // of the model's groups; empty: a new one, or the model has none
};

// Rehearsals to be laid side by side.
struct CompareRequest {
  struct Scenario {
    std::string name;
    RehearseRequest rehearsal;
    std::string result = {};  // id of the recommendation that it is; empty: set by hand
  };
  std::vector<Scenario> scenarios;
  double width = 560.0;  // of a figure, in pixels
};

// What is settled before a recommendation.
struct Switches {
  std::vector<NamedValue> fixed;
  std::vector<std::string> left_alone;
};

struct RecommendRequest {
  std::vector<double> context;
  Switches switches;
  Region desired;
  DecisionOptions options;
  std::vector<NamedValue> so_far = {};  // set and seen since the context was observed
  std::string group = {};               // as in a RehearseRequest
};

struct ContextsRequest {
  std::string csv;
  Switches switches;
  Region desired;
  std::string group = {};  // as in a RehearseRequest
};

// The context that the page begins with: the values that the task observed, and the means of the data otherwise.
std::vector<double> starting_context(const RehearsalModel& model);
// The group that it begins with: the one that the task observed where the model has it, empty for a new one.
std::string starting_group(const RehearsalModel& model);

RehearseRequest read_rehearse_request(const RehearsalModel& model, std::string_view body);
CompareRequest read_compare_request(const RehearsalModel& model, std::string_view body);
// `options` hold unless the request says otherwise.
RecommendRequest read_recommend_request(const RehearsalModel& model, std::string_view body,
                                        const DecisionOptions& options);
ContextsRequest read_contexts_request(const RehearsalModel& model, std::string_view body);

}  // namespace olem::internal
