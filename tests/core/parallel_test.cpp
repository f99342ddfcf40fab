#include "olem/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "olem/error.h"

namespace olem::parallel_test {
namespace {

Context with_threads(int threads) {
  Context context;
  context.threads = threads;
  return context;
}

// How often each index of [0, count) was given to a body.
std::vector<int> visits(const Context& context, std::size_t count, std::size_t grain) {
  std::vector<std::atomic<int>> seen(count);
  parallel_for(context, 0, count, grain, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++seen[i];
  });
  return {seen.begin(), seen.end()};
}

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    const Context context = with_threads(threads);
    for (const std::size_t count : {0U, 1U, 7U, 1000U}) {
      for (const std::size_t grain : {0U, 1U, 3U, 64U, 5000U}) {
        EXPECT_EQ(visits(context, count, grain), std::vector<int>(count, 1)) << threads << ' ' << count << ' ' << grain;
      }
    }
  }
}

TEST(ParallelFor, AGrainWithoutLimitIsOnePiece) {
  EXPECT_EQ(visits(with_threads(4), 10, std::numeric_limits<std::size_t>::max()), std::vector<int>(10, 1));
}

TEST(ParallelFor, PiecesDoNotDependOnTheThreads) {
  const auto pieces = [](int threads) {
    std::mutex mutex;
    std::vector<std::pair<std::size_t, std::size_t>> found;
    parallel_for(with_threads(threads), 5, 103, 10, [&](std::size_t first, std::size_t last) {
      const std::scoped_lock lock(mutex);
      found.emplace_back(first, last);
    });
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto alone = pieces(1);
  ASSERT_EQ(alone.size(), 10U);
  EXPECT_EQ(alone.front(), (std::pair<std::size_t, std::size_t>{5, 15}));
  EXPECT_EQ(alone.back(), (std::pair<std::size_t, std::size_t>{95, 103}));
  EXPECT_EQ(pieces(8), alone);
}

TEST(ParallelFor, RethrowsTheExceptionOfTheLowestPiece) {
  for (const int threads : {1, 2, 8}) {
    const Context context = with_threads(threads);
    for (int repetition = 0; repetition < 50; ++repetition) {
      try {
        parallel_for(context, 0, 100, 1, [](std::size_t i, std::size_t) {
          // The lowest is the slowest to fail.
          if (i == 5) std::this_thread::sleep_for(std::chrono::microseconds(200));
          if (i == 5 || i == 6 || i == 7 || i > 90) throw Error(ErrorCategory::kData, std::to_string(i));
        });
        FAIL() << "nothing was thrown";
      } catch (const Error& error) {
        ASSERT_STREQ(error.what(), "5");
      }
    }
    EXPECT_EQ(visits(context, 20, 1), std::vector<int>(20, 1)) << "the pool works on after an exception";
  }
}

TEST(ParallelFor, MayBeCalledInsideABody) {
  const Context context = with_threads(4);
  std::vector<std::atomic<int>> seen(400);
  parallel_for(context, 0, 20, 1, [&](std::size_t outer, std::size_t) {
    parallel_for(context, 0, 20, 1, [&](std::size_t inner, std::size_t) { ++seen[outer * 20 + inner]; });
  });
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto& count) { return count == 1; }));
}

TEST(ParallelFor, AnInnerExceptionReachesTheOuterCaller) {
  const Context context = with_threads(4);
  EXPECT_THROW(parallel_for(context, 0, 8, 1,
                            [&](std::size_t, std::size_t) {
                              parallel_for(context, 0, 8, 1,
                                           [](std::size_t, std::size_t) { throw std::logic_error("inner"); });
                            }),
               std::logic_error);
}

TEST(ParallelFor, TwoThreadsMayShareAContext) {
  const Context context = with_threads(4);
  std::vector<std::vector<int>> counts(2);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 2; ++caller) {
    callers.emplace_back([&, caller] {
      counts[caller].assign(100, 0);
      for (int repetition = 0; repetition < 200; ++repetition) {
        const std::vector<int> seen = visits(context, 100, 3);
        for (std::size_t i = 0; i < 100; ++i) counts[caller][i] += seen[i];
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const auto& count : counts) EXPECT_EQ(count, std::vector<int>(100, 200));
}

TEST(ParallelFor, StopsWhenInterrupted) {
  for (const int threads : {1, 4}) {
    std::atomic<bool> stop{false};
    Context context = with_threads(threads);
    context.interrupt = &stop;
    std::atomic<int> pieces{0};
    try {
      parallel_for(context, 0, 100000, 1, [&](std::size_t, std::size_t) {
        if (++pieces == 10) stop = true;
      });
      FAIL() << "the interruption was not noticed";
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kInterrupted);
    }
    EXPECT_LT(pieces, threads == 1 ? 11 : 100000);
  }
}

TEST(ParallelFor, StopsAtTheDeadline) {
  Context context = with_threads(2);
  context.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  bool ran = false;
  try {
    parallel_for(context, 0, 10, 1, [&](std::size_t, std::size_t) { ran = true; });
    FAIL() << "the deadline was not noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
  }
  EXPECT_FALSE(ran);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define OLEM_NO_THREADS_AFTER_FORK
#endif
#endif

TEST(ParallelFor, WorksInTheChildOfAFork) {
#ifdef OLEM_NO_THREADS_AFTER_FORK
  GTEST_SKIP() << "the sanitizers' own locks do not survive a fork of a process with threads";
#endif
  const Context context = with_threads(3);
  ASSERT_EQ(visits(context, 50, 1), std::vector<int>(50, 1));  // the parent's threads run now
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    // A body that waits for another one shows that the child has threads of its own.
    std::atomic<int> arrived{0};
    parallel_for(context, 0, 2, 1, [&](std::size_t, std::size_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
    ::_exit(visits(context, 50, 1) == std::vector<int>(50, 1) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(visits(context, 50, 1), std::vector<int>(50, 1)) << "the parent is not disturbed";
}

}  // namespace
}  // namespace olem::parallel_test
