#include "structure/gaussian_score.h"

#include <cmath>

namespace olem::internal {

namespace {

// About 200 MB. Past it the cache starts anew, which changes no value.
constexpr std::size_t kMostValues = std::size_t{1} << 21;

}  // namespace

std::size_t GaussianScore::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.size();
  for (const std::uint32_t word : key) {  // the mixing step of SplitMix64
    hash += word + 0x9E3779B97F4A7C15ULL;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ULL;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBULL;
    hash ^= hash >> 31;
  }
  return hash;
}

double GaussianScore::local(std::size_t y, std::span<const std::size_t> parents) {
  key_.clear();
  key_.push_back(static_cast<std::uint32_t>(y));
  for (const std::size_t parent : parents) key_.push_back(static_cast<std::uint32_t>(parent));
  if (const auto found = cache_.find(key_); found != cache_.end()) return found->second;
  const double log_variance = covariance_.log_variance[y] + std::log(residual_share(covariance_, y, parents));
  const double value = -0.5 * covariance_.rows * (1.0 + log_variance) -
                       penalty_ * static_cast<double>(parents.size() + 1) * std::log(covariance_.rows);
  if (cache_.size() >= kMostValues) cache_.clear();
  cache_.emplace(key_, value);
  ++computed_;
  return value;
}

}  // namespace olem::internal
