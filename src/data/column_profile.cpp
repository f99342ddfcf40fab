#include "data/column_profile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "olem/parallel.h"
#include "olem/random.h"

namespace olem::internal {

namespace {

// Copies have |correlation| >= 1 - 1e-12. For unit vectors 1 - |correlation| = |z1 -+ z2|^2 / 2, so that they are no
// further than this, squared, from each other or from each other's negative.
constexpr double kSquaredCopyDistance = 2e-12;

std::vector<double> fixed_direction(std::size_t size) {
  RandomStream random(0, "column_projection");
  std::vector<double> direction(size);
  double squares = 0.0;
  for (double& entry : direction) {
    entry = random.normal();
    squares += entry * entry;
  }
  for (double& entry : direction) entry /= std::sqrt(squares);
  return direction;
}

std::size_t count_distinct(std::span<const double> cells) {
  std::vector<double> sorted(cells.begin(), cells.end());
  std::sort(sorted.begin(), sorted.end());
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

ColumnProfile profile_column(std::span<const double> cells, std::span<const double> direction) {
  ColumnProfile profile;
  profile.distinct = count_distinct(cells);
  if (profile.distinct < 2) return profile;

  const auto [low, high] = std::minmax_element(cells.begin(), cells.end());
  int exponent = 0;
  std::frexp(std::max(std::abs(*low), std::abs(*high)), &exponent);
  constexpr int kLargestShift = 1000;  // enough to square the smallest number, and 2^shift itself is finite
  profile.shift = std::min(-exponent, kLargestShift);
  profile.scale = std::ldexp(1.0, profile.shift);
  profile.pivot = cells[0] * profile.scale;
  profile.norm = 1.0;

  const auto count = static_cast<double>(cells.size());
  double sum = 0.0;
  for (const double cell : cells) sum += profile.standardise(cell);
  profile.mean = sum / count;
  double squares = 0.0;
  for (const double cell : cells) {
    const double centred = profile.standardise(cell);
    squares += centred * centred;
  }
  profile.norm = std::sqrt(squares);
  profile.log10_deviation =
      std::log10(profile.norm / std::sqrt(count)) - static_cast<double>(profile.shift) * std::log10(2.0);
  for (std::size_t i = 0; i < cells.size(); ++i) profile.projection += profile.standardise(cells[i]) * direction[i];
  return profile;
}

bool are_copies(std::span<const double> a, const ColumnProfile& pa, std::span<const double> b, const ColumnProfile& pb,
                bool& same_sign) {
  // A correlation next to 1 is lost in the rounding of a scalar product, but not in the distance.
  double minus = 0.0;
  double plus = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double za = pa.standardise(a[i]);
    const double zb = pb.standardise(b[i]);
    minus += (za - zb) * (za - zb);
    plus += (za + zb) * (za + zb);
    if (minus > kSquaredCopyDistance && plus > kSquaredCopyDistance) return false;
  }
  same_sign = minus <= plus;
  return true;
}

// The centre of the column, in its own units.
double centre(const ColumnProfile& profile) { return std::ldexp(profile.pivot + profile.mean, -profile.shift); }

ColumnCopy describe_copy(const Table& table, const std::vector<ColumnProfile>& profiles, std::size_t original,
                         std::size_t copy, bool same_sign) {
  ColumnCopy result{original, copy, CopyKind::kEqual, 1.0, 0.0};
  const auto from = table.column(original);
  const auto to = table.column(copy);
  if (std::equal(from.begin(), from.end(), to.begin())) return result;

  const ColumnProfile& a = profiles[original];
  const ColumnProfile& b = profiles[copy];
  result.factor = std::ldexp((same_sign ? b.norm : -b.norm) / a.norm, a.shift - b.shift);
  result.offset = centre(b) - result.factor * centre(a);
  double largest = 0.0;
  for (const double value : to) largest = std::max(largest, std::abs(value));
  constexpr double kNoOffset = 1e-9;  // far above the rounding of the offset, far below one that a person would state
  result.kind = std::abs(result.offset) <= kNoOffset * largest ? CopyKind::kProportional : CopyKind::kAffine;
  return result;
}

std::uint64_t mix(std::uint64_t hash, double value) {
  // Adding 0 turns -0 into 0, which is equal to it.
  hash = (hash ^ std::bit_cast<std::uint64_t>(value + 0.0)) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

bool same_row(const Table& table, std::size_t a, std::size_t b) {
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (table.at(a, j) != table.at(b, j)) return false;
  }
  return true;
}

}  // namespace

std::vector<ColumnProfile> profile_columns(const Table& table, const Context& context) {
  const std::vector<double> direction = fixed_direction(table.rows());
  std::vector<ColumnProfile> profiles(table.columns());
  parallel_for(context, 0, table.columns(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) profiles[j] = profile_column(table.column(j), direction);
  });
  return profiles;
}

