#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "helpers.h"
#include "olem/text.h"

namespace olem::test::usage_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string sachs() { return source_path("data/sachs/sachs.csv"); }

// Stopping is promised within a second; a loaded machine with sanitizers gets more.
constexpr double kStopsWithin = 10.0;

// A task that takes far longer than a test waits: its folder, and the arguments for it.
class LongRun : public testing::Test {
 protected:
  LongRun() {
    folder_.write("long.csv", csv_of(linear_table(20000, 6, 1)));
    options_.folder = folder_.path();
  }

  ProcessResult run(const std::vector<std::string>& arguments = {}) {
    return run_olem(joined({"order", "long.csv", "--bootstrap", "1000", "-o", "out.json"}, arguments), options_);
  }

  TemporaryFolder folder_;
  ProcessOptions options_;
};

TEST(Usage, NothingToDo) {
  const ProcessResult result = run_olem({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "olem: Say what to do: one of init, order, graph, compare, simulate, fit, update, decide, explain, report, "
            "serve, study, "
            "check, explain-warning, help, options. See olem --help.\n");
}

TEST(Usage, WrongCommandLinesAreExplained) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const Case cases[] = {
      {{"ordr", "d.csv"}, "'ordr' is not a verb of olem. Did you mean order? See olem --help."},
      {{"banana"},
       "'banana' is not a verb of olem. The verbs are init, order, graph, compare, simulate, fit, update, decide, "
       "explain, "
       "report, "
       "serve, study, check, explain-warning, help, options."},
      {{"--json", "order"}, "The verb comes first, before '--json'"},
      {{"order"},
       "DATA is missing: give a CSV or .npy file, also with .gz, or - for standard input. See olem order --help."},
      {{"order", "d.csv", "--tread", "2"}, "'--tread' is not an option of olem order. Did you mean --threads?"},
      {{"order", "d.csv", "--tread=2"}, "'--tread' is not an option of olem order. Did you mean --threads?"},
      {{"graph", "d.csv", "--order", "o.txt", "--method", "ges"}, "nothing left for --method"},
      {{"order", "d.csv", "--cam-neighbours", "2"},
       "'--cam-neighbours' is not an option of --method olem+; it belongs to cam."},
      {{"check", "d.csv", "--bootstrap", "2"}, "'--bootstrap' is not an option of olem check."},
      {{"order", "d.csv", "-x"}, "not expected: -x. See olem order --help."},
      {{"order", "d.csv", "e.csv"}, "not expected: e.csv."},
      {{"order", "d.csv", "--k"}, "--k needs a value."},
      {{"order", "d.csv", "--k", "1", "--k", "2"}, "--k is given more than once."},
      {{"order", "d.csv", "--config"}, "--config needs a value."},
      {{"order", "d.csv", "--header", "--no-header"}, "--no-header excludes --header."},
      {{"order", "d.csv", "--k", "0"}, "--k: '0' is not a whole number from 1 to 1000."},
      {{"order", "d.csv", "--k", "1.5"}, "--k: '1.5' is not a whole number from 1 to 1000."},
      {{"order", "d.csv", "--ties", "skp"}, "--ties: 'skp' is not one of: skip, distinct, floor, jitter, error."},
      {{"order", "d.csv", "--ridge", "2"}, "--ridge: '2' is not a number from 0 to 1."},
      {{"order", "d.csv", "--floor", "nan"}, "--floor: 'nan' is not a number from 1e-300 to 1e+300."},
      {{"order", "d.csv", "--method", "pc"}, "--method: 'pc' is not one of: olem"},
      {{"order", "d.csv", "--missing", "fill"}, "--missing: 'fill' is not one of: error, drop, impute."},
      {{"order", "d.csv", "--constant", "keep"}, "--constant: 'keep' is not one of: error, drop."},
      {{"order", "d.csv", "--threads", "-1"}, "--threads: '-1' is not a whole number from 0 to 4096."},
      {{"order", "d.csv", "--threads", "two"}, "--threads: 'two' is not a whole number from 0 to 4096."},
      {{"order", "d.csv", "--seed", "-1"}, "--seed: '-1' is not a whole number from 0 to 2^64 - 1."},
      {{"order", "d.csv", "--seed", "18446744073709551616"}, "is not a whole number from 0 to 2^64 - 1."},
      {{"order", "d.csv", "--time-limit", "0"}, "--time-limit: '0' is not a number of seconds above 0"},
      {{"order", "d.csv", "--time-limit", "1h"}, "--time-limit: '1h' is not a number of seconds above 0"},
      {{"order", "d.csv", "--memory", "5Q"}, "--memory: '5Q' is not a size such as 500M or 2G."},
      {{"order", "d.csv", "--delimiter", "ab"}, "--delimiter: 'ab' is not a single character, tab or space."},
      {{"order", "d.csv", "--delimiter", "e"}, "--delimiter: 'e' cannot separate columns."},
      {{"order", "d.csv", "--columns", "a,,b"}, "--columns: 'a,,b' is not a list of names separated by commas."},
  };
  for (const Case& wrong : cases) {
    const TemporaryFolder folder;
    folder.write("d.csv", csv_of(ka5()));
    ProcessOptions options;
    options.folder = folder.path();
    const ProcessResult result = run_olem(wrong.arguments, options);
    EXPECT_EQ(result.exit_code, 2) << wrong.message;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(wrong.message));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST(Usage, HelpShowsExamples) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"order", "--help"}, {"check", "--help"}, {"order", "-h"}}) {
    const ProcessResult result = run_olem(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, HasSubstr("Examples:\n  olem "));
  }
  EXPECT_THAT(run_olem({"order", "--help"}).out, HasSubstr("Usage: olem order [OPTIONS] DATA\n"));
  EXPECT_EQ(run_olem({"options", "--help"}).exit_code, 0);
}

