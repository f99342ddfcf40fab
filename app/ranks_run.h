#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "olem/ranks.h"

namespace olem::app {

// Runs the body of a verb that can share its work: with the ranks that mpirun started, or with null in a process that
// was started alone. An error on any rank is told once, by rank 0 where it can, and ends all of them with its exit
// code, in the words of the verb.
int run_on_ranks(const CLI::App& verb, const std::function<int(const Ranks* ranks)>& body);

}  // namespace olem::app
