#include "data/csv_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/text.h"
#include "data/csv_number.h"
#include "data/odd_text.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostTextLevels = 50;

// "'x' (line 3), 'y' (line 7), ..."
std::string list_cells(const std::vector<CellExample>& cells, bool more) {
  constexpr std::size_t kListed = 3;
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < std::min(kListed, cells.size()); ++i)
    listed.push_back(fmt::format("'{}' (line {})", show_text(cells[i].text), cells[i].line));
  return fmt::format("{}{}", fmt::join(listed, ", "), more || cells.size() > kListed ? ", ..." : "");
}

// Finds what is wrong with the columns of a file, all of them before it speaks.
class ColumnTyper {
 public:
  ColumnTyper(CsvRows& rows, const CsvText& text, const CsvHead& head, const std::vector<std::size_t>& chosen,
              const ReadOptions& options, const std::string& source)
      : rows_(rows),
        text_(text),
        head_(head),
        chosen_(chosen),
        options_(options),
        source_(source),
        complete_(rows.missing.left(options.missing)) {}

  void check() {
    for (std::size_t slot = 0; slot < chosen_.size(); ++slot) check_column(slot);
    if (complaints_.empty()) return;
    check_first_row();
    complain();
  }

  // After check(); the values are closed up.
  Column finish(std::size_t slot) {
    return finish_known({rows_.values.data() + slot * complete_, complete_},
                        [&](std::span<double> known) { return finish_cells(slot, known); });
  }

 private:
  Column finish_cells(std::size_t slot, std::span<double> cells) const {
    const std::size_t column = chosen_[slot];
    const std::string& name = head_.names[column];
    Column found;
    if (!head_.units.empty()) found.unit = head_.units[column];
    if (rows_.words[column]) {
      found.unit.clear();
      recode(*rows_.words[column], name, cells, found);
    } else if (rows_.percents[column].count > 0) {
      return percent_column(name, cells, found);
    }
    return typed_column(name, cells, options_, found);
  }

  // What a person sees in the words of a column.
  enum class TextKind { kOther, kDates, kDressedNumbers, kTruthValues };

  TextKind kind_of(const WordColumn& words) const {
    const auto all = [&](const auto& is) {
      bool any = false;
      for (std::size_t k = 0; k < words.size(); ++k) {
        double ignored = 0.0;
        if (read_cell(words.word(k), ignored, text_.decimal()) != CellKind::kText) continue;
        if (!is(words.word(k))) return false;
        any = true;
      }
      return any;
    };
    if (all(looks_like_date)) return TextKind::kDates;
    if (all([&](const std::string& word) { return looks_like_dressed_number(word, text_.decimal()); }))
      return TextKind::kDressedNumbers;
    const auto is_truth_value = [](const std::string& word) {
      const std::string spelling = level_spelling(word);
      return spelling == "true" || spelling == "false";
    };
    return all(is_truth_value) ? TextKind::kTruthValues : TextKind::kOther;
  }

  struct Complaint {
    std::size_t column = 0;
    std::string text;              // a sentence without the name of the column: "holds ..."
    std::vector<CellExample> odd;  // the cells that are the fault, where these are few
    bool mixed = false;            // numbers and other cells
    bool few_words = false;        // could be levels
    bool only_last = false;        // the fault is one cell, of the last row
    TextKind kind = TextKind::kOther;
  };

