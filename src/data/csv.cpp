#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/csv_scan.h"
#include "data/csv_number.h"
#include "data/reading.h"
#include "olem/error.h"
#include "olem/table.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kSkipped = static_cast<std::size_t>(-1);

void check_separator(char separator) {
  if (separator == 0 || separator == '\t') return;
  const bool printable = separator >= ' ' && separator <= '~';
  const bool alphanumeric = (separator >= '0' && separator <= '9') || (separator >= 'A' && separator <= 'Z') ||
                            (separator >= 'a' && separator <= 'z');
  if (printable && !alphanumeric && std::string_view("\"+-._").find(separator) == std::string_view::npos) return;
  throw Error::of_option(
      "delimiter", fmt::format("'{}' cannot separate columns.", show_text({&separator, 1})),
      {{"Use , ; | tab or another ASCII character that is not a letter, a digit, a quote or one of + - . _"}});
}

// Throws for bytes that no CSV file of ours has and returns the text behind a UTF-8 byte order mark.
std::string_view check_encoding(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw Error(ErrorCategory::kData, fmt::format("{}: The file is in UTF-16. Save it as UTF-8.", source));
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

bool is_whole_number(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

// What comes before the rows.
struct Head {
  std::vector<std::string> names;
  bool in_file = false;  // the names stand in the first line
  bool doubtful = false;
};

Head read_head(CsvScanner& scan, HeaderMode mode) {
  Head head;
  std::size_t numbers = 0;
  std::size_t texts = 0;
  bool fractions = false;
  for (;;) {
    head.names.push_back(scan.next_cell().content());
    std::string& name = head.names.back();
    name.erase(0, name.find_first_not_of(" \t"));
    name.erase(name.find_last_not_of(" \t") + 1);
    double ignored = 0.0;
    const CellKind kind = read_cell(name, ignored);
    if (kind == CellKind::kText) ++texts;
    if (kind == CellKind::kNumber || kind == CellKind::kTooLarge) {
      ++numbers;
      fractions = fractions || !is_whole_number(name);
    }
    if (!scan.at_separator()) break;
    scan.skip_separator();
  }
  scan.skip_line_end();
  const bool looks_like_data = texts == 0 && numbers > 0;
  head.in_file = mode == HeaderMode::kPresent || (mode == HeaderMode::kAuto && !looks_like_data);
  // Whole numbers are common names (years); others hint at a row of data with a wrong cell in it.
  head.doubtful = head.in_file && mode == HeaderMode::kAuto && fractions;
  if (!head.in_file) head.names = numbered_column_names(head.names.size());
  return head;
}

// Reads the rows of one file. Numbers are collected in a small block, row by row, and written to their columns a block
// at a time, so that tables with many columns do not touch as many pages with every row.
class RowReader {
 public:
  RowReader(CsvScanner scan, const Head& head, const std::vector<std::size_t>& chosen, const std::string& source,
            char separator, const ReadOptions& options, const Context& context)
      : scan_(scan),
        head_(head),
        chosen_(chosen),
        slots_(head.names.size(), kSkipped),
        source_(source),
        separator_(separator),
        options_(options),
        context_(context),
        missing_("line", head.names.size()) {
    for (std::size_t slot = 0; slot < chosen.size(); ++slot) slots_[chosen[slot]] = slot;
  }

  ReadResult read() {
    const char* const begin = scan_.position();
    const auto bytes = static_cast<std::size_t>(scan_.end() - begin);
    // A row has a byte for each of its cells, the separator or line end behind it (but for the last of all). So the
    // table never has more cells than the text has bytes, whatever the lines say.
    capacity_ = bytes == 0 ? 0 : std::min(count_lines({begin, bytes}), (bytes + 1) / slots_.size());
    context_.require_memory(capacity_ * chosen_.size() * sizeof(double), fmt::format("The table in {}", source_));
    values_.resize(capacity_ * chosen_.size());
    block_rows_ = std::clamp<std::size_t>(kBlockCells / chosen_.size(), 1, kMaxBlockRows);
    block_.resize(block_rows_ * chosen_.size());

    const char* checked = begin;
    while (!scan_.at_end()) {
      if (scan_.position() - checked >= kCheckBytes) {
        checked = scan_.position();
        context_.check_interrupt();
        context_.report_progress(static_cast<double>(checked - begin) / static_cast<double>(bytes), "reading");
      }
      read_line();
    }
    flush_block();
    missing_.check(options_.missing, head_.names, source_);
    return finish_reading(head_.names, chosen_, std::move(values_), capacity_, missing_, source_);
  }

 private:
  static constexpr std::ptrdiff_t kCheckBytes = 1 << 20;
  static constexpr std::size_t kBlockCells = 4096;  // 32 KB
  static constexpr std::size_t kMaxBlockRows = 64;

  void read_line() {
    const std::size_t line = scan_.line();
    if (scan_.skip_blank_line()) {
      // With one column an empty line is an empty cell; with more it holds no cells at all.
      if (slots_.size() > 1) return;
      missing_.add(line, 0);
      missing_.end_row(false);
      return;
    }
    double* const row = block_.data() + filled_ * chosen_.size();
    bool complete = true;
    for (std::size_t column = 0; column < slots_.size(); ++column) {
      if (column > 0) {
        if (!scan_.at_separator()) throw_ragged(line, column);
        scan_.skip_separator();
      }
      if (slots_[column] == kSkipped) {
        scan_.next_cell();
      } else if (!read_number(row[slots_[column]]) && !read_other(column, row[slots_[column]])) {
        complete = false;
      }
    }
    if (!scan_.at_line_end()) throw_ragged(line, slots_.size());
    scan_.skip_line_end();
    missing_.end_row(complete);
    if (complete && ++filled_ == block_rows_) flush_block();
  }

  // Reads a cell that holds nothing but an ordinary number; otherwise stays where it is.
  bool read_number(double& value) {
    const char* p = scan_.position();
    const char* const end = scan_.end();
    while (p != end && scan_.is_blank(*p)) ++p;
    p = read_plain_number(p, end, value);
    if (p == nullptr) return false;
    while (p != end && scan_.is_blank(*p)) ++p;
    if (p != end && *p != separator_ && *p != '\n' && *p != '\r') return false;
    scan_.move_to(p);
    return true;
  }

  // Reads any other cell. False: it is missing.
  bool read_other(std::size_t column, double& value) {
    const CsvCell cell = scan_.next_cell();
    switch (read_cell(cell.text, value)) {
      case CellKind::kNumber: return true;
      case CellKind::kMissing: missing_.add(cell.line, column); return false;
      case CellKind::kTooLarge:
        throw Error(ErrorCategory::kData,
                    fmt::format("{}: {} is too large for a double-precision number (about 1.8e308).",
                                position(cell, column), quoted(cell)),
                    remedies_of_cell(column));
      case CellKind::kText: throw_text(cell, column);
    }
    return false;
  }

  std::string position(const CsvCell& cell, std::size_t column) const {
    return fmt::format("{}, line {}, column '{}' ({})", source_, cell.line, show_text(head_.names[column]), column + 1);
  }

  static std::string quoted(const CsvCell& cell) { return fmt::format("'{}'", show_text(cell.content())); }

  std::vector<Remedy> remedies_of_cell(std::size_t column) const {
    return {{"Correct it"}, leave_out({&head_.names[column], 1}), {"Choose other columns", "columns"}};
  }

  [[noreturn]] void throw_text(const CsvCell& cell, std::size_t column) const {
    const std::string text = cell.content();
    std::string without_commas = text;
    without_commas.erase(std::remove(without_commas.begin(), without_commas.end(), ','), without_commas.end());
    double ignored = 0.0;
    std::vector<Remedy> remedies = remedies_of_cell(column);
    if (text.find(',') != std::string::npos && read_cell(without_commas, ignored) == CellKind::kNumber) {
      const bool decimal_comma = std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == std::string::npos;
      remedies = {{decimal_comma ? "Write a decimal point instead of the comma, and no separators of thousands"
                                 : "Write numbers without separators of thousands and with a decimal point"}};
    } else if (!head_.in_file && missing_.rows() == 0) {
      remedies.insert(remedies.begin(),
                      {"Take the first line for the names of the columns, if it holds them", "no_header", "false"});
    } else if (const std::size_t other = text.find_first_of(",;\t|");
               options_.delimiter == 0 && !cell.quoted && other != std::string::npos) {
      const std::string separator = text[other] == '\t' ? "tab" : text.substr(other, 1);
      remedies.push_back({fmt::format("Name the separator, if it is '{}'", separator), "delimiter", separator});
    }
    throw Error(ErrorCategory::kData, fmt::format("{}: {} is not a number.", position(cell, column), quoted(cell)),
                std::move(remedies));
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
    std::string hint;
    std::vector<Remedy> remedies;
    if (found == expected + 1 && last_empty) {
      hint = " The line ends with a separator, which makes an empty cell.";
      remedies.push_back({"Remove the separator at the end"});
    } else if (found == expected + 1 && head_.in_file && missing_.rows() == 0) {
      remedies.push_back({"Give the column a name in the header line too, if the first cell is the name of the row"});
    }
    const std::string separator = show_text({&separator_, 1});
    remedies.push_back({fmt::format("Put cells that contain the separator '{}' into quotes", separator)});
    remedies.push_back({"Name another separator", "delimiter"});
    throw Error(ErrorCategory::kData,
                fmt::format("{}, line {}: Expected {}, as in the first line, but found {}.{}", source_, line,
                            counted(expected, "cell"), found, hint),
                std::move(remedies));
  }

  void flush_block() {
    for (std::size_t slot = 0; slot < chosen_.size(); ++slot) {
      double* const out = values_.data() + slot * capacity_ + stored_;
      for (std::size_t i = 0; i < filled_; ++i) out[i] = block_[i * chosen_.size() + slot];
    }
    stored_ += filled_;
    filled_ = 0;
  }

  CsvScanner scan_;
  const Head& head_;
  const std::vector<std::size_t>& chosen_;
  std::vector<std::size_t> slots_;  // where a column of the file goes, or kSkipped
  const std::string& source_;
  char separator_;
  const ReadOptions& options_;
  const Context& context_;
  MissingCells missing_;

  std::vector<double> values_;  // chosen columns of `capacity_` places each
  std::size_t capacity_ = 0;
  std::size_t stored_ = 0;
  std::vector<double> block_;
  std::size_t block_rows_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace

ReadResult read_csv_text(std::string_view text, const std::string& source, const ReadOptions& options,
                         const Context& context) {
  check_separator(options.delimiter);
  context.check_interrupt();
  text = check_encoding(text, source);
  const CsvLayout layout = sniff_layout(text, options.delimiter);
  text = without_blank_end(text, layout.separator);
  if (text.empty()) {
    throw Error(ErrorCategory::kData, fmt::format("{}: The file is empty. A table of numbers with a header line and at "
                                                  "least 2 rows is needed.",
                                                  source));
  }
  // Names, their index and the choice among them.
  constexpr std::size_t kBytesPerColumn = 4 * sizeof(std::string);
  context.require_memory(layout.columns * kBytesPerColumn, fmt::format("The header of {}", source));

  CsvScanner scan(text, source, layout.separator);
  while (scan.skip_blank_line()) {
  }
  const Head head = read_head(scan, options.header);
  const std::vector<std::size_t> chosen = choose_columns(head.names, options, source);
  if (!head.in_file) scan = CsvScanner(text, source, layout.separator);
  ReadResult result = RowReader(scan, head, chosen, source, layout.separator, options, context).read();
  if (head.doubtful) {
    result.warnings.push_back({"header",
                               "The first line was taken for the names of the columns, although some of its cells are "
                               "numbers.",
                               source,
                               {{"Say so, if it is data", "no_header", "true"}}});
  }
  return result;
}

}  // namespace olem
