#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "olem/column.h"
#include "olem/context.h"
#include "olem/options.h"

namespace olem {

enum class GpKernel { kArcsine, kRbf };

// A Gaussian process with a linear and a nonlinear part (docs/methods/gp.md).
struct GpOptions {
  // The arc-sine kernel flattens out away from the data, as most mechanisms do, where the other returns to the line.
  GpKernel kernel = GpKernel::kArcsine;
  // Rows on which hyper-parameters are sought, at most: the cost grows with them, and 2000 settle two dozen of them.
  int rows = 2000;
  // Points that carry the nonlinear part: the cost of a draw grows with them; smooth functions need far fewer.
  int inducing = 300;
  // On the square roots of relevances and linear variances, in nats: keeps out inputs that only fit noise.
  double penalty = 1.0;
  // An input leaves the nonlinear part when that costs less than this many nats.
  double prune = 1.0;
};

// A straight line with the noise that is left over (docs/methods/linear-sampler.md).
struct LinearSamplerOptions {
  // Relative to the number of rows, in standardised units. Small enough to change no estimate that the data determines.
  double ridge = 1e-6;
};

enum class GaussianFit { kLeastSquares, kBayesianRidge };

// A straight line with normal noise (docs/methods/gaussian-sampler.md).
struct GaussianSamplerOptions {
  // Bayesian ridge regression is the original's; later comparisons take least squares, which is as good with many rows
  // and leaves outcomes affine in the decision.
  GaussianFit fit = GaussianFit::kLeastSquares;
};

// How the kinds that are networks are trained: Adam on 70 % of the rows, the other 30 % say when to stop.
struct NetworkOptions {
  // Networks per variable, each with its own split of the rows; draws come from their mixture. One is the published
  // method, and the cost grows with their number.
  int ensemble = 1;
  // This and the next ones as published. Early stopping ends training long before, as a rule.
  int epochs = 1000;
  int batch = 256;
  int patience = 20;
  double learning_rate = 1e-3;
};

// A monotone rational-quadratic spline whose knots a network sets (docs/methods/spline.md).
struct SplineOptions {
  // With 1000 rows 8 are as good; 16 leave room for the detail that more rows can show.
  int bins = 16;
  // Units in each of the two hidden layers.
  int width = 64;
};

enum class CinnTarget { kAugment, kDuplicate };
enum class CinnClamp { kDivided, kPlain };

// A chain of coupling blocks (docs/methods/cinn.md).
struct CinnOptions {
  // The published size.
  int blocks = 16;
  int width = 256;
  // Coupling needs two coordinates. A copy as the second one has no density, so that training has no optimum.
  CinnTarget target = CinnTarget::kAugment;
  // Divided is the identity for small arguments; the other form grows twice as fast.
  CinnClamp clamp = CinnClamp::kDivided;
};

// The options of every kind of sampler; each reads its own.
struct SamplerOptions {
  std::string sampler = "auto";  // a name of sampler_kinds()
  GpOptions gp;
  LinearSamplerOptions linear;
  GaussianSamplerOptions gaussian;
  SplineOptions spline;
  CinnOptions cinn;
  NetworkOptions network;  // of spline and cinn
};

OptionSet describe(GpOptions& options);
OptionSet describe(LinearSamplerOptions& options);
OptionSet describe(GaussianSamplerOptions& options);
OptionSet describe(NetworkOptions& options);
OptionSet describe(SplineOptions& options);
OptionSet describe(CinnOptions& options);

// Everything below is in standardised units: (value - mean) / standard deviation of the column. SamplerSet keeps the
// constants and speaks the user's units.

// One condition over a block of draws.
struct Condition {
  const double* values = nullptr;  // one per draw, or a single one that all draws share
  bool shared = false;
};

struct SamplerState;  // olem/sampler_state.h

// What a sampler depends on, for people.
struct SamplerInput {
  double slope = 0.0;      // of the linear part, standard deviations per standard deviation
  double relevance = 0.0;  // of the nonlinear part, 0: none; comparable within one sampler
  bool used = false;       // the input can change a draw at all
};

// How well one form of a model forecast rows that it had not seen (docs/methods/location-scale.md says how).
struct SamplerScore {
  std::string form;          // "log, noise linear in 1 input", "logs of 2 inputs", ...
  double log_density = 0.0;  // mean over rows, nats; of the standardised variable, or of the level of a discrete one
  double crps = 0.0;         // mean over rows, of the standardised variable
  bool chosen = false;
};

struct SamplerFacts {
  std::string form;                  // "linear", "nonlinear in 3 of 11 inputs", "constant", ...
  std::vector<SamplerInput> inputs;  // one per condition
  double noise_sd = 0.0;             // of what the conditions do not explain
  bool additive = true;              // a draw is a function of the conditions plus noise of this standard deviation
  std::vector<SamplerScore> scores;  // of what was chosen and of its rivals; empty where nothing was compared
};

// A number of the noise that a draw takes from elsewhere, so that variables share it.
struct SharedNoise {
  std::string variable;   // whose noise it is; empty: that of the group which the draw belongs to
  std::size_t entry = 0;  // of that noise
  bool operator==(const SharedNoise&) const = default;
};

// The work of one sampler on one block of draws whose noise is fixed. Not shared between threads.
class SamplerRun {
 public:
  virtual ~SamplerRun() = default;

