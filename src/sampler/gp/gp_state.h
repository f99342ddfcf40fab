#pragma once

#include <cstddef>
#include <vector>

#include "olem/sampler_state.h"
#include "sampler/gp/gp_model.h"
#include "sampler/state_reader.h"

namespace olem::internal::sampling {

// A process on some of the conditions of a sampler.
struct GpOnInputs {
  std::size_t conditions = 0;
  std::vector<std::size_t> inputs;  // the conditions that the model uses, ascending
  GpModel model;

  template <class T>
  void pick(std::span<const T> all, std::vector<T>& used) const {
    used.clear();
    for (const std::size_t k : inputs) used.push_back(all[k]);
  }
};

// Adds settings and arrays; read_gp() takes them back, and refuses what is damaged with a data error.
void store_gp(const GpOnInputs& process, SamplerState& state);
GpOnInputs read_gp(const StateReader& reader);

}  // namespace olem::internal::sampling
