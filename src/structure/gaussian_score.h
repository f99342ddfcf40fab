#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "olem/covariance.h"

namespace olem::internal {

// The penalised likelihood of one variable given its parents,
//   s(y | P) = -(n/2) (1 + ln sigma2) - c (|P| + 1) ln n,
// with every value kept: a search asks for the same ones again and again. Not for several threads at once.
class GaussianScore {
 public:
  GaussianScore(const Covariance& covariance, double penalty) : covariance_(covariance), penalty_(penalty) {}

  // `parents` ascending, without y. The value depends on nothing but y and the set.
  double local(std::size_t y, std::span<const std::size_t> parents);

  std::size_t computed() const { return computed_; }

 private:
  using Key = std::vector<std::uint32_t>;  // y, then its parents

  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  const Covariance& covariance_;
  double penalty_;
  std::unordered_map<Key, double, Hash> cache_;
  Key key_;  // kept between calls for its memory
  std::size_t computed_ = 0;
};

}  // namespace olem::internal
