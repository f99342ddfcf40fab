#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "olem/rehearsal.h"

namespace olem::internal {

// What members are learned from.
struct MemberSource {
  std::span<const Table> tables;  // the columns that are used; completed ones, or one
  const RehearsalModel& model;    // its task, options, order, graph and samplers
  // What is known; where the order was learned with the place of the levers that the whole table chose.
  Knowledge knowledge;
  bool learned = false;                 // the order, or graph, was learned and not given
  std::optional<Order> other;           // the order that the rule about levers did not take
  const TaskRows& rows;                 // what the task says about the rows
  std::span<const Table> order_tables;  // the tables that orders are learned from
  std::span<const std::string> wanted;  // as of fit_samplers
};

// The members that the model's options ask for; null where half of the rows are too few for its learner or samplers,
// with a warning that says so. Halves that cannot be learned, as when a column never varies in them, are left out.
// Spread over the context's threads and ranks; the same for any number of them.
//
// Opinions: one for each learner that the options name, in their order; of a learner that cannot learn from this table
// a warning says why, and there is none. Null where none are asked for. They share samplers with the fit and members.
struct FittedMembers {
  std::shared_ptr<const ModelMembers> members;
  std::shared_ptr<const ModelMembers> opinions;
  bool stopped = false;  // with RehearsalOptions::keep_finished: only finished ones are there, halves in pairs
};
FittedMembers fit_members(const MemberSource& source, std::vector<Warning>& warnings, const Context& context);

}  // namespace olem::internal
