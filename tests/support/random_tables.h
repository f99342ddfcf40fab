#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "olem/data_check.h"
#include "olem/random.h"
#include "olem/table.h"

namespace olem::test {

// Random tables about which the data checks should have nothing to say, and the same with one fault planted. Every
// number is a function of the seed and the index.
//
// 100 to 2000 rows (log-uniform) and 3 to 15 columns in a causal order, each with up to 3 parents among those before
// it, linear or nonlinear; noise normal, exponential or beta. Columns are real (some of them rounded, some products of
// exponentials, in units from 1e-2 to 1e3), positive (some whole, as amounts of money), shares, counts, binary columns
// and categories; every level stands in at least 8 rows.
struct RandomTableParts {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::vector<Column> about;
  ReadFacts facts;

  std::size_t rows() const { return columns.front().size(); }
  Table table() const {
    std::vector<double> values;
    for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
    return {names, values, "random.csv", about};
  }
};

inline std::size_t poisson(RandomStream& random, double mean) {
  std::size_t count = 0;
  for (double left = random.exponential(1.0); left < mean && count < 10000; left += random.exponential(1.0)) ++count;
  return count;
}

// Mean 0 and variance 1.
inline double random_noise(RandomStream& random, std::size_t shape) {
  if (shape == 0) return random.normal();
  if (shape == 1) return random.exponential(1.0) - 1.0;
  return (random.beta(2.0, 5.0) - 2.0 / 7.0) / std::sqrt(10.0 / (49.0 * 8.0));
}

inline RandomTableParts random_clean_table(std::uint64_t seed, std::uint64_t index) {
  RandomStream random(seed, "clean_table", index);
  const auto rows = static_cast<std::size_t>(100.0 * std::pow(20.0, random.uniform()));
  const std::size_t columns = 3 + random.below(13);
  RandomTableParts parts;
  std::vector<std::vector<double>> features;  // standardised, one per column; categories have an effect per level
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<std::size_t> parents;
    for (std::size_t k = 0; k < j; ++k) {
      if (parents.size() < 3 && random.uniform() < 1.8 / static_cast<double>(std::max<std::size_t>(j, 2)))
        parents.push_back(k);
    }
    std::vector<double> a(rows, 0.0);
    for (const std::size_t parent : parents) {
      const double weight = random.uniform(0.5, 1.2) * (random.uniform() < 0.5 ? -1.0 : 1.0);
      const std::size_t form = random.below(5);
      for (std::size_t i = 0; i < rows; ++i) {
        const double x = features[parent][i];
        // A parabola that goes on straight: squares of squares along a chain of columns would be outliers by nature.
        const double bowl = std::abs(x) < 2.0 ? 0.5 * x * x : 2.0 * std::abs(x) - 2.0;
        a[i] += weight * (form == 0 ? std::tanh(1.5 * x) : form == 1 ? bowl : x);
      }
    }
    const std::size_t shape = random.below(3);
    const double scale = std::pow(10.0, random.uniform(-2.0, 3.0));
    const double offset = random.uniform() < 0.5 ? 0.0 : random.uniform(-5.0, 5.0);
    const double kind = random.uniform();
    std::vector<double> column(rows);
    Column about;
    bool fresh = true;
    while (fresh) {
      fresh = false;
      for (std::size_t i = 0; i < rows; ++i) {
        if (kind < 0.35) {
          column[i] = scale * (offset + a[i] + 0.8 * random_noise(random, shape));
        } else if (kind < 0.40) {
          column[i] = std::round(10.0 * (a[i] + 0.8 * random_noise(random, shape))) / 10.0;
        } else if (kind < 0.47) {  // heavy tails of either sign or of one
          column[i] = scale *
                      (random.uniform() < 0.5 ? 1.0
                       : kind < 0.435         ? -1.0
                                              : 1.0) *
                      random.exponential(1.0) * random.exponential(1.0);
        } else if (kind < 0.58) {
          column[i] = scale * std::exp(0.6 * std::clamp(a[i], -5.0, 5.0) + 0.4 * random_noise(random, shape));
        } else if (kind < 0.63) {
          column[i] = std::round(20000.0 * std::exp(0.4 * std::clamp(a[i], -5.0, 5.0) + 0.4 * random.normal()));
        } else if (kind < 0.73) {
          column[i] = 1.0 / (1.0 + std::exp(-(a[i] - 0.5 + 0.7 * random.normal())));
        } else if (kind < 0.81) {
          column[i] = static_cast<double>(poisson(random, std::min(200.0, std::exp(0.8 + 0.5 * a[i]))));
        } else if (kind < 0.91) {
          column[i] = random.uniform() < 1.0 / (1.0 + std::exp(-1.3 * a[i])) ? 1.0 : 0.0;
        } else {
          // Softmax by Gumbel noise.
          double best = -1e9;
          for (std::size_t level = 0; level < 3; ++level) {
            const double value = (level == 0 ? 0.0 : level == 1 ? a[i] : -a[i]) - std::log(random.exponential(1.0));
            if (value > best) {
              best = value;
              column[i] = static_cast<double>(level);
            }
          }
        }
      }
      if (kind >= 0.81) {
        for (std::size_t level = 0; level < (kind < 0.91 ? 2U : 3U); ++level) {
          if (std::count(column.begin(), column.end(), static_cast<double>(level)) < 8) fresh = true;
        }
        if (fresh) std::fill(a.begin(), a.end(), 0.0);
      }
    }
    if (kind >= 0.91) {
      about.type = ColumnType::kCategory;
      about.levels = {{0.0, "red"}, {1.0, "green"}, {2.0, "blue"}};
      about.reason = "text";
    }
    const double size = static_cast<double>(rows);
    const double mean = std::accumulate(column.begin(), column.end(), 0.0) / size;
    double squares = 0.0;
    for (const double value : column) squares += (value - mean) * (value - mean) / size;
    std::vector<double>& feature = features.emplace_back();
    for (const double value : column) feature.push_back((value - mean) / std::sqrt(squares));
    parts.names.push_back(fmt::format("x{}", j));
    parts.columns.push_back(std::move(column));
    parts.about.push_back(std::move(about));
  }
  // Most names follow no order of cause and effect.
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t j = columns; j > 1; --j) std::swap(order[j - 1], order[random.below(j)]);
  RandomTableParts shuffled = parts;
  for (std::size_t j = 0; j < columns; ++j) {
    shuffled.columns[j] = parts.columns[order[j]];
    shuffled.about[j] = parts.about[order[j]];
  }
  return shuffled;
}

