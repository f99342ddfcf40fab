#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "olem/report.h"
#include "report/layout.h"

namespace olem::internal {

std::string levers_sentence(const std::vector<std::string>& following) {
  if (following.empty()) return "";
  return fmt::format(
      "Columns taken to follow the levers: {}. If one of them is settled before the levers are set, name it under "
      "\"known_before\" in the task.",
      fmt::join(following, ", "));
}

std::string undecided_sentence(const RehearsalModel& model) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> pairs = undecided_between(model);
  if (pairs.empty()) return "";
  std::vector<std::string> key_names = model.task.outcome;
  for (const LeverDomain& lever : model.task.alterable) key_names.push_back(lever.name);
  const auto matters = [&](const std::string& pair) {
    return std::any_of(key_names.begin(), key_names.end(), [&](const std::string& name) {
      return pair.starts_with(name + ", ") || pair.ends_with(", " + name);
    });
  };
  std::stable_partition(pairs.begin(), pairs.end(), matters);
  const std::size_t left = pairs.size() > kMost ? pairs.size() - kMost : 0;
  pairs.resize(pairs.size() - left);
  return fmt::format("The data did not decide which of these comes first: {}{}.", fmt::join(pairs, "; "),
                     left == 0 ? "" : fmt::format("; and {} more pairs, which the JSON result lists", left));
}

std::string set_sentence(const SetEffect& effect) {
  return fmt::format(
      "One unit more of {} changes {} by {} ± {} in {} rows that were set and by {} ± {} in {} others{}.", effect.lever,
      effect.outcome, short_number(effect.set_effect), short_number(effect.set_error), effect.set_rows,
      short_number(effect.other_effect), short_number(effect.other_error), effect.other_rows,
      effect.contradict ? ": a hidden cause, so that the rows that were set count" : "");
}

