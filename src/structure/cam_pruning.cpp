#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "gam/additive_regression.h"
#include "gam/smooth_term_test.h"
#include "gam/thin_plate_basis.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/prune.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::array<Choice, 2> kCriteria = {
    {{"gcv", "generalised cross-validation, as in the published method"}, {"reml", "restricted maximum likelihood"}}};

constexpr std::array<Choice, 2> kSearches = {
    {{"global", "the lowest of the minima found from many starts"},
     {"mgcv", "where R's mgcv ends with its defaults, maybe in a worse minimum; to compare with results made in R"}}};

// The candidates of one child that enter its regression, and how.
struct ChildPlan {
  std::size_t child = 0;
  std::vector<std::size_t> parents;
  int basis_size = 0;
};

// The answer for one child, before it is put into its place in the result.
struct ChildAnswer {
  PrunedNode node;
  std::vector<EdgeCandidate> candidates;
};

bool is_constant(std::span<const double> column) {
  return std::all_of(column.begin(), column.end(), [&](double value) { return value == column[0]; });
}

void check_candidates(const Table& table, const std::vector<std::vector<std::size_t>>& candidates) {
  check_same_size("candidates", candidates.size(), "columns of the table", table.columns());
  for (std::size_t child = 0; child < candidates.size(); ++child) {
    std::vector<bool> seen(table.columns(), false);
    for (const std::size_t parent : candidates[child]) {
      if (parent >= table.columns()) {
        throw Error(ErrorCategory::kUsage, fmt::format("candidates[{}]: there is no column {}; the table has {}.",
                                                       child, parent, table.columns()));
      }
      if (parent == child || seen[parent]) {
        throw Error(ErrorCategory::kUsage,
                    fmt::format("candidates[{}]: column '{}' {}.", child, table.name(parent),
                                parent == child ? "cannot be its own parent" : "is listed twice"));
      }
      seen[parent] = true;
    }
  }
}

std::vector<std::vector<std::size_t>> predecessors(const Table& table, const std::vector<std::string>& order) {
  std::vector<std::vector<std::size_t>> candidates(table.columns());
  std::vector<bool> seen(table.columns(), false);
  std::vector<std::size_t> before;
  for (const std::string& name : order) {
    const std::size_t column = table.index(name);
    if (seen[column]) throw Error(ErrorCategory::kData, fmt::format("The order names column '{}' twice.", name));
    seen[column] = true;
    candidates[column] = before;
    before.push_back(column);
  }
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (!seen[j]) {
      throw Error(
          ErrorCategory::kData,
          fmt::format("The order does not name column '{}'. Add it to the order, or leave the column out of the "
                      "table.",
                      table.name(j)));
    }
  }
  return candidates;
}

class Pruner {
 public:
  Pruner(const Table& table, const PruneOptions& options, const Context& context)
      : table_(table), options_(options), context_(context), answers_(table.columns()) {
    for (std::size_t j = 0; j < table.columns(); ++j) constant_.push_back(is_constant(table.column(j)));
  }

