// How soon `olem check MODEL --data NEW.csv` names a change, and how often it names one that is not there.
//   drift_bench STREAM [rows=300] [models=4] [streams=10] [first=1] [sampler=NAME]
// STREAM: bundled (the Bermuda simulator) or step (the published stream of docs/study.md, whose noise is smaller). Each
// model is learned from `rows` rows without a change and meets `streams` streams. Two kinds of use: one check of 100
// rows, and a check after every round from the third on, where any alarm within 100 rounds counts. After 60 rows the
// effect of Omega on NEC becomes -1.4; NEC is to be named by 15 rounds later.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "olem/simulate.h"
#include "olem/update.h"
#include "simulate/streams.h"

namespace olem::bench {
namespace {

constexpr std::size_t kRounds = 100;
constexpr std::size_t kBefore = 60;
constexpr std::size_t kAfter = 15;
constexpr double kChangedEffect = -1.4;

struct DriftArguments {
  std::string stream;
  std::size_t rows = 300;
  std::size_t models = 4;
  std::size_t streams = 10;
  std::uint64_t first = 1;
  std::string sampler;
};

// Rows with the effects of one round of a stream; nobody acts.
Table stream_rows(bool changed, std::size_t rows, std::uint64_t seed) {
  const internal::LinearStream stream("step");
  const Eigen::MatrixXd effects = stream.coefficients(changed ? 1e6 : 0.0);
  RandomStream random(seed, "drift_bench");
  std::vector<double> values(stream.names().size() * rows);
  for (std::size_t i = 0; i < rows; ++i) {
    Eigen::VectorXd row = stream.draw_noise(random);
    for (Eigen::Index j = 0; j < row.size(); ++j) row[j] += effects.row(j).head(j).dot(row.head(j));
    for (std::size_t j = 0; j < stream.names().size(); ++j) values[j * rows + i] = row[static_cast<Eigen::Index>(j)];
  }
  return {stream.names(), std::move(values), "stream"};
}

Table bundled_rows(bool changed, std::size_t rows, std::uint64_t seed) {
  StructuralModel model = bermuda_model();
  StructuralNode& nec = model.nodes.back();
  for (std::size_t k = 0; k < nec.parents.size() && changed; ++k) {
    if (model.nodes[nec.parents[k]].name == "Omega") std::get<LinearFunction>(nec.function).weights[k] = kChangedEffect;
  }
  return draw_rows(model, rows, seed, {});
}

Table drawn_rows(const std::string& stream, bool changed, std::size_t rows, std::uint64_t seed) {
  return stream == "step" ? stream_rows(changed, rows, seed) : bundled_rows(changed, rows, seed);
}

// The change after the first `before` rows; the noise is the same on both sides.
Table joined_at(const Table& before, const Table& after, std::size_t step) {
  std::vector<double> values;
  for (std::size_t j = 0; j < before.columns(); ++j) {
    const auto first = before.column(j).first(step);
    const auto second = after.column(j).subspan(step);
    values.insert(values.end(), first.begin(), first.end());
    values.insert(values.end(), second.begin(), second.end());
  }
  return {before.names(), std::move(values), before.source()};
}

IncompleteTable first_rows(const Table& table, std::size_t rows) {
  std::vector<double> values;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto cells = table.column(j).first(rows);
    values.insert(values.end(), cells.begin(), cells.end());
  }
  return {Table(table.names(), std::move(values), table.source()),
          std::vector<unsigned char>(rows * table.columns(), 0)};
}

// The least p-value of any variable, or of NEC; corrected for all that one check tests.
double least_p(const DriftCheck& check, bool of_outcome) {
  double least = 1.0;
  for (const VariableDrift& one : check.variables) {
    if (!of_outcome || one.name == "NEC") least = std::min(least, one.strongest.p_value);
  }
  return least;
}

std::size_t below(const std::vector<double>& values, double level) {
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double p) { return p < level; }));
}

int run_drift(const DriftArguments& arguments) {
  Task task;
  task.context = {"Light", "Temp", "Sal"};
  for (const char* const lever : {"DIC", "TA", "Omega", "Chla", "Nutrients_PC1"})
    task.alterable.push_back({lever, -1.0, 1.0, {}});
  task.outcome = {"NEC"};
  task.desired = Region::box({{"NEC", 1.0, 2.5}});
  RehearsalOptions options;
  if (!arguments.sampler.empty()) options.samplers.sampler = arguments.sampler;
  std::vector<double> once;           // least p-value without a change, by one check of 100 rows
  std::vector<double> after_each;     // the least of all checks on the way
  std::vector<double> changed;        // with a change, by one check 15 rounds later
  std::vector<double> changed_after;  // the least of all checks in these rounds
  const std::clock_t start = std::clock();
  for (std::size_t m = 0; m < arguments.models; ++m) {
    Context context;
    context.seed = arguments.first + m;
    context.threads = 1;
    const std::uint64_t of_model = (arguments.first + m) * 100000;
    const RehearsalModel model = fit_rehearsal(task, drawn_rows(arguments.stream, false, arguments.rows, of_model),
                                               options, std::nullopt, context);
    for (std::size_t s = 0; s < arguments.streams; ++s) {
      const Table still = drawn_rows(arguments.stream, false, kRounds, of_model + 1 + s);
      double least = 1.0;
      for (std::size_t round = 3; round <= kRounds; ++round) {
        const double p = least_p(check_drift(model, first_rows(still, round), context), false);
        least = std::min(least, p);
        if (round == kRounds) once.push_back(p);
      }
      after_each.push_back(least);
      const std::uint64_t own = of_model + 1001 + s;
      const Table step = joined_at(drawn_rows(arguments.stream, false, kBefore + kAfter, own),
                                   drawn_rows(arguments.stream, true, kBefore + kAfter, own), kBefore);
      least = 1.0;
      for (std::size_t after = 1; after <= kAfter; ++after) {
        const double p = least_p(check_drift(model, first_rows(step, kBefore + after), context), true);
        least = std::min(least, p);
        if (after == kAfter) changed.push_back(p);
      }
      changed_after.push_back(least);
    }
  }
  fmt::print("{}, models of {} rows: {} streams\n", arguments.stream, arguments.rows, once.size());
  for (const double level : {0.05, 0.02, 0.01, 0.005}) {
    fmt::print("  p < {:<5}  without a change: one check of 100 rows {}, checks after each of 100 rounds {}", level,
               below(once, level), below(after_each, level));
    fmt::print("  change: one check 15 rounds later {}, checks after each of the 15 {}\n", below(changed, level),
               below(changed_after, level));
  }
  fmt::print("  CPU seconds {:.0f}\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  return 0;
}

}  // namespace
}  // namespace olem::bench

int main(int argc, char** argv) {
  using namespace olem::bench;
  DriftArguments arguments;
  if (argc < 2) {
    fmt::print(stderr, "drift_bench bundled|step [rows=N] [models=N] [streams=N] [first=SEED] [sampler=NAME]\n");
    return 2;
  }
  arguments.stream = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string key = word.substr(0, word.find('='));
    const std::string value = word.substr(word.find('=') + 1);
    if (key == "rows") arguments.rows = std::stoul(value);
    if (key == "models") arguments.models = std::stoul(value);
    if (key == "streams") arguments.streams = std::stoul(value);
    if (key == "first") arguments.first = std::stoull(value);
    if (key == "sampler") arguments.sampler = value;
  }
  return run_drift(arguments);
}
