#pragma once

#include <string_view>

namespace olem {

// The version of the library, from the one place where it is written: the project line of CMakeLists.txt.
std::string_view version();

}  // namespace olem
