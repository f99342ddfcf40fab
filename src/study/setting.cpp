#include "study/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "olem/error.h"
#include "olem/options.h"

namespace olem::internal {

namespace {

std::optional<double> as_number(std::string_view text) {
  double value = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

bool same_value(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto x = as_number(a);
  const auto y = as_number(b);
  return x && y && *x == *y;
}

// The values of each key, in the order of the settings.
std::map<std::string, std::vector<std::string>> values_by_key(const std::vector<StudySetting>& settings) {
  std::map<std::string, std::vector<std::string>> values;
  for (const StudySetting& setting : settings) {
    for (const auto& [key, value] : setting.entries()) {
      auto& known = values[key];
      if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(value);
    }
  }
  return values;
}

std::string what_there_is(const std::map<std::string, std::vector<std::string>>& values) {
  std::vector<std::string> parts;
  for (const auto& [key, all] : values) parts.push_back(fmt::format("{}={}", key, fmt::join(all, "|")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

bool StudySetting::has(std::string_view key) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
}

const std::string& StudySetting::at(std::string_view key) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == entries_.end()) {
    throw Error(ErrorCategory::kInternal, fmt::format("The setting '{}' has no '{}'.", text(), key));
  }
  return found->second;
}

double StudySetting::number(std::string_view key) const {
  const auto value = as_number(at(key));
  if (!value) throw Error(ErrorCategory::kInternal, fmt::format("'{}' of '{}' is no number.", key, text()));
  return *value;
}

StudySetting StudySetting::without(std::string_view key) const {
  StudySetting rest;
  for (const auto& entry : entries_) {
    if (entry.first != key) rest.entries_.push_back(entry);
  }
  return rest;
}

std::string StudySetting::text() const {
  std::vector<std::string> parts;
  for (const auto& [key, value] : entries_) parts.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::vector<StudySetting> filter_settings(const std::vector<StudySetting>& settings,
                                          const std::vector<std::string>& filter) {
  if (filter.empty()) return settings;
  const auto values = values_by_key(settings);
  std::map<std::string, std::vector<std::string>> wanted;
  for (const std::string& word : filter) {
    const std::size_t equals = word.find('=');
    const std::string value = equals == std::string::npos ? word : word.substr(equals + 1);
    bool known = false;
    for (const auto& [key, all] : values) {
      if (equals != std::string::npos && key != word.substr(0, equals)) continue;
      for (const std::string& candidate : all) {
        if (!same_value(candidate, value)) continue;
        wanted[key].push_back(candidate);
        known = true;
      }
    }
    if (!known) {
      throw Error::of_option("settings",
                             fmt::format("'{}' is in no setting of this study. {}", word,
                                         values.empty() ? "It has one only; leave the option out."
                                                        : fmt::format("There are: {}.", what_there_is(values))));
    }
  }
  std::vector<StudySetting> kept;
  for (const StudySetting& setting : settings) {
    const bool matches = std::all_of(wanted.begin(), wanted.end(), [&](const auto& want) {
      return setting.has(want.first) &&
             std::find(want.second.begin(), want.second.end(), setting.at(want.first)) != want.second.end();
    });
    if (matches) kept.push_back(setting);
  }
  if (kept.empty()) {
    throw Error::of_option("settings",
                           fmt::format("No setting of this study is '{}'. There are: {}, but not in every combination.",
                                       fmt::join(filter, ","), what_there_is(values)));
  }
  return kept;
}

}  // namespace olem::internal
