#include "sampler/gp/gp_training.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "olem/random.h"
#include "sampler/gp/gp_bound.h"
#include "sampler/gp/gp_screen.h"

namespace olem::internal::sampling {

namespace {

// The search goes from few inducing points, whose bound is cheap and shows the way, to more; the points are chosen anew
// in between, since they depend on the parameters, and once more when inputs left the nonlinear part.
struct Stage {
  std::size_t points;
  int iterations;
};
constexpr Stage kCoarse = {100, 30};
constexpr Stage kFine = {200, 20};
constexpr Stage kPruned = {200, 10};
// Inducing points are added until what they leave of the nonlinear part's variance is this share of the noise.
constexpr double kInducingTolerance = 0.002;
constexpr std::size_t kMostCandidates = 20000;  // rows among which they are chosen
// Of the regression of a nonlinear part, which knows nothing finer than its points.
constexpr std::size_t kMostNonlinearRows = 200000;
// So many are enough to compare two sets of parameters, and for the variance.
constexpr std::size_t kComparedPoints = 200;
constexpr std::size_t kSpreadPoints = 200;
// Directions of the posterior in which the data takes away less than this share of the variance keep all of it. So the
// variance is never too small, and too large by a ninth at most; draws cost about half.
constexpr double kNegligible = 0.1;
// What was selected again, by pulls that have less noise than the target and show more of the function, must not fit
// rows left out worse by more than this share.
constexpr double kMostReselectionLoss = 0.01;
// An input whose slope is expected within 1 % of the noise's standard deviation has no effect: variables that depend on
// a decision only through such slopes need not be drawn again for every decision.
constexpr double kNoEffect = 1e-4;

std::vector<double> rows_of(std::span<const double> column, std::span<const std::size_t> rows) {
  std::vector<double> chosen(rows.size());
  std::transform(rows.begin(), rows.end(), chosen.begin(), [&](std::size_t i) { return column[i]; });
  return chosen;
}

// Where the search begins: linear variances from the squared slopes of a ridge regression, a weak nonlinear part that
// every input takes an equal share in.
GpParameters starting_point(const Inputs& inputs, std::span<const double> target, std::span<const double> weights,
                            GpKernel kernel) {
  const auto q = static_cast<Eigen::Index>(inputs.size());
  const auto n = static_cast<Eigen::Index>(target.size());
  Eigen::MatrixXd columns(n, q);
  for (Eigen::Index k = 0; k < q; ++k) {
    columns.col(k) = Eigen::Map<const Eigen::VectorXd>(inputs[static_cast<std::size_t>(k)].data(), n);
  }
  const Eigen::Map<const Eigen::VectorXd> y(target.data(), n);
  if (!weights.empty()) columns = Eigen::Map<const Eigen::VectorXd>(weights.data(), n).asDiagonal() * columns;
  Eigen::MatrixXd squares = columns.transpose() * columns / static_cast<double>(n);
  squares.diagonal().array() += 1e-2;
  Eigen::VectorXd slopes(q);
  if (q > 0) slopes = squares.ldlt().solve(columns.transpose() * y / static_cast<double>(n));
  const double left = (y - columns * slopes).squaredNorm() / static_cast<double>(n);

  GpParameters parameters;
  parameters.kernel = kernel;
  parameters.constant = 0.1;
  parameters.noise = std::clamp(0.7 * left, 1e-4, 1.0);
  parameters.signal = std::clamp(left, 0.05, 1.0);
  parameters.bias = 1.0;
  for (Eigen::Index k = 0; k < q; ++k) {
    parameters.linear.push_back(std::clamp(slopes[k] * slopes[k], 1e-3, 10.0));
    parameters.relevance.push_back(0.5 / static_cast<double>(q));
  }
  return parameters;
}

double penalty_of(const GpParameters& parameters, double penalty) {
  double sum = 0.0;
  for (const double value : parameters.linear) sum += std::sqrt(value);
  for (const double value : parameters.relevance) sum += std::sqrt(value);
  return penalty * sum;
}

class Training {
 public:
  Training(Inputs inputs, std::span<const double> target, const GpTraining& training, const GpOptions& options,
           std::uint64_t stream, const Context& context)
      : inputs_(std::move(inputs)),
        target_(target),
        weights_(training.weights),
        linear_(training.linear),
        options_(options),
        stream_(stream),
        context_(context) {}

