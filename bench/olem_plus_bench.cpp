// OLEM+ beside OLEM on models of the study with a known truth: true edges turned round (DIV, means and the paired
// difference with its standard error), how often the true order has the smaller score, so that the search and not the
// score is at fault, and seconds.
//   olem_plus_bench [study|standardised|rescaled|rows|bermuda|units|few|mixed|speed] [MODELS [SEED]]
// `units` and `few` (rows) compare what OLEM+ finds out about the units of the columns with being told, for columns as
// they are and in random units.
// `mixed`: tables with columns of all types (d = 8, n = 2000), beside learners that take the levels for numbers.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "olem/metrics.h"
#include "olem/order.h"
#include "olem/random.h"
#include "olem/simulate.h"
#include "olem/simulate_mixed.h"

namespace olem {
namespace {

using Change = std::function<double(std::size_t column, double deviation)>;  // the factor of a column

Table rescaled(const Table& table, const Change& factor) {
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const std::span<double> column(values.data() + j * table.rows(), table.rows());
    double mean = 0.0;
    double square = 0.0;
    for (const double value : column) mean += value / static_cast<double>(column.size());
    for (const double value : column) square += (value - mean) * (value - mean) / static_cast<double>(column.size());
    const double own = factor(j, std::sqrt(square));
    for (double& value : column) value *= own;
  }
  return Table(table.names(), std::move(values));
}

struct Totals {
  double plus = 0.0;
  double olem = 0.0;
  double difference_square = 0.0;
  double plus_seconds = 0.0;
  double olem_seconds = 0.0;
  int models = 0;
  int search_failed = 0;  // the true order has a smaller score than the one that was found, which is not true
};

// The order of the true graph that stays nearest to the one found.
Order nearest_true_order(const Dag& truth, const Order& found) {
  std::vector<std::string> left = found;
  Order order;
  while (!left.empty()) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::size_t node = truth.names().index(left[i]);
      bool free = true;
      for (const std::string& other : left) free = free && !truth.has_edge(truth.names().index(other), node);
      if (!free) continue;
      order.push_back(left[i]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  return order;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void add(const Table& table, const Dag& truth, Totals& totals) {
  Context context;
  context.threads = 1;
  OrderOptions options;
  options.method = "olem";
  OrderResult olem;
  OrderResult plus;
  totals.olem_seconds += seconds_of([&] { olem = learn_order(table, options, {}, context); });
  options.method = "olem+";
  totals.plus_seconds += seconds_of([&] { plus = learn_order(table, options, {}, context); });
  const auto own = static_cast<double>(order_divergence(truth, plus.order));
  const auto other = static_cast<double>(order_divergence(truth, olem.order));
  totals.plus += own;
  totals.olem += other;
  totals.difference_square += (own - other) * (own - other);
  ++totals.models;
  if (own > 0.0) {
    OlemPlusProblem problem(table, options.olem_plus, context);
    const double found = problem.score(plus.order, context).total();
    const double best = problem.score(nearest_true_order(truth, plus.order), context).total();
    if (best < found - 1e-6) ++totals.search_failed;
  }
}

void print(const std::string& name, const Totals& totals) {
  const double n = totals.models;
  const double difference = (totals.plus - totals.olem) / n;
  const double variance = totals.difference_square / n - difference * difference;
  fmt::print("{:<28}{:>5}{:>8.2f}{:>8.2f}{:>+9.2f} ± {:.2f}{:>8}{:>9.3f}{:>9.3f}{:>7.1f}\n", name, totals.models,
             totals.plus / n, totals.olem / n, difference, std::sqrt(std::max(0.0, variance) / n), totals.search_failed,
             totals.plus_seconds / n, totals.olem_seconds / n, totals.plus_seconds / totals.olem_seconds);
  std::fflush(stdout);
}

void add_all(Totals& all, const Totals& own) {
  all.plus += own.plus;
  all.olem += own.olem;
  all.difference_square += own.difference_square;
  all.plus_seconds += own.plus_seconds;
  all.olem_seconds += own.olem_seconds;
  all.models += own.models;
  all.search_failed += own.search_failed;
}

struct Setting {
  int variables = 10;
  double density = 0.3;
  int rows = 2000;
  std::vector<double> linearities = {0.0, 0.25, 0.5, 0.75, 1.0};
};

enum class Units { kOwn, kStandardised, kRandom };

Simulation study_model(const Setting& setting, NoiseKind noise, double linearity, int model, std::uint64_t seed) {
  OrderSimulationOptions options;
  options.variables = setting.variables;
  options.density = setting.density;
  options.rows = setting.rows;
  options.noise = noise;
  options.linearity = linearity;
  Context context;
  context.seed = seed;
  return random_order_model(options, static_cast<std::uint64_t>(model), context);
}

// Every model has factors of its own, whatever its noise and linearity.
Table in_random_units(const Simulation& simulation, NoiseKind noise, double linearity, int model, std::uint64_t seed) {
  RandomStream random(seed, fmt::format("units {} {}", static_cast<int>(noise), linearity),
                      static_cast<std::uint64_t>(model));
  return rescaled(simulation.data, [&](std::size_t, double) { return std::pow(10.0, 3.0 * random.uniform() - 1.5); });
}

void run(const std::vector<Setting>& settings, Units units, int models, std::uint64_t seed) {
  fmt::print("{:<28}{:>5}{:>8}{:>8}{:>16}{:>8}{:>9}{:>9}{:>7}\n", "setting", "n", "olem+", "olem", "difference",
             "search", "olem+ s", "olem s", "ratio");
  Totals all;
  for (const Setting& setting : settings) {
    for (const auto& [noise, noise_name] :
         {std::pair{NoiseKind::kBeta, "beta"}, std::pair{NoiseKind::kExponential, "exponential"},
          std::pair{NoiseKind::kGaussian, "gaussian"}}) {
      Totals own;
      for (const double linearity : setting.linearities) {
        for (int m = 0; m < models; ++m) {
          const Simulation simulation = study_model(setting, noise, linearity, m, seed);
          const Table table = units == Units::kOwn ? simulation.data
                              : units == Units::kStandardised
                                  ? rescaled(simulation.data, [](std::size_t, double sd) { return 1.0 / sd; })
                                  : in_random_units(simulation, noise, linearity, m, seed);
          add(table, true_dag(simulation.model), own);
        }
      }
      print(fmt::format("d{} p{} n{} {}", setting.variables, setting.density, setting.rows, noise_name), own);
      add_all(all, own);
    }
  }
  print("all", all);
}

void run_bermuda(int models, std::uint64_t seed) {
  for (const int rows : {300, 500, 1000}) {
    for (const bool standardised : {false, true}) {
      Totals own;
      for (int m = 0; m < models; ++m) {
        BermudaSimulationOptions options;
        options.rows = rows;
        Context context;
        context.seed = seed;
        const Simulation simulation = bermuda_task(options, static_cast<std::uint64_t>(m), context);
        add(standardised ? rescaled(simulation.data, [](std::size_t, double sd) { return 1.0 / sd; }) : simulation.data,
            true_dag(simulation.model), own);
      }
      print(fmt::format("bermuda n{}{}", rows, standardised ? " standardised" : ""), own);
    }
  }
}

double turned_round(const Table& table, const Dag& truth, ColumnUnits units) {
  Context context;
  context.threads = 1;
  OrderOptions options;
  options.method = "olem+";
  options.olem_plus.units = units;
  return static_cast<double>(order_divergence(truth, learn_order(table, options, {}, context).order));
}

// DIV when OLEM+ finds out about the units by itself and when it is told, with the paired difference.
struct UnitTotals {
  double automatic = 0.0;
  double told = 0.0;
  double square = 0.0;
  int models = 0;

  void add(double own, double other) {
    automatic += own;
    told += other;
    square += (own - other) * (own - other);
    ++models;
  }
  void print(const std::string& name) const {
    const double n = models;
    const double difference = (automatic - told) / n;
    fmt::print("{:<28}{:>6}{:>8.3f}{:>8.3f}{:>+9.3f} ± {:.3f}\n", name, models, automatic / n, told / n, difference,
               std::sqrt(std::max(0.0, square / n - difference * difference) / n));
    std::fflush(stdout);
  }
};

void run_units(const std::vector<Setting>& settings, int models, std::uint64_t seed) {
  fmt::print("{:<28}{:>6}{:>8}{:>8}{:>17}\n", "columns", "n", "auto", "told", "difference");
  UnitTotals own_all;
  UnitTotals random_all;
  for (const Setting& setting : settings) {
    UnitTotals own;
    UnitTotals random;
    for (const NoiseKind noise : {NoiseKind::kBeta, NoiseKind::kExponential, NoiseKind::kGaussian}) {
      for (const double linearity : setting.linearities) {
        for (int m = 0; m < models; ++m) {
          const Simulation simulation = study_model(setting, noise, linearity, m, seed);
          const Dag truth = true_dag(simulation.model);
          const Table scaled = in_random_units(simulation, noise, linearity, m, seed);
          const double auto_own = turned_round(simulation.data, truth, ColumnUnits::kAuto);
          const double comparable = turned_round(simulation.data, truth, ColumnUnits::kComparable);
          const double auto_random = turned_round(scaled, truth, ColumnUnits::kAuto);
          const double arbitrary = turned_round(scaled, truth, ColumnUnits::kArbitrary);
          for (UnitTotals* const sum : {&own, &own_all}) sum->add(auto_own, comparable);
          for (UnitTotals* const sum : {&random, &random_all}) sum->add(auto_random, arbitrary);
        }
      }
    }
    own.print(fmt::format("d{} p{} n{} own", setting.variables, setting.density, setting.rows));
    random.print(fmt::format("d{} p{} n{} random", setting.variables, setting.density, setting.rows));
  }
  own_all.print("all own, comparable");
  random_all.print("all random, arbitrary");
}

Dag dag_of(const MixedModel& model) {
  std::vector<Edge> edges;
  for (const auto& [from, to] : model.edges()) edges.push_back({from, to});
  return Dag(model.names(), edges);
}

// Edges turned round by one learner.
struct Turned {
  std::string method;
  std::vector<double> edges;
  double seconds = 0.0;
};

// "mean ± standard error".
std::string mean_text(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0.0;
  double square = 0.0;
  for (const double value : values) mean += value / n;
  for (const double value : values) square += (value - mean) * (value - mean);
  return fmt::format("{:.2f} ± {:.2f}", mean, n > 1 ? std::sqrt(square / (n - 1.0) / n) : 0.0);
}

void run_mixed(int variables, int rows, int models, std::uint64_t seed) {
  std::vector<Turned> learners = {{"olem+", {}}, {"varsort", {}}, {"listen", {}}, {"cam", {}}};
  int search_failed = 0;
  double edges = 0.0;
  for (int m = 0; m < models; ++m) {
    MixedSimulationOptions options;
    options.variables = variables;
    Context context;
    context.seed = seed;
    context.threads = 1;
    const MixedModel model = random_mixed_model(options, static_cast<std::uint64_t>(m), context);
    const Table table = draw_rows(model, static_cast<std::size_t>(rows), static_cast<std::uint64_t>(m), context);
    const Table codes(table.names(), std::vector<double>(table.values().begin(), table.values().end()));
    const Dag truth = dag_of(model);
    edges += static_cast<double>(model.edges().size());
    for (Turned& learner : learners) {
      OrderOptions own;
      own.method = learner.method;
      const bool plus = learner.method == "olem+";
      OrderResult found;
      learner.seconds += seconds_of([&] { found = learn_order(plus ? table : codes, own, {}, context); });
      learner.edges.push_back(static_cast<double>(order_divergence(truth, found.order)));
      if (!plus || learner.edges.back() == 0.0) continue;
      OlemPlusProblem problem(table, own.olem_plus, context);
      const double best = problem.score(nearest_true_order(truth, found.order), context).total();
      if (best < problem.score(found.order, context).total() - 1e-6) ++search_failed;
    }
  }
  fmt::print("mixed d{} n{}: {} models with {:.1f} edges, the true order scores better in {}\n", variables, rows,
             models, edges / models, search_failed);
  for (const Turned& learner : learners) {
    std::vector<double> differences;
    for (std::size_t m = 0; m < learner.edges.size(); ++m) {
      differences.push_back(learners.front().edges[m] - learner.edges[m]);
    }
    fmt::print("{:<10} turned round {:>14}   olem+ minus it {:>15}   {:.3f} s\n", learner.method,
               mean_text(learner.edges), mean_text(differences), learner.seconds / models);
  }
}

// Large tables of linear models, which are quick to simulate.
void run_speed() {
  for (const auto& [variables, rows, density] : {std::tuple{10, 2000, 0.3}, std::tuple{20, 2000, 0.3},
                                                 std::tuple{20, 100000, 0.3}, std::tuple{100, 2000, 0.04}}) {
    OrderSimulationOptions options;
    options.variables = variables;
    options.rows = rows;
    options.density = density;
    options.linearity = 1.0;
    const Simulation simulation = random_order_model(options, 0, Context());
    OrderOptions plus;
    plus.method = "olem+";
    for (const int threads : {1, 2}) {
      Context context;
      context.threads = threads;
      const double seconds = seconds_of([&] { learn_order(simulation.data, plus, {}, context); });
      fmt::print("d {} n {}: {:.2f} s on {} thread{}\n", variables, rows, seconds, threads, threads == 1 ? "" : "s");
    }
  }
}

}  // namespace
}  // namespace olem

int main(int argc, char** argv) {
  using namespace olem;
  const std::string part = argc > 1 ? argv[1] : "rows";
  const int models = argc > 2 ? std::atoi(argv[2]) : 2;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  if (part == "study") {
    std::vector<Setting> settings;
    for (const int d : {5, 10, 20}) {
      for (const double p : {0.3, 0.5, 0.8}) {
        if (d < 20 || p < 0.8) settings.push_back({d, p});
      }
    }
    run(settings, Units::kOwn, models, seed);
  } else if (part == "standardised") {
    run({{10, 0.3, 2000, {0.0, 0.5, 1.0}}}, Units::kStandardised, models, seed);
  } else if (part == "rescaled") {
    run({{5, 0.3}, {5, 0.5}, {5, 0.8}, {10, 0.3}, {10, 0.5}, {10, 0.8}}, Units::kRandom, models, seed);
  } else if (part == "rows") {
    run({{10, 0.3, 200, {0.0, 0.5, 1.0}}, {10, 0.3, 500, {0.0, 0.5, 1.0}}}, Units::kOwn, models, seed);
  } else if (part == "bermuda") {
    run_bermuda(models, seed);
  } else if (part == "units") {
    run_units({{5, 0.3}, {5, 0.5}, {5, 0.8}, {10, 0.3}, {10, 0.5}, {10, 0.8}}, models, seed);
  } else if (part == "few") {
    run_units({{10, 0.3, 200, {0.0, 0.5, 1.0}}, {10, 0.3, 500, {0.0, 0.5, 1.0}}}, models, seed);
  } else if (part == "mixed") {
    run_mixed(8, 2000, models, seed);
    run_mixed(12, 1000, models, seed);
  } else if (part == "speed") {
    run_speed();
  } else {
    fmt::print(stderr, "study, standardised, rescaled, rows, bermuda, units, few, mixed or speed, not {}\n", part);
    return 2;
  }
  return 0;
}
