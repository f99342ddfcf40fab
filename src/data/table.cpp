#include "olem/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "olem/error.h"
#include "olem/options.h"
#include "olem/remedy.h"

namespace olem {

Table::Table(std::vector<std::string> names, std::vector<double> values, std::string source, std::vector<Column> about)
    : names_(std::move(names)), values_(std::move(values)), about_(std::move(about)), source_(std::move(source)) {
  if (names_.empty()) throw Error(ErrorCategory::kData, prefix() + "The table has no columns.");
  if (values_.size() % names_.size() != 0) {
    throw Error(ErrorCategory::kData, fmt::format("{}{} values do not fill {} columns of equal length.", prefix(),
                                                  values_.size(), names_.size()));
  }
  rows_ = values_.size() / names_.size();
  if (about_.empty()) about_.resize(names_.size());
  if (about_.size() != names_.size()) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}{} types for {} columns.", prefix(), about_.size(), names_.size()));
  }
  std::unordered_set<std::string_view> seen;
  for (std::size_t j = 0; j < names_.size(); ++j) {
    if (names_[j].empty()) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}Column {} has no name. Give every column a name.", prefix(), j + 1));
    }
    if (!seen.insert(names_[j]).second) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}Two columns are called '{}'. Rename or remove one of them.", prefix(), names_[j]));
    }
    const auto cells = column(j);
    for (std::size_t i = 0; i < rows_; ++i) {
      if (!std::isfinite(cells[i])) {
        throw Error(ErrorCategory::kData, fmt::format("{}Row {} of column '{}' is {}. Only finite numbers can be used.",
                                                      prefix(), i + 1, names_[j], cells[i]));
      }
    }
  }
}

std::optional<std::size_t> Table::find(std::string_view name) const {
  for (std::size_t j = 0; j < names_.size(); ++j) {
    if (names_[j] == name) return j;
  }
  return std::nullopt;
}

std::size_t Table::index(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  const std::string near = closest_name(name, names_);
  throw Error(ErrorCategory::kData, fmt::format("{}There is no column '{}'.{}", prefix(), name,
                                                near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
}

Table Table::with_columns(std::span<const std::size_t> columns) const {
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<Column> about;
  values.reserve(columns.size() * rows_);
  for (const std::size_t j : columns) {
    names.push_back(names_.at(j));
    about.push_back(about_[j]);
    const auto cells = column(j);
    values.insert(values.end(), cells.begin(), cells.end());
  }
  return {std::move(names), std::move(values), source_, std::move(about)};
}

Table Table::with_rows(std::span<const std::size_t> rows) const {
  std::vector<double> values;
  values.reserve(columns() * rows.size());
  for (std::size_t j = 0; j < columns(); ++j) {
    const auto cells = column(j);
    for (const std::size_t i : rows) values.push_back(cells[i]);
  }
  return {names_, std::move(values), source_, about_};
}

Table Table::with_about(std::vector<Column> about) const { return {names_, values_, source_, std::move(about)}; }

IncompleteTable::IncompleteTable(Table started, std::vector<unsigned char> missing)
    : started_(std::move(started)), missing_(std::move(missing)) {
  check_same_size("missing", missing_.size(), "cells", started_.values().size());
  for (std::size_t j = 0; j < columns(); ++j) {
    if (rows() > 0 && missing_in(j) == rows())
      throw Error(ErrorCategory::kData,
                  fmt::format("{}Column '{}' has no value at all.", started_.prefix(), started_.name(j)),
                  {leave_out({&started_.name(j), 1})});
  }
}

std::size_t IncompleteTable::missing_in(std::size_t column) const {
  const auto first = missing_.begin() + static_cast<std::ptrdiff_t>(column * rows());
  return rows() - static_cast<std::size_t>(std::count(first, first + static_cast<std::ptrdiff_t>(rows()), 0));
}

std::size_t IncompleteTable::missing_cells() const {
  return missing_.size() - static_cast<std::size_t>(std::count(missing_.begin(), missing_.end(), 0));
}

std::size_t IncompleteTable::incomplete_rows() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    bool incomplete = false;
    for (std::size_t j = 0; j < columns(); ++j) incomplete = incomplete || is_missing(i, j);
    count += incomplete ? 1 : 0;
  }
  return count;
}

IncompleteTable IncompleteTable::with_started(Table started) const { return {std::move(started), missing_}; }

IncompleteTable IncompleteTable::with_columns(std::span<const std::size_t> columns) const {
  std::vector<unsigned char> missing;
  for (const std::size_t j : columns) {
    const auto first = missing_.begin() + static_cast<std::ptrdiff_t>(j * rows());
    missing.insert(missing.end(), first, first + static_cast<std::ptrdiff_t>(rows()));
  }
  return {started_.with_columns(columns), std::move(missing)};
}

}  // namespace olem
