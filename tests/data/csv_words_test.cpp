#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/table.h"

namespace olem::csv_words_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ReadOptions with(const std::vector<std::pair<std::string, std::string>>& keys) {
  ReadOptions options;
  for (const auto& [key, text] : keys) set_read_option(options, key, text);
  return options;
}

ReadResult read(std::string_view text, const ReadOptions& options = {}) {
  return read_csv_text(text, "d.csv", options, Context());
}

// A table of one column `x` beside a column of numbers.
std::string table_of(const std::vector<std::string>& cells) {
  std::string text = "x;n\n";
  for (std::size_t i = 0; i < cells.size(); ++i) text += fmt::format("{};{}.5\n", cells[i], i);
  return text;
}

struct Seen {
  std::vector<double> values;
  std::string type;
  std::vector<std::string> levels;
  std::string unit;
};

Seen seen(const std::vector<std::string>& cells, const ReadOptions& options = {}) {
  const Table table = read(table_of(cells), options).table;
  Seen result;
  result.values.assign(table.column(0).begin(), table.column(0).end());
  result.type = column_type_name(table.about(0).type);
  for (const ColumnLevel& level : table.about(0).levels) {
    if (has_words(table.about(0))) {
      EXPECT_EQ(level.value, static_cast<double>(result.levels.size()));
    }
    result.levels.push_back(level.name);
  }
  result.unit = table.about(0).unit;
  return result;
}

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

TEST(CsvWords, become_levels_in_alphabetical_order) {
  const Seen result = seen({"south", " north", "\"west, or so\"", "north ", "south", "\"west, or so\""});
  EXPECT_EQ(result.type, "category");
  EXPECT_THAT(result.levels, ElementsAre("north", "south", "west, or so"));
  EXPECT_THAT(result.values, ElementsAre(1, 0, 2, 0, 1, 2));
  EXPECT_THAT(seen({"b\"\"c", "\"b\"\"c\"", "a", "a", "\"b\"\"c\"", "b\"\"c"}).levels,
              ElementsAre("a", "b\"\"c", "b\"c"));
}

TEST(CsvWords, booleans_are_levels_however_rare) {
  const Seen result = seen({"FALSE", "false", "True"});
  EXPECT_EQ(result.type, "binary");
  EXPECT_THAT(result.levels, ElementsAre("false", "true"));
  EXPECT_THAT(result.values, ElementsAre(0, 0, 1));
  EXPECT_THAT(seen({"true", "true", "TRUE"}).values, ElementsAre(1, 1, 1));
}

TEST(CsvWords, two_words_are_binary_with_no_before_yes) {
  for (const auto& [no, yes] : std::vector<std::pair<std::string, std::string>>{
           {"no", "Yes"}, {"OFF", "on"}, {"nein", "ja"}, {"female", "male"}, {"n", "Y"}, {"absent", "present"}}) {
    const Seen result = seen({yes, no, no, yes});
    EXPECT_EQ(result.type, "binary");
    EXPECT_THAT(result.levels, ElementsAre(no, yes));
    EXPECT_THAT(result.values, ElementsAre(1, 0, 0, 1));
  }
}

TEST(CsvWords, truth_values_have_one_spelling) {
  for (const auto& [no, yes] : std::vector<std::pair<std::string, std::string>>{
           {"FALSE", "TRUE"}, {"False", "True"}, {"false", "true"}, {"FALSCH", "WAHR"}, {"FAUX", "VRAI"}}) {
    const Seen result = seen({yes, no, no, yes, "true", "FALSE"});
    EXPECT_THAT(result.levels, ElementsAre("false", "true"));
    EXPECT_THAT(result.values, ElementsAre(1, 0, 0, 1, 1, 0));
  }
}

TEST(CsvWords, far_below_numbers_are_found_too) {
  std::vector<std::string> cells(1000, "7");
  cells.emplace_back("hot");
  EXPECT_THAT(failure(table_of(cells)), HasSubstr("d.csv, line 1002, column 'x' (1): 'hot' is not a number"));
  EXPECT_EQ(seen(cells, with({{"na", "hot"}, {"missing", "drop"}})).values.size(), 1000U);
  const Seen levels = seen(cells, with({{"type", "x=binary"}}));
  EXPECT_THAT(levels.levels, ElementsAre("7", "hot"));
  EXPECT_EQ(levels.values[1000], 1.0);
}

