#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/agreement.h"
#include "olem/calibration.h"
#include "olem/column_types.h"
#include "olem/data_check.h"
#include "olem/explain.h"
#include "olem/graph_learner.h"
#include "olem/impute.h"
#include "olem/metrics.h"
#include "olem/order_result.h"
#include "olem/prune.h"
#include "olem/rehearsal.h"
#include "olem/table.h"
#include "olem/text.h"

namespace olem {

// Results as text for a terminal, lines of at most 100 characters where names allow. `spelling` names the options that
// the text advises.
std::string order_text(const OrderResult& result, const Table& table, const Spelling& spelling = member_spelling());
std::string graph_text(const PruneResult& result, const Order& order, const PruneOptions& options, const Table& table);
// Of a learner: the pruning when there is one, else the edges, then the method's own lines.
std::string graph_text(const GraphResult& result, const GraphOptions& options, const Table& table);
std::string comparison_text(const Comparison& comparison, std::string_view truth, std::string_view learned);
std::string decision_text(const RehearsalModel& model, const std::vector<Decision>& decisions);
// Decisions for several contexts as a CSV table, one row each: context, alterable variables (an empty cell leaves it
// alone), success_probability with its interval (low, high), without_action, status. Levels are words, where they have
// one; numbers read back to the same bits. Text that a spreadsheet would take for a formula, because it begins with
// = + - @ or a control character, has an apostrophe before it.
std::string decisions_csv(const std::vector<Decision>& decisions, std::span<const NamedColumn> columns);
// What each alterable variable can do, alone and in pairs, for each context.
std::string explanation_text(const std::vector<Explanation>& explanations, std::span<const NamedColumn> columns = {});
// The same of one context as an SVG file: rankings, forecast, every curve, and the best twelve pairs.
std::string explanation_svg(const Explanation& explanation, std::span<const NamedColumn> columns = {});
// What was learned for a task: the order, and what each variable depends on.
std::string model_text(const RehearsalModel& model);
// How much was missing and imputed, and how far what was `learned` ("orders", "graphs") from the completed tables
// differs.
std::string gaps_text(const GapSummary& gaps, const std::optional<Agreement>& agreement, std::string_view learned);
// How well the samplers forecast rows that they had not seen, or why that could not be found out.
std::string calibration_text(const Calibration& calibration);

// One sentence about the held-out rows nearest to a decision, `names` being its outcomes; empty where nothing is known
// of one.
std::string near_text(const NearCalibration& near, std::span<const std::string> names);
// What each column is taken for and why, one in each line; "" when nothing is known of any.
std::string columns_text(const std::vector<NamedColumn>& columns);
std::string problems_text(const std::vector<Problem>& problems, std::string_view source,
                          const Spelling& spelling = member_spelling());

}  // namespace olem
