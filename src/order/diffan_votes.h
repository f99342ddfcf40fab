#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace olem::internal {

// How one time step of the diffusion voted.
struct DiffanVote {
  std::size_t choice = 0;  // a position among the remaining variables
  std::size_t time_step = 0;
  double variance = 0.0;       // of the choice
  double next_variance = 0.0;  // the second smallest; infinite when there is none
};

// The candidate with the smallest of `variances` (one per remaining variable; candidates are positions among them,
// ascending), the first of equal ones. No vote when none of them is finite.
std::optional<DiffanVote> cast_vote(std::span<const double> variances, std::span<const std::size_t> candidates,
                                    std::size_t time_step);

// For each of `variables` remaining variables the number of votes it got, plus a fraction below 1 that is the greater
// the earlier the first of them was cast: the greatest value wins, ties go to the first vote. NaN for all without
// votes.
std::vector<double> count_votes(std::span<const DiffanVote> votes, std::size_t variables);

}  // namespace olem::internal
