#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/integer_programme.h"
#include "data/check_roles.h"
#include "data/observed_context.h"
#include "data/sequence.h"
#include "olem/options.h"
#include "olem/task.h"

namespace olem {

using namespace internal;

namespace {

using Problems = std::vector<Problem>;

constexpr std::string_view kEmptyRegion = "empty_region";
constexpr std::string_view kNoFeasibleDecision = "no_feasible_decision";

// A domain may reach this many standard deviations beyond what was observed before it is worth a warning. Domains that
// end near the data are the rule, since decisions are meant to change something.
constexpr double kFarDomain = 2.0;

// A gap is at least this share of the range of the column, with this share of the rows on either side.
constexpr double kGapWidth = 0.3;
constexpr double kGapRows = 0.05;
constexpr std::size_t kRowsForGaps = 30;

constexpr double kLargestWeight = 1e15;  // linear programmes of larger numbers are not solved reliably

// Longer lists of values are taken for intervals where constraints are compared.
constexpr std::size_t kMostListed = 1000;

std::string prefix(const Task& task) { return task.source.empty() ? "" : task.source + ": "; }

void add_error(Problems& problems, std::string_view code, std::string text, const std::string& advice,
               std::vector<std::string> columns = {}) {
  problems.push_back({Severity::kError, std::string(code), std::move(text), {{advice}}, std::move(columns)});
}

// The same about an error that was thrown, without the name of the file, which the caller knows.
void add_error(Problems& problems, std::string_view code, const Error& error, const Task& task,
               std::vector<std::string> columns = {}) {
  const std::string& text = error.finding();
  problems.push_back({Severity::kError, std::string(code),
                      text.starts_with(prefix(task)) ? text.substr(prefix(task).size()) : text, error.remedies(),
                      std::move(columns)});
}

std::vector<std::string> alterable_names(const Task& task) {
  std::vector<std::string> names;
  for (const LeverDomain& domain : task.alterable) names.push_back(domain.name);
  return names;
}

std::string did_you_mean(const std::string& name, std::span<const std::string> candidates, std::string_view otherwise) {
  const std::string near = closest_name(name, candidates);
  return near.empty() ? std::string(otherwise) : fmt::format("Did you mean '{}'?", near);
}

void check_roles(const Task& task, Problems& problems) {
  if (task.outcome.empty()) {
    add_error(problems, "no_outcome", "The task names no outcome.", "List at least one column under \"outcome\"");
  }
  if (task.alterable.empty()) {
    add_error(problems, "no_alterable", "The task names no variable that may be altered.",
              "Give at least one column and its domain under \"alterable\"");
  }
  std::map<std::string, std::string_view> role_of;
  const auto add = [&](const std::string& name, std::string_view role) {
    const auto [place, added] = role_of.emplace(name, role);
    if (added) return;
    add_error(problems, "roles",
              place->second == role ? fmt::format("'{}' stands twice in \"{}\".", name, role)
                                    : fmt::format("'{}' stands in \"{}\" and in \"{}\".", name, place->second, role),
              "Give every variable one role only", {name});
  };
  for (const std::string& name : task.context) add(name, "context");
  for (const LeverDomain& domain : task.alterable) add(domain.name, "alterable");
  for (const std::string& name : task.outcome) add(name, "outcome");
  for (const std::string& name : task.known_before) add(name, "known_before");
  for (const std::string& name : task.after) add(name, "after");
  for (const std::string& name : task.ignore) add(name, "ignore");
  for (const SetByHand& entry : task.set_by_hand) {
    if (!entry.column.empty() && role_of.contains(entry.column)) add(entry.column, "set_by_hand");
  }
  if (!task.group.empty()) add(task.group, "group");
  if (!task.weight.empty()) add(task.weight, "weight");
  if (!task.time.empty() && std::find(task.context.begin(), task.context.end(), task.time) == task.context.end())
    add(task.time, "time");
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the task says that keeps a column from being read; "" where nothing does.
std::string left_out_by(const Task& task, const std::string& name) {
  const ReadOptions read = reading_options(task).read;
  if (holds(read.drop_columns, name)) return "\"drop_columns\" in \"reading\" leaves out";
  if (!read.columns.empty() && !holds(read.columns, name)) return "\"columns\" in \"reading\" lacks";
  if (holds(task.after, name)) return "\"after\" leaves out";
  return holds(task.ignore, name) ? "\"ignore\" leaves out" : "";
}

void check_names(const Task& task, const Table& table, Problems& problems) {
  const auto check = [&](const std::string& name, std::string_view key) {
    if (table.find(name)) return;
    // A column with two roles is named already.
    if (key != "before" && (holds(task.after, name) || holds(task.ignore, name))) return;
    if (const std::string by = left_out_by(task, name); !by.empty()) {
      add_error(problems, "unknown_column", fmt::format("\"{}\" names '{}', which {}.", key, name, by),
                "Take it out of one of the two", {name});
      return;
    }
    add_error(problems, "unknown_column",
              fmt::format("There is no column '{}', which \"{}\" names{}.", name, key,
                          table.source().empty() ? "" : ", in " + table.source()),
              did_you_mean(name, table.names(), "Correct the name; upper and lower case matter"), {name});
  };
  for (const std::string& name : task.context) check(name, "context");
  for (const LeverDomain& domain : task.alterable) check(domain.name, "alterable");
  for (const std::string& name : task.outcome) check(name, "outcome");
  for (const std::string& name : task.known_before) check(name, "known_before");
  for (const auto& [first, second] : task.before) {
    check(first, "before");
    check(second, "before");
  }
}

// Why a domain cannot be chosen from, without the name of the file.
void add_domain_error(Problems& problems, const LeverDomain& domain, const Error& error) {
  problems.push_back({Severity::kError, "domain", error.finding(), error.remedies(), {domain.name}});
}

// The domains in numbers, as many as make sense. What the columns of unknown names hold is not known.
std::vector<LeverDomain> check_domains(const Task& task, const Table& table, Problems& problems) {
  std::vector<LeverDomain> domains;
  for (const LeverDomain& domain : task.alterable) {
    const std::optional<std::size_t> column = table.find(domain.name);
    if (!column && !domain.words.empty()) continue;
    try {
      domains.push_back(resolve_lever(domain, column ? table.about(*column) : Column()));
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kData) throw;
      add_domain_error(problems, domain, error);
      continue;
    }
    const LeverDomain& found = domains.back();
    if (found.low == found.high) {
      problems.push_back(
          {Severity::kNote,
           "fixed_domain",
           fmt::format("The domain of '{}' has the one value {}: it can be set to nothing else.", domain.name,
                       column ? value_name(table.about(*column), found.low) : fmt::format("{}", found.low)),
           {{"Widen the domain if other values are possible"}},
           {domain.name}});
    }
  }
  return domains;
}

// A weight of "NAME=LEVEL": whether NAME is a lever and LEVEL one of its levels.
void check_level_weight(const Task& task, const Table& table, std::size_t number, const LevelOf& level,
                        const std::string& name, Problems& problems) {
  const std::string& lever = task.alterable[level.lever].name;
  const std::optional<std::size_t> column = table.find(lever);
  if (!column || find_level(table.about(*column), level.level)) return;
  const std::string levels = levels_sentence(table.about(*column), level.level);
  add_error(problems, "constraint",
            fmt::format("Constraint {} holds '{}', but '{}' is no level of '{}'.{}", number, name, level.level, lever,
                        levels.empty() ? " It has no levels." : " " + levels),
            "Name a level, or the variable alone", {lever});
}

void check_wishes(const Task& task, const Table& table, Problems& problems) {
  const std::vector<std::string> names = alterable_names(task);
  const auto is_alterable = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const NamedValue& weight : task.cost) {
    if (!is_alterable(weight.name)) {
      add_error(problems, "cost", fmt::format("\"cost\" holds '{}', which is not alterable.", weight.name),
                did_you_mean(weight.name, names, "Name alterable variables only"), {weight.name});
    } else if (!std::isfinite(weight.value) || weight.value < 0.0) {
      add_error(problems, "cost", fmt::format("The cost of '{}' is {}.", weight.name, weight.value),
                "Give a finite number that is not negative", {weight.name});
    } else if (weight.value > kLargestWeight) {
      add_error(problems, "cost",
                fmt::format("The cost of '{}' is {}, beyond {:g}, where nothing can be computed.", weight.name,
                            weight.value, kLargestWeight),
                "Give all costs in a larger unit", {weight.name});
    }
  }
  for (const CostForm& form : task.cost_forms) {
    const std::optional<std::size_t> column = table.find(form.name);
    const bool squared_switch =
        form.power == 2 && column &&
        (table.about(*column).type == ColumnType::kCategory || table.about(*column).type == ColumnType::kBinary);
    if (form.datum && !std::isfinite(*form.datum)) {
      add_error(problems, "cost", fmt::format("The datum of the cost of '{}' is {}.", form.name, *form.datum),
                "Give a finite number", {form.name});
    } else if (squared_switch) {
      add_error(problems, "cost",
                fmt::format("The cost of '{}' is a square, but its levels have no distance.", form.name),
                "Give a weight alone: it is the cost of another level", {form.name});
    }
  }
  for (std::size_t i = 0; i < task.constraints.size(); ++i) {
    const AlterationConstraint& constraint = task.constraints[i];
    bool finite = std::isfinite(constraint.max);
    for (const NamedValue& weight : constraint.weights) {
      finite = finite && std::isfinite(weight.value);
      if (std::isfinite(weight.value) && std::abs(weight.value) > kLargestWeight) {
        add_error(problems, "constraint",
                  fmt::format("Constraint {} holds {} times '{}', beyond {:g}, where nothing can be computed.", i + 1,
                              weight.value, weight.name, kLargestWeight),
                  "Divide all of its numbers by the same one", {weight.name});
      }
      if (is_alterable(weight.name)) continue;
      if (const auto level = find_level_of(task.alterable, weight.name)) {
        check_level_weight(task, table, i + 1, *level, weight.name, problems);
        continue;
      }
      add_error(problems, "constraint",
                fmt::format("Constraint {} holds '{}', which is not alterable.", i + 1, weight.name),
                did_you_mean(weight.name, names, "Name alterable variables only"), {weight.name});
    }
    if (!finite) {
      add_error(problems, "constraint", fmt::format("Constraint {} holds a number that is not finite.", i + 1),
                "Give finite numbers");
    }
  }
  if (task.max_alterations && *task.max_alterations < 1) {
    add_error(problems, "max_alterations", fmt::format("\"max_alterations\" is {}.", *task.max_alterations),
              "Give a whole number of at least 1");
  }
}

// Settings that satisfy the constraints. A lever with a list of values takes one of them: it is the sum of its values,
// each times a number that is 0 or 1. Rows of constraints come first.
IntegerProgramme constraint_programme(const Task& task, const Table& table, const std::vector<LeverDomain>& domains) {
  IntegerProgramme programme;
  LinearProgramme& linear = programme.linear;
  std::map<std::string, std::vector<std::pair<std::size_t, double>>> terms;  // of the names in constraints
  struct Link {
    std::vector<std::size_t> places;
    std::vector<double> entries;
    double sum = 0.0;
  };
  std::vector<Link> links;
  const auto add_lever = [&](const LeverDomain& domain) {
    const std::size_t number = linear.add_variable(0.0, domain.low, domain.high);
    terms[domain.name] = {{number, 1.0}};
    if (!has_values(domain) || domain.values.size() > kMostListed) return;
    Link one{{}, {}, 1.0};
    Link value{{number}, {-1.0}, 0.0};
    const Column& about = table.about(table.index(domain.name));
    for (const double listed : domain.values) {
      const std::size_t chosen = linear.add_variable(0.0, 0.0, 1.0);
      programme.whole.push_back(chosen);
      one.places.push_back(chosen);
      one.entries.push_back(1.0);
      value.places.push_back(chosen);
      value.entries.push_back(listed);
      terms[domain.name + "=" + value_name(about, listed)] = {{chosen, 1.0}};
    }
    links.push_back(std::move(one));
    links.push_back(std::move(value));
  };
  const auto lever_of = [&](const std::string& name) -> const LeverDomain& {
    const auto level = find_level_of(task.alterable, name);
    const std::string& lever = level ? task.alterable[level->lever].name : name;
    return *std::find_if(domains.begin(), domains.end(),
                         [&](const LeverDomain& domain) { return domain.name == lever; });
  };
  for (const AlterationConstraint& constraint : task.constraints) {
    for (const NamedValue& weight : constraint.weights) {
      const LeverDomain& lever = lever_of(weight.name);
      if (!terms.contains(lever.name)) add_lever(lever);
    }
  }
  for (const AlterationConstraint& constraint : task.constraints) {
    std::vector<double> row(linear.size(), 0.0);
    for (const NamedValue& weight : constraint.weights) {
      const LeverDomain& lever = lever_of(weight.name);
      std::string name = weight.name;
      if (name != lever.name) {  // a level, by any of its spellings
        const Column& about = table.about(table.index(lever.name));
        const double level = find_level(about, find_level_of(task.alterable, name)->level)->value;
        name = lever.name + "=" + value_name(about, level);
      }
      const auto term = terms.find(name);
      if (term == terms.end()) continue;  // a level that the lever is never set to
      for (const auto& [place, factor] : term->second) row[place] += weight.value * factor;
    }
    linear.add_row(row, -std::numeric_limits<double>::infinity(), constraint.max);
  }
  for (const Link& link : links) linear.add_row(link.places, link.entries, link.sum, link.sum);
  return programme;
}

bool has_no_solution(const IntegerProgramme& programme, const Context& context) {
  constexpr int kNodes = 10000;  // more are not worth the time: the search looks for itself
  if (solve_linear_programme(programme.linear, {}, context).status == LinearStatus::kInfeasible) return true;
  if (programme.whole.empty()) return false;
  IntegerOptions options;
  options.nodes = kNodes;
  return solve_integer_programme(programme, options, context).status == IntegerStatus::kInfeasible;
}

// Whether some setting of all levers satisfies the constraints.
void check_feasibility(const Task& task, const Table& table, const std::vector<LeverDomain>& domains,
                       const Context& context, Problems& problems) {
  if (task.constraints.empty()) return;
  IntegerProgramme programme = constraint_programme(task, table, domains);
  if (!has_no_solution(programme, context)) return;
  // Constraints without which the others can be satisfied.
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < task.constraints.size(); ++i) {
    double& bound = programme.linear.row_upper[i];
    bound = std::numeric_limits<double>::infinity();
    if (has_no_solution(programme, context)) continue;
    bound = task.constraints[i].max;
    numbers.push_back(fmt::format("{}", i + 1));
  }
  add_error(
      problems, kNoFeasibleDecision,
      numbers.size() == 1
          ? fmt::format("Constraint {} cannot be satisfied within the domains of the alterable variables.", numbers[0])
          : fmt::format("The constraints {} cannot be satisfied at once within the domains of the alterable "
                        "variables.",
                        fmt::join(numbers, " and ")),
      "Widen a domain or loosen a constraint");
}