inline bool is_random_quantity(const RandomTableParts& parts, std::size_t j) {
  if (parts.about[j].type == ColumnType::kCategory) return false;
  std::vector<double> values = parts.columns[j];
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin() > 20;
}

inline std::vector<std::size_t> random_quantities(const RandomTableParts& parts) {
  std::vector<std::size_t> quantities;
  for (std::size_t j = 0; j < parts.columns.size(); ++j) {
    if (is_random_quantity(parts, j)) quantities.push_back(j);
  }
  return quantities;
}

inline void add_column(RandomTableParts& parts, const std::string& name, std::vector<double> values) {
  parts.names.push_back(name);
  parts.columns.push_back(std::move(values));
  parts.about.emplace_back();
}

// A fault that is planted into a clean table; false when the table has no place for it.
struct PlantedFault {
  std::string name;
  std::string code;  // of the finding
  bool (*plant)(RandomTableParts& parts, RandomStream& random);
};

inline bool plant_outlier(RandomTableParts& parts, RandomStream& random) {
  const auto quantities = random_quantities(parts);
  if (quantities.empty()) return false;
  std::vector<double>& column = parts.columns[quantities[random.below(quantities.size())]];
  std::vector<double> sorted = column;
  std::sort(sorted.begin(), sorted.end());
  double& cell = column[random.below(column.size())];
  const double median = sorted[sorted.size() / 2];
  if (sorted.front() >= 0.0) {
    // The point of a number is lost: 1.234 becomes 1234, or 123.4 where numbers vary little.
    const double width = sorted[sorted.size() * 9 / 10] / std::max(sorted[sorted.size() / 10], 1e-3 * median);
    cell = std::max(cell, median) * (width < 10.0 ? 1000.0 : 100000.0);
  } else {
    const double middle = sorted[sorted.size() * 9 / 10] - sorted[sorted.size() / 10];
    const double reach = std::max(sorted.back() - median, median - sorted.front());
    cell = median +
           (random.uniform() < 0.5 ? -1.0 : 1.0) * (reach + random.uniform(8.0, 40.0) * std::max(middle, 0.3 * reach));
  }
  return true;
}

