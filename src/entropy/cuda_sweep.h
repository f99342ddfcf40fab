#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "entropy/cuda_door.h"
#include "entropy/neighbours.h"

namespace olem::internal {

// A CUDA device that this process can use.
struct CudaDevice {
  const CudaDoor* door = nullptr;  // null: there is none
  std::string name;                // of the device; without one, why there is none
};

// Looks once in a process: loads libolem_cuda.so and makes its device ready.
const CudaDevice& cuda_device();

// Whether the device finds these neighbours, and sooner than the processor would.
bool cuda_pays(std::size_t points, std::size_t columns);

// The sweep (see sweep.h) on a CUDA device: the nearest neighbour of every point, same bits.
class CudaSweep {
 public:
  // The columns must outlive this object. Throws a resource error when the device has too little memory.
  CudaSweep(const ColumnSpans& columns, const CudaDevice& device, const Context& context);
  ~CudaSweep();
  CudaSweep(const CudaSweep&) = delete;
  CudaSweep& operator=(const CudaSweep&) = delete;

  // `joint` is filled in the first call only.
  void evaluate(const Context& context, const std::function<void(double)>& progress, std::span<double> without,
                std::span<double> joint);
  // Call after evaluate().
  void remove(std::size_t column);

 private:
  void require(int result) const;

  const CudaDoor* door_;
  CudaSweepState* state_ = nullptr;
  bool first_step_ = true;
  std::vector<double> low_;  // least and greatest value of each column
  std::vector<double> high_;
};

}  // namespace olem::internal