enum class Stage { kContext, kKnownBefore, kIntermediate, kOutcome };
constexpr std::array<std::string_view, 4> kStageNames = {"context", "known before the levers", "intermediate",
                                                         "an outcome"};

Stage stage_of(const Task& task, const std::string& name) {
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_in(task.context)) return Stage::kContext;
  if (is_in(task.known_before)) return Stage::kKnownBefore;
  return is_in(task.outcome) ? Stage::kOutcome : Stage::kIntermediate;
}

void check_order(const Task& task, const Table& table, Problems& problems) {
  const std::size_t found_before = problems.size();
  for (const auto& [first, second] : task.before) {
    const Stage first_stage = stage_of(task, first);
    const Stage second_stage = stage_of(task, second);
    if (first_stage <= second_stage) continue;
    add_error(problems, "stages",
              fmt::format("\"before\" puts '{}' before '{}', but '{}' is {} and '{}' is {}: the context comes first, "
                          "then what is known before the levers, and the outcomes come last.",
                          first, second, first, kStageNames[static_cast<std::size_t>(first_stage)], second,
                          kStageNames[static_cast<std::size_t>(second_stage)]),
              "Remove the pair, or change a role", {first, second});
  }
  if (problems.size() > found_before) return;
  try {
    Precedence(task_knowledge(task, table.names()), table.names());
  } catch (const Error& error) {
    add_error(problems, "stages", error, task);
  }
}

