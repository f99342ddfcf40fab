#include "core/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

constexpr int kDeepestLevel = 64;

// The parser's own explanation without its error number, its position (which we give ourselves) and the text it read
// last (which may hold bytes that are no UTF-8).
std::string explanation(const std::string& what) {
  std::string text = what;
  if (const auto bracket = text.find("] "); bracket != std::string::npos) text = text.substr(bracket + 2);
  if (const auto dash = text.find(" - "); dash != std::string::npos) text = text.substr(dash + 3);
  const auto last_read = text.find("; last read: ");
  if (last_read == std::string::npos) return text;
  // What it expected instead stands at the end. It is one of these, or it belongs to what was read.
  for (const std::string_view expected :
       {"string literal", "':'", "']'", "'}'", "end of input", "'[', '{', or a literal"}) {
    if (text.ends_with(fmt::format("; expected {}", expected)))
      return fmt::format("{}; expected {}", text.substr(0, last_read), expected);
  }
  return text.substr(0, last_read);
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

Json parse_json_text(std::string_view text, const std::string& source, std::size_t most_values) {
  std::vector<std::set<std::string>> open_objects;
  std::size_t values = 0;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepestLevel) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}: Lists and objects are nested deeper than {} levels.", source, kDeepestLevel));
    }
    if (event != Json::parse_event_t::object_end && event != Json::parse_event_t::array_end && ++values > most_values) {
      throw Error(ErrorCategory::kData, fmt::format("{}: There are more than {} values.", source, most_values));
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
    throw Error(ErrorCategory::kData,
                fmt::format("{}: This JSON cannot be read: {}.", source, explanation(error.what())));
  }
}

}  // namespace olem

namespace olem::internal {

std::size_t json_key_line(std::string_view text, std::span<const std::string> keys) {
  struct Level {
    bool object = false;
    bool expects_key = false;
    std::string key;
  };
  std::vector<Level> levels;
  const auto found = [&] {
    return std::equal(levels.begin(), levels.end(), keys.begin(), keys.end(),
                      [](const Level& level, const std::string& key) { return level.object && level.key == key; });
  };
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
    } else if (c == '/') {  // a comment, since no value contains one outside of a text
      const bool to_line_end = text.substr(i, 2) == "//";
      const std::size_t end = std::min(text.find(to_line_end ? "\n" : "*/", i + 2), text.size());
      line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                  text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      i = to_line_end ? end - 1 : end + 1;
    } else if (c == '"') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      if (!levels.empty() && levels.back().expects_key && end < text.size()) {
        levels.back().key = Json::parse(text.substr(i, end + 1 - i)).get<std::string>();
        levels.back().expects_key = false;
        if (found()) return line;
      }
      i = end;
    } else if (c == '{' || c == '[') {
      levels.push_back({c == '{', c == '{', ""});
    } else if ((c == '}' || c == ']') && !levels.empty()) {
      levels.pop_back();
    } else if (c == ',' && !levels.empty()) {
      levels.back().expects_key = levels.back().object;
    }
  }
  return 0;
}

}  // namespace olem::internal
