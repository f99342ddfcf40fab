#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "nn/training.h"
#include "olem/error.h"
#include "olem/order_diffan.h"
#include "olem/parallel.h"
#include "order/diffan_derivatives.h"
#include "order/diffan_network.h"
#include "order/diffan_votes.h"
#include "order/learn.h"
#include "order/sink_search.h"

namespace olem {

using namespace internal;

namespace {

using nn::Index;
using Network = DiffanNetwork<float>;

constexpr std::array<Choice, 3> kVariants = {{{"residue", "take their part out of the score"},
                                              {"masking", "only set them to zero"},
                                              {"published", "add their part, as the authors' program does"}}};
constexpr int kValidationPeriod = 10;
constexpr std::size_t kValidationShare = 5;   // one row in this many
constexpr std::size_t kDrawsPerPiece = 64;    // columns of a batch whose noise is drawn together
constexpr std::size_t kPointsPerPiece = 128;  // that share the memory of one DiffanDerivatives
constexpr double kLossOfNoPrediction = 1.0;   // the variance of the noise

// Variables x rows, mean 0 and population standard deviation 1 in each row.
nn::Matrix<float> standardised(const Table& table) {
  nn::Matrix<float> result(static_cast<Index>(table.columns()), static_cast<Index>(table.rows()));
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto values = table.column(j);
    const Eigen::Map<const Eigen::ArrayXd> column(values.data(), static_cast<Index>(values.size()));
    const double mean = column.mean();
    const double deviation = std::sqrt((column - mean).square().mean());
    if (!std::isfinite(deviation) || deviation == 0.0) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The values of column '{}' are too large or too small to be squared. Rescale it.",
                              table.prefix(), table.name(j)));
    }
    result.row(static_cast<Index>(j)) = ((column - mean) / deviation).cast<float>().matrix().transpose();
  }
  return result;
}

// The data as training sees them: points with noise of a random strength.
class Diffusion {
 public:
  Diffusion(const nn::Matrix<float>& data, std::uint64_t seed)
      : data_(data), signal_(diffusion_signal()), seed_(seed) {}

  double scaled_time(std::size_t step) const { return static_cast<double>(step) / static_cast<double>(signal_.size()); }
  std::size_t steps() const { return signal_.size(); }

  // Fills the first `count` columns of input and target: column j from row rows(j) and stream `index` + j.
  template <class Rows>
  void draw(const Rows& rows, std::size_t count, std::string_view purpose, std::uint64_t index, Network::Batch& batch,
            const Context& context) const {
    parallel_for(context, 0, count, kDrawsPerPiece, [&](std::size_t first, std::size_t last) {
      for (std::size_t j = first; j < last; ++j) {
        RandomStream random(seed_, purpose, index + j);
        const auto column = static_cast<Index>(j);
        const std::size_t step = random.below(signal_.size());
        const double kept = std::sqrt(signal_[step]);
        const double spread = std::sqrt(1.0 - signal_[step]);
        for (Index i = 0; i < data_.rows(); ++i) {
          const double noise = random.normal();
          batch.target(i, column) = static_cast<float>(noise);
          batch.input(i, column) =
              static_cast<float>(kept * static_cast<double>(data_(i, static_cast<Index>(rows(j)))) + spread * noise);
        }
        batch.input(data_.rows(), column) = static_cast<float>(scaled_time(step));
      }
    });
  }

 private:
  const nn::Matrix<float>& data_;
  std::vector<double> signal_;
  std::uint64_t seed_;
};

nn::TrainingResult train_network(const Network& network, std::vector<float>& weights, const Diffusion& diffusion,
                                 std::size_t rows, const DiffanOptions& options, const Context& context) {
  const std::size_t held_out = rows / kValidationShare;
  nn::TrainingOptions training;
  training.rows = rows - held_out;
  training.batch = std::min(static_cast<std::size_t>(options.batch), training.rows);
  training.partial = nn::PartialBatch::kDrop;
  training.epochs = options.epochs;
  training.warm_up = options.warm_up;
  training.validation_period = kValidationPeriod;
  training.patience = options.patience;
  training.learning_rate = options.learning_rate;
  training.shuffle = "diffan_batches";
  training.what = "the network of DiffAN";

  Network::Batch batch(network.shape(), static_cast<Index>(training.batch));
  nn::TrainingProblem<float> problem;
  problem.loss = [&](std::span<const std::size_t> chosen, std::uint64_t step, std::span<float> gradient) {
    const std::uint64_t index = step * training.batch;
    diffusion.draw([&](std::size_t j) { return chosen[j]; }, chosen.size(), "diffan_noise", index, batch, context);
    return network.loss(weights.data(), batch, {options.dropout, context.seed, index}, gradient.data(), context);
  };
  // The same noise every time, and no dropout: epochs differ by their weights alone.
  problem.validation_loss = [&] {
    double sum = 0.0;
    for (std::size_t first = 0; first < held_out; first += training.batch) {
      const std::size_t count = std::min(training.batch, held_out - first);
      diffusion.draw([&](std::size_t j) { return training.rows + first + j; }, count, "diffan_validation", first, batch,
                     context);
      sum += network.squared_error(weights.data(), batch, static_cast<Index>(count), context);
    }
    return sum / (static_cast<double>(held_out) * static_cast<double>(network.shape().variables));
  };
  return nn::train<float>(weights, problem, training, context);
}

