#include <functional>

#include "faults.h"

namespace olem::test::faults_data_test {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kRows = 100;

// A table about which there is nothing to say.
Cells good() {
  Cells cells = cells_of(linear_table(kRows, 3, 1));
  cells[0] = {"a", "b", "c"};
  return cells;
}

// The same with one cell changed. Line 1 is the header, as in messages.
std::string with_cell(std::size_t line, std::size_t column, const std::string& text) {
  Cells cells = good();
  cells[line - 1][column - 1] = text;
  return csv_of(cells);
}

std::string with_header(std::vector<std::string> names) {
  Cells cells = good();
  cells[0] = std::move(names);
  return csv_of(cells);
}

std::string with_column(const std::string& name, const std::function<double(double a, double b)>& value) {
  const Table table = linear_table(kRows, 3, 1);
  Cells cells = good();
  cells[0].push_back(name);
  for (std::size_t i = 0; i < kRows; ++i) {
    cells[i + 1].push_back(fmt::format("{}", value(table.at(i, 0), table.at(i, 1))));
  }
  return csv_of(cells);
}

std::string with_repeated_rows(std::size_t repeats, std::size_t rows) {
  Cells cells = cells_of(linear_table(rows, 3, 1));
  for (std::size_t i = 0; i < repeats; ++i) cells[rows - i] = cells[i + 1];
  return csv_of(cells);
}

std::string first_rows(std::size_t rows) {
  Cells cells = good();
  cells.resize(rows + 1);
  return csv_of(cells);
}

std::vector<Fault> faults() {
  std::vector<Fault> all;
  const std::pair<std::string, std::string> missing[] = {{"nan", "NaN"}, {"inf", "-Inf"},   {"empty", ""},
                                                         {"na", "NA"},   {"mark", "?"},     {"null", "null"},
                                                         {"none", " "},  {"quoted", "\"\""}};
  for (const auto& [name, cell] : missing) {
    all.push_back({"missing_" + name,
                   with_cell(3, 2, cell),
                   {},
                   3,
                   {"d.csv: 1 cell in 1 row is missing or not finite: line 3, column 'b' (2).", "--missing drop"}});
  }
  Cells holes = good();
  for (const std::size_t line : {3U, 5U, 9U, 11U}) holes[line - 1][0] = "NA";
  all.push_back({"missing_many",
                 csv_of(holes),
                 {},
                 3,
                 {"4 cells in 4 rows are missing",
                  "the first of them: line 3, column 'a' (1); line 5, column 'a' (1); "
                  "line 9, column 'a' (1)."}});
  all.push_back({"missing_column_imputed",
                 "a,b\n1,\n2,\n3,\n",
                 {"order", "d.csv", "--missing", "impute"},
                 3,
                 {"nothing to impute from", "Column 'b' (2) has no value at all", "--drop-columns b"}});
  all.push_back(
      {"missing_imputed_where_it_cannot_be",
       Files{{"d.csv", with_cell(3, 2, "")}, {"truth.csv", "from,to\na,b\nb,c\n"}, {"order.txt", "a\nb\nc\n"}},
       {"compare", "truth.csv", "order.txt", "--data", "d.csv", "--missing", "impute"},
       2,
       {"nothing here is averaged over completed tables", "--missing drop"}});
  all.push_back({"missing_everywhere_dropped",
                 "a,b\n1,NA\n2,NA\n3,4\n",
                 {"--missing", "drop"},
                 3,
                 {"d.csv: 1 of 3 rows would be left", "at least 2 are needed"}});
  all.push_back({"text",
                 with_cell(3, 2, "hot"),
                 {},
                 3,
                 {"d.csv, line 3, column 'b' (2): 'hot' is not a number.", "--drop-columns b)", "--columns"}});
  all.push_back({"decimal_comma",
                 with_cell(3, 2, "\"1,5\""),
                 {},
                 3,
                 {"line 3, column 'b' (2): '1,5'", "decimal comma", "--decimal ,"}});
  Cells words = good();
  words[2][1] = "<0.5";
  words[4][1] = "n/a-ish";
  all.push_back({"words_among_numbers",
                 csv_of(words),
                 {},
                 3,
                 {"d.csv: Column 'b' (2) holds 98 numbers and 2 other cells: '<0.5' (line 3), 'n/a-ish' (line 5).",
                  "--na '<0.5,n/a-ish'", "--drop-columns b", "--type b=category"}});
  Cells names = good();
  names[0].insert(names[0].begin(), {"name", "when"});
  for (std::size_t i = 1; i <= kRows; ++i)
    names[i].insert(names[i].begin(), {fmt::format("person {}", i), fmt::format("2021-03-{}", i)});
  all.push_back({"text_columns",
                 csv_of(names),
                 {},
                 3,
                 {"d.csv: 2 columns are neither numbers nor levels.",
                  "Column 'name' (1) holds text with 100 different values in 100 rows: 'person 1' (line 2)",
                  "Column 'when' (2) holds text", "--drop-columns name,when"}});
  Cells units = good();
  units.insert(units.begin() + 1, {"kg", "", "m/s"});
  all.push_back({"units",
                 csv_of(units),
                 {},
                 3,
                 {"d.csv, line 2: There are no numbers in this line", "'kg', 'm/s'", "units", "--skip-lines 2"}});
  all.push_back({"spaces", csv_of(good(), " "), {}, 3, {"separated by spaces", "--delimiter space"}});
  all.push_back(
      {"write_table", "\"a\" \"b\"\n\"1\" 2 3\n\"2\" 4 5\n", {}, 3, {"as R's write.table does", "--delimiter space"}});
  all.push_back({"three_decimals",
                 "a;b\n1,234;2\n950;3\n",
                 {},
                 3,
                 {"d.csv, line 2, column 1: '1,234' may be", "--decimal .", "--decimal ,"}});
  all.push_back({"missing_words",
                 with_cell(3, 2, "-999"),
                 {"--na", "unknown,-999"},
                 3,
                 {"1 cell in 1 row is missing or not finite: line 3, column 'b' (2)."}});
  all.push_back({"unknown_type", csv_of(good()), {"--type", "b=numbers"}, 2, {"--type: 'numbers' is not a type"}});
  all.push_back({"type_without_name", csv_of(good()), {"--type", "b"}, 2, {"--type: 'b'", "vendor=category"}});
  all.push_back({"type_of_nothing", csv_of(good()), {"--type", "bb=real"}, 2, {"--type: d.csv has no column 'bb'"}});
  all.push_back({"type_that_does_not_fit", csv_of(good()), {"--type", "b=count"}, 2, {"Column 'b' cannot be count"}});
  all.push_back({"wrong_decimal", csv_of(good()), {"--decimal", ";"}, 2, {"--decimal: ';' is neither"}});
  all.push_back({"wrong_lines", csv_of(good()), {"--skip-lines", "0"}, 2, {"--skip-lines: '0' is not the number"}});
  all.push_back({"wrong_words", csv_of(good()), {"--na", "a,,b"}, 2, {"--na: 'a,,b' is not a list of words"}});
  all.push_back({"latin_1",
                 "a,b\ncaf\xE9,1\ncaf\xE9,2\n",
                 {},
                 3,
                 {"d.csv, line 2, column 'a' (1): 'caf\\xE9' is not valid UTF-8", "Latin-1", "iconv"}});
  all.push_back({"parquet",
                 std::string("PAR1\x15\x04\0", 7),
                 {},
                 3,
                 {"d.csv: The file is a Parquet file", "read_parquet('d.csv')"}});
  all.push_back({"json", "{\"a\": [1, 2]}", {}, 3, {"d.csv: The file is JSON", "read_json"}});
  all.push_back({"cut_gzip", "\x1F\x8B...", {}, 3, {"d.csv: The file is compressed with gzip, but it is"}});
  all.push_back({"thousands", with_cell(3, 2, "1_000"), {}, 3, {"line 3, column 'b' (2): '1_000' is not a number"}});
  all.push_back({"hexadecimal", with_cell(3, 2, "0x10"), {}, 3, {"line 3, column 'b' (2): '0x10' is not a number"}});
  all.push_back({"arabic_digit", with_cell(3, 2, "١"), {}, 3, {"line 3, column 'b' (2): '١' is not a number"}});
  all.push_back({"overflow", with_cell(3, 2, "1e999"), {}, 3, {"line 3, column 'b' (2): '1e999' is too large"}});
  all.push_back({"trailing_commas",
                 csv_of(good(), ",", ",\n") + "1,2,3,4\n",
                 {},
                 3,
                 {"d.csv: Column 4 has no name", "ends with a separator", "Remove the separator"}});
  all.push_back({"trailing_comma_in_a_row",
                 with_cell(4, 3, "1,"),
                 {},
                 3,
                 {"d.csv, line 4: Expected 3 cells, as in the first line, but found 4", "ends with a separator"}});
  all.push_back({"short_row", with_cell(4, 2, "1\n1,1"), {}, 3, {"d.csv, line 4: Expected 3 cells", "but found 2"}});
  all.push_back({"long_row", with_cell(5, 3, "1,2,3"), {}, 3, {"d.csv, line 5: Expected 3 cells", "but found 5"}});
  all.push_back({"open_quote", with_cell(6, 1, "\"1"), {}, 3, {"d.csv, line 6: A quote", "never closed"}});
  all.push_back({"same_names", with_header({"a", "b", "a"}), {}, 3, {"d.csv: Columns 1 and 3 are both called 'a'"}});
  all.push_back({"empty_name", with_header({"a", "", "c"}), {}, 3, {"d.csv: Column 2 has no name", "--columns"}});
  all.push_back(
      {"header_called_data", csv_of(good()), {"--no-header"}, 3, {"line 1", "'a', 'b', 'c'", "without --no-header"}});
  all.push_back({"wrong_delimiter",
                 csv_of(good()),
                 {"--delimiter", "|"},
                 3,
                 {"Column 'a,b,c' (1) holds text with 100 different values", "(line 2)", "--delimiter ,"}});
  all.push_back({"empty_file", "", {}, 3, {"d.csv: The file is empty", "at least 2 rows"}});
  all.push_back({"blank_file", "\n \n", {}, 3, {"d.csv: The file is empty"}});
  all.push_back({"header_only", "a,b\n", {}, 3, {"d.csv: There are no rows of data", "At least 2 are needed"}});
  all.push_back({"one_row", "a,b\n1,2\n", {}, 3, {"d.csv: There is only 1 row of data", "At least 2 are needed"}});
  all.push_back(
      {"k_rows", first_rows(3), {"--method", "olem", "--k", "3"}, 3, {"k = 3 needs at least 4 rows, but there are 3"}});
  all.push_back({"constant",
                 with_column("fixed", [](double, double) { return 4.5; }),
                 {},
                 3,
                 {"d.csv: 1 column is constant: 'fixed' (always 4.5)", "--drop-columns", "--constant drop"}});
  all.push_back({"all_constant",
                 "a,b\n1,2\n1,2\n1,2\n",
                 {"--constant", "drop"},
                 3,
                 {"d.csv: Every column is constant", "Give columns that vary"}});
  all.push_back({"equal",
                 with_column("again", [](double a, double) { return a; }),
                 {},
                 3,
                 {"d.csv: Column 'again' equals column 'a'", "--drop-columns", "--constant drop"}});
  all.push_back({"proportional",
                 with_column("scaled", [](double, double b) { return -2.0 * b; }),
                 {},
                 3,
                 {"Column 'scaled' is -2 times column 'b'", "--constant drop"}});
  all.push_back({"affine",
                 with_column("fahrenheit", [](double a, double) { return 1.8 * a + 32.0; }),
                 {},
                 3,
                 {"Column 'fahrenheit' is 1.8 times column 'a' plus 32", "--constant drop"}});
  all.push_back({"gaussian_with_few_rows",
                 csv_of(normal_table(4, 4, 1)),
                 {"--method", "olem", "--estimator", "gaussian"},
                 3,
                 {"at least 5 for 4 columns, but there are 4"}});
  for (const std::string method : {"listen", "ges", "pc", "fci"}) {
    all.push_back({method + "_with_few_rows",
                   csv_of(normal_table(4, 4, 1)),
                   {method == "listen" ? "order" : "graph", "d.csv", "--method", method},
                   3,
                   {fmt::format("d.csv: {} needs at least 5 rows for 4 columns, but there are 4.", method)}});
  }
  all.push_back({"cam_with_few_rows", csv_of(normal_table(19, 3, 1)), {"--method", "cam"}, 3, {"at least 20 rows"}});
  all.push_back(
      {"diffan_with_few_rows", csv_of(normal_table(49, 3, 1)), {"--method", "diffan"}, 3, {"at least 50 rows"}});
  Cells coins = good();
  for (std::size_t i = 1; i <= kRows; ++i)
    coins[i] = {i % 2 == 0 ? "0" : "1", i % 3 == 0 ? "0" : "1", i % 5 < 2 ? "0" : "1"};
  all.push_back({"discrete_columns",
                 csv_of(coins),
                 {"--method", "olem"},
                 3,
                 {"cannot place", "(binary) relative to", "--tier", "--before", "--drop-columns"}});
  all.push_back({"not_utf8", with_header({"a", "b\xE9ta", "c"}), {}, 3, {"The name of column 2, 'b\\xE9ta'", "UTF-8"}});
  all.push_back(
      {"nul_byte", with_cell(7, 1, std::string("1\0", 2)), {}, 3, {"d.csv, line 7: There is a NUL byte", "CSV"}});
  all.push_back({"utf16", std::string("\xFF\xFE\x61\0", 4), {}, 3, {"UTF-16", "Save it as UTF-8"}});
  all.push_back(
      {"spreadsheet", "PK\x03\x04zip", {}, 3, {"d.csv: The file is a zip archive", "Export the data as CSV"}});
  all.push_back(
      {"long_cell", with_cell(3, 1, std::string(1'000'001, '1')), {}, 3, {"line 3: A cell", "longer than 1 MB"}});
  all.push_back({"long_line_without_end", std::string(3'000'000, 'x'), {}, 3, {"line 1: A cell", "longer than 1 MB"}});
  all.push_back({"more_than_the_memory",
                 csv_of(normal_table(30000, 3, 1)),
                 {"--memory", "1M"},
                 6,
                 {"Reading d.csv needs about 2 MB of memory, but 1 MB is the limit", "--memory"}});
  all.push_back({"search_beyond_the_memory",
                 csv_of(normal_table(10000, 3, 1)),
                 {"--method", "olem", "--memory", "1M"},
                 6,
                 {"The search for neighbours needs about", "but 1 MB is the limit", "fewer rows or columns"}});
  return all;
}

std::vector<Fault> doubts() {
  return {
      {"missing_rows",
       with_cell(3, 2, "NA"),
       {"--missing", "drop"},
       "missing_rows",
       {"1 of 100 rows has missing values and was left out; 99 are used."},
       "d.csv"},
      {"one_column", csv_of(good()), {"--columns", "b"}, "single_column", {"one column 'b'", "trivial"}, "b"},
      {"constant_dropped",
       with_column("fixed", [](double, double) { return 4.5; }),
       {"--constant", "drop"},
       "constant",
       {"'fixed' (always 4.5)", "Left out, as was asked: fixed."},
       "fixed"},
      {"copy_dropped",
       with_column("again", [](double a, double) { return a; }),
       {"--constant", "drop"},
       "equal",
       {"Column 'again' equals column 'a'", "Left out, as was asked: again."},
       "a, again"},
      {"few_rows", first_rows(20), {}, "few_rows", {"only 20 rows"}, ""},
      {"k_plus_1_rows", first_rows(4), {"--method", "olem", "--k", "3"}, "few_rows", {"only 4 rows"}, ""},
      {"rows_below_columns",
       csv_of(normal_table(5, 8, 1)),
       {"--method", "olem"},
       "rows_below_columns",
       {"rows (5)", "columns (8)"},
       ""},
      {"repeated_rows",
       with_repeated_rows(1, 100),
       {},
       "repeated_rows",
       {"2 % of the rows (2 of 100)", "Remove rows that were recorded twice"},
       ""},
      {"most_rows_repeated",
       with_repeated_rows(30, 100),
       {},
       "repeated_rows",
       {"60 % of the rows (60 of 100)", "Remove rows that were recorded twice"},
       ""},
      {"zero_distances",
       with_repeated_rows(3, 100),
       {"--method", "olem"},
       "zero_distances",
       {"6.0 % of the points", "--ties distinct"},
       ""},
      {"zero_distances_of_most",
       with_repeated_rows(30, 100),
       {"--method", "olem"},
       "zero_distances",
       {"60.0 % of the points"},
       ""},
      // As many rows as candidate parents and 2 more: nothing can be tested, and every edge stays.
      {"pruning_with_few_rows",
       csv_of(normal_table(5, 4, 1)),
       {"graph", "d.csv", "--method", "olem"},
       "pruning",
       {"rows are too few"},
       ""},
      {"row_labels", with_header({"", "b", "c"}), {}, "row_labels", {"no name", "labels of the rows"}, "d.csv"},
      {"header_of_years", with_header({"2019", "2020", "2021"}), {}, "header", {"--no-header"}, "d.csv"},
      {"header_with_fractions", with_header({"a", "0.5", "0.7"}), {}, "header", {"--no-header"}, "d.csv"},
  };
}

// Both, as they are found by learning an order where no other verb is named.
std::vector<Fault> data_faults() {
  std::vector<Fault> all = faults();
  for (Fault& doubt : doubts()) all.push_back(std::move(doubt));
  for (Fault& fault : all) {
    if (fault.arguments.empty() || fault.arguments[0].starts_with("-"))
      fault.arguments = joined({"order", "d.csv"}, fault.arguments);
  }
  return all;
}

class DataFault : public testing::TestWithParam<Fault> {};

TEST_P(DataFault, HasItsAnswer) { expect_answer(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, DataFault, testing::ValuesIn(data_faults()), fault_name);

struct Form {
  std::string name;
  std::string content;
  std::vector<std::string> arguments;
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

std::vector<Form> forms() {
  const auto each = [](const std::function<std::string(std::string)>& change) {
    Cells cells = good();
    for (auto& row : cells) {
      for (std::string& cell : row) cell = change(cell);
    }
    return cells;
  };
  const Cells cells = good();
  const std::string plain = csv_of(cells);
  Cells with_text = cells;
  for (auto& row : with_text) row.insert(row.begin() + 1, "\"x, \"\"y\"\"\nz\"");
  with_text[0][1] = "remark";
  const auto number = [](const std::string& cell) { return cell.size() > 1; };
  const auto with_comma = [](std::string cell) {
    if (const std::size_t point = cell.find('.'); point != std::string::npos) cell[point] = ',';
    return cell;
  };
  const Cells decimal_commas = each(with_comma);
  const Cells quoted_commas = each([&](const std::string& cell) { return "\"" + with_comma(cell) + "\""; });
  return {
      {"byte_order_mark", "\xEF\xBB\xBF" + plain, {}},
      {"cr_lf", csv_of(cells, ",", "\r\n"), {}},
      {"cr", csv_of(cells, ",", "\r"), {}},
      {"no_last_line_end", plain.substr(0, plain.size() - 1), {}},
      {"blank_lines", "\n" + plain + "\n\n", {}},
      {"semicolons", csv_of(cells, ";"), {}},
      {"tabs", csv_of(cells, "\t"), {}},
      {"bars", csv_of(cells, "|"), {}},
      {"colons_by_option", csv_of(cells, ":"), {"--delimiter", ":"}},
      {"quotes", csv_of(each([](const std::string& cell) { return "\"" + cell + "\""; })), {}},
      {"spaces", csv_of(cells, " , "), {}},
      {"plus_signs",
       csv_of(each([&](const std::string& cell) { return number(cell) && cell[0] != '-' ? "+" + cell : cell; })),
       {}},
      {"exponents", csv_of(each([&](const std::string& cell) { return number(cell) ? cell + "e0" : cell; })), {}},
      {"decimal_commas", csv_of(decimal_commas, ";"), {}},
      {"decimal_commas_by_option", csv_of(quoted_commas), {"--decimal", ","}},
      {"sep_line", "sep=;\n" + csv_of(cells, ";"), {}},
      {"blanks_by_option", csv_of(cells, "  "), {"--delimiter", "space"}},
      {"comments", "# made by hand\n" + plain, {}},
      {"comments_by_option", plain + "%a,b,c\n", {"--comment", "%"}},
      {"title", "A title, or so\n" + plain, {"--skip-lines", "1"}},
      {"text_column_left_out", csv_of(with_text), {"--drop-columns", "remark"}},
      {"text_column_not_chosen", csv_of(with_text), {"--columns", "a,b,c"}},
  };
}

class DataForm : public testing::TestWithParam<Form> {};

TEST_P(DataForm, GivesTheResultOfThePlainFile) {
  const auto learn = [](const std::string& content, const std::vector<std::string>& arguments) {
    const TemporaryFolder folder;
    folder.write("d.csv", content);
    ProcessOptions options;
    options.folder = folder.path();
    const ProcessResult result = run_olem(joined({"order", "d.csv", "--json"}, arguments), options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    auto json = parse_json(result.out);
    json.erase("seconds");
    json.erase("options");
    return json;
  };
  EXPECT_EQ(learn(GetParam().content, GetParam().arguments), learn(csv_of(good()), {}));
}

INSTANTIATE_TEST_SUITE_P(Table, DataForm, testing::ValuesIn(forms()),
                         [](const auto& tested) { return tested.param.name; });

TEST(DataHeader, IsFoundOutOrSaid) {
  const TemporaryFolder folder;
  Cells cells = good();
  cells[0] = {"2019", "2020", "2021"};
  folder.write("years.csv", csv_of(cells));
  cells.erase(cells.begin());
  folder.write("bare.csv", csv_of(cells));
  ProcessOptions options;
  options.folder = folder.path();
  const auto facts = [&](const std::vector<std::string>& arguments) {
    const ProcessResult result = run_olem(joined(arguments, {"--json", "-q"}), options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto json = parse_json(result.out);
    auto names = json["order"].get<std::vector<std::string>>();
    std::sort(names.begin(), names.end());
    return fmt::format("{} rows of {}", json["data"]["rows"].get<int>(), fmt::join(names, " "));
  };
  EXPECT_EQ(facts({"order", "bare.csv"}), "100 rows of V1 V2 V3");
  EXPECT_EQ(facts({"order", "bare.csv", "--no-header"}), "100 rows of V1 V2 V3");
  EXPECT_EQ(facts({"order", "years.csv"}), "100 rows of 2019 2020 2021");
  EXPECT_EQ(facts({"order", "years.csv", "--no-header"}), "101 rows of V1 V2 V3");
  EXPECT_EQ(facts({"order", "years.csv", "--header"}), "100 rows of 2019 2020 2021");
}

// One pair of twins in 200 rows is 1 % exactly: the level is not passed.
TEST(DataDoubts, AreNotRaisedAtTheLevelItself) {
  const TemporaryFolder folder;
  folder.write("d.csv", with_repeated_rows(1, 200));
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem({"order", "d.csv", "--json"}, options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(warning_codes(parse_json(result.out)), ElementsAre());
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace olem::test::faults_data_test
