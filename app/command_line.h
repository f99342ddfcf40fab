#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace olem::app {

// Replaces --config FILE by the options in the file, each as a flag behind the verb; keys that are also given as flags
// are left out, so that flags win. A list of names may stand for names separated by commas. Throws a file error, or a
// usage error that names the file and the key.
std::vector<std::string> expand_config(const CLI::App& app, std::vector<std::string> arguments);

// "max_parents" -> "--max-parents"
std::string flag_name(std::string_view option);

// The option with this long name, dashes included; nullptr when the verb has none. CLI11's own search copies names in a
// function that must not throw, which ends the process when there is no memory.
const CLI::Option* find_flag(const CLI::App& verb, std::string_view flag);

// Whether the option is on the command line.
bool flag_given(const CLI::App& verb, std::string_view flag);

// That a word is no verb, with the nearest one or all of them.
std::string unknown_verb_text(const std::string& word, const std::vector<std::string>& verbs);
// The same behind a verb, which may have kinds.
std::string unknown_kind_text(const std::string& verb, const std::string& word, const std::vector<std::string>& kinds);

// What to tell a person whose command line was not understood, with the nearest flag or verb when there is one.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& arguments);

}  // namespace olem::app
