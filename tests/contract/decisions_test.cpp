#include <algorithm>

#include "contract/rehearsals.h"
#include "olem/explain.h"
#include "olem/model_file.h"

namespace olem::decisions_test {
namespace {

using test::contract_table;
using test::Units;
using test::with_threads;

// One way to decide: a choice of an option of `olem decide`, or a sampler, the rest as usual.
struct Way {
  std::string option;
  std::string choice;
};

// Every choice that the options of a decision offer, and every sampler.
std::vector<Way> ways() {
  std::vector<Way> all;
  DecisionOptions options;
  const OptionSet described = describe(options);
  for (const Option& option : described.options()) {
    for (const Choice& choice : option.choices) all.push_back({option.name, std::string(choice.name)});
  }
  for (const SamplerKind& kind : sampler_kinds()) {
    if (kind.suits == nullptr) all.push_back({"sampler", kind.name});
  }
  return all;
}

class DecisionContract : public testing::TestWithParam<Way> {
 protected:
  DecisionContract() : options_(test::quick_decision()) {
    if (GetParam().option != "sampler") describe(options_).find(GetParam().option)->set_text(GetParam().choice);
  }

  // Along the causal order; linear samplers suit every method.
  RehearsalModel model(const Units& units = {}) const {
    RehearsalOptions options;
    options.samplers = test::quick_sampler(GetParam().option == "sampler" ? GetParam().choice : "linear");
    return fit_rehearsal(test::contract_task(units), units.change(contract_table(test::kFewRows)), options,
                         Order{"x", "y", "z", "w"}, with_threads(1));
  }
  static std::vector<DecisionProblem> problems(const RehearsalModel& model, const Units& units = {}) {
    std::vector<DecisionProblem> all;
    for (const double x : {-1.0, 0.5})
      all.push_back(decision_problem(model, named_values(model.task.context, std::vector{units.change("x", x)})));
    return all;
  }

