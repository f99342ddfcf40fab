#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sampler/flow/coupling_chain.h"
#include "sampler/flow/network_sampler.h"
#include "sampler/kinds.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<Choice, 2> kTargets = {{
    {"augment", "the variable beside noise that is drawn anew for every batch"},
    {"duplicate", "the variable twice, as the authors' earlier program does"},
}};
constexpr std::array<Choice, 2> kClamps = {{
    {"divided", "2 tanh(a / 2)"},
    {"plain", "2 tanh(a), as in older releases of FrEIA"},
}};
constexpr int kMostBlocks = 200;
constexpr int kMostCinnUnits = 10000;

}  // namespace

OptionSet describe(CinnOptions& options) {
  OptionSet set;
  set.integer("cinn_blocks", options.blocks, 2, kMostBlocks, "coupling blocks of the cinn sampler");
  set.integer("cinn_width", options.width, 1, kMostCinnUnits, "hidden units of each block of the cinn sampler");
  set.choice("cinn_target", options.target, kTargets, "the two coordinates that a cinn sampler couples");
  set.choice("cinn_clamp", options.clamp, kClamps, "bound on the logarithm of a block's scale");
  return set;
}

}  // namespace olem

namespace olem::internal::sampling {

namespace {

using nn::Index;
using Chain = CouplingChain<float>;

constexpr double kLog2Pi = 2.0 * 0.918938533204672742;

struct CinnParts {
  CinnTarget target = CinnTarget::kAugment;
  Chain chain;
  NetworkUnits units;
  std::vector<float> weights;
};

class CinnRun : public SamplerRun {
 public:
  CinnRun(const CinnParts& parts, std::span<const double> noise, std::size_t draws)
      : parts_(parts), batch_(parts.chain.shape(), static_cast<Index>(draws)) {
    const Eigen::Map<const Eigen::MatrixXd> given(noise.data(), static_cast<Index>(draws), 2);
    noise_ = given.cast<float>();
  }

  void sample(std::span<const Condition> conditions, double /*caution*/, std::span<double> y) override {
    shared_.clear();
    for (const Condition& condition : conditions) shared_.push_back(condition.shared);
    parts_.units.fill(conditions, 1, batch_.input);
    batch_.points = noise_;
    parts_.chain.inverse(parts_.weights.data(), batch_);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = parts_.units.target_mean +
             parts_.units.target_sd * static_cast<double>(batch_.points(static_cast<Index>(i), 0));
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    for (std::size_t i = 0; i < adjoint.size(); ++i) {
      batch_.d_points(static_cast<Index>(i), 0) = static_cast<float>(adjoint[i] * parts_.units.target_sd);
    }
    batch_.d_points.col(1).setZero();
    parts_.chain.inverse_gradient(parts_.weights.data(), batch_);
    parts_.units.add_gradient(batch_.d_conditions, shared_, gradients);
  }

 private:
  const CinnParts& parts_;
  Chain::Batch batch_;
  nn::Matrix<float> noise_;  // draws x 2
  std::vector<bool> shared_;
};

class CinnMember : public NetworkMember {
 public:
  explicit CinnMember(CinnParts parts) : parts_(std::move(parts)) {}

  std::size_t noise_entries() const override { return 2; }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<CinnRun>(parts_, noise, draws);
  }

