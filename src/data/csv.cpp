#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/csv_scan.h"
#include "core/text.h"
#include "data/csv_columns.h"
#include "data/csv_head.h"
#include "data/csv_number.h"
#include "data/csv_text.h"
#include "data/csv_words.h"
#include "data/reading.h"
#include "olem/error.h"
#include "olem/table.h"

namespace olem {

using namespace internal;

namespace {

// Words that are kept of all columns together, at most 200 bytes each.
constexpr std::size_t kMostWordsOfAll = 50'000;

// What happens to the cells of a column of the file.
enum class CellUse : unsigned char {
  kNumbers,
  kWords,
  kPassed,  // not chosen, or a column of numbers that turned out to hold words and is read again
};

// What every pass over the rows needs.
struct RowSource {
  const CsvText& text;
  const CsvHead& head;
  const std::vector<std::size_t>& chosen;
  const std::string& source;
  const ReadOptions& options;
  const Context& context;
};

// Reads the rows of one file. Numbers are collected in a small block, row by row, and written to their columns a block
// at a time, so that tables with many columns do not touch as many pages with every row.
template <char Mark>
class RowReader {
 public:
  // Of the columns for which `words` is true, words are read; it becomes true where a text is met among numbers.
  RowReader(const RowSource& from, std::vector<bool>& words)
      : from_(from),
        text_(from.text),
        scan_(from.head.rows),
        separator_(from.text.separator()),
        words_(words),
        uses_(from.head.names.size(), CellUse::kPassed),
        slots_(from.head.names.size(), 0),
        declared_(from.head.names.size(), nullptr),
        missing_words_(from.options.na.begin(), from.options.na.end()),
        missing_numbers_(missing_numbers(from.options)),
        rows_(from.head.names.size()) {
    for (std::size_t slot = 0; slot < from.chosen.size(); ++slot) {
      const std::size_t column = from.chosen[slot];
      declared_[column] = declared_type(from.options, from.head.names[column]);
      slots_[column] = slot;
      uses_[column] = words[column] ? CellUse::kWords : CellUse::kNumbers;
      if (words[column]) rows_.words[column].emplace();
    }
    plain_ = missing_numbers_.empty() && from.chosen.size() == slots_.size();
    for (std::size_t column = 0; column < slots_.size() && plain_; ++column)
      plain_ = slots_[column] == column && uses_[column] == CellUse::kNumbers;
  }

  // At most `most` rows. The result means something only where no new column of words was found.
  CsvRows read(std::size_t most) {
    const char* const begin = scan_.position();
    const auto bytes = static_cast<std::size_t>(scan_.end() - begin);
    const std::size_t width = from_.chosen.size();
    // A row has a byte for each of its cells, the separator or line end behind it (but for the last of all). So the
    // table never has more cells than the text has bytes, whatever the lines say.
    std::size_t capacity = bytes == 0 ? 0 : std::min(most, (bytes + 1) / slots_.size());
    if (capacity > 0 && capacity < most) capacity = std::min(capacity, count_lines({begin, bytes}));
    from_.context.require_memory(capacity * width * sizeof(double), fmt::format("The table in {}", from_.source));
    rows_.capacity = capacity;
    rows_.values.resize(capacity * width);
    block_rows_ = std::clamp<std::size_t>(kBlockCells / width, 1, kMaxBlockRows);
    block_.resize(block_rows_ * width);

    const char* checked = begin;
    while (!scan_.at_end() && rows_.missing.rows() < most) {
      if (scan_.position() - checked >= kCheckBytes) {
        checked = scan_.position();
        from_.context.check_interrupt();
        from_.context.report_progress(static_cast<double>(checked - begin) / static_cast<double>(bytes), "reading");
      }
      read_line();
    }
    flush_block();
    return std::move(rows_);
  }

  bool found_words() const { return found_words_; }
  // Whether one of the texts among numbers is a number with the other decimal mark.
  bool found_other_decimal() const { return found_other_decimal_; }

 private:
  static constexpr std::ptrdiff_t kCheckBytes = 1 << 20;
  static constexpr std::size_t kBlockCells = 4096;  // 32 KB
  static constexpr std::size_t kMaxBlockRows = 64;

