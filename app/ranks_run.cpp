#include "ranks_run.h"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <thread>

#include "olem/error.h"
#include "session.h"
#include "spelling.h"

namespace olem::app {

namespace {

// Most errors happen on every rank alike; rank 0 tells them, and the others leave it the time to.
[[noreturn]] void end_all(const Ranks& ranks, ErrorCategory category, const std::string& message) {
  using namespace std::chrono_literals;
  if (!ranks.is_root()) std::this_thread::sleep_for(2s);
  print_message(ranks.is_root() ? fmt::format("olem: {}\n", message)
                                : fmt::format("olem, rank {}: {}\n", ranks.rank(), message));
  ranks.abort(exit_code(category));
}

[[noreturn]] void end_for_memory(const Ranks& ranks) {
  end_all(ranks, ErrorCategory::kResource, "There is not enough memory. Use fewer ranks on a machine.");
}

}  // namespace

int run_on_ranks(const CLI::App& verb, const std::function<int(const Ranks* ranks)>& body) {
  if (!Ranks::expected()) return body(nullptr);
  const Ranks ranks;
  try {
    return body(ranks.size() > 1 ? &ranks : nullptr);
  } catch (const Error& error) {
    if (ranks.size() == 1) throw;
    const bool stopped = error.category() == ErrorCategory::kInterrupted;
    if (stopped && memory_ran_out()) end_for_memory(ranks);
    end_all(ranks, error.category(), error.text(flag_spelling(verb)));
  } catch (const std::bad_alloc&) {
    end_for_memory(ranks);
  }
}

}  // namespace olem::app
