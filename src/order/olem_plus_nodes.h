#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "olem/context.h"
#include "order/olem_plus_columns.h"
#include "order/olem_plus_fit.h"

namespace olem {

// A column given the set of its predecessors. The fit stays valid as long as the PlusNodes that it came from.
struct PlusNode {
  const PlusFit* fit = nullptr;
  std::size_t edges = 0;  // active predecessors
};

// A column and its predecessors, in any order.
struct NodeRequest {
  std::size_t target = 0;
  std::span<const std::size_t> predecessors;
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
  std::vector<PlusNode> find(std::span<const NodeRequest> requests, const Context& context);

 private:
  using Key = std::vector<std::uint32_t>;  // the target, then the others ascending

  PlusColumns columns_;
  std::map<Key, Key> screens_;  // key of the fit by target and predecessors
  std::map<Key, PlusFit> fits_;
};

}  // namespace olem
