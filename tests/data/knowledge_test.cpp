#include "olem/knowledge.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "olem/error.h"
#include "olem/random.h"
#include "support/process.h"

namespace olem::knowledge_test {
namespace {

using Names = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string complaint(const std::function<void()>& call, ErrorCategory category = ErrorCategory::kData) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category);
    return error.what();
  }
  return "";
}

std::string parse_complaint(const std::string& text) {
  return complaint([&] { parse_knowledge(text, "k.json"); });
}

std::string contradiction(const Knowledge& knowledge, const Names& names) {
  return complaint([&] { Precedence(knowledge, names); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ParseKnowledge, ReadsTiersPairsChainsAndComments) {
  const Knowledge knowledge = parse_knowledge(R"({
    // the sun is not moved by the sea
    "tiers": [["Light", "Temp"], ["DIC"]],
    "before": [["TA", "NEC"], ["a", "b", "c"]]
  })",
                                              "k.json");
  EXPECT_EQ(knowledge.tiers, (std::vector<Names>{{"Light", "Temp"}, {"DIC"}}));
  EXPECT_EQ(knowledge.before, (Pairs{{"TA", "NEC"}, {"a", "b"}, {"b", "c"}}));
  EXPECT_EQ(knowledge.source, "k.json");
}

TEST(ParseKnowledge, AnEmptyObjectKnowsNothing) { EXPECT_TRUE(parse_knowledge("{}", "k.json").empty()); }

TEST(ParseKnowledge, SurvivesARoundTrip) {
  Knowledge knowledge;
  knowledge.tiers = {{"a", "b"}, {}, {"c"}};
  knowledge.before = {{"a", "d"}, {"x \"y\" z", "ü"}};
  const Knowledge again = parse_knowledge(to_json(knowledge).dump(), "k.json");
  EXPECT_EQ(again.tiers, knowledge.tiers);
  EXPECT_EQ(again.before, knowledge.before);
}

TEST(ParseKnowledge, ASyntaxErrorHasItsLine) {
  const std::string text = parse_complaint("{\n  \"tiers\": [[\"a\"],\n  ]]\n}");
  EXPECT_TRUE(text.starts_with("k.json, line 3, column 3: This is not valid JSON: unexpected ']'")) << text;
  EXPECT_TRUE(parse_complaint("").starts_with("k.json, line 1, column 1: ")) << parse_complaint("");
  EXPECT_NE(parse_complaint("{\"tiers\": [[\"\xff\"]]}"), "");
  EXPECT_NE(parse_complaint("{} {}"), "");
}

TEST(ParseKnowledge, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(parse_complaint(R"({"tires": []})"),
            "k.json: The key \"tires\" is not known. Did you mean \"tiers\"? The keys are \"tiers\" and \"before\".");
  EXPECT_EQ(parse_complaint(R"({"before": [], "before": []})"),
            "k.json: The key \"before\" stands twice in one object. Keep one of the two.");
  EXPECT_EQ(parse_complaint(R"({"tiers": [["a"], "b"]})"),
            "k.json: Entry 2 of \"tiers\" is \"b\", but must be a list of column names, such as [\"a\", \"b\"].");
  EXPECT_EQ(parse_complaint(R"({"tiers": [["a", 5]]})"),
            "k.json: Entry 1 of \"tiers\" holds 5, but must hold column names in quotes.");
  EXPECT_EQ(parse_complaint(R"({"before": [["a", "b"], ["c"]]})"),
            "k.json: Entry 2 of \"before\" holds 1 name, but must hold at least two.");
  EXPECT_NE(parse_complaint(R"({"tiers": "a"})"), "");
  EXPECT_NE(parse_complaint("[]"), "");
  EXPECT_EQ(parse_complaint(R"({"tiers": 1e999})"),
            "k.json: This JSON cannot be read: number overflow parsing '1e999'.");
  EXPECT_EQ(parse_complaint(R"({"tiers": [] "before"})"),
            "k.json, line 1, column 21: This is not valid JSON: unexpected string literal; expected '}'.");
  EXPECT_EQ(parse_complaint("[\"; expected t\x98\"]"),
            "k.json, line 1, column 15: This is not valid JSON: invalid string: ill-formed UTF-8 byte.")
      << "bytes of the file would not be text in a message";
}

