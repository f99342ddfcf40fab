#include "olem/options.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "olem/error.h"

namespace olem::options_test {
namespace {

enum class Colour { kRed, kGreen };

constexpr std::array<Choice, 2> kColours = {{{"red", "like blood"}, {"green", "like grass"}}};

struct PaintOptions {
  int coats = 2;
  double thickness = 0.5;
  bool glossy = false;
  Colour colour = Colour::kGreen;
};

OptionSet describe(PaintOptions& options) {
  OptionSet set;
  set.integer("coats", options.coats, 1, 5, "How often to paint.");
  set.real("layer_thickness", options.thickness, 0.0, std::numeric_limits<double>::infinity(), "In millimetres.");
  set.flag("glossy", options.glossy, "Whether it shines.");
  set.choice("colour", options.colour, kColours, "What it looks like.");
  return set;
}

class Options : public testing::Test {
 protected:
  PaintOptions paint_;
  OptionSet set_ = describe(paint_);

  std::string rejection(std::string_view name, std::string_view value) {
    try {
      set_.find(name)->set_text(value);
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kUsage);
      return error.what();
    }
    return "";
  }
};

TEST_F(Options, TextSetsTheMembersOfTheStruct) {
  set_.find("coats")->set_text("5");
  set_.find("layer_thickness")->set_text("1e-3");
  set_.find("glossy")->set_text("true");
  set_.find("colour")->set_text("red");
  EXPECT_EQ(paint_.coats, 5);
  EXPECT_EQ(paint_.thickness, 1e-3);
  EXPECT_TRUE(paint_.glossy);
  EXPECT_EQ(paint_.colour, Colour::kRed);
}

TEST_F(Options, ValuesAreShownAsAUserWouldTypeThem) {
  paint_.thickness = 0.1;
  EXPECT_EQ(set_.find("coats")->text(), "2");
  EXPECT_EQ(set_.find("layer_thickness")->text(), "0.1");
  EXPECT_EQ(set_.find("glossy")->text(), "false");
  EXPECT_EQ(set_.find("colour")->text(), "green");
}

TEST_F(Options, JsonKeepsTypesAndOrder) {
  EXPECT_EQ(set_.json().dump(), R"({"coats":2,"layer_thickness":0.5,"glossy":false,"colour":"green"})");
}

TEST_F(Options, ARejectionNamesFlagValueAndRuleAndChangesNothing) {
  EXPECT_EQ(rejection("coats", "6"), "coats: '6' is not a whole number from 1 to 5.");
  EXPECT_EQ(rejection("coats", "2.5"), "coats: '2.5' is not a whole number from 1 to 5.");
  EXPECT_EQ(rejection("layer_thickness", "-1"), "layer_thickness: '-1' is not a number of at least 0.");
  EXPECT_EQ(rejection("glossy", "yes"), "glossy: 'yes' is not true or false.");
  EXPECT_EQ(rejection("colour", "blue"), "colour: 'blue' is not one of: red, green.");
  EXPECT_EQ(paint_.coats, 2);
  EXPECT_EQ(paint_.thickness, 0.5);
  EXPECT_EQ(paint_.colour, Colour::kGreen);
}

TEST_F(Options, NumbersAreReadStrictly) {
  for (const char* text : {"", " 1", "1 ", "1,5", "0x10", "1_000", "nan", "inf", "1e999", "one"}) {
    EXPECT_NE(rejection("layer_thickness", text), "") << text;
  }
  for (const char* text : {"", "1e1", "99999999999999999999", "three"}) EXPECT_NE(rejection("coats", text), "") << text;
}

TEST_F(Options, ValidateFindsValuesThatCodeHasSet) {
  EXPECT_NO_THROW(set_.validate());
  paint_.coats = 0;
  EXPECT_THROW(set_.validate(), Error);
  paint_ = {};
  paint_.thickness = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(set_.validate(), Error);
  paint_ = {};
  paint_.colour = static_cast<Colour>(7);
  EXPECT_THROW(set_.validate(), Error);
}

TEST_F(Options, AnUnknownNameIsNotFound) { EXPECT_EQ(set_.find("color"), nullptr); }

TEST(ClosestName, FindsSlipsAndOnlyThose) {
  const std::vector<std::string> names = {"Light", "Temp", "Salinity"};
  EXPECT_EQ(closest_name("Ligth", names), "Light");
  EXPECT_EQ(closest_name("temp", names), "Temp");
  EXPECT_EQ(closest_name("Salinty", names), "Salinity");
  EXPECT_EQ(closest_name("Chlorophyll", names), "");
  EXPECT_EQ(closest_name("Light", {}), "");
}

}  // namespace
}  // namespace olem::options_test
