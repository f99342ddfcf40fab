#include "report/explain_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "olem/report.h"

namespace olem::test::explain_figure_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// A lamp that is off or on, and a dose.
Explanation lamp_and_dose() {
  SuccessCurve lamp;
  lamp.name = "lamp";
  lamp.high = lamp.data_high = 1.0;
  lamp.values = {0.0, 1.0};
  lamp.levels = {"off", "on"};
  lamp.is_list = true;
  lamp.success = {0.2, 0.6};
  lamp.beside_decision = {0.3, 0.7};
  lamp.extrapolated = {0, 0};
  lamp.best_value = 1.0;
  lamp.best_success = 0.6;
  SuccessCurve dose;
  dose.name = "dose";
  dose.low = dose.data_low = 10.0;
  dose.high = dose.data_high = 20.0;
  dose.values = {10.0, 15.0, 20.0};
  dose.success = {0.1, 0.4, 0.2};
  dose.beside_decision = {0.2, 0.7, 0.3};
  dose.extrapolated = {0, 0, 0};
  dose.best_value = 15.0;
  dose.best_success = 0.4;
  Explanation explanation;
  explanation.without_action = 0.3;
  explanation.with_decision = 0.7;
  explanation.decision = {{"lamp", 1.0}, {"dose", 15.0}};
  explanation.curves = {lamp, dose};
  explanation.maps = {{0, 1, lamp.values, dose.values, {0.1, 0.2, 0.4, 0.7, 0.2, 0.3}, 1.0, 15.0, 0.7, 0.1}};
  explanation.alone = {0, 1};
  explanation.together = {0};
  return explanation;
}

TEST(ExplainFigure, LevelsStandUnderTheirWords) {
  const std::string figure = explanation_svg(lamp_and_dose());
  // Once under the curve, once under the map of the pair; and no number between them.
  EXPECT_EQ(times(figure, ">off<"), 2U);
  EXPECT_EQ(times(figure, ">on<"), 2U);
  EXPECT_THAT(figure, Not(HasSubstr(">0.5<")));
  EXPECT_THAT(figure, HasSubstr(">20<"));
}

TEST(ExplainFigure, ALevelWithoutAPlaceOfItsOwnStandsAtTheNearest) {
  SuccessCurve curve;
  curve.values = {1.0, 2.0, 5.0};
  EXPECT_EQ(internal::curve_places(curve), curve.values);
  EXPECT_EQ(internal::curve_place(curve, 4.0), 4.0);
  curve.levels = {"low", "mid", "high"};
  EXPECT_EQ(internal::curve_places(curve), (std::vector<double>{0.0, 1.0, 2.0}));
  EXPECT_EQ(internal::curve_place(curve, 5.0), 2.0);
  EXPECT_EQ(internal::curve_place(curve, 2.4), 1.0);
}

}  // namespace
}  // namespace olem::test::explain_figure_test
