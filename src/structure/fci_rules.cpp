#include "structure/fci_rules.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace olem::internal {

namespace {

using NodeList = std::vector<std::size_t>;

// A circle to be replaced: the mark at `at` of the edge from `from`.
struct Proposal {
  std::size_t from, at;
  Mark mark;
};

// A PAG with lists of neighbours, and what the rules ask of it.
class PagView {
 public:
  explicit PagView(const MixedGraph& pag) : pag_(pag), neighbours_(pag.size()) {
    for (std::size_t a = 0; a < pag.size(); ++a) {
      for (std::size_t b = 0; b < pag.size(); ++b) {
        if (pag.adjacent(a, b)) neighbours_[a].push_back(b);
      }
    }
  }

  const NodeList& neighbours(std::size_t a) const { return neighbours_[a]; }
  std::size_t size() const { return neighbours_.size(); }
  bool adjacent(std::size_t a, std::size_t b) const { return pag_.adjacent(a, b); }
  bool directed(std::size_t a, std::size_t b) const { return pag_.directed(a, b); }
  // The mark at b of the edge from a.
  bool arrow(std::size_t a, std::size_t b) const { return pag_.mark(a, b) == Mark::kArrow; }
  bool circle(std::size_t a, std::size_t b) const { return pag_.mark(a, b) == Mark::kCircle; }
  bool tail(std::size_t a, std::size_t b) const { return pag_.mark(a, b) == Mark::kTail; }
  // a -> b could be: no arrow at a and no tail at b.
  bool possibly_directed(std::size_t a, std::size_t b) const { return adjacent(a, b) && !arrow(b, a) && !tail(a, b); }

 private:
  const MixedGraph& pag_;
  std::vector<NodeList> neighbours_;
};

using Proposals = std::vector<Proposal>;

void propose_directed(Proposals& proposals, std::size_t from, std::size_t to) {
  proposals.push_back({to, from, Mark::kTail});
  proposals.push_back({from, to, Mark::kArrow});
}

// R1: a *-> b o-* c, a and c not adjacent: b -> c.
void rule_1(const PagView& pag, Proposals& proposals) {
  for (std::size_t b = 0; b < pag.size(); ++b) {
    for (const std::size_t c : pag.neighbours(b)) {
      if (!pag.circle(c, b)) continue;
      const bool applies = std::any_of(pag.neighbours(b).begin(), pag.neighbours(b).end(),
                                       [&](std::size_t a) { return a != c && pag.arrow(a, b) && !pag.adjacent(a, c); });
      if (applies) propose_directed(proposals, b, c);
    }
  }
}

// R2: a -> b *-> c or a *-> b -> c, and a *-o c: a *-> c.
void rule_2(const PagView& pag, Proposals& proposals) {
  for (std::size_t a = 0; a < pag.size(); ++a) {
    for (const std::size_t c : pag.neighbours(a)) {
      if (!pag.circle(a, c)) continue;
      const bool applies = std::any_of(pag.neighbours(a).begin(), pag.neighbours(a).end(), [&](std::size_t b) {
        return b != c && pag.adjacent(b, c) && pag.arrow(a, b) && pag.arrow(b, c) &&
               (pag.directed(a, b) || pag.directed(b, c));
      });
      if (applies) proposals.push_back({a, c, Mark::kArrow});
    }
  }
}

// R3: a *-> b <-* c, a *-o t o-* c, a and c not adjacent, t *-o b: t *-> b.
void rule_3(const PagView& pag, Proposals& proposals) {
  for (std::size_t b = 0; b < pag.size(); ++b) {
    for (const std::size_t t : pag.neighbours(b)) {
      if (!pag.circle(t, b)) continue;
      NodeList sides;
      for (const std::size_t a : pag.neighbours(b)) {
        if (a != t && pag.arrow(a, b) && pag.adjacent(a, t) && pag.circle(a, t)) sides.push_back(a);
      }
      bool applies = false;
      for (std::size_t i = 0; i < sides.size(); ++i) {
        for (std::size_t j = i + 1; j < sides.size(); ++j) applies |= !pag.adjacent(sides[i], sides[j]);
      }
      if (applies) proposals.push_back({t, b, Mark::kArrow});
    }
  }
}

// R4: on a discriminating path (t, ..., a, b, c) for b with b o-* c: b -> c when b is among what separates t and c,
// else a <-> b <-> c. Of several t for one a the one that was separated from c with the greatest p-value decides.
void rule_4(const PagView& pag, const SeparatingSets& separated, Proposals& proposals) {
  for (std::size_t b = 0; b < pag.size(); ++b) {
    for (const std::size_t c : pag.neighbours(b)) {
      if (!pag.circle(c, b)) continue;
      for (const std::size_t a : pag.neighbours(b)) {
        if (a == c || !pag.arrow(b, a) || !pag.directed(a, c)) continue;
        // Backwards from a over colliders that are parents of c.
        const SeparatingSet* decisive = nullptr;
        std::vector<bool> seen(pag.size());
        seen[a] = seen[b] = seen[c] = true;
        NodeList stack = {a};
        while (!stack.empty()) {
          const std::size_t v = stack.back();
          stack.pop_back();
          for (const std::size_t t : pag.neighbours(v)) {
            if (seen[t] || !pag.arrow(t, v)) continue;
            if (!pag.adjacent(t, c)) {
              const SeparatingSet* set = separated.find(t, c);
              if (set != nullptr && (decisive == nullptr || set->p_value > decisive->p_value)) decisive = set;
            } else if (pag.directed(t, c) && pag.arrow(v, t)) {
              stack.push_back(t);
            } else {
              continue;
            }
            seen[t] = true;
          }
        }
        if (decisive == nullptr) continue;
        if (std::binary_search(decisive->given.begin(), decisive->given.end(), b)) {
          propose_directed(proposals, b, c);
        } else {
          proposals.push_back({a, b, Mark::kArrow});
          proposals.push_back({c, b, Mark::kArrow});
          proposals.push_back({b, c, Mark::kArrow});
        }
      }
    }
  }
}

// R8: a -> b -> c or a -o b -> c, and a o-> c: a -> c.
void rule_8(const PagView& pag, Proposals& proposals) {
  for (std::size_t a = 0; a < pag.size(); ++a) {
    for (const std::size_t c : pag.neighbours(a)) {
      if (!pag.circle(c, a) || !pag.arrow(a, c)) continue;
      const bool applies = std::any_of(pag.neighbours(a).begin(), pag.neighbours(a).end(), [&](std::size_t b) {
        return b != c && pag.tail(b, a) && !pag.tail(a, b) && pag.directed(b, c);
      });
      if (applies) proposals.push_back({c, a, Mark::kTail});
    }
  }
}

// Paths that are uncovered, the two neighbours of every inner node not being adjacent, and possibly directed away from
// their start.
class UncoveredPaths {
 public:
  UncoveredPaths(const PagView& pag, const Context& context) : pag_(pag), context_(context) {}

