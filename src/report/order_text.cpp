#include <fmt/format.h>

#include <algorithm>

#include "olem/order.h"
#include "olem/report.h"
#include "report/layout.h"

namespace olem {

using namespace internal;

namespace {

bool has_standard_errors(const OrderResult& result) {
  return std::any_of(result.steps.begin(), result.steps.end(),
                     [](const OrderStep& step) { return step.gap_standard_error.has_value(); });
}

// Steps that compare neighbours and say by what they are decided.
bool has_evidence(const OrderResult& result) {
  return std::any_of(result.steps.begin(), result.steps.end(),
                     [](const OrderStep& step) { return step.evidence.has_value(); });
}

// A gap beyond chance that does not count, since the units of the columns made it (a warning says so).
bool is_by_units(const OrderStep& step) {
  return !step.evidence && !step.decided && step.gap && step.gap_standard_error &&
         *step.gap > 2.0 * *step.gap_standard_error;
}

std::string verdict(const OrderStep& step) {
  if (step.forced) return "by knowledge";
  if (step.evidence) {
    switch (step.evidence->decided_by) {
      case DecidedBy::kShape: return "decided by shape";
      case DecidedBy::kScale: return "decided by scale only";
      case DecidedBy::kNone: return "NOT DECIDED";
    }
  }
  if (is_by_units(step)) return "by units";
  if (!step.decided) return "NOT DECIDED";
  return step.gap_standard_error ? "decided" : "";
}

// Entropies have one scale and line up with fixed digits; other criteria have the scale of the data.
bool has_fixed_digits(const OrderResult& result) {
  return result.criterion == "conditional_entropy" || result.criterion == "residual_entropy";
}

std::string gap_cell(const OrderStep& step, bool fixed_digits) {
  if (!step.gap) return "";
  if (!step.gap_standard_error) return fmt::format("{:7.4g}", *step.gap);
  return fixed_digits ? fmt::format("{:7.4f} ± {:.4f}", *step.gap, *step.gap_standard_error)
                      : fmt::format("{:>8.3g} ± {:.2g}", *step.gap, *step.gap_standard_error);
}

// "hessian_variance" -> "hessian variance"
std::string spaced(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

std::string step_table(const OrderResult& result) {
  std::size_t width = 8;
  for (const std::string& name : result.order) width = std::max(width, display_width(name));
  const std::string value_name = spaced(result.criterion);
  const std::size_t value_width = std::max<std::size_t>(12, value_name.size());
  const bool fixed_digits = has_fixed_digits(result);
  const std::size_t gap_width = !has_standard_errors(result) ? 9 : fixed_digits ? 17 : 19;
  std::string text = fmt::format("  step  {}  {:>{}}  {}  by\n", pad_right("last", width), value_name, value_width,
                                 pad_right(has_evidence(result) ? "after" : "ahead of", width));
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const OrderStep& step = result.steps[i];
    double own = 0.0;
    for (const auto& [name, value] : step.values) {
      if (name == step.sink) own = value;
    }
    std::string line = fmt::format("  {:>4}  {}  {:>{}}  {}  {}  {}", i + 1, pad_right(step.sink, width),
                                   fixed_digits ? fmt::format("{:.4f}", own) : fmt::format("{:.4g}", own), value_width,
                                   pad_right(step.runner_up, width), pad_right(gap_cell(step, fixed_digits), gap_width),
                                   verdict(step));
    trim_right(line);
    text += line + "\n";
  }
  return text;
}

// The edges that a search over edges included, the first found first.
std::string inclusion_table(const OrderResult& result) {
  std::size_t width = 4;
  for (const std::string& name : result.order) width = std::max(width, display_width(name));
  std::string text = fmt::format("  step  {}    {}  {:>9}  {:>9}  {:>9}\n", pad_right("from", width),
                                 pad_right("to", width), "gain", "ahead by", "score");
  for (std::size_t i = 0; i < result.inclusions.size(); ++i) {
    const EdgeInclusion& edge = result.inclusions[i];
    text +=
        fmt::format("  {:>4}  {} -> {}  {:9.4f}  {:>9}  {:9.4f}\n", i + 1, pad_right(edge.from, width),
                    pad_right(edge.to, width), edge.gain, edge.gap ? fmt::format("{:.4f}", *edge.gap) : "", edge.score);
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

// What to do about steps that are not decided, after what is particular to them.
std::string remedies_text(const OrderResult& result, std::vector<Remedy> remedies, const Spelling& spelling) {
  remedies.insert(remedies.end(), {{"Say what you know", "before"}, {"Say what you know", "tier"}});
  if (!result.stability) remedies.push_back({"See how stable the order is", "bootstrap", "100"});
  return remedy_text(remedies, spelling);
}

// How many steps were decided by what, for steps with evidence.
std::string evidence_advice(const OrderResult& result, const Spelling& spelling) {
  const auto count = [&](DecidedBy by) {
    return std::count_if(result.steps.begin(), result.steps.end(), [&](const OrderStep& step) {
      return step.evidence.has_value() && step.evidence->decided_by == by;
    });
  };
  const auto scale = count(DecidedBy::kScale);
  const auto open = count(DecidedBy::kNone);
  if (scale + open == 0) return "Every step is decided by shape, which is free of units, or by knowledge.\n";
  std::string text;
  std::vector<Remedy> remedies;
  if (scale > 0) {
    remedies.push_back({"Take the units as arbitrary where they are not comparable", "olem_plus_units", "arbitrary"});
    text += fmt::format(
        "{} of {} steps {} decided by scale only: {} if the units of the columns are comparable, so that a wider "
        "residual speaks for a later place. ",
        scale, result.steps.size(), scale == 1 ? "is" : "are", scale == 1 ? "it holds" : "they hold");
  }
  if (open > 0) {
    text += fmt::format(
        "{} of {} steps {} not decided by the data: the gap is within two of its standard errors, so the two "
        "variables may well stand the other way round. ",
        open, result.steps.size(), open == 1 ? "is" : "are");
  }
  return wrap_text(text + remedies_text(result, std::move(remedies), spelling), kLineWidth);
}

std::string advice(const OrderResult& result, const Spelling& spelling) {
  if (has_evidence(result)) return evidence_advice(result, spelling);
  const auto undecided =
      std::count_if(result.steps.begin(), result.steps.end(), [](const OrderStep& step) { return !step.decided; });
  if (undecided == 0 && !has_standard_errors(result)) return "";
  if (undecided == 0) return "Every step is decided by the data or by knowledge.\n";
  if (std::any_of(result.steps.begin(), result.steps.end(), is_by_units)) {
    return wrap_text(
        "No step counts as decided: the entropies lie too far apart for columns in comparable units, so units decided "
        "this order. " +
            remedies_text(result, {{"Learn the order without a common unit", "method", "olem+"}}, spelling),
        kLineWidth);
  }
  return wrap_text(
      fmt::format(
          "{} of {} steps {} not decided by the data: {}, so the two variables may well stand the other way "
          "round. {}",
          undecided, result.steps.size(), undecided == 1 ? "is" : "are",
          has_standard_errors(result) ? "the gap is within two of its standard errors" : "the best two were equal",
          remedies_text(result, {}, spelling)),
      kLineWidth);
}

}  // namespace

std::string order_text(const OrderResult& result, const Table& table, const Spelling& spelling) {
  std::string text =
      fmt::format("The order of {} variable{} from {} rows{}, causes first:\n\n", table.columns(),
                  table.columns() == 1 ? "" : "s", table.rows(), table.source().empty() ? "" : " of " + table.source());
  text += order_chain(result.order) + "\n";
  if (!result.steps.empty() || !result.inclusions.empty()) {
    text += wrap_text("A variable can be influenced only by those before it. " +
                          spell_references(order_learner(result.method).explanation, spelling),
                      kLineWidth);
    text += "\n" + (result.steps.empty() ? inclusion_table(result) : step_table(result));
    const std::string words = advice(result, spelling);
    if (!words.empty()) text += "\n" + words;
  }
  if (result.stability) text += stability_text(result);
  return text;
}

}  // namespace olem
