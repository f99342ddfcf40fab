#include "nn/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "nn/adam.h"
#include "olem/error.h"
#include "olem/random.h"

namespace olem::internal::nn {

namespace {

constexpr int kRestarts = 3;

void shuffle(std::vector<std::size_t>& rows, RandomStream random) {
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
}

template <class Scalar>
class Trainer {
 public:
  Trainer(std::span<Scalar> weights, const TrainingProblem<Scalar>& problem, const TrainingOptions& options,
          const Context& context)
      : weights_(weights),
        problem_(problem),
        options_(options),
        context_(context),
        gradient_(weights.size()),
        best_(weights.begin(), weights.end()),
        adam_(weights.size()),
        rows_(options.rows),
        rate_(options.learning_rate) {
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  }

  TrainingResult run() {
    int improved = options_.warm_up;
    for (int epoch = 1; epoch <= options_.epochs; ++epoch) {
      result_.epochs = epoch;
      if (!run_epoch(epoch)) {
        restart();
        continue;
      }
      report(epoch);
      if (epoch <= options_.warm_up || epoch % options_.validation_period != 0) continue;
      const double loss = problem_.validation_loss();
      if (!std::isfinite(loss)) {
        restart();
        continue;
      }
      if (loss < result_.best_loss.value_or(std::numeric_limits<double>::infinity())) {
        keep(epoch, loss);
        improved = epoch;
      } else if (epoch - improved >= options_.patience) {
        result_.stop = StopReason::kPatience;
        break;
      }
    }
    if (result_.best_loss) {
      std::copy(best_.begin(), best_.end(), weights_.begin());
    } else {
      result_.best_epoch = result_.epochs;
    }
    return result_;
  }

 private:
  // False when a loss was not finite.
  bool run_epoch(int epoch) {
    shuffle(rows_, RandomStream(context_.seed, options_.shuffle,
                                stream_index({{options_.index, 32}, {static_cast<std::uint64_t>(epoch), 32}})));
    const std::size_t batch = std::min(options_.batch, rows_.size());
    double sum = 0.0;
    double batches = 0.0;
    for (std::size_t first = 0; first < rows_.size(); first += batch) {
      const std::size_t count = std::min(batch, rows_.size() - first);
      if (count < batch && options_.partial == PartialBatch::kDrop) break;
      context_.check_interrupt();
      std::fill(gradient_.begin(), gradient_.end(), Scalar{0});
      const double loss = problem_.loss({rows_.data() + first, count}, step_++, gradient_);
      if (!std::isfinite(loss)) return false;
      if (options_.gradient_limit > 0.0) clip_norm<Scalar>(gradient_, options_.gradient_limit);
      adam_.step(weights_, gradient_, rate_, context_);
      sum += loss;
      batches += 1.0;
    }
    result_.training_loss = sum / batches;
    return true;
  }

  void keep(int epoch, double loss) {
    result_.best_epoch = epoch;
    result_.best_loss = loss;
    std::copy(weights_.begin(), weights_.end(), best_.begin());
  }

  void restart() {
    if (result_.restarts == kRestarts) {
      throw Error(ErrorCategory::kData,
                  fmt::format("Training {} failed: its loss was not a finite number {} times, at last with learning "
                              "rate {:g}.",
                              options_.what, kRestarts + 1, rate_),
                  {{"Look for extreme values in the data"}, {"Lower the learning rate"}});
    }
    ++result_.restarts;
    rate_ /= 2.0;
    std::copy(best_.begin(), best_.end(), weights_.begin());
    adam_.reset();
    context_.log_debug(fmt::format("{}: the loss was not finite; again from the best weights with learning rate {:g}",
                                   options_.what, rate_));
  }

  void report(int epoch) const {
    const bool validated = result_.best_loss.has_value();
    context_.report_progress(static_cast<double>(epoch) / options_.epochs,
                             fmt::format("{}, {} {:.4f}", options_.phase, validated ? "validation loss" : "loss",
                                         validated ? *result_.best_loss : result_.training_loss));
  }

  std::span<Scalar> weights_;
  const TrainingProblem<Scalar>& problem_;
  const TrainingOptions& options_;
  const Context& context_;
  std::vector<Scalar> gradient_;
  std::vector<Scalar> best_;
  Adam<Scalar> adam_;
  std::vector<std::size_t> rows_;
  double rate_;
  std::uint64_t step_ = 0;
  TrainingResult result_;
};

}  // namespace

template <class Scalar>
TrainingResult train(std::span<Scalar> weights, const TrainingProblem<Scalar>& problem, const TrainingOptions& options,
                     const Context& context) {
  return Trainer<Scalar>(weights, problem, options, context).run();
}

template TrainingResult train(std::span<float>, const TrainingProblem<float>&, const TrainingOptions&, const Context&);
template TrainingResult train(std::span<double>, const TrainingProblem<double>&, const TrainingOptions&,
                              const Context&);

}  // namespace olem::internal::nn
