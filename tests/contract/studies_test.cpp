#include <algorithm>
#include <nlohmann/json.hpp>

#include "contract/contract.h"
#include "olem/study.h"
#include "study/kind.h"

namespace olem::studies_test {

using namespace internal;
namespace {

constexpr double kCheap = 0.35;  // core-seconds, by the rough figures of the forecast

// The cheapest part of a study by its own forecast: one metric, one method, two cells of one setting.
StudyOptions cheapest(const StudyKind& kind) {
  StudyOptions options;
  options.study = kind.name;
  options.metrics = {kind.metrics.front().name};
  const auto little = [](int protocol, int few) { return protocol == 0 ? 0 : few; };
  options.tasks = little(kind.protocol.tasks, 1);
  options.epochs = little(kind.protocol.epochs, 2);
  if (options.epochs == 0) options.tasks = 2;
  options.rounds = little(kind.protocol.rounds, 1);
  options.rows = little(kind.protocol.rows, 60);
  double least = std::numeric_limits<double>::infinity();
  StudyOptions best = options;
  const auto consider = [&] {
    const double seconds = forecast_study(options, {}).core_seconds;
    if (seconds < least) {
      least = seconds;
      best = options;
    }
  };
  for (const StudyName& method : kind.methods) {
    options.methods = {method.name};
    options.settings.clear();
    consider();
  }
  options = best;
  least = std::numeric_limits<double>::infinity();
  for (const StudySetting& setting : kind.settings) {
    options.settings.clear();
    for (const auto& [key, value] : setting.entries()) options.settings.push_back(fmt::format("{}={}", key, value));
    consider();
  }
  return best;
}

class StudyContract : public testing::TestWithParam<std::size_t> {
 protected:
  const StudyKind& kind() const { return study_kinds()[GetParam()]; }
};

TEST_P(StudyContract, GivesEqualBytesOnTwoThreadsAndShowsProgress) {
  if (!kind().reproducible) GTEST_SKIP() << "it measures times";
  const StudyOptions options = cheapest(kind());
  const StudyForecast forecast = forecast_study(options, {});
  if (forecast.core_seconds > kCheap) GTEST_SKIP() << "no part of it is cheap";
  ASSERT_EQ(forecast.cells, 2U);
  const auto bytes = [&](const Context& context) {
    const StudyResult result = run_study(options, context);
    EXPECT_FALSE(result.rows.empty());
    return to_json(result).dump();
  };
  const std::string first = bytes(test::with_threads(1));
  test::expect_progress([&](const Context& two_threads) { EXPECT_EQ(bytes(two_threads), first); });
}

TEST_P(StudyContract, CanBeStopped) {
  const StudyOptions options = cheapest(kind());
  test::expect_stops([&](const Context& context) { run_study(options, context); });
}

TEST_P(StudyContract, RefusesWhatItDoesNotHave) {
  StudyOptions options;
  options.study = kind().name;
  const auto refused = [&](const std::string& flag) {
    test::expect_refused([&] { run_study(options, {}); }, ErrorCategory::kUsage, {flag, "banana"});
  };
  options.methods = {"banana"};
  refused("methods: ");
  options.methods.clear();
  options.without = {"banana"};
  refused("without: ");
  options.without.clear();
  options.metrics = {"banana"};
  refused("metrics: ");
  options.metrics.clear();
  options.settings = {"banana=1"};
  refused("banana");
}

INSTANTIATE_TEST_SUITE_P(Registry, StudyContract, testing::Range(std::size_t{0}, study_kinds().size()),
                         [](const auto& tested) { return test::test_name(study_kinds()[tested.param].name); });

TEST(Studies, AnUnknownNameIsRefusedWithTheClosest) {
  StudyOptions options;
  options.study = "sacks";
  test::expect_refused([&] { run_study(options, {}); }, ErrorCategory::kUsage, {"'sacks'", "did you mean 'sachs'"});
}

}  // namespace
}  // namespace olem::studies_test