// The lines that name a flag.
std::size_t flags_shown(const std::string& help) {
  std::size_t flags = 0;
  for (std::size_t line = 0; line < help.size(); line = help.find('\n', line) + 1)
    flags += help.compare(line, 3, "  -") == 0 ? 1 : 0;
  return flags;
}

TEST(Usage, HelpShowsTenOptionsAndHelpAllEveryOne) {
  for (const std::string verb : {"order", "graph", "fit", "decide", "explain"}) {
    const std::string help = run_olem({verb, "--help"}).out;
    EXPECT_EQ(flags_shown(help), 10U) << help;
    EXPECT_THAT(help, HasSubstr("options, by group: olem " + verb + " --help-all\n"));
    const std::string all = run_olem({verb, "--help-all"}).out;
    EXPECT_THAT(help, HasSubstr(fmt::format("All {} options", flags_shown(all) - 2))) << "without those for help";
    EXPECT_THAT(all, HasSubstr("\nOutput and resources:\n"));
    EXPECT_THAT(all, HasSubstr("Examples:\n  olem "));
  }
  EXPECT_THAT(run_olem({"simulate", "auf", "--help-all"}).out, HasSubstr("--rows"));
  // A kind with the name of a verb has its own options and examples.
  const std::string kind = run_olem({"simulate", "order", "--help"}).out;
  EXPECT_THAT(kind, HasSubstr("--density NUMBER"));
  EXPECT_THAT(kind, HasSubstr("Examples:\n  olem simulate order -o toy"));
  EXPECT_THAT(run_olem({"simulate", "rate", "--help"}).out, HasSubstr("Examples:\n  olem simulate rate -o rate"));
  EXPECT_THAT(run_olem({"simulate", "--help"}).out, HasSubstr(kind.substr(kind.find("  olem simulate order"), 40)));
}

