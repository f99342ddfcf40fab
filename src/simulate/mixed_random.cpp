#include "simulate/mixed_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "olem/error.h"
#include "olem/random.h"
#include "simulate/mixed_draws.h"
#include "simulate/options.h"
#include "simulate/random_graph.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kPilotRows = 4000;  // for the means and deviations of the parents
constexpr double kRarestLevel = 0.03;     // a level that is seen less often teaches nothing
constexpr int kMostEquations = 20;        // drawn for a node until its levels are all seen
constexpr double kMeanParents = 1.8;
constexpr std::size_t kMostParents = 3;

struct ShareMember {
  ColumnType type;
  double TypeShares::*member;
};

constexpr std::array<ShareMember, 6> kShareMembers = {{{ColumnType::kReal, &TypeShares::real},
                                                       {ColumnType::kPositive, &TypeShares::positive},
                                                       {ColumnType::kShare, &TypeShares::share},
                                                       {ColumnType::kBinary, &TypeShares::binary},
                                                       {ColumnType::kCategory, &TypeShares::category},
                                                       {ColumnType::kCount, &TypeShares::count}}};

bool is_numeric(ColumnType type) { return !has_levels(type); }

bool is_context_type(ColumnType type) {
  return type == ColumnType::kReal || type == ColumnType::kBinary || type == ColumnType::kCategory;
}

// One of the types that may be, by their shares; real when they have none.
ColumnType draw_type(const TypeShares& shares, bool (*may_be)(ColumnType), RandomStream& random) {
  double total = 0.0;
  for (const auto& [type, member] : kShareMembers) {
    if (may_be(type)) total += shares.*member;
  }
  double left = random.uniform() * total;
  ColumnType last = ColumnType::kReal;
  for (const auto& [type, member] : kShareMembers) {
    if (!may_be(type) || shares.*member == 0.0) continue;
    last = type;
    left -= shares.*member;
    if (left < 0.0) break;
  }
  return last;
}

Column draw_column(ColumnType type, RandomStream& random) {
  Column about;
  about.type = type;
  about.reason = "declared";
  about.declared = true;
  const std::uint64_t more = random.below(2);
  if (type == ColumnType::kBinary) about.levels = {{0.0, "no"}, {1.0, "yes"}};
  if (type == ColumnType::kCategory) {
    for (std::size_t k = 0; k < 3 + more; ++k) about.levels.push_back({static_cast<double>(k), {"ABCD"[k]}});
  }
  return about;
}

// What equations need to know of the nodes before.
struct Pilot {
  Columns columns;
  std::vector<ScaledParent> scaled;  // of numeric nodes
};

Noise draw_shape(RandomStream& random) {
  constexpr std::array<NoiseKind, 3> kShapes = {NoiseKind::kGaussian, NoiseKind::kExponential, NoiseKind::kBeta};
  const NoiseKind kind = kShapes[random.below(kShapes.size())];
  return kind == NoiseKind::kBeta ? random_noise(kind, random) : Noise{kind, 1.0, 0.0};
}

double random_slope(RandomStream& random) { return random_weight(0.5, 1.2, random); }

LinearPredictor draw_predictor(const MixedModel& model, const std::vector<std::size_t>& parents, const Pilot& pilot,
                               RandomStream& random) {
  LinearPredictor predictor;
  std::vector<std::size_t> categories;
  for (const std::size_t parent : parents) {
    const Column& about = model.nodes[parent].about;
    if (is_numeric(about.type)) {
      NumericTerm term{pilot.scaled[parent], false, {random_slope(random)}, {}};
      term.saturating = random.uniform() < 0.4;
      predictor.numeric.push_back(std::move(term));
      continue;
    }
    if (about.type == ColumnType::kCategory) categories.push_back(parent);
    LevelTerm term{parent, {}};
    for (std::size_t k = 0; k < about.levels.size(); ++k) term.effects.push_back(0.8 * random.normal());
    predictor.levels.push_back(std::move(term));
  }
  if (!categories.empty() && !predictor.numeric.empty() && random.uniform() < 0.3) {
    NumericTerm& term = predictor.numeric[random.below(predictor.numeric.size())];
    term.by = categories[random.below(categories.size())];
    const std::size_t levels = model.nodes[*term.by].about.levels.size();
    while (term.slopes.size() < levels) term.slopes.push_back(random_slope(random));
  }
  return predictor;
}

void draw_equation(MixedModel& model, std::size_t node, const Pilot& pilot, RandomStream& random) {
  MixedNode& target = model.nodes[node];
  const std::size_t predictors = target.about.type == ColumnType::kCategory ? target.about.levels.size() : 1;
  target.predictors.clear();
  for (std::size_t k = 0; k < predictors; ++k) {
    target.predictors.push_back(draw_predictor(model, target.parents, pilot, random));
  }
  if (target.about.type != ColumnType::kReal) return;
  const std::vector<NumericTerm>& numeric = target.predictors.front().numeric;
  if (!numeric.empty() && random.uniform() < 0.4) target.scale = numeric.front().parent;
}

double rarest_level(const MixedNode& node, const std::vector<double>& values) {
  if (!has_levels(node.about.type)) return 1.0;
  std::vector<std::size_t> counts(node.about.levels.size(), 0);
  for (const double value : values) ++counts[static_cast<std::size_t>(value)];
  return static_cast<double>(*std::min_element(counts.begin(), counts.end())) / static_cast<double>(values.size());
}

ScaledParent scale_of(std::size_t node, const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / n);
  return {node, mean, deviation > 0.0 ? deviation : 1.0};
}

std::size_t draw_poisson(double mean, RandomStream& random) {
  return static_cast<std::size_t>(poisson_quantile(mean, random.uniform()));
}

