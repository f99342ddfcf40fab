#include "simulate/evaluate.h"

#include <Eigen/Core>

#include "olem/parallel.h"
#include "olem/random.h"
#include "simulate/gaussian_process.h"

namespace olem::internal {

namespace {

constexpr std::size_t kRowsPerPiece = 256;
constexpr std::size_t kRowsBetweenLooks = 4096;

double draw_noise(const Noise& noise, RandomStream& random) {
  switch (noise.kind) {
    case NoiseKind::kBeta: return random.beta(noise.a, noise.b);
    case NoiseKind::kExponential: return random.exponential(noise.a);
    case NoiseKind::kGaussian: return noise.a * random.normal();
    case NoiseKind::kUniform: return random.uniform(noise.a, noise.b);
  }
  return 0.0;
}

Coordinates parents_of(const StructuralNode& node, const Columns& columns) {
  Coordinates parents;
  for (const std::size_t parent : node.parents) parents.emplace_back(columns[parent]);
  return parents;
}

void add(const LinearFunction& function, const Coordinates& parents, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = function.intercept;
    for (std::size_t p = 0; p < parents.size(); ++p) sum += function.weights[p] * parents[p][i];
    out[i] += sum;
  }
}

void add(const MlpFunction& function, const Coordinates& parents, std::span<double> out, const Context& context) {
  const auto hidden = static_cast<Eigen::Index>(function.output_weights.size());
  const auto inputs = static_cast<Eigen::Index>(parents.size());
  // One column per parent, so that a row of data is a short sum of columns over all hidden units.
  const Eigen::ArrayXXd input_weights =
      Eigen::Map<const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          function.input_weights.data(), hidden, inputs);
  const Eigen::Map<const Eigen::ArrayXd> output_weights(function.output_weights.data(), hidden);
  parallel_for(context, 0, out.size(), kRowsPerPiece, [&](std::size_t first, std::size_t last) {
    Eigen::ArrayXd units(hidden);
    for (std::size_t i = first; i < last; ++i) {
      units.setZero();
      for (Eigen::Index p = 0; p < inputs; ++p) {
        units += input_weights.col(p) * parents[static_cast<std::size_t>(p)][i];
      }
      units = output_weights / (1.0 + (-units).exp());
      out[i] += units.sum();
    }
  });
}

}  // namespace

void fill_noise(const StructuralModel& model, std::span<const std::size_t> nodes, std::string_view purpose,
                std::uint64_t draw, Columns& columns, const Context& context) {
  parallel_for(context, 0, nodes.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      RandomStream random(context.seed, purpose, node_stream(draw, nodes[k]));
      const Noise& noise = model.nodes[nodes[k]].noise;
      const std::span<double> column = columns[nodes[k]];
      // One stream after another, so that a column cannot be cut into pieces; it may be long.
      for (std::size_t i = 0; i < column.size(); ++i) {
        if (i % kRowsBetweenLooks == 0) context.check_interrupt();
        column[i] = draw_noise(noise, random);
      }
    }
  });
}

void add_function(const StructuralModel& model, std::size_t node, Columns& columns, const Context& context) {
  const StructuralNode& target = model.nodes[node];
  const Coordinates parents = parents_of(target, columns);
  const std::span<double> out = columns[node];
  if (const auto* linear = std::get_if<LinearFunction>(&target.function)) {
    context.check_interrupt();
    add(*linear, parents, out);
  } else if (const auto* mlp = std::get_if<MlpFunction>(&target.function)) {
    add(*mlp, parents, out, context);
  } else {
    const auto& process = std::get<GaussianProcessFunction>(target.function);
    add_rbf_expansion(parents_of(target, model.anchors), process.weights, parents, out, context);
  }
}

Columns draw_columns(const StructuralModel& model, std::size_t rows, std::string_view purpose, std::uint64_t draw,
                     const Context& context) {
  context.require_memory(2 * rows * model.nodes.size() * sizeof(double), "A simulated table");
  Columns columns(model.nodes.size(), std::vector<double>(rows));
  const std::vector<std::size_t> order = causal_order(model);
  fill_noise(model, order, purpose, draw, columns, context);
  for (const std::size_t node : order) add_function(model, node, columns, context);
  return columns;
}

Table as_table(const StructuralModel& model, const Columns& columns, std::string source) {
  std::vector<double> values;
  values.reserve(columns.size() * columns.front().size());
  for (const std::vector<double>& column : columns) values.insert(values.end(), column.begin(), column.end());
  return {model.names(), std::move(values), std::move(source)};
}

Table draw_contexts(const StructuralModel& model, const std::vector<std::string>& names, std::size_t rounds,
                    std::uint64_t index, const Context& context) {
  const Table units =
      as_table(model, draw_columns(model, rounds, "simulate.contexts", index, context), "simulated contexts");
  std::vector<std::size_t> columns;
  for (const std::string& name : names) columns.push_back(units.index(name));
  return units.with_columns(columns);
}

}  // namespace olem::internal
