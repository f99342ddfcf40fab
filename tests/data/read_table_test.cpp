#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <locale>

#include "olem/error.h"
#include "olem/table.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::read_table_test {
namespace {

using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string failure(const std::string& path, ErrorCategory category, const Context& context = {}) {
  try {
    read_table(path, {}, context);
  } catch (const Error& error) {
    EXPECT_EQ(category_name(error.category()), category_name(category)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error for " << path;
  return "";
}

// The sum of the first column was computed from the file with awk.
TEST(ReadTable, reads_the_sachs_data) {
  const Table table = read_table(test::source_path("data/sachs/sachs.csv"), {}, Context()).table;
  EXPECT_EQ(table.rows(), 853U);
  EXPECT_THAT(table.names(),
              ElementsAre("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk"));
  EXPECT_EQ(table.at(0, 0), 26.4);
  EXPECT_EQ(table.at(0, 10), 40.0);
  double sum = 0.0;
  for (const double value : table.column(0)) sum += value;
  EXPECT_NEAR(sum, 50595.250000, 1e-6);
}

TEST(ReadTable, tells_formats_apart_by_their_bytes) {
  const TemporaryFolder folder;
  const std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }\n";
  const std::string npy =
      std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header + "\1\2\3\4";
  EXPECT_EQ(read_table(folder.write("array.bin", npy), {}, Context()).table.at(1, 0), 3.0);
  EXPECT_EQ(read_table(folder.write("t.txt", "a\n1\n2\n"), {}, Context()).table.at(1, 0), 2.0);
  EXPECT_THAT(failure(folder.write("t.npy", "a\n1\n2\n"), ErrorCategory::kData), HasSubstr("not a .npy file"));
  EXPECT_THAT(failure(folder.write("t.xlsx", "PK\x03\x04..."), ErrorCategory::kData),
              AllOf(HasSubstr("t.xlsx"), HasSubstr("spreadsheet"), HasSubstr("as CSV")));
  EXPECT_THAT(failure(folder.write("t.csv.gz", "\x1F\x8B..."), ErrorCategory::kData), HasSubstr("gzip"));
}

TEST(ReadTable, files_that_cannot_be_read) {
  const TemporaryFolder folder;
  EXPECT_THAT(failure(folder.file("none.csv"), ErrorCategory::kFile), HasSubstr("none.csv"));
  EXPECT_THAT(failure(folder.path(), ErrorCategory::kFile), HasSubstr(folder.path()));
  EXPECT_THAT(failure(folder.write("empty.csv", ""), ErrorCategory::kData), HasSubstr("empty.csv: The file is empty"));
  Context context;
  context.memory_limit = 10;
  EXPECT_THAT(failure(folder.write("t.csv", "a,b\n1,2\n3,4\n"), ErrorCategory::kResource, context), HasSubstr("t.csv"));
}

TEST(ReadTable, reads_standard_input) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text = "a;b\n1;2\n3;x\n";
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  const std::string message = failure("-", ErrorCategory::kData);
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(ends[0]);
  EXPECT_THAT(message, HasSubstr("standard input, line 3, column 'b' (2): 'x'"));
}

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(ReadTable, the_locale_has_no_influence) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  const ReadResult result = read_csv_text("a\n1.5\n123456789012345678.5\n", "d.csv", {}, Context());
  std::string message;
  try {
    read_csv_text("a\n1\n" + std::string(1233, '\n') + "x\n2\n", "d.csv", {}, Context());
  } catch (const Error& error) {
    message = error.what();
  }
  std::locale::global(before);
  EXPECT_EQ(result.table.at(0, 0), 1.5);
  EXPECT_EQ(result.table.at(1, 0), 123456789012345678.5);
  EXPECT_THAT(message, HasSubstr("line 1236,"));
}

std::string in_quotes(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

// Any table, written with any mixture of quotes, blanks and line ends that a CSV file may have, comes back bit by bit.
RC_GTEST_PROP(ReadTable, what_is_written_comes_back, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(1, 6);
  const auto rows = *rc::gen::inRange<std::size_t>(2, 90);
  const char separator = *rc::gen::elementOf(std::string(",;\t|"));
  const auto extra = *rc::gen::container<std::vector<std::string>>(
      columns, rc::gen::container<std::string>(rc::gen::elementOf(std::string("xyz\",;\t|\n\r .5"))));
  std::vector<std::string> names;
  for (std::size_t j = 0; j < columns; ++j) names.push_back(fmt::format("n{}{}!", j, extra[j]));

  std::vector<double> values(rows * columns);
  for (double& value : values) {
    value = *rc::gen::oneOf(rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                                         [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
                            rc::gen::map(rc::gen::inRange(-1000000, 1000000), [](int i) { return i / 1000.0; }));
    if (!std::isfinite(value)) value = -0.0;
  }
  const auto style = *rc::gen::container<std::vector<int>>(rows * columns + rows + 1, rc::gen::inRange(0, 6));
  std::size_t next = 0;
  const auto line_end = [&] {
    const int kind = style[next++] % 3;
    return kind == 0 ? "\n" : kind == 1 ? "\r\n" : "\r";
  };
  std::string text = *rc::gen::arbitrary<bool>() ? "\xEF\xBB\xBF" : "";
  for (std::size_t j = 0; j < columns; ++j) text += (j > 0 ? std::string(1, separator) : "") + in_quotes(names[j]);
  text += line_end();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (j > 0) text += separator;
      const std::string number = fmt::format("{}", values[j * rows + i]);
      switch (style[next++]) {
        case 0: text += in_quotes(number); break;
        case 1: text += " " + number; break;
        case 2: text += number + "  "; break;
        case 3: text += " " + in_quotes(" " + number) + " "; break;
        default: text += number;
      }
    }
    if (i + 1 < rows || *rc::gen::arbitrary<bool>()) text += line_end();
  }

  const Table table = read_csv_text(text, "d.csv", {}, Context()).table;
  RC_ASSERT(table.names() == names);
  RC_ASSERT(table.rows() == rows);
  for (std::size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(std::bit_cast<std::uint64_t>(table.values()[i]) == std::bit_cast<std::uint64_t>(values[i]));
  }
}

// Whatever the bytes are, the answer is a table or an Error; never a crash, another exception or an endless loop.
RC_GTEST_PROP(ReadTable, any_bytes_give_a_table_or_an_error, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"1",
                                                  "-2.5",
                                                  "e5",
                                                  "NA",
                                                  "a",
                                                  ",",
                                                  ",",
                                                  ";",
                                                  "\t",
                                                  "\n",
                                                  "\n",
                                                  "\r",
                                                  "\"",
                                                  "\"",
                                                  " ",
                                                  ".",
                                                  "\xFF",
                                                  "\xEF\xBB\xBF",
                                                  std::string(1, '\0'),
                                                  "99999999999999999999"}));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  ReadOptions options;
  options.missing = *rc::gen::element(MissingPolicy::kError, MissingPolicy::kDrop);
  options.header = *rc::gen::element(HeaderMode::kAuto, HeaderMode::kPresent, HeaderMode::kAbsent);
  options.delimiter = *rc::gen::element('\0', ',', ' ', '\t');
  // An exact copy, so that a sanitizer sees any read beyond the end.
  const std::vector<char> exact(text.begin(), text.end());
  try {
    const ReadResult result = read_csv_text({exact.data(), exact.size()}, "d.csv", options, Context());
    RC_ASSERT(result.table.rows() >= 2U);
  } catch (const Error& error) {
    RC_ASSERT(error.category() == ErrorCategory::kData);
  }
}

}  // namespace
}  // namespace olem::read_table_test
