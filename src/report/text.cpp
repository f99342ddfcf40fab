#include <fmt/format.h>

#include <algorithm>

#include "olem/report.h"
#include "report/layout.h"

namespace olem::internal {

std::string pad_right(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string order_chain(const Order& order) {
  std::string text = "  ";
  std::size_t used = 2;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string piece = order[i] + (i + 1 < order.size() ? " > " : "");
    if (i > 0 && used + display_width(piece) > kLineWidth) {
      text += "\n  ";
      used = 2;
    }
    text += piece;
    used += display_width(piece);
  }
  return text + "\n";
}

}  // namespace olem::internal

namespace olem {

using namespace internal;

std::string problems_text(const std::vector<Problem>& problems, std::string_view source, const Spelling& spelling) {
  if (problems.empty()) return fmt::format("{}: no problems found.\n", source);
  const auto errors = std::count_if(problems.begin(), problems.end(),
                                    [](const Problem& problem) { return problem.severity == Severity::kError; });
  const std::size_t others = problems.size() - static_cast<std::size_t>(errors);
  std::string text = fmt::format("{}: {} error{}, {} other finding{}.\n", source, errors, errors == 1 ? "" : "s",
                                 others, others == 1 ? "" : "s");
  for (const Problem& problem : problems) {
    text += fmt::format("\n{}: {}\n", severity_name(problem.severity), problem.code);
    text += wrap_text(problem.text, kLineWidth, "  ");
    const std::string remedy = remedy_text(problem.remedies, spelling);
    if (!remedy.empty()) text += wrap_text("What to do: " + remedy, kLineWidth, "  ");
  }
  return text;
}

}  // namespace olem
