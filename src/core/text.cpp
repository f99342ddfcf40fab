#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/csv_scan.h"
#include "olem/error.h"
#include "olem/text.h"

namespace olem {

using namespace internal;

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

// The next line that is not blank; no fields when there is none.
Record next_record(CsvScanner& scan) {
  while (!scan.at_end() && scan.skip_blank_line()) {
  }
  Record record;
  record.line = scan.line();
  while (!scan.at_end()) {
    record.fields.push_back(scan.next_cell().content());
    if (!scan.at_separator()) {
      scan.skip_line_end();
      break;
    }
    scan.skip_separator();
    if (scan.at_end()) record.fields.emplace_back();
  }
  return record;
}

// A control character of one or two bytes.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

}  // namespace olem

namespace olem::internal {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) > 0x9F) return 0;
    return follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<Record> split_records(std::string_view text, char delimiter, const std::string& source) {
  std::vector<Record> records;
  CsvScanner scan(text, source, delimiter);
  for (Record record = next_record(scan); !record.fields.empty(); record = next_record(scan))
    records.push_back(std::move(record));
  return records;
}

Record first_record(std::string_view text, char delimiter, const std::string& source) {
  CsvScanner scan(text, source, delimiter);
  return next_record(scan);
}

char sniff_delimiter(std::string_view text) {
  const CsvLayout layout = sniff_layout(text, 0);
  return layout.columns == 1 ? '\0' : layout.separator;
}

std::string quote_field(const std::string& field) {
  // The last two conditions are for the first name of an order, which must not look like the start of another format
  // or like a byte order mark.
  const bool plain = !field.empty() && field.find_first_of("\",;\t|\r\n{[") == std::string::npos &&
                     trim(field).size() == field.size() &&
                     std::string_view("</#\xEF").find(field[0]) == std::string::npos && field.substr(0, 6) != "Graph ";
  if (plain) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::optional<double> parse_finite(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

char32_t next_code_point(std::string_view text, std::size_t& position) {
  const std::size_t length = std::max<std::size_t>(1, utf8_length(text.substr(position)));
  constexpr std::array<unsigned, 5> kPayload = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code_point = static_cast<unsigned char>(text[position]) & kPayload[length];
  for (std::size_t i = 1; i < length; ++i) {
    code_point = (code_point << 6U) | (static_cast<unsigned char>(text[position + i]) & 0x3FU);
  }
  position += length;
  return code_point;
}

bool append_code_point(std::string& text, char32_t code_point) {
  if (code_point == 0 || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) return false;
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
  return true;
}

std::string_view name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.find('\0') != std::string_view::npos) return "holds a NUL byte";
  if (find_invalid_utf8(name)) return "is not valid UTF-8";
  return "";
}

std::size_t line_of(std::string_view text, std::size_t position) {
  return 1 + static_cast<std::size_t>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size())), '\n'));
}

std::string show_text(std::string_view text, std::size_t limit) {
  std::string shown;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == limit) return shown + "...";
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || is_control(character)) {
      switch (character[0]) {
        case '\n': shown += "\\n"; break;
        case '\r': shown += "\\r"; break;
        case '\t': shown += "\\t"; break;
        default:
          for (const char c : character) {
            fmt::format_to(std::back_inserter(shown), "\\x{:02X}", static_cast<unsigned char>(c));
          }
      }
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace olem::internal

namespace olem {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

namespace {

// A number with what may stand before it, such as "(41": what follows is its unit, or what it counts.
bool is_measure(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of("([\"'"), word.size()));
  return parse_finite(word).has_value();
}

}  // namespace

std::size_t first_piece(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  if (end == text.size() || !is_measure(text.substr(0, end))) return end;
  const std::size_t next_end = std::min(text.find(' ', end + 1), text.size());
  return is_measure(text.substr(end + 1, next_end - end - 1)) ? end : next_end;
}

std::string wrap_text(std::string_view text, std::size_t width, std::string_view indent) {
  std::string result(indent);
  std::size_t used = indent.size();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = at + first_piece(text.substr(at));
    const std::string_view word = text.substr(at, end - at);
    const std::size_t length = display_width(word);
    const bool first = used == indent.size();
    if (!first && used + 1 + length > width) {
      result += "\n";
      result += indent;
      used = indent.size();
    } else if (!first) {
      result += ' ';
      ++used;
    }
    result += word;
    used += length;
    at = end + 1;
  }
  return result + "\n";
}

}  // namespace olem
