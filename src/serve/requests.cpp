#include "serve/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "core/json_text.h"
#include "data/reading.h"
#include "olem/error.h"
#include "olem/options.h"

namespace olem::internal {

namespace {

constexpr const char* kRequest = "The request";
// Parsed JSON takes twenty times the memory of its text; no task has as many variables.
constexpr std::size_t kMostValues = 100000;
constexpr int kMostProposals = 10;
constexpr std::size_t kMostScenarios = 12;
constexpr std::size_t kLongestName = 80;
constexpr double kLeastWidth = 200.0;
constexpr double kMostWidth = 2000.0;
// A lever may miss the end of its domain by what is lost on the way through decimal digits.
constexpr double kDomainRounding = 1e-9;

[[noreturn]] void reject(const std::string& what) { throw Error(ErrorCategory::kData, what); }

std::string shown(const std::string& name) { return show_text(name, 80); }

// " Did you mean 'x'?", or which there are.
std::string closest_hint(const std::string& name, std::span<const std::string> names) {
  const std::string near = closest_name(name, names);
  if (!near.empty()) return fmt::format(" Did you mean '{}'?", shown(near));
  return names.empty() ? " There are none." : fmt::format(" There are {}.", fmt::join(names, ", "));
}

void check_keys(const Json& object, std::span<const std::string> keys, const char* what) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      reject(fmt::format("{} has an unknown key '{}'.{}", what, shown(key), closest_hint(key, keys)));
  }
}

Json parse_body(std::string_view body, std::span<const std::string> keys) {
  Json json = parse_json_text(body, kRequest, kMostValues);
  if (!json.is_object()) reject("The request is not an object.");
  check_keys(json, keys, kRequest);
  return json;
}

double finite_number(const Json& value, const std::string& what) {
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    reject(fmt::format("The value of {} is not a finite number.", what));
  return value.get<double>();
}

// The members of an object whose keys are variables, each with its place among `names`.
struct VariableEntry {
  std::size_t place;
  const Json* value;
};
std::vector<VariableEntry> variable_entries(const Json& request, const char* key, std::span<const std::string> names,
                                            const char* kind) {
  std::vector<VariableEntry> entries;
  const auto found = request.find(key);
  if (found == request.end() || found->is_null()) return entries;
  if (!found->is_object()) reject(fmt::format("'{}' is not an object of names and values.", key));
  for (const auto& [name, value] : found->items()) {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end())
      reject(fmt::format("'{}' is no {} of this task.{}", shown(name), kind, closest_hint(name, names)));
    entries.push_back({static_cast<std::size_t>(place - names.begin()), &value});
  }
  return entries;
}

std::vector<std::string> alterable_names(const Task& task) {
  std::vector<std::string> names;
  for (const LeverDomain& range : task.alterable) names.push_back(range.name);
  return names;
}

// A number, or the word of a level. null: it is not known, which is NaN.
double context_value(const RehearsalModel& model, const std::string& name, const Json& given) {
  if (given.is_null()) {
    if (!model.context_model)
      reject(fmt::format("'{}' is null, but this model cannot draw what is not known of the context: fit it again.",
                         shown(name)));
    return std::numeric_limits<double>::quiet_NaN();
  }
  const Column& column = about_column(model.columns, name);
  if (!given.is_string() || column.levels.empty()) return finite_number(given, fmt::format("'{}'", shown(name)));
  const std::string word = given.get<std::string>();
  const std::optional<double> value = column_value(column, word);
  if (!value)
    reject(fmt::format("'{}' is no level of '{}'. {}", shown(word), shown(name), levels_sentence(column, word)));
  return *value;
}

double domain_value(const RehearsalModel& model, const LeverDomain& lever, const Json& json) {
  const Column& about = about_column(model.columns, lever.name);
  const LeverDomain range = resolve_lever(lever, about);
  const double value = context_value(model, range.name, json);
  if (has_values(range)) {
    for (const double possible : range.values) {
      if (std::abs(possible - value) <= kDomainRounding * std::max(1.0, range.high - range.low)) return possible;
    }
    reject(fmt::format("{} is none of the values of '{}': {}.", value_name(about, value), shown(range.name),
                       domain_text(range, about)));
  }
  const double slack = kDomainRounding * (range.high - range.low);
  if (value < range.low - slack || value > range.high + slack) {
    reject(
        fmt::format("{} is outside of the domain [{}, {}] of '{}'.", value, range.low, range.high, shown(range.name)));
  }
  return std::clamp(value, range.low, range.high);
}

std::vector<double> read_context(const RehearsalModel& model, const Json& request) {
  const Task& task = model.task;
  if (!request.contains("context")) return starting_context(model);
  std::vector<std::optional<double>> values(task.context.size());
  for (const VariableEntry& entry : variable_entries(request, "context", task.context, "context variable"))
    values[entry.place] = context_value(model, task.context[entry.place], *entry.value);
  std::vector<double> result;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!values[j]) reject(fmt::format("'context' lacks a value of '{}'.", shown(task.context[j])));
    result.push_back(*values[j]);
  }
  return result;
}

