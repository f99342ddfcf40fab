#pragma once

#include "olem/rehearsal.h"

namespace olem::internal {

struct LeverOrder {
  OrderResult order;
  LeverPlacement placement;
  Knowledge knowledge;         // within which the order was learned
  std::optional<Order> other;  // the one that was not taken; nothing: both are the same
};

// Columns without a role that nothing known puts before a lever, in table order: those that levers may stand before.
// What the task or a tier says comes first, so that "levers before them" never contradicts it.
std::vector<std::string> following_columns(const Task& task, const Table& table, const Precedence& known);

// The order of the columns by the rule kAuto or kFirst: learned within `known`, and once more with every lever before
// every following column. kAuto keeps the first only where its score by shape (olem+ without the terms on scale) is
// lower by more than 3 standard errors of the paired difference. Costs two searches and the regressions of two orders.
// In tables of more than 20 columns the second one is brief, or left out, where shape refutes it by far.
LeverOrder learn_lever_order(const Task& task, const Table& table, const RehearsalOptions& options,
                             const Knowledge& known, const Context& context);

}  // namespace olem::internal
