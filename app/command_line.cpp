#include "command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/json_text.h"
#include "olem/options.h"
#include "olem/remedy.h"

namespace olem::app {

namespace {

const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> long_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

// " Did you mean X?" or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& names, std::string_view prefix = "") {
  const std::string near = closest_name(word, names);
  return near.empty() ? "" : fmt::format(" Did you mean {}{}?", prefix, near);
}

bool is_given(const std::vector<std::string>& arguments, const CLI::Option& option) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    const auto is_long = [&](const std::string& name) { return argument.substr(0, argument.find('=')) == "--" + name; };
    const auto is_short = [&](const std::string& name) { return argument.starts_with("-" + name); };
    return std::any_of(option.get_lnames().begin(), option.get_lnames().end(), is_long) ||
           std::any_of(option.get_snames().begin(), option.get_snames().end(), is_short);
  });
}

// The options of a configuration file as flags of one verb.
class ConfigFile {
 public:
  ConfigFile(const std::string& file, const CLI::App& verb) : file_(file), verb_(verb) {}

  std::vector<std::string> flags(const std::vector<std::string>& arguments) {
    const std::string text = read_file(file_);
    Json config;
    try {
      config = parse_json_text(text, file_);
    } catch (const Error& error) {
      throw Error::of_option("config", error.finding(), error.remedies());
    }
    if (!config.is_object()) {
      throw Error(
          ErrorCategory::kUsage,
          fmt::format("--config: {} is not an object of option names and values, such as {{\"threads\": 2}}.", file_));
    }
    for (const auto& [key, value] : config.items()) {
      const CLI::Option& option = find(key);
      if (!is_given(arguments, option)) add(key, option, value);
    }
    return std::move(flags_);
  }

 private:
  [[noreturn]] void reject(const std::string& key, std::string_view what) const {
    throw Error(ErrorCategory::kUsage, fmt::format("--config: {}: '{}' {}", file_, key, what));
  }

  const CLI::Option& find(const std::string& key) const {
    const CLI::Option* const option = find_flag(verb_, flag_name(key));
    if (option == nullptr || key == "config" || key == "help" || key == "help-all") {
      reject(key, fmt::format("is not an option of olem {} that a file can give.{}", verb_.get_name(),
                              option != nullptr ? "" : suggestion(key, long_names(verb_))));
    }
    return *option;
  }

  // One value of an option as a person would type it; a list of names is joined by commas.
  std::string text_of(const std::string& key, const Json& value) const {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return value.dump();
    if (!value.is_array() || value.empty()) reject(key, "needs a number, a text or a list of names.");
    std::vector<std::string> entries;
    for (const Json& entry : value) {
      if (!entry.is_string()) reject(key, "has a list of something else than names in quotes.");
      entries.push_back(entry.get<std::string>());
    }
    return name_list(entries);
  }

  void add(const std::string& key, const CLI::Option& option, const Json& value) {
    const std::string flag = flag_name(key);
    if (option.get_expected_max() == 0) {
      if (!value.is_boolean()) reject(key, "must be true or false.");
      if (value.get<bool>()) flags_.push_back(flag);
    } else if (option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll && value.is_array()) {
      for (const Json& entry : value) flags_.push_back(flag + "=" + text_of(key, entry));
    } else {
      flags_.push_back(flag + "=" + text_of(key, value));
    }
  }

  const std::string& file_;
  const CLI::App& verb_;
  std::vector<std::string> flags_;
};

// What CLI11 says about the options of one verb, in words for people.
std::string explain_verb_error(const CLI::App& verb, const CLI::ParseError& error,
                               const std::vector<std::string>& arguments) {
  const std::string& name = verb.get_name();
  const std::vector<std::string> names = long_names(verb);
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--") || argument == "--") continue;
    const std::string flag = argument.substr(2, argument.find('=') - 2);
    if (std::find(names.begin(), names.end(), flag) != names.end()) continue;
    return fmt::format("'--{}' is not an option of olem {}.{}", flag, name, suggestion(flag, names, "--"));
  }
  const std::string what = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    for (const CLI::Option* option : verb.get_options()) {
      if (!option->get_required() || option->count() > 0) continue;
      return fmt::format("{} is missing: give a {}.", option->get_name(true), option->get_description());
    }
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string flag = what.substr(0, what.find(':'));
    const bool repeated = what.find("received") != std::string::npos;
    return repeated ? fmt::format("{} is given more than once. Give it once.", flag)
                    : fmt::format("{} needs a value.", flag);
  }
  return what + ".";
}

}  // namespace

