// An office room in a steady state: balances of heat, water and CO2, and comfort by the predicted mean vote of
// ISO 7730 (Fanger). The vote is published; the room, the scatter and how it was run before are assumed.
#include <algorithm>
#include <cmath>

#include "simulate/named_models.h"

namespace olem::internal {

namespace {

constexpr EquationNoise kComfortNormal{EquationNoise::Kind::kNormal, 1.0, 0.0};

// Water in saturated air, g per kg of dry air (Magnus formula, pressure of the sea level).
double saturation(double celsius) {
  const double pressure = 610.94 * std::exp(17.625 * celsius / (celsius + 243.04));
  return 622.0 * pressure / (101325.0 - pressure);
}

// ISO 7730, annex D: temperatures in degrees Celsius, air speed in m/s, humidity in %, activity in met, clothing in
// clo.
double predicted_mean_vote(double air, double radiant, double speed, double humidity, double activity,
                           double clothing) {
  const double vapour = 10.0 * humidity * std::exp(16.6536 - 4030.183 / (air + 235.0));  // Pa
  const double insulation = 0.155 * clothing;                                            // m2 K / W
  const double heat = 58.15 * activity;                                                  // W / m2
  const double area = insulation <= 0.078 ? 1.0 + 1.29 * insulation : 1.05 + 0.645 * insulation;
  const double forced = 12.1 * std::sqrt(speed);
  const double air_kelvin = air + 273.0;
  const double radiant_4 = std::pow((radiant + 273.0) / 100.0, 4.0);
  // The surface of the clothing, in hundreds of kelvin: halving the way from the last value.
  const double p1 = insulation * area;
  const double p2 = 3.96 * p1;
  const double p5 = 308.7 - 0.028 * heat + p2 * radiant_4;
  const double first = air_kelvin + (35.5 - air) / (3.5 * (6.45 * insulation + 0.1));
  double next = first / 100.0;
  double at = first / 50.0;
  double transfer = forced;
  for (int round = 0; round < 150; ++round) {
    at = 0.5 * (at + next);
    transfer = std::max(forced, 2.38 * std::pow(std::abs(100.0 * at - air_kelvin), 0.25));
    next = (p5 + p1 * air_kelvin * transfer - p2 * std::pow(at, 4.0)) / (100.0 + 100.0 * p1 * transfer);
    if (std::abs(next - at) < 1.5e-4) break;
  }
  const double surface = 100.0 * next - 273.0;
  const double skin = 3.05e-3 * (5733.0 - 6.99 * heat - vapour);
  const double sweat = std::max(0.0, 0.42 * (heat - 58.15));
  const double breath = 1.7e-5 * heat * (5867.0 - vapour) + 0.0014 * heat * (34.0 - air);
  const double radiation = 3.96 * area * (std::pow(next, 4.0) - radiant_4);
  const double convection = area * transfer * (surface - air);
  return (0.303 * std::exp(-0.036 * heat) + 0.028) * (heat - skin - sweat - breath - radiation - convection);
}

// Places of the columns.
enum Comfort : std::size_t {
  kOut,
  kPeople,
  kSun,
  kClo,
  kSupply,
  kVent,
  kFan,
  kLoss,
  kMet,
  kAir,
  kRad,
  kRh,
  kCo2,
  kSpeed
};

}  // namespace

EquationSystem comfort_system() {
  return {
      "comfort",
      "heating, fresh air and fans of an office room (ISO 7730)",
      {
          {"t_out", kComfortNormal, {}, [](const double*, double e) { return 9.0 + 7.0 * e; }, "9 + 7 N(0, 1)"},
          {"people",
           {EquationNoise::Kind::kUniform, 4.0, 22.0},
           {},
           [](const double*, double e) { return e; },
           "U(4, 22)"},
          {"solar",
           {EquationNoise::Kind::kUniform, 0.0, 1.0},
           {},
           [](const double*, double e) { return 1500.0 * e * e; },
           "1500 U(0, 1)^2"},
          {"clo",
           kComfortNormal,
           {kOut},
           [](const double* v, double e) { return std::clamp(0.95 - 0.015 * (v[kOut] - 9.0) + 0.1 * e, 0.4, 1.4); },
           ".95 - .015 (t_out - 9) + .1 N(0, 1), cut to .4 to 1.4"},
          {"t_supply",
           kComfortNormal,
           {kOut, kSun},
           [](const double* v, double e) {
             return std::clamp(24.0 - 0.45 * (v[kOut] - 9.0) - 0.002 * v[kSun] + 2.5 * e, 14.0, 40.0);
           },
           "24 - .45 (t_out - 9) - .002 solar + 2.5 N(0, 1), cut to 14 to 40"},
          {"vent",
           kComfortNormal,
           {kPeople},
           [](const double* v, double e) { return std::clamp(80.0 + 6.0 * v[kPeople] + 30.0 * e, 60.0, 400.0); },
           "80 + 6 people + 30 N(0, 1), cut to 60 to 400"},
          {"fan",
           kComfortNormal,
           {kOut},
           [](const double* v, double e) { return std::clamp(0.12 + 0.01 * (v[kOut] - 9.0) + 0.06 * e, 0.05, 0.6); },
           ".12 + .01 (t_out - 9) + .06 N(0, 1), cut to .05 to .6"},
          {"loss",
           kComfortNormal,
           {},
           [](const double*, double e) { return 120.0 * std::exp(0.1 * e); },
           "120 exp(.1 N(0, 1)), not recorded",
           true},
          {"met",
           kComfortNormal,
           {},
           [](const double*, double e) { return 1.1 + 0.08 * e; },
           "1.1 + .08 N(0, 1), not recorded",
           true},
          {"t_air",
           kComfortNormal,
           {kOut, kPeople, kSun, kSupply, kVent, kLoss},
           [](const double* v, double e) {
             const double flow = 1.2 * v[kVent];  // W / K
             return (v[kLoss] * v[kOut] + flow * v[kSupply] + 75.0 * v[kPeople] + 0.6 * v[kSun] + 150.0 * e) /
                    (v[kLoss] + flow);
           },
           "(loss t_out + 1.2 vent t_supply + 75 people + .6 solar + 150 N(0, 1)) / (loss + 1.2 vent)"},
          {"t_rad",
           kComfortNormal,
           {kOut, kAir},
           [](const double* v, double e) { return v[kAir] - 0.08 * (v[kAir] - v[kOut]) + 0.3 * e; },
           "t_air - .08 (t_air - t_out) + .3 N(0, 1)"},
          {"rh",
           kComfortNormal,
           {kOut, kPeople, kVent, kAir},
           [](const double* v, double e) {
             const double water =
                 0.7 * saturation(v[kOut]) * std::exp(0.15 * e) + 50.0 * v[kPeople] / (4.32 * v[kVent]);
             return std::clamp(100.0 * water / saturation(v[kAir]), 3.0, 98.0);
           },
           "100 (.7 s(t_out) exp(.15 N(0, 1)) + 50 people / (4.32 vent)) / s(t_air), s: water in saturated air, cut to "
           "3 to 98"},
          {"co2",
           kComfortNormal,
           {kPeople, kVent},
           [](const double* v, double e) { return 420.0 + 5000.0 * v[kPeople] / v[kVent] * std::exp(0.08 * e); },
           "420 + 5000 people / vent exp(.08 N(0, 1))"},
          {"speed",
           kComfortNormal,
           {kFan},
           [](const double* v, double e) { return 0.02 + v[kFan] * std::exp(0.12 * e); },
           ".02 + fan exp(.12 N(0, 1))"},
          {"pmv",
           kComfortNormal,
           {kClo, kMet, kAir, kRad, kRh, kSpeed},
           [](const double* v, double) {
             return predicted_mean_vote(v[kAir], v[kRad], v[kSpeed], v[kRh], v[kMet], v[kClo]);
           },
           "predicted mean vote of ISO 7730 for t_air, t_rad, speed, rh, met, clo"},
      },
      R"({"context": ["t_out", "people", "solar", "clo"],
          "alterable": {"t_supply": [14, 40], "vent": [60, 400], "fan": [0.05, 0.6]}, "outcome": ["pmv", "co2"],
          "desired": {"pmv": [-0.5, 0.5], "co2": [null, 900]}})"};
}

}  // namespace olem::internal
