#include "olem/data_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "data/column_profile.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

// The standard error of a nearest-neighbour entropy is about sqrt((Var ln f + pi^2 / 6) / n), 0.2 nats for a normal
// variable and 50 rows. Noises whose scales differ by less than a fifth cannot be told apart then.
constexpr std::size_t kFewRows = 50;
constexpr std::size_t kFewValues = 10;
// Each value stands in two rows on average: the column was rounded, or counts something.
constexpr std::size_t kRoundedRowsPerValue = 2;
// Each value stands in ten rows on average: within this column alone nearly every nearest neighbour is at distance 0.
constexpr std::size_t kCoarseRowsPerValue = 10;
constexpr double kTwinShare = 0.01;
constexpr double kManyTwinsShare = 0.5;
constexpr double kScaleRatioLog10 = 3.0;
constexpr double kExtremeScaleRatioLog10 = 8.0;
constexpr std::size_t kNamesInText = 10;

constexpr const char* kSayWhatYouKnow = "Rely on what you know";
constexpr const char* kFixThePlace = "Fix the place in the order by what you know";

using Remedies = std::vector<Remedy>;

// For columns without which the table can be used.
Remedies drop(const std::vector<std::string>& columns) {
  const Remedy by_name = leave_out(columns);
  return {by_name, {by_name.advice, "constant", "drop"}};
}

// What the checks and the preparation of a table both start from.
struct Findings {
  std::vector<ColumnProfile> profiles;
  std::vector<std::size_t> constant;
  std::vector<ColumnCopy> copies;
};

Findings inspect_columns(const Table& table, const Context& context) {
  Findings findings;
  findings.profiles = profile_columns(table, context);
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (findings.profiles[j].distinct < 2) findings.constant.push_back(j);
  }
  findings.copies = find_copies(table, findings.profiles, context);
  return findings;
}

std::vector<std::string> names_of(const Table& table, std::span<const std::size_t> columns) {
  std::vector<std::string> names;
  for (const std::size_t j : columns) names.push_back(table.name(j));
  return names;
}

// The items in a row, "'a' (3), 'b' (2)", the first ones only when there are many.
std::string enumerate(const std::vector<std::string>& items) {
  if (items.size() <= kNamesInText) return fmt::format("{}", fmt::join(items, ", "));
  return fmt::format("{} and {} more", fmt::join(items.begin(), items.begin() + kNamesInText, ", "),
                     items.size() - kNamesInText);
}

std::string in_words(std::size_t count, std::string_view singular, std::string_view plural) {
  return count == 1 ? fmt::format("1 {}", singular) : fmt::format("{} {}", count, plural);
}

void check_size(const Table& table, std::vector<Problem>& problems) {
  const std::size_t rows = table.rows();
  if (rows < 2) {
    problems.push_back({Severity::kError,
                        "few_rows",
                        fmt::format("The table has {}, but at least 2 are needed.", in_words(rows, "row", "rows")),
                        {{"Give more rows; some hundreds are a good start"}},
                        {}});
    return;
  }
  if (rows < kFewRows) {
    problems.push_back({Severity::kWarning,
                        "few_rows",
                        fmt::format("The table has only {} rows. With fewer than {}, chance decides between columns "
                                    "whose noises differ by less than a fifth.",
                                    rows, kFewRows),
                        {{"Give more rows"}, {kSayWhatYouKnow, "tier"}, {kSayWhatYouKnow, "before"}},
                        {}});
  }
  if (rows < table.columns()) {
    problems.push_back({Severity::kWarning,
                        "rows_below_columns",
                        fmt::format("The table has fewer rows ({}) than columns ({}). Methods that invert a covariance "
                                    "matrix refuse it, and nearest neighbours are far away.",
                                    rows, table.columns()),
                        {{"Give more rows"}, {"Choose the columns that matter", "columns"}},
                        {}});
  }
  if (table.columns() == 1) {
    problems.push_back({Severity::kWarning,
                        "single_column",
                        fmt::format("The table has the one column '{}': its order is trivial.", table.name(0)),
                        {{"Give the columns among which an order is wanted"}},
                        {table.name(0)}});
  }
}

void check_constant(const Table& table, const Findings& findings, std::vector<Problem>& problems) {
  if (findings.constant.empty()) return;
  std::vector<std::string> items;
  for (const std::size_t j : findings.constant) {
    items.push_back(fmt::format("'{}' (always {})", table.name(j), table.at(0, j)));
  }
  const bool one = items.size() == 1;
  problems.push_back({Severity::kError, "constant",
                      fmt::format("{} constant: {}. A column that never changes has no place in an order.",
                                  one ? "1 column is" : fmt::format("{} columns are", items.size()), enumerate(items)),
                      drop(names_of(table, findings.constant)), names_of(table, findings.constant)});
}

