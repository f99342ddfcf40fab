#pragma once

namespace olem {

// How the smoothing parameters of an additive regression are judged: by generalised cross-validation or by restricted
// maximum likelihood.
enum class SmoothingCriterion { kGcv, kReml };

// How they are sought: kGlobal looks for the lowest of the many local minima of GCV, kMgcv goes the way of R's mgcv
// with its defaults.
enum class SmoothingSearch { kGlobal, kMgcv };

}  // namespace olem
