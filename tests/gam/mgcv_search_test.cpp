#include "gam/mgcv_search.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <vector>

#include "gam/additive_models.h"
#include "gam/additive_regression.h"
#include "support/datasets.h"

namespace olem::mgcv_search_test {

using namespace internal;
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The regression of one column on all before it.
struct Regression {
  SmoothingProblem problem;
  VectorXd start;
};

Regression regression(const Table& table, std::size_t child) {
  std::vector<ThinPlateSpectrum> spectra;
  std::vector<std::size_t> parents;
  std::vector<const SmoothBasis*> terms;
  for (std::size_t j = 0; j < table.columns(); ++j) spectra.push_back(thin_plate_spectrum(table.column(j), 10));
  const AdditiveDesign design(table, spectra, 10, Context{});
  for (std::size_t j = 0; j < child; ++j) {
    parents.push_back(j);
    terms.push_back(&design.basis(j));
  }
  return {design.problem(child, parents), mgcv_start(terms)};
}

double gcv(const SmoothingProblem& problem, const VectorXd& rho) {
  return smoothing_score(problem, SmoothingCriterion::kGcv, rho, Derivatives::kNone).value;
}

// Degrees of freedom of each term at the start, from mgcv 1.8.41:
// G <- gam(formula, fit = FALSE); summary(gam(formula, sp = mgcv:::initial.sp(G$X, G$S, G$off)))
TEST(MgcvSearch, StartsWhereMgcvDoes) {
  struct Start {
    std::size_t model;
    std::size_t child;
    std::vector<double> edf;
  };
  const Start starts[] = {{0, 4, {3.22149, 3.43606, 3.68078, 3.04587}},
                          {1, 1, {2.79730}},
                          {7, 7, {2.66638, 2.65875, 2.71239, 3.04455, 2.87464, 2.89936, 2.76719}}};
  for (const Start& start : starts) {
    const Regression at = regression(test::additive_model(start.model), start.child);
    MatrixXd system = at.problem.gram;
    for (std::size_t k = 0; k < start.edf.size(); ++k) {
      const PenaltyBlock& block = at.problem.blocks[k];
      system.diagonal().segment(block.begin, block.size) +=
          std::exp(at.start[static_cast<Index>(k)]) * at.problem.roughness.segment(block.begin, block.size);
    }
    const MatrixXd influence = system.ldlt().solve(at.problem.gram);
    for (std::size_t k = 0; k < start.edf.size(); ++k) {
      const PenaltyBlock& block = at.problem.blocks[k];
      EXPECT_NEAR(1.0 + influence.diagonal().segment(block.begin, block.size).sum(), start.edf[k], 2e-5);
    }
  }
}

TEST(MgcvSearch, EndsInAMinimumNoLowerThanTheGlobalSearch) {
  std::size_t worse = 0;
  for (std::size_t model = 0; model < test::kAdditiveModels; ++model) {
    const Table table = test::additive_model(model);
    const Regression at = regression(table, table.columns() - 1);
    const SmoothingSelection found = select_smoothing_like_mgcv(at.problem, at.start, 600.0, Context{});
    const SmoothingSelection best = select_smoothing(at.problem, SmoothingCriterion::kGcv, Context{});
    EXPECT_TRUE(found.converged);
    EXPECT_LT(found.score.value, gcv(at.problem, at.start));
    EXPECT_GE(found.score.value, best.score.value - 1e-8);
    EXPECT_LT(found.score.gradient.norm(), 1e-3);  // mgcv is content with 1e-2
    if (found.score.value > best.score.value + 1e-6) ++worse;
  }
  EXPECT_GT(worse, 0U);  // or the two searches need not be told apart
}

TEST(MgcvSearch, OneTermIsFoundByBothSearches) {
  const Table table = test::ka5();
  const Regression at = regression(table, 1);
  const SmoothingSelection found = select_smoothing_like_mgcv(at.problem, at.start, 400.0, Context{});
  const SmoothingSelection best = select_smoothing(at.problem, SmoothingCriterion::kGcv, Context{});
  EXPECT_NEAR(found.rho[0], best.rho[0], 1e-3);
  EXPECT_NEAR(found.score.edf, best.score.edf, 1e-3);
}

TEST(MgcvSearch, ToleratesUnitsWhoseSquaresDoNotFitIntoADouble) {
  const Table table = test::ka5();
  const Regression at = regression(table, 4);
  const double infinite = std::numeric_limits<double>::infinity();
  const SmoothingSelection large = select_smoothing_like_mgcv(at.problem, at.start, infinite, Context{});
  const SmoothingSelection plain = select_smoothing_like_mgcv(at.problem, at.start, 1e6, Context{});
  EXPECT_TRUE(large.converged);
  EXPECT_NEAR(large.score.value, plain.score.value, 1e-6);
  EXPECT_TRUE(select_smoothing_like_mgcv(at.problem, at.start, 0.0, Context{}).converged);
}

}  // namespace
}  // namespace olem::mgcv_search_test
