#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "core/text.h"
#include "olem/error.h"
#include "olem/graph.h"
#include "olem/options.h"

namespace olem {

using namespace internal;

NodeNames::NodeNames(std::vector<std::string> names) : names_(std::move(names)) {
  if (names_.size() > kMaxNodes) {
    throw Error(ErrorCategory::kResource,
                fmt::format("The graph has {} nodes, but at most {} can be handled.", names_.size(), kMaxNodes));
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (const std::string_view fault = name_fault(names_[i]); !fault.empty()) {
      throw Error(ErrorCategory::kData, fmt::format("The name of node {} {}. Give every node a name.", i + 1, fault));
    }
    if (!positions_.emplace(names_[i], i).second) {
      throw Error(ErrorCategory::kData,
                  fmt::format("Two nodes are called '{}'. Rename or remove one of them.", names_[i]));
    }
  }
}

std::optional<std::size_t> NodeNames::find(std::string_view name) const {
  const auto found = positions_.find(std::string(name));
  if (found == positions_.end()) return std::nullopt;
  return found->second;
}

std::size_t NodeNames::index(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  const std::string near = closest_name(name, names_);
  throw Error(ErrorCategory::kData, fmt::format("There is no node '{}'.{}", name,
                                                near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
}

std::optional<std::vector<std::size_t>> find_cycle(std::size_t size, std::span<const Edge> edges) {
  std::vector<std::vector<std::size_t>> children(size);
  for (const Edge& edge : edges) children[edge.from].push_back(edge.to);
  for (auto& list : children) std::sort(list.begin(), list.end());

  enum class State : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<State> state(size, State::kNew);
  std::vector<std::size_t> path;
  std::vector<std::size_t> next(size, 0);
  for (std::size_t root = 0; root < size; ++root) {
    if (state[root] != State::kNew) continue;
    path.push_back(root);
    state[root] = State::kOnPath;
    while (!path.empty()) {
      const std::size_t node = path.back();
      if (next[node] == children[node].size()) {
        state[node] = State::kDone;
        path.pop_back();
        continue;
      }
      const std::size_t child = children[node][next[node]++];
      if (state[child] == State::kOnPath) {
        std::vector<std::size_t> cycle(std::find(path.begin(), path.end(), child), path.end());
        cycle.push_back(child);
        return cycle;
      }
      if (state[child] == State::kNew) {
        state[child] = State::kOnPath;
        path.push_back(child);
      }
    }
  }
  return std::nullopt;
}

std::string cycle_text(const NodeNames& names, std::span<const std::size_t> cycle) {
  std::string text;
  for (const std::size_t node : cycle) {
    if (!text.empty()) text += " -> ";
    text += names[node];
  }
  return text;
}

Dag::Dag(std::vector<std::string> names, std::span<const Edge> edges)
    : names_(std::move(names)), children_(names_.size()), parents_(names_.size()) {
  for (const Edge& edge : edges) {
    if (edge.from >= size() || edge.to >= size()) {
      throw Error(ErrorCategory::kData, fmt::format("The edge {} -> {} leads to a node that does not exist: there are "
                                                    "{} nodes.",
                                                    edge.from, edge.to, size()));
    }
    if (edge.from == edge.to) {
      throw Error(ErrorCategory::kData,
                  fmt::format("The edge {0} -> {0} leads from a node to itself. Remove it.", names_[edge.from]));
    }
    children_.set(edge.from, edge.to);
    parents_.set(edge.to, edge.from);
  }
  if (const auto cycle = find_cycle(size(), edges)) {
    throw Error(ErrorCategory::kData, fmt::format("The graph has a cycle: {}. Remove or reverse one of these edges.",
                                                  cycle_text(names_, *cycle)));
  }
  edge_count_ = children_.count();
}

std::vector<Edge> Dag::edges() const {
  std::vector<Edge> list;
  list.reserve(edge_count_);
  for (std::size_t i = 0; i < size(); ++i) {
    for_each(children(i), [&](std::size_t j) { list.push_back({i, j}); });
  }
  return list;
}

Dag Dag::with_nodes(const std::vector<std::string>& names) const {
  const NodeNames target(names);
  std::vector<std::size_t> place(size());
  for (std::size_t i = 0; i < size(); ++i) place[i] = target.index(names_[i]);
  std::vector<Edge> moved = edges();
  for (Edge& edge : moved) edge = {place[edge.from], place[edge.to]};
  return Dag(names, moved);
}

std::vector<std::size_t> topological_order(const Dag& dag) {
  std::vector<std::size_t> waiting_for(dag.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < dag.size(); ++i) {
    waiting_for[i] = count(dag.parents(i));
    if (waiting_for[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  order.reserve(dag.size());
  while (!ready.empty()) {
    const std::size_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for_each(dag.children(node), [&](std::size_t child) {
      if (--waiting_for[child] == 0) ready.push(child);
    });
  }
  return order;
}

bool is_topological_order(const Dag& dag, std::span<const std::size_t> order) {
  if (order.size() != dag.size()) return false;
  BitSet before(dag.size());
  for (const std::size_t node : order) {
    if (node >= dag.size() || before.test(node) || !is_subset(dag.parents(node), before)) return false;
    before.set(node);
  }
  return true;
}

namespace {

template <class Neighbours>
BitSet reachable(std::size_t size, std::size_t start, Neighbours neighbours) {
  BitSet seen(size);
  std::vector<std::size_t> stack = {start};
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    for_each(neighbours(node), [&](std::size_t next) {
      if (seen.test(next)) return;
      seen.set(next);
      stack.push_back(next);
    });
  }
  return seen;
}

}  // namespace

BitSet ancestors(const Dag& dag, std::size_t node) {
  return reachable(dag.size(), node, [&](std::size_t i) { return dag.parents(i); });
}

BitSet descendants(const Dag& dag, std::size_t node) {
  return reachable(dag.size(), node, [&](std::size_t i) { return dag.children(i); });
}

BitMatrix all_descendants(const Dag& dag) {
  BitMatrix closure(dag.size());
  const std::vector<std::size_t> order = topological_order(dag);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    closure.unite_row(*node, dag.children(*node));
    for_each(dag.children(*node), [&](std::size_t child) { closure.unite_row(*node, closure.row(child)); });
  }
  return closure;
}

bool d_separated(const Dag& dag, std::span<const std::size_t> a, std::span<const std::size_t> b,
                 std::span<const std::size_t> given) {
  BitSet used(dag.size());
  for (const auto set : {a, b, given}) {
    BitSet own(dag.size());
    for (const std::size_t node : set) {
      if (node >= dag.size()) {
        throw Error(ErrorCategory::kUsage, fmt::format("Node {} does not exist: there are {}.", node, dag.size()));
      }
      if (used.test(node)) {
        throw Error(ErrorCategory::kUsage,
                    fmt::format("Node '{}' stands in two of the sets whose separation is asked for.", dag.name(node)));
      }
      own.set(node);
    }
    used.unite(own);
  }
  BitSet blocked(dag.size());
  for (const std::size_t node : given) blocked.set(node);
  BitSet target(dag.size());
  for (const std::size_t node : b) target.set(node);

  // A walk may go down to a conditioned node and back up again, so open colliders need no set of their own: a node
  // that was entered from a parent bounces back to all parents exactly when it is conditioned on.
  enum Entry : std::size_t { kFromParent, kFromChild };
  BitSet seen[2] = {BitSet(dag.size()), BitSet(dag.size())};
  std::vector<std::pair<Entry, std::size_t>> stack;
  const auto enter = [&](Entry entry, std::size_t node) {
    if (seen[entry].test(node)) return;
    seen[entry].set(node);
    stack.emplace_back(entry, node);
  };
  for (const std::size_t node : a) enter(kFromChild, node);
  while (!stack.empty()) {
    const auto [entry, node] = stack.back();
    stack.pop_back();
    if (target.test(node)) return false;
    const bool conditioned = blocked.test(node);
    if (!conditioned) for_each(dag.children(node), [&](std::size_t child) { enter(kFromParent, child); });
    if (conditioned == (entry == kFromParent)) {
      for_each(dag.parents(node), [&](std::size_t parent) { enter(kFromChild, parent); });
    }
  }
  return true;
}

}  // namespace olem