  void check_column(std::size_t slot) {
    const std::size_t column = chosen_[slot];
    const DeclaredType* const declared = declared_type(options_, head_.names[column]);
    if (!rows_.words[column]) {
      check_percents(column);
      return;
    }
    const WordColumn& words = *rows_.words[column];
    check_encoding_of(words, column);
    const std::size_t numbers = words.numbers().count + words.percents().count;
    const bool wants_numbers = declared != nullptr && !has_levels(declared->type);
    if (wants_numbers || (declared == nullptr && numbers > 0)) {
      const std::vector<CellExample>& odd = words.texts().examples;
      Complaint complaint{column, "", odd, true, !words.overflow()};
      complaint.text = numbers == 0 ? fmt::format("holds text: {}", list_cells(odd, words.texts().count > odd.size()))
                                    : fmt::format("holds {} and {}: {}", counted(numbers, "number"),
                                                  counted(words.texts().count, "other cell"),
                                                  list_cells(odd, words.texts().count > odd.size()));
      complaint.kind = kind_of(words);
      complaint.few_words = complaint.few_words && complaint.kind == TextKind::kOther;
      complaint.only_last = words.texts().count == 1 && odd.front().line == rows_.last_line;
      complaints_.push_back(std::move(complaint));
      return;
    }
    if (declared != nullptr) {
      if (words.overflow()) {
        complaints_.push_back(
            {column, "holds more different words than the 1000 that a column may have", {}, false, false});
      }
      return;
    }
    if (words.other_decimal().line > 0) {
      complaints_.push_back(
          {column,
           fmt::format("holds numbers with a decimal {}: {}", text_.decimal() == ',' ? "point" : "comma",
                       list_cells({words.other_decimal()}, words.size() > 1)),
           {words.other_decimal()},
           true,
           false});
      return;
    }
    check_levels(words, slot);
  }

  void check_percents(std::size_t column) {
    const WordColumn::Kind& percents = rows_.percents[column];
    if (percents.count == 0) return;
    const std::size_t all = percents.count + rows_.missing.in_column(column);
    if (all >= rows_.missing.rows()) return;
    complaints_.push_back(
        {column,
         fmt::format("holds {} with a percent sign ({}) and {} without", counted(percents.count, "number"),
                     list_cells(percents.examples, false), rows_.missing.rows() - all),
         percents.examples, true, false});
  }

  // How often each word occurs: in the rows that are used, or in all of them when incomplete ones are an error anyway.
  std::vector<std::size_t> word_counts(const WordColumn& words, std::size_t slot) const {
    std::vector<std::size_t> counts(words.size(), 0);
    if (options_.missing == MissingPolicy::kDrop && !words.overflow()) {
      for (std::size_t i = 0; i < complete_; ++i)
        ++counts[static_cast<std::size_t>(rows_.values[slot * rows_.capacity + i])];
    } else {
      for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = words.cells(k);
    }
    return counts;
  }

