#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace olem::app {

// The flags that `--help` of a verb shows, in this order, without dashes; `--help-all` shows all by group. Empty: the
// verb has so few that both show all.
std::vector<std::string> first_flags(const std::string& verb);

// Makes the pages of --help and --help-all.
std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace olem::app
