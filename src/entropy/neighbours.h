#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/special.h"
#include "olem/context.h"
#include "olem/entropy.h"

namespace olem::internal {

class CudaSweep;

// Whether a point at distance zero counts as a neighbour (duplicate rows, rounded data).
enum class ZeroRule { kKeep, kIgnore };

// Columns of one sample, all of the same length.
using ColumnSpans = std::vector<std::span<const double>>;

// The squared distance over `columns` between points i and j: one rounding per operation, columns in order. Every
// engine reports exactly these numbers.
double squared_distance(const ColumnSpans& columns, std::size_t i, std::size_t j);

// Nearest-neighbour distances of a sample whose columns are taken away one after the other: for every point the k
// smallest squared distances to other points, over all columns and over all columns but one, for each of them.
// All engines give the same bits; missing neighbours (fewer than k points, or ignored zeros) are +infinity.
class LeaveOneOutNeighbours {
 public:
  struct Options {
    int k = 1;
    ZeroRule zeros = ZeroRule::kKeep;
    NeighbourEngine engine = NeighbourEngine::kAuto;
    InstructionSet instruction_set = InstructionSet::kAuto;
    Device device = Device::kAuto;
  };

  // The columns must outlive this object.
  LeaveOneOutNeighbours(ColumnSpans columns, const Options& options);
  ~LeaveOneOutNeighbours();
  LeaveOneOutNeighbours(const LeaveOneOutNeighbours&) = delete;
  LeaveOneOutNeighbours& operator=(const LeaveOneOutNeighbours&) = delete;

  std::size_t points() const { return points_; }
  std::size_t columns() const { return columns_.size(); }
  int k() const { return options_.k; }

  // Computes the distances of the current columns. `progress` is told the fraction done. Cost per call: at most
  // O(n^2 m) for the sweep, O(m n log n) for trees in few dimensions; memory O(n m k).
  void evaluate(const Context& context, const std::function<void(double)>& progress);

  // After evaluate(): n lists of k squared distances, ascending, point by point.
  std::span<const double> without(std::size_t column) const;
  std::span<const double> joint() const { return joint_; }

  // Takes a column away. The distances without it become the joint ones.
  void remove(const Context& context, std::size_t column);

  // Bytes that evaluate() will need at most.
  static std::size_t memory(std::size_t points, std::size_t columns, int k);

 private:
  class Sweep;

  // Whether a device takes the place of the sweep; a usage error when it cannot although it was asked for.
  bool choose_device(const Context& context) const;
  void start_sweep(const Context& context);
  void start_on_device(const Context& context);
  void evaluate_by_subsets(const Context& context, const std::function<void(double)>& progress);
  std::span<double> list(std::size_t column);

  ColumnSpans columns_;
  Options options_;
  std::size_t points_;
  std::vector<double> without_;  // [column][point][k]
  std::vector<double> joint_;    // [point][k]
  bool joint_known_ = false;
  bool started_ = false;
  std::size_t ordered_columns_ = 0;  // how many there were when the device ordered the points in space
  std::unique_ptr<Sweep> sweep_;     // one of the two, or none
  std::unique_ptr<CudaSweep> cuda_sweep_;
};

// The k smallest squared distances of every point to other points over `columns`, written to `result` [point][k]: by
// sorting in one dimension, by a k-d tree in more.
void nearest_by_sorting(std::span<const double> column, int k, ZeroRule zeros, std::span<double> result);
void nearest_by_tree(const ColumnSpans& columns, int k, ZeroRule zeros, const Context& context,
                     std::span<double> result);

// The instruction set that kAuto stands for on this machine; a usage error when an explicit one is not available.
InstructionSet resolve_instruction_set(InstructionSet wanted);

}  // namespace olem::internal
