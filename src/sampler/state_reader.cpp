#include "sampler/state_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "olem/error.h"

namespace olem::internal::sampling {

void StateReader::fail(const std::string& what) const {
  throw Error(ErrorCategory::kData, fmt::format("The stored '{}' sampler is damaged: {}.", state_.kind, what));
}

std::size_t StateReader::count(const std::string& name, std::size_t most) const {
  const auto found = state_.settings.find(name);
  if (found == state_.settings.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > most) {
    fail(fmt::format("'{}' is not a whole number up to {}", name, most));
  }
  return found->get<std::size_t>();
}

std::string StateReader::word(const std::string& name) const {
  const auto found = state_.settings.find(name);
  if (found == state_.settings.end() || !found->is_string()) fail(fmt::format("'{}' is not a word", name));
  return found->get<std::string>();
}

std::vector<double> StateReader::array(const std::string& name, std::size_t size) const {
  const auto found = std::find_if(state_.arrays.begin(), state_.arrays.end(),
                                  [&](const SamplerState::Array& array) { return array.name == name; });
  if (found == state_.arrays.end()) fail(fmt::format("the array '{}' is missing", name));
  if (size != kAny && found->values.size() != size) {
    fail(fmt::format("the array '{}' has {} numbers, but needs {}", name, found->values.size(), size));
  }
  if (!std::all_of(found->values.begin(), found->values.end(), [](double value) { return std::isfinite(value); })) {
    fail(fmt::format("the array '{}' has numbers that are not finite", name));
  }
  return found->values;
}

std::vector<double> StateReader::positive(const std::string& name, std::size_t size) const {
  std::vector<double> values = array(name, size);
  if (std::any_of(values.begin(), values.end(), [](double value) { return value <= 0.0; })) {
    fail(fmt::format("the array '{}' has numbers that are not positive", name));
  }
  return values;
}

std::vector<double> StateReader::not_negative(const std::string& name, std::size_t size) const {
  std::vector<double> values = array(name, size);
  if (std::any_of(values.begin(), values.end(), [](double value) { return value < 0.0; })) {
    fail(fmt::format("the array '{}' has negative numbers", name));
  }
  return values;
}

std::vector<std::size_t> StateReader::indices(const std::string& name, std::size_t size, std::size_t limit) const {
  std::vector<std::size_t> result;
  for (const double value : array(name, size)) {
    const bool whole = value >= 0.0 && value < static_cast<double>(limit) && value == std::floor(value);
    if (!whole || (!result.empty() && value <= static_cast<double>(result.back()))) {
      fail(fmt::format("the array '{}' does not hold ascending places below {}", name, limit));
    }
    result.push_back(static_cast<std::size_t>(value));
  }
  return result;
}

NoiseDistribution StateReader::noise() const {
  NoiseDistribution noise{array("noise_normal", kAny), array("noise_value", kAny), array("noise_slope", kAny)};
  if (!is_sound(noise)) fail("its noise is not a distribution");
  return noise;
}

void store_noise(const NoiseDistribution& noise, SamplerState& state) {
  state.arrays.push_back({"noise_normal", noise.normal});
  state.arrays.push_back({"noise_value", noise.value});
  state.arrays.push_back({"noise_slope", noise.slope});
}

}  // namespace olem::internal::sampling
