#include "olem/column_types.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "data/column_json.h"
#include "olem/error.h"

namespace olem::column_types_test {
namespace {

using namespace internal;

using Cells = std::vector<double>;

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData) << error.what();
    return error.what();
  }
  return "";
}

// heating 0/1, grade of words in alphabetical order, score real, share percentages.
Table house() {
  Column grade;
  grade.type = ColumnType::kCategory;
  grade.levels = {{0, "fair"}, {1, "good"}, {2, "poor"}};
  grade.reason = "words";
  return {{"heating", "grade", "score"}, {0, 1, 1, 0, 2, 0, 1, 1, -1.5, 2, 7, 3}, "house.csv", {{}, grade, {}}};
}

Column declared(const ColumnDeclaration& declaration) {
  const Table table = declare_columns(house(), std::vector{declaration});
  return table.about(table.index(declaration.name));
}

std::string refusal(const ColumnDeclaration& declaration) {
  return complaint([&] { declare_columns(house(), std::vector{declaration}, "t.json"); });
}

TEST(DeclareColumns, WordsNameTheNumbersOfAColumn) {
  const std::vector<ColumnDeclaration> heating = {{"heating", ColumnType::kBinary, {"off", "on"}, "", "Is it on?"}};
  const Table table = declare_columns(house(), heating);
  const Column& column = table.about(0);
  EXPECT_EQ(column.type, ColumnType::kBinary);
  EXPECT_EQ(column.levels, (std::vector<ColumnLevel>{{0, "off"}, {1, "on"}}));
  EXPECT_EQ(column.label, "Is it on?");
  EXPECT_EQ(column.reason, "declared");
  EXPECT_TRUE(column.declared);
  EXPECT_EQ(Cells(table.column(0).begin(), table.column(0).end()), (Cells{0, 1, 1, 0}));
  EXPECT_EQ(table.about(1), house().about(1)) << "nothing was declared of it";
  const Table again = declare_columns(table, heating);
  EXPECT_EQ(again.about(0), column);
}

TEST(DeclareColumns, LevelsHaveTheOrderOfTheDeclaration) {
  const std::vector<ColumnDeclaration> grade = {{"grade", ColumnType::kOrdinal, {"poor", "fair", "good"}}};
  const Table table = declare_columns(house(), grade);
  EXPECT_EQ(table.about(1).levels, (std::vector<ColumnLevel>{{0, "poor"}, {1, "fair"}, {2, "good"}}));
  EXPECT_EQ(Cells(table.column(1).begin(), table.column(1).end()), (Cells{0, 1, 2, 2})) << "poor, fair, good, good";
  const Table again = declare_columns(table, grade);
  EXPECT_EQ(Cells(again.column(1).begin(), again.column(1).end()), (Cells{0, 1, 2, 2}));
}

TEST(DeclareColumns, ALevelMayHaveNoRow) {
  const Column grade = declared({"grade", ColumnType::kOrdinal, {"awful", "poor", "fair", "good"}});
  EXPECT_EQ(grade.levels, (std::vector<ColumnLevel>{{0, "awful"}, {1, "poor"}, {2, "fair"}, {3, "good"}}));
  const Column heating = declared({"heating", ColumnType::kOrdinal, {"0", "1", "2"}});
  EXPECT_EQ(heating.levels, (std::vector<ColumnLevel>{{0, "0"}, {1, "1"}, {2, "2"}}));
}

TEST(DeclareColumns, TypesWithoutLevelsTakeThoseOfTheData) {
  EXPECT_EQ(declared({"heating", ColumnType::kCategory}).levels, (std::vector<ColumnLevel>{{0, "0"}, {1, "1"}}));
  EXPECT_EQ(declared({"heating", ColumnType::kReal}).levels.size(), 0U);
  EXPECT_EQ(declared({"score", {}, {}, "points"}).unit, "points");
  EXPECT_FALSE(declared({"score", {}, {}, "points"}).declared) << "the unit says nothing about the type";
}

TEST(DeclareColumns, WhatTheDataContradictIsRefusedWithCells) {
  EXPECT_EQ(refusal({"grade", ColumnType::kReal}),
            "t.json: The column 'grade' is declared as real, which are numbers, but row 1 is 'poor', row 2 is 'fair', "
            "row 3 is 'good' and 1 more. Correct the cells, or declare another type.");
  EXPECT_EQ(refusal({"score", ColumnType::kPositive}),
            "t.json: The column 'score' is declared as positive, which are numbers from 0 on, but row 1 is -1.5. "
            "Correct the cells, or declare another type.");
  EXPECT_NE(refusal({"score", ColumnType::kCount}).find("whole numbers from 0 on, but row 1 is -1.5"),
            std::string::npos);
  EXPECT_NE(refusal({"score", ColumnType::kShare}).find("but row 1 is -1.5"), std::string::npos);
  EXPECT_EQ(refusal({"score", ColumnType::kBinary}),
            "t.json: The column 'score' is declared as binary, but has 4 levels: -1.5, 2, 3 and 7. Declare it as "
            "ordinal or category.");
  EXPECT_EQ(refusal({"grade", ColumnType::kOrdinal, {"poor", "good"}}),
            "t.json: The column 'grade' is declared with the levels poor and good, but row 2 is 'fair'. Correct the "
            "cells, or declare their levels too.");
  EXPECT_EQ(refusal({"heating", ColumnType::kOrdinal, {"cold", "warm", "hot"}}),
            "t.json: The column 'heating' is declared with 3 levels, but holds 2 distinct numbers: 0 and 1. Give one "
            "level for each number, the least first.");
  EXPECT_NE(refusal({"heating", ColumnType::kOrdinal, {"1", "0"}}).find("numbers that do not ascend"),
            std::string::npos);
  EXPECT_NE(refusal({"heating", ColumnType::kOrdinal, {"0", "1", "1.0"}}).find("is declared twice"), std::string::npos);
  EXPECT_NE(refusal({"score", {}, {"low", "high"}}).find("Declare its type too"), std::string::npos);
  EXPECT_EQ(refusal({"heeting", ColumnType::kBinary}),
            "t.json: There is no column 'heeting', which \"columns\" names, in house.csv. Did you mean 'heating'?");
}

