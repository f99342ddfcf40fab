#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace olem::internal {

// Files of the folder data/, compiled in so that the study needs no folder beside the executable.
std::string_view embedded_sachs_data();
std::string_view embedded_sachs_graph();
std::string_view embedded_published_sachs();
std::string_view embedded_published_figures();
std::string_view embedded_published_auf();
std::string_view embedded_published_sample_size();

// A small CSV file without quotes: the cells of each row by the name of their column.
std::vector<std::map<std::string, std::string>> embedded_rows(std::string_view csv);

// A number of such a file; an empty cell is NaN.
double embedded_number(const std::string& cell);

}  // namespace olem::internal
