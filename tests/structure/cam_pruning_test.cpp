#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gam/additive_models.h"
#include "graph/csv_rows.h"
#include "olem/error.h"
#include "olem/prune.h"
#include "olem/random.h"
#include "support/datasets.h"

namespace olem::cam_pruning_test {

using namespace internal;
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
using Lists = std::vector<std::vector<std::size_t>>;  // candidates by child

PruneResult prune_in_column_order(const Table& table, const PruneOptions& options = {}) {
  return prune(table, table.names(), options, Context{});
}

const EdgeCandidate& candidate(const PruneResult& result, const std::string& from, const std::string& to) {
  for (const EdgeCandidate& edge : result.candidates) {
    if (result.names[edge.from] == from && result.names[edge.to] == to) return edge;
  }
  throw std::runtime_error("no candidate " + from + " -> " + to);
}

Table table_of(std::vector<std::vector<double>> columns) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const std::vector<double>& column : columns) {
    names.push_back("x" + std::to_string(names.size()));
    values.insert(values.end(), column.begin(), column.end());
  }
  return {names, values, "test"};
}

std::vector<double> normal_column(std::size_t n, std::uint64_t index) {
  RandomStream random(7, "column", index);
  std::vector<double> values(n);
  for (double& value : values) value = random.normal();
  return values;
}

