#include "core/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "olem/error.h"

namespace olem {

namespace {

constexpr int kDeepestLevel = 64;

// The parser's own explanation without its error number, its position (which we give ourselves) and the text it read
// last (which may hold bytes that are no UTF-8).
std::string explanation(const std::string& what) {
  std::string text = what;
  if (const auto dash = text.find(" - "); dash != std::string::npos) text = text.substr(dash + 3);
  const auto last_read = text.find("; last read: ");
  if (last_read == std::string::npos) return text;
  const auto expected = text.rfind("; expected ");
  return text.substr(0, last_read) +
         (expected != std::string::npos && expected > last_read ? text.substr(expected) : std::string());
}

[[noreturn]] void syntax_error(std::string_view text, const std::string& source, const Json::parse_error& error) {
  // The parser counts the byte that it could not use, from 1.
  const std::string_view before = text.substr(0, std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  throw Error(ErrorCategory::kData, fmt::format("{}, line {}, column {}: This is not valid JSON: {}.", source, line,
                                                before.size() - line_start + 1, explanation(error.what())));
}

}  // namespace

Json parse_json_text(std::string_view text, const std::string& source) {
  std::vector<std::set<std::string>> open_objects;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepestLevel) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}: Lists and objects are nested deeper than {} levels.", source, kDeepestLevel));
    }
    if (event == Json::parse_event_t::object_start) {
      open_objects.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_objects.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const std::string& key = parsed.get_ref<const std::string&>();
      if (!open_objects.back().insert(key).second) {
        throw Error(ErrorCategory::kData,
                    fmt::format("{}: The key \"{}\" stands twice in one object. Keep one of the two.", source, key));
      }
    }
    return true;
  };
  try {
    return Json::parse(text, watch, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const Json::parse_error& error) {
    syntax_error(text, source, error);
  } catch (const Json::exception& error) {
    throw Error(ErrorCategory::kData, fmt::format("{}: This JSON cannot be read: {}.", source, error.what()));
  }
}

}  // namespace olem
