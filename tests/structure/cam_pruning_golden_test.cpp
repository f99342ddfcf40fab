#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gam/additive_models.h"
#include "graph/csv_rows.h"
#include "olem/prune.h"

namespace olem::cam_pruning_golden_test {

using namespace internal;
namespace {

// One candidate edge in mgcv and here; tests/golden/README.md tells how the table was made.
struct Comparison {
  std::size_t model = 0;
  std::string child;
  std::string parent;
  double gcv = 0.0;
  double edf = 0.0;
  double p_value = 0.0;
  double default_gcv = 0.0;
  double default_p_value = 0.0;
  EdgeCandidate ours;
  double our_gcv = 0.0;

  std::string text() const {
    return fmt::format(
        "model {} {} -> {}: p {:.6g} (mgcv {:.6g}, default {:.6g}), edf {:.4f} ({:.4f}), GCV {:.7g} ({:.7g})\n", model,
        parent, child, ours.p_value, p_value, default_p_value, ours.edf, edf, our_gcv, gcv);
  }
};

bool within_tolerance(double ours, double reference) {
  return std::abs(ours - reference) <= 0.02 * reference + 2e-5;  // 2e-5: mgcv's own tolerance
}

std::vector<Comparison> compare_with_mgcv(const PruneOptions& options) {
  const auto rows = test::csv_rows("tests/golden/cam_pruning.csv");
  std::vector<Table> tables;
  std::vector<PruneResult> results;
  for (std::size_t model = 0; model < test::kAdditiveModels; ++model) {
    tables.push_back(test::additive_model(model));
    results.push_back(prune(tables.back(), tables.back().names(), options, Context{}));
  }
  std::vector<Comparison> comparisons;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    Comparison comparison;
    comparison.model = std::stoul(rows[i][0]);
    comparison.child = rows[i][1];
    comparison.parent = rows[i][2];
    comparison.gcv = std::stod(rows[i][3]);
    comparison.edf = std::stod(rows[i][4]);
    comparison.p_value = std::stod(rows[i][6]);
    comparison.default_gcv = std::stod(rows[i][7]);
    comparison.default_p_value = std::stod(rows[i][9]);
    const Table& table = tables[comparison.model];
    const PruneResult& result = results[comparison.model];
    const std::size_t child = table.index(comparison.child);
    for (const EdgeCandidate& candidate : result.candidates) {
      if (candidate.to == child && candidate.from == table.index(comparison.parent)) comparison.ours = candidate;
    }
    comparison.our_gcv = result.nodes[child].score;
    comparisons.push_back(comparison);
  }
  return comparisons;
}

class CamPruningGolden : public testing::Test {
 protected:
  static const std::vector<Comparison>& comparisons() {
    static const std::vector<Comparison> kComparisons = compare_with_mgcv(PruneOptions{});
    return kComparisons;
  }
};

TEST_F(CamPruningGolden, TheDataAreThoseThatMgcvSaw) {
  const auto rows = test::csv_rows("tests/golden/cam_pruning_checksums.csv");
  ASSERT_EQ(rows.size(), test::kAdditiveModels + 1);
  for (std::size_t model = 0; model < test::kAdditiveModels; ++model) {
    EXPECT_NEAR(test::checksum(test::additive_model(model)), std::stod(rows[model + 1][1]), 1e-6);
  }
  EXPECT_EQ(comparisons().size(), 28 * test::kAdditiveModels);
}

TEST_F(CamPruningGolden, NoFitOfMgcvHasALowerGcv) {
  for (const Comparison& comparison : comparisons()) {
    EXPECT_LE(comparison.our_gcv, comparison.gcv * (1.0 + 1e-7)) << comparison.text();
  }
}

TEST_F(CamPruningGolden, DecisionsAgree) {
  std::size_t different = 0;
  std::size_t different_from_default = 0;
  std::string exceptions;
  for (const Comparison& comparison : comparisons()) {
    const bool differs = comparison.ours.kept != (comparison.p_value < 0.001);
    const bool differs_from_default = comparison.ours.kept != (comparison.default_p_value < 0.001);
    different += differs ? 1U : 0U;
    different_from_default += differs_from_default ? 1U : 0U;
    if (differs || differs_from_default) exceptions += comparison.text();
  }
  const double allowed = 0.01 * static_cast<double>(comparisons().size());
  EXPECT_LE(static_cast<double>(different), allowed) << exceptions;
  EXPECT_LE(static_cast<double>(different_from_default), allowed) << exceptions;
  RecordProperty("exceptions", exceptions);
}

TEST_F(CamPruningGolden, PValuesAgree) {
  std::size_t outside = 0;
  std::string exceptions;
  for (const Comparison& comparison : comparisons()) {
    if (within_tolerance(comparison.ours.p_value, comparison.p_value)) continue;
    ++outside;
    exceptions += comparison.text();
  }
  EXPECT_LE(static_cast<double>(outside), 0.02 * static_cast<double>(comparisons().size())) << exceptions;
  RecordProperty("exceptions", exceptions);
}

// With all defaults mgcv often stops in another local minimum, or loses digits; where it does neither, it agrees.
TEST_F(CamPruningGolden, PValuesAgreeWithTheDefaultsWhereTheyFindTheSameMinimum) {
  std::size_t same_minimum = 0;
  for (const Comparison& comparison : comparisons()) {
    if (std::abs(comparison.our_gcv / comparison.default_gcv - 1.0) > 1e-6) continue;
    ++same_minimum;
    EXPECT_TRUE(within_tolerance(comparison.ours.p_value, comparison.default_p_value)) << comparison.text();
  }
  EXPECT_GE(same_minimum, 350U);
}

// The exceptions are regressions in which mgcv loses digits at the end: its smoothing parameters are these.
TEST_F(CamPruningGolden, TheSearchOfMgcvAgreesWithItsDefaults) {
  PruneOptions options;
  options.smoothing_search = SmoothingSearch::kMgcv;
  std::size_t different = 0;
  std::size_t outside = 0;
  std::string exceptions;
  for (const Comparison& comparison : compare_with_mgcv(options)) {
    const bool differs = comparison.ours.kept != (comparison.default_p_value < 0.001);
    const bool is_outside = !within_tolerance(comparison.ours.p_value, comparison.default_p_value);
    different += differs ? 1U : 0U;
    outside += is_outside ? 1U : 0U;
    if (differs || is_outside) exceptions += comparison.text();
  }
  EXPECT_LE(static_cast<double>(different), 0.01 * static_cast<double>(comparisons().size())) << exceptions;
  EXPECT_LE(static_cast<double>(outside), 0.05 * static_cast<double>(comparisons().size())) << exceptions;
  RecordProperty("exceptions", exceptions);
}

}  // namespace
}  // namespace olem::cam_pruning_golden_test
