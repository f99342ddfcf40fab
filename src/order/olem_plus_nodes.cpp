#include "order/olem_plus_nodes.h"

#include <algorithm>

#include "core/rank_share.h"
#include "olem/parallel.h"
#include "order/olem_plus_ranks.h"

namespace olem::internal {

namespace {

std::vector<std::uint32_t> node_key(std::size_t target, std::span<const std::size_t> others,
                                    const std::optional<std::size_t>& added = std::nullopt) {
  std::vector<std::uint32_t> key;
  key.reserve(others.size() + 2);
  key.push_back(static_cast<std::uint32_t>(target));
  for (const std::size_t other : others) key.push_back(static_cast<std::uint32_t>(other));
  if (added) key.push_back(static_cast<std::uint32_t>(*added));
  std::sort(key.begin() + 1, key.end());
  return key;
}

std::vector<std::size_t> others_of(const std::vector<std::uint32_t>& key) { return {key.begin() + 1, key.end()}; }

}  // namespace

const PlusNodes::Key* PlusNodes::known_active(const Key& key) const {
  if (!base_) return nullptr;
  const auto known = base_->screens_.find(key);
  return known == base_->screens_.end() ? nullptr : &known->second;
}

const PlusChoice* PlusNodes::known_choice(const Key& key) const {
  if (!base_) return nullptr;
  const auto known = base_->fits_.find(key);
  return known == base_->fits_.end() ? nullptr : &known->second.choice;
}

void PlusNodes::make_fits(std::span<const Fits::iterator> fits, const Context& context) {
  const auto make = [&](std::size_t i) {
    const Key& key = fits[i]->first;
    fits[i]->second = fit_column(columns_, key.front(), others_of(key), context, known_choice(key));
  };
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    if (makes_item(context, i)) own.push_back(i);
  }
  // Regressions of many rows have enough to do for all threads: those that are left over are made one by one.
  const bool many_rows = columns_.rows > kRowsOfTask;
  const auto threads = static_cast<std::size_t>(context.thread_count());
  const std::size_t at_once = many_rows ? threads : std::max<std::size_t>(1, own.size());
  const std::size_t before = fits_.size() - fits.size();
  for (std::size_t first = 0; first < own.size(); first += at_once) {
    const std::size_t last = std::min(own.size(), first + at_once);
    if (many_rows && last - first < threads) {
      for (std::size_t i = first; i < last; ++i) make(own[i]);
    } else {
      parallel_for(context, first, last, 1, [&](std::size_t i, std::size_t) { make(own[i]); });
    }
    if (on_fits_) on_fits_(before + fits.size() * last / own.size());
  }
  std::vector<PlusFit*> all;
  for (const Fits::iterator& at : fits) all.push_back(&at->second);
  share_fits(all, context);
}

std::vector<PlusNode> PlusNodes::find(PrefixScreen& screen, std::span<const NodeRequest> requests,
                                      const Context& context) {
  std::vector<std::map<Key, Key>::iterator> screens;
  std::vector<std::size_t> missing;  // requests
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const NodeRequest& request = requests[r];
    const auto [at, added] = screens_.try_emplace(node_key(request.target, screen.first(request.count), request.added));
    screens.push_back(at);
    if (!added) continue;
    if (const Key* known = known_active(at->first)) {
      at->second = *known;
    } else {
      missing.push_back(r);
    }
  }
  try {
    if (!missing.empty()) screen.prepare();
    parallel_for(context, 0, missing.size(), 1, [&](std::size_t i, std::size_t) {
      const NodeRequest& request = requests[missing[i]];
      screens[missing[i]]->second =
          node_key(request.target, request.added ? screen.active_with(request.target, request.count, *request.added)
                                                 : screen.active(request.target, request.count));
    });
  } catch (...) {
    for (const std::size_t r : missing) screens_.erase(screens[r]);
    throw;
  }
  std::vector<Fits::iterator> new_fits;
  for (const auto& known : screens) {
    const auto [at, added] = fits_.try_emplace(known->second);
    if (added) new_fits.push_back(at);
  }
  try {
    make_fits(new_fits, context);
  } catch (...) {
    for (const auto& at : new_fits) fits_.erase(at);
    throw;
  }
  std::vector<PlusNode> nodes;
  for (const auto& known : screens) {
    const auto at = fits_.find(known->second);
    nodes.push_back({&at->second, std::span(at->first).subspan(1)});
    asked_.insert(&at->second);
  }
  return nodes;
}

}  // namespace olem::internal
