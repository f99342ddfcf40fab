#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/csv_scan.h"
#include "data/csv_number.h"
#include "olem/error.h"
#include "olem/random.h"
#include "olem/table.h"

namespace olem::csv_test {

using namespace internal;
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ReadResult read(std::string_view text, const ReadOptions& options = {}) {
  return read_csv_text(text, "d.csv", options, Context());
}

std::vector<double> column(const ReadResult& result, std::size_t j) {
  const auto cells = result.table.column(j);
  return {cells.begin(), cells.end()};
}

// The message of the error of `category` that reading must end with.
std::string failure(std::string_view text, const ReadOptions& options = {},
                    ErrorCategory category = ErrorCategory::kData) {
  try {
    read(text, options);
  } catch (const Error& error) {
    EXPECT_EQ(category_name(error.category()), category_name(category)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error for: " << text;
  return "";
}

ReadOptions with_missing_dropped() {
  ReadOptions options;
  options.missing = MissingPolicy::kDrop;
  return options;
}

ReadOptions with_header(HeaderMode mode) {
  ReadOptions options;
  options.header = mode;
  return options;
}

TEST(Csv, reads_named_columns) {
  const ReadResult result = read("a,b\n1,2\n3,4.5\n");
  EXPECT_THAT(result.table.names(), ElementsAre("a", "b"));
  EXPECT_THAT(column(result, 0), ElementsAre(1, 3));
  EXPECT_THAT(column(result, 1), ElementsAre(2, 4.5));
  EXPECT_EQ(result.table.source(), "d.csv");
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Csv, every_line_end_with_and_without_the_last_one) {
  for (const std::string_view text :
       {"a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r\n1,2\r\n3,4", "a,b\r1,2\r3,4\r",
        "a,b\r1,2\r3,4", "a,b\n1,2\r\n3,4\r", "\xEF\xBB\xBF\x61,b\n1,2\n3,4\n\n\r\n \n\n"}) {
    const ReadResult result = read(text);
    EXPECT_THAT(result.table.names(), ElementsAre("a", "b")) << text;
    EXPECT_THAT(column(result, 0), ElementsAre(1, 3)) << text;
    EXPECT_THAT(column(result, 1), ElementsAre(2, 4)) << text;
  }
}

TEST(Csv, separator_is_sniffed_from_the_first_line) {
  for (const std::string_view separator : {",", ";", "\t", "|"}) {
    const ReadResult result = read(fmt::format("a{0}b\n1{0}2\n3{0}4\n", separator));
    EXPECT_THAT(result.table.names(), ElementsAre("a", "b")) << separator;
    EXPECT_THAT(column(result, 1), ElementsAre(2, 4)) << separator;
  }
  EXPECT_THAT(read("a,b;c;d\n1;2;3\n4;5;6\n").table.names(), ElementsAre("a,b", "c", "d"));
  EXPECT_THAT(read("\"a;b;c\",d\n1,2\n3,4\n").table.names(), ElementsAre("a;b;c", "d"));
  EXPECT_THAT(read("\"x\"\"; ;\";b|c\n1;2\n3;4\n").table.names(), ElementsAre("x\"; ;", "b|c"));
  EXPECT_THAT(read("\n  \na;b\n1;2\n3;4\n").table.names(), ElementsAre("a", "b"));
}

TEST(Csv, separator_can_be_given) {
  ReadOptions options;
  options.delimiter = ';';
  EXPECT_THAT(read("a,b,c;d\n1;2\n3;4\n", options).table.names(), ElementsAre("a,b,c", "d"));
  options.delimiter = ' ';
  EXPECT_THAT(column(read("a b\n1 2\n3 4\n", options), 1), ElementsAre(2, 4));
  options.delimiter = ':';
  EXPECT_THAT(column(read("a:b\n1:2\n3:4\n", options), 1), ElementsAre(2, 4));
  for (const char impossible : {'"', '1', 'e', '.', '-', '\n', '\xC3'}) {
    options.delimiter = impossible;
    EXPECT_THAT(failure("a\n1\n2\n", options, ErrorCategory::kUsage), HasSubstr("delimiter: "));
  }
}

TEST(Csv, a_space_stands_for_any_blanks) {
  ReadOptions options;
  options.delimiter = ' ';
  const ReadResult result = read("  \"a b\"  c\t d \n\n 1   2\t3  \r\n4 \"5\"   6\n", options);
  EXPECT_THAT(result.table.names(), ElementsAre("a b", "c", "d"));
  EXPECT_THAT(column(result, 1), ElementsAre(2, 5));
  EXPECT_EQ(result.used.delimiter, ' ');
  EXPECT_THAT(column(read("a \"b \"\" c\"\n1 2\n3 4\n", options), 1), ElementsAre(2, 4));
  EXPECT_THAT(failure("a b\n1 2\n3\n", options), HasSubstr("line 3: Expected 2 cells"));
}

TEST(Csv, spaces_between_cells_are_recognised) {
  EXPECT_THAT(failure("a b\n1 2\n3 4\n"), AllOf(HasSubstr("d.csv, line 1:"), HasSubstr("separated by spaces"),
                                                HasSubstr("\"delimiter\", \"space\"")));
  EXPECT_THAT(failure("\"a\" \"b\"\n\"1\" 2 3\n\"2\" 4 5\n"), HasSubstr("R's write.table"));
  EXPECT_THAT(read("my name\n1\n2\n").table.names(), ElementsAre("my name"));
  EXPECT_THAT(column(read("my name\n1 234\n5 678\n"), 0), ElementsAre(1234, 5678));
}

TEST(Csv, the_line_of_excel_names_the_separator) {
  EXPECT_THAT(column(read("sep=;\na,b;c\n1;2\n3;4\n"), 1), ElementsAre(2, 4));
  EXPECT_THAT(column(read("\xEF\xBB\xBFSEP=\t\r\na\tb\r\n1\t2\r\n3\t4\r\n"), 1), ElementsAre(2, 4));
  EXPECT_THAT(failure("sep=;\na;b\n1;x\n3;4\n"), HasSubstr("line 3, column 'b' (2): 'x'"));
  EXPECT_THAT(read("sep=a\n1\n2\n").table.names(), ElementsAre("sep=a"));
}

TEST(Csv, comments_are_left_out) {
  const std::string text = "# of 2019, by hand\na,b\n1,2\n# or so\n3,4\n";
  EXPECT_THAT(read(text).table.names(), ElementsAre("a", "b"));
  EXPECT_THAT(column(read(text), 0), ElementsAre(1, 3));
  EXPECT_THAT(failure("#x\na,b\n1,2\n#y\n3,z\n"), HasSubstr("line 5, column 'b' (2): 'z'"));
  // What has the cells of a row is one, unless it is said to be a comment.
  const std::string doubtful = "a,b\n1,2\n#3,4\n5,6\n";
  EXPECT_THAT(failure(doubtful), HasSubstr("line 3, column 'a' (1): '#3' is not a number"));
  ReadOptions options;
  options.comment = "#";
  EXPECT_THAT(column(read(doubtful, options), 0), ElementsAre(1, 5));
  options.comment = "//";
  EXPECT_THAT(column(read("// x\na,b\n1,2\n//3,4\n5,6\n", options), 0), ElementsAre(1, 5));
  EXPECT_THAT(failure("# only\n# comments\n"), HasSubstr("The file is empty"));
}

TEST(Csv, names_may_stand_in_a_comment) {
  EXPECT_THAT(read("# a, b\n1,2\n3,4\n").table.names(), ElementsAre("a", "b"));
  EXPECT_THAT(read("# made by hand\n#a,b\n1,x\n2,x\n").table.names(), ElementsAre("a", "b"));
  EXPECT_THAT(read("# one, two\na,b\n1,2\n3,4\n").table.names(), ElementsAre("a", "b"));
  EXPECT_THAT(read("# one, two, three\n1,2\n3,4\n").table.names(), ElementsAre("V1", "V2"));
  ReadOptions options;
  options.delimiter = ' ';
  EXPECT_THAT(read("# a b\n1 2\n3 4\n", options).table.names(), ElementsAre("a", "b"));
}

TEST(Csv, lines_can_be_skipped) {
  ReadOptions options;
  options.skip_lines = {{1, 2}, {5, 5}};
  const ReadResult result = read("Sales, \"of\nthe year\na,b\n1,2\nsum,9\n3,4\n", options);
  EXPECT_THAT(result.table.names(), ElementsAre("a", "b"));
  EXPECT_THAT(column(result, 0), ElementsAre(1, 3));
  EXPECT_THAT(failure("Sales\n\na,b\n1,2\nsum,9\n3,x\n", options), HasSubstr("line 6, column 'b' (2): 'x'"));
  options.skip_lines = {{1, 9}};
  EXPECT_THAT(failure("a,b\n1,2\n3,4\n", options), HasSubstr("The file is empty"));
}

TEST(Csv, a_line_of_units_is_named) {
  const std::string text = "a,b,c\nkg,,m/s\n1,2,3\n4,5,6\n";
  EXPECT_THAT(failure(text), AllOf(HasSubstr("d.csv, line 2: There are no numbers in this line"),
                                   HasSubstr("'kg', 'm/s'"), HasSubstr("units"), HasSubstr("\"skip_lines\", \"2\"")));
  ReadOptions options;
  options.skip_lines = {{2, 2}};
  const ReadResult result = read(text, options);
  EXPECT_THAT(column(result, 0), ElementsAre(1, 4));
  EXPECT_EQ(result.table.about(0).unit, "kg");
  EXPECT_EQ(result.table.about(1).unit, "");
  EXPECT_EQ(result.table.about(2).unit, "m/s");
}

TEST(Csv, a_first_column_without_a_name_holds_labels) {
  for (const std::string text : {",a\nx,2\ny,5\n", "\"\",a\n\"1\",2\n\"2\",5\n", "a\tb\nx\t2\t3\ny\t5\t6\n",
                                 "a,b\n\"x\",2,3\n\"y\",5,6\n", "a,b\n1,2,3\n2,5,6\n3,2,2\n"}) {
    const ReadResult result = read(text);
    EXPECT_EQ(result.table.name(0), "a") << text;
    EXPECT_EQ(result.table.at(1, 0), 5.0) << text;
    ASSERT_EQ(result.warnings.size(), 1U) << text;
    EXPECT_EQ(result.warnings[0].code, "row_labels") << text;
  }
  ReadOptions options;
  options.columns = {"a"};
  EXPECT_TRUE(read(",a\nx,2\ny,5\n", options).warnings.empty());
}

TEST(Csv, quotes_follow_rfc_4180) {
  const ReadResult result = read("\"a, b\",\"c\"\"d\",\"e\nf\"\n\"1\", \" 2 \" ,3\n4,\"5\",6\n");
  EXPECT_THAT(result.table.names(), ElementsAre("a, b", "c\"d", "e\nf"));
  EXPECT_THAT(column(result, 0), ElementsAre(1, 4));
  EXPECT_THAT(column(result, 1), ElementsAre(2, 5));
  EXPECT_THAT(read("5\" pipe,b\n1,2\n3,4\n").table.names(), ElementsAre("5\" pipe", "b"));
}

TEST(Csv, quotes_that_break_the_rules) {
  EXPECT_THAT(failure("a,b\n1,2\n3,\"4\n5,6\n"), AllOf(HasSubstr("d.csv, line 3:"), HasSubstr("never closed")));
  EXPECT_THAT(failure("a,b\n1,\"2\"3\n4,5\n"), AllOf(HasSubstr("d.csv, line 2:"), HasSubstr("closing quote")));
}

TEST(Csv, lines_inside_quotes_are_counted) {
  EXPECT_THAT(failure("\"a\nb\",c\n1,2\n\"x\r\ny\rz\",4\n5,6\n"),
              HasSubstr("line 4, column 'a\\nb' (1): 'x\\r\\ny\\rz'"));
  ReadOptions options;
  options.columns = {"c"};
  EXPECT_THAT(failure("a,c\n\"x\ny\",1\n2,bad\n3,4\n", options), HasSubstr("d.csv, line 4, column 'c' (2): 'bad'"));
}

TEST(Csv, numbers_that_are_accepted) {
  const ReadResult result =
      read("a\n1e5\n 1 \n+1\n-2.50E-3\n.5\n5.\n-0\n0001\n1e-400\n-1e-9999999999999\n0e999\n4.9e-324\n");
  EXPECT_THAT(column(result, 0), ElementsAre(1e5, 1, 1, -2.5e-3, 0.5, 5, 0, 1, 0, 0, 0, 4.9e-324));
  EXPECT_TRUE(std::signbit(result.table.at(6, 0)));
  EXPECT_THAT(column(read("a;b\n\t1\t; 2\t\n3;4\n"), 0), ElementsAre(1, 3));
}

TEST(Csv, numbers_that_are_refused) {
  for (const std::string cell : {"1_000", "0x10", "1e", "1e+", "--1", "+-1", "1 2", "1.2.3", "e5", "+", "-", "1f",
                                 "0x1p3", "\xD9\xA1", "1\xC2\xA0", "12abc", "$5"}) {
    EXPECT_THAT(failure("a;b\n1;2\n" + cell + ";3\n"),
                AllOf(HasSubstr("d.csv, line 3, column 'a' (1): '" + cell.substr(0, 1)), HasSubstr("is not a number"),
                      HasSubstr("set_read_option(read, \"drop_columns\", \"a\")"), HasSubstr("(ReadOptions::columns)")))
        << cell;
  }
}

TEST(Csv, too_large_is_an_error_of_its_own) {
  const std::string huge(400, '9');
  for (const std::string& cell :
       std::vector<std::string>{"1e999", "-1e309", "1e99999999999999999999", "1.8e308", huge}) {
    EXPECT_THAT(failure("a,b\n1,2\n3," + cell + "\n"),
                AllOf(HasSubstr("line 3, column 'b' (2)"), HasSubstr("too large"), Not(HasSubstr("not a number"))))
        << cell;
  }
  EXPECT_EQ(read("a\n1\n1.7976931348623157e308\n").table.at(1, 0), std::numeric_limits<double>::max());
}

TEST(Csv, decimal_commas_are_read_where_they_cannot_separate) {
  EXPECT_THAT(column(read("a;b\n1,5;2\n-,25;1e3\n"), 0), ElementsAre(1.5, -0.25));
  EXPECT_THAT(column(read("a\tb\n1,5\t2\n3\t4\n"), 0), ElementsAre(1.5, 3));
  EXPECT_EQ(read("a;b\n1,5;2\n3;4\n").used.decimal, ',');
  // The first comma is far below.
  std::string late = "a;b\n";
  for (int i = 0; i < 1000; ++i) late += "1;2\n";
  EXPECT_EQ(read(late + "0,5;2\n").table.at(1000, 0), 0.5);
  EXPECT_EQ(read(late + "0,5;2\n").table.rows(), 1001U);
}

TEST(Csv, decimal_commas_between_commas_need_a_word) {
  EXPECT_THAT(failure("a,b\n\"1,5\",2\n3,4\n"),
              AllOf(HasSubstr("line 2, column 'a' (1): '1,5' is not a number"), HasSubstr("\"decimal\", \",\"")));
  // Three values that repeat are no levels.
  EXPECT_THAT(failure("a,b\n\"0,5\",2\n\"1,5\",4\n\"0,5\",1\n\"1,5\",3\n"), HasSubstr("\"decimal\", \",\""));
  ReadOptions options;
  options.decimal = ',';
  EXPECT_THAT(column(read("a,b\n\"1,5\",2\n3,4\n", options), 0), ElementsAre(1.5, 3));
  EXPECT_THAT(column(read("a\n1,5\n2\n", options), 0), ElementsAre(1.5, 2));
  EXPECT_THAT(failure("a\n1,5\n2,5\n"), HasSubstr("\"decimal\", \",\""));
  options.decimal = '.';
  EXPECT_THAT(failure("a;b\n1,5;2\n3,5;4\n", options), HasSubstr("\"decimal\", \",\""));
}

TEST(Csv, thousands_have_separators) {
  EXPECT_THAT(column(read("a,b\n\"1,234\",2\n\"1,234,567.5\",4\n"), 0), ElementsAre(1234, 1234567.5));
  EXPECT_THAT(column(read("a;b\n1.234,5;2\n-1.234.567;4\n"), 0), ElementsAre(1234.5, -1234567));
  EXPECT_THAT(column(read("a;b\n1 234,5;2\n1\xC2\xA0\x32\x33\x34;4\n"), 0), ElementsAre(1234.5, 1234));
  EXPECT_THAT(column(read("a,b\n1'234.5,2\n1\xE2\x80\x99\x32\x33\x34,4\n"), 0), ElementsAre(1234.5, 1234));
  for (const std::string wrong : {"12,34", "1,2345", "0,123", "1,234,56", "1,,234", ",234"}) {
    EXPECT_THAT(failure("a,b\n1,2\n\"" + wrong + "\",4\n"), HasSubstr("'" + wrong + "' is not a number")) << wrong;
  }
}

TEST(Csv, three_decimals_are_never_taken_for_thousands_silently) {
  // Nothing but three digits behind commas, or points between semicolons.
  for (const std::string mark : {",", "."}) {
    const ReadResult result = read("a;b\n1" + mark + "234;2\n12" + mark + "500;4\n");
    EXPECT_THAT(column(result, 0), ElementsAre(1.234, 12.5));
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(result.warnings[0].code, "decimal");
    EXPECT_THAT(result.warnings[0].text, HasSubstr("could be thousands"));
    EXPECT_EQ(result.warnings[0].remedies.at(0).option, "decimal");
    // Beside whole numbers they look like thousands.
    EXPECT_THAT(failure("a;b\n1" + mark + "234;2\n950;4\n"),
                AllOf(HasSubstr("line 2, column 1: '1" + mark + "234' may be"), HasSubstr("\"decimal\", \".\""),
                      HasSubstr("\"decimal\", \",\"")));
  }
  ReadOptions options;
  options.decimal = '.';
  EXPECT_THAT(column(read("a;b\n1,234;2\n950;4\n", options), 0), ElementsAre(1234, 950));
  options.decimal = ',';
  EXPECT_THAT(column(read("a;b\n1.234;2\n950;4\n", options), 0), ElementsAre(1234, 950));
  EXPECT_TRUE(read("a;b\n1,234;2\n12,500;4\n", options).warnings.empty());
  // Another number settles it.
  EXPECT_THAT(column(read("a;b\n1,234;2,5\n950;4\n"), 0), ElementsAre(1.234, 950));
  EXPECT_THAT(column(read("a;b\n1,234;2.5\n950;4\n"), 0), ElementsAre(1234, 950));
}

TEST(Csv, numbers_with_both_decimal_marks_are_refused) {
  EXPECT_THAT(failure("a;b\n1,5;2,5\n3.5;4\n"),
              AllOf(HasSubstr("line 3, column 'a' (1): '3.5' is not a number"), HasSubstr("\"decimal\", \".\"")));
}

TEST(Csv, another_separator_is_named) {
  EXPECT_THAT(failure("a,b;c\n1,2;3\n4,5;6\n"),
              HasSubstr("name the separator, if it is ';' (set_read_option(read, \"delimiter\", \";\"))"));
}

TEST(Csv, foreign_text_is_shown_short_and_harmless) {
  EXPECT_THAT(failure("a,b\n1,2\n" + std::string(100, 'x') + ",3\n"),
              AllOf(HasSubstr("'" + std::string(40, 'x') + "...'"), Not(HasSubstr(std::string(41, 'x')))));
  EXPECT_THAT(failure("a,b\n1,2\n\x1B[31m\xFF\xC2\x9B,3\n"), HasSubstr("'\\x1B[31m\\xFF\\xC2\\x9B'"));
  EXPECT_THAT(failure("a,b\n1,2\ncaf\xC3\xA9,3\n"), HasSubstr("'caf\xC3\xA9'"));
}

TEST(Csv, missing_values_are_counted_over_the_whole_file) {
  EXPECT_THAT(failure("a,b\n1,2\n,2\nNA,?\n3,4\n5,null\n6,7\n"),
              AllOf(HasSubstr("d.csv: 4 cells in 3 rows are missing or not finite"),
                    HasSubstr("line 3, column 'a' (1); line 4, column 'a' (1); line 4, column 'b' (2)."),
                    HasSubstr("\"missing\", \"drop\""), Not(HasSubstr("line 6"))));
  EXPECT_THAT(failure("a,b\n1,2\n,2\n3,4\n"),
              HasSubstr("1 cell in 1 row is missing or not finite: line 3, column 'a' (1)."));
}

TEST(Csv, columns_whose_points_may_separate_thousands_are_named) {
  // b settles that points are decimal marks; a and c would be right with either meaning.
  const std::string text = "a;b;c;d\n1.234;1.5;0.123;7\n950;2.25;0.456;8\n12.500;3.5;0.789;9\n";
  const ReadResult result = read(text);
  EXPECT_THAT(column(result, 0), ElementsAre(1.234, 950, 12.5));
  EXPECT_THAT(result.maybe_grouped, ElementsAre("a"));
  ReadOptions options;
  options.decimal = '.';
  EXPECT_THAT(read(text, options).maybe_grouped, ElementsAre()) << "the user has said what a point means";
  EXPECT_THAT(read("a;b\n1.234;1.5\n1000;2.25\n12.500;3.5\n").maybe_grouped, ElementsAre()) << "1000 has no point";
  EXPECT_THAT(read("a,b\n1.234,1.5\n950,2.25\n12.500,3.5\n").maybe_grouped, ElementsAre());
}

TEST(Csv, the_line_of_the_first_row_is_known_where_every_line_is_a_row) {
  EXPECT_EQ(read("a,b\n1,2\n3,4\n").first_line, 2U);
  EXPECT_EQ(read("# made today\na,b\n1,2\n3,4\n\n").first_line, 3U);
  EXPECT_EQ(read("a,b\n1,2\n\n3,4\n").first_line, 0U) << "a blank line between rows";
  ReadOptions options;
  options.missing = MissingPolicy::kDrop;
  EXPECT_EQ(read("a,b\n1,2\n,3\n3,4\n", options).first_line, 0U) << "a row was left out";
}

TEST(Csv, every_marker_of_a_missing_value) {
  for (const std::string marker :
       {"",     " ",    "\"\"", "NA", "na", "N/A", "n/a",  "NaN",       "nan",      "-nan", "null",   "NULL",
        "None", "NONE", "?",    ".",  "--", "Inf", "-inf", "+Infinity", "INFINITY", " NA ", "\" NA\""}) {
    EXPECT_THAT(failure("a,b\n1,2\n3," + marker + "\n4,5\n"),
                AllOf(HasSubstr("1 cell in 1 row is missing"), HasSubstr("line 3, column 'b' (2)")))
        << marker;
  }
}

TEST(Csv, incomplete_rows_can_be_dropped) {
  const ReadResult result = read("a,b\n1,2\nNA,3\n4,5\n6,inf\n7,8\n", with_missing_dropped());
  EXPECT_THAT(column(result, 0), ElementsAre(1, 4, 7));
  EXPECT_THAT(column(result, 1), ElementsAre(2, 5, 8));
  EXPECT_EQ(result.dropped_rows, 2U);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "missing_rows");
  EXPECT_EQ(result.warnings[0].text, "2 of 5 rows have missing values and were left out; 3 are used.");
  EXPECT_EQ(result.warnings[0].where, "d.csv");
  EXPECT_TRUE(read("a\n1\n2\n", with_missing_dropped()).warnings.empty());
}

TEST(Csv, only_columns_that_are_read_are_looked_at) {
  ReadOptions options = with_missing_dropped();
  options.columns = {"c", "a"};
  const ReadResult kept = read("a,b,c\n1,text,2\n3,,4\n,9,5\n", options);
  EXPECT_THAT(kept.table.names(), ElementsAre("c", "a"));
  EXPECT_THAT(column(kept, 0), ElementsAre(2, 4));
  EXPECT_THAT(column(kept, 1), ElementsAre(1, 3));
  EXPECT_EQ(kept.dropped_rows, 1U);

  ReadOptions drop;
  drop.drop_columns = {"b"};
  EXPECT_THAT(read("a,b,c\n1,text,2\n3,1e999,4\n", drop).table.names(), ElementsAre("a", "c"));
  drop.columns = {"c", "b"};
  EXPECT_THAT(read("a,b,c\n1,text,2\n3,1e999,4\n", drop).table.names(), ElementsAre("c"));
}

TEST(Csv, unknown_columns_are_a_usage_error_with_the_closest_name) {
  ReadOptions options;
  options.columns = {"Temp", "Ligth"};
  EXPECT_THAT(failure("Light,Temp\n1,2\n3,4\n", options, ErrorCategory::kUsage),
              AllOf(HasSubstr("columns: d.csv has no column 'Ligth'"), HasSubstr("Did you mean 'Light'?")));
  options.columns = {"Temp", "Temp"};
  EXPECT_THAT(failure("Light,Temp\n1,2\n3,4\n", options, ErrorCategory::kUsage), HasSubstr("'Temp' is listed twice"));
  options = {};
  options.drop_columns = {"salinity"};
  EXPECT_THAT(failure("Light,Temp\n1,2\n3,4\n", options, ErrorCategory::kUsage),
              AllOf(HasSubstr("drop_columns: "), HasSubstr("Its columns are Light, Temp.")));
  options.drop_columns = {"Light", "Temp"};
  EXPECT_THAT(failure("Light,Temp\n1,2\n3,4\n", options, ErrorCategory::kUsage),
              HasSubstr("No column of d.csv is left"));
}

TEST(Csv, the_first_line_is_a_header_when_it_has_text) {
  EXPECT_THAT(read("1,2\n3,4\n").table.names(), ElementsAre("V1", "V2"));
  EXPECT_THAT(column(read("1,2\n3,4\n"), 0), ElementsAre(1, 3));
  EXPECT_THAT(read("country,2001\n1,2\n3,4\n").table.names(), ElementsAre("country", "2001"));
  EXPECT_TRUE(read("country,2001\n1,2\n3,4\n").warnings.empty());
  // A marker of a missing value beside numbers is data, not a name.
  EXPECT_THAT(column(read("1,NA\n2,3\n4,5\n", with_missing_dropped()), 0), ElementsAre(2, 4));
  // Without any number the line can only hold names.
  EXPECT_THAT(read("Na\n1\n2\n").table.names(), ElementsAre("Na"));
}

TEST(Csv, a_header_with_fractions_is_doubtful) {
  const ReadResult result = read("0.5,x\n1,2\n3,4\n");
  EXPECT_EQ(result.used.header, HeaderMode::kAuto);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "header");
  EXPECT_EQ(result.warnings[0].remedies.at(0).option, "no_header");
  EXPECT_TRUE(read("0.5,x\n1,2\n3,4\n", with_header(HeaderMode::kPresent)).warnings.empty());
}

TEST(Csv, years_are_names) {
  const ReadResult result = read("1990;1991;1992\n1,5;2;3\n4;5;6\n");
  EXPECT_THAT(result.table.names(), ElementsAre("1990", "1991", "1992"));
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "header");
  EXPECT_THAT(read("2000,2010,2020\n1,2,3\n4,5,6\n").table.names(), ElementsAre("2000", "2010", "2020"));
  // Rows of years, and numbers that are none.
  EXPECT_EQ(read("1990,1991\n1991,1992\n4,5\n").table.rows(), 3U);
  EXPECT_EQ(read("1990,1991,1993\n1,2,3\n4,5,6\n").table.rows(), 3U);
  EXPECT_EQ(read("3000,3001\n1,2\n4,5\n").table.rows(), 3U);
  EXPECT_EQ(read("1990,1991\n1,2\n4,5\n", with_header(HeaderMode::kAbsent)).table.rows(), 3U);
}

