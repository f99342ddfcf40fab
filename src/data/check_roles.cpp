#include "data/check_roles.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

namespace olem::internal {

namespace {

constexpr double kMuchExplained = 0.8;

// Mean 0 and length 1; zeros for a constant.
Eigen::VectorXd unit_column(const Table& table, std::size_t j) {
  const auto cells = table.column(j);
  Eigen::VectorXd column = Eigen::Map<const Eigen::VectorXd>(cells.data(), std::ssize(cells));
  const double largest = column.cwiseAbs().maxCoeff();
  if (largest > 0.0) column /= largest;
  column.array() -= column.mean();
  const double norm = column.norm();
  return norm > 0.0 ? Eigen::VectorXd(column / norm) : Eigen::VectorXd::Zero(column.size());
}

}  // namespace

void check_intermediates(const Task& task, const Table& table, std::vector<Problem>& problems) {
  std::set<std::size_t> roles;
  std::vector<std::size_t> known;
  for (const std::string& name : task.context) known.push_back(table.index(name));
  for (const LeverDomain& domain : task.alterable) known.push_back(table.index(domain.name));
  roles.insert(known.begin(), known.end());
  for (const std::string& name : task.outcome) roles.insert(table.index(name));
  if (roles.size() == table.columns() || table.rows() < 3 * (known.size() + 2)) return;
  Eigen::MatrixXd basis(static_cast<Eigen::Index>(table.rows()), std::ssize(known));
  for (std::size_t k = 0; k < known.size(); ++k) basis.col(static_cast<Eigen::Index>(k)) = unit_column(table, known[k]);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> regression(basis);
  const auto left_of = [&](std::size_t j) -> Eigen::VectorXd {
    const Eigen::VectorXd column = unit_column(table, j);
    return column - basis * regression.solve(column);
  };
  std::vector<std::string> names;
  std::vector<std::string> items;
  for (const std::string& outcome : task.outcome) {
    const Eigen::VectorXd left = left_of(table.index(outcome));
    for (std::size_t j = 0; j < table.columns(); ++j) {
      if (roles.contains(j)) continue;
      const Eigen::VectorXd other = left_of(j);
      const double norms = left.norm() * other.norm();
      const double correlation = norms > 0.0 ? left.dot(other) / norms : 0.0;
      if (correlation * correlation < kMuchExplained) continue;
      items.push_back(fmt::format("'{}' with '{}' (partial correlation {:.2f})", table.name(j), outcome, correlation));
      names.push_back(table.name(j));
    }
  }
  if (items.empty()) return;
  problems.push_back(
      {Severity::kNote,
       "after_outcome",
       fmt::format("Columns without a role go with an outcome far beyond what context and levers explain: "
                   "{}. A column that comes after the outcome must not lie between.",
                   fmt::join(items, ", ")),
       {{"Say so, if it comes after the outcome", "after", name_list(names)}},
       names});
}

void check_ordered_codes(const Task& task, const Table& table, std::vector<Problem>& problems) {
  std::vector<std::string> names;
  for (const auto& lever : task.alterable) {
    const Column& about = table.about(table.index(lever.name));
    if (about.type == ColumnType::kOrdinal && !about.declared && !has_words(about)) names.push_back(lever.name);
  }
  if (names.empty()) return;
  std::vector<std::string> items;
  for (const std::string& name : names) items.push_back(fmt::format("'{}'", name));
  problems.push_back(
      {Severity::kNote,
       "ordered_codes",
       fmt::format("{} {} whole numbers with few values and {} taken as ordered. The data cannot tell "
                   "ordered levels from codes of unordered things.",
                   fmt::join(items, ", "), names.size() == 1 ? "holds" : "hold", names.size() == 1 ? "is" : "are"),
       {{"Say so, if the numbers are codes", "type", names.front() + "=category"}},
       names});
}

}  // namespace olem::internal
