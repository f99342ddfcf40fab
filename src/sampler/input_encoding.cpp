#include "sampler/input_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sampler/kinds.h"

namespace olem::internal::sampling {

namespace {

constexpr std::size_t kNumbersPerInput = 8;   // in a stored encoding
constexpr std::size_t kMostEncoded = 100000;  // that a stored encoding may claim
constexpr double kLeastShare = 0.5;           // of the smallest value: below it a logarithm goes no further

ColumnType type_of(const SamplerData& data, std::size_t k) {
  return data.condition_columns.empty() ? ColumnType::kReal : data.condition_columns[k].about.type;
}

// Distinct values of a condition and how often they occur, ascending.
std::map<double, std::size_t> distinct_values(std::span<const double> column) {
  std::map<double, std::size_t> counts;
  for (const double value : column) ++counts[value];
  return counts;
}

bool can_be_log(const SamplerData& data, std::size_t k) {
  if (type_of(data, k) != ColumnType::kPositive) return false;
  const SamplerColumn& column = data.condition_columns[k];
  const double least = *std::min_element(data.conditions[k].begin(), data.conditions[k].end());
  return column.restore(least) > 0.0;
}

// Sets mean and sd so that the number is standardised over the rows.
void standardise(EncodedInput& input, std::span<const double> column) {
  double sum = 0.0;
  double squares = 0.0;
  for (const double c : column) sum += input.encode(c);
  const double mean = sum / static_cast<double>(column.size());
  for (const double c : column) squares += (input.encode(c) - mean) * (input.encode(c) - mean);
  const double sd = std::sqrt(squares / static_cast<double>(column.size()));
  input.mean = mean;
  if (sd > 0.0) input.sd = sd;
}

void add_levels(const SamplerData& data, std::size_t k, std::vector<EncodedInput>& inputs) {
  const std::map<double, std::size_t> counts = distinct_values(data.conditions[k]);
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (auto level = counts.begin(); level != counts.end(); ++level) {
    if (level == most) continue;
    EncodedInput input;
    input.condition = k;
    input.form = EncodedInput::Form::kLevel;
    input.offset = level->first;
    input.low = level == counts.begin() ? level->first : std::prev(level)->first;
    input.high = std::next(level) == counts.end() ? level->first : std::next(level)->first;
    standardise(input, data.conditions[k]);
    inputs.push_back(input);
  }
}

// Conditions of a block as the model sees them.
class EncodedBlock {
 public:
  explicit EncodedBlock(const InputEncoding& encoding) : encoding_(encoding), values_(encoding.inputs().size()) {}

  std::span<const Condition> encode(std::span<const Condition> conditions, std::size_t draws) {
    encoded_.clear();
    for (std::size_t j = 0; j < values_.size(); ++j) {
      const EncodedInput& input = encoding_.inputs()[j];
      const Condition& condition = conditions[input.condition];
      if (input.form == EncodedInput::Form::kValue) {
        encoded_.push_back(condition);
        continue;
      }
      values_[j].resize(condition.shared ? 1 : draws);
      for (std::size_t i = 0; i < values_[j].size(); ++i) values_[j][i] = input.encode(condition.values[i]);
      encoded_.push_back({values_[j].data(), condition.shared});
    }
    return encoded_;
  }

 private:
  const InputEncoding& encoding_;
  std::vector<std::vector<double>> values_;
  std::vector<Condition> encoded_;
};

class EncodedRun : public SamplerRun {
 public:
  EncodedRun(const InputEncoding& encoding, std::unique_ptr<SamplerRun> inner)
      : encoding_(encoding), inner_(std::move(inner)), block_(encoding), adjoints_(encoding.inputs().size()) {}

  void sample(std::span<const Condition> conditions, double caution, std::span<double> y) override {
    conditions_.assign(conditions.begin(), conditions.end());
    draws_ = y.size();
    inner_->sample(block_.encode(conditions, draws_), caution, y);
  }

