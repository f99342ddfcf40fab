#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/error.h"
#include "olem/order.h"
#include "olem/parallel.h"
#include "olem/random.h"

namespace olem {

namespace {

// Differences below this many standard errors are what chance makes.
constexpr double kDecisive = 2.0;
constexpr double kSomeZeros = 0.01;
constexpr double kMostZeros = 0.5;
constexpr std::size_t kFewestForHalves = 4;

double gap_standard_error(const std::vector<double>& a, const std::vector<double>& b) {
  double mean = 0.0;
  double squares = 0.0;
  double used = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    if (std::isnan(difference)) continue;
    used += 1.0;
    const double step = difference - mean;
    mean += step / used;
    squares += step * (difference - mean);
  }
  // Two points have the same nearest distances: their difference says nothing about chance.
  if (used < 3.0) return std::numeric_limits<double>::infinity();
  return std::sqrt(squares / (used - 1.0) / used);
}

[[noreturn]] void refuse_discrete(const Table& table, const std::vector<std::size_t>& remaining, std::size_t without) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < remaining.size(); ++p) {
    if (p != without) names.push_back(table.name(remaining[p]));
  }
  throw Error(
      ErrorCategory::kData,
      fmt::format(
          "{}Every distance is zero in the columns {}: they are discrete, and the entropy of a density is "
          "not defined for them. Remove them with --drop-columns, fix their place with --tier or --before, or use "
          "--ties jitter.",
          table.prefix(), fmt::join(names, ", ")));
}

class Learner {
 public:
  Learner(const Table& table, const EntropyOptions& options, const Precedence& precedence)
      : table_(table), options_(options), precedence_(precedence) {
    remaining_.resize(table.columns());
    std::iota(remaining_.begin(), remaining_.end(), std::size_t{0});
  }

  OlemResult run(const Context& context) {
    const auto entropies = start_entropy_sequence(table_, options_, context);
    const double d = static_cast<double>(table_.columns());
    const double all_work = d * (d + 1.0) / 2.0 - 1.0;
    double work = 0.0;
    while (remaining_.size() > 1) {
      context.check_interrupt();
      const double share = static_cast<double>(remaining_.size());
      const StepEntropies step = entropies->evaluate(
          context, [&](double part) { context.report_progress((work + part * share) / all_work, "order"); });
      work += share;
      const std::size_t sink = take_step(step, *entropies);
      entropies->remove(context, sink);
      remaining_.erase(remaining_.begin() + static_cast<std::ptrdiff_t>(sink));
    }
    result_.order.push_back(table_.name(remaining_.front()));
    std::reverse(result_.order.begin(), result_.order.end());
    warn_of_zeros();
    return std::move(result_);
  }

 private:
  // Records the step and returns the position of its sink.
  std::size_t take_step(const StepEntropies& entropies, const EntropySequence& sequence) {
    std::vector<std::size_t> candidates;
    for (std::size_t p = 0; p < remaining_.size(); ++p) {
      if (precedence_.may_be_last(remaining_[p], remaining_)) candidates.push_back(p);
    }
    // Where knowledge leaves one candidate nothing is compared, and discrete columns do no harm.
    for (const std::size_t p : candidates) {
      if (candidates.size() > 1 && entropies.without[p] == -std::numeric_limits<double>::infinity())
        refuse_discrete(table_, remaining_, p);
    }
    // The smallest entropy of the others is the greatest conditional entropy; of equals the first column is taken.
    const auto smaller = [&](std::size_t a, std::size_t b) { return entropies.without[a] < entropies.without[b]; };
    const std::size_t sink = *std::min_element(candidates.begin(), candidates.end(), smaller);

    OrderStep step;
    step.sink = table_.name(remaining_[sink]);
    step.joint_entropy = entropies.joint;
    for (std::size_t p = 0; p < remaining_.size(); ++p) {
      step.conditional_entropy.emplace_back(table_.name(remaining_[p]), entropies.joint - entropies.without[p]);
      step.zero_share = std::max(step.zero_share, entropies.zero_share[p]);
    }
    std::erase(candidates, sink);
    step.forced = candidates.empty();
    if (!candidates.empty()) {
      const std::size_t second = *std::min_element(candidates.begin(), candidates.end(), smaller);
      step.runner_up = table_.name(remaining_[second]);
      step.gap = entropies.without[second] - entropies.without[sink];
      step.gap_standard_error = gap_standard_error(sequence.contributions(sink), sequence.contributions(second));
      step.decided = *step.gap > kDecisive * *step.gap_standard_error;
    }
    result_.order.push_back(step.sink);
    result_.steps.push_back(std::move(step));
    return sink;
  }

  void warn_of_zeros() {
    const auto worst = std::max_element(result_.steps.begin(), result_.steps.end(),
                                        [](const auto& a, const auto& b) { return a.zero_share < b.zero_share; });
    if (worst == result_.steps.end() || worst->zero_share <= kSomeZeros) return;
    const std::string remedy = worst->zero_share > kMostZeros
                                   ? "Treat these columns as discrete: the order of them means little."
                                   : "Compare with --ties distinct and --ties jitter to see whether it matters.";
    result_.summary.warnings.push_back(
        {"zero_distances",
         fmt::format(
             "Up to {:.1f} % of the points had a nearest neighbour at distance zero (repeated or rounded values) "
             "when '{}' was found last. {}",
             100.0 * worst->zero_share, worst->sink, remedy),
         worst->sink});
  }

