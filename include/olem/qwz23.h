#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/found_by.h"
#include "olem/named_value.h"
#include "olem/options.h"
#include "olem/region.h"
#include "olem/sampler_set.h"

namespace olem {

// Of the integer programme, which is needed beyond two outcomes only.
struct Qwz23Options {
  // Draws that it is stated for. Its effort grows steeply with them: 50 are settled within a second or so, hundreds
  // never. With more draws than these its answer is where sweeps over all of them begin once more.
  int programme_draws = 50;
  // Nodes of its search tree, a measure of work that does not depend on the machine.
  int nodes = 2000;
  // Seconds for one decision, as a last resort: where it ends the search, the answer depends on the machine.
  double seconds = 60.0;
};

OptionSet describe(Qwz23Options& options);

// Outcomes of fixed draws as a function of what is altered: draw i has the outcomes base[i] + response z. Everything
// in standardised units.
struct AffineOutcomes {
  std::size_t draws = 0;
  std::size_t outcomes = 0;
  std::size_t altered = 0;
  std::vector<double> base;      // draws x outcomes: A x + C e_i
  std::vector<double> response;  // outcomes x altered: B
};

// Context and alterations set, edges into them cut, the effects of all paths summed (Qin, Wang and Zhou 2023). The
// draws are those of a PostDecisionSampler with the number `noise`; without the samplers' posterior variance, so that
// all share one B. Draws that are not finite are left out. A usage error that names a variable between decision and
// outcomes whose sampler is not linear.
AffineOutcomes affine_outcomes(const std::shared_ptr<const SamplerSet>& samplers,
                               const std::vector<NamedValue>& observed, const std::vector<std::string>& altered,
                               const std::vector<std::string>& outcomes, std::size_t draws, std::uint64_t noise,
                               const Context& context);

enum class Qwz23Search { kAuto, kSweep, kProgramme };

struct Qwz23Answer {
  std::vector<double> values;  // of the altered variables, within the box; empty when no draw can be satisfied
  std::size_t satisfied = 0;   // draws in the region, borders included up to rounding
  std::size_t at_most = 0;     // no values satisfy more, as far as is known; `satisfied` when it is proven to be best
  FoundBy found_by = FoundBy::kSweep;
};

// The values in the box for which most draws lie in the region. Exact for one outcome by a sweep over the ends of the
// intervals in which a draw is satisfied, O(n log n), and for two: a sweep over rectangles when the region is a box,
// O(n log n), else sweeps along lines, O(rows n^2 log n). The points in which a largest set of draws is satisfied form
// a convex set, and its lowest point in some direction lies on a side of the region of one of these draws, or on the
// border of what can be reached. Beyond that coordinate-wise sweeps and an integer programme (with the least constants
// that free a draw from its rows). kSweep and kProgramme force one of the two; kSweep is a usage error beyond two
// outcomes.
//
// Among the best, a point in the middle: the set of draws that it satisfies leaves it most room on all sides, and of
// those the one that is nearest to `preferred` (sum of absolute differences). Deterministic, apart from
// options.seconds; runs in the calling thread.
Qwz23Answer maximise_satisfied(const AffineOutcomes& outcomes, const Region& region, std::span<const double> low,
                               std::span<const double> high, std::span<const double> preferred,
                               const Qwz23Options& options, const Context& context,
                               Qwz23Search search = Qwz23Search::kAuto);

}  // namespace olem
