#include <nlohmann/json.hpp>
#include <variant>

#include "contract/contract.h"
#include "olem/simulate.h"

namespace olem::simulators_test {
namespace {

using test::with_threads;

// One way to simulate, with options that make little.
struct Simulator {
  std::string name;
  std::function<Simulation(std::uint64_t index, const Context& context)> run;
  std::function<Simulation(const Context& context)> run_huge;
  std::function<OptionSet()> options;  // valid until the next call
};

template <class Options>
Simulator simulator(std::string name, Simulation (*simulate)(const Options&, std::uint64_t, const Context&),
                    Options small) {
  Options huge = small;
  huge.rows = 1000000;
  const auto described = std::make_shared<Options>();
  return {std::move(name), [=](std::uint64_t index, const Context& context) { return simulate(small, index, context); },
          [=](const Context& context) { return simulate(huge, 0, context); }, [=] { return describe(*described); }};
}

const std::vector<Simulator>& simulators() {
  static const std::vector<Simulator> all = {
      simulator<OrderSimulationOptions>("order", random_order_model, {.variables = 5, .rows = 40}),
      simulator<AufSimulationOptions>("auf", random_auf_task, {.family = AufFamily::kMlp, .rows = 40, .rounds = 3}),
      simulator<BermudaSimulationOptions>("bermuda", bermuda_task, {.rows = 40, .rounds = 3}),
  };
  return all;
}

// Whoever adds a simulation to the library adds it above.
static_assert(std::variant_size_v<decltype(Simulation::options)> == 3);

std::string bytes(const Simulation& simulation) {
  std::string all = to_json(simulation.model).dump();
  all += fmt::format(" {} {:a}", simulation.index, fmt::join(simulation.data.values(), " "));
  if (!simulation.task) return all;
  for (const NamedRange& range : simulation.task->alterable)
    all += fmt::format(" {} {:a} {:a}", range.name, range.low, range.high);
  for (const NamedRange& range : simulation.task->desired)
    all += fmt::format(" {} {:a} {:a}", range.name, range.low, range.high);
  return all + fmt::format(" {:a}", fmt::join(simulation.task->contexts.values(), " "));
}

class SimulatorContract : public testing::TestWithParam<std::size_t> {
 protected:
  const Simulator& simulated() const { return simulators()[GetParam()]; }
};

TEST_P(SimulatorContract, IsAFunctionOfOptionsSeedAndIndex) {
  test::expect_same_on_any_threads([&](const Context& context) { return bytes(simulated().run(1, context)); });
  const Simulation one = simulated().run(1, with_threads(1));
  EXPECT_EQ(kind_name(one), simulated().name);
  EXPECT_NO_THROW(check_model(one.model));
  EXPECT_NE(bytes(simulated().run(2, with_threads(1))), bytes(one));
  Context other = with_threads(1);
  other.seed = 6;
  EXPECT_NE(bytes(simulated().run(1, other)), bytes(one));
}

TEST_P(SimulatorContract, ItsDataIsDrawnFromItsModelAndItsModelIsKept) {
  const Simulation simulation = simulated().run(1, with_threads(2));
  const Table again = draw_rows(simulation.model, simulation.data.rows(), simulation.index, with_threads(8));
  EXPECT_EQ(std::vector<double>(again.values().begin(), again.values().end()),
            std::vector<double>(simulation.data.values().begin(), simulation.data.values().end()));
  EXPECT_EQ(parse_structural_model(Json::parse(to_json(simulation.model).dump()), "truth.json"), simulation.model);
}

TEST_P(SimulatorContract, CanBeStoppedAndAsksForMemory) {
  test::expect_stops([&](const Context& context) { simulated().run(1, context); });
  Context little = with_threads(1);
  little.memory_limit = 1000000;
  test::expect_refused([&] { simulated().run_huge(little); }, ErrorCategory::kResource, {"memory"});
}

TEST_P(SimulatorContract, OptionsRefuseWhatTheyAreNot) { test::expect_options_are_checked(simulated().options()); }

INSTANTIATE_TEST_SUITE_P(All, SimulatorContract, testing::Range(std::size_t{0}, simulators().size()),
                         [](const auto& tested) { return simulators()[tested.param].name; });

}  // namespace
}  // namespace olem::simulators_test
