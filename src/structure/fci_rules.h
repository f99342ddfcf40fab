#pragma once

#include "olem/context.h"
#include "olem/graph.h"
#include "olem/independence.h"

namespace olem::internal {

// R0: an arrow at k on both edges of i *-* k *-* j when i and j are not adjacent and k does not separate them.
void orient_colliders(MixedGraph& pag, const SeparatingSets& separated);

// Sets circles by the rules R1 to R4 and R8 to R10 of Zhang (2008) until none applies. Each rule is applied to all
// places at once; where it would set an arrow and a tail, which no graph allows, the arrow is set. Every pair that is
// not adjacent must have a separating set. Worst case exponential in R9 and R10, which look for uncovered paths;
// interruption is checked.
void orient_marks(MixedGraph& pag, const SeparatingSets& separated, const Context& context);

}  // namespace olem::internal
