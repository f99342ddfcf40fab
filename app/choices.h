#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace olem::app {

// Keeps the names that an option takes, for completions; CLI11 has no place for them that leaves messages and --help
// alone. The option must live to the end of the process.
void keep_choices(const CLI::Option& option, std::vector<std::string> names);

// The names that were kept; none for an option that takes something else.
const std::vector<std::string>& choices_of(const CLI::Option& option);

}  // namespace olem::app
