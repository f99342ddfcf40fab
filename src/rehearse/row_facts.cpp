#include "rehearse/row_facts.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sampler/acted_fit.h"

namespace olem {

Json to_json(const SetEffect& effect) {
  return {{"lever", effect.lever},
          {"outcome", effect.outcome},
          {"set_rows", effect.set_rows},
          {"other_rows", effect.other_rows},
          {"set", {{"effect", effect.set_effect}, {"standard_error", effect.set_error}}},
          {"other", {{"effect", effect.other_effect}, {"standard_error", effect.other_error}}},
          {"contradict", effect.contradict}};
}

}  // namespace olem

namespace olem::internal {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kContradiction = 2.576;  // standard errors: one case in a hundred by chance
constexpr double kGroupsDiffer = 2.0;     // standard deviations of a ratio of variances by chance
constexpr double kTrendShare = 0.5;       // of the variance of a lever that the time explains: it follows the trend
constexpr double kOutcomeTrend = 0.1;     // of an outcome: the trend matters
constexpr std::size_t kMostLags = 50;     // over which neighbours in time are alike
constexpr std::size_t kFewestTimeRows = 30;

VectorXd column_of(const Table& table, const std::string& name, std::span<const std::size_t> rows) {
  const auto cells = table.column(table.index(name));
  VectorXd values(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) values[static_cast<Index>(i)] = cells[rows[i]];
  return values;
}

VectorXd standardised_column(VectorXd values) {
  values.array() -= values.mean();
  const double sd = std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
  if (sd > 0.0) values /= sd;
  return values;
}

struct Slope {
  double value = 0.0;
  double error = 0.0;
};

// Of the outcome on the lever, given the others and, where there are, inside of the groups.
Slope slope_of(const Table& table, const TaskRows& facts, const std::string& lever, const std::string& outcome,
               const std::vector<std::string>& given, const std::vector<std::size_t>& rows) {
  const auto n = static_cast<Index>(rows.size());
  MatrixXd design(n, static_cast<Index>(given.size()) + 1);
  design.col(0) = column_of(table, lever, rows);
  for (std::size_t k = 0; k < given.size(); ++k)
    design.col(static_cast<Index>(k) + 1) = standardised_column(column_of(table, given[k], rows));
  VectorXd target = column_of(table, outcome, rows);
  VectorXd weights = VectorXd::Ones(n);
  for (std::size_t i = 0; i < rows.size() && !facts.weights.empty(); ++i)
    weights[static_cast<Index>(i)] = facts.weights[rows[i]];
  std::vector<std::size_t> group(rows.size(), 0);
  for (std::size_t i = 0; i < rows.size() && !facts.groups.empty(); ++i) group[i] = facts.groups[rows[i]];
  const std::size_t groups = facts.groups.empty() ? 1 : facts.group_names.size();
  const auto centre = [&](auto column) {
    std::vector<double> sums(groups, 0.0);
    std::vector<double> sizes(groups, 0.0);
    for (Index i = 0; i < n; ++i) {
      sums[group[static_cast<std::size_t>(i)]] += weights[i] * column[i];
      sizes[group[static_cast<std::size_t>(i)]] += weights[i];
    }
    for (Index i = 0; i < n; ++i) {
      const std::size_t own = group[static_cast<std::size_t>(i)];
      column[i] -= sums[own] / sizes[own];
    }
  };
  for (Index c = 0; c < design.cols(); ++c) centre(design.col(c));
  centre(Eigen::Ref<VectorXd>(target));
  const double scale = std::sqrt(design.col(0).squaredNorm() / static_cast<double>(n));
  if (!(scale > 0.0)) return {};
  design.col(0) /= scale;
  MatrixXd normal = design.transpose() * weights.asDiagonal() * design;
  normal.diagonal().array() += 1e-9 * static_cast<double>(n);
  const Eigen::LDLT<MatrixXd> solver(normal);
  const VectorXd slopes = solver.solve(design.transpose() * (weights.asDiagonal() * target));
  const VectorXd left = target - design * slopes;
  const double freedom = std::max(1.0, static_cast<double>(n - design.cols()) - static_cast<double>(groups));
  const MatrixXd inverse = solver.solve(MatrixXd::Identity(normal.rows(), normal.cols()));
  const double variance = left.dot(weights.asDiagonal() * left) / freedom;
  return {slopes[0] / scale, std::sqrt(variance * inverse(0, 0)) / scale};
}

bool is_number(const Table& table, const std::string& name) {
  const Column& about = table.about(table.index(name));
  return about.type != ColumnType::kCategory || about.levels.size() <= 2;
}

// Why rows in which a variable was set are not compared with the others; "" where they are.
std::string not_compared(const Table& table, const TaskRows::Set& set, std::size_t chosen) {
  const std::size_t others = set.rows.size() - chosen;
  if (chosen == 0) return fmt::format("'{}' was set in none of the rows", set.variable);
  if (others == 0) return "";  // nothing to compare with, and nothing hidden moves it
  if (std::min(chosen, others) < sampling::kLeastSetRows) {
    return fmt::format("'{}' was set in {} rows and left alone in {}, but {} rows of both kinds are needed",
                       set.variable, chosen, others, sampling::kLeastSetRows);
  }
  if (is_number(table, set.variable)) return "";
  return fmt::format("'{}' has {} levels, but only numbers and columns of two levels are compared", set.variable,
                     table.about(table.index(set.variable)).levels.size());
}

void compare_set_rows(RehearsalModel& model, const Table& table, const TaskRows& rows) {
  for (const TaskRows::Set& set : rows.set) {
    std::vector<std::size_t> chosen;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < set.rows.size(); ++i) (set.rows[i] != 0 ? chosen : others).push_back(i);
    if (const std::string why = not_compared(table, set, chosen.size()); !why.empty()) {
      model.summary.warnings.push_back(
          {"set_rows_not_compared",
           why + ": whether something hidden moves both it and an outcome is not known, and all rows count alike for "
                 "its effects.",
           set.variable});
      continue;
    }
    if (others.empty()) continue;
    const Order& order = model.order.order;
    const auto place = std::find(order.begin(), order.end(), set.variable);
    std::vector<std::string> given;
    for (auto name = order.begin(); name != place; ++name) {
      if (is_number(table, *name)) given.push_back(*name);
    }
    for (const std::string& outcome : model.task.outcome) {
      if (!is_number(table, outcome) || std::find(order.begin(), place, outcome) != place || outcome == set.variable)
        continue;
      const Slope of_set = slope_of(table, rows, set.variable, outcome, given, chosen);
      const Slope of_others = slope_of(table, rows, set.variable, outcome, given, others);
      SetEffect& effect =
          model.set_by_hand.emplace_back(SetEffect{set.variable, outcome, chosen.size(), others.size(), of_set.value,
                                                   of_set.error, of_others.value, of_others.error, false});
      effect.contradict =
          std::abs(of_set.value - of_others.value) > kContradiction * std::hypot(of_set.error, of_others.error);
      if (!effect.contradict) continue;
      model.summary.warnings.push_back(
          {"hidden_cause_found",
           fmt::format(
               "Rows in which '{0}' was set contradict the others: one unit more changes '{1}' by {2:.3g} ± "
               "{3:.2g} in {4} rows that were set and by {5:.3g} ± {6:.2g} in {7} others. Something hidden moves "
               "both where '{0}' is left alone, so that decisions rely on the rows that were set.",
               set.variable, outcome, of_set.value, of_set.error, chosen.size(), of_others.value, of_others.error,
               others.size()),
           set.variable + ", " + outcome});
    }
  }
}

