#include "data/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/text.h"
#include "olem/error.h"
#include "olem/options.h"

namespace olem::internal {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The first two columns of a name.
struct Holders {
  std::size_t first = kNone;
  std::size_t second = kNone;
};
using NameIndex = std::unordered_map<std::string_view, Holders>;

NameIndex index_names(const std::vector<std::string>& names) {
  NameIndex index;
  for (std::size_t j = 0; j < names.size(); ++j) {
    Holders& holders = index[names[j]];
    if (holders.first == kNone) {
      holders.first = j;
    } else if (holders.second == kNone) {
      holders.second = j;
    }
  }
  return index;
}

[[noreturn]] void unknown_column(const std::string& option, const std::string& wanted,
                                 const std::vector<std::string>& names, const std::string& source) {
  constexpr std::size_t kListed = 10;
  const std::string near = closest_name(wanted, names);
  std::string help;
  if (!near.empty()) {
    help = fmt::format("Did you mean '{}'?", show_text(near));
  } else {
    std::vector<std::string> listed;
    for (std::size_t j = 0; j < std::min(kListed, names.size()); ++j) listed.push_back(show_text(names[j]));
    help = fmt::format("Its columns are {}{}.", fmt::join(listed, ", "), names.size() > kListed ? ", ..." : "");
  }
  throw Error::of_option(option, fmt::format("{} has no column '{}'. {}", source, show_text(wanted), help));
}

// The positions of the names that an option lists.
std::vector<std::size_t> look_up(const std::string& option, const std::vector<std::string>& wanted,
                                 const NameIndex& index, const std::vector<std::string>& names,
                                 const std::string& source) {
  std::vector<std::size_t> found;
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : wanted) {
    if (!seen.insert(name).second) {
      throw Error::of_option(option, fmt::format("'{}' is listed twice.", show_text(name)),
                             {{"List every column once"}});
    }
    const auto entry = index.find(name);
    if (entry == index.end()) unknown_column(option, name, names, source);
    found.push_back(entry->second.first);
  }
  return found;
}

void check_name(const std::vector<std::string>& names, std::size_t column, const NameIndex& index,
                const std::string& source) {
  const std::string& name = names[column];
  if (name.empty()) {
    const bool trailing = column > 0 && column + 1 == names.size();
    throw Error(ErrorCategory::kData,
                fmt::format("{}: Column {} has no name{}.", source, column + 1,
                            trailing ? ", because the first line ends with a separator" : ""),
                {{trailing ? "Remove the separator at the end of every line" : "Give it a name"},
                 {"List the columns to use", "columns"}});
  }
  if (find_invalid_utf8(name)) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: The name of column {}, '{}', is not valid UTF-8; the file may be in Latin-1.", source,
                            column + 1, show_text(name)),
                {{"Save the file as UTF-8"}, {"Convert it with iconv -f WINDOWS-1252 -t UTF-8"}});
  }
  const Holders& holders = index.at(name);
  if (holders.second != kNone) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: Columns {} and {} are both called '{}'.", source, holders.first + 1,
                            holders.second + 1, show_text(name)),
                {{"Rename one of them"}});
  }
}

}  // namespace

std::vector<std::string> numbered_column_names(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t j = 1; j <= count; ++j) names.push_back(fmt::format("V{}", j));
  return names;
}

std::vector<std::size_t> choose_columns(const std::vector<std::string>& names, const ReadOptions& options,
                                        const std::string& source, std::size_t first, std::size_t behind) {
  const NameIndex index = index_names(names);
  std::vector<std::size_t> chosen = look_up("columns", options.columns, index, names, source);
  if (options.columns.empty()) {
    chosen.resize(names.size() - first - behind);
    std::iota(chosen.begin(), chosen.end(), first);
  }
  look_up("drop_columns", options.drop_columns, index, names, source);
  std::vector<std::string> typed;
  for (const DeclaredType& declared : options.types) typed.push_back(declared.name);
  look_up("type", typed, index, names, source);
  std::unordered_set<std::string_view> dropped(options.drop_columns.begin(), options.drop_columns.end());
  dropped.insert(options.unused.begin(), options.unused.end());
  chosen.erase(std::remove_if(chosen.begin(), chosen.end(), [&](std::size_t j) { return dropped.count(names[j]) > 0; }),
               chosen.end());
  if (chosen.empty()) {
    throw Error::of_option("drop_columns", fmt::format("No column of {} is left.", source),
                           {{"Leave out fewer columns"}});
  }
  for (const std::size_t column : chosen) check_name(names, column, index, source);
  return chosen;
}

