#include "core/date.h"

#include <fmt/chrono.h>

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace olem::internal {

std::string today() {
  std::time_t seconds = std::time(nullptr);
  if (const char* const given = std::getenv("SOURCE_DATE_EPOCH")) {
    const std::string_view text = given;
    long long value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && stop == text.data() + text.size()) seconds = static_cast<std::time_t>(value);
  }
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(seconds));
}

}  // namespace olem::internal
