#pragma once

#include <span>

#include "olem/sampler.h"
#include "sampler/gp/gp_model.h"
#include "sampler/gp/gp_noise_shape.h"

namespace olem::internal::sampling {

// What a fitted sampler of this kind is made of.
struct TrainedGp {
  std::vector<std::size_t> inputs;    // those that the model uses, ascending
  std::vector<std::size_t> inducing;  // rows
  GpModel model;                      // on these
  ShapedNoise noise;                  // of the targets: times the weights
};

// What is not as usual.
struct GpTraining {
  std::span<const double> weights;  // as in gp_model.h
  bool linear = false;              // without a nonlinear part
  bool shape = true;                // learns from the shape of the noise; otherwise by least squares
};

// Parameters by maximum penalised marginal likelihood, the nonlinear part pruned backward, and the posterior with them
// and the shape of the noise; once more where that shape tells more of the function. `stream` tells the random rows of
// different variables apart. The result depends on the context's seed, never on its threads. Inputs that do not vary,
// and those whose variances came out as good as zero, are left out.
TrainedGp train_gp(const Inputs& inputs, std::span<const double> target, const GpOptions& options, std::uint64_t stream,
                   const Context& context, const GpTraining& training = {});

// The same with the inputs and hyper-parameters of a process that was fitted to other rows of the same table: the
// posterior and the shape of the noise are those of these rows. A search over hyper-parameters is what fitting costs.
TrainedGp retrain_gp(const GpParameters& parameters, std::span<const std::size_t> used, const Inputs& inputs,
                     std::span<const double> target, const GpOptions& options, std::uint64_t stream,
                     const Context& context);

// The same for many rows of the table that the process was fitted to some of: without a nonlinear part the linear one
// is sought anew among all inputs, by the sums of squares and products of all rows. A nonlinear part sees at most 200
// 000 rows. `weights` as in gp_model.h.
TrainedGp extend_gp(const GpParameters& parameters, std::span<const std::size_t> used, const Inputs& inputs,
                    std::span<const double> target, std::span<const double> weights, const GpOptions& options,
                    std::uint64_t stream, const Context& context);

}  // namespace olem::internal::sampling