  // y[i] = T(noise of draw i, conditions of draw i), one condition per input of the sampler, in its order. `caution`
  // multiplies the posterior spread: 1 is the full model, 0 leaves the posterior variance out. The same numbers whether
  // a condition is shared or repeated for every draw, up to rounding.
  virtual void sample(std::span<const Condition> conditions, double caution, std::span<double> y) = 0;

  // For the latest sample(), at most once, while the values of its conditions still stand: adds adjoint[i]
  // dy[i]/dc_k[i] to gradients[k][i], and for a shared condition the sum over the draws to gradients[k][0]. A null
  // pointer is left out.
  virtual void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) = 0;

  // From now on add_gradient() will not be called: what only it needs is not worth computing.
  virtual void forgo_gradient() {}

  // For a search by gradients through a discrete variable, whose exact draws jump and have gradient zero. With a
  // temperature above 0 the next draws are relaxed: they pass from one level to the next over a stretch of noise, and
  // with it of conditions, that shrinks with the temperature, and have gradients. Values lie between neighbouring
  // levels. With u the draw's uniform number and C_k the probability of the levels up to k, the draw is the lowest
  // level plus the sum over k of (step to level k + 1) x logistic((logit u - logit C_k) / temperature). 0, as at the
  // start: exact draws. A sampler that is not discrete ignores it. What is reported must come from exact draws.
  virtual void relax(double /*temperature*/) {}

  // One posterior function for all draws: from now on the model's own uncertainty is not one normal number per draw but
  // these, ConditionalSampler::function_entries() of them, the same for every draw; none: as at the start.
  // add_gradient() must not follow. A sampler without a posterior spread ignores it.
  virtual void hold_function(std::span<const double> /*normals*/) {}

  // For the latest sample(), which must have been exact: y[i] = its draw i with the noise moved by offsets[i] of its
  // standard deviations, on the scale on which noise is added: that of the transform with the spread of the draw, or
  // the log-odds of a discrete variable. False, with nothing of use in y, where noise is added on no scale.
  virtual bool move_noise(std::span<const double> /*offsets*/, std::span<double> /*y*/) { return false; }
};

// A model of one variable given q >= 0 conditions, from which one can draw. Immutable and safe to share.
class ConditionalSampler {
 public:
  virtual ~ConditionalSampler() = default;

  virtual std::size_t conditions() const = 0;
  virtual std::size_t noise_entries() const = 0;  // standard normal numbers that one draw takes
  // Where the last of these entries come from; none, as of most samplers: all of them are the variable's own.
  virtual std::vector<SharedNoise> shared_noise() const { return {}; }
  // Whether the first entry picks one of several models of the same variable, so that their own entries follow it.
  virtual bool picks_component() const { return false; }
  // Standard normal numbers that one posterior function takes (SamplerRun::hold_function); 0: it has no own
  // uncertainty.
  virtual std::size_t function_entries() const { return 0; }
  virtual SamplerFacts facts() const = 0;

  // `noise` holds noise_entries() numbers for each of `draws` draws: all first entries, then all second ones. The
  // sampler must outlive the run.
  virtual std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const = 0;