TEST(ParseKnowledge, DeepNestingIsRefusedNotFollowed) {
  EXPECT_TRUE(contains(parse_complaint("{\"tiers\": " + std::string(100000, '[')), "deeper than 64 levels"));
}

TEST(ParseKnowledge, ANameStandsInOneTier) {
  EXPECT_EQ(parse_complaint(R"({"tiers": [["a", "b"], ["c"], ["b"]]})"),
            "k.json: 'b' stands in tier 1 and in tier 3. Name every column in one tier only.");
  EXPECT_EQ(parse_complaint(R"({"tiers": [["a", "a"]]})"),
            "k.json: 'a' stands twice in tier 1. Name every column in one tier only.");
}

TEST(ReadKnowledge, NamesTheFile) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("k.json", R"({"before": [["a", "b"]]})");
  EXPECT_EQ(read_knowledge(path).before, (Pairs{{"a", "b"}}));
  const std::string bad = folder.write("bad.json", "{");
  EXPECT_TRUE(complaint([&] { read_knowledge(bad); }).starts_with(bad + ", line 1"));
  EXPECT_TRUE(
      contains(complaint([&] { read_knowledge(folder.file("none.json")); }, ErrorCategory::kFile), "none.json"));
}

TEST(MakeKnowledge, TakesListsOfNames) {
  const Knowledge knowledge = make_knowledge({{"a", "b c"}, {"d"}}, {{"x", "y", "z"}}, "here");
  EXPECT_EQ(knowledge.tiers, (std::vector<Names>{{"a", "b c"}, {"d"}}));
  EXPECT_EQ(knowledge.before, (Pairs{{"x", "y"}, {"y", "z"}}));
  EXPECT_EQ(knowledge.source, "here");
  EXPECT_TRUE(make_knowledge({}, {}).empty());
}

TEST(MakeKnowledge, RefusesShortChains) {
  EXPECT_EQ(complaint([] { make_knowledge({}, {{"a"}}); }, ErrorCategory::kUsage),
            "before: 'a' is one name, but at least two names are needed.");
}

TEST(CombineKnowledge, AddsPairsButNotTiersToTiers) {
  const Knowledge file = parse_knowledge(R"({"tiers": [["a"], ["b"]], "before": [["c", "d"]]})", "k.json");
  const Knowledge pairs = make_knowledge({}, {{"e", "f"}}, "command line");
  const Knowledge both = combine_knowledge(file, pairs);
  EXPECT_EQ(both.tiers, file.tiers);
  EXPECT_EQ(both.before, (Pairs{{"c", "d"}, {"e", "f"}}));
  EXPECT_EQ(combine_knowledge(file, Knowledge()).before, file.before);
  EXPECT_TRUE(contains(
      complaint([&] { combine_knowledge(file, make_knowledge({{"e"}}, {}, "command line")); }, ErrorCategory::kUsage),
      "k.json"));
}

TEST(Precedence, WithoutKnowledgeEverythingIsAllowed) {
  const Precedence precedence({}, {"a", "b"});
  EXPECT_TRUE(precedence.empty());
  EXPECT_FALSE(precedence.precedes(0, 1));
  const std::vector<std::size_t> remaining = {0, 1};
  EXPECT_TRUE(precedence.may_be_last(0, remaining));
  EXPECT_EQ(precedence.last_candidates(remaining), remaining);
}

TEST(Precedence, TiersLeaveOthersFreeAndPairsAreTransitive) {
  const Precedence precedence(make_knowledge({{"a", "b"}, {"c"}}, {{"c", "d"}}, "command line"),
                              {"d", "c", "b", "a", "free"});
  enum Column : std::size_t { kD, kC, kB, kA, kFree };
  EXPECT_TRUE(precedence.precedes(kA, kC));
  EXPECT_TRUE(precedence.precedes(kB, kC));
  EXPECT_TRUE(precedence.precedes(kA, kD));
  EXPECT_FALSE(precedence.precedes(kA, kB));
  EXPECT_FALSE(precedence.precedes(kC, kA));
  for (const std::size_t other : {kD, kC, kB, kA}) {
    EXPECT_FALSE(precedence.precedes(kFree, other));
    EXPECT_FALSE(precedence.precedes(other, kFree));
  }
  EXPECT_EQ(precedence.last_candidates(std::vector<std::size_t>{kD, kC, kB, kA, kFree}),
            (std::vector<std::size_t>{kD, kFree}));
  EXPECT_EQ(precedence.last_candidates(std::vector<std::size_t>{kA, kB, kC}), std::vector<std::size_t>{kC});
}

