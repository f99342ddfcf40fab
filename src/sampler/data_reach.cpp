#include "sampler/data_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "olem/random.h"

namespace olem::internal::sampling {

namespace {

constexpr std::size_t kMostRows = 500;
constexpr double kUsual = 0.95;
constexpr double kLeastSpacing = 1e-6;  // of repeated rows, in standardised units

}  // namespace

void DataReach::measure(std::span<const Condition> conditions, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  if (conditions.empty()) return;
  const bool all_shared =
      std::all_of(conditions.begin(), conditions.end(), [](const Condition& c) { return c.shared; });
  std::vector<double> squares(rows);
  for (std::size_t i = 0; i < (all_shared ? std::min<std::size_t>(1, out.size()) : out.size()); ++i) {
    std::fill(squares.begin(), squares.end(), 0.0);
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      const double x = conditions[k].values[conditions[k].shared ? 0 : i];
      const double* column = values.data() + k * rows;
      for (std::size_t j = 0; j < rows; ++j) squares[j] += (x - column[j]) * (x - column[j]);
    }
    out[i] = std::sqrt(*std::min_element(squares.begin(), squares.end())) / spacing;
  }
  if (all_shared && !out.empty()) std::fill(out.begin(), out.end(), out.front());
}

DataReach find_reach(const Inputs& conditions, std::size_t rows, std::uint64_t stream, const Context& context) {
  DataReach reach;
  if (conditions.empty()) return reach;
  std::vector<std::size_t> chosen(rows);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (rows > kMostRows) {
    chosen = RandomStream(context.seed, "sampler.reach", stream).sample_without_replacement(rows, kMostRows);
  }
  reach.rows = chosen.size();
  for (const std::span<const double> column : conditions) {
    for (const std::size_t i : chosen) reach.values.push_back(column[i]);
  }
  std::vector<double> nearest(reach.rows, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < reach.rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double square = 0.0;
      for (std::size_t k = 0; k < conditions.size(); ++k) {
        const double difference = reach.values[k * reach.rows + i] - reach.values[k * reach.rows + j];
        square += difference * difference;
      }
      nearest[i] = std::min(nearest[i], square);
      nearest[j] = std::min(nearest[j], square);
    }
  }
  const auto usual = nearest.begin() + static_cast<std::ptrdiff_t>(kUsual * static_cast<double>(nearest.size() - 1));
  std::nth_element(nearest.begin(), usual, nearest.end());
  reach.spacing = std::max(std::sqrt(*usual), kLeastSpacing);
  return reach;
}

void store_reach(const DataReach& reach, SamplerState& state) {
  state.settings["reach_rows"] = reach.rows;
  state.arrays.push_back({"reach", reach.values});
  state.arrays.push_back({"reach_spacing", {reach.spacing}});
}

DataReach read_reach(const StateReader& reader, std::size_t conditions) {
  DataReach reach;
  reach.values = reader.array("reach", StateReader::kAny);
  reach.spacing = reader.positive("reach_spacing", 1).front();
  reach.rows = conditions > 0 ? reach.values.size() / conditions : 0;
  if (reader.count("reach_rows", reach.rows) * conditions != reach.values.size()) {
    reader.fail("its rows of data have the wrong size");
  }
  if (conditions > 0 && reach.rows == 0) reader.fail("it has no rows of data");
  return reach;
}

}  // namespace olem::internal::sampling
