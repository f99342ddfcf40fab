#include "core/thread_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <system_error>
#include <thread>
#include <vector>

namespace olem::internal {

namespace {

thread_local bool inside_piece = false;

// Whether the address space has room for what `threads` threads take of it: stack, memory pool, and a buffer of BLAS
// for each that calls it. OpenBLAS tries for ever to get a buffer that the system refuses, so that a thread without
// room for one is worse than none. Nothing is used: the pages are never touched.
bool has_room_for(std::size_t threads) {
  constexpr std::size_t kBytesPerThread = std::size_t{208} << 20;  // 8 MB, 64 MB, 128 MB, and a margin
  const std::size_t bytes = threads * kBytesPerThread;
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  ::munmap(room, bytes);
  return true;
}

}  // namespace

struct ThreadPool::Workers {
  pid_t owner = getpid();
  std::mutex mutex;
  std::condition_variable work_ready;
  std::condition_variable work_done;
  std::vector<std::thread> threads;

  // The current job; written under `mutex` while no worker runs.
  const std::function<void(std::size_t)>* piece = nullptr;
  std::size_t count = 0;
  std::atomic<std::size_t> next{0};
  int wanted = 0;  // workers that may still join this job
  // Changed under `mutex`; read without it only by those who look whether waiting is worth while.
  std::atomic<int> running{0};  // workers inside the job
  std::atomic<std::size_t> job{0};
  bool stopping = false;

  // Jobs often follow each other within microseconds, far less than it takes to sleep and to be woken. Yielding leaves
  // the core to others when there are any.
  template <class Condition>
  static void linger(const Condition& over) {
    constexpr int kYields = 200;
    for (int i = 0; i < kYields && !over(); ++i) std::this_thread::yield();
  }

  void work() {
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      lock.unlock();
      linger([&] { return job != seen; });
      lock.lock();
      work_ready.wait(lock, [&] { return stopping || (job != seen && wanted > 0); });
      if (stopping) return;
      seen = job;
      --wanted;
      ++running;
      lock.unlock();
      take_pieces();
      lock.lock();
      if (--running == 0) work_done.notify_one();
    }
  }

  void take_pieces() {
    inside_piece = true;
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) (*piece)(i);
    inside_piece = false;
  }
};

ThreadPool::ThreadPool() = default;

ThreadPool::~ThreadPool() {
  if (!workers_) return;
  if (workers_->owner != getpid()) {
    // The threads live in the parent process; joining them here would wait for ever.
    static_cast<void>(workers_.release());
    return;
  }
  {
    const std::scoped_lock lock(workers_->mutex);
    workers_->stopping = true;
  }
  workers_->work_ready.notify_all();
  for (std::thread& thread : workers_->threads) thread.join();
}

void ThreadPool::run(int threads, std::size_t count, const std::function<void(std::size_t)>& piece) {
  const auto helpers = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), count);
  std::unique_lock busy(busy_, std::defer_lock);
  if (helpers <= 1 || inside_piece || !busy.try_lock()) {
    for (std::size_t i = 0; i < count; ++i) piece(i);
    return;
  }
  if (workers_ && workers_->owner != getpid()) static_cast<void>(workers_.release());
  if (!workers_) workers_ = std::make_unique<Workers>();
  Workers& workers = *workers_;
  try {
    while (workers.threads.size() + 1 < helpers && has_room_for(workers.threads.size() + 2))
      workers.threads.emplace_back([&workers] { workers.work(); });
  } catch (const std::system_error&) {
    // The system grants no more threads; those that there are do the work.
  }
  {
    const std::scoped_lock lock(workers.mutex);
    workers.piece = &piece;
    workers.count = count;
    workers.next = 0;
    workers.wanted = static_cast<int>(helpers) - 1;
    ++workers.job;
  }
  workers.work_ready.notify_all();
  workers.take_pieces();
  Workers::linger([&] { return workers.running == 0; });
  std::unique_lock lock(workers.mutex);
  workers.wanted = 0;  // who has not come by now need not come
  workers.work_done.wait(lock, [&] { return workers.running == 0; });
}

}  // namespace olem::internal
