#include <fmt/format.h>

#include <map>
#include <memory>
#include <numeric>

#include "olem/graph_file.h"
#include "olem/random.h"
#include "olem/table.h"
#include "study/order_cells.h"
#include "study/published.h"

namespace olem::internal {

namespace {

constexpr double kVariables = 11.0;
constexpr double kRows = 853.0;

std::vector<std::size_t> shuffled(std::size_t count, RandomStream& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Measure prepare_shuffle(std::uint64_t seed, const std::string& units, int shuffle, OrderMeasure measure,
                        const Context& context) {
  const Table table =
      in_units(read_csv_text(embedded_sachs_data(), "the Sachs data", {}, context).table, units, seed, 0);
  RandomStream random(seed, "study.sachs", static_cast<std::uint64_t>(shuffle));
  const auto rows = shuffled(table.rows(), random);
  const auto columns = shuffled(table.columns(), random);
  const auto data = std::make_shared<const Table>(table.with_rows(rows).with_columns(columns));
  const MixedGraph graph = parse_graph(embedded_sachs_graph(), "the Sachs graph").graph;
  const auto truth = std::make_shared<const Dag>(to_dag(graph).with_nodes(data->names()));
  return [data, truth, seed, measure](const Cell& cell, const Context& its_context) {
    Context own = its_context;
    own.seed = derived_seed(seed, cell.key);
    return measure_order_method(*data, *truth, cell.method, measure, own);
  };
}

std::vector<Batch> plan_sachs(const StudyRequest& request) {
  const OrderMeasure measure = measure_for(request.metrics);
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    for (int shuffle = 0; shuffle < request.epochs; ++shuffle) {
      Batch& batch = batches.emplace_back();
      batch.cells = order_cells(request, setting, fmt::format("shuffle={}", shuffle), shuffle, 0, kVariables, kRows);
      batch.prepare = [seed = request.seed, units = setting.at(kUnitsKey), shuffle, measure](const Context& context) {
        return prepare_shuffle(seed, units, shuffle, measure, context);
      };
    }
  }
  return batches;
}

std::optional<PublishedNumber> published_sachs(const StudySetting& setting, const std::string& method,
                                               const std::string& metric) {
  static const std::map<std::string, std::string> kColumns = {{"div", "div"}, {"shd2", "shd"}, {"sid", "sid"}};
  const auto column = kColumns.find(metric);
  if (column == kColumns.end() || setting.at(kUnitsKey) != kOwnUnits) return std::nullopt;
  for (const auto& row : embedded_rows(embedded_published_sachs())) {
    for (const StudyName& name : order_method_names()) {
      if (name.name != method || name.label != row.at("method")) continue;
      return PublishedNumber{embedded_number(row.at(column->second + "_mean")),
                             embedded_number(row.at(column->second + "_std")), 10};
    }
  }
  return std::nullopt;
}

}  // namespace

StudyKind sachs_study() {
  StudyKind kind;
  kind.name = "sachs";
  kind.help = "order learners on the protein data of Sachs et al., rows and columns shuffled";
  kind.methods = order_method_names();
  kind.metrics = order_metric_names();
  kind.extra_metrics = {"shd"};
  for (const char* const units : {kOwnUnits, kLogs, kStandardised})
    kind.settings.push_back(StudySetting{{"data", "sachs"}, {kUnitsKey, units}});
  kind.protocol.epochs = 10;
  kind.protocol.tasks = 0;
  kind.plan = plan_sachs;
  kind.published = published_sachs;
  return kind;
}

}  // namespace olem::internal
