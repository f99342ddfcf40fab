#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/prepared_problem.h"
#include "decide/search.h"
#include "olem/random.h"

namespace olem::internal {

// Which values of the variables with a list are worth a search of the others, for one set of altered variables.
class LevelSearch {
 public:
  // Up to so many combinations all are looked at.
  static constexpr double kMostCombinations = 200;

  // Keeps the reference. `brief`: one of many sets of variables, for which fewer points have to do.
  LevelSearch(const PreparedProblem& prepared, const Subset& altered, bool brief);

  double combinations() const { return combinations_; }
  bool looks_at_all() const { return combinations_ <= kMostCombinations; }
  bool has_continuous() const { return has_continuous_; }

  // Of every combination that the constraints permit, or of those that exchanges from several starts led to, the best
  // point that was tried: values of all altered variables, best first. With variables without a list few points and few
  // draws of the search, otherwise twice its draws.
  std::vector<Candidate> screen();

  // Values of the variables with a list in turn changed to cheaper ones while the success stays at `goal`.
  Candidate cheapen(DecisionSearch& search, const Candidate& start, double goal) const;

 private:
  std::vector<double> held(const Candidate& candidate) const;
  void try_point(const std::vector<double>& values);
  void try_combination(const std::vector<double>& at, int random_points);
  void look_at_all();
  void exchange();
  Candidate climb(Candidate best);
  std::vector<double> neighbours(std::size_t place, double value) const;
  double success(std::span<const double> values);

  const PreparedProblem& prepared_;
  Subset altered_;
  bool brief_ = false;
  bool has_continuous_ = false;
  double combinations_ = 1.0;
  std::optional<PostDecisionSampler> sampler_;     // made when it is first needed
  std::map<std::vector<double>, Candidate> best_;  // by the values of the variables with a list
};

// What was looked at, in a sentence.
std::string combinations_sentence(const LevelSearch& levels);

}  // namespace olem::internal
