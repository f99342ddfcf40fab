#include "olem/data_check.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/column_profile.h"
#include "olem/error.h"
#include "olem/random.h"
#include "support/datasets.h"
#include "support/process.h"

namespace olem::data_check_test {

using namespace internal;
namespace {

using Names = std::vector<std::string>;

// 200 rows of independent standard normals, columns x0, x1, x2, with columns of our own behind them.
class Builder {
 public:
  explicit Builder(std::size_t rows = 200) : rows_(rows) {
    const Table base = test::normal_table(rows, 3, 1);
    names_ = base.names();
    values_.assign(base.values().begin(), base.values().end());
  }
  Builder& add(const std::string& name, const std::function<double(std::size_t)>& cell) {
    names_.push_back(name);
    for (std::size_t i = 0; i < rows_; ++i) values_.push_back(cell(i));
    return *this;
  }
  double base(std::size_t row, std::size_t column) const { return values_[column * rows_ + row]; }
  Table table() const { return {names_, values_, "built.csv"}; }

 private:
  std::size_t rows_;
  Names names_;
  std::vector<double> values_;
};

Names codes(const std::vector<Problem>& problems) {
  Names result;
  for (const Problem& problem : problems) result.push_back(problem.code);
  return result;
}

Problem only_problem(const Table& table) {
  const std::vector<Problem> problems = check_table(table, {});
  EXPECT_EQ(problems.size(), 1U) << ::testing::PrintToString(codes(problems));
  return problems.empty() ? Problem{} : problems.front();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CheckTable, FindsNothingWrongWithGoodData) {
  EXPECT_TRUE(check_table(test::ka5(), {}).empty());
  EXPECT_TRUE(check_table(test::normal_table(50, 3, 1), {}).empty());
}

TEST(CheckTable, ConstantMeansExactlyConstant) {
  Builder builder;
  builder.add("same", [](std::size_t) { return 0.1; });
  builder.add("zero", [](std::size_t i) { return i % 2 == 0 ? 0.0 : -0.0; });
  const Problem problem = only_problem(builder.table());
  EXPECT_EQ(problem.severity, Severity::kError);
  EXPECT_EQ(problem.code, "constant");
  EXPECT_EQ(
      problem.text,
      "2 columns are constant: 'same' (always 0.1), 'zero' (always 0). A column that never changes has no place in an "
      "order.");
  EXPECT_EQ(problem.columns, (Names{"same", "zero"}));
  ASSERT_EQ(problem.remedies.size(), 2U);
  EXPECT_EQ(problem.remedies[0].option, "drop_columns");
  EXPECT_EQ(problem.remedies[1].option, "constant");
  EXPECT_EQ(problem.remedies[1].value, "drop");

  // One unit in the last place of one cell is a difference.
  Builder nearly;
  nearly.add("nearly", [](std::size_t i) { return i == 7 ? std::nextafter(1e10, 2e10) : 1e10; });
  EXPECT_FALSE(std::ranges::count(codes(check_table(nearly.table(), {})), "constant"));
}

TEST(CheckTable, NamesCopiesWithTheirFormula) {
  Builder builder;
  builder.add("again", [&](std::size_t i) { return builder.base(i, 0); });
  builder.add("inches", [&](std::size_t i) { return -builder.base(i, 1) / 2.54; });
  builder.add("fahrenheit", [&](std::size_t i) { return 1.8 * builder.base(i, 2) + 32.0; });
  const std::vector<Problem> problems = check_table(builder.table(), {});
  ASSERT_EQ(codes(problems), (Names{"equal", "proportional", "affine"}));
  for (const Problem& problem : problems) EXPECT_EQ(problem.severity, Severity::kError);
  EXPECT_EQ(problems[0].text, "Column 'again' equals column 'x0'.");
  EXPECT_EQ(problems[0].columns, (Names{"x0", "again"}));
  EXPECT_EQ(problems[1].text, "Column 'inches' is -0.393701 times column 'x1'.");
  EXPECT_EQ(problems[2].text, "Column 'fahrenheit' is 1.8 times column 'x2' plus 32.");
}

TEST(CheckTable, CopiesAreCorrelationsWithin1e12OfOne) {
  // y = x + s e with independent unit e has 1 - correlation of about s^2 / 2: 1e-12 at s = 1.41e-6.
  const auto copies = [](double noise) {
    Builder builder(2000);
    builder.add("y", [&](std::size_t i) { return builder.base(i, 0) + noise * builder.base(i, 1); });
    return std::ranges::count(check_table(builder.table(), {}), Severity::kError, &Problem::severity);
  };
  EXPECT_EQ(copies(1.2e-6), 1);
  EXPECT_EQ(copies(1.7e-6), 0);
}

TEST(CheckTable, FindsCopiesThatVaryLittleAroundALargeNumber) {
  Builder builder;
  builder.add("level", [&](std::size_t i) { return 1e9 + builder.base(i, 0); });
  builder.add("other", [&](std::size_t i) { return 1e9 + builder.base(i, 1) + builder.base(i, 2); });
  const std::vector<Problem> problems = check_table(builder.table(), {});
  ASSERT_EQ(codes(problems), (Names{"affine", "derived"}));
  EXPECT_EQ(problems[0].columns, (Names{"x0", "level"}));
  EXPECT_EQ(problems[1].columns, Names{"other"});
}

TEST(CheckTable, FindsCopiesAtTheEndsOfTheNumberRange) {
  Builder builder;
  builder.add("huge", [&](std::size_t i) { return 1e307 * builder.base(i, 0); });
  builder.add("tiny", [&](std::size_t i) { return std::ldexp(builder.base(i, 1), -1000); });
  const std::vector<Problem> problems = check_table(builder.table(), {});
  EXPECT_EQ(codes(problems), (Names{"proportional", "proportional", "scales"}));
}

TEST(CheckTable, EachCopyIsReportedOnceWithTheFirstOriginal) {
  Builder builder;
  for (int copy = 0; copy < 5; ++copy) {
    builder.add("copy" + std::to_string(copy), [&](std::size_t i) { return 2.0 * builder.base(i, 1) + copy; });
  }
  const std::vector<Problem> problems = check_table(builder.table(), {});
  ASSERT_EQ(problems.size(), 5U);
  for (const Problem& problem : problems) EXPECT_EQ(problem.columns.front(), "x1");
}

TEST(CheckTable, TwoRowsSayNothingAboutLines) {
  const Table table({"a", "b", "c"}, {1, 2, 5, 9, 3, 6});
  const std::vector<Problem> problems = check_table(table, {});
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].text, "Column 'c' is 3 times column 'a'.");
  EXPECT_EQ(std::ranges::count(codes(problems), "affine"), 0);
}

