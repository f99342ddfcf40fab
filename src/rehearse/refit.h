#pragma once

#include "olem/rehearsal.h"

namespace olem::internal {

// The model fitted to other rows of the same columns with its own options, order and graph; members learn their own, as
// in a first fit.
RehearsalModel refit_rehearsal(const RehearsalModel& like, const Table& table, const Context& context);

}  // namespace olem::internal
