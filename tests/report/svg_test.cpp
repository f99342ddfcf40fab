#include "report/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <locale>
#include <pugixml.hpp>

namespace olem::internal::plot::svg_test {

using namespace internal;
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Figure every_kind(const std::string& name) {
  const double nan = std::nan("");
  Figure figure;
  figure.title = name;
  figure.description = name;
  figure.columns = 2;
  Panel lines{name, {}, {}, {}};
  lines.x.label = name;
  lines.y.percent = true;
  lines.layers = {
      Shade{name, 0.5, std::nullopt},
      Line{name, {0, 1, 2, 3}, {0.1, 0.4, nan, 0.2}, {0, 0.3, nan, 0.1}, {0.2, 0.5, nan, 0.3}, 0, true, true},
      Rule{name, 0.3, true, 1}, Histogram{name, {0, 1, 2}, {0.3, 0.1}, 2}};
  Panel bars{"bars", {}, {}, {}};
  bars.y.names = {name, "b"};
  bars.layers = {Bars{"value", {0.2, nan}, 0}};
  Panel map{"map", {}, {}, {}};
  map.layers = {HeatMap{"success", {0, 1, 2}, {0, 1, 2}, {0, 0.5, nan, 1}, 0, 1, true}};
  figure.panels = {lines, bars, map};
  return figure;
}

TEST(Ticks, AreRoundAndInside) {
  EXPECT_THAT(round_ticks(0.0, 1.0, 5), ElementsAre(0.0, 0.2, 0.4, testing::DoubleEq(0.6), 0.8, 1.0));
  EXPECT_THAT(tick_labels(round_ticks(-1.0, 1.0, 4)), ElementsAre("-1.0", "-0.5", "0", "0.5", "1.0"));
  EXPECT_THAT(tick_labels(round_ticks(0.0, 1.0, 5), true), ElementsAre("0 %", "20 %", "40 %", "60 %", "80 %", "100 %"));
  EXPECT_THAT(tick_labels(round_ticks(1.02e7, 1.07e7, 5)),
              ElementsAre("1.02e7", "1.03e7", "1.04e7", "1.05e7", "1.06e7", "1.07e7"));
  EXPECT_THAT(tick_labels({0.25}), ElementsAre("0.25"));
  EXPECT_THAT(tick_labels(round_ticks(0.0, 3e-6, 3)), ElementsAre("0", "1e-6", "2e-6", "3e-6"));
}

RC_GTEST_PROP(Ticks, LabelsDifferAndTicksLieInTheRange, ()) {
  const double low = *rc::gen::inRange(-1000000, 1000000) / 1000.0;
  const double width = std::pow(10.0, *rc::gen::inRange(-3, 7));
  const std::vector<double> ticks = round_ticks(low, low + width, 5);
  RC_ASSERT(ticks.size() >= 2U);
  RC_ASSERT(ticks.size() <= 11U);
  const std::vector<std::string> labels = tick_labels(ticks);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    RC_ASSERT(ticks[i] >= low - 1e-6 * width);
    RC_ASSERT(ticks[i] <= low + width * (1.0 + 1e-6));
    if (i > 0) RC_ASSERT(labels[i] != labels[i - 1]);
    RC_ASSERT(std::abs(std::stod(labels[i]) - ticks[i]) <= 0.01 * width);
  }
}

TEST(Escape, MarkupAndBytesThatAreNoText) {
  EXPECT_EQ(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape("Ωµ€𝄞"), "Ωµ€𝄞");
  EXPECT_EQ(escape(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(escape("\xC3"), "\xEF\xBF\xBD");
  // A surrogate is no character: none of its bytes begins one.
  EXPECT_EQ(escape("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

// Whatever stands in the header of a table, the file stays a well-formed one without elements of its own.
TEST(Svg, HostileNamesStayText) {
  for (const std::string name : {"<script>alert(1)</script>", "a & b", "]]>", "\"'", "\xFF\xFE", "x\x01y", ""}) {
    const std::string text = svg_document(every_kind(name));
    pugi::xml_document document;
    ASSERT_TRUE(document.load_string(text.c_str())) << name;
    EXPECT_TRUE(document.select_nodes("//*[local-name()='script']").empty());
    EXPECT_FALSE(document.select_nodes("//*[local-name()='path']").empty());
  }
}

TEST(Svg, NothingPointsOutOfTheFile) {
  std::string text = svg_document(every_kind("x"));
  const std::string name_space = "xmlns=\"http://www.w3.org/2000/svg\"";
  text.erase(text.find(name_space), name_space.size());
  for (const char* word : {"http", "url(", "href", "@import", "@font-face", "nan", "inf"})
    EXPECT_THAT(text, Not(HasSubstr(word)));
}

class CommaForPoint : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(Svg, NumbersDoNotFollowTheLocale) {
  const std::string before = svg_document(every_kind("x"));
  const std::locale usual = std::locale::global(std::locale(std::locale::classic(), new CommaForPoint));
  EXPECT_EQ(svg_document(every_kind("x")), before);
  std::locale::global(usual);
}

TEST(Svg, LayersWithOneLabelHaveOneEntry) {
  Figure figure;
  for (int i = 0; i < 3; ++i) {
    Panel panel;
    panel.layers = {Line{"olem", {0, 1}, {0, 1}, {}, {}, 0}, Line{"", {0, 1}, {1, 0}, {}, {}, 1}};
    figure.panels.push_back(panel);
  }
  const std::string text = svg_element(figure);
  EXPECT_EQ(text.find(">olem<"), text.rfind(">olem<"));
  EXPECT_THAT(text, Not(HasSubstr("<style>")));
}

// A list of values has marks where an interval has a line: the entry of both shows both, in their colour.
TEST(Svg, TheEntryOfALabelShowsLinesAndMarks) {
  const auto legend = [](std::size_t style) {
    Panel line;
    line.layers = {Line{"success", {0, 1}, {0, 1}, {}, {}, 2}};
    Panel marks;
    marks.layers = {Line{"success", {0, 1}, {0, 1}, {}, {}, style, false, true}};
    Figure figure;
    figure.panels = {marks, line};
    const std::string text = svg_element(figure);
    return text.substr(text.rfind("<g transform", text.find(">success<")));
  };
  EXPECT_THAT(legend(2), AllOf(HasSubstr("<path class=\"hollow c2\""), HasSubstr("class=\"c2\"")));
  EXPECT_THAT(legend(3), Not(HasSubstr("hollow c")));
}

TEST(Svg, EmptyAndFlatPanelsAreDrawn) {
  Figure figure;
  EXPECT_THAT(svg_document(figure), HasSubstr("</svg>"));
  Panel flat;
  flat.layers = {Line{"flat", {2, 2}, {5, 5}, {}, {}, 0}, Histogram{}, HeatMap{}};
  Panel logarithmic;
  logarithmic.y.logarithmic = true;
  logarithmic.layers = {Line{"seconds", {1, 2, 3}, {0.01, 0.0, 100.0}, {}, {}, 0}};
  figure.panels = {Panel{}, flat, logarithmic};
  const std::string text = svg_document(figure);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_THAT(text, HasSubstr(">0.1<"));
}

TEST(Sparkline, OneBlockForEachValue) {
  EXPECT_EQ(sparkline({0.0, 0.5, 1.0, std::nan("")}, 0.0, 1.0), "▁▅█ ");
  EXPECT_EQ(sparkline({3.0}, 3.0, 3.0), "▁");
}

}  // namespace
}  // namespace olem::internal::plot::svg_test
