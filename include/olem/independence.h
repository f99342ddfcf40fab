#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "olem/covariance.h"
#include "olem/options.h"

namespace olem {

// A test of "i and j are independent given C", as the constraint-based learners see it.
struct IndependenceTest {
  // The p-value; `given` is ascending and holds neither i nor j. Called from several threads at once.
  std::function<double(std::size_t i, std::size_t j, std::span<const std::size_t> given)> p_value;
  // Tests given more than this many others cannot be done; -1: none can.
  long long largest_set = std::numeric_limits<long long>::max();
};

// Fisher's z for linear Gaussian data: with r the partial correlation and z = atanh r, sqrt(n - |C| - 3) |z| is
// standard normal under independence. Sets with n - |C| - 3 <= 0 are too large. The covariance must outlive the test.
IndependenceTest fisher_z_test(const Covariance& covariance);

struct IndependenceOptions {
  // Variables with a p-value above count as independent. 0.05 is what most studies use; with many rows and variables a
  // smaller value gives fewer false edges.
  double alpha = 0.05;
  // Most variables in a conditioning set; -1: any number. Tests grow exponentially with it, and their power falls.
  int max_conditioning = -1;
};

OptionSet describe(IndependenceOptions& options);

// Two variables that were found independent, and given what.
struct SeparatingSet {
  std::size_t a = 0;  // a < b
  std::size_t b = 0;
  std::vector<std::size_t> given;  // ascending
  double p_value = 0.0;
};

// All pairs found independent, sorted by a, then b.
struct SeparatingSets {
  std::vector<SeparatingSet> list;

  // Nothing when the two were never separated. O(log size).
  const SeparatingSet* find(std::size_t a, std::size_t b) const;
};

// How much was tested with conditioning sets of one size.
struct TestLevel {
  std::size_t conditioning = 0;  // size of the sets
  std::size_t tests = 0;
  std::size_t removed = 0;  // edges
};

}  // namespace olem
