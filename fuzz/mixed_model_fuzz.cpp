#include <nlohmann/json.hpp>

#include "olem/json_text.h"
#include "olem/mixed_model.h"
#include "support.h"

using namespace olem;

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  return fuzz::hand_back(fuzz::mutated_json(fuzz::as_text(data, size), capacity, seed), data, capacity);
}

// Models of truth files with columns of all types: read, written and read again.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = fuzz::accepted(
      [&] { return parse_mixed_model(parse_json_text(fuzz::as_text(data, size), fuzz::kSource), fuzz::kSource); });
  if (!model) return 0;
  const Json json = parse_json_text(to_json(*model).dump(), "the model written again");
  fuzz::require(parse_mixed_model(json, "the model written again") == *model, "a model survives its JSON");
  return 0;
}
