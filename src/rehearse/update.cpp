#include "olem/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "rehearse/forgetting.h"
#include "rehearse/refit.h"
#include "sampler/fitted.h"

namespace olem {

using namespace internal;

namespace {

// Of remembering everything: below it the past is another. The weights rest on about 20 forecasts and waver: among
// the eight variables of a table without any change one had .04.
constexpr double kChangedWeight = 0.001;
constexpr double kLeastLeft = 0.25;      // of the variance of a residual that its own row has not taken up
constexpr std::size_t kSpreadRows = 20;  // behind a spread
constexpr double kSpreadRatio = 1.25;    // spreads that differ less are the same
constexpr double kRidgeOfReplay = 1e-3;  // as of the bank

// The rows of a model in one table, old before new, with the columns of the model.
Table joined_rows(const RehearsalModel& model, const Table& old_rows, const Table& new_rows) {
  const Order& names = model.order.order;
  std::vector<double> values;
  std::vector<Column> about;
  values.reserve(names.size() * (old_rows.rows() + new_rows.rows()));
  for (const std::string& name : names) {
    for (const Table* const table : {&old_rows, &new_rows}) {
      const auto cells = table->column(table->index(name));
      values.insert(values.end(), cells.begin(), cells.end());
    }
    about.push_back(about_column(model.columns, name));
  }
  return {names, std::move(values), new_rows.source(), std::move(about)};
}

void refuse_known_rows(const RehearsalModel& model, const Table& old_rows, const Table& new_rows) {
  if (new_rows.rows() > old_rows.rows()) return;
  for (const std::string& name : model.order.order) {
    const auto known = old_rows.column(old_rows.index(name)).last(new_rows.rows());
    const auto given = new_rows.column(new_rows.index(name));
    if (!std::equal(known.begin(), known.end(), given.begin())) return;
  }
  throw Error(ErrorCategory::kData,
              fmt::format("{}These are the last {} rows of those that the model has already.", new_rows.prefix(),
                          new_rows.rows()),
              {{"Give the rows that came after them"}});
}

// What a task says of its rows would have to be joined, too, and replayed rows are no longer the rows that it speaks
// of.
void refuse_task_rows(const Task& task) {
  std::vector<std::string> keys;
  if (!task.set_by_hand.empty()) keys.emplace_back("\"set_by_hand\"");
  if (!task.group.empty()) keys.emplace_back("\"group\"");
  if (!task.weight.empty()) keys.emplace_back("\"weight\"");
  if (!task.time.empty()) keys.emplace_back("\"time\"");
  if (keys.empty()) return;
  throw Error(
      ErrorCategory::kData,
      fmt::format("The task of the model says something about its rows ({}), which an update cannot carry over.",
                  fmt::join(keys, ", ")),
      {{"Fit a model to the old and the new rows in one table"}});
}

// In which of the joined rows the variable was set; old rows: in none.
std::vector<bool> rows_set(const std::string& column, const Table& new_rows, std::size_t old_rows) {
  std::vector<bool> set(old_rows, false);
  const std::size_t place = new_rows.index(column);
  for (const double cell : new_rows.column(place)) {
    if (cell != 0.0 && cell != 1.0)
      throw Error(ErrorCategory::kData,
                  fmt::format("{}'{}' holds {}, but should say by 0 and 1, or no and yes, in which rows a variable was "
                              "set.",
                              new_rows.prefix(), column, cell));
    set.push_back(cell == 1.0);
  }
  return set;
}

// The linear part of every row, by a regression whose rows count factor^distance from it on both sides.
struct LocalFit {
  std::vector<double> fitted;
  std::vector<double> leverage;
};

LocalFit fit_locally(const std::vector<Eigen::VectorXd>& x, const std::vector<double>& y, double factor,
                     const Context& context) {
  const std::size_t n = x.size();
  const Eigen::Index q = x.front().size();
  struct Sums {
    Eigen::MatrixXd information;
    Eigen::VectorXd moment;
  };
  context.require_memory(n * static_cast<std::size_t>(q * (q + 1)) * sizeof(double), "Bringing rows to the present");
  std::vector<Sums> before(n);  // of the rows before each
  Sums running{kRidgeOfReplay * Eigen::MatrixXd::Identity(q, q), Eigen::VectorXd::Zero(q)};
  for (std::size_t i = 0; i < n; ++i) {
    before[i] = {factor * running.information, factor * running.moment};
    running = {before[i].information + x[i] * x[i].transpose(), before[i].moment + y[i] * x[i]};
  }
  LocalFit fit{std::vector<double>(n), std::vector<double>(n)};
  Sums after{Eigen::MatrixXd::Zero(q, q), Eigen::VectorXd::Zero(q)};
  for (std::size_t i = n; i-- > 0;) {
    context.check_interrupt();
    const Eigen::MatrixXd own = x[i] * x[i].transpose();
    const Eigen::LLT<Eigen::MatrixXd> solver(before[i].information + after.information + own);
    fit.fitted[i] = x[i].dot(solver.solve(before[i].moment + after.moment + y[i] * x[i]));
    fit.leverage[i] = x[i].dot(solver.solve(x[i]));
    after.information = factor * (after.information + own);
    after.moment = factor * (after.moment + y[i] * x[i]);
  }
  return fit;
}

double deviation_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// Old residuals with the spread of the recent ones.
void rescale_old(std::vector<double>& residuals, double memory) {
  const auto recent = std::max<std::size_t>(kSpreadRows, static_cast<std::size_t>(2.0 * memory));
  if (residuals.size() < recent + kSpreadRows) return;
  const std::size_t old = residuals.size() - recent;
  const double ratio =
      deviation_of(std::span(residuals).last(recent)) / std::max(deviation_of(std::span(residuals).first(old)), 1e-300);
  if (ratio < kSpreadRatio && ratio > 1.0 / kSpreadRatio) return;
  for (std::size_t i = 0; i < old; ++i) residuals[i] *= ratio;
}

// Rows as they would have come under the mechanisms of now.
class Replay {
 public:
  Replay(const RehearsalModel& model, const Table& rows, std::vector<std::vector<bool>> set, const Context& context)
      : set_(fitted(model.samplers)), rows_(rows), was_set_(std::move(set)), context_(context) {}

