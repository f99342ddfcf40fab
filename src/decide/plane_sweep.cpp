#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/special.h"
#include "decide/satisfied_draws.h"

namespace olem::internal {

namespace {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

// The shifts B z that a box of decisions can reach: a polygon with parallel opposite sides, or a segment.
struct Reach {
  std::vector<std::array<Point, 2>> sides;  // counterclockwise
  bool flat = false;                        // a segment, which is its only side

  // Cuts [line.low, line.high] to where start + t direction can be reached.
  void clip(Point start, Point direction, double& low, double& high) const {
    for (const auto& [from, to] : sides) {
      const Point outward{to.y - from.y, from.x - to.x};
      const double room = dot(outward, from - start);
      const double speed = dot(outward, direction);
      if (speed > 0.0) high = std::min(high, room / speed);
      if (speed < 0.0) low = std::max(low, room / speed);
      if (speed == 0.0 && room < 0.0) high = -kInfinity;
    }
  }
};

Reach reach_of(const AffineOutcomes& outcomes, std::span<const double> low, std::span<const double> high) {
  Point lowest;
  std::vector<Point> steps;
  for (std::size_t a = 0; a < outcomes.altered; ++a) {
    const Point effect{outcomes.response[a], outcomes.response[outcomes.altered + a]};
    const bool upwards = effect.y > 0.0 || (effect.y == 0.0 && effect.x > 0.0);
    const double from = upwards ? low[a] : high[a];
    const double length = upwards ? high[a] - low[a] : low[a] - high[a];
    lowest = lowest + Point{effect.x * from, effect.y * from};
    const Point step{effect.x * length, effect.y * length};
    if (step.x != 0.0 || step.y != 0.0) steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end(), [](Point a, Point b) { return cross(a, b) > 0.0; });
  Reach reach;
  constexpr double kFlat = 1e-12;
  reach.flat =
      steps.empty() || std::abs(cross(steps.front(), steps.back())) <=
                           kFlat * std::sqrt(dot(steps.front(), steps.front()) * dot(steps.back(), steps.back()));
  if (reach.flat) {
    reach.sides.push_back({lowest, std::accumulate(steps.begin(), steps.end(), lowest)});
    return reach;
  }
  Point at = lowest;
  for (const Point& step : steps) {
    reach.sides.push_back({at, at + step});
    at = at + step;
  }
  for (const Point& step : steps) {
    reach.sides.push_back({at, at - step});
    at = at - step;
  }
  return reach;
}

// How many intervals cover each place of a line; the places are the ends of all intervals and the gaps between them.
class DepthTree {
 public:
  explicit DepthTree(std::vector<double> ends) : ends_(std::move(ends)) {
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
    const std::size_t places = 2 * ends_.size() + 1;
    while (leaves_ < places) leaves_ *= 2;
    most_.assign(2 * leaves_, 0);
    added_.assign(2 * leaves_, 0);
  }

  void add(double low, double high, int change) { add(1, 0, leaves_ - 1, place(low), place(high), change); }
  // The largest number within [low, high].
  int most(double low, double high) const { return most(1, 0, leaves_ - 1, place(low), place(high)); }

 private:
  // Ends stand at odd places.
  std::size_t place(double value) const {
    const auto at = std::lower_bound(ends_.begin(), ends_.end(), value);
    const auto rank = static_cast<std::size_t>(at - ends_.begin());
    return 2 * rank + (at != ends_.end() && *at == value ? 1 : 0);
  }

  void add(std::size_t node, std::size_t first, std::size_t last, std::size_t low, std::size_t high, int change) {
    if (high < first || last < low) return;
    if (low <= first && last <= high) {
      most_[node] += change;
      added_[node] += change;
      return;
    }
    const std::size_t middle = (first + last) / 2;
    add(2 * node, first, middle, low, high, change);
    add(2 * node + 1, middle + 1, last, low, high, change);
    most_[node] = added_[node] + std::max(most_[2 * node], most_[2 * node + 1]);
  }