TEST(Csv, header_can_be_decided) {
  EXPECT_THAT(read("1,2\n3,4\n5,6\n", with_header(HeaderMode::kPresent)).table.names(), ElementsAre("1", "2"));
  EXPECT_EQ(read("1,2\n3,4\n5,6\n", with_header(HeaderMode::kAbsent)).table.rows(), 3U);
  EXPECT_THAT(failure("a,b\n3,4\n5,6\n", with_header(HeaderMode::kAbsent)),
              AllOf(HasSubstr("d.csv, line 1: There are no numbers in this line, but only below it: 'a', 'b'"),
                    HasSubstr("\"no_header\", \"false\"")));
}

TEST(Csv, names_must_be_there_and_differ) {
  EXPECT_THAT(failure("a,b,a\n1,2,3\n4,5,6\n"), HasSubstr("Columns 1 and 3 are both called 'a'"));
  EXPECT_THAT(failure("a, a \n1,2\n4,5\n"), HasSubstr("Columns 1 and 2 are both called 'a'"));
  EXPECT_THAT(failure("b,,a\n1,2,3\n4,5,6\n"), HasSubstr("Column 2 has no name. Give it a name, or list the columns"));
  EXPECT_THAT(failure("b\t\ta\n1\t2\t3\n4\t5\t6\n"), HasSubstr("Column 2 has no name"));
  EXPECT_THAT(failure("a,\xFF"
                      "b\n1,2\n4,5\n"),
              AllOf(HasSubstr("column 2, '\\xFFb'"), HasSubstr("UTF-8")));
  for (const std::string bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_THAT(failure("a," + bad + "\n1,2\n4,5\n"), HasSubstr("not valid UTF-8"));
  }
  EXPECT_THAT(read(" \xCE\xB1 ,\xF0\x9F\x8C\x8A\n1,2\n3,4\n").table.names(),
              ElementsAre("\xCE\xB1", "\xF0\x9F\x8C\x8A"));
  // Names of columns that are not read do not matter.
  ReadOptions options;
  options.columns = {"b"};
  EXPECT_THAT(column(read(",a,a,b\nx,1,1,2\ny,3,3,4\n", options), 0), ElementsAre(2, 4));
  options.columns = {"a"};
  EXPECT_THAT(failure(",a,a,b\nx,1,1,2\ny,3,3,4\n", options), HasSubstr("Columns 2 and 3 are both called 'a'"));
}

