#include "olem/context.h"

#include <gtest/gtest.h>

#include "olem/error.h"

namespace olem::context_test {
namespace {

TEST(Context, RefusesMemoryBeyondTheLimitBeforeAnybodyAsksForIt) {
  Context context;
  context.memory_limit = 1000000;
  EXPECT_NO_THROW(context.require_memory(1000000, "A matrix"));
  try {
    context.require_memory(32000000, "A matrix");
    FAIL() << "the limit was not noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kResource);
    EXPECT_STREQ(
        error.what(),
        "A matrix needs about 32 MB of memory, but 1 MB is the limit set. Use fewer rows or columns, or allow more "
        "memory (Context::memory_limit).");
  }
}

TEST(Context, WithoutALimitTheMachineIsTheLimit) {
  const Context context;
  EXPECT_NO_THROW(context.require_memory(1000000, "A matrix"));
  EXPECT_THROW(context.require_memory(std::size_t{1} << 60, "A matrix"), Error);
}

TEST(Context, SerialKeepsEverythingButThreadsAndProgress) {
  std::atomic<bool> stop{true};
  Context context;
  context.threads = 8;
  context.seed = 17;
  context.interrupt = &stop;
  context.progress = [](double, std::string_view) { FAIL() << "progress from an inner computation"; };
  const Context serial = context.serial();
  EXPECT_EQ(serial.thread_count(), 1);
  EXPECT_EQ(serial.seed, 17U);
  EXPECT_TRUE(serial.should_stop());
  serial.report_progress(0.5, "inner");
}

TEST(Status, NamesGoBothWays) {
  for (const Status status :
       {Status::kDone, Status::kNotConverged, Status::kTooFewRows, Status::kNoAction, Status::kNoInfluence,
        Status::kTargetNotReached, Status::kAlreadyLikely, Status::kUnreliable})
    EXPECT_EQ(parse_status(status_name(status)), status);
  EXPECT_EQ(status_name(Status::kTargetNotReached), "target_not_reached");
  EXPECT_EQ(parse_status("finished"), std::nullopt);
}

TEST(Context, ProgressIsAFraction) {
  Context context;
  double last = -1.0;
  context.progress = [&](double fraction, std::string_view) { last = fraction; };
  context.report_progress(1.5, "phase");
  EXPECT_EQ(last, 1.0);
}

}  // namespace
}  // namespace olem::context_test