std::string flag_name(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

const CLI::Option* find_flag(const CLI::App& verb, std::string_view flag) {
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (flag.starts_with("--") && flag.substr(2) == name) return option;
    }
  }
  return nullptr;
}

std::string unknown_verb_text(const std::string& word, const std::vector<std::string>& verbs) {
  std::string help = word == "version" ? " Did you mean olem --version?" : suggestion(word, verbs);
  if (help.empty()) help = fmt::format(" The verbs are {}.", fmt::join(verbs, ", "));
  return fmt::format("'{}' is not a verb of olem.{} See olem --help.", word, help);
}

std::string unknown_kind_text(const std::string& verb, const std::string& word, const std::vector<std::string>& kinds) {
  if (kinds.empty()) return fmt::format("olem {} has no kinds, such as '{}'. See olem {} --help.", verb, word, verb);
  std::string help = suggestion(word, kinds);
  if (help.empty()) help = fmt::format(" There are {}.", fmt::join(kinds, ", "));
  return fmt::format("'{}' is nothing that olem can {}.{} See olem {} --help.", word, verb, help, verb);
}

bool flag_given(const CLI::App& verb, std::string_view flag) {
  const CLI::Option* const option = find_flag(verb, flag);
  return option != nullptr && option->count() > 0;
}

std::vector<std::string> expand_config(const CLI::App& app, std::vector<std::string> arguments) {
  std::string file;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string equals = "--config=";
    std::size_t words = 0;
    if (arguments[i] == "--config" && i + 1 < arguments.size()) {
      file = arguments[i + 1];
      words = 2;
    } else if (arguments[i].starts_with(equals)) {
      file = arguments[i].substr(equals.size());
      words = 1;
    }
    if (words == 0) continue;
    const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    arguments.erase(first, first + static_cast<std::ptrdiff_t>(words));
    break;
  }
  if (file.empty() || arguments.empty()) return arguments;
  const CLI::App* verb = find_verb(app, arguments.front());
  std::ptrdiff_t words = 1;
  if (verb != nullptr && !verb_names(*verb).empty() && arguments.size() > 1) {
    verb = find_verb(*verb, arguments[1]);
    words = 2;
  }
  if (verb == nullptr) return arguments;  // the parser will say so
  const std::vector<std::string> flags = ConfigFile(file, *verb).flags(arguments);
  arguments.insert(arguments.begin() + words, flags.begin(), flags.end());
  return arguments;
}

std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& arguments) {
  const std::vector<std::string> verbs = verb_names(app);
  if (arguments.empty()) return fmt::format("Say what to do: one of {}. See olem --help.", fmt::join(verbs, ", "));
  const std::string& word = arguments.front();
  if (word.starts_with('-')) {
    return fmt::format("The verb comes first, before '{}': one of {}. See olem --help.", word, fmt::join(verbs, ", "));
  }
  const CLI::App* const verb = find_verb(app, word);
  if (verb == nullptr) return unknown_verb_text(word, verbs);
  const std::vector<std::string> kinds = verb_names(*verb);
  if (kinds.empty()) return fmt::format("{} See olem {} --help.", explain_verb_error(*verb, error, arguments), word);

  // A verb of several kinds: the kind stands behind it and has the flags.
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (rest.empty() || rest.front().starts_with('-')) {
    return fmt::format("Say what to {}: one of {}. See olem {} --help.", word, fmt::join(kinds, ", "), word);
  }
  const CLI::App* const kind = find_verb(*verb, rest.front());
  if (kind == nullptr) return unknown_kind_text(word, rest.front(), kinds);
  return fmt::format("{} See olem {} {} --help.", explain_verb_error(*kind, error, rest), word, rest.front());
}

}  // namespace olem::app