TEST(Csv, an_empty_column_at_the_end_of_every_line_is_left_out) {
  for (const std::string text : {"a,b,\n1,2,\n3,4,\n", "a;b;\r\n1;2; \r\n\r\n3;4;"}) {
    const ReadResult result = read(text);
    EXPECT_THAT(result.table.names(), ElementsAre("a", "b"));
    EXPECT_THAT(column(result, 1), ElementsAre(2, 4));
    EXPECT_TRUE(result.ends_empty);
  }
  EXPECT_THAT(read("1,2,\n3,4,\n").table.names(), ElementsAre("V1", "V2"));
  EXPECT_THAT(read(",a,\nx,1,\ny,3,\n").table.names(), ElementsAre("a")) << "labels in front";
  EXPECT_FALSE(read("a,b\n1,2\n3,4\n").ends_empty);
}

TEST(Csv, trailing_separators_are_named) {
  // One cell at the end is data without a name, or nothing but one cell is missing.
  EXPECT_THAT(failure("a,b,\n1,2,\n3,4,5\n"),
              AllOf(HasSubstr("Column 3 has no name, because the first line ends with a separator"),
                    HasSubstr("at the end of every line")));
  EXPECT_THAT(failure("1,2,\n3,4,5\n"), HasSubstr("line 1, column 'V3' (3)"));
  EXPECT_THAT(failure("a,b,c\n1,2,\n3,4,\n"),
              AllOf(HasSubstr("Column 'c' (3) has no value at all"), HasSubstr("every line ends with a separator"),
                    HasSubstr("\"drop_columns\", \"c\"")));
  EXPECT_THAT(failure("a,b\n1,2,\n3,4,\n"),
              HasSubstr("line 2: Expected 2 cells, as in the first line, but found 3. The line "
                        "ends with a separator"));
}

