// Conditional samplers in one run: seconds to fit, seconds per evaluation of a decision, and how honest each kind is
// where decisions push it. Prints ratios and a table.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "olem/post_decision.h"
#include "olem/random.h"
#include "olem/simulate.h"

namespace {

using olem::AufFamily;
using olem::Condition;
using olem::Context;
using olem::NoiseKind;
using olem::RandomStream;
using olem::SamplerOptions;
using olem::SamplerSet;
using olem::Simulation;

constexpr int kVariables = 15;
constexpr int kRows = 1000;

const Simulation& task(AufFamily family) {
  static std::map<AufFamily, Simulation> tasks;
  const auto found = tasks.find(family);
  if (found != tasks.end()) return found->second;
  olem::AufSimulationOptions options;
  options.family = family;
  options.noise = NoiseKind::kExponential;
  options.variables = kVariables;
  options.rows = kRows;
  options.rounds = 1;
  Context context;
  context.seed = 1;
  return tasks.emplace(family, random_auf_task(options, 0, context)).first->second;
}

SamplerSet fit_all(AufFamily family, const std::string& kind, int threads) {
  const Simulation& simulation = task(family);
  olem::Order order;
  for (const std::size_t node : causal_order(simulation.model)) order.push_back(simulation.model.nodes[node].name);
  SamplerOptions options;
  options.sampler = kind;
  Context context;
  context.threads = threads;
  return fit_samplers(simulation.data, olem::conditions_from_order(order), options, context);
}

const std::shared_ptr<const SamplerSet>& fitted(AufFamily family, const std::string& kind) {
  static std::map<std::pair<AufFamily, std::string>, std::shared_ptr<const SamplerSet>> sets;
  auto& set = sets[{family, kind}];
  if (!set) set = std::make_shared<SamplerSet>(fit_all(family, kind, 0));
  return set;
}

// 1000 outcomes of a decision on one thread, with or without the gradient by the altered variables.
void evaluate(benchmark::State& state, AufFamily family, const std::string& kind, double caution, bool gradient) {
  const Simulation& simulation = task(family);
  olem::PostDecisionPlan plan;
  for (const std::string& name : simulation.task->context) {
    plan.context.push_back({name, simulation.task->contexts.at(0, simulation.task->contexts.index(name))});
  }
  for (const auto& range : simulation.task->alterable) plan.altered.push_back(range.name);
  plan.outcomes = simulation.task->outcome;
  Context context;
  context.threads = 1;
  olem::PostDecisionSampler sampler(fitted(family, kind), plan, context);
  std::vector<double> values(plan.altered.size(), 0.3);
  std::vector<double> result(values.size());
  const std::vector<double> adjoints(plan.outcomes.size() * plan.draws, 1.0);
  sampler.sample(values, caution);
  for (auto _ : state) {
    values.front() += 1e-6;
    benchmark::DoNotOptimize(sampler.sample(values, caution).values.data());
    if (gradient) sampler.gradient(adjoints, result);
  }
}

// One conditional of the experiment: three of eleven inputs matter.
struct Conditional {
  bool linear = true;
  NoiseKind noise = NoiseKind::kBeta;
  std::uint64_t seed = 0;

  static constexpr std::size_t kInputs = 11;
  static constexpr std::size_t kHidden = 100;

  std::vector<double> slopes;          // 3
  std::vector<double> input_weights;   // hidden x 3
  std::vector<double> output_weights;  // hidden
  std::vector<double> mixing;          // of the inputs

  explicit Conditional(bool is_linear, NoiseKind kind, std::uint64_t number)
      : linear(is_linear), noise(kind), seed(number) {
    RandomStream random(seed, "bench.conditional");
    const auto weight = [&random] {
      const double size = random.uniform(0.5, 2.0);
      return random.uniform() < 0.5 ? -size : size;
    };
    for (int k = 0; k < 3; ++k) slopes.push_back(random.uniform(-1.0, 1.0));
    for (std::size_t w = 0; w < 3 * kHidden; ++w) input_weights.push_back(weight());
    for (std::size_t h = 0; h < kHidden; ++h) output_weights.push_back(weight());
    for (std::size_t k = 0; k < kInputs * kInputs; ++k) mixing.push_back(random.uniform(-0.6, 0.6));
  }

