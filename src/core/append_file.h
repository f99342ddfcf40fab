#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "olem/context.h"

namespace olem::internal {

// Adds whole lines at the end of a file, which is made where there is none. `make` is given what the file holds and
// returns the lines; the file is locked meanwhile, so that two processes add one after the other. The lines are written
// at once and reach the disk before this returns. A last line that was cut off by a crash gets its line end first. A
// file error when the file cannot be read or written.
void append_lines(const std::string& path, const std::function<std::string(std::string_view content)>& make,
                  const Context& context);

}  // namespace olem::internal