  void add_gradient(std::span<const double> adjoint, std::span<double* const> gradients) override {
    targets_.clear();
    for (std::size_t j = 0; j < adjoints_.size(); ++j) {
      const EncodedInput& input = encoding_.inputs()[j];
      double* target = gradients[input.condition];
      if (target != nullptr && input.form != EncodedInput::Form::kValue) {
        adjoints_[j].assign(conditions_[input.condition].shared ? 1 : draws_, 0.0);
        target = adjoints_[j].data();
      }
      targets_.push_back(target);
    }
    inner_->add_gradient(adjoint, targets_);
    for (std::size_t j = 0; j < adjoints_.size(); ++j) {
      const EncodedInput& input = encoding_.inputs()[j];
      double* target = gradients[input.condition];
      if (target == nullptr || input.form == EncodedInput::Form::kValue) continue;
      const double* values = conditions_[input.condition].values;
      for (std::size_t i = 0; i < adjoints_[j].size(); ++i) target[i] += adjoints_[j][i] * input.slope(values[i]);
    }
  }

  void forgo_gradient() override { inner_->forgo_gradient(); }
  void relax(double temperature) override { inner_->relax(temperature); }
  void hold_function(std::span<const double> normals) override { inner_->hold_function(normals); }
  bool move_noise(std::span<const double> offsets, std::span<double> y) override {
    return inner_->move_noise(offsets, y);
  }

 private:
  const InputEncoding& encoding_;
  std::unique_ptr<SamplerRun> inner_;
  EncodedBlock block_;
  std::vector<Condition> conditions_;
  std::size_t draws_ = 0;
  std::vector<std::vector<double>> adjoints_;
  std::vector<double*> targets_;
};

class EncodedSampler : public ConditionalSampler {
 public:
  EncodedSampler(InputEncoding encoding, std::shared_ptr<const ConditionalSampler> inner)
      : encoding_(std::move(encoding)), inner_(std::move(inner)) {}

  const InputEncoding& encoding() const { return encoding_; }
  const ConditionalSampler& inner() const { return *inner_; }

  std::size_t conditions() const override { return encoding_.conditions(); }
  std::size_t noise_entries() const override { return inner_->noise_entries(); }
  std::size_t function_entries() const override { return inner_->function_entries(); }

  // An input is what the strongest of its numbers is.
  SamplerFacts facts() const override {
    SamplerFacts inner = inner_->facts();
    SamplerFacts facts = inner;
    facts.inputs.assign(conditions(), {});
    std::size_t logs = 0;
    for (std::size_t j = 0; j < inner.inputs.size(); ++j) {
      SamplerInput& input = facts.inputs[encoding_.inputs()[j].condition];
      if (std::abs(inner.inputs[j].slope) > std::abs(input.slope)) input.slope = inner.inputs[j].slope;
      input.relevance = std::max(input.relevance, inner.inputs[j].relevance);
      input.used = input.used || inner.inputs[j].used;
      if (inner.inputs[j].used && encoding_.inputs()[j].form == EncodedInput::Form::kLog) ++logs;
    }
    if (logs > 0) facts.form += fmt::format(", {} as logarithm{}", logs, logs > 1 ? "s" : "");
    return facts;
  }

  std::unique_ptr<SamplerRun> start(std::span<const double> noise, std::size_t draws) const override {
    return std::make_unique<EncodedRun>(encoding_, inner_->start(noise, draws));
  }

  void log_density(std::span<const Condition> conditions, std::span<const double> y, double caution,
                   std::span<double> out) const override {
    EncodedBlock block(encoding_);
    inner_->log_density(block.encode(conditions, y.size()), y, caution, out);
  }

  bool noise_behind(std::span<const Condition> conditions, double y, std::span<double> out) const override {
    EncodedBlock block(encoding_);
    return inner_->noise_behind(block.encode(conditions, out.size()), y, out);
  }

  void extrapolation(std::span<const Condition> conditions, std::span<double> out) const override {
    EncodedBlock block(encoding_);
    inner_->extrapolation(block.encode(conditions, out.size()), out);
  }
  double extrapolation_limit() const override { return inner_->extrapolation_limit(); }

