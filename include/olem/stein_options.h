#pragma once

#include "olem/options.h"

namespace olem {

// Which distances between rows the bandwidth of the kernel is the median of.
enum class SteinMedian { kAll, kNonzero };

// The Stein estimator of the Hessian of the log-density, which SCORE and CaPS share (Rolland et al. 2022;
// Li and Turner 2018).
struct SteinOptions {
  // Added to the diagonal of the kernel matrix when the first and the second derivatives are solved for. 0.001 is the
  // value of both papers. It is absolute: the kernel has the factor 1 / bandwidth, so data in other units see another
  // ridge.
  double eta_score = 0.001;
  double eta_hessian = 0.001;
  // All n^2 distances, the n zeros of the diagonal among them, and the lower of the two in the middle, as the published
  // code does it; or the ordinary median of those that are not zero, which rows that repeat cannot make zero.
  SteinMedian median = SteinMedian::kAll;
  // Work on this many rows, drawn once by the seed; 0: on all. The cost grows with the cube of the rows, so a part of
  // them is the way to large tables; the estimates then know only that part.
  int rows = 0;
};

OptionSet describe(SteinOptions& options);

}  // namespace olem
