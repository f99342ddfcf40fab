#include "olem/context_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "olem/error.h"
#include "olem/options.h"
#include "olem/random.h"
#include "sampler/fit_variables.h"

namespace olem {

using namespace internal;

namespace {

// Sweeps over several unknown variables; one that is alone is drawn at once.
constexpr std::size_t kSweeps = 10;

// What is discrete has one of its values exactly.
double possible_value(const SamplerVariable& variable, double standardised) {
  const double value = variable.restore(standardised);
  if (!variable.about.levels.empty()) {
    const auto& levels = variable.about.levels;
    const auto nearest = std::min_element(levels.begin(), levels.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.value - value) < std::abs(b.value - value);
    });
    return nearest->value;
  }
  return variable.about.type == ColumnType::kCount ? std::round(value) : value;
}

std::size_t place_in(const ContextModel& model, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < model.variables.size(); ++j) {
    if (model.variables[j].name == name) return j;
    names.push_back(model.variables[j].name);
  }
  const std::string near = closest_name(name, names);
  throw Error(ErrorCategory::kUsage, fmt::format("The model of the context does not know '{}'.{}", name,
                                                 near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
}

}  // namespace

ContextModel fit_context_model(std::span<const Table> tables, const std::vector<std::string>& names,
                               const SamplerOptions& options, const Context& context) {
  check_at_least("number of tables", static_cast<long long>(tables.size()), 1);
  SamplerOptions by_type = options;
  by_type.sampler = "auto";
  const SamplerKind& kind = sampler_kind(by_type.sampler);
  kind.describe(by_type).validate();
  ContextModel model;
  std::vector<std::vector<double>> columns(names.size());
  for (std::size_t j = 0; j < names.size(); ++j) {
    SamplerVariable variable = describe_variable(tables, names[j], columns[j]);
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (k != j) variable.conditions.push_back(k);
    }
    check_fit(kind, tables.front(), variable);
    model.variables.push_back(std::move(variable));
  }
  std::vector<Warning> doubts;  // of models that most decisions never use
  fit_variables(model.variables, columns, std::vector<bool>(names.size(), false), tables.size(), kind, by_type,
                "context", doubts, context);
  return model;
}

std::vector<std::vector<double>> draw_unknown(const ContextModel& model, std::span<const NamedValue> known,
                                              const std::vector<std::string>& unknown, std::size_t draws,
                                              std::uint64_t noise, const Context& context) {
  const std::size_t count = model.variables.size();
  std::vector<std::vector<double>> values(count);  // standardised; a single one where it is known
  for (const NamedValue& given : known) {
    const std::size_t j = place_in(model, given.name);
    check_finite(given.name, given.value);
    values[j] = {model.variables[j].standardise(given.value)};
  }
  std::vector<std::size_t> places;
  for (const std::string& name : unknown) {
    const std::size_t j = place_in(model, name);
    if (!values[j].empty()) throw Error(ErrorCategory::kUsage, fmt::format("'{}' is both known and unknown.", name));
    values[j].assign(draws, 0.0);
    places.push_back(j);
  }
  for (std::size_t j = 0; j < count; ++j) {
    if (values[j].empty())
      throw Error(ErrorCategory::kUsage,
                  fmt::format("'{}' is neither known nor to be drawn.", model.variables[j].name));
  }
  std::vector<bool> is_unknown(count, false);
  for (const std::size_t j : places) is_unknown[j] = true;
  const std::size_t sweeps = places.size() > 1 ? kSweeps : 1;
  std::vector<double> numbers;
  std::vector<Condition> conditions;
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    for (const std::size_t j : places) {
      context.check_interrupt();
      const SamplerVariable& variable = model.variables[j];
      numbers.clear();
      for (std::size_t e = 0; e < variable.sampler->noise_entries(); ++e) {
        RandomStream random(context.seed, "decision.unknown", stream_index({{noise, 40}, {j, 14}, {sweep, 6}, {e, 4}}));
        for (std::size_t i = 0; i < draws; ++i) numbers.push_back(random.normal());
      }
      conditions.clear();
      for (const std::size_t k : variable.conditions) conditions.push_back({values[k].data(), !is_unknown[k]});
      const auto run = variable.sampler->start(numbers, draws);
      run->forgo_gradient();
      run->sample(conditions, 1.0, values[j]);
      // An absurd draw is as good as none: it begins again from the mean.
      for (double& value : values[j]) value = std::abs(value) <= 1e3 ? value : 0.0;
    }
  }
  std::vector<std::vector<double>> drawn;
  for (const std::size_t j : places) {
    std::vector<double>& column = drawn.emplace_back();
    for (const double value : values[j]) column.push_back(possible_value(model.variables[j], value));
  }
  return drawn;
}

}  // namespace olem
