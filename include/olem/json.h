#pragma once

#include <nlohmann/json_fwd.hpp>

namespace olem {

// Keys keep the order in which they were written.
using Json = nlohmann::ordered_json;

}  // namespace olem
