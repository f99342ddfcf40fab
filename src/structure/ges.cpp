#include "olem/ges.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>

#include "graph/knowledge_edges.h"
#include "olem/error.h"
#include "structure/ges_operators.h"

namespace olem {

using namespace internal;

namespace {

// Of n: scores grow with n, and so does their rounding.
constexpr double kTie = 1e-12;

// One phase of the search: the best operator again and again until none gains.
class GesPhase {
 public:
  GesPhase(GesMove move, MixedGraph graph, GaussianScore& score, const GesRules& rules, const Context& context)
      : move_(move),
        graph_(std::move(graph)),
        edges_(graph_),
        score_(score),
        rules_(rules),
        context_(context),
        operators_(graph_.size() * graph_.size()) {
    for (std::size_t x = 0; x < graph_.size(); ++x) {
      for (std::size_t y = 0; y < graph_.size(); ++y) refresh(x, y);
    }
  }

  MixedGraph run(std::vector<GesStep>& steps) {
    double first_gain = 0.0;
    while (const std::optional<GesStep> step = best()) {
      if (first_gain == 0.0) first_gain = step->gain;
      advance(*step);
      context_.log_debug(fmt::format("{} {} - {}, gain {:.6g}", move_ == GesMove::kInsert ? "insert" : "delete",
                                     graph_.name(step->x), graph_.name(step->y), step->gain));
      const double done = 1.0 - std::min(1.0, step->gain / first_gain);
      context_.report_progress(move_ == GesMove::kInsert ? 0.9 * done : 0.9 + 0.1 * done,
                               move_ == GesMove::kInsert ? "inserting edges" : "deleting edges");
      steps.push_back(*step);
    }
    return graph_;
  }

 private:
  // An operator in the queue, the greatest gain first.
  struct Entry {
    double gain;
    std::size_t x, y, rank;  // rank: among the operators of the pair

    bool before(const Entry& other) const {
      return x != other.x ? x < other.x : y != other.y ? y < other.y : rank < other.rank;
    }
    bool operator<(const Entry& other) const { return gain != other.gain ? gain > other.gain : before(other); }
  };

  std::vector<GesStep>& operators(std::size_t x, std::size_t y) { return operators_[x * graph_.size() + y]; }

  // Computes the operators of a pair anew.
  void refresh(std::size_t x, std::size_t y) {
    if (x == y) return;
    std::vector<GesStep>& list = operators(x, y);
    for (std::size_t rank = 0; rank < list.size(); ++rank) queue_.erase({list[rank].gain, x, y, rank});
    const auto compute = move_ == GesMove::kInsert ? insert_operators : delete_operators;
    list = compute(edges_, x, y, score_, rules_, context_);
    for (std::size_t rank = 0; rank < list.size(); ++rank) queue_.insert({list[rank].gain, x, y, rank});
  }

  // What cannot be seen from the neighbourhoods alone, and is asked of few operators: paths and knowledge.
  bool is_valid(const GesStep& step) const {
    if (step.move == GesMove::kInsert && !paths_are_blocked(edges_, step)) return false;
    if (rules_.knowledge.empty()) return true;
    context_.check_interrupt();
    return consistent_extension(apply_operator(graph_, step), rules_.knowledge).has_value();
  }

  // The first in order among the valid operators whose gain equals the greatest.
  std::optional<GesStep> best() {
    const Entry* chosen = nullptr;
    double least = 0.0;
    for (const Entry& entry : queue_) {
      if (chosen != nullptr && entry.gain < least) break;
      if (chosen != nullptr && !entry.before(*chosen)) continue;
      if (!is_valid(operators(entry.x, entry.y)[entry.rank])) continue;
      if (chosen == nullptr) least = entry.gain - rules_.tolerance;
      chosen = &entry;
    }
    if (chosen == nullptr) return std::nullopt;
    return operators(chosen->x, chosen->y)[chosen->rank];
  }

  void advance(const GesStep& step) {
    graph_ = apply_operator(graph_, step);
    const PartialEdges before = std::exchange(edges_, PartialEdges(graph_));
    const auto same = [](BitRow a, BitRow b) { return std::equal(a.begin(), a.end(), b.begin()); };
    for (std::size_t y = 0; y < graph_.size(); ++y) {
      const bool joins_neighbours = edges_.undirected.test(y, step.x) && edges_.undirected.test(y, step.y);
      if (joins_neighbours || !same(before.undirected.row(y), edges_.undirected.row(y)) ||
          !same(before.parents.row(y), edges_.parents.row(y))) {
        for (std::size_t x = 0; x < graph_.size(); ++x) refresh(x, y);
        continue;
      }
      // Only the ends of the edge see other nodes than before.
      if (edges_.adjacent.test(y, step.y) || y == step.y) refresh(step.x, y);
      if (edges_.adjacent.test(y, step.x) || y == step.x) refresh(step.y, y);
    }
  }

  GesMove move_;
  MixedGraph graph_;
  PartialEdges edges_;
  GaussianScore& score_;
  const GesRules& rules_;
  const Context& context_;
  std::vector<std::vector<GesStep>> operators_;  // [x d + y]
  std::set<Entry> queue_;
};

}  // namespace

OptionSet describe(GesOptions& options) {
  OptionSet set;
  set.real("ges_penalty", options.penalty, 0.0, 1e6,
           "what a parent must gain in score, in units of ln n; 0.5 is BIC, more gives fewer edges");
  set.integer("ges_max_parents", options.max_parents, 0, 1000000, "most parents of a variable; 0: any number");
  return set;
}

GesResult learn_ges(const Covariance& covariance, const GesOptions& options, const Precedence& knowledge,
                    const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  GesOptions checked = options;
  describe(checked).validate();
  const std::size_t d = covariance.size();
  context.require_memory(d * d * (sizeof(std::vector<GesStep>) + 2 * sizeof(Mark)), "The table of operators of GES");
  GaussianScore score(covariance, checked.penalty);
  GesRules rules{knowledge};
  if (checked.max_parents > 0) rules.max_parents = static_cast<std::size_t>(checked.max_parents);
  rules.tolerance = kTie * covariance.rows;

  GesResult result;
  result.graph = MixedGraph(covariance.names, GraphKind::kCpdag);
  for (const GesMove move : {GesMove::kInsert, GesMove::kDelete}) {
    result.graph = GesPhase(move, std::move(result.graph), score, rules, context).run(result.steps);
  }
  const std::optional<Dag> member = consistent_extension(result.graph);
  for (std::size_t y = 0; y < d; ++y) result.score += score.local(y, members(member.value().parents(y)));
  orient_by_knowledge(result.graph, knowledge);
  result.scores = score.computed();
  const auto is_insertion = [](const GesStep& step) { return step.move == GesMove::kInsert; };
  const auto insertions =
      static_cast<std::size_t>(std::count_if(result.steps.begin(), result.steps.end(), is_insertion));
  const std::size_t deletions = result.steps.size() - insertions;
  result.summary.message = fmt::format("No further step gained after {} insertion{} and {} deletion{}.", insertions,
                                       insertions == 1 ? "" : "s", deletions, deletions == 1 ? "" : "s");
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

GesResult learn_ges(const Table& table, const GesOptions& options, const Precedence& knowledge,
                    const Context& context) {
  return learn_ges(covariance_of(table, context), options, knowledge, context);
}

}  // namespace olem
