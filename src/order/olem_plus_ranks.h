#pragma once

#include <span>

#include "olem/context.h"
#include "order/olem_plus_fit.h"

namespace olem::internal {

// Gives the regressions that this rank made, those of makes_item(), to the others and fills in those that they made.
// All ranks must call it with as many. Alone it does nothing. 4 n bytes a regression travel to every other rank. Ends
// with the context's interruption.
void share_fits(std::span<PlusFit* const> fits, const Context& context);

}  // namespace olem::internal
