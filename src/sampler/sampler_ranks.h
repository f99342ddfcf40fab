#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/rank_share.h"
#include "olem/sampler.h"

namespace olem::internal {

// Where a sampler that ranks share is kept, and what is doubtful about its fit; null: nobody asks.
struct SharedFit {
  std::shared_ptr<const ConditionalSampler>* sampler = nullptr;  // null: there is none with this number
  std::vector<Warning>* warnings = nullptr;
};

// Gives the samplers that this rank fitted, those of makes_item(), to the others and fills in those that they fitted,
// from their states: they draw the same bytes. All ranks must call it with as many; alone it does nothing. Ends with
// the context's interruption.
void share_samplers(std::span<const SharedFit> fits, const Context& context);

// What share_samplers sends.
void write_sampler(ByteWriter& writer, const ConditionalSampler& sampler);
std::shared_ptr<const ConditionalSampler> read_sampler(ByteReader& reader);

}  // namespace olem::internal
