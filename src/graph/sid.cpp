#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>

#include "graph/align.h"
#include "olem/metrics.h"

namespace olem {

using namespace internal;

namespace {

// Finds the wrong effects of one node in the true graph after another. Holds the edges as lists, which the searches
// walk through much faster than through bits when the graph is sparse.
class EffectSearch {
 public:
  explicit EffectSearch(const Dag& truth) : seen_(truth.size()) {
    const auto collect = [&](auto neighbours) {
      Lists lists;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        for_each(neighbours(i), [&](std::size_t j) { lists.nodes.push_back(static_cast<std::uint32_t>(j)); });
        lists.ends.push_back(lists.nodes.size());
      }
      return lists;
    };
    children_ = collect([&](std::size_t i) { return truth.children(i); });
    parents_ = collect([&](std::size_t i) { return truth.parents(i); });
  }

  // Calls wrong(y) for every y whose effect from t comes out wrong when it is adjusted for `adjusted`, which must not
  // hold t. One search over the walks from t that are not blocked; it never comes back to t.
  template <class Wrong>
  void search(std::size_t t, BitRow adjusted, Wrong wrong) {
    std::fill(seen_.begin(), seen_.end(), std::uint8_t{0});
    const auto enter = [&](std::uint32_t node, State state) {
      if (node == t || (seen_[node] & state) != 0) return;
      seen_[node] = static_cast<std::uint8_t>(seen_[node] | state);
      stack_.push_back({node, state});
    };
    const auto enter_all = [&](std::span<const std::uint32_t> nodes, State state) {
      for (const std::uint32_t node : nodes) enter(node, state);
    };
    enter_all(children_.of(t), kCausal);
    enter_all(parents_.of(t), kUp);
    while (!stack_.empty()) {
      const auto [node, state] = stack_.back();
      stack_.pop_back();
      const bool held = contains(adjusted, node);
      switch (state) {
        case kCausal:
          enter_all(children_.of(node), held ? kBlocked : kCausal);
          if (held) enter_all(parents_.of(node), kUp);
          break;
        case kBlocked: enter_all(children_.of(node), kBlocked); break;
        case kDown:
          if (held) {
            enter_all(parents_.of(node), kUp);
          } else {
            enter_all(children_.of(node), kDown);
          }
          break;
        case kUp:
          if (held) break;
          enter_all(children_.of(node), kDown);
          enter_all(parents_.of(node), kUp);
          break;
      }
    }
    for (std::size_t y = 0; y < seen_.size(); ++y) {
      // An adjusted y is claimed not to depend on t, which is wrong when a directed path leads there.
      const unsigned bad = contains(adjusted, y) ? kCausal | kBlocked : kBlocked | kDown | kUp;
      if ((seen_[y] & bad) != 0) wrong(y);
    }
  }

  std::size_t count_wrong(std::size_t t, BitRow adjusted) {
    std::size_t total = 0;
    search(t, adjusted, [&](std::size_t) { ++total; });
    return total;
  }

 private:
  // How a walk from t arrived at a node: along a directed path with no adjusted node before this one, or with one; or
  // as a walk that is not causal, last down an edge or last up.
  enum State : std::uint8_t { kCausal = 1, kBlocked = 2, kDown = 4, kUp = 8 };

  struct Lists {
    std::vector<std::uint32_t> nodes;
    std::vector<std::size_t> ends;

    std::span<const std::uint32_t> of(std::size_t i) const {
      const std::size_t begin = i == 0 ? 0 : ends[i - 1];
      return {nodes.data() + begin, ends[i] - begin};
    }
  };

  struct Visit {
    std::uint32_t node;
    State state;
  };