void warn_of_training(const nn::TrainingResult& training, const DiffanOptions& options, Summary& summary) {
  const auto warn = [&](std::string code, std::string text, std::vector<Remedy> remedies) {
    summary.warnings.push_back({std::move(code), std::move(text), "", std::move(remedies)});
  };
  const Remedy longer{"Train longer", "diffan_epochs"};
  if (!training.best_loss) {
    warn("not_validated",
         fmt::format("The network was trained for {} epochs only and never validated, since validation starts after "
                     "epoch {}.",
                     training.epochs, options.warm_up),
         {longer, {"Start to validate earlier", "diffan_warm_up"}});
  } else if (*training.best_loss >= kLossOfNoPrediction) {
    warn(
        "nothing_learned",
        fmt::format("The network predicts the noise no better than zero does (validation loss {:.3f}): the order means "
                    "little. There may be too few rows.",
                    *training.best_loss),
        {{"Give more rows"}});
  } else if (training.stop == nn::StopReason::kEpochs) {
    warn("not_converged", fmt::format("The network was still improving after {} epochs.", training.epochs), {longer});
  }
}

// Evenly spread over the steps of the diffusion, from the first to the last.
std::vector<std::size_t> voting_times(std::size_t votes, std::size_t steps) {
  std::vector<std::size_t> times;
  for (std::size_t v = 0; v < votes; ++v) times.push_back(v * (steps - 1) / std::max<std::size_t>(votes - 1, 1));
  return times;
}

// Reads the trained network.
class Electorate {
 public:
  Electorate(const Network& network, const std::vector<float>& weights, const nn::Matrix<float>& data,
             DiffanVariant variant, std::size_t points)
      : network_(network), weights_(weights), variant_(variant), points_(points) {
    input_.resize(data.rows() + 1, static_cast<Index>(points));
    input_.topRows(data.rows()) = data.leftCols(static_cast<Index>(points));
  }

  // Sets a variable that was found last to zero.
  void remove(std::size_t variable) {
    removed_.push_back(variable);
    input_.row(static_cast<Index>(variable)).setZero();
  }

  // The variance over the points of the diagonal entry of each remaining variable at one time of the diffusion.
  std::vector<double> variances(std::span<const std::size_t> remaining, double time, const Context& context) {
    input_.bottomRows(1).setConstant(static_cast<float>(time));
    Eigen::MatrixXd diagonal(static_cast<Index>(remaining.size()), input_.cols());
    const Index step = DiffanDerivatives<float>::points_per_call(network_.shape().variables);
    parallel_for(context, 0, points_, kPointsPerPiece, [&](std::size_t first, std::size_t last) {
      DiffanDerivatives<float> derivatives(network_, step);
      const auto end = static_cast<Index>(last);
      for (auto at = static_cast<Index>(first); at < end; at += step) {
        context.check_interrupt();
        const Index count = std::min(step, end - at);
        derivatives.diagonal(weights_.data(), input_.middleCols(at, count), remaining, removed_, variant_,
                             diagonal.middleCols(at, count));
      }
    });
    std::vector<double> result;
    for (const auto& entries : diagonal.rowwise()) {
      const double mean = entries.mean();
      result.push_back((entries.array() - mean).square().mean());
    }
    return result;
  }

 private:
  const Network& network_;
  const std::vector<float>& weights_;
  DiffanVariant variant_;
  std::size_t points_;
  nn::Matrix<float> input_;  // (d + 1) x points
  std::vector<std::size_t> removed_;
};

}  // namespace

OptionSet describe(DiffanOptions& options) {
  constexpr int kMany = 1000000;
  OptionSet set;
  set.choice("diffan_variant", options.variant, kVariants, "what is done about variables already removed");
  set.integer("diffan_epochs", options.epochs, 1, kMany, "passes over the training rows, at most");
  set.integer("diffan_warm_up", options.warm_up, 0, kMany, "epochs before the first validation");
  set.integer("diffan_patience", options.patience, 1, kMany, "stop after this many epochs without improvement");
  set.integer("diffan_batch", options.batch, 1, kMany, "rows of a training step");
  set.real("diffan_learning_rate", options.learning_rate, 1e-8, 1.0, "of Adam");
  set.real("diffan_dropout", options.dropout, 0.0, 0.9, "share of the first hidden layer left out while training");
  set.integer("diffan_narrow", options.narrow, 2, 100000, "width of the outer hidden layers; at least 3 x columns");
  set.integer("diffan_wide", options.wide, 2, 100000, "width of the inner hidden layers; at least 5 x columns");
  set.integer("diffan_votes", options.votes, 1, 100, "time steps of the diffusion that vote for the last variable");
  set.integer("diffan_rows", options.rows, 2, kMany, "rows, from the first, on which the votes are cast");
  return set;
}

