#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "olem/random.h"
#include "olem/table.h"

namespace olem::test {

// Of the tables behind tests/golden/logistic.csv.
inline constexpr std::size_t kGoldenRows = 1000;
inline constexpr std::size_t kGoldenHeldOut = 4000;

inline double logistic(double a) { return 1.0 / (1.0 + std::exp(-a)); }

// A discrete y and three inputs: `a` and `b` numbers, `g` a category of three levels. `forms`: "binary", "ordinal" and
// "category" are logistic, cumulative logistic and multinomial logistic in the inputs; "bent" is binary with log-odds
// that are nonlinear in a and b. tests/golden/logistic.R fits the first three with R.
struct DiscreteData {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> g;
  std::vector<double> y;
  std::vector<double> truth;  // P(y | inputs)
};

inline DiscreteData discrete_data(const std::string& form, std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "test.discrete." + form);
  DiscreteData data;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal();
    const double b = 0.5 * a + random.normal();
    const double level = std::min(2.0, std::floor(3.0 * random.uniform()));
    const double effect = level == 0.0 ? -0.8 : level == 1.0 ? 0.0 : 0.9;
    const double u = random.uniform();
    std::vector<double> p;
    if (form == "binary" || form == "bent") {
      const double linear = 0.3 + 0.9 * a - 0.6 * b + effect;
      const double odds = form == "binary" ? linear : 2.5 * std::sin(1.5 * a) - 1.2 * (b * b - 1.2) + effect;
      p = {1.0 - logistic(odds), logistic(odds)};
    } else if (form == "ordinal") {
      const double odds = 1.1 * a - 0.5 * b + effect;
      double below = 0.0;
      for (const double threshold : {-1.5, -0.2, 1.0}) {
        const double up_to = logistic(threshold - odds);
        p.push_back(up_to - below);
        below = up_to;
      }
      p.push_back(1.0 - below);
    } else {
      p = {1.0, std::exp(0.4 + 0.9 * a + effect), std::exp(-0.3 - 0.5 * a + 0.8 * b - effect)};
      const double sum = p[0] + p[1] + p[2];
      for (double& value : p) value /= sum;
    }
    std::size_t chosen = 0;
    double below = p[0];
    while (u > below && chosen + 1 < p.size()) below += p[++chosen];
    data.a.push_back(a);
    data.b.push_back(b);
    data.g.push_back(level);
    data.y.push_back(static_cast<double>(chosen));
    data.truth.push_back(p[chosen]);
  }
  return data;
}

inline Column column_of(ColumnType type, std::size_t levels = 0) {
  Column column;
  column.type = type;
  for (std::size_t k = 0; k < levels; ++k) {
    column.levels.push_back({static_cast<double>(k), "level " + std::to_string(k)});
  }
  return column;
}

inline Table discrete_table(const std::string& form, std::size_t rows, std::uint64_t seed) {
  const DiscreteData data = discrete_data(form, rows, seed);
  std::vector<double> values;
  for (const auto* column : {&data.a, &data.b, &data.g, &data.y})
    values.insert(values.end(), column->begin(), column->end());
  const Column y = form == "ordinal"    ? column_of(ColumnType::kOrdinal, 4)
                   : form == "category" ? column_of(ColumnType::kCategory, 3)
                                        : column_of(ColumnType::kBinary, 2);
  return Table({"a", "b", "g", "y"}, std::move(values), form + ".csv",
               {Column(), Column(), column_of(ColumnType::kCategory, 3), y});
}

}  // namespace olem::test
