#include "olem/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "olem/error.h"
#include "olem/graph_learner.h"
#include "olem/sampler_state.h"
#include "olem/version.h"
#include "rehearse/lever_order.h"
#include "rehearse/members.h"
#include "rehearse/refit.h"
#include "rehearse/rehearsal_graph.h"
#include "rehearse/row_facts.h"
#include "sampler/fitted.h"

namespace olem {

using namespace internal;

namespace {

// The pairs of a given order that stand against what is known.
std::optional<Warning> contradiction(const Order& order, const Table& table, const Precedence& known) {
  const std::string pairs = contradiction_text(known, order_indices(order, NodeNames(table.names())), table.names());
  if (pairs.empty()) return std::nullopt;
  return Warning{
      "order_contradicts_stages",
      fmt::format("The given order contradicts the stages of the task: it should have {}. It is used as it is: "
                  "an outcome is not influenced by what stands after it, and a context only informs about "
                  "what stands after it.",
                  pairs),
      pairs};
}

// One fit, from the task to the samplers; between start and finish the order, and the graph if there is one, are set.
class Fit {
 public:
  Fit(const Task& task, std::span<const Table> tables, const RehearsalOptions& options, const Context& context)
      : tables_(used_columns(task, tables)),
        table_(tables_.front()),
        rows_(task_rows(task, declare_columns(tables.front(), task))),
        order_tables_(inside_groups(tables_, rows_)),
        own_options_(with_rows(options, rows_)),
        options_(own_options_),
        context_(context),
        resolved_(resolve_task(task, table_, context)) {
    model_.task = task;
    model_.columns = named_columns(table_);
    model_.centre = resolved_.centre;
    model_.options = options;
    model_.groups = rows_.group_names;
    model_.seed = context.seed;
    model_.version = version();
    model_.data = DataSource{std::filesystem::path(table_.source()).filename().string(), table_.rows()};
    model_.summary.warnings = resolved_.warnings;
    if (options.keep_rows) {
      if (tables_.size() > 1)
        throw Error::of_option("keep_rows", "Rows with imputed cells are not kept: they are no data.",
                               {{"Leave out the rows", "missing", "drop"}});
      model_.rows = kept_columns(task, table_, declare_columns(tables.front(), task));
    }
    for (const std::size_t column : resolved_.context) model_.context.push_back(resolved_.columns[column]);
  }

  // What learners are given.
  Knowledge knowledge() const {
    return options_.ignore_stages ? task_knowledge(model_.task, table_.names(), false) : resolved_.knowledge;
  }
  Precedence known() const { return Precedence(knowledge(), table_.names()); }
  Precedence stages() const { return Precedence(resolved_.knowledge, table_.names()); }

  void take_order(const Order& given) {
    check_order(given, table_.names());
    model_.order.method = "given order";
    model_.order.order = given;
    if (const auto warning = contradiction(given, table_, stages())) model_.summary.warnings.push_back(*warning);
  }

  void learn_order_of_columns() {
    const Knowledge known = options_.ignore_stages ? knowledge() : with_context_in_a_row(knowledge());
    std::vector<OrderResult> orders;
    std::vector<LeverPlacement> placements;
    std::vector<LeverOrder> both;  // without the order and its placement
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const Context part = context_.part(t, tables_.size());
      if (options_.levers == LeverRule::kLearned) {
        orders.push_back(learn_order(order_tables_[t], options_.order, Precedence(known, table_.names()), part));
      } else {
        LeverOrder learned = learn_lever_order(model_.task, order_tables_[t], options_, known, part);
        orders.push_back(std::move(learned.order));
        placements.push_back(std::move(learned.placement));
        both.push_back(std::move(learned));
      }
    }
    std::size_t chosen = 0;
    if (orders.size() > 1) {
      std::vector<Order> names;
      for (const OrderResult& order : orders) names.push_back(order.order);
      model_.agreement = most_agreeing(names);
      chosen = model_.agreement->chosen;
    }
    model_.order = std::move(orders[chosen]);
    if (!placements.empty()) model_.levers = std::move(placements[chosen]);
    learned_ = true;
    learned_within_ = both.empty() ? known : both[chosen].knowledge;
    if (!both.empty()) other_order_ = std::move(both[chosen].other);
    add_warnings(model_.order.summary.warnings);
  }

