#include "core/lbfgsb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "olem/error.h"

// The library ships no header. Fortran passes everything by address, and the lengths of its two texts at the end.
extern "C" void setulb_(const int* n, const int* m, double* x, const double* l, const double* u, const int* nbd,
                        double* f, double* g, const double* factr, const double* pgtol, double* wa, int* iwa,
                        char* task, const int* iprint, char* csave, std::int32_t* lsave, int* isave, double* dsave,
                        std::size_t task_length, std::size_t csave_length);

namespace olem::internal {

namespace {

constexpr std::size_t kTextLength = 60;
constexpr int kSilent = -1;
constexpr std::size_t kIterationsDone = 29;  // place of that count in isave

// How the library writes that there are no, a lower, both or an upper bound.
int bound_code(double low, double high) {
  const bool has_low = std::isfinite(low);
  const bool has_high = std::isfinite(high);
  if (has_low) return has_high ? 2 : 1;
  return has_high ? 3 : 0;
}

struct Solver {
  std::array<char, kTextLength> task{};
  std::array<char, kTextLength> csave{};
  std::array<std::int32_t, 4> lsave{};
  std::array<int, 44> isave{};
  std::array<double, 29> dsave{};

  void set_task(std::string_view text) {
    task.fill(' ');
    std::copy(text.begin(), text.end(), task.begin());
  }
  std::string_view text() const {
    const std::string_view all(task.data(), task.size());
    return all.substr(0, all.find_last_not_of(' ') + 1);
  }
};

}  // namespace

LbfgsbResult minimise_lbfgsb(std::vector<double> start, std::span<const double> lower, std::span<const double> upper,
                             const Objective& objective, const LbfgsbOptions& options, const Context& context) {
  const std::size_t n = start.size();
  if (lower.size() != n || upper.size() != n) {
    throw Error(ErrorCategory::kInternal, "The bounds of a minimisation do not have the size of its start.");
  }
  LbfgsbResult best;
  best.value = std::numeric_limits<double>::infinity();
  if (n == 0) {
    best.value = objective({}, {});
    best.evaluations = 1;
    best.converged = true;
    return best;
  }
  std::vector<int> codes(n);
  for (std::size_t i = 0; i < n; ++i) {
    start[i] = std::clamp(start[i], lower[i], upper[i]);
    codes[i] = bound_code(lower[i], upper[i]);
  }
  const int size = static_cast<int>(n);
  const auto m = static_cast<std::size_t>(options.corrections);
  std::vector<double> gradient(n, 0.0);
  std::vector<double> work(2 * m * n + 5 * n + 11 * m * m + 8 * m);
  std::vector<int> integer_work(3 * n);
  const double factor = options.relative_reduction / std::numeric_limits<double>::epsilon();
  double value = 0.0;
  std::vector<double> x = start;
  best.x = start;

  Solver solver;
  solver.set_task("START");
  while (true) {
    setulb_(&size, &options.corrections, x.data(), lower.data(), upper.data(), codes.data(), &value, gradient.data(),
            &factor, &options.gradient_tolerance, work.data(), integer_work.data(), solver.task.data(), &kSilent,
            solver.csave.data(), solver.lsave.data(), solver.isave.data(), solver.dsave.data(), kTextLength,
            kTextLength);
    if (solver.text().starts_with("FG")) {
      context.check_interrupt();
      value = objective(x, gradient);
      ++best.evaluations;
      const bool finite = std::isfinite(value) &&
                          std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); });
      if (!finite) {
        best.message = "The function is not finite at a point that was tried.";
        return best;
      }
      if (value < best.value) {
        best.value = value;
        best.x = x;
      }
    } else if (solver.text().starts_with("NEW_X")) {
      best.iterations = solver.isave[kIterationsDone];
      if (best.iterations >= options.iterations) {
        best.message = "The limit of iterations was reached.";
        return best;
      }
    } else {
      break;
    }
  }
  best.message = std::string(solver.text());
  best.converged = solver.text().starts_with("CONV");
  return best;
}

}  // namespace olem::internal