TEST(Precedence, WhatFollowsThroughADroppedColumnStaysKnown) {
  const Precedence all(make_knowledge({}, {{"a", "b", "c"}}, "command line"), {"a", "b", "c", "d"});
  const Precedence some = all.restricted_to(std::vector<std::size_t>{3, 2, 0});
  EXPECT_TRUE(some.precedes(2, 1));  // a before c
  EXPECT_FALSE(some.precedes(1, 2));
  EXPECT_FALSE(some.precedes(0, 1));
  EXPECT_TRUE(Precedence().restricted_to(std::vector<std::size_t>{0}).empty());
}

TEST(Precedence, AnUnknownNameGetsTheClosestColumn) {
  const Knowledge knowledge = parse_knowledge(R"({"before": [["Ligth", "Temp"]]})", "k.json");
  EXPECT_EQ(contradiction(knowledge, {"Light", "Temp"}), "k.json: There is no column 'Ligth'. Did you mean 'Light'?");
  EXPECT_EQ(contradiction(make_knowledge({{"Chlorophyll"}}, {}, "command line"), {"Light", "Temp"}),
            "command line: There is no column 'Chlorophyll'. Correct the name or leave the statement out.");
}

TEST(Precedence, AContradictionPrintsItsCycleAndItsStatements) {
  EXPECT_EQ(contradiction(make_knowledge({}, {{"a", "a"}}, "command line"), {"a", "b"}),
            "command line: The knowledge contradicts itself: a -> a. This follows from the pair 'a' before 'a'. Remove "
            "or correct it.");
  EXPECT_EQ(
      contradiction(make_knowledge({}, {{"a", "b"}, {"b", "a"}}, "command line"), {"a", "b"}),
      "command line: The knowledge contradicts itself: a -> b -> a. This follows from the pair 'a' before 'b' and "
      "the pair 'b' before 'a'. Remove or correct one of them.");
  EXPECT_EQ(
      contradiction(make_knowledge({{"a"}, {"b"}}, {{"b", "a"}}, "command line"), {"a", "b"}),
      "command line: The knowledge contradicts itself: a -> b -> a. This follows from the tiers ('a' is in tier 1, "
      "'b' in tier 2) and the pair 'b' before 'a'. Remove or correct one of them.");
  // Through a column that is in no tier, and over several tiers.
  const std::string text = contradiction(make_knowledge({{"a"}, {"b"}, {"c"}}, {{"c", "free", "a"}}, "command line"),
                                         {"a", "b", "c", "free"});
  EXPECT_TRUE(contains(text, "a -> c -> free -> a. ")) << text;
}

TEST(Precedence, TheShortestCycleIsPrinted) {
  const std::string text =
      contradiction(make_knowledge({}, {{"a", "b", "c", "d", "a"}, {"d", "c"}}, "command line"), {"a", "b", "c", "d"});
  EXPECT_TRUE(contains(text, ": c -> d -> c. ")) << text;
}

TEST(Precedence, AThousandColumnsAreEasy) {
  constexpr std::size_t kColumns = 1000;
  Names names;
  for (std::size_t j = 0; j < kColumns; ++j) names.push_back("v" + std::to_string(j));
  Knowledge knowledge;
  for (std::size_t j = 0; j + 1 < kColumns; ++j) knowledge.before.emplace_back(names[j], names[j + 1]);
  EXPECT_TRUE(Precedence(knowledge, names).precedes(0, kColumns - 1));
  knowledge.before.emplace_back(names.back(), names.front());
  EXPECT_TRUE(contains(contradiction(knowledge, names), "v0 -> v1 -> v2 -> "));
  // Every column in a tier of its own: half a million statements.
  Knowledge tiers;
  for (const std::string& name : names) tiers.tiers.push_back({name});
  EXPECT_TRUE(Precedence(tiers, names).precedes(3, 998));
  tiers.before.emplace_back(names.back(), names.front());
  EXPECT_TRUE(contains(contradiction(tiers, names), ": v0 -> v999 -> v0. "));
}

// Statements among a few columns, with the distances between columns along them by another road: Floyd-Warshall.
struct Statements {
  static constexpr std::size_t kFar = 1000;
  Names names;
  Knowledge knowledge;
  std::vector<std::vector<std::size_t>> distance;

