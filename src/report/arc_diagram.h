#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace olem::internal::plot {

// How an edge ends at a variable.
enum class EdgeEnd { kTail, kArrow, kCircle };

struct Arc {
  std::size_t from = 0;
  std::size_t to = 0;
  EdgeEnd at_from = EdgeEnd::kTail;
  EdgeEnd at_to = EdgeEnd::kArrow;
};

// Variables below each other in the given order, and an arc on the right for each edge: in a graph that agrees with the
// order every arrow points down; an edge against it is drawn on the left.
struct ArcDiagram {
  std::string title;
  std::vector<std::string> names;
  std::vector<bool> rings;  // variables that are a ring instead of a dot; empty: none
  std::vector<Arc> arcs;
};

// The <svg> element for a page that has style_sheet() in it.
std::string svg_element(const ArcDiagram& diagram);

}  // namespace olem::internal::plot
