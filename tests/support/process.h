#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace olem::test {

struct ProcessResult {
  int exit_code = -1;  // 128 + signal when killed by one
  std::string out;
  std::string err;
};

struct ProcessOptions {
  std::string input;                     // given on standard input
  std::vector<std::string> environment;  // "NAME=value", added to the test's own
  std::string folder;                    // working directory; empty: a fresh temporary one
  int signal = 0;                        // sent after `signal_after_ms`
  int signal_after_ms = 0;
};

// Runs the built `olem` as a person would and waits for it.
ProcessResult run_olem(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

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
