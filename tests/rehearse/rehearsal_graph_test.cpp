#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "decide/helpers.h"
#include "olem/decision.h"
#include "olem/error.h"
#include "olem/graph_learner.h"
#include "olem/model_file.h"

namespace olem::test {

using namespace internal;
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GraphFile file_of(const std::string& text) {
  return parse_graph(text.starts_with("{") ? text : "from,to\n" + text, "graph.csv");
}

RehearsalModel fit_on(const std::string& graph, const std::string& sampler = "linear") {
  RehearsalOptions options;
  options.samplers.sampler = sampler;
  return fit_rehearsal_on_graph(farm_task(), farm(100, 1), options, file_of(graph), Context());
}

std::string refusal(const std::string& graph) {
  try {
    fit_on(graph);
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kData) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("graph.csv"));
    return error.what();
  }
  return "";
}

std::vector<std::string> parents(const RehearsalModel& model, const std::string& name) {
  const SamplerSet& set = *model.samplers;
  std::vector<std::string> names;
  for (const std::size_t c : set.variables[set.index(name)].conditions) names.push_back(set.variables[c].name);
  return names;
}

TEST(GradRh, EveryVariableIsConditionedOnItsParents) {
  const RehearsalModel model = fit_on("dose,yield\nrate,yield\ndose,rate\n");
  EXPECT_THAT(parents(model, "yield"), ElementsAre("dose", "rate"));
  EXPECT_THAT(parents(model, "rate"), ElementsAre("dose"));
  EXPECT_THAT(parents(model, "dose"), ElementsAre());
  EXPECT_EQ(model.samplers->variables[model.samplers->index("dose")].sampler->facts().form, "marginal");
  ASSERT_TRUE(model.graph.has_value());
  EXPECT_EQ(model.graph->dag.edge_count(), 3U);
  EXPECT_EQ(model.order.method, "given graph");
}

// Nothing in the graph says where the weather stands, and by columns the yield would come first.
TEST(GradRh, TheOrderHasTheStagesWhereTheGraphIsSilent) {
  Table table = farm(100, 1);
  std::vector<double> values;
  for (const std::size_t column : {3U, 2U, 1U, 0U}) {
    const auto cells = table.column(column);
    values.insert(values.end(), cells.begin(), cells.end());
  }
  const Table reversed({"yield", "rate", "dose", "weather"}, std::move(values), "farm.csv");
  RehearsalOptions options;
  options.samplers.sampler = "linear";
  const RehearsalModel model =
      fit_rehearsal_on_graph(farm_task(), reversed, options, file_of("rate,yield\n"), Context());
  EXPECT_THAT(model.order.order, ElementsAre("weather", "dose", "rate", "yield"));
}

TEST(GradRh, AGraphAgainstTheTaskIsRefusedByItsEdges) {
  EXPECT_THAT(refusal("yield,dose\nweather,yield\n"), HasSubstr("yield -> dose"));
  EXPECT_THAT(refusal("dose,weather\n"), HasSubstr("dose -> weather"));
  // The task knows that the dose comes before the rate.
  EXPECT_THAT(refusal("rate,dose\n"), HasSubstr("rate -> dose"));
  EXPECT_THAT(refusal("dose,harvest\n"), HasSubstr("harvest"));
}

TEST(GradRh, HiddenCausesAreRefused) {
  EXPECT_THAT(refusal(R"({"nodes": ["weather", "dose", "rate", "yield"], "edges": [["dose", "rate"]],
                          "marks": [["rate", "<->", "yield"]]})"),
              HasSubstr("two-headed edges (rate <-> yield)"));
  EXPECT_THAT(refusal(R"({"nodes": ["weather", "dose", "rate", "yield"], "edges": [],
                          "marks": [["rate", "o->", "yield"]]})"),
              HasSubstr("is a PAG"));
}

