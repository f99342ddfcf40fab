#pragma once

#include <functional>
#include <string>

#include "decide/prepared_problem.h"

namespace olem::internal {

// The largest set of free variables that is worth searching: those that change an outcome when all of them and the
// fixed ones are altered, and with constraints also those that share one with them or with what is fixed, since they
// may make room. May be empty.
Subset useful_variables(const PreparedProblem& prepared, const Subset& among);

// Calls search(subset) for subsets of at most `most` of the free variables: for all of them when there are few,
// otherwise along the best way found by adding one variable at a time and then exchanging one for another as long as
// that helps. `search` returns the success of the best decision of that subset, or a negative number when there is
// none. Subsets that are not `useful` are left out. Says in a sentence which of the two it did.
std::string search_subsets(const PreparedProblem& prepared, std::size_t most,
                           const std::function<double(const Subset&)>& search,
                           const std::function<bool(const Subset&)>& useful);
// The same for decisions at once, of which those are useful that are their own useful_variables().
std::string search_subsets(const PreparedProblem& prepared, std::size_t most,
                           const std::function<double(const Subset&)>& search);

}  // namespace olem::internal
