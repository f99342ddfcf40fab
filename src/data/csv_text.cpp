#include "data/csv_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "data/csv_number.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

bool can_separate(char separator) {
  const bool printable = separator == '\t' || (separator >= ' ' && separator <= '~');
  const bool alphanumeric = (separator >= '0' && separator <= '9') || (separator >= 'A' && separator <= 'Z') ||
                            (separator >= 'a' && separator <= 'z');
  return printable && !alphanumeric && std::string_view("\"+-._").find(separator) == std::string_view::npos;
}

void check_separator(char separator) {
  if (separator == 0 || can_separate(separator)) return;
  throw Error::of_option(
      "delimiter", fmt::format("'{}' cannot separate columns.", show_text({&separator, 1})),
      {{"Use , ; | tab space or another ASCII character that is not a letter, a digit, a quote or one of + - . _"}});
}

// Every other byte is zero near the beginning.
bool looks_like_utf16(std::string_view text) {
  constexpr std::size_t kLooked = 64;
  const std::string_view beginning = text.substr(0, kLooked);
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    if (beginning[i] == '\0') ++zeros[i % 2];
  }
  const std::size_t most = std::max(zeros[0], zeros[1]);
  return std::min(zeros[0], zeros[1]) == 0 && most > 1 && 3 * most >= beginning.size();
}

// Throws for bytes that no CSV file of ours has and returns the text behind a UTF-8 byte order mark.
std::string_view check_encoding(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || looks_like_utf16(text)) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: The file is in UTF-16. Save it as UTF-8, or convert it with: iconv -f UTF-16 -t UTF-8",
                            source));
  }
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}, line {}: There is a NUL byte, so this is not a CSV file in UTF-8. Export the data as CSV "
                    "in UTF-8.",
                    source, count_lines(text.substr(0, zero))));
  }
  return text;
}

// Without the line ends and blanks behind the last cell. The separator stays: a cell follows it.
std::string_view without_blank_end(std::string_view text, char separator) {
  while (!text.empty() && std::string_view("\n\r \t").find(text.back()) != std::string_view::npos &&
         text.back() != separator) {
    text.remove_suffix(1);
  }
  return text;
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

// The text with one tab for every run of blanks between cells and none at the ends of a line, so that it is read like
// any other. Lines that begin with `comment` stay as they are.
std::string join_blanks(std::string_view text, std::string_view comment) {
  std::string joined;
  joined.reserve(text.size());
  std::size_t i = 0;
  while (i < text.size()) {
    if (text.substr(i).starts_with(comment)) {
      while (i < text.size() && !is_line_end(text[i])) joined += text[i++];
    }
    bool first = true;
    while (i < text.size() && !is_line_end(text[i])) {
      while (i < text.size() && is_space(text[i])) ++i;
      if (i == text.size() || is_line_end(text[i])) break;
      if (!first) joined += '\t';
      first = false;
      if (text[i] == '"') {
        do {
          joined += text[i++];
        } while (i < text.size() && text[i] != '"');
        if (i < text.size()) joined += text[i++];
        // A doubled quote goes on inside of the quotes; anything else behind them is left to the scanner.
        if (i < text.size() && text[i] == '"') first = true;
        if (i < text.size() && !is_space(text[i]) && !is_line_end(text[i])) first = true;
      } else {
        while (i < text.size() && !is_space(text[i]) && !is_line_end(text[i])) joined += text[i++];
      }
    }
    while (i < text.size() && is_line_end(text[i])) joined += text[i++];
  }
  return joined;
}

std::vector<std::string_view> blank_separated(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_space(line[i])) ++i;
    const std::size_t start = i;
    if (i < line.size() && line[i] == '"') {
      i = std::min(line.find('"', i + 1), line.size() - 1) + 1;
    } else {
      while (i < line.size() && !is_space(line[i])) ++i;
    }
    if (i > start) words.push_back(line.substr(start, i - start));
  }
  return words;
}

// Whether the text begins with a cell in quotes that has its line for itself.
bool is_one_quoted_cell(std::string_view text) {
  if (!text.starts_with('"')) return false;
  std::size_t i = text.find('"', 1);
  while (i != std::string_view::npos && i + 1 < text.size() && text[i + 1] == '"') i = text.find('"', i + 2);
  if (i == std::string_view::npos) return false;
  i = text.find_first_not_of(" \t", i + 1);
  return i == std::string_view::npos || is_line_end(text[i]);
}

bool has_number(const std::vector<std::string_view>& words) {
  double ignored = 0.0;
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return read_cell(word, ignored) == CellKind::kNumber || read_cell(word, ignored, ',') == CellKind::kNumber;
  });
}

}  // namespace

struct CsvText::DecimalCounts {
  struct OfColumn {
    std::size_t whole = 0;   // numbers without a mark
    std::size_t commas = 0;  // 1,234
    std::size_t points = 0;  // 1.234
    std::string_view example;
    std::size_t line = 0;
  };
  std::size_t point = 0;
  std::size_t comma = 0;
  std::vector<OfColumn> columns;
};

