#include "olem/region.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "olem/error.h"

namespace olem::region_test {
namespace {

using Names = std::vector<std::string>;
using Rows = std::vector<std::vector<double>>;

std::string complaint(const std::function<void()>& call, ErrorCategory category = ErrorCategory::kData) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category);
    return error.what();
  }
  return "";
}

std::vector<std::string> codes(const RegionCentre& centre) {
  std::vector<std::string> result;
  for (const Warning& warning : centre.warnings) result.push_back(warning.code);
  return result;
}

// Outcomes in standardised units with data on [-2, 2].
std::vector<ColumnSummary> standard(std::size_t count) { return {count, {0.0, 1.0, -2.0, 2.0}}; }

RegionCentre centre_of(const Region& region) { return region_centre(region, standard(region.size()), Context()); }

Region interval(std::optional<double> low, std::optional<double> high) { return Region::box({{"y", low, high}}); }

TEST(Region, ContainsItsBordersAndNotNan) {
  const Region region = Region::box({{"NEC", 0.5, 2.0}, {"pH", {}, 8.0}});
  EXPECT_TRUE(region.contains(std::vector<double>{0.5, -100.0}));
  EXPECT_TRUE(region.contains(std::vector<double>{2.0, 8.0}));
  EXPECT_FALSE(region.contains(std::vector<double>{0.4999, 0.0}));
  EXPECT_FALSE(region.contains(std::vector<double>{1.0, 8.0001}));
  EXPECT_FALSE(region.contains(std::vector<double>{1.0, std::nan("")}));
  EXPECT_THROW(region.contains(std::vector<double>{1.0}), Error);
}

TEST(Region, RowsHaveTheNamesOfAPerson) {
  const Region box = Region::box({{"NEC", 0.5, 2.0}, {"pH", {}, 8.0}});
  ASSERT_EQ(box.rows(), 3U);
  EXPECT_EQ(box.row_name(0), "NEC >= 0.5");
  EXPECT_EQ(box.row_name(1), "NEC <= 2");
  EXPECT_EQ(box.row_name(2), "pH <= 8");
  const Region polytope = Region::polytope({"x", "y"}, {{-1, 0}, {3, 4}, {1, -2.5}, {0, 0}}, {0, 12, 1, 5});
  EXPECT_EQ(polytope.row_name(0), "row 1 (-x <= 0)");
  EXPECT_EQ(polytope.row_name(1), "row 2 (3 x + 4 y <= 12)");
  EXPECT_EQ(polytope.row_name(2), "row 3 (x - 2.5 y <= 1)");
  EXPECT_EQ(polytope.row_name(3), "row 4 (0 <= 5)");
}

TEST(Region, StandardisedHoldsTheSamePoints) {
  const Region region = Region::polytope({"x", "y"}, {{1, 2}, {-3, 1}, {0, -1}}, {4, 5, 6});
  const std::vector<double> means = {10.0, -3.0};
  const std::vector<double> deviations = {0.5, 20.0};
  const Region standardised = region.standardised(means, deviations);
  for (double x = -10.0; x <= 10.0; x += 0.37) {
    for (double y = -10.0; y <= 10.0; y += 0.41) {
      const std::vector<double> z = {(x - means[0]) / deviations[0], (y - means[1]) / deviations[1]};
      ASSERT_EQ(region.contains(std::vector<double>{x, y}), standardised.contains(z)) << x << " " << y;
    }
  }
}

TEST(Region, JsonKeepsTheFormThatWasWritten) {
  EXPECT_EQ(to_json(Region::box({{"NEC", 0.5, {}}, {"pH", {}, {}}})).dump(), R"({"NEC":[0.5,null],"pH":[null,null]})");
  EXPECT_EQ(to_json(Region::polytope({"x", "y"}, {{1, 2}, {-3, 1}}, {4, 5})).dump(),
            R"({"M":[[1.0,2.0],[-3.0,1.0]],"d":[4.0,5.0]})");
}

TEST(Region, RefusesNonsense) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(complaint([&] {
              Region::box({{"NEC", nan, 2.0}}, "t.json");
            }),
            "t.json: A side of 'NEC' of the desired region is nan, but must be a finite number.");
  EXPECT_EQ(complaint([&] {
              Region::box({{"NEC", 0.0, infinity}});
            }),
            "A side of 'NEC' of the desired region is inf, but must be a finite number.");
  EXPECT_EQ(complaint([] {
              Region::box({{"NEC", {}, {}}});
            }),
            "The desired region asks nothing of any outcome. Give at least one side of one outcome.");
  EXPECT_EQ(complaint([&] {
              Region::polytope({"x", "y"}, {{1, nan}}, {1});
            }),
            "A number in row 1 of \"M\" of the desired region is nan, but must be a finite number.");
  EXPECT_EQ(complaint([&] {
              Region::polytope({"x", "y"}, {{1, 1}}, {infinity});
            }),
            "Number 1 of \"d\" of the desired region is inf, but must be a finite number.");
  EXPECT_EQ(complaint([] {
              Region::polytope({"x", "y"}, {{1, 1}, {1}}, {1, 1});
            }),
            "Row 2 of \"M\" has 1 number, but there are 2 outcomes (x, y). Give one number for each outcome.");
  EXPECT_EQ(complaint([] {
              Region::polytope({"x", "y"}, {{1, 1}}, {1, 1});
            }),
            "\"M\" of the desired region has 1 row, but \"d\" has 2 numbers. Give one number for each row.");
  EXPECT_EQ(complaint([] { Region::polytope({"x"}, {}, {}); }),
            "\"M\" of the desired region has no rows. Give at least one condition on the outcomes.");
  EXPECT_EQ(complaint([] {
              Region::polytope({"x"}, {{0}, {0}}, {1, 1});
            }),
            "\"M\" of the desired region holds only zeros, so that no outcome counts. Give at least one row with a "
            "number that is not 0.");
}

