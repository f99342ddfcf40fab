#include "olem/error.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>

namespace olem {

int exit_code(ErrorCategory category) {
  switch (category) {
    case ErrorCategory::kUsage: return 2;
    case ErrorCategory::kData: return 3;
    case ErrorCategory::kTask: return 4;
    case ErrorCategory::kFile: return 5;
    case ErrorCategory::kResource: return 6;
    case ErrorCategory::kInterrupted: return 130;
    case ErrorCategory::kInternal: return 70;
  }
  return 70;
}

std::string_view category_name(ErrorCategory category) {
  switch (category) {
    case ErrorCategory::kUsage: return "usage";
    case ErrorCategory::kData: return "data";
    case ErrorCategory::kTask: return "task";
    case ErrorCategory::kFile: return "file";
    case ErrorCategory::kResource: return "resource";
    case ErrorCategory::kInterrupted: return "interrupted";
    case ErrorCategory::kInternal: return "internal";
  }
  return "internal";
}

namespace {

std::string join_message(const std::string& option, const std::string& finding, std::span<const Remedy> remedies,
                         const Spelling& spelling) {
  std::string text = option.empty() ? finding : spelling.option(option) + ": " + finding;
  const std::string advice = remedy_text(remedies, spelling);
  if (!advice.empty()) text += " " + advice;
  return text;
}

}  // namespace

Error::Error(ErrorCategory category, const std::string& finding, std::vector<Remedy> remedies)
    : Error(category, Content{"", finding, std::move(remedies)}) {}

Error::Error(ErrorCategory category, Content content)
    : std::runtime_error(join_message(content.option, content.finding, content.remedies, member_spelling())),
      category_(category),
      content_(std::make_shared<const Content>(std::move(content))) {}

Error Error::of_option(const std::string& option, const std::string& finding, std::vector<Remedy> remedies) {
  return {ErrorCategory::kUsage, Content{option, finding, std::move(remedies)}};
}

std::string Error::text(const Spelling& spelling) const {
  return join_message(option(), finding(), remedies(), spelling);
}

Error Error::with_finding(const std::string& finding) const {
  return {category_, Content{option(), finding, remedies()}};
}

void check_finite(std::string_view name, double value) {
  if (!std::isfinite(value)) {
    throw Error(ErrorCategory::kUsage, fmt::format("{} is {}, but must be a finite number.", name, value));
  }
}

void check_positive(std::string_view name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw Error(ErrorCategory::kUsage, fmt::format("{} is {}, but must be a positive number.", name, value));
  }
}

void check_at_least(std::string_view name, long long value, long long minimum) {
  if (value < minimum) {
    throw Error(ErrorCategory::kUsage, fmt::format("{} is {}, but must be at least {}.", name, value, minimum));
  }
}

void check_same_size(std::string_view name_a, std::size_t a, std::string_view name_b, std::size_t b) {
  if (a != b) {
    throw Error(
        ErrorCategory::kUsage,
        fmt::format("{} has {} entries and {} has {}, but they must have the same number.", name_a, a, name_b, b));
  }
}

}  // namespace olem