TEST(CheckTable, GivesTheShareOfRowsWithATwin) {
  const auto problem = [](std::size_t rows, std::size_t repeated) {
    const Table table = test::normal_table(rows, 3, 1);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < rows; ++i) chosen.push_back(i < repeated ? rows - 1 : i);
    return only_problem(table.with_rows(chosen));
  };
  // The last row and its repetitions are all twins.
  const Problem some = problem(200, 5);
  EXPECT_EQ(some.severity, Severity::kWarning);
  EXPECT_EQ(some.code, "repeated_rows");
  EXPECT_TRUE(some.text.starts_with("5 rows repeat an earlier row. 3 % of the rows (6 of 200) have an identical twin"))
      << some.text;
  EXPECT_EQ(problem(400, 1).severity, Severity::kNote);
  EXPECT_EQ(problem(400, 1).text.substr(0, 13), "1 row repeats");
  EXPECT_EQ(problem(200, 90).severity, Severity::kWarning);
  EXPECT_EQ(problem(200, 99).severity, Severity::kWarning);
  EXPECT_EQ(problem(200, 100).severity, Severity::kStrongWarning);
}

TEST(CheckTable, ADiscreteColumnIsNoFault) {
  Builder builder;
  builder.add("switch", [](std::size_t i) { return i % 3 == 0 ? 1.0 : 0.0; });
  builder.add("ten", [](std::size_t i) { return static_cast<double>(i * i % 199 % 10); });
  builder.add("twelve", [](std::size_t i) { return static_cast<double>(i * i * i % 197 % 12); });
  EXPECT_EQ(codes(check_table(builder.table(), {})), Names{});
}

