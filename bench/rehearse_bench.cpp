// How long the rehearsal page waits for an answer while a lever moves, with gp samplers and the figure: an alterable
// variable, a context variable, and beside them the plain form, which keeps nothing from one request to the next.
//   rehearse_bench [VARIABLES [ROWS]]     MLP task, 15 variables and 1000 rows unless told
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decision_tasks.h"
#include "serve/rehearsal_api.h"

namespace olem::bench {

using namespace internal;
namespace {

constexpr int kMoves = 40;

// Milliseconds of one request.
struct Times {
  double median = 0.0;
  double worst = 0.0;
  double processor = 0.0;  // mean over all cores: what is left on a machine that does other things too
};

Times time_moves(const std::function<void(double position)>& move) {
  std::vector<double> times;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < kMoves; ++i) {
    const auto start = std::chrono::steady_clock::now();
    move(0.1 + 0.8 * i / kMoves);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  const double processor = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / kMoves;
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.back(), processor};
}

HttpRequest rehearse_request(const Json& body) {
  const std::string text = body.dump();
  return {"POST",
          "/api/rehearse",
          {{"Host", "localhost:8080"},
           {"Content-Type", "application/json"},
           {"Content-Length", std::to_string(text.size())}},
          text};
}

int run(int variables, int rows) {
  AufSimulationOptions options;
  options.family = AufFamily::kMlp;
  options.variables = variables;
  options.rows = rows;
  const Simulation simulation = random_auf_task(options, 0, Context());
  const RehearsalModel model =
      fit_rehearsal(decision_task(simulation), simulation.data, RehearsalOptions(), std::nullopt, Context());
  RehearsalApi api(model, ServeOptions(), 8080, Context());
  // Every alterable variable set, every lever where the test wants it.
  const auto body = [&](double altered, double observed) {
    Json json;
    for (const LeverDomain& range : model.task.alterable)
      json["alterations"][range.name] = range.low + 0.5 * (range.high - range.low);
    const LeverDomain& first = model.task.alterable.front();
    json["alterations"][first.name] = first.low + altered * (first.high - first.low);
    for (std::size_t j = 0; j < model.task.context.size(); ++j)
      json["context"][model.task.context[j]] = model.context[j].low + observed * model.context[j].range();
    return json;
  };
  const auto ask = [&](RehearsalApi& asked, const Json& json) {
    const HttpAnswer answer = asked.answer(rehearse_request(json));
    if (answer.status != 200) fmt::print("{}", answer.body);
  };
  ask(api, body(0.5, 0.5));
  const Times alterable = time_moves([&](double at) { ask(api, body(at, 0.5)); });
  const Times context = time_moves([&](double at) { ask(api, body(0.5, at)); });
  const Times plain = time_moves([&](double at) {
    RehearsalApi fresh(model, ServeOptions(), 8080, Context());
    ask(fresh, body(at, 0.5));
  });
  fmt::print("{} variables, {} rows, {} draws; milliseconds: median, worst of {}, mean on the processor\n", variables,
             rows, 2 * ServeOptions().decision.judge_draws, kMoves);
  const auto print = [&](const char* what, const Times& times) {
    fmt::print("  {:28} {:7.1f} {:7.1f} {:7.1f}   {:.1f} times the first\n", what, times.median, times.worst,
               times.processor, times.processor / alterable.processor);
  };
  print("an alterable variable moves", alterable);
  print("a context variable moves", context);
  print("nothing kept", plain);
  return 0;
}

}  // namespace
}  // namespace olem::bench

int main(int argc, char** argv) {
  return olem::bench::run(argc > 1 ? std::atoi(argv[1]) : 15, argc > 2 ? std::atoi(argv[2]) : 1000);
}
