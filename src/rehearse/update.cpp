#include "olem/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/error.h"
#include "olem/options.h"
#include "olem/task_rows.h"
#include "rehearse/forgetting.h"
#include "rehearse/refit.h"
#include "rehearse/row_facts.h"
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

// The task with what is said of the new rows.
Task task_with(const Task& task, const UpdateOptions& options) {
  Task result = task;
  for (const auto& [name, column] : options.set_by_hand) {
    const auto known = std::find_if(result.set_by_hand.begin(), result.set_by_hand.end(),
                                    [&name = name](const SetByHand& entry) { return entry.name == name; });
    if (known == result.set_by_hand.end()) {
      result.set_by_hand.push_back({name, column});
    } else if (known->column != column) {
      throw Error(ErrorCategory::kUsage,
                  fmt::format("The task of the model says itself in which rows '{}' was set: {}.", name,
                              known->column.empty() ? "in all of them" : fmt::format("by '{}'", known->column)),
                  {{"Leave it out here"}});
    }
  }
  return result;
}

// Of a column that speaks of rows: the old cells and the new ones with the same numbers for the same words.
class JoinedColumn {
 public:
  JoinedColumn(const Table& old_rows, const Table& new_rows, const std::string& name) {
    const std::size_t old_place = old_rows.index(name);
    const std::size_t new_place = new_rows.index(name);
    const auto plain = [](const Column& column) { return !has_levels(column.type); };
    if (plain(old_rows.about(old_place)) && plain(new_rows.about(new_place))) {
      for (const Table* const table : {&old_rows, &new_rows}) {
        const auto cells = table->column(table->index(name));
        values.insert(values.end(), cells.begin(), cells.end());
      }
      return;
    }
    about = old_rows.about(old_place);
    if (!has_levels(about.type)) about = Column{};
    about.type = ColumnType::kCategory;
    add(old_rows, old_place);
    add(new_rows, new_place);
    std::sort(about.levels.begin(), about.levels.end(),
              [](const ColumnLevel& a, const ColumnLevel& b) { return a.value < b.value; });
  }

  std::vector<double> values;
  Column about;

 private:
  double highest() const {
    double value = 0.0;
    for (const ColumnLevel& level : about.levels) value = std::max(value, level.value);
    return value;
  }

  void add(const Table& table, std::size_t place) {
    for (const double cell : table.column(place)) {
      const std::string word = value_name(table.about(place), cell);
      auto level = std::find_if(about.levels.begin(), about.levels.end(),
                                [&](const ColumnLevel& known) { return known.name == word; });
      if (level == about.levels.end()) {
        double value = cell;  // numbers stay as they are; the number of a new word may be taken
        for (const ColumnLevel& known : about.levels) {
          if (known.value == cell) value = 1.0 + highest();
        }
        about.levels.push_back({value, word});
        level = std::prev(about.levels.end());
      }
      values.push_back(level->value);
    }
  }
};

// A column that a task names for the new rows only: nothing was set in the old ones.
Table with_column_of_zeros(const Table& table, const std::string& name) {
  if (table.find(name)) return table;
  std::vector<std::string> names = table.names();
  std::vector<double> values(table.values().begin(), table.values().end());
  std::vector<Column> about = table.about();
  names.push_back(name);
  values.insert(values.end(), table.rows(), 0.0);
  about.emplace_back();
  return {std::move(names), std::move(values), table.source(), std::move(about)};
}

// The rows of a model in one table, old before new, with the columns of the model and those that speak of rows; in the
// order of the task's time where it names one.
Table joined_rows(const RehearsalModel& model, const Task& task, const Table& old_rows, const Table& new_rows) {
  std::vector<std::string> names = model.order.order;
  std::vector<double> values;
  std::vector<Column> about;
  for (const std::string& name : names) {
    for (const Table* const table : {&old_rows, &new_rows}) {
      const auto cells = table->column(table->index(name));
      values.insert(values.end(), cells.begin(), cells.end());
    }
    about.push_back(about_column(model.columns, name));
  }
  for (const std::string& name : row_columns(task)) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (known) continue;
    JoinedColumn joined(old_rows, new_rows, name);
    names.push_back(name);
    values.insert(values.end(), joined.values.begin(), joined.values.end());
    about.push_back(std::move(joined.about));
  }
  Table all(std::move(names), std::move(values), new_rows.source(), std::move(about));
  if (task.time.empty()) return all;
  const auto times = all.column(all.index(task.time));
  std::vector<std::size_t> places(all.rows());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  return all.with_rows(places);
}

void require_columns(const RehearsalModel& model, const Task& task, const Table& rows) {
  std::vector<std::string> names = model.order.order;
  const std::vector<std::string> of_rows = row_columns(task);
  names.insert(names.end(), of_rows.begin(), of_rows.end());
  for (const std::string& name : names) {
    if (rows.find(name)) continue;
    const std::string near = closest_name(name, rows.names());
    throw Error(ErrorCategory::kData,
                fmt::format("{}There is no column '{}', which updating the model needs.", rows.prefix(), name),
                {{near.empty() ? "Give rows with all columns of the model" : fmt::format("Did you mean '{}'?", near)}});
  }
}