void check_data_range(const std::vector<LeverDomain>& domains, const Table& table,
                      std::span<const ColumnSummary> columns, Problems& problems) {
  for (const LeverDomain& domain : domains) {
    if (!table.about(table.index(domain.name)).levels.empty()) continue;  // they are what was observed
    const ColumnSummary& column = columns[table.index(domain.name)];
    const double below = (column.low - domain.low) / column.deviation;
    const double above = (domain.high - column.high) / column.deviation;
    if (!(std::max(below, above) > kFarDomain)) continue;
    problems.push_back(
        {Severity::kWarning,
         "extrapolation",
         fmt::format(
             "The domain of '{}', [{:.6g}, {:.6g}], reaches {:.3g} standard deviations beyond its values in the "
             "data, [{:.6g}, {:.6g}]. What a decision does out there is guessed.",
             domain.name, domain.low, domain.high, std::max(below, above), column.low, column.high),
         {{"Narrow the domain"}, {"Look twice at decisions near its ends"}},
         {domain.name}});
  }
}

// The widest stretch inside of a continuous domain in which nobody ever set the lever.
void check_gaps(const std::vector<LeverDomain>& domains, const Table& table, std::span<const ColumnSummary> columns,
                Problems& problems) {
  for (const LeverDomain& domain : domains) {
    const std::size_t j = table.index(domain.name);
    if (has_values(domain) || has_levels(table.about(j).type) || table.rows() < kRowsForGaps) continue;
    const auto cells = table.column(j);
    std::vector<double> sorted(cells.begin(), cells.end());
    std::sort(sorted.begin(), sorted.end());
    const auto at_least = static_cast<std::size_t>(std::ceil(kGapRows * static_cast<double>(sorted.size())));
    double from = 0.0;
    double to = 0.0;
    // A single value apart is an outlier and not one side of a gap.
    for (std::size_t i = at_least; i + at_least <= sorted.size(); ++i) {
      const double low = std::max(sorted[i - 1], domain.low);
      const double high = std::min(sorted[i], domain.high);
      if (high - low > to - from) {
        from = low;
        to = high;
      }
    }
    if (!(to - from > kGapWidth * columns[j].range())) continue;
    problems.push_back({Severity::kWarning,
                        "gap",
                        fmt::format("The domain of '{}', [{:.6g}, {:.6g}], holds a gap in the data: no row has a value "
                                    "between {:.6g} and {:.6g}. What a decision does in between is guessed.",
                                    domain.name, domain.low, domain.high, from, to),
                        {{"Give the values that are possible as \"values\" of the domain, or narrow it"}},
                        {domain.name}});
  }
}

