#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "olem/sampler.h"
#include "sampler/state_reader.h"

namespace olem::internal::sampling {

// One number that a model is given of one condition, standardised.
struct EncodedInput {
  enum class Form {
    kValue,  // the condition itself
    kLog,    // the logarithm of its value in the user's units
    kLevel,  // 1 at one level and 0 at the others
  };
  std::size_t condition = 0;
  Form form = Form::kValue;
  // kLog: the value is offset + scale c, and values below `low` count as `low`.
  // kLevel: 1 at `offset`, falling straight to 0 at the levels beside it, `low` and `high` (equal to `offset` at an
  // end, beyond which it stays 1): so that relaxed draws between two levels are a mixture of both.
  double offset = 0.0;
  double scale = 1.0;
  double low = 0.0;
  double high = 0.0;
  double mean = 0.0;  // of the number over the rows
  double sd = 1.0;

  double encode(double c) const;
  double slope(double c) const;  // derivative of encode
};

// The only place that knows how columns of all types enter a model: real, positive, share, count, ordinal and binary
// ones as they are, categories as an indicator for each level but the most frequent one. Logarithms of positive columns
// and indicators beside the score of an ordinal one are added on request.
class InputEncoding {
 public:
  InputEncoding(std::size_t conditions, std::vector<EncodedInput> inputs)
      : conditions_(conditions), inputs_(std::move(inputs)) {}

  std::size_t conditions() const { return conditions_; }
  const std::vector<EncodedInput>& inputs() const { return inputs_; }
  bool is_identity() const;

 private:
  std::size_t conditions_;
  std::vector<EncodedInput> inputs_;
};

struct EncodingChoice {
  bool logs = false;    // positive conditions as logarithms
  bool levels = false;  // ordinal conditions as indicators too
};

InputEncoding make_encoding(const SamplerData& data, const EncodingChoice& choice);
// Conditions that the choice would change.
std::size_t count_logs(const SamplerData& data);
std::size_t count_ordinals(const SamplerData& data);

// The rows of the data as the model sees them. `columns` hold what is not there already and must outlive the result.
SamplerData encode_data(const SamplerData& data, const InputEncoding& encoding,
                        std::vector<std::vector<double>>& columns);

// A sampler of encoded inputs as one of the conditions; the sampler itself when nothing is encoded.
std::shared_ptr<const ConditionalSampler> with_encoding(InputEncoding encoding,
                                                        std::shared_ptr<const ConditionalSampler> inner);
// Of such a sampler; null for others.
const InputEncoding* encoding_of(const ConditionalSampler& sampler);
const ConditionalSampler* encoded_sampler(const ConditionalSampler& sampler);
std::shared_ptr<const ConditionalSampler> restore_encoded(const SamplerState& state);

// A state inside of another: its settings under `name`, the names of its arrays with `name` and a point before them.
void store_nested(const SamplerState& inner, const std::string& name, SamplerState& state);
SamplerState read_nested(const SamplerState& state, const std::string& name);

}  // namespace olem::internal::sampling
