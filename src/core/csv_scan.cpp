#include "core/csv_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/text.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMaxCellBytes = 1'000'000;

const char* find_quote(const char* first, const char* last) {
  const void* found = std::memchr(first, '"', static_cast<std::size_t>(last - first));
  return found == nullptr ? last : static_cast<const char*>(found);
}

// A CR LF counts at its CR.
std::size_t count_line_ends(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t count = text[0] == '\n' || text[0] == '\r' ? 1 : 0;
  constexpr std::size_t kBytesCounted = 255;  // what one byte can count, so that the compiler can add vectors of bytes
  for (std::size_t first = 1; first < text.size(); first += kBytesCounted) {
    const std::size_t last = std::min(text.size(), first + kBytesCounted);
    unsigned char in_block = 0;
    for (std::size_t i = first; i < last; ++i) {
      // Without && and ||, which would be branches.
      const int line_feed = text[i] == '\n' ? 1 : 0;
      const int carriage_return = text[i] == '\r' ? 1 : 0;
      const int behind_carriage_return = text[i - 1] == '\r' ? 1 : 0;
      in_block = static_cast<unsigned char>(in_block + carriage_return + (line_feed & (1 - behind_carriage_return)));
    }
    count += in_block;
  }
  return count;
}

// Removes the first line when it holds nothing but blanks. A tab that may be a separator is not a blank.
bool skip_blank_line(std::string_view& text, std::string_view separators) {
  std::size_t i = 0;
  while (i < text.size() && (text[i] == ' ' || text[i] == '\t') && separators.find(text[i]) == std::string_view::npos)
    ++i;
  if (i == text.size() || (text[i] != '\n' && text[i] != '\r')) return false;
  text.remove_prefix(i + 1);
  return true;
}

// Where the quote that opens at `open` closes, or the end of the text.
std::size_t closing_quote(std::string_view text, std::size_t open) {
  std::size_t i = text.find('"', open + 1);
  while (i != std::string_view::npos && i + 1 < text.size() && text[i + 1] == '"') i = text.find('"', i + 2);
  return std::min(i, text.size());
}

}  // namespace

std::string CsvCell::content() const {
  if (!doubled_quotes) return std::string(text);
  std::string single;
  for (std::size_t i = 0; i < text.size(); ++i) {
    single += text[i];
    if (text[i] == '"') ++i;
  }
  return single;
}

const char* CsvScanner::skip_blanks(const char* p) const {
  while (p != end_ && is_blank(*p)) ++p;
  return p;
}

bool CsvScanner::skip_blank_line() {
  const char* const p = skip_blanks(position_);
  if (p != end_ && *p != '\n' && *p != '\r') return false;
  position_ = p;
  skip_line_end();
  return true;
}

void CsvScanner::skip_line_end() {
  if (position_ == end_) return;
  const bool carriage_return = *position_++ == '\r';
  if (carriage_return && position_ != end_ && *position_ == '\n') ++position_;
  ++line_;
}

std::string_view CsvScanner::rest_of_line() const {
  const char* last = position_;
  while (last != end_ && *last != '\n' && *last != '\r') ++last;
  return {position_, static_cast<std::size_t>(last - position_)};
}

void CsvScanner::skip_line() {
  position_ += rest_of_line().size();
  skip_line_end();
}

void CsvScanner::check_length(const CsvCell& cell) const {
  if (cell.text.size() <= kMaxCellBytes) return;
  throw Error(ErrorCategory::kData,
              fmt::format("{}, line {}: A cell that begins here is longer than 1 MB. {}", source_, cell.line,
                          cell.quoted ? "Check that its quotes are closed, or remove it."
                                      : "Check that this is a CSV file, and shorten or remove the cell."));
}

CsvCell CsvScanner::next_cell() {
  position_ = skip_blanks(position_);
  if (position_ != end_ && *position_ == '"') return next_quoted_cell();
  const char* const first = position_;
  while (!at_line_end() && *position_ != separator_) ++position_;
  const char* last = position_;
  while (last != first && is_blank(last[-1])) --last;
  const CsvCell cell{{first, static_cast<std::size_t>(last - first)}, line_};
  check_length(cell);
  return cell;
}

CsvCell CsvScanner::next_quoted_cell() {
  const char* const first = position_ + 1;
  const char* last = find_quote(first, end_);
  CsvCell cell{{}, line_, true, false};
  while (last != end_ && last + 1 != end_ && last[1] == '"') {
    cell.doubled_quotes = true;
    last = find_quote(last + 2, end_);
  }
  if (last == end_) {
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}, line {}: A quote that opens in this line is never closed. Close it, or double it if it "
                    "belongs to the text of the cell.",
                    source_, cell.line));
  }
  cell.text = {first, static_cast<std::size_t>(last - first)};
  check_length(cell);
  line_ += count_line_ends(cell.text);
  position_ = skip_blanks(last + 1);
  if (!at_line_end() && *position_ != separator_) {
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}, line {}: There is text between a closing quote and the next separator.", source_, line_),
        {{"Double the quotes that belong to the text of a cell"},
         {fmt::format("Name the separator, if it is not '{}'", show_text({&separator_, 1})), "delimiter"}});
  }
  return cell;
}

CsvLayout sniff_layout(std::string_view text, char separator, std::string_view candidates) {
  if (separator != 0) candidates = {&separator, 1};
  std::vector<std::size_t> counts(candidates.size(), 0);
  while (skip_blank_line(text, candidates)) {
  }
  // A quote opens a cell only at its beginning, which before the separator is known means behind any candidate.
  bool cell_begins = true;
  for (std::size_t i = 0; i < text.size() && text[i] != '\n' && text[i] != '\r'; ++i) {
    if (text[i] == '"' && cell_begins) {
      i = closing_quote(text, i);
      cell_begins = false;
      continue;
    }
    const std::size_t which = candidates.find(text[i]);
    if (which != std::string_view::npos) ++counts[which];
    cell_begins = which != std::string_view::npos || (cell_begins && text[i] == ' ');
  }
  const auto best = std::max_element(counts.begin(), counts.end());
  return {candidates[*best == 0 ? 0 : static_cast<std::size_t>(best - counts.begin())], *best + 1};
}

std::size_t count_lines(std::string_view text) { return 1 + count_line_ends(text); }

}  // namespace olem::internal