TEST(RegionCentre, OfATriangle) {
  const RegionCentre centre = centre_of(Region::polytope({"x", "y"}, {{-1, 0}, {0, -1}, {3, 4}}, {0, 0, 12}));
  EXPECT_NEAR(centre.centre[0], 1.0, 1e-12);
  EXPECT_NEAR(centre.centre[1], 1.0, 1e-12);
  EXPECT_NEAR(centre.radius, 1.0, 1e-12);
  EXPECT_FALSE(centre.flat);
  EXPECT_TRUE(centre.warnings.empty());
}

TEST(RegionCentre, OfABoxIsTheMiddleOfEverySide) {
  const RegionCentre centre = centre_of(Region::box({{"x", 0.0, 4.0}, {"y", -1.0, 1.0}}));
  EXPECT_EQ(centre.centre, (std::vector<double>{2.0, 0.0}));
  EXPECT_EQ(centre.radius, 1.0);
  // However it is written.
  const RegionCentre rows =
      centre_of(Region::polytope({"x", "y"}, {{-1, 0}, {7, 0}, {0, -2}, {0, 1}, {0, 0}}, {0, 28, 2, 1, 3}));
  EXPECT_EQ(rows.centre, (std::vector<double>{2.0, 0.0}));
  EXPECT_EQ(rows.radius, 1.0);
}