CsvText::CsvText(std::string_view text, const std::string& source, const ReadOptions& options, const Context& context)
    : source_(source), comment_(options.comment), comment_given_(!options.comment.empty()), skip_(options.skip_lines) {
  check_separator(options.delimiter);
  if (options.decimal != 0 && options.decimal != '.' && options.decimal != ',')
    throw Error::of_option("decimal", "Numbers have a decimal point or a decimal comma.");
  context.check_interrupt();
  text_ = check_encoding(text, source);
  if (!comment_given_) comment_ = "#";
  comment_first_ = comment_.front();
  for (const LineRange& range : skip_) next_skip_ = std::min(next_skip_, range.first);
  separator_ = options.delimiter;
  if (options.delimiter == ' ') {
    context.require_memory(text_.size(), fmt::format("Reading {}", source));
    joined_ = join_blanks(text_, comment_);
    text_ = joined_;
    separator_ = '\t';
  }
  find_first_line(options, context);
  decimal_ = options.decimal != 0 ? options.decimal : '.';
  decimal_open_ = options.decimal == 0 && separator_ != ',';
  if (!decimal_open_) return;
  constexpr std::size_t kSampled = 100;
  const DecimalCounts sample = count_decimals(kSampled, context);
  const bool marks = std::any_of(sample.columns.begin(), sample.columns.end(), [&](const auto& column) {
    return column.commas > 0 || (separator_ == ';' && column.points > 0);
  });
  if (sample.point + sample.comma > 0) {
    decide_decimal(sample, false);
  } else if (marks) {
    find_decimal_in_all(context);
  }
}

CsvScanner CsvText::at(Position position) const {
  return {{position.place, static_cast<std::size_t>(text_.data() + text_.size() - position.place)},
          source_,
          separator_,
          position.line};
}

bool CsvText::is_skipped(std::size_t line) const {
  return std::any_of(skip_.begin(), skip_.end(),
                     [line](const LineRange& range) { return range.first <= line && line <= range.last; });
}

bool CsvText::skip_special(CsvScanner& scan) const {
  if (scan.at_end()) return false;
  if (!is_skipped(scan.line())) {
    const std::string_view line = scan.rest_of_line();
    if (!line.starts_with(comment_)) return false;
    // What may be a row is no comment, unless the user says so: colours and numbers of tickets begin with # as well.
    if (!comment_given_ && columns_ > 1 && sniff_layout(line, separator_).columns == columns_) return false;
  }
  scan.skip_line();
  return true;
}

void CsvText::find_first_line(const ReadOptions& options, const Context& context) {
  // A tab may be the separator, and is no blank until that is known.
  CsvScanner scan(text_, source_, separator_ == 0 ? '\t' : separator_);
  const std::string_view top = scan.rest_of_line();
  constexpr std::size_t kSepLine = 5;  // sep=;
  if (top.size() == kSepLine && lower_case(top.substr(0, kSepLine - 1)) == "sep=" && can_separate(top.back())) {
    if (separator_ == 0) separator_ = top.back();
    scan.skip_line();
  }
  start_ = {scan.position(), scan.line()};
  for (;;) {
    if (scan.at_end()) break;
    if (is_skipped(scan.line())) {
      scan.skip_line();
      comment_above_ = {};
    } else if (const std::string_view line = scan.rest_of_line(); line.starts_with(comment_)) {
      comment_above_ = trim(line.substr(comment_.size()));
      comment_attached_ = line.size() > comment_.size() && !is_space(line[comment_.size()]);
      scan.skip_line();
    } else if (!scan.skip_blank_line()) {
      break;
    } else {
      comment_above_ = {};
      continue;
    }
    start_ = {scan.position(), scan.line()};
  }
  first_ = {scan.position(), scan.line()};
  const std::string_view rest(first_.place, static_cast<std::size_t>(scan.end() - first_.place));
  const CsvLayout layout = sniff_layout(rest, separator_, options.decimal == ',' ? ";\t|," : ",;\t|");
  const bool sniffed = separator_ == 0;
  separator_ = layout.separator;
  columns_ = layout.columns;
  text_ = without_blank_end(text_, separator_);
  if (first_.place >= text_.data() + text_.size()) {
    throw Error(ErrorCategory::kData, fmt::format("{}: The file is empty. A table with a header line and at least 2 "
                                                  "rows is needed.",
                                                  source_));
  }
  // Names, their index and the choice among them, and what is counted for each column.
  constexpr std::size_t kBytesPerColumn = 12 * sizeof(std::string);
  context.require_memory(columns_ * kBytesPerColumn, fmt::format("The header of {}", source_));
  if (sniffed && columns_ == 1) check_spaces();
  if (!joined_.empty() && !comment_above_.empty()) {
    joined_comment_ = join_blanks(comment_above_, "\n");
    comment_above_ = joined_comment_;
  }
}

