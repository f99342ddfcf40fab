#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace olem::internal {

// One line of a delimited file; a quoted field may hold line ends, so the next record can start further down.
struct Record {
  std::size_t line = 0;  // where it starts, from 1
  std::vector<std::string> fields;
};

// Splits text by RFC 4180, as CsvScanner reads it; blank lines are left out. Delimiter 0 makes every line one field, in
// text without NUL bytes.
std::vector<Record> split_records(std::string_view text, char delimiter, const std::string& source);

// The first record only; no fields when there is none.
Record first_record(std::string_view text, char delimiter, const std::string& source);

// The one of , ; tab | that splits the first record into most fields, or 0 when none of them occurs in it.
char sniff_delimiter(std::string_view text);

// The field as it must be written so that split_records reads it back whatever the delimiter.
std::string quote_field(const std::string& field);

std::string_view trim(std::string_view text);
std::string lower_case(std::string_view text);  // of ASCII letters

// The number that the whole of `text` spells, independent of the locale; nothing when it spells none or is not finite.
std::optional<double> parse_finite(std::string_view text);

// The text with control characters and bytes that are not UTF-8 escaped, cut after `limit` characters.
std::string show_text(std::string_view text, std::size_t limit = 40);

// "3 rows", "1 row".
std::string counted(std::size_t count, std::string_view noun);

// Bytes of the valid UTF-8 sequence that `text` begins with (Unicode, table 3-7); 0 when it begins with none.
std::size_t utf8_length(std::string_view text);

// The position of the first byte that is not part of a valid UTF-8 sequence; nothing when all is well.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// The code point whose valid sequence starts at `position`, which moves behind it.
char32_t next_code_point(std::string_view text, std::size_t& position);

// Appends the code point; false, and nothing appended, when it is not one that text may hold (0, a surrogate, past
// U+10FFFF).
bool append_code_point(std::string& text, char32_t code_point);

// Why a node may not have this name, as the end of a sentence ("is empty", ...); "" when it may.
std::string_view name_fault(std::string_view name);

// The line, from 1, on which the byte at `position` stands.
std::size_t line_of(std::string_view text, std::size_t position);

}  // namespace olem::internal
