#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace olem {

// What kind of thing went wrong. A category is an exit code of the command line and an exception of the
// Python package, so a caller never needs to read the text to know whose turn it is.
enum class ErrorCategory {
  kUsage,        // an option or its value
  kData,         // the content of a data, task, graph, order or model file
  kTask,         // the task cannot be solved as stated
  kFile,         // missing, unreadable, not writable, disk full
  kResource,     // not enough memory or time
  kInterrupted,  // the user asked to stop
  kInternal,     // a defect of olem
};

// 2, 3, 4, 5, 6, 130 and 70, in the order of the enumerators above.
int exit_code(ErrorCategory category);

std::string_view category_name(ErrorCategory category);

// The one exception of the library. `what()` is one or more full sentences for the user: what is wrong, where
// (file, line, column name), and what to do about it.
class Error : public std::runtime_error {
 public:
  Error(ErrorCategory category, const std::string& message) : std::runtime_error(message), category_(category) {}
  ErrorCategory category() const { return category_; }

 private:
  ErrorCategory category_;
};

// Argument checks: each throws a usage error whose text holds the name, the value and the rule.
void check_finite(std::string_view name, double value);
void check_positive(std::string_view name, double value);
void check_at_least(std::string_view name, long long value, long long minimum);
void check_same_size(std::string_view name_a, std::size_t a, std::string_view name_b, std::size_t b);

}  // namespace olem