  void check_levels(const WordColumn& words, std::size_t slot) {
    const std::size_t column = chosen_[slot];
    std::unordered_map<std::string, std::size_t> levels;
    const std::vector<std::size_t> counts = word_counts(words, slot);
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (counts[k] > 0) levels[level_spelling(words.word(k))] += counts[k];
    }
    std::size_t once = 0;
    std::vector<CellExample> examples;
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (counts[k] != 1 || levels[level_spelling(words.word(k))] != 1) continue;
      ++once;
      if (examples.size() <= 3) examples.push_back({words.word(k), words.line(k)});
    }
    if (!words.overflow() && levels.size() <= kMostTextLevels && once == 0) return;
    // Of a few rows every word may be there once, and what a column is the model knows.
    if (options_.new_rows && !words.overflow()) return;
    // Nothing else is meant by these, however rare they are.
    if (std::all_of(levels.begin(), levels.end(),
                    [](const auto& level) { return level.first == "false" || level.first == "true"; }))
      return;
    const std::size_t rows =
        options_.missing == MissingPolicy::kDrop ? complete_ : rows_.missing.rows() - rows_.missing.in_column(column);
    const bool only_last = once == 1 && examples.front().line == rows_.last_line;
    const bool mostly_unique = words.overflow() || (2 * levels.size() > rows && !only_last);
    const std::string how_many =
        words.overflow() ? fmt::format("more than {}", words.size()) : fmt::format("{}", levels.size());
    if (once > 0 && !mostly_unique && levels.size() <= kMostTextLevels && kind_of(words) == TextKind::kOther) {
      complaints_.push_back({column,
                             fmt::format("holds text with {} different values, of which {} only once: {}", how_many,
                                         once == 1 ? "1 occurs" : fmt::format("{} occur", once),
                                         list_cells(examples, once > examples.size())),
                             {},
                             false,
                             true,
                             only_last});
      return;
    }
    const TextKind kind = kind_of(words);
    std::string what = fmt::format("text with {} different values in {}", how_many, counted(rows, "row"));
    if (kind == TextKind::kDates) what = "dates or times";
    if (kind == TextKind::kDressedNumbers) what = "numbers with something around them";
    complaints_.push_back({column,
                           fmt::format("holds {}: {}", what, list_cells(words.texts().examples, true)),
                           {},
                           false,
                           !mostly_unique && kind == TextKind::kOther,
                           false,
                           kind});
  }

  void check_encoding_of(const WordColumn& words, std::size_t column) const {
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (find_invalid_utf8(words.word(k))) refuse_encoding({words.word(k), words.line(k)}, column);
    }
  }

  std::string position(std::size_t line, std::size_t column) const {
    return fmt::format("{}, line {}, {}", source_, line, column_name(column));
  }
  std::string column_name(std::size_t column) const {
    return fmt::format("column '{}' ({})", show_text(head_.names[column]), column + 1);
  }

  [[noreturn]] void refuse_encoding(const CellExample& cell, std::size_t column) const {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: '{}' is not valid UTF-8; the file may be in Latin-1.", position(cell.line, column),
                            show_text(cell.text)),
                {{"Save the file as UTF-8"}, {"Convert it with iconv -f WINDOWS-1252 -t UTF-8"}});
  }

  // Names or units in the first row: no number in it, while below there are numbers.
  void check_first_row() const {
    if (first_row_has_number()) return;
    std::vector<std::string> shown;
    for (const Complaint& complaint : complaints_) {
      const bool only_first = complaint.mixed && complaint.odd.size() == 1 && rows_.words[complaint.column] &&
                              rows_.words[complaint.column]->texts().count == 1 &&
                              complaint.odd[0].line == rows_.first_line;
      const bool mark = rows_.words[complaint.column] && rows_.words[complaint.column]->other_decimal().line > 0;
      if (mark || (complaint.mixed && !only_first)) return;
      if (only_first) shown.push_back(fmt::format("'{}'", show_text(complaint.odd[0].text)));
    }
    if (shown.empty()) return;
    constexpr std::size_t kListed = 5;
    const bool more = shown.size() > kListed;
    shown.resize(std::min(shown.size(), kListed));
    const std::string line = fmt::format("{}", rows_.first_line);
    std::vector<Remedy> remedies;
    if (!head_.in_file) {
      remedies = {{"Take the first line for the names of the columns, if it holds them", "no_header", "false"}};
    } else {
      remedies = {{"Leave the line out", "skip_lines", line}};
    }
    throw Error(ErrorCategory::kData,
                fmt::format("{}, line {}: There are no numbers in this line, but only below it: {}{}.{}", source_, line,
                            fmt::join(shown, ", "), more ? ", ..." : "",
                            head_.in_file ? " It seems to hold the units of the columns." : ""),
                std::move(remedies));
  }

  bool first_row_has_number() const {
    std::vector<bool> used(head_.names.size(), false);
    for (const std::size_t column : chosen_) used[column] = true;
    CsvScanner scan = head_.rows;
    while (!scan.at_end() && (text_.skip_left_out(scan) || scan.skip_blank_line())) {
    }
    for (std::size_t column = 0; column < head_.names.size(); ++column) {
      const CsvCell cell = scan.next_cell();
      double ignored = 0.0;
      const CellKind kind = read_cell(cell.text, ignored, text_.decimal());
      if (used[column] && (kind == CellKind::kNumber || kind == CellKind::kPercent)) return true;
      if (!scan.at_separator()) break;
      scan.skip_separator();
    }
    return false;
  }

  // Text that another separator would split.
  void add_separator_remedy(std::vector<Remedy>& remedies) const {
    for (const Complaint& complaint : complaints_) {
      if (!rows_.words[complaint.column]) continue;
      const WordColumn& words = *rows_.words[complaint.column];
      for (const CellExample& cell : words.texts().examples) {
        const std::size_t other = cell.text.find_first_of(",;\t|");
        if (words.other_decimal().line > 0 || other == std::string::npos || cell.text[other] == text_.separator())
          continue;
        const std::string separator = cell.text[other] == '\t' ? "tab" : cell.text.substr(other, 1);
        remedies.push_back({fmt::format("Name the separator, if it is '{}'", separator), "delimiter", separator});
        return;
      }
    }
  }

  [[noreturn]] void complain() const {
    constexpr std::size_t kListed = 8;
    constexpr std::size_t kNamed = 3;     // words of a column worth a remedy of their own
    constexpr std::size_t kLongest = 30;  // of such a word
    std::vector<std::string> names;
    std::vector<std::string> odd;
    bool all_odd_known = true;
    bool other_decimal = false;
    bool mixed = false;
    std::vector<std::string> levels;  // NAME=category
    for (const Complaint& complaint : complaints_) {
      names.push_back(head_.names[complaint.column]);
      mixed = mixed || complaint.mixed;
      const std::optional<WordColumn>& words = rows_.words[complaint.column];
      const bool decimal = words && words->other_decimal().line > 0;
      other_decimal = other_decimal || decimal;
      if (complaint.few_words && !decimal) levels.push_back(names.back() + "=category");
      if (!complaint.mixed || !words || decimal || complaint.kind != TextKind::kOther) continue;
      for (const CellExample& cell : words->texts().examples) {
        odd.push_back(cell.text);
        all_odd_known = all_odd_known && cell.text.size() <= kLongest && !find_invalid_utf8(cell.text);
      }
      all_odd_known = all_odd_known && words->texts().examples.size() <= kNamed;
    }
    std::sort(odd.begin(), odd.end());
    odd.erase(std::unique(odd.begin(), odd.end()), odd.end());

    std::vector<Remedy> remedies;
    if (other_decimal) {
      const bool comma = text_.decimal() != ',';
      remedies.push_back({comma ? "Say that numbers have a decimal comma" : "Say that numbers have a decimal point",
                          "decimal", comma ? "," : "."});
    }
    const auto any = [&](TextKind kind) {
      return std::any_of(complaints_.begin(), complaints_.end(),
                         [&](const Complaint& complaint) { return complaint.kind == kind; });
    };
    const bool dressed = any(TextKind::kDressedNumbers);
    const bool only_last = std::all_of(complaints_.begin(), complaints_.end(),
                                       [](const Complaint& complaint) { return complaint.only_last; });
    if (only_last)
      remedies.push_back({"Leave the last row out, if it is a total", "skip_lines", std::to_string(rows_.last_line)});
    if (dressed)
      remedies.push_back({"Write these numbers alone, without units, currencies and brackets, and with - for minus"});
    if (any(TextKind::kTruthValues)) remedies.push_back({"Write truth values in one way: TRUE and FALSE, or 1 and 0"});
    if (any(TextKind::kDates))
      remedies.push_back({"Give what matters of the time as a number, such as an age, a month or a count of days"});
    if (mixed && !other_decimal && !dressed)
      remedies.push_back({complaints_.size() == 1 ? "Correct it" : "Correct the cells"});
    if (!odd.empty() && all_odd_known) {
      remedies.push_back({"Take these words for missing values", "na", name_list(odd)});
    } else if (!odd.empty()) {
      remedies.push_back({"Name the words that mean a missing value", "na"});
    }
    remedies.push_back(leave_out(names));
    if (!levels.empty()) remedies.push_back({"Take the words for levels", "type", levels.front()});
    remedies.push_back({"Choose other columns", "columns"});
    add_separator_remedy(remedies);
    throw Error(ErrorCategory::kData, complaint_text(kListed), std::move(remedies));
  }

  std::string complaint_text(std::size_t most) const {
    const Complaint& first = complaints_.front();
    if (complaints_.size() == 1) {
      const std::optional<WordColumn>& words = rows_.words[first.column];
      const bool one = words && (words->texts().count == 1 || words->other_decimal().line > 0);
      if (first.mixed && one && first.odd.size() == 1) {
        return fmt::format("{}: '{}' is not a number.", position(first.odd[0].line, first.column),
                           show_text(first.odd[0].text));
      }
      return fmt::format("{}: {} {}.", source_, capital(column_name(first.column)), first.text);
    }
    std::string text = fmt::format("{}: {} columns are neither numbers nor levels.", source_, complaints_.size());
    for (std::size_t i = 0; i < std::min(most, complaints_.size()); ++i)
      text += fmt::format(" {} {}.", capital(column_name(complaints_[i].column)), complaints_[i].text);
    if (complaints_.size() > most) text += fmt::format(" {} more are like these.", complaints_.size() - most);
    return text;
  }

  static std::string capital(std::string text) {
    text[0] = 'C';
    return text;
  }

  // Words to codes.
  void recode(const WordColumn& words, const std::string& name, std::span<double> cells, Column& found) const {
    const DeclaredType* const declared = declared_type(options_, name);
    std::vector<bool> occurs(words.size(), false);
    for (const double cell : cells) occurs[static_cast<std::size_t>(cell)] = true;
    std::vector<std::string> levels;
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (occurs[k]) levels.push_back(words.word(k));
    }
    levels = sorted_levels(std::move(levels));
    if (declared != nullptr && !declared->levels.empty()) {
      levels = declared->levels;
    } else if (declared != nullptr && declared->type == ColumnType::kOrdinal && levels.size() > 2) {
      throw Error::of_option("type", fmt::format("The order of the levels of '{}' is not known.", show_text(name)),
                             {{"Name them from the lowest to the highest", "type",
                               fmt::format("{}=ordinal:{}", name, name_list(levels))}});
    }
    std::unordered_map<std::string, double> codes;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (!codes.emplace(levels[k], static_cast<double>(k)).second)
        throw Error::of_option("type", fmt::format("'{}' is named twice.", show_text(levels[k])));
      found.levels.push_back({static_cast<double>(k), levels[k]});
    }
    std::vector<double> code_of(words.size(), 0.0);
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (!occurs[k]) continue;
      auto code = codes.find(words.word(k));
      if (code == codes.end()) code = codes.find(level_spelling(words.word(k)));
      if (code == codes.end()) {
        throw Error::of_option("type", fmt::format("'{}' (line {}) is not among the levels of '{}'.",
                                                   show_text(words.word(k)), words.line(k), show_text(name)));
      }
      code_of[k] = code->second;
    }
    for (double& cell : cells) cell = code_of[static_cast<std::size_t>(cell)];
    found.type = levels.size() == 2 ? ColumnType::kBinary : ColumnType::kCategory;
    found.reason = levels.size() == 2 ? "2 words" : fmt::format("text with {}", counted(levels.size(), "value"));
  }

  Column percent_column(const std::string& name, std::span<const double> cells, Column found) const {
    found.unit = "%";
    Column column = typed_column(name, cells, options_, found);
    if (column.declared) return column;
    const auto [low, high] = std::minmax_element(cells.begin(), cells.end());
    const bool share = *low >= 0.0 && *high <= 100.0;
    column = {share ? ColumnType::kShare : ColumnType::kReal, {}, "%", "", "numbers with a percent sign", false};
    return column;
  }

  CsvRows& rows_;
  const CsvText& text_;
  const CsvHead& head_;
  const std::vector<std::size_t>& chosen_;
  const ReadOptions& options_;
  const std::string& source_;
  std::size_t complete_;
  std::vector<Complaint> complaints_;
};

