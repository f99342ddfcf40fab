// Every order learner on the same simulated data (d = 10 and 20, n = 2000): seconds, peak memory and true edges turned
// round (DIV), means over the models, in one table. Each run is a process of its own, so that its memory can be read.
//   order_methods_bench [MODELS [METHOD...]]
#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "olem/error.h"
#include "olem/metrics.h"
#include "olem/order.h"
#include "olem/simulate.h"

namespace olem {
namespace {

struct Measured {
  double seconds = 0.0;
  double divergence = 0.0;
  double memory = 0.0;  // MB beyond what the process had before
};

// A line of /proc/self/status such as "VmHWM:    12345 kB", in MB.
double status_value(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key, 0) == 0) return std::strtod(line.c_str() + key.size() + 1, nullptr) / 1024.0;
  }
  return 0.0;
}

// What is in memory now, from which on the peak is counted.
double start_counting() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  return status_value("VmRSS");
}

// In a child, so that one method's memory does not hide another's.
Measured measure(const std::string& method, const Simulation& simulation) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    const double before = start_counting();
    OrderOptions options;
    options.method = method;
    Measured own;
    const auto start = std::chrono::steady_clock::now();
    const OrderResult result = learn_order(simulation.data, options, {}, Context());
    own.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    own.divergence = static_cast<double>(order_divergence(true_dag(simulation.model), result.order));
    own.memory = status_value("VmHWM") - before;
    const bool written = write(ends[1], &own, sizeof own) == sizeof own;
    _exit(written ? 0 : 1);
  }
  Measured measured;
  const bool told = read(ends[0], &measured, sizeof measured) == sizeof measured;
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  if (!told || status != 0) {
    fmt::print(stderr, "{} failed\n", method);
    std::exit(1);
  }
  return measured;
}

void compare(int variables, int models, const std::vector<std::string>& methods) {
  fmt::print("\nd = {}, n = 2000, density 0.3, linearity 0.5, beta noise, mean of {} models\n\n", variables, models);
  fmt::print("{:<10}{:>10}{:>14}{:>8}{:>14}\n", "method", "seconds", "memory, MB", "DIV", "time / olem");
  OrderSimulationOptions options;
  options.variables = variables;
  std::vector<Simulation> simulations;
  for (int m = 0; m < models; ++m) {
    // Without threads of its own: they would not survive the fork.
    Context serial;
    serial.threads = 1;
    simulations.push_back(random_order_model(options, static_cast<std::uint64_t>(m), serial));
  }
  double olem_seconds = 0.0;
  for (const std::string& method : methods) {
    Measured mean;
    for (const Simulation& simulation : simulations) {
      const Measured one = measure(method, simulation);
      mean.seconds += one.seconds / models;
      mean.divergence += one.divergence / models;
      mean.memory = std::max(mean.memory, one.memory);
    }
    if (method == "olem") olem_seconds = mean.seconds;
    fmt::print("{:<10}{:>10.3f}{:>14.1f}{:>8.2f}{:>14.1f}\n", method, mean.seconds, mean.memory, mean.divergence,
               olem_seconds > 0.0 ? mean.seconds / olem_seconds : 0.0);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace olem

int main(int argc, char** argv) {
  const int models = argc > 1 ? std::atoi(argv[1]) : 3;
  std::vector<std::string> methods;
  for (int i = 2; i < argc; ++i) methods.emplace_back(argv[i]);
  if (methods.empty()) {
    for (const olem::OrderLearnerKind& kind : olem::order_learners()) methods.push_back(kind.name);
  }
  for (const int variables : {10, 20}) olem::compare(variables, models, methods);
}