OrderResult learn_order_diffan(const Table& table, const DiffanOptions& options, const Precedence& knowledge,
                               const Context& context) {
  DiffanOptions checked = options;
  describe(checked).validate();
  if (table.columns() == 1) {
    OrderResult trivial;
    trivial.criterion = "votes";
    trivial.order = table.names();
    return trivial;
  }
  check_learnable(table, kDiffanLeastRows, "diffan");

  const auto d = static_cast<Index>(table.columns());
  const DiffanShape shape{d, std::max<Index>(checked.narrow, 3 * d), std::max<Index>(checked.wide, 5 * d)};
  const Network network(shape);
  const std::size_t points = std::min(table.rows(), static_cast<std::size_t>(checked.rows));
  const std::size_t threads =
      std::min(static_cast<std::size_t>(context.thread_count()), (points - 1) / kPointsPerPiece + 1);
  context.require_memory(
      5 * sizeof(float) * static_cast<std::size_t>(network.weight_count()) + sizeof(float) * table.values().size() +
          Network::Batch::bytes(shape, checked.batch) +
          threads * DiffanDerivatives<float>::bytes(shape, DiffanDerivatives<float>::points_per_call(d)),
      "DiffAN");

  const nn::Matrix<float> data = standardised(table);
  const Diffusion diffusion(data, context.seed);
  std::vector<float> weights(static_cast<std::size_t>(network.weight_count()));
  network.initialise(weights.data(), RandomStream(context.seed, "diffan_weights"));
  const nn::TrainingResult training = train_network(network, weights, diffusion, table.rows(), checked, context);
  context.log_info(fmt::format("DiffAN: {} epochs, best at {}", training.epochs, training.best_epoch));

  Electorate electorate(network, weights, data, checked.variant, points);
  const std::vector<std::size_t> times = voting_times(static_cast<std::size_t>(checked.votes), diffusion.steps());
  std::vector<DiffanVote> votes;

  SinkCriterion criterion;
  criterion.name = "votes";
  criterion.sink_is = SinkIs::kGreatest;
  criterion.cost_exponent = checked.variant == DiffanVariant::kMasking ? 1.0 : 0.0;
  criterion.evaluate = [&](std::span<const std::size_t> remaining, OrderStep&,
                           const std::function<void(double)>& progress) {
    std::vector<std::size_t> candidates;
    for (std::size_t p = 0; p < remaining.size(); ++p) {
      if (knowledge.may_be_last(remaining[p], remaining)) candidates.push_back(p);
    }
    votes.clear();
    if (candidates.size() == 1) return std::vector<double>(remaining.size(), 0.0);
    for (std::size_t v = 0; v < times.size(); ++v) {
      const auto variances = electorate.variances(remaining, diffusion.scaled_time(times[v]), context);
      if (const auto vote = cast_vote(variances, candidates, times[v])) votes.push_back(*vote);
      progress(static_cast<double>(v + 1) / static_cast<double>(times.size()));
    }
    return count_votes(votes, remaining.size());
  };
  criterion.chosen = [&](std::span<const std::size_t> remaining, std::size_t sink, std::size_t runner_up,
                         OrderStep& step) {
    for (auto& [name, value] : step.values) value = std::floor(value);
    if (!step.forced) {
      step.gap = step.values[sink].second - step.values[runner_up].second;
      step.decided = *step.gap > 0.0;
      const auto first =
          std::find_if(votes.begin(), votes.end(), [&](const DiffanVote& vote) { return vote.choice == sink; });
      step.facts = {{"hessian_variance", first->variance},
                    {"next_hessian_variance", first->next_variance},
                    {"time_step", static_cast<double>(first->time_step)}};
    }
    electorate.remove(remaining[sink]);
  };
  OrderResult result = search_sinks(table, knowledge, criterion, context);
  result.facts = {{"epochs", training.epochs}, {"best_epoch", training.best_epoch}};
  result.facts.emplace_back("training_loss", training.training_loss);
  if (training.best_loss) result.facts.emplace_back("validation_loss", *training.best_loss);
  warn_of_training(training, checked, result.summary);
  return result;
}

}  // namespace olem
