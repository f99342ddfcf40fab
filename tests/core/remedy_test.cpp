#include "olem/remedy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "core/json_part.h"
#include "olem/context.h"
#include "olem/error.h"
#include "olem/olem.h"
#include "olem/study.h"
#include "support/datasets.h"

namespace olem::remedy_test {

using namespace internal;
namespace {

using Remedies = std::vector<Remedy>;

// A surface that has drop_columns alone, and on which a time limit means nothing.
const Spelling kSurface{[](std::string_view key) { return "<" + std::string(key) + ">"; },
                        [](const Remedy& remedy) -> std::optional<std::string> {
                          if (remedy.option == "time_limit") return std::nullopt;
                          return remedy.option == "drop_columns" ? "drop " + remedy.value : "";
                        }};

TEST(RemedyText, SaysWhatIsWrittenInCpp) {
  EXPECT_EQ(remedy_text(Remedies{{"Leave the column out", "drop_columns", "Light"}}),
            "Leave the column out: set_read_option(read, \"drop_columns\", \"Light\").");
  EXPECT_EQ(remedy_text(Remedies{{"Train longer", "network_epochs", "200"}}),
            "Train longer: NetworkOptions::epochs = 200.");
  EXPECT_EQ(remedy_text(Remedies{{"Train longer", "network_epochs"}}), "Train longer: NetworkOptions::epochs.");
  EXPECT_EQ(remedy_text(Remedies{{"Begin again", "fresh", "true"}}), "Begin again: StudyOptions::fresh = true.");
  EXPECT_EQ(remedy_text(Remedies{{"Replace it", "force", "true"}}), "Replace it.");
  EXPECT_EQ(remedy_text(Remedies{{"Do it", "nothing_known", "1"}}), "Do it.");
  EXPECT_EQ(remedy_text(Remedies{{"Give more rows"}}), "Give more rows.");
  EXPECT_EQ(remedy_text(Remedies{{"Leave the column out", "drop_columns", "a\"b\\\n"}}),
            "Leave the column out: set_read_option(read, \"drop_columns\", \"a\\\"b\\\\\\012\").");
  EXPECT_EQ(remedy_text(Remedies{{"Leave the column out", "drop_columns", std::string(300, 'x')}}),
            "Leave the column out: ReadOptions::drop_columns.");
  EXPECT_EQ(remedy_text(Remedies{{"Did you mean 'Light'?"}}), "Did you mean 'Light'?");
  EXPECT_EQ(remedy_text({}), "");
}

// The text of a name that the compiler knows.
#define OLEM_MEMBER(Struct, member) (static_cast<void>(&Struct::member), std::string(#Struct "::" #member))
#define OLEM_VALUE(Enum, value) (static_cast<void>(Enum::value), std::string(#Enum "::" #value))

// An option as remedies name it, with a value that they may give, and what is written in C++.
struct InCpp {
  std::string value;
  std::string text;  // empty: the advice stands alone
};

std::map<std::string, InCpp> written_in_cpp() {
  const auto chosen = [](const std::string& member, const std::string& value) { return member + " = " + value; };
  const auto given = [](const std::string& key, const std::string& value) {
    ReadOptions read;
    set_read_option(read, key, value);  // throws where there is no such key or value
    EXPECT_NE(read, ReadOptions()) << key;
    return InCpp{value, "set_read_option(read, \"" + key + "\", \"" + value + "\")"};
  };
  // A member that two kinds of options have.
  static_cast<void>(&OrderOptions::method);
  static_cast<void>(&GraphOptions::method);
  static_cast<void>(&AufSimulationOptions::variables);
  static_cast<void>(&MixedSimulationOptions::variables);
  rehearsal_defaults("0.1");
  return {
      {"after", {"", OLEM_MEMBER(Task, after)}},
      {"before", {"", OLEM_MEMBER(Knowledge, before)}},
      {"bootstrap", {"0", chosen(OLEM_MEMBER(OrderOptions, bootstrap), "0")}},
      {"cam_max_parents", {"", OLEM_MEMBER(CamOptions, max_parents)}},
      {"cam_neighbours", {"", OLEM_MEMBER(CamOptions, neighbours)}},
      {"clime_lambda", {"0.125", chosen(OLEM_MEMBER(ListenOptions, clime_lambda), "0.125")}},
      {"columns", given("columns", "a,b")},
      {"constant", {"drop", chosen(OLEM_MEMBER(ReadingOptions, constant), OLEM_VALUE(ConstantPolicy, kDrop))}},
      {"context", {"", ""}},
      {"contexts", {"", ""}},
      {"criterion", {"gcv", chosen(OLEM_MEMBER(PruneOptions, criterion), OLEM_VALUE(SmoothingCriterion, kGcv))}},
      {"dag", {"false", chosen(OLEM_MEMBER(GraphOptions, dag), "false")}},
      {"decimal", given("decimal", ",")},
      {"decision", {"olem-rh", chosen(OLEM_MEMBER(DecisionOptions, method), OLEM_VALUE(DecisionMethod, kOlemRh))}},
      {"decision_id", {"", ""}},
      {"delimiter", given("delimiter", "space")},
      {"density", {"", OLEM_MEMBER(AufSimulationOptions, density)}},
      {"device", {"cpu", chosen(OLEM_MEMBER(EntropyOptions, device), OLEM_VALUE(Device, kCpu))}},
      {"diffan_epochs", {"", OLEM_MEMBER(DiffanOptions, epochs)}},
      {"diffan_warm_up", {"", OLEM_MEMBER(DiffanOptions, warm_up)}},
      {"drop_columns", given("drop_columns", "a")},
      {"estimator", {"kl", chosen(OLEM_MEMBER(EntropyOptions, estimator), "\"kl\"")}},
      {"force", {"true", ""}},
      {"fresh", {"true", chosen(OLEM_MEMBER(StudyOptions, fresh), "true")}},
      {"graph_method", {"", OLEM_MEMBER(GraphOptions, method)}},
      {"grid_points", {"27", chosen(OLEM_MEMBER(DecisionOptions, grid_points), "27")}},
      {"independence_alpha", {"", OLEM_MEMBER(IndependenceOptions, alpha)}},
      {"instruction_set",
       {"auto", chosen(OLEM_MEMBER(EntropyOptions, instruction_set), OLEM_VALUE(InstructionSet, kAuto))}},
      {"journal", {"", OLEM_MEMBER(StudyOptions, journal)}},
      {"k", {"3", chosen(OLEM_MEMBER(EntropyOptions, k), "3")}},
      {"like", {"0.1", "rehearsal_defaults(\"0.1\")"}},
      {"memory", {"", OLEM_MEMBER(Context, memory_limit)}},
      {"method", {"ges", chosen("method", "\"ges\"")}},
      {"missing", given("missing", "drop")},
      {"na", given("na", "-999")},
      {"network_epochs", {"", OLEM_MEMBER(NetworkOptions, epochs)}},
      {"no_header", given("no_header", "true")},
      {"notears_iterations", {"", OLEM_MEMBER(NotearsOptions, iterations)}},
      {"notears_threshold", {"", OLEM_MEMBER(NotearsOptions, threshold)}},
      {"observed", {"", OLEM_MEMBER(Task, observed)}},
      {"olem_plus_units",
       {"arbitrary", chosen(OLEM_MEMBER(OlemPlusOptions, units), OLEM_VALUE(ColumnUnits, kArbitrary))}},
      {"optimizer", {"gradient", chosen(OLEM_MEMBER(DecisionOptions, optimizer), "\"gradient\"")}},
      {"port", {"0", chosen(OLEM_MEMBER(ServeOptions, port), "0")}},
      {"ridge", {"1e-8", chosen(OLEM_MEMBER(EntropyOptions, ridge), "1e-8")}},
      {"sampler", {"auto", chosen(OLEM_MEMBER(SamplerOptions, sampler), "\"auto\"")}},
      {"skip_lines", given("skip_lines", "7")},
      {"smoothing_search", {"", OLEM_MEMBER(PruneOptions, smoothing_search)}},
      {"so_far", {"", OLEM_MEMBER(DecisionProblem, so_far)}},
      {"stein_eta_hessian", {"", OLEM_MEMBER(SteinOptions, eta_hessian)}},
      {"stein_eta_score", {"", OLEM_MEMBER(SteinOptions, eta_score)}},
      {"stein_median", {"nonzero", chosen(OLEM_MEMBER(SteinOptions, median), OLEM_VALUE(SteinMedian, kNonzero))}},
      {"stein_rows", {"0", chosen(OLEM_MEMBER(SteinOptions, rows), "0")}},
      {"tier", {"", OLEM_MEMBER(Knowledge, tiers)}},
      {"ties", {"jitter", chosen(OLEM_MEMBER(EntropyOptions, ties), OLEM_VALUE(TiePolicy, kJitter))}},
      {"time_limit", {"", OLEM_MEMBER(Context, deadline)}},
      {"type", given("type", "a=category")},
      {"types", {"", OLEM_MEMBER(MixedSimulationOptions, types)}},
      {"unknown", {"draw", OLEM_VALUE(UnknownPolicy, kDraw)}},
      {"variables", {"", "variables"}},
  };
}

#undef OLEM_MEMBER
#undef OLEM_VALUE

// The keys behind an advice, a text of several words or a variable that holds one, anywhere in the library.
std::set<std::string> keys_of_remedies() {
  const std::regex broken_text("\"\\s*\n\\s*\"");
  const std::regex key(
      R"re((?:"[A-Z][a-z]+ [^"]*"|[Aa]dvice|"[A-Z][a-z]+ [^"]*", [^;{}]{1,80}\)),\s*"([a-z0-9_]+)"\s*[,}])re");
  std::set<std::string> keys;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_path("src"))) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    const std::string text = std::regex_replace(std::string(std::istreambuf_iterator<char>(file), {}), broken_text, "");
    for (auto found = std::sregex_iterator(text.begin(), text.end(), key); found != std::sregex_iterator(); ++found)
      keys.insert((*found)[1]);
  }
  return keys;
}

