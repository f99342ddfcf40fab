#include "olem/column.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "olem/error.h"
#include "olem/random.h"
#include "olem/table.h"

namespace olem {
namespace {

std::vector<double> draw(std::size_t rows, double (*value)(RandomStream&)) {
  RandomStream random(1, "column_test");
  std::vector<double> cells;
  for (std::size_t i = 0; i < rows; ++i) cells.push_back(value(random));
  return cells;
}

TEST(Column, NamesAndTypesCorrespond) {
  for (const std::string& name : column_type_names()) {
    const auto type = find_column_type(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(column_type_name(*type), name);
  }
  EXPECT_FALSE(find_column_type("number"));
}

TEST(Column, GuessesTheTypeFromTheNumbers) {
  const auto type = [](const std::vector<double>& cells) { return guess_column(cells).type; };
  EXPECT_EQ(type(draw(200, [](RandomStream& r) { return r.normal(); })), ColumnType::kReal);
  EXPECT_EQ(type(draw(200, [](RandomStream& r) { return 100.0 + r.normal(); })), ColumnType::kReal);
  EXPECT_EQ(type(draw(200, [](RandomStream& r) { return std::exp(r.normal()); })), ColumnType::kPositive);
  EXPECT_EQ(type(draw(200, [](RandomStream& r) { return r.uniform(0.0, 1.0); })), ColumnType::kShare);
  EXPECT_EQ(type(draw(200, [](RandomStream& r) { return std::floor(r.uniform(0.0, 40.0)); })), ColumnType::kCount);
  EXPECT_EQ(type(draw(200, [](RandomStream& r) { return std::floor(r.uniform(1.0, 6.0)); })), ColumnType::kOrdinal);
  EXPECT_EQ(type(draw(200, [](RandomStream& r) { return std::floor(r.uniform(0.0, 2.0)); })), ColumnType::kBinary);
}

TEST(Column, RoundedNumbersStayNumbers) {
  // 45 distinct values in 200 rows, with a fraction or below zero.
  EXPECT_EQ(guess_column(draw(200, [](RandomStream& r) { return std::round(8.0 * r.normal()) / 4.0; })).type,
            ColumnType::kReal);
  EXPECT_EQ(guess_column(draw(200, [](RandomStream& r) { return std::round(10.0 * r.normal()); })).type,
            ColumnType::kReal);
}

TEST(Column, FewRowsAreNoLevels) { EXPECT_FALSE(has_levels(guess_column(std::vector<double>{3, 1, 2, 7}).type)); }

TEST(Column, LevelsAreFoundByNameAndByNumber) {
  Column column = guess_column(std::vector<double>{0, 1, 0, 1, 1});
  ASSERT_EQ(column.levels.size(), 2u);
  EXPECT_EQ(find_level(column, "1")->value, 1.0);
  EXPECT_EQ(find_level(column, "1.0")->value, 1.0);
  EXPECT_FALSE(find_level(column, "2"));
  column.levels[1].name = "on";
  EXPECT_EQ(find_level(column, "on")->value, 1.0);
  EXPECT_EQ(value_name(column, 1.0), "on");
  EXPECT_EQ(value_name(column, 0.5), "0.5");
}

TEST(Column, TypesFollowTheColumnsOfATable) {
  Column binary;
  binary.type = ColumnType::kBinary;
  binary.levels = {{0.0, "no"}, {1.0, "yes"}};
  const Table table({"a", "b"}, {0.5, 1.5, 2.5, 0, 1, 1}, "", {Column(), binary});
  EXPECT_EQ(table.with_columns(std::vector<std::size_t>{1}).about(0), binary);
  EXPECT_EQ(table.with_rows(std::vector<std::size_t>{2, 0}).about(1), binary);
  EXPECT_EQ(table.with_about({binary, Column()}).about(0), binary);
  EXPECT_THROW(table.with_about({binary}), Error);
}

}  // namespace
}  // namespace olem
