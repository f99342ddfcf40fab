#include "entropy/neighbours.h"
#include "sampler/gp/kernel_loops_body.h"

namespace olem::internal::sampling {

const KernelLoops& portable_loops() { return kLoops; }

const KernelLoops& kernel_loops() {
#if defined(__x86_64__)
  static const InstructionSet kBest = resolve_instruction_set(InstructionSet::kAuto);
  if (kBest == InstructionSet::kAvx512) return avx512_loops();
  if (kBest == InstructionSet::kAvx2) return avx2_loops();
#endif
  return portable_loops();
}

}  // namespace olem::internal::sampling
