#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/options.h"
#include "olem/table.h"

namespace olem {

// What to do with points whose nearest neighbour is at distance zero (repeated rows, rounded values), where the
// logarithm has no value.
enum class TiePolicy { kSkip, kDistinct, kFloor, kJitter, kError };
enum class NeighbourEngine { kAuto, kSweep, kTree };
enum class InstructionSet { kAuto, kAvx512, kAvx2, kPortable };
// Where the search for neighbours runs. kAuto takes a CUDA device where there is one and the work is worth it.
enum class Device { kAuto, kCpu, kCuda };
enum class AffineCorrection { kNone, kScale };

struct EntropyOptions {
  // A name of entropy_estimators(). "kl" with k above 1 is "knn".
  std::string estimator = "kl";
  // The published method uses the nearest neighbour. More neighbours: less variance, more bias.
  int k = 1;
  // Reproduces the published results on rounded data; needs no constant in the units of the data.
  TiePolicy ties = TiePolicy::kSkip;
  double floor = 1e-3;  // of TiePolicy::kFloor, in the units of the data
  // Neighbours are searched in the user's units. kScale divides every column by its standard deviation for the search
  // and takes the logarithm of the scale out again: the same quantity is estimated.
  AffineCorrection affine = AffineCorrection::kNone;
  double ridge = 0.0;  // of the Gaussian estimator: S + ridge * mean(diag S) * I
  // The next three change the time, never the result.
  NeighbourEngine engine = NeighbourEngine::kAuto;
  InstructionSet instruction_set = InstructionSet::kAuto;
  Device device = Device::kAuto;
};

OptionSet describe(EntropyOptions& options);

struct EntropyEstimate {
  double value = 0.0;       // nats; -infinity when every distance is zero
  double zero_share = 0.0;  // share of points whose distance was zero
};

// Differential entropy of all columns of a table, in nats. Fails with a data error when there are too few rows for the
// estimator.
EntropyEstimate estimate_entropy(const Table& table, const EntropyOptions& options, const Context& context);

// The entropies that one step of OLEM compares.
struct StepEntropies {
  double joint = 0.0;  // of all current columns
  double joint_zero_share = 0.0;
  std::vector<double> without;     // of all current columns but one, by position; -infinity when all distances are zero
  std::vector<double> zero_share;  // share of points at distance zero, by position
};

// Entropies of a sample whose columns are taken away one after the other.
class EntropySequence {
 public:
  EntropySequence() = default;
  virtual ~EntropySequence() = default;
  EntropySequence(const EntropySequence&) = delete;
  EntropySequence& operator=(const EntropySequence&) = delete;

  virtual StepEntropies evaluate(const Context& context, const std::function<void(double)>& progress) = 0;
  // After evaluate(): one number per point used, whose mean is the entropy without `position` up to a constant that all
  // positions share; NaN for points left out. Their differences give the standard error of a gap.
  virtual std::vector<double> contributions(std::size_t position) const = 0;
  virtual void remove(const Context& context, std::size_t position) = 0;
};

// A kind of estimator, chosen by name. No estimate changes with the order of the columns or with a constant added to
// one of them, and a factor c of all m columns adds m ln |c|.
struct EntropyEstimatorKind {
  std::string name;
  std::string help;
  std::unique_ptr<EntropySequence> (*start)(const Table& table, const EntropyOptions& options, const Context& context);
  std::string rows_matter;  // why the estimate depends on the order of the rows; empty: it does not
};

const std::vector<EntropyEstimatorKind>& entropy_estimators();

// Validates the options against the table and starts a sequence over all its columns. The table must outlive it.
std::unique_ptr<EntropySequence> start_entropy_sequence(const Table& table, const EntropyOptions& options,
                                                        const Context& context);

// Weights of the weighted estimator (Berrett, Samworth and Yuan 2019) for dimension m and neighbours 1..k.
std::vector<double> weighted_estimator_weights(int m, int k);

// Weights of the ensemble estimator (Sricharan, Wei and Hero 2013) for dimension m, sample size T and the given
// neighbourhood factors: the minimum-norm solution when its squared norm is at most `largest_norm`, else the relaxed
// one on that norm.
std::vector<double> ensemble_estimator_weights(int m, double sample_size, std::span<const double> factors,
                                               double largest_norm);

// ln of the volume of the unit ball in m dimensions.
double log_unit_ball_volume(int m);

}  // namespace olem
