#include "olem/random.h"

#include <fmt/format.h>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "olem/error.h"

namespace olem {

namespace {

// Without promotion to long double, which differs between platforms and is slow.
using PlainDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

// 32-bit FNV-1a, so that a purpose is a readable word in the source.
std::uint32_t hash_purpose(std::string_view purpose) {
  std::uint32_t hash = 2166136261U;
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t index)
    : counter_{0, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), hash_purpose(purpose)},
      key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

std::uint64_t stream_index(std::initializer_list<IndexPart> parts) {
  std::uint64_t index = 0;
  unsigned used = 0;
  for (const IndexPart& part : parts) {
    used += part.bits;
    const bool whole = part.bits == 64;  // by which a number cannot be shifted
    if (part.bits == 0 || used > 64 || (!whole && (part.value >> part.bits) != 0)) {
      throw Error(ErrorCategory::kInternal,
                  fmt::format("{} does not fit into {} bits of the index of a random stream.", part.value, part.bits));
    }
    index = whole ? part.value : (index << part.bits) | part.value;
  }
  return index;
}

std::uint32_t RandomStream::next_u32() {
  if (used_ == 4) {
    block_ = philox4x32_10(counter_, key_);
    used_ = 0;
    if (++counter_[0] == 0) throw Error(ErrorCategory::kInternal, "A random stream was used up (2^34 draws).");
  }
  return block_[static_cast<std::size_t>(used_++)];
}

std::uint64_t RandomStream::next_u64() {
  const std::uint64_t low = next_u32();
  return low | (static_cast<std::uint64_t>(next_u32()) << 32);
}

double RandomStream::uniform() { return unit_interval(next_u64()); }

double RandomStream::uniform(double low, double high) { return low + (high - low) * uniform(); }

std::uint64_t RandomStream::below(std::uint64_t bound) {
  if (bound == 0) throw Error(ErrorCategory::kUsage, "bound is 0, but must be at least 1.");
  // The values from `limit` on would make the small remainders more likely.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t draw = next_u64();
  while (draw >= limit) draw = next_u64();
  return draw % bound;
}

double RandomStream::normal() { return normal_quantile(uniform()); }

double RandomStream::exponential(double scale) { return -scale * std::log1p(-uniform()); }

double RandomStream::beta(double a, double b) { return boost::math::ibeta_inv(a, b, uniform(), PlainDouble()); }

std::vector<std::size_t> RandomStream::sample_without_replacement(std::size_t population, std::size_t count) {
  check_at_least("population", static_cast<long long>(population), static_cast<long long>(count));
  std::vector<std::size_t> chosen;
  chosen.reserve(count);
  // Selection sampling: item i is taken with probability (still wanted) / (still to come).
  for (std::size_t i = 0; i < population && chosen.size() < count; ++i) {
    if (below(population - i) < count - chosen.size()) chosen.push_back(i);
  }
  return chosen;
}

double unit_interval(std::uint64_t bits) {
  // With 53 bits the half would be rounded, in the last part up to 1.
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

double normal_quantile(double p) { return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * p, PlainDouble()); }

}  // namespace olem