std::string copy_text(const std::string& original, const std::string& copy, const ColumnCopy& found) {
  if (found.kind == CopyKind::kEqual) return fmt::format("Column '{}' equals column '{}'.", copy, original);
  if (!std::isfinite(found.factor) || !std::isfinite(found.offset)) {
    return fmt::format("Column '{}' is a multiple of column '{}'.", copy, original);
  }
  if (found.kind == CopyKind::kProportional) {
    return fmt::format("Column '{}' is {:.6g} times column '{}'.", copy, found.factor, original);
  }
  return fmt::format("Column '{}' is {:.6g} times column '{}' {} {:.6g}.", copy, found.factor, original,
                     found.offset < 0.0 ? "minus" : "plus", std::abs(found.offset));
}

void check_copies(const Table& table, const Findings& findings, std::vector<Problem>& problems) {
  constexpr const char* kCodes[] = {"equal", "proportional", "affine"};
  for (const ColumnCopy& found : findings.copies) {
    const std::string& original = table.name(found.original);
    const std::string& copy = table.name(found.copy);
    problems.push_back({Severity::kError,
                        kCodes[static_cast<std::size_t>(found.kind)],
                        copy_text(original, copy, found),
                        drop({copy}),
                        {original, copy}});
  }
}

void check_repeated_rows(const Table& table, const Context& context, std::vector<Problem>& problems) {
  const RepeatedRows found = count_repeated_rows(table, context);
  if (found.repeats == 0) return;
  const double share = static_cast<double>(found.with_twin) / static_cast<double>(table.rows());
  const Severity severity = share > kManyTwinsShare ? Severity::kStrongWarning
                            : share > kTwinShare    ? Severity::kWarning
                                                    : Severity::kNote;
  Remedies remedies = {{"Remove rows that were recorded twice"},
                       {"Choose what to do with zero distances, if the values were rounded", "ties"}};
  if (severity == Severity::kStrongWarning)
    remedies = {{"Treat the columns as discrete"}, {"Give values with more digits"}};
  problems.push_back(
      {severity,
       "repeated_rows",
       fmt::format(
           "{} an earlier row. {:.3g} % of the rows ({} of {}) have an identical twin, so that their nearest "
           "neighbour is at distance 0.{}",
           in_words(found.repeats, "row repeats", "rows repeat"), 100.0 * share, found.with_twin, table.rows(),
           severity == Severity::kStrongWarning ? " Most rows are no observations of a continuous quantity." : ""),
       std::move(remedies),
       {}});
}

void check_distinct_values(const Table& table, const Findings& findings, std::vector<Problem>& problems) {
  const std::size_t rows = table.rows();
  std::vector<std::size_t> discrete;
  std::vector<std::string> discrete_items;
  std::vector<std::size_t> rounded;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const std::size_t distinct = findings.profiles[j].distinct;
    // Ten different values among ten rows are no sign of a discrete column.
    if (distinct < 2 || distinct * kRoundedRowsPerValue > rows) continue;
    if (distinct <= kFewValues) {
      discrete.push_back(j);
      discrete_items.push_back(fmt::format("'{}' ({})", table.name(j), distinct));
    } else if (distinct * kRoundedRowsPerValue < rows) {
      rounded.push_back(j);
    }
  }
  if (!discrete.empty()) {
    const bool one = discrete.size() == 1;
    problems.push_back({Severity::kWarning,
                        "few_values",
                        fmt::format("{} at most {} distinct values: {}. {} discrete, and the entropy of a density is "
                                    "not defined for {}.",
                                    one ? "1 column has" : fmt::format("{} columns have", discrete.size()), kFewValues,
                                    enumerate(discrete_items), one ? "It looks" : "They look", one ? "it" : "them"),
                        {leave_out(names_of(table, discrete)), {kFixThePlace, "tier"}, {kFixThePlace, "before"}},
                        names_of(table, discrete)});
  }
  if (rounded.empty()) return;
  const auto fewest = *std::min_element(rounded.begin(), rounded.end(), [&](std::size_t a, std::size_t b) {
    return findings.profiles[a].distinct < findings.profiles[b].distinct;
  });
  const bool coarse = findings.profiles[fewest].distinct * kCoarseRowsPerValue < rows;
  problems.push_back(
      {coarse ? Severity::kWarning : Severity::kNote,
       "rounded",
       fmt::format("{} fewer than {} distinct values in {} rows; '{}' has the fewest, {}. The values "
                   "look rounded, and small sets of columns will have zero distances.",
                   rounded.size() == 1 ? "1 column has" : fmt::format("{} columns have", rounded.size()),
                   (rows + 1) / 2, rows, table.name(fewest), findings.profiles[fewest].distinct),
       {{"Give the values with all their digits if you have them"}, {"Choose what to do with zero distances", "ties"}},
       names_of(table, rounded)});
}

