#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/json_text.h"
#include "olem/options.h"
#include "olem/structural_model.h"
#include "simulate/object_reader.h"

namespace olem {

using namespace internal;

namespace {

// The names of a noise's parameters in a file; the second is empty for a noise that has one.
struct NoiseWords {
  const char* kind;
  const char* a;
  const char* b;
};
constexpr std::array<NoiseWords, 4> kNoiseWords = {{{"beta", "a", "b"},
                                                    {"exponential", "scale", ""},
                                                    {"gaussian", "standard_deviation", ""},
                                                    {"uniform", "low", "high"}}};

Json noise_json(const Noise& noise) {
  const NoiseWords& words = kNoiseWords[static_cast<std::size_t>(noise.kind)];
  Json json = {{"kind", words.kind}, {words.a, noise.a}};
  if (*words.b != '\0') json[words.b] = noise.b;
  return json;
}

Json function_json(const StructuralFunction& function, std::size_t inputs) {
  if (const auto* linear = std::get_if<LinearFunction>(&function)) {
    return {{"kind", "linear"}, {"weights", linear->weights}, {"intercept", linear->intercept}};
  }
  if (const auto* process = std::get_if<GaussianProcessFunction>(&function)) {
    return {{"kind", "gaussian_process"}, {"weights", process->weights}};
  }
  const auto& mlp = std::get<MlpFunction>(function);
  Json rows = Json::array();
  for (std::size_t h = 0; h < mlp.output_weights.size(); ++h) {
    const auto begin = mlp.input_weights.begin() + static_cast<std::ptrdiff_t>(h * inputs);
    rows.push_back(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(inputs)));
  }
  return {{"kind", "mlp"}, {"input_weights", std::move(rows)}, {"output_weights", mlp.output_weights}};
}

Noise parse_noise(const ObjectReader& reader) {
  const std::string kind = reader.text("kind");
  for (std::size_t i = 0; i < kNoiseWords.size(); ++i) {
    const NoiseWords& words = kNoiseWords[i];
    if (kind != words.kind) continue;
    Noise noise{static_cast<NoiseKind>(i), reader.number(words.a), 0.0};
    if (*words.b != '\0') noise.b = reader.number(words.b);
    return noise;
  }
  reader.fail(fmt::format("is of the unknown kind '{}'; known are beta, exponential, gaussian and uniform", kind));
}

StructuralFunction parse_function(const ObjectReader& reader, std::size_t inputs) {
  const std::string kind = reader.text("kind");
  if (kind == "linear") return LinearFunction{reader.numbers("weights"), reader.number("intercept")};
  if (kind == "gaussian_process") return GaussianProcessFunction{reader.numbers("weights")};
  if (kind != "mlp") {
    reader.fail(fmt::format("is of the unknown kind '{}'; known are linear, mlp and gaussian_process", kind));
  }
  MlpFunction mlp;
  for (const Json& item : reader.array("input_weights")) {
    const std::vector<double> row = reader.numbers(item, "input_weights");
    if (row.size() != inputs) {
      reader.fail(fmt::format("has {} input weights for a hidden unit, but {} parents", row.size(), inputs));
    }
    mlp.input_weights.insert(mlp.input_weights.end(), row.begin(), row.end());
  }
  mlp.output_weights = reader.numbers("output_weights");
  return mlp;
}

}  // namespace

Json to_json(const StructuralModel& model) {
  check_model(model);
  Json nodes = Json::array();
  for (const StructuralNode& node : model.nodes) {
    Json parents = Json::array();
    for (const std::size_t parent : node.parents) parents.push_back(model.nodes[parent].name);
    nodes.push_back({{"name", node.name},
                     {"parents", std::move(parents)},
                     {"function", function_json(node.function, node.parents.size())},
                     {"noise", noise_json(node.noise)}});
  }
  Json anchors = Json::object();
  for (std::size_t j = 0; j < model.nodes.size(); ++j) {
    if (!model.anchors[j].empty()) anchors[model.nodes[j].name] = model.anchors[j];
  }
  return {{"nodes", std::move(nodes)}, {"anchors", std::move(anchors)}};
}

StructuralModel parse_structural_model(const Json& json, const std::string& source) {
  const ObjectReader file(json, fmt::format("{}: The model", source));
  std::vector<std::string> names;
  std::vector<ObjectReader> readers;
  for (const Json& item : file.array("nodes")) {
    const ObjectReader unnamed(item, fmt::format("{}: Node {}", source, readers.size() + 1));
    names.push_back(unnamed.text("name"));
    readers.emplace_back(item, fmt::format("{}: Node '{}'", source, names.back()));
  }
  StructuralModel model;
  for (std::size_t j = 0; j < readers.size(); ++j) {
    const ObjectReader& reader = readers[j];
    StructuralNode node;
    node.name = names[j];
    for (const Json& parent : reader.array("parents")) {
      if (!parent.is_string()) reader.fail("has a parent that is not a name");
      node.parents.push_back(find_node_name(names, parent.get<std::string>(), reader));
    }
    node.function = parse_function(reader.object("function"), node.parents.size());
    node.noise = parse_noise(reader.object("noise"));
    model.nodes.push_back(std::move(node));
  }
  model.anchors.resize(names.size());
  const ObjectReader anchors = file.object("anchors");
  for (const auto& [name, values] : anchors.json().items()) {
    model.anchors[find_node_name(names, name, anchors)] = anchors.numbers(values, name.c_str());
  }
  check_model(model, source);
  return model;
}

StructuralModel read_structural_model(const std::string& path) {
  const Json json = parse_json_text(read_file(path), path);
  const ObjectReader file(json, fmt::format("{}: The file", path));
  if (file.text("format") != "olem-truth") file.fail("is no truth file that olem wrote");
  if (file.number("format_version") != 1.0) file.fail("has a format_version other than 1; read it with a newer olem");
  return parse_structural_model(json, path);
}

}  // namespace olem
