#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>

#include "olem/error.h"
#include "olem/graph_learner.h"
#include "olem/simulate.h"
#include "study/kind.h"

namespace olem::internal {

namespace {

struct Measured {
  double seconds = 0.0;
  double megabytes = 0.0;  // at the peak, beyond what the process had before
};

// A line of /proc/self/status such as "VmHWM:    12345 kB", in MB.
double status_value(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::strtod(line.c_str() + key.size() + 1, nullptr) / 1024.0;
  }
  return 0.0;
}

bool learns_order(const std::string& method) {
  for (const OrderLearnerKind& kind : order_learners()) {
    if (kind.name == method) return true;
  }
  return false;
}

Measured measure_here(const std::string& method, const Table& table, const Context& context) {
  // Gives back what was freed, and makes the peak begin anew.
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = status_value("VmRSS");
  const auto start = std::chrono::steady_clock::now();
  if (learns_order(method)) {
    OrderOptions options;
    options.method = method;
    learn_order(table, options, {}, context);
  } else {
    GraphOptions options;
    options.method = method;
    learn_graph(table, options, {}, context);
  }
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          std::max(0.0, status_value("VmHWM") - before)};
}

// A process of its own for one measurement, so that the memory of one method does not hide another's.
class Child {
 public:
  Child(const std::string& method, const Table& table, const Context& context) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("a pipe");
    process_ = ::fork();
    if (process_ < 0) {
      ::close(ends[0]);
      ::close(ends[1]);
      fail("a process");
    }
    if (process_ == 0) {
      Context own;  // with threads of its own: those of the parent did not come along
      own.threads = context.threads;
      own.seed = context.seed;
      int code = 1;
      try {
        const Measured measured = measure_here(method, table, own);
        code = ::write(ends[1], &measured, sizeof measured) == sizeof measured ? 0 : 1;
      } catch (const std::exception&) {
        code = 1;
      }
      ::_exit(code);
    }
    ::close(ends[1]);
    end_ = ends[0];
  }
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    ::close(end_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Measured wait(const Context& context) {
    constexpr int kPatienceMs = 50;
    for (;;) {
      context.check_interrupt();
      pollfd polled{end_, POLLIN, 0};
      if (::poll(&polled, 1, kPatienceMs) > 0) break;
    }
    Measured measured;
    const bool told = ::read(end_, &measured, sizeof measured) == sizeof measured;
    int status = 0;
    ::waitpid(std::exchange(process_, 0), &status, 0);
    if (!told || status != 0) throw Error(ErrorCategory::kResource, "The method failed in a process of its own.");
    return measured;
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw Error(ErrorCategory::kResource, fmt::format("Cannot start {}: {}.", what, std::strerror(errno)));
  }

  pid_t process_ = 0;
  int end_ = -1;
};

std::vector<StudyName> speed_methods() {
  std::vector<StudyName> names = order_method_names();
  names.push_back({"notears", "NOTEARS"});
  names.push_back({"ges", "GES"});
  names.push_back({"pc", "PC"});
  names.push_back({"fci", "FCI"});
  return names;
}

std::vector<Batch> plan_speed(const StudyRequest& request) {
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    OrderSimulationOptions options;
    options.variables = static_cast<int>(setting.number("d"));
    options.rows = static_cast<int>(setting.number("n"));
    for (int task = 0; task < request.tasks; ++task) {
      Batch& batch = batches.emplace_back();
      for (const std::string& method : request.methods) {
        batch.cells.push_back({setting, method, 0, task,
                               fmt::format("{} model={} method={}", setting.text(), task, method),
                               order_cost(method, options.variables, options.rows)});
      }
      batch.cost = 0.1 * options.variables * std::pow(options.rows / 2000.0, 3);
      batch.prepare = [options, seed = request.seed, text = setting.text(), task](const Context& context) {
        Context own = context.serial();
        own.seed = derived_seed(seed, text);
        const auto simulation =
            std::make_shared<const Simulation>(random_order_model(options, static_cast<std::uint64_t>(task), own));
        return [simulation](const Cell& cell, const Context& its_context) -> StudyValues {
          const Measured measured = Child(cell.method, simulation->data, its_context).wait(its_context);
          return {{"seconds", measured.seconds}, {"memory", measured.megabytes}};
        };
      };
    }
  }
  return batches;
}

}  // namespace

StudyKind speed_study() {
  StudyKind kind;
  kind.name = "speed";
  kind.help = "seconds and memory of every learner against variables and rows, on this machine";
  kind.methods = speed_methods();
  kind.metrics = {{"seconds", "seconds"}, {"memory", "MB"}};
  for (const char* const d : {"5", "10", "20"}) {
    for (const char* const n : {"500", "1000", "2000", "4000"}) {
      kind.settings.push_back(StudySetting{{"d", d}, {"n", n}});
    }
  }
  kind.axis = "n";
  kind.units_are_tasks = true;
  kind.reproducible = false;
  kind.protocol.epochs = 0;
  kind.protocol.tasks = 3;
  kind.plan = plan_speed;
  return kind;
}

}  // namespace olem::internal
