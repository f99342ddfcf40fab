#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "graph/knowledge_edges.h"
#include "olem/ges.h"
#include "structure/ges_operators.h"

namespace olem::test {

using namespace internal;

using LocalScore = std::function<double(std::size_t y, const std::vector<std::size_t>& parents)>;

// GES as it stands in the book: at every step all operators of all pairs are made anew, all subsets tried, all
// conditions checked.
class PlainGes {
 public:
  PlainGes(std::vector<std::string> names, LocalScore score, double tolerance, std::size_t max_parents,
           const Precedence& knowledge)
      : graph(std::move(names), GraphKind::kCpdag),
        score_(std::move(score)),
        tolerance_(tolerance),
        max_parents_(max_parents),
        knowledge_(knowledge) {}

  void run() {
    for (const GesMove move : {GesMove::kInsert, GesMove::kDelete}) {
      while (const std::optional<GesStep> step = best(move)) {
        graph = apply_operator(graph, *step);
        steps.push_back(*step);
      }
    }
  }

  MixedGraph graph;
  std::vector<GesStep> steps;

 private:
  using Nodes = std::vector<std::size_t>;

  static std::vector<Nodes> subsets(const Nodes& nodes) {
    std::vector<Nodes> all;
    for (std::size_t mask = 0; mask < (std::size_t{1} << nodes.size()); ++mask) {
      Nodes& set = all.emplace_back();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (((mask >> i) & 1U) != 0) set.push_back(nodes[i]);
      }
    }
    std::sort(all.begin(), all.end(),
              [](const Nodes& a, const Nodes& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    return all;
  }

  bool clique(const Nodes& nodes) const {
    for (const std::size_t a : nodes) {
      for (const std::size_t b : nodes) {
        if (a != b && !graph.adjacent(a, b)) return false;
      }
    }
    return true;
  }

  static Nodes sorted_union(Nodes a, const Nodes& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::sort(a.begin(), a.end());
    return a;
  }

  bool path(std::size_t from, std::size_t to, std::vector<bool>& blocked) const {
    if (from == to) return true;
    blocked[from] = true;
    for (std::size_t next = 0; next < graph.size(); ++next) {
      const bool onward = graph.directed(from, next) || graph.undirected(from, next);
      if (onward && !blocked[next] && path(next, to, blocked)) return true;
    }
    return false;
  }

  bool known_to_be_possible(const GesStep& step) const {
    return knowledge_.empty() || consistent_extension(apply_operator(graph, step), knowledge_).has_value();
  }

  void add_operators(GesMove move, std::size_t x, std::size_t y, std::vector<GesStep>& operators) const {
    Nodes shared;
    Nodes others;
    Nodes parents;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if (graph.undirected(v, y) && v != x) (graph.adjacent(v, x) ? shared : others).push_back(v);
      if (graph.directed(v, y) && v != x) parents.push_back(v);
    }
    for (const Nodes& set : subsets(move == GesMove::kInsert ? others : shared)) {
      Nodes beside;  // NA u T, or NA \ H
      if (move == GesMove::kInsert) {
        beside = sorted_union(shared, set);
      } else {
        std::set_difference(shared.begin(), shared.end(), set.begin(), set.end(), std::back_inserter(beside));
      }
      const Nodes given = sorted_union(beside, parents);
      if (!clique(beside) || (move == GesMove::kInsert && given.size() + 1 > max_parents_)) continue;
      const double change = score_(y, sorted_union(given, {x})) - score_(y, given);
      const double gain = move == GesMove::kInsert ? change : -change;
      if (gain <= tolerance_) continue;
      if (move == GesMove::kInsert) {
        std::vector<bool> blocked(graph.size());
        for (const std::size_t v : beside) blocked[v] = true;
        if (path(y, x, blocked)) continue;
      }
      const GesStep step{move, x, y, set, gain};
      if (known_to_be_possible(step)) operators.push_back(step);
    }
  }

  std::optional<GesStep> best(GesMove move) const {
    std::vector<GesStep> operators;
    for (std::size_t x = 0; x < graph.size(); ++x) {
      for (std::size_t y = 0; y < graph.size(); ++y) {
        const bool fits =
            move == GesMove::kInsert ? x != y && !graph.adjacent(x, y) : graph.undirected(x, y) || graph.directed(x, y);
        if (fits) add_operators(move, x, y, operators);
      }
    }
    if (operators.empty()) return std::nullopt;
    double greatest = 0.0;
    for (const GesStep& step : operators) greatest = std::max(greatest, step.gain);
    return *std::find_if(operators.begin(), operators.end(),
                         [&](const GesStep& step) { return step.gain >= greatest - tolerance_; });
  }

  LocalScore score_;
  double tolerance_;
  std::size_t max_parents_;
  const Precedence& knowledge_;
};

}  // namespace olem::test
