#pragma once

#include <string>
#include <string_view>

#include "olem/context.h"

namespace olem::internal {

// The bytes of a file with a table, "-" for standard input, unpacked where they are compressed with gzip. Throws what
// read_file throws, and a data error with a way to convert it for a file of another kind (check_table_format).
std::string read_table_file(const std::string& path, const Context& context);

// How messages call it: the path, or "standard input".
std::string table_source(const std::string& path);

// Throws a data error that names the format and how to convert it for bytes of a file that holds data, but neither CSV
// nor .npy: spreadsheets, archives, files of statistics programs and data bases, JSON, HTML.
void check_table_format(std::string_view bytes, const std::string& source);

}  // namespace olem::internal