TEST(CsvWords, fifty_levels_are_the_most) {
  std::vector<std::string> cells;
  for (int i = 0; i < 200; ++i) cells.push_back(fmt::format("level{:02}", i % 50));
  EXPECT_EQ(seen(cells).levels.size(), 50U);
  for (int i = 0; i < 200; ++i) cells[static_cast<std::size_t>(i)] = fmt::format("level{:02}", i % 51);
  EXPECT_THAT(failure(table_of(cells)),
              AllOf(HasSubstr("Column 'x' (1) holds text with 51 different values in 200 rows"),
                    HasSubstr("type = \"x=category\""), HasSubstr("drop_columns = \"x\"")));
  EXPECT_EQ(seen(cells, with({{"type", "x=category"}})).levels.size(), 51U);
}

TEST(CsvWords, a_level_occurs_twice) {
  EXPECT_THAT(failure(table_of({"a", "a", "b", "b", "c", "a", "b"})),
              AllOf(HasSubstr("holds text with 3 different values, of which 1 occurs only once: 'c' (line 6)"),
                    HasSubstr("type = \"x=category\"")));
  EXPECT_EQ(seen({"a", "a", "b", "b", "c", "a"}, with({{"type", "x=category"}})).levels.size(), 3U);
  // What counts are the rows that are left.
  const std::string text = "x;n\na;1\na;2\nb;3\nb;\na;5\n";
  EXPECT_THAT(failure(text), HasSubstr("1 cell in 1 row is missing"));
  EXPECT_THAT(failure(text, with({{"missing", "drop"}})), HasSubstr("'b' (line 4)"));
}

TEST(CsvWords, identifiers_and_free_text_are_refused_all_at_once) {
  std::string text = "name;city;n;when;mixed\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("person {};{};{}.5;2021-01-{:02};{}\n", i, i % 2 == 0 ? "Kiel" : "Bonn", i, i % 97,
                        i % 40 == 7 ? "<0.5" : "1.5");
  const std::string message = failure(text);
  EXPECT_THAT(message, AllOf(HasSubstr("d.csv: 3 columns are neither numbers nor levels."),
                             HasSubstr("Column 'name' (1) holds text with 100 different values in 100 rows: 'person 0' "
                                       "(line 2), 'person 1' (line 3)"),
                             HasSubstr("Column 'when' (4) holds text with 97 different values in 100 rows"),
                             HasSubstr("Column 'mixed' (5) holds 97 numbers and 3 other cells: '<0.5' (line 9)")));
  EXPECT_THAT(message, AllOf(HasSubstr("drop_columns = \"name,when,mixed\""), HasSubstr("na = \"<0.5\""),
                             Not(HasSubstr("city")), Not(HasSubstr("name=category"))));
  const Table table = read(text, with({{"drop_columns", "name,when,mixed"}})).table;
  EXPECT_THAT(table.names(), ElementsAre("city", "n"));
}

TEST(CsvWords, a_column_of_a_million_words_is_bounded) {
  std::string text = "x;n\n";
  for (int i = 0; i < 20000; ++i) text += fmt::format("w{};{}\n", i, i);
  EXPECT_THAT(failure(text), HasSubstr("more than 1000 different values"));
  EXPECT_THAT(failure(text, with({{"type", "x=category"}})), HasSubstr("more different words than the 1000"));
}

TEST(CsvWords, numbers_and_words_are_no_levels_by_themselves) {
  const std::vector<std::string> cells = {"1.5", "2.5", "n/a-ish", "1.5", "<0.5", "2.5", "n/a-ish"};
  EXPECT_THAT(
      failure(table_of(cells)),
      AllOf(HasSubstr("d.csv: Column 'x' (1) holds 4 numbers and 3 other cells: 'n/a-ish' (line 4), '<0.5' (line 6)"),
            HasSubstr("na = \"<0.5,n/a-ish\""), HasSubstr("type = \"x=category\""), HasSubstr("drop_columns = \"x\"")));
  EXPECT_THAT(seen(cells, with({{"na", "<0.5,n/a-ish"}, {"missing", "drop"}})).values, ElementsAre(1.5, 2.5, 1.5, 2.5));
  const Seen levels = seen(cells, with({{"type", "x=category"}}));
  EXPECT_THAT(levels.levels, ElementsAre("1.5", "2.5", "<0.5", "n/a-ish"));
  EXPECT_THAT(levels.values, ElementsAre(0, 1, 3, 0, 2, 1, 3));
  EXPECT_THAT(failure(table_of({"a", "b", "a", "b"}), with({{"type", "x=real"}})), HasSubstr("holds text"));
}

