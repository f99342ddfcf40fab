#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "olem/context.h"

namespace olem::internal::nn {

enum class PartialBatch {
  kKeep,  // the last batch of an epoch may be shorter
  kDrop,  // rows that do not fill a batch wait for the next shuffle
};

struct TrainingOptions {
  std::size_t rows = 0;   // of the training set
  std::size_t batch = 0;  // rows of a batch; at most `rows` are taken
  PartialBatch partial = PartialBatch::kKeep;
  int epochs = 1000;  // at most
  // After each epoch that is a multiple of `validation_period` and later than `warm_up` the validation loss is looked
  // at. Training stops when it has not improved for `patience` epochs, counted from the end of the warm-up at the
  // earliest.
  int warm_up = 0;
  int validation_period = 1;
  int patience = 20;
  double learning_rate = 1e-3;
  double gradient_limit = 0.0;      // longer gradients are scaled to this norm; 0: none are
  std::string shuffle = "batches";  // purpose of the random stream that orders the rows; one stream per epoch
  std::uint64_t index = 0;          // tells apart networks that are trained under one seed, below 2^32
  std::string what = "a network";   // what is trained, with the name of the variable, for messages
  std::string phase = "training";   // of the progress
};

// What is trained, in terms of the flat vector of weights that train() was given.
template <class Scalar>
struct TrainingProblem {
  // The mean loss over a batch, given by its rows; its gradient is added to `gradient`, which comes zeroed. `step`
  // numbers all batches ever asked for, so that noise and dropout can be keyed by it.
  std::function<double(std::span<const std::size_t> rows, std::uint64_t step, std::span<Scalar> gradient)> loss;
  std::function<double()> validation_loss;
};

enum class StopReason {
  kPatience,  // the validation loss stopped improving
  kEpochs,    // no epochs were left
};

struct TrainingResult {
  int epochs = 0;                   // done
  int best_epoch = 0;               // whose weights were kept
  std::optional<double> best_loss;  // on the validation set; none when the warm-up was not over
  double training_loss = std::numeric_limits<double>::quiet_NaN();  // mean over the last epoch
  int restarts = 0;                                                 // after a loss that was not finite
  StopReason stop = StopReason::kEpochs;
};

// Minimises the loss by Adam over shuffled batches and leaves in `weights` those with the least validation loss, or the
// last ones when the warm-up was never over. A loss that is not finite sends training back to the best weights so far
// (the starting weights at first) with half of the learning rate, three times; then it is a data error that names
// options.what. Interruption is checked at every batch; progress holds the latest loss. Needs five numbers per weight.
template <class Scalar>
TrainingResult train(std::span<Scalar> weights, const TrainingProblem<Scalar>& problem, const TrainingOptions& options,
                     const Context& context);

}  // namespace olem::internal::nn
