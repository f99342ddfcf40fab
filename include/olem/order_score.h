#pragma once

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order_result.h"
#include "olem/stein_options.h"
#include "olem/table.h"

namespace olem {

enum class ScoreSpread { kVariance, kMad };

struct ScoreOptions {
  // Divide each second derivative by its mean over the rows, so that their spread has no unit. Off, as in the paper's
  // experiments.
  bool normalise = false;
  // How the spread over the rows is measured: the variance of the paper, or the mean absolute deviation from the
  // median, which single rows move less.
  ScoreSpread spread = ScoreSpread::kVariance;
};

OptionSet describe(ScoreOptions& options);

// SCORE (Rolland et al. 2022, algorithm 1): in a nonlinear additive model with Gaussian noise the second derivative of
// the log-density by a variable that influences no other is the same everywhere. The variable whose estimated second
// derivative spreads least over the rows is put last; repeated without it. Candidates are restricted to what
// `knowledge` allows. Cost O(d n^3); memory 8 n^2 bytes, which must fit.
//
// The steps' values are the spreads; their fact is the bandwidth of the kernel, in the units of the data. The standard
// error of a gap takes the estimates at the rows for independent.
//
// Fails with a data error when there are fewer than 3 rows or the bandwidth is zero (most rows repeat).
OrderResult learn_order_score(const Table& table, const SteinOptions& stein, const ScoreOptions& options,
                              const Precedence& knowledge, const Context& context);

}  // namespace olem
