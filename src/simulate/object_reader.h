#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "olem/error.h"
#include "olem/json.h"
#include "olem/options.h"

namespace olem::internal {

// Reads the parts of one object and says where it stands when something is wrong with it.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("is not an object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCategory::kData, fmt::format("{} {}.", where_, what));
  }

  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("has no \"{}\"", key));
    return *found;
  }

  std::string text(const char* key) const {
    if (!at(key).is_string()) fail(fmt::format("has a \"{}\" that is not a text", key));
    return at(key).get<std::string>();
  }

  double number(const char* key) const {
    if (!at(key).is_number()) fail(fmt::format("has a \"{}\" that is not a number", key));
    return at(key).get<double>();
  }

  const Json& array(const char* key) const {
    if (!at(key).is_array()) fail(fmt::format("has a \"{}\" that is not a list", key));
    return at(key);
  }

  std::vector<double> numbers(const Json& list, const char* key) const {
    std::vector<double> values;
    if (!list.is_array()) fail(fmt::format("has a \"{}\" that is not a list of numbers", key));
    values.reserve(list.size());
    for (const Json& item : list) {
      if (!item.is_number()) fail(fmt::format("has a \"{}\" with an entry that is not a number", key));
      values.push_back(item.get<double>());
    }
    return values;
  }
  std::vector<double> numbers(const char* key) const { return numbers(at(key), key); }

  ObjectReader object(const char* key) const { return {at(key), fmt::format("{}, \"{}\",", where_, key)}; }
  const Json& json() const { return json_; }

 private:
  const Json& json_;
  std::string where_;
};

// The place of a name; fails with the nearest one when there is none.
inline std::size_t find_node_name(const std::vector<std::string>& names, const std::string& name,
                                  const ObjectReader& reader) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (names[j] == name) return j;
  }
  const std::string near = closest_name(name, names);
  reader.fail(
      fmt::format("names the unknown node '{}'{}", name, near.empty() ? "" : fmt::format("; '{}' is near", near)));
}

}  // namespace olem::internal
