#include "entropy/neighbours.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "olem/error.h"
#include "support/brute_force.h"
#include "support/datasets.h"

namespace olem::neighbours_test {

using namespace internal;
namespace {

const auto kNoProgress = [](double) {};

std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::kPortable};
  for (const InstructionSet set : {InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    try {
      sets.push_back(resolve_instruction_set(set));
    } catch (const Error&) {
      // this machine does not have it
    }
  }
  return sets;
}

struct Way {
  NeighbourEngine engine = NeighbourEngine::kSweep;
  InstructionSet instruction_set = InstructionSet::kAuto;
  int threads = 2;
};

// Takes columns away from the front and compares every list of every step, found in every way, with all pairs, bit for
// bit.
void expect_exact(const Table& table, int k, ZeroRule zeros, const std::vector<Way>& ways = {Way()}) {
  ColumnSpans columns = test::columns_of(table);
  std::vector<Context> contexts;
  std::vector<std::unique_ptr<LeaveOneOutNeighbours>> found;
  for (const Way& way : ways) {
    contexts.emplace_back().threads = way.threads;
    found.push_back(std::make_unique<LeaveOneOutNeighbours>(
        columns, LeaveOneOutNeighbours::Options{k, zeros, way.engine, way.instruction_set}));
  }
  for (; columns.size() > 1; columns = test::without(columns, 0)) {
    for (std::size_t w = 0; w < ways.size(); ++w) found[w]->evaluate(contexts[w], kNoProgress);
    for (std::size_t v = 0; v <= columns.size(); ++v) {
      const bool joint = v == columns.size();
      const auto expected = test::brute_force(joint ? columns : test::without(columns, v), k, zeros);
      for (std::size_t w = 0; w < ways.size(); ++w) {
        const auto lists = joint ? found[w]->joint() : found[w]->without(v);
        ASSERT_EQ(std::vector<double>(lists.begin(), lists.end()), expected)
            << "way " << w << ", " << columns.size() << " columns, without " << v;
      }
    }
    for (std::size_t w = 0; w < ways.size(); ++w) found[w]->remove(contexts[w], 0);
  }
}

TEST(Neighbours, EveryEngineInstructionSetAndThreadCountGivesTheDistancesOfAllPairs) {
  std::vector<Way> ways = {{NeighbourEngine::kTree, InstructionSet::kAuto, 2},
                           {NeighbourEngine::kAuto, InstructionSet::kAuto, 2}};
  for (const InstructionSet set : available_sets()) {
    for (const int threads : {1, 3}) ways.push_back({NeighbourEngine::kSweep, set, threads});
  }
  for (const int k : {1, 4}) expect_exact(test::linear_table(400, 7, 3), k, ZeroRule::kKeep, ways);
}

Table rounded_table(std::size_t rows, std::size_t columns, double step) {
  const Table table = test::normal_table(rows, columns, 11);
  std::vector<double> values(table.values().begin(), table.values().end());
  for (double& value : values) value = std::round(value / step) * step;
  return {table.names(), std::move(values)};
}

TEST(Neighbours, RepeatedPointsAreKeptOrIgnoredAsAsked) {
  const Table table = rounded_table(400, 4, 0.5);
  for (const ZeroRule zeros : {ZeroRule::kKeep, ZeroRule::kIgnore}) {
    for (const int k : {1, 3}) expect_exact(table, k, zeros, {Way(), Way{NeighbourEngine::kTree}});
  }
}

TEST(Neighbours, ColumnsOfVeryDifferentSizeAndOffsetAreExactToo) {
  const Table base = test::normal_table(300, 6, 5);
  std::vector<double> values(base.values().begin(), base.values().end());
  const double scale[6] = {1.0, 1e-9, 1e6, 1.0, 1e3, 1e-3};
  const double offset[6] = {1e9, 0.0, -1e12, 3.0, 0.0, 1e5};
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t i = 0; i < 300; ++i) values[j * 300 + i] = values[j * 300 + i] * scale[j] + offset[j];
  }
  const Table table(base.names(), std::move(values));
  std::vector<Way> ways;
  for (const InstructionSet set : available_sets()) ways.push_back({NeighbourEngine::kSweep, set, 1});
  expect_exact(table, 1, ZeroRule::kKeep, ways);
}

TEST(Neighbours, DifferencesBelowTheResolutionOfTheFilterAreExactToo) {
  // Two outliers make the filter coarse: single precision cannot tell the other points apart at all.
  const Table base = test::normal_table(300, 5, 6);
  std::vector<double> values(base.values().begin(), base.values().end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i % 300;
    values[i] = row < 2 ? (row == 0 ? 1e6 : -1e6) : 7e5 + 0.05 * values[i];
  }
  std::vector<Way> ways;
  for (const InstructionSet set : available_sets()) ways.push_back({NeighbourEngine::kSweep, set, 1});
  expect_exact({base.names(), std::move(values)}, 1, ZeroRule::kKeep, ways);
}

TEST(Neighbours, TinyAndHugeUnitsDoNotOverflowTheFilter) {
  const Table base = test::normal_table(200, 5, 8);
  for (const double unit : {1e-140, 1e140}) {
    std::vector<double> values(base.values().begin(), base.values().end());
    for (double& value : values) value *= unit;
    expect_exact({base.names(), std::move(values)}, 1, ZeroRule::kKeep);
  }
}

TEST(Neighbours, FewPointsLeaveTheRestOfAListInfinite) {
  expect_exact(test::normal_table(3, 4, 2), 4, ZeroRule::kKeep);
  expect_exact(test::normal_table(2, 3, 2), 1, ZeroRule::kKeep);
}

TEST(Neighbours, APointAtADistanceThatOverflowsHasNoNeighbour) {
  const Table base = test::normal_table(60, 4, 2);
  std::vector<double> values(base.values().begin(), base.values().end());
  values[3 * 60] = 1e200;  // the first cell of the last column
  const Table table(base.names(), std::move(values));
  const Context context;
  LeaveOneOutNeighbours neighbours(test::columns_of(table),
                                   {1, ZeroRule::kKeep, NeighbourEngine::kSweep, InstructionSet::kAuto});
  for (int left = 4; left > 1; --left) {
    neighbours.evaluate(context, kNoProgress);
    EXPECT_TRUE(std::isinf(neighbours.joint()[0])) << left;
    EXPECT_TRUE(std::isfinite(neighbours.joint()[1])) << left;
    neighbours.remove(context, 0);
  }
}

TEST(Neighbours, ManyColumnsNeedMoreThanOneVector) { expect_exact(test::linear_table(60, 70, 4), 1, ZeroRule::kKeep); }

TEST(Neighbours, SortingFindsTheNearestOnALine) {
  const std::vector<double> points = {0, 1, 3, 4, 7, 8, 12, 13};
  std::vector<double> squared(points.size() * 2);
  nearest_by_sorting(points, 2, ZeroRule::kKeep, squared);
  const std::vector<double> second = {3, 2, 2, 3, 3, 4, 4, 5};
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(squared[2 * i], 1.0);
    EXPECT_EQ(squared[2 * i + 1], second[i] * second[i]);
  }
}

TEST(Neighbours, InterruptionEndsASweep) {
  const Table table = test::normal_table(3000, 10, 1);
  std::atomic<bool> stop{true};
  Context context;
  context.interrupt = &stop;
  LeaveOneOutNeighbours neighbours(test::columns_of(table), {});
  EXPECT_THROW(neighbours.evaluate(context, kNoProgress), Error);
}

}  // namespace
}  // namespace olem::neighbours_test
