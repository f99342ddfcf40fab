#if defined(__x86_64__)

#include "sampler/gp/kernel_loops_body.h"

namespace olem::sampling {

const KernelLoops& avx512_loops() { return kLoops; }

}  // namespace olem::sampling

#endif