// The same box turned by 45 degrees is a polytope: of its optimal centres, a segment, the nearest to the mean is taken.
TEST(RegionCentre, OfALongPolytopeIsNearestToTheMean) {
  const Region turned = Region::polytope({"x", "y"}, {{-1, -1}, {1, 1}, {1, -1}, {-1, 1}}, {-2, 10, 1, 1});
  const RegionCentre centre = centre_of(turned);
  // x + y in [2, 10], |x - y| <= 1: half widths 4 / sqrt 2 and 1 / sqrt 2; x + y >= 3 keeps the ball inside.
  EXPECT_NEAR(centre.radius, std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(centre.centre[0], 1.5, 1e-10);
  EXPECT_NEAR(centre.centre[1], 1.5, 1e-10);
  // With the mean far along it the other end is taken, with the mean beside it its foot.
  const std::vector<ColumnSummary> far(2, {100.0, 1.0, 98.0, 102.0});
  EXPECT_NEAR(region_centre(turned, far, Context()).centre[0], 4.5, 1e-9);
  const std::vector<ColumnSummary> beside = {{4.0, 1.0, 2.0, 6.0}, {0.0, 1.0, -2.0, 2.0}};
  const RegionCentre foot = region_centre(turned, beside, Context());
  EXPECT_NEAR(foot.centre[0], 2.0, 1e-10);
  EXPECT_NEAR(foot.centre[1], 2.0, 1e-10);
}

TEST(RegionCentre, OfAStripIsNearestToTheMean) {
  const RegionCentre box = centre_of(Region::box({{"x", 1.0, 2.0}, {"y", {}, {}}}));
  EXPECT_EQ(box.centre, (std::vector<double>{1.5, 0.0}));
  const RegionCentre open = centre_of(Region::box({{"x", 1.0, 2.0}, {"y", 0.75, {}}}));
  EXPECT_EQ(open.centre, (std::vector<double>{1.5, 1.25}));
  const RegionCentre tilted = centre_of(Region::polytope({"x", "y"}, {{1, 1}, {-1, -1}}, {4, -2}));
  EXPECT_NEAR(tilted.centre[0], 1.5, 1e-12);
  EXPECT_NEAR(tilted.centre[1], 1.5, 1e-12);
  EXPECT_TRUE(tilted.warnings.empty());
}

TEST(RegionCentre, StandardisesTheOutcomes) {
  const Region region = Region::polytope({"x", "y"}, {{-1, 0}, {0, -1}, {1, 1}}, {0, 0, 1});
  const std::vector<ColumnSummary> outcomes = {{0.5, 2.0, -3.0, 3.0}, {0.1, 0.25, -1.0, 1.0}};
  const RegionCentre centre = region_centre(region, outcomes, Context());
  // Around the centre the scaled ball touches all three sides.
  const double x = centre.centre[0];
  const double y = centre.centre[1];
  EXPECT_NEAR(x / 2.0, centre.radius, 1e-12);
  EXPECT_NEAR(y / 0.25, centre.radius, 1e-12);
  EXPECT_NEAR((1.0 - x - y) / std::hypot(2.0, 0.25), centre.radius, 1e-12);
  EXPECT_EQ(centre.means, (std::vector<double>{0.5, 0.1}));
  EXPECT_EQ(centre.deviations, (std::vector<double>{2.0, 0.25}));
}

TEST(RegionCentre, OfAnEmptyRegionNamesTheRows) {
  EXPECT_EQ(complaint([] { centre_of(interval(1.0, 0.0)); }, ErrorCategory::kTask),
            "The desired region is empty: nothing satisfies 'y >= 1' and 'y <= 0' at once. Correct one of them.");
  const Region rows =
      Region::polytope({"x", "y"}, {{1, -1}, {1, 0}, {0, 1}, {5, 5}, {-1, -1}}, {9, 1, 1, 90, -3}, "t.json");
  EXPECT_EQ(complaint([&] { centre_of(rows); }, ErrorCategory::kTask),
            "t.json: The desired region is empty: nothing satisfies row 2 (x <= 1) and row 3 (y <= 1) and row 5 "
            "(-x - y <= -3) at once. Correct one of them.");
  EXPECT_EQ(complaint(
                [] {
                  centre_of(Region::polytope({"x"}, {{1}, {0}}, {1, -1}));
                },
                ErrorCategory::kTask),
            "The desired region is empty: nothing satisfies row 2 (0 <= -1). Correct it.");
}

TEST(RegionCentre, OfAFlatRegionWarns) {
  const RegionCentre point = centre_of(interval(1.0, 1.0));
  EXPECT_EQ(point.radius, 0.0);
  EXPECT_TRUE(point.flat);
  EXPECT_EQ(point.centre, std::vector<double>{1.0});
  EXPECT_EQ(codes(point), std::vector<std::string>{"flat_region"});
  // A segment, stated by rows that agree only up to rounding.
  const RegionCentre segment =
      centre_of(Region::polytope({"x", "y"}, {{0.1, 0.2}, {-0.3, -0.6}, {1, -1}}, {0.3, -0.9, 0.0}));
  EXPECT_TRUE(segment.flat);
  EXPECT_EQ(segment.radius, 0.0);
  EXPECT_NEAR(segment.centre[0] + 2.0 * segment.centre[1], 3.0, 1e-9);
  EXPECT_NEAR(segment.centre[0], 0.6, 1e-9);  // the foot of the mean
}

TEST(RegionCentre, OfAnOpenRegionIsCutByTheData) {
  // Data on [-2, 2], range 4: the box is [-6, 6].
  const RegionCentre half_line = centre_of(interval(0.8, {}));
  EXPECT_TRUE(half_line.from_data_box);
  EXPECT_DOUBLE_EQ(half_line.centre[0], 3.4);
  EXPECT_DOUBLE_EQ(half_line.radius, 2.6);
  EXPECT_EQ(codes(half_line), std::vector<std::string>{});
  const RegionCentre quadrant = centre_of(Region::box({{"x", {}, 1.0}, {"y", {}, 1.0}}));
  EXPECT_TRUE(quadrant.from_data_box);
  EXPECT_DOUBLE_EQ(quadrant.centre[0], -2.5);
  EXPECT_DOUBLE_EQ(quadrant.centre[1], -2.5);
  const RegionCentre half_plane = centre_of(Region::polytope({"x", "y"}, {{1, 1}}, {0}));
  EXPECT_TRUE(half_plane.from_data_box);
  EXPECT_NEAR(half_plane.centre[0], half_plane.centre[1], 1e-9);
  EXPECT_NEAR((6.0 + half_plane.centre[0]), half_plane.radius, 1e-9);
}

TEST(RegionCentre, OfAnOpenRegionFarFromTheDataStillLiesInIt) {
  const RegionCentre far = centre_of(interval(50.0, {}));
  EXPECT_TRUE(far.from_data_box);
  // [-2 - 4 m, 2 + 4 m] reaches beyond 50 from m = 16 on: [50, 66].
  EXPECT_DOUBLE_EQ(far.centre[0], 58.0);
  EXPECT_EQ(codes(far), std::vector<std::string>{"far_region"});
  EXPECT_EQ(codes(centre_of(interval(0.0, 1e9))), std::vector<std::string>{"far_region"});
}

TEST(RegionCentre, AConstantOutcomeIsRefused) {
  const std::vector<ColumnSummary> constant = {{5.0, 0.0, 5.0, 5.0}};
  EXPECT_EQ(complaint([&] { region_centre(interval(0.0, 1.0), constant, Context()); }),
            "The outcome 'y' never changes in the data, so that nothing can be learned about it. Choose another "
            "outcome.");
}

}  // namespace
}  // namespace olem::region_test