TEST(Csv, one_new_row_is_enough) {
  ReadOptions options;
  options.new_rows = true;
  EXPECT_THAT(column(read("a,b\n1,2\n", options), 1), ElementsAre(2));
  EXPECT_EQ(read("id,b\nx1,2\n", options).table.about(0).levels.front().name, "x1");
  EXPECT_THAT(failure("a,b\n", options), HasSubstr("no rows of data. At least 1 is needed."));
  EXPECT_THAT(failure("a,b\n1,\n", options), HasSubstr("missing"));
  options.missing = MissingPolicy::kImpute;
  EXPECT_THAT(failure("a,b\n1,\n", options),
              AllOf(HasSubstr("d.csv: Column 'b' (2) has no value at all"), HasSubstr("\"drop_columns\", \"b\"")));
}

TEST(Csv, ragged_rows_are_named) {
  EXPECT_THAT(failure("a,b,c\n1,2,3\n4,5\n"),
              HasSubstr("d.csv, line 3: Expected 3 cells, as in the first line, but found 2."));
  EXPECT_THAT(failure("a,b,c\n1,2,3\n4,5,6,7,8\n"),
              HasSubstr("line 3: Expected 3 cells, as in the first line, but found 5."));
  // A comma in a text or in a number, or the names of rows: nobody can know.
  EXPECT_THAT(failure("a,b\nx,1,2\ny,3,4\n"), HasSubstr("the name of the row"));
  EXPECT_THAT(failure("a,b\n1,5,2\n2,5,4\n"), HasSubstr("Expected 2 cells"));
  EXPECT_THAT(failure("Sales\na,b\n1,2\n3,4\n"), HasSubstr("(set_read_option(read, \"skip_lines\", \"1\"))"));
}

