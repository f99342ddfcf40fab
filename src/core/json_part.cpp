#include "core/json_part.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "olem/error.h"

namespace olem::internal {

void JsonPart::fail(const std::string& what) const {
  const std::string place = place_.empty() ? "the whole" : fmt::format("'{}'", place_);
  throw Error(ErrorCategory::kData, fmt::format("{}: The content cannot be used: {} {}{}", *source_, place, what,
                                                what.ends_with('.') ? "" : "."));
}

bool JsonPart::has(const char* key) const { return json_->is_object() && json_->contains(key); }

JsonPart JsonPart::operator[](const char* key) const {
  if (!json_->is_object()) fail("is not an object");
  JsonPart part(*json_, *source_, place_.empty() ? key : place_ + "." + key);
  const auto found = json_->find(key);
  if (found == json_->end()) part.fail("is missing");
  part.json_ = &*found;
  return part;
}

std::vector<JsonPart> JsonPart::entries() const {
  if (!json_->is_array()) fail("is not a list");
  std::vector<JsonPart> parts;
  for (const Json& entry : *json_) {
    parts.push_back(JsonPart(entry, *source_, fmt::format("{}[{}]", place_, parts.size())));
  }
  return parts;
}

std::vector<std::pair<std::string, JsonPart>> JsonPart::members() const {
  if (!json_->is_object()) fail("is not an object");
  std::vector<std::pair<std::string, JsonPart>> parts;
  for (const auto& [key, value] : json_->items()) {
    parts.emplace_back(key, JsonPart(value, *source_, place_.empty() ? key : place_ + "." + key));
  }
  return parts;
}

std::string JsonPart::text() const {
  if (!json_->is_string()) fail("is not a text");
  return json_->get<std::string>();
}

bool JsonPart::flag() const {
  if (!json_->is_boolean()) fail("is not true or false");
  return json_->get<bool>();
}

double JsonPart::number() const {
  if (json_->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!json_->is_number()) fail("is not a number");
  return json_->get<double>();
}

double JsonPart::finite() const {
  const double value = number();
  if (!std::isfinite(value)) fail("is not a finite number");
  return value;
}

std::optional<double> JsonPart::optional_number() const {
  return json_->is_null() ? std::nullopt : std::optional(number());
}

std::uint64_t JsonPart::count(std::uint64_t most) const {
  if (!json_->is_number_unsigned() || json_->get<std::uint64_t>() > most) {
    fail(fmt::format("is not a whole number from 0 to {}", most));
  }
  return json_->get<std::uint64_t>();
}

std::vector<std::string> JsonPart::texts() const {
  std::vector<std::string> values;
  for (const JsonPart& entry : entries()) values.push_back(entry.text());
  return values;
}

std::vector<double> JsonPart::finite_numbers() const {
  std::vector<double> values;
  for (const JsonPart& entry : entries()) values.push_back(entry.finite());
  return values;
}

std::vector<Remedy> read_remedies(const JsonPart& part) {
  std::vector<Remedy> remedies;
  for (const JsonPart& entry : part.entries())
    remedies.push_back({entry["advice"].text(), entry["option"].text(), entry["value"].text()});
  return remedies;
}

}  // namespace olem::internal
