#pragma once

#include <cstddef>
#include <span>

#include "olem/context.h"
#include "order/olem_plus_fit.h"

namespace olem::internal {

// Whether this process makes the regression with this number, out of those that are made together: ranks take turns.
bool makes_fit(const Context& context, std::size_t number);

// Gives the regressions that this rank made to the others and fills in those that they made. All ranks must call it
// with as many. 4 n bytes a regression travel to every other rank. Ends with the context's interruption.
void share_fits(std::span<PlusFit* const> fits, const Context& context);

}  // namespace olem::internal