TEST(CsvWords, percent_signs_make_a_share) {
  const Seen result = seen({"45 %", "100%", "0.5 %", "\"12\xC2\xA0%\""});
  EXPECT_EQ(result.type, "share");
  EXPECT_EQ(result.unit, "%");
  EXPECT_THAT(result.values, ElementsAre(45, 100, 0.5, 12));
  EXPECT_TRUE(result.levels.empty());
  EXPECT_EQ(seen({"-5 %", "120 %", "3 %"}).type, "real");
  EXPECT_THAT(failure(table_of({"45 %", "0.5", "12 %"})),
              HasSubstr("holds 2 numbers with a percent sign ('45 %' (line 2), '12 %' (line 4)) and 1 without"));
  EXPECT_EQ(seen({"45 %", "NA", "12 %", "3 %"}, with({{"missing", "drop"}})).unit, "%");
}

TEST(CsvWords, missing_values_may_have_names) {
  EXPECT_THAT(failure(table_of({"1", "-999", "3"}), with({{"na", "-999"}})), HasSubstr("line 3, column 'x' (1)"));
  EXPECT_THAT(seen({"1", "-999.0", "3", "5"}, with({{"na", "-999"}, {"missing", "drop"}})).values,
              ElementsAre(1, 3, 5));
  EXPECT_THAT(seen({"a", "unknown", "b", "a", "b"}, with({{"na", "unknown"}, {"missing", "drop"}})).levels,
              ElementsAre("a", "b"));
}

TEST(CsvWords, types_can_be_declared) {
  const auto type_of = [](const std::vector<std::string>& cells, const std::string& type) {
    const Table table = read(table_of(cells), with({{"type", type}})).table;
    EXPECT_TRUE(table.about(0).declared);
    return table.about(0);
  };
  const std::vector<std::string> codes = {"1", "2", "3", "1", "2", "3"};
  EXPECT_EQ(type_of(codes, "x=category").type, ColumnType::kCategory);
  EXPECT_EQ(type_of(codes, "x=category").levels.size(), 3U);
  EXPECT_EQ(type_of(codes, "x=category").levels[2].value, 3.0);
  EXPECT_EQ(type_of(codes, "x=count").type, ColumnType::kCount);
  EXPECT_TRUE(type_of(codes, "x=real").levels.empty());
  EXPECT_EQ(type_of({"0.5", "50", "100"}, "x=share").unit, "%");
  EXPECT_EQ(type_of({"0.5", "0.25", "1"}, "x=share").unit, "");
  EXPECT_EQ(type_of(codes, "x=ordinal:1,2,3,4").levels.size(), 4U);

  const Seen grades = seen({"good", "poor", "fair", "good"}, with({{"type", "x=ordinal:poor,fair,good"}}));
  EXPECT_EQ(grades.type, "ordinal");
  EXPECT_THAT(grades.levels, ElementsAre("poor", "fair", "good"));
  EXPECT_THAT(grades.values, ElementsAre(2, 0, 1, 2));
}

