#pragma once

#include <string>
#include <vector>

#include "data/csv_text.h"
#include "olem/table.h"

namespace olem::internal {

// What comes before the rows of a CSV file.
struct CsvHead {
  std::vector<std::string> names;  // of all columns
  std::vector<std::string> units;  // as many, or none; from a line of units that was told to be skipped
  bool in_file = false;            // the names stand in the file
  bool in_comment = false;         // and that in a comment
  bool doubtful = false;           // what was taken for names may be data
  bool row_labels = false;         // the first column has no name and is no data
  bool ends_empty = false;         // the lines end with a separator, and the last column, without a name, holds nothing
  CsvScanner rows;                 // where the rows begin

  // How many columns at the beginning and at the end are not read unless they are named.
  std::size_t labels() const { return row_labels ? 1 : 0; }
  std::size_t empty_end() const { return ends_empty ? 1 : 0; }
};

// The names are in the first line; or in a comment above it, where it holds numbers only ("# a,b"). A name less than
// there are cells in the rows, as R writes it, or an empty first name means that the first column holds labels.
CsvHead read_head(const CsvText& text, HeaderMode mode);

}  // namespace olem::internal