TEST(DeclareColumns, ColumnsThatWereLeftOutMayBeDeclared) {
  const std::vector<std::string> left_out = {"id"};
  EXPECT_EQ(complaint([&] {
              declare_columns(house(), std::vector{ColumnDeclaration{"id", ColumnType::kCategory}}, "", left_out);
            }),
            "");
}

TEST(ColumnValue, IsALevelOrANumber) {
  const Column heating = declared({"heating", ColumnType::kBinary, {"off", "on"}});
  EXPECT_EQ(column_value(heating, "on"), 1.0);
  EXPECT_EQ(column_value(heating, "0"), 0.0);
  EXPECT_EQ(column_value(heating, 1.0), 1.0);
  EXPECT_EQ(column_value(heating, "0.46"), std::nullopt) << "no value of a binary column";
  EXPECT_EQ(column_value(heating, "warm"), std::nullopt);
  EXPECT_EQ(levels_sentence(heating, "onn"), "Its levels are off and on. Did you mean 'on'?");
  EXPECT_EQ(levels_sentence(heating, "x"), "Its levels are off and on.");
  Column winds;
  winds.type = ColumnType::kBinary;
  winds.levels = {{0.0, "N"}, {1.0, "S"}};
  EXPECT_EQ(levels_sentence(winds, "E"), "Its levels are N and S.") << "nothing of the word is in the level";
  const Column score;
  EXPECT_EQ(column_value(score, "-3.5"), -3.5);
  EXPECT_EQ(column_value(score, "high"), std::nullopt);
  EXPECT_EQ(levels_sentence(score, "high"), "");
  // A number between or beyond the numbers of an ordinal column is a value that its models can take.
  EXPECT_EQ(column_value(declared({"heating", ColumnType::kOrdinal}), "1.5"), 1.5);
  EXPECT_EQ(column_value(declared({"heating", ColumnType::kCategory}), "2"), std::nullopt);
}

TEST(ColumnTypesJson, ReadsBack) {
  const Table table = declare_columns(
      house(), std::vector<ColumnDeclaration>{{"heating", ColumnType::kBinary, {"off", "on"}, "", "Heating"},
                                              {"score", ColumnType::kReal, {}, "points"}});
  const Json json = column_types_json(named_columns(table));
  EXPECT_EQ(json.dump(),
            R"({"heating":{"type":"binary","levels":{"off":0.0,"on":1.0},"label":"Heating","reason":"declared",)"
            R"("declared":true},"grade":{"type":"category","levels":{"fair":0.0,"good":1.0,"poor":2.0},)"
            R"("reason":"words","declared":false},"score":{"type":"real","unit":"points","reason":"declared",)"
            R"("declared":true}})");
  const std::string source = "r.json";
  const std::vector<NamedColumn> read = read_column_types(JsonPart(json, source));
  ASSERT_EQ(read.size(), 3U);
  for (std::size_t j = 0; j < read.size(); ++j) EXPECT_EQ(read[j].about, table.about(j));
  EXPECT_EQ(about_column(read, "nothing"), Column());
  Json values = {{"heating", 1.0}, {"score", 1.0}, {"grade", nullptr}, {"other", 2}};
  name_levels(values, read);
  EXPECT_EQ(values.dump(), R"({"heating":"on","score":1.0,"grade":null,"other":2.0})");
}

TEST(ColumnTypesJson, NonsenseIsRefused) {
  const std::string source = "r.json";
  for (const char* const text :
       {R"({"a": {"type": "colour", "reason": "", "declared": false}})",
        R"({"a": {"type": "real", "levels": {"x": 1}, "reason": "", "declared": false}})",
        R"({"a": {"type": "binary", "levels": {"x": 1, "y": 0}, "reason": "", "declared": false}})", R"({"a": 3})"}) {
    const Json json = Json::parse(text);
    EXPECT_NE(complaint([&] { read_column_types(JsonPart(json, source)); }), "") << text;
  }
}

}  // namespace
}  // namespace olem::column_types_test
