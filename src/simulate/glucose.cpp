// Insulin before a meal of a person with type 1 diabetes: the glucose-insulin model of Hovorka et al. (Physiological
// Measurement 25, 2004) with its published parameters. How people differ, the error of the sensor and what was injected
// before are assumed.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "simulate/named_models.h"

namespace olem::internal {

namespace {

constexpr EquationNoise kGlucoseNormal{EquationNoise::Kind::kNormal, 1.0, 0.0};

// What one meal depends on.
struct Meal {
  double weight = 0.0;       // kg
  double carbs = 0.0;        // g
  double glucose = 0.0;      // mmol/l at the injection
  double bolus = 0.0;        // U
  double lead = 0.0;         // minutes from the injection to the meal
  double sensitivity = 1.0;  // to insulin, relative
  double meal_time = 40.0;   // of absorption, minutes
  double insulin_time = 55.0;

  bool operator==(const Meal&) const = default;
};

struct MealCourse {
  double insulin_60 = 0.0;  // mU/l, an hour after the meal
  double glucose_60 = 0.0;  // mmol/l
  double glucose_180 = 0.0;
  double lowest = std::numeric_limits<double>::infinity();  // within three hours of the meal
};

// The five parameters of insulin action and the flows that do not change.
constexpr double kInsulinVolume = 0.12;     // l/kg
constexpr double kInsulinLoss = 0.138;      // per minute
constexpr double kTransfer = 0.066;         // per minute
constexpr double kNonInsulinFlux = 0.0097;  // mmol/kg/min
constexpr double kLiver = 0.0161;           // mmol/kg/min
constexpr double kGlucoseVolume = 0.16;     // l/kg
constexpr std::array<double, 3> kDecay = {0.006, 0.06, 0.03};
constexpr std::array<double, 3> kEffect = {51.2e-4, 8.2e-4, 520e-4};
constexpr double kHeldAt = 6.0;  // mmol/l by basal insulin
constexpr int kMinutes = 211;
constexpr double kMealMinutes = 180.0;

// Plasma insulin that holds kHeldAt, by halving.
double basal_insulin(double sensitivity) {
  double low = 0.0;
  double high = 60.0;
  for (int round = 0; round < 50; ++round) {
    const double insulin = 0.5 * (low + high);
    std::array<double, 3> action{};
    for (std::size_t j = 0; j < 3; ++j) action[j] = kEffect[j] * sensitivity * insulin;
    const double mass = kHeldAt * kGlucoseVolume;
    const double net = -kNonInsulinFlux - action[0] * mass + kTransfer * action[0] * mass / (kTransfer + action[1]) +
                       kLiver * std::max(0.0, 1.0 - action[2]);
    (net > 0.0 ? low : high) = insulin;
  }
  return low;
}

// Euler steps of one minute.
MealCourse simulate_meal(const Meal& meal) {
  const double w = meal.weight;
  double insulin = basal_insulin(meal.sensitivity);
  const double infusion = insulin * kInsulinLoss * kInsulinVolume * w;  // mU/min
  double depot = infusion * meal.insulin_time + 1000.0 * meal.bolus;
  double second_depot = infusion * meal.insulin_time;
  std::array<double, 3> action{};
  for (std::size_t j = 0; j < 3; ++j) action[j] = kEffect[j] * meal.sensitivity * insulin;
  double mass = meal.glucose * kGlucoseVolume * w;
  double second_mass = action[0] * mass / (kTransfer + action[1]);
  double gut = 0.0;
  double second_gut = 0.0;
  const double start = std::nearbyint(meal.lead);
  MealCourse course;
  for (int minute = 0; minute < kMinutes; ++minute) {
    const double after = minute - start;
    if (after == 0.0) gut += meal.carbs * 1000.0 / 180.16 * 0.8;
    const double glucose = mass / (kGlucoseVolume * w);
    if (after == 60.0) {
      course.glucose_60 = glucose;
      course.insulin_60 = insulin;
    }
    if (after == kMealMinutes) course.glucose_180 = glucose;
    if (after >= 0.0 && after <= kMealMinutes) course.lowest = std::min(course.lowest, glucose);
    const double brain = kNonInsulinFlux * w * std::min(1.0, glucose / 4.5);
    const double kidney = glucose >= 9.0 ? 0.003 * (glucose - 9.0) * kGlucoseVolume * w : 0.0;
    const double change = -brain - action[0] * mass + kTransfer * second_mass - kidney + second_gut / meal.meal_time +
                          kLiver * w * std::max(0.0, 1.0 - action[2]);
    const double second_change = action[0] * mass - (kTransfer + action[1]) * second_mass;
    const double absorbed = second_depot / meal.insulin_time;
    const double moved = depot / meal.insulin_time;
    const double digested = gut / meal.meal_time;
    for (std::size_t j = 0; j < 3; ++j) action[j] += kDecay[j] * (kEffect[j] * meal.sensitivity * insulin - action[j]);
    insulin += absorbed / (kInsulinVolume * w) - kInsulinLoss * insulin;
    depot += infusion - moved;
    second_depot += moved - absorbed;
    second_gut += digested - second_gut / meal.meal_time;
    gut -= digested;
    mass = std::max(0.0, mass + change);
    second_mass += second_change;
  }
  return course;
}

// Places of the columns.
enum Glucose : std::size_t { kWeight, kCarbs, kBefore, kBolus, kLead, kSense, kMealTime, kInsulinTime };

// Four columns of a row come from one course.
const MealCourse& course_of(const double* v) {
  thread_local Meal known;
  thread_local MealCourse course;
  const Meal meal{v[kWeight], v[kCarbs], v[kBefore], v[kBolus], v[kLead], v[kSense], v[kMealTime], v[kInsulinTime]};
  if (!(meal == known)) {
    course = simulate_meal(meal);
    known = meal;
  }
  return course;
}

}  // namespace

EquationSystem glucose_system() {
  return {
      "glucose",
      "insulin before a meal (the model of Hovorka et al. 2004)",
      {
          {"weight",
           kGlucoseNormal,
           {},
           [](const double*, double e) { return std::clamp(74.0 + 11.0 * e, 45.0, 120.0); },
           "74 + 11 N(0, 1), cut to 45 to 120"},
          {"carbs",
           {EquationNoise::Kind::kUniform, 20.0, 110.0},
           {},
           [](const double*, double e) { return e; },
           "U(20, 110)"},
          {"g0",
           kGlucoseNormal,
           {},
           [](const double*, double e) { return std::clamp(7.5 + 2.0 * e, 4.0, 15.0); },
           "7.5 + 2 N(0, 1), cut to 4 to 15"},
          {"bolus",
           kGlucoseNormal,
           {kCarbs, kBefore},
           [](const double* v, double e) {
             return std::clamp((v[kCarbs] / 15.0 + (v[kBefore] - 6.0) / 3.0) * std::exp(0.25 * e), 0.0, 20.0);
           },
           "(carbs / 15 + (g0 - 6) / 3) exp(.25 N(0, 1)), cut to 0 to 20"},
          {"prebolus",
           kGlucoseNormal,
           {kBefore},
           [](const double* v, double e) { return std::clamp(10.0 + 2.0 * (v[kBefore] - 7.5) + 6.0 * e, 0.0, 30.0); },
           "10 + 2 (g0 - 7.5) + 6 N(0, 1), cut to 0 to 30"},
          {"sensitivity",
           kGlucoseNormal,
           {},
           [](const double*, double e) { return std::exp(0.25 * e); },
           "exp(.25 N(0, 1)), not recorded",
           true},
          {"meal_time",
           kGlucoseNormal,
           {},
           [](const double*, double e) { return 40.0 * std::exp(0.2 * e); },
           "40 exp(.2 N(0, 1)), not recorded",
           true},
          {"insulin_time",
           kGlucoseNormal,
           {},
           [](const double*, double e) { return 55.0 * std::exp(0.2 * e); },
           "55 exp(.2 N(0, 1)), not recorded",
           true},
          {"ins60",
           kGlucoseNormal,
           {kWeight, kBolus, kLead, kSense, kInsulinTime},
           [](const double* v, double e) { return course_of(v).insulin_60 * (1.0 + 0.05 * e); },
           "plasma insulin 60 minutes after the meal x (1 + .05 N(0, 1))"},
          {"g60",
           kGlucoseNormal,
           {kWeight, kCarbs, kBefore, kBolus, kLead, kSense, kMealTime, kInsulinTime},
           [](const double* v, double e) { return course_of(v).glucose_60 * (1.0 + 0.05 * e); },
           "glucose 60 minutes after the meal x (1 + .05 N(0, 1))"},
          {"g180",
           kGlucoseNormal,
           {kWeight, kCarbs, kBefore, kBolus, kLead, kSense, kMealTime, kInsulinTime},
           [](const double* v, double e) { return course_of(v).glucose_180 * (1.0 + 0.05 * e); },
           "glucose 180 minutes after the meal x (1 + .05 N(0, 1))"},
          {"gmin",
           kGlucoseNormal,
           {kWeight, kCarbs, kBefore, kBolus, kLead, kSense, kMealTime, kInsulinTime},
           [](const double* v, double e) { return course_of(v).lowest * (1.0 + 0.05 * e); },
           "lowest glucose of the 180 minutes after the meal x (1 + .05 N(0, 1))"},
      },
      R"({"context": ["weight", "carbs", "g0"], "alterable": {"bolus": [0, 20], "prebolus": [0, 30]},
          "outcome": ["g180", "gmin"], "desired": {"g180": [4, 8], "gmin": [3.9, null]}})"};
}

}  // namespace olem::internal
