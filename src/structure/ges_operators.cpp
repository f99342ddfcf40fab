#include "structure/ges_operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "olem/error.h"

namespace olem::internal {

namespace {

using Nodes = std::vector<std::size_t>;  // ascending

// NA(y, x): the neighbours of y that are adjacent to x.
Nodes shared_neighbours(const PartialEdges& edges, std::size_t y, std::size_t x) {
  Nodes shared;
  for_each(edges.undirected.row(y), [&](std::size_t v) {
    if (edges.adjacent.test(x, v)) shared.push_back(v);
  });
  return shared;
}

bool sees_all(const PartialEdges& edges, std::size_t v, const Nodes& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](std::size_t u) { return edges.adjacent.test(v, u); });
}

bool is_clique(const PartialEdges& edges, const Nodes& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = i + 1; j < nodes.size(); ++j) {
      if (!edges.adjacent.test(nodes[i], nodes[j])) return false;
    }
  }
  return true;
}

Nodes united(const Nodes& a, const Nodes& b) {
  Nodes both(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
  return both;
}

Nodes with_node(Nodes nodes, std::size_t v) {
  nodes.insert(std::lower_bound(nodes.begin(), nodes.end(), v), v);
  return nodes;
}

Nodes without_nodes(const Nodes& nodes, const Nodes& removed) {
  Nodes rest;
  std::set_difference(nodes.begin(), nodes.end(), removed.begin(), removed.end(), std::back_inserter(rest));
  return rest;
}

// Calls visit(clique) for every clique among `nodes`, the empty one first, by size and then lexicographically. A set is
// only reached through its first members, so what is no clique is given up with all its supersets.
template <class Visit>
void for_each_clique(const PartialEdges& edges, const Nodes& nodes, std::size_t largest, const Context& context,
                     Visit visit) {
  struct Partial {
    Nodes clique;
    Nodes candidates;  // after the last member, adjacent to all members
  };
  std::vector<Partial> level = {{{}, nodes}};
  for (std::size_t size = 0; !level.empty(); ++size) {
    std::vector<Partial> next;
    for (const Partial& partial : level) {
      context.check_interrupt();
      visit(partial.clique);
      if (size >= largest) continue;
      for (auto v = partial.candidates.begin(); v != partial.candidates.end(); ++v) {
        Partial& longer = next.emplace_back();
        longer.clique = partial.clique;
        longer.clique.push_back(*v);
        std::copy_if(v + 1, partial.candidates.end(), std::back_inserter(longer.candidates),
                     [&](std::size_t u) { return edges.adjacent.test(*v, u); });
      }
    }
    level = std::move(next);
  }
}

}  // namespace

std::vector<GesStep> insert_operators(const PartialEdges& edges, std::size_t x, std::size_t y, GaussianScore& score,
                                      const GesRules& rules, const Context& context) {
  std::vector<GesStep> operators;
  if (edges.adjacent.test(x, y)) return operators;
  const Nodes shared = shared_neighbours(edges, y, x);
  const Nodes parents = members(edges.parents.row(y));
  if (!is_clique(edges, shared) || shared.size() + parents.size() + 1 > rules.max_parents) return operators;
  // A parent of y, or a member of T, that x does not see makes x -> y part of a collider, which no member of the class
  // turns round; and T -> y likewise.
  const bool reversed = rules.knowledge.precedes(y, x);
  if (reversed && !sees_all(edges, x, parents)) return operators;
  Nodes free;
  for_each(edges.undirected.row(y), [&](std::size_t t) {
    if (!edges.adjacent.test(x, t) && !rules.knowledge.precedes(y, t) && sees_all(edges, t, shared)) free.push_back(t);
  });
  const Nodes base = united(shared, parents);
  const std::size_t largest = reversed ? 0 : rules.max_parents - base.size() - 1;
  for_each_clique(edges, free, largest, context, [&](const Nodes& directed) {
    const Nodes given = united(base, directed);
    const double gain = score.local(y, with_node(given, x)) - score.local(y, given);
    if (gain > rules.tolerance) operators.push_back({GesMove::kInsert, x, y, directed, gain});
  });
  return operators;
}

std::vector<GesStep> delete_operators(const PartialEdges& edges, std::size_t x, std::size_t y, GaussianScore& score,
                                      const GesRules& rules, const Context& context) {
  std::vector<GesStep> operators;
  if (!edges.undirected.test(x, y) && !edges.children.test(x, y)) return operators;
  const Nodes shared = shared_neighbours(edges, y, x);
  const Nodes parents = without_nodes(members(edges.parents.row(y)), {x});
  for_each_clique(edges, shared, shared.size(), context, [&](const Nodes& kept) {
    Nodes directed = without_nodes(shared, kept);
    // x -> h <- y is a collider then.
    const bool known_otherwise = std::any_of(directed.begin(), directed.end(), [&](std::size_t h) {
      return rules.knowledge.precedes(h, y) || rules.knowledge.precedes(h, x);
    });
    if (known_otherwise) return;
    const Nodes given = united(kept, parents);
    const double gain = score.local(y, given) - score.local(y, with_node(given, x));
    if (gain > rules.tolerance) operators.push_back({GesMove::kDelete, x, y, std::move(directed), gain});
  });
  std::sort(operators.begin(), operators.end(), [](const GesStep& a, const GesStep& b) {
    return a.with.size() != b.with.size() ? a.with.size() < b.with.size() : a.with < b.with;
  });
  return operators;
}

bool paths_are_blocked(const PartialEdges& edges, const GesStep& insert) {
  BitSet seen(edges.adjacent.size());  // or blocked
  for (const std::size_t v : shared_neighbours(edges, insert.y, insert.x)) seen.set(v);
  for (const std::size_t v : insert.with) seen.set(v);
  Nodes stack = {insert.y};
  seen.set(insert.y);
  while (!stack.empty()) {
    const std::size_t v = stack.back();
    stack.pop_back();
    if (v == insert.x) return false;
    for (const BitMatrix* onward : {&edges.children, &edges.undirected}) {
      for_each(onward->row(v), [&](std::size_t u) {
        if (seen.test(u)) return;
        seen.set(u);
        stack.push_back(u);
      });
    }
  }
  return true;
}

MixedGraph apply_operator(const MixedGraph& graph, const GesStep& step) {
  MixedGraph changed = graph;
  if (step.move == GesMove::kInsert) {
    changed.set_directed(step.x, step.y);
    for (const std::size_t t : step.with) changed.set_directed(t, step.y);
  } else {
    changed.remove_edge(step.x, step.y);
    for (const std::size_t h : step.with) {
      changed.set_directed(step.y, h);
      if (changed.undirected(step.x, h)) changed.set_directed(step.x, h);
    }
  }
  const std::optional<Dag> dag = consistent_extension(changed);
  if (!dag) {
    throw Error(ErrorCategory::kInternal, fmt::format("There is no DAG after the step of GES between '{}' and '{}'.",
                                                      graph.name(step.x), graph.name(step.y)));
  }
  return cpdag(*dag);
}

}  // namespace olem::internal
