#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "olem/context.h"
#include "order/olem_plus_columns.h"
#include "order/olem_plus_fit.h"
#include "order/olem_plus_screen.h"

namespace olem {

// A column given the set of its predecessors. The fit stays valid as long as the PlusNodes that it came from.
struct PlusNode {
  const PlusFit* fit = nullptr;
  std::span<const std::uint32_t> active;  // the predecessors that it depends on, ascending

  std::size_t edges() const { return active.size(); }
};

// A column after the first `count` columns of the order of a screen, and after `added` where there is one.
struct NodeRequest {
  std::size_t target = 0;
  std::size_t count = 0;
  std::optional<std::size_t> added = std::nullopt;
};

// Every screen and every regression that was asked for, each made once. Not safe to use from several threads at once;
// works on the context's threads itself.
class PlusNodes {
 public:
  explicit PlusNodes(PlusColumns columns) : columns_(std::move(columns)) {}
  PlusNodes(const PlusNodes&) = delete;
  PlusNodes& operator=(const PlusNodes&) = delete;

  const PlusColumns& columns() const { return columns_; }
  std::size_t fits() const { return fits_.size(); }
  std::size_t screens() const { return screens_.size(); }

  // One node for each request; what is not known yet is computed in parallel.
  std::vector<PlusNode> find(PrefixScreen& screen, std::span<const NodeRequest> requests, const Context& context);

 private:
  using Key = std::vector<std::uint32_t>;  // the target, then the others ascending

  PlusColumns columns_;
  std::map<Key, Key> screens_;  // key of the fit by target and predecessors
  std::map<Key, PlusFit> fits_;
};

}  // namespace olem
