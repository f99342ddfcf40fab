#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decision_rows.h"
#include "mixed_decisions.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/random.h"
#include "olem/simulate_named.h"
#include "simulate/named_models.h"
#include "task_fit.h"

// Small tables with one lever whose true success has a formula: a switch, a vendor, a rate, a count, a yes or no
// between dose and score, and four ways to ask for a yes.
namespace olem::bench {

// One row of the table: what is in the columns, the lever being natural or set.
struct DecisionCase {
  std::string name;
  std::string header;
  std::function<std::string(RandomStream&)> row;
  std::string task;                              // observed context included
  std::vector<std::string> order;                // the true one
  std::vector<NamedValue> context;               // the same as numbers
  std::function<double(double)> success;         // true success in that context, the lever having this value
  std::function<double(RandomStream&)> natural;  // draws of the lever in that context
  std::vector<double> values;                    // of the lever: all, or a grid
};

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
inline double logistic_of(double x) { return 1.0 / (1.0 + std::exp(-x)); }

inline std::vector<double> grid_of(double low, double high) {
  std::vector<double> values;
  for (int i = 0; i <= 200; ++i) values.push_back(low + (high - low) * i / 200.0);
  return values;
}

inline std::vector<DecisionCase> decision_cases() {
  std::vector<DecisionCase> cases;

  const auto rate_centre = [](double price) { return -2.5 - 1.5 * std::log(price) + 0.6; };
  cases.push_back({"rate",
                   "season,price,rate",
                   // The equations of olem simulate rate.
                   [system = internal::rate_system()](RandomStream& random) {
                     std::array<double, 3> v = {};
                     for (std::size_t j = 0; j < v.size(); ++j)
                       v[j] = system.equations[j].function(v.data(), random.normal());
                     return fmt::format("{},{},{}", v[0], v[1], v[2]);
                   },
                   to_json(NamedModel("rate").task()).dump(),
                   {"season", "price", "rate"},
                   {{"season", 1.0}},
                   [=](double price) {
                     const auto below = [&](double y) {
                       return normal_cdf((std::log(y / (1.0 - y)) - rate_centre(price)) / 0.7);
                     };
                     return below(0.2) - below(0.1);
                   },
                   [](RandomStream& random) { return std::exp(0.3 + 0.4 * random.normal()); },
                   grid_of(0.4, 2.5)});

  const auto complaint_mean = [](double load, double calls) { return std::exp(0.63 + 0.5 * load + 0.6 * calls); };
  const auto poisson = [](double rate, RandomStream& random) {
    int count = 0;
    for (double time = random.exponential(1.0); time < rate; time += random.exponential(1.0)) ++count;
    return count;
  };
  cases.push_back({"complaints >= 3",
                   "load,calls,complaints",
                   [=](RandomStream& random) {
                     const double load = random.normal();
                     const double calls = 0.4 * load + 0.8 * random.normal();
                     return fmt::format("{},{},{}", load, calls, poisson(complaint_mean(load, calls), random));
                   },
                   R"({"context": ["load"], "alterable": {"calls": [-1.5, 1.5]}, "outcome": ["complaints"],
                       "desired": {"complaints": [3, null]}, "columns": {"complaints": "count"}})",
                   {"load", "calls", "complaints"},
                   {{"load", 0.0}},
                   [=](double calls) {
                     const double rate = complaint_mean(0.0, calls);
                     return 1.0 - std::exp(-rate) * (1.0 + rate + rate * rate / 2.0);
                   },
                   [](RandomStream& random) { return 0.8 * random.normal(); },
                   grid_of(-1.5, 1.5)});

  cases.push_back({"dose -> responded -> score",
                   "age,dose,responded,score",
                   [](RandomStream& random) {
                     const double age = random.normal();
                     const double dose = 2.0 + 0.3 * age + 0.75 * random.normal();
                     const bool responded = random.uniform() < logistic_of(-4.55 + 2.2 * dose);
                     return fmt::format("{},{},{},{}", age, dose, responded ? 1 : 0,
                                        50.0 + (responded ? 12.0 : 0.0) + 5.0 * random.normal());
                   },
                   R"({"context": ["age"], "alterable": {"dose": [0, 4]}, "outcome": ["score"],
                       "desired": {"score": [57, null]}, "columns": {"responded": "binary"}})",
                   {"age", "dose", "responded", "score"},
                   {{"age", 0.0}},
                   [](double dose) {
                     const double responded = logistic_of(-4.55 + 2.2 * dose);
                     return responded * normal_cdf(1.0) + (1.0 - responded) * normal_cdf(-1.4);
                   },
                   [](RandomStream& random) { return 2.0 + 0.75 * random.normal(); },
                   grid_of(0.0, 4.0)});

  const auto within = [](double low, double high, double mean, double deviation) {
    return normal_cdf((high - mean) / deviation) - normal_cdf((low - mean) / deviation);
  };
  cases.push_back({"heating off/on",
                   "outside,heating,temperature",
                   [](RandomStream& random) {
                     const double outside = random.normal();
                     const bool on = random.uniform() < logistic_of(-outside);
                     return fmt::format("{},{},{}", outside, on ? "on" : "off",
                                        18.45 + (on ? 5.1 : 0.0) + 0.5 * outside + random.normal());
                   },
                   R"({"context": ["outside"], "alterable": {"heating": {"values": ["off", "on"]}},
                       "outcome": ["temperature"], "desired": {"temperature": [20, 22]},
                       "columns": {"heating": {"type": "binary", "levels": ["off", "on"]}}})",
                   {"outside", "heating", "temperature"},
                   {{"outside", 0.0}},
                   [=](double on) { return within(20.0, 22.0, 18.45 + 5.1 * on, 1.0); },
                   [](RandomStream& random) { return random.uniform() < 0.5 ? 1.0 : 0.0; },
                   {0.0, 1.0}});

  cases.push_back({"vendor 1..4",
                   "size,vendor,quality",
                   [](RandomStream& random) {
                     const double size = random.normal();
                     const std::uint64_t vendor = 1 + random.below(4);
                     return fmt::format("{},{},{}", size, vendor,
                                        (vendor <= 2 ? 2.0 : 6.0) + 0.3 * size + 0.8 * random.normal());
                   },
                   R"({"context": ["size"], "alterable": {"vendor": {"values": [1, 2, 3, 4]}}, "outcome": ["quality"],
                       "desired": {"quality": [3.62, 4.38]}, "columns": {"vendor": "category"}})",
                   {"size", "vendor", "quality"},
                   {{"size", 0.0}},
                   [=](double vendor) { return within(3.62, 4.38, vendor <= 2.0 ? 2.0 : 6.0, 0.8); },
                   [](RandomStream& random) { return 1.0 + static_cast<double>(random.below(4)); },
                   {1.0, 2.0, 3.0, 4.0}});

  const auto renewed = [](double value, double discount) {
    return logistic_of(-0.5 + 0.5 * value + 0.9854 * discount);
  };
  for (const char* const desired : {"[1, 1]", "[1, null]", "[0.5, 1.5]", "[0.5, null]", "\"yes\""}) {
    const bool words = desired[0] == '"';
    cases.push_back({fmt::format("renewed: {}", desired),
                     "value,discount,renewed",
                     [=](RandomStream& random) {
                       const double value = random.normal();
                       const double discount = 1.5 + 0.4 * value + 0.8 * random.normal();
                       const bool yes = random.uniform() < renewed(value, discount);
                       return fmt::format("{},{},{}", value, discount,
                                          words ? (yes ? "yes" : "no") : (yes ? "1" : "0"));
                     },
                     fmt::format(R"({{"context": ["value"], "alterable": {{"discount": [0, 3]}}, "outcome": ["renewed"],
                                      "desired": {{"renewed": {}}}, "columns": {{"renewed": "binary"}}}})",
                                 desired),
                     {"value", "discount", "renewed"},
                     {{"value", 0.0}},
                     [=](double discount) { return renewed(0.0, discount); },
                     [](RandomStream& random) { return 1.5 + 0.8 * random.normal(); },
                     grid_of(0.0, 3.0)});
  }
  return cases;
}

