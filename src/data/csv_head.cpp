#include "data/csv_head.h"

#include <algorithm>
#include <cstdlib>

#include "core/text.h"
#include "data/csv_number.h"
#include "data/reading.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

bool is_whole_number(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

struct HeadCell {
  std::string text;
  bool quoted = false;
};

// The cells of the line at which the scanner stands, which moves behind it.
std::vector<HeadCell> read_cells(CsvScanner& scan) {
  std::vector<HeadCell> cells;
  for (;;) {
    const CsvCell cell = scan.next_cell();
    cells.push_back({std::string(trim(cell.content())), cell.quoted});
    if (!scan.at_separator()) break;
    scan.skip_separator();
  }
  scan.skip_line_end();
  return cells;
}

bool skip_to_row(const CsvText& text, CsvScanner& scan) {
  while (!scan.at_end() && (text.skip_left_out(scan) || scan.skip_blank_line())) {
  }
  return !scan.at_end();
}

struct CellCounts {
  std::size_t numbers = 0;
  std::size_t texts = 0;
  bool fractions = false;
};

CellCounts count_kinds(const std::vector<HeadCell>& cells, char decimal) {
  CellCounts counts;
  for (const HeadCell& cell : cells) {
    double ignored = 0.0;
    switch (read_cell(cell.text, ignored, decimal)) {
      case CellKind::kText: ++counts.texts; break;
      case CellKind::kMissing: break;
      default: ++counts.numbers; counts.fractions = counts.fractions || !is_whole_number(cell.text);
    }
  }
  return counts;
}

// 1990, 1991, 1992 or 2000, 2010, 2020.
bool are_years(const std::vector<HeadCell>& cells) {
  constexpr int kFirstYear = 1500;
  constexpr int kLastYear = 2200;
  constexpr std::size_t kDigits = 4;
  if (cells.size() < 2) return false;
  std::vector<int> years;
  for (const HeadCell& cell : cells) {
    if (cell.text.size() != kDigits || !is_whole_number(cell.text)) return false;
    years.push_back(std::atoi(cell.text.c_str()));
    if (years.back() < kFirstYear || years.back() > kLastYear) return false;
  }
  const int step = years[1] - years[0];
  for (std::size_t i = 1; i < years.size(); ++i) {
    if (step == 0 || years[i] - years[i - 1] != step) return false;
  }
  return true;
}

// Whether every row has a cell more than there are names and begins with what R writes in front of it: something in
// quotes, a text, or the number of the row. Where commas separate, a decimal comma or a comma in a text makes one cell
// too many as well, and only quotes or three rows that count are evidence.
bool have_labels(const CsvText& text, CsvScanner scan, std::size_t names) {
  constexpr std::size_t kLooked = 5;
  constexpr std::size_t kCounting = 3;
  std::size_t rows = 0;
  bool quoted = true;
  bool counting = true;
  for (; rows < kLooked && skip_to_row(text, scan); ++rows) {
    const std::vector<HeadCell> cells = read_cells(scan);
    if (cells.size() != names + 1 || cells.back().text.empty()) return false;
    double number = 0.0;
    const bool is_number = read_cell(cells[0].text, number, text.decimal()) == CellKind::kNumber;
    quoted = quoted && cells[0].quoted;
    counting = counting && is_number && number == static_cast<double>(rows + 1);
    if (is_number && !quoted && !counting) return false;
  }
  return rows > 0 && (text.separator() != ',' || quoted || (counting && rows >= kCounting));
}

// Whether there are rows, and each of them has as many cells as there are names and ends with an empty one. Ends with
// the first that does not.
bool have_empty_ends(const CsvText& text, CsvScanner scan, std::size_t names) {
  bool any = false;
  while (skip_to_row(text, scan)) {
    std::size_t cells = 1;
    while (true) {
      const CsvCell cell = scan.next_cell();
      if (!scan.at_separator()) {
        if (cells != names || cell.quoted || !cell.text.empty()) return false;
        break;
      }
      scan.skip_separator();
      ++cells;
    }
    scan.skip_line_end();
    any = true;
  }
  return any;
}

// The cells of a line that is free to break the rules of quotes; none then.
std::vector<std::string> free_cells(std::string_view line, char separator) {
  std::vector<std::string> cells;
  try {
    CsvScanner scan(line, "", separator);
    for (HeadCell& cell : read_cells(scan)) cells.push_back(std::move(cell.text));
  } catch (const Error&) {
    cells.clear();
  }
  return cells;
}

// The names in a comment above rows without names.
std::vector<std::string> commented_names(const CsvText& text, const std::vector<HeadCell>& first) {
  if (text.comment_above().empty()) return {};
  const CellCounts counts = count_kinds(first, text.decimal());
  if (counts.numbers == 0 || (counts.texts > 0 && !text.comment_above_attached())) return {};
  std::vector<std::string> names = free_cells(text.comment_above(), text.separator());
  if (names.size() != first.size()) return {};
  if (names.size() == 1 && names[0].find_first_of(" \t") != std::string::npos) return {};
  return names;
}

// The cells of the skipped line right below the names, without brackets; none where they do not look like units.
std::vector<std::string> read_units(const CsvText& text, CsvScanner scan, std::size_t columns) {
  constexpr std::size_t kLongest = 20;
  if (scan.at_end() || !text.is_skipped(scan.line())) return {};
  std::vector<std::string> units;
  for (std::string& unit : free_cells(scan.rest_of_line(), text.separator())) {
    const bool brackets =
        unit.size() > 2 && ((unit.front() == '[' && unit.back() == ']') || (unit.front() == '(' && unit.back() == ')'));
    if (brackets) unit = unit.substr(1, unit.size() - 2);
    double ignored = 0.0;
    const bool fits =
        unit.size() <= kLongest && !find_invalid_utf8(unit) && read_cell(unit, ignored) != CellKind::kNumber;
    units.push_back(fits && unit != "-" ? unit : "");
  }
  if (units.size() != columns) return {};
  return units;
}

}  // namespace