TEST(RemedyText, KnowsEveryOptionThatTheLibraryNames) {
  const std::map<std::string, InCpp> all = written_in_cpp();
  const std::set<std::string> keys = keys_of_remedies();
  EXPECT_GT(keys.size(), 40U);
  for (const std::string& key : keys) EXPECT_TRUE(all.contains(key)) << "How is '" << key << "' written in C++?";
  for (const auto& [key, in_cpp] : all) {
    const std::string expected = in_cpp.text.empty() ? "Do it." : "Do it: " + in_cpp.text + ".";
    EXPECT_EQ(remedy_text(Remedies{{"Do it", key, in_cpp.value}}), expected);
  }
}

TEST(RemedyText, JoinsAlternatives) {
  EXPECT_EQ(remedy_text(Remedies{{"Give more rows"}, {"CSV files may help"}}),
            "Give more rows, or CSV files may help.");
  EXPECT_EQ(remedy_text(Remedies{{"Allow them", "ties", "skip"},
                                 {"Allow them", "ties", "floor"},
                                 {"Rely on what you know", "tier"},
                                 {"Give more rows"}}),
            "Allow them (EntropyOptions::ties = TiePolicy::kSkip or EntropyOptions::ties = TiePolicy::kFloor), rely on "
            "what you know (Knowledge::tiers), or give more rows.");
}

