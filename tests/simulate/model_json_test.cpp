#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/simulate.h"
#include "simulate/helpers.h"
#include "support/process.h"

namespace olem::model_json_test {

using namespace internal;
namespace {

StructuralModel through_text(const StructuralModel& model) {
  return parse_structural_model(Json::parse(to_json(model).dump()), "truth.json");
}

TEST(ModelJson, EveryKindOfModelComesBackUnchanged) {
  OrderSimulationOptions order;
  order.rows = 40;
  order.linearity = 0.3;
  const StructuralModel mixed = random_order_model(order, 0, {}).model;
  EXPECT_EQ(through_text(mixed), mixed);
  AufSimulationOptions auf;
  auf.family = AufFamily::kMlp;
  auf.hidden = 5;
  auf.noise = NoiseKind::kExponential;
  const StructuralModel mlp = random_auf_task(auf, 0, {}).model;
  EXPECT_EQ(through_text(mlp), mlp);
  EXPECT_EQ(through_text(bermuda_model()), bermuda_model());
}

RC_GTEST_PROP(ModelJson, AnyFiniteNumberComesBackToTheLastBit, (std::uint64_t bits, std::uint64_t more)) {
  const auto weight = std::bit_cast<double>(bits);
  const auto intercept = std::bit_cast<double>(more);
  RC_PRE(std::isfinite(weight) && std::isfinite(intercept));
  StructuralModel model;
  model.nodes = {{"A", {}, LinearFunction{}, {}}, {"B", {0}, LinearFunction{{weight}, intercept}, {}}};
  model.anchors.resize(2);
  const StructuralModel back = through_text(model);
  const auto& function = std::get<LinearFunction>(back.nodes[1].function);
  RC_ASSERT(std::bit_cast<std::uint64_t>(function.weights[0]) == bits);
  RC_ASSERT(std::bit_cast<std::uint64_t>(function.intercept) == more);
}

void expect_rejected(const std::string& part, const Json& json) {
  test::expect_error(ErrorCategory::kData, part, [&] { parse_structural_model(json, "truth.json"); });
}

TEST(ModelJson, BrokenFilesAreDataErrorsThatNameTheNode) {
  const Json good = to_json(bermuda_model());
  const auto edited = [&](const std::string& pointer, const Json& value) {
    Json json = good;
    json[Json::json_pointer(pointer)] = value;
    return json;
  };
  expect_rejected("truth.json: The model is not an object.", Json::array());
  expect_rejected("has no \"nodes\"", Json::object());
  expect_rejected("Node 2 has a \"name\" that is not a text", edited("/nodes/1/name", 5));
  expect_rejected("Node 'Temp' names the unknown node 'Lihgt'; 'Light' is near", edited("/nodes/1/parents/0", "Lihgt"));
  expect_rejected("Node 'Temp', \"function\", is of the unknown kind 'cubic'",
                  edited("/nodes/1/function/kind", "cubic"));
  expect_rejected("Node 'Temp', \"noise\", is of the unknown kind 'cauchy'", edited("/nodes/1/noise/kind", "cauchy"));
  expect_rejected("Node 'Temp', \"noise\", has no \"low\"", edited("/nodes/1/noise/kind", "uniform"));
  expect_rejected("Node 'Temp', \"function\", has a \"weights\" with an entry that is not a number",
                  edited("/nodes/1/function/weights/0", nullptr));
  expect_rejected("Node 'Temp' has 2 weights, but needs 1", edited("/nodes/1/function/weights", {1.0, 2.0}));
  Json cyclic = edited("/nodes/0/parents", {"NEC"});
  cyclic["nodes"][0]["function"]["weights"] = {1.0};
  expect_rejected("The graph has a cycle: Light -> ", cyclic);
}

TEST(ModelJson, FilesThatAreNotJsonAreDataErrors) {
  const test::TemporaryFolder folder;
  for (const char* text : {"", "{\"nodes\": [", "{\"nodes\": [1e999]}"}) {
    const std::string path = folder.write("truth.json", text);
    test::expect_error(ErrorCategory::kData, path, [&] { read_structural_model(path); });
  }
}

TEST(ModelJson, OtherFormatsAndLaterVersionsAreRefused) {
  const test::TemporaryFolder folder;
  Json json = to_json(bermuda_model());
  const auto expect_refused = [&](const std::string& part) {
    const std::string path = folder.write("truth.json", json.dump());
    test::expect_error(ErrorCategory::kData, part, [&] { read_structural_model(path); });
  };
  expect_refused("has no \"format\"");
  json["format"] = "other";
  json["format_version"] = 1;
  expect_refused("is no truth file");
  json["format"] = "olem-truth";
  json["format_version"] = 2;
  expect_refused("newer olem");
  json["format_version"] = 1;
  EXPECT_EQ(read_structural_model(folder.write("truth.json", json.dump())), bermuda_model());
}

}  // namespace
}  // namespace olem::model_json_test
