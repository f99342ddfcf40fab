#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "helpers.h"
#include "olem/random.h"
#include "olem/version.h"
#include "study/journal.h"

namespace olem::test {

using namespace internal;
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<std::string> kSmall = {"study",    "order", "--settings", "d=5,p=0.3,noise=beta", "--rows",    "150",
                                         "--epochs", "2",     "--methods",  "olem,listen,varsort",  "--metrics", "div"};
constexpr std::size_t kSmallCells = 5 * 14 * 3;

// Takes far longer than a test waits.
const std::vector<std::string> kLong = {"study", "order", "--methods", "score", "--metrics", "div"};

class StudyCommand : public testing::Test {
 protected:
  StudyCommand() { options_.folder = folder_.path(); }

  ProcessResult run(const std::vector<std::string>& arguments, const std::vector<std::string>& more = {}) const {
    return run_olem(joined(arguments, more), options_);
  }
  std::string journal() const { return folder_.file("olem-study-order.journal"); }
  std::size_t finished_cells() const {
    const std::string text = read_text(journal());
    const auto lines = std::count(text.begin(), text.end(), '\n');
    return lines > 0 ? static_cast<std::size_t>(lines) - 1 : 0;
  }

  TemporaryFolder folder_;
  ProcessOptions options_;
};

TEST_F(StudyCommand, PrintsATableAndKeepsTheCells) {
  const ProcessResult first = run(kSmall);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, StartsWith("Study order: 210 cells.\n"));
  EXPECT_THAT(first.out, HasSubstr("d=5 p=0.3 noise=beta r=0.25  DIV     OLEM        14"));
  EXPECT_EQ(finished_cells(), kSmallCells);
  const ProcessResult again = run(kSmall);
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(finished_cells(), kSmallCells) << "nothing is computed twice";

  const auto json = parse_json(run(kSmall, {"--json", "--figures", "pictures"}).out);
  EXPECT_EQ(json.at("rows").size(), 15U);
  EXPECT_TRUE(json.at("rows")[0].at("published").is_null());
  EXPECT_EQ(json.at("figures").size(), 1U);
  EXPECT_THAT(read_text(folder_.file("pictures/order-d-5-p-0.3-noise-beta.svg")), HasSubstr("</svg>"));
}

