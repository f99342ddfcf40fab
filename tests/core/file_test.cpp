#include "olem/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "olem/error.h"
#include "support/process.h"

namespace olem::file_test {
namespace {

using test::TemporaryFolder;

using Names = std::vector<std::string>;

// The text of the file error that `call` throws; empty when it throws none.
std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kFile);
    return error.what();
  }
  return "";
}

// Runs `body` in a child process, which may limit itself in ways that cannot be taken back, and returns its exit code.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(WriteFile, WritesEverythingAndLeavesNothingElse) {
  const TemporaryFolder folder;
  std::string content(100000, 'x');
  content[500] = '\0';
  write_file_atomically(folder.file("result.json"), content, false);
  EXPECT_EQ(test::read_text(folder.file("result.json")), content);
  EXPECT_EQ(folder.entries(), Names{"result.json"});
}

TEST(WriteFile, RefusesToReplaceUnlessAsked) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result.json", "old");
  EXPECT_EQ(complaint([&] { write_file_atomically(path, "new", false); }), path + " exists already. Replace it.");
  EXPECT_EQ(test::read_text(path), "old");
  write_file_atomically(path, "new", true);
  EXPECT_EQ(test::read_text(path), "new");
  EXPECT_EQ(folder.entries(), Names{"result.json"});
}

TEST(WriteFile, AFailureLeavesTheOldFileAndNoOther) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result.json", "old");
  const int code = in_child([&] {
    // A limit on the size of files stands for a full disk.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    try {
      write_file_atomically(path, std::string(1000000, 'x'), true);
    } catch (const Error& error) {
      return exit_code(error.category());
    }
    return 0;
  });
  EXPECT_EQ(code, 5);
  EXPECT_EQ(test::read_text(path), "old");
  EXPECT_EQ(folder.entries(), Names{"result.json"});
}

TEST(WriteFile, NamesWhatIsWrongWithThePath) {
  const TemporaryFolder folder;
  const std::string missing = folder.file("missing");
  EXPECT_EQ(complaint([&] { write_file_atomically(missing + "/result.json", "new", false); }),
            "Cannot write to the folder " + missing + ": No such file or directory.");
  EXPECT_EQ(complaint([&] { write_file_atomically(folder.path(), "new", true); }),
            "Cannot write " + folder.path() + ": Is a directory.");
  const std::string file = folder.write("file", "old");
  EXPECT_NE(complaint([&] { write_file_atomically(file + "/result.json", "new", false); }), "");
  EXPECT_THROW(write_file_atomically("", "new", false), Error);
  EXPECT_EQ(folder.entries(), Names{"file"});
}

TEST(WriteFile, NeverReplacesADevice) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(complaint([&] { write_file_atomically(pipe, "new", true); }), "");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(WriteFile, NeedsAWritableFolder) {
  const TemporaryFolder folder;
  const std::string path = folder.file("result.json");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  constexpr int kSkipped = 77;
  const int code = in_child([&] {
    constexpr uid_t kNobody = 65534;
    // Root may write everywhere.
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return kSkipped;
    try {
      check_writable(path, false);
    } catch (const Error& error) {
      return exit_code(error.category());
    }
    return 0;
  });
  ::chmod(folder.path().c_str(), 0755);
  if (code == kSkipped) GTEST_SKIP() << "cannot become a user without rights";
  EXPECT_EQ(code, 5);
}

TEST(WriteFile, NewFilesFollowTheUsersMask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file_atomically(folder.file("result.json"), "new", false);
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat(folder.file("result.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST(CheckWritable, AcceptsWhatCanBeWrittenAndTouchesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result.json", "old");
  check_writable(path, true);
  check_writable(folder.file("new.json"), false);
  EXPECT_NE(complaint([&] { check_writable(path, false); }), "");
  EXPECT_EQ(test::read_text(path), "old");
  EXPECT_EQ(folder.entries(), Names{"result.json"});
}

TEST(ReadFile, ReadsBytesAsTheyAre) {
  const TemporaryFolder folder;
  std::string content;
  for (int i = 0; i < 300000; ++i) content.push_back(static_cast<char>(i % 256));
  EXPECT_EQ(read_file(folder.write("data.bin", content)), content);
  EXPECT_EQ(read_file(folder.write("empty", "")), "");
}

TEST(ReadFile, NamesWhatIsWrongWithThePath) {
  const TemporaryFolder folder;
  EXPECT_EQ(complaint([&] { read_file(folder.file("missing.csv")); }),
            "Cannot read " + folder.file("missing.csv") + ": No such file or directory.");
  EXPECT_EQ(complaint([&] { read_file(folder.path()); }), "Cannot read " + folder.path() + ": Is a directory.");
}

TEST(ReadFile, AsksForItsMemoryFirst) {
  const TemporaryFolder folder;
  Context context;
  context.memory_limit = 10;
  try {
    read_file(folder.write("data.csv", "more than ten bytes"), context);
    FAIL() << "the limit was not noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
  }
}

// Puts the reading end of a pipe in the place of standard input for the length of a scope.
class PipedInput {
 public:
  PipedInput() : saved_(::dup(STDIN_FILENO)) {
    EXPECT_EQ(::pipe(ends_), 0);
    ::dup2(ends_[0], STDIN_FILENO);
  }
  ~PipedInput() {
    if (saved_ >= 0) {
      ::dup2(saved_, STDIN_FILENO);
      ::close(saved_);
    } else {
      ::close(STDIN_FILENO);
    }
    ::close(ends_[0]);
    close_writer();
  }
  PipedInput(const PipedInput&) = delete;
  PipedInput& operator=(const PipedInput&) = delete;
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int saved_;
  int ends_[2] = {-1, -1};
};

TEST(ReadFile, ADashIsStandardInput) {
  PipedInput input;
  const std::string content(200000, 'y');  // more than a pipe holds at once
  std::thread writer([&] {
    for (std::size_t sent = 0; sent < content.size();) {
      const ssize_t put = ::write(input.writer(), content.data() + sent, content.size() - sent);
      if (put < 0) break;
      sent += static_cast<std::size_t>(put);
    }
    input.close_writer();
  });
  EXPECT_EQ(read_file("-"), content);
  writer.join();
}

TEST(ReadFile, AWaitForStandardInputCanBeInterrupted) {
  const PipedInput input;  // nobody writes
  std::atomic<bool> stop{false};
  Context context;
  context.interrupt = &stop;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  try {
    read_file("-", context);
    ADD_FAILURE() << "the interruption was not noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kInterrupted);
  }
  user.join();
}

}  // namespace
}  // namespace olem::file_test