  int most(std::size_t node, std::size_t first, std::size_t last, std::size_t low, std::size_t high) const {
    if (high < first || last < low) return 0;
    if (low <= first && last <= high) return most_[node];
    const std::size_t middle = (first + last) / 2;
    return added_[node] +
           std::max(most(2 * node, first, middle, low, high), most(2 * node + 1, middle + 1, last, low, high));
  }

  std::vector<double> ends_;
  std::size_t leaves_ = 1;
  std::vector<int> most_;   // below a node, with what was added to it and below
  std::vector<int> added_;  // to all places of a node
};

// The best shift so far, and the means to look for a better one along lines.
class PlaneSweep {
 public:
  PlaneSweep(const ShiftRows& rows, const Context& context) : rows_(rows), context_(context) {}

  void along(Point start, Point direction, double low, double high) {
    const ShiftLine line = line_at(start, direction, low, high);
    stretches_on(rows_, line, stretches_);
    if (stretches_.size() <= depth_) return;
    const DeepestStretch found = deepest_stretch(stretches_, low, high);
    if (found.depth <= depth_) return;
    depth_ = found.depth;
    const double t = 0.5 * (found.at.low + found.at.high);
    best_.clear();
    for (std::size_t r = 0; r < rows_.rows; ++r) best_.push_back(line.start[r] + t * line.slope[r]);
  }

  // All lines on which row r of one draw holds with equality, those that meet most draws first: when the next one meets
  // no more than have been satisfied, no other can be better.
  void along_borders(std::size_t r, const Reach& reach) {
    const Point normal = normal_of(r);
    const Point direction{-normal.y, normal.x};
    struct Border {
      Point start;
      double low;
      double high;
      std::size_t meets;
    };
    std::vector<Border> borders;
    for (std::size_t i = 0; i < rows_.draws; ++i) {
      if (i % kDrawsPerCheck == 0) context_.check_interrupt();
      const double bound = rows_.bound(i, r);
      Border border{{normal.x * bound, normal.y * bound}, -kInfinity, kInfinity, 0};
      reach.clip(border.start, direction, border.low, border.high);
      if (border.low > border.high) continue;
      stretches_on(rows_, line_at(border.start, direction, border.low, border.high), stretches_);
      border.meets = stretches_.size();
      borders.push_back(border);
    }
    std::stable_sort(borders.begin(), borders.end(),
                     [](const Border& a, const Border& b) { return a.meets > b.meets; });
    for (std::size_t i = 0; i < borders.size() && borders[i].meets > depth_; ++i) {
      if (i % kDrawsPerCheck == 0) context_.check_interrupt();
      along(borders[i].start, direction, borders[i].low, borders[i].high);
    }
  }

