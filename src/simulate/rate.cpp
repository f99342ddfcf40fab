// A share that depends on a positive price: on the scale of the share its noise depends on its level, and no straight
// line of the columns as they are describes it.
#include <cmath>

#include "simulate/named_models.h"

namespace olem::internal {

namespace {

constexpr EquationNoise kRateNormal{EquationNoise::Kind::kNormal, 1.0, 0.0};

}  // namespace

EquationSystem rate_system() {
  return {"rate",
          "a price and the share of visitors who buy, whose noise depends on its level",
          {
              {"season", kRateNormal, {}, [](const double*, double e) { return e; }, "N(0, 1)"},
              {"price",
               kRateNormal,
               {0},
               [](const double* v, double e) { return std::exp(0.3 * v[0] + 0.4 * e); },
               "exp(.3 season + .4 N(0, 1))"},
              {"rate",
               kRateNormal,
               {0, 1},
               [](const double* v, double e) {
                 return 1.0 / (1.0 + std::exp(2.5 + 1.5 * std::log(v[1]) - 0.6 * v[0] - 0.7 * e));
               },
               "logistic(-2.5 - 1.5 ln price + .6 season + .7 N(0, 1))"},
          },
          R"({"context": ["season"], "alterable": {"price": [0.4, 2.5]}, "outcome": ["rate"],
              "desired": {"rate": [0.1, 0.2]}, "columns": {"season": "real", "price": "positive", "rate": "share"}})"};
}

}  // namespace olem::internal
