#include "structure/listen_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gam/weighted_chi_square.h"
#include "olem/error.h"
#include "olem/text.h"
#include "order/precision.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<Choice, 3> kRules = {{{"threshold", "weights of at least `listen_threshold` in absolute value"},
                                           {"pvalue", "t-tests of the linear regressions, at `listen_alpha`"},
                                           {"cam", "CAM pruning of the order"}}};

using Matrix = std::vector<std::vector<double>>;

// [i][j] for i before j in the order: the p-value of the t-test that i has weight zero in the linear regression of j on
// all variables before it.
Matrix weight_p_values(const Table& table, const std::vector<std::size_t>& order, const Context& context) {
  Matrix p_values(table.columns(), std::vector<double>(table.columns(), 1.0));
  PlainPrecision precision(table, context);
  for (auto last = order.rbegin(); last != order.rend(); ++last) {
    context.check_interrupt();
    const std::vector<std::size_t>& remaining = precision.remaining();
    const auto at = std::find(remaining.begin(), remaining.end(), *last) - remaining.begin();
    const Eigen::MatrixXd& omega = precision.matrix();
    const double free = static_cast<double>(table.rows() - remaining.size());
    for (std::size_t p = 0; p < remaining.size(); ++p) {
      if (remaining[p] == *last) continue;
      const auto j = static_cast<Eigen::Index>(p);
      // The partial correlation given all others before is that of the regression's residuals.
      const double squared = omega(j, at) * omega(j, at) / (omega(j, j) * omega(at, at));
      p_values[remaining[p]][*last] = f_upper_tail(free * squared / std::max(1.0 - squared, 1e-300), 1.0, free);
    }
    precision.remove(static_cast<std::size_t>(at));
  }
  return p_values;
}

// "x3 = 0.74 x1 - 0.705 x2"
std::string equation(const Table& table, const Dag& dag, const Matrix& weights, std::size_t child) {
  std::string text = table.name(child) + " =";
  bool first = true;
  for_each(dag.parents(child), [&](std::size_t parent) {
    const double weight = weights[parent][child];
    const std::string_view sign = weight < 0.0 ? " -" : first ? "" : " +";
    text += fmt::format("{} {:.4g} {}", sign, std::abs(weight), table.name(parent));
    first = false;
  });
  return text;
}

std::string equations(const Table& table, const Dag& dag, const Matrix& weights) {
  std::string text;
  for (std::size_t child = 0; child < dag.size(); ++child) {
    if (count(dag.parents(child)) > 0) text += wrap_text(equation(table, dag, weights, child), 100, "  ");
  }
  if (text.empty()) return text;
  return "The weights of these edges, from the regressions on all variables before:\n\n" + text;
}

}  // namespace

OptionSet describe(ListenGraphOptions& options) {
  OptionSet set;
  set.choice("listen_edges", options.edges, kRules, "which edges LISTEN keeps");
  set.real("listen_threshold", options.threshold, 0.0, 1e300,
           "least weight in absolute value with `listen_edges` threshold, in the units of the data");
  set.real("listen_alpha", options.alpha, 0.0, 1.0, "keep weights with p-values below this with `listen_edges` pvalue");
  return set;
}

}  // namespace olem

namespace olem::internal {

GraphResult listen_graph(OrderResult order, const Table& table, const GraphOptions& options,
                         const Precedence& /*knowledge*/, const Context& context) {
  const ListenGraphOptions& rule = options.listen;
  if (rule.edges == ListenEdges::kCam) throw Error(ErrorCategory::kInternal, "listen_graph does not prune.");
  const Matrix* const weights = order.matrix(kListenWeights);
  if (weights == nullptr) throw Error(ErrorCategory::kInternal, "listen_graph needs an order that LISTEN learned.");
  const std::vector<std::size_t> columns = order_indices(order.order, NodeNames(table.names()));
  const bool tested = rule.edges == ListenEdges::kPvalue;
  const Matrix p_values = tested ? weight_p_values(table, columns, context) : Matrix();

  GraphResult result;
  std::vector<Edge> edges;
  Json candidates = Json::array();
  for (std::size_t late = 1; late < columns.size(); ++late) {
    for (std::size_t early = 0; early < late; ++early) {
      const Edge edge = {columns[early], columns[late]};
      const double weight = (*weights)[edge.from][edge.to];
      const bool kept = tested ? p_values[edge.from][edge.to] < rule.alpha : std::abs(weight) >= rule.threshold;
      Json candidate = {{"from", table.name(edge.from)}, {"to", table.name(edge.to)}, {"weight", weight}};
      if (tested) candidate["p_value"] = p_values[edge.from][edge.to];
      candidate["kept"] = kept;
      candidates.push_back(std::move(candidate));
      if (kept) edges.push_back(edge);
    }
  }
  const Dag dag(table.names(), edges);
  result.graph = dag;
  result.rule = tested ? fmt::format("t-tests of the linear regressions on all variables before, p < {:g}", rule.alpha)
                       : fmt::format("weights of at least {:g} in absolute value", rule.threshold);
  result.details["candidates"] = std::move(candidates);
  result.text = equations(table, dag, *weights);
  result.summary = order.summary;
  result.summary.message = fmt::format("{} of {} candidate edges were kept: {}.", edges.size(),
                                       columns.size() * (columns.size() - 1) / 2, result.rule);
  result.order = std::move(order);
  return result;
}

}  // namespace olem::internal
