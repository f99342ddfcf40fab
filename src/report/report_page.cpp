#include "olem/report_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/date.h"
#include "core/text.h"
#include "olem/error.h"
#include "olem/version.h"
#include "report/decision_sheet.h"
#include "report/glossary.h"
#include "report/page_parts.h"
#include "report/svg.h"
#include "report/uncertainty_words.h"

namespace olem {

using namespace internal;

namespace {

// Where the numbers come from: data, date and version.
void add_byline(Page& page, const JsonPart& result) {
  std::string text;
  if (result.has("data") && result["data"].json().is_object()) {
    const JsonPart data = result["data"];
    text = data_sentence(data.has("source") ? data["source"].text() : "",
                         data.has("rows") ? json_cell(data["rows"].json()) : "");
  } else if (result.has("realised")) {
    text = log_sentence(result);
  }
  if (result.has("date")) text += fmt::format("{}Made on {}", text.empty() ? "" : " ", result["date"].text());
  text += fmt::format("{} olem {}.",
                      result.has("date") ? " with"
                      : text.empty()     ? "Made with"
                                         : " Made with",
                      result["version"].text());
  page.byline(text);
}

// Beside the answer, since it belongs to it.
void add_uncertainty(Page& page, const JsonPart& result) {
  if (!result.has("warnings")) return;
  std::vector<std::string> texts;
  if (result.has("decisions")) {
    const std::vector<JsonPart> decisions = result["decisions"].entries();
    texts.push_back(range_sentence(!decisions.empty() && decisions.front().has("members")));
    if (decisions.size() == 1) {
      const DecisionSheet sheet = decision_sheet(decisions.front(), columns_of(result));
      for (const AnswerSentence& sentence : sheet.uncertainty) texts.push_back(sentence.text);
    }
  }
  for (const JsonPart& warning : result["warnings"].entries()) texts.push_back(warning["text"].text());
  if (result.has("undecided_steps")) {
    const std::vector<std::string> undecided = result["undecided_steps"].texts();
    if (!undecided.empty()) {
      texts.push_back(
          fmt::format("The data did not decide which of these comes first: {}. If they stand the other way "
                      "round, the answer may change.",
                      fmt::join(undecided, "; ")));
    }
  }
  page.section("Uncertainty");
  if (texts.empty()) {
    page.paragraph("There were no warnings.");
  } else {
    page.list(texts);
  }
}

void add_words(Page& page) {
  page.section("Words");
  page.fold("What the words on this page mean");
  std::string html = "<dl>\n";
  for (const GlossaryEntry& entry : glossary())
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", plot::escape(entry.word), plot::escape(entry.text));
  page.markup(html + "</dl>\n");
  page.unfold();
}

void add_settings(Page& page, const JsonPart& result) {
  page.section("How this was made");
  std::vector<std::vector<std::string>> rows = {{"version", result["version"].text()},
                                                {"verb", "olem " + result["verb"].text()}};
  for (const char* const key : {"date", "seed", "seconds", "method", "order_method"}) {
    if (result.has(key)) rows.push_back({key, json_cell(result[key].json())});
  }
  if (result.has("data") && result["data"].json().is_object()) {
    for (const auto& [key, value] : result["data"].members()) rows.push_back({"data: " + key, json_cell(value.json())});
  }
  if (result.has("options")) {
    for (const auto& [key, value] : result["options"].members()) rows.push_back({key, json_cell(value.json())});
  }
  page.fold(fmt::format("All {} settings", rows.size()));
  page.table({"option", "value"}, rows, true);
  page.unfold();
}

std::string order_answer(const JsonPart& result) {
  return fmt::format("{}, causes first.", fmt::join(result["order"].texts(), " > "));
}

Page make_page(const JsonPart& result, const std::string& verb, const Task* task) {
  const std::string desired = task == nullptr ? "" : desired_text(*task, columns_of(result));
  if (verb == "decide") return {fmt::format("What should be changed to have {}?", desired), answer_text(result, *task)};
  if (verb == "explain") return {fmt::format("What can be done to have {}?", desired), explanation_answer(result)};
  if (verb == "fit") return {fmt::format("The model to have {}", desired), order_answer(result)};
  if (verb == "check") return {"Did earlier decisions come true as often as was claimed?", realised_answer(result)};
  if (verb == "order")
    return {fmt::format("In which order do {} influence each other?",
                        counted(result["order"].entries().size(), "variable")),
            order_answer(result)};
  if (verb == "graph")
    return {fmt::format("How do {} influence each other?", counted(result["nodes"].entries().size(), "variable")),
            graph_answer(result)};
  return {fmt::format("Study {}: do the published numbers come out again?", json_cell(result["study"].json())),
          study_answer(result)};
}

}  // namespace

}  // namespace olem

namespace olem::internal {

std::string json_cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  if (value.is_null()) return "";
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string data_sentence(const std::string& source, const std::string& rows) {
  const std::string file = std::filesystem::path(source).filename().string();
  if (file.empty() && rows.empty()) return "";
  return fmt::format("Data: {}{}{}{}.", file, file.empty() || rows.empty() ? "" : ", ", rows,
                     rows.empty() ? "" : " rows");
}

}  // namespace olem::internal

namespace olem {

Json result_json(const std::string& verb, const Json& result, Json options, std::uint64_t seed, double seconds,
                 const std::vector<Warning>& warnings, const Spelling& spelling) {
  Json object;
  object["version"] = version();
  object["verb"] = verb;
  object["date"] = today();
  object.update(result);
  object["options"] = std::move(options);
  object["seed"] = seed;
  object["seconds"] = seconds;
  object["warnings"] = Json::array();
  for (const Warning& warning : warnings) object["warnings"].push_back(to_json(warning, spelling));
  return object;
}

std::string report_page(const Json& result, const std::string& source) {
  const JsonPart root(result, source);
  const bool known = result.is_object() && result.contains("verb") && result["verb"].is_string() &&
                     result.contains("version") && result["version"].is_string();
  if (!known) {
    throw Error(ErrorCategory::kData, fmt::format("{}: This is no result of olem.", source),
                {{"Give a file that holds the JSON result of a command"}});
  }
  const std::string verb = root["verb"].text();
  const bool rehearsal = verb == "decide" || verb == "explain" || verb == "fit";
  const bool realised = verb == "check" && root.has("realised");
  if (!rehearsal && !realised && verb != "order" && verb != "graph" && verb != "study") {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: A result of olem {} has no report; those of order, graph, fit, decide, explain and "
                            "study have, and those of check about a log of decisions.",
                            source, verb));
  }
  std::optional<Task> task;
  if (rehearsal) task = parse_task(root["task"].json().dump(), source);
  Page page = make_page(root, verb, task ? &*task : nullptr);
  add_byline(page, root);
  add_uncertainty(page, root);
  if (task) add_task(page, root, *task);
  if (verb == "decide") {
    add_decisions(page, root, *task);
    add_realised(page, root);
  }
  if (verb == "explain") add_explanations(page, root);
  if (verb == "study") {
    add_study(page, root);
  } else if (realised) {
    add_realised(page, root);
  } else {
    add_order(page, root, task ? &*task : nullptr);
    add_rows(page, root);
    add_stability(page, root);
    add_graph(page, root, task ? &*task : nullptr);
    add_calibration(page, root);
  }
  add_columns(page, root);
  if (rehearsal) add_words(page);
  add_settings(page, root);
  return page.finish();
}

}  // namespace olem
