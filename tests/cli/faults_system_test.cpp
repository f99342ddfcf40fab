#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "faults.h"
#include "olem/file.h"

namespace olem::test::faults_system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Stopping is promised within a second; a loaded machine with sanitizers gets more.
constexpr double kStopsWithin = 10.0;

const char* const kTask = R"({
  "data": "d.csv", "context": ["x0"], "alterable": {"x1": [-1, 1], "x2": [-1, 1]}, "outcome": ["x3"],
  "desired": {"x3": [1, 2]}, "observed": {"x0": 0}})";

// A folder with small inputs of every kind.
class Workplace {
 public:
  explicit Workplace(std::size_t rows = 60) {
    folder.write("d.csv", csv_of(linear_table(rows, 4, 1)));
    folder.write("t.json", kTask);
    folder.write("g.csv", "from,to\nx0,x1\nx1,x2\nx2,x3\n");
    options.folder = folder.path();
  }

  ProcessResult run(const std::vector<std::string>& arguments, const std::vector<std::string>& more = {}) const {
    return run_olem(joined(arguments, more), options);
  }

  TemporaryFolder folder;
  ProcessOptions options;
};

// The verbs with little to do, -o and all, and the output that each writes.
struct Command {
  std::string name;
  std::vector<std::string> arguments;
  std::string output;
};

void PrintTo(const Command& command, std::ostream* out) { *out << command.name; }

std::vector<Command> commands() {
  const std::vector<std::string> quick = {"--sampler", "linear",  "--draws", "20",         "--judge-draws",
                                          "20",        "--steps", "2",       "--restarts", "0",
                                          "--screen",  "0",       "--quiet"};
  const std::vector<std::string> study = {"study",     "order", "--settings", "d=5,p=0.3,noise=beta,r=0",
                                          "--rows",    "50",    "--epochs",   "1",
                                          "--tasks",   "1",     "--methods",  "varsort",
                                          "--metrics", "div"};
  return {
      {"order", {"order", "d.csv", "-o", "out"}, "out"},
      {"graph", {"graph", "d.csv", "-o", "out"}, "out"},
      {"graph_file", {"graph", "d.csv", "--graph-file", "out"}, "out"},
      {"compare", {"compare", "g.csv", "g.csv", "-o", "out"}, "out"},
      {"check", {"check", "d.csv", "-o", "out"}, "out"},
      {"fit", {"fit", "t.json", "--sampler", "linear", "--no-calibrate", "-o", "out"}, "out"},
      {"decide", joined(joined({"decide", "t.json"}, quick), {"-o", "out"}), "out"},
      {"decide_page", joined(joined({"decide", "t.json"}, quick), {"--report", "out"}), "out"},
      {"explain",
       {"explain", "t.json", "--sampler", "linear", "--pair-points", "0", "--points", "5", "--draws", "50",
        "--final-draws", "50", "-o", "out"},
       "out"},
      {"explain_figure",
       {"explain", "t.json", "--sampler", "linear", "--pair-points", "0", "--points", "5", "--draws", "50",
        "--final-draws", "50", "--svg", "out"},
       "out"},
      {"simulate", {"simulate", "order", "--variables", "3", "--rows", "9", "-o", "out"}, "out"},
      {"study", joined(study, {"-o", "out"}), "out"},
      {"study_figures", joined(study, {"--figures", "out"}), "out"},
      {"report", {"report", "result.json", "-o", "out"}, "out"},
  };
}

class EveryOutput : public testing::TestWithParam<Command> {
 protected:
  EveryOutput() {
    if (GetParam().arguments[0] == "report") {
      EXPECT_EQ(work.run({"order", "d.csv", "-q", "-o", "result.json"}).exit_code, 0);
    }
  }

  Workplace work;
};

