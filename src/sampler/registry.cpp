#include <fmt/format.h>

#include <algorithm>

#include "core/find_kind.h"
#include "olem/error.h"
#include "sampler/acted_sampler.h"
#include "sampler/input_encoding.h"
#include "sampler/kinds.h"
#include "sampler/levels_sampler.h"
#include "sampler/location_scale_sampler.h"

namespace olem {

using namespace internal;

namespace {

// Of the kinds that are networks.
SamplerInvariances network_invariances() {
  return {.units = false,
          .row_permutation = false,
          .condition_permutation = false,
          .why_not =
              "the random weights belong to places of the conditions, the split of the rows to their places, and "
              "training magnifies the rounding of the standardised columns"};
}

SamplerKind gp_kind() {
  SamplerKind kind;
  kind.name = "gp";
  kind.help = "Gaussian process, linear and nonlinear, whose predictive variance grows away from the data";
  kind.describe = [](SamplerOptions& options) { return describe(options.gp); };
  kind.least_rows = [](std::size_t conditions) { return conditions + 3; };
  kind.fit = sampling::fit_gp;
  kind.restore = sampling::restore_gp;
  kind.refit = sampling::refit_gp;
  return kind;
}

SamplerKind linear_kind() {
  SamplerKind kind;
  kind.name = "linear";
  kind.help = "a straight line and the distribution of what is left";
  kind.describe = [](SamplerOptions& options) { return describe(options.linear); };
  kind.least_rows = [](std::size_t conditions) { return conditions + 3; };
  kind.fit = sampling::fit_linear;
  kind.restore = sampling::restore_linear;
  return kind;
}

SamplerKind gaussian_kind() {
  SamplerKind kind;
  kind.name = "gaussian";
  kind.help = "a straight line with normal noise, by least squares or Bayesian ridge regression";
  kind.describe = [](SamplerOptions& options) { return describe(options.gaussian); };
  kind.least_rows = [](std::size_t conditions) { return conditions + 3; };
  kind.fit = sampling::fit_gaussian;
  kind.restore = sampling::restore_gaussian;
  return kind;
}

SamplerKind spline_kind() {
  SamplerKind kind;
  kind.name = "spline";
  kind.help = "a straight line, and a monotone spline of the noise that a network bends";
  kind.describe = [](SamplerOptions& options) {
    OptionSet set = describe(options.spline);
    set.append(describe(options.network));
    return set;
  };
  kind.least_rows = [](std::size_t conditions) { return std::max(sampling::kLeastNetworkRows, 2 * conditions + 6); };
  kind.fit = sampling::fit_spline;
  kind.restore = sampling::restore_spline;
  kind.invariances = network_invariances();
  return kind;
}

SamplerKind cinn_kind() {
  SamplerKind kind;
  kind.name = "cinn";
  kind.help = "conditional invertible network of coupling blocks, as published";
  kind.describe = [](SamplerOptions& options) {
    OptionSet set = describe(options.cinn);
    set.append(describe(options.network));
    return set;
  };
  kind.least_rows = [](std::size_t) { return sampling::kLeastNetworkRows; };
  kind.fit = sampling::fit_cinn;
  kind.restore = sampling::restore_cinn;
  kind.invariances = network_invariances();
  return kind;
}

std::size_t three_more_rows(std::size_t conditions) { return conditions + 3; }

OptionSet describe_gp_part(SamplerOptions& options) { return describe(options.gp); }

SamplerKind auto_kind() {
  SamplerKind kind;
  kind.name = "auto";
  kind.help = "by the type of the column: location-scale, binary, ordinal, category, count or hurdle";
  kind.describe = describe_gp_part;
  kind.least_rows = three_more_rows;
  kind.fit = sampling::fit_auto;
  kind.refit = sampling::refit_auto;
  kind.encodes = true;
  return kind;
}

SamplerKind location_scale_kind() {
  SamplerKind kind;
  kind.name = "location-scale";
  kind.help = "gp whose noise may depend on the conditions, of the logarithm or logit where that forecasts better";
  kind.describe = describe_gp_part;
  kind.least_rows = three_more_rows;
  kind.fit = sampling::fit_location_scale_kind;
  kind.restore = sampling::restore_location_scale;
  return kind;
}

SamplerKind binary_kind() {
  SamplerKind kind;
  kind.name = "binary";
  kind.help = "two values: log-odds by a Gaussian process";
  kind.describe = describe_gp_part;
  kind.least_rows = three_more_rows;
  kind.fit = sampling::fit_binary_kind;
  kind.restore = sampling::restore_levels;
  kind.suits = [](ColumnType type) { return type == ColumnType::kBinary; };
  return kind;
}

SamplerKind ordinal_kind() {
  SamplerKind kind;
  kind.name = "ordinal";
  kind.help = "ordered levels: cumulative log-odds by a Gaussian process and thresholds";
  kind.describe = describe_gp_part;
  kind.least_rows = three_more_rows;
  kind.fit = sampling::fit_ordinal_kind;
  kind.restore = sampling::restore_levels;
  kind.suits = [](ColumnType type) { return type == ColumnType::kOrdinal || type == ColumnType::kBinary; };
  return kind;
}

SamplerKind category_kind() {
  SamplerKind kind;
  kind.name = "category";
  kind.help = "levels without an order: one Gaussian process each, softmax";
  kind.describe = describe_gp_part;
  kind.least_rows = three_more_rows;
  kind.fit = sampling::fit_category_kind;
  kind.restore = sampling::restore_category;
  kind.suits = [](ColumnType type) { return has_levels(type); };
  return kind;
}

SamplerKind count_kind() {
  SamplerKind kind;
  kind.name = "count";
  kind.help = "counts: as ordered levels up to 30 values, beyond by their logarithm, rounded";
  kind.describe = describe_gp_part;
  kind.least_rows = three_more_rows;
  kind.fit = sampling::fit_count_kind;
  kind.restore = sampling::restore_count_kind;
  kind.suits = [](ColumnType type) { return type == ColumnType::kCount || type == ColumnType::kOrdinal; };
  kind.invariances.units = false;
  kind.invariances.why_not = "counts have no other unit";
  return kind;
}

SamplerKind hurdle_kind() {
  SamplerKind kind;
  kind.name = "hurdle";
  kind.help = "positive numbers and shares with exact 0 or 1: their probability, and the rest as location-scale";
  kind.describe = describe_gp_part;
  kind.least_rows = three_more_rows;
  kind.fit = sampling::fit_hurdle_kind;
  kind.restore = sampling::restore_hurdle;
  kind.suits = [](ColumnType type) { return type == ColumnType::kPositive || type == ColumnType::kShare; };
  kind.invariances.units = false;
  kind.invariances.why_not = "0 and 1 are values of their own, and logarithms are taken";
  return kind;
}

}  // namespace

const std::vector<SamplerKind>& sampler_kinds() {
  static const std::vector<SamplerKind> kKinds = {
      auto_kind(),           gp_kind(),     linear_kind(),  gaussian_kind(), spline_kind(), cinn_kind(),
      location_scale_kind(), binary_kind(), ordinal_kind(), category_kind(), count_kind(),  hurdle_kind()};
  return kKinds;
}

const SamplerKind& sampler_kind(const std::string& name) { return find_kind(sampler_kinds(), name, "a sampler"); }

std::shared_ptr<const ConditionalSampler> restore_sampler(const SamplerState& state) {
  if (state.kind == "constant") return sampling::restore_constant(state);
  if (state.kind == "encoded") return sampling::restore_encoded(state);
  if (state.kind == "mixture") return sampling::restore_mixture(state);
  if (state.kind == "acted") return sampling::restore_acted(state);
  const auto& kinds = sampler_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == state.kind; });
  if (found == kinds.end() || found->restore == nullptr) {
    throw Error(ErrorCategory::kData,
                fmt::format("A stored sampler is of the kind '{}', which this version of olem does "
                            "not know. Read it with the version that wrote it, or newer.",
                            state.kind));
  }
  return found->restore(state);
}

}  // namespace olem
