#include "olem/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>

#include "core/thread_pool.h"

namespace olem {

using namespace internal;

void parallel_for(const Context& context, std::size_t begin, std::size_t end, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (begin >= end) return;
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t pieces = (end - begin - 1) / grain + 1;

  std::mutex mutex;
  std::exception_ptr failure;
  std::atomic<std::size_t> failed_piece{std::numeric_limits<std::size_t>::max()};

  context.pool().run(context.thread_count(), pieces, [&](std::size_t piece) {
    // Pieces below the failed one still run: one of them may fail too, and which exception is rethrown must not depend
    // on who was faster.
    if (piece > failed_piece.load(std::memory_order_relaxed)) return;
    try {
      context.check_interrupt();
      const std::size_t first = begin + piece * grain;
      body(first, first + std::min(grain, end - first));
    } catch (...) {
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
