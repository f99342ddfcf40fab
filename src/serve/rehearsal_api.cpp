#include "serve/rehearsal_api.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/csv_scan.h"
#include "data/column_json.h"
#include "decide/ensemble.h"
#include "olem/error.h"
#include "olem/looking.h"
#include "olem/parallel.h"
#include "olem/report.h"
#include "olem/report_page.h"
#include "olem/report_realised.h"
#include "olem/version.h"
#include "report/explain_figure.h"
#include "report/layout.h"
#include "report/svg.h"
#include "serve/comparison.h"
#include "serve/decision_table.h"
#include "serve/forecast_json.h"
#include "serve/guard.h"

namespace olem::internal {

Json forecasts_json(const std::vector<OutcomeForecast>& forecasts) {
  Json json = Json::array();
  for (const OutcomeForecast& forecast : forecasts) {
    json.push_back({{"name", forecast.name}, {"mean", forecast.mean}, {"low", forecast.low}, {"high", forecast.high}});
    for (const NamedValue& level : forecast.levels) json.back()["levels"][level.name] = level.value;
  }
  return json;
}

namespace {

constexpr std::size_t kResultsKept = 100;
constexpr int kMostJobs = 4;
constexpr std::size_t kMostContexts = 1000;
constexpr std::size_t kMostLines = 100000;  // of a table, blank ones and those inside of quotes too
// How far the lever of a context variable reaches beyond the data, in widths of its range: enough to try what is a
// little worse than ever seen, not enough to leave what the model can know.
constexpr double kLeverMargin = 0.1;

constexpr HttpRoute kRoutes[] = {
    {"/api/model", "GET"},
    {"/api/rehearse", "POST"},
    {"/api/compare", "POST"},
    {"/api/interval", "POST"},
    {"/api/recommend", "POST"},
    {"/api/looking", "POST"},
    {"/api/contexts", "POST", kBodyLimit},
    {"/api/result/", "GET"},
};

// A failure that is no error of the library: too many at once, no such result.
struct Refusal {
  int status;
  const char* sentence;
};

HttpAnswer json_answer(const Json& json) {
  return text_answer(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n",
                     "application/json; charset=utf-8");
}

Json warnings_json(const std::vector<Warning>& warnings) {
  Json json = Json::array();
  for (const Warning& warning : warnings) json.push_back(to_json(warning, advice_spelling()));
  return json;
}

// What a step of the order rests on: "knowledge", "shape", "scale", "nothing", or "score" for learners that do not tell
// shape from scale.
const char* step_basis(const OrderStep& step) {
  if (step.forced) return "knowledge";
  if (!step.evidence) return step.decided ? "score" : "nothing";
  switch (step.evidence->decided_by) {
    case DecidedBy::kShape: return "shape";
    case DecidedBy::kScale: return "scale";
    default: return "nothing";
  }
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// The same region without the name of the file that it was read from.
Region nameless(const Region& region) {
  if (!region.ranges().empty()) return Region::box(region.ranges());
  if (const auto& ellipse = region.ellipse())
    return Region::ellipse(region.outcomes(), ellipse->centre, ellipse->radii);
  std::vector<std::vector<double>> weights;
  std::vector<double> bounds;
  for (std::size_t row = 0; row < region.rows(); ++row) {
    weights.emplace_back(region.weights(row).begin(), region.weights(row).end());
    bounds.push_back(region.bound(row));
  }
  return Region::polytope(region.outcomes(), weights, bounds);
}

// Messages begin with the source of what they are about, and files of this machine are nobody's business.
RehearsalModel without_paths(RehearsalModel model) {
  model.task.source.clear();
  model.task.desired = nameless(model.task.desired);
  return model;
}

std::string random_id() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorCategory::kInternal, "The system gave no random bytes.");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

int status_of(ErrorCategory category) {
  switch (category) {
    case ErrorCategory::kUsage:
    case ErrorCategory::kData: return 400;
    case ErrorCategory::kTask:
    case ErrorCategory::kResource: return 422;
    case ErrorCategory::kInterrupted: return 503;
    default: return 500;
  }
}

}  // namespace

// What is needed to tell a recommendation again, in full.
struct RehearsalApi::Result {
  std::vector<double> context;
  DecisionProblem problem;
  DecisionOptions options;
  Decision decision;
  std::vector<Warning> warnings;
};

class RehearsalApi::Job {
 public:
  explicit Job(std::atomic<int>& running) : running_(running) {
    if (running_.fetch_add(1) < kMostJobs) return;
    --running_;
    throw Refusal{429, "The server is busy with other recommendations. Try again in a moment."};
  }
  ~Job() { --running_; }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

