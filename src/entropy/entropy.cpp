#include "olem/entropy.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/special.h"
#include "entropy/estimators.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

constexpr Choice kTieChoices[] = {
    {"skip", "leave the points with a zero distance out"},
    {"distinct", "use the nearest point that is not at the same place"},
    {"floor", "raise every distance to at least `floor` (depends on the units)"},
    {"jitter", "add uniform noise of half the resolution of each column"},
    {"error", "refuse data with zero distances"},
};
constexpr Choice kEngineChoices[] = {
    {"auto", "whatever is faster for the size of the data"},
    {"sweep", "one pass over all pairs for all candidates"},
    {"tree", "a k-d tree per candidate"},
};
constexpr Choice kInstructionSetChoices[] = {
    {"auto", "the best that the machine has"},
    {"avx512", "AVX-512"},
    {"avx2", "AVX2 with FMA"},
    {"portable", "what every machine has"},
};
constexpr Choice kDeviceChoices[] = {
    {"auto", "a CUDA device where there is one and the work is worth it, else the processor"},
    {"cpu", "the processor"},
    {"cuda", "a CUDA device (the nearest neighbour only)"},
};
constexpr Choice kAffineChoices[] = {
    {"none", "search for neighbours in the units of the data"},
    {"scale", "search on columns divided by their standard deviation, and correct the entropy for it"},
};

// The estimators are few and fixed; their names as choices of an option, found by name in the struct.
constexpr Choice kEstimatorChoices[] = {
    {"kl", "Kozachenko-Leonenko, nearest neighbour"},
    {"knn", "Kozachenko-Leonenko, k-th neighbour"},
    {"weighted", "weighted Kozachenko-Leonenko (Berrett, Samworth and Yuan 2019)"},
    {"ensemble", "weighted ensemble of plug-in estimates (Sricharan, Wei and Hero 2013)"},
    {"gaussian", "closed form for a normal distribution"},
};

}  // namespace

OptionSet describe(EntropyOptions& options) {
  OptionSet set;
  set.name_choice("estimator", options.estimator, kEstimatorChoices, "how entropy is estimated");
  set.integer("k", options.k, 1, 1000,
              "which neighbour: 1 is the published method, more is smoother; at least this many for weighted");
  set.choice("ties", options.ties, kTieChoices, "what to do where the nearest neighbour is at distance zero");
  set.real("floor", options.floor, 1e-300, 1e300, "the least distance with `ties` floor, in the units of the data");
  set.choice("affine", options.affine, kAffineChoices, "units in which neighbours are searched");
  set.real("ridge", options.ridge, 0.0, 1.0,
           "of the gaussian estimator: added to the covariance, relative to its mean diagonal");
  set.choice("engine", options.engine, kEngineChoices, "how neighbours are searched; the result does not depend on it");
  set.choice("instruction_set", options.instruction_set, kInstructionSetChoices,
             "of the neighbour search; the result does not depend on it");
  set.choice("device", options.device, kDeviceChoices,
             "where the neighbour search runs; the result does not depend on it");
  return set;
}

const std::vector<EntropyEstimatorKind>& entropy_estimators() {
  static const std::vector<EntropyEstimatorKind> kKinds = {
      {"kl", std::string(kEstimatorChoices[0].help), start_knn_entropy, ""},
      {"knn", std::string(kEstimatorChoices[1].help), start_knn_entropy, ""},
      {"weighted", std::string(kEstimatorChoices[2].help), start_weighted_entropy, ""},
      {"ensemble", std::string(kEstimatorChoices[3].help), start_ensemble_entropy,
       "every second row is an evaluation point, the others make the density"},
      {"gaussian", std::string(kEstimatorChoices[4].help), start_gaussian_entropy, ""},
  };
  return kKinds;
}

std::unique_ptr<EntropySequence> start_entropy_sequence(const Table& table, const EntropyOptions& options,
                                                        const Context& context) {
  EntropyOptions checked = options;
  describe(checked).validate();
  for (const EntropyEstimatorKind& kind : entropy_estimators()) {
    if (kind.name == checked.estimator) return kind.start(table, checked, context);
  }
  throw Error(ErrorCategory::kInternal, "An estimator passed validation but is not registered.");
}

EntropyEstimate estimate_entropy(const Table& table, const EntropyOptions& options, const Context& context) {
  const auto sequence = start_entropy_sequence(table, options, context);
  EntropyEstimate estimate;
  const StepEntropies step = sequence->evaluate(context, [](double) {});
  estimate.value = step.joint;
  estimate.zero_share = step.joint_zero_share;
  return estimate;
}

double log_unit_ball_volume(int m) {
  const double half = 0.5 * static_cast<double>(m);
  return half * std::log(std::numbers::pi) - log_gamma(half + 1.0);
}

}  // namespace olem

namespace olem::internal {

double digamma_integer(int k) {
  double value = -std::numbers::egamma;
  for (int j = 1; j < k; ++j) value += 1.0 / static_cast<double>(j);
  return value;
}

double log_distance(double squared, const EntropyOptions& options) {
  if (options.ties == TiePolicy::kFloor) return std::log(std::max(std::sqrt(squared), options.floor));
  if (squared == 0.0 || std::isinf(squared)) return std::numeric_limits<double>::quiet_NaN();
  return 0.5 * std::log(squared);
}

void refuse_zero_distances(const Table& table, std::size_t zeros) {
  throw Error(ErrorCategory::kData,
              fmt::format("{}{} of {} points have a nearest neighbour at distance zero (repeated or rounded values).",
                          table.prefix(), zeros, table.rows()),
              {{"Allow them", "ties", "skip"}, {"Allow them", "ties", "distinct"}, {"Allow them", "ties", "jitter"}});
}

}  // namespace olem::internal
