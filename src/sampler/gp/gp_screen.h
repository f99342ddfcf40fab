#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "olem/context.h"
#include "sampler/gp/gp_kernel.h"

namespace olem::internal::sampling {

// With more inputs than this a screen comes before the search for hyper-parameters, which costs q^3 an evaluation for
// q inputs. With fewer the search is cheap and tells better by itself.
inline constexpr std::size_t kWideInputs = 20;

// What is worth a search.
struct GpScreen {
  std::vector<std::size_t> inputs;     // ascending
  std::vector<std::size_t> nonlinear;  // of these, by place among `inputs`: may be in the nonlinear part; none: no part
};

// Which inputs the target depends on at all and whether it does so nonlinearly, by one pass over the sums of squares
// and products: O(rows q^2). `weights` as in gp_model.h. Linear regression on all inputs is reduced backward, the
// input with the smallest |t| first, until all that are left have t^2 >= 2 (Akaike's criterion). Its residuals are then
// tested for nonlinear functions of each input, of the fitted value (Ramsey 1969) and for products of the strongest
// inputs, each family of tests at 1 %.
GpScreen screen_inputs(const Inputs& inputs, std::span<const double> target, std::span<const double> weights,
                       bool linear, const Context& context);

}  // namespace olem::internal::sampling