std::optional<double> region_side(const Json& value, const std::string& outcome) {
  if (value.is_null()) return std::nullopt;
  return finite_number(value, fmt::format("a side of the region of '{}'", shown(outcome)));
}

// A range, a level or levels, as in a task.
OutcomeRange read_wanted(const std::string& outcome, const Json& given) {
  OutcomeRange wanted;
  wanted.outcome = outcome;
  const Json& list = given.is_object() && given.contains("values") ? given["values"] : given;
  const bool is_list = given.is_object() && list.is_array() && !list.empty();
  if (given.is_array() && given.size() == 2) {
    wanted.low = region_side(given[0], outcome);
    wanted.high = region_side(given[1], outcome);
  } else if (is_list || given.is_string() || given.is_number()) {
    for (const Json& value : is_list ? list : Json::array({given})) {
      if (value.is_string()) {
        wanted.words.push_back(value.get<std::string>());
      } else {
        wanted.values.push_back(finite_number(value, fmt::format("a level of '{}'", shown(outcome))));
      }
    }
  } else {
    reject(fmt::format("What is desired of '{}' is neither a range [low, high], each a number or null, nor a level.",
                       shown(outcome)));
  }
  return wanted;
}

Region read_desired(const Task& task, const Json& request) {
  const std::vector<VariableEntry> entries = variable_entries(request, "desired", task.outcome, "outcome");
  if (entries.empty()) return task.desired;
  std::vector<OutcomeRange> ranges = task.desired.ranges();
  if (ranges.empty())
    reject("What is desired in this task is not a range for each outcome, so that it cannot be changed here.");
  for (const VariableEntry& entry : entries) {
    ranges[entry.place] = read_wanted(task.outcome[entry.place], *entry.value);
  }
  return Region::box(ranges);
}

// One of the model's groups; null is a new one.
std::string read_group(const RehearsalModel& model, const Json& request) {
  if (!request.contains("group")) return starting_group(model);
  const Json& given = request["group"];
  if (given.is_null()) return "";
  if (!given.is_string()) reject("'group' is neither the name of a group nor null.");
  std::string name = given.get<std::string>();
  if (std::find(model.groups.begin(), model.groups.end(), name) == model.groups.end())
    reject(model.groups.empty()
               ? "'group' is given, but the rows of this model have no groups."
               : fmt::format("'{}' is none of the {} groups of '{}'.{}", shown(name), model.groups.size(),
                             shown(model.task.group), closest_hint(name, model.groups)));
  return name;
}

RehearseRequest read_rehearsal(const RehearsalModel& model, const Json& json) {
  RehearseRequest request{read_context(model, json), {}, read_desired(model.task, json)};
  request.group = read_group(model, json);
  std::vector<std::optional<double>> values(model.task.alterable.size());
  for (const VariableEntry& entry :
       variable_entries(json, "alterations", alterable_names(model.task), "alterable variable")) {
    if (!entry.value->is_null())
      values[entry.place] = domain_value(model, model.task.alterable[entry.place], *entry.value);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k]) request.alterations.push_back({model.task.alterable[k].name, *values[k]});
  }
  return request;
}

double read_width(const Json& json, double otherwise) {
  if (!json.contains("width")) return otherwise;
  const double width = finite_number(json["width"], "'width'");
  if (width < kLeastWidth || width > kMostWidth)
    reject(fmt::format("'width' is {}, but must lie between {} and {}.", width, kLeastWidth, kMostWidth));
  return width;
}

Switches read_switches(const RehearsalModel& model, const Json& request) {
  const Task& task = model.task;
  Switches switches;
  for (const VariableEntry& entry :
       variable_entries(request, "switches", alterable_names(task), "alterable variable")) {
    const LeverDomain& range = task.alterable[entry.place];
    // A level may be called "free"; it is fixed by its number then.
    const bool word = entry.value->is_string() && *entry.value != "leave" && *entry.value != "free";
    if (entry.value->is_number() || (word && !about_column(model.columns, range.name).levels.empty())) {
      switches.fixed.push_back({range.name, domain_value(model, range, *entry.value)});
    } else if (*entry.value == "leave") {
      switches.left_alone.push_back(range.name);
    } else if (*entry.value != "free") {
      reject(fmt::format("The switch of '{}' is neither \"free\" nor \"leave\" nor a number to fix it at.",
                         shown(range.name)));
    }
  }
  return switches;
}

}  // namespace