  // For a region that is a box: the shifts of draw i form a rectangle. A line moves over the left sides of all of them
  // and keeps count of how many of those that it meets cover each height.
  void over_rectangles(const Reach& reach) {
    struct Rectangle {
      Stretch x{-kInfinity, kInfinity};
      Stretch y{-kInfinity, kInfinity};
    };
    std::vector<Rectangle> rectangles(rows_.draws);
    std::vector<double> ends;
    for (std::size_t i = 0; i < rows_.draws; ++i) {
      for (std::size_t r = 0; r < rows_.rows; ++r) {
        const Point normal = normal_of(r);
        Stretch& side = normal.y == 0.0 ? rectangles[i].x : rectangles[i].y;
        if (normal.x + normal.y > 0.0) side.high = std::min(side.high, rows_.bound(i, r));
        if (normal.x + normal.y < 0.0) side.low = std::max(side.low, -rows_.bound(i, r));
      }
    }
    std::erase_if(rectangles, [](const Rectangle& r) { return r.x.low > r.x.high || r.y.low > r.y.high; });
    for (const Rectangle& rectangle : rectangles) {
      ends.push_back(rectangle.y.low);
      ends.push_back(rectangle.y.high);
    }
    std::vector<Rectangle> leaving = rectangles;
    std::sort(rectangles.begin(), rectangles.end(), [](const auto& a, const auto& b) { return a.x.low < b.x.low; });
    std::sort(leaving.begin(), leaving.end(), [](const auto& a, const auto& b) { return a.x.high < b.x.high; });
    DepthTree tree(std::move(ends));
    std::size_t left = 0;
    std::optional<double> best;
    auto depth = static_cast<int>(depth_);
    for (std::size_t i = 0; i < rectangles.size(); ++i) {
      if (i % kDrawsPerCheck == 0) context_.check_interrupt();
      const double x = rectangles[i].x.low;
      tree.add(rectangles[i].y.low, rectangles[i].y.high, 1);
      for (; leaving[left].x.high < x; ++left) tree.add(leaving[left].y.low, leaving[left].y.high, -1);
      const bool last_here = i + 1 == rectangles.size() || rectangles[i + 1].x.low > x;
      if (!last_here || !std::isfinite(x)) continue;
      Stretch heights{-kInfinity, kInfinity};
      reach.clip({x, 0.0}, {0.0, 1.0}, heights.low, heights.high);
      if (heights.low > heights.high) continue;
      const int found = tree.most(heights.low, heights.high);
      if (found <= depth) continue;
      depth = found;
      best = x;
    }
    if (!best) return;
    Stretch heights{-kInfinity, kInfinity};
    reach.clip({*best, 0.0}, {0.0, 1.0}, heights.low, heights.high);
    along({*best, 0.0}, {0.0, 1.0}, heights.low, heights.high);
  }

  bool is_box() const {
    for (std::size_t r = 0; r < rows_.rows; ++r) {
      if (normal_of(r).x != 0.0 && normal_of(r).y != 0.0) return false;
    }
    return true;
  }

  Point normal_of(std::size_t r) const { return {rows_.normal(r)[0], rows_.normal(r)[1]}; }
  std::vector<double> best() && { return std::move(best_); }

 private:
  static constexpr std::size_t kDrawsPerCheck = 64;

  ShiftLine line_at(Point start, Point direction, double low, double high) const {
    ShiftLine line;
    line.low = low;
    line.high = high;
    for (std::size_t r = 0; r < rows_.rows; ++r) {
      line.start.push_back(dot(normal_of(r), start));
      line.slope.push_back(dot(normal_of(r), direction));
    }
    return line;
  }

  const ShiftRows& rows_;
  const Context& context_;
  std::size_t depth_ = 0;
  std::vector<double> best_;
  std::vector<Stretch> stretches_;
};

// The direction against which fewest rows of the region face: the lowest point of a largest set of shifts lies on the
// border of such a row, or of the reach.
std::vector<std::size_t> rows_to_sweep(const PlaneSweep& sweep, std::size_t rows) {
  std::vector<std::size_t> fewest;
  bool first = true;
  for (const Point direction : {Point{1.0, 0.0}, Point{-1.0, 0.0}, Point{0.0, 1.0}, Point{0.0, -1.0}}) {
    std::vector<std::size_t> facing;
    for (std::size_t r = 0; r < rows; ++r) {
      if (dot(sweep.normal_of(r), direction) < 0.0) facing.push_back(r);
    }
    if (first || facing.size() < fewest.size()) fewest = facing;
    first = false;
  }
  return fewest;
}

}  // namespace

std::vector<double> best_in_plane(const ShiftRows& rows, const AffineOutcomes& outcomes, std::span<const double> low,
                                  std::span<const double> high, const Context& context) {
  const Reach reach = reach_of(outcomes, low, high);
  PlaneSweep sweep(rows, context);
  for (const auto& [from, to] : reach.sides) sweep.along(from, to - from, 0.0, 1.0);
  if (!reach.flat && sweep.is_box()) {
    sweep.over_rectangles(reach);
  } else if (!reach.flat) {
    for (const std::size_t r : rows_to_sweep(sweep, rows.rows)) sweep.along_borders(r, reach);
  }
  return std::move(sweep).best();
}

}  // namespace olem::internal