TEST(CheckTable, FewRowsDoNotMakeAColumnDiscrete) {
  EXPECT_EQ(codes(check_table(test::normal_table(8, 3, 1), {})), Names{"few_rows"});
}

TEST(CheckTable, RoundingIsANote) {
  const auto rounded_to = [](double step) {
    Builder builder(1000);
    builder.add("y",
                [&](std::size_t i) { return step * std::round((builder.base(i, 0) + builder.base(i, 1)) / step); });
    return only_problem(builder.table());
  };
  EXPECT_EQ(rounded_to(0.01).code, "rounded");
  EXPECT_EQ(rounded_to(0.01).severity, Severity::kNote);
  EXPECT_EQ(rounded_to(0.1).severity, Severity::kNote);
}

// Sachs et al. (2005): 853 cells, 11 proteins with 249 to 367 distinct values each.
Table sachs() {
  std::istringstream file(test::read_text(test::source_path("data/sachs/sachs.csv")));
  std::string line;
  std::getline(file, line);
  Names names;
  std::istringstream header(line);
  for (std::string name; std::getline(header, name, ',');) names.push_back(name);
  std::vector<std::vector<double>> columns(names.size());
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (auto& column : columns) {
      std::getline(cells, cell, ',');
      column.push_back(std::stod(cell));
    }
  }
  std::vector<double> values;
  for (const auto& column : columns) values.insert(values.end(), column.begin(), column.end());
  return {names, values, "sachs.csv"};
}

TEST(CheckTable, RoundingInTheSachsDataIsOneNote) {
  const Table table = sachs();
  ASSERT_EQ(table.rows(), 853U);
  const Problem problem = only_problem(table);
  EXPECT_EQ(problem.severity, Severity::kNote);
  EXPECT_EQ(problem.code, "rounded");
  EXPECT_EQ(problem.columns, table.names());
  EXPECT_TRUE(contains(problem.text, "the fewest, 249")) << problem.text;
  EXPECT_TRUE(prepare_table(table, ConstantPolicy::kError, {}).warnings.empty());
}

TEST(CheckTable, NotesWholeNumbersThatNeverRepeat) {
  // Far apart, so that a quantity such as an income would not repeat either; squares modulo 1103 are all different
  // here.
  const Problem note =
      only_problem(Builder()
                       .add("customer", [](std::size_t i) { return static_cast<double>((i + 200) * (i + 200) % 1103); })
                       .table());
  EXPECT_EQ(note.code, "unique_numbers");
  EXPECT_EQ(note.severity, Severity::kNote);
  EXPECT_EQ(note.columns, Names{"customer"});
  ASSERT_EQ(note.remedies.size(), 1U);
  EXPECT_EQ(note.remedies[0].option, "drop_columns");
}

TEST(CheckTable, NotesScalesThatDiffer) {
  const auto with_scale = [](double scale) {
    Builder builder;
    RandomStream random(3, "scales");
    builder.add("y",
                [&](std::size_t i) { return scale * (builder.base(i, 0) + builder.base(i, 1) + random.normal()); });
    return check_table(builder.table(), {});
  };
  EXPECT_EQ(codes(with_scale(500.0)), Names{});
  const std::vector<Problem> far = with_scale(5000.0);
  ASSERT_EQ(codes(far), Names{"scales"});
  EXPECT_EQ(far[0].severity, Severity::kNote);
  EXPECT_EQ(far[0].columns.back(), "y");
  EXPECT_EQ(with_scale(1e-5)[0].columns.front(), "y");
  EXPECT_EQ(with_scale(1e305)[0].code, "scales");
}

