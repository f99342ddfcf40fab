#pragma once

#include "olem/context.h"

namespace olem::bench {

inline Context with_threads(int threads) {
  Context context;
  context.threads = threads;
  return context;
}

}  // namespace olem::bench
