#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "olem/json.h"
#include "olem/table.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::test {

// Cells as text, the first line the names.
using Cells = std::vector<std::vector<std::string>>;

inline Cells cells_of(const Table& table) {
  Cells cells = {table.names()};
  for (std::size_t i = 0; i < table.rows(); ++i) {
    auto& row = cells.emplace_back();
    for (std::size_t j = 0; j < table.columns(); ++j) row.push_back(fmt::format("{}", table.at(i, j)));
  }
  return cells;
}

inline std::string csv_of(const Cells& cells, const std::string& separator = ",", const std::string& line_end = "\n") {
  std::string text;
  for (const auto& row : cells) text += fmt::format("{}{}", fmt::join(row, separator), line_end);
  return text;
}

inline std::string csv_of(const Table& table) { return csv_of(cells_of(table)); }

// The object without what may differ between runs that agree.
inline nlohmann::ordered_json comparable(nlohmann::ordered_json json) {
  json.erase("seconds");
  json["options"].erase("threads");
  json["options"].erase("instruction_set");
  json["options"].erase("device");
  return json;
}

inline std::vector<std::string> warning_codes(const nlohmann::ordered_json& json) {
  std::vector<std::string> codes;
  for (const auto& warning : json.at("warnings")) codes.push_back(warning.at("code"));
  return codes;
}

inline std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace olem::test
