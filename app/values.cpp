#include "values.h"

#include <fmt/format.h>

#include <algorithm>
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

std::vector<NamedWord> parse_texts(const std::vector<std::string>& texts, const std::string& option) {
  std::vector<NamedWord> values;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw Error::of_option(option, fmt::format("'{}' is not a name and a value, such as Light=0.4.", text));
    values.push_back({text.substr(0, equals), trimmed(text.substr(equals + 1))});
  }
  return values;
}

std::vector<NamedValue> parse_assignments(const std::vector<std::string>& texts, const std::string& option,
                                          std::span<const NamedColumn> columns) {
  std::vector<NamedValue> values;
  for (const NamedWord& given : parse_texts(texts, option)) {
    const Column& column = about_column(columns, given.name);
    const std::optional<double> value = column_value(column, given.word);
    if (!value) {
      const std::string levels = levels_sentence(column, given.word);
      throw Error::of_option(
          option, levels.empty()
                      ? fmt::format("'{}' is not a finite number, so that '{}' has no value.", given.word, given.name)
                      : fmt::format("'{}' is no level of '{}'. {}", given.word, given.name, levels));
    }
    values.push_back({given.name, *value});
  }
  return values;
}

}  // namespace olem::app
