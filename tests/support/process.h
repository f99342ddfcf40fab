#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace olem::test {

struct ProcessResult {
  int exit_code = -1;  // 128 + signal when killed by one
  std::string out;
  std::string err;
  double seconds_after_signal = 0.0;  // from ProcessOptions::signal to the end
};

struct ProcessOptions {
  std::string input;                     // given on standard input
  std::vector<std::string> environment;  // "NAME=value", added to the test's own
  std::string folder;                    // working directory; empty: a fresh temporary one
  std::vector<std::string> launcher;     // put before the executable, such as mpirun with its options
  int signal = 0;                        // sent after `signal_after_ms`, once standard error holds `signal_after_text`
  int signal_after_ms = 0;
  std::string signal_after_text;
  std::vector<int> more_signals;    // sent right after `signal`; after SIGSTOP, when it has stopped
  std::function<void()> meanwhile;  // called once, when `signal` would be sent
  std::string output_path;          // standard output goes to this file, such as /dev/full
  bool input_stays_open = false;    // standard input never ends
  bool output_is_closed = false;    // nobody reads standard output
  bool error_is_terminal = false;   // standard error is a terminal
  bool output_is_terminal = false;  // standard output is one, 80 columns wide
  // Otherwise decide, explain and fit make one fit (--quick): members take several times as long, and most tests are
  // about something else.
  bool members = false;
};

// Runs the built `olem` as a person would and waits for it.
ProcessResult run_olem(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

// The built `olem` while it runs. Standard error goes where the test's goes.
class RunningOlem {
 public:
  RunningOlem(const std::vector<std::string>& arguments, const std::string& folder);
  ~RunningOlem();  // kills it if it still runs
  RunningOlem(const RunningOlem&) = delete;
  RunningOlem& operator=(const RunningOlem&) = delete;

  int pid() const { return pid_; }
  // The next line of standard output; what there is of it when the process ends or nothing comes for a minute.
  std::string read_line();
  // Sends the signal and waits for the end; the exit code, 128 + signal when killed by one.
  int stop(int signal);

 private:
  int pid_ = -1;
  int out_ = -1;
};

// What to preload so that chosen calls fail, see failing_calls.cpp; "" in a build with sanitizers, which take its
// place.
std::string failing_calls_library();

// What to preload so that a process that leaks ends with LSAN_OPTIONS=exitcode=N; "" where the compiler has none or the
// system does not let it look.
std::string leak_checker_library();

// What to put before the executable so that it runs as so many ranks; nothing where that cannot be tested: there is no
// mpirun, or a sanitizer, which reports much of MPI itself.
std::vector<std::string> ranks_launcher(int ranks);

// The process of one rank of those that work in the folder, or 0.
int process_of_rank(const std::string& folder, int rank);

// A folder that is removed with everything in it at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& content) const;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> entries() const;

 private:
  std::string path_;
};

std::string read_text(const std::string& path);

// Parses JSON or fails the test.
nlohmann::ordered_json parse_json(const std::string& text);

}  // namespace olem::test
