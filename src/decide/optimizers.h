#pragma once

#include <string>
#include <vector>

#include "decide/search.h"
#include "olem/random.h"

namespace olem::internal {

// Good values of the altered variables of the search, each within its domain and at least one of them, by the optimiser
// that its options name. With more than one proposal wanted, optima that lie apart.
std::vector<Candidate> optimise(DecisionSearch& search, RandomStream& random);

// Of candidates the best ones that lie at least `distance` (Euclidean) from each other, at most `count`, best first.
std::vector<Candidate> best_apart(std::vector<Candidate> candidates, std::size_t count, double distance);

}  // namespace olem::internal