// mgcv 1.8, gam(y ~ s(...), all defaults), on KA5 in the order 0 1 2 3 4.
TEST(CamPruning, Ka5AsMgcv) {
  const PruneResult result = prune_in_column_order(test::ka5());
  EXPECT_EQ(result.edges(), (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
  EXPECT_EQ(result.summary.status, Status::kDone);

  const double score[] = {0, 0.90344095, 1.0053733, 1.1256275, 1.1151276};
  const double sigma2[] = {0, 0.8902836, 0.98337866, 1.1143712, 1.0911552};
  const double edf[] = {0, 5.8254403, 8.7508274, 4.0, 8.599007};
  for (std::size_t child = 1; child < 5; ++child) {
    SCOPED_TRACE(child);
    EXPECT_TRUE(result.nodes[child].converged);
    EXPECT_NEAR(result.nodes[child].score, score[child], 1e-7);
    EXPECT_NEAR(result.nodes[child].sigma2, sigma2[child], 1e-6);
    EXPECT_NEAR(result.nodes[child].edf, edf[child], 1e-5);
  }

  const struct {
    const char* from;
    const char* to;
    double edf;
    double reference_df;
    double p_value;
  } terms[] = {{"x0", "x1", 4.82544, 5.99371, 0},
               {"x0", "x2", 6.75083, 7.90258, 0},
               {"x1", "x2", 1, 1, 0.081979},
               {"x0", "x3", 1, 1, 0.541623},
               {"x1", "x3", 1, 1, 0},
               {"x2", "x3", 1, 1, 0},
               {"x0", "x4", 1, 1, 0.984977},
               {"x1", "x4", 1, 1, 0.562086},
               {"x2", "x4", 1, 1, 0.962361},
               {"x3", "x4", 4.59901, 5.69861, 0}};
  for (const auto& term : terms) {
    SCOPED_TRACE(std::string(term.from) + " -> " + term.to);
    const EdgeCandidate& edge = candidate(result, term.from, term.to);
    EXPECT_NEAR(edge.edf, term.edf, 1e-5);
    EXPECT_NEAR(edge.reference_df, term.reference_df, 1e-5);
    EXPECT_NEAR(edge.p_value, term.p_value, 2e-6);
  }
  EXPECT_NEAR(candidate(result, "x0", "x3").statistic, 0.37318599, 1e-7);
}

// mgcv 1.8.41, gam(y ~ s(...), method = "REML"); it stops a little before the straight lines are straight.
TEST(CamPruning, Ka5AsMgcvWithReml) {
  PruneOptions options;
  options.criterion = SmoothingCriterion::kReml;
  const PruneResult result = prune_in_column_order(test::ka5(), options);
  EXPECT_EQ(result.edges(), (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
  const double score[] = {0, 549.66724, 578.32349, 594.88772, 597.04045};
  const double sigma2[] = {0, 0.89956865, 0.98251891, 1.1143726, 1.0896855};
  for (std::size_t child = 1; child < 5; ++child) {
    SCOPED_TRACE(child);
    EXPECT_NEAR(result.nodes[child].score, score[child], 1e-3);
    EXPECT_NEAR(result.nodes[child].sigma2, sigma2[child], 1e-5);
  }
  EXPECT_NEAR(candidate(result, "x0", "x2").edf, 7.37281, 1e-4);
  EXPECT_NEAR(candidate(result, "x3", "x4").edf, 5.42825, 1e-4);
  EXPECT_NEAR(candidate(result, "x1", "x2").p_value, 0.07588, 5e-4);
}

TEST(CamPruning, TheSearchOfMgcvIsKnownForGcvAlone) {
  PruneOptions options;
  options.smoothing_search = SmoothingSearch::kMgcv;
  EXPECT_EQ(prune_in_column_order(test::ka5(), options).edges(), (Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}));
  options.criterion = SmoothingCriterion::kReml;
  EXPECT_THROW(prune_in_column_order(test::ka5(), options), Error);
}

TEST(CamPruning, SachsKeepsTenEdgesAndShowsTheOneOnTheCutoff) {
  const PruneResult result = prune(test::sachs(), test::sachs_olem_order(), PruneOptions{}, Context{});
  const Edges kept = result.edges();
  const std::set<std::pair<std::size_t, std::size_t>> edges(kept.begin(), kept.end());
  EXPECT_EQ(edges, (std::set<std::pair<std::size_t, std::size_t>>{
                       {1, 0}, {2, 3}, {2, 4}, {4, 3}, {5, 6}, {5, 7}, {6, 7}, {8, 9}, {8, 10}, {9, 10}}));
  EXPECT_EQ(result.candidates.size(), 55U);
  EXPECT_NEAR(candidate(result, "Jnk", "PIP3").p_value, 0.00109, 5e-6);
  EXPECT_FALSE(candidate(result, "Jnk", "PIP3").kept);
  for (const PrunedNode& node : result.nodes) EXPECT_TRUE(node.converged);
}

TEST(CamPruning, PValuesDoNotDependOnUnits) {
  const Table table = test::ka5();
  std::vector<double> values(table.values().begin(), table.values().end());
  const double scale[] = {1e6, 3e-7, 17.0, 1e-3, 250.0};
  const double shift[] = {-4e7, 1e-6, 1000.0, 0.0, 3.0};
  for (std::size_t j = 0; j < 5; ++j) {
    for (std::size_t i = 0; i < 400; ++i) values[j * 400 + i] = scale[j] * values[j * 400 + i] + shift[j];
  }
  for (const SmoothingCriterion criterion : {SmoothingCriterion::kGcv, SmoothingCriterion::kReml}) {
    PruneOptions options;
    options.criterion = criterion;
    const PruneResult plain = prune_in_column_order(table, options);
    const PruneResult other = prune_in_column_order(Table(table.names(), values, "rescaled"), options);
    for (std::size_t e = 0; e < plain.candidates.size(); ++e) {
      EXPECT_NEAR(plain.candidates[e].p_value, other.candidates[e].p_value, 1e-6);
      EXPECT_NEAR(plain.candidates[e].edf, other.candidates[e].edf, 1e-5);
    }
    for (std::size_t j = 1; j < 5; ++j) {
      EXPECT_NEAR(other.nodes[j].sigma2 / (scale[j] * scale[j]), plain.nodes[j].sigma2, 1e-6);
    }
  }
}

TEST(CamPruning, SameBitsWithAnyNumberOfThreads) {
  const Table table = test::additive_model(10);
  Context one;
  one.threads = 1;
  Context three;
  three.threads = 3;
  const PruneResult a = prune(table, table.names(), PruneOptions{}, one);
  const PruneResult b = prune(table, table.names(), PruneOptions{}, three);
  ASSERT_EQ(a.candidates.size(), b.candidates.size());
  for (std::size_t e = 0; e < a.candidates.size(); ++e) {
    EXPECT_EQ(a.candidates[e].p_value, b.candidates[e].p_value);
    EXPECT_EQ(a.candidates[e].edf, b.candidates[e].edf);
    EXPECT_EQ(a.candidates[e].statistic, b.candidates[e].statistic);
  }
}

// Which parents are tested together decides; in which order they are listed does not.
TEST(CamPruning, CandidateListsInAnyOrderGiveTheSameTests) {
  const Table table = test::ka5();
  const PruneResult a = prune(table, Lists{{}, {}, {}, {}, {0, 1, 2, 3}}, PruneOptions{}, Context{});
  const PruneResult b = prune(table, Lists{{}, {}, {}, {}, {3, 1, 0, 2}}, PruneOptions{}, Context{});
  ASSERT_EQ(b.candidates.size(), 4U);
  EXPECT_EQ(b.candidates[0].from, 3U);
  for (const EdgeCandidate& edge : a.candidates) {
    EXPECT_NEAR(edge.p_value, candidate(b, a.names[edge.from], "x4").p_value, 1e-6);
  }
  EXPECT_EQ(a.edges(), (Edges{{3, 4}}));
}

TEST(CamPruning, FindsASymmetricEffectThatACorrelationMisses) {
  std::vector<double> x = normal_column(300, 0);
  std::vector<double> y = normal_column(300, 1);
  for (std::size_t i = 0; i < 300; ++i) y[i] += x[i] * x[i];
  const PruneResult result = prune_in_column_order(table_of({x, y}));
  EXPECT_LT(result.candidates[0].p_value, 1e-10);
  EXPECT_GT(result.candidates[0].edf, 1.5);
}

TEST(CamPruning, CutoffIsStrict) {
  const Table table = test::ka5();
  PruneOptions options;
  options.cutoff = candidate(prune_in_column_order(table), "x1", "x2").p_value;
  EXPECT_FALSE(candidate(prune_in_column_order(table, options), "x1", "x2").kept);
  options.cutoff = std::nextafter(options.cutoff, 1.0);
  EXPECT_TRUE(candidate(prune_in_column_order(table, options), "x1", "x2").kept);
}

TEST(CamPruning, ConstantChildHasNoParentsAndConstantCandidateIsLeftOut) {
  const std::vector<double> x = normal_column(100, 0);
  std::vector<double> y = normal_column(100, 1);
  for (std::size_t i = 0; i < 100; ++i) y[i] += 2.0 * x[i];
  const PruneResult result = prune_in_column_order(table_of({x, std::vector<double>(100, 4.0), y}));
  EXPECT_EQ(result.edges(), (Edges{{0, 2}}));
  EXPECT_NE(result.nodes[1].note.find("constant"), std::string::npos);
  EXPECT_EQ(candidate(result, "x1", "x2").p_value, 1.0);
  EXPECT_EQ(candidate(result, "x1", "x2").note, "constant");
}

TEST(CamPruning, CopyOfACandidateIsLeftOutAndNamed) {
  const std::vector<double> x = normal_column(200, 0);
  std::vector<double> copy = x;
  for (double& value : copy) value = 5.0 - 3.0 * value;
  std::vector<double> y = normal_column(200, 1);
  for (std::size_t i = 0; i < 200; ++i) y[i] += 2.0 * x[i];
  const PruneResult result = prune(table_of({x, copy, y}), Lists{{}, {}, {0, 1}}, PruneOptions{}, Context{});
  EXPECT_EQ(result.edges(), (Edges{{0, 2}}));
  EXPECT_EQ(candidate(result, "x1", "x2").note, "a copy of 'x0'");
  ASSERT_FALSE(result.summary.warnings.empty());
  EXPECT_EQ(result.summary.warnings[0].code, "dependent");
}

TEST(CamPruning, SumOfCandidatesKeepsOnlyItsBend) {
  const std::vector<double> a = normal_column(300, 0);
  const std::vector<double> b = normal_column(300, 1);
  std::vector<double> sum(300);
  std::vector<double> y = normal_column(300, 2);
  for (std::size_t i = 0; i < 300; ++i) {
    sum[i] = a[i] + b[i];
    y[i] += a[i] + sum[i] * sum[i];
  }
  const PruneResult result = prune(table_of({a, b, sum, y}), Lists{{}, {}, {}, {0, 1, 2}}, PruneOptions{}, Context{});
  EXPECT_TRUE(result.nodes[3].converged);
  EXPECT_LT(candidate(result, "x0", "x3").p_value, 1e-10);
  EXPECT_LT(candidate(result, "x2", "x3").p_value, 1e-10);
  EXPECT_NE(candidate(result, "x2", "x3").note.find("combination"), std::string::npos);
}

TEST(CamPruning, ExactFunctionIsKept) {
  const std::vector<double> x = normal_column(200, 0);
  const std::vector<double> noise = normal_column(200, 1);
  std::vector<double> y(200);
  for (std::size_t i = 0; i < 200; ++i) y[i] = 3.0 * x[i] - 2.0;
  const PruneResult result = prune_in_column_order(table_of({x, noise, y}));
  EXPECT_EQ(candidate(result, "x0", "x2").p_value, 0.0);
  EXPECT_TRUE(candidate(result, "x0", "x2").kept);
  EXPECT_LT(result.nodes[2].sigma2, 1e-20);
}

TEST(CamPruning, FewDistinctValuesGetFewerFunctionsOrALine) {
  RandomStream random(3, "levels");
  std::vector<double> binary(300);
  std::vector<double> five(300);
  std::vector<double> y = normal_column(300, 1);
  for (std::size_t i = 0; i < 300; ++i) {
    binary[i] = static_cast<double>(random.below(2));
    five[i] = static_cast<double>(random.below(5));
    y[i] += binary[i] + std::abs(five[i] - 2.0);
  }
  const PruneResult result = prune(table_of({binary, five, y}), Lists{{}, {}, {0, 1}}, PruneOptions{}, Context{});
  EXPECT_EQ(candidate(result, "x0", "x2").edf, 1.0);
  EXPECT_LT(candidate(result, "x0", "x2").p_value, 1e-6);
  EXPECT_LE(candidate(result, "x1", "x2").edf, 4.0);
  EXPECT_LT(candidate(result, "x1", "x2").p_value, 1e-6);
}

TEST(CamPruning, FewRowsLowerTheBasisThenUseLinesThenGiveUp) {
  const auto last = [](std::size_t rows, std::size_t parents) {
    const Table table = test::normal_table(rows, parents + 1, 11);
    return prune_in_column_order(table);
  };
  EXPECT_EQ(last(120, 4).nodes[4].basis_size, 10);
  EXPECT_EQ(last(100, 4).nodes[4].basis_size, 9);  // ceil(100 / 12)

  const PruneResult lines = last(24, 5);  // ceil(24 / 15) = 2
  EXPECT_EQ(lines.nodes[5].basis_size, 2);
  EXPECT_NE(lines.nodes[5].note.find("straight lines"), std::string::npos);
  for (const EdgeCandidate& edge : lines.candidates) {
    if (edge.to == 5) {
      EXPECT_EQ(edge.edf, 1.0);
    }
  }

  const PruneResult none = last(7, 5);
  EXPECT_EQ(none.nodes[5].parents.size(), 5U);
  EXPECT_TRUE(std::isnan(candidate(none, "x0", "x5").p_value));
  EXPECT_NE(none.nodes[5].note.find("too few"), std::string::npos);
}

TEST(CamPruning, LineTestIsTheTTestOfLinearRegression) {
  // R 4.2: summary(lm(y ~ x)) gives t = 6.2 on 3 degrees of freedom, p = 0.00845371911757.
  const PruneResult result = prune_in_column_order(table_of({{1, 2, 3, 1, 2}, {2, 5, 7, 3, 4}}));
  EXPECT_NEAR(result.candidates[0].statistic, 6.2 * 6.2, 1e-10);
  EXPECT_NEAR(result.candidates[0].p_value, 0.00845371911757, 1e-12);
}

TEST(CamPruning, WrongOrdersAndListsAreErrors) {
  const Table table = test::ka5();
  const auto category = [&](const auto& what) {
    try {
      prune(table, what, PruneOptions{}, Context{});
    } catch (const Error& error) {
      return error.category();
    }
    return ErrorCategory::kInternal;
  };
  using Order = std::vector<std::string>;
  EXPECT_EQ(category(Order{"x0", "x1", "x2", "x3"}), ErrorCategory::kData);
  EXPECT_EQ(category(Order{"x0", "x1", "x2", "x3", "x3"}), ErrorCategory::kData);
  EXPECT_EQ(category(Order{"x0", "x1", "x2", "x3", "x9"}), ErrorCategory::kData);
  EXPECT_EQ(category(Lists{{}, {0}}), ErrorCategory::kUsage);
  EXPECT_EQ(category(Lists{{}, {}, {}, {}, {5}}), ErrorCategory::kUsage);
  EXPECT_EQ(category(Lists{{}, {}, {}, {}, {4}}), ErrorCategory::kUsage);
  EXPECT_EQ(category(Lists{{}, {}, {}, {}, {1, 1}}), ErrorCategory::kUsage);
  PruneOptions options;
  options.cutoff = -1.0;
  EXPECT_THROW(prune(table, table.names(), options, Context{}), Error);
}

TEST(CamPruning, StopsWhenInterrupted) {
  const std::atomic<bool> stop{true};
  Context context;
  context.interrupt = &stop;
  const Table table = test::ka5();
  EXPECT_THROW(prune(table, table.names(), PruneOptions{}, context), Error);
}

}  // namespace
}  // namespace olem::cam_pruning_test