TEST_P(EveryOutput, IsReplacedOnlyWithForce) {
  const Command& command = GetParam();
  const ProcessResult first = work.run(command.arguments);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto before = contents(work.folder);
  EXPECT_TRUE(before.contains(command.output));
  for (const auto& [name, content] : before) EXPECT_THAT(name, Not(HasSubstr("olem-lock")));

  const ProcessResult second = work.run(command.arguments);
  EXPECT_EQ(second.exit_code, 5) << second.out;
  EXPECT_EQ(second.out, "");
  EXPECT_THAT(second.err, HasSubstr("out"));
  EXPECT_THAT(second.err, HasSubstr("--force."));
  EXPECT_EQ(contents(work.folder), before);
  const ProcessResult forced = work.run(command.arguments, {"--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
}

TEST_P(EveryOutput, IsLockedAgainstASecondProcess) {
  const Command& command = GetParam();
  const OutputLock held(work.folder.file(command.output));
  const auto before = contents(work.folder);
  const ProcessResult result = work.run(command.arguments);
  EXPECT_EQ(result.exit_code, 5) << result.out;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(fmt::format("out is being written by process {}", ::getpid())));
  EXPECT_EQ(contents(work.folder), before);
}

// What a killed process leaves behind is a lock file that nobody holds.
TEST_P(EveryOutput, IsNotBlockedByADeadProcess) {
  work.folder.write(".out.olem-lock", "process 1 on nowhere");
  const ProcessResult result = work.run(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(std::filesystem::exists(work.folder.file(".out.olem-lock")));
}

TEST_P(EveryOutput, InAFolderThatIsMissingIsRefusedAtOnce) {
  std::vector<std::string> arguments = GetParam().arguments;
  arguments.back() = "absent/out";
  for (std::string& argument : arguments) {
    if (argument == "d.csv") argument = "missing.csv";  // not even looked at
  }
  const auto before = contents(work.folder);
  const ProcessResult result = work.run(arguments);
  EXPECT_EQ(result.exit_code, 5) << result.out;
  EXPECT_THAT(result.err, HasSubstr("absent"));
  EXPECT_THAT(result.err, HasSubstr("No such file or directory"));
  EXPECT_EQ(contents(work.folder), before);
}

TEST_P(EveryOutput, OnAFullDiskLeavesNothing) {
  // The largest file may have 0 bytes, so that every write fails as on a full disk.
  work.options.launcher = {"sh", "-c", "ulimit -f 0; exec \"$@\"", "sh"};
  const auto before = contents(work.folder);
  const ProcessResult result = work.run(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 5) << result.out;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("Cannot write "));
  EXPECT_THAT(result.err, HasSubstr("File too large"));
  auto after = contents(work.folder);
  after.erase("olem-study-order.journal");  // empty, and good to go on from
  EXPECT_EQ(after, before);
}

INSTANTIATE_TEST_SUITE_P(Verb, EveryOutput, testing::ValuesIn(commands()),
                         [](const auto& tested) { return tested.param.name; });

TEST(OutputFaults, OneNameForTwoOutputsIsRefused) {
  const Workplace work;
  const std::vector<std::string> twice[] = {
      {"graph", "d.csv", "-o", "out", "--graph-file", "./out"},
      {"decide", "t.json", "-o", "out", "--report", "out"},
      {"explain", "t.json", "-o", "out", "--svg", "out"},
  };
  for (const auto& arguments : twice) {
    const ProcessResult result = work.run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr("and -o both name"));
  }
}

