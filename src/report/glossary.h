#pragma once

#include <span>
#include <string_view>

namespace olem::internal {

// A word of the pages, explained in a sentence or two for people who decide.
struct GlossaryEntry {
  std::string_view key;  // by which a page refers to it
  std::string_view word;
  std::string_view text;
};

// In the order in which a reader meets them.
std::span<const GlossaryEntry> glossary();

}  // namespace olem::internal