TEST(Usage, HelpIsAlsoAVerb) {
  EXPECT_EQ(run_olem({"help"}).out, run_olem({"--help"}).out);
  EXPECT_EQ(run_olem({"help", "decide"}).out, run_olem({"decide", "--help"}).out);
  EXPECT_EQ(run_olem({"help", "simulate", "auf"}).out, run_olem({"simulate", "auf", "--help"}).out);
  const ProcessResult unknown = run_olem({"help", "decde"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "olem: 'decde' is not a verb of olem. Did you mean decide? See olem --help.\n");
}

TEST(Usage, VersionIsThatOfTheResults) {
  const ProcessResult result = run_olem({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  const std::string version = parse_json(run_olem({"order", "-q", "--json", sachs()}).out)["version"];
  EXPECT_EQ(result.out, version + "\n");
  EXPECT_EQ(run_olem({"-V"}).out, result.out);
}

TEST(Files, UnreadableOnesAreNamedWithTheReason) {
  EXPECT_EQ(run_olem({"order", "absent.csv"}).err, "olem: Cannot read absent.csv: No such file or directory.\n");
  EXPECT_EQ(run_olem({"order", "absent.csv"}).exit_code, 5);
  EXPECT_EQ(run_olem({"order", "."}).err, "olem: Cannot read .: Is a directory.\n");
  EXPECT_EQ(run_olem({"order", "."}).exit_code, 5);
}

// The data are missing too: that the output is reported shows that it was looked at first.
TEST(Files, OutputIsCheckedBeforeAnyWork) {
  const TemporaryFolder folder;
  folder.write("old.json", "old");
  std::filesystem::create_directory(folder.file("results"));
  ProcessOptions options;
  options.folder = folder.path();
  const std::pair<std::string, std::string> cases[] = {
      {"absent/out.json", "Cannot write to the folder absent: No such file or directory."},
      {"results", "Cannot write results: Is a directory."},
      {"old.json", "old.json exists already. Replace it: --force."},
      {"/dev/null", "Cannot write /dev/null: It is a device or pipe, not a file."},
  };
  for (const auto& [output, message] : cases) {
    const ProcessResult result = run_olem({"order", "absent.csv", "-o", output}, options);
    EXPECT_EQ(result.exit_code, 5) << output;
    EXPECT_EQ(result.err, "olem: " + message + "\n");
  }
  EXPECT_EQ(read_text(folder.file("old.json")), "old");
  EXPECT_THAT(folder.entries(), ElementsAre("old.json", "results"));
}

TEST(Files, FullDiskBehindStandardOutput) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  ProcessOptions options;
  options.output_path = "/dev/full";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"order", sachs(), "-q"}, {"check", sachs()}, {"options"}, {"order", "--help"}}) {
    const ProcessResult result = run_olem(arguments, options);
    EXPECT_EQ(result.exit_code, 5);
    EXPECT_EQ(result.err, "olem: Cannot write to standard output: No space left on device.\n");
  }
}

TEST(Files, NobodyReadsStandardOutput) {
  ProcessOptions options;
  options.output_is_closed = true;
  const ProcessResult result = run_olem({"order", sachs(), "-q"}, options);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.exit_code, 128 + SIGPIPE);  // what a shell expects of the first part of `olem ... | head`
}

TEST(Loudness, QuietKeepsWarningsInTheResult) {
  const ProcessResult loud = run_olem({"order", sachs(), "--method", "olem", "--json"});
  const ProcessResult quiet = run_olem({"order", sachs(), "--method", "olem", "--json", "--quiet"});
  EXPECT_THAT(loud.err, HasSubstr("warning: "));
  EXPECT_EQ(quiet.err, "");
  EXPECT_THAT(warning_codes(parse_json(quiet.out)), ElementsAre("zero_distances", "units"));
  EXPECT_EQ(comparable(parse_json(quiet.out)), comparable(parse_json(loud.out)));
}

// Four lines around one that counts as the others' sum, and a code in the identifiers' column.
std::string table_with_findings() {
  std::string text = "id,x,y\n";
  double x_sum = 0.0;
  double y_sum = 0.0;
  const Table table = linear_table(60, 2, 1);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    text += fmt::format("{},{},{}\n", i + 1, table.at(i, 0), table.at(i, 1));
    x_sum += table.at(i, 0);
    y_sum += table.at(i, 1);
  }
  return text + fmt::format("{},{},{}\n", 61 * 30, x_sum, y_sum);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Warnings, OneLineEachWithItsCodeAndTheDetailOnRequest) {
  const ProcessResult brief = run_olem({"order", sachs(), "--method", "olem"});
  const std::vector<std::string> lines = lines_of(brief.err);
  ASSERT_EQ(lines.size(), 3U) << brief.err;
  EXPECT_THAT(lines[0], AllOf(StartsWith("warning: The conditional entropies along this order"), EndsWith(" [units]")));
  EXPECT_THAT(lines[1], AllOf(StartsWith("warning: Up to 91.0 %"), EndsWith(" [zero_distances]")));
  EXPECT_EQ(lines[2], "What to do about warnings: --explain-warnings, or olem explain-warning CODE.");
  EXPECT_THAT(brief.err, Not(HasSubstr("--method olem+")));

  const ProcessResult full = run_olem({"order", sachs(), "--method", "olem", "--explain-warnings"});
  EXPECT_EQ(lines_of(full.err).size(), 2U) << full.err;
  EXPECT_THAT(full.err, HasSubstr("Learn the order without a common unit: --method olem+. [units]"));
  EXPECT_THAT(full.err, HasSubstr("In general: "));
  EXPECT_EQ(full.out, brief.out);
}