// --force replaces outputs, never what a command reads.
TEST(OutputFaults, InputsAreNeverReplaced) {
  Workplace work;
  work.folder.write("order.txt", "x0\nx1\nx2\nx3\n");
  work.folder.write("c.csv", "x0\n1\n");
  work.folder.write("k.json", R"({"before": [["x0", "x1"]]})");
  const std::vector<std::string> onto_inputs[] = {
      {"order", "d.csv", "-o", "d.csv"},
      {"order", "d.csv", "--knowledge", "k.json", "-o", "k.json"},
      {"graph", "d.csv", "--graph-file", "d.csv"},
      {"graph", "d.csv", "--order", "order.txt", "--graph-file", "order.txt"},
      {"compare", "g.csv", "order.txt", "-o", "g.csv"},
      {"compare", "g.csv", "order.txt", "-o", "order.txt"},
      {"check", "t.json", "-o", "d.csv"},
      {"fit", "t.json", "-o", "t.json"},
      {"fit", "t.json", "-o", "d.csv"},
      {"decide", "t.json", "--report", "d.csv"},
      {"decide", "t.json", "--contexts", "c.csv", "-o", "c.csv"},
      {"decide", "t.json", "--order", "order.txt", "-o", "order.txt"},
      {"decide", "t.json", "--graph", "g.csv", "--report", "g.csv"},
      {"explain", "t.json", "--svg", "t.json"},
      {"explain", "t.json", "--svg", "d.csv"},
      {"report", "t.json", "-o", "t.json"},
  };
  const auto before = contents(work.folder);
  for (const auto& arguments : onto_inputs) {
    const ProcessResult result = work.run(arguments, {"--force"});
    EXPECT_EQ(result.exit_code, 2) << fmt::format("{}: {}", fmt::join(arguments, " "), result.err);
    EXPECT_THAT(result.err, HasSubstr("Give the result another name."));
    ASSERT_EQ(contents(work.folder), before) << fmt::format("{}", fmt::join(arguments, " "));
  }
}