  // Of a model whose order, or graph, is kept.
  void keep_structure(const RehearsalModel& like) {
    model_.order = like.order;
    model_.levers = like.levers;
    model_.graph = like.graph;
    learned_ = !like.order.method.starts_with("given ");
    learned_within_ = knowledge();
    if (!model_.graph && !options_.ignore_stages) learned_within_ = with_context_in_a_row(learned_within_);
    if (!like.levers || !like.levers->first) return;
    for (const LeverDomain& lever : model_.task.alterable) {
      for (const std::string& name : like.levers->following) learned_within_.before.emplace_back(lever.name, name);
    }
  }

  void take_graph(const GraphFile& given) {
    const Precedence known_order = stages();
    set_graph({"given graph", "as given", given_dag(given, table_, known_order)}, known_order);
  }

  void learn_graph_of_columns() {
    learned_ = true;
    learned_within_ = knowledge();
    const Precedence known_order = known();
    std::vector<GraphResult> all;
    for (std::size_t t = 0; t < tables_.size(); ++t)
      all.push_back(learn_graph(order_tables_[t], *options_.graph, known_order, context_.part(t, tables_.size())));
    if (all.size() > 1) {
      std::vector<MixedGraph> graphs;
      for (const GraphResult& result : all) graphs.push_back(result.graph);
      model_.agreement = most_agreeing(graphs);
    }
    GraphResult learned = std::move(all[model_.agreement ? model_.agreement->chosen : 0]);
    add_warnings(learned.summary.warnings);
    const Dag dag = learned_dag(learned, known_order);
    if (learned.order && is_topological_order(dag, order_indices(learned.order->order, dag.names())))
      model_.order = std::move(*learned.order);
    set_graph({learned.method, learned.rule, dag}, known_order);
    if (options_.ignore_stages) {
      if (const auto warning = graph_contradiction(dag, stages())) model_.summary.warnings.push_back(*warning);
    }
  }

  void take_gaps(const GapSummary& gaps) { model_.gaps = gaps; }

  RehearsalModel finish() {
    std::vector<VariableConditions> variables =
        model_.graph ? conditions_from_graph(model_.graph->dag) : conditions_from_order(model_.order.order);
    const std::vector<std::string>& observed = model_.task.context;
    for (VariableConditions& variable : variables)
      variable.given = std::find(observed.begin(), observed.end(), variable.name) != observed.end();
    const std::vector<std::string> wanted = wanted_variables();
    SamplerSet samplers = fit_samplers(tables_, variables, rows_, options_.samplers, context_, wanted);
    add_warnings(samplers.summary.warnings);
    model_.samplers = std::make_shared<const SamplerSet>(std::move(samplers));
    if (options_.context_model && !observed.empty()) {
      model_.context_model =
          std::make_shared<const ContextModel>(fit_context_model(tables_, observed, options_.samplers, context_));
    }
    if (options_.members || !options_.opinions.empty()) {
      FittedMembers fitted = fit_members({tables_, model_, learned_ ? learned_within_ : knowledge(), learned_,
                                          other_order_, rows_, order_tables_, wanted},
                                         model_.summary.warnings, context_);
      model_.members = std::move(fitted.members);
      model_.opinions = std::move(fitted.opinions);
      model_.stopped = fitted.stopped;
    }
    describe_rows(model_, table_, rows_);
    if (options_.calibrate && !model_.stopped) {
      std::vector<std::string> conditions = observed;
      for (const LeverDomain& lever : model_.task.alterable) conditions.push_back(lever.name);
      model_.calibration =
          calibrate(rows_left_alone(tables_, rows_), variables, options_.samplers, context_, conditions);
    }
    model_.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return std::move(model_);
  }

 private:
  static RehearsalOptions with_rows(RehearsalOptions options, const TaskRows& rows) {
    if (!rows.plain()) options.order.olem_plus.rows = std::make_shared<const TaskRows>(rows);
    return options;
  }

  // The variables, and the columns that speak of rows, which updating needs as well.
  static Table kept_columns(const Task& task, const Table& used, const Table& all) {
    std::vector<std::size_t> columns;
    for (const std::string& name : used.names()) columns.push_back(all.index(name));
    for (const std::string& name : row_columns(task)) {
      if (!used.find(name)) columns.push_back(all.index(name));
    }
    return all.with_columns(columns);
  }

  static std::vector<Table> used_columns(const Task& task, std::span<const Table> tables) {
    check_at_least("number of tables", static_cast<long long>(tables.size()), 1);
    std::vector<Table> used;
    for (const Table& table : tables) used.push_back(declare_columns(without_unused(task, table), task));
    return used;
  }

  // What decisions draw; none: every variable may be.
  std::vector<std::string> wanted_variables() const {
    if (!options_.only_needed || !rows_.plain() || !model_.task.sequence.empty()) return {};
    std::vector<std::string> wanted = model_.task.outcome;
    for (const LeverDomain& lever : model_.task.alterable) wanted.push_back(lever.name);
    return wanted;
  }