  void read_line() {
    if (text_.skip_left_out(scan_)) return;
    const std::size_t line = scan_.line();
    if (scan_.skip_blank_line()) {
      // With one column an empty line is an empty cell; with more it holds no cells at all.
      if (slots_.size() > 1) return;
      rows_.missing.add(line, 0);
      rows_.missing.end_row(false, true);
      return;
    }
    if (is_empty_line()) {
      scan_.skip_line();
      return;
    }
    if (rows_.first_line == 0) rows_.first_line = line;
    rows_.last_line = line;
    double* const row = block_.data() + filled_ * from_.chosen.size();
    std::size_t gaps = 0;
    const auto leave_gap = [&](double& value) {
      value = std::numeric_limits<double>::quiet_NaN();
      ++gaps;
    };
    std::size_t column = 0;
    bool at_cell = true;
    const auto go_to_cell = [&] {
      if (column > 0 && !at_cell) {
        if (!scan_.at_separator()) throw_ragged(line, column);
        scan_.skip_separator();
      }
      at_cell = true;
    };
    // The usual line is nothing but numbers.
    while (plain_ && column < slots_.size()) {
      go_to_cell();
      if (!read_number(row[column])) break;
      ++column;
      at_cell = false;
    }
    for (; column < slots_.size(); ++column, at_cell = false) {
      go_to_cell();
      if (uses_[column] == CellUse::kNumbers) {
        double& value = row[slots_[column]];
        if (!read_number(value) && !read_other(column, value)) {
          leave_gap(value);
        } else if (!missing_numbers_.empty() && is_missing_number(value)) {
          rows_.missing.add(line, column);
          leave_gap(value);
        }
      } else if (uses_[column] == CellUse::kPassed) {
        const CsvCell cell = scan_.next_cell();
        if (column == 0) rows_.last_label = cell.text;
      } else if (double& value = row[slots_[column]]; !read_word(column, value)) {
        leave_gap(value);
      }
    }
    if (!scan_.at_line_end()) throw_ragged(line, slots_.size());
    scan_.skip_line_end();
    const bool empty = gaps == from_.chosen.size();
    rows_.missing.end_row(gaps == 0, empty);
    const bool used = gaps == 0 || (from_.options.missing == MissingPolicy::kImpute && !empty);
    if (!used) rows_.last_label = {};
    if (used && ++filled_ == block_rows_) flush_block();
  }

  // Nothing but separators, as spreadsheets write rows that were used once.
  bool is_empty_line() const {
    const char* p = scan_.position();
    while (p != scan_.end() && (*p == separator_ || scan_.is_blank(*p))) ++p;
    return p == scan_.end() || *p == '\n' || *p == '\r';
  }

  // Reads a cell that holds nothing but an ordinary number; otherwise stays where it is.
  bool read_number(double& value) {
    if constexpr (Mark == ',') {
      if (separator_ == ',') return false;  // only cells in quotes have a mark
    }
    const char* p = scan_.position();
    const char* const end = scan_.end();
    while (p != end && scan_.is_blank(*p)) ++p;
    p = read_plain_number<Mark>(p, end, value);
    if (p == nullptr) return false;
    while (p != end && scan_.is_blank(*p)) ++p;
    if (p != end && *p != separator_ && *p != '\n' && *p != '\r') return false;
    scan_.move_to(p);
    return true;
  }

  bool is_missing_number(double value) const {
    return std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end();
  }

  bool is_missing_word(std::string_view text) const {
    return !missing_words_.empty() && missing_words_.count(std::string(trim(text))) > 0;
  }

  bool is_declared_word(std::size_t column, std::string_view text) const {
    const DeclaredType* const declared = declared_[column];
    if (declared == nullptr) return false;
    const std::string word(trim(text));
    const auto holds = [&](const std::vector<std::string>& words) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    return holds(declared->levels) || holds(declared->words);
  }

