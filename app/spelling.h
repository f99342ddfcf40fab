#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "command_line.h"
#include "olem/remedy.h"

namespace olem::app {

// A word as a shell must be given it: in single quotes where it holds more than letters, digits and harmless signs, as
// $'...' where it holds control characters.
std::string shell_word(const std::string& word);

// The options of a parsed verb, as a person must type them. A remedy becomes the first of these that exists: a flag of
// the verb itself; the key of the task that says the same; a flag of the verb that learns what this one works with
// ("--ties NAME of olem order"). Where there is none the advice stands alone. `reads_task` is whether a task was given,
// for a verb that can do without. The verb must outlive what comes back.
Spelling flag_spelling(const CLI::App& verb, bool reads_task);
// The same, where a verb that has an argument TASK reads one.
Spelling flag_spelling(const CLI::App& verb);

// A text of the library with its references to options as flags, see spell_references.
std::string with_flags(std::string_view text);

}  // namespace olem::app
