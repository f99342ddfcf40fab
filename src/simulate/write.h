#pragma once

#include <string>
#include <utility>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"
#include "olem/table.h"

namespace olem::internal {

struct NamedText {
  std::string name;
  std::string text;
};

// Levels as their words; cells that are missing, column by column, are empty.
std::string table_csv(const Table& table, const std::vector<bool>& missing, const Context& context);

// from,to of each edge.
std::string edges_csv(const std::vector<std::string>& names,
                      const std::vector<std::pair<std::size_t, std::size_t>>& edges);

// Indents the outer `depth` levels, but lists of plain values and what is further inside stay on one line: a person
// sees the shape of the file and does not scroll through a number per line.
std::string dump_indented(const Json& json, int depth, const std::string& indent = "");

// All files, or none, as write_simulation says; returns their names.
std::vector<std::string> write_files(const std::string& folder, const std::vector<NamedText>& files, bool overwrite);

}  // namespace olem::internal
