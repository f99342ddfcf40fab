#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "olem/study.h"
#include "study/task_texts.h"

namespace olem::test::tables_test {
namespace {

StudyResult run(const std::string& table, std::vector<std::string> methods, int tasks, int rows) {
  StudyOptions options;
  options.study = "tables";
  options.settings = {"table=" + table};
  options.methods = std::move(methods);
  options.tasks = tasks;
  options.rounds = 1;
  options.rows = rows;
  return run_study(options, {});
}

double mean_of(const StudyResult& result, const std::string& method, const std::string& metric) {
  for (const StudyRow& row : result.rows) {
    if (row.method == method && row.metric == metric) return row.mean;
  }
  throw std::runtime_error("no such row");
}

// The lever has no effect inside of the branches. Who does not say that rows belong to branches is promised much.
TEST(TablesStudy, GroupsThatAreNotSaidDeceive) {
  const StudyResult result = run("branches", {"defaults", "unsaid"}, 2, 400);
  EXPECT_LT(mean_of(result, "defaults", "claimed"), mean_of(result, "defaults", "success") + 0.15);
  EXPECT_GT(mean_of(result, "unsaid", "claimed"), mean_of(result, "unsaid", "success") + 0.25);
  EXPECT_EQ(mean_of(result, "defaults", "covers"), 1.0);
}

TEST(TablesStudy, AHiddenCauseDeceivesWhereRowsThatWereSetAreNotSaid) {
  const StudyResult result = run("acted-idle", {"quick", "unsaid"}, 2, 600);
  EXPECT_LT(mean_of(result, "quick", "gap"), 0.1);
  EXPECT_GT(mean_of(result, "unsaid", "gap"), 0.1);
}

TEST(TablesStudy, NumbersOfAShareAreInOrder) {
  const StudyResult result = run("rate", {"quick"}, 2, 400);
  const double best = mean_of(result, "quick", "best");
  EXPECT_GE(best, mean_of(result, "quick", "success") - 0.03);
  EXPECT_GE(best, mean_of(result, "quick", "idle"));
  EXPECT_EQ(mean_of(result, "quick", "impossible"), 0.0);
  EXPECT_EQ(to_json(run("rate", {"quick"}, 2, 400)), to_json(result));
}

TEST(TablesStudy, GapsAreFilled) {
  const StudyResult result = run("mixed-gaps", {"quick"}, 1, 300);
  EXPECT_GT(mean_of(result, "quick", "success"), mean_of(result, "quick", "idle"));
  EXPECT_EQ(mean_of(result, "quick", "impossible"), 0.0);
}

TEST(TaskTexts, ForecastsThatAColumnCannotHaveAreTold) {
  Column share;
  share.type = ColumnType::kShare;
  OutcomeForecast forecast;
  forecast.low = 0.1;
  forecast.mean = 0.5;
  forecast.high = 1.0;
  EXPECT_TRUE(internal::is_possible_forecast(share, forecast));
  forecast.high = 1.1;
  EXPECT_FALSE(internal::is_possible_forecast(share, forecast));
  EXPECT_TRUE(internal::is_possible_forecast(Column(), forecast));
  forecast.low = -0.1;
  Column count;
  count.type = ColumnType::kCount;
  EXPECT_FALSE(internal::is_possible_forecast(count, forecast));
  EXPECT_EQ(internal::possible_value({"lever", 0.0, 0.0, {0.0, 1.0, 4.0}}, 2.9), 4.0);
  EXPECT_EQ(internal::possible_value({"lever", -1.0, 1.0, {}}, 2.9), 1.0);
}

}  // namespace
}  // namespace olem::test::tables_test