void MissingCells::add(std::size_t place, std::size_t column) {
  if (cells_ < first_.size()) first_[cells_] = {place, column};
  ++cells_;
  ++in_column_[column];
}

std::optional<std::size_t> MissingCells::empty_column() const {
  for (std::size_t j = 0; j < in_column_.size(); ++j) {
    if (in_column_[j] == rows_) return j;
  }
  return std::nullopt;
}

std::string MissingCells::describe_empty_column(const std::vector<std::string>& names) const {
  const std::optional<std::size_t> j = empty_column();
  if (!j) return "";
  return fmt::format(" Column '{}' ({}) has no value at all{}.", show_text(names[*j]), *j + 1,
                     *j > 0 && *j + 1 == names.size() ? ", as when every line ends with a separator" : "");
}

Remedy MissingCells::leave_columns_out(const std::vector<std::string>& names) const {
  if (const std::optional<std::size_t> j = empty_column()) return leave_out({&names[*j], 1});
  constexpr std::size_t kListed = 5;
  std::vector<std::string> columns;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (in_column_[j] > 0) columns.push_back(names[j]);
  }
  if (columns.size() <= kListed) return leave_out(columns);
  return {"Leave out the columns with missing values", "drop_columns"};
}

// Counts of the columns, where several cells are missing, and the rows that would be left.
std::string MissingCells::describe_columns(const std::vector<std::string>& names) const {
  constexpr std::size_t kListed = 5;
  if (cells_ < 2) return "";
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < in_column_.size(); ++j) {
    if (in_column_[j] > 0) columns.push_back(j);
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::size_t a, std::size_t b) { return in_column_[a] > in_column_[b]; });
  std::vector<std::string> listed;
  for (std::size_t k = 0; k < std::min(kListed, columns.size()); ++k)
    listed.push_back(fmt::format("{} of '{}'", in_column_[columns[k]], show_text(names[columns[k]])));
  return fmt::format(
      " Missing are {}{}; {} of {} would be left without these rows.", fmt::join(listed, ", "),
      columns.size() > kListed ? fmt::format(" and cells of {} more columns", columns.size() - kListed) : "",
      rows_ - incomplete_rows_, counted(rows_, "row"));
}

void MissingCells::check(const ReadOptions& options, const std::vector<std::string>& names, const std::string& source,
                         const Known& also) const {
  const MissingPolicy policy = options.missing;
  const std::size_t least = options.new_rows ? 1 : 2;
  if (rows_ == 0) {
    throw Error(ErrorCategory::kData, fmt::format("{}: There are no rows of data. At least {} needed.", source,
                                                  least == 1 ? "1 is" : fmt::format("{} are", least)));
  }
  if (policy == MissingPolicy::kError && cells_ > 0) {
    std::vector<std::string> positions;
    for (std::size_t i = 0; i < std::min(cells_, first_.size()); ++i) {
      positions.push_back(fmt::format("{} {}, column '{}' ({})", place_, first_[i].place,
                                      show_text(names[first_[i].column]), first_[i].column + 1));
    }
    std::vector<Remedy> remedies = also.remedies;
    remedies.insert(remedies.end(), {{"Fill in the values"}, leave_columns_out(names)});
    remedies.push_back({"Leave out the rows", "missing", "drop"});
    if (!empty_column()) remedies.push_back({"Have them drawn from what the other columns say", "missing", "impute"});
    throw Error(ErrorCategory::kData,
                fmt::format("{}: {} in {} {} missing or not finite{}: {}.{}{}{}", source, counted(cells_, "cell"),
                            counted(incomplete_rows_, "row"), cells_ == 1 ? "is" : "are",
                            cells_ > first_.size() ? ", the first of them" : "", fmt::join(positions, "; "),
                            describe_empty_column(names), describe_columns(names), also.text),
                std::move(remedies));
  }
  const std::size_t left = this->left(policy);
  if (policy == MissingPolicy::kImpute && left >= least) {
    if (!empty_column()) return;
    throw Error(ErrorCategory::kData,
                fmt::format("{}:{}{}", source, options.new_rows ? "" : " There is nothing to impute from.",
                            describe_empty_column(names)),
                {{"Fill in the values"}, leave_columns_out(names)});
  }
  if (left >= least) return;
  if (left_out(policy) == 0) {
    throw Error(ErrorCategory::kData, fmt::format("{}: There is only {} of data. At least {} are needed.", source,
                                                  counted(left, "row"), least));
  }
  throw Error(
      ErrorCategory::kData,
      fmt::format("{}: {} of {} would be left without those that have missing values, but at least {} needed.{}",
                  source, left, counted(rows_, "row"), least == 1 ? "1 is" : fmt::format("{} are", least),
                  describe_empty_column(names)),
      {{"Fill in the values"}, leave_columns_out(names)});
}

