#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "olem/sampler.h"
#include "sampler/gp/gp_evaluator.h"
#include "sampler/gp/gp_state.h"
#include "sampler/gp/gp_training.h"

namespace olem::internal::sampling {

inline constexpr std::size_t kDrawsAtOnce = 256;

// Calls body(draw, place in the evaluator, evaluator) for every draw, without gradients.
template <class Body>
void for_gp_blocks(const GpOnInputs& process, std::span<const Condition> conditions, std::size_t draws,
                   bool with_variance, const Body& body) {
  GpEvaluator evaluator(process.model);
  evaluator.forgo_gradient();
  std::vector<Condition> inputs;
  for (std::size_t first = 0; first < draws; first += kDrawsAtOnce) {
    const std::size_t count = std::min(kDrawsAtOnce, draws - first);
    process.pick(conditions, inputs);
    for (Condition& input : inputs) input.values += input.shared ? 0 : first;
    evaluator.evaluate(inputs, count, with_variance);
    for (std::size_t i = 0; i < count; ++i) body(first + i, i, evaluator);
  }
}

// The form of the process and what it depends on; the noise is the model's.
SamplerFacts gp_facts(const GpOnInputs& process);

// The inputs and hyper-parameters of a sampler of the kind gp, with the posterior of these rows; null for other kinds.
std::shared_ptr<const ConditionalSampler> extend_gp_sampler(const ConditionalSampler& like, const SamplerData& data,
                                                            const SamplerOptions& options, const Context& context);

// The sampler of the kind gp.
std::shared_ptr<const ConditionalSampler> make_gp(std::size_t conditions, TrainedGp trained);

}  // namespace olem::internal::sampling
