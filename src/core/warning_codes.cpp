#include "olem/warning_codes.h"

#include <algorithm>
#include <array>

namespace olem {

namespace {

// tools/check_warnings.py compares these with the codes that the sources give.
constexpr WarningCode kWarningCodes[] = {
    {"absurd_draws", true,
     "Many draws were not finite, or lay absurdly far from the data. The samplers cannot be relied on at this "
     "decision, so the probability of success is not reliable either.",
     "Narrow the domains of the levers to the range of the data, or try another sampler."},
    {"affine", false,
     "A column is a multiple of another one plus a number, such as a temperature in Celsius and in Fahrenheit. No "
     "method can tell the two apart.",
     "Keep one of the two columns."},
    {"after_outcome", false,
     "A column without a role goes with an outcome far beyond what levers and context explain. It may come after the "
     "outcome.",
     "List the column under \"after\" in the task if it comes after the outcome."},
    {"always_set", false,
     "A variable was set from outside in nearly all rows. Nothing is known of what it does when it is left alone, so "
     "that it is then drawn like the values that were set.",
     "Give rows in which it was left alone, or alter it in every decision."},
    {"beyond_data", true,
     "The decision leads to where there is no data. Most of the uncertainty is that of the models, so the probability "
     "of success is unreliable.",
     "Narrow the domains of the levers to the range of the data, or give rows near the decision."},
    {"broken_log_line", false,
     "A line of the log of decisions cannot be read and was left out. A crash while a decision was logged leaves such "
     "a "
     "line behind.",
     "Delete the line, or mend it where its content is known."},
    {"calibration", true,
     "Forecasts near the observed context and the recommended values are too narrow or too wide, measured on held-out "
     "rows that lie near them. The probability of success is then more or less uncertain than its interval says.",
     "Compare with another sampler, and give more rows near these conditions."},
    {"claims_off", true,
     "Of the earlier decisions more or fewer came true than their claimed probabilities allow for (two-sided test at "
     "5 %). New claims of the same model are then too high or too low as well.",
     "Bring the model up to date with the rows that came out, or fit it again; look for drift in these rows."},
    {"codes", false,
     "A category with three or more levels is taken by the numbers of its levels, as if these were quantities: by the "
     "sampler that is to explain it by other columns, or by the method that learns the order or the graph.",
     "Choose the sampler or the method that takes every column by its type, or leave the column out."},
    {"collider_conflicts", false,
     "Independence tests contradict each other. Colliders were left out because one of their edges had already been "
     "directed the other way by a surer collider or by knowledge.",
     "Compare with the graph at a smaller level of the tests."},
    {"columns", false, "What the task declares about a column does not fit the data.",
     "Correct the cells that the message names, or the entry under \"columns\" in the task."},
    {"constant", false, "All values of a column are equal. Nothing can be learned from it.", "Leave the column out."},
    {"constant_outcome", false,
     "An outcome never changes in the data, so nothing can be learned about what changes it.",
     "Choose another outcome, or give rows in which it changes."},
    {"constraint", false,
     "A constraint of the task has a number that is not finite, or names a column that is not a lever.",
     "Correct the constraint in the task."},
    {"contradicting_directions", false,
     "Independence tests contradict each other. Some directed edges formed a cycle, and their directions were not "
     "kept.",
     "Compare with the graph at a smaller level of the tests."},
    {"cost", false, "A cost of the task is negative or not finite, or belongs to a column that is not a lever.",
     "Correct the cost in the task."},
    {"course_taken", false,
     "Something was seen that depends on a lever, and the lever has no value. It counts as left alone, and is not "
     "decided any more.",
     "Give the value of the lever too where it was set."},
    {"date", true,
     "A column holds years, dates or times as numbers. A date is not a cause; it stands for everything that changed "
     "over time.",
     "Leave the column out, or give an age, a month or a duration instead."},
    {"decimal", true,
     "Every number with a comma (or point) has exactly three digits behind it. The mark was read as a decimal mark, "
     "but it could separate thousands: a value may be wrong by a factor of 1000.",
     "Say which mark comes before fractions."},
    {"decimal_comma", false, "Numbers were read with a comma before their fractions.", ""},
    {"dependent", false,
     "A candidate parent is a copy of another one, or its linear part is a combination of others. Its own effect "
     "cannot be separated from theirs.",
     "Leave out one of the columns."},
    {"derived", false,
     "A column is a sum, product or ratio of other columns. It contains no information of its own, and its place in "
     "the order is arbitrary.",
     "Leave the column out."},
    {"desired", false,
     "The task desires a level that its column does not have, or a single value of a column without levels.",
     "Correct \"desired\" in the task."},
    {"domain", false,
     "The domain of a lever is not valid: its least value is above its greatest, an end is not finite, or a level is "
     "not one of its column.",
     "Correct the domain in the task."},
    {"drift", true,
     "Rows that came since are no longer as the model forecasts them (probability integral transforms, level of the "
     "whole test 5 %). Decisions of the model rest on what was, not on what is.",
     "Bring the model up to date with these rows, or fit it again with rows since the change."},
    {"empty_end", false,
     "Every line of the file ends with a separator. The last column, which has no name and holds nothing, was left "
     "out.",
     ""},
    {"empty_region", false,
     "No outcome values satisfy all rows of the desired region, or a desired range contains no level.",
     "Widen the desired region; the message names the rows that conflict."},
    {"empty_rows", false, "Rows without any value were left out.", ""},
    {"equal", false, "Two columns are equal. No method can tell them apart.", "Keep one of the two columns."},
    {"extrapolation", true,
     "A domain, an observed value or a decision lies where there is little or no data. Forecasts there follow from the "
     "form of the model, not from observations.",
     "Narrow the domain of the lever, check the units of the observed value, and do not rely on the numbers in this "
     "range."},
    {"far_region", true,
     "The desired region lies far outside of the observed outcomes. Nothing in the data shows how to get there.",
     "Check the units of the region. Leave a side open with null if it does not matter."},
    {"few_rows", false, "There are fewer than 50 rows. Differences between variables are then mostly chance.",
     "Give more rows, or state what you know about the order."},
    {"fixed_domain", false, "The domain of a lever has one value, so the lever cannot be set to anything else.",
     "Widen the domain if other values are possible."},
    {"flat_region", true, "The desired region has no interior. A continuous outcome falls into it with probability 0.",
     "Widen the region to what is good enough."},
    {"gap", false,
     "The domain of a lever contains a long interval without observations. Forecasts in that interval are "
     "extrapolations.",
     "Give the possible values as \"values\" of the domain, or narrow it."},
    {"graph_contradicts_stages", true,
     "A graph was learned without the stages of the task and contradicts them. It is used as it is.",
     "Choose a method that obeys the stages, or state the graph."},
    {"groups", true,
     "Rows come in groups, such as several rows of one person. Rows of a group are not independent, so intervals are "
     "too narrow and order steps look more certain than they are.",
     "Name the column of the groups in the task, as \"group\". Or use one row of each group, or its means."},
    {"header", true,
     "The first line was taken for the names of the columns although some of its cells are numbers. If it is data, one "
     "row is lost and the names are wrong.",
     "Say so if the first line is data."},
    {"hidden_cause_found", true,
     "Rows in which a lever was set contradict the other rows about its effect on an outcome. Something that was not "
     "observed moves both where the lever is left alone. The effect is taken from the rows that were set, as far as "
     "the others contradict them.",
     "Set the lever at random in more rows, or observe what moves both."},
    {"identifier", true,
     "A column counts or names the rows. It is not a quantity, but a model can use it to recognise rows.",
     "Leave the column out."},
    {"imputed", false, "Missing cells are imputed; the other findings are about one completed table.", ""},
    {"last_observation", false,
     "The task observes something after the last step of its sequence. No decision depends on it.",
     "Add a step that alters something afterwards, or remove the observation."},
    {"lever_follows_trend", true,
     "A lever follows the time. Its effect and that of everything else that changes with the time can hardly be told "
     "apart.",
     "Put the time into the context, or set the lever at random for a while."},
    {"many_missing", false,
     "More than 40 % of a column are missing and imputed. Results about this column rest on models more than on data.",
     "Leave the column out."},
    {"matched_by_order", false,
     "The rows that came out carry no ids of decisions, so that the first row was taken for the outcome of the first "
     "decision in the log, and so on.",
     "Add a column with the id of the decision behind each row."},
    {"max_alterations", false, "The largest number of alterations in the task is not a whole number of at least 1.",
     "Correct \"max_alterations\" in the task."},
    {"missing_rows", false,
     "Rows with missing values were left out. If values are missing for a reason that has to do with the outcome, the "
     "remaining rows are not representative.",
     "Impute the missing values, or find out why they are missing."},
    {"no_alterable", false, "The task names no variable that may be altered.",
     "Give at least one column and its domain under \"alterable\"."},
    {"no_data", false, "The task names no table.",
     "Give the path of a table under \"data\", or name one on the command line."},
    {"no_feasible_decision", false, "No values within the domains of the levers satisfy all constraints.",
     "Widen a domain or loosen a constraint; the message names those that conflict."},
    {"no_members", false,
     "Half of the rows are too few to learn from, so that there are no half-samples: the interval covers the chance of "
     "the draws only.",
     "Give more rows."},
    {"no_observed", false,
     "The task does not say which values of the context were observed. A model can be learned, but nothing can be "
     "decided.",
     "Give the values under \"observed\" in the task, or on the command line."},
    {"no_opinion", false,
     "Another learner whose opinion was asked for cannot learn from this table, or its graph leaves open what causes "
     "what.",
     "See the message for the reason, or ask another learner."},
    {"no_outcome", false, "The task names no outcome.", "List at least one column under \"outcome\"."},
    {"no_region", false, "The task does not say where the outcomes should be.",
     "Give a range for each outcome under \"desired\"."},
    {"not_a_model", false, "The file is not a model file, or it is damaged.", "Fit the model again."},
    {"not_a_table", false, "The file cannot be read as a table.", "See the message for the line and the column."},
    {"not_a_task", false, "The file cannot be read as a task: its JSON, its keys or the types of its values are wrong.",
     "See the message for the line; draft a task with olem init."},
    {"not_converged", false,
     "An iteration ended before it converged. Results near a threshold may change with more iterations.",
     "Allow more iterations or epochs."},
    {"not_learnable", false,
     "Nothing can be learned from the table for this task: it has too few rows, or its numbers are too large.",
     "See the message for the reason."},
    {"not_proven", false,
     "The exact search (QWZ23) ended before it proved that no better decision exists. The decision is valid, but a "
     "better one may exist.",
     "Allow more time, or loosen the tolerance of the search."},
    {"not_replayed", false,
     "What a variable depends on has changed, but its values are bounded (positive, or shares), so that old rows were "
     "not brought to the present. Its model is a mixture of then and now.",
     "Fit the model again with rows since the change."},
    {"not_validated", false, "A network was trained for so few epochs that it was never validated.",
     "Train longer, or start to validate earlier."},
    {"nothing_learned", false, "A network predicts no better than a constant. The order that it gives means little.",
     "Give more rows."},
    {"observed", false,
     "A context column has no observed value, a value belongs to a column that is not context, or a value is not "
     "finite.",
     "Correct \"observed\" in the task."},
    {"open_pairs", false,
     "The search of CAM left pairs of variables without a path between them. They stand in the order of their columns "
     "in the table.",
     "Give more rows, or allow more parents or neighbours."},
    {"order_contradicts_knowledge", true,
     "The given order contradicts the knowledge that was stated. The order is used as it is.",
     "Correct the order, or what was stated."},
    {"order_contradicts_stages", true,
     "The given order contradicts the stages of the task (context, levers and intermediate variables, outcomes). It is "
     "used as it is.",
     "Correct the order, or the roles in the task."},
    {"ordered_codes", false,
     "A lever holds a few whole numbers and is taken as ordered, although they may be codes of unordered things.",
     "Declare the column as a category under \"columns\" in the task if its numbers are codes."},
    {"outlier", true,
     "Single cells lie far from what the other columns of their row predict. One such cell can change an order and a "
     "decision.",
     "Correct the cells or remove their rows if they are mistakes. Keep them if they are real."},
    {"proportional", false,
     "A column is a multiple of another one, such as a length in two units. No method can tell the two apart.",
     "Keep one of the two columns."},
    {"pruning", false,
     "The candidate parents of a variable could not be tested as planned: the variable is constant, or there are too "
     "few rows.",
     "Leave constant columns out, or give more rows."},
    {"rare_level", false,
     "A level of a binary column or category stands in fewer than 5 rows. Nothing can be learned about it.",
     "Join the level with others."},
    {"rare_value", false, "Some values of a column of few whole numbers stand in fewer than 5 rows.", ""},
    {"repeated_decision", false,
     "Several of the rows that came out carry the id of the same decision. The last of them counts.",
     "Leave one row for each decision, or log a decision for each case."},
    {"repeated_rows", true,
     "Rows have identical twins. If rows were recorded twice, intervals are too narrow and order steps look more "
     "certain than they are.",
     "Remove rows that were recorded twice."},
    {"roles", false, "A column has two roles in the task, or stands twice in one.", "Give every column one role."},
    {"rounded", false,
     "A column of quantities has few distinct values, because it was rounded. Nearest-neighbour entropies then have "
     "zero distances.",
     "Give the values with all their digits if you have them."},
    {"row_labels", false, "The first column has no name. It was taken for labels of the rows and is not used.",
     "Give the column a name if it holds data."},
    {"rows", false,
     "What the task says about the rows does not fit the table: a column is missing, an indicator holds anything but 0 "
     "and 1, or a weight is not positive.",
     "Correct \"set_by_hand\", \"group\", \"weight\" or \"time\" in the task."},
    {"rows_below_columns", false,
     "There are fewer rows than columns. Methods that invert a covariance matrix refuse such a table.",
     "Give more rows, or choose columns."},
    {"scales", false,
     "Standard deviations of columns differ by more than a factor of 1000. Nothing is rescaled silently.",
     "Give the columns in comparable units."},
    {"sentinel", true,
     "A number such as -999 or 9999 repeats and lies apart from the rest of its column. It stands for a missing value, "
     "but is read as a number.",
     "Declare the number as a mark of missing values, or leave the cells empty."},
    {"sequence", false,
     "A step of the sequence in the task alters a column that is not a lever, observes a column that has a role or "
     "does not exist, or names something twice.",
     "Correct \"sequence\" in the task."},
    {"set_rows_not_compared", true,
     "The task says in which rows a variable was set from outside, but these rows cannot be compared with the others: "
     "either kind has fewer than 50 rows, or the variable has more than two levels. Its effects are then estimated "
     "from "
     "all rows alike, and a hidden cause is not corrected for.",
     "Set the variable at random in more rows. Check the column that says in which rows it was set."},
    {"similar_levels", true,
     "Levels of a column differ in nothing but capitals, blanks or hyphens, such as Yes and yes. Their rows count as "
     "different, and a desired level matches only one of the spellings.",
     "Write them alike."},
    {"single_column", false, "There is one column, so its order is trivial.",
     "Give the columns among which an order is wanted."},
    {"stages", false, "\"before\" in the task contradicts the roles of the columns, or itself.",
     "Remove the pair, or change a role."},
    {"text", false, "Columns of words were read as categories, with the levels that are listed.", ""},
    {"thousands", true,
     "Every point of a column has exactly three digits behind it, in a file with semicolons. 1.234 may mean one "
     "thousand two hundred and thirty-four.",
     "Write numbers without marks for thousands."},
    {"threshold_raised", false,
     "Edge weights above the threshold formed a cycle. The threshold was raised until none was left.",
     "Compare with a larger threshold."},
    {"ties", false,
     "Edges were added although another one gained exactly as much. The order of the columns decided, not the data.",
     "State what you know about the order, or use a method that does not need ties to be broken."},
    {"time_series", false,
     "Rows resemble the row before them. The table is worth fewer independent rows than it has, so intervals are too "
     "narrow.",
     "Name the column of the time in the task, as \"time\". Or use rows that are further apart, or give earlier values "
     "as columns."},
    {"totals", true, "The last row is the sum or the mean of the rows above it. It is not an observation.",
     "Remove the last line."},
    {"trend", true,
     "An outcome moves with the time. What a lever and the outcome both owe to the time is taken for an effect of the "
     "lever.",
     "Put the column of the time into the context."},
    {"unfinished", true,
     "A limit or Ctrl-C ended the run before all contexts were decided. The result holds those that were.",
     "Allow more time, or give fewer contexts."},
    {"unfinished_members", true,
     "A limit or Ctrl-C ended the work while members were fitted. The answer rests on the fit and on the members that "
     "were finished, so that its interval may be too narrow.",
     "Allow more time, or fewer members: orders, halves."},
    {"unique_numbers", false,
     "A column holds whole numbers that never repeat. They may be quantities, such as incomes, or identifiers, such as "
     "customer numbers.",
     "Leave the column out if it only names the rows."},
    {"units", true, "The units of the columns decided this order. No step counts as decided by the data.",
     "Learn the order with a method that needs no common unit."},
    {"units_row", true, "The first row holds words above columns of numbers, such as units. It is not an observation.",
     "Remove the line."},
    {"unknown_column", false, "The task names a column that the table does not have.",
     "Correct the name; upper and lower case matter."},
    {"unknown_context", false, "The value of a context variable is not known.",
     "Have it drawn given the others, or give its value."},
    {"unlikely_observation", true,
     "What was observed so far is very unlikely under the model. The recommendation for the next step rests on few "
     "draws that agree with it.",
     "Check the values, and whether the data cover such a case."},
    {"untested_edges", false,
     "Edges were kept because there are too few rows to test them given as many variables as needed.",
     "Use more rows or fewer columns."},
    {"weights_resampled", false,
     "Rows have weights. The order is learned with the weights; samplers are fitted to rows that are taken in "
     "proportion to their weights, as many as the weighted rows are worth.",
     ""},
    {"zero_distances", false,
     "Many points have a nearest neighbour at distance zero, because values repeat or are rounded. Nearest-neighbour "
     "entropies are then biased.",
     "Compare with other ways to treat ties, to see whether it matters."},
};

}  // namespace

std::span<const WarningCode> warning_codes() { return kWarningCodes; }

const WarningCode* find_warning_code(std::string_view code) {
  const auto* const place =
      std::lower_bound(std::begin(kWarningCodes), std::end(kWarningCodes), code,
                       [](const WarningCode& entry, std::string_view key) { return entry.code < key; });
  return place != std::end(kWarningCodes) && place->code == code ? place : nullptr;
}

}  // namespace olem