  Lists children_;
  Lists parents_;
  std::vector<std::uint8_t> seen_;
  std::vector<Visit> stack_;
};

// The nodes joined to each other by undirected edges; single nodes are components of one.
std::vector<std::vector<std::size_t>> undirected_components(const MixedGraph& graph) {
  std::vector<std::vector<std::size_t>> components;
  std::vector<bool> seen(graph.size());
  for (std::size_t root = 0; root < graph.size(); ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    std::vector<std::size_t> component = {root};
    for (std::size_t next = 0; next < component.size(); ++next) {
      for (std::size_t j = 0; j < graph.size(); ++j) {
        if (seen[j] || !graph.undirected(component[next], j)) continue;
        seen[j] = true;
        component.push_back(j);
      }
    }
    components.push_back(std::move(component));
  }
  return components;
}

// Least and most wrong effects of the nodes of one component over its orientations without cycles and new unshielded
// colliders. Such orientations are those of the orders in which the earlier neighbours of every node form a clique, and
// what a node contributes depends on its earlier neighbours only: so the best and the worst for every set of first
// nodes follow from those of the sets with one node less.
SidBounds component_bounds(EffectSearch& search, const MixedGraph& learned, const std::vector<std::size_t>& component) {
  const std::size_t m = component.size();
  std::vector<std::uint32_t> neighbours(m);
  std::vector<BitSet> parents(m, BitSet(learned.size()));
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      if (learned.undirected(component[i], component[j])) neighbours[i] |= 1U << j;
    }
    for (std::size_t p = 0; p < learned.size(); ++p) {
      if (learned.directed(p, component[i])) parents[i].set(p);
    }
  }
  const auto is_clique = [&](std::uint32_t set) {
    for (std::uint32_t rest = set; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      if ((set & ~neighbours[i] & ~(1U << i)) != 0) return false;
    }
    return true;
  };
  std::vector<std::unordered_map<std::uint32_t, std::optional<std::size_t>>> known(m);
  // Wrong effects of node i after its neighbours `before`; nothing when those are no clique.
  const auto errors = [&](std::size_t i, std::uint32_t before) {
    const auto [entry, added] = known[i].try_emplace(before);
    if (added && is_clique(before)) {
      BitSet adjusted = parents[i];
      for (std::size_t j = 0; j < m; ++j) {
        if (((before >> j) & 1U) != 0) adjusted.set(component[j]);
      }
      entry->second = search.count_wrong(component[i], adjusted);
    }
    return entry->second;
  };

  std::vector<std::optional<SidBounds>> bounds(std::size_t{1} << m);
  bounds[0] = SidBounds{};
  for (std::uint32_t set = 1; set < bounds.size(); ++set) {
    for (std::uint32_t rest = set; rest != 0; rest &= rest - 1) {
      const auto last = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint32_t before = set & ~(1U << last);
      if (!bounds[before]) continue;
      const auto wrong = errors(last, before & neighbours[last]);
      if (!wrong) continue;
      const SidBounds here = {bounds[before]->lower + *wrong, bounds[before]->upper + *wrong};
      if (!bounds[set]) bounds[set] = here;
      bounds[set]->lower = std::min(bounds[set]->lower, here.lower);
      bounds[set]->upper = std::max(bounds[set]->upper, here.upper);
    }
  }
  return *bounds.back();  // there is one: the graph is the class of a DAG
}

}  // namespace

BitMatrix sid_errors(const Dag& truth, const Dag& learned) {
  const Dag aligned = align_nodes(learned, truth.names());
  EffectSearch search(truth);
  BitMatrix errors(truth.size());
  for (std::size_t t = 0; t < truth.size(); ++t) {
    search.search(t, aligned.parents(t), [&](std::size_t y) { errors.set(t, y); });
  }
  return errors;
}

std::size_t sid(const Dag& truth, const Dag& learned) {
  const Dag aligned = align_nodes(learned, truth.names());
  EffectSearch search(truth);
  std::size_t total = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) total += search.count_wrong(t, aligned.parents(t));
  return total;
}

std::optional<SidBounds> sid_bounds(const Dag& truth, const MixedGraph& learned, std::string* reason) {
  const auto refuse = [&](std::string text) {
    if (reason != nullptr) *reason = std::move(text);
    return std::nullopt;
  };
  MixedGraph aligned = align_nodes(learned, truth.names());
  if (aligned.kind() == GraphKind::kPag || aligned.narrowest_kind() == GraphKind::kPag) {
    return refuse("SID is not defined for a PAG.");
  }
  aligned.set_kind(GraphKind::kCpdag);
  const std::optional<Dag> member = consistent_extension(aligned);
  if (!member || cpdag(*member) != aligned) {
    return refuse("SID was not computed because the learned graph is not the equivalence class of any DAG.");
  }
  const auto components = undirected_components(aligned);
  for (const auto& component : components) {
    if (component.size() > kMaxSidComponent) {
      return refuse(
          fmt::format("SID was not computed because {} nodes are joined by undirected edges; at most {} can be.",
                      component.size(), kMaxSidComponent));
    }
  }
  EffectSearch search(truth);
  SidBounds total;
  for (const auto& component : components) {
    const SidBounds part = component_bounds(search, aligned, component);
    total.lower += part.lower;
    total.upper += part.upper;
  }
  return total;
}

}  // namespace olem
