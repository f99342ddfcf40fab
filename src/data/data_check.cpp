#include "olem/data_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "data/check_parts.h"
#include "data/column_profile.h"
#include "olem/error.h"
#include "olem/warning_codes.h"

namespace olem {

using namespace internal;

namespace {

// The standard error of a nearest-neighbour entropy is about sqrt((Var ln f + pi^2 / 6) / n), 0.2 nats for a normal
// variable and 50 rows. Noises whose scales differ by less than a fifth cannot be told apart then.
constexpr std::size_t kFewRows = 50;
// Each value stands in two rows on average: the column was rounded, or counts something.
constexpr std::size_t kRoundedRowsPerValue = 2;
constexpr double kScaleRatioLog10 = 3.0;

constexpr const char* kSayWhatYouKnow = "Rely on what you know";

using Remedies = std::vector<Remedy>;

// For columns without which the table can be used.
Remedies drop(const std::vector<std::string>& columns) {
  const Remedy by_name = leave_out(columns);
  return {by_name, {by_name.advice, "constant", "drop"}};
}

// Of constant columns and copies: what may be left out, and what a task names, so that it must go there first.
struct Superfluous {
  std::vector<std::string> spare;
  std::vector<std::string> named;
  bool earlier = false;  // of two copies the first one is spare, which --constant drop would keep

  void add(const std::string& name, const ReadFacts* facts) { (is_named(name, facts) ? named : spare).push_back(name); }
  void add_copy(const std::string& original, const std::string& copy, const ReadFacts* facts) {
    if (!is_named(copy, facts) || is_named(original, facts)) {
      add(copy, facts);
    } else {
      spare.push_back(original);
      earlier = true;
    }
  }
  Remedies remedies() const {
    if (named.empty() && !earlier) return drop(spare);
    Remedies result;
    if (!named.empty()) result.push_back({fmt::format("Take {} out of the task", enumerate(named))});
    if (!spare.empty()) result.push_back(leave_out(spare));
    return result;
  }

