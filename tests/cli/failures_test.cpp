#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "advice.h"
#include "helpers.h"
#include "olem/version.h"
#include "study/journal.h"

// What happens when a call fails that hardly ever does: for memory, for a file to open, to write, to bring to the disk
// or to put in its place. Every run is one process in which one call fails, see support/failing_calls.cpp.
namespace olem::test::failures_test {

using namespace internal;
namespace {

using ::testing::HasSubstr;
using Files = std::map<std::string, std::string>;

constexpr int kLeak = 99;

struct Verb {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> outputs;
};

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> list = {
      {"order", {"order", "data.csv", "--json", "-o", "out.json"}, {"out.json"}},
      {"fit", {"fit", "task.json", "--sampler", "linear", "--json", "-o", "out.olem"}, {"out.olem"}},
      {"decide",
       {"decide",  "task.json", "--sampler",  "linear",  "--draws",  "50", "--judge-draws",  "50",
        "--steps", "5",         "--restarts", "0",       "--screen", "3",  "--ascent-steps", "1",
        "-o",      "out.json",  "--report",   "out.html"},
       {"out.json", "out.html"}},
      {"study",
       {"study", "order", "--settings", "d=5,p=0.3,noise=beta,r=0", "--rows", "30", "--epochs", "1", "--tasks", "1",
        "--methods", "olem,varsort", "--metrics", "div", "--journal", "journal", "--output", "out.json"},
       {"out.json"}},
      {"report", {"report", "result.json", "-o", "out.html"}, {"out.html"}},
      {"check", {"check", "task.json", "-o", "out.json"}, {"out.json"}},
  };
  return list;
}

// Times differ between runs that agree. In JSON and on pages.
std::string without_seconds(std::string text) {
  for (const std::string_view key : {"\"seconds\":", "<td>seconds</td><td>"}) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
      at += key.size();
      text.erase(at, text.find_first_of(",}<\n", at) - at);
    }
  }
  return text;
}

// 1 .. dense, then in steps that grow.
std::vector<long> chosen_calls(long calls, long dense, double growth) {
  std::vector<long> chosen;
  for (long call = 1; call <= calls;) {
    chosen.push_back(call);
    call = call < dense ? call + 1 : static_cast<long>(std::ceil(static_cast<double>(call) * growth));
  }
  return chosen;
}

struct Outcome {
  ProcessResult process;
  Files files;  // all that the folder holds in the end
};

