#include "support/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace olem::test {

namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  void close(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

// The same with a terminal to write to.
void make_terminal(Pipe& pipe) {
  pipe.close(0);
  pipe.close(1);
  pipe.ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pipe.ends[0] < 0 || ::grantpt(pipe.ends[0]) != 0 || ::unlockpt(pipe.ends[0]) != 0) {
    throw std::runtime_error("no pseudo terminal");
  }
  pipe.ends[1] = ::open(::ptsname(pipe.ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pipe.ends[1] < 0) throw std::runtime_error("no pseudo terminal");
}

// Whether the process has a handler of its own for the signal already; before, it would be the system's that ends it.
bool handles(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string key; status >> key; status.ignore(1 << 16, '\n')) {
    if (key != "SigCgt:") continue;
    std::string mask;
    status >> mask;
    return (std::stoull(mask, nullptr, 16) >> (signal - 1) & 1U) != 0;
  }
  return true;
}

[[noreturn]] void exec_olem(const std::vector<std::string>& arguments, const ProcessOptions& options,
                            const std::string& folder) {
  std::vector<std::string> words = options.launcher;
  words.emplace_back(OLEM_EXECUTABLE);
  words.insert(words.end(), arguments.begin(), arguments.end());
  const bool fits = !arguments.empty() &&
                    (arguments.front() == "decide" || arguments.front() == "fit" || arguments.front() == "explain");
  if (fits && !options.members) words.emplace_back("--quick");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (const std::string& variable : options.environment) ::putenv(const_cast<char*>(variable.c_str()));
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  if (!options.output_path.empty()) {
    const int file = ::open(options.output_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || ::dup2(file, STDOUT_FILENO) < 0) ::_exit(126);
  }
  ::signal(SIGPIPE, SIG_DFL);  // the test itself ignores it
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

ProcessResult run_olem(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  const TemporaryFolder scratch;
  const std::string folder = options.folder.empty() ? scratch.path() : options.folder;
  Pipe in;
  Pipe out;
  Pipe err;
  if (options.error_is_terminal) make_terminal(err);
  if (options.output_is_terminal) make_terminal(out);
  if (options.output_is_closed) out.close(0);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    ::dup2(in.ends[0], STDIN_FILENO);
    ::dup2(out.ends[1], STDOUT_FILENO);
    ::dup2(err.ends[1], STDERR_FILENO);
    exec_olem(arguments, options, folder);
  }
  in.close(0);
  out.close(1);
  err.close(1);
  ::signal(SIGPIPE, SIG_IGN);

  ProcessResult result;
  std::size_t sent = 0;
  if (options.input.empty() && !options.input_stays_open) in.close(1);
  const auto start = std::chrono::steady_clock::now();
  auto signal_time = start;
  bool signalled = options.signal == 0 && !options.meanwhile;
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    const auto now = std::chrono::steady_clock::now();
    if (!signalled && now - start > std::chrono::milliseconds(options.signal_after_ms) &&
        result.err.find(options.signal_after_text) != std::string::npos &&
        ((options.signal != SIGINT && options.signal != SIGTERM) || handles(child, options.signal))) {
      if (options.meanwhile) options.meanwhile();
      if (options.signal != 0) ::kill(child, options.signal);
      // A process may see what is sent before it stops first.
      siginfo_t info{};
      if (options.signal == SIGSTOP) ::waitid(P_PID, static_cast<id_t>(child), &info, WSTOPPED | WEXITED | WNOWAIT);
      for (const int signal : options.more_signals) ::kill(child, signal);
      signal_time = std::chrono::steady_clock::now();
      signalled = true;
    }
    const int writable = sent < options.input.size() ? in.ends[1] : -1;
    pollfd polled[3] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}, {writable, POLLOUT, 0}};
    if (::poll(polled, 3, 20) <= 0) continue;
    Pipe* const pipes[2] = {&out, &err};
    std::string* const texts[2] = {&result.out, &result.err};
    for (int i = 0; i < 2; ++i) {
      if ((polled[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      char buffer[65536];
      const ssize_t got = ::read(polled[i].fd, buffer, sizeof buffer);
      if (got <= 0) {
        pipes[i]->close(0);
      } else {
        texts[i]->append(buffer, static_cast<std::size_t>(got));
      }
    }
    if (writable >= 0 && polled[2].revents != 0) {
      const ssize_t put =
          ::write(in.ends[1], options.input.data() + sent, std::min<std::size_t>(options.input.size() - sent, 4096));
      if (put > 0) sent += static_cast<std::size_t>(put);
      if (put <= 0 || (sent == options.input.size() && !options.input_stays_open)) in.close(1);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  result.seconds_after_signal = std::chrono::duration<double>(std::chrono::steady_clock::now() - signal_time).count();
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

RunningOlem::RunningOlem(const std::vector<std::string>& arguments, const std::string& folder) {
  Pipe out;
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::dup2(out.ends[1], STDOUT_FILENO);
    exec_olem(arguments, {}, folder);
  }
  std::swap(out_, out.ends[0]);
}

RunningOlem::~RunningOlem() {
  if (pid_ > 0) stop(SIGKILL);
  ::close(out_);
}

std::string RunningOlem::read_line() {
  constexpr int kLongest = 60000;
  std::string line;
  pollfd polled{out_, POLLIN, 0};
  char c = 0;
  while (::poll(&polled, 1, kLongest) > 0 && ::read(out_, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

int RunningOlem::stop(int signal) {
  ::kill(pid_, signal);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string failing_calls_library() { return OLEM_FAILING_CALLS; }

std::string leak_checker_library() {
  static const std::string library = [] {
    const std::string path = OLEM_LEAK_CHECKER;
    if (!std::filesystem::path(path).is_absolute()) return std::string();
    ProcessOptions options;
    options.environment = {"LD_PRELOAD=" + path};
    return run_olem({"--version"}, options).exit_code == 0 ? path : std::string();
  }();
  return library;
}

std::vector<std::string> ranks_launcher(int ranks) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return {};
#endif
#endif
  if (std::system("command -v mpirun > /dev/null") != 0) return {};
  // Runs that begin at the same time must not make, or clear away, one folder for their sessions: mpirun fails then.
  static const TemporaryFolder sessions;
  return {"mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "orte_tmpdir_base", sessions.path(),
          "-n",     std::to_string(ranks)};
}

int process_of_rank(const std::string& folder, int rank) {
  const auto wanted_place = std::filesystem::canonical(folder);
  const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + '\0';
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code unreadable;
    const auto place = std::filesystem::read_symlink(entry.path() / "cwd", unreadable);
    if (unreadable || place != wanted_place) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string environment((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (environment.find(wanted) != std::string::npos) return std::atoi(entry.path().filename().c_str());
  }
  return 0;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "olem_test_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(file(name), std::ios::binary) << content;
  return file(name);
}

std::vector<std::string> TemporaryFolder::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

nlohmann::ordered_json parse_json(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << "not JSON: " << text;
  return json;
}

}  // namespace olem::test
