#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/random.h"
#include "olem/structural_model.h"

namespace olem::internal {

inline constexpr std::size_t kMaxModelNodes = 65535;

// The index of a random stream that belongs to one node of one repetition.
inline std::uint64_t node_stream(std::uint64_t repetition, std::size_t node) {
  return stream_index({{repetition, 48}, {node, 16}});
}

// Values of all nodes, one column per node, of equal length.
using Columns = std::vector<std::vector<double>>;

// Replaces columns[j] by that many draws of node j's noise, for every j of `nodes`. The stream of node j is
// (seed, purpose, draw and j).
void fill_noise(const StructuralModel& model, std::span<const std::size_t> nodes, std::string_view purpose,
                std::uint64_t draw, Columns& columns, const Context& context);

// Adds the node's function of its parents' columns to the node's own column. The value in a row does not depend on the
// other rows.
void add_function(const StructuralModel& model, std::size_t node, Columns& columns, const Context& context);

// draw_rows with another purpose for its streams, and without checking the model.
Columns draw_columns(const StructuralModel& model, std::size_t rows, std::string_view purpose, std::uint64_t draw,
                     const Context& context);

// The columns as a table under the names of the nodes.
Table as_table(const StructuralModel& model, const Columns& columns, std::string source);

// The context variables of `rounds` fresh units that are not among the data.
Table draw_contexts(const StructuralModel& model, const std::vector<std::string>& names, std::size_t rounds,
                    std::uint64_t index, const Context& context);

}  // namespace olem::internal
