#include "data/csv_number.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace olem::internal {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The parts of a decimal number.
struct Decimal {
  bool negative = false;
  std::string_view digits;    // with the point, without sign and exponent
  std::string_view exponent;  // with its sign; may be empty
};

bool split_decimal(std::string_view text, Decimal& decimal) {
  std::size_t i = 0;
  const auto skip_digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - start;
  };
  const auto skip_sign = [&] {
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  };
  skip_sign();
  decimal.negative = text.starts_with('-');
  const std::size_t start = i;
  std::size_t count = skip_digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    count += skip_digits();
  }
  if (count == 0) return false;
  decimal.digits = text.substr(start, i - start);
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const std::size_t exponent_start = ++i;
    skip_sign();
    if (skip_digits() == 0) return false;
    decimal.exponent = text.substr(exponent_start, i - exponent_start);
  }
  return i == text.size();
}

// True when |number| >= 1, judged by the place of its first digit other than 0. Tells overflow from underflow, which
// std::from_chars reports alike.
bool is_large(const Decimal& decimal) {
  const std::size_t first = decimal.digits.find_first_not_of("0.");
  if (first == std::string_view::npos) return false;
  const std::size_t point = std::min(decimal.digits.find('.'), decimal.digits.size());
  const long long place = first < point ? static_cast<long long>(point - first) - 1
                                        : static_cast<long long>(point) - static_cast<long long>(first);
  std::string_view exponent_digits = decimal.exponent;
  const bool small = exponent_digits.starts_with('-');
  if (!exponent_digits.empty() && !is_digit(exponent_digits.front())) exponent_digits.remove_prefix(1);
  long long exponent = 0;
  constexpr long long kEnough = 1'000'000'000;  // far beyond the number of digits a cell can have
  for (const char c : exponent_digits) exponent = std::min(kEnough, exponent * 10 + (c - '0'));
  return place + (small ? -exponent : exponent) >= 0;
}

bool is_missing(std::string_view text) {
  constexpr std::size_t kLongest = 9;  // "-infinity"
  if (text.empty()) return true;
  if (text.size() > kLongest) return false;
  std::array<char, kLongest> lower{};
  std::transform(text.begin(), text.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string_view word(lower.data(), text.size());
  for (const std::string_view marker : {"na", "n/a", "null", "none", "?", ".", "--"}) {
    if (word == marker) return true;
  }
  const std::string_view unsigned_word = word.front() == '+' || word.front() == '-' ? word.substr(1) : word;
  return unsigned_word == "nan" || unsigned_word == "inf" || unsigned_word == "infinity";
}

}  // namespace

CellKind read_cell(std::string_view cell, double& value) {
  const std::size_t first = cell.find_first_not_of(" \t");
  if (first == std::string_view::npos) return CellKind::kMissing;
  cell = cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
  Decimal decimal;
  if (!split_decimal(cell, decimal)) return is_missing(cell) ? CellKind::kMissing : CellKind::kText;
  double magnitude = 0.0;
  const auto [stop, error] = std::from_chars(decimal.digits.data(), cell.data() + cell.size(), magnitude);
  if (error == std::errc::result_out_of_range) {
    if (is_large(decimal)) return CellKind::kTooLarge;
    magnitude = 0.0;
  }
  if (!std::isfinite(magnitude)) return CellKind::kTooLarge;
  value = decimal.negative ? -magnitude : magnitude;
  return CellKind::kNumber;
}

}  // namespace olem::internal
