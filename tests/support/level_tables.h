#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "olem/column_types.h"
#include "olem/random.h"
#include "olem/table.h"

// Tables with levels whose truth is known: what any decision achieves is a formula.
namespace olem::test {

inline double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
inline double normal_between(double low, double high, double mean, double sd) {
  return normal_below((high - mean) / sd) - normal_below((low - mean) / sd);
}
inline double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

inline Table table_of(std::vector<std::string> names, const std::vector<std::vector<double>>& columns,
                      const std::vector<ColumnDeclaration>& declared = {}) {
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  std::vector<Column> about;
  for (const auto& column : columns) about.push_back(guess_column(column));
  return declare_columns(Table(std::move(names), std::move(values), "levels.csv", std::move(about)), declared);
}

// The weather, a heating that is off or on, and the temperature of a room.
struct HeatedRoom {
  static Table table(std::size_t rows, std::uint64_t seed) {
    RandomStream random(seed, "test.heated_room");
    std::vector<std::vector<double>> columns(3, std::vector<double>(rows));
    for (std::size_t i = 0; i < rows; ++i) {
      const double outside = columns[0][i] = random.normal();
      const double heating = columns[1][i] = random.uniform() < logistic(-0.5 * outside) ? 1.0 : 0.0;
      columns[2][i] = 18.0 + 2.0 * outside + 6.0 * heating + random.normal();
    }
    return table_of({"outside", "heating", "room"}, columns,
                    {{.name = "heating", .type = ColumnType::kBinary, .levels = {"off", "on"}}});
  }
  static double success(double outside, double heating, double low, double high) {
    return normal_between(low, high, 18.0 + 2.0 * outside + 6.0 * heating, 1.0);
  }
};

// The numbers of four vendors, which have no order, and the quality of what they deliver.
struct Vendors {
  static constexpr double kEffects[] = {0.0, 2.0, -1.0, 1.0};
  static Table table(std::size_t rows, std::uint64_t seed) {
    RandomStream random(seed, "test.vendors");
    std::vector<std::vector<double>> columns(3, std::vector<double>(rows));
    for (std::size_t i = 0; i < rows; ++i) {
      const double load = columns[0][i] = random.normal();
      const double vendor = columns[1][i] = 1.0 + std::floor(4.0 * random.uniform());
      columns[2][i] = kEffects[static_cast<std::size_t>(vendor) - 1] + 0.5 * load + random.normal();
    }
    return table_of({"load", "vendor", "quality"}, columns, {{.name = "vendor", .type = ColumnType::kCategory}});
  }
  static double success(double load, double vendor, double least) {
    return 1.0 - normal_below(least - kEffects[static_cast<std::size_t>(vendor) - 1] - 0.5 * load);
  }
};

// A dose that makes patients respond or not, and that harms by itself: the best one lies inside of its domain.
struct Patients {
  static constexpr double kHarm = 1.0;
  static double responds(double severity, double dose) { return logistic(-3.0 + 0.9 * dose - 0.5 * severity); }
  static Table table(std::size_t rows, std::uint64_t seed, double harm = kHarm) {
    RandomStream random(seed, "test.patients");
    std::vector<std::vector<double>> columns(4, std::vector<double>(rows));
    for (std::size_t i = 0; i < rows; ++i) {
      const double severity = columns[0][i] = random.normal();
      const double dose = columns[1][i] = 4.0 + 0.7 * severity + 2.0 * random.normal();
      const double responded = columns[2][i] = random.uniform() < responds(severity, dose) ? 1.0 : 0.0;
      columns[3][i] = 50.0 - 4.0 * severity + 10.0 * responded - harm * dose + 3.0 * random.normal();
    }
    return table_of({"severity", "dose", "responded", "score"}, columns);
  }
  static double success(double severity, double dose, double least, double harm = kHarm) {
    const double p = responds(severity, dose);
    const auto reaches = [&](double responded) {
      return 1.0 - normal_below((least - (50.0 - 4.0 * severity + 10.0 * responded - harm * dose)) / 3.0);
    };
    return p * reaches(1.0) + (1.0 - p) * reaches(0.0);
  }
};

// A price, and whether a contract was renewed.
struct Renewals {
  static Table table(std::size_t rows, std::uint64_t seed) {
    RandomStream random(seed, "test.renewals");
    std::vector<std::vector<double>> columns(3, std::vector<double>(rows));
    for (std::size_t i = 0; i < rows; ++i) {
      const double age = columns[0][i] = random.normal();
      const double price = columns[1][i] = std::exp(0.3 * random.normal());
      columns[2][i] = random.uniform() < success(age, price) ? 1.0 : 0.0;
    }
    return table_of({"age", "price", "renewed"}, columns,
                    {{.name = "renewed", .type = ColumnType::kBinary, .levels = {"no", "yes"}}});
  }
  static double success(double age, double price) { return logistic(4.4 - 3.0 * price + 0.5 * age); }
};

// Words as people write them.
inline std::string words_csv(const Table& table) {
  std::string text;
  for (std::size_t j = 0; j < table.columns(); ++j) text += (j == 0 ? "" : ",") + table.name(j);
  text += "\n";
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t j = 0; j < table.columns(); ++j)
      text += (j == 0 ? "" : ",") + value_name(table.about(j), table.at(i, j));
    text += "\n";
  }
  return text;
}

}  // namespace olem::test
