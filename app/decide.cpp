#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <numeric>

#include "command_line.h"
#include "model_source.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/journal.h"
#include "olem/report.h"
#include "olem/report_page.h"
#include "olem/report_realised.h"
#include "olem/report_rounds.h"
#include "olem/rounds.h"
#include "ranks_run.h"

namespace olem::app {

namespace {

struct DecideArguments {
  CommonOptions common;
  RehearsalArguments learning;
  DecisionOptions decision;
  ModelArguments source;
  std::string page;
  std::string csv;
  std::string log;
  int lags = 0;
  RoundsOptions rounds;
  std::string over_rounds = "mean";
  bool details = false;
};

// QWZ23 is a method for linear models with a graph.
void check_decision_method(const CLI::App& verb, DecideArguments& arguments) {
  if (arguments.decision.method != DecisionMethod::kQwz23 || !arguments.source.model.empty()) return;
  if (!has_graph(arguments.learning) && arguments.learning.order_file.empty()) {
    throw Error(
        ErrorCategory::kUsage,
        "--decision qwz23 needs to know what causes what: give a graph with --graph FILE, have one learned with "
        "--graph-method NAME, or give an order with --order FILE.");
  }
  if (!flag_given(verb, "--sampler")) arguments.learning.options.samplers.sampler = "gaussian";
}

// What --strict takes as a task that cannot be solved as stated.
void refuse_hopeless(const std::vector<Decision>& decisions, const Task& task) {
  for (const Decision& decision : decisions) {
    const Status status = decision.summary.status;
    if (status == Status::kNoInfluence || status == Status::kTargetNotReached)
      throw Error(ErrorCategory::kTask, fmt::format("{}: {}", task.source, decision.summary.message));
  }
}

// What is wrong with the log is said before any work. Comes back with how its decisions came out, where that is known.
std::optional<RealisedCalibration> check_log(const std::string& path, Session& session) {
  session.protect(path, "the log of decisions");
  if (!std::filesystem::exists(path)) return std::nullopt;
  const DecisionLog log = read_decision_log(path, session.context());
  session.warn(log.warnings);
  RealisedCalibration realised = realised_calibration(log);
  if (realised.all.decisions == 0) return std::nullopt;
  session.warn(realised_warnings(realised));
  return realised;
}

constexpr Choice kOverRounds[] = {{"mean", "of the outcomes over all rounds"}, {"sum", "of them"}};

// Several rounds with one target.
int run_rounds(DecideArguments arguments, Session& session) {
  if (!arguments.source.model.empty())
    throw Error::of_option("lags", "A model file does not hold the rounds before.", {{"Give the task instead"}});
  if (!arguments.log.empty() || !arguments.page.empty() || !arguments.csv.empty() || !arguments.source.so_far.empty())
    throw Error::of_option("lags",
                           "Several rounds are neither logged, nor shown on a page or as a table, nor a "
                           "sequence of steps.");
  ModelSource source = find_model_source(arguments.source.task, "", arguments.learning, "decide", session);
  const std::vector<std::vector<double>> contexts = load_contexts(source, arguments.source, session);
  if (contexts.size() != 1 || any_unknown(contexts))
    throw Error::of_option("lags", "Rounds are planned for one context, all of it known.");
  RoundsProblem problem;
  problem.task = source.task;
  problem.observed = known_context(source.task, contexts.front());
  problem.options = arguments.rounds;
  problem.options.sum = arguments.over_rounds == "sum";
  LoadedTable lagged = *source.loaded;
  if (lagged.completed)
    throw Error::of_option("missing", "Rows with the one before them are not imputed.",
                           {{"Leave out the rows", "missing", "drop"}});
  RoundsRows rows = rounds_rows(source.task, source.loaded->table);
  problem.past = std::move(rows.past);
  lagged.table = std::move(rows.lagged);
  lagged.original_names = lagged.table.names();
  lagged.kept.resize(lagged.table.columns());
  std::iota(lagged.kept.begin(), lagged.kept.end(), std::size_t{0});
  arguments.learning.options.members.reset();
  const RehearsalModel model = learn_model(arguments.learning, rows.task, lagged, session);
  if (!session.goes_on_alone()) return 0;
  session.warn(model.summary.warnings);
  problem.samplers = model.samplers;
  const RoundsDecision decided = decide_rounds(problem, arguments.decision, session.context());
  session.warn(decided.decision.summary.warnings);
  Json json;
  json["method"] = "rounds";
  json["task"] = to_json(source.task);
  json["rounds"] = problem.options.rounds;
  json["done"] = problem.options.done;
  json["over_rounds"] = arguments.over_rounds;
  json["order"] = model.order.order;
  json["alterations"] = Json::object();
  for (std::size_t k = 0; k < source.task.alterable.size(); ++k) {
    const std::optional<double>& value = decided.decision.alterations[k].value;
    json["alterations"][source.task.alterable[k].name] = value ? Json(*value) : Json();
  }
  json["decision"] = to_json(decided.decision);
  json["plan"] = Json::array();
  for (const std::vector<NamedValue>& round : decided.plan) {
    Json& entry = json["plan"].emplace_back(Json::object());
    for (const NamedValue& lever : round) entry[lever.name] = lever.value;
  }
  Json options = source.options;
  options.update(to_json(model.options));
  options["lags"] = arguments.lags;
  DecisionOptions search = arguments.decision;
  options.update(describe(search).json());
  session.finish("decide", json, std::move(options), rounds_text(problem, decided));
  return 0;
}

// What was finished when the work was stopped is worth an answer for the first context, unless there is no memory.
DecidedSoFar decide_first(const std::vector<DecisionProblem>& problems, const DecisionOptions& options,
                          const Session& session) {
  if (memory_ran_out()) throw Error(*session.stop());
  Context context = session.context();
  context.interrupt = nullptr;
  context.deadline.reset();
  DecidedSoFar decided;
  decided.decisions.push_back(decide(problems.front(), options, context));
  decided.stopped = session.stop();
  return decided;
}

int run_decide(DecideArguments arguments, const Ranks* ranks) {
  Session session(arguments.common, ranks);
  if (arguments.lags > 0) return run_rounds(std::move(arguments), session);
  reserve_output(arguments.source, arguments.page, "--report", session);
  reserve_output(arguments.source, arguments.csv, "--csv", session);
  const std::string& file = arguments.source.model;
  std::optional<RealisedCalibration> realised;
  if (!arguments.log.empty()) realised = check_log(arguments.log, session);
  ModelSource source = find_model_source(arguments.source.task, file, arguments.learning, "decide", session);
  const Task& task = source.task;
  const std::vector<std::vector<double>> contexts = load_contexts(source, arguments.source, session);
  const bool details = arguments.details || !arguments.page.empty();
  arguments.learning.options.calibrate = details;
  arguments.learning.options.context_model = any_unknown(contexts);
  arguments.learning.options.only_needed =
      !details && arguments.source.so_far.empty() && arguments.decision.method == DecisionMethod::kOlemRh;
  arguments.learning.options.keep_finished = true;
  if (arguments.decision.quick) arguments.learning.options.members.reset();
  Json options = source.options;
  const RehearsalModel model = take_model_quietly(source, arguments.learning, session);
  if (!session.goes_on_alone()) return 0;
  const DecisionProblems problems = make_problems(model, task, contexts, arguments.source, session);
  const DecidedSoFar decided = model.stopped
                                   ? decide_first(problems.list, arguments.decision, session)
                                   : decide_until_stopped(problems.list, arguments.decision, session.context());
  const std::vector<Decision>& decisions = decided.decisions;
  if (decided.stopped && decisions.empty()) throw Error(*decided.stopped);
  // That the task has no solution says more than a warning about what was learned, which may be the reason for it.
  if (arguments.common.strict) refuse_hopeless(decisions, task);
  std::vector<Warning> warnings = model.summary.warnings;
  const auto add = [&](const std::vector<Warning>& more) { warnings.insert(warnings.end(), more.begin(), more.end()); };
  add(problems.warnings);
  for (const Decision& decision : decisions) {
    add(decision.summary.warnings);
    add(calibration_warnings(model, decision));
  }
  if (decisions.size() < problems.list.size()) {
    add({{"unfinished",
          fmt::format("The result holds the first {} of {} contexts. {}", decisions.size(), problems.list.size(),
                      decided.stopped->finding()),
          arguments.source.contexts, decided.stopped->remedies()}});
  }
  session.warn(warnings);

  Json json = decisions_json(model, task, arguments.decision, decisions);
  if (decisions.size() < problems.list.size()) json["unfinished"] = problems.list.size() - decisions.size();
  if (details && !decided.stopped)
    add_decision_details(json, model, problems.list, decisions, arguments.decision, session.context());
  options.update(to_json(model.options));
  DecisionOptions search = arguments.decision;
  options.update(describe(search).json());
  std::string text = decision_text(model, decisions);
  if (!arguments.log.empty()) {
    const std::vector<std::string> ids = log_decisions(arguments.log, task, file.empty() ? arguments.source.task : file,
                                                       decisions, model.columns, session.context());
    for (std::size_t i = 0; i < ids.size(); ++i) json["decisions"][i]["decision_id"] = ids[i];
    text += fmt::format("\nLogged in {} as decision{} {}{}.\n", arguments.log, ids.size() == 1 ? "" : "s", ids.front(),
                        ids.size() == 1 ? "" : " to " + ids.back());
  }
  if (realised) {
    json["realised"] = to_json(*realised);
    text += fmt::format("Earlier decisions: {}\n", realised_sentence(*realised));
  }
  session.finish("decide", json, std::move(options), text, arguments.page, [&] {
    if (!arguments.csv.empty())
      write_file_atomically(arguments.csv, decisions_csv(decisions, model.columns), arguments.common.force);
  });
  return decided.stopped ? exit_code(decided.stopped->category()) : 0;
}

}  // namespace

std::function<int()> fill_decide_verb(CLI::App* verb) {
  auto arguments = std::make_shared<DecideArguments>();
  add_model_options(*verb, arguments->source, "CSV file with a context in each row: one decision for each");
  add_so_far_option(*verb, arguments->source);
  add_rehearsal_options(*verb, arguments->learning);
  add_member_options(*verb, arguments->learning);
  add_described_options(*verb, describe(arguments->decision), "Search");
  add_common_options(*verb, arguments->common);
  verb->add_option("--report", arguments->page, "also write a page that explains the decisions, for a browser or print")
      ->type_name("FILE")
      ->group("Output and resources");
  verb->add_option("--csv", arguments->csv, "also write a table with a row for each context, its decision and success")
      ->type_name("FILE")
      ->group("Output and resources");
  verb->add_option("--log", arguments->log,
                   "also add each decision, with what it claims, to this log; olem check --log compares it with what "
                   "came out")
      ->type_name("FILE")
      ->group("Output and resources");
  const std::string rounds = "Rounds";
  verb->add_option("--lags", arguments->lags, "model every row given the one before; rows are in time order")
      ->check(CLI::Range(0, 1))
      ->type_name("N")
      ->group(rounds);
  verb->add_option("--rounds", arguments->rounds.rounds,
                   "rounds from now on over which the outcomes are wanted; needs --lags 1")
      ->check(CLI::Range(1, 100))
      ->type_name("N")
      ->group(rounds);
  verb->add_option("--rounds-done", arguments->rounds.done, "rounds before now that count too: the last rows")
      ->check(CLI::Range(0, 1000))
      ->type_name("N")
      ->group(rounds);
  OptionSet over;
  over.name_choice("over_rounds", arguments->over_rounds, kOverRounds, "what is wanted in the region");
  add_described_options(*verb, over, rounds);
  verb->add_flag("--details", arguments->details, "put what a report shows into the JSON: curves, forecasts, steps")
      ->group("Output and resources");
  verb->footer(R"(
Examples:
  olem decide task.json
  olem decide task.json --context Light=0.4 --context Temp=-0.2 --context Sal=0.1
  olem decide task.json --contexts today.csv --json -o decisions.json
  olem decide --model reef.olem --contexts today.csv --csv decisions.csv
  olem decide task.json --sampler linear --caution 2
  olem decide task.json --target 0.8
  olem decide task.json --quick
  olem decide task.json --proposals 3 --optimizer bayes
  olem decide task.json --graph graph.csv
  olem decide task.json --graph-method ges --sampler linear
  olem decide task.json --decision qwz23 --graph graph.csv
  olem decide task.json --report decision.html
  olem decide task.json --lags 1 --rounds 9
  olem decide --model reef.olem --contexts today.csv --log decisions.jsonl

Costs of alterations, how many of them there may be and constraints between them belong in the task file.
What is decided when --time-limit or Ctrl-C ends a run over many contexts is still printed and written.

Exit codes: 0 done, 2 usage, 3 bad input, 4 the task cannot be solved as stated, 5 file, 6 memory or time,
130 interrupted.)");
  return [verb, arguments] {
    check_rehearsal_options(*verb, arguments->learning);
    check_decision_method(*verb, *arguments);
    if (arguments->lags == 0 && (flag_given(*verb, "--rounds") || flag_given(*verb, "--rounds-done")))
      throw Error::of_option("rounds", "Later rounds depend on earlier ones.",
                             {{"Model every row given the one before", "lags", "1"}});
    // An earlier version had one fit, and took the best decision whatever its effort.
    if (!arguments->learning.like.empty()) {
      arguments->decision.quick = true;
      if (!flag_given(*verb, "--least-effort")) arguments->decision.least_effort = 0.0;
    }
    return run_on_ranks(*verb, [&](const Ranks* ranks) { return run_decide(*arguments, ranks); });
  };
}

}  // namespace olem::app