TEST(CsvWords, types_that_do_not_fit_are_refused) {
  const auto refusal = [](const std::vector<std::string>& cells, const std::string& type) {
    return failure(table_of(cells), with({{"type", type}}), ErrorCategory::kUsage);
  };
  EXPECT_THAT(refusal({"1", "2"}, "y=real"), HasSubstr("type: d.csv has no column 'y'"));
  EXPECT_THAT(refusal({"1", "2", "3"}, "x=binary"),
              HasSubstr("Column 'x' cannot be binary: it has 3 different values"));
  EXPECT_THAT(refusal({"1", "-2", "3"}, "x=positive"), HasSubstr("it holds -2"));
  EXPECT_THAT(refusal({"1", "2.5", "3"}, "x=count"), HasSubstr("it holds fractions"));
  EXPECT_THAT(refusal({"1", "2.5", "101"}, "x=share"), HasSubstr("it holds 101"));
  EXPECT_THAT(refusal({"low", "high", "mid"}, "x=ordinal"), AllOf(HasSubstr("order of the levels of 'x' is not known"),
                                                                  HasSubstr("type = \"x=ordinal:high,low,mid\"")));
  EXPECT_THAT(refusal({"low", "high", "mid"}, "x=ordinal:low,high"),
              HasSubstr("'mid' (line 4) is not among the levels"));
  EXPECT_THAT(refusal({"low", "high", "mid"}, "x=ordinal:low,mid,high,low"), HasSubstr("'low' is named twice"));
  EXPECT_THAT(refusal({"1", "2", "3"}, "x=ordinal:1,2"), HasSubstr("3 is not among its levels"));
}

TEST(CsvWords, a_declared_level_is_one_whatever_the_word) {
  const std::vector<std::string> pain = {"none", "low", "none", "high", "low", "high"};
  const std::string message = failure(table_of(pain));
  EXPECT_THAT(message,
              AllOf(HasSubstr("2 cells in 2 rows are missing"), HasSubstr("In 'x' the word 'none' counts as missing."),
                    HasSubstr("type = \"x=category:high,low,none\"")));
  const Seen levels = seen(pain, with({{"type", "x=category:high,low,none"}}));
  EXPECT_THAT(levels.levels, ElementsAre("high", "low", "none"));
  EXPECT_THAT(levels.values, ElementsAre(2, 1, 2, 0, 1, 0));
  // Unless the user says that it is missing all the same, and never for an empty cell.
  EXPECT_THAT(failure(table_of(pain), with({{"type", "x=category:high,low,none"}, {"na", "none"}})),
              HasSubstr("2 cells in 2 rows are missing"));
  EXPECT_THAT(failure(table_of({"none", "low", "", "none", "low"}), with({{"type", "x=binary:none,low"}})),
              HasSubstr("1 cell in 1 row is missing"));
  EXPECT_THAT(seen({"1", "none", "2", "1"}, with({{"type", "x=ordinal:none,1,2"}})).values, ElementsAre(1, 0, 2, 1));
  // Among numbers it is what it always was.
  EXPECT_THAT(failure(table_of({"1.5", "none", "2.5"})), Not(HasSubstr("the word")));
}

TEST(CsvWords, what_the_words_are_is_said) {
  std::vector<std::string> cells;
  for (int i = 0; i < 60; ++i) cells.push_back(fmt::format("2023-{:02}-{:02}", 1 + i % 12, 1 + i % 28));
  EXPECT_THAT(failure(table_of(cells)),
              AllOf(HasSubstr("Column 'x' (1) holds dates or times: '2023-01-01' (line 2)"),
                    HasSubstr("as a number, such as an age, a month or a count of days"), Not(HasSubstr("category"))));
  cells.clear();
  for (int i = 0; i < 60; ++i) cells.push_back(fmt::format("\"${},{:03}.50\"", 1 + i % 9, i));
  EXPECT_THAT(failure(table_of(cells)),
              AllOf(HasSubstr("holds numbers with something around them: '$1,000.50' (line 2)"),
                    HasSubstr("Write these numbers alone"), Not(HasSubstr("category"))));
  EXPECT_THAT(failure(table_of({"1.5", "\u22122.5", "\u22123.5", "4.5"})),
              AllOf(HasSubstr("holds 2 numbers and 2 other cells"), HasSubstr("with - for minus"),
                    Not(HasSubstr("na = ")), Not(HasSubstr("category"))));
  EXPECT_THAT(failure(table_of({"TRUE", "0", "1", "FALSE"})),
              AllOf(HasSubstr("Write truth values in one way"), Not(HasSubstr("na = "))));
}

