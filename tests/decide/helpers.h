#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "olem/decision.h"
#include "olem/random.h"
#include "olem/rehearsal.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem::test {

// Observed weather, a dose and a rate that can be altered, and a yield that saturates in the dose.
inline Table farm(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "test.farm");
  std::vector<std::vector<double>> columns(4, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const double weather = columns[0][i] = random.normal();
    const double dose = columns[1][i] = 0.5 * weather + random.normal();
    const double rate = columns[2][i] = 3.0 - dose + 0.8 * random.normal();
    columns[3][i] = 2.0 * std::tanh(dose) + 0.5 * rate + weather + 0.4 * random.normal();
  }
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  return {{"weather", "dose", "rate", "yield"}, std::move(values), "farm.csv"};
}

inline Task farm_task() {
  return parse_task(R"({
    "data": "farm.csv",
    "context": ["weather"],
    "alterable": {"dose": [-2, 2], "rate": [0, 6]},
    "outcome": ["yield"],
    "desired": {"yield": [3, null]},
    "observed": {"weather": -0.5},
    "before": [["dose", "rate"]]
  })",
                    "farm.json");
}

inline RehearsalModel farm_model(std::size_t rows, const std::string& sampler, const Context& context = {}) {
  RehearsalOptions options;
  options.samplers.sampler = sampler;
  return fit_rehearsal(farm_task(), farm(rows, 1), options, std::nullopt, context);
}

}  // namespace olem::test
