#include "olem/column_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text.h"
#include "olem/error.h"
#include "olem/options.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kNamedCells = 3;
constexpr std::size_t kNamedLevels = 10;

std::string listed_levels(std::span<const std::string> names) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(names.size(), kNamedLevels); ++i) shown.push_back(show_text(names[i]));
  if (names.size() > kNamedLevels)
    return fmt::format("{} and {} more", fmt::join(shown, ", "), names.size() - kNamedLevels);
  if (shown.size() < 2) return fmt::format("{}", fmt::join(shown, ""));
  return fmt::format("{} and {}", fmt::join(shown.begin(), shown.end() - 1, ", "), shown.back());
}

std::vector<std::string> level_names(const Column& column) {
  std::vector<std::string> names;
  for (const ColumnLevel& level : column.levels) names.push_back(level.name);
  return names;
}

std::vector<ColumnLevel> levels_in(std::span<const double> cells) {
  const std::set<double> values(cells.begin(), cells.end());
  std::vector<ColumnLevel> levels;
  for (const double value : values) levels.push_back({value, fmt::format("{}", value)});
  return levels;
}

// One column with its cells while a declaration is applied to it.
class DeclaredColumn {
 public:
  DeclaredColumn(const Table& table, std::size_t column, const ColumnDeclaration& declared, const std::string& prefix)
      : cells_(table.column(column).begin(), table.column(column).end()),
        about_(table.about(column)),
        declared_(declared),
        prefix_(prefix) {}

  void apply() {
    if (!declared_.unit.empty()) about_.unit = declared_.unit;
    if (!declared_.label.empty()) about_.label = declared_.label;
    if (!declared_.type && declared_.levels.empty()) return;
    if (!declared_.type && !has_levels(about_.type)) {
      fail(fmt::format("The column '{}' is declared with levels, but looks like {} numbers.", name(),
                       column_type_name(about_.type)),
           "Declare its type too: ordinal, binary or category");
    }
    const ColumnType type = declared_.type.value_or(about_.type);
    if (has_levels(type)) {
      if (type == ColumnType::kOrdinal && about_.type == ColumnType::kCategory && has_words(about_) &&
          about_.levels.size() > 2 && declared_.levels.empty()) {
        fail(fmt::format("The column '{}' is declared as ordinal, but the order of its levels is not known: {}.",
                         name(), listed_levels(level_names(about_))),
             "Name them from the lowest to the highest, as \"levels\"");
      }
      if (about_.levels.empty()) about_.levels = levels_in(cells_);
      if (!declared_.levels.empty()) take_levels();
      if (type == ColumnType::kBinary) check_binary();
    } else {
      check_numbers(type);
      about_.levels.clear();
      const bool percent = std::any_of(cells_.begin(), cells_.end(), [](double cell) { return cell > 1.0; });
      // Whatever other word was given: the unit tells where shares end.
      if (type == ColumnType::kShare && percent) about_.unit = "%";
    }
    about_.type = type;
    about_.reason = "declared";
    about_.declared = true;
  }

  const std::vector<double>& cells() const { return cells_; }
  const Column& about() const { return about_; }

 private:
  std::string name() const { return show_text(declared_.name); }

  [[noreturn]] void fail(const std::string& finding, const std::string& advice) const {
    throw Error(ErrorCategory::kData, prefix_ + finding, {{advice}});
  }