  // Reads any other cell of a column of numbers. False: it is missing.
  bool read_other(std::size_t column, double& value) {
    const CsvCell cell = scan_.next_cell();
    if (is_missing_word(cell.text)) {
      rows_.missing.add(cell.line, column);
      return false;
    }
    CellKind kind = read_cell(cell.text, value, Mark);
    if (kind == CellKind::kMissing && is_declared_word(column, cell.text)) kind = CellKind::kText;
    switch (kind) {
      case CellKind::kNumber: return true;
      case CellKind::kPercent: add_percent(cell, rows_.percents[column]); return true;
      case CellKind::kMissing: rows_.missing.add(cell.line, column); return false;
      case CellKind::kTooLarge:
        throw Error(ErrorCategory::kData,
                    fmt::format("{}, line {}, column '{}' ({}): '{}' is too large for a double-precision number (about "
                                "1.8e308).",
                                from_.source, cell.line, show_text(from_.head.names[column]), column + 1,
                                show_text(cell.content())),
                    {{"Correct it"}, leave_out({&from_.head.names[column], 1}), {"Choose other columns", "columns"}});
      case CellKind::kText:
        found_words_ = true;
        found_other_decimal_ =
            found_other_decimal_ || read_cell(cell.text, value, Mark == ',' ? '.' : ',') == CellKind::kNumber;
        words_[column] = true;
        uses_[column] = CellUse::kPassed;
        plain_ = false;
        return true;
    }
    return false;
  }

  static void add_percent(const CsvCell& cell, WordColumn::Kind& percents) {
    constexpr std::size_t kExamples = 2;
    constexpr std::size_t kShown = 200;
    ++percents.count;
    if (percents.examples.size() < kExamples)
      percents.examples.push_back({std::string(cell.text.substr(0, kShown)), cell.line});
  }

  bool read_word(std::size_t column, double& value) {
    const CsvCell cell = scan_.next_cell();
    if (is_missing_word(cell.text) || (is_missing_cell(cell.text) && !is_declared_word(column, cell.text))) {
      rows_.missing.add(cell.line, column);
      std::string& word = rows_.missing_words[column];
      if (word.empty() && !is_missing_word(cell.text)) word = trim(cell.text);
      return false;
    }
    value = rows_.words[column]->add(cell, Mark, room_);
    return true;
  }

  // The last line of text that begins in this line and goes on to the end of the file: a source, notes. The line
  // itself where rows of the table follow.
  std::size_t end_of_remarks(std::size_t line) const {
    std::size_t number = line;
    std::size_t last = line;
    std::string_view rest(scan_.position(), static_cast<std::size_t>(scan_.end() - scan_.position()));
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      const std::string_view text = trim(rest.substr(0, end + 1));
      const auto separators = static_cast<std::size_t>(std::count(text.begin(), text.end(), separator_));
      if (number > line && separators + 1 >= slots_.size()) return line;
      if (!text.empty()) last = number;
      rest.remove_prefix(end + 1);
      ++number;
    }
    return last;
  }

  // `found` cells of the line were read, and either it ends here or there are more than expected.
  [[noreturn]] void throw_ragged(std::size_t line, std::size_t found) {
    bool last_empty = false;
    while (scan_.at_separator()) {
      scan_.skip_separator();
      last_empty = scan_.next_cell().text.empty();
      ++found;
    }
    const std::size_t expected = slots_.size();
    // Of a table with one name blank lines are rows too, such as that between a title and the table.
    const bool first_row = from_.head.in_file && rows_.first_line == line;
    std::string hint;
    std::vector<Remedy> remedies;
    if (found == expected + 1 && last_empty) {
      hint = " The line ends with a separator, which makes an empty cell.";
      remedies.push_back({"Remove the separator at the end"});
    } else if (found == expected + 1 && first_row) {
      remedies.push_back({"Give the column a name in the header line too, if the first cell is the name of the row"});
    }
    if (first_row && (expected == 1 ? found > 1 : found > expected + 1)) {
      const std::size_t title = from_.text.first_line().line();
      remedies.push_back(
          {fmt::format("Leave line {} out, if it is a title", title), "skip_lines", fmt::format("{}", title)});
    }
    if (found == 1 && !first_row) {
      const std::size_t last = end_of_remarks(line);
      remedies.push_back({last == line ? fmt::format("Leave line {} out, if it is a remark", line)
                                       : fmt::format("Leave the lines {} to {} out, if they are remarks", line, last),
                          "skip_lines", last == line ? fmt::format("{}", line) : fmt::format("{}-{}", line, last)});
    }
    const bool blanks = from_.options.delimiter == ' ';
    const std::string separator = blanks ? "space" : fmt::format("'{}'", show_text({&separator_, 1}));
    remedies.push_back({fmt::format("Put cells that contain the separator {} into quotes", separator)});
    // Between several columns commas of both kinds cannot be told apart.
    if (separator_ == ',' && from_.options.decimal == 0 && expected == 1 && found == 2)
      remedies.push_back({"Say that numbers have a decimal comma, if they do", "decimal", ","});
    if (separator_ == ',' && expected > 1 && found > expected)
      remedies.push_back({"Export the table with semicolons between the cells, if its numbers have decimal commas"});
    remedies.push_back({"Name another separator", "delimiter"});
    throw Error(ErrorCategory::kData,
                fmt::format("{}, line {}: Expected {}, as in the first line, but found {}.{}", from_.source, line,
                            counted(expected, "cell"), found, hint),
                std::move(remedies));
  }

