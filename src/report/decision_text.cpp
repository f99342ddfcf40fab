#include <fmt/format.h>

#include <algorithm>

#include "olem/report.h"
#include "report/layout.h"

namespace olem {

namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string context_line(const Decision& decision) {
  std::vector<std::string> parts;
  for (const NamedValue& value : decision.context) parts.push_back(fmt::format("{} = {:g}", value.name, value.value));
  return parts.empty() ? "" : fmt::format("Observed: {}", fmt::join(parts, ", "));
}

std::string alteration_table(const Decision& decision) {
  std::size_t width = 8;
  for (const Alteration& alteration : decision.alterations) width = std::max(width, display_width(alteration.name));
  std::string text =
      fmt::format("  {}  {:>12}  {:>16}  {:>14}\n", pad_right("set", width), "to", "otherwise about", "success if not");
  for (const Alteration& alteration : decision.alterations) {
    const std::string name = pad_right(alteration.name, width);
    if (alteration.value) {
      text += fmt::format("  {}  {:>12.4g}  {:>16.4g}  {:>14}\n", name, *alteration.value, alteration.expected,
                          percent(alteration.success_if_released));
    } else {
      text += fmt::format("  {}  {:>12}  {:>16.4g}{}\n", name, "leave alone", alteration.expected,
                          alteration.influences ? "" : "  (cannot change the outcome)");
    }
  }
  return text;
}

std::string forecast_table(const Decision& decision) {
  std::size_t width = 8;
  for (const OutcomeForecast& forecast : decision.outcomes) width = std::max(width, display_width(forecast.name));
  std::string text;
  for (std::size_t k = 0; k < decision.outcomes.size(); ++k) {
    const OutcomeForecast& with = decision.outcomes[k];
    const OutcomeForecast& without = decision.outcomes_without_action[k];
    text += fmt::format("  {}  {:.4g} ({:.4g} to {:.4g}) instead of {:.4g} ({:.4g} to {:.4g})\n",
                        pad_right(with.name, width), with.mean, with.low, with.high, without.mean, without.low,
                        without.high);
  }
  return text;
}

std::string proposal_table(const Decision& decision) {
  std::string text = fmt::format("  {:>9}  {:>9}", "success", "cost");
  std::vector<std::size_t> widths;
  for (const Alteration& alteration : decision.alterations) {
    widths.push_back(std::max<std::size_t>(11, display_width(alteration.name)));
    text += "  " + std::string(widths.back() - display_width(alteration.name), ' ') + alteration.name;
  }
  text += "\n";
  for (const Proposal& proposal : decision.proposals) {
    text += fmt::format("  {:>9}  {:>9.4g}", percent(proposal.success_probability), proposal.cost);
    for (std::size_t k = 0; k < proposal.alterations.size(); ++k) {
      const std::optional<double> value = proposal.alterations[k].value;
      text += fmt::format("  {:>{}}", value ? fmt::format("{:.4g}", *value) : "leave alone", widths[k]);
    }
    text += "\n";
  }
  return text;
}

// That a target is out of reach, or needs nothing to be done, comes before what could be done.
bool comes_first(const Summary& summary) {
  return summary.status == "target_not_reached" || summary.status == "already_likely";
}

std::string one_decision(const Decision& decision, bool weighted) {
  std::string text;
  const std::string observed = context_line(decision);
  if (!observed.empty()) text += wrap_text(observed, kLineWidth) + "\n";
  if (decision.acts() && comes_first(decision.summary)) text += wrap_text(decision.summary.message, kLineWidth) + "\n";
  if (!decision.acts()) {
    text += wrap_text(fmt::format("{} Success is to be expected with {}.", decision.summary.message,
                                  percent(decision.without_action)),
                      kLineWidth);
    return text;
  }
  text += alteration_table(decision);
  text +=
      "\n" + wrap_text(fmt::format("The outcome ends up where it is wanted with probability {} ({} to {}, chance of "
                                   "the draws only), without action with {}.",
                                   percent(decision.success_probability), percent(decision.success_low),
                                   percent(decision.success_high), percent(decision.without_action)),
                       kLineWidth);
  if (weighted || decision.chosen == "cost descent") {
    text += "\n" + wrap_text(fmt::format("It costs {:.4g}{}.", decision.cost,
                                         weighted ? "" : ": standard deviations from what is otherwise expected"),
                             kLineWidth);
  }
  if (decision.qwz23_interval) {
    text += fmt::format("By the bound of Qin, Wang and Zhou: {} to {}.\n", percent(decision.qwz23_interval->first),
                        percent(decision.qwz23_interval->second));
  }
  text += "\nTo be expected, with the range of four in five cases:\n\n" + forecast_table(decision);
  if (decision.proposals.size() > 1) {
    text += fmt::format("\nThis and other decisions that may be taken, at least some way apart:\n\n{}",
                        proposal_table(decision));
  } else if (decision.proposals.size() == 1) {
    text += "\nNo other decision was found that differs from this one and is better than nothing.\n";
  }
  // Which search found it is for those who compare searches, and in the object.
  const bool says_more = decision.summary.message != fmt::format("Found by {}.", decision.chosen);
  if (says_more && !comes_first(decision.summary)) text += "\n" + wrap_text(decision.summary.message, kLineWidth);
  return text;
}

}  // namespace

std::string decision_text(const RehearsalModel& model, const std::vector<Decision>& decisions) {
  std::string text = model.graph
                         ? model_heading(model)
                         : "The order of the variables, causes first:\n\n" + order_chain(model.order.order) + "\n";
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (decisions.size() > 1)
      text += fmt::format("{}Context {} of {}\n\n", i == 0 ? "" : "\n", i + 1, decisions.size());
    text += one_decision(decisions[i], !model.task.cost.empty());
  }
  const std::vector<std::string> undecided = undecided_between(model);
  if (!undecided.empty()) {
    text += "\n" + wrap_text(fmt::format("The data did not decide which of these comes first: {}. If they stand the "
                                         "other way round, the answer may change; say what you know in the task's "
                                         "\"before\".",
                                         fmt::join(undecided, "; ")),
                             kLineWidth);
  }
  return text;
}

}  // namespace olem
