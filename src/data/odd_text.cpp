#include "data/odd_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "core/text.h"
#include "data/csv_number.h"

namespace olem::internal {

namespace {

bool is_digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// A whole number of at most four digits at the beginning of the text, which is moved behind it.
struct DatePart {
  int value = 0;
  std::size_t digits = 0;
};

std::optional<DatePart> take_part(std::string_view& text) {
  constexpr std::size_t kMostDigits = 4;
  DatePart part;
  while (part.digits <= kMostDigits && is_digit_at(text, part.digits)) {
    part.value = 10 * part.value + (text[part.digits] - '0');
    ++part.digits;
  }
  if (part.digits == 0 || part.digits > kMostDigits) return std::nullopt;
  text.remove_prefix(part.digits);
  return part;
}

bool is_year(const DatePart& part) { return part.digits == 4 && part.value >= 1000 && part.value <= 2999; }
bool is_short_year(const DatePart& part) { return part.digits == 2; }
bool is_month(const DatePart& part) { return part.digits <= 2 && part.value >= 1 && part.value <= 12; }
bool is_day(const DatePart& part) { return part.digits <= 2 && part.value >= 1 && part.value <= 31; }
bool is_day_of_year(const DatePart& a, const DatePart& b) {
  return (is_day(a) && is_month(b)) || (is_month(a) && is_day(b));
}

bool take_month_name(std::string_view& text) {
  constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                        "jul", "aug", "sep", "oct", "nov", "dec"};
  std::size_t letters = 0;
  while (letters < text.size() && is_letter(text[letters])) ++letters;
  if (letters < 3) return false;
  const std::string start = lower_case(text.substr(0, 3));
  if (std::find(kMonths.begin(), kMonths.end(), start) == kMonths.end()) return false;
  text.remove_prefix(letters);
  return true;
}

bool take_mark(std::string_view& text, std::string_view marks) {
  if (text.empty() || marks.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// hh:mm, hh:mm:ss or hh:mm:ss.fff, and nothing but a time zone behind it.
bool is_time(std::string_view text) {
  constexpr int kHours = 24;
  constexpr int kMinutes = 60;
  const auto hours = take_part(text);
  if (!hours || hours->digits > 2 || hours->value > kHours || !take_mark(text, ":")) return false;
  const auto minutes = take_part(text);
  if (!minutes || minutes->digits != 2 || minutes->value >= kMinutes) return false;
  if (take_mark(text, ":")) {
    const auto seconds = take_part(text);
    if (!seconds || seconds->digits != 2 || seconds->value > kMinutes) return false;
    if (take_mark(text, ".,")) text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  }
  return text.find_first_not_of("0123456789:+-Z AaPpMm") == std::string_view::npos;
}

// The day at the beginning of the text, which is moved behind it.
bool take_day(std::string_view& text) {
  const auto first = take_part(text);
  if (!first || text.empty()) return false;
  const char mark = text.front();
  constexpr std::string_view kMarks = "-/. ";
  if (!take_mark(text, kMarks)) return false;
  if (is_day(*first) && take_month_name(text)) {  // 31-Jan-2023
    if (!take_mark(text, kMarks)) return false;
    const auto year = take_part(text);
    return year && (is_year(*year) || is_short_year(*year));
  }
  if (mark == ' ') return false;
  const auto second = take_part(text);
  if (!second) return false;
  if (!take_mark(text, {&mark, 1})) return mark == '-' && is_year(*first) && second->digits == 2 && is_month(*second);
  const auto third = take_part(text);
  if (!third) return false;
  if (is_year(*first)) return is_month(*second) && is_day(*third);
  return is_day_of_year(*first, *second) && (is_year(*third) || is_short_year(*third));
}

}  // namespace

bool looks_like_date(std::string_view text) {
  text = trim(text);
  if (is_time(text)) return true;
  if (!take_day(text)) return false;
  if (text.empty()) return true;
  return take_mark(text, "T ") && is_time(trim(text));
}

bool looks_like_dressed_number(std::string_view text, char decimal) {
  constexpr std::size_t kLongestUnit = 12;
  constexpr std::array<std::string_view, 6> kCurrencies = {"eur", "usd", "gbp", "chf", "jpy", "rs."};
  text = trim(text);
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string_view::npos) return false;
  const std::size_t last = text.find_last_of("0123456789") + 1;
  const std::string_view before = trim(text.substr(0, first));
  const std::string_view behind = text.substr(last);
  if (before.empty() && behind.empty()) return false;
  if (behind.size() > kLongestUnit || before.size() > kLongestUnit) return false;
  // Letters in front of a number make it a name, those behind it a unit.
  const std::string start = lower_case(before);
  const bool currency = std::any_of(kCurrencies.begin(), kCurrencies.end(),
                                    [&](std::string_view name) { return start.starts_with(name); });
  if (!currency && std::any_of(before.begin(), before.end(), is_letter)) return false;
  if (before.starts_with('<') || before.starts_with('>') || before.starts_with('~')) return false;  // a limit
  double ignored = 0.0;
  const std::string_view number = text.substr(first, last - first);
  const bool fraction = before.ends_with('.') || before.ends_with(',');
  if (read_cell(number, ignored, decimal) != CellKind::kNumber && !fraction) return false;
  return true;
}

bool looks_like_total(std::string_view label) {
  constexpr std::array<std::string_view, 26> kWords = {
      "total",  "totals",  "grand total", "overall total", "sub total",  "subtotal",     "sum",
      "sums",   "mean",    "means",       "avg",           "average",    "averages",     "totale",
      "gesamt", "summe",   "summen",      "mittel",        "mittelwert", "durchschnitt", "gesamtsumme",
      "somme",  "moyenne", "suma",        "promedio",      "totaal"};
  std::string key = level_key(label);
  while (key.ends_with(':') || key.ends_with('.') || key.ends_with(' ')) key.pop_back();
  return std::find(kWords.begin(), kWords.end(), key) != kWords.end();
}

std::string level_key(std::string_view level) {
  std::string key;
  std::string lower = lower_case(trim(level));
  for (std::size_t i = 0; i + 1 < lower.size(); ++i) {  // capitals of Latin-1 in UTF-8, such as those with an umlaut
    const auto second = static_cast<unsigned char>(lower[i + 1]);
    if (lower[i] == '\xC3' && second >= 0x80 && second <= 0x9E && second != 0x97)
      lower[i + 1] = static_cast<char>(second + 0x20);
  }
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
  };
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const bool wide = std::string_view(lower).substr(i).starts_with(kNoBreakSpace);
    const bool blank = wide || lower[i] == ' ' || lower[i] == '\t';
    const bool joint = (lower[i] == '-' || lower[i] == '_') && i > 0 && i + 1 < lower.size() && is_word(lower[i - 1]) &&
                       is_letter(lower[i + 1]);
    if (wide) ++i;
    if (!blank && !joint) {
      key += lower[i];
    } else if (!key.empty() && key.back() != ' ') {
      key += ' ';
    }
  }
  while (key.ends_with(' ')) key.pop_back();
  return key;
}

}  // namespace olem::internal
