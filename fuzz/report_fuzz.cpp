#include <algorithm>
#include <nlohmann/json.hpp>

#include "olem/json_text.h"
#include "olem/report_page.h"
#include "support.h"

using namespace olem;

namespace {

// Text of the input appears escaped, so every < of the page begins something of ours, and nothing of ours is a script
// or has an address.
void require_harmless(std::string_view page) {
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    const std::string_view rest = page.substr(at + 1, 20);
    const char first = rest.empty() ? ' ' : rest.front();
    fuzz::require(first == '/' || first == '!' || (first >= 'a' && first <= 'z'), "text is escaped");
    for (const std::string_view tag : {"script", "iframe", "object", "link", "img", "base", "form"})
      fuzz::require(!rest.starts_with(tag), "a page has no part that acts or leads elsewhere");
  }
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  return fuzz::hand_back(fuzz::mutated_json(fuzz::as_text(data, size), capacity, seed), data, capacity);
}

// Result files and the pages made of them.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto page = fuzz::accepted(
      [&] { return report_page(parse_json_text(fuzz::as_text(data, size), fuzz::kSource), fuzz::kSource); });
  if (page) require_harmless(*page);
  return 0;
}
