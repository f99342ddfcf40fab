#pragma once

#include <vector>

#include "olem/graph.h"
#include "olem/independence.h"

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

inline Context one_thread() {
  Context context;
  context.threads = 1;
  return context;
}

}  // namespace olem::test
