#include "olem/agreement.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace olem::agreement_test {
namespace {

TEST(Agreement, TakesTheOrderWithFewestDifferingPairs) {
  const std::vector<Order> orders = {{"c", "b", "a"}, {"a", "b", "c"}, {"b", "a", "c"}, {"a", "c", "b"}};
  const Agreement agreement = most_agreeing(orders);
  EXPECT_EQ(agreement.chosen, 1U);  // 3 + 1 + 1 of the others' pairs; the others have 7, 5 and 5
  EXPECT_EQ(agreement.differing, (std::vector<std::size_t>{3, 0, 1, 1}));
  EXPECT_EQ(agreement.pairs, 3U);
  EXPECT_NEAR(to_json(agreement)["mean_differing"].get<double>(), 5.0 / 3.0, 1e-15);
}

TEST(Agreement, ComparesGraphsByPairWhateverTheOrderOfTheirNodes) {
  MixedGraph chain(std::vector<std::string>{"a", "b", "c"});
  chain.set_directed(0, 1);
  chain.set_directed(1, 2);
  MixedGraph same(std::vector<std::string>{"c", "b", "a"});
  same.set_directed(2, 1);
  same.set_directed(1, 0);
  MixedGraph turned = chain;
  turned.set_directed(1, 0);
  const Agreement agreement = most_agreeing(std::vector<MixedGraph>{turned, chain, same});
  EXPECT_EQ(agreement.chosen, 1U);
  EXPECT_EQ(agreement.differing, (std::vector<std::size_t>{1, 0, 0}));
}

}  // namespace
}  // namespace olem::agreement_test