// What is known of missing cells: words that may be meant as levels, and a last row that may be a total.
MissingCells::Known about_missing(const CsvRows& rows, const CsvHead& head, const std::vector<std::size_t>& chosen) {
  MissingCells::Known known;
  if (rows.missing.only_in(rows.last_line))
    known.remedies.push_back(
        {"Leave the last row out, if it is a total", "skip_lines", std::to_string(rows.last_line)});
  for (const std::size_t column : chosen) {
    const std::string& missing = rows.missing_words[column];
    if (missing.empty() || !rows.words[column] || rows.words[column]->overflow()) continue;
    const std::string& name = head.names[column];
    std::vector<std::string> levels = {missing};
    for (std::size_t k = 0; k < rows.words[column]->size(); ++k) levels.push_back(rows.words[column]->word(k));
    if (levels.size() > kMostTextLevels) continue;
    levels = sorted_levels(std::move(levels));
    known.text += fmt::format(" In '{}' the word '{}' counts as missing.", show_text(name), show_text(missing));
    known.remedies.push_back(
        {fmt::format("Take '{}' for a level, if it is one", show_text(missing)), "type",
         fmt::format("{}={}:{}", name, levels.size() == 2 ? "binary" : "category", name_list(levels))});
  }
  return known;
}

// Columns of numbers all of whose cells could be whole numbers with points between thousands, and some of which have
// such points. Ends with the first line that leaves no such column.
std::vector<std::string> find_maybe_grouped(const CsvRows& rows, const CsvText& text, const CsvHead& head,
                                            const std::vector<std::size_t>& chosen) {
  constexpr std::size_t kUngroupedDigits = 3;
  std::vector<bool> open(head.names.size(), false);
  std::vector<std::size_t> marked(head.names.size(), 0);
  std::size_t left = 0;
  for (const std::size_t column : chosen) {
    if (rows.words[column]) continue;
    open[column] = true;
    ++left;
  }
  CsvScanner scan = head.rows;
  while (!scan.at_end() && left > 0) {
    if (text.skip_left_out(scan) || scan.skip_blank_line()) continue;
    for (std::size_t column = 0; column < head.names.size(); ++column) {
      const CsvCell cell = scan.next_cell();
      if (open[column] && !is_missing_cell(cell.text)) {
        const DecimalEvidence evidence = decimal_evidence(cell.text);
        const bool grouped = evidence == DecimalEvidence::kPointOrGroups;
        const bool small = evidence == DecimalEvidence::kNone && trim(cell.text).size() <= kUngroupedDigits;
        if (grouped) ++marked[column];
        if (!grouped && !small) {
          open[column] = false;
          --left;
        }
      }
      if (!scan.at_separator()) break;
      scan.skip_separator();
    }
    scan.skip_line();
  }
  std::vector<std::string> names;
  for (const std::size_t column : chosen) {
    if (open[column] && marked[column] >= 2) names.push_back(head.names[column]);
  }
  return names;
}

}  // namespace

