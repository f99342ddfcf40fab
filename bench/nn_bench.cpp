// The network of DiffAN against plain loops, in one run: prints times and ratios.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "nn/adam.h"
#include "order/diffan_derivatives.h"
#include "order/diffan_network.h"

using namespace olem::internal;

namespace {

using olem::Context;
using olem::DiffanVariant;
using olem::internal::DiffanShape;
using olem::internal::nn::Index;
using Network = olem::internal::DiffanNetwork<float>;
using Matrix = olem::internal::nn::Matrix<float>;
using Vector = std::vector<float>;

constexpr DiffanShape kShape{10, 128, 1024};

struct Step {
  Network network{kShape};
  Network::Batch batch;
  Vector weights;
  Vector gradient;

  explicit Step(Index columns) : batch(kShape, columns) {
    weights.resize(static_cast<std::size_t>(network.weight_count()));
    gradient.resize(weights.size());
    network.initialise(weights.data(), olem::RandomStream(1, "weights"));
    olem::RandomStream random(2, "batch");
    for (float& value : batch.input.reshaped()) value = static_cast<float>(random.normal());
    for (float& value : batch.target.reshaped()) value = static_cast<float>(random.normal());
  }
};

Context threads(int count) {
  Context context;
  context.threads = count;
  return context;
}

// One training step: loss, gradient, Adam.
void ours(benchmark::State& state, Index columns, int count) {
  Step step(columns);
  const Context context = threads(count);
  olem::internal::nn::Adam<float> adam(step.weights.size());
  for (auto _ : state) {
    std::fill(step.gradient.begin(), step.gradient.end(), 0.0F);
    benchmark::DoNotOptimize(
        step.network.loss(step.weights.data(), step.batch, {0.2, 1, 0}, step.gradient.data(), context));
    adam.step(step.weights, step.gradient, 1e-3, context);
  }
}

// The same by plain loops, sample by sample, weights as rows, as anybody would write it first.
struct NaiveLinear {
  std::size_t inputs;
  std::size_t outputs;
  Vector weight = Vector(inputs * outputs, 0.01F);
  Vector bias = Vector(outputs, 0.01F);
  Vector d_weight = Vector(inputs * outputs);
  Vector d_bias = Vector(outputs);

  Vector forward(const Vector& x) const {
    Vector y = bias;
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) y[o] += weight[o * inputs + i] * x[i];
    }
    return y;
  }
  Vector backward(const Vector& x, const Vector& dy) {
    Vector dx(inputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      d_bias[o] += dy[o];
      for (std::size_t i = 0; i < inputs; ++i) {
        d_weight[o * inputs + i] += dy[o] * x[i];
        dx[i] += weight[o * inputs + i] * dy[o];
      }
    }
    return dx;
  }
};

void leaky(Vector& x) {
  for (float& value : x) value = value > 0.0F ? value : 0.01F * value;
}

void leaky_backward(const Vector& y, Vector& dy) {
  for (std::size_t i = 0; i < y.size(); ++i) dy[i] *= y[i] > 0.0F ? 1.0F : 0.01F;
}

Vector normalised(const Vector& x) {
  float mean = 0.0F;
  for (const float value : x) mean += value / static_cast<float>(x.size());
  float variance = 0.0F;
  for (const float value : x) variance += (value - mean) * (value - mean) / static_cast<float>(x.size());
  Vector y = x;
  for (float& value : y) value = (value - mean) / std::sqrt(variance + 1e-5F);
  return y;
}

// Without the scale of the gradient, which costs nothing.
void normalised_backward(const Vector& y, Vector& dy) {
  float mean = 0.0F;
  float along = 0.0F;
  for (std::size_t i = 0; i < y.size(); ++i) {
    mean += dy[i] / static_cast<float>(y.size());
    along += dy[i] * y[i] / static_cast<float>(y.size());
  }
  for (std::size_t i = 0; i < y.size(); ++i) dy[i] -= mean + along * y[i];
}

