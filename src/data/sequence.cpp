#include "data/sequence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "olem/options.h"

namespace olem {

std::vector<SequenceStep> decision_steps(const Task& task) {
  std::vector<SequenceStep> steps = task.sequence;
  if (steps.empty()) steps.emplace_back();
  std::set<std::string> named;
  for (const SequenceStep& step : steps) named.insert(step.alter.begin(), step.alter.end());
  for (const LeverDomain& lever : task.alterable) {
    if (!named.contains(lever.name)) steps.front().alter.push_back(lever.name);
  }
  return steps;
}

}  // namespace olem

namespace olem::internal {

void check_sequence(const Task& task, const Table& table, std::vector<Problem>& problems) {
  std::vector<std::string> levers;
  for (const LeverDomain& lever : task.alterable) levers.push_back(lever.name);
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto add = [&](std::string text, const std::string& advice, const std::string& name) {
    problems.push_back({Severity::kError, "sequence", std::move(text), {{advice}}, {name}});
  };
  std::set<std::string> seen;
  for (std::size_t s = 0; s < task.sequence.size(); ++s) {
    for (const std::string& name : task.sequence[s].alter) {
      if (!is_in(levers, name)) {
        const std::string near = closest_name(name, levers);
        add(fmt::format("Step {} of \"sequence\" alters '{}', which is not alterable.", s + 1, name),
            near.empty() ? "Name variables of \"alterable\"" : fmt::format("Did you mean '{}'?", near), name);
      } else if (!seen.insert(name).second) {
        add(fmt::format("'{}' stands twice in \"sequence\".", name), "Name it in one step only", name);
      }
    }
    for (const std::string& name : task.sequence[s].then_observe) {
      if (!table.find(name)) {
        const std::string near = closest_name(name, table.names());
        add(fmt::format("There is no column '{}', which step {} of \"sequence\" observes.", name, s + 1),
            near.empty() ? "Correct the name; upper and lower case matter" : fmt::format("Did you mean '{}'?", near),
            name);
        continue;
      }
      const char* const role = is_in(task.context, name)        ? "context, and known before the first step"
                               : is_in(levers, name)            ? "alterable"
                               : is_in(task.outcome, name)      ? "an outcome"
                               : is_in(task.known_before, name) ? "settled before the first lever is set"
                                                                : nullptr;
      if (role != nullptr) {
        add(fmt::format("Step {} of \"sequence\" observes '{}', which is {}.", s + 1, name, role),
            "Observe columns without a role", name);
      } else if (!seen.insert(name).second) {
        add(fmt::format("'{}' stands twice in \"sequence\".", name), "Name it in one step only", name);
      }
    }
  }
}

void check_last_step(const Task& task, std::vector<Problem>& problems) {
  if (task.sequence.empty() || task.sequence.back().then_observe.empty()) return;
  const std::vector<std::string>& names = task.sequence.back().then_observe;
  problems.push_back(
      {Severity::kNote,
       "last_observation",
       fmt::format("'{}' is observed after the last step of \"sequence\", so that no decision depends on "
                   "it.",
                   fmt::join(names, "', '")),
       {{"Add a step that alters something afterwards, or leave it out"}},
       names});
}

std::vector<std::pair<std::string, std::string>> sequence_pairs(const Task& task) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (task.sequence.empty()) return pairs;
  const std::vector<SequenceStep> steps = decision_steps(task);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (const std::string& observed : steps[s].then_observe) {
      for (std::size_t other = 0; other < steps.size(); ++other) {
        for (const std::string& lever : steps[other].alter) {
          if (other <= s) pairs.emplace_back(lever, observed);
          if (other > s) pairs.emplace_back(observed, lever);
        }
      }
    }
  }
  return pairs;
}

}  // namespace olem::internal