TEST(Warnings, WhatCouldChangeTheDecisionIsSaidInOneLineBeforeTheAnswer) {
  const TemporaryFolder folder;
  folder.write("d.csv", table_with_findings());
  ProcessOptions options;
  options.folder = folder.path();
  const std::vector<std::string> lines = lines_of(run_olem({"order", "d.csv"}, options).err);
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "warning: 2 findings could change the decision (totals, identifier). They are listed below the answer.");
  EXPECT_THAT(lines[1], EndsWith("[totals]"));
  EXPECT_THAT(lines[2], EndsWith("[identifier]"));
}

TEST(Warnings, AreWrappedAndColouredOnATerminalOnly) {
  ProcessOptions options;
  options.error_is_terminal = true;
  options.environment = {"TERM=xterm", "NO_COLOR="};
  const std::vector<std::string> arguments = {"order", sachs(), "--method", "olem"};
  const std::string coloured = run_olem(arguments, options).err;
  EXPECT_THAT(coloured, HasSubstr("\x1b[33mwarning:\x1b[0m The conditional"));
  for (const std::string& line : lines_of(coloured)) EXPECT_LE(line.size(), 80U + 12U) << line;
  options.environment = {"TERM=xterm", "NO_COLOR=1"};
  EXPECT_THAT(run_olem(arguments, options).err, Not(HasSubstr("\x1b[33m")));
  options.environment = {"TERM=dumb", "NO_COLOR="};
  EXPECT_THAT(run_olem(arguments, options).err, Not(HasSubstr("\x1b[33m")));
  EXPECT_THAT(run_olem(arguments).err, Not(HasSubstr("\x1b")));
}

// A result is written for 100 columns; a narrower terminal gets its paragraphs and chains wrapped, its tables as they
// are.
TEST(Results, AreFittedToANarrowTerminal) {
  ProcessOptions options;
  const std::vector<std::string> arguments = {"decide", source_path("examples/bermuda/task.json"), "-q"};
  const std::string plain = run_olem(arguments, options).out;
  options.output_is_terminal = true;
  options.environment = {"TERM=dumb"};
  std::string fitted = run_olem(arguments, options).out;
  std::erase(fitted, '\r');
  const auto longest = [](const std::string& text) {
    std::size_t most = 0;
    for (const std::string& line : lines_of(text)) most = std::max(most, display_width(line));
    return most;
  };
  EXPECT_GT(longest(plain), 80U);
  EXPECT_LE(longest(fitted), 80U);
  // The same words in the same order.
  const auto words = [](const std::string& text) {
    std::istringstream stream(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
  };
  EXPECT_EQ(words(fitted), words(plain));
  // No number stands apart from its unit, at either width.
  for (const std::string& text : {plain, fitted}) {
    for (const std::string& line : lines_of(text)) EXPECT_THAT(line, Not(StartsWith("%"))) << text;
  }
}

TEST(Results, LongNamesLeaveRoomForTheRest) {
  const TemporaryFolder folder;
  const std::string name = "a name that is longer than any column of a table ought to be";
  std::string table = fmt::format("x,{},y\n", name);
  for (int i = 0; i < 120; ++i) {
    const double x = std::sin(12.9898 * i);
    const double lever = x + std::sin(78.233 * i);
    table += fmt::format("{},{},{}\n", x, lever, lever - 0.5 * x + std::sin(39.425 * i));
  }
  folder.write("d.csv", table);
  folder.write("t.json", fmt::format(R"({{"data": "d.csv", "context": ["x"], "alterable": {{"{}": [-1, 1]}},
                                     "outcome": ["y"], "desired": {{"y": [0, 1]}}}})",
                                     name));
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result =
      run_olem({"fit", "t.json", "--sampler", "auto", "--no-calibrate", "-o", "m.olem"}, options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\n  " + name + "\n"));
  for (const std::string& line : lines_of(result.out)) EXPECT_LE(display_width(line), 100U) << line;
}

