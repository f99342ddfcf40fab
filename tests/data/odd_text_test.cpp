#include "data/odd_text.h"

#include <gtest/gtest.h>

namespace olem::odd_text_test {

using namespace internal;
namespace {

TEST(OddText, DatesAndTimesAreRecognised) {
  for (const char* const text :
       {"2023-01-31", "31.1.2023", "31.01.23", "1/31/23", "31/1/2023", "2023/01/31", "31-Jan-2023", "31 January 2023",
        "2023-01", "14:30", "7:05", "14:30:59", "2023-01-31 14:30", "2023-01-31T14:30:00Z", "2023-01-31T14:30:00.250",
        "31.01.2023 9:15", " 2023-01-31 "})
    EXPECT_TRUE(looks_like_date(text)) << text;
  for (const char* const text :
       {"",          "a",          "18-25",       "1/2",   "2023", "2023-13",     "2023-01-32",
        "32.1.2023", "13/13/2023", "1.2.3.4",     "25:61", "A-12", "2023-01-31x", "2023-01-31 north",
        "555-1234",  "3-Jab-2023", "12345-01-01", "1-2",   "60+",  "-1-2023"})
    EXPECT_FALSE(looks_like_date(text)) << text;
}

TEST(OddText, NumbersWithSomethingAroundThemAreRecognised) {
  for (const char* const text : {"$1,234.50", "12.50 EUR", "EUR 12.50", "25.6 kg", "25kg", "(1.18)", "'8.2'",
                                 "10 \u20AC", "\u22121.5", "20.5 \u00B0C", "\u20AC .5"})
    EXPECT_TRUE(looks_like_dressed_number(text, '.')) << text;
  EXPECT_TRUE(looks_like_dressed_number("1.234,50 \u20AC", ','));
  for (const char* const text :
       {"", "kg", "A12", "id 7", "<0.5", ">100", "12-13", "1.2.3 kg", "x", "12 apples and pears", "north 3"})
    EXPECT_FALSE(looks_like_dressed_number(text, '.')) << text;
}

TEST(OddText, LabelsOfTotalsAreRecognised) {
  for (const char* const text : {"Total", "TOTALS", "Grand  Total", "Sum:", "mean", "Average", "Summe", "sub-total"})
    EXPECT_TRUE(looks_like_total(text)) << text;
  for (const char* const text : {"", "Total Wine", "summer", "meaning", "Tot", "totally"})
    EXPECT_FALSE(looks_like_total(text)) << text;
}

TEST(OddText, LevelsThatAPersonTakesForOneHaveOneKey) {
  EXPECT_EQ(level_key("Yes"), level_key("YES"));
  EXPECT_EQ(level_key("north  east"), level_key("North-East"));
  EXPECT_EQ(level_key("north_east"), level_key("north\u00A0east"));
  EXPECT_EQ(level_key("S\u00DCD"), level_key("S\u00FCd"));
  EXPECT_NE(level_key("B-"), level_key("B"));
  EXPECT_NE(level_key("A+"), level_key("A"));
  EXPECT_NE(level_key("1-2"), level_key("12"));
  EXPECT_NE(level_key("-1"), level_key("1"));
  EXPECT_NE(level_key("\u00D7"), level_key("\u00F7"));
}

}  // namespace
}  // namespace olem::odd_text_test