void refuse_known_rows(const RehearsalModel& model, const Table& old_rows, const Table& new_rows) {
  if (new_rows.rows() > old_rows.rows()) return;
  for (const std::string& name : model.order.order) {
    const auto known = old_rows.column(old_rows.index(name)).last(new_rows.rows());
    const auto given = new_rows.column(new_rows.index(name));
    if (!std::equal(known.begin(), known.end(), given.begin())) return;
  }
  throw Error(ErrorCategory::kData,
              fmt::format("{}{} of those that the model has already.", new_rows.prefix(),
                          new_rows.rows() == 1 ? "This is the last row"
                                               : fmt::format("These are the last {} rows", new_rows.rows())),
              {{"Give the rows that came after them"}});
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
  // `rows`: the variables, less the means of groups where there are groups.
  Replay(const RehearsalModel& model, const Table& rows, const TaskRows& facts, const Context& context)
      : set_(fitted(model.samplers)), rows_(rows), context_(context) {
    for (const SamplerVariable& variable : set_.variables) {
      const TaskRows::Set* const set = facts.find(variable.name);
      was_set_.push_back(set == nullptr ? std::vector<unsigned char>(rows.rows(), 0) : set->rows);
      const auto count = std::count(was_set_.back().begin(), was_set_.back().end(), 1);
      mixed_.push_back(count > 0 && static_cast<std::size_t>(count) < rows.rows());
    }
  }

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

  // `all` as it would have come under the mechanisms of now.
  Table moved(const Table& all) const {
    std::vector<double> values(all.values().begin(), all.values().end());
    for (std::size_t j = 0; j < set_.variables.size(); ++j) {
      const auto before = rows_.column(rows_.index(set_.variables[j].name));
      double* const cells = values.data() + all.index(set_.variables[j].name) * all.rows();
      for (std::size_t i = 0; i < all.rows(); ++i) cells[i] += present_[j][i] - before[i];
    }
    return {all.names(), std::move(values), all.source(), all.about()};
  }

 private:
  // How many numbers inputs() has.
  std::size_t input_count(std::size_t j) const {
    std::size_t count = 1 + set_.variables[j].conditions.size();
    for (const std::size_t condition : set_.variables[j].conditions) count += mixed_[condition] ? 2 : 0;
    return count;
  }

  // One and the conditions of row i, standardised as the model has them. A condition that was set in some rows has an
  // effect and a level of its own in the others, where hidden causes contribute: which rows were set is no change.
  Eigen::VectorXd inputs(std::size_t j, std::size_t i, bool now) const {
    const SamplerVariable& variable = set_.variables[j];
    Eigen::VectorXd x = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(input_count(j)));
    x[0] = 1.0;
    Eigen::Index place = 1;
    for (const std::size_t condition : variable.conditions) {
      const SamplerVariable& input = set_.variables[condition];
      const double value = input.standardise(now ? present_[condition][i] : rows_.at(i, rows_.index(input.name)));
      x[place++] = value;
      if (!mixed_[condition]) continue;
      x[place++] = was_set_[condition][i] != 0 ? 0.0 : 1.0;
      x[place++] = was_set_[condition][i] != 0 ? 0.0 : value;
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
    ForgettingBank bank(input_count(j));
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      if (was_set_[j][i] != 0) continue;
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
  const Context& context_;
  std::vector<std::vector<unsigned char>> was_set_;  // rows, by variable
  std::vector<bool> mixed_;                          // was set in some rows and not in others
  std::vector<std::vector<double>> present_;         // values of each variable, as they are brought to the present
};

}  // namespace

ModelUpdate update_model(const RehearsalModel& model, const Table& old_rows, const Table& new_rows,
                         const UpdateOptions& options, const Context& context) {
  const SamplerSet& set = fitted(model.samplers);
  for (const auto& [name, column] : options.set_by_hand) set.index(name);
  const Task task = task_with(model.task, options);
  ModelUpdate result;
  result.old_rows = old_rows.rows();
  result.new_rows = new_rows.rows();
  Table before = old_rows;
  for (const auto& [name, column] : options.set_by_hand) before = with_column_of_zeros(before, column);
  require_columns(model, task, before);
  require_columns(model, task, new_rows);
  refuse_known_rows(model, before, new_rows);
  const Table all = joined_rows(model, task, before, new_rows);
  const TaskRows facts = task_rows(task, all);
  std::vector<std::size_t> variables;
  for (const std::string& name : model.order.order) variables.push_back(all.index(name));
  const Table inside = inside_groups({all.with_columns(variables)}, facts).front();
  context.report_progress(0.0, "linear parts");
  Replay replay(model, inside, facts, context);
  replay.run(result.variables, result.warnings);
  const Table present = replay.moved(all);
  RehearsalModel like = model;
  like.task = task;
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
