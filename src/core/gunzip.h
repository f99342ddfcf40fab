#pragma once

#include <string>
#include <string_view>

#include "olem/context.h"

namespace olem::internal {

// Whether the bytes begin like a gzip file.
bool is_gzip(std::string_view bytes);

// What a gzip file holds, also one of several parts one after the other. Throws a data error that begins with `source`
// when it is damaged or cut off, and a resource error when the context has no memory for the result. Peak: `bytes` and
// at most 3 times the result while its size is not known beforehand.
std::string gunzip(std::string_view bytes, const std::string& source, const Context& context);

}  // namespace olem::internal
