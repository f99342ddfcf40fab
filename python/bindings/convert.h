#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/knowledge.h"
#include "olem/options.h"
#include "olem/table.h"

namespace olem::python {

// Options by name, each value as a user would type it on the command line.
using OptionTexts = std::map<std::string, std::string>;

// Objects become dict (keys in their order), lists list, null None; numbers keep every bit.
pybind11::object to_python(const Json& json);

// A list of {"code", "text", "where", "remedies"}; the text is finding and remedies as the call at hand spells them.
pybind11::list to_python(const std::vector<Warning>& warnings);

// A list of {"name", "kind", "help", "rule", "choices", "default"}.
pybind11::list to_python(const OptionSet& set);

// Throws a usage error for a name that is no option of the set, with the closest one, and for a value out of range.
void set_options(const OptionSet& set, const OptionTexts& values);

// What is known, from JSON text as in a knowledge file.
Precedence precedence_of(const std::string& knowledge, const Table& table);

// A text of the library itself, see spell_references, with options as keyword arguments.
std::string with_keywords(std::string_view text);

// Table and what belongs to it.
void add_table(pybind11::module_& module);
// Errors of the library become ValueError, OSError, MemoryError, KeyboardInterrupt or, for a defect, RuntimeError.
void add_errors();
void add_learning(pybind11::module_& module);
void add_graphs(pybind11::module_& module);
void add_simulation(pybind11::module_& module);
void add_decisions(pybind11::module_& module);

}  // namespace olem::python
