#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/sampler.h"
#include "sampler/gp/gp_training.h"
#include "sampler/sampler_score.h"

namespace olem::internal::sampling {

// ln s(x) = offset + factor l(x), where l is a process that is held within [low, high].
struct NoiseScale {
  std::vector<std::size_t> inputs;
  GpModel model;
  double offset = 0.0;
  double factor = 0.0;
  double low = 0.0;
  double high = 0.0;
};

// t = f(x) + s(x) e.
struct LocationScaleFit {
  TrainedGp location;               // its noise is that of e
  std::optional<NoiseScale> scale;  // none: s = 1
  // Of every row, by the others: what t is off, and the standard deviation factor s.
  std::vector<double> left_out;
  std::vector<double> left_out_scale;
  std::vector<double> held_out;  // ln density of t, of the scored rows
  double effective = 0.0;        // parameters of ln s
  struct Rival {
    std::string form;
    std::vector<double> held_out;
    std::vector<double> left_out;
    std::vector<double> left_out_scale;
  };
  std::vector<Rival> rivals;  // other forms of the noise
};

// Fits f as train_gp does and ln s as a constant, a linear function or a small process, in this order of preference:
// the richer one only if it forecasts rows that were left out better by more than one nat per effective parameter and
// by two standard errors. Then f is fitted again with weights 1 / s^2 and s to what it leaves, at most three times and
// as long as the forecasts improve, all but the last time briefly (docs/methods/location-scale.md).
LocationScaleFit fit_location_scale(const Inputs& inputs, std::span<const double> target, const GpOptions& options,
                                    FitDepth depth, std::uint64_t stream, const Context& context);

// ln density of e[i] = s[i] x (noise of one shape), of the scored rows, the shape being that of the rows of other
// fifths.
std::vector<double> score_residuals(std::span<const double> e, std::span<const double> s,
                                    std::span<const std::size_t> scored);

}  // namespace olem::internal::sampling
