#pragma once

#include <cstdint>

#include "core/aligned.h"
#include "entropy/neighbours.h"
#include "entropy/sweep_view.h"

namespace olem::internal {

// All leave-one-out distances of one step in one pass over the pairs. With D the squared distance over all columns,
// D - (x_v - y_v)^2 is the distance without column v, for every v at once, and D less its largest term bounds all of
// them from below. A float filter throws out the pairs that cannot improve either point; what it lets through is
// decided in double, so the result does not depend on the filter. Each step starts from the winners of the one before.
class LeaveOneOutNeighbours::Sweep {
 public:
  Sweep(const ColumnSpans& columns, const Options& options, const Context& context);

  // `joint` is filled in the first call only.
  void evaluate(const Context& context, const std::function<void(double)>& progress, std::span<double> without,
                std::span<double> joint);
  // Call after evaluate().
  void remove(const Context& context, std::size_t column);

 private:
  struct WorkerMemory;

  // The nearest neighbour alone is kept by the kernels; longer lists, or lists without zeros, are kept here.
  bool keeps_lists() const { return k_ > 1 || zeros_ == ZeroRule::kIgnore; }
  void fill_rows(const ColumnSpans& columns);
  void choose_filter();
  void fill_filter();
  void start_bounds(const Context& context);
  void run(const Context& context, const std::function<void(double)>& progress);
  const Ranks* sharing_ranks(const Context& context) const;
  void offer_to(const double* exact, std::size_t i, std::size_t j);
  void carry_bounds_over(std::size_t column, std::size_t first, std::size_t last);
  void carry_lists_over(std::size_t first_point, std::size_t last_point);
  void remove_from_rows(std::size_t column);
  sweep::View view();

  const sweep::Kernel* kernel_;
  ZeroRule zeros_;
  std::size_t points_;
  std::size_t k_;
  std::vector<std::uint32_t> original_;  // position in the sweep -> row of the data; neighbours in space are near
  std::size_t tiles_;
  std::size_t padded_tiles_;  // a whole number of tile groups
  std::size_t columns_;
  std::size_t width_;  // of a row: with the zero column that stands for "none left out" in the first step
  std::size_t stride_;
  bool first_step_ = true;

  AlignedBuffer<float> fine_;
  AlignedBuffer<std::int32_t> coarse_;
  AlignedBuffer<float> box_low_;
  AlignedBuffer<float> box_high_;
  AlignedBuffer<float> reach_;
  AlignedBuffer<float> tile_reach_;
  AlignedBuffer<double> rows_;
  AlignedBuffer<double> kth_;
  AlignedBuffer<std::uint32_t> nearest_;
  std::vector<double> distances_;                    // [point][width][k], ascending, when lists are kept
  std::vector<std::uint32_t> neighbours_;            // the same: who
  std::vector<std::vector<std::uint32_t>> winners_;  // distinct neighbours of the step before, by point

  std::vector<double> low_;  // least and greatest value of each column
  std::vector<double> high_;
  bool is_coarse_ = false;         // the filter of this step
  double scale_ = 1.0;             // data to filter units
  double coordinate_error_ = 0.0;  // filter units: bound on the error of a distance from rounding the coordinates
};

}  // namespace olem::internal