 private:
  static bool is_named(const std::string& name, const ReadFacts* facts) {
    return facts != nullptr && std::find(facts->roles.begin(), facts->roles.end(), name) != facts->roles.end();
  }
};

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

void check_constant(const Table& table, const Findings& findings, const ReadFacts* facts,
                    std::vector<Problem>& problems) {
  if (findings.constant.empty()) return;
  std::vector<std::string> items;
  Superfluous superfluous;
  for (const std::size_t j : findings.constant) {
    superfluous.add(table.name(j), facts);
    items.push_back(fmt::format("'{}' (always {})", table.name(j), table.at(0, j)));
  }
  const bool one = items.size() == 1;
  problems.push_back({Severity::kError, "constant",
                      fmt::format("{} constant: {}. A column that never changes has no place in an order.",
                                  one ? "1 column is" : fmt::format("{} columns are", items.size()), enumerate(items)),
                      superfluous.remedies(), names_of(table, findings.constant)});
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

void check_copies(const Table& table, const Findings& findings, const ReadFacts* facts,
                  std::vector<Problem>& problems) {
  constexpr const char* kCodes[] = {"equal", "proportional", "affine"};
  for (const ColumnCopy& found : findings.copies) {
    const std::string& original = table.name(found.original);
    const std::string& copy = table.name(found.copy);
    Superfluous superfluous;
    superfluous.add_copy(original, copy, facts);
    problems.push_back({Severity::kError,
                        kCodes[static_cast<std::size_t>(found.kind)],
                        copy_text(original, copy, found),
                        superfluous.remedies(),
                        {original, copy}});
  }
}

// Rounding is no fault: it is worth knowing where distances between rows are used.
void check_rounding(const CheckedTable& checked, std::vector<Problem>& problems) {
  const std::size_t rows = checked.table.rows();
  std::vector<std::size_t> rounded;
  for (std::size_t j = 0; j < checked.table.columns(); ++j) {
    if (checked.distinct[j] > 1 && !is_discrete(checked.about[j].type) &&
        checked.distinct[j] * kRoundedRowsPerValue < rows)
      rounded.push_back(j);
  }
  if (rounded.empty()) return;
  const auto fewest = *std::min_element(rounded.begin(), rounded.end(), [&](std::size_t a, std::size_t b) {
    return checked.distinct[a] < checked.distinct[b];
  });
  problems.push_back({Severity::kNote,
                      "rounded",
                      fmt::format("{} fewer than {} distinct values in {} rows; '{}' has the fewest, {}. The values "
                                  "look rounded, and small sets of columns will have zero distances.",
                                  rounded.size() == 1 ? "1 column has" : fmt::format("{} columns have", rounded.size()),
                                  (rows + 1) / 2, rows, checked.table.name(fewest), checked.distinct[fewest]),
                      {{"Give the values with all their digits if you have them"}},
                      names_of(checked.table, rounded)});
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
  problems.push_back({Severity::kNote,
                      "scales",
                      fmt::format("The standard deviation of '{}' is about 10^{:.1f} times that of '{}'. Nothing is "
                                  "rescaled silently; learners that compare noises in the columns' own units say so "
                                  "where it matters.",
                                  table.name(*high), ratio, table.name(*low)),
                      {{"Give the columns in comparable units"}},
                      {table.name(*low), table.name(*high)}});
}

CheckedTable look_at(const Table& table, const Findings& findings, const ReadFacts* facts) {
  CheckedTable checked{table, facts, {}, {}, {}, {}, {}};
  checked.missing.resize(table.columns());
  for (std::size_t j = 0; j < table.columns(); ++j) {
    checked.about.push_back(known_column(table, j));
    checked.distinct.push_back(findings.profiles[j].distinct);
    checked.usable.push_back(findings.profiles[j].distinct > 1);
  }
  for (const ColumnCopy& copy : findings.copies) checked.usable[copy.copy] = false;
  return checked;
}

// Types, once more without the cells that are no observations.
void look_again(CheckedTable& checked) {
  for (std::size_t j = 0; j < checked.table.columns(); ++j) {
    if (checked.table.about(j).declared || checked.about[j].type == ColumnType::kCategory) continue;
    if (checked.missing[j].empty() && checked.left_out.empty()) continue;
    std::vector<double> cells;
    for (std::size_t i = 0; i < checked.table.rows(); ++i) {
      if (!checked.is_missing(i, j)) cells.push_back(checked.table.at(i, j));
    }
    checked.about[j] = guess_column(cells);
    std::sort(cells.begin(), cells.end());
    checked.distinct[j] = static_cast<std::size_t>(std::unique(cells.begin(), cells.end()) - cells.begin());
    checked.usable[j] = checked.usable[j] && checked.distinct[j] > 1;
  }
}

std::vector<Problem> judge(const Table& table, const Findings& findings, const Context& context, CheckDepth depth,
                           const ReadFacts* facts) {
  std::vector<Problem> problems;
  check_size(table, problems);
  if (table.rows() < 2) return problems;
  check_constant(table, findings, facts, problems);
  check_copies(table, findings, facts, problems);
  CheckedTable checked = look_at(table, findings, facts);
  check_units_row(checked, problems);
  check_sentinels(checked, problems);
  check_totals(checked, problems);
  look_again(checked);
  check_outliers(checked, context, problems);
  check_repeats(checked, context, problems);
  const bool thorough = depth == CheckDepth::kThorough;
  check_groups(checked, thorough, context, problems);
  check_time_series(checked, context, problems);
  check_identifiers(checked, problems);
  check_dates(checked, problems);
  check_derived(checked, thorough ? 3 : 2, context, problems);
  check_levels(checked, problems);
  check_similar_levels(checked, problems);
  check_digits(checked, problems);
  check_rounding(checked, problems);
  check_scales(table, findings, problems);
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.severity > b.severity; });
  return problems;
}

[[noreturn]] void refuse(const Table& table, const ReadFacts* facts, const std::vector<Problem>& problems) {
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
  Superfluous superfluous;
  bool columns = false;
  for (std::size_t i = 0; i < errors; ++i) {
    const std::vector<std::string>& names = problems[i].columns;
    columns = columns || !names.empty();
    if (problems[i].code == "constant") {
      for (const std::string& name : names) superfluous.add(name, facts);
    } else if (!names.empty()) {
      superfluous.add_copy(names.front(), names.back(), facts);
    }
  }
  throw Error(ErrorCategory::kData,
              fmt::format("{}{}", table.source().empty() ? "" : table.source() + ": ", fmt::join(sentences, "\n")),
              columns ? superfluous.remedies() : problems.front().remedies);
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
  Json json = {{"severity", severity_name(problem.severity)},
               {"code", problem.code},
               {"text", problem.text},
               {"remedy", remedy_text(problem.remedies, spelling)},
               {"remedies", to_json(problem.remedies)},
               {"columns", problem.columns}};
  for (const std::size_t row : problem.rows) json["rows"].push_back(row + 1);
  return json;
}

std::vector<Problem> check_table(const Table& table, const Context& context, CheckDepth depth, const ReadFacts* facts) {
  return judge(table, inspect_columns(table, context), context, depth, facts);
}

bool could_change_decision(std::string_view code) {
  const WarningCode* const known = find_warning_code(code);
  return known != nullptr && known->could_change_decision;
}

PreparedTable prepare_table(const Table& table, ConstantPolicy policy, const Context& context, const ReadFacts* facts) {
  PreparedTable prepared;
  Findings findings = inspect_columns(table, context);
  std::vector<bool> dropped(table.columns(), false);
  if (policy == ConstantPolicy::kDrop && table.rows() >= 2) {
    std::vector<Problem> reasons;
    check_constant(table, findings, nullptr, reasons);
    check_copies(table, findings, nullptr, reasons);
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
  const std::vector<Problem> problems = judge(prepared.table, findings, context, CheckDepth::kCheap, facts);
  if (!problems.empty() && problems.front().severity == Severity::kError) refuse(table, facts, problems);
  for (const Problem& problem : problems) {
    if (problem.severity != Severity::kNote) prepared.warnings.push_back(to_warning(problem));
  }
  return prepared;
}

PreparedTable prepare_table(const Table& table, ConstantPolicy policy, std::span<const std::string> no_variables,
                            const Context& context, const ReadFacts* facts) {
  std::vector<std::size_t> variables;
  std::vector<std::size_t> others;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const bool other = std::find(no_variables.begin(), no_variables.end(), table.name(j)) != no_variables.end();
    (other ? others : variables).push_back(j);
  }
  if (others.empty() || variables.empty()) return prepare_table(table, policy, context, facts);
  PreparedTable prepared = prepare_table(table.with_columns(variables), policy, context, facts);
  for (std::size_t& column : prepared.kept) column = variables[column];
  prepared.kept.insert(prepared.kept.end(), others.begin(), others.end());
  std::sort(prepared.kept.begin(), prepared.kept.end());
  prepared.table = table.with_columns(prepared.kept);
  return prepared;
}

}  // namespace olem