std::string rows_text(const RehearsalModel& model) {
  std::vector<std::string> sentences;
  for (const SetEffect& effect : model.set_by_hand) sentences.push_back(set_sentence(effect));
  if (!model.groups.empty())
    sentences.push_back(fmt::format("The rows belong to {} groups of {}.", model.groups.size(), model.task.group));
  if (model.effective_rows) {
    sentences.push_back(fmt::format(
        "The rows say as much about the outcomes as {:.0f} independent ones of equal weight.", *model.effective_rows));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string levers_sentence(const RehearsalModel& model) {
  return model.levers && model.levers->first ? levers_sentence(model.levers->following) : "";
}

}  // namespace olem::internal

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kMostInputs = 4;

// Of a name in the first column of a table; a longer one stands on a line of its own.
constexpr std::size_t kWidestName = 30;

constexpr double kLeastShown = 0.005;  // slopes below are written 0.00

// The inputs with nonlinear effects, most relevant first, then the others, steepest first.
std::string inputs_text(const SamplerSet& set, const SamplerVariable& variable, const SamplerFacts& facts) {
  std::vector<std::size_t> used;
  for (std::size_t k = 0; k < facts.inputs.size(); ++k) {
    if (facts.inputs[k].used) used.push_back(k);
  }
  std::stable_sort(used.begin(), used.end(), [&](std::size_t a, std::size_t b) {
    const SamplerInput& first = facts.inputs[a];
    const SamplerInput& second = facts.inputs[b];
    if (first.relevance != second.relevance) return first.relevance > second.relevance;
    return std::abs(first.slope) > std::abs(second.slope);
  });
  std::vector<std::string> parts;
  for (const std::size_t k : used) {
    const SamplerInput& input = facts.inputs[k];
    const bool nonlinear = input.relevance > 0.0;
    const bool steep = std::abs(input.slope) >= kLeastShown;
    if (parts.size() == kMostInputs || !(nonlinear || steep)) {
      parts.push_back(fmt::format("{} more", used.size() - parts.size()));
      break;
    }
    parts.push_back(fmt::format("{}{}{}", set.variables[variable.conditions[k]].name, nonlinear ? "~" : "",
                                steep ? fmt::format(" {:+.2f}", input.slope) : ""));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::size_t name_width(const std::vector<std::string>& names) {
  std::size_t width = 8;
  for (const std::string& name : names) width = std::max(width, display_width(name));
  return std::min(width, kWidestName);
}

std::size_t name_width(const SamplerSet& set) {
  std::vector<std::string> names;
  for (const SamplerVariable& variable : set.variables) names.push_back(variable.name);
  return name_width(names);
}

// The first cell of a line of a table.
std::string name_cell(const std::string& name, std::size_t width) {
  if (display_width(name) <= width) return "  " + pad_right(name, width);
  return fmt::format("  {}\n  {}", name, std::string(width, ' '));
}

std::string parents_table(const Dag& dag) {
  const std::size_t width = name_width(dag.names().list());
  std::string text;
  for (std::size_t node = 0; node < dag.size(); ++node) {
    std::vector<std::string> parents;
    for (const std::size_t parent : members(dag.parents(node))) parents.push_back(dag.name(parent));
    const std::string first = name_cell(dag.name(node), width) + "  ";
    const std::string indent(width + 4, ' ');
    const std::string list =
        wrap_text(parents.empty() ? "-" : fmt::format("{}", fmt::join(parents, ", ")), kLineWidth, indent);
    text += first + list.substr(indent.size());
  }
  return text;
}

// Of the variables for which several forms were tried, the chosen one first.
std::string forms_table(const SamplerSet& set, std::size_t width) {
  std::size_t form_width = 4;
  bool any = false;
  for (const SamplerVariable& variable : set.variables) {
    if (!variable.sampler) continue;
    const std::vector<SamplerScore> scores = variable.sampler->facts().scores;
    any |= scores.size() > 1;
    for (const SamplerScore& score : scores) form_width = std::max(form_width, display_width(score.form));
  }
  if (!any) return "";
  std::string text =
      "\n" + wrap_text(
                 "Forms that were compared by their forecasts of rows left out, the chosen one first: log-density "
                 "(nats a row, more is better) and CRPS (standard deviations, less is better).",
                 kLineWidth);
  text += fmt::format("\n  {}  {}  {:>11}  {:>7}\n", pad_right("variable", width), pad_right("form", form_width),
                      "log-density", "CRPS");
  for (const SamplerVariable& variable : set.variables) {
    if (!variable.sampler) continue;
    std::vector<SamplerScore> scores = variable.sampler->facts().scores;
    std::stable_partition(scores.begin(), scores.end(), [](const SamplerScore& score) { return score.chosen; });
    for (std::size_t k = 0; k < scores.size(); ++k) {
      text += fmt::format("{}  {}  {:>11.4f}  {:>7.4f}\n", name_cell(k == 0 ? variable.name : "", width),
                          pad_right(scores[k].form, form_width), scores[k].log_density, scores[k].crps);
    }
  }
  return text;
}

}  // namespace

}  // namespace olem

namespace olem::internal {

std::string model_heading(const RehearsalModel& model) {
  if (!model.graph) {
    return fmt::format("The order of {} variables ({}), causes first:\n\n{}\n", model.order.order.size(),
                       model.order.method, order_chain(model.order.order));
  }
  const Dag& dag = model.graph->dag;
  return fmt::format("A graph of {} edges among {} variables ({}), causes first, each with its parents:\n\n{}\n",
                     dag.edge_count(), dag.size(), model.graph->method, parents_table(dag));
}

}  // namespace olem::internal

namespace olem {

std::string model_text(const RehearsalModel& model) {
  const SamplerSet& set = *model.samplers;
  const std::size_t width = name_width(set);
  std::string text = model_heading(model);
  const std::string assumed = levers_sentence(model);
  if (!assumed.empty()) text += wrap_text(assumed, kLineWidth) + "\n";
  const std::string of_rows = rows_text(model);
  if (!of_rows.empty()) text += wrap_text(of_rows, kLineWidth) + "\n";
  if (model.gaps) text += gaps_text(*model.gaps, model.agreement, model.graph ? "graphs" : "orders") + "\n";
  text += wrap_text(
      "The model of each variable given those before it, or its parents, and the inputs that it depends on most. The "
      "number is the slope of the linear part of the effect, in standard deviations per standard deviation; ~ marks a "
      "nonlinear effect.",
      kLineWidth);
  text += fmt::format("\n  {}  {:>10}  model\n", pad_right("variable", width), "noise");
  const std::string indent(width + 16, ' ');
  for (const SamplerVariable& variable : set.variables) {
    const std::string name = name_cell(variable.name, width);
    if (!variable.sampler) {
      text += fmt::format("{}  {:>10}  observed\n", name, "");
      continue;
    }
    const SamplerFacts facts = variable.sampler->facts();
    const std::string inputs = inputs_text(set, variable, facts);
    // Discrete variables have probabilities instead.
    const std::string noise = facts.noise_sd > 0.0 ? fmt::format("{:.4g}", facts.noise_sd * variable.sd) : "";
    text += fmt::format("{}  {:>10}  {}\n", name, noise, facts.form);
    if (!inputs.empty()) text += wrap_text(inputs, kLineWidth, indent);
  }
  text += forms_table(set, width);
  if (model.calibration) text += "\n" + calibration_text(*model.calibration);
  const std::string undecided = undecided_sentence(model);
  if (!undecided.empty())
    text += "\n" + wrap_text(undecided + " State what you know in the task's \"before\".", kLineWidth);
  return text;
}

}  // namespace olem