TEST(OutputFaults, AFolderWithoutPermissionIsNamed) {
  Workplace work;
  ASSERT_EQ(::mkdir(work.folder.file("closed").c_str(), 0555), 0);
  if (::geteuid() == 0) {
    if (std::system("command -v setpriv > /dev/null") != 0) GTEST_SKIP() << "root may write everywhere";
    ASSERT_EQ(::chmod(work.folder.path().c_str(), 0755), 0);
    work.options.launcher = {"setpriv", "--reuid=65534", "--clear-groups"};
    if (work.run({"--version"}).exit_code != 0) GTEST_SKIP() << "others may not run olem here";
  }
  const ProcessResult result = work.run({"order", "d.csv", "-o", "closed/out.json"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.err, "olem: Cannot write to the folder closed: Permission denied.\n");
  ASSERT_EQ(::chmod(work.folder.file("d.csv").c_str(), 0200), 0);
  EXPECT_EQ(work.run({"order", "d.csv"}).err, "olem: Cannot read d.csv: Permission denied.\n");
}

TEST(OutputFaults, AFolderThatVanishesMeanwhileIsNamed) {
  Workplace work(3000);
  std::filesystem::create_directory(work.folder.file("results"));
  work.options.signal_after_text = "3000 rows, 4 columns";
  work.options.meanwhile = [&] { std::filesystem::remove_all(work.folder.file("results")); };
  const ProcessResult result = work.run({"order", "d.csv", "-v", "--bootstrap", "300", "-o", "results/out.json"});
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_THAT(result.err, HasSubstr("Cannot write to the folder results: No such file or directory."));
  EXPECT_EQ(result.out, "");
}

// Long enough for a signal to come in between, however fast the machine is; each in its longest phase.
std::vector<Command> long_commands() {
  const auto decide = [](const std::vector<std::string>& arguments) {
    return joined({"decide", "t.json", "--sampler", "linear"}, arguments);
  };
  return {
      {"olem", {"order", "wide.csv", "--bootstrap", "1000"}, ""},
      {"ensemble", {"order", "tall.csv", "--method", "olem", "--estimator", "ensemble"}, ""},
      {"score", {"order", "tall.csv", "--method", "score"}, ""},
      {"caps", {"order", "tall.csv", "--method", "caps"}, ""},
      {"cam", {"order", "wide.csv", "--method", "cam"}, ""},
      {"diffan", {"order", "wide.csv", "--method", "diffan"}, ""},
      {"pruning", {"graph", "taller.csv", "--order", "ten.txt", "--basis-size", "50"}, ""},
      {"notears", {"graph", "wide.csv", "--method", "notears"}, ""},
      {"ges", {"graph", "wider.csv", "--method", "ges"}, ""},
      {"pc", {"graph", "wider.csv", "--method", "pc", "--independence-alpha", "0.9"}, ""},
      {"fci", {"graph", "wide.csv", "--method", "fci", "--independence-alpha", "0.9"}, ""},
      {"fit_gp", {"fit", "t.json", "--order", "order.txt", "-o", "out"}, ""},
      {"fit_spline", {"fit", "t.json", "--order", "order.txt", "--sampler", "spline", "-o", "out"}, ""},
      {"fit_cinn", {"fit", "t.json", "--order", "order.txt", "--sampler", "cinn", "-o", "out"}, ""},
      {"decide", decide({"--draws", "1000000", "--judge-draws", "1000000", "-o", "out"}), ""},
      {"decide_grid", decide({"--optimizer", "grid", "--grid-points", "140", "--draws", "20000"}), ""},
      {"decide_bayes", decide({"--optimizer", "bayes", "--bayes-evaluations", "2000"}), ""},
      {"explain", {"explain", "t.json", "--sampler", "linear", "--draws", "1000000", "-o", "out"}, ""},
      {"simulate_order", {"simulate", "order", "--variables", "10", "--rows", "6000", "-o", "out"}, ""},
      {"simulate_auf", {"simulate", "auf", "--rows", "2000000", "--noise", "beta", "-o", "out"}, ""},
      {"simulate_bermuda", {"simulate", "bermuda", "--rows", "3000000", "-o", "out"}, ""},
      {"simulate_mixed", {"simulate", "mixed", "--rows", "3000000", "-o", "out"}, ""},
      {"study_order", {"study", "order", "--methods", "score", "--metrics", "div", "-o", "out"}, ""},
      {"study_auf", {"study", "auf", "-o", "out"}, ""},
      {"study_bermuda", {"study", "bermuda", "-o", "out"}, ""},
  };
}

// One folder for all of them; nothing may be changed in it.
class LongWork : public testing::TestWithParam<Command> {
 protected:
  static void SetUpTestSuite() {
    work = new Workplace();
    work->folder.write("tall.csv", csv_of(linear_table(4000, 6, 1)));
    work->folder.write("taller.csv", csv_of(linear_table(20000, 10, 1)));
    work->folder.write("wide.csv", csv_of(linear_table(400, 60, 1)));
    work->folder.write("wider.csv", csv_of(linear_table(300, 120, 1)));
    work->folder.write("d.csv", csv_of(linear_table(6000, 4, 1)));
    work->folder.write("order.txt", "x0\nx1\nx2\nx3\n");
    work->folder.write("ten.txt", "x0\nx1\nx2\nx3\nx4\nx5\nx6\nx7\nx8\nx9\n");
  }
  static void TearDownTestSuite() {
    delete work;
    work = nullptr;
  }

  // What the folder holds but journals, which keep what is finished.
  static std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const std::string& name : work->folder.entries()) {
      if (!name.ends_with(".journal")) names.push_back(name);
    }
    return names;
  }

  static inline Workplace* work = nullptr;
};

TEST_P(LongWork, StopsForASignalAndLeavesNothing) {
  const auto before = files();
  ProcessOptions options = work->options;
  // One of the two, a test at a time.
  options.signal = GetParam().name.size() % 2 == 0 ? SIGINT : SIGTERM;
  options.signal_after_ms = 200;
  const ProcessResult result = run_olem(GetParam().arguments, options);
  EXPECT_EQ(result.exit_code, 130) << result.out << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("olem: Interrupted."));
  EXPECT_LT(result.seconds_after_signal, kStopsWithin);
  EXPECT_EQ(files(), before);
}