// The centre, unless the region makes no sense.
std::optional<RegionCentre> check_region(const Task& task, const Table& table, std::span<const ColumnSummary> columns,
                                         const Context& context, Problems& problems) {
  std::vector<ColumnSummary> outcomes;
  for (const std::string& name : task.outcome) outcomes.push_back(columns[table.index(name)]);
  try {
    std::vector<Column> about;
    for (const std::string& name : task.outcome) about.push_back(table.about(table.index(name)));
    RegionCentre centre = region_centre(task.desired.resolved(about), outcomes, context);
    for (const Warning& warning : centre.warnings) {
      problems.push_back({Severity::kWarning, warning.code, warning.text, warning.remedies, task.outcome});
    }
    return centre;
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kTask && error.category() != ErrorCategory::kData) throw;
    const bool constant = std::any_of(outcomes.begin(), outcomes.end(),
                                      [](const ColumnSummary& outcome) { return !(outcome.deviation > 0.0); });
    add_error(problems,
              error.category() == ErrorCategory::kTask ? kEmptyRegion
              : constant                               ? "constant_outcome"
                                                       : "desired",
              error, task, task.outcome);
    return std::nullopt;
  }
}

void check_observed(const Task& task, const Table& table, std::span<const ColumnSummary> columns, UnknownPolicy unknown,
                    Problems& problems) {
  if (unknown == UnknownPolicy::kError && !task.context.empty() && task.observed.empty() &&
      task.observed_words.empty() && task.unknown.empty()) {
    problems.push_back({Severity::kError, "no_observed",
                        "The task does not say what was observed of the context. A model can be learned without, but "
                        "nothing can be decided.",
                        observed_remedies("Give its values"), task.context});
    return;
  }
  std::vector<Column> about;
  for (const std::string& name : task.context) about.push_back(table.about(table.index(name)));
  const ObservedContext observed = order_observed(task, observed_texts(task), about, unknown);
  problems.insert(problems.end(), observed.problems.begin(), observed.problems.end());
  if (!observed.problems.empty()) return;
  for (const std::string& name : task.unknown) {
    problems.push_back({Severity::kNote,
                        "unknown_context",
                        fmt::format("The value of the context variable '{}' is not known. It is drawn.", name),
                        {},
                        {name}});
  }
  std::vector<ColumnSummary> of_context;
  for (const std::string& name : task.context) of_context.push_back(columns[table.index(name)]);
  for (const Warning& warning : context_warnings(task, of_context, observed.values)) {
    problems.push_back({Severity::kWarning, warning.code, warning.text, warning.remedies, {warning.where}});
  }
}