ReadResult finish_columns(CsvRows rows, const CsvText& text, const CsvHead& head,
                          const std::vector<std::size_t>& chosen, const ReadOptions& options, const std::string& source,
                          const Context& context) {
  ColumnTyper typer(rows, text, head, chosen, options, source);
  typer.check();
  rows.missing.check(options, head.names, source, about_missing(rows, head, chosen));
  close_up(rows.values, chosen.size(), rows.capacity, rows.missing.left(options.missing));
  std::vector<Column> about;
  about.reserve(chosen.size());
  for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
    context.check_interrupt();
    about.push_back(typer.finish(slot));
  }
  ReadResult result = finish_reading(head.names, chosen, std::move(rows.values), std::move(about), rows.missing,
                                     options.missing, source);
  if (rows.missing.incomplete_rows() == 0 && rows.last_line - rows.first_line + 1 == rows.missing.rows())
    result.first_line = rows.first_line;
  result.ends_empty = head.ends_empty && options.columns.empty();
  if (head.row_labels && looks_like_total(rows.last_label)) result.total_label = rows.last_label;
  const bool already_said = std::any_of(text.warnings().begin(), text.warnings().end(),
                                        [](const Warning& warning) { return warning.code == "decimal"; });
  if (text.separator() == ';' && text.decimal() == '.' && options.decimal == 0 && !already_said)
    result.maybe_grouped = find_maybe_grouped(rows, text, head, chosen);
  result.warnings.insert(result.warnings.end(), text.warnings().begin(), text.warnings().end());
  if (head.doubtful) {
    result.warnings.push_back({"header",
                               "The first line was taken for the names of the columns, although some of its cells are "
                               "numbers.",
                               source,
                               {{"Say so, if it is data", "no_header", "true"}}});
  }
  if (head.row_labels && options.columns.empty()) {
    result.warnings.push_back({"row_labels",
                               "The first column has no name. It was taken for labels of the rows and is not used.",
                               source,
                               {{"Give it a name, if it holds data"}}});
  }
  return result;
}

}  // namespace olem::internal
