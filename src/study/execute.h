#pragma once

#include <functional>
#include <vector>

#include "olem/context.h"
#include "study/journal.h"
#include "study/kind.h"

namespace olem::internal {

// Cells of one batch that are still to be measured.
struct PendingBatch {
  std::size_t batch = 0;
  std::vector<std::size_t> cells;
};

// Called with every cell as soon as it is measured, one call at a time. `calling_thread` tells whether this is the
// thread that asked for the work, which alone may report progress.
using OnRecord = std::function<void(const Cell& cell, const JournalRecord& record, bool calling_thread)>;

// Measures the cells of one batch, in order. Errors get the cell's key in front; interruption passes as it is.
void measure_batch(const Batch& batch, const std::vector<std::size_t>& cells, const Context& context,
                   const std::function<void(const Cell&, const JournalRecord&)>& done);

// On the context's threads, a batch each.
void execute_on_threads(const std::vector<Batch>& batches, const std::vector<PendingBatch>& pending,
                        const OnRecord& on_record, const Context& context);

// One after the other, each with all of the context's threads: for measurements of time.
void execute_in_turn(const std::vector<Batch>& batches, const std::vector<PendingBatch>& pending,
                     const OnRecord& on_record, const Context& context);

// On the context's ranks, each of which makes this call: rank 0 hands batches to whoever is free, works itself, and
// alone calls `on_record`; `pending` is read from it only. A rank that dies takes the others with it, by mpirun.
void execute_on_ranks(const std::vector<Batch>& batches, const std::vector<PendingBatch>& pending,
                      const OnRecord& on_record, const Context& context);

}  // namespace olem::internal