  struct Selected {
    GpParameters parameters;
    std::vector<std::size_t> inducing;
  };

  // Of many inputs, those that a screen keeps; the others get no slope and no relevance.
  Selected select_of_many() const {
    const GpScreen screen = screen_inputs(inputs_, target_, weights_, linear_, context_);
    Training of_few(*this);
    of_few.inputs_.clear();
    for (const std::size_t k : screen.inputs) of_few.inputs_.push_back(inputs_[k]);
    of_few.linear_ = screen.nonlinear.empty();
    of_few.nonlinear_ = screen.nonlinear;
    Selected found = of_few.select();
    GpParameters& parameters = found.parameters;
    std::vector<double> linear(inputs_.size(), 0.0);
    std::vector<double> relevance(inputs_.size(), 0.0);
    for (std::size_t k = 0; k < screen.inputs.size(); ++k) {
      linear[screen.inputs[k]] = parameters.linear[k];
      relevance[screen.inputs[k]] = parameters.relevance[k];
    }
    parameters.linear = std::move(linear);
    parameters.relevance = std::move(relevance);
    return found;
  }

  Selected select() const {
    if (inputs_.size() > kWideInputs && !nonlinear_) return select_of_many();
    const Rows rows(*this);
    GpParameters start = starting_point(rows.inputs, rows.target, rows.weights, options_.kernel);
    if (nonlinear_) start.relevance = equal_shares(*nonlinear_, inputs_.size());
    const GpSearch line = optimise_linear_parameters(inputs_, target_, weights_, start, options_.penalty, context_);
    if (inputs_.empty() || linear_) return {line.parameters, {}};
    GpParameters parameters = refined(rows, refined(rows, start, kCoarse), kFine);
    const bool changed = prune(parameters);
    if (parameters.nonlinear_inputs().empty()) return {line.parameters, {}};
    if (changed) parameters = refined(rows, parameters, kPruned);
    // A kernel of low relevance is nearly a line, and cheaper than one in the penalty; so pruning one input at a time
    // does not always find the way back to a line. The nonlinear part must be worth each of its parameters.
    const std::size_t added = parameters.nonlinear_inputs().size() + (options_.kernel == GpKernel::kArcsine ? 2 : 1);
    const std::vector<std::size_t> points = inducing(parameters, static_cast<std::size_t>(options_.inducing));
    const double gain = line.objective - objective(parameters, first_of(points));
    if (gain < options_.prune * static_cast<double>(added)) return {line.parameters, {}};
    return {std::move(parameters), points};
  }

  // The linear process that is likeliest by all rows.
  Selected select_line() const {
    if (inputs_.size() > kWideInputs && !nonlinear_) return select_of_many();
    const GpParameters start = starting_point(inputs_, target_, weights_, options_.kernel);
    return {optimise_linear_parameters(inputs_, target_, weights_, start, options_.penalty, context_).parameters, {}};
  }

  // These parameters, which were sought elsewhere, with points among the rows.
  Selected take(GpParameters parameters) const {
    std::vector<std::size_t> points = inducing(parameters, static_cast<std::size_t>(options_.inducing));
    return {std::move(parameters), std::move(points)};
  }

 private:
  static std::vector<double> equal_shares(const std::vector<std::size_t>& chosen, std::size_t inputs) {
    std::vector<double> shares(inputs, 0.0);
    for (const std::size_t k : chosen) shares[k] = 0.5 / static_cast<double>(chosen.size());
    return shares;
  }

  // Those on which parameters are sought.
  struct Rows {
    explicit Rows(const Training& training) {
      const std::vector<std::size_t> chosen =
          training.some_rows("gp.rows", static_cast<std::size_t>(training.options_.rows));
      for (const std::span<const double> input : training.inputs_) columns.push_back(rows_of(input, chosen));
      inputs.assign(columns.begin(), columns.end());
      target = rows_of(training.target_, chosen);
      if (!training.weights_.empty()) weights = rows_of(training.weights_, chosen);
    }
    std::vector<std::vector<double>> columns;
    Inputs inputs;
    std::vector<double> target;
    std::vector<double> weights;
  };

