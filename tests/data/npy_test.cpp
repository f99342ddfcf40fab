#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "olem/error.h"
#include "olem/table.h"

namespace olem::npy_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A file as numpy.lib.format writes it: magic, version, length of the header (2 bytes in version 1, else 4), the
// header padded with blanks to a multiple of 64 and ended by a line feed, then the numbers.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
  const std::size_t before = version == 1 ? 10 : 12;
  std::string text = header;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (std::size_t i = 0; i < before - 8; ++i) file += static_cast<char>((text.size() >> (8 * i)) & 0xFFU);
  return file + text + data;
}

std::string header_of(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': " + type + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers, bool big_endian = false) {
  std::string bytes;
  for (const Number number : numbers) {
    char raw[sizeof(Number)];
    std::memcpy(raw, &number, sizeof raw);
    if (big_endian) std::reverse(raw, raw + sizeof raw);
    bytes.append(raw, sizeof raw);
  }
  return bytes;
}

ReadResult read(const std::string& bytes, const ReadOptions& options = {}) {
  return read_npy_bytes(bytes, "a.npy", options, Context());
}

std::vector<double> column(const ReadResult& result, std::size_t j) {
  const auto cells = result.table.column(j);
  return {cells.begin(), cells.end()};
}

std::string failure(const std::string& bytes, const ReadOptions& options = {},
                    ErrorCategory category = ErrorCategory::kData) {
  try {
    read(bytes, options);
  } catch (const Error& error) {
    EXPECT_EQ(category_name(error.category()), category_name(category)) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("a.npy"));
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

const std::vector<double> six_numbers = {1, 2, 3, 4, 5, 6};

TEST(Npy, reads_c_and_fortran_order_of_every_version) {
  for (const char version : {'\1', '\2', '\3'}) {
    const ReadResult by_row = read(npy(header_of("'<f8'", "(3, 2)"), bytes_of(six_numbers), version));
    EXPECT_THAT(by_row.table.names(), ElementsAre("V1", "V2"));
    EXPECT_THAT(column(by_row, 0), ElementsAre(1, 3, 5));
    EXPECT_THAT(column(by_row, 1), ElementsAre(2, 4, 6));
    const ReadResult by_column = read(npy(header_of("'<f8'", "(3, 2)", true), bytes_of(six_numbers), version));
    EXPECT_THAT(column(by_column, 0), ElementsAre(1, 2, 3));
    EXPECT_THAT(column(by_column, 1), ElementsAre(4, 5, 6));
  }
}

TEST(Npy, one_dimension_is_one_column) {
  const ReadResult result = read(npy(header_of("'<f8'", "(6,)"), bytes_of(six_numbers)));
  EXPECT_THAT(result.table.names(), ElementsAre("V1"));
  EXPECT_THAT(column(result, 0), ElementsAre(1, 2, 3, 4, 5, 6));
}

template <class Number>
void expect_extremes(const std::string& type) {
  const Number low = std::numeric_limits<Number>::lowest();
  const Number high = std::numeric_limits<Number>::max();
  const std::vector<Number> numbers = {low, high, Number{1}};
  for (const bool big : {false, true}) {
    const std::string order = sizeof(Number) == 1 ? "|" : big ? ">" : "<";
    const ReadResult result = read(npy(header_of(fmt::format("'{}{}'", order, type), "(3,)"), bytes_of(numbers, big)));
    EXPECT_THAT(column(result, 0), ElementsAre(static_cast<double>(low), static_cast<double>(high), 1.0)) << type;
  }
}

TEST(Npy, every_type_in_both_byte_orders) {
  expect_extremes<double>("f8");
  expect_extremes<float>("f4");
  expect_extremes<std::int8_t>("i1");
  expect_extremes<std::int16_t>("i2");
  expect_extremes<std::int32_t>("i4");
  expect_extremes<std::int64_t>("i8");
  expect_extremes<std::uint8_t>("u1");
  expect_extremes<std::uint16_t>("u2");
  expect_extremes<std::uint32_t>("u4");
  expect_extremes<std::uint64_t>("u8");
  EXPECT_THAT(column(read(npy(header_of("'|b1'", "(3,)"), std::string("\1\0\1", 3))), 0), ElementsAre(1, 0, 1));
}

TEST(Npy, simple_structures_become_named_columns) {
  const std::string type = "[('dose', '<f4'), ('', '|V4'), (\"patient's age\", '>i2'), ('sick', '|b1')]";
  std::string data;
  for (const int row : {1, 2, 3}) {
    data += bytes_of<float>({static_cast<float>(row) / 2}) + "gap!" +
            bytes_of<std::int16_t>({static_cast<std::int16_t>(row - 300)}, true) + static_cast<char>(row % 2);
  }
  const ReadResult result = read(npy(header_of(type, "(3,)"), data));
  EXPECT_THAT(result.table.names(), ElementsAre("dose", "patient's age", "sick"));
  EXPECT_THAT(column(result, 0), ElementsAre(0.5, 1, 1.5));
  EXPECT_THAT(column(result, 1), ElementsAre(-299, -298, -297));
  EXPECT_THAT(column(result, 2), ElementsAre(1, 0, 1));
  ReadOptions options;
  options.columns = {"sick", "dose"};
  EXPECT_THAT(column(read(npy(header_of(type, "(3,)"), data), options), 1), ElementsAre(0.5, 1, 1.5));
  options.columns = {"does"};
  EXPECT_THAT(failure(npy(header_of(type, "(3,)"), data), options, ErrorCategory::kUsage),
              HasSubstr("Did you mean 'dose'?"));
}

TEST(Npy, structures_that_are_not_simple) {
  EXPECT_THAT(failure(npy(header_of("[('a', '<f8', (2,))]", "(2,)"), std::string(32, '\0'))),
              HasSubstr("an array inside a structure"));
  EXPECT_THAT(failure(npy(header_of("[('a', [('b', '<f8')])]", "(2,)"), std::string(16, '\0'))),
              HasSubstr("a structure inside a structure"));
  EXPECT_THAT(failure(npy(header_of("[(('title', 'a'), '<f8')]", "(2,)"), std::string(16, '\0'))),
              HasSubstr("a field with a title"));
  EXPECT_THAT(failure(npy(header_of("[('a', '<f8'), ('a', '<f8')]", "(2,)"), std::string(32, '\0'))),
              HasSubstr("Columns 1 and 2 are both called 'a'"));
  EXPECT_THAT(failure(npy(header_of("[('a', '<f8')]", "(2, 2)"), std::string(32, '\0'))),
              HasSubstr("2 dimensions and a structured type"));
}

TEST(Npy, missing_numbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::string file = npy(header_of("'<f8'", "(4, 2)"), bytes_of<double>({1, 2, nan, 3, 4, -inf, 5, 6}));
  EXPECT_THAT(failure(file), AllOf(HasSubstr("2 cells in 2 rows are missing or not finite"),
                                   HasSubstr("row 2, column 'V1' (1); row 3, column 'V2' (2)"),
                                   HasSubstr("set_read_option(read, \"missing\", \"drop\")")));
  ReadOptions options;
  options.missing = MissingPolicy::kDrop;
  const ReadResult result = read(file, options);
  EXPECT_THAT(column(result, 0), ElementsAre(1, 5));
  EXPECT_THAT(column(result, 1), ElementsAre(2, 6));
  EXPECT_EQ(result.dropped_rows, 2U);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "missing_rows");
  options = {};
  options.drop_columns = {"V2"};
  EXPECT_THAT(failure(file, options), HasSubstr("1 cell in 1 row"));
}