  void run(std::vector<VariableUpdate>& updates, std::vector<Warning>& warnings) {
    for (std::size_t j = 0; j < set_.variables.size(); ++j) {
      const auto column = rows_.column(rows_.index(set_.variables[j].name));
      present_.emplace_back(column.begin(), column.end());
    }
    for (std::size_t j = 0; j < set_.variables.size(); ++j) {
      context_.check_interrupt();
      const SamplerVariable& variable = set_.variables[j];
      if (!variable.sampler || is_discrete(variable.about.type)) continue;
      updates.push_back(replay(j));
      const VariableUpdate& update = updates.back();
      if (!update.changed || update.replayed) continue;
      warnings.push_back(
          {"not_replayed",
           fmt::format("What {} depends on has changed, but its values are bounded, so that old rows were "
                       "not brought to the present: its model is a mixture of then and now.",
                       variable.name),
           variable.name,
           {{"Fit the model again with rows since the change"}}});
    }
  }

  Table table() const {
    std::vector<double> values;
    for (const std::string& name : rows_.names()) {
      const std::vector<double>& column = present_[set_.index(name)];
      values.insert(values.end(), column.begin(), column.end());
    }
    return {rows_.names(), std::move(values), rows_.source(), rows_.about()};
  }

 private:
  // One and the conditions of row i, standardised as the model has them.
  Eigen::VectorXd inputs(std::size_t j, std::size_t i, bool now) const {
    const SamplerVariable& variable = set_.variables[j];
    Eigen::VectorXd x(static_cast<Eigen::Index>(variable.conditions.size() + 1));
    x[0] = 1.0;
    for (std::size_t k = 0; k < variable.conditions.size(); ++k) {
      const std::size_t condition = variable.conditions[k];
      const SamplerVariable& input = set_.variables[condition];
      const double value = now ? present_[condition][i] : rows_.at(i, rows_.index(input.name));
      x[static_cast<Eigen::Index>(k + 1)] = input.standardise(value);
    }
    return x;
  }

  VariableUpdate replay(std::size_t j) {
    const SamplerVariable& variable = set_.variables[j];
    VariableUpdate update;
    update.name = variable.name;
    std::vector<std::size_t> own;  // rows in which it was not set
    std::vector<Eigen::VectorXd> x;
    std::vector<double> y;
    ForgettingBank bank(variable.conditions.size() + 1);
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      if (was_set_[j][i]) continue;
      own.push_back(i);
      x.push_back(inputs(j, i, false));
      y.push_back(variable.standardise(present_[j][i]));
      bank.add(x.back(), y.back());
    }
    update.weights = bank.weights();
    update.memory = bank.memory();
    update.changed = update.weights.front() < kChangedWeight && y.size() > 2 * kSpreadRows;
    const bool bounded = variable.about.type == ColumnType::kPositive || variable.about.type == ColumnType::kShare;
    if (bounded || y.empty()) return update;
    update.replayed = update.changed;
    if (update.changed) {
      bring_forward(j, own, x, y, bank, update);
    } else {
      follow(j, own, x, bank.coefficients(0));
    }
    return update;
  }

