#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/json.h"
#include "olem/options.h"

namespace olem::app {

// What every verb takes: how much to say, where to write, how much of the machine to use.
struct CommonOptions {
  int threads = 0;
  std::uint64_t seed = 0;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool strict = false;
  bool explain_warnings = false;
  bool force = false;
  std::string output;
  std::string memory;
  double time_limit = 0.0;
  std::vector<const CLI::App*> verbs;  // that these are options of; one of them is parsed
};

// Of --help: what every verb has.
constexpr const char* kResourceGroup = "Output and resources";

// One run of one verb: the context that the library gets, and the way out for results, warnings and messages.
class Session {
 public:
  // With `ranks`, all of which make a session, the first alone speaks and writes, and the cores of a machine are shared
  // among those that run on it.
  explicit Session(const CommonOptions& options, const Ranks* ranks = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Context& context() const { return context_; }
  const CommonOptions& options() const { return options_; }
  // False on every rank but the first.
  bool speaks() const;
  // From here on the first rank works alone, on all cores of its machine: false on the others, whose work is done.
  bool goes_on_alone();

  // How messages name the options of the verb that runs.
  const Spelling& spelling() const { return spelling_; }

  // Warnings go into the result and to standard error, one line each, wrapped to a terminal: those that could change
  // the decision at once, in one line for all of them, the others behind the answer. With --explain-warnings each is
  // told in full with its remedies. With --strict the first one is an error.
  void warn(const std::vector<Warning>& warnings);

  // The interruption or the limit that asked the work to stop; nothing while none did.
  std::optional<Error> stop() const;

  // Before any work: `flag` names a file that will be written, or nothing when it is empty. A usage error when another
  // flag names it too; a file error when it exists and may not be replaced, when it cannot be written, and when another
  // process is writing it. Other processes are kept from it until the result is written. -o is reserved already.
  void reserve_file(const std::string& path, std::string_view flag);
  // The same for a folder, which the caller has looked at.
  void reserve_folder(const std::string& path, std::string_view flag);
  // A usage error when one of the reserved outputs is the file `input`, which it would take the place of with --force.
  void protect(const std::string& input, std::string_view what) const;

  // Prints the text, or with --json the object, and writes the object to -o. `result` holds the verb's own keys;
  // version, options, seed, seconds and warnings are added. An output file that cannot be written is reported before
  // any work by the constructor. With `page` the object is written there as an HTML page too. `write_more` is called
  // before anything is printed, when nothing is left that could fail but writing.
  void finish(const std::string& verb, const Json& result, Json verb_options, const std::string& text,
              const std::string& page = "", const std::function<void()>& write_more = nullptr);

 private:
  class ProgressBar;

  struct Output {
    std::string path;
    std::string flag;
    OutputLock lock;
  };
  void refuse_twice(const std::string& path, std::string_view flag) const;
  void tell_traffic() const;
  bool take_warning(const Warning& warning);
  std::string warning_line(const Warning& warning) const;
  std::string message_line(std::string_view text) const;
  void print_now(const std::string& lines);
  void print_later_warnings();

  CommonOptions options_;
  Spelling spelling_;
  Context context_;
  std::vector<Output> outputs_;
  std::vector<Warning> warnings_;
  std::string later_;       // lines for standard error, behind the result
  bool shortened_ = false;  // a warning was given without its detail
  std::chrono::steady_clock::time_point start_;
  std::unique_ptr<ProgressBar> progress_;
};

// `output` says what -o names, where that is not the JSON object.
void add_common_options(CLI::App& verb, CommonOptions& options,
                        const std::string& output = "also write the JSON object to this file");

// Those of them that are about resources and messages, for a verb without a result to write. `time_limit` says what
// --time-limit limits.
void add_resource_options(CLI::App& verb, CommonOptions& options,
                          const std::string& time_limit = "stop with exit code 6 after this many seconds");

// One flag per described option; the structs behind `set` must outlive the parse.
void add_described_options(CLI::App& verb, const OptionSet& set, const std::string& group);

// From here on some memory is held back for an end in good order. When operator new finds no other, it is set free and
// the work is asked to stop, as by Ctrl-C. Without it the next failure could be anywhere, and others' code does not
// survive it everywhere: the destructor of a Json object takes memory, and building one leaks when there is none.
void keep_memory_reserve();

// Whether the reserve was needed, so that "Interrupted" means a lack of memory.
bool memory_ran_out();

// From here on Ctrl-C and SIGTERM set the flag that the context watches; a second Ctrl-C ends the process at once.
void catch_signals();

// Writes to standard output; a file error when that fails (disk full), a quiet end of the process when nobody reads.
void print_out(const std::string& text);

// Writes to standard error as it is.
void print_message(std::string_view text);

// Each gives a verb its flags, help and examples; what comes back does the work after parsing and returns the exit
// code.
std::function<int()> fill_order_verb(CLI::App* verb);
std::function<int()> fill_graph_verb(CLI::App* verb);
std::function<int()> fill_compare_verb(CLI::App* verb);
std::function<int()> fill_simulate_verb(CLI::App* verb);
std::function<int()> fill_fit_verb(CLI::App* verb);
std::function<int()> fill_update_verb(CLI::App* verb);
std::function<int()> fill_decide_verb(CLI::App* verb);
std::function<int()> fill_explain_verb(CLI::App* verb);
std::function<int()> fill_report_verb(CLI::App* verb);
std::function<int()> fill_serve_verb(CLI::App* verb);
std::function<int()> fill_study_verb(CLI::App* verb);
std::function<int()> fill_check_verb(CLI::App* verb);
std::function<int()> fill_init_verb(CLI::App* verb);
std::function<int()> fill_options_verb(CLI::App* verb);
std::function<int()> fill_help_verb(CLI::App* verb);
std::function<int()> fill_explain_warning_verb(CLI::App* verb);

}  // namespace olem::app
