#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace olem::internal {

// What a cell holds. Infinities count as missing: neither can be computed with. kPercent is a number with a percent
// sign behind it.
enum class CellKind { kNumber, kPercent, kMissing, kTooLarge, kText };

// Reads one whole cell; surrounding spaces and tabs are ignored. A number is an optional sign, digits with at most one
// decimal mark, and an optional exponent, all in ASCII; it is rounded to the nearest double, tiny ones to 0. Without an
// exponent its whole part may be in groups of three digits between spaces (also those that do not break), apostrophes,
// or the one of point and comma that is not the decimal mark. `value` is set for kNumber and kPercent only, for "45 %"
// to 45. kTooLarge is a number beyond the range of double. Missing, in any case: the empty cell, NA, N/A, NaN, null,
// None, ?, ., --, and NaN, Inf or Infinity with a sign or without. The locale has no influence.
CellKind read_cell(std::string_view cell, double& value, char decimal = '.');

// Whether read_cell says kMissing of the cell.
bool is_missing_cell(std::string_view cell);

// What a number says about the decimal mark of its file.
enum class DecimalEvidence {
  kNone,           // no number, or one without marks
  kPoint,          // 1.5, 1,234.5, 1,234,567
  kComma,          // 1,5, 1.234,5, 1.234.567
  kPointOrGroups,  // 1.234
  kCommaOrGroups,  // 1,234
};
DecimalEvidence decimal_evidence(std::string_view cell);

// Reads the number that begins at `first` and returns where it ends, or nullptr when read_cell has to decide. The
// value is bit for bit that of read_cell.
template <char Mark = '.'>
inline const char* read_plain_number(const char* first, const char* last, double& value) {
  static constexpr double kPowerOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr std::ptrdiff_t kMaxDigits = 19;   // what 64 bits hold without overflow
  constexpr std::ptrdiff_t kMaxLength = 400;  // of what is worth a try
  constexpr std::int64_t kMaxPower = 22;      // 10^22 is the last power of ten that is a double
  constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53;
  const auto digit_at = [last](const char* p) {
    return p == last ? 10U : static_cast<unsigned>(static_cast<unsigned char>(*p)) - '0';
  };

  const char* p = first;
  const bool negative = p != last && *p == '-';
  if (p != last && (*p == '-' || *p == '+')) ++p;
  const char* const unsigned_first = p;
  std::uint64_t mantissa = 0;
  for (unsigned digit = digit_at(p); digit < 10; digit = digit_at(++p)) mantissa = mantissa * 10 + digit;
  std::ptrdiff_t digits = p - unsigned_first;
  std::int64_t power = 0;
  if (p != last && *p == Mark) {
    const char* const fraction = ++p;
    for (unsigned digit = digit_at(p); digit < 10; digit = digit_at(++p)) mantissa = mantissa * 10 + digit;
    power = fraction - p;
    digits += p - fraction;
  }
  if (digits == 0 || digits > kMaxLength) return nullptr;
  if (p != last && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool small = p != last && *p == '-';
    if (p != last && (*p == '-' || *p == '+')) ++p;
    const char* const exponent_first = p;
    int exponent = 0;
    for (unsigned digit = digit_at(p); digit < 10; digit = digit_at(++p)) {
      if (p - exponent_first == 4) return nullptr;
      exponent = exponent * 10 + static_cast<int>(digit);
    }
    if (p == exponent_first) return nullptr;
    power += small ? -exponent : exponent;
  }

  double magnitude = 0.0;
  if (digits <= kMaxDigits && mantissa <= kMaxExact && power >= -kMaxPower && power <= kMaxPower) {
    // Both operands are exact, so the one rounding of the operation is the correct rounding (Clinger 1990).
    magnitude = static_cast<double>(mantissa);
    if (power < 0) {
      magnitude /= kPowerOfTen[-power];
    } else {
      magnitude *= kPowerOfTen[power];
    }
  } else if constexpr (Mark != '.') {
    return nullptr;  // rare, and std::from_chars wants a point
  } else {
    const auto [stop, error] = std::from_chars(unsigned_first, p, magnitude);
    if (error != std::errc{} || stop != p || std::isinf(magnitude)) return nullptr;
  }
  value = negative ? -magnitude : magnitude;
  return p;
}

}  // namespace olem::internal
