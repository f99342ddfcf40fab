#pragma once

#include <cstddef>
#include <functional>

#include "olem/context.h"

namespace olem {

// Calls body(first, last) on consecutive pieces of [begin, end), each of `grain` indices but the last, on the
// context's threads. The pieces do not depend on the number of threads, so a reduction that stores one partial
// result per piece and adds them in order gives the same bits on every machine.
//
// Interruption is checked before every piece. When bodies throw, the exception of the lowest piece that throws
// is rethrown here, with any number of threads, after all running pieces have ended; higher pieces may not run. A call
// from inside a body runs in that body's thread.
void parallel_for(const Context& context, std::size_t begin, std::size_t end, std::size_t grain,
                  const std::function<void(std::size_t first, std::size_t last)>& body);

}  // namespace olem
