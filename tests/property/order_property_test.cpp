#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/order.h"
#include "olem/random.h"
#include "order/olem_plus_screen.h"
#include "support/brute_force.h"
#include "support/datasets.h"

namespace olem::order_property_test {

using namespace internal;
namespace {

struct Size {
  std::size_t rows;
  std::size_t columns;
};

Size any_size() { return {*rc::gen::inRange<std::size_t>(30, 300), *rc::gen::inRange<std::size_t>(2, 9)}; }

std::uint64_t any_seed() { return *rc::gen::inRange<std::uint64_t>(0, 1000000); }

Table any_table() {
  const Size size = any_size();
  return test::linear_table(size.rows, size.columns, any_seed());
}

std::vector<std::size_t> permutation(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> result(count);
  std::iota(result.begin(), result.end(), std::size_t{0});
  RandomStream random(seed, "permutation");
  for (std::size_t i = count; i > 1; --i) std::swap(result[i - 1], result[random.below(i)]);
  return result;
}

Order order_of(const Table& table, int threads = 1) {
  Context context;
  context.threads = threads;
  return learn_order_olem(table, {}, {}, context).order;
}

Table transformed(const Table& table, const std::function<double(double, std::size_t)>& change) {
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t j = 0; j < table.columns(); ++j) {
    for (std::size_t i = 0; i < table.rows(); ++i) {
      double& value = values[j * table.rows() + i];
      value = change(value, j);
    }
  }
  return {table.names(), std::move(values)};
}

RC_GTEST_PROP(Neighbours, TreeAndSweepFindTheDistancesOfAllPairs, ()) {
  const Table linear = any_table();
  // Half of the tables are rounded, so that points coincide.
  const bool rounded = *rc::gen::arbitrary<bool>();
  const Table table =
      rounded ? transformed(linear, [](double x, std::size_t) { return std::round(2.0 * x) / 2.0; }) : linear;
  LeaveOneOutNeighbours::Options options;
  options.k = *rc::gen::inRange(1, 4);
  options.zeros = *rc::gen::element(ZeroRule::kKeep, ZeroRule::kIgnore);
  options.instruction_set = *rc::gen::element(InstructionSet::kAuto, InstructionSet::kPortable);
  Context context;
  context.threads = *rc::gen::inRange(1, 4);
  const ColumnSpans columns = test::columns_of(table);
  const std::size_t removed = *rc::gen::inRange<std::size_t>(0, table.columns());
  for (const NeighbourEngine engine : {NeighbourEngine::kSweep, NeighbourEngine::kTree}) {
    options.engine = engine;
    LeaveOneOutNeighbours neighbours(columns, options);
    ColumnSpans left = columns;
    for (int step = 0; step < 2 && !left.empty(); ++step) {
      neighbours.evaluate(context, [](double) {});
      const auto joint = neighbours.joint();
      RC_ASSERT(std::equal(joint.begin(), joint.end(), test::brute_force(left, options.k, options.zeros).begin()));
      for (std::size_t v = 0; v < left.size() && left.size() > 1; ++v) {
        const auto expected = test::brute_force(test::without(left, v), options.k, options.zeros);
        const auto found = neighbours.without(v);
        RC_ASSERT(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
      }
      if (step > 0) break;
      neighbours.remove(context, removed);
      left = test::without(left, removed);
    }
  }
}

RC_GTEST_PROP(Olem, PermutingColumnsPermutesTheOrder, ()) {
  const Table table = any_table();
  RC_ASSERT(order_of(table.with_columns(permutation(table.columns(), any_seed()))) == order_of(table));
}

RC_GTEST_PROP(Olem, PermutingRowsChangesNothing, ()) {
  const Table table = any_table();
  RC_ASSERT(order_of(table.with_rows(permutation(table.rows(), any_seed()))) == order_of(table));
}

RC_GTEST_PROP(Olem, ShiftingColumnsChangesNothing, ()) {
  const Table table = any_table();
  RandomStream random(any_seed(), "shift");
  std::vector<double> shift(table.columns());
  for (double& s : shift) s = random.uniform(-100.0, 100.0);
  RC_ASSERT(order_of(transformed(table, [&](double x, std::size_t j) { return x + shift[j]; })) == order_of(table));
}

RC_GTEST_PROP(Olem, ScalingAllColumnsByOneFactorChangesNothing, ()) {
  const Table table = any_table();
  const double factor = std::exp(RandomStream(any_seed(), "factor").uniform(-20.0, 20.0));
  RC_ASSERT(order_of(transformed(table, [&](double x, std::size_t) { return factor * x; })) == order_of(table));
}

RC_GTEST_PROP(Olem, ThreadsGiveEqualBytes, ()) {
  const Table table = any_table();
  OrderOptions options;
  options.bootstrap = *rc::gen::element(0, 3);
  options.olem.entropy.estimator = *rc::gen::element<std::string>("kl", "weighted", "ensemble", "gaussian");
  RC_PRE(options.olem.entropy.estimator == "kl" || table.rows() >= 100);
  std::string first;
  for (const int threads : {1, 2, 8}) {
    Context context;
    context.threads = threads;
    const std::string bytes = to_json(learn_order(table, options, {}, context)).dump();
    if (first.empty()) first = bytes;
    RC_ASSERT(bytes == first);
  }
}

RC_GTEST_PROP(Olem, TiersAndPairsHold, ()) {
  const Table table = any_table();
  const auto places = permutation(table.columns(), any_seed());
  Knowledge knowledge;
  knowledge.tiers.resize(3);
  for (std::size_t i = 0; i < places.size(); ++i) {
    knowledge.tiers[3 * i / places.size()].push_back(table.name(places[i]));
  }
  for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
    knowledge.before.emplace_back(table.name(places[i]), table.name(places[i + 1]));
  }
  const Precedence precedence(knowledge, table.names());
  const Order order = learn_order_olem(table, {}, precedence, Context()).order;
  for (std::size_t a = 0; a < order.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) RC_ASSERT(!precedence.precedes(table.index(order[a]), table.index(order[b])));
  }
}

