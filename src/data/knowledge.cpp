#include "olem/knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/json_text.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/options.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kWordBits = 64;

using Chain = std::vector<std::string>;
using TierOf = std::unordered_map<std::string, std::size_t>;

[[noreturn]] void knowledge_error(const std::string& source, const std::string& text) {
  throw Error(ErrorCategory::kData, source.empty() ? text : source + ": " + text);
}

// The tier of every name, from 0. Throws when a name stands in two places.
TierOf locate_tiers(const Knowledge& knowledge) {
  TierOf tier_of;
  for (std::size_t t = 0; t < knowledge.tiers.size(); ++t) {
    for (const std::string& name : knowledge.tiers[t]) {
      const auto [place, added] = tier_of.emplace(name, t);
      if (added) continue;
      const std::string where = place->second == t ? fmt::format("twice in tier {}", t + 1)
                                                   : fmt::format("in tier {} and in tier {}", place->second + 1, t + 1);
      knowledge_error(knowledge.source,
                      fmt::format("'{}' stands {}. Name every column in one tier only.", name, where));
    }
  }
  return tier_of;
}

void add_chain(Knowledge& knowledge, const Chain& chain) {
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) knowledge.before.emplace_back(chain[i], chain[i + 1]);
}

// A list of lists of names, such as [["a", "b"], ["c"]].
std::vector<Chain> name_lists(const Json& lists, std::string_view key, const std::string& source) {
  if (!lists.is_array()) {
    knowledge_error(source, fmt::format("\"{}\" is {}, but must be a list of lists of column names, such as "
                                        "[[\"a\", \"b\"], [\"c\", \"d\"]].",
                                        key, lists.dump()));
  }
  std::vector<Chain> result;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const Json& list = lists[i];
    if (!list.is_array()) {
      knowledge_error(source, fmt::format("Entry {} of \"{}\" is {}, but must be a list of column names, such as "
                                          "[\"a\", \"b\"].",
                                          i + 1, key, list.dump()));
    }
    Chain& names = result.emplace_back();
    for (const Json& name : list) {
      if (!name.is_string() || name.get_ref<const std::string&>().empty()) {
        knowledge_error(source, fmt::format("Entry {} of \"{}\" holds {}, but must hold column names in quotes.", i + 1,
                                            key, name.dump()));
      }
      names.push_back(name.get<std::string>());
    }
  }
  return result;
}

// Calls visit(j) for every set bit j of `row`, ascending, until it returns true.
template <class Visit>
bool any_bit(std::span<const std::uint64_t> row, Visit visit) {
  for (std::size_t w = 0; w < row.size(); ++w) {
    for (std::uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
      if (visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)))) return true;
    }
  }
  return false;
}

// A shortest way from `start` back to itself along the edges of a square bit matrix, of at most `longest` edges; empty
// when there is none. The nodes in order, `start` once.
std::vector<std::size_t> shortest_cycle_from(std::size_t start, std::span<const std::uint64_t> edges, std::size_t words,
                                             std::size_t nodes, std::size_t longest) {
  constexpr std::size_t kUnseen = static_cast<std::size_t>(-1);
  std::vector<std::size_t> parent(nodes, kUnseen);
  std::vector<std::size_t> depth(nodes, 0);
  std::vector<std::size_t> queue{start};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::size_t node = queue[head];
    if (depth[node] == longest) break;
    const bool closed = any_bit(edges.subspan(node * words, words), [&](std::size_t next) {
      if (next == start) return true;
      if (parent[next] == kUnseen) {
        parent[next] = node;
        depth[next] = depth[node] + 1;
        queue.push_back(next);
      }
      return false;
    });
    if (!closed) continue;
    std::vector<std::size_t> cycle{node};
    while (cycle.back() != start) cycle.push_back(parent[cycle.back()]);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }
  return {};
}