void naive(benchmark::State& state, std::size_t columns) {
  std::vector<NaiveLinear> layers = {{11, 128}, {128, 1024}, {1024, 1024}, {1024, 128}, {128, 10}};
  const Vector x(11, 0.5F);
  for (auto _ : state) {
    for (std::size_t sample = 0; sample < columns; ++sample) {
      Vector h1 = layers[0].forward(x);
      leaky(h1);
      const Vector n1 = normalised(h1);
      Vector h2 = layers[1].forward(n1);
      leaky(h2);
      const Vector n2 = normalised(h2);
      Vector h3 = layers[2].forward(n2);
      leaky(h3);
      Vector h4 = layers[3].forward(h3);
      leaky(h4);
      Vector d = layers[4].forward(h4);
      d = layers[4].backward(h4, d);
      leaky_backward(h4, d);
      d = layers[3].backward(h3, d);
      leaky_backward(h3, d);
      d = layers[2].backward(n2, d);
      normalised_backward(n2, d);
      leaky_backward(h2, d);
      d = layers[1].backward(n1, d);
      normalised_backward(n1, d);
      leaky_backward(h1, d);
      benchmark::DoNotOptimize(layers[0].backward(x, d));
    }
  }
}

void product(benchmark::State& state, bool eigen) {
  const Matrix a = Matrix::Random(1024, 1024);
  const Matrix b = Matrix::Random(1024, 128);
  Matrix c(1024, 128);
  for (auto _ : state) {
    if (eigen) {
      c.noalias() = a * b;
    } else {
      olem::internal::nn::multiply<float>(a, olem::internal::nn::Form::kPlain, b, olem::internal::nn::Form::kPlain,
                                          0.0F, c);
    }
    benchmark::DoNotOptimize(c.data());
  }
}

// The diagonal of 32 points, with half of the variables removed.
void derivatives(benchmark::State& state, DiffanVariant variant) {
  const Step step(32);
  olem::internal::DiffanDerivatives<float> own(step.network, 32);
  const std::vector<std::size_t> remaining = {0, 1, 2, 3, 4};
  const std::vector<std::size_t> removed = {5, 6, 7, 8, 9};
  Eigen::MatrixXd result(5, 32);
  for (auto _ : state) {
    own.diagonal(step.weights.data(), step.batch.input, remaining, removed, variant, result);
    benchmark::DoNotOptimize(result.data());
  }
}

// What the residue would cost by central differences of the Jacobian: it is needed at two points per remaining
// variable.
void differences(benchmark::State& state) {
  const Step step(32);
  olem::internal::DiffanDerivatives<float> own(step.network, 32);
  const std::vector<std::size_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  Eigen::MatrixXd result(10, 32);
  for (auto _ : state) {
    for (int point = 0; point < 2 * 5; ++point) {
      own.diagonal(step.weights.data(), step.batch.input, all, {}, DiffanVariant::kMasking, result);
    }
    benchmark::DoNotOptimize(result.data());
  }
}

// Remembers every time, to print the ratios at the end.
class Ratios : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {  // NOLINT(readability-identifier-naming): Google Benchmark's
    for (const Run& run : runs) {
      std::string name = run.benchmark_name();
      name = name.substr(0, name.find('/'));
      seconds_[name] = run.real_accumulated_time / static_cast<double>(run.iterations);
    }
    ConsoleReporter::ReportRuns(runs);
  }
  void print(const std::string& slow, const std::string& fast) const {
    const auto a = seconds_.find(slow);
    const auto b = seconds_.find(fast);
    if (a == seconds_.end() || b == seconds_.end()) return;
    fmt::print("{:<28} / {:<28} = {:8.1f}\n", slow, fast, a->second / b->second);
  }

 private:
  std::map<std::string, double> seconds_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const std::string& name, auto function) {
    return benchmark::RegisterBenchmark(name.c_str(), function)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  add("naive_step_128", [](auto& s) { naive(s, 128); })->Iterations(1);
  add("step_128", [](auto& s) { ours(s, 128, 1); });
  add("step_1024", [](auto& s) { ours(s, 1024, 1); });
  add("step_1024_two_threads", [](auto& s) { ours(s, 1024, 2); });
  add("product_eigen", [](auto& s) { product(s, true); });
  add("product", [](auto& s) { product(s, false); });
  add("diagonal_masking", [](auto& s) { derivatives(s, DiffanVariant::kMasking); });
  add("diagonal_residue", [](auto& s) { derivatives(s, DiffanVariant::kResidue); });
  add("diagonal_differences", [](auto& s) { differences(s); });
  benchmark::Initialize(&argc, argv);
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  fmt::print("\nratio of times\n");
  ratios.print("naive_step_128", "step_128");
  ratios.print("step_1024", "step_1024_two_threads");
  ratios.print("product_eigen", "product");
  ratios.print("diagonal_differences", "diagonal_residue");
  ratios.print("diagonal_residue", "diagonal_masking");
  return 0;
}
