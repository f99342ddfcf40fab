#include "olem/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "data/chebyshev.h"
#include "data/combination.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

// Doublings of the data box before we give up: the region then begins further out than doubles can tell.
constexpr int kMaxDoublings = 1000;

[[noreturn]] void region_error(const std::string& source, const std::string& text) {
  throw Error(ErrorCategory::kData, source.empty() ? text : source + ": " + text);
}

void check_number(double value, const std::string& what, const std::string& source) {
  constexpr double kLargest = 1e150;  // its square is still a number
  if (!std::isfinite(value)) {
    region_error(source, fmt::format("{} of the desired region is {}, but must be a finite number.", what, value));
  }
  if (std::abs(value) > kLargest) {
    region_error(source,
                 fmt::format("{} of the desired region is {}, beyond {}, where nothing can be computed. Leave a "
                             "side that does not matter open with null.",
                             what, value, kLargest));
  }
}

HalfSpaces half_spaces(const Region& region) {
  HalfSpaces spaces;
  spaces.size = region.size();
  for (std::size_t i = 0; i < region.rows(); ++i) {
    const auto row = region.weights(i);
    spaces.normals.insert(spaces.normals.end(), row.begin(), row.end());
    spaces.bounds.push_back(region.bound(i));
  }
  return spaces;
}

// Adds low <= y_j <= high for every outcome, in standardised units.
void add_data_box(HalfSpaces& spaces, std::span<const ColumnSummary> outcomes, double ranges) {
  for (std::size_t j = 0; j < outcomes.size(); ++j) {
    const ColumnSummary& outcome = outcomes[j];
    const double margin = ranges * outcome.range();
    for (const double sign : {-1.0, 1.0}) {
      std::vector<double> row(outcomes.size(), 0.0);
      row[j] = sign;
      const double side = sign < 0.0 ? outcome.low - margin : outcome.high + margin;
      spaces.normals.insert(spaces.normals.end(), row.begin(), row.end());
      spaces.bounds.push_back(sign * (side - outcome.mean) / outcome.deviation);
    }
  }
}

[[noreturn]] void report_empty(const Region& region, const std::vector<std::size_t>& conflict) {
  std::vector<std::string> names;
  for (const std::size_t i : conflict) {
    names.push_back(region.ranges().empty() ? region.row_name(i) : fmt::format("'{}'", region.row_name(i)));
  }
  const std::string prefix = region.source().empty() ? "" : region.source() + ": ";
  throw Error(ErrorCategory::kTask,
              names.size() == 1
                  ? fmt::format("{}The desired region is empty: nothing satisfies {}. Correct it.", prefix, names[0])
                  : fmt::format("{}The desired region is empty: nothing satisfies {} at once. Correct one of them.",
                                prefix, fmt::join(names, " and ")));
}

// The outcomes whose centre lies outside of their data by more than one range, with how far in standard deviations.
void warn_when_far(const Region& region, std::span<const ColumnSummary> outcomes, RegionCentre& centre) {
  for (std::size_t j = 0; j < outcomes.size(); ++j) {
    const ColumnSummary& outcome = outcomes[j];
    const double beyond = std::max(outcome.low - centre.centre[j], centre.centre[j] - outcome.high);
    if (beyond <= outcome.range()) continue;
    centre.warnings.push_back(
        {"far_region",
         fmt::format("The middle of the desired region, {} = {:.6g}, lies {:.3g} standard deviations outside of the "
                     "data ([{:.6g}, {:.6g}]): nothing in the data tells how to get there. Look at the units of the "
                     "region and at its sides; a side that does not matter is left open by null.",
                     region.outcomes()[j], centre.centre[j], beyond / outcome.deviation, outcome.low, outcome.high),
         region.outcomes()[j]});
  }
}

}  // namespace

}  // namespace olem

