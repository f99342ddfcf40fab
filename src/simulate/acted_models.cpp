#include "simulate/named_models.h"

// Tables in which somebody already acted, and tables of groups (docs/methods/acted-upon.md).
namespace olem::internal {

namespace {

using ActedKind = EquationNoise::Kind;

constexpr EquationNoise kStandardNormal{ActedKind::kNormal, 1.0, 0.0};
constexpr double kHiddenLoad = 0.7;                 // the hidden cause explains its square of both noises
constexpr double kOtherLoad = 0.71414284285428498;  // the root of 1 - .49

double itself(const double* /*v*/, double e) { return e; }

}  // namespace

void add_acted_systems(std::vector<EquationSystem>& systems) {
  systems.push_back(
      {"acted",
       "a price that was set at random in a tenth of the rows, with a hidden cause in the others",
       {
           {"season", kStandardNormal, {}, itself, "N(0, 1)"},
           {"hidden", kStandardNormal, {}, itself, "N(0, 1)"},
           {"price_was_set", {ActedKind::kCoin, 0.1, 0.0}, {}, itself, "coin .1"},
           {"price",
            kStandardNormal,
            {0, 1, 2},
            [](const double* v, double e) {
              return v[2] > 0.5 ? 1.1 * e : 0.5 * v[0] + kHiddenLoad * v[1] + kOtherLoad * e;
            },
            "1.1 N(0, 1) if it was set, else .5 season + .7 hidden + .714 N(0, 1)"},
           {"sales",
            kStandardNormal,
            {0, 1, 3},
            [](const double* v, double e) { return 0.4 * v[0] + 0.3 * v[3] + kHiddenLoad * v[1] + kOtherLoad * e; },
            ".4 season + .3 price + .7 hidden + .714 N(0, 1)"},
       },
       R"({"context": ["season"], "alterable": {"price": [-1, 1]}, "outcome": ["sales"],
           "desired": {"sales": [0.75, null]}, "ignore": ["hidden"], "set_by_hand": {"price": "price_was_set"}})"});
  systems.push_back(
      {"acted-idle",
       "a price without effect that was set at random in half of the rows, with a hidden cause in the others",
       {
           {"hidden", kStandardNormal, {}, itself, "N(0, 1)"},
           {"price_was_set", {ActedKind::kCoin, 0.5, 0.0}, {}, itself, "coin .5"},
           {"price",
            kStandardNormal,
            {0, 1},
            [](const double* v, double e) { return v[1] > 0.5 ? e : kHiddenLoad * v[0] + kOtherLoad * e; },
            "N(0, 1) if it was set, else .7 hidden + .714 N(0, 1)"},
           {"sales",
            kStandardNormal,
            {0},
            [](const double* v, double e) { return kHiddenLoad * v[0] + kOtherLoad * e; },
            ".7 hidden + .714 N(0, 1)"},
       },
       R"({"context": [], "alterable": {"price": [-2, 2]}, "outcome": ["sales"],
           "desired": {"sales": [0.583, null]}, "ignore": ["hidden"], "set_by_hand": {"price": "price_was_set"}})"});
  systems.push_back({"branches",
                     "20 branches with levels of their own, inside of which a lever has no effect",
                     {
                         {"branch", {ActedKind::kRowGroup, 20.0, 0.0}, {}, itself, "1 to 20 in turn"},
                         {"level", {ActedKind::kOfGroup, 1.0, 0.0}, {0}, itself, "N(0, 1), one number for each branch"},
                         {"lever",
                          {ActedKind::kNormal, 0.36, 0.0},
                          {1},
                          [](const double* v, double e) { return 1.2 * v[1] + e; },
                          "1.2 level + N(0, .36)"},
                         {"outcome",
                          {ActedKind::kNormal, 0.49, 0.0},
                          {1},
                          [](const double* v, double e) { return 2.0 * v[1] + e; },
                          "2 level + N(0, .49)"},
                     },
                     R"({"context": [], "alterable": {"lever": [-2, 2]}, "outcome": ["outcome"],
           "desired": {"outcome": [1.5, 4]}, "ignore": ["level"], "group": "branch"})"});
}

}  // namespace olem::internal
