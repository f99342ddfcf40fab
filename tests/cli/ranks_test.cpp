// olem fit, decide and explain under mpirun. Studies and orders: study_test.cpp.
#include <signal.h>

#include <filesystem>

#include "helpers.h"

namespace olem::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

class FitOnRanks : public testing::Test {
 protected:
  FitOnRanks() {
    options_.folder = folder_.path();
    options_.members = true;
  }
  void SetUp() override {
    if (ranks_launcher(2).empty()) GTEST_SKIP() << "there is no mpirun, or a sanitizer";
  }

  ProcessResult run(const Words& arguments, int ranks = 1) {
    options_.launcher = ranks > 1 ? ranks_launcher(ranks) : Words();
    return run_olem(arguments, options_);
  }

  void simulate(const Words& kind) {
    const ProcessResult result = run(joined(joined({"simulate"}, kind), {"-o", "task", "--force"}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  // Text, warnings and model file are those of one process.
  void expect_same_fit(const Words& more) {
    const Words command = joined({"fit", "task/task.json", "-o", "m.olem", "--force"}, more);
    const ProcessResult alone = run(command);
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const std::string model = read_text(folder_.file("m.olem"));
    for (const int ranks : {2, 3}) {
      std::filesystem::remove(folder_.file("m.olem"));
      const ProcessResult result = run(command, ranks);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(result.out, alone.out);
      EXPECT_EQ(result.err, alone.err);
      EXPECT_TRUE(read_text(folder_.file("m.olem")) == model) << ranks << " ranks";
    }
  }

  TemporaryFolder folder_;
  ProcessOptions options_;
};

// Nonlinear numbers with members: the samplers of halves follow what those of all rows, made elsewhere, have chosen.
TEST_F(FitOnRanks, GivesTheBytesOfOneProcess) {
  simulate({"auf", "--family", "mlp", "--variables", "7", "--rows", "150", "--seed", "3"});
  expect_same_fit({"--orders", "2", "--halves", "2"});
}

TEST_F(FitOnRanks, GivesTheBytesOfOneProcessForColumnsOfAllTypesWithGaps) {
  simulate({"mixed", "--variables", "8", "--rows", "150", "--missing", "0.02", "--seed", "5"});
  expect_same_fit({"--missing", "impute", "--imputations", "2", "--orders", "1", "--halves", "1"});
}

// Graphs travel too: learned ones, and those of opinions, of which one has none.
TEST_F(FitOnRanks, GivesTheBytesOfOneProcessForGraphs) {
  simulate({"auf", "--variables", "7", "--rows", "150", "--seed", "3"});
  expect_same_fit({"--sampler", "linear", "--opinions", "olem,ges,varsort", "--halves", "3"});
  expect_same_fit({"--sampler", "gaussian", "--graph-method", "ges", "--halves", "3"});
}

TEST_F(FitOnRanks, DecidesAndExplainsAsOneProcess) {
  simulate({"auf", "--variables", "7", "--rows", "150", "--seed", "4"});
  const auto expect_same = [&](const Words& command) {
    const ProcessResult alone = run(command);
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    const ProcessResult result = run(command, 2);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, alone.out);
  };
  expect_same({"decide", "task/task.json", "--contexts", "task/contexts.csv", "--sampler", "linear", "--quick"});
  expect_same({"explain", "task/task.json", "--contexts", "task/contexts.csv", "--sampler", "linear", "--quick",
               "--pair-points", "0", "--points", "5"});
}

TEST_F(FitOnRanks, RefusesStandardInput) {
  simulate({"auf", "--variables", "7", "--rows", "60"});
  for (const Words& command :
       {Words{"fit", "-", "-o", "m.olem"}, Words{"fit", "task/task.json", "--data", "-", "-o", "m.olem"},
        Words{"decide", "task/task.json", "--contexts", "-"}}) {
    const ProcessResult result = run(command, 2);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("olem: Standard input reaches one rank only"));
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(FitOnRanks, TellsAnErrorOfAllRanksOnce) {
  const ProcessResult result = run({"fit", "missing.json", "-o", "m.olem"}, 3);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("olem: Cannot read missing.json"));
  EXPECT_EQ(result.err.find("rank 1"), result.err.rfind("rank 1"));
}

// What goes wrong on one rank only ends all of them with its exit code, and no model is written.
TEST_F(FitOnRanks, AnErrorOfOneRankEndsAll) {
  simulate({"auf", "--variables", "7", "--rows", "60"});
  options_.launcher =
      joined(ranks_launcher(2),
             {"sh", "-c", R"(test "$OMPI_COMM_WORLD_RANK" = 0 || set -- "$@" --memory 1k; exec "$@")", "sh"});
  const ProcessResult result = run_olem({"fit", "task/task.json", "-o", "m.olem"}, options_);
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_THAT(result.err, HasSubstr("olem, rank 1: Reading task/data.csv needs about"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("m.olem")));
}

TEST_F(FitOnRanks, ADeadRankEndsAll) {
  // Takes far longer than a test waits.
  simulate({"auf", "--family", "mlp", "--variables", "20", "--rows", "2000"});
  options_.launcher = ranks_launcher(3);
  options_.signal_after_text = "2000 rows";
  pid_t victim = 0;
  options_.meanwhile = [&] {
    victim = process_of_rank(folder_.path(), 2);
    if (victim > 0) ::kill(victim, SIGKILL);
  };
  const ProcessResult result = run_olem({"fit", "task/task.json", "-o", "m.olem", "--verbose"}, options_);
  EXPECT_GT(victim, 0);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("m.olem")));
}

TEST_F(FitOnRanks, StopsAtTheTimeLimitAndWhenInterrupted) {
  simulate({"auf", "--family", "mlp", "--variables", "20", "--rows", "2000"});
  const ProcessResult late = run({"fit", "task/task.json", "-o", "m.olem", "--time-limit", "1"}, 2);
  EXPECT_EQ(late.exit_code, 6);
  EXPECT_THAT(late.err, HasSubstr("The time limit was reached"));
  EXPECT_THAT(late.err, Not(HasSubstr("Interrupted")));

  options_.launcher = ranks_launcher(2);
  options_.signal = SIGTERM;
  options_.signal_after_text = "2000 rows";
  const ProcessResult stopped = run_olem({"fit", "task/task.json", "-o", "m.olem", "--verbose"}, options_);
  EXPECT_NE(stopped.exit_code, 0);
  EXPECT_EQ(stopped.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("m.olem")));
}

}  // namespace
}  // namespace olem::test
