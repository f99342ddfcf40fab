#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "gam/additive_regression.h"
#include "olem/bit_set.h"
#include "olem/context.h"
#include "olem/graph.h"
#include "olem/knowledge.h"
#include "olem/table.h"

namespace olem::internal {

// The scores of CAM: -ln of the variance (divisor n - 1) of what additive regressions leave of a column.
class CamScores {
 public:
  // Makes what regressions on up to `most_parents` columns share. The table must outlive the scores. O(n d^2 K^2) time
  // and 8 n d K bytes for each of the at most nine basis sizes that the number of rows asks for.
  CamScores(const Table& table, std::size_t most_parents, const Context& context);

  // O((pK)^3) for each Newton step of the smoothing. Safe to call from several threads.
  double score(std::size_t child, std::span<const std::size_t> parents, const Context& context) const;

  const Table& table() const { return table_; }
  std::size_t most_parents() const { return most_parents_; }

 private:
  const Table& table_;
  std::size_t most_parents_;
  std::map<int, AdditiveDesign> designs_;  // by basis size
};

// The greedy search for the graph with the highest score.
class CamSearch {
 public:
  struct Inclusion {
    Edge edge;
    double gain = 0.0;
    std::optional<double> gap;  // to the next best edge, where there was another one; 0 for a tie
    double score = 0.0;         // of the graph with this edge
  };

  // Starts without edges and computes the gain of each edge that `knowledge` allows; keeps the best `neighbours` edges
  // into each variable, all of them when 0. `scores` must outlive the search.
  CamSearch(const CamScores& scores, std::size_t neighbours, const Precedence& knowledge, const Context& context);

  // What the edge would add to the score; minus infinity when it cannot be added.
  double gain(std::size_t from, std::size_t to) const { return gains_[to * size_ + from]; }
  double score() const;  // sum over the variables

  // Adds the edge with the greatest gain, of equal ones (to 1e-10) the first one into the first column; nothing when
  // there is none left.
  std::optional<Inclusion> add_best_edge(const Context& context);

  const std::vector<std::vector<std::size_t>>& parents() const { return parents_; }  // of each variable, as added
  // Row i: what stands after i by the edges and by knowledge.
  const BitMatrix& reach() const { return reach_; }

 private:
  void forbid(std::size_t from, std::size_t to);
  bool allowed(std::size_t from, std::size_t to) const;
  void keep_best(std::size_t neighbours);
  void extend_reach(Edge edge);
  void update_gains_into(std::size_t child, const Context& context);

  const CamScores& scores_;
  std::size_t size_;
  std::vector<double> node_scores_;
  std::vector<double> gains_;  // [to][from]
  std::vector<std::vector<std::size_t>> parents_;
  BitMatrix reach_;
};

}  // namespace olem::internal
