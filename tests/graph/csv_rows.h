#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "olem/table.h"
#include "support/datasets.h"

namespace olem::test {

// The cells of a plain file of the source tree, the header included.
inline std::vector<std::vector<std::string>> csv_rows(const std::string& relative) {
  std::ifstream file(source_path(relative));
  if (!file) throw std::runtime_error("cannot read " + relative);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

inline Table sachs() {
  const auto rows = csv_rows("data/sachs/sachs.csv");
  std::vector<double> values;
  for (std::size_t j = 0; j < rows[0].size(); ++j) {
    for (std::size_t i = 1; i < rows.size(); ++i) values.push_back(std::stod(rows[i][j]));
  }
  return {rows[0], std::move(values), "data/sachs/sachs.csv"};
}

// What OLEM makes of the raw columns.
inline std::vector<std::string> sachs_olem_order() {
  return {"PKC", "P38", "Erk", "Akt", "Plcg", "Mek", "Jnk", "PIP3", "Raf", "PIP2", "PKA"};
}

}  // namespace olem::test
