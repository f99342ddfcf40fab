#include "order/olem_plus_nodes.h"

#include <algorithm>

#include "olem/parallel.h"
#include "order/olem_plus_screen.h"

namespace olem {

namespace {

std::vector<std::uint32_t> node_key(std::size_t target, std::span<const std::size_t> others) {
  std::vector<std::uint32_t> key;
  key.reserve(others.size() + 1);
  key.push_back(static_cast<std::uint32_t>(target));
  for (const std::size_t other : others) key.push_back(static_cast<std::uint32_t>(other));
  std::sort(key.begin() + 1, key.end());
  return key;
}

std::vector<std::size_t> others_of(const std::vector<std::uint32_t>& key) { return {key.begin() + 1, key.end()}; }

}  // namespace

std::vector<PlusNode> PlusNodes::find(std::span<const NodeRequest> requests, const Context& context) {
  std::vector<std::map<Key, Key>::iterator> screens;
  std::vector<std::map<Key, Key>::iterator> new_screens;
  for (const NodeRequest& request : requests) {
    const auto [at, added] = screens_.try_emplace(node_key(request.target, request.predecessors));
    screens.push_back(at);
    if (added) new_screens.push_back(at);
  }
  try {
    parallel_for(context, 0, new_screens.size(), 1, [&](std::size_t i, std::size_t) {
      const Key& key = new_screens[i]->first;
      new_screens[i]->second = node_key(key.front(), active_predecessors(columns_, key.front(), others_of(key)));
    });
  } catch (...) {
    for (const auto& at : new_screens) screens_.erase(at);
    throw;
  }
  std::vector<std::map<Key, PlusFit>::iterator> new_fits;
  for (const auto& screen : screens) {
    const auto [at, added] = fits_.try_emplace(screen->second);
    if (added) new_fits.push_back(at);
  }
  try {
    parallel_for(context, 0, new_fits.size(), 1, [&](std::size_t i, std::size_t) {
      const Key& key = new_fits[i]->first;
      new_fits[i]->second = fit_column(columns_, key.front(), others_of(key));
    });
  } catch (...) {
    for (const auto& at : new_fits) fits_.erase(at);
    throw;
  }
  std::vector<PlusNode> nodes;
  for (const auto& screen : screens) nodes.push_back({&fits_.at(screen->second), screen->second.size() - 1});
  return nodes;
}

}  // namespace olem
