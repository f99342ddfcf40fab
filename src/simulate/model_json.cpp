#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/json_text.h"
#include "olem/options.h"
#include "olem/structural_model.h"

namespace olem {

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

// Reads the parts of one object and says where it stands when something is wrong with it.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("is not an object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCategory::kData, fmt::format("{} {}.", where_, what));
  }

  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("has no \"{}\"", key));
    return *found;
  }

  std::string text(const char* key) const {
    if (!at(key).is_string()) fail(fmt::format("has a \"{}\" that is not a text", key));
    return at(key).get<std::string>();
  }

  double number(const char* key) const {
    if (!at(key).is_number()) fail(fmt::format("has a \"{}\" that is not a number", key));
    return at(key).get<double>();
  }

  const Json& array(const char* key) const {
    if (!at(key).is_array()) fail(fmt::format("has a \"{}\" that is not a list", key));
    return at(key);
  }

  std::vector<double> numbers(const Json& list, const char* key) const {
    std::vector<double> values;
    if (!list.is_array()) fail(fmt::format("has a \"{}\" that is not a list of numbers", key));
    values.reserve(list.size());
    for (const Json& item : list) {
      if (!item.is_number()) fail(fmt::format("has a \"{}\" with an entry that is not a number", key));
      values.push_back(item.get<double>());
    }
    return values;
  }
  std::vector<double> numbers(const char* key) const { return numbers(at(key), key); }

  Reader object(const char* key) const { return {at(key), fmt::format("{}, \"{}\",", where_, key)}; }
  const Json& json() const { return json_; }

 private:
  const Json& json_;
  std::string where_;
};

Noise parse_noise(const Reader& reader) {
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

StructuralFunction parse_function(const Reader& reader, std::size_t inputs) {
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

std::size_t find_name(const std::vector<std::string>& names, const std::string& name, const Reader& reader) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (names[j] == name) return j;
  }
  const std::string near = closest_name(name, names);
  reader.fail(
      fmt::format("names the unknown node '{}'{}", name, near.empty() ? "" : fmt::format("; '{}' is near", near)));
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
  const Reader file(json, fmt::format("{}: The model", source));
  std::vector<std::string> names;
  std::vector<Reader> readers;
  for (const Json& item : file.array("nodes")) {
    const Reader unnamed(item, fmt::format("{}: Node {}", source, readers.size() + 1));
    names.push_back(unnamed.text("name"));
    readers.emplace_back(item, fmt::format("{}: Node '{}'", source, names.back()));
  }
  StructuralModel model;
  for (std::size_t j = 0; j < readers.size(); ++j) {
    const Reader& reader = readers[j];
    StructuralNode node;
    node.name = names[j];
    for (const Json& parent : reader.array("parents")) {
      if (!parent.is_string()) reader.fail("has a parent that is not a name");
      node.parents.push_back(find_name(names, parent.get<std::string>(), reader));
    }
    node.function = parse_function(reader.object("function"), node.parents.size());
    node.noise = parse_noise(reader.object("noise"));
    model.nodes.push_back(std::move(node));
  }
  model.anchors.resize(names.size());
  const Reader anchors = file.object("anchors");
  for (const auto& [name, values] : anchors.json().items()) {
    model.anchors[find_name(names, name, anchors)] = anchors.numbers(values, name.c_str());
  }
  check_model(model, source);
  return model;
}

StructuralModel read_structural_model(const std::string& path) {
  const Json json = parse_json_text(read_file(path), path);
  const Reader file(json, fmt::format("{}: The file", path));
  if (file.text("format") != "olem-truth") file.fail("is no truth file that olem wrote");
  if (file.number("format_version") != 1.0) file.fail("has a format_version other than 1; read it with a newer olem");
  return parse_structural_model(json, path);
}

}  // namespace olem
