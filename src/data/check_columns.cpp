// Columns that mean something else than a quantity: identifiers, dates, sums of others, rare levels.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "data/check_parts.h"
#include "data/odd_text.h"

namespace olem::internal {

namespace {

constexpr std::size_t kIdentifierRows = 20;
// Whole numbers drawn from as wide a range would repeat this often; that none does has a chance of e^-10.
constexpr double kExpectedTies = 10.0;
constexpr std::array<std::string_view, 10> kIdentifierNames = {"id",  "nr",   "no",     "key",  "index",
                                                               "idx", "uuid", "number", "code", "row"};
constexpr std::size_t kRareLevel = 5;
constexpr std::size_t kDerivedRows = 1000;
constexpr std::size_t kDerivedColumns = 40;
constexpr std::size_t kFewestDerivedRows = 20;
constexpr double kDerivedSearch = 1e-7;
constexpr double kDerived = 1e-9;

// Beyond this every number is whole.
constexpr double kLargestWhole = 9e15;

bool all_whole(std::span<const double> cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [](double cell) { return std::trunc(cell) == cell && std::abs(cell) < kLargestWhole; });
}

// Whole numbers of 17 to 20 digits, as programs number things. A quantity of this size is written with fewer
// digits that are not 0, or reaches beyond what a counter of 64 bits holds, or below 0.
bool are_long_numbers(std::span<const double> cells) {
  constexpr double kMost = 0.9;
  constexpr double kLargestCounter = 0x1p64;
  if (!std::all_of(cells.begin(), cells.end(), [](double cell) { return cell >= 0.0 && cell <= kLargestCounter; }))
    return false;
  const auto long_ones = std::count_if(cells.begin(), cells.end(), [](double cell) {
    return std::abs(cell) >= kLargestWhole && std::stod(fmt::format("{:.14e}", cell)) != cell;
  });
  const bool whole = std::all_of(cells.begin(), cells.end(), [](double cell) { return std::trunc(cell) == cell; });
  return whole && static_cast<double>(long_ones) > kMost * static_cast<double>(cells.size());
}

// Whether the last word of the name is one of those for identifiers: "patient_id", "ID", "customerNo" is not.
bool is_named_identifier(const std::string& name) {
  std::string word;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      word.clear();
    } else {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return std::find(kIdentifierNames.begin(), kIdentifierNames.end(), word) != kIdentifierNames.end();
}

enum class IdentifierKind {
  kCounts,  // the rows
  kUnique,  // never repeats, although numbers of a quantity would
  kSparse,  // never repeats, as numbers of a quantity may not either
};

std::optional<IdentifierKind> identifier_kind(const CheckedTable& checked, std::size_t j) {
  std::vector<double> cells;
  for (std::size_t i = 0; i < checked.table.rows(); ++i) {
    if (!checked.is_missing(i, j)) cells.push_back(checked.table.at(i, j));
  }
  if (cells.size() < kIdentifierRows) return std::nullopt;
  const double step = cells[1] - cells[0];
  constexpr double kRounding = 1e-9;
  bool counts = step != 0.0;
  for (std::size_t i = 1; counts && i < cells.size(); ++i) {
    const double wanted = cells[0] + static_cast<double>(i) * step;
    counts = std::abs(cells[i] - wanted) <= kRounding * (std::abs(cells[0]) + std::abs(wanted));
  }
  if (counts) return IdentifierKind::kCounts;
  const bool long_numbers = are_long_numbers(cells);
  if (!long_numbers && !all_whole(cells)) return std::nullopt;
  const bool sorted = std::is_sorted(cells.begin(), cells.end()) || std::is_sorted(cells.rbegin(), cells.rend());
  std::sort(cells.begin(), cells.end());
  if (std::adjacent_find(cells.begin(), cells.end()) != cells.end()) return std::nullopt;
  const auto rows = static_cast<double>(cells.size());
  // The middle half, so that a few numbers far away do not hide how dense the others are.
  const double width = sorted_quantile(cells, 0.75) - sorted_quantile(cells, 0.25) + 1.0;
  const double expected_ties = rows * rows / 16.0 / width * 2.0;
  if (sorted || long_numbers || expected_ties > kExpectedTies || is_named_identifier(checked.table.name(j)))
    return IdentifierKind::kUnique;
  return IdentifierKind::kSparse;
}

struct DateKind {
  std::string what;
  std::string low;
  std::string high;
};

bool all_between(std::span<const double> cells, double low, double high) {
  return std::all_of(cells.begin(), cells.end(), [&](double cell) { return cell >= low && cell <= high; });
}

bool is_calendar_date(double number) {
  const auto whole = static_cast<long long>(number);
  const long long month = whole / 100 % 100;
  const long long day = whole % 100;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

// Days since 1970-01-01 as yyyy-mm-dd (Hinnant's civil_from_days).
std::string date_of_day(long long days) {
  days += 719468;
  const long long era = (days >= 0 ? days : days - 146096) / 146097;
  const long long day_of_era = days - era * 146097;
  const long long year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const long long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const long long month_index = (5 * day_of_year + 2) / 153;
  const long long day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const long long month = month_index < 10 ? month_index + 3 : month_index - 9;
  return fmt::format("{:04}-{:02}-{:02}", year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day);
}

std::optional<DateKind> date_kind(const CheckedTable& checked, std::size_t j) {
  std::vector<double> cells;
  for (std::size_t i = 0; i < checked.table.rows(); ++i) {
    if (!checked.is_missing(i, j)) cells.push_back(checked.table.at(i, j));
  }
  if (cells.size() < 2 || checked.distinct[j] < 2) return std::nullopt;
  const auto [low, high] = std::minmax_element(cells.begin(), cells.end());
  const bool whole = all_whole(cells);
  constexpr double kFirstYear = 1900.0;
  constexpr double kLastYear = 2100.0;
  if (whole && all_between(cells, kFirstYear, kLastYear) && checked.distinct[j] >= 3)
    return DateKind{"years", fmt::format("{}", *low), fmt::format("{}", *high)};
  if (whole && all_between(cells, 19000101.0, 21001231.0) &&
      std::all_of(cells.begin(), cells.end(), is_calendar_date)) {
    const auto text = [](double value) {
      const auto date = static_cast<long long>(value);
      return fmt::format("{:04}-{:02}-{:02}", date / 10000, date / 100 % 100, date % 100);
    };
    return DateKind{"dates written as yyyymmdd", text(*low), text(*high)};
  }
  constexpr double kSecondsPerDay = 86400.0;
  constexpr double kFirstSecond = 6.3e8;   // 1989-12
  constexpr double kLastSecond = 2.208e9;  // 2039-12
  for (const double unit : {1.0, 1000.0}) {
    if (!all_between(cells, kFirstSecond * unit, kLastSecond * unit)) continue;
    // Clocks have milliseconds at most; a quantity of this size has any digits.
    const double ticks = 1000.0 / unit;
    if (std::any_of(cells.begin(), cells.end(),
                    [&](double cell) { return std::abs(cell * ticks - std::round(cell * ticks)) > 0.01; }))
      continue;
    const auto text = [&](double value) { return date_of_day(static_cast<long long>(value / unit / kSecondsPerDay)); };
    return DateKind{unit == 1.0 ? "seconds since 1970" : "milliseconds since 1970", text(*low), text(*high)};
  }
  // Serial numbers of spreadsheets: days since 1899-12-30. Amounts of money lie there too, but are round more often.
  constexpr double kFirstSerial = 32874.0;  // 1990
  constexpr double kLastSerial = 51136.0;   // 2040
  constexpr double kWithinDay = 24.0 * 60.0 * 60.0;
  const bool to_the_second = std::all_of(cells.begin(), cells.end(), [&](double cell) {
    return std::abs(cell * kWithinDay - std::round(cell * kWithinDay)) < 0.01;
  });
  if (to_the_second && all_between(cells, kFirstSerial, kLastSerial)) {
    const auto round_ones =
        std::count_if(cells.begin(), cells.end(), [](double cell) { return std::fmod(cell, 10.0) == 0.0; });
    constexpr std::size_t kTooRound = 3;
    if (static_cast<std::size_t>(round_ones) * kTooRound < cells.size()) {
      const auto text = [](double value) { return date_of_day(static_cast<long long>(value) - 25569); };
      return DateKind{"dates as a spreadsheet counts days", text(*low), text(*high)};
    }
  }
  return std::nullopt;
}

// Days, months or times of day as levels.
std::optional<DateKind> date_words(const Column& about) {
  const bool dates =
      about.levels.size() > 2 && std::all_of(about.levels.begin(), about.levels.end(),
                                             [](const auto& level) { return looks_like_date(level.name); });
  if (!dates) return std::nullopt;
  return DateKind{"dates or times taken for levels", about.levels.front().name, about.levels.back().name};
}

// A column that others determine: target = offset + sum of weight x column, of the numbers or of their logarithms.
struct Relation {
  bool logs = false;
  std::size_t target = 0;
  std::vector<std::size_t> columns;
  Eigen::VectorXd weights;
  double offset = 0.0;
};

class RelationSearch {
 public:
  RelationSearch(const CheckedTable& checked, bool logs) : checked_(checked), logs_(logs) {
    const Table& table = checked.table;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      bool complete = true;
      for (std::size_t j = 0; j < table.columns() && complete; ++j) complete = !checked.is_missing(i, j);
      if (complete) rows_.push_back(i);
    }
    for (std::size_t j = 0; j < table.columns() && columns_.size() < kDerivedColumns; ++j) {
      if (!checked.usable[j] || checked.about[j].type == ColumnType::kCategory) continue;
      const auto cells = table.column(j);
      if (logs && (checked.distinct[j] <= 2 ||
                   !std::all_of(rows_.begin(), rows_.end(), [&](std::size_t i) { return cells[i] > 0.0; })))
        continue;
      columns_.push_back(j);
    }
  }

  std::vector<Relation> find(std::size_t terms, const Context& context) {
    if (rows_.size() < kFewestDerivedRows || columns_.size() < 2) return {};
    correlate();
    std::vector<Relation> found;
    std::vector<std::set<std::size_t>> sets;
    for (std::size_t size = logs_ ? 1 : 2; size <= std::min(terms, columns_.size() - 1); ++size) {
      for (std::size_t target = columns_.size(); target-- > 0;) {
        context.check_interrupt();
        std::vector<std::size_t> chosen;
        choose(target, size, 0, chosen, [&](const std::vector<std::size_t>& others) {
          std::set<std::size_t> all(others.begin(), others.end());
          all.insert(target);
          const bool known = std::any_of(sets.begin(), sets.end(), [&](const std::set<std::size_t>& set) {
            return std::includes(all.begin(), all.end(), set.begin(), set.end());
          });
          if (known || !is_near(target, others)) return;
          if (std::optional<Relation> relation = verify(target, others)) {
            sets.push_back(std::move(all));
            found.push_back(std::move(*relation));
          }
        });
      }
    }
    return found;
  }

 private:
  double cell(std::size_t row, std::size_t column) const {
    const double value = checked_.table.at(row, column);
    return logs_ ? std::log(value) : value;
  }

  void correlate() {
    const std::size_t used = std::min(rows_.size(), kDerivedRows);
    Eigen::MatrixXd sample(static_cast<Eigen::Index>(used), std::ssize(columns_));
    for (std::size_t i = 0; i < used; ++i) {
      const std::size_t row = rows_[i * rows_.size() / used];
      for (std::size_t k = 0; k < columns_.size(); ++k)
        sample(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = cell(row, columns_[k]);
    }
    for (Eigen::Index k = 0; k < sample.cols(); ++k) {
      // In units of the largest, so that squares stay finite.
      const double largest = sample.col(k).cwiseAbs().maxCoeff();
      if (largest > 0.0) sample.col(k) /= largest;
      sample.col(k).array() -= sample.col(k).mean();
      const double norm = sample.col(k).norm();
      if (norm > 0.0) sample.col(k) /= norm;
    }
    correlation_ = sample.transpose() * sample;
  }

  template <class Visit>
  void choose(std::size_t target, std::size_t left, std::size_t first, std::vector<std::size_t>& chosen,
              const Visit& visit) const {
    if (left == 0) {
      visit(chosen);
      return;
    }
    for (std::size_t k = first; k < columns_.size(); ++k) {
      if (k == target) continue;
      chosen.push_back(k);
      choose(target, left - 1, k + 1, chosen, visit);
      chosen.pop_back();
    }
  }

  // By the correlations: whether nearly nothing of the target is left, and none of the others explains another.
  bool is_near(std::size_t target, const std::vector<std::size_t>& others) const {
    constexpr int kMost = 3;
    std::array<std::array<double, kMost + 1>, kMost> rows{};
    const std::size_t size = others.size();
    const auto at = [&](std::size_t a, std::size_t b) {
      return correlation_(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
    };
    double left = at(target, target);
    // Cholesky by hand: this is called for every set of columns.
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double sum = at(others[a], others[b]);
        for (std::size_t c = 0; c < b; ++c) sum -= rows[a][c] * rows[b][c];
        if (a == b) {
          constexpr double kIndependent = 1e-10;
          if (!(sum > kIndependent)) return false;
          rows[a][a] = std::sqrt(sum);
        } else {
          rows[a][b] = sum / rows[b][b];
        }
      }
      double sum = at(others[a], target);
      for (std::size_t c = 0; c < a; ++c) sum -= rows[a][c] * rows[c][kMost];
      rows[a][kMost] = sum / rows[a][a];
      left -= rows[a][kMost] * rows[a][kMost];
    }
    return left < kDerivedSearch;
  }

  std::optional<Relation> verify(std::size_t target, const std::vector<std::size_t>& others) const {
    const auto rows = std::ssize(rows_);
    Eigen::MatrixXd features(rows, std::ssize(others));
    Eigen::VectorXd wanted(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const std::size_t row = rows_[static_cast<std::size_t>(i)];
      wanted(i) = cell(row, columns_[target]);
      for (Eigen::Index k = 0; k < features.cols(); ++k)
        features(i, k) = cell(row, columns_[others[static_cast<std::size_t>(k)]]);
    }
    const Eigen::RowVectorXd means = features.colwise().mean();
    const double mean = wanted.mean();
    const Eigen::MatrixXd centred = features.rowwise() - means;
    const Eigen::VectorXd around = wanted.array() - mean;
    Relation relation;
    relation.weights = centred.colPivHouseholderQr().solve(around);
    const double total = around.squaredNorm();
    if (!((around - centred * relation.weights).squaredNorm() < kDerived * total)) return std::nullopt;
    relation.logs = logs_;
    relation.target = columns_[target];
    for (const std::size_t other : others) relation.columns.push_back(columns_[other]);
    relation.offset = mean - means * relation.weights;
    return relation;
  }

  const CheckedTable& checked_;
  bool logs_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> columns_;
  Eigen::MatrixXd correlation_;
};

std::string relation_text(const Table& table, const Relation& relation) {
  std::string text;
  constexpr double kOne = 1e-6;
  if (relation.logs) {
    const double factor = std::exp(relation.offset);
    std::vector<std::string> parts;
    if (std::abs(factor - 1.0) > kOne) parts.push_back(fmt::format("{:.4g}", factor));
    for (std::size_t k = 0; k < relation.columns.size(); ++k) {
      const double power = relation.weights(static_cast<Eigen::Index>(k));
      parts.push_back(std::abs(power - 1.0) < kOne
                          ? fmt::format("'{}'", table.name(relation.columns[k]))
                          : fmt::format("'{}'^{:.4g}", table.name(relation.columns[k]), power));
    }
    text = fmt::format("{}", fmt::join(parts, " x "));
  } else {
    for (std::size_t k = 0; k < relation.columns.size(); ++k) {
      const double weight = relation.weights(static_cast<Eigen::Index>(k));
      text += weight < 0.0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
      if (std::abs(std::abs(weight) - 1.0) > kOne) text += fmt::format("{:.4g} x ", std::abs(weight));
      text += fmt::format("'{}'", table.name(relation.columns[k]));
    }
    const auto cells = table.column(relation.target);
    double largest = 0.0;
    for (const double cell : cells) largest = std::max(largest, std::abs(cell));
    if (std::abs(relation.offset) > kOne * largest)
      text += fmt::format(" {} {:.4g}", relation.offset < 0.0 ? '-' : '+', std::abs(relation.offset));
  }
  return fmt::format("'{}' = {}", table.name(relation.target), text);
}

}  // namespace

