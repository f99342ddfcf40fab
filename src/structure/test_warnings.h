#pragma once

#include <cstddef>
#include <string_view>

#include "olem/context.h"

// Warnings of the learners that rest on tests of independence; nothing is added for a count of 0.
namespace olem::internal {

// "untested_edges": edges kept because tests of theirs could not be done.
void warn_of_untested(std::size_t edges, Summary& summary);

// "collider_conflicts": colliders left out because an edge of theirs was directed the other way.
void warn_of_conflicts(std::size_t colliders, Summary& summary);

// "contradicting_directions": directed edges on a circle, and what was done to them ("made undirected").
void warn_of_circles(std::size_t edges, std::string_view what_became, Summary& summary);

}  // namespace olem::internal
