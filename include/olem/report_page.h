#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "olem/context.h"
#include "olem/json.h"

namespace olem {

// The object that a verb writes: its own keys in `result`, and around them version, verb, date (the day in UTC; that of
// SOURCE_DATE_EPOCH where it is set), options, seed, seconds and warnings.
Json result_json(const std::string& verb, const Json& result, Json options, std::uint64_t seed, double seconds,
                 const std::vector<Warning>& warnings, const Spelling& spelling = member_spelling());

// A result of olem as one HTML page that stands alone: no address, script or font outside of it, readable in light and
// dark, printed, and without colours. `result` is the object that `olem order`, `graph`, `fit`, `decide`, `explain` or
// `study` writes, or `check` about a log of decisions; all that the page shows is in it, and parts that it lacks are
// left out. `source` begins every message: a data error for what is no such object, and for parts that do not fit
// together.
std::string report_page(const Json& result, const std::string& source);

}  // namespace olem
