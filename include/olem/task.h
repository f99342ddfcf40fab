#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "olem/column_types.h"
#include "olem/context.h"
#include "olem/data_check.h"
#include "olem/error.h"
#include "olem/json.h"
#include "olem/knowledge.h"
#include "olem/lever.h"
#include "olem/named_value.h"
#include "olem/region.h"
#include "olem/table.h"
#include "olem/task_rows.h"

namespace olem {

// Sum of weight x value over alterable variables, at most `max`. The value of a level is its number; a weight of
// "NAME=LEVEL" counts when NAME has that level.
struct AlterationConstraint {
  std::vector<NamedValue> weights;
  double max = 0.0;
};

// The cost of one lever beside its weight. Power 1: weight x |value - datum|; power 2: weight x (value - datum)^2, both
// in the user's units. Without a datum the change is counted from what is expected without action.
struct CostForm {
  std::string name;
  std::optional<double> datum;
  int power = 1;
  bool operator==(const CostForm&) const = default;
};

// One step of a sequence of decisions: what is altered, and what is observed before the next step.
struct SequenceStep {
  std::vector<std::string> alter;
  std::vector<std::string> then_observe;
  bool operator==(const SequenceStep&) const = default;
};

// A value of one variable as a user wrote it: the word of a level, or a number.
struct NamedWord {
  std::string name;
  std::string word;
};

// How a table is read and made ready.
struct ReadingOptions {
  ReadOptions read;
  ConstantPolicy constant = ConstantPolicy::kError;
};

// Sets the option `key`: one of read_option_keys, or "constant". A usage error for a text that means nothing.
void set_reading_option(ReadingOptions& options, const std::string& key, const std::string& text);

// A decision to make: what is observed, what may be altered and what is wanted, all by column name. docs/task.md.
struct Task {
  std::string source;                     // the file it was read from, for messages and as the place of `data`
  std::string name;                       // what people call it, for reports; may be empty
  std::string note;                       // what they should know about it; may be empty
  std::string data;                       // path of the table, relative to the task file; may be empty
  std::vector<std::string> context;       // observed before the decision
  std::vector<LeverDomain> alterable;     // with the domain of each
  std::vector<std::string> outcome;       // what the decision is for
  Region desired;                         // of the outcomes, in their order; levels as they were written
  std::vector<NamedValue> observed;       // values of the context; may be empty
  std::vector<NamedWord> observed_words;  // those that are given by the word of a level
  std::vector<std::string> unknown;       // those that are said to be not known
  std::vector<NamedValue> cost;      // weights of the change from what is expected without action; others cost nothing
  std::vector<CostForm> cost_forms;  // of those whose cost is not weight x |change|
  std::optional<int> max_alterations;  // how many variables a decision may alter
  std::vector<AlterationConstraint> constraints;
  std::vector<SequenceStep> sequence;  // steps of the decision, the first one first; none: everything at once
  std::vector<std::pair<std::string, std::string>> before;  // known order: first comes before second
  std::vector<std::string> known_before;   // settled before the levers are set, without a value at decision time
  std::vector<std::string> after;          // behind the outcomes: neither fitted nor used
  std::vector<std::string> ignore;         // not read, not used
  std::vector<ColumnDeclaration> columns;  // what is known of the columns themselves
  std::vector<SetByHand> set_by_hand;      // variables that somebody set from outside in some rows
  std::string group;                       // column of the groups that the rows belong to; may be empty
  std::string weight;                      // column that says how often a row counts; may be empty
  std::string time;                        // column that rows are in time order by; may be empty
  // How the table is read: keys of read_option_keys and "constant", each with its value as a user would type it.
  std::vector<std::pair<std::string, std::string>> reading;
};

// Reads a JSON object with these members as keys, comments (//) allowed. An entry of "before" may be a chain of more
// than two names. Throws a file error, or a data error with the line for anything that is not of the right shape: an
// unknown key (with the closest one), a wrong type, a region that does not fit the outcomes. Whether the task makes
// sense for a table is what resolve_task and check_task find out.
Task read_task(const std::string& path);
Task parse_task(std::string_view text, const std::string& source);

// parse_task reads it back to an equal task.
Json to_json(const Task& task);

// Whether a file that begins like this is a task and not a table: its first character, apart from blanks and comments,
// is a brace.
bool looks_like_task(std::string_view beginning);

// The columns that the task leaves out: `after` and `ignore`. Readers need not read them.
std::vector<std::string> unused_columns(const Task& task);

// The table without them and without the row_columns. Names that it does not have are no error here.
Table without_unused(const Task& task, const Table& table);
// What "reading" says, with declared_words; all else as it is by default. Give its `read` to read_table.
ReadingOptions reading_options(const Task& task);

// The columns that may hold words, however many there are: those that "columns" declares as category or ordinal, which
// declare_columns then gives the declared type and order.
std::vector<DeclaredType> declared_words(const Task& task);

// The table with what "columns" says about it: declare_columns. What was not read may be declared: `read` says how the
// table was, as "reading" says by default.
Table declare_columns(const Table& table, const Task& task, const ReadOptions& read);
Table declare_columns(const Table& table, const Task& task);

// Where the table is. A data error when the task names none.
std::string data_path(const Task& task);

// Mean, deviation and range of every column. O(n d).
std::vector<ColumnSummary> summarise_columns(const Table& table);

// A task that makes sense for one table. Numbers are columns of that table.
struct ResolvedTask {
  std::vector<std::size_t> context;       // these three in the order of the task
  std::vector<std::size_t> alterable;     //
  std::vector<std::size_t> outcome;       //
  std::vector<std::size_t> intermediate;  // between context and outcome, so with the alterable ones; ascending
  std::vector<LeverDomain> domains;       // of the alterable ones, resolved
  std::vector<ColumnSummary> columns;     // of all columns
  Knowledge knowledge;                    // task_knowledge with stages
  RegionCentre centre;
  std::vector<Warning> warnings;
};

// `table`: without the unused columns of the task.
//
// Throws the first error of check_task, if there is one: a data error, or a task error where the task cannot be solved
// as stated. Its warnings become warnings of the result. The observed context is left to read_contexts.
ResolvedTask resolve_task(const Task& task, const Table& table, const Context& context);

// Throws a data error for a column with two roles and for a name that the table does not have.
void check_task_columns(const Task& task, const Table& table);

// What the checks of a table should know of a task: its columns with a role.
void add_roles(ReadFacts& facts, const Task& task);

// Of an error that check_task found: kTask when the task cannot be solved as stated, kData otherwise.
ErrorCategory problem_category(const Problem& problem);

// The steps of the decision with all levers: those in no entry of "sequence" belong to the first. Without a sequence
// one step with all of them.
std::vector<SequenceStep> decision_steps(const Task& task);

// What the task says about the order of the columns `names`: the pairs of "before", those that "sequence" implies,
// "known_before" before the levers, and, with `stages`, the tiers context, known_before, everything else, outcomes.
Knowledge task_knowledge(const Task& task, const std::vector<std::string>& names, bool stages = true);

// What becomes of a context variable whose value is not known.
enum class UnknownPolicy {
  kError,  // it is refused
  kDraw,   // it is drawn from its distribution given the context values that are known
};

// Everything that is wrong or doubtful about a task for this table, the most severe first; docs/checks.md explains the
// codes. What is observed of the context is judged as read_contexts does. Does not throw on bad tasks. Costs a few
// linear programmes of the size of region and constraints.
std::vector<Problem> check_task(const Task& task, const Table& table, const Context& context,
                                UnknownPolicy unknown = UnknownPolicy::kError);

// Where contexts come from beside the task itself.
struct ContextSources {
  std::vector<NamedWord> values;  // of context variables, as typed: numbers and words of levels
  std::string file;               // CSV with a column for every context variable; may be empty
};

// The contexts to decide for: one row per decision, with one value per context variable in the order of the task. Rows
// of the file, or else one row of `observed`, in which `values` replace or add to what the task says. A task without
// context has one row without values. Other columns of the file are not read.
//
// Throws a usage error for a value that is not finite or is given twice, a name that is no context variable and for
// values beside a file; a file error; a data error that names file, line and column for cells that are missing, no
// finite numbers and no levels, for context variables without a value, and for observed values of variables that are no
// context. `about` tells of each context variable, in the order of the task, what its column is: a level may be given
// by its word. Without it all are numbers. With UnknownPolicy::kDraw a context variable may lack its value, its cell or
// its column: NaN stands for it, which decision_problem() and known_context() understand.
std::vector<std::vector<double>> read_contexts(const Task& task, const ContextSources& sources, const Context& context,
                                               std::span<const Column> about = {},
                                               UnknownPolicy unknown = UnknownPolicy::kError);

// The name of the group to decide for, from the values that are given or else from what the task observed; empty: a new
// one, or there are no groups.
std::string observed_group(const Task& task, std::span<const NamedWord> given = {});

// The values of such a row that are known, by name.
std::vector<NamedValue> known_context(const Task& task, std::span<const double> values);

// The rows of such a file, of its text; `source` begins every message. Needs at least one context variable.
std::vector<std::vector<double>> parse_contexts(const Task& task, std::string_view text, const std::string& source,
                                                const Context& context, std::span<const Column> about = {},
                                                UnknownPolicy unknown = UnknownPolicy::kError);

// What is known of the context variables, in the order of the task.
std::vector<Column> context_columns(const Task& task, std::span<const NamedColumn> columns);

// "extrapolation" for each value that lies outside of the range of its column by more than that range. `columns` and
// `values` have one entry per context variable.
std::vector<Warning> context_warnings(const Task& task, std::span<const ColumnSummary> columns,
                                      std::span<const double> values);

}  // namespace olem
