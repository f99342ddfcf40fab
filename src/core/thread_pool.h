#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace olem::internal {

// The worker threads behind parallel_for. Threads start at the first use and wait in between. After a fork the
// child has none of them; the pool notices and starts its own.
class ThreadPool {
 public:
  ThreadPool();
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls piece(0) .. piece(count - 1), each once, on up to `threads` threads including the caller's. `piece` must not
  // throw. Called from inside a piece, or while another thread runs one here, it does all the work itself.
  void run(int threads, std::size_t count, const std::function<void(std::size_t)>& piece);

 private:
  struct Workers;
  std::mutex busy_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace olem::internal
