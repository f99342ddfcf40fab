#pragma once

#include "olem/graph_learner.h"
#include "olem/notears.h"

namespace olem::internal {

// What NOTEARS found in the form of every graph learner: details `weights` ([i][j] of i -> j, before the threshold),
// `threshold` (as used), `h`, `converged`, `iterations[]`; the text lists the weight of every edge.
GraphResult notears_graph(NotearsResult found, const NotearsOptions& options);

}  // namespace olem::internal
