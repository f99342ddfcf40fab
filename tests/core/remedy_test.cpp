#include "olem/remedy.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json_part.h"
#include "olem/context.h"
#include "olem/error.h"

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

TEST(RemedyText, NamesMembersAsTheyAreAssigned) {
  EXPECT_EQ(remedy_text(Remedies{{"Leave the column out", "drop_columns", "Light"}}),
            "Leave the column out: drop_columns = \"Light\".");
  EXPECT_EQ(remedy_text(Remedies{{"Train longer", "epochs", "200"}}), "Train longer: epochs = 200.");
  EXPECT_EQ(remedy_text(Remedies{{"Replace it", "force", "true"}}), "Replace it: force = true.");
  EXPECT_EQ(remedy_text(Remedies{{"Train longer", "epochs"}}), "Train longer: epochs.");
  EXPECT_EQ(remedy_text(Remedies{{"Give more rows"}}), "Give more rows.");
  EXPECT_EQ(remedy_text(Remedies{{"Leave the column out", "drop_columns", "a\"b\\\n"}}),
            "Leave the column out: drop_columns = \"a\\\"b\\\\\\012\".");
  EXPECT_EQ(remedy_text(Remedies{{"Leave the column out", "drop_columns", std::string(300, 'x')}}),
            "Leave the column out: drop_columns.");
  EXPECT_EQ(remedy_text(Remedies{{"Did you mean 'Light'?"}}), "Did you mean 'Light'?");
  EXPECT_EQ(remedy_text({}), "");
}

TEST(RemedyText, JoinsAlternatives) {
  EXPECT_EQ(remedy_text(Remedies{{"Give more rows"}, {"CSV files may help"}}),
            "Give more rows, or CSV files may help.");
  EXPECT_EQ(
      remedy_text(Remedies{{"Leave it out", "drop_columns", "a"},
                           {"Leave it out", "constant", "drop"},
                           {"Rely on what you know", "tier"},
                           {"Give more rows"}}),
      "Leave it out (drop_columns = \"a\" or constant = \"drop\"), rely on what you know (tier), or give more rows.");
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
  EXPECT_STREQ(error.what(), "k: '0' is not a number. Leave it out: drop_columns = \"a\".");
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