std::vector<double> starting_context(const RehearsalModel& model) {
  std::vector<double> values;
  for (std::size_t j = 0; j < model.task.context.size(); ++j) {
    double value = model.context[j].mean;
    const Column& column = about_column(model.columns, model.task.context[j]);
    if (!column.levels.empty()) {
      value =
          std::min_element(column.levels.begin(), column.levels.end(), [mean = value](const auto& a, const auto& b) {
            return std::abs(a.value - mean) < std::abs(b.value - mean);
          })->value;
    }
    for (const NamedValue& observed : model.task.observed) {
      if (observed.name == model.task.context[j]) value = observed.value;
    }
    for (const NamedWord& observed : model.task.observed_words) {
      if (observed.name == model.task.context[j]) value = column_value(column, observed.word).value_or(value);
    }
    values.push_back(value);
  }
  return values;
}

std::string starting_group(const RehearsalModel& model) {
  const std::string name = observed_group(model.task);
  const bool known = std::find(model.groups.begin(), model.groups.end(), name) != model.groups.end();
  return known ? name : "";
}

RehearseRequest read_rehearse_request(const RehearsalModel& model, std::string_view body) {
  const std::string keys[] = {"context", "group", "alterations", "desired", "width"};
  const Json json = parse_body(body, keys);
  RehearseRequest request = read_rehearsal(model, json);
  request.width = read_width(json, request.width);
  return request;
}

CompareRequest read_compare_request(const RehearsalModel& model, std::string_view body) {
  const std::string keys[] = {"scenarios", "width"};
  const std::string scenario_keys[] = {"name", "context", "group", "alterations", "desired", "result"};
  const Json json = parse_body(body, keys);
  if (!json.contains("scenarios") || !json["scenarios"].is_array() || json["scenarios"].empty())
    reject("'scenarios' is not a list of at least one scenario.");
  if (json["scenarios"].size() > kMostScenarios)
    reject(fmt::format("There are {} scenarios, but at most {} can be compared.", json["scenarios"].size(),
                       kMostScenarios));
  CompareRequest request;
  for (const Json& entry : json["scenarios"]) {
    if (!entry.is_object()) reject("A scenario is not an object.");
    check_keys(entry, scenario_keys, "A scenario");
    if (!entry.contains("name") || !entry["name"].is_string()) reject("The 'name' of a scenario is not a text.");
    const std::string name = entry["name"].get<std::string>();
    if (name.empty() || name.size() > kLongestName)
      reject(fmt::format("The name of a scenario is empty or has more than {} bytes.", kLongestName));
    for (const CompareRequest::Scenario& other : request.scenarios) {
      if (other.name == name) reject(fmt::format("Two scenarios are called '{}'.", shown(name)));
    }
    if (entry.contains("result") && !entry["result"].is_string()) reject("The 'result' of a scenario is not a text.");
    request.scenarios.push_back({name, read_rehearsal(model, entry), entry.value("result", std::string())});
  }
  request.width = read_width(json, request.width);
  return request;
}

RecommendRequest read_recommend_request(const RehearsalModel& model, std::string_view body,
                                        const DecisionOptions& options) {
  const std::string keys[] = {"context", "group", "switches", "desired", "target", "proposals", "so_far"};
  const Json json = parse_body(body, keys);
  RecommendRequest request{read_context(model, json), read_switches(model, json), read_desired(model.task, json),
                           options};
  request.group = read_group(model, json);
  std::vector<std::string> variables;
  for (const SamplerVariable& variable : model.samplers->variables) variables.push_back(variable.name);
  for (const VariableEntry& entry : variable_entries(json, "so_far", variables, "variable")) {
    if (entry.value->is_null()) continue;  // neither set nor seen yet
    const std::string& name = variables[entry.place];
    request.so_far.push_back({name, context_value(model, name, *entry.value)});
  }
  if (json.contains("target")) {
    request.options.target = finite_number(json["target"], "'target'");
    if (request.options.target < 0.0 || request.options.target > 1.0)
      reject(fmt::format("'target' is {}, but must lie between 0 and 1.", request.options.target));
  }
  if (json.contains("proposals")) {
    const double count = finite_number(json["proposals"], "'proposals'");
    if (count < 1.0 || count > kMostProposals || count != std::floor(count))
      reject(fmt::format("'proposals' is {}, but must be a whole number from 1 to {}.", count, kMostProposals));
    request.options.proposals = static_cast<int>(count);
  }
  return request;
}

ContextsRequest read_contexts_request(const RehearsalModel& model, std::string_view body) {
  const std::string keys[] = {"csv", "group", "switches", "desired"};
  const Json json = parse_body(body, keys);
  if (!json.contains("csv") || !json["csv"].is_string()) reject("'csv' is not the text of a table.");
  return {json["csv"].get<std::string>(), read_switches(model, json), read_desired(model.task, json),
          read_group(model, json)};
}

}  // namespace olem::internal