class Failures : public testing::TestWithParam<std::tuple<std::size_t, std::string>> {
 protected:
  void SetUp() override {
    if (failing_calls_library().empty()) GTEST_SKIP() << "A sanitizer has taken the place of malloc.";
    inputs_["data.csv"] = csv_of(linear_table(30, 3, 1));
    inputs_["task.json"] = R"({"data": "data.csv", "context": ["x0"], "alterable": {"x1": [-1, 1]}, "outcome": ["x2"],
                               "desired": {"x2": [0.5, 2]}, "observed": {"x0": 0.3}})";
    if (verb().name == "report") {
      ProcessOptions options;
      options.input = inputs_["data.csv"];
      inputs_["result.json"] = run_olem({"order", "-", "--json", "-q"}, options).out;
    }
    for (const std::string& output : verb().outputs) inputs_[output] = "old";
  }

  const Verb& verb() const { return verbs()[std::get<0>(GetParam())]; }
  const std::string& kind() const { return std::get<1>(GetParam()); }
  bool of_memory() const { return kind() == "memory" || kind() == "work" || kind() == "large"; }

  Outcome run(long call, const std::string& count_path = "", const Files& more = {}) const {
    const TemporaryFolder folder;
    for (const Files& files : {inputs_, more}) {
      for (const auto& [name, content] : files) folder.write(name, content);
    }
    ProcessOptions options;
    options.folder = folder.path();
    // Looking for leaks takes as long as all the rest.
    const bool looks_for_leaks = !of_memory() || call % 3 == 0 || std::getenv("OLEM_LONG") != nullptr;
    options.environment = {
        "LD_PRELOAD=" + failing_calls_library() + (looks_for_leaks ? " " + leak_checker_library() : ""),
        fmt::format("LSAN_OPTIONS=exitcode={}", kLeak), "OPENBLAS_NUM_THREADS=1",
        fmt::format("OLEM_FAILING={}:{}", kind(), call), "OLEM_FAILING_COUNT=" + count_path};
    Outcome result;
    std::vector<std::string> arguments = joined(verb().arguments, {"--force"});
    // Two threads, so that calls fail in either.
    if (verb().name != "report") arguments = joined(arguments, {"--threads", "2"});
    result.process = run_olem(arguments, options);
    for (const std::string& name : folder.entries()) result.files[name] = read_text(folder.file(name));
    return result;
  }

  void check(const Outcome& run, const Outcome& good) const {
    const ProcessResult& process = run.process;
    EXPECT_THAT(unknown_advice({verb().name}, process.err), ::testing::ElementsAre()) << process.err;
    if (process.exit_code != 0) {
      EXPECT_EQ(process.exit_code, of_memory() ? 6 : 5);
      if (kind() != "write") {
        EXPECT_THAT(process.err, HasSubstr("olem: "));
        EXPECT_EQ(process.out, "");
      }
    } else {
      EXPECT_EQ(without_seconds(process.out), without_seconds(good.process.out));
    }
    for (const auto& [name, content] : run.files) {
      if (name == "journal") continue;
      const auto input = inputs_.find(name);
      ASSERT_NE(input, inputs_.end()) << name << " is left behind";
      if (content == input->second && (process.exit_code != 0 || content != "old")) continue;
      EXPECT_TRUE(without_seconds(content) == without_seconds(good.files.at(name))) << name << " is not whole";
    }
    for (const auto& [name, content] : inputs_) EXPECT_TRUE(run.files.contains(name)) << name << " is gone";
    check_journal(run, good);
  }

  // A study keeps what is finished: what there is must be sound, and the same command goes on from there.
  void check_journal(const Outcome& run, const Outcome& good) const {
    const auto found = run.files.find("journal");
    if (found == run.files.end()) return;
    const auto cells = [](const std::string& text) {
      const TemporaryFolder folder;
      std::map<std::string, std::vector<std::pair<std::string, double>>> values;
      for (const JournalRecord& record :
           read_journal(folder.write("journal", text), {"order", 0, std::string(version())}))
        values[record.cell] = record.values;
      return values;
    };
    const auto known = cells(good.files.at("journal"));
    for (const auto& [cell, values] : cells(found->second)) EXPECT_EQ(values, known.at(cell)) << cell;
    if (of_memory()) return;
    const Outcome again = this->run(0, "", {{"journal", found->second}});
    EXPECT_EQ(again.process.exit_code, 0) << again.process.err;
    EXPECT_EQ(again.process.out, good.process.out);
  }

  Files inputs_;
};

TEST_P(Failures, EndInGoodOrder) {
  const TemporaryFolder folder;
  const Outcome good = run(0, folder.file("count"));
  ASSERT_EQ(good.process.exit_code, 0) << good.process.err;
  const long calls = std::stol(read_text(folder.file("count")));
  ASSERT_GT(calls, 0);
  int failed = 0;
  // The way to a parsed command line is nearly the same for every verb, and most large blocks fail on the same way.
  const long dense = kind() == "memory" ? 5 : kind() == "large" ? 20 : 200;
  const std::vector<long> chosen = chosen_calls(calls, dense, 1.5);
  RecordProperty("runs", static_cast<int>(chosen.size()));
  for (const long call : chosen) {
    const Outcome one = run(call);
    SCOPED_TRACE(
        fmt::format("{} {} of {}, exit code {}: {}", kind(), call, calls, one.process.exit_code, one.process.err));
    check(one, good);
    if (HasFailure()) return;
    failed += one.process.exit_code != 0 ? 1 : 0;
  }
  // A page is soon made: what olem holds back is enough to do it.
  const bool may_succeed = verb().name == "report" && of_memory() && kind() != "large";
  EXPECT_TRUE(failed > 0 || may_succeed) << "no failure was noticed";
}

std::string test_name(const testing::TestParamInfo<Failures::ParamType>& one) {
  return verbs()[std::get<0>(one.param)].name + "_" + std::get<1>(one.param);
}

INSTANTIATE_TEST_SUITE_P(All, Failures,
                         testing::Combine(testing::Range<std::size_t>(0, verbs().size() - 1),
                                          testing::Values("memory", "work", "large", "write", "sync", "rename",
                                                          "open")),
                         test_name);

// Looks into files to know what they are, before it reads them.
INSTANTIATE_TEST_SUITE_P(Check, Failures,
                         testing::Combine(testing::Values(verbs().size() - 1), testing::Values("large", "open")),
                         test_name);

}  // namespace
}  // namespace olem::test::failures_test
