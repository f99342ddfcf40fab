#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "olem/context.h"
#include "olem/error.h"
#include "olem/table.h"

namespace olem::test {

inline Context seeded(std::uint64_t seed, int threads = 1) {
  Context context;
  context.seed = seed;
  context.threads = threads;
  return context;
}

// The same names and the same bits.
inline bool equal(const Table& a, const Table& b) {
  return a.names() == b.names() &&
         std::equal(a.values().begin(), a.values().end(), b.values().begin(), b.values().end());
}

// The action throws an Error of this category whose text contains `part`.
inline void expect_error(ErrorCategory category, const std::string& part, const std::function<void()>& action) {
  try {
    action();
    FAIL() << "no error that says: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace olem::test
