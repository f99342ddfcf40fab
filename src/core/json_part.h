#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "olem/json.h"
#include "olem/remedy.h"

namespace olem::internal {

// A value of a JSON document that a program wrote, with its place in it. Whatever is missing or of the wrong kind is a
// data error that names the document and the place: "m.olem: The content cannot be used: 'order.names' is missing."
class JsonPart {
 public:
  // Both must outlive this and every part of it.
  JsonPart(const Json& json, const std::string& source) : json_(&json), source_(&source) {}

  bool has(const char* key) const;
  JsonPart operator[](const char* key) const;  // of an object
  std::vector<JsonPart> entries() const;       // of a list
  std::vector<std::pair<std::string, JsonPart>> members() const;

  const Json& json() const { return *json_; }
  std::string text() const;
  bool flag() const;
  double number() const;  // NaN for null
  double finite() const;
  std::optional<double> optional_number() const;  // nothing for null
  std::uint64_t count(std::uint64_t most) const;  // a whole number from 0 to `most`
  std::vector<std::string> texts() const;
  std::vector<double> finite_numbers() const;

  // `what` goes on from the place: "is missing", "has parts of different sizes".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  JsonPart(const Json& json, const std::string& source, std::string place)
      : json_(&json), source_(&source), place_(std::move(place)) {}

  const Json* json_;
  const std::string* source_;
  std::string place_;
};

// The inverse of to_json of remedies.
std::vector<Remedy> read_remedies(const JsonPart& part);

}  // namespace olem::internal
