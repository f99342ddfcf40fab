#include "structure/test_warnings.h"

#include <fmt/format.h>

namespace olem::internal {

namespace {

Remedy compare_levels() { return {"Compare with the graph at a smaller level of the tests", "independence_alpha"}; }

}  // namespace

void warn_of_untested(std::size_t edges, Summary& summary) {
  if (edges == 0) return;
  summary.warnings.push_back(
      {"untested_edges",
       fmt::format("{} edge{} kept because there are too few rows to test {} given as many variables as would be "
                   "needed.",
                   edges, edges == 1 ? " was" : "s were", edges == 1 ? "it" : "them"),
       "",
       {{"Use more rows"}, {"Use fewer columns", "columns"}}});
}

void warn_of_conflicts(std::size_t colliders, Summary& summary) {
  if (colliders == 0) return;
  summary.warnings.push_back(
      {"collider_conflicts",
       fmt::format("The tests contradict each other: {} collider{} left out because an edge of {} had been directed "
                   "the other way by a surer one or by knowledge.",
                   colliders, colliders == 1 ? " was" : "s were", colliders == 1 ? "it" : "theirs"),
       "",
       {compare_levels()}});
}

void warn_of_circles(std::size_t edges, std::string_view what_became, Summary& summary) {
  if (edges == 0) return;
  summary.warnings.push_back(
      {"contradicting_directions",
       fmt::format("The tests contradict each other: {} directed edge{} round in a circle and {} {}.", edges,
                   edges == 1 ? " led" : "s led", edges == 1 ? "was" : "were", what_became),
       "",
       {compare_levels()}});
}

}  // namespace olem::internal