 private:
  std::atomic<int>& running_;
};

RehearsalApi::RehearsalApi(RehearsalModel model, const ServeOptions& options, int port, const Context& context)
    : model_(without_paths(std::move(model))),
      options_(options),
      port_(port),
      context_(context),
      rehearser_(model_, options_.decision, context_) {}

std::span<const HttpRoute> RehearsalApi::routes() { return kRoutes; }

std::optional<HttpAnswer> RehearsalApi::refuse(const HttpRequest& head) const { return guard(head, kRoutes, port_); }

HttpAnswer RehearsalApi::broken(int status) const { return broken_answer(status); }

HttpAnswer RehearsalApi::answer(const HttpRequest& request) {
  try {
    if (std::optional<HttpAnswer> refused = refuse(request)) return *refused;
    if (request.body.size() > find_route(kRoutes, request.target)->body_limit) return broken(413);
    return respond(request);
  } catch (const Refusal& refusal) {
    return error_answer(refusal.status, refusal.sentence);
  } catch (const Error& error) {
    const int status = status_of(error.category());
    if (error.category() == ErrorCategory::kInterrupted) return error_answer(status, "The server is stopping.");
    return status == 500 ? broken(status) : error_answer(status, error.text(advice_spelling()));
  } catch (const std::bad_alloc&) {
    return error_answer(422, "There is not enough memory for this.");
  } catch (const std::exception&) {
    return broken(500);
  }
}

HttpAnswer RehearsalApi::respond(const HttpRequest& request) {
  const std::string path(path_of(request.target));
  if (path == "/api/model") return json_answer(model_json());
  if (path == "/api/rehearse") return json_answer(rehearse_json(request.body));
  if (path == "/api/compare") return json_answer(compare_json(request.body));
  if (path == "/api/interval") return json_answer(interval_json(request.body));
  if (path == "/api/recommend") return json_answer(recommend_json(request.body));
  if (path == "/api/looking") return json_answer(looking_json(request.body));
  if (path == "/api/contexts") return json_answer(contexts_json(request.body));
  constexpr std::string_view kResults = "/api/result/";
  return result_answer(path.substr(kResults.size()));
}

Json RehearsalApi::model_json() {
  const Task& task = model_.task;
  const Json wishes = to_json(task);
  Json json;
  json["version"] = version();
  json["name"] = task.name;
  json["note"] = task.note;
  json["column_types"] = column_types_json(model_.columns);
  json["order"] = model_.order.order;
  json["order_method"] = model_.order.method;
  if (model_.graph) json["graph"] = to_json(*model_.graph);
  json["order_steps"] = Json::array();
  for (const OrderStep& step : model_.order.steps) {
    if (step.runner_up.empty() && !step.forced) continue;
    json["order_steps"].push_back({{"name", step.sink}, {"rival", step.runner_up}, {"decided_by", step_basis(step)}});
  }
  json["undecided_steps"] = undecided_between(model_);
  json["levers"] = levers_sentence(model_);
  json["rows_known"] = rows_text(model_);
  json["data"] = model_.data ? to_json(*model_.data) : Json();
  json["fitted_by"] = model_.version;
  json["members"] = has_members();
  json["can_draw_context"] = model_.context_model != nullptr;
  json["warnings"] = warnings_json(model_.summary.warnings);
  const std::vector<double> start = starting_context(model_);
  json["context"] = Json::array();
  for (std::size_t j = 0; j < start.size(); ++j) {
    const ColumnSummary& column = model_.context[j];
    const double margin = kLeverMargin * column.range();
    const Column& about = about_column(model_.columns, task.context[j]);
    double low = std::min(column.low - margin, start[j]);
    double high = std::max(column.high + margin, start[j]);
    if (about.type == ColumnType::kCount) {
      low = std::max(0.0, std::floor(low));
      high = std::ceil(high);
    }
    json["context"].push_back({{"name", task.context[j]},
                               {"value", value_json(about, start[j])},
                               {"low", low},
                               {"high", high},
                               {"mean", column.mean},
                               {"sd", column.deviation},
                               {"data_low", column.low},
                               {"data_high", column.high},
                               {"about", to_json(about)}});
  }
  const std::string group = starting_group(model_);
  json["group"] = Json();
  if (!model_.groups.empty())
    json["group"] = {{"column", task.group}, {"names", model_.groups}, {"value", group.empty() ? Json() : Json(group)}};
  const std::vector<double> expected = rehearser_.expected(start, group);
  json["alterable"] = Json::array();
  for (std::size_t k = 0; k < task.alterable.size(); ++k) {
    const Column& about = about_column(model_.columns, task.alterable[k].name);
    const LeverDomain range = resolve_lever(task.alterable[k], about);
    const SamplerVariable& variable = model_.samplers->variables[model_.samplers->index(range.name)];
    json["alterable"].push_back({{"name", range.name},
                                 {"low", range.low},
                                 {"high", range.high},
                                 {"expected", value_json(about, expected[k])},
                                 {"data_low", variable.low},
                                 {"data_high", variable.high},
                                 {"data_counts", variable.counts},
                                 {"about", to_json(about)}});
    if (has_values(range)) json["alterable"].back()["values"] = range.values;
  }
  json["outcome"] = Json::array();
  for (std::size_t k = 0; k < task.outcome.size(); ++k) {
    Json entry = {{"name", task.outcome[k]}, {"about", to_json(about_column(model_.columns, task.outcome[k]))}};
    if (!task.desired.ranges().empty()) {
      entry["low"] = optional_json(task.desired.ranges()[k].low);
      entry["high"] = optional_json(task.desired.ranges()[k].high);
      if (task.desired.ranges()[k].is_list()) entry["wanted"] = to_json(task.desired)[task.outcome[k]];
    }
    json["outcome"].push_back(std::move(entry));
  }
  if (task.desired.ranges().empty()) json["region"] = to_json(task.desired);
  for (const char* const key : {"cost", "max_alterations", "constraints", "sequence"})
    json[key] = wishes.contains(key) ? wishes[key] : Json();
  json["draws"] = rehearser_.draw_count();
  json["realised"] = options_.realised ? to_json(*options_.realised) : Json();
  if (options_.realised) json["realised"]["sentences"] = realised_sentences(*options_.realised);
  const auto& search = options_.decision;
  json["target"] = search.target;
  json["proposals"] = search.proposals;
  return json;
}

Json RehearsalApi::rehearse_json(const std::string& body) {
  const RehearseRequest request = read_rehearse_request(model_, body);
  const Rehearsal rehearsal = rehearser_.rehearse(request);
  Json json;
  json["success_probability"] = rehearsal.success;
  json["interval"] = {rehearsal.interval.low, rehearsal.interval.high};
  json["without_action"] = rehearsal.without_action;
  json["interval_without_action"] = {rehearsal.interval_without_action.low, rehearsal.interval_without_action.high};
  json["cost"] = rehearsal.cost;
  json["expected"] = Json::object();
  for (std::size_t k = 0; k < rehearsal.expected.size(); ++k)
    json["expected"][model_.task.alterable[k].name] = rehearsal.expected[k];
  name_levels(json["expected"], model_.columns);
  json["outcomes"] = forecasts_json(rehearsal.outcomes);
  json["outcomes_without_action"] = forecasts_json(rehearsal.outcomes_without_action);
  json["extrapolated"] = rehearsal.extrapolated;
  Explanation figure;  // as much of one as the figure shows
  figure.with_decision = rehearsal.success;
  json["svg"] = Json::object();
  for (std::size_t k = 0; k < rehearsal.histograms.size(); ++k) {
    const OutcomeHistogram& histogram = rehearsal.histograms[k];
    const OutcomeForecast& without_action = rehearsal.outcomes_without_action[k];
    json["svg"][histogram.name] = plot::svg_element(outcome_figure(figure, histogram, without_action, request.width));
  }
  json["warnings"] = warnings_json(rehearsal.warnings);
  return json;
}

Json RehearsalApi::compare_json(const std::string& body) {
  const CompareRequest request = read_compare_request(model_, body);
  std::optional<Job> job;
  if (has_members()) job.emplace(jobs_);
  const Comparison comparison = compare_rehearsals(
      rehearser_, model_, request, [this](const RehearseRequest& one) { return claim(one); },
      [this](const CompareRequest::Scenario& one) { return plan_claim(one); });
  Json json = comparison_json(comparison, request.width);
  json["csv"] = comparison_csv(comparison, model_);
  json["report"] = comparison_page(comparison, model_);
  return json;
}

std::optional<SuccessClaim> RehearsalApi::claim(const RehearseRequest& request) const {
  if (!has_members()) return std::nullopt;
  const DecisionProblem problem = problem_for(request.context, request.group, {}, request.desired);
  std::vector<std::optional<double>> values(problem.alterable.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (const NamedValue& given : request.alterations) {
      if (given.name == problem.alterable[k].name) values[k] = given.value;
    }
  }
  return claim_of(problem, values, options_.decision, limited_context());
}

// A rehearsal knows the present step alone, so that the number of a plan is that of its recommendation. Forgotten ones
// and settings that are no longer theirs are rehearsed like any other.
std::optional<SuccessClaim> RehearsalApi::plan_claim(const CompareRequest::Scenario& scenario) const {
  const std::shared_ptr<const Result> result = scenario.result.empty() ? nullptr : look_up(scenario.result);
  if (!result) return std::nullopt;
  const Decision& decision = result->decision;
  if (!decision.sequence && decision.so_far.empty()) return std::nullopt;
  const RehearseRequest& own = scenario.rehearsal;
  const bool same_context =
      std::equal(own.context.begin(), own.context.end(), result->context.begin(), result->context.end(),
                 [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
  const bool same_levers =
      std::all_of(decision.alterations.begin(), decision.alterations.end(), [&](const Alteration& alteration) {
        const auto is_own = [&](const NamedValue& value) { return value.name == alteration.name; };
        if (std::any_of(decision.so_far.begin(), decision.so_far.end(), is_own)) return true;
        const auto set = std::find_if(own.alterations.begin(), own.alterations.end(), is_own);
        return alteration.value ? set != own.alterations.end() && set->value == *alteration.value
                                : set == own.alterations.end();
      });
  if (!same_context || !same_levers || own.group != decision.group ||
      to_json(own.desired) != to_json(result->problem.region))
    return std::nullopt;
  return SuccessClaim{decision.success_probability, decision.success_low, decision.success_high};
}

// Slower than the plain number, which a page shows at once. With the draws of a recommendation, so that both say the
// same of the same decision.
Json RehearsalApi::interval_json(const std::string& body) {
  const RehearseRequest request = read_rehearse_request(model_, body);
  Json json;
  json["members"] = has_members();
  const Rehearsal rehearsal = rehearser_.rehearse(request);
  SuccessClaim with{rehearsal.success, rehearsal.interval.low, rehearsal.interval.high};
  SuccessClaim without{rehearsal.without_action, rehearsal.interval_without_action.low,
                       rehearsal.interval_without_action.high};
  if (has_members()) {
    const Job job(jobs_);
    with = *claim(request);
    RehearseRequest idle = request;
    idle.alterations.clear();
    without = *claim(idle);
  }
  json["success_probability"] = with.success;
  json["interval"] = {with.low, with.high};
  json["without_action"] = without.success;
  json["interval_without_action"] = {without.low, without.high};
  return json;
}

DecisionProblem RehearsalApi::problem_for(const std::vector<double>& context_values, const std::string& group,
                                          const Switches& switches, const Region& desired) const {
  DecisionProblem problem = decision_problem(model_, known_context(model_.task, context_values), UnknownPolicy::kDraw);
  if (!group.empty()) problem = problem_in_group(std::move(problem), model_, group);
  problem.region = desired;
  problem.fixed = switches.fixed;
  problem.left_alone = switches.left_alone;
  return problem;
}

Context RehearsalApi::limited_context() const {
  Context limited = context_;
  limited.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                            std::chrono::duration<double>(options_.time_limit));
  return limited;
}

// The values of a decision as people may set them.
Json RehearsalApi::rounded_json(const RecommendRequest& request, const Decision& decision) {
  RehearseRequest rehearsal{request.context, {}, request.desired};
  rehearsal.group = request.group;
  for (const Alteration& alteration : decision.alterations) {
    if (alteration.value) rehearsal.alterations.push_back({alteration.name, *alteration.value});
  }
  Json json = Json::object();
  // With steps the probability is that of the plan, which a rehearsal of the present step does not know.
  if (decision.sequence || !request.so_far.empty()) return json;
  for (const NamedValue& value : rehearser_.rounded(rehearsal)) json[value.name] = value.value;
  name_levels(json, model_.columns);
  return json;
}

Json RehearsalApi::recommend_json(const std::string& body) {
  const RecommendRequest request = read_recommend_request(model_, body, options_.decision);
  const Job job(jobs_);
  auto result = std::make_shared<Result>();
  result->context = request.context;
  result->problem = problem_for(request.context, request.group, request.switches, request.desired);
  result->options = request.options;
  const Context limited = limited_context();
  ProblemSoFar next = problem_so_far(std::move(result->problem), request.so_far, limited);
  result->problem = std::move(next.problem);
  result->decision = decide(result->problem, result->options, limited);
  result->warnings = context_warnings(model_.task, model_.context, request.context);
  result->warnings.insert(result->warnings.end(), next.warnings.begin(), next.warnings.end());
  const std::vector<Warning>& more = result->decision.summary.warnings;
  result->warnings.insert(result->warnings.end(), more.begin(), more.end());
  Json json;
  json["id"] = random_id();
  json["decision"] = to_json(result->decision, model_.columns);
  json["rounded"] = rounded_json(request, result->decision);
  json["warnings"] = warnings_json(result->warnings);
  keep(json["id"], std::move(result));
  return json;
}

Json RehearsalApi::looking_json(const std::string& body) {
  const RecommendRequest request = read_recommend_request(model_, body, options_.decision);
  const Job job(jobs_);
  const DecisionProblem problem = problem_for(request.context, request.group, request.switches, request.desired);
  return to_json(explain_looking(problem, request.options, limited_context()), model_.columns);
}

Json RehearsalApi::contexts_json(const std::string& body) {
  const Job job(jobs_);  // the body may be large
  const ContextsRequest request = read_contexts_request(model_, body);
  if (model_.task.context.empty())
    throw Error(ErrorCategory::kData, "The task has no context variables, so that a table of contexts says nothing.");
  if (count_lines(request.csv) > kMostLines) {
    throw Error(ErrorCategory::kData, fmt::format("The table has more than {} lines, but at most {} rows can be "
                                                  "decided for at once.",
                                                  kMostLines, kMostContexts));
  }
  const Context limited = limited_context();
  const std::vector<std::vector<double>> contexts =
      parse_contexts(model_.task, request.csv, "The table", limited, context_columns(model_.task, model_.columns),
                     model_.context_model ? UnknownPolicy::kDraw : UnknownPolicy::kError);
  if (contexts.size() > kMostContexts) {
    throw Error(ErrorCategory::kData, fmt::format("The table has {} rows, but at most {} can be decided for at once.",
                                                  contexts.size(), kMostContexts));
  }
  std::vector<Warning> warnings;
  const auto add = [&](const std::vector<Warning>& more) {
    for (const Warning& warning : more) {
      const bool known = std::any_of(warnings.begin(), warnings.end(),
                                     [&](const Warning& other) { return other.text == warning.text; });
      if (!known) warnings.push_back(warning);
    }
  };
  // Each row on the draws that a recommendation for it alone would see, so that both say the same.
  std::vector<Decision> decisions(contexts.size());
  const Context serial = limited.serial();
  parallel_for(limited, 0, contexts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      decisions[i] =
          decide(problem_for(contexts[i], request.group, request.switches, request.desired), options_.decision, serial);
  });
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    add(context_warnings(model_.task, model_.context, contexts[i]));
    add(decisions[i].summary.warnings);
  }
  Json json;
  json["rows"] = decision_rows(decisions, model_.columns);
  json["csv"] = decisions_csv(decisions, model_.columns);
  json["warnings"] = warnings_json(warnings);
  return json;
}

