#include "command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/json.h"
#include "olem/options.h"

namespace olem::app {

namespace {

bool is_given(const std::vector<std::string>& arguments, const std::string& flag) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return argument == flag || argument.rfind(flag + "=", 0) == 0;
  });
}

void append_value(const std::string& flag, const Json& value, const std::string& file,
                  std::vector<std::string>& flags) {
  if (value.is_boolean()) {
    if (value.get<bool>()) flags.push_back(flag);
  } else if (value.is_string()) {
    flags.push_back(flag + "=" + value.get<std::string>());
  } else if (value.is_number()) {
    flags.push_back(flag + "=" + value.dump());
  } else if (value.is_array()) {
    for (const Json& entry : value) append_value(flag, entry, file, flags);
  } else {
    throw Error(ErrorCategory::kUsage,
                fmt::format("--config: {}: the value of {} is not a number, text, true, false or a list.", file, flag));
  }
}

std::vector<std::string> flags_from(const std::string& file, const std::vector<std::string>& arguments) {
  Json config;
  try {
    config = Json::parse(read_file(file), nullptr, true, true);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCategory::kUsage, fmt::format("--config: {} is not JSON: {}.", file, error.what()));
  }
  if (!config.is_object()) {
    throw Error(ErrorCategory::kUsage, fmt::format("--config: {} is not an object of option names and values.", file));
  }
  std::vector<std::string> flags;
  for (const auto& [key, value] : config.items()) {
    const std::string flag = flag_name(key);
    if (!is_given(arguments, flag)) append_value(flag, value, file, flags);
  }
  return flags;
}

}  // namespace

std::vector<std::string> expand_config(std::vector<std::string> arguments) {
  std::string file;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string equals = "--config=";
    std::size_t words = 0;
    if (arguments[i] == "--config" && i + 1 < arguments.size()) {
      file = arguments[i + 1];
      words = 2;
    } else if (arguments[i].rfind(equals, 0) == 0) {
      file = arguments[i].substr(equals.size());
      words = 1;
    }
    if (words == 0) continue;
    const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    arguments.erase(first, first + static_cast<std::ptrdiff_t>(words));
    break;
  }
  if (file.empty() || arguments.empty()) return arguments;
  const auto flags = flags_from(file, arguments);
  arguments.insert(arguments.begin() + 1, flags.begin(), flags.end());
  return arguments;
}

std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& arguments) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  if (arguments.empty()) return fmt::format("Say what to do: one of {}. See olem --help.", fmt::join(verbs, ", "));

  const std::string& word = arguments.front();
  if (std::find(verbs.begin(), verbs.end(), word) == verbs.end()) {
    const std::string near = closest_name(word, verbs);
    return fmt::format("'{}' is not a verb of olem.{} See olem --help.", word,
                       near.empty() ? "" : fmt::format(" Did you mean '{}'?", near));
  }
  const CLI::App* const verb = app.get_subcommand(word);
  std::vector<std::string> flags;
  for (const CLI::Option* option : verb->get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  std::string hint;
  for (const std::string& argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (flag.rfind("--", 0) != 0 || std::find(flags.begin(), flags.end(), flag) != flags.end()) continue;
    const std::string near = closest_name(flag, flags);
    hint = fmt::format("'{}' is not an option of olem {}.{} ", flag, word,
                       near.empty() ? "" : fmt::format(" Did you mean {}?", near));
    break;
  }
  return fmt::format("{} See olem {} --help.",
                     hint.empty() ? std::string(error.what()) + "." : hint.substr(0, hint.size() - 1), word);
}

}  // namespace olem::app