  // True when such a path (start, first, ..., target) exists that does not meet `avoided`.
  bool lead(std::size_t start, std::size_t first, std::size_t target, std::size_t avoided) {
    if (first == avoided || !pag_.possibly_directed(start, first)) return false;
    if (first == target) return true;
    // A walk is found fast and nearly always is a path; where there is no walk there is no path.
    const NodeList walk = shortest_walk(start, first, target, avoided);
    if (walk.empty()) return false;
    NodeList sorted = walk;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return true;
    std::vector<bool> used(pag_.size());
    used[start] = used[first] = used[avoided] = true;
    return search(start, first, target, used);
  }

 private:
  bool may_follow(std::size_t previous, std::size_t node, std::size_t next) const {
    return next != previous && pag_.possibly_directed(node, next) && !pag_.adjacent(previous, next);
  }

  NodeList shortest_walk(std::size_t start, std::size_t first, std::size_t target, std::size_t avoided) {
    struct State {
      std::size_t previous, node, came_from;
    };
    std::vector<State> states = {{start, first, 0}};
    std::vector<bool> seen(pag_.size() * pag_.size());
    seen[start * pag_.size() + first] = true;
    for (std::size_t s = 0; s < states.size(); ++s) {
      const auto [previous, node, came_from] = states[s];
      for (const std::size_t next : pag_.neighbours(node)) {
        if (next == avoided || seen[node * pag_.size() + next] || !may_follow(previous, node, next)) continue;
        seen[node * pag_.size() + next] = true;
        states.push_back({node, next, s});
        if (next != target) continue;
        NodeList walk;
        for (std::size_t back = states.size() - 1; back != 0; back = states[back].came_from)
          walk.push_back(states[back].node);
        walk.push_back(first);
        walk.push_back(start);
        return walk;
      }
    }
    return {};
  }

  bool search(std::size_t previous, std::size_t node, std::size_t target, std::vector<bool>& used) {
    context_.check_interrupt();
    for (const std::size_t next : pag_.neighbours(node)) {
      if (used[next] || !may_follow(previous, node, next)) continue;
      if (next == target) return true;
      used[next] = true;
      if (search(node, next, target, used)) return true;
      used[next] = false;
    }
    return false;
  }