void RehearsalApi::keep(const std::string& id, std::shared_ptr<const Result> result) {
  const std::scoped_lock lock(mutex_);
  results_.emplace_back(id, std::move(result));
  if (results_.size() > kResultsKept) results_.pop_front();
}

std::shared_ptr<const RehearsalApi::Result> RehearsalApi::look_up(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [known, result] : results_) {
    if (known == id) return result;
  }
  return nullptr;
}

std::shared_ptr<const RehearsalApi::Result> RehearsalApi::find(const std::string& id) const {
  if (std::shared_ptr<const Result> result = look_up(id)) return result;
  throw Refusal{404, "There is no such result, or it was made too long ago. Ask for the recommendation again."};
}

Json RehearsalApi::full_result(const Result& result) const {
  Task task = model_.task;
  task.desired = result.problem.region;
  task.observed = result.problem.context;
  task.observed_words.clear();
  task.unknown = result.problem.unknown;
  Json json = decisions_json(model_, task, result.options, {result.decision});
  add_decision_details(json, model_, {result.problem}, {result.decision}, result.options, limited_context());
  if (options_.realised) json["realised"] = to_json(*options_.realised);
  Json options = to_json(model_.options);
  DecisionOptions search = result.options;
  options.update(describe(search).json());
  options["threads"] = context_.thread_count();
  return result_json("decide", json, std::move(options), context_.seed, result.decision.summary.seconds,
                     result.warnings);
}

HttpAnswer RehearsalApi::result_answer(const std::string& file) {
  const std::size_t dot = file.find('.');
  const std::string kind = dot == std::string::npos ? "" : file.substr(dot);
  if (kind != ".json" && kind != ".html") throw Refusal{404, "A result is saved as .json or as .html."};
  const std::shared_ptr<const Result> result = find(file.substr(0, dot));
  const Job job(jobs_);
  const Json json = full_result(*result);
  HttpAnswer answer = kind == ".json" ? text_answer(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n",
                                                    "application/json; charset=utf-8")
                                      : text_answer(report_page(json, "The result"), "text/html; charset=utf-8");
  answer.headers.push_back({"Content-Disposition", fmt::format("attachment; filename=\"decision{}\"", kind)});
  return answer;
}

}  // namespace olem::internal