inline bool plant_sentinel(RandomTableParts& parts, RandomStream& random) {
  const auto quantities = random_quantities(parts);
  if (quantities.empty()) return false;
  constexpr double kCodes[] = {-999.0, -99.0, 9999.0, 999.0, -9999.0, 99999.0, -1.0};
  std::vector<double>& column = parts.columns[quantities[random.below(quantities.size())]];
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  // A code that the column could not hold, as people choose them.
  std::vector<double> possible;
  for (const double code : kCodes) {
    const double width = *high - *low;
    if ((code == -1.0 && *low >= 0.0 && width < 20.0 && std::abs(std::round(*high) - *high) > 0.0) ||
        (std::abs(code) > 50.0 && (code < *low - width || code > *high + width)))
      possible.push_back(code);
  }
  if (possible.empty()) return false;
  const double code = possible[random.below(possible.size())];
  const double share = random.uniform(0.01, 0.1);
  std::size_t planted = 0;
  for (double& cell : column) {
    if (random.uniform() >= share) continue;
    cell = code;
    ++planted;
  }
  for (std::size_t i = 0; planted < 3; ++i, ++planted) column[i] = code;
  return true;
}

// Of the numbers as they are, or, as programs do it that show two digits behind the point, of the numbers before they
// were rounded: to three digits of a width here, since widths go from 1e-2 to 1e3.
inline bool plant_totals(RandomTableParts& parts, RandomStream& random) {
  const bool mean = random.uniform() < 0.4;
  const bool rounded = random.uniform() < 0.5;
  for (std::size_t j = 0; j < parts.columns.size(); ++j) {
    std::vector<double>& column = parts.columns[j];
    const double sum = std::accumulate(column.begin(), column.end(), 0.0);
    double total = mean ? sum / static_cast<double>(column.size()) : sum;
    if (rounded && is_random_quantity(parts, j)) {
      std::vector<double> sorted = column;
      std::sort(sorted.begin(), sorted.end());
      const double width = sorted[sorted.size() * 9 / 10] - sorted[sorted.size() / 10];
      const double unit = std::pow(10.0, std::min(0.0, std::floor(std::log10(width)) - 2.0));
      // Divided by a whole number, which leaves no digits behind those that are meant.
      const auto shown = [&](double value) { return std::round(value / unit) / std::round(1.0 / unit); };
      for (double& value : column) value = shown(value);
      total = shown(total);
    }
    column.push_back(parts.about[j].type == ColumnType::kCategory ? column.front()
                                                                  : std::stod(fmt::format("{:.6g}", total)));
    if (parts.about[j].type != ColumnType::kCategory && !mean) column.back() = total;
  }
  return !random_quantities(parts).empty() && parts.columns.size() > 2;
}