  void flush_block() {
    const std::size_t width = from_.chosen.size();
    for (std::size_t slot = 0; slot < width; ++slot) {
      double* const out = rows_.values.data() + slot * rows_.capacity + stored_;
      for (std::size_t i = 0; i < filled_; ++i) out[i] = block_[i * width + slot];
    }
    stored_ += filled_;
    filled_ = 0;
  }

  const RowSource& from_;
  const CsvText& text_;
  CsvScanner scan_;
  char separator_;
  std::vector<bool>& words_;
  std::vector<CellUse> uses_;       // of the columns of the file
  std::vector<std::size_t> slots_;  // where a chosen one goes
  std::vector<const DeclaredType*> declared_;
  std::unordered_set<std::string> missing_words_;
  std::vector<double> missing_numbers_;
  bool plain_ = false;  // every column of the file is one of numbers, in its place, and no number means a missing value
  std::size_t room_ = kMostWordsOfAll;
  bool found_words_ = false;
  bool found_other_decimal_ = false;
  CsvRows rows_;

  std::vector<double> block_;
  std::size_t block_rows_ = 0;
  std::size_t filled_ = 0;
  std::size_t stored_ = 0;
};

struct Pass {
  CsvRows rows;
  bool found_words = false;
  bool found_other_decimal = false;
};

template <char Mark>
Pass read_rows_as(const RowSource& from, std::vector<bool>& words, std::size_t most) {
  RowReader<Mark> reader(from, words);
  CsvRows rows = reader.read(most);
  return {std::move(rows), reader.found_words(), reader.found_other_decimal()};
}

Pass read_rows(const RowSource& from, std::vector<bool>& words, std::size_t most) {
  return from.text.decimal() == ',' ? read_rows_as<','>(from, words, most) : read_rows_as<'.'>(from, words, most);
}

}  // namespace

ReadResult read_csv_text(std::string_view content, const std::string& source, const ReadOptions& options,
                         const Context& context) {
  CsvText text(content, source, options, context);
  constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  constexpr std::size_t kProbed = 50;
  for (;;) {
    const CsvHead head = read_head(text, options.header);
    const std::vector<std::size_t> chosen =
        choose_columns(head.names, options, source, head.labels(), head.empty_end());
    const RowSource from{text, head, chosen, source, options, context};
    // A first look finds nearly all columns of words, so that most files are read once.
    std::vector<bool> words(head.names.size(), false);
    for (const DeclaredType& declared : options.types) {
      const auto place = std::find(head.names.begin(), head.names.end(), declared.name);
      if (!declared.levels.empty() && place != head.names.end() &&
          std::any_of(declared.levels.begin(), declared.levels.end(),
                      [](const std::string& level) { return !parse_finite(level); }))
        words[static_cast<std::size_t>(place - head.names.begin())] = true;
    }
    read_rows(from, words, kProbed);
    Pass pass = read_rows(from, words, kAll);
    if (pass.found_other_decimal && text.find_decimal_in_all(context)) continue;
    if (pass.found_words) pass = read_rows(from, words, kAll);
    ReadResult result = finish_columns(std::move(pass.rows), text, head, chosen, options, source, context);
    result.used = options;
    result.used.delimiter = options.delimiter == ' ' ? ' ' : text.separator();
    result.used.decimal = text.decimal();
    if (!head.doubtful && !head.in_comment)
      result.used.header = head.in_file ? HeaderMode::kPresent : HeaderMode::kAbsent;
    return result;
  }
}

}  // namespace olem
