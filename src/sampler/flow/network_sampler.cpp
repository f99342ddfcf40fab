#include "sampler/flow/network_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "olem/random.h"
#include "sampler/data_reach.h"
#include "sampler/kinds.h"

namespace olem::internal::sampling {

namespace {

using Members = std::vector<std::unique_ptr<const NetworkMember>>;

// The draws that one member makes.
struct Share {
  std::vector<std::size_t> draws;
  std::unique_ptr<SamplerRun> run;
  std::vector<std::vector<double>> values;  // of conditions that differ between draws
  std::vector<std::vector<double>> gradients;
  std::vector<double> y;
};

class NetworkRun : public SamplerRun {
 public:
  NetworkRun(const Members& members, const std::vector<std::size_t>& inputs, std::span<const double> noise,
             std::size_t draws)
      : inputs_(inputs), shares_(members.size()) {
    const std::size_t entries = members.front()->noise_entries();
    const auto count = static_cast<double>(members.size());
    for (std::size_t i = 0; i < draws; ++i) {
      std::size_t member = 0;
      if (members.size() > 1) {
        const double p = 0.5 * std::erfc(-noise[entries * draws + i] / std::numbers::sqrt2);
        member = std::min(members.size() - 1, static_cast<std::size_t>(p * count));
      }
      shares_[member].draws.push_back(i);
    }
    std::vector<double> own;
    for (std::size_t m = 0; m < members.size(); ++m) {
      Share& share = shares_[m];
      own.clear();
      for (std::size_t e = 0; e < entries; ++e) {
        for (const std::size_t i : share.draws) own.push_back(noise[e * draws + i]);
      }
      share.run = members[m]->start(own, share.draws.size());
      share.values.resize(inputs.size());
      share.gradients.resize(inputs.size());
      share.y.resize(share.draws.size());
    }
  }

  void sample(std::span<const Condition> conditions, double /*caution*/, std::span<double> y) override {
    shared_.clear();
    for (const std::size_t k : inputs_) shared_.push_back(conditions[k].shared);
    std::vector<Condition> own(inputs_.size());
    for (Share& share : shares_) {
      if (share.draws.empty()) continue;
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        own[k] = conditions[inputs_[k]];
        if (own[k].shared) continue;
        share.values[k].clear();
        for (const std::size_t i : share.draws) share.values[k].push_back(own[k].values[i]);
        own[k].values = share.values[k].data();
      }
      share.run->sample(own, 1.0, share.y);
      for (std::size_t j = 0; j < share.draws.size(); ++j) y[share.draws[j]] = share.y[j];
    }
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    std::vector<double> own_adjoint;
    std::vector<double*> own(inputs_.size());
    for (Share& share : shares_) {
      if (share.draws.empty()) continue;
      own_adjoint.clear();
      for (const std::size_t i : share.draws) own_adjoint.push_back(adjoint[i]);
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        own[k] = gradients[inputs_[k]];
        if (own[k] == nullptr || shared_[k]) continue;
        share.gradients[k].assign(share.draws.size(), 0.0);
        own[k] = share.gradients[k].data();
      }
      share.run->add_gradient(own_adjoint, own);
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        if (own[k] == nullptr || shared_[k]) continue;
        for (std::size_t j = 0; j < share.draws.size(); ++j) {
          gradients[inputs_[k]][share.draws[j]] += share.gradients[k][j];
        }
      }
    }
  }

 private:
  const std::vector<std::size_t>& inputs_;
  std::vector<Share> shares_;
  std::vector<bool> shared_;
};

class NetworkSampler : public ConditionalSampler {
 public:
  NetworkSampler(std::string kind, std::size_t conditions, std::vector<std::size_t> inputs, Members members,
                 DataReach reach)
      : kind_(std::move(kind)),
        conditions_(conditions),
        inputs_(std::move(inputs)),
        members_(std::move(members)),
        reach_(std::move(reach)) {}

  void set_noise_sd(double noise_sd) { noise_sd_ = noise_sd; }

  std::size_t conditions() const override { return conditions_; }
  std::size_t noise_entries() const override { return members_.front()->noise_entries() + (members_.size() > 1); }