void close_up(std::vector<double>& values, std::size_t columns, std::size_t capacity, std::size_t rows) {
  if (rows == capacity) return;
  for (std::size_t j = 1; j < columns; ++j) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(j * capacity);
    std::copy(from, from + static_cast<std::ptrdiff_t>(rows), values.begin() + static_cast<std::ptrdiff_t>(j * rows));
  }
  values.resize(rows * columns);
}

const DeclaredType* declared_type(const ReadOptions& options, std::string_view name) {
  for (const DeclaredType& declared : options.types) {
    if (declared.name == name) return &declared;
  }
  return nullptr;
}

Column typed_column(const std::string& name, std::span<const double> cells, const ReadOptions& options, Column found) {
  if (!has_words(found)) {
    Column guess = guess_column(cells);
    guess.unit = found.unit;
    guess.label = found.label;
    found = std::move(guess);
  }
  const DeclaredType* const declared = declared_type(options, name);
  if (declared == nullptr) return found;
  Column column = declare_column(name, found, cells, declared->type);
  if (declared->levels.empty() || has_words(found)) return column;
  // Numbers as levels: those that are named, whether they occur or not.
  const auto refuse = [&](const std::string& why) {
    throw Error::of_option("type", fmt::format("Column '{}' holds numbers, but {}.", show_text(name), why));
  };
  std::vector<ColumnLevel> levels;
  for (const std::string& level : declared->levels) {
    const std::optional<double> value = parse_finite(level);
    if (!value) refuse(fmt::format("the level '{}' is none", show_text(level)));
    levels.push_back({*value, fmt::format("{}", *value)});
    if (levels.size() > 1 && levels[levels.size() - 2].value >= *value) refuse("its levels do not ascend");
  }
  for (const ColumnLevel& occurring : column.levels) {
    if (std::find(levels.begin(), levels.end(), occurring) == levels.end())
      refuse(fmt::format("{} is not among its levels", occurring.name));
  }
  column.levels = std::move(levels);
  return column;
}

std::vector<double> missing_numbers(const ReadOptions& options) {
  std::vector<double> numbers;
  for (const std::string& word : options.na) {
    if (const std::optional<double> number = parse_finite(word)) numbers.push_back(*number);
  }
  return numbers;
}

namespace {

// What stands in the gaps before anything is imputed: the lower median, or the most frequent level of a category.
double starting_value(std::span<const double> cells, const Column& about) {
  std::vector<double> known;
  for (const double cell : cells) {
    if (!std::isnan(cell)) known.push_back(cell);
  }
  std::sort(known.begin(), known.end());
  if (about.type != ColumnType::kCategory && about.type != ColumnType::kBinary) return known[(known.size() - 1) / 2];
  double mode = known.front();
  std::size_t most = 0;
  for (std::size_t first = 0; first < known.size();) {
    std::size_t last = first;
    while (last < known.size() && known[last] == known[first]) ++last;
    if (last - first > most) {
      most = last - first;
      mode = known[first];
    }
    first = last;
  }
  return mode;
}

}  // namespace