// A chain without directions: only the one that begins with the weather agrees with the stages.
TEST(GradRh, ACpdagIsExtendedAlongTheStages) {
  const RehearsalModel model = fit_on(R"({"nodes": ["weather", "dose", "rate", "yield"], "edges": [],
                                          "undirected": [["dose", "weather"], ["rate", "dose"], ["yield", "rate"]]})");
  EXPECT_THAT(parents(model, "dose"), ElementsAre("weather"));
  EXPECT_THAT(parents(model, "rate"), ElementsAre("dose"));
  EXPECT_THAT(parents(model, "yield"), ElementsAre("rate"));
}

// The stages make a collider of weather -> yield <- rate, which the class does not have.
TEST(GradRh, ACpdagWithoutAnExtensionSaysSo) {
  EXPECT_THAT(refusal(R"({"nodes": ["weather", "dose", "rate", "yield"], "edges": [],
                          "undirected": [["weather", "yield"], ["yield", "rate"]]})"),
              HasSubstr("stands for no graph that the task allows"));
}

TEST(GradRh, LearnedGraphsObeyTheStages) {
  for (const char* const method : {"olem", "notears", "ges", "pc", "listen"}) {
    RehearsalOptions options;
    options.samplers.sampler = "linear";
    options.graph.emplace().method = method;
    const RehearsalModel model = fit_rehearsal(farm_task(), farm(300, 1), options, std::nullopt, Context());
    ASSERT_TRUE(model.graph.has_value()) << method;
    EXPECT_EQ(model.graph->method, method);
    EXPECT_EQ(model.order.order.front(), "weather") << method;
    EXPECT_EQ(model.order.order.back(), "yield") << method;
    EXPECT_EQ(model.graph->dag.names().list(), model.order.order) << method;
    EXPECT_GT(model.graph->dag.edge_count(), 2U) << method;
  }
}

TEST(GradRh, APagCannotBeRehearsed) {
  RehearsalOptions options;
  options.graph.emplace().method = "fci";
  try {
    fit_rehearsal(farm_task(), farm(300, 1), options, std::nullopt, Context());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kTask);
    EXPECT_THAT(error.what(), HasSubstr("fci"));
  }
}

Json decision_json(const RehearsalModel& model) {
  DecisionOptions options;
  options.draws = options.judge_draws = 200;
  Json json =
      to_json(decide(decision_problem(model, named_values(model.task.context, std::vector{-0.5})), options, Context()));
  json.erase("seconds");
  return json;
}

TEST(GradRh, ModelFilesKeepTheGraph) {
  RehearsalOptions options;
  options.samplers.sampler = "gaussian";
  options.samplers.gaussian.fit = GaussianFit::kBayesianRidge;
  options.graph.emplace().method = "ges";
  options.graph->ges.penalty = 0.7;
  const RehearsalModel model = fit_rehearsal(farm_task(), farm(80, 2), options, std::nullopt, Context());
  const std::string bytes = model_bytes(model);
  const RehearsalModel same = parse_model(bytes, "m.olem");
  ASSERT_TRUE(same.graph.has_value());
  EXPECT_EQ(same.graph->dag, model.graph->dag);
  EXPECT_EQ(same.graph->method, "ges");
  ASSERT_TRUE(same.options.graph.has_value());
  EXPECT_EQ(same.options.graph->ges.penalty, 0.7);
  EXPECT_EQ(model_bytes(same), bytes);
  EXPECT_EQ(decision_json(same), decision_json(model));
}

TEST(GradRh, AModelWhoseGraphIsNotThatOfItsSamplersIsRefused) {
  RehearsalModel model = fit_on("dose,yield\nrate,yield\n");
  model.graph->dag = Dag(model.order.order, std::vector<Edge>{{0, 3}});
  EXPECT_THROW(parse_model(model_bytes(model), "m.olem"), Error);
  model.graph.reset();  // as files were before graphs
  EXPECT_FALSE(parse_model(model_bytes(model), "m.olem").graph.has_value());
}

}  // namespace
}  // namespace olem::test