TEST(CheckTable, WarnsOfTooFewRows) {
  EXPECT_EQ(only_problem(Table({"a", "b"}, {})).text, "The table has 0 rows, but at least 2 are needed.");
  const Problem one = only_problem(Table({"a", "b"}, {1, 2}));
  EXPECT_EQ(one.severity, Severity::kError);
  EXPECT_EQ(one.code, "few_rows");
  EXPECT_EQ(only_problem(test::normal_table(49, 3, 1)).code, "few_rows");
  EXPECT_EQ(only_problem(test::normal_table(60, 61, 1)).code, "rows_below_columns");
  EXPECT_TRUE(check_table(test::normal_table(60, 60, 1), {}).empty());
}

TEST(CheckTable, ASingleColumnHasATrivialOrder) {
  const Problem problem = only_problem(test::normal_table(100, 1, 1));
  EXPECT_EQ(problem.code, "single_column");
  EXPECT_EQ(problem.severity, Severity::kWarning);
}

TEST(CheckTable, TheWorstComesFirst) {
  Builder builder(40);
  builder.add("constant", [](std::size_t) { return 1.0; });
  builder.add("huge", [&](std::size_t i) { return 1e20 * (builder.base(i, 0) - builder.base(i, 1)); });
  const std::vector<Problem> problems = check_table(builder.table(), {});
  EXPECT_EQ(codes(problems), (Names{"constant", "few_rows", "derived", "scales"}));
  EXPECT_EQ(to_json(problems[3]).at("severity"), "note");
  for (const Problem& problem : problems) EXPECT_FALSE(problem.remedies.empty());
}

TEST(CheckTable, DoesNotDependOnTheThreads) {
  Builder builder;
  builder.add("again", [&](std::size_t i) { return builder.base(i, 0); });
  builder.add("switch", [](std::size_t i) { return i % 3 == 0 ? 1.0 : 0.0; });
  const auto report = [&](int threads) {
    Context context;
    context.threads = threads;
    std::string text;
    for (const Problem& problem : check_table(builder.table(), context)) text += to_json(problem).dump() + "\n";
    return text;
  };
  EXPECT_EQ(report(1), report(8));
}

TEST(CheckTable, CanBeInterrupted) {
  const std::atomic<bool> stop{true};
  Context context;
  context.interrupt = &stop;
  EXPECT_THROW(check_table(test::ka5(), context), Error);
}

TEST(PrepareTable, RefusesWithEveryNameAndTheRemedy) {
  Builder builder;
  builder.add("same", [](std::size_t) { return 4.0; });
  builder.add("again", [&](std::size_t i) { return builder.base(i, 0); });
  try {
    prepare_table(builder.table(), ConstantPolicy::kError, {});
    FAIL() << "the table was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData);
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("built.csv: 1 column is constant: 'same' (always 4).")) << text;
    EXPECT_TRUE(contains(text, "Column 'again' equals column 'x0'."));
    EXPECT_TRUE(contains(text, "ReadingOptions::constant = ConstantPolicy::kDrop"));
  }
}

TEST(PrepareTable, DropsWithAWarning) {
  Builder builder;
  builder.add("same", [](std::size_t) { return 4.0; });
  builder.add("again", [&](std::size_t i) { return builder.base(i, 0); });
  builder.add("switch", [](std::size_t i) { return i % 3 == 0 ? 1.0 : 0.0; });
  const PreparedTable prepared = prepare_table(builder.table(), ConstantPolicy::kDrop, {});
  EXPECT_EQ(prepared.table.names(), (Names{"x0", "x1", "x2", "switch"}));
  EXPECT_EQ(prepared.kept, (std::vector<std::size_t>{0, 1, 2, 5}));
  EXPECT_EQ(prepared.table.source(), "built.csv");
  ASSERT_EQ(prepared.warnings.size(), 2U);
  EXPECT_EQ(prepared.warnings[0].code, "constant");
  EXPECT_EQ(prepared.warnings[1].code, "equal");
  EXPECT_EQ(prepared.warnings[1].where, "x0, again");
  EXPECT_FALSE(std::ranges::any_of(check_table(prepared.table, {}),
                                   [](const Problem& problem) { return problem.severity == Severity::kError; }));
}

