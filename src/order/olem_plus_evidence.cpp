#include "order/olem_plus_evidence.h"

#include <algorithm>
#include <cmath>

namespace olem::internal {

namespace {

constexpr double kDecidesBeyond = 2.0;  // standard errors
constexpr double kRounding = 1e-9;      // nats: what is less is the order of a sum

// Two orders of the same regressions have the same score, whichever way its terms are added.
double without_rounding(double gap) { return std::abs(gap) < kRounding ? 0.0 : gap; }

// Row by row: what the scale terms of J change with, to first order.
std::vector<double> scale_rows(const PlusColumns& columns, const ScaleTerms& terms, const ScoredOrder& scored) {
  const std::vector<double> slopes = terms.slopes(scored.entropies(columns));
  std::vector<double> factors;
  auto slope = slopes.begin();
  for (const std::size_t column : scored.order) factors.push_back(columns.compared[column] != 0 ? *slope++ : 0.0);
  return row_sums(scored, factors);
}

std::vector<double> shape_rows(const ScoredOrder& scored) {
  return row_sums(scored, std::vector<double>(scored.order.size(), 1.0));
}

std::vector<double> added(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

}  // namespace

std::vector<double> row_sums(const ScoredOrder& scored, std::span<const double> factors) {
  std::vector<double> sums;
  for (std::size_t place = 0; place < scored.nodes.size(); ++place) {
    const std::vector<float>& own = scored.nodes[place].fit->contributions;
    sums.resize(own.size(), 0.0);
    for (std::size_t i = 0; i < own.size(); ++i) sums[i] += factors[place] * static_cast<double>(own[i]);
  }
  return sums;
}

double paired_standard_error(std::span<const double> a, std::span<const double> b, std::span<const double> weights) {
  const auto n = static_cast<double>(a.size());
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double mean = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) mean += weight(i) * (a[i] - b[i]);
  mean /= n;
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double own = weight(i) * (a[i] - b[i] - mean);
    squares += own * own;
  }
  return std::sqrt(squares / (n - 1.0) / n);
}

std::vector<OrderStep> plus_steps(PlusNodes& nodes, const ScaleTerms& terms, const Precedence& knowledge,
                                  const ScoredOrder& best, const std::vector<std::string>& names,
                                  const std::vector<std::size_t>& table_column, const Context& context) {
  const std::vector<double>& weights = nodes.columns().weights;
  const std::vector<double> own_shape = shape_rows(best);
  const std::vector<double> own_scale = scale_rows(nodes.columns(), terms, best);
  PrefixScreen screen(nodes.columns(), best.order);
  std::vector<OrderStep> steps;
  for (std::size_t place = best.order.size() - 1; place > 0; --place) {
    OrderStep& step = steps.emplace_back();
    step.sink = names[best.order[place]];
    std::vector<std::size_t> left(best.order.begin(), best.order.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    std::sort(left.begin(), left.end(),
              [&](std::size_t a, std::size_t b) { return table_column[a] < table_column[b]; });
    for (const std::size_t column : left) {
      const auto at = std::find(best.order.begin(), best.order.end(), column) - best.order.begin();
      step.values.emplace_back(names[column], best.nodes[static_cast<std::size_t>(at)].fit->entropy);
    }
    if (knowledge.precedes(best.order[place - 1], best.order[place])) {
      step.forced = true;
      continue;
    }
    step.runner_up = names[best.order[place - 1]];
    const ScoredOrder swapped = swap_neighbours(nodes, terms, best, screen, place - 1, context);
    const std::vector<double> shape = shape_rows(swapped);
    const std::vector<double> scale = scale_rows(nodes.columns(), terms, swapped);
    StepEvidence evidence;
    evidence.gap_shape = without_rounding(swapped.shape - best.shape);
    evidence.gap_shape_standard_error = paired_standard_error(shape, own_shape, weights);
    evidence.gap_scale = without_rounding(swapped.scale - best.scale);
    evidence.gap_scale_standard_error = paired_standard_error(scale, own_scale, weights);
    step.gap = std::max(0.0, without_rounding(swapped.total() - best.total()));
    step.gap_standard_error = paired_standard_error(added(shape, scale), added(own_shape, own_scale), weights);
    if (evidence.gap_shape > kDecidesBeyond * evidence.gap_shape_standard_error) {
      evidence.decided_by = DecidedBy::kShape;
    } else if (!terms.none() && *step.gap > kDecidesBeyond * *step.gap_standard_error) {
      evidence.decided_by = DecidedBy::kScale;
    }
    step.decided = evidence.decided_by == DecidedBy::kShape;
    step.evidence = evidence;
  }
  return steps;
}

}  // namespace olem::internal
