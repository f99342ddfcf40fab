#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/column.h"
#include "olem/named_value.h"

namespace olem {

// What one variable may be set to, in the user's units: an interval, a grid, or a list of values.
//
//   {"price", 0.4, 2.5}                                     every number from 0.4 to 2.5
//   {.name = "crew", .low = 2, .high = 6, .step = 1}        2, 3, 4, 5 and 6
//   {.name = "dose", .values = {0, 10, 25}}                 these numbers
//   {.name = "vendor", .words = {"X", "Z"}}                 these levels
//   {.name = "vendor"}                                      all levels of its column
//
// A binary, ordinal, count or category column can be set to its own values only: [0, 1] are the two levels of a switch.
struct LeverDomain {
  std::string name;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double step = 0.0;                    // above 0: only low, low + step, ... up to high
  std::vector<double> values = {};      // only these numbers
  std::vector<std::string> words = {};  // only these levels, beside those of `values`

  bool operator==(const LeverDomain&) const = default;
};

// Most values of one lever.
inline constexpr std::size_t kMostLeverValues = 10000;

// The domain in numbers, for a column of this kind: with `values`, ascending, where only some can be chosen, otherwise
// with finite `low` and `high`. These are then the least and the greatest of the values; `step` and `words` are gone.
// Resolving twice is resolving once. Throws a data error that names the lever for ends that are not finite or in the
// wrong order, for a level or value that its column does not have (with those that it has, the closest one among them)
// and where no value or more than kMostLeverValues are left.
LeverDomain resolve_lever(const LeverDomain& lever, const Column& about);

// Whether only the values of the resolved domain can be chosen.
inline bool has_values(const LeverDomain& resolved) { return !resolved.values.empty(); }

// Whether a number is in the resolved domain.
bool contains(const LeverDomain& resolved, double value);

// The resolved domain for a message: "[0.4, 2.5]", or its values in words: "off and on", "2, 3, ..., 60".
std::string domain_text(const LeverDomain& resolved, const Column& about);

// A weight of a constraint on one level of a lever: "NAME=LEVEL". Of a name that is itself a lever's, or has no such
// beginning, nothing.
struct LevelOf {
  std::size_t lever = 0;
  std::string level;
};
std::optional<LevelOf> find_level_of(std::span<const LeverDomain> levers, const std::string& name);

// Intervals as domains.
std::vector<LeverDomain> lever_domains(std::span<const NamedRange> ranges);

}  // namespace olem