void check_identifiers(const CheckedTable& checked, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  std::vector<std::size_t> columns;
  std::vector<std::size_t> sparse;
  std::vector<std::string> quoted;
  std::vector<std::string> items;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (checked.about[j].declared || checked.about[j].type == ColumnType::kCategory || checked.distinct[j] < 2)
      continue;
    if (date_kind(checked, j)) continue;
    const std::optional<IdentifierKind> kind = identifier_kind(checked, j);
    if (!kind) continue;
    if (*kind == IdentifierKind::kSparse) {
      sparse.push_back(j);
      quoted.push_back(fmt::format("'{}'", table.name(j)));
      continue;
    }
    columns.push_back(j);
    items.push_back(
        fmt::format("'{}' {}", table.name(j),
                    *kind == IdentifierKind::kCounts ? "counts the rows" : "holds whole numbers that never repeat"));
  }
  if (!sparse.empty()) {
    Remedy remedy = leave_out(names_of(table, sparse));
    remedy.advice += sparse.size() == 1 ? " if it only names the rows" : " that only name the rows";
    problems.push_back({Severity::kNote,
                        "unique_numbers",
                        fmt::format("Whole numbers that never repeat: {}. They may be quantities or identifiers; the "
                                    "numbers alone do not tell.",
                                    enumerate(quoted)),
                        {remedy},
                        names_of(table, sparse)});
  }
  if (columns.empty()) return;
  problems.push_back(
      {Severity::kWarning,
       "identifier",
       fmt::format("{} like an identifier and not like a quantity: {}. An effect of it would mean "
                   "nothing.",
                   columns.size() == 1 ? "1 column looks" : fmt::format("{} columns look", columns.size()),
                   enumerate(items)),
       {leave_out(names_of(table, columns))},
       names_of(table, columns)});
}

