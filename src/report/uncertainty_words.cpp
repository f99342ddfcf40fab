#include "report/uncertainty_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/decision.h"
#include "olem/text.h"
#include "report/column_words.h"
#include "report/layout.h"

namespace olem::internal {

namespace {

using Columns = std::span<const NamedColumn>;

constexpr std::size_t kMostPairs = 3;  // that are asked about
constexpr const char* kAssumption = "This holds if nothing unobserved moves both a lever and the outcome";

// Of a plan with later steps, `steps`, it is what is set now.
std::string alterations_words(const JsonPart& alterations, bool steps, Columns columns) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : alterations.members()) {
    const Column& column = about_column(columns, name);
    parts.push_back(fmt::format("{} to {}", name, number_words(column, value.finite())));
  }
  if (parts.empty()) return steps ? "set nothing now" : "leave everything alone";
  return fmt::format("set {}{}", fmt::join(parts, ", "), steps ? " now" : "");
}

// "a, b or c"
std::string either(std::vector<std::string> names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

// "8 fits to half-samples gave 61 % to 70 % for this decision"
std::string range_words(const JsonPart& decision, const char* kind, const char* one, const char* many) {
  double low = 1.0;
  double high = 0.0;
  std::size_t count = 0;
  for (const JsonPart& member : decision["members"].entries()) {
    if (member["kind"].text() != kind) continue;
    low = std::min(low, member["success"].finite());
    high = std::max(high, member["success"].finite());
    ++count;
  }
  if (count == 0) return "";
  const std::string range = whole_percent(low) == whole_percent(high)
                                ? whole_percent(low)
                                : fmt::format("{} to {}", whole_percent(low), whole_percent(high));
  return fmt::format("{} {} {}", count, count == 1 ? one : many, range);
}

std::string coverage_sentence(const JsonPart& decision) {
  const std::string halves =
      range_words(decision, "half", "fit to half of the rows gave", "fits to halves of the rows gave");
  const std::string orders =
      range_words(decision, "order", "other order that the data allow", "other orders that the data allow");
  std::vector<std::string> parts;
  if (!halves.empty()) parts.push_back(halves + " for this decision");
  if (!orders.empty()) parts.push_back(orders);
  const std::array<std::pair<const char*, const char*>, 4> sources = {
      {{"order", "the order"},
       {"rows", "the number of rows"},
       {"extrapolation", "the models away from the data"},
       {"draws", "the chance of the draws"}}};
  double all = 0.0;
  const std::pair<const char*, const char*>* most = &sources.front();
  for (const auto& source : sources) {
    const double own = decision["uncertainty"][source.first].finite();
    all += own;
    if (own > decision["uncertainty"][most->first].finite()) most = &source;
  }
  const double share = all > 0.0 ? decision["uncertainty"][most->first].finite() / all : 0.0;
  return fmt::format("The interval covers draws, data and order{}{}. {} of the uncertainty is {}.",
                     parts.empty() ? "" : ": ", fmt::join(parts, ", "), share > 0.5 ? "Most" : "The largest part",
                     most->second);
}

std::string question_sentence(const JsonPart& decision, Columns columns) {
  if (!decision.has("question")) return "";
  const JsonPart question = decision["question"];
  const std::vector<std::string> pair = question["pair"].texts();
  if (pair.size() != 2) question["pair"].fail("is not a pair");
  return fmt::format(
      "Ask which comes first, {} or {}: with {} first this decision has {}, otherwise {}, and the best would be to {} "
      "({}).",
      pair[0], pair[1], pair[0], whole_percent(question["as_learned"].finite()),
      whole_percent(question["other_way"].finite()),
      alterations_words(question["other_decision"]["alterations"], decision.has("sequence"), columns),
      whole_percent(question["other_decision"]["success"].finite()));
}

std::string other_order_sentence(const JsonPart& decision) {
  if (!decision.has("other_order")) return "";
  const JsonPart other = decision["other_order"];
  std::vector<std::pair<std::string, std::vector<std::string>>> asked;  // of a column, before which levers
  std::size_t pairs = 0;
  for (const JsonPart& entry : other["pairs"].entries()) {
    const std::vector<std::string> pair = entry.texts();
    if (pair.size() != 2) entry.fail("is not a pair");
    if (pairs++ == kMostPairs) break;
    auto own = std::find_if(asked.begin(), asked.end(), [&](const auto& one) { return one.first == pair[0]; });
    if (own == asked.end()) own = asked.insert(own, {pair[0], {}});
    own->second.push_back(pair[1]);
  }
  std::string text = fmt::format("With the levers placed the other way this decision has {}.",
                                 whole_percent(other["success"].finite()));
  for (const auto& [column, levers] : asked)
    text += fmt::format(" Is {} known before {} is set?", column, either(levers));
  return text;
}

std::string units_sentence(const JsonPart& decision, Columns columns) {
  if (!decision.has("units")) return "";
  const JsonPart units = decision["units"];
  return fmt::format(
      "The answer rests on the units of the columns: by what is free of them this decision has {}, and the best would "
      "be to {} ({} by it, {} by the orders used).",
      whole_percent(units["success"].finite()),
      alterations_words(units["decision"]["alterations"], decision.has("sequence"), columns),
      whole_percent(units["decision"]["success"].finite()), whole_percent(units["by_members"].finite()));
}

std::string next_sentence(const JsonPart& decision) {
  if (!decision.has("measure_next")) return "";
  const JsonPart next = decision["measure_next"];
  const std::string kind = next["kind"].text();
  // Of the variance; the interval shrinks with its root.
  const double left = std::sqrt(std::max(0.0, 1.0 - next["reduction"].finite()));
  std::string what;
  if (kind == "pair") {
    const std::vector<std::string> pair = next["pair"].texts();
    if (pair.size() != 2) next["pair"].fail("is not a pair");
    what = fmt::format("to know which of {} and {} comes first", pair[0], pair[1]);
  } else if (kind == "region") {
    what = fmt::format("rows like this decision, with {} measured", next["variable"].text());
  } else {
    what = "twice as many rows";
  }
  return fmt::format("To measure next: {} would shrink the interval to about {} of its width.", what,
                     whole_percent(left));
}

std::string hidden_cause_sentence(const JsonPart& decision) {
  if (!decision.has("hidden_cause")) return "";
  const JsonPart cause = decision["hidden_cause"];
  const std::vector<std::string> left_out = cause["left_out"].texts();
  const std::string without = left_out.empty() ? "" : fmt::format(" (not examined for {})", fmt::join(left_out, ", "));
  if (cause["breakdown"].json().is_null()) {
    const bool any = left_out.empty() || cause["curve"].entries().back().entries()[1].finite() <
                                             cause["curve"].entries().front().entries()[1].finite();
    return any ? fmt::format(
                     "{}. Even a hidden cause that explains 90 % of the noise of both would leave this decision "
                     "better than doing nothing{}.",
                     kAssumption, without)
               : fmt::format("{}{}.", kAssumption, without);
  }
  const double r = cause["breakdown"].finite();
  return fmt::format(
      "{}. A hidden cause would make this decision worse than doing nothing only if it explained more than {} of the "
      "noise of {} and of {}{}.",
      kAssumption, whole_percent(r * r), cause["lever"].text(), cause["outcome"].text(), without);
}

std::string opinions_sentence(const JsonPart& decision) {
  if (!decision.has("opinions")) return "";
  const double claimed = decision["success_probability"].finite();
  std::vector<std::string> all;
  std::vector<std::string> against;
  for (const JsonPart& opinion : decision["opinions"].entries()) {
    const std::string learner = opinion["learner"].text();
    const double success = opinion["success"].finite();
    all.push_back(fmt::format("{} {} (without action {})", learner, whole_percent(success),
                              whole_percent(opinion["without_action"].finite())));
    if (std::abs(success - claimed) > kOpinionDisagrees) against.push_back(learner);
  }
  if (all.empty()) return "";
  std::string said = fmt::format("By the order or graph of other learners: {}.", fmt::join(all, ", "));
  if (against.empty()) return said;
  return fmt::format("{} Note: {} {} with the {} claimed.", said, fmt::join(against, " and "),
                     against.size() == 1 ? "disagrees" : "disagree", whole_percent(claimed));
}

}  // namespace

