#include "olem/lever.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "olem/column_types.h"
#include "olem/error.h"
#include "olem/region.h"
#include "olem/task.h"

namespace olem {
namespace {

using Values = std::vector<double>;

Column levels_of(ColumnType type, const std::vector<ColumnLevel>& levels) {
  Column column;
  column.type = type;
  column.levels = levels;
  return column;
}

const Column kSwitch = levels_of(ColumnType::kBinary, {{0, "off"}, {1, "on"}});
const Column kVendor = levels_of(ColumnType::kCategory, {{0, "X"}, {1, "Y"}, {2, "Z"}});
const Column kGrade = levels_of(ColumnType::kOrdinal, {{0, "poor"}, {1, "fair"}, {2, "good"}, {3, "very good"}});
const Column kNumbered = levels_of(ColumnType::kOrdinal, {{2, "2"}, {3, "3"}, {5, "5"}});

Column count_column() {
  Column column;
  column.type = ColumnType::kCount;
  return column;
}

Values values_of(const LeverDomain& lever, const Column& about) { return resolve_lever(lever, about).values; }

template <class Call>
std::string lever_complaint(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Levers, OfContinuousColumnsStayIntervals) {
  const LeverDomain resolved = resolve_lever({"price", 0.4, 2.5}, Column());
  EXPECT_FALSE(has_values(resolved));
  EXPECT_EQ(resolved, (LeverDomain{"price", 0.4, 2.5}));
  EXPECT_TRUE(contains(resolved, 1.0));
  EXPECT_FALSE(contains(resolved, 2.6));
  EXPECT_EQ(domain_text(resolved, Column()), "[0.4, 2.5]");
}

TEST(Levers, OfDiscreteColumnsHaveTheirOwnValues) {
  EXPECT_EQ(values_of({"heating", 0, 1}, kSwitch), (Values{0, 1}));
  EXPECT_EQ(values_of({"heating", 0.2, 1.7}, kSwitch), (Values{1}));
  EXPECT_EQ(values_of({.name = "vendor"}, kVendor), (Values{0, 1, 2}));
  EXPECT_EQ(values_of({.name = "vendor", .words = {"Z", "X"}}, kVendor), (Values{0, 2}));
  EXPECT_EQ(values_of({.name = "heating", .values = {1}, .words = {"off"}}, kSwitch), (Values{0, 1}));
  EXPECT_EQ(values_of({"calls", 1.5, 4.5}, count_column()), (Values{2, 3, 4}));
  EXPECT_EQ(values_of({"crew", 2, 5}, kNumbered), (Values{2, 3, 5}));
  EXPECT_EQ(values_of({.name = "crew", .low = 2, .high = 6, .step = 1}, kNumbered), (Values{2, 3, 5}));
  EXPECT_EQ(values_of({.name = "calls", .low = 1, .high = 6, .step = 2}, count_column()), (Values{1, 3, 5}));
}

TEST(Levers, GridsAndListsWorkOnNumbers) {
  EXPECT_EQ(values_of({.name = "dose", .low = 0, .high = 0.4, .step = 0.1}, Column()), (Values{0, 0.1, 0.2, 0.3, 0.4}));
  EXPECT_EQ(values_of({.name = "dose", .low = 0, .high = 1, .step = 0.4}, Column()), (Values{0, 0.4, 0.8}));
  EXPECT_EQ(values_of({.name = "dose", .values = {25, 0, 10, 0}}, Column()), (Values{0, 10, 25}));
  const LeverDomain once = resolve_lever({.name = "dose", .low = 0, .high = 1, .step = 0.25}, Column());
  EXPECT_EQ(resolve_lever(once, Column()), once);
  EXPECT_EQ(once.high, 1.0);
}

TEST(Levers, WhatCannotBeSetIsRefusedByName) {
  const auto complain = [](const LeverDomain& lever, const Column& about) {
    return lever_complaint([&] { resolve_lever(lever, about); });
  };
  EXPECT_EQ(complain({.name = "vendor", .words = {"Q"}}, kVendor),
            "'Q' in the domain of 'vendor' is none of its levels. Its levels are X, Y and Z. Choose among its levels.");
  EXPECT_NE(complain({.name = "grade", .words = {"god"}}, kGrade).find("Did you mean 'good'?"), std::string::npos);
  EXPECT_NE(complain({"heating", 0.2, 0.8}, kSwitch).find("[0.2, 0.8], holds none of its values"), std::string::npos);
  EXPECT_NE(complain({"calls", 1.2, 1.8}, count_column()).find("holds none of its values"), std::string::npos);
  EXPECT_NE(complain({.name = "calls", .values = {1.5}}, count_column()).find("no value of a count"),
            std::string::npos);
  EXPECT_NE(complain({.name = "price", .words = {"low"}}, Column()).find("no value of a real"), std::string::npos);
  EXPECT_NE(complain({.name = "price"}, Column()).find("must have two finite ends"), std::string::npos);
  EXPECT_NE(complain({"price", 2, 1}, Column()).find("its least value is above its greatest"), std::string::npos);
  EXPECT_NE(complain({.name = "price", .low = 0, .high = 1, .step = 1e-9}, Column()).find("more than 10000"),
            std::string::npos);
}

TEST(Levers, LevelsInConstraintsAreFoundByTheLongestName) {
  const std::vector<LeverDomain> levers = {{"a", 0, 1}, {.name = "a=b", .words = {"x"}}};
  EXPECT_FALSE(find_level_of(levers, "a"));
  EXPECT_FALSE(find_level_of(levers, "a=b"));
  EXPECT_EQ(find_level_of(levers, "a=b=x")->lever, 1U);
  EXPECT_EQ(find_level_of(levers, "a=b=x")->level, "x");
  EXPECT_EQ(find_level_of(levers, "a=c")->level, "c");
  EXPECT_FALSE(find_level_of(levers, "c=d"));
}

TEST(DesiredLevels, AreTheSameHoweverTheyAreWritten) {
  const std::vector<OutcomeRange> ways = {{"renewed", {}, {}, {}, {"yes"}},
                                          {"renewed", {}, {}, {1.0}, {}},
                                          {"renewed", 1.0, 1.0},
                                          {"renewed", 0.5, 1.5},
                                          {"renewed", 1.0, {}},
                                          {"renewed", 0.5, {}}};
  const Column renewed = levels_of(ColumnType::kBinary, {{0, "no"}, {1, "yes"}});
  for (const OutcomeRange& way : ways) {
    const Region region = Region::box({way}).resolved(std::vector<Column>{renewed});
    // In standardised units, in which 1 is only nearly what it was.
    const double mean = 0.3712345;
    const double sd = 0.4831;
    const Region standardised = region.standardised(std::vector<double>{mean}, std::vector<double>{sd});
    EXPECT_TRUE(standardised.contains(std::vector<double>{(1.0 - mean) / sd}));
    EXPECT_FALSE(standardised.contains(std::vector<double>{(0.0 - mean) / sd}));
    const std::vector<ColumnSummary> summary = {{mean, sd, 0.0, 1.0}};
    const RegionCentre centre = region_centre(region, summary, Context());
    EXPECT_FALSE(centre.flat);
    EXPECT_EQ(centre.centre[0], 1.0);
    EXPECT_TRUE(centre.warnings.empty());
  }
}

TEST(DesiredLevels, MakeAProductWithTheOtherRanges) {
  const Region written =
      Region::box({{"yield", 20.0, {}}, {"grade", {}, {}, {}, {"poor", "very good"}}, {"calls", {}, 2.0}});
  const Region region = written.resolved(std::vector<Column>{Column(), kGrade, count_column()});
  const auto holds = [&](double yield, double grade, double calls) {
    return region.contains(std::vector<double>{yield, grade, calls});
  };
  EXPECT_TRUE(holds(21, 0, 2));
  EXPECT_TRUE(holds(21, 3, 0));
  EXPECT_FALSE(holds(21, 1, 0));
  EXPECT_FALSE(holds(21, 2, 0));
  EXPECT_FALSE(holds(19, 3, 0));
  EXPECT_FALSE(holds(21, 3, 3));
  EXPECT_EQ(to_json(region), to_json(written));
  EXPECT_EQ(to_json(written).dump(),
            R"({"yield":[20.0,null],"grade":{"values":["poor","very good"]},"calls":[null,2.0]})");
  const std::vector<ColumnSummary> summaries = {{18, 4, 5, 40}, {1.5, 1, 0, 3}, {3, 2, 0, 9}};
  const RegionCentre centre = region_centre(region, summaries, Context());
  EXPECT_GT(centre.centre[0], 20.0);
  EXPECT_EQ(centre.centre[1], 0.0);
  EXPECT_LT(centre.centre[2], 2.5);
}

TEST(DesiredLevels, ThatDoNotExistAreRefused) {
  const auto complain = [](const OutcomeRange& range, const Column& about) {
    return lever_complaint([&] { Region::box({range}, "t.json").resolved(std::vector<Column>{about}); });
  };
  EXPECT_EQ(complain({"grade", {}, {}, {}, {"god"}}, kGrade),
            "t.json: 'god', which is desired of 'grade', is none of its levels. Its levels are poor, fair, good and "
            "very good. Did you mean 'good'?");
  EXPECT_NE(complain({"grade", 0.2, 0.8}, kGrade).find("'grade' has no level in [0.2, 0.8]"), std::string::npos);
  EXPECT_NE(complain({"grade", 4.0, {}}, kGrade).find("'grade' has no level in [4, null]"), std::string::npos);
  EXPECT_NE(complain({"y", {}, {}, {1.0}, {}}, Column()).find("Single values are desired of 'y', which is a real"),
            std::string::npos);
  EXPECT_NE(complain({"calls", 1.2, 1.8}, count_column()).find("no count lies in [1.2, 1.8]"), std::string::npos);
  EXPECT_NE(
      complain({"calls", {}, {}, {1.5}, {}}, count_column()).find("1.5, which is desired of 'calls', is no count"),
      std::string::npos);
  EXPECT_NE(complain({"calls", {}, {}, {}, {"many"}}, count_column()).find("is no number of a count"),
            std::string::npos);
  EXPECT_NE(lever_complaint([] {
              Region::polytope({"x", "v"}, {{1, 1}}, {1}).resolved(std::vector<Column>{Column(), kVendor});
            }).find("counts the levels of 'v', which have no order"),
            std::string::npos);
  EXPECT_NE(lever_complaint([] {
              (void)Region::box({{"y", {}, {}, {}, {"yes"}}}).contains(std::vector<double>{1.0});
            }).find("resolve it first"),
            std::string::npos);
}

TEST(LeverTasks, SurviveJson) {
  const std::string text = R"({"context": [],
    "alterable": {"price": [0.4, 2.5], "crew": {"min": 2, "max": 6, "step": 1}, "heating": {"values": ["off", "on"]},
                  "vendor": {}, "dose": {"values": [0, 10.5]}},
    "outcome": ["yield", "renewed", "grade", "won"],
    "desired": {"yield": [20, null], "renewed": "yes", "grade": {"values": ["good", "very good"]}, "won": 1}})";
  const Task task = parse_task(text, "t.json");
  ASSERT_EQ(task.alterable.size(), 5U);
  EXPECT_EQ(task.alterable[1], (LeverDomain{.name = "crew", .low = 2, .high = 6, .step = 1}));
  EXPECT_EQ(task.alterable[2].words, (std::vector<std::string>{"off", "on"}));
  EXPECT_EQ(task.alterable[4].values, (Values{0, 10.5}));
  const Task again = parse_task(to_json(task).dump(), "t.json");
  EXPECT_EQ(again.alterable, task.alterable);
  EXPECT_EQ(to_json(again.desired), to_json(task.desired));
  EXPECT_EQ(task.desired.ranges()[1].words, std::vector<std::string>{"yes"});
  EXPECT_EQ(task.desired.ranges()[3].values, Values{1.0});
}

}  // namespace
}  // namespace olem