void check_dates(const CheckedTable& checked, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  std::vector<std::size_t> columns;
  std::vector<std::string> items;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (checked.about[j].declared) continue;
    const bool words = checked.about[j].type == ColumnType::kCategory || has_words(checked.about[j]);
    const std::optional<DateKind> kind = words ? date_words(checked.about[j]) : date_kind(checked, j);
    if (!kind) continue;
    columns.push_back(j);
    items.push_back(fmt::format("'{}' ({}, {} to {})", table.name(j), kind->what, kind->low, kind->high));
  }
  if (columns.empty()) return;
  problems.push_back(
      {Severity::kWarning,
       "date",
       fmt::format("{} points in time, not quantities: {}. What changed over time would count as their "
                   "effect.",
                   columns.size() == 1 ? "1 column holds" : fmt::format("{} columns hold", columns.size()),
                   enumerate(items)),
       {leave_out(names_of(table, columns)), {"Give what matters of the time as a number, such as an age or a month"}},
       names_of(table, columns)});
}

void check_levels(const CheckedTable& checked, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  std::vector<std::size_t> rare_columns;
  std::vector<std::string> rare;
  std::vector<std::size_t> ordinal_columns;
  std::vector<std::size_t> text_columns;
  std::vector<std::string> texts;
  std::vector<std::size_t> rows;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const Column& about = checked.about[j];
    if (!has_levels(about.type) || checked.distinct[j] < 2) continue;
    const auto cells = table.column(j);
    bool words = false;
    std::vector<std::string> levels;
    for (const ColumnLevel& level : about.levels) {
      if (level.name != fmt::format("{}", level.value)) words = true;
      std::size_t count = 0;
      std::size_t first = 0;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i] != level.value || checked.is_missing(i, j)) continue;
        if (count++ == 0) first = i;
      }
      levels.push_back(fmt::format("{} ({})", level.name, count));
      if (count >= kRareLevel) continue;
      if (about.type == ColumnType::kOrdinal) {
        if (ordinal_columns.empty() || ordinal_columns.back() != j) ordinal_columns.push_back(j);
        continue;
      }
      rare.push_back(fmt::format("'{}' = {} ({})", table.name(j), level.name, in_words(count, "row", "rows")));
      if (rare_columns.empty() || rare_columns.back() != j) rare_columns.push_back(j);
      if (count > 0 && rows.size() < kRowsNamed) rows.push_back(first);
    }
    if (!words) continue;
    text_columns.push_back(j);
    texts.push_back(fmt::format("'{}': {}", table.name(j), enumerate(levels)));
  }
  if (!rare.empty()) {
    Problem problem{Severity::kWarning,
                    "rare_level",
                    fmt::format("{} in fewer than {} rows: {}. What follows from {} cannot be learned.",
                                rare.size() == 1 ? "1 value stands" : fmt::format("{} values stand", rare.size()),
                                kRareLevel, enumerate(rare), rare.size() == 1 ? "it" : "them"),
                    {{"Join rare values with others, or remove their rows"}, leave_out(names_of(table, rare_columns))},
                    names_of(table, rare_columns)};
    problem.rows = rows;
    problems.push_back(std::move(problem));
  }
  if (!ordinal_columns.empty()) {
    problems.push_back(
        {Severity::kNote,
         "rare_value",
         fmt::format("Some values of {} stand in fewer than {} rows.",
                     in_words(ordinal_columns.size(), "column of few whole numbers", "columns of few whole numbers"),
                     kRareLevel),
         {{"Join rare values with their neighbours"}},
         names_of(table, ordinal_columns)});
  }
  if (!texts.empty()) {
    problems.push_back({Severity::kNote,
                        "text",
                        fmt::format("{} words, taken as levels (rows in brackets). {}.",
                                    texts.size() == 1 ? "1 column holds" : fmt::format("{} columns hold", texts.size()),
                                    fmt::join(texts, "; ")),
                        {{"Leave a column out that is free text", "drop_columns"}},
                        names_of(table, text_columns)});
  }
}