[[noreturn]] void reject_types(std::string_view text, const std::string& why) {
  throw Error::of_option("types", fmt::format("'{}' {}.", text, why));
}

}  // namespace

TypeShares parse_type_shares(std::string_view text) {
  TypeShares shares{0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  std::vector<std::string> known;
  for (const auto& [type, member] : kShareMembers) known.emplace_back(column_type_name(type));
  std::vector<std::string> seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      reject_types(part, "is not a type and its share, such as real=0.5");
    }
    const std::string name(part.substr(0, equals));
    const auto member = std::find(known.begin(), known.end(), name);
    if (member == known.end()) {
      reject_types(name, fmt::format("is not a type that is simulated; these are {}", fmt::join(known, ", ")));
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) reject_types(name, "is given twice");
    seen.push_back(name);
    const std::string_view number = part.substr(equals + 1);
    double share = -1.0;
    const char* const stop = number.data() + number.size();
    const auto [at, error] = std::from_chars(number.data(), stop, share);
    if (error != std::errc{} || at != stop || !(share >= 0.0) || share > 1.0) {
      reject_types(number, fmt::format("is not a share of {}: a number from 0 to 1", name));
    }
    shares.*kShareMembers[static_cast<std::size_t>(member - known.begin())].member = share;
  }
  if (shares.real + shares.positive + shares.share + shares.count == 0.0) {
    reject_types(text, "has no numeric type, but one outcome is numeric: real, positive, share or count");
  }
  return shares;
}

std::string to_text(const TypeShares& shares) {
  std::vector<std::string> parts;
  for (const auto& [type, member] : kShareMembers) {
    if (shares.*member > 0.0) parts.push_back(fmt::format("{}={}", column_type_name(type), shares.*member));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

OptionSet describe(MixedSimulationOptions& options) {
  OptionSet set;
  set.integer("variables", options.variables, 6, 200, "number of variables");
  set.integer("rows", options.rows, 2, 10000000, "number of observations");
  set.real("missing", options.missing, 0.0, 0.9, "share of the cells that are empty, completely at random");
  set.integer("rounds", options.rounds, 1, 1000000, "number of contexts to decide for");
  return set;
}

namespace internal {

void check_mixed_options(const MixedSimulationOptions& options) {
  check_options(options);
  static_cast<void>(parse_type_shares(to_text(options.types)));
}

std::uint64_t attempt_stream(std::uint64_t index, std::uint64_t attempt) {
  return stream_index({{index, 40}, {attempt, 8}});
}

RandomMixedModel draw_mixed_model(const MixedSimulationOptions& options, std::uint64_t index, std::uint64_t attempt,
                                  const Context& context) {
  const auto size = static_cast<std::size_t>(options.variables);
  const std::uint64_t stream = attempt_stream(index, attempt);
  RandomStream random(context.seed, "simulate.mixed.graph", stream);
  RandomMixedModel drawn;
  drawn.contexts = std::max<std::size_t>(1, size / 4);
  drawn.outcomes = 1 + random.below(2);
  MixedModel& model = drawn.model;
  model.nodes.resize(size);
  model.order.resize(size);
  std::iota(model.order.begin(), model.order.end(), std::size_t{0});
  for (std::size_t i = size; i > 1; --i) std::swap(model.order[i - 1], model.order[random.below(i)]);

  bool numeric_outcome = false;
  std::vector<std::size_t> position(size);
  for (std::size_t k = 0; k < size; ++k) {
    position[model.order[k]] = k;
    const bool is_outcome = k + drawn.outcomes >= size;
    ColumnType type = draw_type(
        options.types, k < drawn.contexts ? is_context_type : [](ColumnType) { return true; }, random);
    if (k + 1 == size && !numeric_outcome && !is_numeric(type)) type = draw_type(options.types, is_numeric, random);
    numeric_outcome |= is_outcome && is_numeric(type);
    MixedNode& node = model.nodes[model.order[k]];
    node.about = draw_column(type, random);
    if (type == ColumnType::kReal) node.noise = draw_shape(random);
    std::size_t parents = std::min({draw_poisson(kMeanParents, random), kMostParents, k});
    if (k >= 3) parents = std::max<std::size_t>(parents, 1);
    for (const std::size_t before : random.sample_without_replacement(k, parents)) {
      node.parents.push_back(model.order[before]);
    }
  }
  std::array<int, 3> used{};
  for (std::size_t j = 0; j < size; ++j) {
    const std::size_t letter = position[j] < drawn.contexts ? 0 : position[j] + drawn.outcomes >= size ? 2 : 1;
    model.nodes[j].name = fmt::format("{}{}", "XZY"[letter], ++used[letter]);
  }

  const Columns noise = mixed_noise(model, model.order, kPilotRows, "simulate.mixed.pilot", stream, context);
  Pilot pilot{Columns(size), std::vector<ScaledParent>(size)};
  for (const std::size_t node : model.order) {
    RandomStream of_node(context.seed, "simulate.mixed.node", stream_index({{index, 40}, {attempt, 8}, {node, 16}}));
    context.check_interrupt();
    for (int equation = 0; equation < kMostEquations; ++equation) {
      draw_equation(model, node, pilot, of_node);
      apply_equation(model, node, noise[node], kPilotRows, pilot.columns);
      if (rarest_level(model.nodes[node], pilot.columns[node]) >= kRarestLevel) break;
    }
    pilot.scaled[node] = scale_of(node, pilot.columns[node]);
  }
  return drawn;
}

}  // namespace internal

MixedModel random_mixed_model(const MixedSimulationOptions& options, std::uint64_t index, const Context& context) {
  check_mixed_options(options);
  return draw_mixed_model(options, index, 0, context).model;
}

}  // namespace olem
