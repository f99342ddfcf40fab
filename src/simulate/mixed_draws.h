#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "olem/mixed_model.h"
#include "simulate/evaluate.h"

namespace olem::internal {

// Beyond it a parent has no further effect, so that heavy tails do not multiply along a path.
inline constexpr double kMostDeviations = 4.0;

// One column of noise per node, empty for the nodes that are not in `nodes`: e of a continuous node, a uniform number
// of a discrete one. The stream of node j is (seed, purpose, draw and j).
Columns mixed_noise(const MixedModel& model, std::span<const std::size_t> nodes, std::size_t rows,
                    std::string_view purpose, std::uint64_t draw, const Context& context);

// Replaces the first `rows` entries of columns[node] by the node's values, given those of its parents and its noise.
void apply_equation(const MixedModel& model, std::size_t node, const std::vector<double>& noise, std::size_t rows,
                    Columns& columns);

// draw_rows with another purpose for its streams, without checking the model.
Columns draw_columns(const MixedModel& model, std::size_t rows, std::string_view purpose, std::uint64_t draw,
                     const Context& context);

Table as_table(const MixedModel& model, const Columns& columns, std::string source);

// The smallest k with P(Poisson(mean) <= k) >= u. Exact up to a mean of 200, beyond by its Cornish–Fisher expansion.
double poisson_quantile(double mean, double u);

// Whether a column of this type can hold the value.
bool is_value(const Column& about, double value);

}  // namespace olem::internal