TEST(Csv, blank_lines) {
  EXPECT_THAT(column(read("a,b\n1,2\n\n  \t\n3,4\n\n"), 0), ElementsAre(1, 3));
  EXPECT_THAT(failure("a,b\n1,2\n\n3,x\n"), HasSubstr("line 4"));
  EXPECT_THAT(failure("a\n1\n\n3\n\n"), HasSubstr("1 cell in 1 row is missing or not finite: line 3, column 'a' (1)"));
  EXPECT_THAT(column(read("a\n1\n\n3\n\n", with_missing_dropped()), 0), ElementsAre(1, 3));
  EXPECT_THAT(failure("\n1\n3\n"), HasSubstr("line 1, column 'V1' (1)"));
}

TEST(Csv, rows_without_any_value_are_blank_lines) {
  EXPECT_THAT(column(read("a;b\n1;2\n;\n3;4\n ; \n;\n"), 0), ElementsAre(1, 3));
  EXPECT_THAT(failure("a;b\n1;2\n;5\n3;4\n"), HasSubstr("1 cell in 1 row is missing"));
  EXPECT_THAT(failure("a;b\n1;2\n;;\n3;x\n"), HasSubstr("line 4, column 'b' (2): 'x'"));
}

TEST(Csv, too_few_rows) {
  for (const std::string_view empty : {"", "\n", " \r\n\n", "\xEF\xBB\xBF"}) {
    EXPECT_THAT(failure(empty), HasSubstr("d.csv: The file is empty."));
  }
  EXPECT_THAT(failure("a,b\n"), HasSubstr("no rows of data. At least 2 are needed"));
  EXPECT_THAT(failure("a,b\n1,2\n"), HasSubstr("only 1 row of data. At least 2 are needed"));
  EXPECT_THAT(failure("a,b\n1,2\n,3\n4,\n", with_missing_dropped()),
              HasSubstr("1 of 3 rows would be left without those that have missing values, but at least 2 are needed"));
  EXPECT_THAT(failure("a,b\n1,\n2,\n", with_missing_dropped()),
              AllOf(HasSubstr("0 of 2 rows would be left"), HasSubstr("Column 'b' (2) has no value at all")));
}