  std::optional<std::vector<double>> slopes(double caution) const override {
    const std::optional<std::vector<double>> inner = inner_->slopes(caution);
    if (!inner) return std::nullopt;
    std::vector<double> all(conditions(), 0.0);
    for (std::size_t j = 0; j < inner->size(); ++j) {
      const EncodedInput& input = encoding_.inputs()[j];
      if ((*inner)[j] != 0.0 && input.form != EncodedInput::Form::kValue) return std::nullopt;
      all[input.condition] += (*inner)[j];
    }
    return all;
  }

  bool is_discrete() const override { return inner_->is_discrete(); }

  bool distribution(std::span<const Condition> conditions, std::span<const double> y, double caution,
                    std::span<double> below, std::span<double> up_to) const override {
    EncodedBlock block(encoding_);
    return inner_->distribution(block.encode(conditions, y.size()), y, caution, below, up_to);
  }

  SamplerState state() const override {
    SamplerState state;
    state.kind = "encoded";
    state.settings["conditions"] = conditions();
    state.settings["inputs"] = encoding_.inputs().size();
    std::vector<double> numbers;
    for (const EncodedInput& input : encoding_.inputs()) {
      numbers.insert(numbers.end(), {static_cast<double>(input.condition), static_cast<double>(input.form),
                                     input.offset, input.scale, input.low, input.high, input.mean, input.sd});
    }
    state.arrays.push_back({"encoding", std::move(numbers)});
    store_nested(inner_->state(), "inner", state);
    return state;
  }

 private:
  InputEncoding encoding_;
  std::shared_ptr<const ConditionalSampler> inner_;
};

}  // namespace

double EncodedInput::encode(double c) const {
  double number = c;
  if (form == Form::kLog) {
    number = std::log(std::max(offset + scale * c, low));
  } else if (form == Form::kLevel) {
    const double end = c < offset ? low : high;
    number = end == offset ? 1.0 : std::clamp((c - end) / (offset - end), 0.0, 1.0);
  }
  return (number - mean) / sd;
}

double EncodedInput::slope(double c) const {
  if (form == Form::kValue) return 1.0 / sd;
  if (form == Form::kLog) {
    const double value = offset + scale * c;
    return value > low ? scale / (value * sd) : 0.0;
  }
  const double end = c < offset ? low : high;
  if (end == offset || (c - end) * (offset - end) <= 0.0) return 0.0;
  return 1.0 / ((offset - end) * sd);
}

bool InputEncoding::is_identity() const {
  if (inputs_.size() != conditions_) return false;
  for (std::size_t k = 0; k < conditions_; ++k) {
    if (inputs_[k].condition != k || inputs_[k].form != EncodedInput::Form::kValue) return false;
  }
  return true;
}

InputEncoding make_encoding(const SamplerData& data, const EncodingChoice& choice) {
  std::vector<EncodedInput> inputs;
  for (std::size_t k = 0; k < data.conditions.size(); ++k) {
    const ColumnType type = type_of(data, k);
    if (type == ColumnType::kCategory) {
      add_levels(data, k, inputs);
      continue;
    }
    EncodedInput input;
    input.condition = k;
    if (choice.logs && can_be_log(data, k)) {
      const SamplerColumn& column = data.condition_columns[k];
      input.form = EncodedInput::Form::kLog;
      input.offset = column.mean;
      input.scale = column.sd;
      const double least = *std::min_element(data.conditions[k].begin(), data.conditions[k].end());
      input.low = kLeastShare * column.restore(least);
      standardise(input, data.conditions[k]);
    }
    inputs.push_back(input);
    if (choice.levels && type == ColumnType::kOrdinal) add_levels(data, k, inputs);
  }
  return {data.conditions.size(), std::move(inputs)};
}

std::size_t count_logs(const SamplerData& data) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < data.conditions.size(); ++k) count += can_be_log(data, k) ? 1 : 0;
  return count;
}

std::size_t count_ordinals(const SamplerData& data) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < data.conditions.size(); ++k) count += type_of(data, k) == ColumnType::kOrdinal ? 1 : 0;
  return count;
}

