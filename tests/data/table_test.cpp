#include "olem/table.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>

#include "olem/error.h"

namespace olem::table_test {
namespace {

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    return error.what();
  }
  return "";
}

Table small_table() { return {{"a", "b", "c"}, {1, 2, 10, 20, 100, 200}, "small.csv"}; }

std::vector<double> cells(const Table& table, std::size_t column) {
  const auto span = table.column(column);
  return {span.begin(), span.end()};
}

TEST(Table, HoldsColumnsOneAfterTheOther) {
  const Table table = small_table();
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.columns(), 3U);
  EXPECT_EQ(table.at(1, 0), 2.0);
  EXPECT_EQ(table.at(0, 2), 100.0);
  EXPECT_EQ(cells(table, 1), (std::vector<double>{10, 20}));
  EXPECT_EQ(table.source(), "small.csv");
}

TEST(Table, MayHaveNoRows) {
  const Table table({"a", "b"}, {});
  EXPECT_EQ(table.rows(), 0U);
  EXPECT_EQ(table.columns(), 2U);
}

TEST(Table, RefusesWhatIsNoTable) {
  EXPECT_EQ(complaint([] { Table({}, {}, "f.csv"); }), "f.csv: The table has no columns.");
  EXPECT_EQ(complaint([] {
              Table({"a", "b"}, {1, 2, 3}, "f.csv");
            }),
            "f.csv: 3 values do not fill 2 columns of equal length.");
  EXPECT_EQ(complaint([] { Table({"a", ""}, {1, 2}); }), "Column 2 has no name. Give every column a name.");
  EXPECT_EQ(complaint([] {
              Table({"a", "b", "a"}, {1, 2, 3});
            }),
            "Two columns are called 'a'. Rename or remove one of them.");
}

TEST(Table, RefusesValuesThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(complaint([&] {
              Table({"a", "b"}, {1, 2, 3, nan}, "f.csv");
            }),
            "f.csv: Row 2 of column 'b' is nan. Only finite numbers can be used.");
  EXPECT_EQ(complaint([&] {
              Table({"a", "b"}, {-infinity, 2, 3, 4});
            }),
            "Row 1 of column 'a' is -inf. Only finite numbers can be used.");
}

TEST(Table, FindsColumnsByName) {
  const Table table = small_table();
  EXPECT_EQ(table.find("c"), std::optional<std::size_t>(2));
  EXPECT_EQ(table.find("C"), std::nullopt);
  EXPECT_EQ(table.index("b"), 1U);
}

TEST(Table, SuggestsTheColumnThatWasMeant) {
  const Table table({"Light", "Temp"}, {1, 2}, "sea.csv");
  EXPECT_EQ(complaint([&] { table.index("light"); }), "sea.csv: There is no column 'light'. Did you mean 'Light'?");
  EXPECT_EQ(complaint([&] { table.index("Chlorophyll"); }), "sea.csv: There is no column 'Chlorophyll'.");
}

TEST(Table, SelectsColumnsAndRowsInTheOrderGiven) {
  const Table table = small_table();
  const Table turned = table.with_columns(std::array<std::size_t, 2>{2, 0});
  EXPECT_EQ(turned.names(), (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(cells(turned, 0), (std::vector<double>{100, 200}));
  EXPECT_EQ(turned.source(), "small.csv");
  const Table drawn = table.with_rows(std::array<std::size_t, 3>{1, 1, 0});
  EXPECT_EQ(drawn.rows(), 3U);
  EXPECT_EQ(cells(drawn, 1), (std::vector<double>{20, 20, 10}));
  EXPECT_EQ(drawn.names(), table.names());
}

}  // namespace
}  // namespace olem::table_test