  SamplerFacts facts() const override {
    SamplerFacts facts;
    facts.inputs.resize(conditions_);
    for (const std::size_t k : inputs_) facts.inputs[k].used = true;
    const auto slopes = this->slopes(1.0);
    for (std::size_t k = 0; slopes && k < conditions_; ++k) facts.inputs[k].slope = (*slopes)[k];
    facts.noise_sd = noise_sd_;
    if (inputs_.empty()) {
      facts.form = conditions_ == 0 ? "marginal" : "depends on none of its inputs";
    } else if (slopes) {
      facts.form = fmt::format("linear in {} of {} inputs", inputs_.size(), conditions_);
    } else if (members_.size() == 1) {
      facts.form = fmt::format("{} network of {} inputs", kind_, inputs_.size());
    } else {
      facts.form = fmt::format("{} {} networks of {} inputs", members_.size(), kind_, inputs_.size());
    }
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<NetworkRun>(members_, inputs_, noise, draws);
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double /*caution*/,
                   std::span<double> out) const override {
    std::vector<Condition> own;
    for (const std::size_t k : inputs_) own.push_back(conditions[k]);
    members_.front()->log_density(own, y, out);
    if (members_.size() == 1) return;
    std::vector<double> other(y.size());
    for (std::size_t m = 1; m < members_.size(); ++m) {
      members_[m]->log_density(own, y, other);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double high = std::max(out[i], other[i]);
        const double low = std::min(out[i], other[i]);
        if (std::isfinite(high)) out[i] = high + std::log1p(std::exp(low - high));
      }
    }
    for (double& value : out) value -= std::log(static_cast<double>(members_.size()));
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    std::vector<Condition> own;
    for (const std::size_t k : inputs_) own.push_back(conditions[k]);
    reach_.measure(own, out);
  }
  double extrapolation_limit() const override { return kReachLimit; }

  std::optional<std::vector<double>> slopes(double /*caution*/) const override {
    if (members_.size() > 1) return std::nullopt;
    const auto own = members_.front()->slopes();
    if (!own) return std::nullopt;
    std::vector<double> all(conditions_, 0.0);
    for (std::size_t k = 0; k < inputs_.size(); ++k) all[inputs_[k]] = (*own)[k];
    return all;
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = kind_;
    state.settings["conditions"] = conditions_;
    state.settings["members"] = members_.size();
    state.arrays.push_back({"inputs", {inputs_.begin(), inputs_.end()}});
    state.arrays.push_back({"noise_sd", {noise_sd_}});
    store_reach(reach_, state);
    for (std::size_t m = 0; m < members_.size(); ++m) members_[m]->store(fmt::format("_{}", m), state);
    return state;
  }

 private:
  std::string kind_;
  std::size_t conditions_;
  std::vector<std::size_t> inputs_;  // the conditions that the networks are given
  Members members_;
  DataReach reach_;
  double noise_sd_ = 0.0;
};

// Root mean square distance of the target from the sampler's mean, over up to 500 rows. The mean is one of few draws;
// what its own variance adds is subtracted.
double unexplained_sd(const ConditionalSampler& sampler, const SamplerData& data, const Context& context) {
  constexpr std::size_t kMostRows = 500;
  constexpr std::size_t kDraws = 32;
  const std::size_t n = data.target.size();
  const std::size_t rows = std::min(n, kMostRows);
  RandomStream random(context.seed, "sampler.unexplained", data.index);
  const std::vector<std::size_t> chosen = random.sample_without_replacement(n, rows);
  std::vector<std::vector<double>> columns;
  std::vector<Condition> conditions;
  for (const std::span<const double> column : data.conditions) {
    std::vector<double>& picked = columns.emplace_back();
    for (const std::size_t i : chosen) picked.push_back(column[i]);
  }
  for (const std::vector<double>& column : columns) conditions.push_back({column.data(), false});
  std::vector<double> sum(rows, 0.0);
  std::vector<double> squares(rows, 0.0);
  std::vector<double> noise(rows * sampler.noise_entries());
  std::vector<double> y(rows);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    context.check_interrupt();
    for (double& value : noise) value = random.normal();
    sampler.start(noise, rows)->sample(conditions, 1.0, y);
    for (std::size_t r = 0; r < rows; ++r) {
      sum[r] += y[r];
      squares[r] += y[r] * y[r];
    }
  }
  constexpr double kCount = kDraws;
  double total = 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    const double mean = sum[r] / kCount;
    const double variance = (squares[r] - kCount * mean * mean) / (kCount - 1.0);
    total += std::pow(data.target[chosen[r]] - mean, 2) - variance / kCount;
  }
  const double variance = total / static_cast<double>(rows);
  return std::isfinite(variance) ? std::sqrt(std::max(variance, 0.0)) : 1.0;
}

}  // namespace

std::shared_ptr<const ConditionalSampler> fit_network(const std::string& kind, const SamplerData& data,
                                                      const SamplerOptions& options, const MemberFit& fit_member,
                                                      const Context& context) {
  std::vector<std::size_t> used;
  Inputs inputs;
  for (std::size_t k = 0; k < data.conditions.size(); ++k) {
    const auto [low, high] = std::minmax_element(data.conditions[k].begin(), data.conditions[k].end());
    if (*low == *high) continue;
    used.push_back(k);
    inputs.push_back(data.conditions[k]);
  }
  Members members;
  for (int m = 0; m < options.network.ensemble; ++m) {
    members.push_back(fit_member(split_rows(data, inputs, static_cast<std::size_t>(m), context)));
  }
  auto sampler = std::make_shared<NetworkSampler>(kind, data.conditions.size(), std::move(used), std::move(members),
                                                  find_reach(inputs, data.target.size(), data.index, context));
  sampler->set_noise_sd(unexplained_sd(*sampler, data, context));
  return sampler;
}

std::shared_ptr<const ConditionalSampler> restore_network(const SamplerState& state, const MemberReader& read_member) {
  const StateReader reader(state);
  const std::size_t conditions = reader.count("conditions", kMostConditions);
  std::vector<std::size_t> inputs = reader.indices("inputs", StateReader::kAny, conditions);
  const std::size_t count = reader.count("members", kMostMembers);
  if (count == 0) reader.fail("it has no members");
  Members members;
  for (std::size_t m = 0; m < count; ++m) {
    members.push_back(read_member(reader, inputs.size(), fmt::format("_{}", m)));
  }
  DataReach reach = read_reach(reader, inputs.size());
  auto sampler =
      std::make_shared<NetworkSampler>(state.kind, conditions, std::move(inputs), std::move(members), std::move(reach));
  sampler->set_noise_sd(reader.not_negative("noise_sd", 1).front());
  return sampler;
}

}  // namespace olem::internal::sampling
