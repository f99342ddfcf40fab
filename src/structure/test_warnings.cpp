#include "structure/test_warnings.h"

#include <fmt/format.h>

namespace olem {

void warn_of_untested(std::size_t edges, Summary& summary) {
  if (edges == 0) return;
  summary.warnings.push_back(
      {"untested_edges",
       fmt::format("{} edge{} kept because there are too few rows to test {} given as many variables as would be "
                   "needed. Use more rows or fewer columns.",
                   edges, edges == 1 ? " was" : "s were", edges == 1 ? "it" : "them"),
       ""});
}

void warn_of_conflicts(std::size_t colliders, Summary& summary) {
  if (colliders == 0) return;
  summary.warnings.push_back(
      {"collider_conflicts",
       fmt::format("The tests contradict each other: {} collider{} left out because an edge of {} had been directed "
                   "the other way by a surer one or by knowledge. Compare with a smaller --independence-alpha.",
                   colliders, colliders == 1 ? " was" : "s were", colliders == 1 ? "it" : "theirs"),
       ""});
}

void warn_of_circles(std::size_t edges, std::string_view remedy, Summary& summary) {
  if (edges == 0) return;
  summary.warnings.push_back(
      {"contradicting_directions",
       fmt::format("The tests contradict each other: {} directed edge{} round in a circle and {} {}. Compare with a "
                   "smaller --independence-alpha.",
                   edges, edges == 1 ? " led" : "s led", edges == 1 ? "was" : "were", remedy),
       ""});
}

}  // namespace olem
