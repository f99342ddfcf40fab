#include "order/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/order.h"
#include "order/stability.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<std::string_view, 3> kDecidedBy = {"none", "shape", "scale"};  // by enumerator

std::string closing_sentence(const OrderResult& result) {
  const auto undecided =
      std::count_if(result.steps.begin(), result.steps.end(), [](const OrderStep& step) { return !step.decided; });
  if (undecided == 0) return "Every step was decided by the data or by knowledge.";
  const bool errors = std::any_of(result.steps.begin(), result.steps.end(),
                                  [](const OrderStep& step) { return step.gap_standard_error.has_value(); });
  return fmt::format("{} of {} steps were not decided by the data: {}.", undecided, result.steps.size(),
                     errors ? "their gap is within 2 standard errors" : "the best two candidates were equal");
}

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json step_json(const OrderStep& step, const std::string& criterion) {
  Json json;
  json["sink"] = step.sink;
  json["runner_up"] = step.runner_up.empty() ? Json() : Json(step.runner_up);
  json["gap"] = number_or_null(step.gap);
  json["gap_standard_error"] = number_or_null(step.gap_standard_error);
  json["decided"] = step.decided;
  json["forced"] = step.forced;
  if (step.evidence) {
    json["gap_shape"] = step.evidence->gap_shape;
    json["gap_shape_standard_error"] = step.evidence->gap_shape_standard_error;
    json["gap_scale"] = step.evidence->gap_scale;
    json["gap_scale_standard_error"] = step.evidence->gap_scale_standard_error;
    json["decided_by"] = name_of(step.evidence->decided_by);
  }
  for (const auto& [key, value] : step.facts) json[key] = value;
  for (const auto& [name, value] : step.values) json[criterion][name] = value;
  return json;
}

}  // namespace

std::string_view name_of(DecidedBy decided_by) { return kDecidedBy[static_cast<std::size_t>(decided_by)]; }

DecidedBy decided_by_name(std::string_view name) {
  const auto found = std::find(kDecidedBy.begin(), kDecidedBy.end(), name);
  if (found == kDecidedBy.end()) {
    throw Error(ErrorCategory::kData,
                fmt::format("'{}' does not say what decided a step; none, shape and scale do.", name));
  }
  return static_cast<DecidedBy>(found - kDecidedBy.begin());
}

}  // namespace olem

namespace olem::internal {

void check_learnable(const Table& table, std::size_t least_rows, const std::string& method) {
  std::vector<std::string> constant;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto column = table.column(j);
    if (std::all_of(column.begin(), column.end(), [&](double value) { return value == column.front(); }))
      constant.push_back(table.name(j));
  }
  if (table.columns() == 0) throw Error(ErrorCategory::kData, table.prefix() + "There are no columns to work on.");
  if (table.rows() < least_rows) {
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}{} needs at least {} rows for {} column{}, but there {} {}.", table.prefix(), method, least_rows,
                    table.columns(), table.columns() == 1 ? "" : "s", table.rows() == 1 ? "is" : "are", table.rows()));
  }
  if (!constant.empty()) {
    const Remedy by_name = leave_out(constant);
    const bool one = constant.size() == 1;
    throw Error(ErrorCategory::kData,
                fmt::format("{}The column{} '{}' never change{}: a constant has no place in an order.", table.prefix(),
                            one ? "" : "s", fmt::join(constant, "', '"), one ? "s" : ""),
                {by_name, {by_name.advice, "constant", "drop"}});
  }
}

void warn_about_category_codes(const Table& table, const std::string& method, Summary& summary) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const Column& about = table.about(j);
    if (about.type == ColumnType::kCategory && about.levels.size() > 2) names.push_back(table.name(j));
  }
  if (names.empty()) return;
  summary.warnings.push_back(
      {"codes",
       fmt::format("'{}' {} levels without an order, which {} takes for quantities by their numbers.",
                   fmt::join(names, "', '"), names.size() == 1 ? "has" : "have", method),
       fmt::format("{}", fmt::join(names, ", ")),
       {{"Choose the method that takes each column by its type", "method", "olem+"}, leave_out(names)}});
}

}  // namespace olem::internal

namespace olem {

OrderResult learn_order(const Table& table, const OrderOptions& options, const Precedence& knowledge,
                        const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const OrderLearnerKind& kind = order_learner(options.method);
  OrderOptions checked = options;
  kind.describe(checked).validate();
  const auto learn = [&](const Table& rows, const Context& own) {
    check_learnable(rows, kind.least_rows(rows.columns(), checked), kind.name);
    return kind.learn(rows, checked, knowledge, own);
  };
  OrderResult result;
  if (table.columns() == 1) {
    result.order = table.names();
  } else {
    result = learn(table, context);
    if (checked.bootstrap > 0) {
      result.stability = measure_stability(
          table, checked.bootstrap, knowledge,
          [&](const Table& half, const Context& own) { return learn(half, own).order; }, context);
    }
  }
  result.method = kind.name;
  // olem+ has models of levels, and olem refuses columns whose rows have no distances.
  if (kind.name != "olem" && kind.name != "olem+") warn_about_category_codes(table, kind.name, result.summary);
  if (result.summary.message.empty()) result.summary.message = closing_sentence(result);
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

const std::vector<std::vector<double>>* OrderResult::matrix(std::string_view key) const {
  const auto found =
      std::find_if(matrices.begin(), matrices.end(), [&](const PairMatrix& entry) { return entry.key == key; });
  return found == matrices.end() ? nullptr : &found->values;
}

Json to_json(const OrderResult& result) {
  Json json;
  json["order"] = result.order;
  json["steps"] = Json::array();
  for (const OrderStep& step : result.steps) json["steps"].push_back(step_json(step, result.criterion));
  for (const EdgeInclusion& edge : result.inclusions) {
    json["inclusions"].push_back({{"from", edge.from},
                                  {"to", edge.to},
                                  {"gain", edge.gain},
                                  {"gap", number_or_null(edge.gap)},
                                  {"score", edge.score}});
  }
  for (const auto& [key, value] : result.facts) json[key] = value;
  for (const PairMatrix& matrix : result.matrices) json[matrix.key] = matrix.values;
  if (result.stability) {
    const OrderStability& stability = *result.stability;
    json["repetitions"] = stability.repetitions;
    json["names"] = stability.names;
    json["before"] = stability.before;
    json["consensus"] = stability.consensus;
    json["stability"] = stability.adjacent;
  }
  return json;
}

}  // namespace olem
