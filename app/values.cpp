#include "values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "olem/error.h"

namespace olem::app {

namespace {

constexpr const char* kBlanks = " \t";

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(kBlanks));
  text.erase(text.find_last_not_of(kBlanks) + 1);
  return text;
}

std::optional<double> finite_number(const std::string& given) {
  const std::string text = trimmed(given);
  const char* first = text.data();
  const char* const end = first + text.size();
  if (first != end && *first == '+') ++first;
  if (first != end && first != text.data() && *first == '-') return std::nullopt;
  double value = 0.0;
  const auto [stop, error] = std::from_chars(first, end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> split_names(std::string_view text, const std::string& option) {
  std::vector<std::string> names(1);
  bool quoted = false;
  bool was_quoted = false;
  const auto finish = [&] {
    if (!was_quoted) names.back() = trimmed(names.back());
    was_quoted = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      names.back() += text[++i];
    } else if (text[i] == '"') {
      if (!quoted) names.back().clear();
      quoted = !quoted;
      was_quoted = true;
    } else if (text[i] == ',' && !quoted) {
      finish();
      names.emplace_back();
    } else if (quoted || !was_quoted) {
      names.back() += text[i];
    }
  }
  finish();
  const bool empty = std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); });
  if (empty || quoted)
    throw Error::of_option(option, fmt::format("'{}' is not a list of names separated by commas.", text));
  return names;
}

std::vector<std::string> names_in(const std::string& text, const std::string& option) {
  return text.empty() ? std::vector<std::string>() : split_names(text, option);
}

std::vector<NamedValue> parse_assignments(const std::vector<std::string>& texts, const std::string& option) {
  std::vector<NamedValue> values;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw Error::of_option(option, fmt::format("'{}' is not a name and a value, such as Light=0.4.", text));
    const std::string name = text.substr(0, equals);
    const std::optional<double> value = finite_number(text.substr(equals + 1));
    if (!value) {
      throw Error::of_option(option, fmt::format("'{}' is not a finite number, so that '{}' has no value.",
                                                 text.substr(equals + 1), name));
    }
    values.push_back({name, *value});
  }
  return values;
}

}  // namespace olem::app