TEST(Warnings, EveryCodeHasAnExplanation) {
  const std::string all = run_olem({"explain-warning"}).out;
  EXPECT_THAT(all, StartsWith("absurd_draws\n  "));
  const ProcessResult one = run_olem({"explain-warning", "outlier"});
  EXPECT_THAT(one.out, AllOf(StartsWith("outlier\n  "), HasSubstr("\n  What to do: ")));
  EXPECT_THAT(all, HasSubstr(one.out));
  const ProcessResult wrong = run_olem({"explain-warning", "outliers"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'outliers' is not the code of a warning. Did you mean outlier?"));
  for (const auto& code :
       warning_codes(parse_json(run_olem({"order", sachs(), "--method", "olem", "--json", "-q"}).out)))
    EXPECT_THAT(all, HasSubstr("\n" + code + "\n"));
}

TEST(Loudness, VerboseSaysWhatIsBeingDone) {
  const ProcessResult result = run_olem({"order", sachs(), "--verbose"});
  EXPECT_THAT(result.err, HasSubstr(sachs() + ": 853 rows, 11 columns\n"));
}

TEST(Loudness, StrictMakesAWarningAnError) {
  const TemporaryFolder folder;
  ProcessOptions options;
  options.folder = folder.path();
  const ProcessResult result = run_olem({"order", sachs(), "--method", "olem", "--strict", "-o", "out.json"}, options);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("at distance zero"));
  EXPECT_THAT(result.err, HasSubstr("With --strict this is an error."));
  EXPECT_THAT(folder.entries(), ElementsAre());
  folder.write("good.csv", csv_of(linear_table(100, 3, 1)));
  EXPECT_EQ(run_olem({"order", "good.csv", "--strict"}, options).exit_code, 0);
}

TEST_F(LongRun, StopsForASignalAndLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    options_.signal = signal;
    options_.signal_after_text = "rows, 6 columns";  // the data are read
    const ProcessResult result = run({"--verbose"});
    EXPECT_EQ(result.exit_code, 130);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("olem: Interrupted.\n"));
    EXPECT_LT(result.seconds_after_signal, kStopsWithin);
    EXPECT_THAT(folder_.entries(), ElementsAre("long.csv"));
  }
}

TEST_F(LongRun, StopsAtTheTimeLimit) {
  const ProcessResult result = run({"--time-limit", "0.2"});
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("The time limit was reached"));
  EXPECT_THAT(result.err, HasSubstr("--time-limit"));
  EXPECT_THAT(folder_.entries(), ElementsAre("long.csv"));
}

TEST_F(LongRun, ShowsProgressOnATerminalOnly) {
  options_.signal = SIGINT;
  options_.error_is_terminal = true;
  options_.signal_after_text = " s left";
  const ProcessResult terminal = run();
  EXPECT_EQ(terminal.exit_code, 130);
  // Where the machine is slow the first order itself is what takes its time.
  EXPECT_THAT(terminal.err, AnyOf(HasSubstr(" %  half-samples"), HasSubstr(" %  order")));
  EXPECT_THAT(terminal.err,
              HasSubstr("\r\x1b[K\x1b[31molem:\x1b[0m Interrupted."));  // the bar is gone before the message

  options_.error_is_terminal = false;
  options_.signal_after_text = "";
  options_.signal_after_ms = 3000;  // the bar appears after two seconds
  EXPECT_EQ(run().err, "olem: Interrupted.\n");

  options_.error_is_terminal = true;
  EXPECT_THAT(run({"--quiet"}).err, Not(HasSubstr("%")));
}

TEST(StandardInput, ThatNeverEndsCanBeInterrupted) {
  ProcessOptions options;
  options.input = "a,b\n1,2\n";
  options.input_stays_open = true;
  options.signal = SIGINT;
  options.signal_after_ms = 1000;
  const ProcessResult result = run_olem({"order", "-"}, options);
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.err, "olem: Interrupted.\n");
  EXPECT_LT(result.seconds_after_signal, kStopsWithin);

  options.signal = 0;
  EXPECT_EQ(run_olem({"order", "-", "--time-limit", "0.2"}, options).exit_code, 6);
}

TEST(StandardInput, StopsAtTheMemoryLimit) {
  ProcessOptions options;
  options.input = csv_of(normal_table(30000, 3, 1));
  const ProcessResult result = run_olem({"order", "-", "--memory", "1M"}, options);
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(result.err, HasSubstr("Reading standard input needs about"));
}

}  // namespace
}  // namespace olem::test::usage_test
