#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/study.h"
#include "study/setting.h"

namespace olem {

using namespace internal;

namespace {

// Cells of a table, the first line the names; every column as wide as its widest cell, numbers to the right.
std::string aligned(const std::vector<std::vector<std::string>>& lines, std::size_t left_columns) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (std::size_t j = 0; j < line.size(); ++j) widths[j] = std::max(widths[j], line[j].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t j = 0; j < line.size(); ++j) {
      row +=
          j < left_columns ? fmt::format("  {:<{}}", line[j], widths[j]) : fmt::format("  {:>{}}", line[j], widths[j]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

std::string number(double value) {
  // Seconds reach from thousandths to minutes; everything else is of the order of one.
  return fmt::format("{:.3f}", value);
}

std::string number(const std::optional<double>& value) { return value ? number(*value) : "-"; }

std::string with_sign(double value) { return fmt::format("{:+.3f}", value); }

std::string ratio_text(double difference, double error) {
  if (std::abs(difference) < 1e-9) return "0.0";
  return error > 0.0 ? fmt::format("{:.1f}", std::abs(difference) / error) : "inf";
}

bool has_published(const StudyResult& result) {
  return std::any_of(result.rows.begin(), result.rows.end(),
                     [](const StudyRow& row) { return row.published.has_value(); });
}

bool in_other_units(const StudyRow& row) { return StudySetting(row.setting).in_other_units(); }

// A line for each setting, a column for each method: what units change is seen along the line.
std::string units_text(const StudyResult& result) {
  std::vector<std::vector<std::string>> lines = {{"setting", "metric"}};
  for (const StudyRow& row : result.rows) {
    if (!in_other_units(row)) continue;
    const std::string setting = StudySetting(row.setting).short_text();
    if (lines.size() == 1 || lines.back()[0] != setting || lines.back()[1] != row.metric_label)
      lines.push_back({setting, row.metric_label});
    if (lines.size() == 2) lines[0].push_back(row.method_label);
    lines.back().push_back(number(row.mean));
  }
  return lines.size() == 1 ? "" : aligned(lines, 2);
}

std::string rows_text(const StudyResult& result) {
  const bool published = has_published(result);
  std::vector<std::vector<std::string>> lines = {{"setting", "metric", "method", "cells", "ours", "sd"}};
  if (published) {
    for (const char* const name : {"published", "sd", "difference", "s.e.", "ratio", ""}) lines[0].emplace_back(name);
  }
  for (const StudyRow& row : result.rows) {
    if (in_other_units(row)) continue;
    auto& line = lines.emplace_back();
    line = {StudySetting(row.setting).short_text(), row.metric_label, row.method_label,
            fmt::format("{}", row.cells),           number(row.mean), number(row.deviation)};
    if (!published) continue;
    line.push_back(number(row.published));
    line.push_back(number(row.published_deviation));
    line.push_back(row.difference ? with_sign(*row.difference) : "-");
    line.push_back(number(row.standard_error));
    line.push_back(row.standard_error ? ratio_text(*row.difference, *row.standard_error) : "-");
    line.emplace_back(row.marked ? "*" : "");
  }
  return lines.size() == 1 ? "" : aligned(lines, 3);
}

std::string pools_text(const StudyResult& result) {
  const bool shared = std::any_of(result.pools.begin(), result.pools.end(), [](const StudyPool& pool) {
    return pool.standard_error > pool.independent_error * (1.0 + 1e-9);
  });
  std::vector<std::vector<std::string>> lines = {
      {"metric", "method", "rows", "ours", "published", "difference", "s.e.", "ratio", "", "marked", "largest ratio"}};
  if (shared) lines[0].emplace_back("ratio if independent");
  for (const StudyPool& pool : result.pools) {
    lines.push_back(
        {pool.metric_label, pool.method_label, fmt::format("{}", pool.rows), number(pool.mean), number(pool.published),
         with_sign(pool.difference), number(pool.standard_error), ratio_text(pool.difference, pool.standard_error),
         pool.marked ? "*" : "", fmt::format("{}", pool.marked_rows),
         fmt::format("{}", std::isinf(pool.largest_ratio) ? "inf" : fmt::format("{:.1f}", pool.largest_ratio))});
    if (shared) lines.back().push_back(ratio_text(pool.difference, pool.independent_error));
  }
  return aligned(lines, 2);
}

}  // namespace

std::string study_text(const StudyResult& result) {
  std::string text = fmt::format("Study {}: {} cells.\n\n{}", result.study, result.cells, rows_text(result));
  const std::string units = units_text(result);
  if (!units.empty())
    text += fmt::format("\nColumns in other units, each with unit variance or multiplied by a number of its own:\n\n{}",
                        units);
  if (result.pools.empty()) return text;
  const bool several =
      std::any_of(result.pools.begin(), result.pools.end(), [](const auto& pool) { return pool.rows > 1; });
  if (several) text += fmt::format("\nAll settings together:\n\n{}", pools_text(result));
  text += "\ns.e.: standard error of the difference. * : the difference is more than 3 of them.\n";
  const bool doubled =
      std::any_of(result.rows.begin(), result.rows.end(), [](const StudyRow& row) { return row.metric == "shd2"; });
  if (doubled) text += "SHD2 counts a reversed edge twice, as the published numbers do.\n";
  return text;
}

Json to_json(const StudyResult& result) {
  const auto optional = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  Json json;
  json["study"] = result.study;
  json["cells"] = result.cells;
  json["rows"] = Json::array();
  for (const StudyRow& row : result.rows) {
    Json setting = Json::object();
    for (const auto& [key, value] : row.setting) setting[key] = value;
    json["rows"].push_back({{"setting", setting},
                            {"method", row.method},
                            {"metric", row.metric},
                            {"cells", row.cells},
                            {"mean", row.mean},
                            {"deviation", row.deviation},
                            {"published", optional(row.published)},
                            {"published_deviation", optional(row.published_deviation)},
                            {"difference", optional(row.difference)},
                            {"standard_error", optional(row.standard_error)},
                            {"marked", row.marked}});
  }
  json["pooled"] = Json::array();
  for (const StudyPool& pool : result.pools) {
    json["pooled"].push_back({{"method", pool.method_label},
                              {"metric", pool.metric_label},
                              {"rows", pool.rows},
                              {"mean", pool.mean},
                              {"published", pool.published},
                              {"difference", pool.difference},
                              {"standard_error", pool.standard_error},
                              {"independent_error", pool.independent_error},
                              {"marked", pool.marked},
                              {"marked_rows", pool.marked_rows},
                              {"largest_ratio", std::isinf(pool.largest_ratio) ? Json() : Json(pool.largest_ratio)},
                              {"largest_ratio_at", pool.largest_ratio_at}});
  }
  return json;
}

}  // namespace olem