// Columns of which some are noisy copies or levels of others, so that blocks are dropped alone and needed together.
Table any_redundant_table() {
  const Size size = {*rc::gen::inRange<std::size_t>(60, 900), *rc::gen::inRange<std::size_t>(3, 8)};
  const Table linear = test::linear_table(size.rows, size.columns, any_seed());
  RandomStream random(any_seed(), "copies");
  std::vector<double> values(linear.values().begin(), linear.values().end());
  std::vector<std::string> names = linear.names();
  std::vector<Column> about(size.columns);
  const std::size_t copies = *rc::gen::inRange<std::size_t>(1, 3);
  for (std::size_t c = 0; c < copies; ++c) {
    const auto of = linear.column(random.below(size.columns));
    const bool levels = *rc::gen::arbitrary<bool>();
    const double noise = *rc::gen::element(0.003, 0.03, 0.3);
    for (const double value : of) {
      values.push_back(levels ? std::clamp(std::round(value), -1.0, 1.0) : value + noise * random.normal());
    }
    names.push_back("copy" + std::to_string(c));
    Column& own = about.emplace_back();
    if (!levels) continue;
    own.type = ColumnType::kCategory;
    own.levels = {{-1.0, "low"}, {0.0, "middle"}, {1.0, "high"}};
  }
  return {names, values, "", about};
}

RC_GTEST_PROP(OlemPlusScreen, PathsKeepTheSamePredecessors, ()) {
  const Table table = any_redundant_table();
  const PlusColumns columns = prepare_plus_columns(table, {}, Context());
  const std::vector<std::size_t> order = permutation(table.columns(), any_seed());
  const std::size_t target = order.back();
  const std::size_t added = order[order.size() - 2];
  const std::span<const std::size_t> others(order.data(), order.size() - 2);
  PrefixScreen screen(columns, others);
  screen.prepare();
  for (std::size_t count = 0; count <= others.size(); ++count) {
    std::vector<std::size_t> before(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(before.begin(), before.end());
    RC_ASSERT(screen.active(target, count) == active_predecessors(columns, target, before));
    before.insert(std::upper_bound(before.begin(), before.end(), added), added);
    RC_ASSERT(screen.active_with(target, count, added) == active_predecessors(columns, target, before));
  }
}

}  // namespace
}  // namespace olem::order_property_test