inline bool plant_identifier(RandomTableParts& parts, RandomStream& random) {
  const std::size_t rows = parts.rows();
  const std::size_t kind = random.below(3);
  std::vector<double> values(rows);
  std::iota(values.begin(), values.end(), static_cast<double>(random.below(2)));
  if (kind == 1) {
    for (std::size_t i = rows; i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
    for (double& value : values) value += 10000.0;
  } else if (kind == 2) {
    double next = 52000.0;
    for (double& value : values) value = next += 1.0 + static_cast<double>(random.below(9));
  }
  add_column(parts, "subject", std::move(values));
  return true;
}

inline bool plant_date(RandomTableParts& parts, RandomStream& random) {
  const std::size_t kind = random.below(4);
  const bool sorted = random.uniform() < 0.5;
  const double span = random.uniform(100.0, 4000.0);
  std::vector<double> days;
  for (std::size_t i = 0; i < parts.rows(); ++i) days.push_back(std::floor(14000.0 + span * random.uniform()));
  if (sorted) std::sort(days.begin(), days.end());
  for (double& day : days) {
    if (kind == 0) {
      day += 25569.0;
    } else if (kind == 1) {
      day = (2000.0 + std::floor(day / 365.25 - 30.0)) * 10000.0 + static_cast<double>(1 + random.below(12)) * 100.0 +
            static_cast<double>(1 + random.below(28));
    } else {
      day = (day * 86400.0 + std::floor(86400.0 * random.uniform())) * (kind == 2 ? 1.0 : 1000.0);
    }
  }
  add_column(parts, "when", std::move(days));
  return true;
}

inline bool plant_year(RandomTableParts& parts, RandomStream& random) {
  const double first = 1950.0 + static_cast<double>(random.below(60));
  const std::size_t span = 3 + random.below(40);
  std::vector<double> values;
  for (std::size_t i = 0; i < parts.rows(); ++i) values.push_back(first + static_cast<double>(random.below(span)));
  add_column(parts, "y", std::move(values));
  return true;
}

inline bool plant_derived(RandomTableParts& parts, RandomStream& random) {
  auto quantities = random_quantities(parts);
  const std::size_t kind = random.below(3);
  if (kind > 0) {
    std::erase_if(quantities, [&](std::size_t j) {
      return *std::min_element(parts.columns[j].begin(), parts.columns[j].end()) <= 0.0;
    });
  }
  const std::size_t terms = kind == 0 ? 2 + random.below(2) : 2;
  if (quantities.size() < terms) return false;
  std::vector<double> values(parts.rows(), kind == 0 ? 0.0 : 1.0);
  for (std::size_t k = 0; k < terms; ++k) {
    std::swap(quantities[k], quantities[k + random.below(quantities.size() - k)]);
    const std::vector<double>& column = parts.columns[quantities[k]];
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (kind == 0) values[i] += column[i];
      if (kind == 1) values[i] *= column[i];
      if (kind == 2) values[i] = k == 0 ? column[i] : values[i] / column[i];
    }
  }
  add_column(parts, "computed", std::move(values));
  return true;
}

// Every column of quantities gets a noise of its own that remembers the row before.
inline bool plant_time_series(RandomTableParts& parts, RandomStream& random) {
  const auto quantities = random_quantities(parts);
  if (quantities.empty()) return false;
  for (const std::size_t j : quantities) {
    std::vector<double>& column = parts.columns[j];
    // The column in an order along which neighbours resemble each other.
    double state = random.normal();
    std::vector<std::pair<double, std::size_t>> latent;
    const double memory = random.uniform(0.75, 0.95);
    for (std::size_t i = 0; i < column.size(); ++i) {
      latent.emplace_back(state, i);
      state = memory * state + std::sqrt(1.0 - memory * memory) * random.normal();
    }
    std::sort(latent.begin(), latent.end());
    std::vector<double> sorted = column;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < column.size(); ++i) column[latent[i].second] = sorted[i];
  }
  return true;
}

inline bool plant_copies(RandomTableParts& parts, RandomStream& random) {
  const bool behind = random.uniform() < 0.5;
  if (random_quantities(parts).empty()) return false;
  for (std::vector<double>& column : parts.columns) {
    const std::vector<double> once = column;
    if (behind) {
      column.insert(column.end(), once.begin(), once.end());
    } else {
      column.clear();
      for (const double value : once) column.insert(column.end(), {value, value});
    }
  }
  return true;
}

