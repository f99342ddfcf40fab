#if defined(__x86_64__)

#include "flow/kernel_loops_body.h"

namespace olem::flow {

const KernelLoops& avx512_loops() { return kLoops; }

}  // namespace olem::flow

#endif
