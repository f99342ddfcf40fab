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

// The separators of thousands that stand between digits: spaces and apostrophes in all their forms.
constexpr std::string_view kGroupMarks[] = {" ", "'", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "\xE2\x80\x99"};

std::size_t count_digits(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }

// The length of "12 345 678" at the beginning of the text, and the digits in it; 0 unless there are at least two
// groups.
std::size_t grouped_length(std::string_view text, std::string_view mark, std::string& digits) {
  constexpr std::size_t kGroup = 3;
  std::size_t length = count_digits(text);
  if (length == 0 || length > kGroup || text[0] == '0') return 0;
  digits = text.substr(0, length);
  bool several = false;
  while (text.substr(length).starts_with(mark) && count_digits(text.substr(length + mark.size())) == kGroup) {
    digits += text.substr(length + mark.size(), kGroup);
    length += mark.size() + kGroup;
    several = true;
  }
  return several ? length : 0;
}

// The number with a decimal point and without separators of thousands; "" when this is no such number.
std::string plain_form(std::string_view text, char decimal) {
  std::string plain;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    plain = text.substr(0, 1);
    text.remove_prefix(1);
  }
  const std::string_view other = decimal == ',' ? "." : ",";
  std::string digits;
  std::size_t length = grouped_length(text, other, digits);
  for (const std::string_view mark : kGroupMarks) {
    if (length == 0) length = grouped_length(text, mark, digits);
  }
  if (length > 0) {
    std::string_view rest = text.substr(length);
    plain += digits;
    if (rest.empty()) return plain;
    if (rest[0] != decimal || count_digits(rest.substr(1)) + 1 != rest.size()) return "";
    return plain + "." + std::string(rest.substr(1));
  }
  const std::size_t mark = text.find(decimal);
  if (decimal == '.' || mark == std::string_view::npos || text.find('.') != std::string_view::npos) return "";
  plain += text;
  plain[plain.size() - text.size() + mark] = '.';
  return plain;
}

// A number in the form that std::from_chars reads.
CellKind read_decimal(std::string_view text, double& value) {
  Decimal decimal;
  if (!split_decimal(text, decimal)) return CellKind::kText;
  double magnitude = 0.0;
  const auto [stop, error] = std::from_chars(decimal.digits.data(), text.data() + text.size(), magnitude);
  if (error == std::errc::result_out_of_range) {
    if (is_large(decimal)) return CellKind::kTooLarge;
    magnitude = 0.0;
  }
  if (!std::isfinite(magnitude)) return CellKind::kTooLarge;
  value = decimal.negative ? -magnitude : magnitude;
  return CellKind::kNumber;
}

CellKind read_marked(std::string_view text, double& value, char decimal) {
  if (decimal == '.' || text.find_first_of(".,") == std::string_view::npos) {
    const CellKind kind = read_decimal(text, value);
    if (kind != CellKind::kText) return kind;
  }
  const std::string plain = plain_form(text, decimal);
  return plain.empty() ? CellKind::kText : read_decimal(plain, value);
}

std::string_view without_blanks(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
}

}  // namespace

bool is_missing_cell(std::string_view cell) { return is_missing(without_blanks(cell)); }

CellKind read_cell(std::string_view cell, double& value, char decimal) {
  cell = without_blanks(cell);
  if (is_missing(cell)) return CellKind::kMissing;
  const char first = cell.front();
  if (!is_digit(first) && std::string_view("+-.,").find(first) == std::string_view::npos) return CellKind::kText;
  if (cell.back() != '%') return read_marked(cell, value, decimal);
  cell.remove_suffix(1);
  cell = without_blanks(cell);
  for (const std::string_view space : {"\xC2\xA0", "\xE2\x80\xAF"}) {
    if (cell.ends_with(space)) cell.remove_suffix(space.size());
  }
  const CellKind kind = read_marked(cell, value, decimal);
  return kind == CellKind::kNumber ? CellKind::kPercent : kind;
}

DecimalEvidence decimal_evidence(std::string_view cell) {
  cell = without_blanks(cell);
  if (cell.ends_with('%')) cell = without_blanks(cell.substr(0, cell.size() - 1));
  if (cell.find_first_of(".,") == std::string_view::npos) return DecimalEvidence::kNone;
  double ignored = 0.0;
  const bool point = read_marked(cell, ignored, '.') == CellKind::kNumber;
  const bool comma = read_marked(cell, ignored, ',') == CellKind::kNumber;
  if (point && comma)
    return cell.find(',') == std::string_view::npos ? DecimalEvidence::kPointOrGroups : DecimalEvidence::kCommaOrGroups;
  if (point) return DecimalEvidence::kPoint;
  return comma ? DecimalEvidence::kComma : DecimalEvidence::kNone;
}

}  // namespace olem::internal