  // The density of the pair, integrated over its second coordinate by the trapezoid rule. Its points are dense where
  // the second coordinate should be, around 0 or around the copy, and reach far: centre + spacing sinh(t).
  void log_density(std::span<const Condition> conditions, std::span<const double> y,
                   std::span<double> out) const override {
    constexpr Index kHalf = 96;
    const bool copied = parts_.target == CinnTarget::kDuplicate;
    const double spacing = copied ? 0.02 : 1.0;
    const double reach = copied ? 7.0 : 4.0;
    Chain::Batch batch(parts_.chain.shape(), 2 * kHalf + 1);
    std::vector<Condition> row(conditions.size());
    std::vector<double> terms(2 * kHalf + 1);
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (std::size_t k = 0; k < conditions.size(); ++k) {
        row[k] = {conditions[k].values + (conditions[k].shared ? 0 : i), true};
      }
      parts_.units.fill(row, 1, batch.input);
      const double value = (y[i] - parts_.units.target_mean) / parts_.units.target_sd;
      for (Index j = 0; j < batch.columns(); ++j) {
        const double t = reach * static_cast<double>(j - kHalf) / static_cast<double>(kHalf);
        batch.points(j, 0) = static_cast<float>(value);
        batch.points(j, 1) = static_cast<float>((copied ? value : 0.0) + spacing * std::sinh(t));
        terms[static_cast<std::size_t>(j)] = std::log(spacing * std::cosh(t));
      }
      parts_.chain.forward(parts_.weights.data(), batch);
      double largest = -std::numeric_limits<double>::infinity();
      for (Index j = 0; j < batch.columns(); ++j) {
        double& term = terms[static_cast<std::size_t>(j)];
        const auto first = static_cast<double>(batch.points(j, 0));
        const auto second = static_cast<double>(batch.points(j, 1));
        term += static_cast<double>(batch.log_det(j, 0)) - 0.5 * (first * first + second * second) - kLog2Pi;
        largest = std::max(largest, term);
      }
      double sum = 0.0;
      for (const double term : terms) sum += std::exp(term - largest);
      out[i] = largest + std::log(sum * reach / static_cast<double>(kHalf)) - std::log(parts_.units.target_sd);
    }
  }

  void store(const std::string& suffix, SamplerState& state) const override {
    const CouplingShape& shape = parts_.chain.shape();
    state.settings["target"] = std::string(kTargets[static_cast<std::size_t>(parts_.target)].name);
    state.settings["clamp"] = std::string(kClamps[static_cast<std::size_t>(shape.clamp)].name);
    state.settings["blocks"] = shape.swaps.size();
    state.settings["width"] = static_cast<std::size_t>(shape.width);
    state.arrays.push_back({"swaps" + suffix, {shape.swaps.begin(), shape.swaps.end()}});
    parts_.units.store(suffix, state);
    store_weights(parts_.weights, suffix, state);
  }

 private:
  CinnParts parts_;
};

// The pairs that the chain is trained on.
class Pairs {
 public:
  Pairs(const NetworkRows& rows, CinnTarget target, std::uint64_t seed) : rows_(rows), target_(target), seed_(seed) {}

  // Column j of the batch gets row at(j); `purpose` and `index` name the stream of the noise beside them.
  template <class Rows>
  void fill(const Rows& at, std::string_view purpose, std::uint64_t index, Chain::Batch& batch) const {
    RandomStream random(seed_, purpose, index);
    for (Index j = 0; j < batch.columns(); ++j) {
      const std::size_t row = at(j);
      batch.points(j, 0) = static_cast<float>(rows_.target[row]);
      batch.points(j, 1) = target_ == CinnTarget::kDuplicate ? batch.points(j, 0) : static_cast<float>(random.normal());
      for (std::size_t k = 0; k < rows_.inputs.size(); ++k) {
        batch.input(1 + static_cast<Index>(k), j) = static_cast<float>(rows_.inputs[k][row]);
      }
    }
  }

 private:
  const NetworkRows& rows_;
  CinnTarget target_;
  std::uint64_t seed_;
};

