#include "simulate/mixed_draws.h"

#include <algorithm>
#include <cmath>

#include "olem/parallel.h"
#include "olem/random.h"

namespace olem::internal {

namespace {

constexpr std::size_t kNumbersBetweenLooks = 4096;

// With mean 0 and variance 1.
double standard_noise(const Noise& noise, RandomStream& random) {
  switch (noise.kind) {
    case NoiseKind::kExponential: return random.exponential(1.0) - 1.0;
    case NoiseKind::kBeta: {
      const double sum = noise.a + noise.b;
      const double deviation = std::sqrt(noise.a * noise.b / (sum + 1.0)) / sum;
      return (random.beta(noise.a, noise.b) - noise.a / sum) / deviation;
    }
    case NoiseKind::kGaussian:
    case NoiseKind::kUniform: break;
  }
  return random.normal();
}

double node_noise(const MixedNode& node, RandomStream& random) {
  if (is_discrete(node.about.type)) return random.uniform();
  return node.about.type == ColumnType::kReal ? standard_noise(node.noise, random) : random.normal();
}

double scaled(const ScaledParent& parent, double value) {
  return std::clamp((value - parent.mean) / parent.deviation, -kMostDeviations, kMostDeviations);
}

std::size_t level_of(double value) { return static_cast<std::size_t>(value); }

void add_predictor(const LinearPredictor& predictor, const Columns& columns, std::span<double> out) {
  for (const NumericTerm& term : predictor.numeric) {
    const std::vector<double>& values = columns[term.parent.node];
    const double* const by = term.by ? columns[*term.by].data() : nullptr;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double x = scaled(term.parent, values[i]);
      const double slope = term.slopes[by == nullptr ? 0 : level_of(by[i])];
      out[i] += slope * (term.saturating ? std::tanh(1.5 * x) : x);
    }
  }
  for (const LevelTerm& term : predictor.levels) {
    const std::vector<double>& values = columns[term.parent];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += term.effects[level_of(values[i])];
  }
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

void draw_categories(const MixedNode& node, const std::vector<double>& noise, const Columns& columns,
                     std::span<double> out) {
  const std::size_t levels = node.predictors.size();
  const std::size_t rows = out.size();
  std::vector<double> weights(levels * rows, 0.0);  // level by level
  for (std::size_t k = 0; k < levels; ++k) {
    const std::span<double> of_level(weights.data() + k * rows, rows);
    add_predictor(node.predictors[k], columns, of_level);
    for (double& weight : of_level) weight = std::exp(weight);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    double total = 0.0;
    for (std::size_t k = 0; k < levels; ++k) total += weights[k * rows + i];
    double below = 0.0;
    std::size_t level = 0;
    for (; level + 1 < levels; ++level) {
      below += weights[level * rows + i];
      if (noise[i] * total < below) break;
    }
    out[i] = static_cast<double>(level);
  }
}

}  // namespace

double poisson_quantile(double mean, double u) {
  if (mean > 200.0) {
    const double z = normal_quantile(u);
    return std::max(0.0, std::ceil(mean + std::sqrt(mean) * z + (z * z - 1.0) / 6.0 - 0.5));
  }
  double probability = std::exp(-mean);
  double below = probability;
  double k = 0.0;
  // Rounding can keep the sum below u for ever; far in the tail the terms are gone.
  while (below < u && k < 1000.0) {
    k += 1.0;
    probability *= mean / k;
    below += probability;
  }
  return k;
}

bool is_value(const Column& about, double value) {
  if (!std::isfinite(value)) return false;
  switch (about.type) {
    case ColumnType::kPositive: return value >= 0.0;
    case ColumnType::kShare: return value >= 0.0 && value <= 1.0;
    case ColumnType::kCount: return value >= 0.0 && value == std::floor(value);
    case ColumnType::kOrdinal:
    case ColumnType::kBinary:
    case ColumnType::kCategory:
      return std::any_of(about.levels.begin(), about.levels.end(),
                         [&](const ColumnLevel& level) { return level.value == value; });
    case ColumnType::kReal: break;
  }
  return true;
}

Columns mixed_noise(const MixedModel& model, std::span<const std::size_t> nodes, std::size_t rows,
                    std::string_view purpose, std::uint64_t draw, const Context& context) {
  Columns noise(model.nodes.size());
  parallel_for(context, 0, nodes.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      RandomStream random(context.seed, purpose, node_stream(draw, nodes[k]));
      const MixedNode& node = model.nodes[nodes[k]];
      std::vector<double>& column = noise[nodes[k]];
      column.resize(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        if (i % kNumbersBetweenLooks == 0) context.check_interrupt();
        column[i] = node_noise(node, random);
      }
    }
  });
  return noise;
}

void apply_equation(const MixedModel& model, std::size_t node, const std::vector<double>& noise, std::size_t rows,
                    Columns& columns) {
  const MixedNode& target = model.nodes[node];
  if (columns[node].size() < rows) columns[node].resize(rows);
  const std::span<double> out(columns[node].data(), rows);
  if (target.about.type == ColumnType::kCategory) return draw_categories(target, noise, columns, out);
  std::fill(out.begin(), out.end(), 0.0);
  add_predictor(target.predictors.front(), columns, out);
  switch (target.about.type) {
    case ColumnType::kReal:
      if (target.scale) {
        const std::vector<double>& by = columns[target.scale->node];
        for (std::size_t i = 0; i < rows; ++i)
          out[i] += 0.8 * std::exp(0.5 * scaled(*target.scale, by[i]) - 0.125) * noise[i];
      } else {
        for (std::size_t i = 0; i < rows; ++i) out[i] += 0.8 * noise[i];
      }
      break;
    case ColumnType::kPositive:
      for (std::size_t i = 0; i < rows; ++i) out[i] = std::exp(0.6 * out[i] + 0.4 * noise[i]);
      break;
    case ColumnType::kShare:
      for (std::size_t i = 0; i < rows; ++i) out[i] = logistic(out[i] - 0.5 + 0.7 * noise[i]);
      break;
    case ColumnType::kBinary:
      for (std::size_t i = 0; i < rows; ++i) out[i] = noise[i] < logistic(1.3 * out[i]) ? 1.0 : 0.0;
      break;
    case ColumnType::kCount:
      for (std::size_t i = 0; i < rows; ++i) out[i] = poisson_quantile(std::exp(0.8 + 0.5 * out[i]), noise[i]);
      break;
    case ColumnType::kOrdinal:
    case ColumnType::kCategory: break;
  }
}

Columns draw_columns(const MixedModel& model, std::size_t rows, std::string_view purpose, std::uint64_t draw,
                     const Context& context) {
  context.require_memory(3 * rows * model.nodes.size() * sizeof(double), "A simulated table");
  const Columns noise = mixed_noise(model, model.order, rows, purpose, draw, context);
  Columns columns(model.nodes.size());
  for (const std::size_t node : model.order) {
    context.check_interrupt();
    apply_equation(model, node, noise[node], rows, columns);
  }
  return columns;
}

Table as_table(const MixedModel& model, const Columns& columns, std::string source) {
  std::vector<double> values;
  values.reserve(columns.size() * columns.front().size());
  for (const std::vector<double>& column : columns) values.insert(values.end(), column.begin(), column.end());
  return {model.names(), std::move(values), std::move(source), model.about()};
}

}  // namespace olem::internal
