#include "entropy/cuda_sweep.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "entropy/filter_scale.h"
#include "entropy/spatial_order.h"
#include "olem/error.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

constexpr std::size_t kCudaTile = 32;  // points in a tile of the device
// Points times columns, squared. A device takes some tenths of a second to get ready; a processor with a few cores is
// done as soon below this.
constexpr double kWorkThatPays = 4e11;

CudaDevice find_device() {
  CudaDevice device;
  void* const module = ::dlopen("libolem_cuda.so", RTLD_NOW | RTLD_LOCAL);
  void* const symbol = module != nullptr ? ::dlsym(module, kCudaDoorSymbol) : nullptr;
  if (symbol == nullptr) {
    device.name = fmt::format("this olem was built without CUDA ({})", ::dlerror());
    return device;
  }
  const CudaDoor* const door = reinterpret_cast<CudaDoorFunction>(symbol)();
  char name[256] = "";
  if (door->open_device(name, sizeof(name)) != 0) {
    device.name = door->message();
    return device;
  }
  device.door = door;
  device.name = name;
  return device;
}

// Bytes on the device: rows twice, bounds, neighbours twice, the filter and its boxes.
std::size_t memory_on_device(std::size_t points, std::size_t columns) {
  return points * (columns + 4) * (8 + 8 + 8 + 4 + 4 + 5) + (std::size_t{1} << 24);
}

}  // namespace

const CudaDevice& cuda_device() {
  static const CudaDevice kDevice = find_device();
  return kDevice;
}

bool cuda_pays(std::size_t points, std::size_t columns) {
  const double cells = static_cast<double>(points) * static_cast<double>(columns);
  return cells * cells >= kWorkThatPays;
}

CudaSweep::CudaSweep(const ColumnSpans& columns, const CudaDevice& device, const Context& context)
    : door_(device.door) {
  const std::size_t points = columns.front().size();
  std::size_t available = 0;
  require(door_->free_memory(&available));
  const std::size_t needed = memory_on_device(points, columns.size());
  if (needed > available) {
    throw Error(ErrorCategory::kResource,
                fmt::format("The search for neighbours needs {:.1f} GB on {}, which has {:.1f} GB free.",
                            static_cast<double>(needed) * 1e-9, device.name, static_cast<double>(available) * 1e-9),
                {{"Search on the processor", "device", "cpu"}});
  }
  low_.resize(columns.size());
  high_.resize(columns.size());
  parallel_for(context, 0, columns.size(), 1, [&](std::size_t v, std::size_t) {
    const auto [low, high] = std::minmax_element(columns[v].begin(), columns[v].end());
    low_[v] = *low;
    high_[v] = *high;
  });
  const std::vector<std::uint32_t> order = spatial_order(columns, kCudaTile, context);
  std::vector<const double*> values;
  for (const std::span<const double> column : columns) values.push_back(column.data());
  require(door_->start(values.data(), order.data(), points, columns.size(), &state_));
}

CudaSweep::~CudaSweep() {
  if (state_ != nullptr) door_->finish(state_);
}

void CudaSweep::require(int result) const {
  if (result == 0) return;
  throw Error(ErrorCategory::kResource, fmt::format("The CUDA device failed: {}.", door_->message()),
              {{"Search on the processor", "device", "cpu"}});
}

void CudaSweep::evaluate(const Context& context, const std::function<void(double)>& progress, std::span<double> without,
                         std::span<double> joint) {
  constexpr std::chrono::duration<double> kShortestPause(50e-6);
  constexpr std::chrono::duration<double> kLongestPause(20e-3);
  const FilterScale scale = fine_filter_scale(low_, high_);
  std::vector<double> centre(low_.size());
  for (std::size_t v = 0; v < low_.size(); ++v) centre[v] = low_[v] / 2.0 + high_[v] / 2.0;
  const std::size_t width = low_.size() + (first_step_ ? 1 : 0);
  const CudaStep step{centre.data(), scale.scale, scale.coordinate_error, filter_shrink(width)};
  require(door_->begin_step(state_, &step));
  // Looks more rarely the longer it takes, so that the end is noticed within a few per cent of the time.
  const auto begin = std::chrono::steady_clock::now();
  for (int ended = 0; ended == 0;) {
    if (context.should_stop()) {
      door_->stop_step(state_);
      context.check_interrupt();
    }
    double fraction = 0.0;
    require(door_->poll_step(state_, &fraction, &ended));
    progress(fraction);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (ended == 0) std::this_thread::sleep_for(std::clamp(passed / 40, kShortestPause, kLongestPause));
  }
  require(door_->take_distances(state_, without.data(), first_step_ ? joint.data() : nullptr));
  first_step_ = false;
}

void CudaSweep::remove(std::size_t column) {
  require(door_->remove_column(state_, column));
  low_.erase(low_.begin() + static_cast<std::ptrdiff_t>(column));
  high_.erase(high_.begin() + static_cast<std::ptrdiff_t>(column));
}

}  // namespace olem::internal
