#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "olem/context.h"
#include "olem/mixed_model.h"
#include "olem/options.h"

namespace olem {

// How often each type of column is drawn; only the ratios matter.
struct TypeShares {
  double real = 0.45;
  double positive = 0.15;
  double share = 0.1;
  double binary = 0.12;
  double category = 0.1;  // with 3 or 4 levels
  double count = 0.08;
  bool operator==(const TypeShares&) const = default;
};

// "real=0.5,category=0.5"; types that are not named have the share 0. A usage error about the option "types" for
// anything else, for negative shares and when no numeric type (real, positive, share, count) has a share.
TypeShares parse_type_shares(std::string_view text);
std::string to_text(const TypeShares& shares);

// A random decision task whose columns are of all types (docs/simulate.md).
struct MixedSimulationOptions {
  int variables = 12;
  int rows = 1000;
  TypeShares types;
  double missing = 0.0;  // share of the cells of the table that are missing, completely at random
  int rounds = 20;       // contexts to decide for
};

// All but the types.
OptionSet describe(MixedSimulationOptions& options);

// A random order, graph and equations; a pure function of the number of variables, the types, the context's seed and
// `index`. A quarter of the columns, the first of the order, are context and called X1, X2, ...; the last one or two
// are outcomes, Y1, Y2; the others are called Z1, Z2, ...
MixedModel random_mixed_model(const MixedSimulationOptions& options, std::uint64_t index, const Context& context);

}  // namespace olem
