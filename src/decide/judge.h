#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/prepared_problem.h"

namespace olem::internal {

// A decision on draws that no search has seen.
struct Judged {
  Setting setting;
  FoundBy found_by = FoundBy::kNoAction;
  std::vector<unsigned char> inside;  // per draw: the outcomes are in the region
  double success = 0.0;
  double cost = 0.0;
};

// How much more often one decision succeeds than another, with the standard error of that on the draws they share.
struct Gain {
  double mean = 0.0;
  double standard_error = 0.0;
};
Gain gain(const Judged& decision, const Judged& other);

class Judge {
 public:
  // Keeps the reference.
  Judge(const PreparedProblem& prepared, int draws, DrawStream stream)
      : prepared_(prepared), draws_(draws), stream_(stream) {}

  // Draws what differs from the latest decision that was judged.
  Judged judge(Setting setting, FoundBy found_by);

  // Takes back alterations that hardly matter, those that seem to matter least first: a change costs effort, and where
  // it makes no visible difference its value is chance. With a target as long as that is still reached; otherwise as
  // long as all that was taken back gains no more than 0.003 beyond one standard error. Nothing beyond `which` is taken
  // back, and no variable whose domain is one value, as of those that are fixed.
  Judged release(const Judged& decision, const Subset& which, std::optional<double> target);

  // Of the alterations of a decision those that release() could take back without a target, here or with more draws:
  // all whose worth is not plain already.
  Subset doubtful(const Judged& decision);

 private:
  bool has_choice(std::size_t variable) const { return prepared_.box().low[variable] < prepared_.box().high[variable]; }
  Judged without(const Judged& decision, std::size_t variable);

  const PreparedProblem& prepared_;
  int draws_;
  DrawStream stream_;
  Subset altered_;
  std::optional<PostDecisionSampler> sampler_;  // of altered_
};

}  // namespace olem::internal