// Share of the variance of a column that a parabola in time explains.
double trend_share(const VectorXd& time, const VectorXd& values) {
  MatrixXd design(time.size(), 3);
  design.col(0).setOnes();
  design.col(1) = time;
  design.col(2) = time.cwiseAbs2();
  const VectorXd centred = values.array() - values.mean();
  const double total = centred.squaredNorm();
  if (!(total > 0.0)) return 0.0;
  const VectorXd slopes = (design.transpose() * design).ldlt().solve(design.transpose() * centred);
  return 1.0 - (centred - design * slopes).squaredNorm() / total;
}

// Of the outcome in time order: independent rows whose mean is as sure (initial positive autocorrelations).
double effective_rows(const VectorXd& values) {
  const VectorXd centred = values.array() - values.mean();
  const double variance = centred.squaredNorm();
  const auto n = static_cast<double>(values.size());
  if (!(variance > 0.0)) return n;
  double sum = 1.0;
  for (Index lag = 1; lag <= static_cast<Index>(kMostLags) && lag < values.size() / 2; ++lag) {
    const double own = centred.head(values.size() - lag).dot(centred.tail(values.size() - lag)) / variance;
    if (own < 2.0 / std::sqrt(n)) break;
    sum += 2.0 * own;
  }
  return std::min(n, n / sum);
}