[[noreturn]] void report_cycle(const Knowledge& knowledge, const TierOf& tier_of,
                               const std::vector<std::string>& cycle) {
  std::vector<std::string> statements;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const std::string& first = cycle[i];
    const std::string& second = cycle[(i + 1) % cycle.size()];
    const bool is_pair =
        std::find(knowledge.before.begin(), knowledge.before.end(), std::pair(first, second)) != knowledge.before.end();
    statements.push_back(is_pair ? fmt::format("the pair '{}' before '{}'", first, second)
                                 : fmt::format("the tiers ('{}' is in tier {}, '{}' in tier {})", first,
                                               tier_of.at(first) + 1, second, tier_of.at(second) + 1));
  }
  knowledge_error(knowledge.source, fmt::format("The knowledge contradicts itself: {} -> {}. This follows from {}. "
                                                "Remove or correct {}.",
                                                fmt::join(cycle, " -> "), cycle.front(), fmt::join(statements, " and "),
                                                statements.size() == 1 ? "it" : "one of them"));
}

}  // namespace

Knowledge parse_knowledge(std::string_view text, const std::string& source) {
  const Json document = parse_json_text(text, source);
  if (!document.is_object()) {
    knowledge_error(source, "The knowledge must be one JSON object with the keys \"tiers\" and \"before\".");
  }
  Knowledge knowledge;
  knowledge.source = source;
  for (const auto& [key, value] : document.items()) {
    if (key == "tiers") {
      knowledge.tiers = name_lists(value, key, source);
    } else if (key == "before") {
      const std::vector<Chain> chains = name_lists(value, key, source);
      for (std::size_t i = 0; i < chains.size(); ++i) {
        if (chains[i].size() < 2) {
          knowledge_error(source, fmt::format("Entry {} of \"before\" holds {} name{}, but must hold at least two.",
                                              i + 1, chains[i].size(), chains[i].size() == 1 ? "" : "s"));
        }
        add_chain(knowledge, chains[i]);
      }
    } else {
      const std::string near = closest_name(key, std::array<std::string, 2>{"tiers", "before"});
      knowledge_error(source, fmt::format("The key \"{}\" is not known.{} The keys are \"tiers\" and \"before\".", key,
                                          near.empty() ? "" : fmt::format(" Did you mean \"{}\"?", near)));
    }
  }
  locate_tiers(knowledge);
  return knowledge;
}

Knowledge read_knowledge(const std::string& path) {
  return parse_knowledge(read_file(path), path == "-" ? "standard input" : path);
}

Json to_json(const Knowledge& knowledge) {
  Json pairs = Json::array();
  for (const auto& [first, second] : knowledge.before) pairs.push_back(Json::array({first, second}));
  return {{"tiers", knowledge.tiers}, {"before", std::move(pairs)}};
}

Knowledge make_knowledge(std::vector<std::vector<std::string>> tiers,
                         const std::vector<std::vector<std::string>>& before, const std::string& source) {
  Knowledge knowledge;
  knowledge.tiers = std::move(tiers);
  for (const Chain& chain : before) {
    if (chain.size() < 2) {
      throw Error::of_option("before", fmt::format("'{}' is {}, but at least two names are needed.",
                                                   fmt::join(chain, ""), chain.empty() ? "no name" : "one name"));
    }
    add_chain(knowledge, chain);
  }
  if (!knowledge.empty()) knowledge.source = source;
  locate_tiers(knowledge);
  return knowledge;
}

Knowledge combine_knowledge(const Knowledge& first, const Knowledge& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  if (!first.tiers.empty() && !second.tiers.empty()) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("Tiers are given twice ({} and {}), and which of them come first is not known. Give them "
                            "in one place.",
                            first.source, second.source));
  }
  Knowledge both = first;
  if (both.tiers.empty()) both.tiers = second.tiers;
  both.before.insert(both.before.end(), second.before.begin(), second.before.end());
  both.source = fmt::format("{} and {}", first.source, second.source);
  return both;
}

Precedence::Precedence(std::size_t size)
    : words_((size + kWordBits - 1) / kWordBits), successors_(size * words_, std::uint64_t{0}) {}

