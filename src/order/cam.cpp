#include "order/cam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gam/thin_plate_basis.h"
#include "olem/error.h"
#include "olem/order_cam.h"
#include "olem/parallel.h"

namespace olem {

using namespace internal;

namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
// Gains this near are equal. A straight line gains as much in one direction as in the other, so that there are true
// ties, which must not be left to rounding.
constexpr double kEqual = 1e-10;
constexpr int kBasisSize = 10;           // of the publication
constexpr double kRowsPerParent = 20.0;  // of the publication's program

void refuse_copies(const Table& table, const Context& context) {
  for (std::size_t a = 0; a < table.columns(); ++a) {
    context.check_interrupt();
    for (std::size_t b = 0; b < a; ++b) {
      if (!is_copy_up_to_scale(table.column(a), table.column(b))) continue;
      throw Error(ErrorCategory::kData,
                  fmt::format("{}Column '{}' is column '{}' up to shift and scale, so either explains the other "
                              "entirely.",
                              table.prefix(), table.name(a), table.name(b)),
                  {{"Leave one of them out", "drop_columns", name_list({&table.name(a), 1})}});
    }
  }
}

}  // namespace

OptionSet describe(CamOptions& options) {
  OptionSet set;
  set.integer("cam_max_parents", options.max_parents, 0, 1000000,
              "parents that a variable may have in CAM's search; 0: one for every 20 rows");
  set.integer("cam_neighbours", options.neighbours, 0, 1000000,
              "candidate parents of each variable in CAM's search, the best by themselves; 0: all");
  return set;
}

std::size_t cam_parent_limit(std::size_t rows, std::size_t columns, const CamOptions& options) {
  const auto by_rows = static_cast<std::size_t>(std::lround(static_cast<double>(rows) / kRowsPerParent));
  const std::size_t asked = options.max_parents > 0 ? static_cast<std::size_t>(options.max_parents) : by_rows;
  return std::clamp<std::size_t>(asked, 1, std::max<std::size_t>(columns, 2) - 1);
}

}  // namespace olem

namespace olem::internal {

CamScores::CamScores(const Table& table, std::size_t most_parents, const Context& context)
    : table_(table), most_parents_(most_parents) {
  std::vector<ThinPlateSpectrum> spectra(table.columns());
  parallel_for(context, 0, table.columns(), 1,
               [&](std::size_t j, std::size_t) { spectra[j] = thin_plate_spectrum(table.column(j), kBasisSize); });
  for (std::size_t parents = 1; parents <= most_parents; ++parents) {
    const int basis_size = affordable_basis_size(table.rows(), parents, kBasisSize);
    if (!designs_.contains(basis_size)) designs_.try_emplace(basis_size, table, spectra, basis_size, context);
  }
}

double CamScores::score(std::size_t child, std::span<const std::size_t> parents, const Context& context) const {
  const AdditiveDesign& design = designs_.at(affordable_basis_size(table_.rows(), parents.size(), kBasisSize));
  const AdditiveFit fit = design.fit(child, parents, SmoothingRule{}, Inference::kNone, context);
  return std::log(static_cast<double>(table_.rows()) - 1.0) - std::log(fit.residual);
}

CamSearch::CamSearch(const CamScores& scores, std::size_t neighbours, const Precedence& knowledge,
                     const Context& context)
    : scores_(scores),
      size_(scores.table().columns()),
      node_scores_(size_),
      gains_(size_ * size_, 0.0),
      parents_(size_),
      reach_(size_) {
  for (std::size_t a = 0; a < size_; ++a) {
    forbid(a, a);
    for (std::size_t b = 0; b < size_; ++b) {
      if (!knowledge.precedes(a, b)) continue;
      reach_.set(a, b);
      forbid(b, a);
    }
  }
  for (std::size_t j = 0; j < size_; ++j) {
    node_scores_[j] = scores_.score(j, {}, context);
    if (!std::isfinite(node_scores_[j])) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The values of column '{}' are too large or too small to be squared. Rescale it.",
                              scores_.table().prefix(), scores_.table().name(j)));
    }
    update_gains_into(j, context);
    context.report_progress(static_cast<double>(j + 1) / static_cast<double>(size_), "single edges");
  }
  if (neighbours > 0) keep_best(neighbours);
}

void CamSearch::forbid(std::size_t from, std::size_t to) { gains_[to * size_ + from] = kImpossible; }

bool CamSearch::allowed(std::size_t from, std::size_t to) const { return gain(from, to) > kImpossible; }

void CamSearch::keep_best(std::size_t neighbours) {
  for (std::size_t to = 0; to < size_; ++to) {
    std::vector<std::size_t> candidates(size_);
    std::iota(candidates.begin(), candidates.end(), std::size_t{0});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::size_t a, std::size_t b) { return gain(a, to) > gain(b, to); });
    for (std::size_t place = neighbours; place < size_; ++place) forbid(candidates[place], to);
  }
}

