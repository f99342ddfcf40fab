#include "olem/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>

#include "core/thread_pool.h"

namespace olem {

void parallel_for(const Context& context, std::size_t begin, std::size_t end, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (begin >= end) return;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t pieces = (end - begin + grain - 1) / grain;

  std::mutex mutex;
  std::exception_ptr failure;
  std::size_t failed_piece = std::numeric_limits<std::size_t>::max();
  std::atomic<bool> stop{false};

  context.pool().run(context.thread_count(), pieces, [&](std::size_t piece) {
    if (stop.load(std::memory_order_relaxed)) return;
    try {
      context.check_interrupt();
      const std::size_t first = begin + piece * grain;
      body(first, std::min(end, first + grain));
    } catch (...) {
      stop = true;
      const std::scoped_lock lock(mutex);
      if (piece < failed_piece) {
        failed_piece = piece;
        failure = std::current_exception();
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace olem