IncompleteTable fill_gaps(std::vector<std::string> names, std::vector<double> values, const std::string& source,
                          std::vector<Column> about) {
  std::vector<unsigned char> gaps(values.size(), 0);
  const std::size_t rows = values.size() / names.size();
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::span<double> cells(values.data() + j * rows, rows);
    const double start = starting_value(cells, about[j]);
    for (std::size_t i = 0; i < rows; ++i) {
      if (!std::isnan(cells[i])) continue;
      cells[i] = start;
      gaps[j * rows + i] = 1;
    }
  }
  return {Table(std::move(names), std::move(values), source, std::move(about)), std::move(gaps)};
}

Column finish_known(std::span<double> cells, const std::function<Column(std::span<double> known)>& finish) {
  const auto is_gap = [](double cell) { return std::isnan(cell); };
  if (std::none_of(cells.begin(), cells.end(), is_gap)) return finish(cells);
  std::vector<double> known;
  std::remove_copy_if(cells.begin(), cells.end(), std::back_inserter(known), is_gap);
  Column column = finish(known);
  std::size_t next = 0;
  for (double& cell : cells) {
    if (!std::isnan(cell)) cell = known[next++];
  }
  return column;
}

namespace {

void keep_gaps(ReadResult& result, std::vector<std::string> names, std::vector<double> values,
               std::vector<Column> about, const std::string& source) {
  constexpr double kMany = 0.4;
  result.incomplete = fill_gaps(std::move(names), std::move(values), source, std::move(about));
  const std::size_t rows = result.incomplete->rows();
  std::vector<std::string> many;
  std::vector<std::string> many_names;
  for (std::size_t j = 0; j < result.incomplete->columns(); ++j) {
    const double share = static_cast<double>(result.incomplete->missing_in(j)) / static_cast<double>(rows);
    if (share <= kMany) continue;
    many_names.push_back(result.incomplete->started().name(j));
    many.push_back(fmt::format("{:.0f} % of '{}'", 100.0 * share, show_text(many_names.back())));
  }
  if (many.empty()) return;
  result.warnings.push_back({"many_missing",
                             fmt::format("{} are missing and imputed: what follows from {} rests on models more than "
                                         "on data.",
                                         fmt::join(many, ", "), many.size() == 1 ? "this column" : "these columns"),
                             source,
                             {leave_out(many_names)}});
}

}  // namespace

ReadResult finish_reading(const std::vector<std::string>& names, const std::vector<std::size_t>& chosen,
                          std::vector<double> values, std::vector<Column> about, const MissingCells& missing,
                          MissingPolicy policy, const std::string& source) {
  const std::size_t rows = missing.left(policy);
  std::vector<std::string> chosen_names;
  chosen_names.reserve(chosen.size());
  for (const std::size_t column : chosen) chosen_names.push_back(names[column]);

  ReadResult result;
  // Otherwise rows with a gap are not among them.
  const bool may_have_gaps = policy == MissingPolicy::kImpute;
  if (may_have_gaps && std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
    keep_gaps(result, std::move(chosen_names), std::move(values), std::move(about), source);
  } else {
    result.table = Table(std::move(chosen_names), std::move(values), source, std::move(about));
  }
  result.file_columns = names;
  result.dropped_rows = missing.left_out(policy);
  if (result.dropped_rows > 0 && policy == MissingPolicy::kImpute) {
    result.warnings.push_back(
        {"empty_rows",
         fmt::format("{} {} no value at all and {} left out; {} are used.", counted(result.dropped_rows, "row"),
                     result.dropped_rows == 1 ? "has" : "have", result.dropped_rows == 1 ? "was" : "were", rows),
         source});
  } else if (result.dropped_rows > 0) {
    result.warnings.push_back(
        {"missing_rows",
         fmt::format("{} of {} {} missing values and {} left out; {} are used.", result.dropped_rows,
                     counted(missing.rows(), "row"), result.dropped_rows == 1 ? "has" : "have",
                     result.dropped_rows == 1 ? "was" : "were", rows),
         source});
  }
  return result;
}

}  // namespace olem::internal
