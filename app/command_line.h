#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace olem::app {

// Replaces --config FILE by the options in the file, each as a flag behind the verb; keys that are also given as flags
// are left out, so that flags win. A list of names may stand for names separated by commas. Throws a file error, or a
// usage error that names the file and the key.
std::vector<std::string> expand_config(const CLI::App& app, std::vector<std::string> arguments);

// What to tell a person whose command line was not understood, with the nearest flag or verb when there is one.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& arguments);

}  // namespace olem::app
