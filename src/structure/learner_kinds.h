#pragma once

#include "olem/graph_learner.h"

namespace olem::internal {

// The learners that search graphs rather than orders, for the registry in learn.cpp.
GraphLearnerKind ges_kind();
GraphLearnerKind pc_kind();
GraphLearnerKind fci_kind();

}  // namespace olem::internal
