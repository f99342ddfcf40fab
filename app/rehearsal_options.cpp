#include "rehearsal_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "choices.h"
#include "command_line.h"
#include "method_options.h"
#include "olem/error.h"
#include "olem/graph_file.h"
#include "olem/graph_learner.h"
#include "spelling.h"

namespace olem::app {

namespace {

std::vector<Method> order_methods(OrderOptions& options) {
  std::vector<Method> list;
  for (const OrderLearnerKind& kind : order_learners()) list.push_back({kind.name, kind.help, kind.describe(options)});
  return list;
}

std::vector<Method> graph_methods(GraphOptions& options) {
  std::vector<Method> list;
  for (const GraphLearnerKind& kind : graph_learners()) {
    const OptionSet all = kind.describe(options);
    OptionSet set;
    // A DAG is always made here.
    for (const Option& option : all.options()) {
      if (option.name != "dag") set.add(option);
    }
    list.push_back({kind.name, kind.help, std::move(set)});
  }
  return list;
}

void refuse_together(const CLI::App& verb, const char* flag, const char* other, const char* why) {
  if (!flag_given(verb, flag) || !flag_given(verb, other)) return;
  throw Error(ErrorCategory::kUsage, fmt::format("{} and {} exclude each other: {}", flag, other, why));
}

std::vector<Method> samplers(SamplerOptions& options) {
  std::vector<Method> list;
  for (const SamplerKind& kind : sampler_kinds()) list.push_back({kind.name, kind.help, kind.describe(options)});
  return list;
}

// Without --graph-method: a flag that only learners of graphs read.
void check_graph_flags(const CLI::App& verb, RehearsalArguments& arguments) {
  std::vector<std::string> of_orders;
  for (const Method& method : order_methods(arguments.options.order)) {
    for (const Option& option : method.options.options()) of_orders.push_back(option.name);
  }
  for (const Method& method : graph_methods(arguments.graph)) {
    for (const Option& option : method.options.options()) {
      if (!flag_given(verb, flag_name(option.name)) ||
          std::find(of_orders.begin(), of_orders.end(), option.name) != of_orders.end())
        continue;
      throw Error(ErrorCategory::kUsage, fmt::format("'{}' is an option of --graph-method {}, which was not given.",
                                                     flag_name(option.name), method.name));
    }
  }
}

}  // namespace

void add_rehearsal_options(CLI::App& verb, RehearsalArguments& arguments) {
  const std::vector<const CLI::Option*> before = static_cast<const CLI::App&>(verb).get_options();
  verb.add_option("--order", arguments.order_file, "use this order instead of learning one: one name per line, or JSON")
      ->type_name("FILE")
      ->group("Order");
  verb.add_flag("--ignore-stages", arguments.options.ignore_stages,
                "learn the order without the stages of the task, as the published algorithm does")
      ->group("Order");
  add_described_options(verb, describe(arguments.options), "Order");
  add_method_options(verb, order_methods(arguments.options.order), arguments.options.order.method,
                     "how the order is learned");
  add_like_option(verb, arguments.like);
  verb.add_option("--graph", arguments.graph_file,
                  "condition every variable on its parents in this graph (Grad-Rh): any format of graph files")
      ->type_name("FILE")
      ->group("Graph");
  add_method_options(verb, graph_methods(arguments.graph), arguments.graph_method,
                     "learn a graph and condition every variable on its parents (Grad-Rh)", "--graph-method");
  add_method_options(verb, samplers(arguments.options.samplers), arguments.options.samplers.sampler,
                     "model of each variable given those before it, or its parents", "--sampler");
  add_data_options(verb, arguments.data, "--data");
  for (const CLI::Option* option : static_cast<const CLI::App&>(verb).get_options()) {
    if (std::find(before.begin(), before.end(), option) == before.end()) arguments.flags.push_back(option);
  }
}

void add_member_options(CLI::App& verb, RehearsalArguments& arguments) {
  const std::size_t before = static_cast<const CLI::App&>(verb).get_options().size();
  add_described_options(verb, describe(arguments.options.members.emplace()), "Uncertainty");
  CLI::Option* const opinions =
      verb.add_option("--opinions", arguments.opinions,
                      "evaluate the decision along the order or graph of these learners too, such as olem,ges; they "
                      "take no part in choosing it")
          ->type_name("NAMES")
          ->group("Uncertainty");
  keep_choices(*opinions, opinion_learners());
  const std::vector<const CLI::Option*> all = static_cast<const CLI::App&>(verb).get_options();
  arguments.flags.insert(arguments.flags.end(), all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
}

void check_rehearsal_options(const CLI::App& verb, RehearsalArguments& arguments) {
  RehearsalOptions& options = arguments.options;
  options.opinions = parse_opinions(arguments.opinions);
  apply_like(verb, arguments.like, options.order.method);
  if (!arguments.like.empty()) {
    const RehearsalOptions defaults = rehearsal_defaults(arguments.like);
    if (!flag_given(verb, "--levers")) options.levers = defaults.levers;
    if (!flag_given(verb, "--sampler")) options.samplers.sampler = defaults.samplers.sampler;
  }
  for (const char* const other : {"--order", "--graph", "--graph-method"})
    refuse_together(verb, "--levers", other, "it is about an order that is learned.");
  refuse_together(verb, "--graph", "--order", "a graph has an order of its own.");
  refuse_together(verb, "--graph", "--graph-method", "a graph that is given is not learned.");
  refuse_together(verb, "--graph", "--method", "a graph that is given needs no order to be learned.");
  refuse_together(verb, "--graph-method", "--order", "give the order to olem graph, and its graph to --graph.");
  refuse_together(verb, "--graph-method", "--method", "--graph-method names the learner of both order and graph.");
  if (arguments.graph_method.empty()) {
    check_method_options(verb, order_methods(options.order), options.order.method);
    check_graph_flags(verb, arguments);
  } else {
    check_method_options(verb, graph_methods(arguments.graph), arguments.graph_method, "--graph-method");
    arguments.graph.method = arguments.graph_method;
    arguments.graph.order = options.order;
    options.graph = arguments.graph;
  }
  check_method_options(verb, samplers(options.samplers), options.samplers.sampler, "--sampler");
}

bool has_graph(const RehearsalArguments& arguments) {
  return !arguments.graph_file.empty() || !arguments.graph_method.empty();
}

void refuse_rehearsal_options(const RehearsalArguments& arguments, const std::string& why) {
  for (const CLI::Option* option : arguments.flags) {
    if (option->count() > 0) throw Error(ErrorCategory::kUsage, fmt::format("{}: {}", option->get_name(), why));
  }
}

DataOptions data_options(const RehearsalArguments& arguments, const Task& task) {
  DataOptions data = arguments.data;
  data.unused = unused_columns(task);
  take_reading(data, task);
  if (data.file.empty()) data.file = data_path(task);
  return data;
}

RehearsalModel learn_model(const RehearsalArguments& arguments, const Task& task, const LoadedTable& loaded,
                           const Session& session) {
  session.protect(arguments.graph_file, "the file with the graph");
  session.protect(arguments.order_file, "the file with the order");
  return learn_model(arguments, task, loaded, session.context());
}

RehearsalModel learn_model(const RehearsalArguments& arguments, const Task& task, const LoadedTable& loaded,
                           const Context& context) {
  if (!arguments.graph_file.empty()) {
    const GraphFile graph = read_graph(arguments.graph_file, context);
    return loaded.completed ? fit_rehearsal_on_graph(task, *loaded.completed, arguments.options, graph, context)
                            : fit_rehearsal_on_graph(task, loaded.table, arguments.options, graph, context);
  }
  std::optional<Order> given;
  if (!arguments.order_file.empty()) {
    given = read_order(arguments.order_file, context);
    check_order(*given, loaded.table.names(), arguments.order_file);
  }
  return loaded.completed ? fit_rehearsal(task, *loaded.completed, arguments.options, given, context)
                          : fit_rehearsal(task, loaded.table, arguments.options, given, context);
}

}  // namespace olem::app