// Rows of 4 to 12 come from one person: some columns are the person's, or all are but for a little noise.
inline bool plant_groups(RandomTableParts& parts, RandomStream& random) {
  const auto quantities = random_quantities(parts);
  if (quantities.size() < 3) return false;
  const bool near = random.uniform() < 0.5;
  const std::size_t size = 4 + random.below(9);
  const std::size_t rows = parts.rows();
  std::vector<std::size_t> person(rows);
  for (std::size_t i = 0; i < rows; ++i) person[i] = (i / size) * size;
  if (random.uniform() < 0.5) {
    for (std::size_t i = rows; i > 1; --i) std::swap(person[i - 1], person[random.below(i)]);
  }
  for (std::size_t k = 0; k < parts.columns.size(); ++k) {
    const bool quantity = std::find(quantities.begin(), quantities.end(), k) != quantities.end();
    if (!near && (!quantity || (k != quantities[0] && k != quantities[1]))) continue;
    const std::vector<double> old = parts.columns[k];
    const auto [low, high] = std::minmax_element(old.begin(), old.end());
    for (std::size_t i = 0; i < rows; ++i) {
      parts.columns[k][i] = old[person[i]];
      if (near && quantity) parts.columns[k][i] += 1e-6 * (*high - *low) * random.normal();
    }
  }
  return true;
}

inline bool plant_rare_level(RandomTableParts& parts, RandomStream& random) {
  std::vector<double> values(parts.rows(), 0.0);
  const std::size_t count = 1 + random.below(4);
  for (std::size_t i = 0; i < count; ++i) values[random.below(values.size())] = 1.0;
  if (random.uniform() < 0.5) {
    add_column(parts, "class", std::move(values));
    return true;
  }
  for (double& value : values) value = value == 1.0 ? 2.0 : random.uniform() < 0.5 ? 1.0 : 0.0;
  add_column(parts, "class", std::move(values));
  parts.about.back().type = ColumnType::kCategory;
  parts.about.back().levels = {{0.0, "often"}, {1.0, "also"}, {2.0, "hardly ever"}};
  parts.about.back().reason = "text";
  return true;
}

inline bool plant_units(RandomTableParts& parts, RandomStream& random) {
  const auto quantities = random_quantities(parts);
  if (quantities.empty()) return false;
  const std::size_t j = quantities[random.below(quantities.size())];
  Column& about = parts.about[j];
  about.type = ColumnType::kCategory;
  about.reason = "text";
  std::vector<double> sorted = parts.columns[j];
  std::sort(sorted.begin() + 0, sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (double& cell : parts.columns[j])
    cell = static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), cell) - sorted.begin()) + 1.0;
  parts.columns[j][0] = 0.0;
  about.levels = {{0.0, "kg"}};
  for (std::size_t i = 0; i < sorted.size(); ++i)
    about.levels.push_back({static_cast<double>(i + 1), fmt::format("{}", sorted[i])});
  return true;
}

inline bool plant_thousands(RandomTableParts& parts, RandomStream& random) {
  const auto quantities = random_quantities(parts);
  if (quantities.empty()) return false;
  const std::size_t j = quantities[random.below(quantities.size())];
  for (double& cell : parts.columns[j]) cell = std::round(1000.0 * std::abs(cell)) / 1000.0;
  parts.facts.delimiter = ';';
  parts.facts.maybe_grouped = {parts.names[j]};
  return true;
}

inline const std::vector<PlantedFault>& planted_faults() {
  static const std::vector<PlantedFault> kFaults = {
      {"outlier", "outlier", plant_outlier},
      {"sentinel", "sentinel", plant_sentinel},
      {"totals", "totals", plant_totals},
      {"units_row", "units_row", plant_units},
      {"identifier", "identifier", plant_identifier},
      {"date", "date", plant_date},
      {"year", "date", plant_year},
      {"derived", "derived", plant_derived},
      {"time_series", "time_series", plant_time_series},
      {"every row twice", "repeated_rows", plant_copies},
      {"groups", "groups", plant_groups},
      {"rare_level", "rare_level", plant_rare_level},
      {"thousands", "thousands", plant_thousands},
  };
  return kFaults;
}

// A table with the fault planted: the first from `index` on that has a place for it.
inline RandomTableParts random_faulty_table(const PlantedFault& fault, std::uint64_t seed, std::uint64_t index) {
  constexpr std::uint64_t kTries = 100000;
  for (std::uint64_t t = 0;; ++t) {
    RandomTableParts parts = random_clean_table(seed, index + kTries * (t + 1));
    RandomStream random(seed, "fault:" + fault.name, index + kTries * t);
    if (fault.plant(parts, random)) return parts;
  }
}

}  // namespace olem::test