  // A mechanism that stayed: the row moves with its causes, and where these stayed too it stays to the bit.
  void follow(std::size_t j, const std::vector<std::size_t>& own, const std::vector<Eigen::VectorXd>& x,
              const Eigen::VectorXd& coefficients) {
    for (std::size_t r = 0; r < own.size(); ++r) {
      const Eigen::VectorXd moved = inputs(j, own[r], true) - x[r];
      if (moved.isZero(0.0)) continue;
      present_[j][own[r]] += set_.variables[j].sd * coefficients.dot(moved);
    }
  }

  void bring_forward(std::size_t j, const std::vector<std::size_t>& own, const std::vector<Eigen::VectorXd>& x,
                     const std::vector<double>& y, const ForgettingBank& bank, const VariableUpdate& update) {
    constexpr double kNegligible = 0.01;
    std::vector<double> then(own.size(), 0.0);
    std::vector<double> leverage(own.size(), 0.0);
    double sum = 0.0;
    for (std::size_t k = 0; k < bank.factors(); ++k) {
      if (update.weights[k] < kNegligible) continue;
      const LocalFit fit = fit_locally(x, y, bank.factor(k), context_);
      sum += update.weights[k];
      for (std::size_t r = 0; r < own.size(); ++r) {
        then[r] += update.weights[k] * fit.fitted[r];
        leverage[r] += update.weights[k] * fit.leverage[r];
      }
    }
    std::vector<double> residuals;
    for (std::size_t r = 0; r < own.size(); ++r)
      residuals.push_back((y[r] - then[r] / sum) / std::sqrt(std::max(1.0 - leverage[r] / sum, kLeastLeft)));
    rescale_old(residuals, update.memory);
    const Eigen::VectorXd now = bank.coefficients();
    for (std::size_t r = 0; r < own.size(); ++r)
      present_[j][own[r]] = set_.variables[j].restore(now.dot(inputs(j, own[r], true)) + residuals[r]);
  }

  const SamplerSet& set_;
  const Table& rows_;
  std::vector<std::vector<bool>> was_set_;
  const Context& context_;
  std::vector<std::vector<double>> present_;  // values of each variable, as they are brought to the present
};

}  // namespace

ModelUpdate update_model(const RehearsalModel& model, const Table& old_rows, const Table& new_rows,
                         const UpdateOptions& options, const Context& context) {
  refuse_task_rows(model.task);
  const SamplerSet& set = fitted(model.samplers);
  ModelUpdate result;
  result.old_rows = old_rows.rows();
  result.new_rows = new_rows.rows();
  const Table all = joined_rows(model, old_rows, new_rows);
  refuse_known_rows(model, old_rows, new_rows);
  std::vector<std::vector<bool>> was_set(set.variables.size(), std::vector<bool>(all.rows(), false));
  for (const auto& [name, column] : options.set_by_hand)
    was_set[set.index(name)] = rows_set(column, new_rows, old_rows.rows());
  context.report_progress(0.0, "linear parts");
  Replay replay(model, all, std::move(was_set), context);
  replay.run(result.variables, result.warnings);
  const Table present = replay.table();
  RehearsalModel like = model;
  like.options.keep_rows = false;  // they would be the replayed ones
  result.model = refit_rehearsal(like, present, context);
  result.model.data = DataSource{model.data ? model.data->file : "", all.rows()};
  result.model.options.keep_rows = options.keep_rows || model.rows.has_value();
  if (result.model.options.keep_rows) result.model.rows = all;
  result.model.gaps = model.gaps;
  result.model.agreement = model.agreement;
  return result;
}

Json to_json(const std::vector<VariableUpdate>& variables) {
  Json json = Json::array();
  for (const VariableUpdate& variable : variables) {
    json.push_back({{"name", variable.name},
                    {"memory", variable.memory},
                    {"changed", variable.changed},
                    {"replayed", variable.replayed},
                    {"weights", variable.weights}});
  }
  return json;
}

}  // namespace olem