TEST(PrepareTable, LeavesGoodDataAlone) {
  const Table table = test::ka5();
  const PreparedTable prepared = prepare_table(table, ConstantPolicy::kError, {});
  EXPECT_TRUE(std::ranges::equal(prepared.table.values(), table.values()));
  EXPECT_EQ(prepared.kept, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(prepared.warnings.empty());
}

TEST(PrepareTable, CannotDropEverything) {
  const Table constant({"a", "b"}, {1, 1, 2, 2}, "flat.csv");
  EXPECT_THROW(prepare_table(constant, ConstantPolicy::kDrop, {}), Error);
  EXPECT_THROW(prepare_table(Table({"a", "b"}, {1, 2}), ConstantPolicy::kDrop, {}), Error);
}

// Small whole numbers make repeated rows and copies of columns common; both are counted again by comparing everything
// with everything.
Table random_whole_numbers() {
  const auto rows = *rc::gen::inRange<std::size_t>(3, 10);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 12);
  const auto high = *rc::gen::inRange(2, 5);
  Names names;
  for (std::size_t j = 0; j < columns; ++j) names.push_back("x" + std::to_string(j));
  std::vector<double> values;
  for (const int value : *rc::gen::container<std::vector<int>>(rows * columns, rc::gen::inRange(0, high))) {
    // Zero and minus zero are equal.
    values.push_back(value == 0 && values.size() % 2 == 0 ? -0.0 : value);
  }
  return {names, values};
}

RC_GTEST_PROP(CheckTableProperty, RepeatedRowsAreThoseOfABruteForceCount, ()) {
  const Table table = random_whole_numbers();
  std::map<std::vector<double>, std::size_t> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    std::vector<double> row;
    for (std::size_t j = 0; j < table.columns(); ++j) row.push_back(table.at(i, j));
    ++rows[row];
  }
  std::size_t with_twin = 0;
  for (const auto& [row, count] : rows) with_twin += count > 1 ? count : 0;
  const RepeatedRows found = count_repeated_rows(table, {});
  RC_ASSERT(found.repeats == table.rows() - rows.size());
  RC_ASSERT(found.with_twin == with_twin);
}

RC_GTEST_PROP(CheckTableProperty, CopiesAreThoseOfAllPairsOfColumns, ()) {
  const Table table = random_whole_numbers();
  // Whole numbers allow an exact answer: x and y are affine copies when all cross products of differences vanish.
  const auto exact_copy = [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 1; i < table.rows(); ++i) {
      for (std::size_t k = 1; k < table.rows(); ++k) {
        if ((table.at(i, a) - table.at(0, a)) * (table.at(k, b) - table.at(0, b)) !=
            (table.at(k, a) - table.at(0, a)) * (table.at(i, b) - table.at(0, b))) {
          return false;
        }
      }
    }
    return true;
  };
  const auto constant = [&](std::size_t j) {
    return std::ranges::all_of(table.column(j), [&](double cell) { return cell == table.at(0, j); });
  };
  std::vector<std::pair<std::size_t, std::size_t>> expected;
  std::vector<std::size_t> originals;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (constant(j)) continue;
    const auto original = std::ranges::find_if(originals, [&](std::size_t i) { return exact_copy(i, j); });
    if (original == originals.end()) {
      originals.push_back(j);
    } else {
      expected.emplace_back(*original, j);
    }
  }
  RC_CLASSIFY(!expected.empty(), "with copies");
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const ColumnCopy& copy : find_copies(table, profile_columns(table, {}), {})) {
    found.emplace_back(copy.original, copy.copy);
  }
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace olem::data_check_test