TEST(RemedyText, LeavesOutWhatASurfaceDoesNotHave) {
  const Remedies remedies = {{"Leave it out", "drop_columns", "a"}, {"Train longer", "epochs"}, {"Wait", "time_limit"}};
  EXPECT_EQ(remedy_text(remedies, kSurface), "Leave it out (drop a), or train longer.");
  EXPECT_EQ(remedy_text(Remedies{{"Wait", "time_limit"}}, kSurface), "");
  EXPECT_EQ(remedy_text(remedies, advice_spelling()), "Leave it out, train longer, or wait.");
}

TEST(RemedyText, SaysTheSameWayOnce) {
  EXPECT_EQ(
      remedy_text(Remedies{{"Leave it out", "drop_columns", "a"}, {"Leave it out", "drop_columns", "a"}}, kSurface),
      "Leave it out: drop a.");
}

TEST(SpellReferences, ReplacesKeysInBackquotesOnly) {
  EXPECT_EQ(spell_references("with `ties` floor, not ties", kSurface), "with <ties> floor, not ties");
  EXPECT_EQ(spell_references("`a` and `b`", member_spelling()), "a and b");
  EXPECT_EQ(spell_references("one ` alone", kSurface), "one ` alone");
}

TEST(NameList, QuotesWhatAListWouldCut) {
  EXPECT_EQ(name_list(std::vector<std::string>{"a", "b c", "d, e", "f\"g", " h"}), "a,b c,\"d, e\",\"f\"\"g\",\" h\"");
}

TEST(Error, SaysOptionFindingAndRemedies) {
  const Error error = Error::of_option("k", "'0' is not a number.", {{"Leave it out", "drop_columns", "a"}});
  EXPECT_EQ(error.category(), ErrorCategory::kUsage);
  EXPECT_STREQ(error.what(), "k: '0' is not a number. Leave it out: set_read_option(read, \"drop_columns\", \"a\").");
  EXPECT_EQ(error.text(kSurface), "<k>: '0' is not a number. Leave it out: drop a.");
  const Error elsewhere = error.with_finding("In cell 3: '0' is not a number.");
  EXPECT_EQ(elsewhere.text(kSurface), "<k>: In cell 3: '0' is not a number. Leave it out: drop a.");
}

// A name of the user's is never taken for an option.
TEST(Error, LeavesNamesAlone) {
  const Error error(ErrorCategory::kData, "Column '--seed' equals column '`k`'.",
                    {{"Leave the column out", "drop_columns", "--seed"}});
  EXPECT_EQ(error.text(kSurface), "Column '--seed' equals column '`k`'. Leave the column out: drop --seed.");
}

TEST(Warning, HoldsItsRemediesInJson) {
  const Warning warning{"ties", "Values repeat.", "a", {{"Leave it out", "drop_columns", "a"}}};
  const Json json = to_json(warning, kSurface);
  EXPECT_EQ(json["text"], "Values repeat. Leave it out: drop a.");
  const std::string source = "here";
  const std::vector<Remedy> read = read_remedies(JsonPart(json["remedies"], source));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].advice, "Leave it out");
  EXPECT_EQ(read[0].option, "drop_columns");
  EXPECT_EQ(read[0].value, "a");
}

}  // namespace
}  // namespace olem::remedy_test
