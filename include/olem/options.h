#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/json.h"

namespace olem {

// One value of an option that chooses among names.
struct Choice {
  std::string_view name;
  std::string_view help;  // as of Option
};

enum class OptionKind { kInteger, kReal, kFlag, kChoice };

// One option, described once. Validation, command-line flags, --help, JSON and docs/options.md all come from it.
struct Option {
  std::string name;  // its key, in snake_case
  OptionKind kind = OptionKind::kInteger;
  std::string help;                                // one line; names other options as `key`, in backquotes
  std::string rule;                                // "a whole number from 1 to 100", "one of: skip, floor"
  std::vector<Choice> choices;                     // of kChoice
  std::function<std::string()> text;               // the current value as a user would type it
  std::function<void(std::string_view)> set_text;  // throws a usage error with name, value and rule
  std::function<Json()> json;
  std::function<void()> validate;  // throws when the value breaks the rule
};

// The options of one method, each bound to a member of its plain struct. Made by `describe(options)`; the struct
// must outlive the set.
class OptionSet {
 public:
  void integer(const std::string& name, int& value, int low, int high, std::string help);
  void real(const std::string& name, double& value, double low, double high, std::string help);
  void flag(const std::string& name, bool& value, std::string help);

  // Enumerators count from 0 in the order of `choices`, which must live for ever (a constexpr array).
  template <class Enum>
  void choice(const std::string& name, Enum& value, std::span<const Choice> choices, const std::string& help) {
    add_choice(
        name, [&value] { return static_cast<std::size_t>(value); },
        [&value](std::size_t i) { value = static_cast<Enum>(i); }, choices, help);
  }

  // The same for a member that holds the name itself.
  void name_choice(const std::string& name, std::string& value, std::span<const Choice> choices, std::string help);

  void add(Option option) { options_.push_back(std::move(option)); }
  void append(const OptionSet& others) {
    options_.insert(options_.end(), others.options_.begin(), others.options_.end());
  }

  const std::vector<Option>& options() const { return options_; }
  const Option* find(std::string_view name) const;
  void validate() const;
  Json json() const;

 private:
  void add_choice(const std::string& name, const std::function<std::size_t()>& get,
                  const std::function<void(std::size_t)>& set, std::span<const Choice> choices, std::string help);
  std::vector<Option> options_;
};

// The candidate nearest to `word` in edit distance, or "" when none is near enough to be a likely typing error.
std::string closest_name(std::string_view word, std::span<const std::string> candidates);

}  // namespace olem