TEST(Csv, bytes_that_are_not_text) {
  EXPECT_THAT(failure(std::string_view("\xFF\xFE"
                                       "a\0,\0",
                                       6)),
              HasSubstr("UTF-16. Save it as UTF-8"));
  EXPECT_THAT(failure(std::string_view("\xFE\xFF\0a\0,", 6)), HasSubstr("UTF-16. Save it as UTF-8"));
  EXPECT_THAT(failure(std::string_view("a\0,\0b\0\n\0", 8)), HasSubstr("UTF-16. Save it as UTF-8"));
  EXPECT_THAT(failure(std::string_view("a,b\r\n1,2\r\n3,\0"
                                       "4\r\n",
                                       15)),
              HasSubstr("d.csv, line 3: There is a NUL byte"));
}

TEST(Csv, cells_over_a_megabyte) {
  const std::string megabyte(1'000'000, '1');
  ReadOptions options;
  options.drop_columns = {"b"};
  EXPECT_EQ(read("a,b\n1," + megabyte + "\n2,3\n", options).table.rows(), 2U);
  EXPECT_THAT(failure("a,b\n1," + megabyte + "1\n2,3\n", options), HasSubstr("d.csv, line 2: A cell"));
  EXPECT_THAT(failure("a,b\n1,2\n\"" + megabyte + "1\",3\n"),
              AllOf(HasSubstr("d.csv, line 3: A cell"), HasSubstr("longer than 1 MB"), HasSubstr("quotes are closed")));
  EXPECT_THAT(failure(megabyte + "a,b\n1,2\n3,4\n"), HasSubstr("line 1: A cell"));
}