INSTANTIATE_TEST_SUITE_P(Verb, LongWork, testing::ValuesIn(long_commands()),
                         [](const auto& tested) { return tested.param.name; });

TEST(Signals, ASecondInterruptEndsAtOnce) {
  Workplace work(3000);
  work.options.signal_after_text = "3000 rows, 4 columns";
  // Two signals that wait for a stopped process are handled before it does anything else.
  work.options.signal = SIGSTOP;
  work.options.more_signals = {SIGTERM, SIGINT, SIGCONT};
  work.options.environment = {"OPENBLAS_NUM_THREADS=1"};  // no other thread that one of them could go to
  const ProcessResult result = work.run({"order", "d.csv", "-v", "--threads", "1", "--bootstrap", "100000"});
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_THAT(result.err, Not(HasSubstr("Interrupted.")));
}

TEST(Signals, EndAWaitForWhatIsRead) {
  Workplace work;
  ASSERT_EQ(::mkfifo(work.folder.file("pipe").c_str(), 0600), 0);
  work.options.signal = SIGINT;
  work.options.signal_after_ms = 200;
  work.options.input_stays_open = true;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"order", "pipe"},
                                                    {"decide", "-"},
                                                    {"check", "d.csv", "-"},
                                                    {"report", "-", "-o", "out"},
                                                    {"order", "d.csv", "--knowledge", "-"},
                                                    {"compare", "-", "g.csv"}}) {
    const ProcessResult result = work.run(arguments);
    EXPECT_EQ(result.exit_code, 130) << arguments[0] << result.err;
    EXPECT_EQ(result.err, "olem: Interrupted.\n") << arguments[0];
    EXPECT_LT(result.seconds_after_signal, kStopsWithin);
  }
}

TEST(Signals, EndAWaitForWhoeverReadsTheResult) {
  Workplace work;
  ASSERT_EQ(::mkfifo(work.folder.file("pipe").c_str(), 0600), 0);
  const int reader = ::open(work.folder.file("pipe").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  ASSERT_EQ(::fcntl(reader, F_SETPIPE_SZ, 4096), 4096);  // less than the options page
  work.options.output_path = work.folder.file("pipe");
  work.options.signal = SIGINT;
  work.options.signal_after_ms = 300;
  const ProcessResult result = work.run({"options"});
  ::close(reader);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_EQ(result.err, "olem: Interrupted.\n");
}

TEST(Signals, NobodyReadsAnyMore) {
  Workplace work;
  work.options.output_is_closed = true;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"order", "d.csv", "-o", "o.json"},
                                                    {"graph", "d.csv"},
                                                    {"check", "d.csv"},
                                                    {"compare", "g.csv", "g.csv"},
                                                    {"decide", "t.json", "--sampler", "linear"},
                                                    {"options"}}) {
    const ProcessResult result = work.run(arguments);
    EXPECT_THAT(result.err, Not(HasSubstr("olem:"))) << arguments[0];
    EXPECT_EQ(result.exit_code, 128 + SIGPIPE) << arguments[0];  // what a shell expects of the first part of a pipe
  }
  EXPECT_EQ(parse_json(read_text(work.folder.file("o.json")))["verb"], "order");
  EXPECT_FALSE(std::filesystem::exists(work.folder.file(".o.json.olem-lock")));
}