std::string range_sentence(bool with_members) {
  return with_members
             ? "The range behind a probability (95 %) covers the chance of the draws, the rows, the order and "
               "how far a decision leads from the data."
             : "The range behind a probability covers the chance of the draws (95 %), not errors of the models.";
}

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

std::string rounded_success(double success, double low, double high) {
  return fmt::format("{} ({} to {})", whole_percent(success), whole_percent(low), whole_percent(high));
}

std::string success_text(double success, const std::optional<std::pair<double, double>>& interval) {
  return interval ? rounded_success(success, interval->first, interval->second) : percent_text(success);
}

std::vector<AnswerSentence> uncertainty_sentences(const JsonPart& decision, std::span<const NamedColumn> columns) {
  std::vector<AnswerSentence> all;
  const auto add = [&](std::size_t rank, std::string text, const std::string& brief = "") {
    if (!text.empty()) all.push_back({std::move(text), brief, rank});
  };
  add(1, opinions_sentence(decision));
  if (decision.has("members")) add(0, coverage_sentence(decision));
  add(2, question_sentence(decision, columns));
  add(3, other_order_sentence(decision));
  add(4, units_sentence(decision, columns));
  add(5, hidden_cause_sentence(decision), fmt::format("{}.", kAssumption));
  add(6, next_sentence(decision));
  return all;
}

std::string answer_lines(const std::vector<AnswerSentence>& sentences, std::size_t lines) {
  const std::size_t count = sentences.size();
  std::vector<std::size_t> by_rank(count);
  std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [&](std::size_t a, std::size_t b) { return sentences[a].rank < sentences[b].rank; });
  std::vector<std::string> said(count);
  bool all = true;
  const auto height = [](const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  const auto say = [&](std::size_t i, const std::string& text) {
    const std::string wrapped = wrap_text(text, kLineWidth);
    if (height(wrapped) > lines + height(said[i])) return false;
    lines += height(said[i]);
    lines -= height(wrapped);
    said[i] = wrapped;
    return true;
  };
  for (const std::size_t i : by_rank) {
    if (!sentences[i].brief.empty()) say(i, sentences[i].brief);
  }
  for (const std::size_t i : by_rank) all = say(i, sentences[i].text) && all;
  std::string text;
  for (const std::string& one : said) text += one;
  if (!all && lines > 0) text += "The report and the JSON result say more.\n";
  return text;
}

}  // namespace olem::internal