  PruneResult run(const std::vector<std::vector<std::size_t>>& candidates) {
    const auto start = std::chrono::steady_clock::now();
    std::map<int, std::vector<ChildPlan>, std::greater<>> plans;  // by basis size: one design serves all its children
    for (std::size_t child = 0; child < candidates.size(); ++child) {
      ChildPlan plan = make_plan(child, candidates[child]);
      if (!plan.parents.empty()) plans[plan.basis_size].push_back(std::move(plan));
    }
    if (!plans.empty()) {
      context_.report_progress(0.0, "spline bases");
      std::vector<ThinPlateSpectrum> spectra(table_.columns());
      parallel_for(context_, 0, table_.columns(), 1, [&](std::size_t j, std::size_t) {
        spectra[j] = thin_plate_spectrum(table_.column(j), options_.basis_size);
      });
      for (auto& [basis_size, children] : plans) prune_children(spectra, basis_size, children);
    }
    PruneResult result = collect();
    result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  // Sorts out what a regression cannot answer, and leaves the verdict on it in the child's answer.
  ChildPlan make_plan(std::size_t child, const std::vector<std::size_t>& candidates) {
    ChildPlan plan;
    plan.child = child;
    ChildAnswer& answer = answers_[child];
    for (const std::size_t parent : candidates) {
      EdgeCandidate candidate;
      candidate.from = parent;
      candidate.to = child;
      answer.candidates.push_back(candidate);
    }
    if (constant_[child] && !candidates.empty()) {
      answer.node.note = fmt::format("Column '{}' is constant, so it has no parents.", table_.name(child));
      for (EdgeCandidate& candidate : answer.candidates) candidate.note = "the child is constant";
      return plan;
    }
    for (EdgeCandidate& candidate : answer.candidates) {
      if (constant_[candidate.from]) {
        candidate.note = "constant";
        continue;
      }
      const auto original = std::find_if(plan.parents.begin(), plan.parents.end(),
                                         [&](std::size_t earlier) { return is_copy(earlier, candidate.from); });
      if (original != plan.parents.end()) {
        candidate.note = fmt::format("a copy of '{}'", table_.name(*original));
        continue;
      }
      plan.parents.push_back(candidate.from);
    }
    plan.basis_size = affordable_basis_size(table_.rows(), plan.parents.size(), options_.basis_size);
    if (plan.parents.empty()) return plan;
    if (table_.rows() <= plan.parents.size() + 2) {
      answer.node.note = fmt::format(
          "{} rows are too few to test the {} candidate parents of '{}'; all of them were kept. Give more rows or "
          "fewer "
          "candidates.",
          table_.rows(), plan.parents.size(), table_.name(child));
      for (EdgeCandidate& candidate : answer.candidates) {
        if (!candidate.note.empty()) continue;
        candidate.p_value = std::numeric_limits<double>::quiet_NaN();
        candidate.kept = true;
        candidate.note = "not tested: too few rows";
      }
      plan.parents.clear();
    } else if (plan.basis_size < 3) {
      answer.node.note = fmt::format(
          "{} rows are too few for smooth functions of {} candidate parents of '{}': straight lines were tested "
          "instead.",
          table_.rows(), plan.parents.size(), table_.name(child));
    }
    return plan;
  }

  bool is_copy(std::size_t a, std::size_t b) {
    // A correlation costs O(n) and the same pairs come up for every child.
    const auto [found, is_new] = copies_.try_emplace({std::min(a, b), std::max(a, b)}, false);
    if (is_new) found->second = is_copy_up_to_scale(table_.column(a), table_.column(b));
    return found->second;
  }

  void prune_children(const std::vector<ThinPlateSpectrum>& spectra, int basis_size, std::vector<ChildPlan>& children) {
    const AdditiveDesign design(table_, spectra, basis_size, context_);
    // The work grows with the cube of the number of parents: the longest first, so that no thread is left with it.
    std::stable_sort(children.begin(), children.end(),
                     [](const ChildPlan& a, const ChildPlan& b) { return a.parents.size() > b.parents.size(); });
    context_.report_progress(0.1, "additive regressions");
    parallel_for(context_, 0, children.size(), 1,
                 [&](std::size_t i, std::size_t) { prune_child(design, children[i]); });
  }

  void prune_child(const AdditiveDesign& design, const ChildPlan& plan) {
    const AdditiveFit fit = design.fit(plan.child, plan.parents, {options_.criterion, options_.smoothing_search},
                                       Inference::kCovariance, context_.serial());
    ChildAnswer& answer = answers_[plan.child];
    answer.node.basis_size = plan.basis_size;
    answer.node.sigma2 = fit.sigma2;
    answer.node.edf = fit.edf;
    answer.node.score = fit.score;
    answer.node.iterations = fit.iterations;
    answer.node.converged = fit.converged;
    auto term = fit.terms.begin();
    for (EdgeCandidate& candidate : answer.candidates) {
      if (term == fit.terms.end() || term->column != candidate.from) continue;
      const double residual_df = static_cast<double>(table_.rows()) - fit.edf;
      const SmoothTermTest test =
          smooth_term_test(term->coefficients, term->covariance, term->reference_df, residual_df);
      candidate.p_value = test.p_value;
      candidate.edf = term->edf;
      candidate.reference_df = test.reference_df;
      candidate.statistic = test.reference_df > 0.0 ? test.statistic / test.reference_df : 0.0;
      candidate.kept = candidate.p_value < options_.cutoff;
      if (term->line_dependent) candidate.note = "its straight line is a combination of earlier candidates";
      ++term;
    }
  }

  PruneResult collect() {
    PruneResult result;
    result.names = table_.names();
    std::vector<std::string> stuck;
    for (std::size_t child = 0; child < answers_.size(); ++child) {
      ChildAnswer& answer = answers_[child];
      for (const EdgeCandidate& candidate : answer.candidates) {
        if (candidate.kept) answer.node.parents.push_back(candidate.from);
      }
      if (!answer.node.note.empty()) {
        result.summary.warnings.push_back({"pruning", answer.node.note, table_.name(child)});
      }
      for (const EdgeCandidate& candidate : answer.candidates) {
        if (candidate.note.rfind("a copy", 0) == 0 || candidate.note.rfind("its straight", 0) == 0) {
          result.summary.warnings.push_back(
              {"dependent",
               fmt::format("Candidate parent '{}' of '{}': {}.", table_.name(candidate.from), table_.name(child),
                           candidate.note),
               table_.name(candidate.from)});
        }
      }
      if (!answer.node.converged) stuck.push_back(table_.name(child));
      result.candidates.insert(result.candidates.end(), answer.candidates.begin(), answer.candidates.end());
      result.nodes.push_back(std::move(answer.node));
    }
    result.summary.message = fmt::format("{} of {} candidate edges were kept at cutoff {}.", result.edges().size(),
                                         result.candidates.size(), options_.cutoff);
    if (!stuck.empty()) {
      result.summary.status = Status::kNotConverged;
      result.summary.warnings.push_back(
          {"not_converged",
           fmt::format("The smoothing parameters of {} did not converge; treat p-values near the cutoff with care.",
                       fmt::join(stuck, ", ")),
           stuck.front()});
    }
    return result;
  }

  const Table& table_;
  const PruneOptions& options_;
  const Context& context_;
  std::vector<bool> constant_;
  std::map<std::pair<std::size_t, std::size_t>, bool> copies_;
  std::vector<ChildAnswer> answers_;
};

}  // namespace

