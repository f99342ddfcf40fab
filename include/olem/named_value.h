#pragma once

#include <span>
#include <string>
#include <vector>

namespace olem {

// A number for one variable, by column name, in the user's units.
struct NamedValue {
  std::string name;
  double value = 0.0;
  bool operator==(const NamedValue&) const = default;
};

// A range for one variable, sides included.
struct NamedRange {
  std::string name;
  double low = 0.0;
  double high = 0.0;
};

// values[k] for names[k]. A usage error when there are not as many of them.
std::vector<NamedValue> named_values(std::span<const std::string> names, std::span<const double> values);

}  // namespace olem
