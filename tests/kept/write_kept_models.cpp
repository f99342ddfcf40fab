// Writes the model files of this version and their answers into the folder given, which must not hold any of them yet.
// See README.md beside this file.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "decide/helpers.h"
#include "decide/shop.h"
#include "kept/answers.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/model_file.h"
#include "olem/version.h"

namespace olem::test {

using namespace internal;
namespace {

constexpr std::size_t kRows = 40;

struct Wanted {
  std::string name;
  Task task = farm_task();
  RehearsalOptions options;
  std::optional<GraphFile> graph;
  std::optional<Order> order;
  Table table = farm(kRows, 1);
};

RehearsalOptions small(const std::string& sampler) {
  RehearsalOptions options;
  options.samplers.sampler = sampler;
  options.samplers.spline = {.bins = 4, .width = 4};
  options.samplers.cinn.blocks = 2;
  options.samplers.cinn.width = 4;
  options.samplers.network.epochs = 20;
  options.samplers.network.ensemble = 2;
  return options;
}

// One of each kind of sampler, and one of everything else that a file can hold.
std::vector<Wanted> wanted() {
  std::vector<Wanted> all;
  for (const SamplerKind& kind : sampler_kinds()) {
    if (kind.suits != nullptr) continue;
    Wanted& sampler = all.emplace_back();
    sampler.name = kind.name;
    sampler.options = small(kind.name);
  }

  // The kinds of discrete columns, transforms and encoded inputs; what is kept of a calibration; models of the context.
  Wanted& mixed = all.emplace_back();
  mixed.name = "mixed";
  mixed.task = shop_task();
  mixed.table = shop(120, 1);
  mixed.order = shop_order();
  mixed.options.calibrate = true;
  mixed.options.context_model = true;

  Wanted& graph = all.emplace_back();
  graph.name = "graph";
  graph.options = small("linear");
  graph.graph.emplace();
  graph.graph->graph =
      Dag({"weather", "dose", "rate", "yield"}, std::vector<Edge>{{0, 1}, {1, 2}, {0, 3}, {1, 3}, {2, 3}});
  graph.graph->source = "graph.csv";

  Wanted& constant = all.emplace_back();
  constant.name = "constant";
  constant.options = small("linear");
  constant.order = Order{"weather", "soil", "dose", "rate", "yield"};
  std::vector<double> values(constant.table.values().begin(), constant.table.values().end());
  values.insert(values.end(), kRows, 3.0);
  constant.table = Table({"weather", "dose", "rate", "yield", "soil"}, std::move(values), "farm.csv");

  Wanted& evidence = all.emplace_back();
  evidence.name = "calibration";
  evidence.options = small("linear");
  evidence.options.calibrate = true;
  evidence.options.order.bootstrap = 5;

  Wanted& wishes = all.emplace_back();
  wishes.name = "wishes";
  wishes.options = small("gaussian");
  wishes.options.order.method = "cam";
  wishes.task = parse_task(R"({
    "data": "farm.csv",
    "alterable": {"dose": [-2, 2], "weather": [-1, 1]},
    "outcome": ["yield", "rate"],
    "desired": {"M": [[-1, 0], [1, 2]], "d": [-1, 12]},
    "cost": {"dose": 2.5, "weather": 1},
    "max_alterations": 1,
    "constraints": [{"weights": {"dose": 1, "weather": 0.5}, "max": 1.5}]
  })",
                           "wishes.json");
  return all;
}

void write_all(const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (const Wanted& one : wanted()) {
    const RehearsalModel model = one.graph
                                     ? fit_rehearsal_on_graph(one.task, one.table, one.options, *one.graph, Context())
                                     : fit_rehearsal(one.task, one.table, one.options, one.order, Context());
    write_model(fmt::format("{}/{}.olem", folder, one.name), model, false);
    write_file_atomically(fmt::format("{}/{}.json", folder, one.name), kept_answers(model).dump(1) + "\n", false);
  }
}

}  // namespace
}  // namespace olem::test

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  try {
    olem::test::write_all(argv[1]);
  } catch (const olem::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
