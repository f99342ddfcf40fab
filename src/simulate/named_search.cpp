// The best decision by the equations themselves, and truth files of simulators with a name.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/json_text.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/random.h"
#include "olem/simulate_named.h"
#include "simulate/object_reader.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kScreened = 200;      // points of the domains
constexpr std::size_t kScreenTrials = 300;  //
constexpr std::size_t kRefined = 4;         // of them
constexpr std::size_t kStepTrials = 1500;   //
constexpr int kSteps = 80;                  // around the best
constexpr std::size_t kFinalTrials = 5000;  // of what comes back
constexpr double kLeftAlone = 0.15;         // probability that a lever is
constexpr double kFirstWidth = 0.15;        // of a step, in widths of the domain
constexpr double kLeastWidth = 0.01;        //
constexpr double kShrinking = 0.97;         // after a step that gains nothing
// Draws of the search, and others for the success of what it finds; far from those of tables.
constexpr std::uint64_t kSearchDraw = std::uint64_t{1} << 44U;

// What a lever may be set to: an interval, or 0 and 1.
struct NamedLever {
  std::string name;
  double low = 0.0;
  double high = 1.0;
  bool binary = false;
};

std::vector<NamedLever> levers_of(const Task& task) {
  std::vector<NamedLever> levers;
  for (const LeverDomain& domain : task.alterable) {
    NamedLever& lever = levers.emplace_back(NamedLever{domain.name, domain.low, domain.high, false});
    for (const ColumnDeclaration& column : task.columns) {
      if (column.name == domain.name && column.type == ColumnType::kBinary) lever = {domain.name, 0.0, 1.0, true};
    }
  }
  return levers;
}

using Point = std::vector<std::optional<double>>;

std::vector<NamedValue> named_point(const std::vector<NamedLever>& levers, const Point& point) {
  std::vector<NamedValue> values;
  for (std::size_t k = 0; k < levers.size(); ++k) {
    if (point[k]) values.push_back({levers[k].name, *point[k]});
  }
  return values;
}

double drawn_value(const NamedLever& lever, RandomStream& random) {
  const double value = random.uniform(lever.low, lever.high);
  return lever.binary ? (value < 0.5 ? 0.0 : 1.0) : value;
}

struct FoundPoint {
  double success = -1.0;
  Point point;
};

}  // namespace

NamedDecision best_decision(const NamedModel& model, std::span<const NamedValue> observed, const Context& context) {
  const std::vector<NamedLever> levers = levers_of(model.task());
  RandomStream random(context.seed, "simulate.named_search");
  const auto success = [&](const Point& point, std::size_t trials) {
    context.check_interrupt();
    return model.success(observed, named_point(levers, point), trials, kSearchDraw, context);
  };
  std::vector<FoundPoint> found = {{success(Point(levers.size()), kScreenTrials), Point(levers.size())}};
  for (std::size_t i = 0; i < kScreened; ++i) {
    Point point(levers.size());
    for (std::size_t k = 0; k < levers.size(); ++k) {
      if (random.uniform() >= kLeftAlone) point[k] = drawn_value(levers[k], random);
    }
    found.push_back({success(point, kScreenTrials), point});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundPoint& a, const FoundPoint& b) { return a.success > b.success; });
  FoundPoint best;
  for (std::size_t i = 0; i < std::min(kRefined, found.size()); ++i) {
    const double exact = success(found[i].point, kStepTrials);
    if (exact > best.success) best = {exact, found[i].point};
  }
  double width = kFirstWidth;
  for (int step = 0; step < kSteps; ++step) {
    Point point = best.point;
    for (std::size_t k = 0; k < levers.size(); ++k) {
      if (!point[k]) continue;
      const double move = width * (levers[k].high - levers[k].low) * random.normal();
      point[k] = levers[k].binary ? *point[k] : std::clamp(*point[k] + move, levers[k].low, levers[k].high);
    }
    const double reached = success(point, kStepTrials);
    if (reached > best.success) {
      best = {reached, std::move(point)};
    } else {
      width = std::max(kLeastWidth, kShrinking * width);
    }
  }
  NamedDecision decision;
  decision.alterations = named_point(levers, best.point);
  decision.success = model.success(observed, decision.alterations, kFinalTrials, kSearchDraw + 1, context);
  return decision;
}

namespace {

Json truth_of(const std::string& path) {
  Json json = parse_json_text(read_file(path), path);
  const ObjectReader file(json, fmt::format("{}: The file", path));
  if (file.text("format") != "olem-truth") file.fail("is no truth file that olem wrote");
  return json;
}

}  // namespace

bool is_named_truth(const std::string& path) {
  const Json json = truth_of(path);
  return ObjectReader(json, fmt::format("{}: The file", path)).text("kind") == "equations";
}

NamedModel read_named_truth(const std::string& path) {
  const Json json = truth_of(path);
  const ObjectReader file(json, fmt::format("{}: The file", path));
  if (file.number("format_version") != 1.0) file.fail("has a format_version other than 1; read it with a newer olem");
  const std::string name = file.text("name");
  const auto known = named_simulators();
  if (std::none_of(known.begin(), known.end(), [&](const NamedSimulator& one) { return one.name == name; }))
    file.fail(fmt::format("names the simulator '{}', which this olem does not have", name));
  return NamedModel(name);
}

}  // namespace olem
