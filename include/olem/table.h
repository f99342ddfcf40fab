#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/column.h"
#include "olem/context.h"
#include "olem/json.h"

namespace olem {

// Named columns of finite doubles, stored column by column, each with its type. Names are unique and not empty. A
// level of a discrete column is stored as its number (ColumnLevel::value).
class Table {
 public:
  Table() = default;
  // `values` holds names.size() columns of equal length one after the other. Throws a data error when sizes,
  // names or values break what is promised above. `source` is where the data came from, for messages. Without `about`
  // every column is real; it has one entry per column otherwise.
  Table(std::vector<std::string> names, std::vector<double> values, std::string source = "",
        std::vector<Column> about = {});

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& name(std::size_t column) const { return names_[column]; }
  const std::string& source() const { return source_; }
  // What a message about this table starts with: "file.csv: ", or nothing when the source is not known.
  std::string prefix() const { return source_.empty() ? "" : source_ + ": "; }
  std::span<const double> column(std::size_t j) const { return {values_.data() + j * rows_, rows_}; }
  const Column& about(std::size_t j) const { return about_[j]; }  // type, levels, unit, label
  const std::vector<Column>& about() const { return about_; }
  double at(std::size_t row, std::size_t column) const { return values_[column * rows_ + row]; }
  std::span<const double> values() const { return values_; }  // column-major

  std::optional<std::size_t> find(std::string_view name) const;
  // Throws a data error that suggests the closest name when there is no such column.
  std::size_t index(std::string_view name) const;

  Table with_columns(std::span<const std::size_t> columns) const;  // in the order given
  Table with_rows(std::span<const std::size_t> rows) const;        // in the order given
  Table with_about(std::vector<Column> about) const;               // one entry per column

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;
  std::vector<Column> about_;
  std::size_t rows_ = 0;
  std::string source_;
};

// Named columns some of whose cells are not known. No function that needs numbers takes it: impute() (olem/impute.h)
// makes tables of it. Every column has a known cell, and so has every row.
class IncompleteTable {
 public:
  // `started` holds any possible value where `missing`, which has an entry for each of its cells, column by column, is
  // not 0. Throws a data error when the sizes differ or a column has no known cell.
  IncompleteTable(Table started, std::vector<unsigned char> missing);

  std::size_t rows() const { return started_.rows(); }
  std::size_t columns() const { return started_.columns(); }
  bool is_missing(std::size_t row, std::size_t column) const { return missing_[column * rows() + row] != 0; }
  std::size_t missing_in(std::size_t column) const;  // cells of the column that are not known
  std::size_t missing_cells() const;                 // of all columns
  std::size_t incomplete_rows() const;               // rows with at least one of them
  // Names, types and known cells. The others have the median of their column, or the most frequent level of a category,
  // which is no data: for questions about columns, never to learn from.
  const Table& started() const { return started_; }

  IncompleteTable with_started(Table started) const;                         // of the same shape, as declared
  IncompleteTable with_columns(std::span<const std::size_t> columns) const;  // in the order given

 private:
  Table started_;
  std::vector<unsigned char> missing_;
};

// kImpute: rows are kept, unless nothing at all is known of them, and the missing cells are to be drawn (impute()).
enum class MissingPolicy { kError, kDrop, kImpute };
enum class HeaderMode { kAuto, kPresent, kAbsent };

// What the user says about a column.
struct DeclaredType {
  std::string name;
  ColumnType type = ColumnType::kReal;
  // Of an ordinal, binary or category column: all its words, the lowest first. Empty: those in the data, in
  // alphabetical or numerical order, which ordinal columns of words refuse.
  std::vector<std::string> levels;
  // Words that are levels although they mean a missing value elsewhere, such as "none"; those of `levels` are anyway.
  std::vector<std::string> words = {};

  friend bool operator==(const DeclaredType&, const DeclaredType&) = default;
};

// Lines of a file, the first is 1.
struct LineRange {
  std::size_t first = 1;
  std::size_t last = 1;

