#include <gtest/gtest.h>

#include <cmath>

#include "olem/order.h"
#include "support/datasets.h"

namespace olem::varsort_test {
namespace {

TEST(Varsort, KnownAnswer) {
  const OrderResult result = learn_order_varsort(test::ka5(), {}, Context());
  EXPECT_EQ(result.order, (Order{"x0", "x4", "x1", "x2", "x3"}));
  const std::vector<double> variances = {0.94502371, 1.70877869, 1.97940163, 2.54802629, 1.60303109};
  ASSERT_EQ(result.steps.size(), 4U);
  ASSERT_EQ(result.steps[0].values.size(), 5U);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(result.steps[0].values[j].second, variances[j], 5e-9);
  EXPECT_NEAR(*result.steps[0].gap, 2.54802629 - 1.97940163, 1e-8);
  EXPECT_EQ(result.steps[0].runner_up, "x2");
}

TEST(Varsort, StandardErrorIsThatOfTheSquaredDeviations) {
  // Squared deviations a: 1 0 1 4 4 (mean 2), b: 16 1 0 1 16 (mean 6.8); their differences have variance 28.4 / 4 + ...
  const Table table({"a", "b"}, {1, 2, 3, 0, 4, -4, 1, 0, -1, 4});
  const OrderResult result = learn_order_varsort(table, {}, Context());
  EXPECT_EQ(result.order, (Order{"a", "b"}));
  const std::vector<double> differences = {15, 1, -1, -3, 12};
  double squares = 0.0;
  for (const double difference : differences) squares += std::pow(difference - 4.8, 2);
  EXPECT_NEAR(*result.steps[0].gap, 4.8, 1e-12);
  EXPECT_NEAR(*result.steps[0].gap_standard_error, std::sqrt(squares / 4.0 / 5.0), 1e-12);
  EXPECT_FALSE(result.steps[0].decided);
}

TEST(Varsort, KnowledgeComesBeforeTheScales) {
  const Table table = test::ka5();
  Knowledge knowledge;
  knowledge.tiers = {{"x3", "x2"}, {"x0"}};
  const OrderResult result = learn_order_varsort(table, Precedence(knowledge, table.names()), Context());
  EXPECT_EQ(result.order, (Order{"x2", "x3", "x0", "x4", "x1"}));
}

}  // namespace
}  // namespace olem::varsort_test
