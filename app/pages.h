#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace olem::app {

// What can be read off the command line `app`, whose verbs all have their flags. Same command line, same bytes.

struct Page {
  std::string path;  // below share/ of an installation
  std::string text;
};

// olem(1), and a page for each verb such as olem-order(1), in roff with the macros of man(7).
std::vector<Page> manual_pages(const CLI::App& app);

// Scripts for a shell that complete verbs, flags, names that a flag takes, files and folders.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

// What the functions that make the pages ask of an option.
enum class ValueKind { kNone, kChoice, kFile, kFolder, kOther };
ValueKind value_kind(const CLI::Option& option);

// A verb, or a verb and its kind: "order", "simulate auf".
struct CommandPath {
  std::string words;
  const CLI::App* app = nullptr;
};

// All that take flags, in the order of --help.
std::vector<CommandPath> command_paths(const CLI::App& app);

}  // namespace olem::app
