#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "olem/options.h"

namespace olem::app {

// One method of a verb, with the options that it reads.
struct Method {
  std::string name;
  std::string help;
  OptionSet options;
};

// Adds --method, or the flag of another name that chooses, and the flags of every method; a flag that several methods
// read is added once. The structs behind the options and `chosen` must outlive the parse.
void add_method_options(CLI::App& verb, const std::vector<Method>& methods, std::string& chosen,
                        const std::string& help, const std::string& flag = "--method");

// After the parse: a flag was given that the chosen method does not read. That is a usage error which names the methods
// that do.
void check_method_options(const CLI::App& verb, const std::vector<Method>& methods, const std::string& chosen,
                          const std::string& flag = "--method");

// Adds the flag that takes the defaults of an earlier version.
void add_like_option(CLI::App& verb, std::string& like);

// After the parse: the defaults of the version `like`, if one was given, for the method that no flag chose.
void apply_like(const CLI::App& verb, const std::string& like, std::string& method);

}  // namespace olem::app
