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

std::string one_decision(const Decision& decision) {
  std::string text;
  const std::string observed = context_line(decision);
  if (!observed.empty()) text += wrap_text(observed, kLineWidth) + "\n";
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
  if (decision.qwz23_interval) {
    text += fmt::format("By the bound of Qin, Wang and Zhou: {} to {}.\n", percent(decision.qwz23_interval->first),
                        percent(decision.qwz23_interval->second));
  }
  text += "\nTo be expected, with the range of four in five cases:\n\n" + forecast_table(decision);
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
    text += one_decision(decisions[i]);
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
