#include "olem/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace olem::error_test {
namespace {

// The text of the usage error that `call` throws; empty when it throws none.
std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kUsage);
    return error.what();
  }
  return "";
}

TEST(Error, CategoriesAreTheDocumentedExitCodes) {
  EXPECT_EQ(exit_code(ErrorCategory::kUsage), 2);
  EXPECT_EQ(exit_code(ErrorCategory::kData), 3);
  EXPECT_EQ(exit_code(ErrorCategory::kTask), 4);
  EXPECT_EQ(exit_code(ErrorCategory::kFile), 5);
  EXPECT_EQ(exit_code(ErrorCategory::kResource), 6);
  EXPECT_EQ(exit_code(ErrorCategory::kInternal), 70);
  EXPECT_EQ(exit_code(ErrorCategory::kInterrupted), 130);
}

TEST(Error, CategoriesHaveNames) {
  EXPECT_EQ(category_name(ErrorCategory::kUsage), "usage");
  EXPECT_EQ(category_name(ErrorCategory::kInterrupted), "interrupted");
}

TEST(ArgumentChecks, NameTheArgumentTheValueAndTheRule) {
  EXPECT_EQ(complaint([] { check_finite("step", std::numeric_limits<double>::quiet_NaN()); }),
            "step is nan, but must be a finite number.");
  EXPECT_EQ(complaint([] { check_positive("scale", -0.5); }), "scale is -0.5, but must be a positive number.");
  EXPECT_EQ(complaint([] { check_at_least("k", 0, 1); }), "k is 0, but must be at least 1.");
  EXPECT_EQ(complaint([] { check_same_size("weights", 3, "columns", 4); }),
            "weights has 3 entries and columns has 4, but they must have the same number.");
}

TEST(ArgumentChecks, LetGoodValuesPass) {
  EXPECT_EQ(complaint([] { check_finite("x", -1e308); }), "");
  EXPECT_EQ(complaint([] { check_positive("x", 5e-324); }), "");
  EXPECT_EQ(complaint([] { check_at_least("x", 1, 1); }), "");
  EXPECT_EQ(complaint([] { check_same_size("a", 0, "b", 0); }), "");
}

TEST(ArgumentChecks, PositiveMeansFiniteAndAboveZero) {
  for (const double value : {0.0, -0.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(complaint([&] { check_positive("x", value); }), "");
  }
}

}  // namespace
}  // namespace olem::error_test
