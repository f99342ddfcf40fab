#include "olem/simulate.h"

#include <fmt/format.h>

#include <memory>

#include "olem/error.h"
#include "session.h"

namespace olem::app {

namespace {

struct SimulateArguments {
  CommonOptions common;
  OrderSimulationOptions order;
  AufSimulationOptions auf;
  BermudaSimulationOptions bermuda;
  std::uint64_t index = 0;
};

template <class Options>
int run_simulate(const SimulateArguments& arguments, Options options,
                 Simulation (*simulate)(const Options&, std::uint64_t, const Context&)) {
  const std::string folder = arguments.common.output;
  if (folder.empty()) throw Error(ErrorCategory::kUsage, "-o is missing: name the folder to write into.");
  CommonOptions common = arguments.common;
  common.output.clear();  // a folder of files here, not the JSON
  Session session(common);
  check_simulation_folder(folder, common.force);
  session.reserve_folder(folder, "-o");
  const Simulation simulation = simulate(options, arguments.index, session.context());
  const auto files = write_simulation(folder, simulation, common.force, session.context());

  Json json;
  json["kind"] = kind_name(simulation);
  json["folder"] = folder;
  json["files"] = files;
  json["rows"] = simulation.data.rows();
  json["columns"] = simulation.data.columns();
  json["edges"] = simulation.model.edges().size();
  Json used = describe(options).json();
  used["index"] = arguments.index;
  const std::string text =
      fmt::format("{}: {} rows of {} variables with {} edges.\nWritten: {}.\n", folder, simulation.data.rows(),
                  simulation.data.columns(), simulation.model.edges().size(), fmt::join(files, ", "));
  session.finish("simulate", json, std::move(used), text);
  return 0;
}

}  // namespace

std::function<int()> fill_simulate_verb(CLI::App* verb) {
  auto arguments = std::make_shared<SimulateArguments>();
  verb->require_subcommand(1);
  const auto add_kind = [&](const std::string& name, const std::string& help, const OptionSet& options) {
    CLI::App* const kind = verb->add_subcommand(name, help);
    add_described_options(*kind, options, "Model");
    kind->add_option("--index", arguments->index, "which repetition of this setting (default 0)")
        ->type_name("NUMBER")
        ->group("Model");
    add_common_options(*kind, arguments->common, "the folder to write into");
    kind->get_option("--output")->type_name("FOLDER");
    return kind;
  };
  CLI::App* const order =
      add_kind("order", "a random graph with linear and Gaussian-process functions", describe(arguments->order));
  CLI::App* const auf =
      add_kind("auf", "a random decision task: data, truth and a task file", describe(arguments->auf));
  CLI::App* const bermuda =
      add_kind("bermuda", "the Bermuda coral reef task from its simulator", describe(arguments->bermuda));
  verb->footer(R"(
Examples:
  olem simulate order -o toy --variables 10 --density 0.5 --noise beta --seed 1
  olem simulate auf -o task --family mlp
  olem simulate bermuda -o bermuda --rows 1000

Every folder gets data.csv, graph.csv and truth.json; decision tasks also task.json and contexts.csv.)");
  return [=] {
    if (order->parsed()) return run_simulate(*arguments, arguments->order, random_order_model);
    if (auf->parsed()) return run_simulate(*arguments, arguments->auf, random_auf_task);
    static_cast<void>(bermuda);
    return run_simulate(*arguments, arguments->bermuda, bermuda_task);
  };
}

}  // namespace olem::app