TEST(Csv, tables_larger_than_a_block_keep_their_order) {
  constexpr std::size_t kRows = 1000;
  for (const std::size_t columns : {1U, 7U, 5000U}) {
    std::string text;
    const std::size_t rows = columns == 5000 ? 130 : kRows;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        text += std::to_string(i * columns + j) + (j + 1 == columns ? "\n" : ",");
      if (i % 3 == 0 && columns > 1) text += "NA" + std::string(columns - 1, ',') + "\n";
    }
    const ReadResult result = read(text, with_missing_dropped());
    ASSERT_EQ(result.table.rows(), rows);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        ASSERT_EQ(result.table.at(i, j), static_cast<double>(i * columns + j));
      }
    }
  }
}

TEST(Csv, refuses_what_does_not_fit_into_memory) {
  Context context;
  context.memory_limit = 1000;
  std::string text = "a,b\n";
  for (int i = 0; i < 100; ++i) text += "1,2\n";
  try {
    read_csv_text(text, "d.csv", {}, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
    EXPECT_THAT(error.what(), HasSubstr("The table in d.csv"));
  }
  // A file of many short lines is wrong, not large: 20000 rows of 200 numbers would be, but do not fit into its bytes.
  context.memory_limit = 500'000;
  std::string ragged = "name";
  for (int j = 1; j < 200; ++j) ragged += "," + std::to_string(j);
  ragged += std::string(20'000, '\n') + "1\n";
  try {
    read_csv_text(ragged, "d.csv", {}, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData) << error.what();
  }
}

TEST(Csv, stops_when_interrupted) {
  std::string text = "a\n";
  while (text.size() < 5'000'000) text += "1.25\n";
  std::atomic<bool> stop{false};
  Context context;
  context.interrupt = &stop;
  context.progress = [&stop](double fraction, std::string_view) { stop = fraction > 0.5; };
  try {
    read_csv_text(text, "d.csv", {}, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kInterrupted);
  }
}

// std::from_chars, correctly rounded by the standard, is the oracle of the fast reading of short numbers.
TEST(CsvNumber, plain_numbers_have_the_bits_of_from_chars) {
  RandomStream random(1, "csv_number");
  const auto digits = [&random](std::uint64_t most) {
    std::string text;
    for (std::uint64_t count = random.below(most + 1); count > 0; --count) {
      text += static_cast<char>('0' + random.below(10));
    }
    return text;
  };
  std::size_t read_fast = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text = digits(12) + (random.below(4) > 0 ? "." + digits(12) : "");
    if (random.below(3) == 0) text += "e" + std::to_string(static_cast<int>(random.below(680)) - 340);
    if (random.below(2) == 0) text.insert(0, "-");
    double expected = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
    if (error != std::errc{} || stop != text.data() + text.size() || std::isinf(expected)) continue;
    double whole = 0.0;
    ASSERT_EQ(read_cell(text, whole), CellKind::kNumber) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(whole), std::bit_cast<std::uint64_t>(expected)) << text;
    double plain = 0.0;
    if (const char* end = read_plain_number(text.data(), text.data() + text.size(), plain)) {
      ++read_fast;
      ASSERT_EQ(end, text.data() + text.size()) << text;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(plain), std::bit_cast<std::uint64_t>(expected)) << text;
    }
  }
  EXPECT_GT(read_fast, 100'000U);
}

TEST(CsvNumber, never_reads_beyond_the_end) {
  const std::string text = "-12.5e-3";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::vector<char> exact(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
    double value = 0.0;
    const char* end = read_plain_number(exact.data(), exact.data() + exact.size(), value);
    const bool complete = length == 2 || length == 3 || length == 4 || length == 5 || length == 8;
    EXPECT_EQ(end != nullptr, complete) << length;
  }
}

TEST(CsvScan, count_lines_counts_every_kind_of_end) {
  EXPECT_EQ(count_lines(""), 1U);
  EXPECT_EQ(count_lines("a\nb\r\nc\rd"), 4U);
  EXPECT_EQ(count_lines("\r\r\n\n"), 4U);
}

}  // namespace
}  // namespace olem::csv_test