void describe_time(RehearsalModel& model, const Table& table, const TaskRows& rows) {
  if (rows.times.size() < kFewestTimeRows) return;
  std::vector<std::size_t> sorted(rows.times.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t a, std::size_t b) { return rows.times[a] < rows.times[b]; });
  VectorXd time(static_cast<Index>(sorted.size()));
  for (std::size_t i = 0; i < sorted.size(); ++i) time[static_cast<Index>(i)] = rows.times[sorted[i]];
  time = standardised_column(time);
  double least = static_cast<double>(sorted.size());
  std::vector<std::string> trending;
  for (const std::string& outcome : model.task.outcome) {
    if (!is_number(table, outcome)) continue;
    const VectorXd values = column_of(table, outcome, sorted);
    least = std::min(least, effective_rows(values));
    if (trend_share(time, values) > kOutcomeTrend) trending.push_back(outcome);
  }
  model.effective_rows = std::min(least, model.effective_rows.value_or(least));
  const std::vector<std::string>& context = model.task.context;
  const bool is_context = std::find(context.begin(), context.end(), model.task.time) != context.end();
  if (trending.empty() || is_context) return;
  const Remedy remedy{
      fmt::format("Put '{}' into the context, so that the trend is known when one decides", model.task.time)};
  model.summary.warnings.push_back(
      {"trend",
       fmt::format("'{}' moves with '{}': what both a lever and the outcome owe to the time is taken for an effect of "
                   "the lever.",
                   fmt::join(trending, "', '"), model.task.time),
       fmt::format("{}", fmt::join(trending, ", ")),
       {remedy}});
  for (const LeverDomain& lever : model.task.alterable) {
    if (!is_number(table, lever.name)) continue;
    const double share = trend_share(time, column_of(table, lever.name, sorted));
    if (share <= kTrendShare) continue;
    model.summary.warnings.push_back(
        {"lever_follows_trend",
         fmt::format(
             "'{}' follows the time: '{}' explains {:.0f} % of its variance. Its effect and that of the time can "
             "hardly be told apart.",
             lever.name, model.task.time, 100.0 * share),
         lever.name,
         {remedy}});
  }
}

}  // namespace

std::vector<Table> inside_groups(const std::vector<Table>& tables, const TaskRows& rows) {
  if (rows.groups.empty()) return tables;
  const std::size_t groups = rows.group_names.size();
  std::vector<Table> result;
  for (const Table& table : tables) {
    std::vector<double> values(table.values().begin(), table.values().end());
    const std::size_t n = table.rows();
    for (std::size_t j = 0; j < table.columns(); ++j) {
      if (table.about(j).type != ColumnType::kReal) continue;
      const auto cells = table.column(j);
      const double mean = std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(n);
      std::vector<double> sums(groups, 0.0);
      std::vector<double> sizes(groups, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        sums[rows.groups[i]] += cells[i] - mean;
        sizes[rows.groups[i]] += 1.0;
      }
      double between = 0.0;
      double within = 0.0;
      for (std::size_t g = 0; g < groups; ++g) {
        if (sizes[g] > 0.0) between += sums[g] * sums[g] / sizes[g];
      }
      for (std::size_t i = 0; i < n; ++i) {
        const double own = cells[i] - mean - sums[rows.groups[i]] / sizes[rows.groups[i]];
        within += own * own;
      }
      const auto among = static_cast<double>(groups) - 1.0;
      const double left = static_cast<double>(n) - static_cast<double>(groups);
      // A column that is the same in all rows of each group would be left without any variance.
      if (among < 1.0 || left < 1.0 || !(within > 1e-9 * between)) continue;
      if (!((between / among) / (within / left) > 1.0 + kGroupsDiffer * std::sqrt(2.0 / among))) continue;
      for (std::size_t i = 0; i < n; ++i) values[j * n + i] -= sums[rows.groups[i]] / sizes[rows.groups[i]];
    }
    result.emplace_back(table.names(), std::move(values), table.source(), table.about());
  }
  return result;
}

std::vector<Table> rows_left_alone(const std::vector<Table>& tables, const TaskRows& rows) {
  if (rows.set.empty()) return tables;
  const std::size_t n = tables.front().rows();
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::none_of(rows.set.begin(), rows.set.end(), [&](const TaskRows::Set& set) { return set.rows[i] != 0; }))
      kept.push_back(i);
  }
  if (2 * kept.size() < n) return tables;
  std::vector<Table> result;
  for (const Table& table : tables) result.push_back(table.with_rows(kept));
  return result;
}

void describe_rows(RehearsalModel& model, const Table& table, const TaskRows& rows) {
  if (!rows.weights.empty()) {
    double squares = 0.0;
    for (const double weight : rows.weights) squares += weight * weight;
    const auto n = static_cast<double>(rows.weights.size());
    model.effective_rows = n * n / squares;
    model.summary.warnings.push_back(
        {"weights_resampled",
         fmt::format(
             "Rows count by '{}', so that they say as much as {:.0f} rows of equal weight: the samplers are fitted "
             "to that many rows, taken in proportion to their weights.",
             model.task.weight, *model.effective_rows),
         model.task.weight});
  }
  compare_set_rows(model, table, rows);
  describe_time(model, table, rows);
}

}  // namespace olem::internal
