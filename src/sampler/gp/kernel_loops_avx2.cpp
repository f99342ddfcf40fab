#if defined(__x86_64__)

#include "sampler/gp/kernel_loops_body.h"

namespace olem::internal::sampling {

const KernelLoops& avx2_loops() { return kLoops; }

}  // namespace olem::internal::sampling

#endif
