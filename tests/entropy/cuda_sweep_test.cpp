#include "entropy/cuda_sweep.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "entropy/spatial_order.h"
#include "olem/error.h"
#include "support/brute_force.h"
#include "support/datasets.h"

namespace olem::cuda_sweep_test {

using namespace internal;
namespace {

const auto kNoProgress = [](double) {};

LeaveOneOutNeighbours::Options on(Device device, int k = 1) {
  LeaveOneOutNeighbours::Options options;
  options.k = k;
  options.device = device;
  return options;
}

class CudaSweepTest : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device().door == nullptr) GTEST_SKIP() << "no CUDA device: " << cuda_device().name;
  }
};

// Takes columns away from the middle and compares every distance of every step with the processor's, bit for bit.
void expect_same_bits(const Table& table) {
  const Context context;
  const ColumnSpans columns = test::columns_of(table);
  LeaveOneOutNeighbours device(columns, on(Device::kCuda));
  LeaveOneOutNeighbours processor(columns, on(Device::kCpu));
  for (std::size_t left = columns.size(); left > 1; --left) {
    device.evaluate(context, kNoProgress);
    processor.evaluate(context, kNoProgress);
    for (std::size_t v = 0; v <= left; ++v) {
      const auto found = v == left ? device.joint() : device.without(v);
      const auto expected = v == left ? processor.joint() : processor.without(v);
      ASSERT_EQ(std::vector<double>(found.begin(), found.end()), std::vector<double>(expected.begin(), expected.end()))
          << left << " columns, without " << v;
    }
    device.remove(context, left / 2);
    processor.remove(context, left / 2);
  }
}

// Applies `change` to every value; it gets the value, its row and its column.
template <class Change>
Table changed(const Table& table, Change change) {
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = change(values[i], i % table.rows(), i / table.rows());
  return {table.names(), std::move(values)};
}

TEST_F(CudaSweepTest, FiveDataSetsHaveTheBitsOfTheProcessor) {
  expect_same_bits(test::normal_table(20000, 20, 1));
  expect_same_bits(test::linear_table(5003, 12, 2));
  // Rounded: many distances are equal or zero.
  expect_same_bits(changed(test::normal_table(3000, 6, 3),
                           [](double x, std::size_t, std::size_t) { return std::round(2.0 * x) / 2.0; }));
  // Columns of very different size and offset.
  const double scale[6] = {1.0, 1e-9, 1e6, 1.0, 1e3, 1e-3};
  const double offset[6] = {1e9, 0.0, -1e12, 3.0, 0.0, 1e5};
  expect_same_bits(changed(test::normal_table(2000, 6, 4),
                           [&](double x, std::size_t, std::size_t v) { return x * scale[v] + offset[v]; }));
  // Two outliers take all resolution away from the filter.
  expect_same_bits(changed(test::normal_table(2000, 5, 5), [](double x, std::size_t row, std::size_t) {
    if (row < 2) return row == 0 ? 1e6 : -1e6;
    return 7e5 + 0.05 * x;
  }));
}

TEST_F(CudaSweepTest, FewPointsAndManyColumnsHaveThemToo) {
  expect_same_bits(test::normal_table(2, 3, 2));
  expect_same_bits(test::normal_table(33, 4, 2));
  expect_same_bits(test::linear_table(300, 70, 4));
}

TEST_F(CudaSweepTest, InterruptionEndsASweep) {
  const Table table = test::normal_table(3000, 10, 1);
  std::atomic<bool> stop{true};
  Context context;
  context.interrupt = &stop;
  LeaveOneOutNeighbours neighbours(test::columns_of(table), on(Device::kCuda));
  EXPECT_THROW(neighbours.evaluate(context, kNoProgress), Error);
}

TEST(Device, IsRefusedForWhatItCannotDo) {
  const Table table = test::normal_table(50, 4, 1);
  const Context context;
  LeaveOneOutNeighbours::Options tree = on(Device::kCuda);
  tree.engine = NeighbourEngine::kTree;
  for (const auto& options : {on(Device::kCuda, 3), tree}) {
    LeaveOneOutNeighbours neighbours(test::columns_of(table), options);
    try {
      neighbours.evaluate(context, kNoProgress);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.category(), ErrorCategory::kUsage);
      EXPECT_EQ(error.option(), "device");
      EXPECT_FALSE(error.remedies().empty());
    }
  }
}

TEST(Device, SmallSearchesStayOnTheProcessor) {
  EXPECT_FALSE(cuda_pays(2000, 20));
  EXPECT_TRUE(cuda_pays(100000, 20));
}

TEST(SpatialOrder, TilesHoldEveryRowOnceAndAreSmallerThanTheSample) {
  const Table table = test::normal_table(40000, 3, 7);  // more than one thread takes at a time
  const ColumnSpans columns = test::columns_of(table);
  constexpr std::size_t kTile = 32;
  Context one;
  one.threads = 1;
  const auto order = spatial_order(columns, kTile, Context());
  EXPECT_EQ(order, spatial_order(columns, kTile, one));
  std::vector<int> seen(table.rows());
  for (const std::uint32_t row : order) ++seen.at(row);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(table.rows()));
  double mean_width = 0.0;
  for (std::size_t first = 0; first < order.size(); first += kTile) {
    double low = columns[0][order[first]];
    double high = low;
    for (std::size_t i = first; i < std::min(order.size(), first + kTile); ++i) {
      low = std::min(low, columns[0][order[i]]);
      high = std::max(high, columns[0][order[i]]);
    }
    mean_width += (high - low) / static_cast<double>(order.size() / kTile);
  }
  // 1250 tiles in three columns are about a tenth of the sample wide in each; without order, all of it.
  EXPECT_LT(mean_width, 1.5);
}

}  // namespace
}  // namespace olem::cuda_sweep_test
