#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/matrix.h"
#include "nn/training.h"
#include "olem/context.h"
#include "olem/sampler.h"
#include "sampler/gp/gp_kernel.h"
#include "sampler/state_reader.h"

// What the kinds that are networks have in common: splitting and scaling of the rows, mixtures of several networks,
// distances from the data, and how all of it is stored.
namespace olem::internal::sampling {

// The units of a network: (value - mean) x factor, by the rows that it was trained on. An input that never varied there
// has the factor 0 and is not listened to.
struct NetworkUnits {
  std::vector<double> mean;    // one per input
  std::vector<double> factor;  // one per input
  double target_mean = 0.0;
  double target_sd = 1.0;

  // Writes the conditions of all draws, which are the columns, below the first `rows_above` rows.
  void fill(std::span<const Condition> conditions, nn::Index rows_above, nn::Matrix<float>& matrix) const;
  // From the gradient by the network's inputs, inputs x draws, to those by the conditions.
  void add_gradient(const nn::Matrix<float>& by_input, const std::vector<bool>& shared,
                    std::span<double* const> gradients) const;

  void store(const std::string& suffix, SamplerState& state) const;
};
NetworkUnits read_units(const StateReader& reader, std::size_t inputs, const std::string& suffix);

// Weights as a file holds them. Reading checks that they are `count` finite floats.
void store_weights(std::span<const float> weights, const std::string& suffix, SamplerState& state);
std::vector<float> read_weights(const StateReader& reader, std::size_t count, const std::string& suffix);

// What one network is trained on, in its own units.
struct NetworkRows {
  std::string name;                         // of the variable
  std::vector<std::vector<double>> inputs;  // columns of the training rows, then the validation rows
  std::vector<double> target;               // the same rows
  std::size_t training = 0;                 // number of training rows
  NetworkUnits units;
  std::uint64_t index = 0;                   // tells apart all networks under one seed, below 2^32
  std::vector<Warning>* warnings = nullptr;  // as of SamplerData

  std::size_t validation() const { return target.size() - training; }
};

// 70 % of the rows at random, another choice for every member, train; the others validate. At least one of each.
NetworkRows split_rows(const SamplerData& data, const Inputs& inputs, std::size_t member, const Context& context);

nn::TrainingOptions training_options(const NetworkOptions& options, const NetworkRows& rows, const std::string& kind);

// Adds the warning not_converged when training ended because no epochs were left.
void warn_unless_converged(const nn::TrainingResult& trained, const nn::TrainingOptions& training,
                           const NetworkRows& rows);

// One network with its units. Conditions are the inputs in use only.
class NetworkMember {
 public:
  virtual ~NetworkMember() = default;
  virtual std::size_t noise_entries() const = 0;
  virtual std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const = 0;
  virtual void log_density(std::span<const Condition> conditions, std::span<const double> y,
                           std::span<double> out) const = 0;
  // As ConditionalSampler::slopes.
  virtual std::optional<std::vector<double>> slopes() const { return std::nullopt; }
  // Writes its shape to the settings, the same for all members, and arrays whose names end in `suffix`.
  virtual void store(const std::string& suffix, SamplerState& state) const = 0;
};

using MemberFit = std::function<std::unique_ptr<const NetworkMember>(const NetworkRows& rows)>;
using MemberReader = std::function<std::unique_ptr<const NetworkMember>(const StateReader& reader, std::size_t inputs,
                                                                        const std::string& suffix)>;

// A sampler that draws from the mixture of options.network.ensemble members in equal parts. With more than one, a last
// noise entry says which member makes a draw, so that a draw remains a smooth function of the conditions. The
// networks hold no posterior: `caution` has no effect.
std::shared_ptr<const ConditionalSampler> fit_network(const std::string& kind, const SamplerData& data,
                                                      const SamplerOptions& options, const MemberFit& fit_member,
                                                      const Context& context);
std::shared_ptr<const ConditionalSampler> restore_network(const SamplerState& state, const MemberReader& read_member);

}  // namespace olem::internal::sampling