// The table of one sample.
inline std::string case_table(const DecisionCase& one, int rows, std::uint64_t seed, std::uint64_t sample) {
  RandomStream random(seed, "decision_bench." + one.header, sample);
  std::string text = one.header + "\n";
  for (int i = 0; i < rows; ++i) text += one.row(random) + "\n";
  return text;
}

// `only` is the name of one case; all of them when it is empty.
inline void print_cases(int samples, const std::vector<Variant>& variants, std::uint64_t seed, int rows,
                        const std::string& only) {
  fmt::print("{} samples of {} rows, true order unless the variant says another\n\n", samples, rows);
  fmt::print(
      "| table | sampler, order | claimed | true | claimed - true | no action | best | impossible | lever |\n| --- | "
      "--- "
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const DecisionCase& one : decision_cases()) {
    if (!only.empty() && only != one.name) continue;
    double without = 0.0;
    RandomStream natural(1, "decision_bench.natural");
    for (int i = 0; i < 20000; ++i) without += one.success(one.natural(natural)) / 20000.0;
    double best = 0.0;
    for (const double value : one.values) best = std::max(best, one.success(value));
    const bool grid = one.values.size() > 10;
    for (const Variant& variant : variants) {
      std::vector<double> claimed, truth, difference, levers;
      int impossible = 0;
      std::string failure;
      for (int sample = 0; sample < samples && failure.empty(); ++sample) {
        Context context;
        context.seed = static_cast<std::uint64_t>(sample);
        try {
          const std::optional<Order> given =
              variant.order == "true" ? std::optional<Order>(one.order) : std::optional<Order>();
          const RehearsalModel model =
              fit_texts({one.task, case_table(one, rows, seed, context.seed)}, variant, given, context);
          const Decision decision = decide(decision_problem(model, one.context), variant.search(), context);
          const std::optional<double> set = decision.alterations.front().value;
          claimed.push_back(decision.success_probability);
          if (!set) {
            truth.push_back(without);
          } else {
            // Words have the numbers of their levels, which are those of `values` here.
            const double nearest = *std::min_element(one.values.begin(), one.values.end(), [&](double a, double b) {
              return std::abs(a - *set) < std::abs(b - *set);
            });
            if (!grid && nearest != *set) ++impossible;
            truth.push_back(one.success(grid ? *set : nearest));
            levers.push_back(*set);
          }
          difference.push_back(claimed.back() - truth.back());
        } catch (const Error& error) {
          failure = error.what();
        }
      }
      if (!failure.empty()) {
        fmt::print("| {} | {} | {} | | | {:.3f} | {:.3f} | | |\n", one.name, variant.name(), failure, without, best);
        continue;
      }
      fmt::print("| {} | {} | {:.3f} | {:.3f} | {:+.3f} ± {:.3f} | {:.3f} | {:.3f} | {} | {:.2f} |\n", one.name,
                 variant.name(), mean(claimed), mean(truth), mean(difference), standard_error(difference), without,
                 best, impossible, mean(levers));
      std::fflush(stdout);
    }
  }
}

}  // namespace olem::bench
