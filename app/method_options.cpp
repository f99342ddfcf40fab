#include "method_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "choices.h"
#include "command_line.h"
#include "olem/error.h"
#include "olem/rehearsal.h"
#include "session.h"
#include "spelling.h"

namespace olem::app {

namespace {

// The methods that read each option.
std::map<std::string, std::vector<std::string>> readers(const std::vector<Method>& methods) {
  std::map<std::string, std::vector<std::string>> names;
  for (const Method& method : methods) {
    for (const Option& option : method.options.options()) names[option.name].push_back(method.name);
  }
  return names;
}

}  // namespace

void add_method_options(CLI::App& verb, const std::vector<Method>& methods, std::string& chosen,
                        const std::string& help, const std::string& flag) {
  const std::string chooser = flag == "--method" ? "Method" : flag == "--sampler" ? "Sampler" : "Graph";
  std::vector<std::string> names;
  for (const Method& method : methods) names.push_back(method.name);
  CLI::Option* const method_flag = verb.add_option_function<std::string>(
      flag,
      [names, flag, &chosen](const std::string& value) {
        if (std::find(names.begin(), names.end(), value) == names.end()) {
          const std::string closest = closest_name(value, names);
          throw Error(ErrorCategory::kUsage,
                      fmt::format("{}: '{}' is not one of: {}.{}", flag, value, fmt::join(names, ", "),
                                  closest.empty() ? "" : fmt::format(" Did you mean '{}'?", closest)));
        }
        chosen = value;
      },
      fmt::format("{}: {}{}", help, fmt::join(names, ", "),
                  chosen.empty() ? "" : fmt::format(" (default {})", chosen)));
  method_flag->type_name("NAME")->group(chooser);
  keep_choices(*method_flag, names);
  const auto by_option = readers(methods);
  for (const Method& method : methods) {
    for (const Option& option : method.options.options()) {
      if (find_flag(verb, flag_name(option.name)) != nullptr) continue;
      const auto& who = by_option.at(option.name);
      const std::string group =
          who.size() == methods.size() ? chooser : fmt::format("Of {} {}", flag, fmt::join(who, ", "));
      OptionSet one;
      one.add(option);
      add_described_options(verb, one, group);
    }
  }
}

void check_method_options(const CLI::App& verb, const std::vector<Method>& methods, const std::string& chosen,
                          const std::string& flag) {
  for (const auto& [option, who] : readers(methods)) {
    if (!flag_given(verb, flag_name(option))) continue;
    if (std::find(who.begin(), who.end(), chosen) != who.end()) continue;
    throw Error(ErrorCategory::kUsage, fmt::format("'{}' is not an option of {} {}; it belongs to {}.",
                                                   flag_name(option), flag, chosen, fmt::join(who, ", ")));
  }
}

void add_like_option(CLI::App& verb, std::string& like) {
  CLI::Option* const option = verb.add_option(
      "--like", like, "take the defaults of an earlier version: 0.1, whose orders are OLEM's and whose sampler is gp");
  option->type_name("VERSION")->group("Method");
  keep_choices(*option, {"0.1"});
}

void apply_like(const CLI::App& verb, const std::string& like, std::string& method) {
  if (like.empty()) return;
  const RehearsalOptions defaults = rehearsal_defaults(like);
  if (!flag_given(verb, "--method")) method = defaults.order.method;
}

}  // namespace olem::app
