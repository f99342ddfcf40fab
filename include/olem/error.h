#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "olem/remedy.h"

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

// The one exception of the library: what is wrong and where (file, line, column name) in full sentences, and what to do
// about it as data, so that every surface can name its own options. `what()` is all of it as C++ names options.
class Error : public std::runtime_error {
 public:
  // `finding` is one or more full sentences that name no option of any surface.
  Error(ErrorCategory category, const std::string& finding, std::vector<Remedy> remedies = {});

  // A usage error about the value of an option, named by its key; `finding` goes on behind its name and a colon.
  static Error of_option(const std::string& option, const std::string& finding, std::vector<Remedy> remedies = {});

  ErrorCategory category() const { return category_; }
  const std::string& option() const { return content_->option; }  // key of the option at fault; may be empty
  const std::string& finding() const { return content_->finding; }
  const std::vector<Remedy>& remedies() const { return content_->remedies; }

  // Option, finding and remedies as a surface spells them.
  std::string text(const Spelling& spelling) const;

  // The same error with another finding, such as one that says where it happened.
  Error with_finding(const std::string& finding) const;

 private:
  struct Content {
    std::string option;
    std::string finding;
    std::vector<Remedy> remedies;
  };
  Error(ErrorCategory category, Content content);

  ErrorCategory category_;
  std::shared_ptr<const Content> content_;  // shared: copying an exception must not throw
};

// Argument checks: each throws a usage error whose text holds the name, the value and the rule.
void check_finite(std::string_view name, double value);
void check_positive(std::string_view name, double value);
void check_at_least(std::string_view name, long long value, long long minimum);
void check_same_size(std::string_view name_a, std::size_t a, std::string_view name_b, std::size_t b);

}  // namespace olem
