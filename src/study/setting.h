#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace olem::internal {

// The key of a setting that says in which units the columns are, and the value that stands for the paper's.
inline constexpr const char* kUnitsKey = "units";
inline constexpr const char* kOwnUnits = "own";
inline constexpr const char* kStandardised = "standardised";  // unit variance
inline constexpr const char* kRescaled = "rescaled";          // each column times a number between .03 and 30
inline constexpr const char* kLogs = "log";

// What a number of a study is about, as names and values in a fixed order: d = 10, p = 0.3, noise = beta.
class StudySetting {
 public:
  StudySetting() = default;
  StudySetting(std::initializer_list<std::pair<std::string, std::string>> entries) : entries_(entries) {}
  explicit StudySetting(std::vector<std::pair<std::string, std::string>> entries) : entries_(std::move(entries)) {}

  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }
  bool has(std::string_view key) const;
  // Both need the key to be there (internal error otherwise).
  const std::string& at(std::string_view key) const;
  double number(std::string_view key) const;

  StudySetting without(std::string_view key) const;
  std::string text() const;  // "d=10 p=0.3 noise=beta"
  bool in_other_units() const { return has(kUnitsKey) && at(kUnitsKey) != kOwnUnits; }
  // The same without units that are the paper's.
  std::string short_text() const { return in_other_units() ? text() : without(kUnitsKey).text(); }
  bool operator==(const StudySetting&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

// The settings that `filter` keeps. A filter is a list such as "d=10,p=0.3": every key must match; a key that stands
// there more than once matches any of its values; a value alone stands for its key. Numbers are compared as numbers.
// Throws a usage error, with what there is, for keys and values that no setting has and when nothing is left.
std::vector<StudySetting> filter_settings(const std::vector<StudySetting>& settings,
                                          const std::vector<std::string>& filter);

}  // namespace olem::internal
