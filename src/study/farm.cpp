#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/json_part.h"
#include "olem/error.h"
#include "olem/ranks.h"
#include "study/execute.h"

namespace olem::internal {

namespace {

using namespace std::chrono_literals;
// Long enough to cost nothing, short enough that nobody waits.
constexpr auto kPause = 1ms;

// A finished cell on its way to the journal.
struct Finished {
  std::size_t batch = 0;
  std::size_t cell = 0;
  JournalRecord record;
};

// The batches that nobody has begun, for several threads.
class Queue {
 public:
  explicit Queue(const std::vector<PendingBatch>& pending) : pending_(pending) {}
  const PendingBatch* next() {
    const std::scoped_lock lock(mutex_);
    return at_ < pending_.size() ? &pending_[at_++] : nullptr;
  }

 private:
  std::mutex mutex_;
  const std::vector<PendingBatch>& pending_;
  std::size_t at_ = 0;
};

// Position of a cell within its batch.
std::size_t index_of(const Batch& batch, const Cell& cell) {
  return static_cast<std::size_t>(&cell - batch.cells.data());
}

// The root's own share of the work, in a thread of its own so that the other ranks never wait for an answer.
class OwnWork {
 public:
  OwnWork(const std::vector<Batch>& batches, Queue& queue, const Context& context)
      : context_(context), thread_([this, &batches, &queue] { run(batches, queue); }) {}
  ~OwnWork() {
    stop_ = true;
    thread_.join();
  }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

  std::deque<Finished> take() {
    const std::scoped_lock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return std::exchange(finished_, {});
  }

 private:
  void run(const std::vector<Batch>& batches, Queue& queue) {
    try {
      Context own = context_;
      own.interrupt = &stop_;
      own.progress = nullptr;
      own.log = nullptr;
      own.ranks = nullptr;
      while (const PendingBatch* const pending = queue.next()) {
        const Batch& batch = batches[pending->batch];
        measure_batch(batch, pending->cells, own, [&](const Cell& cell, const JournalRecord& record) {
          const std::scoped_lock lock(mutex_);
          finished_.push_back({pending->batch, index_of(batch, cell), record});
        });
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  Context context_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::deque<Finished> finished_;
  std::exception_ptr failure_;
  std::thread thread_;
};

// Messages are JSON: a worker says {"ready"}, {"batch", "cell", "record"} or {"error", "category", "remedies"}; the
// root answers with {"batch", "cells"} or {"stop"}.
Json order_for(const PendingBatch& pending) {
  Json message;
  message["batch"] = pending.batch;
  message["cells"] = pending.cells;
  return message;
}

Json error_message(const Error& error) {
  return {{"error", error.option().empty() ? error.finding() : error.option() + ": " + error.finding()},
          {"category", static_cast<int>(error.category())},
          {"remedies", to_json(error.remedies())}};
}

void lead(const std::vector<Batch>& batches, const std::vector<PendingBatch>& pending, const OnRecord& on_record,
          const Ranks& ranks, const Context& context) {
  std::size_t missing = 0;
  for (const PendingBatch& batch : pending) missing += batch.cells.size();
  const auto accept = [&](std::size_t batch, std::size_t cell, const JournalRecord& record) {
    on_record(batches[batch].cells[cell], record, true);
    --missing;
  };
  Queue queue(pending);
  OwnWork own(batches, queue, context);
  int stopped = 0;
  while (missing > 0 || stopped + 1 < ranks.size()) {
    context.check_interrupt();
    bool busy = false;
    for (const Finished& finished : own.take()) {
      accept(finished.batch, finished.cell, finished.record);
      busy = true;
    }
    if (const auto message = ranks.receive()) {
      busy = true;
      const Json json = Json::parse(message->text);
      if (json.contains("record")) {
        accept(json["batch"], json["cell"], parse_record(json["record"], fmt::format("rank {}", message->from)));
      } else if (json.contains("error")) {
        const std::string rank = fmt::format("rank {}", message->from);
        throw Error(static_cast<ErrorCategory>(json["category"].get<int>()),
                    fmt::format("On rank {}: {}", message->from, json["error"].get<std::string>()),
                    read_remedies(JsonPart(json["remedies"], rank)));
      } else if (const PendingBatch* const next = queue.next()) {
        ranks.send(message->from, order_for(*next).dump());
      } else {
        ranks.send(message->from, R"({"stop":true})");
        ++stopped;
      }
    }
    if (!busy) std::this_thread::sleep_for(kPause);
  }
}

Json wait_for_order(const Ranks& ranks, const Context& context) {
  for (;;) {
    if (const auto message = ranks.receive()) return Json::parse(message->text);
    context.check_interrupt();
    std::this_thread::sleep_for(kPause);
  }
}

void follow(const std::vector<Batch>& batches, const Ranks& ranks, const Context& context) {
  Context own = context;
  own.progress = nullptr;
  own.ranks = nullptr;
  for (;;) {
    ranks.send(0, R"({"ready":true})");
    const Json order = wait_for_order(ranks, context);
    if (order.contains("stop")) return;
    const std::size_t number = order["batch"];
    const Batch& batch = batches[number];
    try {
      measure_batch(batch, order["cells"], own, [&](const Cell& cell, const JournalRecord& record) {
        Json message;
        message["batch"] = number;
        message["cell"] = index_of(batch, cell);
        message["record"] = record_text(record);
        ranks.send(0, message.dump());
      });
    } catch (const Error& error) {
      // The root tells the user, and ends all of us.
      ranks.send(0, error_message(error).dump());
      throw;
    }
  }
}

}  // namespace

void execute_on_ranks(const std::vector<Batch>& batches, const std::vector<PendingBatch>& pending,
                      const OnRecord& on_record, const Context& context) {
  const Ranks& ranks = *context.ranks;
  if (ranks.is_root()) {
    lead(batches, pending, on_record, ranks, context);
  } else {
    follow(batches, ranks, context);
  }
}

}  // namespace olem::internal