  const PagView& pag_;
  const Context& context_;
};

// R9: a o-> c, and an uncovered possibly directed path (a, b, ..., c) with b and c not adjacent: a -> c.
void rule_9(const PagView& pag, const Context& context, Proposals& proposals) {
  UncoveredPaths paths(pag, context);
  for (std::size_t a = 0; a < pag.size(); ++a) {
    for (const std::size_t c : pag.neighbours(a)) {
      if (!pag.circle(c, a) || !pag.arrow(a, c)) continue;
      context.check_interrupt();
      const bool applies = std::any_of(pag.neighbours(a).begin(), pag.neighbours(a).end(), [&](std::size_t b) {
        return b != c && !pag.adjacent(b, c) && paths.lead(a, b, c, a);
      });
      if (applies) proposals.push_back({c, a, Mark::kTail});
    }
  }
}

// R10: a o-> c, b -> c <- t, uncovered possibly directed paths from a to b and from a to t whose first nodes after a
// differ and are not adjacent: a -> c.
void rule_10(const PagView& pag, const Context& context, Proposals& proposals) {
  UncoveredPaths paths(pag, context);
  for (std::size_t a = 0; a < pag.size(); ++a) {
    for (const std::size_t c : pag.neighbours(a)) {
      if (!pag.circle(c, a) || !pag.arrow(a, c)) continue;
      context.check_interrupt();
      NodeList parents;
      for (const std::size_t b : pag.neighbours(c)) {
        if (b != a && pag.directed(b, c)) parents.push_back(b);
      }
      if (parents.size() < 2) continue;
      // leads[i] lists the parents of c that a path through the i-th neighbour of a leads to.
      std::vector<NodeList> leads;
      for (const std::size_t first : pag.neighbours(a)) {
        NodeList& reached = leads.emplace_back();
        std::copy_if(parents.begin(), parents.end(), std::back_inserter(reached),
                     [&](std::size_t b) { return paths.lead(a, first, b, c); });
      }
      bool applies = false;
      for (std::size_t i = 0; i < leads.size() && !applies; ++i) {
        for (std::size_t j = i + 1; j < leads.size() && !applies; ++j) {
          if (leads[i].empty() || leads[j].empty()) continue;
          if (pag.adjacent(pag.neighbours(a)[i], pag.neighbours(a)[j])) continue;
          applies = leads[i].size() > 1 || leads[j].size() > 1 || leads[i] != leads[j];
        }
      }
      if (applies) proposals.push_back({c, a, Mark::kTail});
    }
  }
}

// Replaces circles; true when one was there to replace.
bool set_marks(MixedGraph& pag, const Proposals& proposals) {
  bool changed = false;
  for (const Mark mark : {Mark::kArrow, Mark::kTail}) {
    for (const Proposal& proposal : proposals) {
      if (proposal.mark != mark || pag.mark(proposal.from, proposal.at) != Mark::kCircle) continue;
      pag.set_edge(proposal.from, proposal.at, pag.mark(proposal.at, proposal.from), mark);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

void orient_colliders(MixedGraph& pag, const SeparatingSets& separated) {
  for (const SeparatingSet& pair : separated.list) {
    for (std::size_t k = 0; k < pag.size(); ++k) {
      if (!pag.adjacent(pair.a, k) || !pag.adjacent(pair.b, k)) continue;
      if (std::binary_search(pair.given.begin(), pair.given.end(), k)) continue;
      for (const std::size_t end : {pair.a, pair.b}) pag.set_edge(end, k, pag.mark(k, end), Mark::kArrow);
    }
  }
}

void orient_marks(MixedGraph& pag, const SeparatingSets& separated, const Context& context) {
  // The edges never change, only their marks, so one view serves all rounds.
  const PagView view(pag);
  // The costly ones wait until the cheap ones have nothing left to say.
  const std::vector<std::function<void(Proposals&)>> rules = {
      [&](Proposals& proposals) { rule_1(view, proposals); },
      [&](Proposals& proposals) { rule_2(view, proposals); },
      [&](Proposals& proposals) { rule_3(view, proposals); },
      [&](Proposals& proposals) { rule_4(view, separated, proposals); },
      [&](Proposals& proposals) { rule_8(view, proposals); },
      [&](Proposals& proposals) { rule_9(view, context, proposals); },
      [&](Proposals& proposals) { rule_10(view, context, proposals); },
  };
  for (auto rule = rules.begin(); rule != rules.end();) {
    context.check_interrupt();
    Proposals proposals;
    (*rule)(proposals);
    rule = set_marks(pag, proposals) ? rules.begin() : rule + 1;
  }
}

}  // namespace olem::internal