  DecisionOptions options_;
};

std::string bytes(const std::vector<Decision>& decisions) {
  std::string all;
  for (const Decision& decision : decisions) {
    Json json = to_json(decision);
    json.erase("seconds");
    all += json.dump() + '\n';
  }
  return all;
}

TEST_P(DecisionContract, GivesEqualBytesAgainAndWithAnyNumberOfThreads) {
  const RehearsalModel fitted = model();
  const std::string before = model_bytes(fitted);
  const std::vector<DecisionProblem> all = problems(fitted);
  const std::string first = bytes(decide_all(all, options_, with_threads(1)));
  for (const int threads : {1, 2, 8}) EXPECT_EQ(bytes(decide_all(all, options_, with_threads(threads))), first);
  EXPECT_EQ(bytes({decide(all[0], options_, with_threads(1)), decide(all[1], options_, with_threads(2))}), first);
  EXPECT_EQ(model_bytes(fitted), before);
}

TEST_P(DecisionContract, StaysInItsDomainsAndCountsItsDraws) {
  const RehearsalModel fitted = model();
  for (const Decision& decision : decide_all(problems(fitted), options_, with_threads(2))) {
    for (std::size_t k = 0; k < decision.alterations.size(); ++k) {
      const Alteration& alteration = decision.alterations[k];
      EXPECT_EQ(alteration.name, fitted.task.alterable[k].name);
      if (!alteration.value) continue;
      EXPECT_GE(*alteration.value, fitted.task.alterable[k].low);
      EXPECT_LE(*alteration.value, fitted.task.alterable[k].high);
    }
    EXPECT_LE(decision.success_low, decision.success_probability);
    EXPECT_GE(decision.success_high, decision.success_probability);
  }
}

// Units are the user's: the same decision in others. Powers of two leave every digit as it is.
TEST_P(DecisionContract, FollowsTheUnits) {
  const std::vector<Decision> base = decide_all(problems(model()), options_, with_threads(1));
  const Units units = test::doubled();
  const std::vector<Decision> other = decide_all(problems(model(units), units), options_, with_threads(1));
  for (std::size_t i = 0; i < base.size(); ++i) {
    EXPECT_EQ(other[i].success_probability, base[i].success_probability);
    EXPECT_EQ(other[i].without_action, base[i].without_action);
    EXPECT_EQ(other[i].cost, base[i].cost);
    EXPECT_EQ(other[i].found_by, base[i].found_by);
    for (std::size_t k = 0; k < base[i].alterations.size(); ++k) {
      const Alteration& was = base[i].alterations[k];
      const Alteration& is = other[i].alterations[k];
      ASSERT_EQ(is.value.has_value(), was.value.has_value());
      if (was.value) {
        EXPECT_EQ(units.restore(is.name, *is.value), *was.value);
      }
      EXPECT_EQ(units.restore(is.name, is.expected), was.expected);
    }
    EXPECT_EQ(units.restore("w", other[i].outcomes[0].mean), base[i].outcomes[0].mean);
  }
}

TEST_P(DecisionContract, CanBeStoppedAndShowsProgress) {
  const std::vector<DecisionProblem> all = problems(model());
  test::expect_stops([&](const Context& context) { decide_all(all, options_, context); });
  test::expect_progress([&](const Context& context) { decide_all(all, options_, context); });
  test::expect_memory_is_asked_for([&](const Context& context) { decide_all(all, options_, context); });
}

INSTANTIATE_TEST_SUITE_P(Choices, DecisionContract, testing::ValuesIn(ways()),
                         [](const auto& way) { return test::test_name(way.param.option + "_" + way.param.choice); });

TEST(Decisions, OptionsRefuseWhatTheyAreNot) {
  DecisionOptions decision;
  test::expect_options_are_checked(describe(decision));
  ExplainOptions explain;
  test::expect_options_are_checked(describe(explain));
}

TEST(Decisions, WhatWasNotFittedIsRefused) {
  const std::vector<std::string> fragments = {"nothing was fitted"};
  DecisionProblem problem;
  problem.alterable = {{"y", 0.0, 1.0}};
  problem.region = Region::box({{"w", 0.0, std::nullopt}});
  test::expect_refused([&] { decide(problem, {}, {}); }, ErrorCategory::kUsage, fragments);
  test::expect_refused([&] { explain(problem, {}, {}, {}); }, ErrorCategory::kUsage, fragments);
  const RehearsalModel model;
  test::expect_refused([&] { decision_problem(model, named_values(model.task.context, std::vector<double>())); },
                       ErrorCategory::kUsage, fragments);
  test::expect_refused([&] { model_bytes(model); }, ErrorCategory::kUsage, fragments);
  test::expect_refused([&] { models_json(model); }, ErrorCategory::kUsage, fragments);
  test::expect_refused([] { fit_rehearsal(Task(), contract_table(test::kFewRows), {}, std::nullopt, {}); },
                       ErrorCategory::kData, {"outcome"});
}

// What learning for a task goes along.
enum class Along { kOrder, kLearnedGraph, kGivenGraph };

class RehearsalContract : public testing::TestWithParam<Along> {
 protected:
  static RehearsalModel fit(const Context& context) {
    RehearsalOptions options;
    options.order.bootstrap = 4;
    options.samplers = test::quick_sampler("gp");
    options.calibrate = true;
    const Table table = contract_table(test::kFewRows);
    const Task task = test::contract_task();
    if (GetParam() == Along::kGivenGraph) {
      GraphFile given;
      given.graph = Dag({"x", "y", "z", "w"}, std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}, {2, 3}});
      given.source = "graph.csv";
      return fit_rehearsal_on_graph(task, table, options, given, context);
    }
    if (GetParam() == Along::kLearnedGraph) options.graph.emplace();
    return fit_rehearsal(task, table, options, std::nullopt, context);
  }
};

// The order with its half-samples, pruning, samplers and their calibration; then what the model explains.
TEST_P(RehearsalContract, GivesEqualBytesAgainAndWithAnyNumberOfThreads) {
  test::expect_same_on_any_threads([](const Context& context) { return model_bytes(fit(context)); });
}

TEST_P(RehearsalContract, ExplainsWithEqualBytesOnAnyNumberOfThreads) {
  const RehearsalModel model = fit(with_threads(2));
  ExplainOptions options;
  options.draws = options.final_draws = 20;
  options.points = 4;
  options.pair_points = 3;
  const std::vector<DecisionProblem> problems = {
      decision_problem(model, named_values(model.task.context, std::vector{-1.0})),
      decision_problem(model, named_values(model.task.context, std::vector{0.5}))};
  const auto work = [&](const Context& context) {
    std::string all;
    for (const Explanation& part : explain_all(problems, {{{"y", 1.0}}, {}}, options, context))
      all += to_json(part).dump();
    return all;
  };
  test::expect_same_on_any_threads(work);
  test::expect_stops(work);
  test::expect_progress(work);
  test::expect_memory_is_asked_for(work);
}

TEST_P(RehearsalContract, CanBeStoppedAndShowsProgress) {
  test::expect_stops(fit);
  test::expect_progress(fit);
  test::expect_memory_is_asked_for(fit);
}

std::string along_name(const testing::TestParamInfo<Along>& along) {
  switch (along.param) {
    case Along::kOrder: return "Order";
    case Along::kLearnedGraph: return "LearnedGraph";
    case Along::kGivenGraph: return "GivenGraph";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(All, RehearsalContract,
                         testing::Values(Along::kOrder, Along::kLearnedGraph, Along::kGivenGraph), along_name);

}  // namespace
}  // namespace olem::decisions_test
