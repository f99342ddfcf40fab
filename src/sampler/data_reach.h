#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/sampler.h"
#include "sampler/gp/gp_kernel.h"
#include "sampler/state_reader.h"

namespace olem::internal::sampling {

// How far a point is from data: distance to the nearest of up to 500 rows of the data, in units of the distance that 95
// % of these rows keep from the nearest other one. For samplers whose model itself does not know where its data ends.
struct DataReach {
  std::size_t rows = 0;
  std::vector<double> values;  // rows x conditions
  double spacing = 1.0;

  // One value per draw; 0 when there are no conditions. O(draws rows conditions).
  void measure(std::span<const Condition> conditions, std::span<double> out) const;
};

DataReach find_reach(const Inputs& conditions, std::size_t rows, std::uint64_t stream, const Context& context);

void store_reach(const DataReach& reach, SamplerState& state);

// What store_reach stored, of a sampler with this many conditions.
DataReach read_reach(const StateReader& reader, std::size_t conditions);

// Beyond this many spacings a point is outside of the data.
inline constexpr double kReachLimit = 2.0;

}  // namespace olem::internal::sampling
