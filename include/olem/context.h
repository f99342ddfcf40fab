#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olem/json.h"
#include "olem/remedy.h"

namespace olem {

class Ranks;

namespace internal {
class ThreadPool;
}

enum class LogLevel { kDebug, kInfo };

// Something doubtful about the input or the answer. Warnings travel inside results, never only on a screen.
struct Warning {
  std::string code;                   // stable, for programs: "scales", "ties", ...
  std::string text;                   // for people: what is doubtful, in full sentences that name no option
  std::string where;                  // the columns, file or step concerned; may be empty
  std::vector<Remedy> remedies = {};  // what to do about it
};

// Finding and remedies as a surface spells them.
std::string warning_text(const Warning& warning, const Spelling& spelling = member_spelling());

// {"code", "text" (finding and remedies), "where", "remedies"}
Json to_json(const Warning& warning, const Spelling& spelling = member_spelling());

// Everything that travels beside the data: threads, seed, limits, logging, progress and interruption.
// A default-constructed Context is silent, unlimited and uses every core. Copies share one thread pool.
struct Context {
  Context();

  int threads = 0;               // 0: one per core
  std::uint64_t seed = 0;        // of every random stream
  std::size_t memory_limit = 0;  // bytes that one computation may ask for; 0: what the machine has available
  std::optional<std::chrono::steady_clock::time_point> deadline;  // past it, work stops with a resource error
  std::function<void(LogLevel, std::string_view)> log;
  // Called from the thread that called the library, with the fraction done in [0, 1].
  std::function<void(double fraction, std::string_view phase)> progress;
  const std::atomic<bool>* interrupt = nullptr;  // set it (also from a signal handler) to stop the work
  // Processes that compute the same thing and may share the work; null: this one alone. Must outlive the context.
  const Ranks* ranks = nullptr;

  int thread_count() const;

  // Throws when the user asked to stop or the deadline passed. Costs a load and at most one clock reading.
  void check_interrupt() const;
  bool should_stop() const;

  void report_progress(double fraction, std::string_view phase) const;
  void log_info(std::string_view text) const;
  void log_debug(std::string_view text) const;

  // Throws a resource error that names `what` and the number of bytes when they would not fit, before anybody
  // allocates them.
  void require_memory(std::size_t bytes, std::string_view what) const;

  // The same context for work that is already spread at a higher level: one thread, one process, no progress.
  Context serial() const;

  // The same context for one of `count` equal parts of the work, the first is 0: its progress is a share of the whole.
  Context part(std::size_t index, std::size_t count) const;

  internal::ThreadPool& pool() const { return *pool_; }

 private:
  std::shared_ptr<internal::ThreadPool> pool_;
};

// How a computation ended. Bad input is an exception; these are answers.
enum class Status {
  kDone,
  kNotConverged,
  kTooFewRows,        // of a calibration: nothing could be held out
  kNoAction,          // of a decision: nothing better was found than to alter nothing
  kNoInfluence,       // no alterable variable can change an outcome
  kTargetNotReached,  // the best decision stays below the target
  kAlreadyLikely,     // the target is reached without action, or with the fixed values alone
  kUnreliable,        // too many draws were not finite or absurdly far from the data
};

// "done", "not_converged", ...: as in JSON results and model files.
std::string_view status_name(Status status);
// Nothing for a word that is no status.
std::optional<Status> parse_status(std::string_view name);

// What every result carries beside its own data.
struct Summary {
  Status status = Status::kDone;
  std::string message;  // the sentence why it stopped
  double seconds = 0.0;
  std::vector<Warning> warnings;
};

}  // namespace olem
