#include "support/datasets.h"

#include <cmath>

#include "olem/random.h"

namespace olem::test {

namespace {

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < count; ++j) names.push_back("x" + std::to_string(j));
  return names;
}

}  // namespace

Table ka5() {
  constexpr std::size_t kRows = 400;
  std::uint64_t state = 5;
  const auto next_normal = [&state] {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return normal_quantile((static_cast<double>(z >> 11) + 0.5) * 0x1p-53);
  };
  std::vector<double> values(kRows * 5);
  for (std::size_t i = 0; i < kRows; ++i) {
    double e[5];
    for (double& noise : e) noise = next_normal();
    const double x0 = e[0];
    const double x1 = 0.9 * x0 + e[1];
    const double x2 = 1.5 * std::sin(1.5 * x0) + e[2];
    const double x3 = 0.8 * x1 - 0.7 * x2 + e[3];
    const double x4 = 0.9 * x3 * x3 / (1.0 + std::abs(x3)) + e[4];
    const double row[5] = {x0, x1, x2, x3, x4};
    for (std::size_t j = 0; j < 5; ++j) values[j * kRows + i] = row[j];
  }
  return {numbered_names(5), std::move(values), "KA5"};
}

Table normal_table(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomStream random(seed, "normal_table");
  std::vector<double> values(rows * columns);
  for (double& value : values) value = random.normal();
  return {numbered_names(columns), std::move(values), "normal"};
}

Table linear_table(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomStream random(seed, "linear_table");
  std::vector<double> values(rows * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    double* child = values.data() + j * rows;
    for (std::size_t i = 0; i < rows; ++i) child[i] = random.normal();
    for (std::size_t p = 0; p < j; ++p) {
      const bool linked = random.uniform() < 0.5;
      const double weight = random.uniform(0.25, 1.0) * (random.uniform() < 0.5 ? -1.0 : 1.0);
      if (!linked) continue;
      for (std::size_t i = 0; i < rows; ++i) child[i] += weight * values[p * rows + i];
    }
  }
  return {numbered_names(columns), std::move(values), "linear"};
}

std::string source_path(const std::string& relative) { return std::string(OLEM_SOURCE_FOLDER) + "/" + relative; }

}  // namespace olem::test
