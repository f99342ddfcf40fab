#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/table.h"
#include "olem/task.h"

namespace olem::missing_test {
namespace {

using ::testing::HasSubstr;

ReadOptions imputing() {
  ReadOptions options;
  set_read_option(options, "missing", "impute");
  return options;
}

ReadResult read(const std::string& text, const ReadOptions& options = imputing()) {
  return read_csv_text(text, "t.csv", options, Context());
}

TEST(Missing, GapsAreKeptApartFromNumbers) {
  const ReadResult result = read("a,b,word\n1,,x\n2,5,\n?,7,y\n4,9,x\n5,11,y\nNA,NA,NA\n");
  EXPECT_EQ(result.table.columns(), 0U);  // nothing that could be taken for data
  ASSERT_TRUE(result.incomplete);
  const IncompleteTable& table = *result.incomplete;
  EXPECT_EQ(table.rows(), 5U);
  EXPECT_EQ(table.missing_cells(), 3U);
  EXPECT_EQ(table.incomplete_rows(), 3U);
  EXPECT_TRUE(table.is_missing(0, 1));
  EXPECT_TRUE(table.is_missing(1, 2));
  EXPECT_TRUE(table.is_missing(2, 0));
  EXPECT_EQ(table.missing_in(1), 1U);
  EXPECT_EQ(table.started().about(2).type, ColumnType::kBinary);
  EXPECT_EQ(table.started().at(0, 1), 7.0);  // the lower median
  EXPECT_EQ(table.started().at(1, 2), 0.0);  // x, as often as y
  EXPECT_EQ(table.started().at(3, 1), 9.0);
  EXPECT_EQ(result.dropped_rows, 1U);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "empty_rows");
}

TEST(Missing, WithoutGapsTheTableIsThere) {
  const ReadResult result = read("a,b\n1,2\n3,4\n5,7\n");
  EXPECT_FALSE(result.incomplete);
  EXPECT_EQ(result.table.rows(), 3U);
}

TEST(Missing, MoreThanFortyPercentOfAColumnIsAWarning) {
  const ReadResult result = read("a,b\n1,2\n3,\n5,\n7,8\n9,\n");
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "many_missing");
  EXPECT_THAT(result.warnings[0].text, HasSubstr("60 % of 'b'"));
}

TEST(Missing, AColumnWithoutValuesAndTooFewRowsAreRefused) {
  EXPECT_THROW(read("a,b\n1,\n2,\n3,\n"), Error);
  EXPECT_THROW(read("a,b\n1,2\n,\n"), Error);
}

TEST(Missing, TypesAreThoseOfTheKnownCells) {
  const ReadResult result = read("n,p\n3,10%\n1,\n,30%\n2,40%\n1,20%\n3,50%\n2,20%\n");
  ASSERT_TRUE(result.incomplete);
  EXPECT_EQ(result.incomplete->started().about(0).type, ColumnType::kOrdinal);
  EXPECT_EQ(result.incomplete->started().about(1).type, ColumnType::kShare);
  EXPECT_EQ(result.incomplete->started().at(2, 0), 2.0);
}

TEST(Missing, OptionsReadWriteAndRefuse) {
  ReadOptions options = imputing();
  set_read_option(options, "imputations", "8");
  EXPECT_EQ(options.missing, MissingPolicy::kImpute);
  EXPECT_EQ(options.imputations, 8);
  EXPECT_EQ(to_json(options).dump(), R"({"missing":"impute","imputations":8})");
  EXPECT_THROW(set_read_option(options, "missing", "guess"), Error);
  for (const char* wrong : {"0", "-1", "2.5", "many", "1000"})
    EXPECT_THROW(set_read_option(options, "imputations", wrong), Error) << wrong;
}

Task task_with(const std::string& observed) {
  return parse_task(R"({"context": ["a", "b"], "alterable": {"x": [0, 1]}, "outcome": ["y"], "desired": {"y": [0, 1]},
                        "observed": )" +
                        observed + "}",
                    "task");
}

TEST(Missing, UnknownContextValuesNeedToBeAskedFor) {
  const Task task = task_with(R"({"a": 1.5, "b": null})");
  EXPECT_EQ(task.unknown, std::vector<std::string>{"b"});
  EXPECT_EQ(parse_task(to_json(task).dump(), "task").unknown, task.unknown);
  try {
    read_contexts(task, {}, Context());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    EXPECT_EQ(error.remedies().back().option, "unknown");
    EXPECT_EQ(error.remedies().back().value, "draw");
  }
  const auto rows = read_contexts(task, {}, Context(), {}, UnknownPolicy::kDraw);
  EXPECT_EQ(known_context(task, rows.front()), (std::vector<NamedValue>{{"a", 1.5}}));
  // What is typed goes before.
  EXPECT_EQ(read_contexts(task, {{{"b", "2"}}, ""}, Context()).front(), (std::vector<double>{1.5, 2.0}));
  // Nothing at all may be known.
  EXPECT_EQ(known_context(task, read_contexts(task_with("{}"), {}, Context(), {}, UnknownPolicy::kDraw).front()).size(),
            0U);
  EXPECT_THROW(read_contexts(task_with(R"({"a": 1, "c": null})"), {}, Context(), {}, UnknownPolicy::kDraw), Error);
}

TEST(Missing, CellsAndColumnsOfContextsMayLack) {
  const Task task = task_with("{}");
  EXPECT_THROW(parse_contexts(task, "a,b\n1,\n", "c.csv", Context()), Error);
  const auto rows = parse_contexts(task, "a,b\n1,\n2,NA\n3,4\n", "c.csv", Context(), {}, UnknownPolicy::kDraw);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(known_context(task, rows[0]), (std::vector<NamedValue>{{"a", 1.0}}));
  EXPECT_EQ(known_context(task, rows[2]).size(), 2U);
  const auto half = parse_contexts(task, "a,other\n1,2\n", "c.csv", Context(), {}, UnknownPolicy::kDraw);
  EXPECT_EQ(known_context(task, half[0]), (std::vector<NamedValue>{{"a", 1.0}}));
  EXPECT_TRUE(context_warnings(task, std::vector<ColumnSummary>(2, {0.0, 1.0, -1.0, 1.0}), half[0]).empty());
}

}  // namespace
}  // namespace olem::missing_test
