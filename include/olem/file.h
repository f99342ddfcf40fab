#pragma once

#include <string>
#include <string_view>

#include "olem/context.h"

namespace olem {

// Writes `content` so that `path` holds either all of it or what it held before: a new file beside it, fsync,
// rename, fsync of the folder. Refuses to replace an existing file unless `overwrite`. Throws a file error with
// the path and the system's reason.
void write_file_atomically(const std::string& path, std::string_view content, bool overwrite);

// Throws the error that write_file_atomically would throw at once (exists, is a folder, folder missing or not
// writable), so that a long computation does not end in vain.
void check_writable(const std::string& path, bool overwrite);

// The whole file, or standard input for "-". Throws a file error with the path and the system's reason. A wait for
// standard input ends when the context is interrupted.
std::string read_file(const std::string& path, const Context& context = {});

}  // namespace olem