SamplerData encode_data(const SamplerData& data, const InputEncoding& encoding,
                        std::vector<std::vector<double>>& columns) {
  SamplerData encoded = data;
  encoded.conditions.clear();
  encoded.condition_columns.clear();
  columns.assign(encoding.inputs().size(), {});
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const EncodedInput& input = encoding.inputs()[j];
    const std::span<const double> column = data.conditions[input.condition];
    if (input.form == EncodedInput::Form::kValue) {
      encoded.conditions.push_back(column);
      continue;
    }
    for (const double c : column) columns[j].push_back(input.encode(c));
    encoded.conditions.emplace_back(columns[j]);
  }
  return encoded;
}

std::shared_ptr<const ConditionalSampler> with_encoding(InputEncoding encoding,
                                                        std::shared_ptr<const ConditionalSampler> inner) {
  if (encoding.is_identity()) return inner;
  return std::make_shared<EncodedSampler>(std::move(encoding), std::move(inner));
}

const InputEncoding* encoding_of(const ConditionalSampler& sampler) {
  const auto* const encoded = dynamic_cast<const EncodedSampler*>(&sampler);
  return encoded == nullptr ? nullptr : &encoded->encoding();
}

const ConditionalSampler* encoded_sampler(const ConditionalSampler& sampler) {
  const auto* const encoded = dynamic_cast<const EncodedSampler*>(&sampler);
  return encoded == nullptr ? nullptr : &encoded->inner();
}

std::shared_ptr<const ConditionalSampler> restore_encoded(const SamplerState& state) {
  const StateReader reader(state);
  const std::size_t conditions = reader.count("conditions", kMostConditions);
  const std::size_t count = reader.count("inputs", kMostEncoded);
  const std::vector<double> numbers = reader.array("encoding", count * kNumbersPerInput);
  std::vector<EncodedInput> inputs;
  for (std::size_t j = 0; j < count; ++j) {
    const double* at = numbers.data() + j * kNumbersPerInput;
    const bool known = at[0] >= 0.0 && at[0] < static_cast<double>(conditions) && at[0] == std::floor(at[0]) &&
                       (at[1] == 0.0 || at[1] == 1.0 || at[1] == 2.0);
    if (!known) reader.fail("its encoding names inputs that it does not have");
    EncodedInput input{static_cast<std::size_t>(at[0]),
                       static_cast<EncodedInput::Form>(static_cast<int>(at[1])),
                       at[2],
                       at[3],
                       at[4],
                       at[5],
                       at[6],
                       at[7]};
    if (!(input.sd > 0.0) || (input.form == EncodedInput::Form::kLog && !(input.low > 0.0))) {
      reader.fail("its encoding is not in range");
    }
    inputs.push_back(input);
  }
  const SamplerState inner = read_nested(state, "inner");
  if (inner.kind == state.kind) reader.fail("its encoding stands inside of another");
  std::shared_ptr<const ConditionalSampler> sampler = restore_sampler(inner);
  if (sampler->conditions() != count) reader.fail("its encoding does not fit the model");
  return std::make_shared<EncodedSampler>(InputEncoding(conditions, std::move(inputs)), std::move(sampler));
}

void store_nested(const SamplerState& inner, const std::string& name, SamplerState& state) {
  state.settings[name] = {{"kind", inner.kind}, {"settings", inner.settings}};
  for (const SamplerState::Array& array : inner.arrays) state.arrays.push_back({name + "." + array.name, array.values});
}

SamplerState read_nested(const SamplerState& state, const std::string& name) {
  const auto found = state.settings.find(name);
  const bool sound = found != state.settings.end() && found->is_object() && found->contains("kind") &&
                     (*found)["kind"].is_string() && found->contains("settings") && (*found)["settings"].is_object();
  if (!sound) StateReader(state).fail(fmt::format("the part '{}' is missing", name));
  SamplerState inner;
  inner.kind = (*found)["kind"].get<std::string>();
  inner.settings = (*found)["settings"];
  const std::string prefix = name + ".";
  for (const SamplerState::Array& array : state.arrays) {
    if (array.name.starts_with(prefix)) inner.arrays.push_back({array.name.substr(prefix.size()), array.values});
  }
  return inner;
}

}  // namespace olem::internal::sampling
