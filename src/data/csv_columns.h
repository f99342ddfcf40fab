#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_head.h"
#include "data/csv_words.h"
#include "data/reading.h"
#include "olem/table.h"

namespace olem::internal {

// The rows of a CSV file as they were read: numbers, and numbers of words.
struct CsvRows {
  explicit CsvRows(std::size_t columns)
      : missing("line", columns), percents(columns), words(columns), missing_words(columns) {}

  std::vector<double> values;  // of complete rows, a column of `capacity` places for each chosen one
  std::size_t capacity = 0;
  std::size_t first_line = 0;   // of the first row
  std::size_t last_line = 0;    // of the last row
  std::string_view last_label;  // the first cell of the last row, where that is no data and the row is used
  MissingCells missing;
  // Of each column of the file.
  std::vector<WordColumn::Kind> percents;  // cells with a percent sign, where all the others are numbers
  std::vector<std::optional<WordColumn>> words;
  std::vector<std::string> missing_words;  // the first word of a column of words that counts as missing, such as "none"
};

// Gives the columns their types and makes the table of them. Throws one data error for all columns of text that is
// neither numbers nor levels, then that of missing cells.
ReadResult finish_columns(CsvRows rows, const CsvText& text, const CsvHead& head,
                          const std::vector<std::size_t>& chosen, const ReadOptions& options, const std::string& source,
                          const Context& context);

}  // namespace olem::internal