  friend bool operator==(const LineRange&, const LineRange&) = default;
};

// Throws a data error that names the format, and the line that converts it, for bytes of a file that is neither CSV nor
// .npy: spreadsheets, Parquet, data bases, JSON and others.
void refuse_other_formats(std::string_view bytes, const std::string& source);

struct ReadOptions {
  // Of CSV. 0: sniffed from the first line among , ; tab | (the one that splits it into most cells; ties in this
  // order). A space: any run of spaces and tabs. Others may be ASCII characters that cannot be part of a number, a name
  // or a quote.
  char delimiter = 0;
  // Of CSV: '.' or ','. 0: a point, but in files whose separator is not a comma what their numbers say.
  char decimal = 0;
  // Of CSV. kAuto: the first line is data when it has a number and otherwise only numbers and markers of missing
  // values, unless it counts years; else it is a header. Without a header the columns are called V1, V2, ...
  HeaderMode header = HeaderMode::kAuto;
  std::vector<LineRange> skip_lines;  // of CSV: lines that are not read, anywhere in the file
  // Of CSV: lines that begin with it are not read. Empty: those that begin with # and do not have the cells of a row.
  std::string comment;
  // Missing are empty cells, NA, N/A, NaN, null, None, ?, . and -- in any case, unless `types` declares the word as a
  // level; infinite numbers count as missing.
  MissingPolicy missing = MissingPolicy::kError;
  // Completed tables with MissingPolicy::kImpute: 5 tell how uncertain the missing values are to a tenth or so; more
  // than 20 change nothing.
  int imputations = 5;
  std::vector<std::string> na;            // words or numbers that mean a missing value too: "-999", "unknown"
  std::vector<std::string> columns;       // keep only these, in this order; empty: all
  std::vector<std::string> drop_columns;  // leave these out; their cells are not looked at
  std::vector<std::string> unused;        // the same, but a name that the file does not have is no error
  std::vector<DeclaredType> types;        // of these columns; the others have the type that they look like

  // The rows came after a model was learned: one is enough, and each of its words may be there once.
  bool new_rows = false;

  friend bool operator==(const ReadOptions&, const ReadOptions&) = default;
};

// The options as text, by key: "delimiter" (a character, "tab" or "space"), "decimal", "header" and "no_header" ("true"
// or "false"), "skip_lines" ("2" or "1-3,7"), "comment", "missing" ("error", "drop" or "impute"), "imputations", "na",
// "columns" and "drop_columns" (words separated by commas, in quotes where they hold one), "type" ("NAME=TYPE" or
// "NAME=TYPE:LOWEST,...,HIGHEST"; adds to those given before).
std::vector<std::string> read_option_keys();
// Throws a usage error about the key for a text that means nothing and for an unknown key.
void set_read_option(ReadOptions& options, std::string_view key, std::string_view text);
// Keys and texts of what differs from the defaults; "type" is a list of texts.
Json to_json(const ReadOptions& options);

struct ReadResult {
  Table table;  // empty where `incomplete` holds the data
  // With MissingPolicy::kImpute, where a cell is missing.
  std::optional<IncompleteTable> incomplete;
  std::vector<std::string> file_columns;  // the names of all columns of the file, those left out included
  std::size_t dropped_rows = 0;           // with MissingPolicy::kDrop; with kImpute those of which nothing is known
  // "missing_rows", "empty_rows": rows were dropped; "many_missing": more than 40 % of a column are to be imputed;
  // "header": a line that was taken for the header may be data; "row_labels": the
  // first column has no name and was taken for labels; "decimal": the meaning of commas or points is doubtful.
  std::vector<Warning> warnings;
  // Line of the first row, when every line after it is a row; 0 otherwise, and for what has no lines.
  std::size_t first_line = 0;
  // Every line ends with a separator. The last column, which has no name and holds nothing, was left out.
  bool ends_empty = false;
  // The label of the last row of the table, where the first column has no name and that is a word such as "Total".
  std::string total_label;
  // In a file with semicolons and points: columns all of whose numbers could be whole with points between thousands,
  // 1.234 or 950.
  std::vector<std::string> maybe_grouped;
  // The options that were given, with what was found out: delimiter, decimal and header of CSV. The same table comes
  // back with them.
  ReadOptions used;
};

// Reads a CSV or .npy file, which may be compressed with gzip (all recognised by their first bytes, .npy by its name
// too); "-" is standard input. Numbers are read without regard to the locale and rounded correctly. Columns of words
// become numbers of levels (Column::levels): 0, 1, ... in alphabetical order, but "no", "false" and "off" before "yes",
// "true" and "on". At least 2 rows must be left. Fails with a file error when the file cannot be read, a usage error
// for names in `columns`, `drop_columns` or `types` that are not in it and for types that a column cannot have, a
// resource error when it does not fit into memory, and a data error that names file, line, column and remedy for
// everything else that is not a table; all columns of text that is neither numbers nor levels are in one error. Holds
// the file, unpacked, and the table in memory; uses one thread.
ReadResult read_table(const std::string& path, const ReadOptions& options, const Context& context);

// The same for CSV text that is already in memory (RFC 4180, UTF-8); `source` is used in messages. Needs at most 8
// bytes for each byte of `text`, 1 more when blanks separate the cells, and 20 MB for columns of words.
ReadResult read_csv_text(std::string_view text, const std::string& source, const ReadOptions& options,
                         const Context& context);

// The same for the bytes of a .npy file, versions 1.0 to 3.0: arrays with one dimension (one column) or two, of floats
// with 4 or 8 bytes, integers or booleans in either byte order, with columns V1, V2, ...; or one dimension of a
// structured type, whose fields are the columns.
ReadResult read_npy_bytes(std::string_view bytes, const std::string& source, const ReadOptions& options,
                          const Context& context);

}  // namespace olem
