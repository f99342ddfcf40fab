#include "choices.h"

#include <map>

namespace olem::app {

namespace {

// One process has one command line.
std::map<const CLI::Option*, std::vector<std::string>>& all_choices() {
  static std::map<const CLI::Option*, std::vector<std::string>> choices;
  return choices;
}

}  // namespace

void keep_choices(const CLI::Option& option, std::vector<std::string> names) {
  all_choices()[&option] = std::move(names);
}

const std::vector<std::string>& choices_of(const CLI::Option& option) {
  static const std::vector<std::string> kNone;
  const auto found = all_choices().find(&option);
  return found == all_choices().end() ? kNone : found->second;
}

}  // namespace olem::app
