#include <fmt/format.h>

#include <algorithm>

#include "olem/report.h"
#include "report/layout.h"

namespace olem {

namespace {

std::string verdict(const OrderStep& step) {
  if (step.forced) return "by knowledge";
  return step.decided ? "decided" : "NOT DECIDED";
}

std::string step_table(const OrderResult& result) {
  std::size_t width = 8;
  for (const std::string& name : result.order) width = std::max(width, display_width(name));
  std::string text =
      fmt::format("  step  {}  entropy left  {}  by\n", pad_right("last", width), pad_right("ahead of", width));
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const OrderStep& step = result.steps[i];
    double left = 0.0;
    for (const auto& [name, value] : step.values) {
      if (name == step.sink) left = value;
    }
    const std::string gap =
        step.gap ? fmt::format("{:7.4f} ± {:.4f}", *step.gap, *step.gap_standard_error) : std::string();
    text += fmt::format("  {:>4}  {}  {:12.4f}  {}  {}  {}\n", i + 1, pad_right(step.sink, width), left,
                        pad_right(step.runner_up, width), pad_right(gap, 17), verdict(step));
  }
  return text;
}

std::string stability_text(const OrderResult& result) {
  const OrderStability& stability = *result.stability;
  std::string text = fmt::format(
      "\nOn {} half-samples of the rows, the order by mean position and how often each variable came before\nthe "
      "next:\n\n",
      stability.repetitions);
  std::size_t width = 8;
  for (const std::string& name : stability.consensus) width = std::max(width, display_width(name));
  for (std::size_t i = 0; i < stability.consensus.size(); ++i) {
    text += "  " + stability.consensus[i];
    if (i < stability.adjacent.size()) {
      const std::string blanks(width - display_width(stability.consensus[i]), ' ');
      text += fmt::format("{}  {:3.0f} %", blanks, 100.0 * stability.adjacent[i]);
    }
    text += "\n";
  }
  text += stability.consensus == result.order ? "\nIt is the order of all rows.\n"
                                              : "\nIt differs from the order of all rows.\n";
  return text;
}

std::string advice(const OrderResult& result) {
  const auto undecided =
      std::count_if(result.steps.begin(), result.steps.end(), [](const OrderStep& step) { return !step.decided; });
  if (undecided == 0) return result.steps.empty() ? "" : "Every step is decided by the data or by knowledge.\n";
  return wrap_text(
      fmt::format("{} of {} steps {} not decided by the data: the gap is within two of its standard errors, so the two "
                  "variables may well stand the other way round. Say what you know with --before and --tier{}.",
                  undecided, result.steps.size(), undecided == 1 ? "is" : "are",
                  result.stability ? "" : ", or see with --bootstrap 100 how stable the order is"),
      kLineWidth);
}

}  // namespace

std::string pad_right(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

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

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string wrap_text(std::string_view text, std::size_t width, std::string_view indent) {
  std::string result(indent);
  std::size_t used = indent.size();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t length = display_width(word);
    const bool first = used == indent.size();
    if (!first && used + 1 + length > width) {
      result += "\n";
      result += indent;
      used = indent.size();
    } else if (!first) {
      result += ' ';
      ++used;
    }
    result += word;
    used += length;
    at = end + 1;
  }
  return result + "\n";
}

std::string order_text(const OrderResult& result, const Table& table) {
  std::string text =
      fmt::format("The order of {} variable{} from {} rows{}, causes first:\n\n", table.columns(),
                  table.columns() == 1 ? "" : "s", table.rows(), table.source().empty() ? "" : " of " + table.source());
  text += order_chain(result.order) + "\n";
  if (!result.steps.empty()) {
    text += wrap_text(
        "A variable can be influenced only by those before it. The order is found from its end: each step takes out "
        "the variable that keeps the most entropy (nats) once all the others left are known, and says by how much it "
        "was "
        "ahead of the next best, with the standard error of that gap.",
        kLineWidth);
    text += "\n" + step_table(result) + "\n" + advice(result);
  }
  if (result.stability) text += stability_text(result);
  return text;
}

std::string problems_text(const std::vector<Problem>& problems, std::string_view source) {
  if (problems.empty()) return fmt::format("{}: no problems found.\n", source);
  const auto errors = std::count_if(problems.begin(), problems.end(),
                                    [](const Problem& problem) { return problem.severity == Severity::kError; });
  std::string text = fmt::format("{}: {} to mend, {} to know about.\n", source, errors,
                                 problems.size() - static_cast<std::size_t>(errors));
  for (const Problem& problem : problems) {
    text += fmt::format("\n{}: {}\n", severity_name(problem.severity), problem.code);
    text += wrap_text(problem.text, kLineWidth, "  ");
    if (!problem.remedy.empty()) text += wrap_text("What to do: " + problem.remedy, kLineWidth, "  ");
  }
  return text;
}

}  // namespace olem
