#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/csv_scan.h"
#include "olem/context.h"
#include "olem/table.h"

namespace olem::internal {

// CSV text and the dialect that it is written in: separator, decimal mark, and which lines are not read. Knows Excel's
// line "sep=;", comments, lines to skip, and blanks as separators.
class CsvText {
 public:
  // Finds out what the options leave open. `text` and `source` must outlive this. Throws a data error for text that is
  // empty or not UTF-8 by its first bytes or NUL bytes, cells that are separated by spaces without being told, and
  // numbers whose decimal mark cannot be known; a usage error for a delimiter that cannot be one.
  CsvText(std::string_view text, const std::string& source, const ReadOptions& options, const Context& context);
  CsvText(const CsvText&) = delete;
  CsvText& operator=(const CsvText&) = delete;

  char separator() const { return separator_; }
  char decimal() const { return decimal_; }
  std::size_t columns() const { return columns_; }  // cells of the first line that is read

  CsvScanner first_line() const { return at(first_); }  // at the first line that is read, names or data
  // Where the rows begin when they have no names: blank lines in front of them may be rows of one empty cell.
  CsvScanner all_lines() const { return at(start_); }
  // A comment right before the first line without its mark; "" when there is none.
  std::string_view comment_above() const { return comment_above_; }
  bool comment_above_attached() const { return comment_attached_; }  // "#id", not "# id"

  // At the beginning of a line: moves behind it when it is not read, which tells skip_lines and comments.
  bool skip_left_out(CsvScanner& scan) const {
    const bool may_be_comment = !scan.at_end() && *scan.position() == comment_first_;
    return (may_be_comment || scan.line() >= next_skip_) && skip_special(scan);
  }
  // Whether the line has a number in ReadOptions::skip_lines.
  bool is_skipped(std::size_t line) const;

  // Looks at all cells for the decimal mark, unless it was given or the separator is a comma. True when it is another
  // one than before. Throws as the constructor.
  bool find_decimal_in_all(const Context& context);

  // "decimal": every number could also have separators of thousands.
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  struct Position {
    const char* place = nullptr;
    std::size_t line = 1;
  };
  struct DecimalCounts;

  CsvScanner at(Position position) const;
  bool skip_special(CsvScanner& scan) const;
  void find_first_line(const ReadOptions& options, const Context& context);
  void check_spaces() const;
  DecimalCounts count_decimals(std::size_t lines, const Context& context) const;
  void decide_decimal(const DecimalCounts& counts, bool complete);

  std::string joined_;          // owns the text when blanks separate
  std::string joined_comment_;  // and the comment above the first line
  std::string_view text_;
  const std::string& source_;
  char separator_ = ',';
  char decimal_ = '.';
  bool decimal_open_ = false;
  std::size_t columns_ = 1;
  std::string comment_;
  bool comment_given_ = false;
  char comment_first_ = '#';
  std::vector<LineRange> skip_;
  std::size_t next_skip_ = static_cast<std::size_t>(-1);  // first line of any range
  Position start_;
  Position first_;
  std::string_view comment_above_;
  bool comment_attached_ = false;
  std::vector<Warning> warnings_;
};

}  // namespace olem::internal