namespace olem::internal {

std::string combination_text(std::span<const double> weights, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0.0) continue;
    const double size = std::abs(weights[j]);
    if (text.empty()) {
      text += weights[j] < 0.0 ? "-" : "";
    } else {
      text += weights[j] < 0.0 ? " - " : " + ";
    }
    text += size == 1.0 ? names[j] : fmt::format("{} {}", size, names[j]);
  }
  return text.empty() ? "0" : text;
}

}  // namespace olem::internal

namespace olem {

Region Region::box(const std::vector<OutcomeRange>& ranges, const std::string& source) {
  Region region;
  region.source_ = source;
  region.ranges_ = ranges;
  for (const OutcomeRange& range : ranges) region.outcomes_.push_back(range.outcome);
  std::vector<double> weights(ranges.size(), 0.0);
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const OutcomeRange& range = ranges[j];
    const auto add_side = [&](const std::optional<double>& side, double sign, const char* relation) {
      if (!side) return;
      check_number(*side, fmt::format("A side of '{}'", range.outcome), source);
      weights[j] = sign;
      region.add_row(weights, sign * *side, fmt::format("{} {} {}", range.outcome, relation, *side));
    };
    add_side(range.low, -1.0, ">=");
    add_side(range.high, 1.0, "<=");
    weights[j] = 0.0;
  }
  if (region.rows() == 0) {
    region_error(source, "The desired region asks nothing of any outcome. Give at least one side of one outcome.");
  }
  return region;
}

Region Region::polytope(const std::vector<std::string>& outcomes, const std::vector<std::vector<double>>& weights,
                        const std::vector<double>& bounds, const std::string& source) {
  Region region;
  region.source_ = source;
  region.outcomes_ = outcomes;
  if (weights.size() != bounds.size()) {
    region_error(source, fmt::format("\"M\" of the desired region has {} row{}, but \"d\" has {} number{}. Give one "
                                     "number for each row.",
                                     weights.size(), weights.size() == 1 ? "" : "s", bounds.size(),
                                     bounds.size() == 1 ? "" : "s"));
  }
  constexpr double kFarthest = 1e15;  // linear programmes of larger numbers are not solved reliably
  bool all_zero = true;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i].size() != outcomes.size()) {
      region_error(
          source,
          fmt::format("Row {} of \"M\" has {} number{}, but there {} {} outcome{} ({}). Give one number for "
                      "each outcome.",
                      i + 1, weights[i].size(), weights[i].size() == 1 ? "" : "s", outcomes.size() == 1 ? "is" : "are",
                      outcomes.size(), outcomes.size() == 1 ? "" : "s", fmt::join(outcomes, ", ")));
    }
    double largest = 0.0;
    for (const double weight : weights[i]) {
      check_number(weight, fmt::format("A number in row {} of \"M\"", i + 1), source);
      all_zero = all_zero && weight == 0.0;
      largest = std::max(largest, std::abs(weight));
    }
    check_number(bounds[i], fmt::format("Number {} of \"d\"", i + 1), source);
    if (std::abs(bounds[i]) > kFarthest * largest && largest > 0.0) {
      region_error(source,
                   fmt::format("Row {} of \"M\" and its number of \"d\" ask for something beyond {:g}, where nothing "
                               "can be computed. Look at their units, or leave the row out.",
                               i + 1, kFarthest));
    }
    region.add_row(weights[i], bounds[i],
                   fmt::format("row {} ({} <= {})", i + 1, combination_text(weights[i], outcomes), bounds[i]));
  }
  if (all_zero) {
    region_error(source, weights.empty()
                             ? "\"M\" of the desired region has no rows. Give at least one condition on the outcomes."
                             : "\"M\" of the desired region holds only zeros, so that no outcome counts. Give at least "
                               "one row with a number that is not 0.");
  }
  return region;
}

void Region::add_row(std::span<const double> weights, double bound, std::string name) {
  weights_.insert(weights_.end(), weights.begin(), weights.end());
  bounds_.push_back(bound);
  row_names_.push_back(std::move(name));
}

