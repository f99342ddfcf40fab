#include "decide/success_interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "olem/error.h"

namespace olem::success_interval_test {

using namespace internal;
namespace {

// scipy 1.10.1: beta.ppf(0.025, k, n - k + 1) and beta.ppf(0.975, k + 1, n - k).
TEST(ClopperPearson, KnownAnswers) {
  const Interval most = clopper_pearson(700, 1000);
  EXPECT_NEAR(most.low, 0.67053832130263, 1e-10);
  EXPECT_NEAR(most.high, 0.72827888787086, 1e-10);
  const Interval few = clopper_pearson(1, 20, 0.9);
  EXPECT_NEAR(few.low, 0.0025613787765303, 1e-10);
  EXPECT_NEAR(few.high, 0.21610616420685, 1e-10);
}

// Without failures the lower end has a closed form, (alpha / 2)^(1 / n); without successes everything is mirrored.
TEST(ClopperPearson, AllOrNone) {
  const Interval all = clopper_pearson(50, 50);
  EXPECT_NEAR(all.low, std::pow(0.025, 1.0 / 50.0), 1e-12);
  EXPECT_EQ(all.high, 1.0);
  const Interval none = clopper_pearson(0, 50);
  EXPECT_EQ(none.low, 0.0);
  EXPECT_NEAR(none.high, 1.0 - all.low, 1e-12);
}

// The binomial probabilities of all counts whose interval holds p, for a few p: at least 95 %.
TEST(ClopperPearson, CoversWhatItPromises) {
  constexpr std::size_t kTrials = 30;
  for (const double p : {0.01, 0.1, 0.3, 0.5, 0.77, 0.95}) {
    double covered = 0.0;
    double probability = std::pow(1.0 - p, kTrials);
    for (std::size_t k = 0; k <= kTrials; ++k) {
      const Interval interval = clopper_pearson(k, kTrials);
      if (interval.low <= p && p <= interval.high) covered += probability;
      probability *= static_cast<double>(kTrials - k) / static_cast<double>(k + 1) * p / (1.0 - p);
    }
    EXPECT_GE(covered, 0.95) << p;
    EXPECT_LT(covered, 1.0) << p;
  }
}

TEST(QwzInterval, KnownAnswers) {
  const QwzInterval most = qwz_interval(700, 1000);
  EXPECT_NEAR(most.beta_low, 0.6386916885, 1e-10);
  EXPECT_NEAR(most.beta_high, 0.7567586222, 1e-10);
  EXPECT_NEAR(most.deviation, 0.0429469408, 1e-10);
  EXPECT_NEAR(most.interval.low, 0.6570530592, 1e-10);
  EXPECT_NEAR(most.interval.high, 0.7429469408, 1e-10);

  const Interval all = qwz_interval(1000, 1000).interval;
  EXPECT_NEAR(all.low, 0.9894593118, 1e-10);
  EXPECT_EQ(all.high, 1.0);
  const Interval none = qwz_interval(0, 1000).interval;
  EXPECT_EQ(none.low, 0.0);
  EXPECT_NEAR(none.high, 0.0105406882, 1e-10);
  const Interval nearly_all = qwz_interval(95, 100).interval;
  EXPECT_NEAR(nearly_all.low, 0.8283650399, 1e-10);
  EXPECT_NEAR(nearly_all.high, 0.9944785288, 1e-10);
}

TEST(SuccessIntervals, RefuseNonsense) {
  EXPECT_THROW(clopper_pearson(0, 0), Error);
  EXPECT_THROW(clopper_pearson(3, 2), Error);
  EXPECT_THROW(clopper_pearson(1, 2, 1.0), Error);
  EXPECT_THROW(qwz_interval(1, 2, 0.0), Error);
  EXPECT_THROW(qwz_interval(1, 2, std::nan("")), Error);
}

}  // namespace
}  // namespace olem::success_interval_test