void check_observed_group(const Task& task, std::span<const std::string> groups, Problems& problems) {
  const std::string name = observed_group(task);
  if (name.empty() || groups.empty() || std::find(groups.begin(), groups.end(), name) != groups.end()) return;
  problems.push_back(
      {Severity::kError, "observed", unknown_group_text(task, name, groups), {new_group_remedy()}, {task.group}});
}

struct Examination {
  Problems problems;
  Table table;  // with the columns as declared
  bool roles_clear = false;
  std::vector<LeverDomain> domains;
  std::vector<ColumnSummary> columns;
  std::optional<RegionCentre> centre;
  std::vector<std::string> groups;  // of the rows
};

// Later checks need names that exist and roles that are clear, so that they wait for those before them.
Examination examine(const Task& task, const Table& given_table, const Context& context) {
  Examination result;
  const std::vector<std::string> of_rows = row_columns(task);
  const bool has_rows = std::any_of(of_rows.begin(), of_rows.end(),
                                    [&](const std::string& name) { return given_table.find(name).has_value(); });
  // Without its columns nothing can be said about the rows; who calls has taken them apart then.
  if (has_rows) {
    try {
      result.groups = task_rows(task, given_table).group_names;
    } catch (const Error& error) {
      add_error(result.problems, "rows", error, task);
    }
  }
  const Table given = has_rows ? without_unused(task, given_table) : given_table;
  try {
    result.table = declare_columns(given, task);
  } catch (const Error& error) {
    add_error(result.problems, "columns", error, task);
    result.table = given;
  }
  const Table& table = result.table;
  const std::size_t declared = result.problems.size();
  check_roles(task, result.problems);
  check_names(task, table, result.problems);
  check_sequence(task, table, result.problems);
  result.roles_clear = result.problems.size() == declared;
  result.domains = check_domains(task, table, result.problems);
  check_wishes(task, table, result.problems);
  const bool sound = std::none_of(result.problems.begin(), result.problems.end(),
                                  [](const Problem& problem) { return problem.severity == Severity::kError; });
  if (!task.outcome.empty() && !task.desired.is_given()) {
    add_error(result.problems, "no_region", "The task does not say where the outcomes are wanted.",
              "Give a range for each under \"desired\"");
  } else if (task.desired.outcomes() != task.outcome) {
    throw Error(ErrorCategory::kUsage,
                prefix(task) + "The desired region is one of other variables than the outcomes.");
  }
  if (sound) check_feasibility(task, table, result.domains, context, result.problems);
  if (!result.roles_clear) return result;
  check_order(task, table, result.problems);
  result.columns = summarise_columns(table);
  if (sound) {
    check_data_range(result.domains, table, result.columns, result.problems);
    check_gaps(result.domains, table, result.columns, result.problems);
  }
  if (task.desired.is_given()) {
    result.centre = check_region(task, table, result.columns, context, result.problems);
  }
  return result;
}