void check_similar_levels(const CheckedTable& checked, std::vector<Problem>& problems) {
  const Table& table = checked.table;
  std::vector<std::size_t> columns;
  std::vector<std::string> items;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (!has_words(checked.about[j])) continue;
    std::map<std::string, std::vector<std::string>> alike;
    for (const ColumnLevel& level : checked.about[j].levels)
      alike[level_key(level.name)].push_back(fmt::format("'{}'", level.name));
    std::vector<std::string> groups;
    for (const auto& [key, names] : alike) {
      if (names.size() > 1) groups.push_back(fmt::format("{}", fmt::join(names, " and ")));
    }
    if (groups.empty()) continue;
    columns.push_back(j);
    items.push_back(fmt::format("{} of '{}'", fmt::join(groups, ", "), table.name(j)));
  }
  if (columns.empty()) return;
  problems.push_back({Severity::kWarning,
                      "similar_levels",
                      fmt::format("Levels differ in nothing but capitals, blanks or hyphens: {}. Their rows count as "
                                  "different, and a desired level matches only one of the spellings.",
                                  enumerate(items)),
                      {{"Write them alike"}},
                      names_of(table, columns)});
}

void check_digits(const CheckedTable& checked, std::vector<Problem>& problems) {
  if (checked.facts == nullptr) return;
  const ReadFacts& facts = *checked.facts;
  if (!facts.maybe_grouped.empty()) {
    std::vector<std::string> items;
    for (const std::string& name : facts.maybe_grouped) items.push_back(fmt::format("'{}'", name));
    problems.push_back({Severity::kWarning,
                        "thousands",
                        fmt::format("Every point in {} has exactly three digits behind it, in a file with semicolons: "
                                    "1.234 may mean one thousand.",
                                    enumerate(items)),
                        {{"Write numbers without marks for thousands"}},
                        facts.maybe_grouped});
  }
  if (facts.decimal_commas) {
    problems.push_back({Severity::kNote,
                        "decimal_comma",
                        "Numbers were read with a comma before their fractions: 1,5 is one and a half.",
                        {{"Write fractions with a point if this is wrong"}},
                        {}});
  }
}