TEST_F(StudyCommand, DryRunCountsAndTouchesNothing) {
  const ProcessResult result = run({"study", "order", "--settings", "d=10,p=0.3,units=own", "--metrics", "div",
                                    "--methods", "olem,score,caps,listen,varsort", "--dry-run", "--threads", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2625 cells, of which 0 are finished. The rest takes about"));
  EXPECT_TRUE(folder_.entries().empty());
}

TEST_F(StudyCommand, SaysWhatIsWrong) {
  const struct {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  } cases[] = {
      {{"study"}, 2, "NAME is missing"},
      {{"study", "sach"}, 2, "'sach' is not a study; did you mean 'sachs'?"},
      {{"study", "order", "--methods", "olm"}, 2, "--methods: 'olm' is not in the study order; did you mean 'olem'?"},
      {{"study", "order", "--settings", "d=7"}, 2, "There are: d=5|10|20, noise=beta|gaussian|exponential"},
      {{"study", "order", "--settings", "d=20,p=0.8"}, 2, "not in every combination"},
      {{"study", "order", "--epochs", "0"}, 2, "--epochs"},
      {{"study", "sachs", "--journal", "none/j"}, 5, "No such file or directory"},
      {{"study", "auf", "--figures", "pictures"}, 2, "The study auf is a table without figures."},
  };
  for (const auto& one : cases) {
    const ProcessResult result = run(one.arguments);
    EXPECT_EQ(result.exit_code, one.exit_code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(one.message));
    EXPECT_EQ(result.out, "");
  }
}

// kill -9 at any moment, and a disk that lost the end of the file: the table is that of an unbroken run.
TEST_F(StudyCommand, SurvivesKills) {
  const bool thorough = std::getenv("OLEM_LONG") != nullptr;
  const int kills = thorough ? 100 : 20;
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult unbroken = run(kSmall, {"--journal", "unbroken"});
  const double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  ASSERT_EQ(unbroken.exit_code, 0) << unbroken.err;

  RandomStream random(static_cast<std::uint64_t>(::getpid()), "kills");
  ProcessOptions killing = options_;
  killing.signal = SIGKILL;
  std::size_t resumed = 0;
  for (int killed = 0; killed < kills;) {
    const std::size_t before = finished_cells();
    killing.signal_after_ms = static_cast<int>(random.uniform(0.0, 0.5 * milliseconds));
    const ProcessResult result = run_olem(kSmall, killing);
    if (result.exit_code == 0) {
      ASSERT_EQ(result.out, unbroken.out) << "after " << killed << " kills";
      std::filesystem::remove(journal());
      continue;
    }
    ASSERT_EQ(result.exit_code, 128 + SIGKILL) << result.err;
    ++killed;
    ASSERT_GE(finished_cells(), before);
    resumed += before > 0 ? 1 : 0;
    if (std::filesystem::exists(journal()) && random.uniform() < 0.5) {
      const auto size = std::filesystem::file_size(journal());
      std::filesystem::resize_file(journal(), size - std::min<std::uintmax_t>(size, random.below(60)));
    }
  }
  EXPECT_GT(resumed, 0U);
  EXPECT_EQ(run(kSmall).out, unbroken.out);
}

TEST_F(StudyCommand, InterruptionKeepsWhatIsFinished) {
  ProcessOptions interrupting = options_;
  interrupting.signal = SIGINT;
  interrupting.signal_after_text = "3 of 315";
  const ProcessResult result = run_olem(joined(kLong, {"--verbose", "--settings", "d=5,r=1"}), interrupting);
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_THAT(result.err, HasSubstr("the same command goes on from there"));
  EXPECT_GE(finished_cells(), 3U);
}

TEST_F(StudyCommand, ASecondProcessIsRefused) {
  const Journal held(journal(), {"order", 0, std::string(version())}, false);
  const ProcessResult second = run(kSmall);
  EXPECT_EQ(second.exit_code, 5);
  EXPECT_THAT(second.err, HasSubstr(fmt::format("is in use by process {}", ::getpid())));
  EXPECT_EQ(second.out, "");
}

class Ranks : public StudyCommand {
 protected:
  void SetUp() override {
    if (ranks_launcher(2).empty()) GTEST_SKIP() << "there is no mpirun, or a sanitizer";
  }
  void use(int ranks) { options_.launcher = ranks_launcher(ranks); }
};

TEST_F(Ranks, FarmOutTheCellsOfAStudy) {
  const std::string expected = run(kSmall, {"--journal", "alone"}).out;
  for (const int ranks : {2, 3}) {
    use(ranks);
    const ProcessResult result = run(kSmall, {"--journal", fmt::format("on{}", ranks)});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, expected);
  }
}

TEST_F(Ranks, GiveTheOrderOfOneProcess) {
  folder_.write("data.csv", csv_of(linear_table(3000, 8, 3)));
  const auto expected = comparable(parse_json(run({"order", "data.csv", "--json"}).out));
  for (const int ranks : {2, 3}) {
    use(ranks);
    const ProcessResult result = run({"order", "data.csv", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(comparable(parse_json(result.out)), expected);
  }
  use(2);
  const ProcessResult listed = run({"order", "data.csv", "--json", "--method", "olem", "--k", "3"});
  options_.launcher.clear();
  EXPECT_EQ(comparable(parse_json(listed.out)),
            comparable(parse_json(run({"order", "data.csv", "--json", "--method", "olem", "--k", "3"}).out)));
}

// Regressions of olem+ are spread over the ranks: of numbers with a Gaussian process among them, and of levels.
TEST_F(Ranks, GiveTheOrderOfOneProcessByRegressions) {
  run({"simulate", "order", "-o", "numbers", "--variables", "6", "--rows", "600", "--linearity", "0", "--seed", "3"});
  run({"simulate", "mixed", "-o", "levels", "--variables", "7", "--rows", "400", "--seed", "5"});
  for (const std::string file : {"numbers/data.csv", "levels/data.csv"}) {
    options_.launcher.clear();
    const std::vector<std::string> command = {"order", file, "--json", "--method", "olem+"};
    const auto expected = comparable(parse_json(run(command).out));
    EXPECT_GT(expected["regressions"], 10.0);
    for (const int ranks : {2, 3}) {
      use(ranks);
      const ProcessResult result = run(command);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(comparable(parse_json(result.out)), expected) << file << " on " << ranks;
    }
  }
}

TEST_F(Ranks, TellErrorsOnceAndEndTogether) {
  use(3);
  const ProcessResult missing = run({"order", "missing.csv"});
  EXPECT_EQ(missing.exit_code, 5);
  EXPECT_THAT(missing.err, HasSubstr("olem: Cannot read missing.csv"));
  EXPECT_EQ(missing.err.find("rank 1"), missing.err.rfind("rank 1"));
  const ProcessResult input = run({"order", "-"});
  EXPECT_EQ(input.exit_code, 2);
  EXPECT_THAT(input.err, HasSubstr("Standard input reaches one rank only"));
}

TEST_F(Ranks, ADeadOneEndsTheRunAndTheJournalGoesOn) {
  // Long enough for the death of a rank to come in between.
  const std::vector<std::string> study = {
      "study",    "order", "--settings", "d=5,p=0.5,noise=beta", "--rows",    "500", "--tasks", "6",
      "--epochs", "1",     "--methods",  "score,varsort",        "--metrics", "div"};
  const std::string expected = run(study, {"--journal", "alone"}).out;
  use(3);
  ProcessResult broken;
  std::thread running([&] { broken = run(study); });
  while (finished_cells() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const pid_t victim = process_of_rank(folder_.path(), 2);
  if (victim > 0) ::kill(victim, SIGKILL);
  running.join();
  ASSERT_GT(victim, 0);
  EXPECT_NE(broken.exit_code, 0);
  EXPECT_EQ(broken.out, "");
  const ProcessResult resumed = run(study);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, expected);
}

}  // namespace
}  // namespace olem::test