  // Inputs depend on those before them, as along an order.
  std::vector<double> draw_inputs(RandomStream& random) const {
    std::vector<double> c(kInputs);
    for (std::size_t k = 0; k < kInputs; ++k) {
      c[k] = random.normal();
      for (std::size_t j = 0; j < k; ++j) c[k] += mixing[k * kInputs + j] * c[j] / std::sqrt(static_cast<double>(k));
    }
    return c;
  }

  double mean(const std::vector<double>& c) const {
    double sum = 0.0;
    if (linear) {
      for (std::size_t k = 0; k < 3; ++k) sum += slopes[k] * c[parent(k)];
      return sum;
    }
    for (std::size_t h = 0; h < kHidden; ++h) {
      double x = 0.0;
      for (std::size_t k = 0; k < 3; ++k) x += input_weights[h * 3 + k] * c[parent(k)];
      sum += output_weights[h] / (1.0 + std::exp(-x));
    }
    return sum;
  }
  static std::size_t parent(std::size_t k) { return 2 + 4 * k; }

  double draw_noise(RandomStream& random) const {
    return noise == NoiseKind::kBeta ? random.beta(1.0, 1.2) : random.exponential(1.0);
  }
};

// Mean of |X - X'| over independent pairs from two sorted samples.
double mean_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0.0;
  std::vector<double> before(b.size() + 1, 0.0);
  std::partial_sum(b.begin(), b.end(), before.begin() + 1);
  for (const double x : a) {
    const auto below = static_cast<std::size_t>(std::upper_bound(b.begin(), b.end(), x) - b.begin());
    total +=
        x * (2.0 * static_cast<double>(below) - static_cast<double>(b.size())) - 2.0 * before[below] + before.back();
  }
  return total / static_cast<double>(a.size()) / static_cast<double>(b.size());
}

// What drawing from the model costs in CRPS over drawing from the truth: E|X - Y| - E|X - X'|/2 - E|Y - Y'|/2, without
// the pairs of a draw with itself.
double excess_crps(std::vector<double> model, std::vector<double> truth) {
  std::sort(model.begin(), model.end());
  std::sort(truth.begin(), truth.end());
  const auto own = [](const std::vector<double>& sample) {
    const auto n = static_cast<double>(sample.size());
    return mean_distance(sample, sample) * n / (n - 1.0);
  };
  return mean_distance(model, truth) - 0.5 * own(model) - 0.5 * own(truth);
}

struct Scores {
  double inside = 0.0;   // inputs as in the data
  double decided = 0.0;  // two parents set anywhere within mean +- 2 standard deviations
};

Scores score(const Conditional& conditional, const std::string& kind) {
  constexpr std::size_t kInputs = Conditional::kInputs;
  RandomStream random(conditional.seed, "bench.rows");
  std::vector<std::vector<double>> columns(kInputs + 1, std::vector<double>(kRows));
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::vector<double> c = conditional.draw_inputs(random);
    for (std::size_t k = 0; k < kInputs; ++k) columns[k][i] = c[k];
    columns[kInputs][i] = conditional.mean(c) + conditional.draw_noise(random);
  }
  std::vector<double> cells;
  std::vector<olem::VariableConditions> variables;
  std::vector<std::string> names;
  for (std::size_t k = 0; k <= kInputs; ++k) {
    cells.insert(cells.end(), columns[k].begin(), columns[k].end());
    names.push_back(fmt::format("c{}", k));
    variables.push_back({names.back(), k < kInputs ? std::vector<std::string>{} : names, k < kInputs});
  }
  variables.back().conditions.pop_back();
  SamplerOptions options;
  options.sampler = kind;
  const SamplerSet set = fit_samplers(olem::Table(names, cells), variables, options, Context());
  const olem::SamplerVariable& target = set.variables.back();

  constexpr std::size_t kPoints = 200;
  constexpr std::size_t kDraws = 1000;
  Scores scores;
  for (const bool decided : {false, true}) {
    double total = 0.0;
    for (std::size_t p = 0; p < kPoints; ++p) {
      std::vector<double> c = conditional.draw_inputs(random);
      for (std::size_t k = 0; decided && k < 2; ++k) {
        const olem::SamplerVariable& parent = set.variables[Conditional::parent(k)];
        c[Conditional::parent(k)] = parent.mean + parent.sd * random.uniform(-2.0, 2.0);
      }
      std::vector<double> standardised;
      std::vector<Condition> conditions;
      for (std::size_t k = 0; k < kInputs; ++k) standardised.push_back(set.variables[k].standardise(c[k]));
      for (const double& value : standardised) conditions.push_back({&value, true});
      std::vector<double> noise(kDraws * target.sampler->noise_entries());
      for (double& value : noise) value = random.normal();
      std::vector<double> model(kDraws);
      target.sampler->start(noise, kDraws)->sample(conditions, 1.0, model);
      std::vector<double> truth(kDraws);
      const double centre = conditional.mean(c);
      for (double& value : truth) value = target.standardise(centre + conditional.draw_noise(random));
      total += excess_crps(std::move(model), std::move(truth));
    }
    (decided ? scores.decided : scores.inside) = total / kPoints;
  }
  return scores;
}