  const Table& table_;
  EntropyOptions options_;
  const Precedence& precedence_;
  std::vector<std::size_t> remaining_;
  OlemResult result_;
};

// The variables by mean position: the last is the one that fewest others follow, among those that may be last.
Order consensus_order(const OrderStability& stability, const Precedence& precedence) {
  std::vector<std::size_t> remaining(stability.names.size());
  std::iota(remaining.begin(), remaining.end(), std::size_t{0});
  Order order;
  while (!remaining.empty()) {
    std::size_t last = remaining.size();
    double fewest = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < remaining.size(); ++p) {
      if (!precedence.may_be_last(remaining[p], remaining)) continue;
      double followers = 0.0;
      for (const std::size_t other : remaining) followers += stability.before[remaining[p]][other];
      if (followers < fewest) {
        fewest = followers;
        last = p;
      }
    }
    order.push_back(stability.names[remaining[last]]);
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(last));
  }
  std::reverse(order.begin(), order.end());
  return order;
}

OrderStability measure_stability(const Table& table, const OlemOptions& options, const Precedence& precedence,
                                 const Context& context) {
  const std::size_t d = table.columns();
  const auto repetitions = static_cast<std::size_t>(options.bootstrap);
  if (table.rows() < kFewestForHalves) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}--bootstrap halves the rows and needs at least {} of them, but there are {}.",
                            table.prefix(), kFewestForHalves, table.rows()));
  }
  OrderStability stability;
  stability.repetitions = options.bootstrap;
  stability.names = table.names();

  std::vector<std::vector<std::size_t>> positions(repetitions);
  const auto one = [&](std::size_t repetition, const Context& own) {
    // Without replacement: drawing with replacement repeats rows, and repeated rows have distance zero.
    RandomStream random(context.seed, "bootstrap", repetition);
    const Table half = table.with_rows(random.sample_without_replacement(table.rows(), table.rows() / 2));
    const Order order = Learner(half, options.entropy, precedence).run(own).order;
    auto& position = positions[repetition];
    position.resize(d);
    for (std::size_t place = 0; place < d; ++place) position[table.index(order[place])] = place;
  };
  // A batch at a time, so that the caller's thread can report how far it is.
  const Context serial = context.serial();
  const auto batch = static_cast<std::size_t>(context.thread_count());
  for (std::size_t first = 0; first < repetitions; first += batch) {
    parallel_for(context, first, std::min(repetitions, first + batch), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) one(r, serial);
    });
    const std::size_t done = std::min(repetitions, first + batch);
    context.report_progress(static_cast<double>(done) / static_cast<double>(repetitions), "half-samples");
  }

  stability.before.assign(d, std::vector<double>(d, 0.0));
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      std::size_t count = 0;
      for (const auto& position : positions) count += position[i] < position[j] ? 1U : 0U;
      stability.before[i][j] = static_cast<double>(count) / static_cast<double>(repetitions);
    }
  }
  stability.consensus = consensus_order(stability, precedence);
  for (std::size_t i = 0; i + 1 < d; ++i) {
    const std::size_t a = table.index(stability.consensus[i]);
    const std::size_t b = table.index(stability.consensus[i + 1]);
    stability.adjacent.push_back(stability.before[a][b]);
  }
  return stability;
}

}  // namespace

OptionSet describe(OlemOptions& options) {
  OptionSet set = describe(options.entropy);
  set.integer("bootstrap", options.bootstrap, 0, 1000000,
              "repeat on this many half-samples and report how stable the order is");
  return set;
}

OlemResult learn_order_olem(const Table& table, const OlemOptions& options, const Precedence& knowledge,
                            const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  OlemOptions checked = options;
  describe(checked).validate();
  OlemResult result;
  if (table.columns() == 1) {
    result.order = table.names();
  } else {
    result = Learner(table, checked.entropy, knowledge).run(context);
    if (checked.bootstrap > 0) result.stability = measure_stability(table, checked, knowledge, context);
  }
  const auto undecided =
      std::count_if(result.steps.begin(), result.steps.end(), [](const OrderStep& s) { return !s.decided; });
  result.summary.message = undecided == 0
                               ? "Every step was decided by the data or by knowledge."
                               : fmt::format(
                                     "{} of {} steps were not decided by the data: their gap is within {:.0f} "
                                     "standard errors.",
                                     undecided, result.steps.size(), kDecisive);
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

Json to_json(const OlemResult& result) {
  Json json;
  json["order"] = result.order;
  json["steps"] = Json::array();
  for (const OrderStep& step : result.steps) {
    Json entry;
    entry["sink"] = step.sink;
    entry["runner_up"] = step.runner_up.empty() ? Json() : Json(step.runner_up);
    entry["gap"] = step.gap ? Json(*step.gap) : Json();
    entry["gap_standard_error"] = step.gap_standard_error ? Json(*step.gap_standard_error) : Json();
    entry["decided"] = step.decided;
    entry["forced"] = step.forced;
    entry["joint_entropy"] = step.joint_entropy;
    entry["zero_share"] = step.zero_share;
    for (const auto& [name, value] : step.conditional_entropy) entry["conditional_entropy"][name] = value;
    json["steps"].push_back(std::move(entry));
  }
  if (result.stability) {
    const OrderStability& stability = *result.stability;
    json["repetitions"] = stability.repetitions;
    json["names"] = stability.names;
    json["before"] = stability.before;
    json["consensus"] = stability.consensus;
    json["stability"] = stability.adjacent;
  }
  return json;
}

}  // namespace olem
