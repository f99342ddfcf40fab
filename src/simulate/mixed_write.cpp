#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "olem/column_types.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/json_text.h"
#include "olem/simulate.h"
#include "olem/simulate_mixed.h"
#include "simulate/object_reader.h"
#include "simulate/write.h"

namespace olem {

using namespace internal;

namespace {

const Column& about_node(const MixedModel& model, const std::string& name) {
  for (const MixedNode& node : model.nodes) {
    if (node.name == name) return node.about;
  }
  throw Error(ErrorCategory::kInternal, fmt::format("The task names '{}', which is no node.", name));
}

// A word, or a number, of a count without a decimal point.
Json cell_json(const Column& about, double value) {
  if (about.type == ColumnType::kCount) return static_cast<long long>(value);
  return value_json(about, value);
}

Json words_json(const Column& about, const std::vector<double>& values) {
  Json words = Json::array();
  for (const double value : values) words.push_back(cell_json(about, value));
  return words;
}

Json lever_json(const MixedModel& model, const MixedLever& lever) {
  const Column& about = about_node(model, lever.name);
  if (lever.values.empty()) return {lever.low, lever.high};
  if (!has_levels(about.type))
    return {{"min", cell_json(about, lever.low)}, {"max", cell_json(about, lever.high)}, {"step", 1}};
  return {{"values", words_json(about, lever.values)}};
}

Json goal_json(const MixedModel& model, const MixedGoal& goal) {
  const Column& about = about_node(model, goal.name);
  if (!goal.levels.empty()) {
    const Json words = words_json(about, goal.levels);
    return words.size() == 1 ? words.front() : Json{{"values", words}};
  }
  Json range = Json::array();
  range.push_back(goal.low ? cell_json(about, *goal.low) : Json());
  range.push_back(goal.high ? cell_json(about, *goal.high) : Json());
  return range;
}

Json named_json(const MixedModel& model, const std::vector<NamedValue>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = cell_json(about_node(model, name), value);
  return json;
}

Json column_json(const Column& about) {
  if (about.levels.empty()) return std::string(column_type_name(about.type));
  Json levels = Json::array();
  for (const ColumnLevel& level : about.levels) levels.push_back(level.name);
  return {{"type", std::string(column_type_name(about.type))}, {"levels", std::move(levels)}};
}

// Roles and goals, as in the task file.
Json roles_json(const MixedModel& model, const MixedTask& task) {
  Json json;
  json["context"] = task.context;
  json["alterable"] = Json::object();
  for (const MixedLever& lever : task.alterable) json["alterable"][lever.name] = lever_json(model, lever);
  json["outcome"] = task.outcome;
  json["desired"] = Json::object();
  for (const MixedGoal& goal : task.desired) json["desired"][goal.name] = goal_json(model, goal);
  return json;
}

std::string mixed_truth_json(const MixedSimulation& simulation) {
  MixedSimulationOptions options = simulation.options;
  Json used = describe(options).json();
  used["types"] = to_text(options.types);
  Json json = {{"format", "olem-truth"},
               {"format_version", 1},
               {"kind", "mixed"},
               {"seed", simulation.seed},
               {"index", simulation.index},
               {"options", std::move(used)},
               {"attempts", simulation.attempts},
               {"without_action", simulation.without_action}};
  json["task"] = roles_json(simulation.model, simulation.task);
  Json best = Json::array();
  for (const TrueDecision& decision : simulation.best) {
    best.push_back({{"observed", named_json(simulation.model, decision.observed)},
                    {"alterations", named_json(simulation.model, decision.alterations)},
                    {"success", decision.success},
                    {"without_action", decision.without_action}});
  }
  json["best"] = std::move(best);
  json.update(to_json(simulation.model));
  return dump_indented(json, 2) + "\n";
}

double level_number(const Column& about, const Json& word, const ObjectReader& reader) {
  const auto level = word.is_string() ? find_level(about, word.get<std::string>()) : std::nullopt;
  if (!level) reader.fail(fmt::format("names {}, which is no level", word.dump()));
  return level->value;
}

const Column& about_named(const MixedModel& model, const std::string& name, const ObjectReader& reader) {
  return model.nodes[find_node_name(model.names(), name, reader)].about;
}

MixedLever parse_lever(const MixedModel& model, const std::string& name, const Json& json, const std::string& source,
                       const ObjectReader& reader) {
  const Column& about = about_named(model, name, reader);
  MixedLever lever{name, 0.0, 0.0, {}};
  if (json.is_array() && json.size() == 2) {
    const std::vector<double> range = reader.numbers(json, name.c_str());
    lever.low = range[0];
    lever.high = range[1];
    return lever;
  }
  const ObjectReader object(json, fmt::format("{}: The lever '{}'", source, name));
  if (json.contains("min")) {
    lever.low = object.number("min");
    lever.high = object.number("max");
    if (!(lever.low <= lever.high) || lever.high - lever.low > 1e6) object.fail("has no values");
    for (double value = lever.low; value <= lever.high; value += 1.0) lever.values.push_back(value);
    return lever;
  }
  for (const Json& word : object.array("values")) lever.values.push_back(level_number(about, word, object));
  if (lever.values.empty()) object.fail("has no values");
  lever.low = lever.values.front();
  lever.high = lever.values.back();
  return lever;
}

MixedGoal parse_goal(const MixedModel& model, const std::string& name, const Json& json, const std::string& source,
                     const ObjectReader& reader) {
  const Column& about = about_named(model, name, reader);
  MixedGoal goal{name, {}, {}, {}};
  if (json.is_string()) {
    goal.levels = {level_number(about, json, reader)};
  } else if (json.is_object()) {
    const ObjectReader object(json, fmt::format("{}: What is desired of '{}'", source, name));
    for (const Json& word : object.array("values")) goal.levels.push_back(level_number(about, word, object));
  } else if (json.is_array() && json.size() == 2) {
    const auto side = [&](const Json& bound) -> std::optional<double> {
      if (bound.is_null()) return {};
      if (!bound.is_number()) reader.fail(fmt::format("has a range of '{}' that is not two numbers", name));
      return bound.get<double>();
    };
    goal.low = side(json[0]);
    goal.high = side(json[1]);
  } else {
    reader.fail(fmt::format("has no range or levels of '{}'", name));
  }
  return goal;
}

std::vector<std::string> parse_names(const ObjectReader& reader, const char* key) {
  std::vector<std::string> names;
  for (const Json& name : reader.array(key)) {
    if (!name.is_string()) reader.fail(fmt::format("has a \"{}\" that is not a list of names", key));
    names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace

std::string data_csv(const MixedSimulation& simulation, const Context& context) {
  return table_csv(simulation.data, simulation.missing, context);
}

Json task_json(const MixedSimulation& simulation) {
  Json json;
  json["data"] = "data.csv";
  json["columns"] = Json::object();
  for (const MixedNode& node : simulation.model.nodes) json["columns"][node.name] = column_json(node.about);
  json.update(roles_json(simulation.model, simulation.task));
  std::vector<NamedValue> observed;
  for (std::size_t j = 0; j < simulation.contexts.columns(); ++j) {
    observed.push_back({simulation.contexts.name(j), simulation.contexts.at(0, j)});
  }
  json["observed"] = named_json(simulation.model, observed);
  return json;
}

std::vector<std::string> write_simulation(const std::string& folder, const MixedSimulation& simulation, bool overwrite,
                                          const Context& context) {
  check_simulation_folder(folder, overwrite);
  return write_files(folder,
                     {{"data.csv", data_csv(simulation, context)},
                      {"graph.csv", edges_csv(simulation.model.names(), simulation.model.edges())},
                      {"truth.json", mixed_truth_json(simulation)},
                      {"task.json", dump_indented(task_json(simulation), 2) + "\n"},
                      {"contexts.csv", table_csv(simulation.contexts, {}, context)}},
                     overwrite);
}

MixedTruth read_mixed_truth(const std::string& path) {
  const Json json = parse_json_text(read_file(path), path);
  const ObjectReader file(json, fmt::format("{}: The file", path));
  if (file.text("format") != "olem-truth") file.fail("is no truth file that olem wrote");
  if (file.number("format_version") != 1.0) file.fail("has a format_version other than 1; read it with a newer olem");
  if (file.text("kind") != "mixed") file.fail(fmt::format("is of the kind '{}', not mixed", file.text("kind")));
  MixedTruth truth;
  truth.model = parse_mixed_model(json, path);
  const ObjectReader task(file.at("task"), fmt::format("{}: The task", path));
  truth.task.context = parse_names(task, "context");
  for (const std::string& name : truth.task.context) static_cast<void>(about_named(truth.model, name, task));
  for (const auto& [name, domain] : task.object("alterable").json().items()) {
    truth.task.alterable.push_back(parse_lever(truth.model, name, domain, path, task));
  }
  truth.task.outcome = parse_names(task, "outcome");
  for (const auto& [name, goal] : task.object("desired").json().items()) {
    truth.task.desired.push_back(parse_goal(truth.model, name, goal, path, task));
  }
  return truth;
}

}  // namespace olem
