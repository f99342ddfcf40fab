#include "sampler/long_fit.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "olem/random.h"
#include "sampler/gp/gp_blocks.h"
#include "sampler/input_encoding.h"
#include "sampler/location_scale_sampler.h"

namespace olem::internal::sampling {

namespace {

// The others are linear in the rows, or are asked for by name with all their cost.
constexpr std::array<std::string_view, 8> kWithSample = {"gp",      "location-scale", "auto",  "binary",
                                                         "ordinal", "category",       "count", "hurdle"};

// Random rows, and one of each level that they lack.
std::vector<std::size_t> choice_rows(const SamplerData& data, const Context& context) {
  const std::size_t n = data.target.size();
  std::vector<std::size_t> rows =
      RandomStream(context.seed, "sampler.rows", data.index).sample_without_replacement(n, kChoiceRows);
  if (!is_discrete(data.target_column.about.type)) return rows;
  std::set<double> seen;
  for (const std::size_t i : rows) seen.insert(data.target[i]);
  std::vector<bool> chosen(n, false);
  for (const std::size_t i : rows) chosen[i] = true;
  for (std::size_t i = 0; i < n && rows.size() < 2 * kChoiceRows; ++i) {
    if (!chosen[i] && seen.insert(data.target[i]).second) rows.push_back(i);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

bool is_long(const SamplerKind& kind, const SamplerData& data) {
  return data.target.size() > kChoiceRows &&
         std::find(kWithSample.begin(), kWithSample.end(), kind.name) != kWithSample.end();
}

std::shared_ptr<const ConditionalSampler> extend_sampler(const ConditionalSampler& like, const SamplerData& data,
                                                         const SamplerOptions& options, const Context& context) {
  if (const InputEncoding* const encoding = encoding_of(like)) {
    std::vector<std::vector<double>> columns;
    const SamplerData encoded = encode_data(data, *encoding, columns);
    std::shared_ptr<const ConditionalSampler> inner = extend_sampler(*encoded_sampler(like), encoded, options, context);
    return inner ? with_encoding(*encoding, std::move(inner)) : nullptr;
  }
  if (auto extended = extend_gp_sampler(like, data, options, context)) return extended;
  return extend_continuous(like, data, options, context);
}

std::shared_ptr<const ConditionalSampler> fit_long(const SamplerKind& kind, const SamplerData& data,
                                                   const SamplerOptions& options, const Context& context) {
  const std::vector<std::size_t> rows = choice_rows(data, context);
  std::vector<std::vector<double>> columns;
  const auto chosen = [&](std::span<const double> column) {
    std::vector<double>& part = columns.emplace_back(rows.size());
    std::transform(rows.begin(), rows.end(), part.begin(), [&](std::size_t i) { return column[i]; });
    return std::span<const double>(part);
  };
  columns.reserve(data.conditions.size() + 1);
  SamplerData sample = data;
  sample.target = chosen(data.target);
  for (std::span<const double>& condition : sample.conditions) condition = chosen(condition);
  std::shared_ptr<const ConditionalSampler> of_sample = kind.fit(sample, options, context);
  std::shared_ptr<const ConditionalSampler> of_all = extend_sampler(*of_sample, data, options, context);
  return of_all ? of_all : of_sample;
}

}  // namespace olem::internal::sampling