// Every verb stops at a limit that has passed before it begins, with the sentence and without an output.
TEST(Limits, TimeEndsEveryVerb) {
  Workplace work(2000);
  ASSERT_EQ(work.run({"order", "d.csv", "-q", "-o", "result.json"}).exit_code, 0);
  for (const Command& command : commands()) {
    if (command.name == "check" || command.name == "compare" || command.name == "report") continue;  // over at once
    const auto before = contents(work.folder);
    const ProcessResult result = work.run(command.arguments, {"--time-limit", "1e-9"});
    EXPECT_EQ(result.exit_code, 6) << command.name << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("The time limit was reached"));
    EXPECT_THAT(result.err, HasSubstr("--time-limit"));
    auto after = contents(work.folder);
    after.erase("olem-study-order.journal");
    EXPECT_EQ(after, before) << command.name;
    std::filesystem::remove(work.folder.file("olem-study-order.journal"));
  }
  // The others wait only for what they read.
  work.options.input_stays_open = true;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"check", "-"}, {"compare", "-", "g.csv"}, {"report", "-", "-o", "page.html"}}) {
    const ProcessResult result = work.run(arguments, {"--time-limit", "0.05"});
    EXPECT_EQ(result.exit_code, 6) << arguments[0] << result.err;
    EXPECT_THAT(result.err, HasSubstr("The time limit was reached"));
  }
}

// Decisions that are made when the time is up are worth something to whoever asked for many.
TEST(Limits, DecisionsThatAreMadeAreKept) {
  Workplace work(100);
  std::string contexts = "x0\n";
  for (int i = 0; i < 5000; ++i) contexts += fmt::format("{}\n", 0.0002 * i);
  work.folder.write("c.csv", contexts);
  const std::vector<std::string> arguments = {"decide", "t.json",   "--sampler", "linear", "--contexts",
                                              "c.csv",  "--report", "page.html", "--json", "-o"};
  // However slow the machine is, some decision is made in time at last.
  ProcessResult limited;
  for (int seconds = 1; limited.out.empty() && seconds < 60; seconds *= 2)
    limited = work.run(arguments, {"limited.json", "--time-limit", std::to_string(seconds)});
  ASSERT_EQ(limited.exit_code, 6) << limited.err;
  const auto json = parse_json(limited.out);
  const std::size_t made = json["decisions"].size();
  EXPECT_GT(made, 0U);
  EXPECT_EQ(made + json["unfinished"].get<std::size_t>(), 5000U);
  EXPECT_EQ(json["decisions"][0]["context"]["x0"], 0.0);
  EXPECT_THAT(warning_codes(json), testing::Contains("unfinished"));
  EXPECT_THAT(limited.err, HasSubstr(fmt::format("The result holds the first {} of 5000 contexts.", made)));
  EXPECT_EQ(parse_json(read_text(work.folder.file("limited.json"))), json);
  EXPECT_THAT(read_text(work.folder.file("page.html")), HasSubstr("</html>"));

  work.options.signal = SIGINT;
  ProcessResult interrupted;
  for (int seconds = 1; interrupted.out.empty() && seconds < 60; seconds *= 2) {
    work.options.signal_after_ms = 1000 * seconds;
    interrupted = work.run(arguments, {"interrupted.json", "--force"});
  }
  EXPECT_EQ(interrupted.exit_code, 130) << interrupted.err;
  EXPECT_GT(parse_json(interrupted.out)["decisions"].size(), 0U);
}

// Fits that are there when the time is up are worth an answer, and a model.
TEST(Limits, MembersThatAreFittedAreKept) {
  Workplace work(1500);
  work.options.members = true;
  for (const bool decides : {true, false}) {
    std::vector<std::string> arguments = {
        decides ? "decide" : "fit", "t.json", "--orders", "64", "--halves", "64", "--json"};
    if (decides) arguments.insert(arguments.end(), {"--draws", "50", "--judge-draws", "100"});
    if (!decides) arguments.insert(arguments.end(), {"-o", "kept.olem"});
    // However slow the machine is, the fit is made in time at last; the members take ten times as long as the rest.
    ProcessResult limited;
    for (double seconds = 0.02; limited.out.empty() && seconds < 60.0; seconds *= 1.5)
      limited = work.run(arguments, {"--time-limit", fmt::format("{}", seconds)});
    ASSERT_EQ(limited.exit_code, 6) << limited.err;
    EXPECT_THAT(warning_codes(parse_json(limited.out)), testing::Contains("unfinished_members"));
    EXPECT_THAT(limited.err, HasSubstr("The work was stopped when "));
  }
  const ProcessResult decided = work.run({"decide", "--model", "kept.olem", "--context", "x0=0.5", "--json"}, {});
  EXPECT_EQ(decided.exit_code, 0) << decided.err;
  EXPECT_EQ(parse_json(decided.out)["decisions"].size(), 1U);
}