bool Region::contains(std::span<const double> y) const {
  check_same_size("y", y.size(), "outcomes", size());
  for (std::size_t i = 0; i < rows(); ++i) {
    const auto row = weights(i);
    if (!(std::inner_product(row.begin(), row.end(), y.begin(), 0.0) <= bounds_[i])) return false;
  }
  return true;
}

Region Region::standardised(std::span<const double> means, std::span<const double> deviations) const {
  check_same_size("means", means.size(), "outcomes", size());
  check_same_size("deviations", deviations.size(), "outcomes", size());
  Region result = *this;
  for (OutcomeRange& range : result.ranges_) {
    const auto j = static_cast<std::size_t>(&range - result.ranges_.data());
    if (range.low) range.low = (*range.low - means[j]) / deviations[j];
    if (range.high) range.high = (*range.high - means[j]) / deviations[j];
  }
  for (std::size_t i = 0; i < rows(); ++i) {
    const auto row = weights(i);
    result.bounds_[i] -= std::inner_product(row.begin(), row.end(), means.begin(), 0.0);
    for (std::size_t j = 0; j < size(); ++j) result.weights_[i * size() + j] *= deviations[j];
  }
  return result;
}

Json to_json(const Region& region) {
  Json json = Json::object();
  if (!region.ranges().empty()) {
    const auto side = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    for (const OutcomeRange& range : region.ranges()) {
      json[range.outcome] = Json::array({side(range.low), side(range.high)});
    }
    return json;
  }
  json["M"] = Json::array();
  json["d"] = Json::array();
  for (std::size_t i = 0; i < region.rows(); ++i) {
    const auto row = region.weights(i);
    json["M"].push_back(std::vector<double>(row.begin(), row.end()));
    json["d"].push_back(region.bound(i));
  }
  return json;
}

RegionCentre region_centre(const Region& region, std::span<const ColumnSummary> outcomes, const Context& context) {
  check_same_size("summaries", outcomes.size(), "outcomes", region.size());
  RegionCentre result;
  for (std::size_t j = 0; j < outcomes.size(); ++j) {
    if (!(outcomes[j].deviation > 0.0)) {
      region_error(region.source(), fmt::format("The outcome '{}' never changes in the data, so that nothing can be "
                                                "learned about it. Choose another outcome.",
                                                region.outcomes()[j]));
    }
    result.means.push_back(outcomes[j].mean);
    result.deviations.push_back(outcomes[j].deviation);
  }
  const HalfSpaces spaces = half_spaces(region.standardised(result.means, result.deviations));
  LargestBall ball = largest_ball(spaces, context);
  if (ball.status == BallStatus::kEmpty) report_empty(region, ball.conflict);
  if (ball.status == BallStatus::kUnbounded) {
    result.from_data_box = true;
    double ranges = 1.0;
    for (int doubling = 0; ball.status != BallStatus::kFound || ball.flat; ++doubling, ranges *= 2.0) {
      if (doubling == kMaxDoublings) {
        throw Error(ErrorCategory::kInternal, "A region with large balls seems to have no point near any data.");
      }
      HalfSpaces cut = spaces;
      add_data_box(cut, outcomes, ranges);
      ball = largest_ball(cut, context);
    }
  }
  result.flat = ball.flat;
  result.radius = ball.radius;
  for (std::size_t j = 0; j < outcomes.size(); ++j) {
    result.centre.push_back(outcomes[j].mean + outcomes[j].deviation * ball.centre[j]);
  }
  if (result.flat) {
    result.warnings.push_back(
        {"flat_region",
         "The desired region has no interior: a continuous outcome falls into it with probability 0. Widen it to what "
         "is good enough.",
         fmt::format("{}", fmt::join(region.outcomes(), ", "))});
  }
  warn_when_far(region, outcomes, result);
  return result;
}

}  // namespace olem
