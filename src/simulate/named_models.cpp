#include "simulate/named_models.h"

#include <cmath>

namespace olem::internal {

namespace {

using Kind = EquationNoise::Kind;

// Of column V1 and whether the one before it is repeated: a coin of .8.
double repeats(double before, double coin) { return coin > 0.5 ? before : 1.0 - before; }

constexpr EquationNoise kUnit{Kind::kUniform, 0.0, 1.0};
constexpr EquationNoise kRide{Kind::kNormal, 0.05, 0.0};
constexpr EquationNoise kSteep{Kind::kNormal, 0.01, 0.0};

EquationNoise coin(double probability) { return {Kind::kCoin, probability, 0.0}; }
EquationNoise normal(double variance) { return {Kind::kNormal, variance, 0.0}; }

std::vector<EquationSystem> make_systems() {
  std::vector<EquationSystem> systems;

  systems.push_back(
      {"ride-hailing",
       "recommendations and discounts of a ride-hailing service",
       {
           {"weather", {Kind::kUniform, -1.0, 1.0}, {}, [](const double*, double e) { return e; }, "U(-1, 1)"},
           {"n_user", {Kind::kUniform, -1.0, 1.0}, {}, [](const double*, double e) { return e; }, "U(-1, 1)"},
           {"recommend",
            kRide,
            {0, 1},
            [](const double* v, double e) { return v[0] - v[1] + e; },
            "weather - n_user + N(0, .05)"},
           {"congestion",
            kRide,
            {0, 1, 2},
            [](const double* v, double e) { return -v[0] + 2.0 * v[1] + 3.0 * v[2] + e; },
            "-weather + 2 n_user + 3 recommend + N(0, .05)"},
           {"time_spent",
            kRide,
            {0, 3},
            [](const double* v, double e) { return -v[0] + 4.0 * v[3] + e; },
            "-weather + 4 congestion + N(0, .05)"},
           {"discount",
            kRide,
            {0, 1, 3},
            [](const double* v, double e) { return -v[0] - 0.5 * v[1] + 0.3 * v[3] + e; },
            "-weather - .5 n_user + .3 congestion + N(0, .05)"},
           {"satisfaction",
            kRide,
            {0, 3, 4, 5},
            [](const double* v, double e) { return 0.5 + (0.2 * v[0] - 5.0 * v[3] - v[4] + 5.0 * v[5]) / 60.0 + e; },
            ".5 + (.2 weather - 5 congestion - time_spent + 5 discount) / 60 + N(0, .05)"},
       },
       R"({"context": ["weather", "n_user"], "alterable": {"recommend": [-1, 1], "discount": [-1, 1]},
           "outcome": ["satisfaction"], "desired": {"satisfaction": [0.9, 1.5]}})"});

  systems.push_back(
      {"market",
       "prices in a market with a competitor",
       {
           {"competitor_feature", normal(0.04), {}, [](const double*, double e) { return e; }, "N(0, .04)"},
           {"economic_index", normal(0.04), {}, [](const double*, double e) { return e; }, "N(0, .04)"},
           {"competitor_raw_cost",
            normal(0.06),
            {0},
            [](const double* v, double e) { return 10.0 * v[0] + e; },
            "10 competitor_feature + N(0, .06)"},
           {"raw_cost",
            normal(0.06),
            {1},
            [](const double* v, double e) { return 10.0 * v[1] + e; },
            "10 economic_index + N(0, .06)"},
           {"self_pricing",
            normal(0.06),
            {2, 3},
            [](const double* v, double e) { return 2.0 * v[3] + 0.4 * v[2] + e; },
            "2 raw_cost + .4 competitor_raw_cost + N(0, .06)"},
           {"competitor_pricing",
            normal(0.03),
            {2, 3},
            [](const double* v, double e) { return 0.5 * v[3] + 1.3 * v[2] + e; },
            ".5 raw_cost + 1.3 competitor_raw_cost + N(0, .03)"},
           {"total_profit",
            normal(0.01),
            {3, 4},
            [](const double* v, double e) { return 0.9 * v[4] - v[3] + e; },
            ".9 self_pricing - raw_cost + N(0, .01)"},
           {"custom_number",
            normal(0.04),
            {3, 4},
            [](const double* v, double e) { return -0.9 * v[4] + 1.6 * v[3] + e; },
            "-.9 self_pricing + 1.6 raw_cost + N(0, .04)"},
       },
       R"({"context": ["competitor_feature", "economic_index"],
           "alterable": {"raw_cost": [-3, 3], "self_pricing": [-3, 3]}, "outcome": ["total_profit", "custom_number"],
           "desired": {"M": [[-1, 0], [0, -1], [-1, -1]], "d": [0.3, 0.3, -0.05]}})"});

  systems.push_back(
      {"bank",
       "a loan whose applicant has a trait that is recorded later",
       {
           {"X1", kUnit, {}, [](const double*, double e) { return e; }, "U(0, 1)"},
           {"X2", kUnit, {}, [](const double*, double e) { return e; }, "U(0, 1)"},
           {"U", {Kind::kBeta, 2.0, 2.0}, {}, [](const double*, double e) { return e; }, "Beta(2, 2)"},
           {"A",
            normal(0.04),
            {0, 1, 2},
            [](const double* v, double e) { return v[2] + 0.5 * v[0] + 0.5 * v[1] - 0.5 + e; },
            "U + .5 X1 + .5 X2 - .5 + N(0, .04)"},
           {"Y1",
            normal(0.0025),
            {1, 2, 3},
            [](const double* v, double e) {
              const double s = 2.0 * std::pow(v[2], 1.1) - 1.5 * v[3] + 0.2 * v[1] + 0.4;
              return 1.0 / (1.0 + std::exp(-s)) + e;
            },
            "sigmoid(2 U^1.1 - 1.5 A + .2 X2 + .4) + N(0, .0025)"},
           {"Y2",
            normal(0.0025),
            {2, 3},
            [](const double* v, double e) { return 0.8 * v[3] + 0.5 * v[2] + e; },
            ".8 A + .5 U + N(0, .0025)"},
       },
       R"({"context": ["X1", "X2"], "alterable": {"A": [0, 1]}, "outcome": ["Y1", "Y2"], "known_before": ["U"],
           "desired": {"Y1": [0.6, null], "Y2": [0.3, null]}})"});

  systems.push_back(
      {"steep",
       "the ride-hailing task with squares and products",
       {
           {"X1", kUnit, {}, [](const double*, double e) { return e; }, "U(0, 1)"},
           {"X2", kUnit, {}, [](const double*, double e) { return e; }, "U(0, 1)"},
           {"A1",
            kSteep,
            {0, 1},
            [](const double* v, double e) {
              return v[0] - v[1] + 0.2 * v[0] * v[0] - 0.2 * v[1] * v[1] + 0.1 * v[0] * v[1] + e;
            },
            "X1 - X2 + .2 X1^2 - .2 X2^2 + .1 X1 X2 + N(0, .01)"},
           {"U1",
            kSteep,
            {0, 1, 2},
            [](const double* v, double e) {
              return -v[0] + 2.0 * v[1] + 3.0 * v[2] - 0.2 * v[0] * v[0] + 0.4 * v[1] * v[1] + 0.6 * v[2] * v[2] +
                     0.1 * (v[0] * v[1] + v[0] * v[2] + v[1] * v[2]) + e;
            },
            "-X1 + 2 X2 + 3 A1 - .2 X1^2 + .4 X2^2 + .6 A1^2 + .1 (X1 X2 + X1 A1 + X2 A1) + N(0, .01)"},
           {"U2",
            kSteep,
            {0, 3},
            [](const double* v, double e) {
              return -v[0] + 4.0 * v[3] - 0.2 * v[0] * v[0] + 0.8 * v[3] * v[3] + 0.1 * v[0] * v[3] + e;
            },
            "-X1 + 4 U1 - .2 X1^2 + .8 U1^2 + .1 X1 U1 + N(0, .01)"},
           {"A2",
            kSteep,
            {0, 1, 3},
            [](const double* v, double e) {
              return -v[0] - 0.5 * v[1] + 0.3 * v[3] - 0.2 * v[0] * v[0] - 0.1 * v[1] * v[1] + 0.06 * v[3] * v[3] +
                     0.1 * (v[0] * v[1] + v[0] * v[3] + v[1] * v[3]) + e;
            },
            "-X1 - .5 X2 + .3 U1 - .2 X1^2 - .1 X2^2 + .06 U1^2 + .1 (X1 X2 + X1 U1 + X2 U1) + N(0, .01)"},
           {"Y",
            kSteep,
            {0, 3, 4, 5},
            [](const double* v, double e) {
              const double x = v[0];
              const double u1 = v[3];
              const double u2 = v[4];
              const double a2 = v[5];
              return 0.5 + (0.2 * (x + x * x) - 5.0 * (u1 + u1 * u1) - (u2 + u2 * u2) + 5.0 * (a2 + a2 * a2)) / 60.0 +
                     0.5 * (x * u1 + x * u2 + x * a2 + u1 * u2 + u1 * a2 + u2 * a2) + e;
            },
            ".5 + (.2 (X1 + X1^2) - 5 (U1 + U1^2) - (U2 + U2^2) + 5 (A2 + A2^2)) / 60 + .5 (X1 U1 + X1 U2 + X1 A2 + "
            "U1 U2 + U1 A2 + U2 A2) + N(0, .01)"},
       },
       R"({"context": ["X1", "X2"], "alterable": {"A1": [-1, 1], "A2": [-1, 1]}, "outcome": ["Y"],
           "desired": {"Y": [0.9, 1.5]}})"});

  systems.push_back(
      {"bermuda-measured",
       "the Bermuda task with the noise that was measured",
       {
           {"Light", normal(0.012), {}, [](const double*, double e) { return e; }, "N(0, .012)"},
           {"Temp",
            normal(0.016),
            {0},
            [](const double* v, double e) { return 0.08336954980497932 * v[0] + e; },
            ".0833695 Light + N(0, .016)"},
           {"Sal",
            normal(0.016),
            {1},
            [](const double* v, double e) { return -0.48098373731676836 * v[1] + e; },
            "-.480984 Temp + N(0, .016)"},
           {"DIC",
            normal(0.010),
            {2},
            [](const double* v, double e) { return 0.4777168829735183 * v[2] + e; },
            ".477717 Sal + N(0, .010)"},
           {"TA",
            normal(0.020),
            {2},
            [](const double* v, double e) { return 0.5457734531124399 * v[2] + e; },
            ".545773 Sal + N(0, .020)"},
           {"Omega",
            normal(0.016),
            {1, 2, 3, 4},
            [](const double* v, double e) {
              return 0.5182253589055715 * v[1] + 0.0350721871855576 * v[2] - 1.1056652215053284 * v[3] +
                     1.6104231541803828 * v[4] + e;
            },
            ".518225 Temp + .0350722 Sal - 1.10567 DIC + 1.61042 TA + N(0, .016)"},
           {"Nutrients_PC1", normal(0.016), {}, [](const double*, double e) { return e; }, "N(0, .016)"},
           {"Chla",
            normal(0.018),
            {0, 1, 6},
            [](const double* v, double e) {
              return -0.1510668421850027 * v[0] - 0.044515831342475456 * v[1] - 0.07690378415962341 * v[6] + e;
            },
            "-.151067 Light - .0445158 Temp - .0769038 Nutrients_PC1 + N(0, .018)"},
           {"pHsw",
            normal(0.001),
            {1, 2, 3, 4},
            [](const double* v, double e) {
              return -0.7482789216296074 * v[1] + 0.013001179873523214 * v[2] - 0.587961877478712 * v[3] +
                     0.7676261914081876 * v[4] + e;
            },
            "-.748279 Temp + .0130012 Sal - .587962 DIC + .767626 TA + N(0, .001)"},
           {"CO2",
            normal(0.0016),
            {1, 2, 3, 4},
            [](const double* v, double e) {
              return 0.8613318110706951 * v[1] + 0.04051812201172803 * v[2] + 0.5700488513842489 * v[3] -
                     0.5962519746865624 * v[4] + e;
            },
            ".861332 Temp + .0405181 Sal + .570049 DIC - .596252 TA + N(0, .0016)"},
           {"NEC",
            normal(0.015),
            {0, 1, 5, 6, 7, 8, 9},
            [](const double* v, double e) {
              return 0.032062806669366374 * v[0] + 5.197953836357216 * v[1] - 2.330312207868607 * v[5] +
                     0.1310798429807829 * v[7] + 0.09825621635310261 * v[6] + 2.037611596867848 * v[8] -
                     2.5003527899672005 * v[9] + e;
            },
            ".0320628 Light + 5.19795 Temp - 2.33031 Omega + .13108 Chla + .0982562 Nutrients_PC1 + 2.03761 pHsw - "
            "2.50035 CO2 + N(0, .015)"},
       },
       R"({"context": ["Light", "Temp", "Sal"], "alterable": {"DIC": [-1, 1], "TA": [-1, 1], "Omega": [-1, 1],
           "Chla": [-1, 1], "Nutrients_PC1": [-1, 1]}, "outcome": ["NEC"],
           "desired": {"NEC": [1.040220, 2.540220]}})"});

