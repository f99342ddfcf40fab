#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "olem/random.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem::test {

// A table with columns of every type, in causal order: demand (real), season (category), price (positive), crew
// (ordinal), heating (binary), visits (a count of many values), complaints (a count of few), rebate (positive with
// zeros), rate (a share) and renewed (binary).
inline Table shop(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "test.shop");
  const std::vector<std::string> names = {"demand", "season",     "price",  "crew", "heating",
                                          "visits", "complaints", "rebate", "rate", "renewed"};
  std::vector<std::vector<double>> columns(names.size(), std::vector<double>(rows));
  const auto logistic = [](double a) { return 1.0 / (1.0 + std::exp(-a)); };
  const auto poisson = [&](double mean) {
    double count = 0.0;
    for (double time = random.exponential(1.0); time < mean; time += random.exponential(1.0)) count += 1.0;
    return count;
  };
  for (std::size_t i = 0; i < rows; ++i) {
    const double demand = columns[0][i] = random.normal();
    const double season = columns[1][i] = static_cast<double>(random.below(3));
    const double price = columns[2][i] = std::exp(0.3 * demand + 0.5 * random.normal());
    const double crew = columns[3][i] = 2.0 + static_cast<double>(random.below(4));
    const double heating = columns[4][i] = random.uniform() < logistic(season - 1.0) ? 1.0 : 0.0;
    const double visits = columns[5][i] = poisson(std::exp(3.5 + 0.3 * demand - 0.3 * std::log(price)));
    const double complaints = columns[6][i] = poisson(std::exp(0.8 - 0.3 * (crew - 3.5) + 0.5 * heating));
    columns[7][i] = random.uniform() < 0.3 ? 0.0 : std::exp(0.2 * complaints + 0.4 * random.normal());
    const double rate = columns[8][i] = logistic(-1.0 - std::log(price) + 0.02 * visits + 0.5 * random.normal());
    columns[9][i] = random.uniform() < logistic(4.0 * rate - 0.4 * complaints) ? 1.0 : 0.0;
  }
  const auto levels = [](ColumnType type, std::vector<std::string> words, double first) {
    Column column;
    column.type = type;
    for (std::size_t k = 0; k < words.size(); ++k) column.levels.push_back({first + static_cast<double>(k), words[k]});
    return column;
  };
  const auto of_type = [](ColumnType type) {
    Column column;
    column.type = type;
    return column;
  };
  std::vector<Column> about = {Column(),
                               levels(ColumnType::kCategory, {"spring", "summer", "winter"}, 0.0),
                               of_type(ColumnType::kPositive),
                               levels(ColumnType::kOrdinal, {"2", "3", "4", "5"}, 2.0),
                               levels(ColumnType::kBinary, {"off", "on"}, 0.0),
                               of_type(ColumnType::kCount),
                               of_type(ColumnType::kCount),
                               of_type(ColumnType::kPositive),
                               of_type(ColumnType::kShare),
                               levels(ColumnType::kBinary, {"no", "yes"}, 0.0)};
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  return {names, std::move(values), "shop.csv", std::move(about)};
}

inline Task shop_task() {
  return parse_task(R"({
    "data": "shop.csv",
    "context": ["demand", "season"],
    "alterable": {"price": [0.4, 2.5], "crew": {"min": 2, "max": 5, "step": 1}, "heating": {"values": ["off", "on"]}},
    "outcome": ["rate", "renewed"],
    "desired": {"rate": [0.3, 0.9], "renewed": "yes"},
    "observed": {"demand": 0.2, "season": "winter"},
    "cost": {"crew": 0.5, "heating": 1},
    "constraints": [{"weights": {"heating=on": 1, "crew": 0.5}, "max": 3}]
  })",
                    "shop.json");
}

inline std::vector<std::string> shop_order() {
  return {"demand", "season", "price", "crew", "heating", "visits", "complaints", "rebate", "rate", "renewed"};
}

}  // namespace olem::test