void check_scales(const Table& table, const Findings& findings, std::vector<Problem>& problems) {
  std::vector<std::size_t> varying;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (findings.profiles[j].distinct > 1) varying.push_back(j);
  }
  if (varying.size() < 2) return;
  const auto [low, high] = std::minmax_element(varying.begin(), varying.end(), [&](std::size_t a, std::size_t b) {
    return findings.profiles[a].log10_deviation < findings.profiles[b].log10_deviation;
  });
  const double ratio = findings.profiles[*high].log10_deviation - findings.profiles[*low].log10_deviation;
  if (ratio <= kScaleRatioLog10) return;
  const bool extreme = ratio > kExtremeScaleRatioLog10;
  problems.push_back({extreme ? Severity::kStrongWarning : Severity::kWarning,
                      "scales",
                      fmt::format("The standard deviation of '{}' is about 10^{:.1f} times that of '{}'. {} Nothing is "
                                  "rescaled silently, because the order depends on the units.",
                                  table.name(*high), ratio, table.name(*low),
                                  extreme ? "Beside such a column the others do not count at all in a distance."
                                          : "Distances are decided by the columns with the large scales."),
                      {{"Give the columns in comparable units"}},
                      {table.name(*low), table.name(*high)}});
}

std::vector<Problem> judge(const Table& table, const Findings& findings, const Context& context) {
  std::vector<Problem> problems;
  check_size(table, problems);
  if (table.rows() < 2) return problems;
  check_constant(table, findings, problems);
  check_copies(table, findings, problems);
  check_repeated_rows(table, context, problems);
  check_distinct_values(table, findings, problems);
  check_scales(table, findings, problems);
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.severity > b.severity; });
  return problems;
}

[[noreturn]] void refuse(const Table& table, const std::vector<Problem>& problems) {
  constexpr std::size_t kShown = 5;
  const auto errors = static_cast<std::size_t>(std::count_if(
      problems.begin(), problems.end(), [](const Problem& problem) { return problem.severity == Severity::kError; }));
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < std::min(errors, kShown); ++i) sentences.push_back(problems[i].text);
  if (errors > kShown) {
    sentences.push_back(
        fmt::format("There are {} more such problems; a check of the table lists them.", errors - kShown));
  }
  // One list of columns is one thing to do, however many findings they come from.
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < errors; ++i) {
    if (problems[i].code == "constant") {
      columns.insert(columns.end(), problems[i].columns.begin(), problems[i].columns.end());
    } else if (!problems[i].columns.empty()) {
      columns.push_back(problems[i].columns.back());
    }
  }
  throw Error(ErrorCategory::kData,
              fmt::format("{}{}", table.source().empty() ? "" : table.source() + ": ", fmt::join(sentences, "\n")),
              columns.empty() ? problems.front().remedies : drop(columns));
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote: return "note";
    case Severity::kWarning: return "warning";
    case Severity::kStrongWarning: return "strong warning";
    case Severity::kError: return "error";
  }
  return "error";
}

Warning to_warning(const Problem& problem) {
  return {problem.code, problem.text, fmt::format("{}", fmt::join(problem.columns, ", ")), problem.remedies};
}

Json to_json(const Problem& problem, const Spelling& spelling) {
  return {{"severity", severity_name(problem.severity)},
          {"code", problem.code},
          {"text", problem.text},
          {"remedy", remedy_text(problem.remedies, spelling)},
          {"remedies", to_json(problem.remedies)},
          {"columns", problem.columns}};
}

std::vector<Problem> check_table(const Table& table, const Context& context) {
  return judge(table, inspect_columns(table, context), context);
}

PreparedTable prepare_table(const Table& table, ConstantPolicy policy, const Context& context) {
  PreparedTable prepared;
  Findings findings = inspect_columns(table, context);
  std::vector<bool> dropped(table.columns(), false);
  if (policy == ConstantPolicy::kDrop && table.rows() >= 2) {
    std::vector<Problem> reasons;
    check_constant(table, findings, reasons);
    check_copies(table, findings, reasons);
    for (Problem& reason : reasons) {
      const bool copy = reason.code != "constant";
      reason.text +=
          fmt::format(" Left out, as was asked: {}.", copy ? reason.columns.back() : enumerate(reason.columns));
      reason.remedies.clear();
      prepared.warnings.push_back(to_warning(reason));
    }
    for (const std::size_t j : findings.constant) dropped[j] = true;
    for (const ColumnCopy& found : findings.copies) dropped[found.copy] = true;
  }
  std::vector<ColumnProfile> kept_profiles;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (dropped[j]) continue;
    prepared.kept.push_back(j);
    kept_profiles.push_back(findings.profiles[j]);
  }
  if (prepared.kept.empty()) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}Every column is constant, so that nothing is left without constant columns.",
                            table.source().empty() ? "" : table.source() + ": "),
                {{"Give columns that vary"}});
  }
  if (prepared.kept.size() == table.columns()) {
    prepared.table = table;
  } else {
    prepared.table = table.with_columns(prepared.kept);
    findings = {std::move(kept_profiles), {}, {}};
  }
  const std::vector<Problem> problems = judge(prepared.table, findings, context);
  if (!problems.empty() && problems.front().severity == Severity::kError) refuse(table, problems);
  for (const Problem& problem : problems) {
    if (problem.severity != Severity::kNote) prepared.warnings.push_back(to_warning(problem));
  }
  return prepared;
}

}  // namespace olem
