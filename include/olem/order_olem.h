#pragma once

#include <span>

#include "olem/context.h"
#include "olem/entropy.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem {

struct OlemOptions {
  EntropyOptions entropy;
};

OptionSet describe(OlemOptions& options);

// OLEM (Tao, Wang and Zhou, Algorithm 1): finds the variable with the greatest conditional entropy given the rest, puts
// it last, repeats without it. Candidates are restricted to what `knowledge` allows. Cost O(d n^2 d) in the worst case,
// far less in practice; memory O(n d).
//
// The steps' values are conditional entropies in nats; their facts are joint_entropy (of the variables left) and
// zero_share (the greatest share of zero distances among the candidates). A step is decided when its gap is more than
// twice its standard error.
//
// Fails with a data error when the estimator needs more rows and when the columns are so discrete that every distance
// is zero.
OrderResult learn_order_olem(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                             const Context& context);

// The same with each row counted `weights[row]` times (positive numbers; they are divided by their mean) in every
// entropy, such as Exp(1) draws for a Bayesian bootstrap. Distances are those of all rows.
OrderResult learn_order_olem_weighted(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                                      std::span<const double> weights, const Context& context);

}  // namespace olem