CsvHead read_head(const CsvText& text, HeaderMode mode) {
  CsvScanner scan = text.first_line();
  while (!scan.at_end() && scan.skip_blank_line()) {
  }
  const CsvScanner first_line = scan;
  const std::vector<HeadCell> cells = read_cells(scan);
  const CellCounts counts = count_kinds(cells, text.decimal());
  CsvHead head{{}, {}, false, false, false, false, false, scan};
  if (mode == HeaderMode::kAuto) {
    head.names = commented_names(text, cells);
    if (!head.names.empty()) {
      head.in_file = true;
      head.in_comment = true;
      head.rows = first_line;
      return head;
    }
  }
  bool years = false;
  if (mode == HeaderMode::kAuto && are_years(cells)) {
    CsvScanner next = scan;
    years = skip_to_row(text, next) && !are_years(read_cells(next));
  }
  const bool looks_like_data = counts.texts == 0 && counts.numbers > 0 && !years;
  head.in_file = mode == HeaderMode::kPresent || (mode == HeaderMode::kAuto && !looks_like_data);
  if (!head.in_file) {
    head.names = numbered_column_names(cells.size());
    head.rows = text.all_lines();
    head.ends_empty = cells.size() > 1 && cells.back().text.empty() && have_empty_ends(text, head.rows, cells.size());
    return head;
  }
  // Whole numbers are common names beside others; fractions hint at a row of data with a wrong cell in it.
  head.doubtful = mode == HeaderMode::kAuto && (counts.fractions || years);
  for (const HeadCell& cell : cells) head.names.push_back(cell.text);
  if (head.names.size() > 1 && head.names[0].empty()) {
    head.row_labels = true;
  } else if (have_labels(text, scan, cells.size())) {
    head.names.insert(head.names.begin(), "");
    head.row_labels = true;
  }
  head.ends_empty = head.names.size() > 1 + head.labels() && head.names.back().empty() &&
                    have_empty_ends(text, scan, head.names.size());
  head.units = read_units(text, scan, head.names.size());
  return head;
}

}  // namespace olem::internal