Precedence::Precedence(const Knowledge& knowledge, const std::vector<std::string>& names) {
  if (knowledge.empty()) return;
  *this = Precedence(names.size());

  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t j = 0; j < names.size(); ++j) index.emplace(names[j], j);
  const auto column = [&](const std::string& name) {
    if (const auto found = index.find(name); found != index.end()) return found->second;
    const std::string near = closest_name(name, names);
    knowledge_error(knowledge.source, fmt::format("There is no column '{}'.{}", name,
                                                  near.empty() ? " Correct the name or leave the statement out."
                                                               : fmt::format(" Did you mean '{}'?", near)));
  };

  const TierOf tier_of = locate_tiers(knowledge);
  std::vector<std::size_t> earlier;  // the columns of all tiers before the current one
  for (const std::vector<std::string>& tier : knowledge.tiers) {
    std::vector<std::size_t> members;
    members.reserve(tier.size());
    for (const std::string& name : tier) members.push_back(column(name));
    for (const std::size_t i : earlier) {
      for (const std::size_t j : members) set(i, j);
    }
    earlier.insert(earlier.end(), members.begin(), members.end());
  }
  for (const auto& [first, second] : knowledge.before) {
    const std::size_t i = column(first);
    set(i, column(second));
  }

  const std::vector<std::uint64_t> stated = successors_;
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!precedes(i, k)) continue;
      for (std::size_t w = 0; w < words_; ++w) successors_[i * words_ + w] |= successors_[k * words_ + w];
    }
  }

  std::vector<std::size_t> shortest;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!precedes(i, i)) continue;
    const std::size_t longest = shortest.empty() ? names.size() : shortest.size() - 1;
    std::vector<std::size_t> cycle = shortest_cycle_from(i, stated, words_, names.size(), longest);
    if (!cycle.empty()) shortest = std::move(cycle);
  }
  if (shortest.empty()) return;
  std::vector<std::string> cycle;
  cycle.reserve(shortest.size());
  for (const std::size_t i : shortest) cycle.push_back(names[i]);
  report_cycle(knowledge, tier_of, cycle);
}

bool Precedence::may_be_last(std::size_t candidate, std::span<const std::size_t> remaining) const {
  return std::none_of(remaining.begin(), remaining.end(),
                      [&](std::size_t other) { return precedes(candidate, other); });
}

std::vector<std::size_t> Precedence::last_candidates(std::span<const std::size_t> remaining) const {
  if (empty()) return {remaining.begin(), remaining.end()};
  std::vector<std::uint64_t> present(words_, std::uint64_t{0});
  for (const std::size_t j : remaining) present[j / kWordBits] |= std::uint64_t{1} << (j % kWordBits);
  std::vector<std::size_t> candidates;
  for (const std::size_t i : remaining) {
    std::uint64_t after = 0;
    for (std::size_t w = 0; w < words_; ++w) after |= successors_[i * words_ + w] & present[w];
    if (after == 0) candidates.push_back(i);
  }
  return candidates;
}

Precedence Precedence::restricted_to(std::span<const std::size_t> columns) const {
  if (empty()) return {};
  Precedence restricted(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (precedes(columns[i], columns[j])) restricted.set(i, j);
    }
  }
  return restricted;
}

std::string contradiction_text(const Precedence& known, std::span<const std::size_t> order,
                               const std::vector<std::string>& names) {
  constexpr std::size_t kMostPairs = 5;
  std::vector<std::string> pairs;
  std::size_t count = 0;
  for (std::size_t late = 0; late < order.size(); ++late) {
    for (std::size_t early = 0; early < late; ++early) {
      if (!known.precedes(order[late], order[early])) continue;
      if (++count <= kMostPairs) pairs.push_back(fmt::format("{} before {}", names[order[late]], names[order[early]]));
    }
  }
  return fmt::format("{}{}", fmt::join(pairs, ", "),
                     count > kMostPairs ? fmt::format(" and {} more", count - kMostPairs) : "");
}

}  // namespace olem