std::vector<ColumnCopy> find_copies(const Table& table, const std::vector<ColumnProfile>& profiles,
                                    const Context& context) {
  // By the Cauchy-Schwarz inequality copies have projections whose magnitudes differ by no more than their distance, so
  // that a column is compared with few others and still none is missed. The margin covers the rounding of the
  // projections.
  const double window = 1.01 * std::sqrt(kSquaredCopyDistance);
  std::set<std::pair<double, std::size_t>> originals;  // by magnitude of projection
  std::vector<ColumnCopy> copies;
  const auto find_original = [&](std::size_t j) -> std::optional<ColumnCopy> {
    const double magnitude = std::abs(profiles[j].projection);
    std::vector<std::size_t> near;
    for (auto it = originals.lower_bound({magnitude - window, 0});
         it != originals.end() && it->first <= magnitude + window; ++it) {
      near.push_back(it->second);
    }
    std::sort(near.begin(), near.end());
    for (const std::size_t i : near) {
      context.check_interrupt();
      bool same_sign = true;
      if (!are_copies(table.column(i), profiles[i], table.column(j), profiles[j], same_sign)) continue;
      const ColumnCopy copy = describe_copy(table, profiles, i, j, same_sign);
      if (copy.kind != CopyKind::kAffine || table.rows() > 2) return copy;
    }
    return std::nullopt;
  };
  for (std::size_t j = 0; j < profiles.size(); ++j) {
    if (profiles[j].distinct < 2) continue;
    if (const auto copy = find_original(j)) {
      copies.push_back(*copy);
    } else {
      originals.emplace(std::abs(profiles[j].projection), j);
    }
  }
  return copies;
}

RepeatedRows count_repeated_rows(const Table& table, const Context& context) {
  const std::size_t rows = table.rows();
  std::vector<std::uint64_t> hashes(rows, 0);
  constexpr std::size_t kRowsPerPiece = 4096;
  parallel_for(context, 0, rows, kRowsPerPiece, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = 0; j < table.columns(); ++j) {
      const auto cells = table.column(j);
      for (std::size_t i = first; i < last; ++i) hashes[i] = mix(hashes[i], cells[i]);
    }
  });
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return hashes[a] < hashes[b]; });

  RepeatedRows result;
  result.least_copies = rows;
  result.all_even = rows > 0;
  for (auto group = order.begin(); group != order.end();) {
    const auto same_hash = [&, hash = hashes[*group]](std::size_t i) { return hashes[i] == hash; };
    const auto end = std::find_if_not(group, order.end(), same_hash);
    // Rows of one hash are nearly always one row repeated; each pass takes out the rows equal to the first.
    while (group != end) {
      const auto rest =
          std::partition(group, end, [&, head = *group](std::size_t i) { return same_row(table, head, i); });
      const auto equal = static_cast<std::size_t>(rest - group);
      result.least_copies = std::min(result.least_copies, equal);
      result.all_even = result.all_even && equal % 2 == 0;
      if (equal > 1) {
        result.pairs += 0.5 * static_cast<double>(equal) * static_cast<double>(equal - 1);
        result.repeats += equal - 1;
        result.with_twin += equal;
      }
      group = rest;
    }
  }
  return result;
}

}  // namespace olem::internal
