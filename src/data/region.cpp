#include "olem/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "data/chebyshev.h"
#include "data/combination.h"
#include "data/greatest_share.h"
#include "olem/column_types.h"
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

// The cells of the levels that are wanted, all levels of the column being `all`; both ascending.
OutcomeLevels wanted_levels(std::size_t outcome, std::vector<double> wanted, const std::vector<double>& all) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  OutcomeLevels result{outcome, std::move(wanted), {}, all.size() > 1 ? kOpen : 0.5};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double from = i == 0 ? -kOpen : 0.5 * (all[i - 1] + all[i]);
    const double to = i + 1 == all.size() ? kOpen : 0.5 * (all[i] + all[i + 1]);
    if (i > 0) result.half_gap = std::min(result.half_gap, 0.5 * (all[i] - all[i - 1]));
    if (!std::binary_search(result.levels.begin(), result.levels.end(), all[i])) continue;
    if (!result.cells.empty() && result.cells.back().second == from) {
      result.cells.back().second = to;
    } else {
      result.cells.emplace_back(from, to);
    }
  }
  return result;
}

std::vector<double> sorted_once(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::string side_text(const std::optional<double>& side) { return side ? fmt::format("{}", *side) : "null"; }

// The numbers of the levels that a range asks for; `about` has levels.
std::vector<double> levels_asked_for(const OutcomeRange& range, const Column& about, const std::string& source) {
  std::vector<double> wanted;
  const auto add = [&](const std::string& name) {
    const std::optional<ColumnLevel> level = find_level(about, name);
    if (!level) {
      region_error(source, fmt::format("'{}', which is desired of '{}', is none of its levels. {}", name, range.outcome,
                                       levels_sentence(about, name)));
    }
    wanted.push_back(level->value);
  };
  for (const double value : range.values) add(fmt::format("{}", value));
  for (const std::string& word : range.words) add(word);
  if (range.is_list()) return sorted_once(std::move(wanted));
  for (const ColumnLevel& level : about.levels) {
    if ((!range.low || level.value >= *range.low) && (!range.high || level.value <= *range.high))
      wanted.push_back(level.value);
  }
  if (wanted.empty()) {
    throw Error(ErrorCategory::kTask,
                fmt::format("{}The desired region is empty: '{}' has no level in [{}, {}]. {}",
                            source.empty() ? "" : source + ": ", range.outcome, side_text(range.low),
                            side_text(range.high), levels_sentence(about, "")));
  }
  return wanted;
}

// A range that no value of the column can be in.
void check_possible(const OutcomeRange& range, const Column& about, const std::string& source) {
  const bool share = about.type == ColumnType::kShare;
  const double most = share ? greatest_share(about) : std::numeric_limits<double>::infinity();
  if (!share && about.type != ColumnType::kPositive) return;
  if (!(range.high && *range.high < 0.0) && !(range.low && *range.low > most)) return;
  throw Error(
      ErrorCategory::kTask,
      fmt::format("{}The desired region is empty: '{}' is taken for a {} column, whose values {}, and is wanted "
                  "{}.",
                  source.empty() ? "" : source + ": ", range.outcome, column_type_name(about.type),
                  share ? fmt::format("lie between 0 and {}", most) : "are not below 0",
                  range.high && *range.high < 0.0 ? fmt::format("at {} at most", *range.high)
                                                  : fmt::format("at {} at least", *range.low)),
      {{"Correct the range"}, {"Say what else the column holds", "type", range.outcome + "=real"}});
}

// The rows over some of the outcomes; the others have no part in any.
HalfSpaces half_spaces(const Region& region, const std::vector<std::size_t>& outcomes) {
  HalfSpaces spaces;
  spaces.size = outcomes.size();
  for (std::size_t i = 0; i < region.rows(); ++i) {
    for (const std::size_t j : outcomes) spaces.normals.push_back(region.weights(i)[j]);
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

// The middle one of the levels that are wanted, and the mean of outcomes that nothing is asked of.
RegionCentre centre_of_levels(const Region& region, RegionCentre result) {
  if (result.centre.empty()) {
    result.centre = result.means;
    result.radius = std::numeric_limits<double>::infinity();
  }
  for (const OutcomeLevels& set : region.levels()) {
    result.centre[set.outcome] = set.levels[(set.levels.size() - 1) / 2];
    result.radius = std::min(result.radius, set.half_gap / result.deviations[set.outcome]);
  }
  return result;
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
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const OutcomeRange& range = ranges[j];
    if (!range.is_list()) {
      region.add_sides(j, range);
      continue;
    }
    for (const double value : range.values) check_number(value, fmt::format("A value of '{}'", range.outcome), source);
    if (!range.words.empty()) continue;
    OutcomeLevels& levels = region.levels_.emplace_back();
    levels.outcome = j;
    levels.levels = sorted_once(range.values);
    for (const double value : levels.levels) levels.cells.emplace_back(value, value);
  }
  if (!region.is_given()) {
    region_error(source, "The desired region asks nothing of any outcome. Give at least one side of one outcome.");
  }
  return region;
}

double OutcomeEllipse::distance(std::span<const double> y) const {
  double squares = 0.0;
  for (std::size_t j = 0; j < centre.size(); ++j) {
    const double away = (y[j] - centre[j]) / radii[j];
    squares += away * away;
  }
  return std::sqrt(squares);
}

Region Region::ellipse(const std::vector<std::string>& outcomes, std::vector<double> centre, std::vector<double> radii,
                       const std::string& source) {
  Region region;
  region.source_ = source;
  region.outcomes_ = outcomes;
  if (centre.size() != outcomes.size() || radii.size() != outcomes.size()) {
    region_error(source,
                 fmt::format("\"centre\" of the desired region has {} numbers and \"radius\" {}, but there {} {} "
                             "outcome{} ({}). Give one for each; a radius that all share may be a single number.",
                             centre.size(), radii.size(), outcomes.size() == 1 ? "is" : "are", outcomes.size(),
                             outcomes.size() == 1 ? "" : "s", fmt::join(outcomes, ", ")));
  }
  for (const double value : centre) check_number(value, "A number of \"centre\"", source);
  for (const double value : radii) {
    check_number(value, "A number of \"radius\"", source);
    if (!(value > 0.0))
      region_error(source, fmt::format("\"radius\" of the desired region is {}, but must be positive.", value));
  }
  region.ellipse_ = OutcomeEllipse{std::move(centre), std::move(radii)};
  return region;
}

void Region::add_sides(std::size_t outcome, const OutcomeRange& range) {
  std::vector<double> weights(size(), 0.0);
  const auto add_side = [&](const std::optional<double>& side, double sign, const char* relation) {
    if (!side) return;
    check_number(*side, fmt::format("A side of '{}'", range.outcome), source_);
    weights[outcome] = sign;
    add_row(weights, sign * *side, fmt::format("{} {} {}", range.outcome, relation, *side));
  };
  add_side(range.low, -1.0, ">=");
  add_side(range.high, 1.0, "<=");
}

bool Region::has_words() const {
  return std::any_of(ranges_.begin(), ranges_.end(), [](const OutcomeRange& range) { return !range.words.empty(); });
}

Region Region::resolved(std::span<const Column> about) const {
  check_same_size("columns", about.size(), "outcomes", size());
  if (ranges_.empty()) {
    for (std::size_t j = 0; j < size(); ++j) {
      bool counts = false;
      for (std::size_t i = 0; i < rows(); ++i) counts = counts || weights(i)[j] != 0.0;
      counts = counts || ellipse_;
      if (counts && about[j].type == ColumnType::kCategory && about[j].levels.size() > 2) {
        region_error(source_, fmt::format("The desired region counts the levels of '{}', which have no order. "
                                          "Give a range or levels for each outcome instead.",
                                          outcomes_[j]));
      }
    }
    return *this;
  }
  Region result;
  result.source_ = source_;
  result.ranges_ = ranges_;
  result.outcomes_ = outcomes_;
  for (std::size_t j = 0; j < size(); ++j) {
    const OutcomeRange& range = ranges_[j];
    const bool asks = range.is_list() || range.low || range.high;
    if (!asks) continue;
    if (!about[j].levels.empty()) {
      std::vector<double> all;
      for (const ColumnLevel& level : about[j].levels) all.push_back(level.value);
      result.levels_.push_back(wanted_levels(j, levels_asked_for(range, about[j], source_), all));
    } else if (about[j].type == ColumnType::kCount) {
      if (!range.words.empty()) {
        region_error(source_, fmt::format("'{}', which is desired of '{}', is no number of a count.", range.words[0],
                                          range.outcome));
      }
      if (range.is_list()) {
        OutcomeLevels& levels = result.levels_.emplace_back();
        levels.outcome = j;
        levels.levels = sorted_once(range.values);
        for (const double value : levels.levels) {
          if (value < 0.0 || value != std::floor(value)) {
            region_error(source_, fmt::format("{}, which is desired of '{}', is no count.", value, range.outcome));
          }
          if (!levels.cells.empty() && levels.cells.back().second == value - 0.5) {
            levels.cells.back().second = value + 0.5;
          } else {
            levels.cells.emplace_back(value == 0.0 ? -std::numeric_limits<double>::infinity() : value - 0.5,
                                      value + 0.5);
          }
        }
        continue;
      }
      // To the middle between two counts, where rounding decides nothing.
      OutcomeRange whole = range;
      if (whole.low) whole.low = std::ceil(*whole.low) - 0.5;
      if (whole.high) whole.high = std::floor(*whole.high) + 0.5;
      if ((whole.low && whole.high && *whole.low >= *whole.high) || (whole.high && *whole.high < 0.0)) {
        throw Error(ErrorCategory::kTask, fmt::format("{}The desired region is empty: no count lies in [{}, {}], which "
                                                      "is desired of '{}'.",
                                                      source_.empty() ? "" : source_ + ": ", side_text(range.low),
                                                      side_text(range.high), range.outcome));
      }
      const std::size_t first = result.rows();
      result.add_sides(j, whole);
      std::size_t row = first;
      if (range.low) result.row_names_[row++] = fmt::format("{} >= {}", range.outcome, *range.low);
      if (range.high) result.row_names_[row] = fmt::format("{} <= {}", range.outcome, *range.high);
    } else if (range.is_list()) {
      region_error(source_,
                   fmt::format("Single values are desired of '{}', which is a {} column and has no levels. Give the "
                               "range that is good enough, such as [0.5, 2] or, for at least 0.5, [0.5, null].",
                               range.outcome, column_type_name(about[j].type)));
    } else {
      check_possible(range, about[j], source_);
      result.add_sides(j, range);
    }
  }
  return result;
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
  if (levels_.empty() && has_words()) {
    throw Error(ErrorCategory::kUsage,
                "The desired region holds words of levels, whose numbers only the columns tell: resolve it first.");
  }
  for (const OutcomeLevels& set : levels_) {
    const double value = y[set.outcome];
    if (std::none_of(set.cells.begin(), set.cells.end(),
                     [&](const auto& cell) { return value >= cell.first && value <= cell.second; }))
      return false;
  }
  if (ellipse_ && !(ellipse_->distance(y) <= 1.0)) return false;
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
    for (double& value : range.values) value = (value - means[j]) / deviations[j];
  }
  if (result.ellipse_) {
    for (std::size_t j = 0; j < size(); ++j) {
      result.ellipse_->centre[j] = (ellipse_->centre[j] - means[j]) / deviations[j];
      result.ellipse_->radii[j] = ellipse_->radii[j] / deviations[j];
    }
  }
  for (OutcomeLevels& set : result.levels_) {
    const double mean = means[set.outcome];
    const double deviation = deviations[set.outcome];
    for (double& level : set.levels) level = (level - mean) / deviation;
    for (auto& [from, to] : set.cells) {
      from = (from - mean) / deviation;
      to = (to - mean) / deviation;
    }
    set.half_gap /= deviation;
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
      Json listed = Json::array();
      for (const double value : range.values) listed.push_back(value);
      for (const std::string& word : range.words) listed.push_back(word);
      if (listed.size() == 1) {
        json[range.outcome] = listed[0];
      } else if (!listed.empty()) {
        json[range.outcome]["values"] = std::move(listed);
      } else {
        json[range.outcome] = Json::array({side(range.low), side(range.high)});
      }
    }
    return json;
  }
  if (const auto& ellipse = region.ellipse()) {
    const std::vector<double>& radii = ellipse->radii;
    const bool ball = std::all_of(radii.begin(), radii.end(), [&](double radius) { return radius == radii.front(); });
    json["centre"] = ellipse->centre;
    json["radius"] = ball ? Json(radii.front()) : Json(radii);
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
    if (!std::isfinite(outcomes[j].mean) || !std::isfinite(outcomes[j].deviation)) {
      region_error(
          region.source(),
          fmt::format("The values of the outcome '{}' are too large to be squared. Rescale it.", region.outcomes()[j]));
    }
    result.means.push_back(outcomes[j].mean);
    result.deviations.push_back(outcomes[j].deviation);
  }
  if (region.ellipse()) {
    result.centre = region.ellipse()->centre;
    result.radius = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < outcomes.size(); ++j)
      result.radius = std::min(result.radius, region.ellipse()->radii[j] / outcomes[j].deviation);
    warn_when_far(region, outcomes, result);
    return result;
  }
  // Outcomes with levels have a middle of their own.
  std::vector<std::size_t> ranged;
  std::vector<ColumnSummary> of_ranged;
  for (std::size_t j = 0; j < outcomes.size(); ++j) {
    if (std::any_of(region.levels().begin(), region.levels().end(),
                    [&](const OutcomeLevels& set) { return set.outcome == j; }))
      continue;
    ranged.push_back(j);
    of_ranged.push_back(outcomes[j]);
  }
  if (region.rows() == 0 && !region.levels().empty()) return centre_of_levels(region, std::move(result));
  const HalfSpaces spaces = half_spaces(region.standardised(result.means, result.deviations), ranged);
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
      add_data_box(cut, of_ranged, ranges);
      ball = largest_ball(cut, context);
    }
  }
  result.flat = ball.flat;
  result.radius = ball.radius;
  result.centre = result.means;
  for (std::size_t k = 0; k < ranged.size(); ++k) {
    const std::size_t j = ranged[k];
    result.centre[j] = outcomes[j].mean + outcomes[j].deviation * ball.centre[k];
  }
  if (!region.levels().empty()) {
    result = centre_of_levels(region, std::move(result));
    result.radius = ball.radius;
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