void CsvText::check_spaces() const {
  CsvScanner scan = first_line();
  if (is_one_quoted_cell({scan.position(), static_cast<std::size_t>(scan.end() - scan.position())})) return;
  const std::vector<std::string_view> names = blank_separated(scan.rest_of_line());
  scan.skip_line();
  while (!scan.at_end() && scan.skip_blank_line()) {
  }
  const std::string_view line = scan.rest_of_line();
  const std::vector<std::string_view> cells = blank_separated(line);
  double ignored = 0.0;
  if (names.size() < 2 || (cells.size() != names.size() && cells.size() != names.size() + 1) || !has_number(cells) ||
      read_cell(line, ignored) != CellKind::kText || line.find_first_of(";|") != std::string_view::npos)
    return;
  throw Error(ErrorCategory::kData,
              fmt::format("{}, line {}: The cells seem to be separated by spaces{}.", source_, first_.line,
                          cells.size() > names.size() ? ", with a label before each row, as R's write.table does" : ""),
              {{"Say so", "delimiter", "space"}});
}

CsvText::DecimalCounts CsvText::count_decimals(std::size_t lines, const Context& context) const {
  constexpr std::size_t kRowsPerCheck = 4096;
  DecimalCounts counts;
  counts.columns.resize(columns_);
  CsvScanner scan = first_line();
  for (std::size_t row = 0; row < lines && !scan.at_end(); ++row) {
    if (row % kRowsPerCheck == 0) context.check_interrupt();
    if (skip_left_out(scan) || scan.skip_blank_line()) continue;
    for (std::size_t column = 0;; ++column) {
      const CsvCell cell = scan.next_cell();
      const DecimalEvidence evidence = decimal_evidence(cell.text);
      if (evidence == DecimalEvidence::kPoint) ++counts.point;
      if (evidence == DecimalEvidence::kComma) ++counts.comma;
      if (column < columns_) {
        DecimalCounts::OfColumn& seen = counts.columns[column];
        const bool first = seen.commas + seen.points == 0;
        if (evidence == DecimalEvidence::kCommaOrGroups) ++seen.commas;
        if (evidence == DecimalEvidence::kPointOrGroups) ++seen.points;
        if (first && seen.commas + seen.points > 0) {
          seen.example = cell.text;
          seen.line = cell.line;
        }
        double ignored = 0.0;
        if (evidence == DecimalEvidence::kNone && row > 0 && read_cell(cell.text, ignored) == CellKind::kNumber)
          ++seen.whole;
      }
      if (!scan.at_separator()) break;
      scan.skip_separator();
    }
    scan.skip_line_end();
  }
  return counts;
}

void CsvText::decide_decimal(const DecimalCounts& counts, bool complete) {
  if (counts.point + counts.comma > 0) {
    decimal_ = counts.comma > counts.point ? ',' : '.';
    return;
  }
  decimal_ = '.';
  if (!complete) return;
  // 1,234 and 1.234 are all there is.
  bool commas = false;
  std::vector<std::string> doubtful;
  std::string_view example;
  for (std::size_t column = 0; column < counts.columns.size(); ++column) {
    const DecimalCounts::OfColumn& seen = counts.columns[column];
    if (seen.commas == 0 && (seen.points == 0 || separator_ != ';')) continue;
    const char mark = seen.commas > 0 ? ',' : '.';
    if ((seen.commas > 0 && seen.points > 0) || seen.whole > 0) {
      throw Error(
          ErrorCategory::kData,
          fmt::format("{}, line {}, column {}: '{}' may be a number with three decimals or one with a separator "
                      "of thousands.",
                      source_, seen.line, column + 1, show_text(seen.example)),
          {{"Name the decimal mark", "decimal", "."}, {"Name the decimal mark", "decimal", ","}});
    }
    commas = commas || mark == ',';
    if (doubtful.empty()) example = seen.example;
    doubtful.push_back(fmt::format("{}", column + 1));
  }
  if (doubtful.empty()) return;
  decimal_ = commas ? ',' : '.';
  warnings_ = {{"decimal",
                fmt::format("All numbers with a {} have exactly three digits behind it (column {}), such as '{}'. They "
                            "were read as decimals; they could be thousands.",
                            commas ? "comma" : "point", fmt::join(doubtful, ", "), show_text(example)),
                source_,
                {{"Name the decimal mark", "decimal", "."}, {"Name the decimal mark", "decimal", ","}}}};
}

bool CsvText::find_decimal_in_all(const Context& context) {
  if (!decimal_open_) return false;
  decimal_open_ = false;
  const char before = decimal_;
  decide_decimal(count_decimals(static_cast<std::size_t>(-1), context), true);
  return decimal_ != before;
}

}  // namespace olem::internal
