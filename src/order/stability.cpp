#include "order/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"

namespace olem::internal {

namespace {

constexpr std::size_t kFewestForHalves = 4;
constexpr int kMostDraws = 100;  // of one half-sample

bool has_constant(const Table& table) {
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto column = table.column(j);
    if (std::adjacent_find(column.begin(), column.end(), std::not_equal_to<>()) == column.end()) return true;
  }
  return false;
}

// The variables by mean position: the last is the one that fewest others follow, among those that may be last.
Order consensus_order(const OrderStability& stability, const Precedence& knowledge) {
  std::vector<std::size_t> remaining(stability.names.size());
  std::iota(remaining.begin(), remaining.end(), std::size_t{0});
  Order order;
  while (!remaining.empty()) {
    std::size_t last = remaining.size();
    double fewest = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < remaining.size(); ++p) {
      if (!knowledge.may_be_last(remaining[p], remaining)) continue;
      double followers = 0.0;
      for (const std::size_t other : remaining) followers += stability.before[remaining[p]][other];
      if (followers < fewest) {
        fewest = followers;
        last = p;
      }
    }
    order.push_back(stability.names[remaining[last]]);
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(last));
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

OrderStability measure_stability(const Table& table, int repetitions, const Precedence& knowledge, const LearnOn& learn,
                                 const Context& context) {
  const std::size_t d = table.columns();
  const auto count = static_cast<std::size_t>(repetitions);
  if (table.rows() < kFewestForHalves) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}Half-samples of the rows need at least {} rows, but there are {}.", table.prefix(),
                            kFewestForHalves, table.rows()),
                {{"Give more rows"}, {"Do without half-samples", "bootstrap", "0"}});
  }
  OrderStability stability;
  stability.repetitions = repetitions;
  stability.names = table.names();

  std::vector<std::vector<std::size_t>> positions(count);
  const auto one = [&](std::size_t repetition, const Context& own) {
    // Without replacement: drawing with replacement repeats rows, and repeated rows have distance zero.
    RandomStream random(context.seed, "bootstrap", repetition);
    const auto draw = [&] {
      return table.with_rows(random.sample_without_replacement(table.rows(), table.rows() / 2));
    };
    Table half = draw();
    // A rare level may be missing: another half then, since a column that never varies has no place.
    for (int again = 0; again < kMostDraws && has_constant(half); ++again) half = draw();
    const Order order = learn(half, own);
    auto& position = positions[repetition];
    position.resize(d);
    for (std::size_t place = 0; place < d; ++place) position[table.index(order[place])] = place;
  };
  // A batch at a time, so that the caller's thread can report how far it is.
  const Context serial = context.serial();
  const auto batch = static_cast<std::size_t>(context.thread_count());
  for (std::size_t first = 0; first < count; first += batch) {
    parallel_for(context, first, std::min(count, first + batch), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) one(r, serial);
    });
    const std::size_t done = std::min(count, first + batch);
    context.report_progress(static_cast<double>(done) / static_cast<double>(count), "half-samples");
  }

  stability.before.assign(d, std::vector<double>(d, 0.0));
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      std::size_t times = 0;
      for (const auto& position : positions) times += position[i] < position[j] ? 1U : 0U;
      stability.before[i][j] = static_cast<double>(times) / static_cast<double>(count);
    }
  }
  stability.consensus = consensus_order(stability, knowledge);
  for (std::size_t i = 0; i + 1 < d; ++i) {
    const std::size_t a = table.index(stability.consensus[i]);
    const std::size_t b = table.index(stability.consensus[i + 1]);
    stability.adjacent.push_back(stability.before[a][b]);
  }
  return stability;
}

}  // namespace olem::internal
