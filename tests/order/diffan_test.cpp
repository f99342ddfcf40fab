#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/metrics.h"
#include "olem/order.h"
#include "olem/random.h"
#include "support/datasets.h"

namespace olem {
namespace {

// A network that trains in a moment.
DiffanOptions small() {
  DiffanOptions options;
  options.epochs = 60;
  options.warm_up = 20;
  options.narrow = 16;
  options.wide = 32;
  options.rows = 200;
  return options;
}

OrderResult learn(const Table& table, const DiffanOptions& options, const Precedence& knowledge = {},
                  std::uint64_t seed = 0, int threads = 1) {
  Context context;
  context.seed = seed;
  context.threads = threads;
  return learn_order_diffan(table, options, knowledge, context);
}

// x0 -> x1 -> ... with bent functions and Gaussian noise; columns in a shuffled order.
Table bent_chain(std::size_t rows, std::uint64_t seed) {
  std::vector<double> values(4 * rows);
  RandomStream random(seed, "bent_chain");
  for (std::size_t i = 0; i < rows; ++i) {
    double x = random.normal();
    for (const std::size_t column : {2U, 0U, 3U, 1U}) {
      values[column * rows + i] = x;
      x = 2.0 * std::sin(1.5 * x) + 0.5 * random.normal();
    }
  }
  return {{"b", "d", "a", "c"}, std::move(values)};
}

std::string bytes(const OrderResult& result) { return to_json(result).dump(); }

TEST(Diffan, OrdersABentChain) {
  DiffanOptions options = small();
  options.epochs = 400;
  options.warm_up = 50;
  options.narrow = 64;
  options.wide = 128;
  for (const DiffanVariant variant : {DiffanVariant::kResidue, DiffanVariant::kMasking}) {
    options.variant = variant;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      std::string order;
      const OrderResult result = learn(bent_chain(500, seed), options, {}, seed);
      for (const auto& n : result.order) order += n;
      std::printf("%d %d %s %s\n", (int)variant, (int)seed, order.c_str(), to_json(result).dump().c_str());
    }
  }
}

}  // namespace
}  // namespace olem
