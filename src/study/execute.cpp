#include "study/execute.h"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "olem/error.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

bool is_stop(const Error& error, const Context& context) {
  return error.category() == ErrorCategory::kInterrupted || context.should_stop();
}

}  // namespace

void measure_batch(const Batch& batch, const std::vector<std::size_t>& cells, const Context& context,
                   const std::function<void(const Cell&, const JournalRecord&)>& done) {
  const std::string* at = &batch.cells[cells.front()].key;
  try {
    const Measure measure = batch.prepare(context);
    for (const std::size_t index : cells) {
      const Cell& cell = batch.cells[index];
      at = &cell.key;
      context.check_interrupt();
      const auto start = std::chrono::steady_clock::now();
      JournalRecord record;
      record.cell = cell.key;
      record.values = measure(cell, context);
      record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      done(cell, record);
    }
  } catch (const Error& error) {
    if (is_stop(error, context) || error.category() == ErrorCategory::kFile) throw;
    throw error.with_finding(fmt::format("In the cell '{}': {}", *at, error.finding()));
  }
}

void execute_on_threads(const std::vector<Batch>& batches, const std::vector<PendingBatch>& pending,
                        const OnRecord& on_record, const Context& context) {
  const auto caller = std::this_thread::get_id();
  const Context serial = context.serial();
  std::mutex mutex;
  parallel_for(context, 0, pending.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      measure_batch(batches[pending[b].batch], pending[b].cells, serial,
                    [&](const Cell& cell, const JournalRecord& record) {
                      const std::scoped_lock lock(mutex);
                      on_record(cell, record, std::this_thread::get_id() == caller);
                    });
    }
  });
}

void execute_in_turn(const std::vector<Batch>& batches, const std::vector<PendingBatch>& pending,
                     const OnRecord& on_record, const Context& context) {
  Context own = context;
  own.progress = nullptr;  // of the study, not of each method
  for (const PendingBatch& part : pending) {
    measure_batch(batches[part.batch], part.cells, own,
                  [&](const Cell& cell, const JournalRecord& record) { on_record(cell, record, true); });
  }
}

}  // namespace olem::internal
