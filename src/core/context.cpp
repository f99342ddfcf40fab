#include "olem/context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/thread_pool.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

// Free pages are not what counts: the page cache gives way when memory is asked for.
std::size_t available_memory() {
  std::ifstream facts("/proc/meminfo");
  for (std::string key; facts >> key; facts.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::size_t kilobytes = 0;
    if (key == "MemAvailable:" && facts >> kilobytes) return kilobytes * 1024;
  }
  const long pages = sysconf(_SC_AVPHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size) : SIZE_MAX;
}

std::string size_text(std::size_t bytes) {
  constexpr double kKilobyte = 1e3;
  constexpr double kMegabyte = 1e6;
  const auto size = static_cast<double>(bytes);
  if (size < kKilobyte) return fmt::format("{} bytes", bytes);
  return size < kMegabyte ? fmt::format("{:.0f} kB", size / kKilobyte) : fmt::format("{:.0f} MB", size / kMegabyte);
}

}  // namespace

std::string warning_text(const Warning& warning, const Spelling& spelling) {
  const std::string advice = remedy_text(warning.remedies, spelling);
  return advice.empty() ? warning.text : warning.text + " " + advice;
}

Json to_json(const Warning& warning, const Spelling& spelling) {
  return {{"code", warning.code},
          {"text", warning_text(warning, spelling)},
          {"where", warning.where},
          {"remedies", to_json(warning.remedies)}};
}

Context::Context() : pool_(std::make_shared<ThreadPool>()) {}

int Context::thread_count() const {
  if (threads > 0) return threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

bool Context::should_stop() const {
  if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) return true;
  return deadline && std::chrono::steady_clock::now() > *deadline;
}

void Context::check_interrupt() const {
  if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) {
    throw Error(ErrorCategory::kInterrupted, "Interrupted.");
  }
  if (deadline && std::chrono::steady_clock::now() > *deadline) {
    throw Error(ErrorCategory::kResource, "The time limit was reached before the work was done.",
                {{"Allow more time", "time_limit", ""}, {"Give a smaller problem", "", ""}});
  }
}

void Context::report_progress(double fraction, std::string_view phase) const {
  if (progress) progress(std::clamp(fraction, 0.0, 1.0), phase);
}

void Context::log_info(std::string_view text) const {
  if (log) log(LogLevel::kInfo, text);
}

void Context::log_debug(std::string_view text) const {
  if (log) log(LogLevel::kDebug, text);
}

void Context::require_memory(std::size_t bytes, std::string_view what) const {
  const std::size_t limit = memory_limit > 0 ? memory_limit : available_memory();
  if (bytes <= limit) return;
  std::vector<Remedy> remedies = {{"Use fewer rows or columns", "", ""}};
  if (memory_limit > 0) remedies.push_back({"Allow more memory", "memory", ""});
  throw Error(ErrorCategory::kResource,
              fmt::format("{} needs about {} of memory, but {} {}.", what, size_text(bytes), size_text(limit),
                          memory_limit > 0 ? "is the limit set" : "are available"),
              std::move(remedies));
}

Context Context::part(std::size_t index, std::size_t count) const {
  Context own = *this;
  if (count <= 1 || !progress) return own;
  own.progress = [whole = progress, index, count](double fraction, std::string_view phase) {
    whole((static_cast<double>(index) + fraction) / static_cast<double>(count), phase);
  };
  return own;
}

Context Context::serial() const {
  Context copy = *this;
  copy.threads = 1;
  copy.progress = nullptr;
  copy.ranks = nullptr;
  return copy;
}

namespace {

constexpr std::array<std::string_view, 8> kStatusNames = {"done",           "not_converged", "too_few_rows",
                                                          "no_action",      "no_influence",  "target_not_reached",
                                                          "already_likely", "unreliable"};

}  // namespace

std::string_view status_name(Status status) { return kStatusNames[static_cast<std::size_t>(status)]; }

std::optional<Status> parse_status(std::string_view name) {
  const auto found = std::find(kStatusNames.begin(), kStatusNames.end(), name);
  if (found == kStatusNames.end()) return std::nullopt;
  return static_cast<Status>(found - kStatusNames.begin());
}

}  // namespace olem