void check_derived(const CheckedTable& checked, std::size_t terms, const Context& context,
                   std::vector<Problem>& problems) {
  std::vector<Relation> found = RelationSearch(checked, false).find(terms, context);
  for (Relation& relation : RelationSearch(checked, true).find(terms, context)) found.push_back(std::move(relation));
  const Table& table = checked.table;
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::vector<std::string> none;
  const std::vector<std::string>& roles = checked.facts == nullptr ? none : checked.facts->roles;
  const std::vector<std::string>& outcomes = checked.facts == nullptr ? none : checked.facts->outcomes;
  struct Found {
    std::vector<std::string> items;
    std::vector<std::string> targets;
    std::string subject() const {
      return targets.size() == 1 ? "1 column is" : fmt::format("{} columns are", targets.size());
    }
  };
  Found riddles;
  Found settled;  // with one outcome: it comes last, however the formula is written
  std::vector<std::string> superfluous;
  for (const Relation& relation : found) {
    std::vector<std::size_t> columns = {relation.target};
    columns.insert(columns.end(), relation.columns.begin(), relation.columns.end());
    const auto is_outcome = [&](std::size_t column) { return is_in(outcomes, table.name(column)); };
    const bool is_settled = std::count_if(columns.begin(), columns.end(), is_outcome) == 1;
    Found& kind = is_settled ? settled : riddles;
    kind.items.push_back(relation_text(table, relation));
    const std::string& target =
        table.name(is_settled ? *std::find_if(columns.begin(), columns.end(), is_outcome) : relation.target);
    if (!is_in(kind.targets, target)) kind.targets.push_back(target);
    if (is_settled) continue;
    // Any of them follows from the others; a column that the task names stays.
    const auto spare = std::find_if(columns.begin(), columns.end(),
                                    [&](std::size_t column) { return !is_in(roles, table.name(column)); });
    if (spare != columns.end() && !is_in(superfluous, table.name(*spare))) superfluous.push_back(table.name(*spare));
  }
  if (!riddles.items.empty()) {
    problems.push_back({Severity::kWarning,
                        "derived",
                        fmt::format("{} computed from others, without any noise: {}. The data cannot show which of "
                                    "them causes which.",
                                    riddles.subject(), enumerate(riddles.items)),
                        {superfluous.empty() ? Remedy{"Take one of them out of the task"} : leave_out(superfluous)},
                        riddles.targets});
  }
  if (!settled.items.empty()) {
    problems.push_back({Severity::kNote,
                        "derived",
                        fmt::format("{} of other columns: {}. An outcome comes last, so this leaves nothing open.",
                                    settled.targets.size() == 1
                                        ? "1 outcome is an exact function"
                                        : fmt::format("{} outcomes are exact functions", settled.targets.size()),
                                    enumerate(settled.items)),
                        {},
                        settled.targets});
  }
}

}  // namespace olem::internal