void print_honesty() {
  constexpr std::uint64_t kSeeds = 5;
  fmt::print("\nexcess CRPS in standard deviations of the target, mean over {} seeds: in the data / two parents set\n",
             kSeeds);
  for (const bool linear : {true, false}) {
    for (const NoiseKind noise : {NoiseKind::kBeta, NoiseKind::kExponential}) {
      fmt::print("{:<20}",
                 fmt::format("{}, {}", linear ? "linear" : "mlp", noise == NoiseKind::kBeta ? "beta" : "exponential"));
      for (const olem::SamplerKind& kind : olem::sampler_kinds()) {
        if (kind.suits != nullptr) continue;  // models of discrete columns
        Scores sum;
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
          const Scores one = score(Conditional(linear, noise, seed), kind.name);
          sum.inside += one.inside / kSeeds;
          sum.decided += one.decided / kSeeds;
        }
        fmt::print("   {:<7} {:.4f} / {:.4f}", kind.name, sum.inside, sum.decided);
      }
      fmt::print("\n");
    }
  }
}

// Remembers every time, to print the ratios at the end.
class Ratios : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {  // NOLINT(readability-identifier-naming): Google Benchmark's
    for (const Run& run : runs)
      seconds_[run.benchmark_name()] = run.cpu_accumulated_time / static_cast<double>(run.iterations);
    ConsoleReporter::ReportRuns(runs);
  }
  void print(const std::string& slow, const std::string& fast) const {
    const auto a = seconds_.find(slow);
    const auto b = seconds_.find(fast);
    if (a == seconds_.end() || b == seconds_.end()) return;
    fmt::print("{:<34} / {:<34} = {:8.1f}\n", slow, fast, a->second / b->second);
  }

 private:
  std::map<std::string, double> seconds_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const std::string& name, auto function) {
    return benchmark::RegisterBenchmark(name.c_str(), function)->Unit(benchmark::kMillisecond);
  };
  for (const auto& [family, family_name] : {std::pair{AufFamily::kLinear, "linear"}, {AufFamily::kMlp, "mlp"}}) {
    for (const olem::SamplerKind& kind : olem::sampler_kinds()) {
      if (kind.suits != nullptr) continue;  // models of discrete columns
      const std::string name = kind.name;
      const AufFamily of = family;
      add(fmt::format("fit_{}_{}_data", name, family_name),
          [=](auto& state) {
            for (auto _ : state) benchmark::DoNotOptimize(fit_all(of, name, 2).variables.data());
          })
          ->Iterations(1)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
      add(fmt::format("gradient_{}_{}_data", name, family_name),
          [=](auto& state) { evaluate(state, of, name, 1.0, true); });
      add(fmt::format("gradient_plug_in_{}_{}_data", name, family_name),
          [=](auto& state) { evaluate(state, of, name, 0.0, true); });
      add(fmt::format("sample_{}_{}_data", name, family_name),
          [=](auto& state) { evaluate(state, of, name, 1.0, false); });
    }
  }
  benchmark::Initialize(&argc, argv);
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  fmt::print("\nratio of times\n");
  for (const olem::SamplerKind& kind : olem::sampler_kinds()) {
    if (kind.suits != nullptr) continue;  // models of discrete columns
    const std::string name = fmt::format("gradient_{}_mlp_data", kind.name);
    if (kind.name != "linear") ratios.print(name, "gradient_linear_mlp_data");
    if (kind.name != "linear" && kind.name != "gp") ratios.print(name, "gradient_gp_mlp_data");
  }
  ratios.print("gradient_gp_mlp_data", "gradient_plug_in_gp_mlp_data");
  ratios.print("gradient_gp_mlp_data", "gradient_gp_linear_data");
  print_honesty();
  return 0;
}
