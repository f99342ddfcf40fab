#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "choices.h"
#include "olem/error.h"
#include "olem/options.h"
#include "olem/text.h"
#include "olem/warning_codes.h"
#include "session.h"

namespace olem::app {

namespace {

constexpr std::size_t kWidth = 100;

std::string entry_text(const WarningCode& entry) {
  std::string text = fmt::format("{}\n{}", entry.code, wrap_text(entry.meaning, kWidth, "  "));
  if (entry.could_change_decision) text += "  It could change the decision and is printed before the answer.\n";
  if (!entry.what_to_do.empty()) text += wrap_text(fmt::format("What to do: {}", entry.what_to_do), kWidth, "  ");
  return text;
}

std::vector<std::string> known_codes() {
  std::vector<std::string> codes;
  for (const WarningCode& entry : warning_codes()) codes.emplace_back(entry.code);
  return codes;
}

int explain_warnings(const std::vector<std::string>& codes) {
  std::string text;
  for (const std::string& code : codes.empty() ? known_codes() : codes) {
    const WarningCode* const entry = find_warning_code(code);
    if (entry == nullptr) {
      const std::string near = closest_name(code, known_codes());
      throw Error(ErrorCategory::kUsage,
                  fmt::format("'{}' is not the code of a warning.{} Without a code, olem explain-warning lists all.",
                              code, near.empty() ? "" : fmt::format(" Did you mean {}?", near)));
    }
    text += (text.empty() ? "" : "\n") + entry_text(*entry);
  }
  print_out(text);
  return 0;
}

}  // namespace

std::function<int()> fill_explain_warning_verb(CLI::App* verb) {
  auto codes = std::make_shared<std::vector<std::string>>();
  CLI::Option* const option = verb->add_option("CODE", *codes, "codes in brackets behind warnings; without one, all");
  keep_choices(*option, known_codes());
  verb->footer(R"(
Examples:
  olem explain-warning outlier
  olem explain-warning

Exit codes: 0 done, 2 usage.)");
  return [codes] { return explain_warnings(*codes); };
}

}  // namespace olem::app
