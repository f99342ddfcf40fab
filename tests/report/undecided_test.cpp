#include <gtest/gtest.h>

#include "report/layout.h"

namespace olem::test::undecided_test {
namespace {

// lever > m1 > ... > mN > outcome, and no step is decided.
RehearsalModel model_with(std::size_t intermediate) {
  RehearsalModel model;
  model.task.alterable = {{"lever", 0.0, 1.0}};
  model.task.outcome = {"outcome"};
  model.order.order = {"lever"};
  for (std::size_t i = 1; i <= intermediate; ++i) model.order.order.push_back("m" + std::to_string(i));
  model.order.order.emplace_back("outcome");
  for (std::size_t i = model.order.order.size() - 1; i > 0; --i) {
    OrderStep step;
    step.sink = model.order.order[i];
    step.runner_up = model.order.order[i - 1];
    step.decided = false;
    model.order.steps.push_back(step);
  }
  return model;
}

TEST(UndecidedPairs, AreAllNamedWhereTheyAreFew) {
  EXPECT_EQ(internal::undecided_sentence(model_with(2)),
            "The data did not decide which of these comes first: m2, outcome; lever, m1; m1, m2.");
}

TEST(UndecidedPairs, AreCutToThoseWithALeverOrAnOutcomeFirst) {
  EXPECT_EQ(internal::undecided_sentence(model_with(10)),
            "The data did not decide which of these comes first: m10, outcome; lever, m1; m9, m10; m8, m9; m7, m8; m6, "
            "m7; and 5 more pairs, which the JSON result lists.");
}

TEST(UndecidedPairs, AreNothingToSayWhereEveryStepIsDecided) {
  RehearsalModel model = model_with(3);
  for (OrderStep& step : model.order.steps) step.decided = true;
  EXPECT_EQ(internal::undecided_sentence(model), "");
}

}  // namespace
}  // namespace olem::test::undecided_test
