#include "core/integer_programme.h"

#include <CbcEventHandler.hpp>
#include <CbcHeuristic.hpp>
#include <CbcModel.hpp>
#include <CglGomory.hpp>
#include <CglMixedIntegerRounding2.hpp>
#include <CglProbing.hpp>
#include <CoinError.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <cmath>

#include "olem/error.h"

namespace olem::internal {

namespace {

// Ends the search between two nodes. Nothing may be thrown through Cbc.
class StopHandler final : public CbcEventHandler {
 public:
  explicit StopHandler(const Context& context) : context_(&context) {}
  CbcEventHandler* clone() const override { return new StopHandler(*this); }
  CbcAction event(CbcEvent /*what*/) override { return context_->should_stop() ? stop : noAction; }

 private:
  const Context* context_;
};

void check_statement(const IntegerProgramme& programme) {
  for (const std::size_t j : programme.whole) {
    if (j >= programme.linear.size() || !std::isfinite(programme.linear.lower[j]) ||
        !std::isfinite(programme.linear.upper[j])) {
      throw Error(ErrorCategory::kInternal,
                  "An integer programme was stated wrongly: a whole number does not exist or has no bounds.");
    }
  }
}

void load(OsiClpSolverInterface& solver, const IntegerProgramme& programme) {
  const LinearProgramme& linear = programme.linear;
  const std::vector<CoinBigIndex> starts(linear.row_start.begin(), linear.row_start.end());
  const std::vector<int> columns(linear.columns.begin(), linear.columns.end());
  std::vector<int> lengths(linear.rows());
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = starts[i + 1] - starts[i];
  const CoinPackedMatrix matrix(false, static_cast<int>(linear.size()), static_cast<int>(linear.rows()),
                                static_cast<CoinBigIndex>(linear.values.size()), linear.values.data(), columns.data(),
                                starts.data(), lengths.data());
  solver.loadProblem(matrix, linear.lower.data(), linear.upper.data(), linear.cost.data(), linear.row_lower.data(),
                     linear.row_upper.data());
  for (const std::size_t j : programme.whole) solver.setInteger(static_cast<int>(j));
}

// What Cbc says, not yet tested.
IntegerSolution run_branch_and_cut(const IntegerProgramme& programme, const IntegerOptions& options,
                                   const Context& context) {
  IntegerSolution solution;
  try {
    OsiClpSolverInterface solver;
    solver.messageHandler()->setLogLevel(0);
    solver.getModelPtr()->setLogLevel(0);
    load(solver, programme);
    CbcModel model(solver);
    model.setLogLevel(0);
    model.solver()->messageHandler()->setLogLevel(0);
    const StopHandler stop(context);
    model.passInEventHandler(&stop);
    CglProbing probing;
    CglGomory gomory;
    CglMixedIntegerRounding2 rounding;
    // Every tenth node and the root: on programmes like ours cuts seldom pay deep in the tree.
    model.addCutGenerator(&probing, -10, "probing");
    model.addCutGenerator(&gomory, -10, "gomory");
    model.addCutGenerator(&rounding, -10, "rounding");
    CbcRounding heuristic(model);
    model.addHeuristic(&heuristic);
    model.setMaximumNodes(options.nodes);
    model.setMaximumSeconds(options.seconds);
    if (options.cutoff < 1e29) model.setCutoff(options.cutoff);
    model.branchAndBound();
    context.check_interrupt();
    solution.nodes = model.getNodeCount();
    solution.bound = model.getBestPossibleObjValue();
    const double* const x = model.bestSolution();
    if (x != nullptr) {
      solution.x.assign(x, x + programme.linear.size());
      solution.status = model.isProvenOptimal() ? IntegerStatus::kOptimal : IntegerStatus::kFeasible;
    } else if (model.isProvenInfeasible()) {
      solution.status = IntegerStatus::kInfeasible;
    } else {
      solution.message = "a limit was reached before any answer";
    }
  } catch (const CoinError& error) {
    solution = {};
    solution.message = error.message();
  }
  return solution;
}

}  // namespace

IntegerSolution solve_integer_programme(const IntegerProgramme& programme, const IntegerOptions& options,
                                        const Context& context) {
  check_statement(programme);
  context.check_interrupt();
  IntegerSolution solution = run_branch_and_cut(programme, options, context);
  if (solution.x.empty()) return solution;
  LinearProgramme fixed = programme.linear;
  for (const std::size_t j : programme.whole) fixed.lower[j] = fixed.upper[j] = std::round(solution.x[j]);
  const LinearSolution tested = solve_linear_programme(fixed, {}, context);
  if (tested.status != LinearStatus::kOptimal) {
    IntegerSolution failed;
    failed.nodes = solution.nodes;
    failed.bound = solution.bound;
    failed.message = "the solver's answer did not stand the test";
    return failed;
  }
  solution.x = tested.x;
  solution.value = tested.value;
  solution.bound = std::min(solution.bound, solution.value);
  return solution;
}

}  // namespace olem::internal
