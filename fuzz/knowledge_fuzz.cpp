#include <nlohmann/json.hpp>
#include <set>

#include "olem/knowledge.h"
#include "support.h"

using namespace olem;

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  return fuzz::hand_back(fuzz::mutated_json(fuzz::as_text(data, size), capacity, seed), data, capacity);
}

// Knowledge files: read, written and read again, and made a partial order of the names in them.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto knowledge = fuzz::accepted([&] { return parse_knowledge(fuzz::as_text(data, size), fuzz::kSource); });
  if (!knowledge) return 0;
  const std::string text = to_json(*knowledge).dump();
  fuzz::require(to_json(parse_knowledge(text, "the knowledge written again")).dump() == text,
                "knowledge survives its JSON");
  std::set<std::string> names;
  for (const auto& tier : knowledge->tiers) names.insert(tier.begin(), tier.end());
  for (const auto& [first, second] : knowledge->before) names.insert({first, second});
  const std::vector<std::string> columns(names.begin(), names.end());
  const auto order = fuzz::accepted([&] { return Precedence(*knowledge, columns); });
  if (!order) return 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      fuzz::require(!order->precedes(i, j) || !order->precedes(j, i), "of two variables at most one comes first");
    }
  }
  return 0;
}
