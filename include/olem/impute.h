#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/table.h"

namespace olem {

struct ImputeOptions {
  // Completed tables: 5 tell how uncertain the missing values are to a tenth or so; more than 20 change nothing.
  int imputations = 5;
  // Passes over the columns, after which draws have forgotten the medians that they began with.
  int rounds = 5;
};

// What was missing, for reports.
struct GapSummary {
  struct ColumnGaps {
    std::string name;
    std::size_t missing = 0;

    friend bool operator==(const ColumnGaps&, const ColumnGaps&) = default;
  };
  std::size_t imputations = 0;  // completed tables
  std::size_t rows = 0;
  std::size_t incomplete_rows = 0;
  std::vector<ColumnGaps> columns;  // those with missing cells, in the order of the table

  std::size_t cells() const;  // missing ones of all columns
};

// {"policy": "impute", "imputations", "rows", "incomplete_rows", "cells", "columns": {name: count}}
Json to_json(const GapSummary& gaps);
GapSummary summarise_gaps(const IncompleteTable& table, int imputations);

// Tables of equal shape that agree in every known cell.
struct CompletedTables {
  std::vector<Table> tables;
  GapSummary gaps;

  // Each with these columns only, in the order given.
  CompletedTables with_columns(std::span<const std::size_t> columns) const;
};

// A table of numbers, NaN where they are not known; `values` and `about` are those of Table. Rows without any number
// are left out. Without `about` columns have the types that their known cells look like. Throws a data error when fewer
// than 2 rows or a column without a value are left.
IncompleteTable make_incomplete(std::vector<std::string> names, std::vector<double> values,
                                const std::string& source = "", std::vector<Column> about = {});

// Multiple imputation by chained equations (van Buuren 2007): in each table every gap starts from the median or mode of
// its column, and is drawn anew in each round from a model of its column given all others, fitted to the rows in which
// the column is known, whose parameters are themselves drawn from their posterior. Values are possible for the type of
// the column: real columns are linear in the others, positive ones and shares on the scale of logarithm and logit, with
// exact 0 and 1 apart; levels by a logistic regression for each, given that it is none before; counts are those of rows
// with a similar forecast. Noise is drawn from the residuals, so that its shape is kept. docs/methods/imputation.md.
//
// Right when what is missing depends on known cells only (missing at random). The same bytes for any number of threads,
// and the first tables do not depend on how many there are. O(imputations rounds gaps (rows inputs^2 + inputs^3)).
// Throws a usage error for options out of range.
CompletedTables impute(const IncompleteTable& table, const ImputeOptions& options, const Context& context);

}  // namespace olem