  // "row 4 is 'C', row 9 is -1 and 12 more"
  template <class Bad>
  std::string bad_cells(Bad bad) const {
    std::vector<std::string> items;
    std::size_t count = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (!bad(cells_[i])) continue;
      if (++count > kNamedCells) continue;
      const std::string value = value_name(about_, cells_[i]);
      items.push_back(has_words(about_) ? fmt::format("row {} is '{}'", i + 1, show_text(value))
                                        : fmt::format("row {} is {}", i + 1, value));
    }
    if (count == 0) return "";
    return fmt::format("{}{}", fmt::join(items, ", "),
                       count > items.size() ? fmt::format(" and {} more", count - items.size()) : "");
  }

  void check_numbers(ColumnType type) const {
    const auto refuse = [&](const std::string& cells, std::string_view rule, const std::string& advice) {
      if (cells.empty()) return;
      fail(fmt::format("The column '{}' is declared as {}, {}, but {}.", name(), column_type_name(type), rule, cells),
           advice);
    };
    const auto is_word = [&](double cell) {
      const auto level = std::find_if(about_.levels.begin(), about_.levels.end(),
                                      [&](const ColumnLevel& entry) { return entry.value == cell; });
      return level != about_.levels.end() && level->name != fmt::format("{}", cell);
    };
    const std::string another = "Correct the cells, or declare another type";
    refuse(bad_cells(is_word), "which are numbers", another);
    const auto negative = [](double cell) { return cell < 0.0; };
    if (type == ColumnType::kPositive) refuse(bad_cells(negative), "which are numbers from 0 on", another);
    if (type == ColumnType::kShare) {
      refuse(bad_cells([](double cell) { return cell < 0.0 || cell > 100.0; }),
             "which are numbers from 0 to 1 or percentages", another);
    }
    if (type == ColumnType::kCount) {
      refuse(bad_cells([](double cell) { return cell < 0.0 || cell != std::trunc(cell); }),
             "which are whole numbers from 0 on", another);
    }
  }

  void check_binary() const {
    if (about_.levels.size() == 2) return;
    fail(fmt::format("The column '{}' is declared as binary, but has {} level{}: {}.", name(), about_.levels.size(),
                     about_.levels.size() == 1 ? "" : "s", listed_levels(level_names(about_))),
         "Declare it as ordinal or category");
  }

  // A declared level that is written as a number is that number.
  static std::string canonical(const std::string& level) {
    const auto number = parse_finite(level);
    return number ? fmt::format("{}", *number) : level;
  }

  void take_levels() {
    const std::vector<std::string>& wanted = declared_.levels;
    if (level_names(about_) == wanted) return;
    if (!has_words(about_)) {
      std::vector<std::string> numbers;
      for (const std::string& level : wanted) numbers.push_back(canonical(level));
      const bool all_numbers = std::all_of(wanted.begin(), wanted.end(),
                                           [](const std::string& level) { return parse_finite(level).has_value(); });
      if (all_numbers) return take_numbers(numbers);
      if (std::none_of(numbers.begin(), numbers.end(),
                       [&](const std::string& level) { return find_level(about_, level).has_value(); }))
        return name_numbers();
    }
    take_words();
  }

  void take_numbers(const std::vector<std::string>& numbers) {
    refuse_others(numbers);
    std::vector<ColumnLevel> levels;
    for (const std::string& number : numbers) levels.push_back({*parse_finite(number), number});
    const auto by_value = [](const ColumnLevel& a, const ColumnLevel& b) { return a.value < b.value; };
    if (declared_.type.value_or(about_.type) == ColumnType::kOrdinal &&
        !std::is_sorted(levels.begin(), levels.end(), by_value)) {
      fail(fmt::format("The levels of '{}' are numbers that do not ascend.", name()),
           "Give them in the order of the numbers, which is the order of the levels");
    }
    std::sort(levels.begin(), levels.end(), by_value);
    const auto twice = std::adjacent_find(levels.begin(), levels.end());
    if (twice != levels.end())
      fail(fmt::format("The level {} of '{}' is declared twice.", twice->name, name()), "Keep one of them");
    about_.levels = std::move(levels);
  }

  void name_numbers() {
    if (declared_.levels.size() != about_.levels.size()) {
      fail(fmt::format("The column '{}' is declared with {}, but holds {}: {}.", name(),
                       counted(declared_.levels.size(), "level"), counted(about_.levels.size(), "distinct number"),
                       listed_levels(level_names(about_))),
           "Give one level for each number, the least first");
    }
    for (std::size_t i = 0; i < about_.levels.size(); ++i) about_.levels[i].name = declared_.levels[i];
  }

  void take_words() {
    refuse_others(declared_.levels);
    std::vector<double> numbers;
    for (const ColumnLevel& level : about_.levels) numbers.push_back(level.value);
    if (numbers.size() != declared_.levels.size()) {  // with levels that no row has: numbered anew
      const double first = numbers.front();
      numbers.clear();
      for (std::size_t i = 0; i < declared_.levels.size(); ++i) numbers.push_back(first + static_cast<double>(i));
    }
    std::vector<ColumnLevel> levels;
    for (std::size_t i = 0; i < numbers.size(); ++i) levels.push_back({numbers[i], declared_.levels[i]});
    std::map<double, double> recoded;
    for (const ColumnLevel& old : about_.levels) {
      const auto level =
          std::find_if(levels.begin(), levels.end(), [&](const ColumnLevel& entry) { return entry.name == old.name; });
      recoded[old.value] = level->value;
    }
    for (double& cell : cells_) cell = recoded.at(cell);
    about_.levels = std::move(levels);
  }

  // Cells with a level that was not declared.
  void refuse_others(const std::vector<std::string>& allowed) const {
    const std::string cells = bad_cells([&](double cell) {
      return std::find(allowed.begin(), allowed.end(), value_name(about_, cell)) == allowed.end();
    });
    if (cells.empty()) return;
    fail(fmt::format("The column '{}' is declared with the levels {}, but {}.", name(), listed_levels(declared_.levels),
                     cells),
         "Correct the cells, or declare their levels too");
  }

  std::vector<double> cells_;
  Column about_;
  const ColumnDeclaration& declared_;
  const std::string& prefix_;
};

}  // namespace

