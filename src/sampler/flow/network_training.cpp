#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "olem/random.h"
#include "sampler/flow/network_sampler.h"
#include "sampler/kinds.h"

namespace olem {

using namespace internal;

OptionSet describe(NetworkOptions& options) {
  OptionSet set;
  set.integer("ensemble", options.ensemble, 1, static_cast<int>(sampling::kMostMembers),
              "networks per variable, each trained on another split of the rows; draws come from all of them equally");
  set.integer("network_epochs", options.epochs, 1, 1000000, "passes over the training rows, at most");
  set.integer("network_batch", options.batch, 1, 1000000, "rows of a training step");
  set.integer("network_patience", options.patience, 1, 1000000, "stop after this many epochs without improvement");
  set.real("network_learning_rate", options.learning_rate, 1e-8, 1.0, "of Adam");
  return set;
}

}  // namespace olem

namespace olem::internal::sampling {

namespace {

constexpr double kTrainingShare = 0.7;
constexpr double kGradientLimit = 5.0;

// Mean and population standard deviation of the first `count` values.
std::pair<double, double> mean_and_sd(const std::vector<double>& values, std::size_t count) {
  const auto n = static_cast<double>(count);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
  const double mean = std::accumulate(values.begin(), end, 0.0) / n;
  double squares = 0.0;
  for (auto value = values.begin(); value != end; ++value) squares += (*value - mean) * (*value - mean);
  const auto [low, high] = std::minmax_element(values.begin(), end);
  return {mean, *low == *high ? 0.0 : std::sqrt(squares / n)};
}

}  // namespace

void NetworkUnits::fill(std::span<const Condition> conditions, nn::Index rows_above, nn::Matrix<float>& matrix) const {
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    const auto row = rows_above + static_cast<nn::Index>(k);
    for (nn::Index i = 0; i < matrix.cols(); ++i) {
      matrix(row, i) = static_cast<float>((conditions[k].values[conditions[k].shared ? 0 : i] - mean[k]) * factor[k]);
    }
  }
}

void NetworkUnits::add_gradient(const nn::Matrix<float>& by_input, const std::vector<bool>& shared,
                                std::span<double* const> gradients) const {
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    if (gradients[k] == nullptr || factor[k] == 0.0) continue;
    for (nn::Index i = 0; i < by_input.cols(); ++i) {
      gradients[k][shared[k] ? 0 : i] += factor[k] * static_cast<double>(by_input(static_cast<nn::Index>(k), i));
    }
  }
}

void NetworkUnits::store(const std::string& suffix, SamplerState& state) const {
  state.arrays.push_back({"input_mean" + suffix, mean});
  state.arrays.push_back({"input_factor" + suffix, factor});
  state.arrays.push_back({"target_mean" + suffix, {target_mean}});
  state.arrays.push_back({"target_sd" + suffix, {target_sd}});
}

NetworkUnits read_units(const StateReader& reader, std::size_t inputs, const std::string& suffix) {
  NetworkUnits units;
  units.mean = reader.array("input_mean" + suffix, inputs);
  units.factor = reader.not_negative("input_factor" + suffix, inputs);
  units.target_mean = reader.array("target_mean" + suffix, 1).front();
  units.target_sd = reader.positive("target_sd" + suffix, 1).front();
  return units;
}

void store_weights(std::span<const float> weights, const std::string& suffix, SamplerState& state) {
  state.arrays.push_back({"weights" + suffix, {weights.begin(), weights.end()}});
}

std::vector<float> read_weights(const StateReader& reader, std::size_t count, const std::string& suffix) {
  std::vector<float> weights;
  for (const double value : reader.array("weights" + suffix, count)) {
    if (std::abs(value) > std::numeric_limits<float>::max()) {
      reader.fail(fmt::format("the array 'weights{}' has a number that is too large", suffix));
    }
    weights.push_back(static_cast<float>(value));
  }
  return weights;
}

NetworkRows split_rows(const SamplerData& data, const Inputs& inputs, std::size_t member, const Context& context) {
  const std::size_t n = data.target.size();
  NetworkRows rows;
  rows.name = data.name;
  rows.index = data.index * kMostMembers + member;
  rows.warnings = data.warnings;
  rows.training = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::llround(kTrainingShare * static_cast<double>(n))), 1, n - 1);
  const std::vector<std::size_t> chosen =
      RandomStream(context.seed, "sampler.split", rows.index).sample_without_replacement(n, rows.training);
  std::vector<std::size_t> order = chosen;
  std::vector<bool> taken(n, false);
  for (const std::size_t i : chosen) taken[i] = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (!taken[i]) order.push_back(i);
  }
  const auto pick = [&](std::span<const double> column) {
    std::vector<double> picked;
    picked.reserve(n);
    for (const std::size_t i : order) picked.push_back(column[i]);
    return picked;
  };
  for (const std::span<const double> column : inputs) {
    std::vector<double> picked = pick(column);
    const auto [mean, sd] = mean_and_sd(picked, rows.training);
    const double factor = sd > 0.0 ? 1.0 / sd : 0.0;
    for (double& value : picked) value = (value - mean) * factor;
    rows.units.mean.push_back(mean);
    rows.units.factor.push_back(factor);
    rows.inputs.push_back(std::move(picked));
  }
  rows.target = pick(data.target);
  const auto [mean, sd] = mean_and_sd(rows.target, rows.training);
  rows.units.target_mean = mean;
  // A target that varies in validation rows only keeps the units of the whole column.
  rows.units.target_sd = sd > 0.0 ? sd : 1.0;
  for (double& value : rows.target) value = (value - mean) / rows.units.target_sd;
  return rows;
}

void warn_unless_converged(const nn::TrainingResult& trained, const nn::TrainingOptions& training,
                           const NetworkRows& rows) {
  if (trained.stop != nn::StopReason::kEpochs || rows.warnings == nullptr) return;
  rows.warnings->push_back(
      {"not_converged",
       fmt::format("Training {} had not converged after {} epochs.", training.what, trained.epochs),
       rows.name,
       {{"Train longer", "network_epochs"}}});
}

nn::TrainingOptions training_options(const NetworkOptions& options, const NetworkRows& rows, const std::string& kind) {
  nn::TrainingOptions training;
  training.rows = rows.training;
  training.batch = static_cast<std::size_t>(options.batch);
  training.epochs = options.epochs;
  training.patience = options.patience;
  training.learning_rate = options.learning_rate;
  training.gradient_limit = kGradientLimit;
  training.shuffle = "sampler.batches";
  training.index = rows.index;
  training.what = fmt::format("the {} sampler of '{}'", kind, rows.name);
  return training;
}

}  // namespace olem::internal::sampling
