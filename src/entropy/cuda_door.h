#pragma once

// The interface between the library and the module for CUDA (entropy/cuda/module.cu). Plain types only: two compilers
// see it.
#include <stddef.h>
#include <stdint.h>

namespace olem::internal {

struct CudaSweepState;

// What one step of the sweep needs to know; see sweep_view.h for the meaning of the numbers.
struct CudaStep {
  const double* centre;  // of each column: between its least and its greatest value
  double scale;
  double coordinate_error;
  float shrink;
};

// Functions that can fail return 0 for success; message() then says what happened, for the calling thread.
struct CudaDoor {
  const char* (*message)();
  // Makes the device ready, which takes a fraction of a second the first time in a process; `name` is its name.
  int (*open_device)(char* name, size_t size);
  // Bytes that are free on the device.
  int (*free_memory)(size_t* bytes);
  // Columns of `points` values each, one after the other; `order` says which row of the data is at each place.
  int (*start)(const double* const* values, const uint32_t* order, size_t points, size_t columns,
               CudaSweepState** state);
  // Begins to sweep over the current columns and returns at once.
  int (*begin_step)(CudaSweepState* state, const CudaStep* step);
  // Writes the share that is done to `fraction` and whether it has ended to `ended`.
  int (*poll_step)(CudaSweepState* state, double* fraction, int* ended);
  // Ends a sweep early. Its distances mean nothing.
  void (*stop_step)(CudaSweepState* state);
  // After a step: squared distances without each column, [column][row of the data], and over all columns when `joint`
  // is not null; those are known in the first step only.
  int (*take_distances)(CudaSweepState* state, double* without, double* joint);
  int (*remove_column)(CudaSweepState* state, size_t column);
  void (*finish)(CudaSweepState* state);
};

using CudaDoorFunction = const CudaDoor* (*)();
constexpr const char* kCudaDoorSymbol = "olem_cuda_door";

}  // namespace olem::internal
