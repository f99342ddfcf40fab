#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
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
}

TEST(ReadTable, names_other_formats_and_how_to_convert_them) {
  using namespace std::string_view_literals;
  const TemporaryFolder folder;
  struct Foreign {
    std::string_view beginning;
    std::string name;
    std::string help;
  };
  const std::string zip_header(26, '\1');
  const std::string xlsx = "PK\x03\x04" + zip_header + "[Content_Types].xml";
  const std::string other_xlsx = "PK\x03\x04" + zip_header + "docProps/app.xmlPK\x01\x02" + "xl/workbook.xml";
  const std::string ods = "PK\x03\x04" + zip_header + "mimetypeapplication/vnd.oasis.opendocument.spreadsheet";
  const std::string npz = "PK\x03\x04" + zip_header + "arr_0.npy";
  for (const Foreign& foreign : std::vector<Foreign>{
           {xlsx, "a spreadsheet (.xlsx)", "read_excel"},
           {other_xlsx, "a spreadsheet (.xlsx)", "read_excel"},
           {ods, "a spreadsheet (.ods)", "soffice"},
           {npz, "a NumPy archive", "numpy.save"},
           {"PK\x03\x04..."sv, "a zip archive", "unzip"},
           {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an old spreadsheet (.xls)", "soffice"},
           {"PAR1\x15\x04\x15\0"sv, "a Parquet file", "read_parquet"},
           {"ARROW1\0\0"sv, "an Arrow (Feather) file", "read_feather"},
           {"SQLite format 3\0"sv, "an SQLite data base", "sqlite3"},
           {"<stata_dta><header>"sv, "a Stata file", "read_stata"},
           {"\x72\x02\x01\0"sv, "a Stata file", "read_stata"},
           {"$FL2@(#) SPSS\2\0"sv, "an SPSS file", "read_spss"},
           {"\x89HDF\r\n\x1A\n"sv, "an HDF5 file", "read_hdf"},
           {"X\n\0\0\0\2"sv, "an R object (.rds)", "readRDS"},
           {"RDX3\nX\n\0\0\0\3"sv, "an R workspace", "Export"},
           {"\x80\x04\x95\0"sv, "a Python pickle", "read_pickle"},
           {"BZh91AY&SY\1"sv, "compressed with bzip2", "bzip2"},
           {"\xFD"
            "7zXZ\0"sv,
            "compressed with xz", "xz"},
           {"{\"a\": [1, 2]}"sv, "JSON", "read_json"},
           {" [\n {\"a\": 1}]"sv, "JSON", "read_json"},
           {"{\"a\": 1}\n{\"a\": 2}\n"sv, "JSON, one object a line", "lines=True"},
           {"<!DOCTYPE html><html>"sv, "an HTML page", "read_html"},
           {"<?xml version='1.0'?>"sv, "an XML file", "read_xml"},
           {"%PDF-1.4"sv, "a PDF document", "Export"},
       }) {
    EXPECT_THAT(failure(folder.write("t.csv", std::string(foreign.beginning)), ErrorCategory::kData),
                AllOf(HasSubstr("t.csv: The file is " + foreign.name), HasSubstr(foreign.help), HasSubstr("as CSV")));
  }
  // Names that look like the beginnings of such files.
  for (const std::string name : {"PAR1", "ORC", "BZh", "$FL2", "[kg]", "{x}", "RDX2"})
    EXPECT_EQ(read_table(folder.write("t.csv", name + "\n1\n2\n"), {}, Context()).table.name(0), name);
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(ReadTable, unpacks_gzip) {
  const TemporaryFolder folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 100000; ++i) text += fmt::format("{},{}\n", i, 0.5 * i);
  const std::string packed = gzip(text);
  EXPECT_EQ(read_table(folder.write("t.csv.gz", packed), {}, Context()).table.at(99999, 1), 49999.5);
  // Parts, as pigz and cat make them, and padding.
  const std::string parts = gzip(text.substr(0, 1000)) + gzip(text.substr(1000)) + std::string(512, '\0');
  EXPECT_EQ(read_table(folder.write("t.gz", parts), {}, Context()).table.rows(), 100000U);
  EXPECT_THAT(failure(folder.write("cut.gz", packed.substr(0, packed.size() / 2)), ErrorCategory::kData),
              AllOf(HasSubstr("cut.gz: The file is compressed with gzip, but it is cut off"), HasSubstr("again")));
  std::string damaged = packed;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  EXPECT_THAT(failure(folder.write("bad.gz", damaged), ErrorCategory::kData), HasSubstr("damaged"));
  EXPECT_THAT(failure(folder.write("more.gz", packed + "x"), ErrorCategory::kData),
              HasSubstr("something else follows"));
  EXPECT_THAT(failure(folder.write("twice.gz", gzip(packed)), ErrorCategory::kData), HasSubstr("gzip twice"));
  EXPECT_THAT(failure(folder.write("t.rds", gzip(std::string("X\n\0\0\0\2", 6))), ErrorCategory::kData),
              HasSubstr("an R object (.rds)"));
}

// A megabyte that unpacks to a gigabyte is refused before the memory is asked for.
TEST(ReadTable, a_bomb_ends_at_the_limit_of_memory) {
  const TemporaryFolder folder;
  Context context;
  context.memory_limit = 10'000'000;
  const std::string bomb = gzip(std::string(40'000'000, '1'));
  EXPECT_LT(bomb.size(), 100'000U);
  EXPECT_THAT(failure(folder.write("t.csv.gz", bomb), ErrorCategory::kResource, context), HasSubstr("Unpacking"));
  // Whatever the last bytes announce.
  const std::string lying = bomb.substr(0, bomb.size() - 4) + std::string(4, '\0');
  EXPECT_THAT(failure(folder.write("lie.csv.gz", lying), ErrorCategory::kResource, context), HasSubstr("Unpacking"));
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

// Runs `work` with these bytes, which must fit into a pipe, on standard input.
void with_standard_input(const std::string& bytes, const std::function<void()>& work) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  work();
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(ends[0]);
}

TEST(ReadTable, reads_standard_input) {
  with_standard_input("a;b\n1;2\n3;x\n", [] {
    EXPECT_THAT(failure("-", ErrorCategory::kData), HasSubstr("standard input, line 3, column 'b' (2): 'x'"));
  });
  with_standard_input(gzip("a;b\n1,5;2\n3;4\n"), [] {
    EXPECT_EQ(read_table("-", {}, Context()).table.at(0, 0), 1.5) << "compressed, with decimal commas";
  });
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
                                                  "#",
                                                  "sep=",
                                                  "yes",
                                                  "1,234",
                                                  "5 %",
                                                  std::string(1, '\0'),
                                                  "99999999999999999999"}));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  ReadOptions options;
  options.missing = *rc::gen::element(MissingPolicy::kError, MissingPolicy::kDrop);
  options.header = *rc::gen::element(HeaderMode::kAuto, HeaderMode::kPresent, HeaderMode::kAbsent);
  options.delimiter = *rc::gen::element('\0', ',', ' ', '\t');
  options.decimal = *rc::gen::element('\0', ',', '.');
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
