#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "command_line.h"
#include "support.h"

using namespace olem;

namespace {

// A command line with one option of each kind.
const CLI::App& command_line() {
  struct Values {
    int number = 0;
    bool flag = false;
    std::string text;
    std::vector<std::string> list;
  };
  static Values values;
  static CLI::App app;
  if (app.get_subcommands([](const CLI::App*) { return true; }).empty()) {
    CLI::App* const verb = app.add_subcommand("order");
    verb->add_option("--threads", values.number);
    verb->add_flag("--quiet", values.flag);
    verb->add_option("--columns", values.text);
    verb->add_option("--tier", values.list);
    verb->add_option("--config", values.text);
  }
  return app;
}

// The input under a name that can be opened.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : file_(::memfd_create("input", MFD_CLOEXEC)) {
    if (file_ < 0 || ::write(file_, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
      std::abort();
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  return fuzz::hand_back(fuzz::mutated_json(fuzz::as_text(data, size), capacity, seed), data, capacity);
}

// Files of --config: they become flags of the verb, and nothing else.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(fuzz::as_text(data, size));
  const auto arguments = fuzz::accepted([&] {
    return app::expand_config(command_line(), {"order", "d.csv", "--config", file.path()});
  });
  if (!arguments) return 0;
  fuzz::require(arguments->size() >= 2 && arguments->front() == "order" && arguments->back() == "d.csv",
                "what stands on the command line stays");
  fuzz::require(std::all_of(arguments->begin() + 1, arguments->end() - 1,
                            [](const std::string& argument) { return argument.starts_with("--"); }),
                "a file gives flags only");
  return 0;
}