std::unique_ptr<const NetworkMember> fit_cinn(const NetworkRows& rows, const SamplerOptions& options,
                                              const Context& context) {
  CouplingShape shape;
  shape.conditions = static_cast<Index>(rows.inputs.size());
  shape.width = options.cinn.width;
  shape.clamp = options.cinn.clamp;
  shape.swaps = draw_swaps(static_cast<std::size_t>(options.cinn.blocks),
                           RandomStream(context.seed, "cinn.permutations", rows.index));
  CinnParts parts{options.cinn.target, Chain(shape), rows.units, {}};
  const auto count = static_cast<std::size_t>(parts.chain.weight_count());
  context.require_memory(5 * count * sizeof(float), fmt::format("The cinn sampler of '{}'", rows.name));
  parts.weights.resize(count);
  parts.chain.initialise(parts.weights.data(), RandomStream(context.seed, "cinn.weights", rows.index));

  const nn::TrainingOptions training = training_options(options.network, rows, "cinn");
  const Pairs pairs(rows, options.cinn.target, context.seed);
  // The last batch of an epoch may be shorter; both sizes are kept.
  std::vector<Chain::Batch> batches;
  const auto batch_of = [&](std::size_t columns) -> Chain::Batch& {
    for (Chain::Batch& batch : batches) {
      if (batch.columns() == static_cast<Index>(columns)) return batch;
    }
    return batches.emplace_back(shape, static_cast<Index>(columns));
  };
  nn::TrainingProblem<float> problem;
  problem.loss = [&](std::span<const std::size_t> chosen, std::uint64_t step, std::span<float> gradient) {
    Chain::Batch& batch = batch_of(chosen.size());
    pairs.fill([&](Index j) { return chosen[static_cast<std::size_t>(j)]; }, "cinn.augment",
               stream_index({{rows.index, 32}, {step, 32}}), batch);
    parts.chain.forward(parts.weights.data(), batch);
    return parts.chain.loss(parts.weights.data(), batch, gradient.data());
  };
  // The noise beside the validation rows is the same every time: epochs differ by their weights alone.
  problem.validation_loss = [&] {
    double sum = 0.0;
    for (std::size_t first = 0; first < rows.validation(); first += training.batch) {
      context.check_interrupt();
      const std::size_t columns = std::min(training.batch, rows.validation() - first);
      Chain::Batch& batch = batch_of(columns);
      pairs.fill([&](Index j) { return rows.training + first + static_cast<std::size_t>(j); }, "cinn.validation",
                 stream_index({{rows.index, 32}, {first, 32}}), batch);
      parts.chain.forward(parts.weights.data(), batch);
      sum += parts.chain.loss(batch) * static_cast<double>(columns);
    }
    return sum / static_cast<double>(rows.validation());
  };
  warn_unless_converged(nn::train<float>(parts.weights, problem, training, context), training, rows);
  return std::make_unique<CinnMember>(std::move(parts));
}

template <std::size_t Count>
std::size_t read_choice(const StateReader& reader, const std::string& name, const std::array<Choice, Count>& choices) {
  const std::string word = reader.word(name);
  const auto found = std::find_if(choices.begin(), choices.end(), [&](const Choice& c) { return c.name == word; });
  if (found == choices.end()) reader.fail(fmt::format("'{}' is not a {}", word, name));
  return static_cast<std::size_t>(found - choices.begin());
}

std::unique_ptr<const NetworkMember> read_cinn(const StateReader& reader, std::size_t inputs,
                                               const std::string& suffix) {
  CouplingShape shape;
  shape.conditions = static_cast<Index>(inputs);
  shape.width = static_cast<Index>(reader.count("width", kMostCinnUnits));
  shape.clamp = static_cast<CinnClamp>(read_choice(reader, "clamp", kClamps));
  const std::size_t blocks = reader.count("blocks", kMostBlocks);
  if (shape.width == 0 || blocks == 0) reader.fail("its network is empty");
  for (const double swap : reader.array("swaps" + suffix, blocks)) {
    if (swap != 0.0 && swap != 1.0)
      reader.fail(fmt::format("the array 'swaps{}' has other numbers than 0 and 1", suffix));
    shape.swaps.push_back(swap == 1.0);
  }
  CinnParts parts{static_cast<CinnTarget>(read_choice(reader, "target", kTargets)),
                  Chain(shape),
                  read_units(reader, inputs, suffix),
                  {}};
  parts.weights = read_weights(reader, static_cast<std::size_t>(parts.chain.weight_count()), suffix);
  return std::make_unique<CinnMember>(std::move(parts));
}

}  // namespace

std::shared_ptr<const ConditionalSampler> fit_cinn(const SamplerData& data, const SamplerOptions& options,
                                                   const Context& context) {
  return fit_network(
      "cinn", data, options, [&](const NetworkRows& rows) { return fit_cinn(rows, options, context); }, context);
}

std::shared_ptr<const ConditionalSampler> restore_cinn(const SamplerState& state) {
  return restore_network(state, read_cinn);
}

}  // namespace olem::internal::sampling