Table declare_columns(const Table& table, std::span<const ColumnDeclaration> declared, const std::string& source,
                      std::span<const std::string> left_out) {
  if (declared.empty()) return table;
  const std::string prefix = source.empty() ? "" : source + ": ";
  std::vector<double> values(table.values().begin(), table.values().end());
  std::vector<Column> about = table.about();
  for (const ColumnDeclaration& entry : declared) {
    const auto column = table.find(entry.name);
    if (!column) {
      if (std::find(left_out.begin(), left_out.end(), entry.name) != left_out.end()) continue;
      const std::string near = closest_name(entry.name, table.names());
      throw Error(
          ErrorCategory::kData,
          fmt::format("{}There is no column '{}', which \"columns\" names{}.", prefix, show_text(entry.name),
                      table.source().empty() ? "" : ", in " + table.source()),
          {{near.empty() ? "Correct the name; upper and lower case matter" : fmt::format("Did you mean '{}'?", near)}});
    }
    DeclaredColumn one(table, *column, entry, prefix);
    one.apply();
    std::copy(one.cells().begin(), one.cells().end(),
              values.begin() + static_cast<std::ptrdiff_t>(*column * table.rows()));
    about[*column] = one.about();
  }
  return {table.names(), std::move(values), table.source(), std::move(about)};
}

std::vector<NamedColumn> named_columns(const Table& table) {
  std::vector<NamedColumn> columns;
  for (std::size_t j = 0; j < table.columns(); ++j) columns.push_back({table.name(j), table.about(j)});
  return columns;
}

const Column& about_column(std::span<const NamedColumn> columns, std::string_view name) {
  static const Column kUnknown;
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const NamedColumn& column) { return column.name == name; });
  return found == columns.end() ? kUnknown : found->about;
}

std::optional<double> column_value(const Column& column, std::string_view text) {
  if (const auto level = find_level(column, text)) return level->value;
  const std::optional<double> number = parse_finite(text);
  if (!number) return std::nullopt;
  if (const auto level = find_level(column, fmt::format("{}", *number))) return level->value;  // 1.0 of the level 1
  const bool only_levels = column.type == ColumnType::kBinary || column.type == ColumnType::kCategory ||
                           (column.type == ColumnType::kOrdinal && has_words(column));
  if (only_levels && !column.levels.empty()) return std::nullopt;
  return number;
}

std::optional<double> column_value(const Column& column, double number) {
  return column_value(column, fmt::format("{}", number));
}

std::string levels_sentence(const Column& column, std::string_view wrong) {
  if (column.levels.empty()) return "";
  const std::vector<std::string> names = level_names(column);
  const std::string near = closest_name(wrong, names);
  return fmt::format("Its levels are {}.{}", listed_levels(names),
                     near.empty() || near == wrong ? "" : fmt::format(" Did you mean '{}'?", show_text(near)));
}

Json value_json(const Column& column, double value) {
  if (!has_words(column)) return value;
  for (const ColumnLevel& level : column.levels) {
    if (level.value == value) return level.name;
  }
  return value;
}

Json to_json(const Column& column) {
  Json json = {{"type", column_type_name(column.type)}};
  if (!column.levels.empty()) {
    json["levels"] = Json::object();
    for (const ColumnLevel& level : column.levels) json["levels"][level.name] = level.value;
  }
  if (!column.unit.empty()) json["unit"] = column.unit;
  if (!column.label.empty()) json["label"] = column.label;
  json["reason"] = column.reason;
  json["declared"] = column.declared;
  return json;
}

Json column_types_json(std::span<const NamedColumn> columns) {
  Json json = Json::object();
  for (const NamedColumn& column : columns) json[column.name] = to_json(column.about);
  return json;
}

}  // namespace olem
