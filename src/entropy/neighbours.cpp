#include "entropy/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "entropy/cuda_sweep.h"
#include "entropy/sweep.h"
#include "olem/error.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

// Measured with k = 1 on normal and on linear-model data of 2000 to 160 000 rows (bench/order_bench.cpp): the boxes of
// the sweep prune so well that a tree per candidate wins only in very few dimensions with very many points.
bool tree_is_faster(std::size_t points, std::size_t columns) {
  switch (columns) {
    case 3: return points >= 15000;
    case 4: return points >= 50000;
    case 5: return points >= 100000;
    default: return false;
  }
}

// Below this many columns the boxes of the device's tiles leave out most pairs, if the tiles are compact.
constexpr std::size_t kFewColumns = 8;

}  // namespace

double squared_distance(const ColumnSpans& columns, std::size_t i, std::size_t j) {
  double sum = 0.0;
  for (const std::span<const double> column : columns) {
    const double difference = column[i] - column[j];
    sum += difference * difference;
  }
  return sum;
}

InstructionSet resolve_instruction_set(InstructionSet wanted) {
#if defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("avx512bw") != 0;
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  const bool has_avx512 = false;
  const bool has_avx2 = false;
#endif
  if (wanted == InstructionSet::kAuto) {
    if (has_avx512) return InstructionSet::kAvx512;
    return has_avx2 ? InstructionSet::kAvx2 : InstructionSet::kPortable;
  }
  if ((wanted == InstructionSet::kAvx512 && !has_avx512) || (wanted == InstructionSet::kAvx2 && !has_avx2)) {
    throw Error::of_option("instruction_set", "This machine does not have it.",
                           {{"Take the best that it has", "instruction_set", "auto"}});
  }
  return wanted;
}

LeaveOneOutNeighbours::LeaveOneOutNeighbours(ColumnSpans columns, const Options& options)
    : columns_(std::move(columns)), options_(options), points_(columns_.empty() ? 0 : columns_.front().size()) {
  check_at_least("number of columns", static_cast<long long>(columns_.size()), 1);
  check_at_least("k", options_.k, 1);
}

LeaveOneOutNeighbours::~LeaveOneOutNeighbours() = default;

std::size_t LeaveOneOutNeighbours::memory(std::size_t points, std::size_t columns, int k) {
  const std::size_t lists = static_cast<std::size_t>(k) * (8 + 8 + 4);  // result, working list, neighbours
  const std::size_t rows = 8 + 8 + 4;                                   // data, bounds, filter
  return points * (columns + 1) * (lists + rows);
}

std::span<double> LeaveOneOutNeighbours::list(std::size_t column) {
  const std::size_t size = points_ * static_cast<std::size_t>(options_.k);
  return std::span<double>(without_).subspan(column * size, size);
}

std::span<const double> LeaveOneOutNeighbours::without(std::size_t column) const {
  const std::size_t size = points_ * static_cast<std::size_t>(options_.k);
  return std::span<const double>(without_).subspan(column * size, size);
}

void LeaveOneOutNeighbours::evaluate(const Context& context, const std::function<void(double)>& progress) {
  const std::size_t size = points_ * static_cast<std::size_t>(options_.k);
  without_.assign(columns_.size() * size, std::numeric_limits<double>::infinity());
  if (!joint_known_) joint_.assign(size, std::numeric_limits<double>::infinity());
  if (!started_) start_sweep(context);
  const bool by_tree =
      options_.engine == NeighbourEngine::kTree ||
      (options_.engine == NeighbourEngine::kAuto && !cuda_sweep_ && tree_is_faster(points_, columns_.size()));
  if (by_tree || columns_.size() <= 2) {
    sweep_.reset();  // fewer columns will not need it again
    cuda_sweep_.reset();
    evaluate_by_subsets(context, progress);
  } else if (cuda_sweep_) {
    // Points that were near each other in many columns need not be in few, where it would help most.
    if (columns_.size() <= kFewColumns && 2 * columns_.size() <= ordered_columns_) start_on_device(context);
    cuda_sweep_->evaluate(context, progress, without_, joint_);
  } else {
    if (!sweep_) sweep_ = std::make_unique<Sweep>(columns_, options_, context);
    sweep_->evaluate(context, progress, without_, joint_);
  }
  joint_known_ = true;
}

bool LeaveOneOutNeighbours::choose_device(const Context& context) const {
  const bool wanted = options_.device == Device::kCuda;
  const std::vector<Remedy> remedies = {{"Search on the processor", "device", "cpu"}};
  if (options_.device == Device::kCpu) return false;
  if (options_.engine == NeighbourEngine::kTree) {
    if (wanted) throw Error::of_option("device", "A CUDA device searches without a tree.", remedies);
    return false;
  }
  if (options_.k > 1 || options_.zeros == ZeroRule::kIgnore) {
    if (wanted) {
      throw Error::of_option(
          "device", "A CUDA device finds the nearest neighbour only, and does not leave out repeated rows.", remedies);
    }
    return false;
  }
  if (wanted) {
    if (cuda_device().door == nullptr) {
      throw Error::of_option("device", fmt::format("There is no CUDA device: {}.", cuda_device().name), remedies);
    }
    return true;
  }
  // Processes that share the work must agree on how; they may run on machines with and without a device.
  return context.ranks == nullptr && cuda_pays(points_, columns_.size()) && cuda_device().door != nullptr;
}

void LeaveOneOutNeighbours::start_on_device(const Context& context) {
  cuda_sweep_.reset();  // its memory first
  cuda_sweep_ = std::make_unique<CudaSweep>(columns_, cuda_device(), context);
  ordered_columns_ = columns_.size();
}

void LeaveOneOutNeighbours::start_sweep(const Context& context) {
  started_ = true;
  if (columns_.size() <= 2 || !choose_device(context)) return;
  try {
    start_on_device(context);
    context.log_debug(fmt::format("Neighbours are searched on {}.", cuda_device().name));
  } catch (const Error& error) {
    if (options_.device == Device::kCuda || error.category() != ErrorCategory::kResource) throw;
    context.check_interrupt();
    context.log_info(fmt::format("{} The processor takes over.", error.what()));
  }
}

void LeaveOneOutNeighbours::evaluate_by_subsets(const Context& context, const std::function<void(double)>& progress) {
  const auto nearest = [&](const ColumnSpans& columns, std::span<double> result) {
    if (columns.size() == 1) {
      nearest_by_sorting(columns.front(), options_.k, options_.zeros, result);
    } else {
      nearest_by_tree(columns, options_.k, options_.zeros, context, result);
    }
  };
  if (!joint_known_) nearest(columns_, joint_);
  for (std::size_t v = 0; v < columns_.size() && columns_.size() > 1; ++v) {
    context.check_interrupt();
    ColumnSpans others = columns_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(v));
    nearest(others, list(v));
    progress(static_cast<double>(v + 1) / static_cast<double>(columns_.size()));
  }
}

void LeaveOneOutNeighbours::remove(const Context& context, std::size_t column) {
  const auto lists = without(column);
  joint_.assign(lists.begin(), lists.end());
  columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(column));
  if (sweep_) sweep_->remove(context, column);
  if (cuda_sweep_) cuda_sweep_->remove(column);
}

}  // namespace olem::internal
