// The best decision by the equations themselves, and truth files of simulators with a name.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/random.h"
#include "olem/simulate_named.h"
#include "simulate/decision_search.h"
#include "simulate/object_reader.h"

namespace olem {

using namespace internal;

namespace {

std::vector<SearchLever> levers_of(const Task& task) {
  std::vector<SearchLever> levers;
  for (const LeverDomain& domain : task.alterable) {
    SearchLever& lever = levers.emplace_back(SearchLever{domain.name, domain.low, domain.high, false});
    for (const ColumnDeclaration& column : task.columns) {
      if (column.name == domain.name && column.type == ColumnType::kBinary) lever = {domain.name, 0.0, 1.0, true};
    }
  }
  return levers;
}

}  // namespace

NamedDecision best_decision(const NamedModel& model, std::span<const NamedValue> observed, const Context& context) {
  const TrueSuccess success = [&](std::span<const NamedValue> alterations, std::size_t trials, std::uint64_t draw) {
    return model.success(observed, alterations, trials, draw, context);
  };
  return search_decision(levers_of(model.task()), success, RandomStream(context.seed, "simulate.named_search"),
                         context);
}

namespace {

Json truth_of(const std::string& path) {
  Json json = parse_json_text(read_file(path), path);
  const ObjectReader file(json, fmt::format("{}: The file", path));
  if (file.text("format") != "olem-truth") file.fail("is no truth file that olem wrote");
  return json;
}

}  // namespace

std::string truth_kind(const std::string& path) {
  const Json json = truth_of(path);
  return ObjectReader(json, fmt::format("{}: The file", path)).text("kind");
}

NamedModel read_named_truth(const std::string& path) {
  const Json json = truth_of(path);
  const ObjectReader file(json, fmt::format("{}: The file", path));
  if (file.number("format_version") != 1.0) file.fail("has a format_version other than 1; read it with a newer olem");
  const std::string name = file.text("name");
  const auto known = named_simulators();
  if (std::none_of(known.begin(), known.end(), [&](const NamedSimulator& one) { return one.name == name; }))
    file.fail(fmt::format("names the simulator '{}', which this olem does not have", name));
  const Json& seed = file.at("seed");
  if (!seed.is_number_unsigned()) file.fail("has a \"seed\" that is not a whole number of at least 0");
  return NamedModel(name, seed.get<std::uint64_t>());
}

}  // namespace olem