  constexpr std::string_view kBinaryTask =
      R"({"columns": {"V1": "binary", "V2": "binary", "V3": "binary", "V4": "binary", "Y": "binary"}, "context": [],
          "alterable": {"V2": {}, "V3": {}, "V4": {}}, "outcome": ["Y"], "desired": {"Y": {"values": [1]}},
          "known_before": ["V1"], "before": [["V2", "V3", "V4"]]})";
  const auto last_of_trader = [](const double* v, double e) { return v[3] > 0.5 ? 1.0 - v[0] : e; };
  systems.push_back({"trader",
                     "binary: what is watched tells of a hidden coin (Tao et al. 2026)",
                     {
                         {"V1", coin(0.5), {}, [](const double*, double e) { return e; }, "coin .5"},
                         {"V2",
                          coin(0.8),
                          {0},
                          [](const double* v, double e) { return repeats(v[0], e); },
                          "V1 if coin .8, else 1 - V1"},
                         {"V3",
                          coin(0.8),
                          {1},
                          [](const double* v, double e) { return repeats(v[1], e); },
                          "V2 if coin .8, else 1 - V2"},
                         {"V4",
                          coin(0.8),
                          {2},
                          [](const double* v, double e) { return repeats(v[2], e); },
                          "V3 if coin .8, else 1 - V3"},
                         {"Y", coin(0.4), {0, 3}, last_of_trader, "1 - V1 if V4, else coin .4"},
                     },
                     kBinaryTask});
  systems.push_back(
      {"farmer",
       "binary: what must be changed to succeed (Tao et al. 2026)",
       {
           {"V1", coin(0.8), {}, [](const double*, double e) { return e; }, "coin .8"},
           {"V2", coin(0.8), {0}, [](const double* v, double e) { return (1.0 - v[0]) * e; }, "(1 - V1) coin .8"},
           {"V3", coin(0.8), {1}, [](const double* v, double e) { return (1.0 - v[1]) * e; }, "(1 - V2) coin .8"},
           {"V4", coin(0.8), {2}, [](const double* v, double e) { return (1.0 - v[2]) * e; }, "(1 - V3) coin .8"},
           {"Y", coin(0.8), {0, 3}, [](const double* v, double e) { return v[0] * v[3] * e; }, "V1 V4 coin .8"},
       },
       kBinaryTask});
  systems.push_back({"doctor",
                     "binary: a test that must be ordered to tell (Tao et al. 2026)",
                     {
                         {"V1", coin(0.5), {}, [](const double*, double e) { return e; }, "coin .5"},
                         {"V2", coin(0.2), {}, [](const double*, double e) { return e; }, "coin .2"},
                         {"V3",
                          coin(0.2),
                          {0, 1},
                          [](const double* v, double e) { return v[0] * v[1] * (1.0 - e); },
                          "V1 V2 (1 - coin .2)"},
                         {"V4", coin(0.2), {}, [](const double*, double e) { return e; }, "coin .2"},
                         {"Y", coin(0.4), {0, 3}, last_of_trader, "1 - V1 if V4, else coin .4"},
                     },
                     kBinaryTask});
  systems.push_back(comfort_system());
  systems.push_back(glucose_system());
  systems.push_back(rate_system());
  systems.push_back(rounds_system());
  add_acted_systems(systems);
  return systems;
}

}  // namespace

const std::vector<EquationSystem>& equation_systems() {
  static const std::vector<EquationSystem> kSystems = make_systems();
  return kSystems;
}

}  // namespace olem::internal