// What would not fit is refused with the number before it is asked for.
std::vector<Fault> memory_faults() {
  const std::string tall = csv_of(linear_table(2000, 4, 1));
  const std::string wide = csv_of(linear_table(61, 60, 1));
  const Files task = {{"d.csv", tall}, {"t.json", kTask}};
  const auto decide = [](const std::vector<std::string>& arguments) {
    return joined({"decide", "t.json", "--sampler", "linear", "-q"}, arguments);
  };
  std::vector<Fault> all = {
      {"reading", tall, {"check", "d.csv", "--memory", "50k"}, 6, {"Reading d.csv needs about"}, ""},
      {"neighbours",
       tall,
       {"order", "d.csv", "--method", "olem", "--memory", "200k"},
       6,
       {"The search for neighbours needs about"},
       ""},
      {"score", tall, {"order", "d.csv", "--method", "score", "--memory", "10M"}, 6, {"MB of memory"}, ""},
      {"caps", tall, {"order", "d.csv", "--method", "caps", "--memory", "10M"}, 6, {"MB of memory"}, ""},
      {"pruning", tall, {"graph", "d.csv", "--method", "olem", "--memory", "500k"}, 6, {"kB of memory"}, ""},
      {"cam", tall, {"order", "d.csv", "--method", "cam", "--memory", "300k"}, 6, {"of memory"}, ""},
      {"diffan", tall, {"order", "d.csv", "--method", "diffan", "--memory", "200k"}, 6, {"of memory"}, ""},
      {"listen", wide, {"order", "d.csv", "--method", "listen", "--memory", "100k"}, 6, {"The covariance matrix"}, ""},
      {"pc", wide, {"graph", "d.csv", "--method", "pc", "--memory", "85k"}, 6, {"The covariance matrix"}, ""},
      {"fci", wide, {"graph", "d.csv", "--method", "fci", "--memory", "85k"}, 6, {"The covariance matrix"}, ""},
      {"ges", wide, {"graph", "d.csv", "--method", "ges", "--memory", "90k"}, 6, {"of memory"}, ""},
      {"notears", wide, {"graph", "d.csv", "--method", "notears", "--memory", "100k"}, 6, {"NOTEARS needs about"}, ""},
      {"fit_gp", task, {"fit", "t.json", "--memory", "1M", "-q"}, 6, {"needs about"}, ""},
      {"decide", task, decide({"--draws", "1000000", "--memory", "10M"}), 6, {"Drawing outcomes needs about"}, ""},
      {"explain",
       task,
       {"explain", "t.json", "--sampler", "linear", "-q", "--draws", "1000000", "--memory", "10M"},
       6,
       {"needs about"},
       ""},
      {"simulate_process",
       {},
       {"simulate", "order", "--rows", "100000", "--memory", "1G", "-o", "out"},
       6,
       {"A Gaussian-process function over 100000 rows needs about 80000 MB"},
       ""},
      {"simulate",
       {},
       {"simulate", "auf", "--rows", "10000000", "--memory", "1G", "-o", "out"},
       6,
       {"table needs about"},
       ""},
      {"study",
       {},
       {"study", "auf", "--tasks", "1000000", "--memory", "1G"},
       6,
       {"A study of ", "cells needs about"},
       ""},
  };
  for (Fault& fault : all) fault.fragments.emplace_back("is the limit set");
  return all;
}

