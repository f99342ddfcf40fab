#include "olem/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/error.h"

namespace olem {

namespace {

[[noreturn]] void reject(const std::string& name, std::string_view value, const std::string& rule) {
  throw Error::of_option(name, fmt::format("'{}' is not {}.", value, rule));
}

template <class Number>
Number parse_number(const std::string& name, std::string_view text, const std::string& rule) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) reject(name, text, rule);
  return value;
}

std::string real_rule(double low, double high) {
  const bool has_low = std::isfinite(low);
  const bool has_high = std::isfinite(high);
  if (has_low && has_high) return fmt::format("a number from {} to {}", low, high);
  if (has_low) return fmt::format("a number of at least {}", low);
  if (has_high) return fmt::format("a number of at most {}", high);
  return "a finite number";
}

}  // namespace

void OptionSet::integer(const std::string& name, int& value, int low, int high, std::string help) {
  std::string rule = high == std::numeric_limits<int>::max() ? fmt::format("a whole number of at least {}", low)
                                                             : fmt::format("a whole number from {} to {}", low, high);
  Option option;
  option.name = name;
  option.kind = OptionKind::kInteger;
  option.help = std::move(help);
  option.rule = rule;
  option.text = [&value] { return std::to_string(value); };
  option.json = [&value] { return Json(value); };
  option.validate = [&value, name, rule, low, high] {
    if (value < low || value > high) reject(name, std::to_string(value), rule);
  };
  option.set_text = [&value, name, rule, low, high](std::string_view text) {
    const int parsed = parse_number<int>(name, text, rule);
    if (parsed < low || parsed > high) reject(name, text, rule);
    value = parsed;
  };
  options_.push_back(std::move(option));
}

void OptionSet::real(const std::string& name, double& value, double low, double high, std::string help) {
  std::string rule = real_rule(low, high);
  const auto allowed = [low, high](double x) { return std::isfinite(x) && x >= low && x <= high; };
  Option option;
  option.name = name;
  option.kind = OptionKind::kReal;
  option.help = std::move(help);
  option.rule = rule;
  option.text = [&value] { return fmt::format("{}", value); };
  option.json = [&value] { return Json(value); };
  option.validate = [&value, name, rule, allowed] {
    if (!allowed(value)) reject(name, fmt::format("{}", value), rule);
  };
  option.set_text = [&value, name, rule, allowed](std::string_view text) {
    const double parsed = parse_number<double>(name, text, rule);
    if (!allowed(parsed)) reject(name, text, rule);
    value = parsed;
  };
  options_.push_back(std::move(option));
}

void OptionSet::flag(const std::string& name, bool& value, std::string help) {
  const std::string rule = "true or false";
  Option option;
  option.name = name;
  option.kind = OptionKind::kFlag;
  option.help = std::move(help);
  option.rule = rule;
  option.text = [&value] { return std::string(value ? "true" : "false"); };
  option.json = [&value] { return Json(value); };
  option.validate = [] {};
  option.set_text = [&value, name, rule](std::string_view text) {
    if (text != "true" && text != "false") reject(name, text, rule);
    value = text == "true";
  };
  options_.push_back(std::move(option));
}

void OptionSet::add_choice(const std::string& name, const std::function<std::size_t()>& get,
                           const std::function<void(std::size_t)>& set, std::span<const Choice> choices,
                           std::string help) {
  std::vector<std::string> names;
  for (const Choice& choice : choices) names.emplace_back(choice.name);
  std::string rule = fmt::format("one of: {}", fmt::join(names, ", "));
  Option option;
  option.name = name;
  option.kind = OptionKind::kChoice;
  option.help = std::move(help);
  option.rule = rule;
  option.choices.assign(choices.begin(), choices.end());
  const auto current = [get, choices] {
    return get() < choices.size() ? std::string(choices[get()].name) : std::string("unknown");
  };
  option.text = current;
  option.json = [current] { return Json(current()); };
  option.validate = [get, choices, current, name, rule] {
    if (get() >= choices.size()) reject(name, current(), rule);
  };
  option.set_text = [set, choices, name, rule](std::string_view text) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i].name == text) return set(i);
    }
    reject(name, text, rule);
  };
  options_.push_back(std::move(option));
}

void OptionSet::name_choice(const std::string& name, std::string& value, std::span<const Choice> choices,
                            std::string help) {
  add_choice(
      name,
      [&value, choices] {
        std::size_t i = 0;
        while (i < choices.size() && choices[i].name != value) ++i;
        return i;
      },
      [&value, choices](std::size_t i) { value = choices[i].name; }, choices, std::move(help));
}

const Option* OptionSet::find(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

void OptionSet::validate() const {
  for (const Option& option : options_) option.validate();
}

Json OptionSet::json() const {
  Json object = Json::object();
  for (const Option& option : options_) object[option.name] = option.json();
  return object;
}

std::string closest_name(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;  // further than this is another word, not a slip
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
        const std::size_t change = diagonal + (lower(word[i - 1]) == lower(candidate[j - 1]) ? 0U : 1U);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
      }
    }
    const bool nothing_in_common = row.back() >= std::max(word.size(), candidate.size());
    if (row.back() < best_distance && !nothing_in_common) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace olem
