#pragma once

#include <cstddef>

#include "olem/context.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/order_result.h"
#include "olem/table.h"

namespace olem {

enum class DiffanVariant {
  kResidue,    // takes what the variables removed contributed out of the score
  kMasking,    // only sets them to zero: cheaper, and often as good
  kPublished,  // adds their contribution instead, as the authors' program does
};

struct DiffanOptions {
  // With the sign that follows from the theorem; the published sign leaves a multiple of what it should take out.
  DiffanVariant variant = DiffanVariant::kResidue;
  // Training all but always ends earlier, by patience.
  int epochs = 3000;
  // Early losses fall for any weights; looking at them would only keep worse ones.
  int warm_up = 300;
  int patience = 300;
  // Training and ordering fit into the cache of one core at this size, and larger batches take fewer, not better,
  // steps.
  int batch = 1024;
  double learning_rate = 1e-3;
  double dropout = 0.2;
  // The published sizes, which grow with the number of columns d: max(narrow, 3 d) and max(wide, 5 d).
  int narrow = 128;
  int wide = 1024;
  // Time steps that vote: 0, 33, 66 and 99 of 100.
  int votes = 4;
  // As published: enough to know a variance to about 5 %.
  int rows = 1024;
};

OptionSet describe(DiffanOptions& options);

// Forty rows to train on and ten to validate with: with fewer, chance alone says which epoch was the best.
inline constexpr std::size_t kDiffanLeastRows = 50;

// DiffAN (Sanchez, Liu, O'Neil and Tsaftaris 2023): a denoising diffusion network learns the score of the standardised
// data; for additive Gaussian noise the variable that influences no other is the one whose diagonal entry of the
// score's Jacobian varies least over the data. Each of options.votes time steps votes for a variable; the one with most
// votes is last (ties: who was voted for first) and is taken out. Only variables that `knowledge` allows stand for
// election.
//
// The steps' values are votes; their facts, where there was a choice, hessian_variance (of the sink, at the time step
// that voted for it first), next_hessian_variance (the second smallest there) and time_step. A step is decided when the
// sink has more votes than the runner-up. The result's facts: epochs, best_epoch, training_loss and, when there was a
// validation, validation_loss, in squared noise (1: nothing was learned).
//
// Training takes 6 x weights x rows operations an epoch (1.3 million weights up to 42 columns); the order 2 x weights x
// rows x votes x d^2. The result depends on the seed, the order of rows and of columns, and in the last digits on the
// kind of processor; never on the number of threads.
//
// Fails with a data error for constant columns, fewer than kDiffanLeastRows rows and when training diverges.
OrderResult learn_order_diffan(const Table& table, const DiffanOptions& options, const Precedence& knowledge,
                               const Context& context);

}  // namespace olem
