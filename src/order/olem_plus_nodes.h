#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "olem/context.h"
#include "order/olem_plus_columns.h"
#include "order/olem_plus_fit.h"
#include "order/olem_plus_screen.h"

namespace olem::internal {

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
  // `base`: nodes of the same columns under other weights, whose active predecessors and choices of regressions are
  // taken over where they are known; it must not change meanwhile.
  explicit PlusNodes(PlusColumns columns, std::shared_ptr<const PlusNodes> base = nullptr)
      : columns_(std::move(columns)), base_(std::move(base)) {}
  PlusNodes(const PlusNodes&) = delete;
  PlusNodes& operator=(const PlusNodes&) = delete;

  const PlusColumns& columns() const { return columns_; }
  std::size_t fits() const { return fits_.size(); }
  // How many different regressions `find` was asked for since the last call of `forget_asked`.
  std::size_t asked() const { return asked_.size(); }
  void forget_asked() { asked_.clear(); }
  // Called with the number of regressions that were made, from the thread that calls `find`.
  void on_fits(std::function<void(std::size_t made)> call) { on_fits_ = std::move(call); }
  std::size_t screens() const { return screens_.size(); }

  // One node for each request; what is not known yet is computed in parallel, and by all ranks where there are several:
  // each makes its share of the regressions and gets those of the others. They must ask for the same.
  std::vector<PlusNode> find(PrefixScreen& screen, std::span<const NodeRequest> requests, const Context& context);

 private:
  using Key = std::vector<std::uint32_t>;  // the target, then the others ascending

  using Fits = std::map<Key, PlusFit>;

  void make_fits(std::span<const Fits::iterator> fits, const Context& context);
  const Key* known_active(const Key& key) const;
  const PlusChoice* known_choice(const Key& key) const;

  PlusColumns columns_;
  std::shared_ptr<const PlusNodes> base_;
  std::map<Key, Key> screens_;  // key of the fit by target and predecessors
  Fits fits_;
  std::set<const PlusFit*> asked_;
  std::function<void(std::size_t made)> on_fits_;
};

}  // namespace olem::internal