class MemoryLimit : public testing::TestWithParam<Fault> {};

TEST_P(MemoryLimit, IsToldBeforeAnythingIsAllocated) { expect_answer(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Verb, MemoryLimit, testing::ValuesIn(memory_faults()), fault_name);

#if defined(__has_feature)
#define OLEM_HAS_FEATURE(feature) __has_feature(feature)
#else
#define OLEM_HAS_FEATURE(feature) 0
#endif
constexpr bool kSanitizedAllocator = OLEM_HAS_FEATURE(address_sanitizer) || OLEM_HAS_FEATURE(thread_sanitizer);

// Not predicted, but granted by nobody: the system itself says no.
TEST(Limits, AnAllocationThatFailsIsNotTheEnd) {
  if (kSanitizedAllocator) GTEST_SKIP() << "sanitizers need the address space";
  Workplace work;
  work.folder.write("tall.csv", csv_of(linear_table(20000, 4, 1)));
  work.options.launcher = {"sh", "-c", "ulimit -v 300000; exec \"$@\"", "sh"};
  const ProcessResult score =
      work.run({"order", "tall.csv", "--method", "score", "--memory", "100G", "--threads", "1", "-o", "out"});
  EXPECT_EQ(score.exit_code, 6) << score.err;
  EXPECT_THAT(score.err, HasSubstr("not enough memory"));
  EXPECT_FALSE(std::filesystem::exists(work.folder.file("out")));

  // Threads that are not granted are not needed.
  const ProcessResult many = work.run({"order", "d.csv", "--threads", "4096", "--json"});
  EXPECT_EQ(many.exit_code, 0) << many.err;
}

// A German locale in the folder, and how to use it; nothing where none can be made.
std::vector<std::string> german_locale(const TemporaryFolder& folder) {
  const std::string command = fmt::format("localedef -i de_DE -f UTF-8 {}/de_DE.UTF-8 > /dev/null 2>&1", folder.path());
  if (std::system(command.c_str()) != 0) return {};
  return {"LOCPATH=" + folder.path(), "LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"};
}

TEST(Environment, DoesNotChangeTheResult) {
  Workplace work(300);
  const std::vector<std::string> commands_run[] = {
      {"order", "d.csv", "--json", "--bootstrap", "5"},
      {"graph", "d.csv", "--json"},
      {"decide", "t.json", "--sampler", "linear", "--json", "--draws", "50", "--judge-draws", "100"},
  };
  const TemporaryFolder locales;
  std::vector<std::vector<std::string>> environments = {
      {"LC_ALL=C"},
      {"LC_ALL=no_such.locale", "LANG="},
      {"TZ=Pacific/Chatham", "LANG=C.UTF-8"},
      {"TZ=:/nowhere", "HOME=/nonexistent"},
      {"OMP_NUM_THREADS=7", "OPENBLAS_NUM_THREADS=5"},
      {"OMP_NUM_THREADS=banana", "OPENBLAS_NUM_THREADS=-1", "GOTO_NUM_THREADS=0"},
  };
  if (const auto german = german_locale(locales); !german.empty()) environments.push_back(german);
  for (const auto& arguments : commands_run) {
    const auto expected = comparable(parse_json(work.run(arguments).out));
    const auto stripped = [](nlohmann::ordered_json json) {
      for (auto& decision : json["decisions"]) decision.erase("seconds");
      return json;
    };
    for (const auto& environment : environments) {
      work.options.environment = environment;
      const ProcessResult result = work.run(arguments);
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(stripped(comparable(parse_json(result.out))), stripped(expected)) << environment[0];
    }
    work.options.environment.clear();
    for (const char* const threads : {"1", "3", "64"}) {
      EXPECT_EQ(stripped(comparable(parse_json(work.run(arguments, {"--threads", threads}).out))), stripped(expected))
          << threads;
    }
  }
}

}  // namespace
}  // namespace olem::test::faults_system_test