OptionSet describe(PruneOptions& options) {
  OptionSet set;
  set.real("cutoff", options.cutoff, 0.0, 1.0, "keep a parent whose p-value is strictly below this");
  set.choice("criterion", options.criterion, kCriteria, "how the smoothness of each function is chosen");
  OptionSet search;
  search.choice("smoothing_search", options.smoothing_search, kSearches, "which minimum of gcv is taken");
  Option option = search.options().front();
  // Here, so that nobody learns an order first.
  option.validate = [&options, is_choice = option.validate] {
    is_choice();
    if (options.smoothing_search == SmoothingSearch::kMgcv && options.criterion != SmoothingCriterion::kGcv) {
      throw Error::of_option(
          "smoothing_search", "'mgcv' does not go with the criterion reml, since mgcv's defaults choose by gcv.",
          {{"Choose the smoothness by gcv", "criterion", "gcv"}, {"Take another search", "smoothing_search"}});
    }
  };
  set.add(std::move(option));
  set.integer("basis_size", options.basis_size, 3, 50, "basis functions of each smooth term");
  return set;
}

std::vector<std::pair<std::size_t, std::size_t>> PruneResult::edges() const {
  std::vector<std::pair<std::size_t, std::size_t>> kept;
  for (const EdgeCandidate& candidate : candidates) {
    if (candidate.kept) kept.emplace_back(candidate.from, candidate.to);
  }
  return kept;
}

PruneResult prune(const Table& table, const std::vector<std::vector<std::size_t>>& candidates,
                  const PruneOptions& options, const Context& context) {
  PruneOptions checked = options;
  describe(checked).validate();
  check_candidates(table, candidates);
  return Pruner(table, checked, context).run(candidates);
}

PruneResult prune(const Table& table, const std::vector<std::string>& order, const PruneOptions& options,
                  const Context& context) {
  return prune(table, predecessors(table, order), options, context);
}

}  // namespace olem
