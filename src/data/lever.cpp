#include "olem/lever.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "olem/column_types.h"
#include "olem/error.h"

namespace olem {

namespace {

constexpr double kGridRounding = 1e-9;  // of a step
constexpr std::size_t kNamedValues = 8;
constexpr double kLargest = 1e150;  // its square is still a number

[[noreturn]] void lever_error(const std::string& text, const std::string& advice) {
  throw Error(ErrorCategory::kData, text, {{advice}});
}

// A sum of steps without the digits that adding made up: 0.3 and not 0.30000000000000004.
double rounded_sum(double value) {
  const std::string digits = fmt::format("{:.12g}", value);
  double result = value;
  std::from_chars(digits.data(), digits.data() + digits.size(), result);
  return result;
}

void check_size(const LeverDomain& lever, double value) {
  if (std::abs(value) <= kLargest) return;
  lever_error(fmt::format("The domain of '{}' holds {}, beyond {}, where nothing can be computed.", lever.name, value,
                          kLargest),
              "Give values that are possible");
}

void check_interval(const LeverDomain& lever) {
  if (!std::isfinite(lever.low) || !std::isfinite(lever.high)) {
    lever_error(fmt::format("The domain of '{}' is [{}, {}], but must have two finite ends.", lever.name, lever.low,
                            lever.high),
                "Give the least and the greatest value that it can be set to");
  }
  if (lever.low > lever.high) {
    lever_error(fmt::format("The domain of '{}' is [{}, {}]: its least value is above its greatest.", lever.name,
                            lever.low, lever.high),
                "Exchange the two, or correct one of them");
  }
  check_size(lever, lever.low);
  check_size(lever, lever.high);
}

void check_count(const LeverDomain& lever, double count) {
  if (count <= static_cast<double>(kMostLeverValues)) return;
  lever_error(fmt::format("The domain of '{}' has {:.6g} values, more than {}.", lever.name, count, kMostLeverValues),
              "Narrow it, or take a larger step");
}

std::vector<double> grid_of(const LeverDomain& lever, double first, double step) {
  const double count = std::floor((lever.high - first) / step + kGridRounding) + 1.0;
  check_count(lever, count);
  std::vector<double> values;
  for (double i = 0.0; i < count; i += 1.0) values.push_back(std::min(lever.high, rounded_sum(first + i * step)));
  return values;
}

bool is_whole(double value) { return std::isfinite(value) && value == std::floor(value); }

// What was listed, as numbers of the column.
std::vector<double> listed_values(const LeverDomain& lever, const Column& about) {
  std::vector<double> values;
  const auto refuse = [&](const std::string& what) {
    const std::string levels = levels_sentence(about, what);
    lever_error(fmt::format("'{}' in the domain of '{}' is {}{}", what, lever.name,
                            about.levels.empty() ? fmt::format("no value of a {} column.", column_type_name(about.type))
                                                 : "none of its levels.",
                            levels.empty() ? "" : " " + levels),
                about.levels.empty() ? "Give numbers that the column can hold" : "Choose among its levels");
  };
  const auto add_level = [&](const std::string& name) {
    const std::optional<ColumnLevel> level = find_level(about, name);
    if (!level) refuse(name);
    values.push_back(level->value);
  };
  for (const double value : lever.values) {
    if (!about.levels.empty()) {
      add_level(fmt::format("{}", value));
      continue;
    }
    const bool possible = about.type == ColumnType::kCount ? is_whole(value) && value >= 0.0 : std::isfinite(value);
    if (!possible) refuse(fmt::format("{}", value));
    check_size(lever, value);
    values.push_back(value);
  }
  for (const std::string& word : lever.words) add_level(word);
  return values;
}

std::vector<double> own_values(const LeverDomain& lever, const Column& about) {
  std::vector<double> values;
  const auto inside = [&](double value) { return value >= lever.low && value <= lever.high; };
  if (!about.levels.empty()) {
    if (std::isnan(lever.low) || std::isnan(lever.high) || lever.low > lever.high) check_interval(lever);
    for (const ColumnLevel& level : about.levels) {
      if (inside(level.value)) values.push_back(level.value);
    }
    if (lever.step > 0.0) {
      check_interval(lever);
      const std::vector<double> grid = grid_of(lever, lever.low, lever.step);
      std::erase_if(values, [&](double value) { return !std::binary_search(grid.begin(), grid.end(), value); });
    }
  } else {
    check_interval(lever);
    const bool whole = about.type == ColumnType::kCount;
    if (lever.step > 0.0) {
      values = grid_of(lever, lever.low, lever.step);
      if (whole) std::erase_if(values, [](double value) { return !is_whole(value) || value < 0.0; });
    } else if (whole && std::ceil(std::max(0.0, lever.low)) <= lever.high) {
      values = grid_of(lever, std::ceil(std::max(0.0, lever.low)), 1.0);
    }
  }
  return values;
}

std::string written_domain(const LeverDomain& lever) {
  return lever.step > 0.0 ? fmt::format("[{}, {}] in steps of {}", lever.low, lever.high, lever.step)
                          : fmt::format("[{}, {}]", lever.low, lever.high);
}

}  // namespace

LeverDomain resolve_lever(const LeverDomain& lever, const Column& about) {
  LeverDomain resolved{lever.name, lever.low, lever.high};
  if (std::isnan(lever.step) || lever.step < 0.0 || std::isinf(lever.step)) {
    lever_error(fmt::format("The step of '{}' is {}.", lever.name, lever.step), "Give a number above 0");
  }
  if (!lever.values.empty() || !lever.words.empty()) {
    check_count(lever, static_cast<double>(lever.values.size() + lever.words.size()));
    resolved.values = listed_values(lever, about);
  } else if (about.type == ColumnType::kCount || !about.levels.empty() || lever.step > 0.0) {
    resolved.values = own_values(lever, about);
    if (resolved.values.empty()) {
      const std::string levels = levels_sentence(about, "");
      lever_error(
          fmt::format("The domain of '{}', {}, holds none of its values.{}", lever.name, written_domain(lever),
                      levels.empty() ? fmt::format(" It is a {} column.", column_type_name(about.type)) : " " + levels),
          "Give a domain with at least one of them");
    }
  } else {
    check_interval(lever);
    return resolved;
  }
  std::sort(resolved.values.begin(), resolved.values.end());
  resolved.values.erase(std::unique(resolved.values.begin(), resolved.values.end()), resolved.values.end());
  resolved.low = resolved.values.front();
  resolved.high = resolved.values.back();
  return resolved;
}

bool contains(const LeverDomain& resolved, double value) {
  if (has_values(resolved)) return std::binary_search(resolved.values.begin(), resolved.values.end(), value);
  return value >= resolved.low && value <= resolved.high;
}

std::string domain_text(const LeverDomain& resolved, const Column& about) {
  if (!has_values(resolved)) return fmt::format("[{}, {}]", resolved.low, resolved.high);
  std::vector<std::string> names;
  const std::size_t count = resolved.values.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (count > kNamedValues && i >= 3 && i + 1 < count) {
      if (i == 3) names.emplace_back("...");
      continue;
    }
    names.push_back(value_name(about, resolved.values[i]));
  }
  if (count == 1) return names[0];
  if (count > kNamedValues) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::optional<LevelOf> find_level_of(std::span<const LeverDomain> levers, const std::string& name) {
  for (const LeverDomain& lever : levers) {
    if (lever.name == name) return std::nullopt;
  }
  std::optional<LevelOf> found;
  for (std::size_t k = 0; k < levers.size(); ++k) {
    // The longest name that fits: levels may hold an equals sign, and so may names.
    if (!name.starts_with(levers[k].name + "=")) continue;
    if (!found || levers[k].name.size() > levers[found->lever].name.size())
      found = {k, name.substr(levers[k].name.size() + 1)};
  }
  return found;
}

std::vector<LeverDomain> lever_domains(std::span<const NamedRange> ranges) {
  std::vector<LeverDomain> domains;
  for (const NamedRange& range : ranges) domains.push_back({range.name, range.low, range.high});
  return domains;
}

}  // namespace olem