TEST(CsvWords, a_last_row_may_be_a_total) {
  const std::string advice = "Leave the last row out, if it is a total";
  EXPECT_THAT(failure("x;n\na;1\nb;2\na;3\nb;4\nTotal;10\n"),
              AllOf(HasSubstr("'Total' (line 6)"), HasSubstr(advice), HasSubstr("skip_lines = 6")));
  EXPECT_THAT(failure("n;x\n1;2\n3;4\n5;6\nTotal;12\n"), HasSubstr("skip_lines = 5"));
  EXPECT_THAT(failure("x;n\na;1\nb;2\na;3\nb;4\n;10\n"), AllOf(HasSubstr("1 cell in 1 row"), HasSubstr(advice)));
  EXPECT_THAT(failure("x;n\na;1\nTotal;2\na;3\nb;4\nb;10\n"), Not(HasSubstr(advice)));
  EXPECT_THAT(failure("x;n\na;1\n;2\na;3\nb;4\nb;10\n"), Not(HasSubstr(advice)));
}

TEST(CsvWords, words_in_latin_1_are_named) {
  EXPECT_THAT(failure("x;n\ncaf\xE9;1\ncaf\xE9;2\n"),
              AllOf(HasSubstr("d.csv, line 2, column 'x' (1): 'caf\\xE9' is not valid UTF-8"), HasSubstr("Latin-1"),
                    HasSubstr("iconv")));
}

TEST(ReadOptions, are_set_and_shown_as_text) {
  const ReadOptions options = with({{"delimiter", "tab"},
                                    {"decimal", ","},
                                    {"no_header", "true"},
                                    {"skip_lines", "1-3, 7"},
                                    {"comment", "//"},
                                    {"missing", "drop"},
                                    {"na", "-999,\"a, b\""},
                                    {"columns", "x,y"},
                                    {"drop_columns", "z"},
                                    {"type", "a=b=category"},
                                    {"type", "x=ordinal:low,high"}});
  EXPECT_EQ(options.delimiter, '\t');
  EXPECT_EQ(options.skip_lines, (std::vector<LineRange>{{1, 3}, {7, 7}}));
  EXPECT_THAT(options.na, ElementsAre("-999", "a, b"));
  EXPECT_EQ(options.types[0].name, "a=b");
  EXPECT_THAT(options.types[1].levels, ElementsAre("low", "high"));
  ReadOptions again;
  const Json json = to_json(options);
  for (const auto& [key, value] : json.items()) {
    if (value.is_array()) {
      for (const auto& text : value) set_read_option(again, key, text.get<std::string>());
    } else {
      set_read_option(again, key, value.is_boolean() ? "true" : value.get<std::string>());
    }
  }
  EXPECT_EQ(again, options);
  EXPECT_TRUE(to_json(ReadOptions()).empty());
}

TEST(ReadOptions, texts_that_mean_nothing_are_refused) {
  const auto refusal = [](const std::string& key, const std::string& text) {
    try {
      with({{key, text}});
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kUsage);
      return std::string(error.what());
    }
    ADD_FAILURE() << key << " took " << text;
    return std::string();
  };
  EXPECT_THAT(refusal("delimiter", ";;"), HasSubstr("not a single character"));
  EXPECT_THAT(refusal("decimal", ";"), HasSubstr("neither a point nor a comma"));
  EXPECT_THAT(refusal("header", "maybe"), HasSubstr("neither true nor false"));
  for (const std::string lines : {"0", "x", "3-1", "1--2", "-1", "1,,2"})
    EXPECT_THAT(refusal("skip_lines", lines), HasSubstr("skip_lines: ")) << lines;
  EXPECT_THAT(refusal("missing", "keep"), HasSubstr("neither error, drop nor impute"));
  EXPECT_THAT(refusal("type", "x"), HasSubstr("such as vendor=category"));
  EXPECT_THAT(refusal("type", "x=catgory"), HasSubstr("Did you mean 'category'?"));
  EXPECT_THAT(refusal("type", "x=real:a,b"), HasSubstr("real columns have none"));
  EXPECT_THAT(refusal("na", "a,,b"), HasSubstr("not a list of words"));
  EXPECT_THAT(refusal("delimeter", ","), HasSubstr("Did you mean 'delimiter'?"));
}

}  // namespace
}  // namespace olem::csv_words_test
