#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decision_tasks.h"
#include "olem/rehearsal.h"

// What decision_bench counts and prints.
namespace olem::bench {

// Means over the decisions of one setting.
struct Row {
  std::vector<double> truth;
  std::vector<double> claimed;
  std::vector<double> idle;
  std::vector<double> best;
  std::vector<double> cost;         // in standard deviations
  std::vector<double> by_task;      // true success
  std::vector<double> gap_by_task;  // claimed - true
  std::vector<std::size_t> div;     // of the order, by task
  double fit_seconds = 0.0;
  double decide_seconds = 0.0;

  void add(const Row& other) {
    truth.insert(truth.end(), other.truth.begin(), other.truth.end());
    claimed.insert(claimed.end(), other.claimed.begin(), other.claimed.end());
    idle.insert(idle.end(), other.idle.begin(), other.idle.end());
    best.insert(best.end(), other.best.begin(), other.best.end());
    cost.insert(cost.end(), other.cost.begin(), other.cost.end());
    by_task.insert(by_task.end(), other.by_task.begin(), other.by_task.end());
    gap_by_task.insert(gap_by_task.end(), other.gap_by_task.begin(), other.gap_by_task.end());
    div.insert(div.end(), other.div.begin(), other.div.end());
    fit_seconds += other.fit_seconds;
    decide_seconds += other.decide_seconds;
  }
};

// By sampler and order, as they are printed.
using Rows = std::vector<std::pair<std::string, Row>>;

inline Row& row_of(Rows& rows, const std::string& name) {
  for (auto& [known, row] : rows) {
    if (known == name) return row;
  }
  return rows.emplace_back(name, Row()).second;
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

struct Variant {
  std::string sampler;
  int draws = 0;  // of the search; 0: the default
  std::string order;
  bool members = false;  // that decide and judge beside the fit, as by default in olem decide
  std::optional<double> least_effort = std::nullopt;  // what is given up of success for it; nothing: the default

  std::string name() const {
    return fmt::format("{}, {}{}{}", sampler, order, members ? ", members" : "",
                       least_effort ? fmt::format(", effort {:g}", *least_effort) : "");
  }

  RehearsalOptions rehearsal() const {
    RehearsalOptions options;
    options.samplers.sampler = sampler;
    options.order.method = order == "olem" ? "olem" : "olem+";
    if (members) options.members = MemberOptions();
    options.levers = order == "auto" ? LeverRule::kAuto : order == "first" ? LeverRule::kFirst : LeverRule::kLearned;
    return options;
  }

  DecisionOptions search() const {
    DecisionOptions options;
    if (draws > 0) options.draws = draws;
    if (least_effort) options.least_effort = *least_effort;
    return options;
  }
};

// "gp:200/auto@0.002"; without an order two variants.
inline std::vector<Variant> parse_variant(const std::string& word) {
  const std::size_t at = word.find('@');
  const std::string text = word.substr(0, at);
  const std::size_t slash = text.find('/');
  const std::string of_sampler = text.substr(0, slash);
  const std::size_t colon = of_sampler.find(':');
  Variant variant{of_sampler.substr(0, colon), 0, ""};
  if (colon != std::string::npos) variant.draws = std::stoi(of_sampler.substr(colon + 1));
  if (at != std::string::npos) variant.least_effort = std::stod(word.substr(at + 1));
  std::vector<Variant> variants;
  for (const char* const order : {"true", "olem", "olem+", "first", "auto"}) {
    const bool wanted = slash == std::string::npos ? std::string(order) == "true" || std::string(order) == "auto"
                                                   : text.substr(slash + 1) == order;
    variant.order = order;
    if (wanted) variants.push_back(variant);
  }
  if (variants.empty()) {
    fmt::print(stderr, "The order in {} must be true, olem, olem+, first or auto.\n", text);
    std::exit(2);
  }
  return variants;
}

inline void print_row(const std::string& setting, const std::string& name, const Row& row, int rounds) {
  const auto tasks = static_cast<double>(row.by_task.size());
  std::vector<double> regret;
  std::vector<double> right;  // regret of the tasks whose order has no edge reversed
  std::vector<double> wrong;
  double worse = 0.0;
  for (std::size_t i = 0; i < row.truth.size(); ++i) {
    regret.push_back(row.best[i] - row.truth[i]);
    (row.div[i / static_cast<std::size_t>(rounds)] == 0 ? right : wrong).push_back(regret.back());
    worse += row.truth[i] < row.idle[i] - 0.01 ? 1.0 : 0.0;
  }
  fmt::print(
      "| {} | {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.1f} % | {:.4f} | {} | {:.4f} / "
      "{:.4f} | {:.2f} | {:.3f} |\n",
      setting, name, mean(row.truth), mean(row.claimed), mean(row.gap_by_task), mean(row.idle), mean(row.best),
      mean(regret), median(regret), 100.0 * worse / static_cast<double>(row.truth.size()),
      *std::min_element(row.by_task.begin(), row.by_task.end()), wrong.size() / static_cast<std::size_t>(rounds),
      mean(right), mean(wrong), row.fit_seconds / tasks, row.decide_seconds / tasks / rounds);
  std::fflush(stdout);
}

// True success less that of the first row, by task, the share of claims that are more than .1 too high, the mean cost
// and the lowest decisions.
inline void print_differences(const std::string& setting, const Rows& rows) {
  const Row& first = rows.front().second;
  for (const auto& [name, row] : rows) {
    std::vector<double> difference;
    double square = 0.0;
    for (std::size_t t = 0; t < row.by_task.size(); ++t) difference.push_back(row.by_task[t] - first.by_task[t]);
    const double middle = mean(difference);
    for (const double value : difference) square += (value - middle) * (value - middle);
    const auto n = static_cast<double>(difference.size());
    double too_high = 0.0;
    for (std::size_t i = 0; i < row.truth.size(); ++i) too_high += row.claimed[i] > row.truth[i] + 0.1 ? 1.0 : 0.0;
    constexpr double kLow = 0.58;
    const auto low = std::count_if(row.truth.begin(), row.truth.end(), [](double truth) { return truth < kLow; });
    fmt::print(
        "{}: {} less {}: {:+.4f} ± {:.4f}; claims more than .1 too high: {:.1f} %; cost {:.3f}; lowest decision "
        "{:.3f}, "
        "{} of {} below {}\n",
        setting, name, rows.front().first, middle, std::sqrt(square / (n - 1.0) / n),
        100.0 * too_high / static_cast<double>(row.truth.size()), mean(row.cost),
        *std::min_element(row.truth.begin(), row.truth.end()), low, row.truth.size(), kLow);
  }
  std::fflush(stdout);
}

}  // namespace olem::bench