void sort_by_severity(Problems& problems) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.severity > b.severity; });
}

}  // namespace

std::vector<ColumnSummary> summarise_columns(const Table& table) {
  std::vector<ColumnSummary> summaries;
  const auto count = static_cast<double>(table.rows());
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto column = table.column(j);
    ColumnSummary& summary = summaries.emplace_back();
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    summary.low = *low;
    summary.high = *high;
    double sum = 0.0;
    for (const double value : column) sum += value - summary.low;
    // From the least value on: columns that vary little around a large number keep their digits.
    const double offset = sum / count;
    double squares = 0.0;
    for (const double value : column) {
      const double difference = (value - summary.low) - offset;
      squares += difference * difference;
    }
    summary.mean = summary.low + offset;
    summary.deviation = std::sqrt(squares / count);
  }
  return summaries;
}

Knowledge task_knowledge(const Task& task, const std::vector<std::string>& names, bool stages) {
  Knowledge knowledge;
  knowledge.source = task.source;
  knowledge.before = task.before;
  const auto steps = sequence_pairs(task);
  knowledge.before.insert(knowledge.before.end(), steps.begin(), steps.end());
  if (!stages) {
    for (const std::string& known : task.known_before) {
      for (const LeverDomain& lever : task.alterable) knowledge.before.emplace_back(known, lever.name);
    }
    return knowledge;
  }
  std::vector<std::string> intermediate;
  for (const std::string& name : names) {
    if (stage_of(task, name) == Stage::kIntermediate) intermediate.push_back(name);
  }
  for (const std::vector<std::string>& tier : {task.context, task.known_before, intermediate, task.outcome}) {
    if (!tier.empty()) knowledge.tiers.push_back(tier);
  }
  return knowledge;
}

