#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "olem/report_rounds.h"
#include "olem/text.h"
#include "report/layout.h"

namespace olem {

using namespace internal;

std::string rounds_text(const RoundsProblem& problem, const RoundsDecision& decision) {
  const RoundsOptions& options = problem.options;
  std::string text = fmt::format("Round {} of {}.\n\n", options.done + 1, options.done + options.rounds);
  std::size_t width = 5;
  for (const LeverDomain& lever : problem.task.alterable) width = std::max(width, display_width(lever.name));
  text += fmt::format("  {}  {:>10}\n", pad_right("set", width), "to");
  for (std::size_t k = 0; k < problem.task.alterable.size(); ++k) {
    const Alteration& alteration = decision.decision.alterations[k];
    text += fmt::format("  {}  {:>10}\n", pad_right(problem.task.alterable[k].name, width),
                        alteration.value ? short_number(*alteration.value) : "leave it");
  }
  const Decision& all = decision.decision;
  text += "\n" +
          wrap_text(fmt::format("Probability that the {} of {} over all rounds is where it is wanted: {} ({} to {}); "
                                "without action {}. The interval covers the chance of the draws only.",
                                options.sum ? "sum" : "mean", fmt::join(problem.task.outcome, " and of "),
                                percent_text(all.success_probability), percent_text(all.success_low),
                                percent_text(all.success_high), percent_text(all.without_action)),
                    kLineWidth);
  if (decision.plan.size() > 1) {
    text += "\nThe plan as it stands, to be made again after every round:\n\n";
    for (std::size_t round = 0; round < decision.plan.size(); ++round) {
      text += fmt::format("  round {:>3}", static_cast<std::size_t>(options.done) + round + 1);
      for (const NamedValue& lever : decision.plan[round])
        text += fmt::format("  {} {}", lever.name, short_number(lever.value));
      text += "\n";
    }
  }
  return text;
}

}  // namespace olem
