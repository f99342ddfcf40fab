#include "sampler/gp/gp_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "sampler/kinds.h"

namespace olem::internal::sampling {

namespace {

constexpr std::array<const char*, 2> kKernelNames = {"arcsine", "rbf"};

}  // namespace

void store_gp(const GpOnInputs& process, SamplerState& state) {
  const GpModel& model = process.model;
  const GpParameters& parameters = model.parameters;
  state.settings["kernel"] = std::string(kKernelNames[static_cast<std::size_t>(parameters.kernel)]);
  state.settings["conditions"] = process.conditions;
  state.settings["points"] = model.points.points;
  if (model.spread_points < model.points.points) state.settings["spread_points"] = model.spread_points;
  state.settings["directions"] = model.directions;
  state.arrays.push_back({"inputs", {process.inputs.begin(), process.inputs.end()}});
  state.arrays.push_back({"variances", {parameters.constant, parameters.noise, parameters.signal, parameters.bias}});
  state.arrays.push_back({"linear", parameters.linear});
  state.arrays.push_back({"relevance", parameters.relevance});
  state.arrays.push_back({"points", model.points.values});
  state.arrays.push_back({"scales", model.points.scales});
  state.arrays.push_back({"intercept", {model.intercept}});
  state.arrays.push_back({"slopes", model.slopes});
  state.arrays.push_back({"weights", model.weights});
  state.arrays.push_back({"spread", model.spread});
}

GpOnInputs read_gp(const StateReader& reader) {
  GpOnInputs process;
  process.conditions = reader.count("conditions", kMostConditions);
  process.inputs = reader.indices("inputs", StateReader::kAny, process.conditions);
  const std::size_t q = process.inputs.size();
  GpModel& model = process.model;
  GpParameters& parameters = model.parameters;
  const std::string kernel = reader.word("kernel");
  const auto found = std::find(kKernelNames.begin(), kKernelNames.end(), kernel);
  if (found == kKernelNames.end()) reader.fail(fmt::format("'{}' is not a kernel", kernel));
  parameters.kernel = static_cast<GpKernel>(found - kKernelNames.begin());
  const std::vector<double> variances = reader.positive("variances", 4);
  parameters.constant = variances[0];
  parameters.noise = variances[1];
  parameters.signal = variances[2];
  parameters.bias = variances[3];
  parameters.linear = reader.not_negative("linear", q);
  parameters.relevance = reader.not_negative("relevance", q);

  model.weights = reader.array("weights", StateReader::kAny);
  model.points.points = model.weights.size();
  if (reader.count("points", model.points.points) != model.points.points) reader.fail("the points are too many");
  model.points.coordinates = model.points.points > 0 ? parameters.nonlinear_inputs().size() + 1 : 0;
  model.points.values = reader.array("points", model.points.points * model.points.coordinates);
  model.points.scales = reader.array("scales", model.points.points);
  model.intercept = reader.array("intercept", 1).front();
  model.slopes = reader.array("slopes", q);
  model.spread_points =
      reader.has("spread_points") ? reader.count("spread_points", model.points.points) : model.points.points;
  std::vector<double> spread = reader.array("spread", StateReader::kAny);
  const std::size_t directions = reader.count("directions", model.features());
  if (directions * model.features() != spread.size()) reader.fail("the posterior spread has the wrong size");
  set_spread(model, directions, std::move(spread));
  return process;
}

}  // namespace olem::internal::sampling