  // The context is observed as a whole, so that its inner order does not matter to a decision: what is known decides,
  // and otherwise the order of the table.
  Knowledge with_context_in_a_row(Knowledge knowledge) const {
    const Precedence known(knowledge, table_.names());
    std::vector<std::size_t> left = resolved_.context;
    std::sort(left.begin(), left.end());
    std::optional<std::size_t> last;
    while (!left.empty()) {
      const auto next = std::find_if(left.begin(), left.end(), [&](std::size_t candidate) {
        return std::none_of(left.begin(), left.end(),
                            [&](std::size_t other) { return known.precedes(other, candidate); });
      });
      if (last) knowledge.before.emplace_back(table_.name(*last), table_.name(*next));
      last = *next;
      left.erase(next);
    }
    return knowledge;
  }

  void add_warnings(const std::vector<Warning>& warnings) {
    model_.summary.warnings.insert(model_.summary.warnings.end(), warnings.begin(), warnings.end());
  }

  // The order that the graph was pruned from stays, with its evidence; where there is none, one of the graph is taken.
  void set_graph(RehearsalGraph graph, const Precedence& known_order) {
    if (model_.order.order.empty()) {
      model_.order.method = graph.method == "given graph" ? graph.method : "graph by " + graph.method;
      model_.order.order = order_along(graph.dag, known_order);
    }
    graph.dag = graph.dag.with_nodes(model_.order.order);
    model_.graph = std::move(graph);
  }

  const std::vector<Table> tables_;  // the columns that are used, as the task declares them; completed ones, or one
  const Table& table_;               // the first
  const TaskRows rows_;              // what the task says about their rows
  const std::vector<Table> order_tables_;  // those that orders and graphs are learned from: inside of groups
  const RehearsalOptions own_options_;
  const RehearsalOptions& options_;
  const Context& context_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ResolvedTask resolved_;
  Knowledge learned_within_;          // the order or graph
  bool learned_ = false;              // one of them
  std::optional<Order> other_order_;  // that the rule about levers did not take
  RehearsalModel model_;
};

}  // namespace

namespace {

RehearsalModel fit_tables(const Task& task, std::span<const Table> tables, const GapSummary* gaps,
                          const RehearsalOptions& options, const std::optional<Order>& given, const Context& context) {
  if (given && options.graph) {
    throw Error(ErrorCategory::kUsage, "An order is given, so that there is no graph to be learned beside it.");
  }
  Fit fit(task, tables, options, context);
  if (gaps != nullptr) fit.take_gaps(*gaps);
  if (given) {
    fit.take_order(*given);
  } else if (options.graph) {
    fit.learn_graph_of_columns();
  } else {
    fit.learn_order_of_columns();
  }
  return fit.finish();
}

RehearsalModel fit_tables_on_graph(const Task& task, std::span<const Table> tables, const GapSummary* gaps,
                                   const RehearsalOptions& options, const GraphFile& given, const Context& context) {
  if (options.graph) {
    throw Error(ErrorCategory::kUsage, "A graph is given, so that there is none to be learned beside it.");
  }
  Fit fit(task, tables, options, context);
  if (gaps != nullptr) fit.take_gaps(*gaps);
  fit.take_graph(given);
  return fit.finish();
}

}  // namespace

RehearsalModel fit_rehearsal(const Task& task, const Table& table, const RehearsalOptions& options,
                             const std::optional<Order>& given, const Context& context) {
  return fit_tables(task, {&table, 1}, nullptr, options, given, context);
}

RehearsalModel fit_rehearsal(const Task& task, const CompletedTables& tables, const RehearsalOptions& options,
                             const std::optional<Order>& given, const Context& context) {
  return fit_tables(task, tables.tables, &tables.gaps, options, given, context);
}

RehearsalModel fit_rehearsal_on_graph(const Task& task, const Table& table, const RehearsalOptions& options,
                                      const GraphFile& given, const Context& context) {
  return fit_tables_on_graph(task, {&table, 1}, nullptr, options, given, context);
}

RehearsalModel fit_rehearsal_on_graph(const Task& task, const CompletedTables& tables, const RehearsalOptions& options,
                                      const GraphFile& given, const Context& context) {
  return fit_tables_on_graph(task, tables.tables, &tables.gaps, options, given, context);
}

