#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "olem/simulate.h"
#include "study/order_cells.h"
#include "study/published.h"

namespace olem::internal {

namespace {

constexpr int kModelsPerEpoch = 7;

NoiseKind noise_of(const std::string& name) {
  if (name == "beta") return NoiseKind::kBeta;
  if (name == "gaussian") return NoiseKind::kGaussian;
  return NoiseKind::kExponential;
}

std::vector<StudySetting> all_settings() {
  std::vector<StudySetting> settings;
  for (const char* const noise : {"beta", "gaussian", "exponential"}) {
    for (const char* const d : {"5", "10", "20"}) {
      for (const char* const p : {"0.3", "0.5", "0.8"}) {
        // Left out in the paper, too.
        if (std::string(d) == "20" && std::string(p) == "0.8") continue;
        for (const char* const r : {"0", "0.25", "0.5", "0.75", "1"}) {
          settings.push_back(StudySetting{{"d", d}, {"p", p}, {"noise", noise}, {"r", r}, {kUnitsKey, kOwnUnits}});
        }
      }
    }
  }
  for (const char* const units : {kStandardised, kRescaled}) {
    for (const char* const noise : {"beta", "gaussian", "exponential"}) {
      for (const char* const r : {"0", "0.25", "0.5", "0.75", "1"}) {
        settings.push_back(StudySetting{{"d", "10"}, {"p", "0.3"}, {"noise", noise}, {"r", r}, {kUnitsKey, units}});
      }
    }
  }
  return settings;
}

Measure prepare_model(const OrderSimulationOptions& options, std::uint64_t study_seed, const StudySetting& setting,
                      std::uint64_t index, OrderMeasure measure, const Context& context) {
  Context own = context;
  own.seed = derived_seed(study_seed, setting.without(kUnitsKey).text());
  const Simulation simulation = random_order_model(options, index, own);
  const auto table = std::make_shared<const Table>(in_units(simulation.data, setting.at(kUnitsKey), own.seed, index));
  const auto truth = std::make_shared<const Dag>(true_dag(simulation.model));
  return [table, truth, study_seed, measure](const Cell& cell, const Context& its_context) {
    Context of_method = its_context;
    of_method.seed = derived_seed(study_seed, cell.key);
    return measure_order_method(*table, *truth, cell.method, measure, of_method);
  };
}

std::vector<Batch> plan_order(const StudyRequest& request) {
  const OrderMeasure measure = measure_for(request.metrics);
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    OrderSimulationOptions options;
    options.variables = static_cast<int>(setting.number("d"));
    options.density = setting.number("p");
    options.linearity = setting.number("r");
    options.noise = noise_of(setting.at("noise"));
    options.rows = request.rows;
    for (int epoch = 0; epoch < request.epochs; ++epoch) {
      for (int task = 0; task < request.tasks; ++task) {
        // The same number for the same model whatever --tasks says, as long as it asks for no more than the paper.
        const int model = epoch * std::max(kModelsPerEpoch, request.tasks) + task;
        Batch& batch = batches.emplace_back();
        batch.cells = order_cells(request, setting, fmt::format("rows={} model={}", request.rows, model), epoch, task,
                                  options.variables, options.rows);
        // A Cholesky factor for each variable with a nonlinear function.
        batch.cost = 0.08 * options.variables * (1.0 - options.linearity) * std::pow(options.rows / 2000.0, 3);
        batch.prepare = [options, seed = request.seed, setting, model, measure](const Context& context) {
          return prepare_model(options, seed, setting, static_cast<std::uint64_t>(model), measure, context);
        };
      }
    }
  }
  return batches;
}

// (d, p, noise, metric, method, r) -> number
using FigureKey = std::tuple<int, double, std::string, std::string, std::string, double>;

std::map<FigureKey, PublishedNumber> read_figures() {
  std::map<FigureKey, PublishedNumber> figures;
  for (const auto& row : embedded_rows(embedded_published_figures())) {
    const FigureKey key{static_cast<int>(embedded_number(row.at("d"))),
                        embedded_number(row.at("p")),
                        row.at("noise"),
                        row.at("metric"),
                        row.at("method"),
                        embedded_number(row.at("r"))};
    figures[key] = {embedded_number(row.at("mean")), embedded_number(row.at("std")), 5};
  }
  return figures;
}

std::optional<PublishedNumber> published_order(const StudySetting& setting, const std::string& method,
                                               const std::string& metric) {
  static const std::map<FigureKey, PublishedNumber> kFigures = read_figures();
  static const std::map<std::string, std::string> kPrinted = {{"div", "DIV"}, {"shd2", "SHD"}, {"sid", "SID"}};
  const auto name = kPrinted.find(metric);
  if (name == kPrinted.end() || setting.at(kUnitsKey) != kOwnUnits) return std::nullopt;
  for (const StudyName& label : order_method_names()) {
    if (label.name != method) continue;
    const auto found = kFigures.find({static_cast<int>(setting.number("d")), setting.number("p"), setting.at("noise"),
                                      name->second, label.label, setting.number("r")});
    if (found != kFigures.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace

StudyKind order_study() {
  StudyKind kind;
  kind.name = "order";
  kind.help = "order learners on random models, against the share r of linear functions";
  kind.methods = order_method_names();
  kind.metrics = order_metric_names();
  kind.extra_metrics = {"shd"};
  kind.settings = all_settings();
  kind.axis = "r";
  kind.protocol.epochs = 5;
  kind.protocol.tasks = kModelsPerEpoch;
  kind.protocol.rows = 2000;
  kind.plan = plan_order;
  kind.published = published_order;
  kind.shared_models = {"noise", "r"};  // the scatter of the published curves says so, see docs/study.md
  return kind;
}

}  // namespace olem::internal