  std::size_t shortest_cycle() const {
    std::size_t shortest = kFar;
    for (std::size_t i = 0; i < names.size(); ++i) shortest = std::min(shortest, distance[i][i]);
    return shortest;
  }
};

Statements random_statements() {
  Statements result;
  const auto columns = *rc::gen::inRange<std::size_t>(1, 80);
  for (std::size_t j = 0; j < columns; ++j) result.names.push_back("v" + std::to_string(j));
  result.distance.assign(columns, std::vector<std::size_t>(columns, Statements::kFar));

  const auto column = rc::gen::inRange<std::size_t>(0, columns);
  // Pairs that mostly go up make deep orders without a cycle; the others make contradictions.
  const bool upwards = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  for (auto [i, j] :
       *rc::gen::container<std::vector<std::pair<std::size_t, std::size_t>>>(rc::gen::pair(column, column))) {
    if (upwards && i == j) continue;
    if (upwards && i > j) std::swap(i, j);
    result.knowledge.before.emplace_back(result.names[i], result.names[j]);
    result.distance[i][j] = 1;
  }
  const auto tier_count = *rc::gen::inRange<std::size_t>(0, 4);
  result.knowledge.tiers.resize(tier_count);
  std::vector<std::size_t> tier_of(columns, tier_count);
  for (std::size_t j = 0; j < columns && tier_count > 0; ++j) {
    tier_of[j] = upwards ? j * (tier_count + 1) / columns : *rc::gen::inRange<std::size_t>(0, tier_count + 1);
    if (tier_of[j] < tier_count) result.knowledge.tiers[tier_of[j]].push_back(result.names[j]);
  }
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (tier_of[i] < tier_of[j] && tier_of[j] < tier_count) result.distance[i][j] = 1;
    }
  }
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        result.distance[i][j] = std::min(result.distance[i][j], result.distance[i][k] + result.distance[k][j]);
      }
    }
  }
  return result;
}

RC_GTEST_PROP(PrecedenceProperty, ContradictionExactlyWhenTheStatementsHaveACycle, ()) {
  const Statements statements = random_statements();
  const std::size_t columns = statements.names.size();
  const std::size_t cycle = statements.shortest_cycle();
  RC_CLASSIFY(cycle < Statements::kFar, "contradiction");
  const std::string text = contradiction(statements.knowledge, statements.names);
  if (cycle < Statements::kFar) {
    const std::string shown = text.substr(0, text.find(". "));
    std::size_t arrows = 0;
    for (std::size_t at = shown.find(" -> "); at != std::string::npos; at = shown.find(" -> ", at + 1)) ++arrows;
    RC_ASSERT(arrows == cycle);
    return;
  }
  RC_ASSERT(text.empty());
  const Precedence precedence(statements.knowledge, statements.names);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      RC_ASSERT(precedence.precedes(i, j) == (statements.distance[i][j] < Statements::kFar));
    }
  }
}

RC_GTEST_PROP(PrecedenceProperty, TakingAwayAnyLastVariableObeysTheKnowledge, (std::uint64_t seed)) {
  const Statements statements = random_statements();
  RC_PRE(statements.shortest_cycle() == Statements::kFar);
  const Precedence precedence(statements.knowledge, statements.names);
  RandomStream random(seed, "removal");
  std::vector<std::size_t> remaining(statements.names.size());
  std::iota(remaining.begin(), remaining.end(), std::size_t{0});
  std::vector<std::size_t> backwards;
  while (!remaining.empty()) {
    std::vector<std::size_t> allowed;
    for (const std::size_t i : remaining) {
      if (precedence.may_be_last(i, remaining)) allowed.push_back(i);
    }
    RC_ASSERT(!allowed.empty());
    RC_ASSERT(precedence.last_candidates(remaining) == allowed);
    backwards.push_back(allowed[random.below(allowed.size())]);
    remaining.erase(std::find(remaining.begin(), remaining.end(), backwards.back()));
  }
  for (std::size_t late = 0; late < backwards.size(); ++late) {
    for (std::size_t early = late + 1; early < backwards.size(); ++early) {
      RC_ASSERT(!precedence.precedes(backwards[late], backwards[early]));
    }
  }
}

}  // namespace
}  // namespace olem::knowledge_test