namespace internal {

RehearsalModel refit_rehearsal(const RehearsalModel& like, const Table& table, const Context& context) {
  RehearsalOptions options = like.options;
  options.calibrate = like.calibration.has_value();
  options.context_model = like.context_model != nullptr;
  if (!like.members) options.members.reset();
  Fit fit(like.task, {&table, 1}, options, context);
  fit.keep_structure(like);
  return fit.finish();
}

}  // namespace internal

RehearsalOptions rehearsal_defaults(std::string_view version) {
  if (version != "0.1")
    throw Error::of_option("like", fmt::format("'{}' is no earlier version that is known.", version),
                           {{"Take the answers of version 0.1", "like", "0.1"}});
  RehearsalOptions options;
  options.order.method = "olem";
  options.levers = LeverRule::kLearned;
  options.samplers.sampler = "gp";
  return options;
}

Json to_json(const RehearsalOptions& options) {
  RehearsalOptions copy = options;
  Json json;
  if (copy.graph) {
    json["graph_method"] = copy.graph->method;
    json.update(graph_learner(copy.graph->method).describe(*copy.graph).json());
    json.erase("dag");  // is always made
  } else {
    json["method"] = copy.order.method;
    json.update(order_learner(copy.order.method).describe(copy.order).json());
  }
  json["sampler"] = copy.samplers.sampler;
  json.update(sampler_kind(copy.samplers.sampler).describe(copy.samplers).json());
  json["ignore_stages"] = copy.ignore_stages;
  json.update(describe(copy).json());
  json["calibrate"] = copy.calibrate;
  if (copy.members) json.update(describe(*copy.members).json());
  if (copy.keep_rows) json["keep_rows"] = true;
  json["quick"] = !copy.members;
  if (!copy.opinions.empty()) json["opinions"] = copy.opinions;
  return json;
}

Json to_json(const DataSource& data) { return {{"source", data.file}, {"rows", data.rows}}; }

Json to_json(const RehearsalGraph& graph) {
  Json json = {{"method", graph.method}, {"rule", graph.rule}, {"edges", Json::array()}};
  for (const Edge& edge : graph.dag.edges())
    json["edges"].push_back({graph.dag.name(edge.from), graph.dag.name(edge.to)});
  return json;
}

Json row_facts_json(const RehearsalModel& model) {
  Json json = Json::object();
  for (const SetEffect& effect : model.set_by_hand) json["set_by_hand"].push_back(to_json(effect));
  if (!model.groups.empty()) json["groups"] = model.groups;
  if (model.effective_rows) json["effective_rows"] = *model.effective_rows;
  return json;
}

Json models_json(const RehearsalModel& model) {
  Json json = Json::object();
  const std::vector<SamplerVariable>& variables = fitted(model.samplers).variables;
  for (const SamplerVariable& variable : variables) {
    if (!variable.sampler) continue;
    const SamplerFacts facts = variable.sampler->facts();
    Json& entry = json[variable.name];
    const SamplerState state = variable.sampler->state();
    // That inputs are encoded, or what is known of the rows, is no kind that people choose.
    std::string kind = state.kind;
    for (Json settings = state.settings; kind == "encoded" || kind == "acted";) {
      const Json inner = settings["inner"];
      kind = inner["kind"].get<std::string>();
      settings = inner["settings"];
    }
    entry["kind"] = kind;
    entry["form"] = facts.form;
    entry["noise_sd"] = facts.noise_sd * variable.sd;
    for (const SamplerScore& score : facts.scores) {
      entry["scores"].push_back(
          {{"form", score.form}, {"log_density", score.log_density}, {"crps", score.crps}, {"chosen", score.chosen}});
    }
    entry["inputs"] = Json::object();
    for (std::size_t k = 0; k < facts.inputs.size(); ++k) {
      const SamplerInput& input = facts.inputs[k];
      if (!input.used) continue;
      entry["inputs"][variables[variable.conditions[k]].name] = {{"slope", input.slope},
                                                                 {"relevance", input.relevance}};
    }
  }
  return json;
}

std::vector<std::string> undecided_between(const RehearsalModel& model) {
  const Order& order = model.order.order;
  const auto place = [&](const std::string& name) {
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  std::ptrdiff_t first = std::ssize(order);
  for (const LeverDomain& alterable : model.task.alterable) first = std::min(first, place(alterable.name));
  std::ptrdiff_t last = -1;
  for (const std::string& outcome : model.task.outcome) last = std::max(last, place(outcome));
  std::vector<std::string> steps;
  for (const OrderStep& step : model.order.steps) {
    const std::ptrdiff_t at = place(step.sink);
    if (!step.decided && at >= first && at <= last) steps.push_back(step.runner_up + ", " + step.sink);
  }
  return steps;
}

}  // namespace olem
