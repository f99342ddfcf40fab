#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "olem/table.h"
#include "support/datasets.h"
#include "support/process.h"

// One table as many programs export it (exports/make_exports.py): every form gives the same names, values, types and
// levels.
namespace olem::exports_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

struct Export {
  std::string file;
  std::vector<std::pair<std::string, std::string>> options = {};  // where the file alone does not tell
  std::string warning = {};
};

void PrintTo(const Export& form, std::ostream* out) { *out << form.file; }

std::vector<Export> exports() {
  return {
      {"plain.csv"},
      {"r_write_csv.csv", {}, "row_labels"},
      {"r_write_csv_without_row_names.csv"},
      {"r_write_csv2.csv", {}, "row_labels"},
      {"r_write_table.txt", {{"delimiter", "space"}}, "row_labels"},
      {"r_write_table_tab.txt", {}, "row_labels"},
      {"r_write_table_comma.txt", {}, "row_labels"},
      {"readr_write_tsv.tsv"},
      {"pandas_index.csv", {}, "row_labels"},
      {"pandas.csv"},
      {"pandas_decimal_comma.csv"},
      {"excel_us.csv"},
      {"excel_german.csv"},
      {"excel_german_thousands.csv"},
      {"excel_french.csv"},
      {"excel_swiss.csv"},
      {"excel_sep_line.csv"},
      {"libreoffice_all_quoted.csv"},
      {"libreoffice_bars.csv"},
      {"old_mac.csv"},
      {"decimal_comma_in_quotes.csv", {{"decimal", ","}}},
      {"units.csv", {{"skip_lines", "2"}}},
      {"titles.csv", {{"skip_lines", "1-2"}}},
      {"comments.csv"},
      {"names_in_comment.csv"},
      {"percent_comments.csv", {{"comment", "%"}}},
      {"blank_lines_and_padding.csv"},
      {"columns_by_spaces.txt", {{"delimiter", "space"}}},
      {"gzip.csv.gz"},
      {"gzip_german.csv.gz"},
  };
}

std::string path_of(const std::string& file) { return test::source_path("tests/data/exports/" + file); }

ReadResult read(const Export& form) {
  ReadOptions options;
  for (const auto& [key, text] : form.options) set_read_option(options, key, text);
  return read_table(path_of(form.file), options, Context());
}

std::vector<double> column(const Table& table, std::string_view name) {
  const auto cells = table.column(table.index(name));
  return {cells.begin(), cells.end()};
}

TEST(Exports, TheTableIsTheOneThatWasWritten) {
  const Table table = read({"plain.csv"}).table;
  EXPECT_THAT(table.names(), ElementsAre("region", "promoted", "price", "change", "sold", "renewed"));
  EXPECT_THAT(column(table, "region"), ElementsAre(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2));
  EXPECT_THAT(column(table, "promoted"), ElementsAre(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0));
  EXPECT_THAT(column(table, "price"), ElementsAre(12.5, 7.25, 9, 11.125, 8.5, 10.75, 6.5, 14, 5.25, 13.5, 12.75, 9.5));
  EXPECT_THAT(column(table, "change"),
              ElementsAre(-0.5, 0.75, -1.5, 2.25, -3.0625, 0.5, 1.25, -2.75, 0.25, 3.5, -0.125, 1.75));
  EXPECT_THAT(column(table, "sold"),
              ElementsAre(1204, 950, 15300, 1234567, 87, 2048, 31415, 640, 7, 999, 100000, 1500));
  EXPECT_THAT(column(table, "renewed"), ElementsAre(1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1));
  std::vector<std::string> types;
  for (const Column& about : table.about()) types.emplace_back(column_type_name(about.type));
  EXPECT_THAT(types, ElementsAre("category", "binary", "real", "real", "count", "binary"));
  const auto levels = [&](std::size_t j) {
    std::vector<std::string> names;
    for (const ColumnLevel& level : table.about(j).levels) names.push_back(level.name);
    return names;
  };
  EXPECT_THAT(levels(0), ElementsAre("north", "south", "west end"));
  EXPECT_THAT(levels(1), ElementsAre("false", "true"));
  EXPECT_THAT(levels(5), ElementsAre("no", "yes"));
}

class ExportedTable : public testing::TestWithParam<Export> {};

TEST_P(ExportedTable, IsTheSame) {
  const ReadResult plain = read({"plain.csv"});
  const ReadResult result = read(GetParam());
  EXPECT_THAT(result.table.names(), ElementsAreArray(plain.table.names()));
  EXPECT_THAT(std::vector<double>(result.table.values().begin(), result.table.values().end()),
              ElementsAreArray(plain.table.values().begin(), plain.table.values().end()));
  std::vector<Column> about = result.table.about();
  for (Column& column : about) column.unit.clear();
  EXPECT_EQ(about, plain.table.about());
  std::vector<std::string> codes;
  for (const Warning& warning : result.warnings) codes.push_back(warning.code);
  EXPECT_EQ(codes,
            GetParam().warning.empty() ? std::vector<std::string>() : std::vector<std::string>{GetParam().warning});
  // What was found out reads the file once more.
  const ReadResult again = read_table(path_of(GetParam().file), result.used, Context());
  EXPECT_EQ(again.table.names(), result.table.names());
  EXPECT_EQ(again.table.about(), result.table.about());
}

INSTANTIATE_TEST_SUITE_P(Exports, ExportedTable, testing::ValuesIn(exports()), [](const auto& tested) {
  std::string name = tested.param.file;
  for (char& c : name) {
    if (c == '.') c = '_';
  }
  return name;
});

TEST(Exports, EveryFileIsRead) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path_of("")))
    files += entry.path().extension() == ".py" ? 0 : 1;
  EXPECT_EQ(files, exports().size());
}

TEST(Exports, ASkippedLineOfUnitsGivesTheUnits) {
  const Table table = read({"units.csv", {{"skip_lines", "2"}}}).table;
  EXPECT_EQ(table.about(table.index("price")).unit, "EUR");
  EXPECT_EQ(table.about(table.index("change")).unit, "%");
  EXPECT_EQ(table.about(table.index("sold")).unit, "pieces");
  EXPECT_EQ(table.about(table.index("region")).unit, "");
}

}  // namespace
}  // namespace olem::exports_test