  // out[i] = ln p(y[i] | conditions i).
  virtual void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                           std::span<double> out) const = 0;

  // How far the conditions of each draw lie outside of the data. Above extrapolation_limit() the model knows little.
  virtual void extrapolation(std::span<const Condition> conditions, std::span<double> out) const = 0;
  virtual double extrapolation_limit() const = 0;

  // Slopes a_k when a draw is a^T c + (something of its noise alone); nothing when it is not, or only for another
  // caution.
  virtual std::optional<std::vector<double>> slopes(double caution) const = 0;

  // Whether draws, or some of them, jump between values as conditions change: see SamplerRun::relax.
  virtual bool is_discrete() const { return false; }

  // below[i] = P(Y < y[i]) and up_to[i] = P(Y <= y[i]) given the conditions i: of a discrete variable the difference is
  // the forecast probability of a level, and a uniform number between the two is uniform if the forecasts are right.
  // False, with nothing written, where the sampler has no such function; discrete ones have it.
  virtual bool distribution(std::span<const Condition> /*conditions*/, std::span<const double> /*y*/,
                            double /*caution*/, std::span<double> /*below*/, std::span<double> /*up_to*/) const {
    return false;
  }

  // out[i] = mean of the noise behind the value y under the conditions i, in its standard deviations, on the scale of
  // SamplerRun::move_noise. False where noise is added on no scale, or y is no value on it.
  virtual bool noise_behind(std::span<const Condition> /*conditions*/, double /*y*/, std::span<double> /*out*/) const {
    return false;
  }

  virtual SamplerState state() const = 0;
};

// What the standardised numbers of a column stand for.
struct SamplerColumn {
  Column about;  // its type and levels
  double mean = 0.0;
  double sd = 1.0;

  double standardise(double value) const { return (value - mean) / sd; }
  double restore(double standardised) const { return mean + sd * standardised; }
};

// What a sampler is fitted to: columns of equal length with mean 0 and, unless constant, standard deviation 1.
struct SamplerData {
  std::string name;  // of the variable, for messages
  std::span<const double> target;
  std::vector<std::span<const double>> conditions;
  std::uint64_t index = 0;                   // tells the random streams of different variables apart
  std::vector<Warning>* warnings = nullptr;  // where to put what is doubtful about the fit; null: nobody asks
  SamplerColumn target_column = {};
  std::vector<SamplerColumn> condition_columns = {};  // one per condition; none: all of them are real
  std::vector<std::string> condition_names = {};      // where something of the rows is known (TaskRows)
};

// What leaves the draws of a fitted kind as they are, in the user's units: to 1e-3 of a standard deviation. A column
// multiplied by a power of two changes no bit of any kind.
struct SamplerInvariances {
  bool units = true;                  // a constant added to a column, or a column multiplied by a positive number
  bool row_permutation = true;        //
  bool condition_permutation = true;  // the same conditions in another order
  std::string why_not;                // where one does not hold
};

// A kind of sampler, chosen by name.
struct SamplerKind {
  std::string name;
  std::string help;  // one line
  OptionSet (*describe)(SamplerOptions& options);
  // Fewest rows that it can be fitted to.
  std::size_t (*least_rows)(std::size_t conditions);
  std::shared_ptr<const ConditionalSampler> (*fit)(const SamplerData& data, const SamplerOptions& options,
                                                   const Context& context);
  std::shared_ptr<const ConditionalSampler> (*restore)(const SamplerState& state);
  SamplerInvariances invariances;
  // Whether it can model a column of this type; null: it takes every column for numbers.
  bool (*suits)(ColumnType type) = nullptr;
  // Whether it takes conditions of every type itself; for others categories are encoded as indicators.
  bool encodes = false;
  // Fits to other rows of the table that `like`, of the same kind and conditions, was fitted to: what it chose is kept,
  // which costs a small part of a fit. Null: there is no such short cut.
  std::shared_ptr<const ConditionalSampler> (*refit)(const ConditionalSampler& like, const SamplerData& data,
                                                     const SamplerOptions& options, const Context& context) = nullptr;
};

const std::vector<SamplerKind>& sampler_kinds();

// Throws a usage error that suggests the closest name when there is none such.
const SamplerKind& sampler_kind(const std::string& name);

// The sampler that has this state: it draws the same bytes. Checks every size and value; throws a data error.
std::shared_ptr<const ConditionalSampler> restore_sampler(const SamplerState& state);

}  // namespace olem
