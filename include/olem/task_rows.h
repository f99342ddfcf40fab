#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "olem/table.h"

namespace olem {

struct Task;

// A variable that was set from outside in some rows, as a task says it.
struct SetByHand {
  std::string name;    // the variable
  std::string column;  // of 0 and 1, or no and yes: in which rows; empty: in all of them
  bool operator==(const SetByHand&) const = default;
};

// What a task says about the rows of a table. Every vector has one entry per row, or none where nothing is said.
struct TaskRows {
  struct Set {
    std::string variable;
    std::vector<unsigned char> rows;  // 1: the variable was set from outside
  };
  std::vector<Set> set;
  std::string group;                     // the column of the groups; empty: there are none
  std::vector<std::size_t> groups;       // number of the group of each row
  std::vector<std::string> group_names;  // by number, in ascending order of the column's values
  std::vector<double> weights;           // how often a row counts, divided by the mean
  std::vector<double> times;

  // Nothing that changes what is learned from the rows; their time alone does not.
  bool plain() const { return set.empty() && groups.empty() && weights.empty(); }
  // Of the variable; null where it was never set.
  const Set* find(std::string_view variable) const;
  // Of these rows, in the order given. Groups keep their numbers.
  TaskRows with_rows(std::span<const std::size_t> rows) const;
};

// The columns of the table that speak of its rows and are no variables: indicators of "set_by_hand", "group" and
// "weight", and "time" unless it has a role of its own.
std::vector<std::string> row_columns(const Task& task);

// What they say. A data error that names the column for one that the table does not have, an indicator that holds
// anything but 0 and 1 or no and yes, weights that are not positive, times that are words, a group in every row of its
// own or one for all, and for a variable of "set_by_hand" that is context, stands there twice or is no column.
TaskRows task_rows(const Task& task, const Table& table);

// The rows that a half-sample holds, ascending: half of the groups where there are groups, every other block in time of
// at least `block` rows where there are times, rows at random otherwise. `half` 2 k and 2 k + 1 are complementary.
std::vector<std::size_t> half_rows(const TaskRows& rows, std::size_t count, std::uint64_t seed, std::uint64_t half);

}  // namespace olem
