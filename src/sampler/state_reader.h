#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "olem/sampler_state.h"
#include "sampler/noise_distribution.h"

namespace olem::internal::sampling {

// Takes a SamplerState apart. Everything that is missing, has the wrong size or is not a finite number in its range is
// a data error that names the part.
class StateReader {
 public:
  explicit StateReader(const SamplerState& state) : state_(state) {}

  bool has(const std::string& name) const { return state_.settings.contains(name); }
  std::size_t count(const std::string& name, std::size_t most) const;
  std::string word(const std::string& name) const;
  // Of exactly `size` numbers, or of any number when `size` is kAny.
  std::vector<double> array(const std::string& name, std::size_t size) const;
  // The same for numbers above zero, for numbers of at least zero, and for ascending whole numbers below `limit`.
  std::vector<double> positive(const std::string& name, std::size_t size) const;
  std::vector<double> not_negative(const std::string& name, std::size_t size) const;
  std::vector<std::size_t> indices(const std::string& name, std::size_t size, std::size_t limit) const;
  NoiseDistribution noise() const;
  [[noreturn]] void fail(const std::string& what) const;

  static constexpr std::size_t kAny = static_cast<std::size_t>(-1);

 private:
  const SamplerState& state_;
};

// What StateReader::noise() reads.
void store_noise(const NoiseDistribution& noise, SamplerState& state);

}  // namespace olem::internal::sampling
