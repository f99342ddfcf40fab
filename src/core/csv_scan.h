#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace olem::internal {

// One cell as it stands in the text, without the blanks and quotes around it.
struct CsvCell {
  std::string_view text;
  std::size_t line = 0;         // of its first character
  bool quoted = false;          // stood in quotes
  bool doubled_quotes = false;  // `text` still has each quote doubled

  std::string content() const;  // with doubled quotes undone
};

// A position in CSV text (RFC 4180). Lines end with LF, CR LF or a lone CR and count from 1, those inside quotes too.
// Blanks (spaces and tabs, unless they are the separator) around a cell or its quotes do not belong to it. A quote
// inside a cell that does not begin with one is an ordinary character.
class CsvScanner {
 public:
  // `text` and `source`, the name used in messages, must outlive the scanner.
  CsvScanner(std::string_view text, std::string_view source, char separator, std::size_t line = 1)
      : position_(text.data()), end_(text.data() + text.size()), source_(source), separator_(separator), line_(line) {}

  const char* position() const { return position_; }
  const char* end() const { return end_; }
  std::size_t line() const { return line_; }
  bool at_end() const { return position_ == end_; }
  bool at_separator() const { return position_ != end_ && *position_ == separator_; }
  bool at_line_end() const { return position_ == end_ || *position_ == '\n' || *position_ == '\r'; }
  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != separator_; }

  void skip_separator() { ++position_; }
  // Moves past the blanks and behind the end of the line when there is nothing else on it.
  bool skip_blank_line();
  void skip_line_end();  // nothing happens at the end of the text
  void skip_line();      // whatever it holds, quotes too
  std::string_view rest_of_line() const;
  // Moves to `position`, which must lie behind the current one on the same line.
  void move_to(const char* position) { position_ = position; }

  // Moves behind the cell, to a separator, the end of the line or the end of the text. Throws a data error for a quote
  // that is never closed (with the line where it opens), text behind a closing quote, and a cell over 1 MB.
  CsvCell next_cell();

 private:
  CsvCell next_quoted_cell();
  void check_length(const CsvCell& cell) const;
  const char* skip_blanks(const char* p) const;

  const char* position_;
  const char* end_;
  std::string_view source_;
  char separator_;
  std::size_t line_;
};

// What the first line that is not blank says about the text.
struct CsvLayout {
  char separator = ',';
  std::size_t columns = 1;
};

// The separator is `separator`, or with 0 the one of `candidates` that splits the line into most cells (ties in their
// order; the first when none occurs). Separators in quotes do not count.
CsvLayout sniff_layout(std::string_view text, char separator, std::string_view candidates = ",;\t|");

// Upper bound of the number of lines, reached when none of them ends inside quotes. Cost: one pass.
std::size_t count_lines(std::string_view text);

}  // namespace olem::internal
