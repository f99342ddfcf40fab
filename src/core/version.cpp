#include "olem/version.h"

namespace olem {

std::string_view version() { return OLEM_VERSION; }

}  // namespace olem
