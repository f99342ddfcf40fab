#include "olem/named_value.h"

#include "olem/error.h"

namespace olem {

std::vector<NamedValue> named_values(std::span<const std::string> names, std::span<const double> values) {
  check_same_size("values", values.size(), "names", names.size());
  std::vector<NamedValue> named;
  named.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) named.push_back({names[k], values[k]});
  return named;
}

}  // namespace olem
