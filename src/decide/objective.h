#pragma once

#include <limits>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/decision.h"
#include "olem/post_decision.h"
#include "olem/region.h"

namespace olem::internal {

// What a set of outcome draws is worth. Everything in standardised units of the outcomes.
class OutcomeObjective {
 public:
  // `region` and `centre` in standardised units. One linear programme per row of a region that is no box.
  OutcomeObjective(Region region, std::vector<double> centre, double radius, const Context& context);

  // Number of draws in the region; draws that are not valid are not in it.
  std::size_t successes(const OutcomeDraws& draws) const;
  double success(const OutcomeDraws& draws) const;
  // Whether each draw is in the region.
  std::vector<unsigned char> inside(const OutcomeDraws& draws) const;

  // Mean loss over the valid draws, with its derivative by every outcome value in `adjoints` (shape of draws.values).
  double surrogate(SurrogateLoss loss, const OutcomeDraws& draws, std::span<double> adjoints) const;

  // Mean over all draws of prod_r sigmoid((d_r - M_r y) / (tau w_r)), w_r the half width of the region in the direction
  // of row r; for tau -> 0 the share of draws in the region. With its derivative. `widest` bounds w_r, in standard
  // deviations of an outcome in the direction of the row. Levels that are wanted count with the share of their cells
  // that a value belongs to, smoothed over tau half distances between levels.
  double smoothed(double tau, const OutcomeDraws& draws, std::span<double> adjoints,
                  double widest = std::numeric_limits<double>::infinity()) const;

  const Region& region() const { return region_; }
  const std::vector<double>& row_widths() const { return widths_; }

 private:
  Region region_;
  std::vector<double> centre_;
  double radius_;
  std::vector<double> widths_;
};

// The objective of a problem: its region, resolved, in the samplers' units, its centre, and what had to be said about
// them.
struct PreparedObjective {
  OutcomeObjective objective;
  RegionCentre centre;
};
PreparedObjective prepare_objective(const Region& given, const SamplerSet& samplers, const Context& context);

}  // namespace olem::internal