  GpParameters refined(const Rows& rows, const GpParameters& start, const Stage& stage) const {
    const std::size_t most = std::min(stage.points, static_cast<std::size_t>(options_.inducing));
    const std::vector<std::size_t> points =
        choose_inducing(start, scale_points(start, rows.inputs), most, kInducingTolerance * start.noise, context_);
    if (points.empty()) return start;  // nothing is left of the nonlinear part
    GpBound bound(rows.inputs, rows.target, rows.weights, start, options_.penalty, points, context_);
    return optimise_parameters(bound, start, stage.iterations, context_).parameters;
  }

  std::vector<std::size_t> some_rows(std::string_view purpose, std::size_t most) const {
    const std::size_t n = target_.size();
    if (n > most) return RandomStream(context_.seed, purpose, stream_).sample_without_replacement(n, most);
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  static std::span<const std::size_t> first_of(std::span<const std::size_t> points) {
    return points.first(std::min(points.size(), kComparedPoints));
  }

  std::vector<std::size_t> inducing(const GpParameters& parameters, std::size_t most) const {
    if (parameters.nonlinear_inputs().empty()) return {};
    const std::vector<std::size_t> candidates = some_rows("gp.inducing", kMostCandidates);
    const ScaledPoints points = scale_points(parameters, inputs_).with_points(candidates);
    std::vector<std::size_t> chosen =
        choose_inducing(parameters, points, most, kInducingTolerance * parameters.noise, context_);
    for (std::size_t& row : chosen) row = candidates[row];
    return chosen;
  }

  // Penalised, on all rows.
  double objective(const GpParameters& parameters, std::span<const std::size_t> inducing_rows) const {
    if (parameters.nonlinear_inputs().empty()) inducing_rows = {};
    return projected_objective(parameters, inputs_, target_, weights_, inducing_rows, context_) +
           penalty_of(parameters, options_.penalty);
  }

  // Takes inputs out of the nonlinear part, weakest relevance first, where that costs less than the threshold on all
  // rows. The inducing rows stay those of the whole model, so that only the input makes the difference. True when
  // something changed.
  bool prune(GpParameters& parameters) const {
    const std::vector<std::size_t> rows =
        inducing(parameters, std::min(kComparedPoints, static_cast<std::size_t>(options_.inducing)));
    std::vector<std::size_t> weakest_first = parameters.nonlinear_inputs();
    std::stable_sort(weakest_first.begin(), weakest_first.end(),
                     [&](std::size_t a, std::size_t b) { return parameters.relevance[a] < parameters.relevance[b]; });
    bool changed = false;
    double current = objective(parameters, rows);
    for (const std::size_t k : weakest_first) {
      GpParameters candidate = parameters;
      candidate.relevance[k] = 0.0;
      const double without = objective(candidate, rows);
      if (!(without - current < options_.prune)) continue;
      parameters = candidate;
      current = without;
      changed = true;
    }
    return changed;
  }

  Inputs inputs_;
  std::span<const double> target_;
  std::span<const double> weights_;
  bool linear_;
  std::optional<std::vector<std::size_t>> nonlinear_ = {};  // after a screen: the only ones that may be nonlinear
  const GpOptions& options_;
  std::uint64_t stream_;
  const Context& context_;
};

// The posterior with what was selected, without the inputs that have no effect. `names` are those of the inputs, and
// `noise` is the target's variance around the function.
TrainedGp fit_selected(Training::Selected selected, Inputs inputs, std::vector<std::size_t> names,
                       std::span<const double> target, double noise, const GpTraining& training,
                       const Context& context) {
  GpParameters& parameters = selected.parameters;
  for (std::size_t k = names.size(); k-- > 0;) {
    const bool no_slope =
        is_least_variance(parameters.linear[k]) || parameters.linear[k] < kNoEffect * parameters.noise;
    if (!no_slope || parameters.relevance[k] > 0.0) continue;
    const auto at = static_cast<std::ptrdiff_t>(k);
    names.erase(names.begin() + at);
    inputs.erase(inputs.begin() + at);
    parameters.linear.erase(parameters.linear.begin() + at);
    parameters.relevance.erase(parameters.relevance.begin() + at);
  }
  TrainedGp trained;
  trained.inputs = std::move(names);
  GpRegression regression(parameters, inputs, target.size(), training.weights, selected.inducing, context);
  trained.noise = training.shape ? fit_with_noise_shape(regression, target, noise, context)
                                 : fit_by_least_squares(regression, target, noise, context);
  parameters.noise = trained.noise.variance;
  trained.model = regression.model(kSpreadPoints, kNegligible);
  trained.inducing = std::move(selected.inducing);
  return trained;
}

}  // namespace

TrainedGp train_gp(const Inputs& inputs, std::span<const double> target, const GpOptions& options, std::uint64_t stream,
                   const Context& context, const GpTraining& training) {
  std::vector<std::size_t> names;
  Inputs varying;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto [low, high] = std::minmax_element(inputs[k].begin(), inputs[k].end());
    if (*low == *high) continue;
    names.push_back(k);
    varying.push_back(inputs[k]);
  }
  Training::Selected first = Training(varying, target, training, options, stream, context).select();
  const double noise = first.parameters.noise;
  TrainedGp trained = fit_selected(std::move(first), varying, names, target, noise, training, context);
  if (trained.noise.pulls.empty()) return trained;
  Training::Selected second = Training(varying, trained.noise.pulls, training, options, stream, context).select();
  TrainedGp again = fit_selected(std::move(second), varying, names, target, trained.noise.variance, training, context);
  const bool worse = again.noise.left_out_variance > (1.0 + kMostReselectionLoss) * trained.noise.left_out_variance;
  return worse ? trained : again;
}

TrainedGp retrain_gp(const GpParameters& parameters, std::span<const std::size_t> used, const Inputs& inputs,
                     std::span<const double> target, const GpOptions& options, std::uint64_t stream,
                     const Context& context) {
  GpParameters own = parameters;
  own.linear.clear();
  own.relevance.clear();
  std::vector<std::size_t> names;
  Inputs varying;
  for (std::size_t k = 0; k < used.size(); ++k) {
    const std::span<const double> input = inputs[used[k]];
    const auto [low, high] = std::minmax_element(input.begin(), input.end());
    if (*low == *high) continue;
    names.push_back(used[k]);
    varying.push_back(input);
    own.linear.push_back(parameters.linear[k]);
    own.relevance.push_back(parameters.relevance[k]);
  }
  const GpTraining training;
  const double noise = own.noise;
  Training::Selected selected = Training(varying, target, training, options, stream, context).take(std::move(own));
  return fit_selected(std::move(selected), varying, names, target, noise, training, context);
}

TrainedGp extend_gp(const GpParameters& parameters, std::span<const std::size_t> used, const Inputs& inputs,
                    std::span<const double> target, std::span<const double> weights, const GpOptions& options,
                    std::uint64_t stream, const Context& context) {
  const bool linear = parameters.nonlinear_inputs().empty();
  std::vector<std::size_t> names(used.begin(), used.end());
  if (linear) {
    names.resize(inputs.size());
    std::iota(names.begin(), names.end(), std::size_t{0});
    std::erase_if(names, [&](std::size_t k) {
      const auto [low, high] = std::minmax_element(inputs[k].begin(), inputs[k].end());
      return *low == *high;
    });
  }
  Inputs chosen;
  for (const std::size_t k : names) chosen.push_back(inputs[k]);
  GpTraining training;
  training.weights = weights;
  training.linear = linear;
  if (linear) {
    Training::Selected line = Training(chosen, target, training, options, stream, context).select_line();
    const double noise = line.parameters.noise;
    return fit_selected(std::move(line), chosen, names, target, noise, training, context);
  }
  std::vector<std::vector<double>> columns;
  columns.reserve(chosen.size() + 2);
  if (target.size() > kMostNonlinearRows) {
    const std::vector<std::size_t> rows =
        RandomStream(context.seed, "gp.long", stream).sample_without_replacement(target.size(), kMostNonlinearRows);
    for (std::span<const double>& input : chosen) input = columns.emplace_back(rows_of(input, rows));
    target = columns.emplace_back(rows_of(target, rows));
    if (!weights.empty()) training.weights = columns.emplace_back(rows_of(weights, rows));
  }
  Training::Selected selected = Training(chosen, target, training, options, stream, context).take(parameters);
  return fit_selected(std::move(selected), chosen, names, target, parameters.noise, training, context);
}

}  // namespace olem::internal::sampling
