#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/mixed_model.h"
#include "simulate/object_reader.h"

namespace olem {

using namespace internal;

namespace {

// By NoiseKind; uniform is none of them.
constexpr std::array<const char*, 3> kShapeNames = {"beta", "exponential", "normal"};

Json parent_json(const MixedModel& model, const ScaledParent& parent) {
  return {{"parent", model.nodes[parent.node].name}, {"mean", parent.mean}, {"deviation", parent.deviation}};
}

Json predictor_json(const MixedModel& model, const LinearPredictor& predictor) {
  Json terms = Json::array();
  for (const NumericTerm& term : predictor.numeric) {
    Json json = parent_json(model, term.parent);
    json["shape"] = term.saturating ? "tanh" : "linear";
    json["slopes"] = term.slopes;
    if (term.by) json["by"] = model.nodes[*term.by].name;
    terms.push_back(std::move(json));
  }
  for (const LevelTerm& term : predictor.levels) {
    terms.push_back({{"parent", model.nodes[term.parent].name}, {"effects", term.effects}});
  }
  return terms;
}

Json shape_json(const Noise& noise) {
  Json json = {{"shape", kShapeNames[static_cast<std::size_t>(noise.kind)]}};
  if (noise.kind == NoiseKind::kBeta) {
    json["a"] = noise.a;
    json["b"] = noise.b;
  }
  return json;
}

ScaledParent parse_parent(const ObjectReader& reader, const std::vector<std::string>& names) {
  return {find_node_name(names, reader.text("parent"), reader), reader.number("mean"), reader.number("deviation")};
}

LinearPredictor parse_predictor(const Json& json, const std::string& where, const std::vector<std::string>& names) {
  LinearPredictor predictor;
  for (const Json& item : json) {
    const ObjectReader reader(item, fmt::format("{}: A term of a predictor", where));
    if (item.contains("effects")) {
      predictor.levels.push_back({find_node_name(names, reader.text("parent"), reader), reader.numbers("effects")});
      continue;
    }
    NumericTerm term;
    term.parent = parse_parent(reader, names);
    const std::string shape = reader.text("shape");
    if (shape != "tanh" && shape != "linear") reader.fail(fmt::format("is of the unknown shape '{}'", shape));
    term.saturating = shape == "tanh";
    term.slopes = reader.numbers("slopes");
    if (item.contains("by")) term.by = find_node_name(names, reader.text("by"), reader);
    predictor.numeric.push_back(std::move(term));
  }
  return predictor;
}

Noise parse_shape(const ObjectReader& reader) {
  const std::string shape = reader.text("shape");
  for (std::size_t i = 0; i < kShapeNames.size(); ++i) {
    if (shape != kShapeNames[i]) continue;
    Noise noise{static_cast<NoiseKind>(i), 1.0, 0.0};
    if (noise.kind == NoiseKind::kBeta) noise = {noise.kind, reader.number("a"), reader.number("b")};
    return noise;
  }
  reader.fail(fmt::format("is of the unknown shape '{}'; known are beta, exponential and normal", shape));
}

}  // namespace

Json to_json(const MixedModel& model) {
  check_model(model);
  Json nodes = Json::array();
  for (const MixedNode& node : model.nodes) {
    Json parents = Json::array();
    for (const std::size_t parent : node.parents) parents.push_back(model.nodes[parent].name);
    Json json = {
        {"name", node.name}, {"type", std::string(column_type_name(node.about.type))}, {"parents", std::move(parents)}};
    if (!node.about.levels.empty()) {
      Json levels = Json::array();
      for (const ColumnLevel& level : node.about.levels) levels.push_back(level.name);
      json["levels"] = std::move(levels);
    }
    Json predictors = Json::array();
    for (const LinearPredictor& predictor : node.predictors) predictors.push_back(predictor_json(model, predictor));
    json["predictors"] = std::move(predictors);
    if (node.about.type == ColumnType::kReal) json["noise"] = shape_json(node.noise);
    if (node.scale) json["scale"] = parent_json(model, *node.scale);
    nodes.push_back(std::move(json));
  }
  Json order = Json::array();
  for (const std::size_t node : model.order) order.push_back(model.nodes[node].name);
  return {{"order", std::move(order)}, {"nodes", std::move(nodes)}};
}

MixedModel parse_mixed_model(const Json& json, const std::string& source) {
  const ObjectReader file(json, fmt::format("{}: The model", source));
  std::vector<std::string> names;
  std::vector<ObjectReader> readers;
  for (const Json& item : file.array("nodes")) {
    const ObjectReader unnamed(item, fmt::format("{}: Node {}", source, readers.size() + 1));
    names.push_back(unnamed.text("name"));
    readers.emplace_back(item, fmt::format("{}: Node '{}'", source, names.back()));
  }
  MixedModel model;
  for (std::size_t j = 0; j < readers.size(); ++j) {
    const ObjectReader& reader = readers[j];
    MixedNode node;
    node.name = names[j];
    const std::string type = reader.text("type");
    const auto known = find_column_type(type);
    if (!known) reader.fail(fmt::format("is of the unknown type '{}'", type));
    node.about.type = *known;
    node.about.reason = "declared";
    node.about.declared = true;
    if (reader.json().contains("levels")) {
      for (const Json& level : reader.array("levels")) {
        if (!level.is_string()) reader.fail("has a level that is not a text");
        node.about.levels.push_back({static_cast<double>(node.about.levels.size()), level.get<std::string>()});
      }
    }
    for (const Json& parent : reader.array("parents")) {
      if (!parent.is_string()) reader.fail("has a parent that is not a name");
      node.parents.push_back(find_node_name(names, parent.get<std::string>(), reader));
    }
    for (const Json& predictor : reader.array("predictors")) {
      if (!predictor.is_array()) reader.fail("has a predictor that is not a list of terms");
      node.predictors.push_back(parse_predictor(predictor, fmt::format("{}: Node '{}'", source, names[j]), names));
    }
    if (node.about.type == ColumnType::kReal) node.noise = parse_shape(reader.object("noise"));
    if (reader.json().contains("scale")) node.scale = parse_parent(reader.object("scale"), names);
    model.nodes.push_back(std::move(node));
  }
  for (const Json& name : file.array("order")) {
    if (!name.is_string()) file.fail("has an order that is not a list of names");
    model.order.push_back(find_node_name(names, name.get<std::string>(), file));
  }
  check_model(model, source);
  return model;
}

}  // namespace olem
