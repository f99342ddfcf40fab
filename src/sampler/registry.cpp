#include <fmt/format.h>

#include <algorithm>

#include "core/find_kind.h"
#include "olem/error.h"
#include "sampler/kinds.h"

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
  kind.help = "Gaussian process, linear and nonlinear, whose doubt grows away from the data";
  kind.describe = [](SamplerOptions& options) { return describe(options.gp); };
  kind.least_rows = [](std::size_t conditions) { return conditions + 3; };
  kind.fit = sampling::fit_gp;
  kind.restore = sampling::restore_gp;
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

}  // namespace

const std::vector<SamplerKind>& sampler_kinds() {
  static const std::vector<SamplerKind> kKinds = {gp_kind(), linear_kind(), gaussian_kind(), spline_kind(),
                                                  cinn_kind()};
  return kKinds;
}

const SamplerKind& sampler_kind(const std::string& name) { return find_kind(sampler_kinds(), name, "a sampler"); }

std::shared_ptr<const ConditionalSampler> restore_sampler(const SamplerState& state) {
  if (state.kind == "constant") return sampling::restore_constant(state);
  const auto& kinds = sampler_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == state.kind; });
  if (found == kinds.end()) {
    throw Error(ErrorCategory::kData,
                fmt::format("A stored sampler is of the kind '{}', which this version of olem does "
                            "not know. Read it with the version that wrote it, or newer.",
                            state.kind));
  }
  return found->restore(state);
}

}  // namespace olem
