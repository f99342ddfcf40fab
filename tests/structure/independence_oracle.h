#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/independence.h"
#include "olem/random.h"

namespace olem::test {

// Knows what is independent in a DAG: the p-value is 1 for d-separated nodes and 0 for others. Nodes 0, 1, ... of the
// test are `observed` in the DAG; the others are hidden. The DAG must outlive the test.
inline IndependenceTest oracle(const Dag& dag, std::vector<std::size_t> observed) {
  IndependenceTest test;
  test.p_value = [&dag, observed](std::size_t i, std::size_t j, std::span<const std::size_t> given) {
    const std::size_t a[] = {observed[i]};
    const std::size_t b[] = {observed[j]};
    std::vector<std::size_t> held;
    for (const std::size_t c : given) held.push_back(observed[c]);
    return d_separated(dag, a, b, held) ? 1.0 : 0.0;
  };
  return test;
}

inline IndependenceTest oracle(const Dag& dag) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < dag.size(); ++i) all.push_back(i);
  return oracle(dag, all);
}

// What no graph does: a square 0 - 1 - 2 - 3 - 0 without colliders, and 4 - 1 that makes one, 0 -> 1 <- 4. The rules of
// the learners then direct 1 -> 2 -> 3 -> 0, round in a circle.
inline IndependenceTest contradictory_square() {
  IndependenceTest test;
  test.p_value = [](std::size_t i, std::size_t j, std::span<const std::size_t> given) {
    const auto holds = [&](std::size_t v) { return std::find(given.begin(), given.end(), v) != given.end(); };
    if (i == 0 && j == 2) return holds(1) && holds(3) ? 0.5 : 0.0;
    if (i == 1 && j == 3) return holds(0) && holds(2) ? 0.5 : 0.0;
    if (j == 4) return i == 1 ? 0.0 : i == 0 ? 0.9 : holds(1) ? 0.5 : 0.0;
    return 0.0;
  };
  return test;
}

// A test that says anything: its p-values are random numbers, though always the same ones for the same question about
// `labels`. What a learner promises must hold with it as well.
inline IndependenceTest noise_test(std::uint64_t seed, std::vector<std::size_t> labels) {
  IndependenceTest test;
  test.p_value = [seed, labels](std::size_t i, std::size_t j, std::span<const std::size_t> given) {
    std::uint64_t question = (std::uint64_t{1} << labels[i]) | (std::uint64_t{1} << labels[j]);
    for (const std::size_t c : given) question |= std::uint64_t{1} << (20 + labels[c]);
    // Below the level four times in five, so that many edges stay.
    return RandomStream(seed, "noise test", question).uniform(0.0, 0.0625);
  };
  return test;
}

inline std::vector<std::size_t> random_labels(std::size_t size, std::uint64_t seed) {
  RandomStream random(seed, "labels");
  std::vector<std::size_t> labels(size);
  for (std::size_t i = 0; i < size; ++i) labels[i] = i;
  for (std::size_t i = size; i > 1; --i) std::swap(labels[i - 1], labels[random.below(i)]);
  return labels;
}

inline std::vector<std::string> names_of(const std::vector<std::size_t>& labels) {
  std::vector<std::string> names;
  for (const std::size_t label : labels) names.push_back("x" + std::to_string(label));
  return names;
}

inline Context one_thread() {
  Context context;
  context.threads = 1;
  return context;
}

}  // namespace olem::test