void check_task_columns(const Task& task, const Table& table) {
  Problems problems;
  check_roles(task, problems);
  check_names(task, table, problems);
  if (!problems.empty())
    throw Error(ErrorCategory::kData, prefix(task) + problems.front().text, problems.front().remedies);
}

ErrorCategory problem_category(const Problem& problem) {
  const bool impossible = problem.code == kEmptyRegion || problem.code == kNoFeasibleDecision;
  return impossible ? ErrorCategory::kTask : ErrorCategory::kData;
}

std::vector<Problem> check_task(const Task& task, const Table& table, const Context& context, UnknownPolicy unknown) {
  Examination result = examine(task, table, context);
  if (result.roles_clear) {
    check_observed(task, result.table, result.columns, unknown, result.problems);
    check_observed_group(task, result.groups, result.problems);
    check_intermediates(task, result.table, result.problems);
    check_ordered_codes(task, result.table, result.problems);
    check_last_step(task, result.problems);
  }
  sort_by_severity(result.problems);
  return result.problems;
}

void add_roles(ReadFacts& facts, const Task& task) {
  facts.outcomes = task.outcome;
  facts.roles = task.context;
  facts.roles.insert(facts.roles.end(), task.known_before.begin(), task.known_before.end());
  for (const LeverDomain& lever : task.alterable) facts.roles.push_back(lever.name);
  facts.roles.insert(facts.roles.end(), task.outcome.begin(), task.outcome.end());
}

ResolvedTask resolve_task(const Task& task, const Table& table, const Context& context) {
  Examination examination = examine(task, table, context);
  sort_by_severity(examination.problems);
  ResolvedTask resolved;
  for (const Problem& problem : examination.problems) {
    if (problem.severity == Severity::kError) {
      throw Error(problem_category(problem), prefix(task) + problem.text, problem.remedies);
    }
    if (problem.severity == Severity::kNote) continue;
    resolved.warnings.push_back(to_warning(problem));
  }
  for (const std::string& name : task.context) resolved.context.push_back(table.index(name));
  for (const LeverDomain& domain : task.alterable) resolved.alterable.push_back(table.index(domain.name));
  for (const std::string& name : task.outcome) resolved.outcome.push_back(table.index(name));
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const Stage stage = stage_of(task, table.name(j));
    if (stage == Stage::kIntermediate || stage == Stage::kKnownBefore) resolved.intermediate.push_back(j);
  }
  resolved.domains = std::move(examination.domains);
  resolved.columns = std::move(examination.columns);
  resolved.knowledge = task_knowledge(task, table.names());
  resolved.centre = std::move(examination.centre).value();
  return resolved;
}

}  // namespace olem