double CamSearch::score() const { return std::accumulate(node_scores_.begin(), node_scores_.end(), 0.0); }

std::optional<CamSearch::Inclusion> CamSearch::add_best_edge(const Context& context) {
  const double most = *std::max_element(gains_.begin(), gains_.end());
  if (most == kImpossible) return std::nullopt;
  const auto chosen = std::find_if(gains_.begin(), gains_.end(), [&](double gain) { return gain >= most - kEqual; });
  const std::size_t at = static_cast<std::size_t>(chosen - gains_.begin());
  Inclusion best;
  best.edge = {at % size_, at / size_};
  best.gain = *chosen;
  *chosen = kImpossible;
  const double second = *std::max_element(gains_.begin(), gains_.end());
  if (second > kImpossible) best.gap = best.gain - second > kEqual ? best.gain - second : 0.0;
  parents_[best.edge.to].push_back(best.edge.from);
  node_scores_[best.edge.to] += best.gain;
  best.score = score();
  extend_reach(best.edge);
  update_gains_into(best.edge.to, context);
  return best;
}

void CamSearch::extend_reach(Edge edge) {
  BitSet below(size_);
  below.unite(reach_.row(edge.to));
  below.set(edge.to);
  for (std::size_t a = 0; a < size_; ++a) {
    if (a != edge.from && !reach_.test(a, edge.from)) continue;
    reach_.unite_row(a, below);
    for_each(below, [&](std::size_t b) { forbid(b, a); });
  }
}

void CamSearch::update_gains_into(std::size_t child, const Context& context) {
  const bool full = parents_[child].size() >= scores_.most_parents();
  const Context serial = context.serial();
  parallel_for(context, 0, size_, 1, [&](std::size_t from, std::size_t) {
    if (!allowed(from, child)) return;
    if (full) return forbid(from, child);
    std::vector<std::size_t> with = parents_[child];
    with.push_back(from);
    gains_[child * size_ + from] = scores_.score(child, with, serial) - node_scores_[child];
  });
}

}  // namespace olem::internal

namespace olem {

OrderResult learn_order_cam(const Table& table, const CamOptions& options, const Precedence& knowledge,
                            const Context& context) {
  CamOptions checked = options;
  describe(checked).validate();
  const std::size_t d = table.columns();
  OrderResult result;
  if (d < 2) {
    result.order = table.names();
    return result;
  }
  refuse_copies(table, context);
  const std::size_t limit = cam_parent_limit(table.rows(), d, checked);
  context.report_progress(0.0, "spline bases");
  const CamScores scores(table, limit, context);
  CamSearch search(scores, static_cast<std::size_t>(checked.neighbours), knowledge, context);

  const double most_edges = static_cast<double>(std::min(d * (d - 1) / 2, d * limit));
  while (const auto added = search.add_best_edge(context)) {
    result.inclusions.push_back(
        {table.name(added->edge.from), table.name(added->edge.to), added->gain, added->gap, added->score});
    context.check_interrupt();
    context.report_progress(static_cast<double>(result.inclusions.size()) / most_edges, "edges");
  }

  std::vector<Edge> paths;
  for (std::size_t a = 0; a < d; ++a) {
    for_each(search.reach().row(a), [&](std::size_t b) { paths.push_back({a, b}); });
  }
  const std::size_t open_pairs = d * (d - 1) / 2 - paths.size();
  result.order = order_of(Dag(table.names(), paths));
  result.facts = {{"score", search.score()},
                  {"parent_limit", static_cast<double>(limit)},
                  {"open_pairs", static_cast<double>(open_pairs)}};
  result.summary.message = fmt::format("{} edges were added until every other one would have closed a cycle{}.",
                                       result.inclusions.size(), open_pairs > 0 ? " or was not a candidate" : "");
  const auto ties = std::count_if(result.inclusions.begin(), result.inclusions.end(),
                                  [](const EdgeInclusion& edge) { return edge.gap == 0.0; });
  if (ties > 0) {
    result.summary.warnings.push_back(
        {"ties",
         fmt::format(
             "{} of {} edges were added although another one gained exactly as much, as a straight line does in "
             "both directions: the order of the columns decided, not the data.",
             ties, result.inclusions.size(), ties == 1 ? "was" : "were"),
         ""});
  }
  if (open_pairs > 0) {
    result.summary.warnings.push_back(
        {"open_pairs",
         fmt::format(
             "CAM's search left {} of {} pairs of variables without a path between them; they stand in the order "
             "of their columns. At most {} parents were allowed.",
             open_pairs, d * (d - 1) / 2, limit),
         "",
         {{"Give more rows"}, {"Allow more parents", "cam_max_parents"}, {"Try more neighbours", "cam_neighbours"}}});
  }
  return result;
}

}  // namespace olem