TEST(Npy, types_without_numbers_are_named) {
  for (const std::string type : {"|O", "<U5", "|S3", "<c16", "<M8[ns]", "<f2", "<f16", "<i3", "|f8", "f8", "", "<"}) {
    EXPECT_THAT(failure(npy(header_of("'" + type + "'", "(2,)"), std::string(16, '\0'))),
                AllOf(HasSubstr("'" + type + "'"), HasSubstr("astype")))
        << type;
  }
}

TEST(Npy, shapes_that_are_not_tables) {
  EXPECT_THAT(failure(npy(header_of("'<f8'", "()"), bytes_of<double>({1}))), HasSubstr("0 dimensions"));
  EXPECT_THAT(failure(npy(header_of("'<f8'", "(1, 2, 3)"), bytes_of(six_numbers))), HasSubstr("3 dimensions"));
  EXPECT_THAT(failure(npy(header_of("'<f8'", "(0, 3)"), "")), HasSubstr("The array is empty"));
  EXPECT_THAT(failure(npy(header_of("'<f8'", "(0, 1152921504606846976)"), "")), HasSubstr("The array is empty"));
  EXPECT_THAT(failure(npy(header_of("'<f8'", "(3, 0)"), "")), HasSubstr("The array is empty"));
  EXPECT_THAT(failure(npy(header_of("'<f8'", "(1, 6)"), bytes_of(six_numbers))), HasSubstr("only 1 row"));
  EXPECT_THAT(failure(npy(header_of("[]", "(5,)"), "")), HasSubstr("The array is empty"));
}

TEST(Npy, sizes_that_do_not_match_the_file) {
  for (const std::string shape : {"(3, 3)", "(2, 2)", "(1000000000, 1000000000)", "(4294967296, 4294967296)",
                                  "(2305843009213693952, 1)", "(18446744073709551615,)"}) {
    EXPECT_THAT(failure(npy(header_of("'<f8'", shape), bytes_of(six_numbers))),
                AllOf(HasSubstr("48 bytes follow"), HasSubstr("damaged")))
        << shape;
  }
}

// Every prefix of a good file is an error, and none reads beyond its end (the address sanitizer watches).
TEST(Npy, every_truncation_is_an_error) {
  const std::string file = npy(header_of("'<f8'", "(3, 2)"), bytes_of(six_numbers));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(failure(std::string(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  }
  EXPECT_THAT(failure(file + "x"), HasSubstr("49 bytes follow"));
}

TEST(Npy, headers_that_are_malformed) {
  for (const std::string header : {"", "{", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': 1, 'shape': (3, 2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3 2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 2)}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), 'more': 1}",
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)} x", "{'descr: '<f8'}",
                                   "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}",
                                   "{'descr': [('a', '<f8'), 'fortran_order': False, 'shape': (6,)}"}) {
    EXPECT_THAT(failure(npy(header, bytes_of(six_numbers))), HasSubstr("malformed")) << header;
  }
  EXPECT_THAT(failure(npy(header_of("'<f8'", "(3, 2)"), bytes_of(six_numbers), 4)), HasSubstr("Version 4.0"));
  EXPECT_THAT(failure("a,b\n1,2\n"), HasSubstr("not a .npy file"));
}

TEST(Npy, refuses_what_does_not_fit_into_memory) {
  Context context;
  context.memory_limit = 4000;
  const std::string file = npy(header_of("'|i1'", "(1000, 2)"), std::string(2000, '\1'));
  try {
    read_npy_bytes(file, "a.npy", {}, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
  }
}

}  // namespace
}  // namespace olem::npy_test
