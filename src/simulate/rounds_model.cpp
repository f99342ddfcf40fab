#include "simulate/named_models.h"

// Rounds that depend on the round before (docs/methods/rounds.md): V_t = A V_t + B V_(t-1) + e_t.
namespace olem::internal {

namespace {

double as_it_was(const double* /*v*/, double e) { return e; }

EquationNoise round_before(double column) { return {EquationNoise::Kind::kBefore, column, 0.0}; }
EquationNoise round_noise(double variance) { return {EquationNoise::Kind::kNormal, variance, 0.0}; }

}  // namespace

EquationSystem rounds_system() {
  constexpr bool kHidden = true;
  return {"rounds",
          "rounds in time order, each of which depends on the one before",
          {
              {"x@-1", round_before(3), {}, as_it_was, "x of the round before", kHidden},
              {"z@-1", round_before(4), {}, as_it_was, "z of the round before", kHidden},
              {"y@-1", round_before(5), {}, as_it_was, "y of the round before", kHidden},
              {"x",
               round_noise(0.04),
               {0},
               [](const double* v, double e) { return 0.45 * v[0] + e; },
               ".45 x@-1 + N(0, .04)"},
              {"z",
               round_noise(0.03),
               {3, 1},
               [](const double* v, double e) { return 0.2 * v[3] + 0.1 * v[1] + e; },
               ".2 x + .1 z@-1 + N(0, .03)"},
              {"y",
               round_noise(0.05),
               {3, 4, 1, 2},
               [](const double* v, double e) { return 0.4 * v[3] + 1.1 * v[4] - 0.35 * v[1] + 0.2 * v[2] + e; },
               ".4 x + 1.1 z - .35 z@-1 + .2 y@-1 + N(0, .05)"},
          },
          R"({"context": ["x"], "alterable": {"z": [-2, 2]}, "outcome": ["y"], "desired": {"y": [0.85, 1.15]}})"};
}

}  // namespace olem::internal
