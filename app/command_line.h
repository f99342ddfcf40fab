#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace olem::app {

// Replaces --config FILE by the options in the file, each as a flag behind the verb; keys that are also given as flags
// are left out, so that flags win. Throws a file, data or usage error.
std::vector<std::string> expand_config(std::vector<std::string> arguments);

// What to tell a person whose command line was not understood, with the nearest flag or verb when there is one.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& arguments);

}  // namespace olem::app
