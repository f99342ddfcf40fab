#include "rehearsal_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "method_options.h"
#include "olem/error.h"
#include "olem/graph_file.h"

namespace olem::app {

namespace {

std::vector<Method> order_methods(OrderOptions& options) {
  std::vector<Method> list;
  for (const OrderLearnerKind& kind : order_learners()) list.push_back({kind.name, kind.help, kind.describe(options)});
  return list;
}

std::vector<Method> samplers(SamplerOptions& options) {
  std::vector<Method> list;
  for (const SamplerKind& kind : sampler_kinds()) list.push_back({kind.name, kind.help, kind.describe(options)});
  return list;
}

}  // namespace

void add_rehearsal_options(CLI::App& verb, RehearsalArguments& arguments) {
  const std::vector<const CLI::Option*> before = static_cast<const CLI::App&>(verb).get_options();
  verb.add_option("--order", arguments.order_file, "use this order instead of learning one: a name a line, or JSON")
      ->type_name("FILE")
      ->group("Order");
  verb.add_flag("--ignore-stages", arguments.options.ignore_stages,
                "learn the order without the stages of the task, as the published algorithm does")
      ->group("Order");
  add_method_options(verb, order_methods(arguments.options.order), arguments.options.order.method,
                     "how the order is learned");
  add_method_options(verb, samplers(arguments.options.samplers), arguments.options.samplers.sampler,
                     "model of each variable given those before it", "--sampler");
  add_data_options(verb, arguments.data, "--data");
  for (const CLI::Option* option : static_cast<const CLI::App&>(verb).get_options()) {
    if (std::find(before.begin(), before.end(), option) == before.end()) arguments.flags.push_back(option);
  }
}

void check_rehearsal_options(const CLI::App& verb, RehearsalArguments& arguments) {
  RehearsalOptions& options = arguments.options;
  check_method_options(verb, order_methods(options.order), options.order.method);
  check_method_options(verb, samplers(options.samplers), options.samplers.sampler, "--sampler");
}

void refuse_rehearsal_options(const RehearsalArguments& arguments, const std::string& why) {
  for (const CLI::Option* option : arguments.flags) {
    if (option->count() > 0) throw Error(ErrorCategory::kUsage, fmt::format("{}: {}", option->get_name(), why));
  }
}

DataOptions data_options(const RehearsalArguments& arguments, const Task& task) {
  DataOptions data = arguments.data;
  if (data.file.empty()) data.file = data_path(task);
  return data;
}

RehearsalModel learn_model(const RehearsalArguments& arguments, const Task& task, const Table& table,
                           Session& session) {
  std::optional<Order> given;
  if (!arguments.order_file.empty()) given = read_order(arguments.order_file, session.context());
  RehearsalModel model = fit_rehearsal(task, table, arguments.options, given, session.context());
  session.warn(model.summary.warnings);
  return model;
}

}  // namespace olem::app
