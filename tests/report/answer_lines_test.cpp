// What the terminal says of one decision, however much there is to say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "olem/report_looking.h"
#include "olem/text.h"
#include "report/uncertainty_words.h"

namespace olem::answer_lines_test {

using namespace internal;
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A decision that has everything that can be said, names as long as `name`.
Json everything(const std::string& name) {
  Json json = Json::parse(R"({
    "success_probability": 0.66,
    "uncertainty": {"draws": 0.01, "rows": 0.03, "order": 0.05, "extrapolation": 0.01},
    "members": [{"kind": "fit", "success": 0.66, "without_action": 0.4},
                {"kind": "half", "success": 0.61, "without_action": 0.4},
                {"kind": "half", "success": 0.7, "without_action": 0.4},
                {"kind": "order", "success": 0.41, "without_action": 0.4}],
    "other_order": {"success": 0.3, "without_action": 0.2, "pairs": []},
    "units": {"success": 0.5, "decision": {"alterations": {}, "success": 0.62}, "by_members": 0.6},
    "opinions": [{"learner": "olem", "success": 0.4, "without_action": 0.3},
                 {"learner": "ges", "success": 0.65, "without_action": 0.3}],
    "measure_next": {"kind": "rows", "reduction": 0.4}})");
  const auto lever = [&](int which) { return name + std::to_string(which); };
  json["question"] = {{"pair", {lever(1), lever(2)}}, {"as_learned", 0.66}, {"other_way", 0.41}, {"explained", 0.8}};
  json["question"]["other_decision"] = {{"alterations", {{lever(1), 0.25}, {lever(2), -0.125}}}, {"success", 0.6}};
  for (int k = 0; k < 4; ++k) {
    json["units"]["decision"]["alterations"][lever(k)] = 0.5 * k;
    json["other_order"]["pairs"].push_back({lever(k), lever(k + 1)});
  }
  json["hidden_cause"] = {{"breakdown", 0.4}, {"lever", lever(1)}, {"outcome", lever(9)}, {"left_out", {lever(3)}}};
  return json;
}

std::string said(const Json& json, std::size_t lines = 7) {
  const std::string source = "decision";
  return answer_lines(uncertainty_sentences(JsonPart(json, source), {}), lines);
}

// As one line: where a phrase happens to be wrapped does not matter.
std::string unwrapped(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(AnswerLines, HoldWhatMattersMostWhateverThereIs) {
  for (const std::string& name : {std::string("x"), std::string("a_name_of_twenty_chars"), std::string(60, 'y')}) {
    SCOPED_TRACE(name);
    const std::string text = said(everything(name));
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 7);
    for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1)
      EXPECT_LE(text.find('\n', from) - from, kLineWidth);
    // In any case what the interval covers, and the assumption.
    const std::string words = unwrapped(text);
    EXPECT_THAT(words, HasSubstr("The interval covers draws, data and order"));
    EXPECT_THAT(words, HasSubstr("This holds if nothing unobserved moves both a lever and the outcome"));
    EXPECT_THAT(words, HasSubstr("By the order or graph of other learners"));
  }
}

TEST(AnswerLines, AreAllOfItWhereThereIsRoom) {
  const std::string text = unwrapped(said(everything("x"), 40));
  for (const char* const part :
       {"By the order or graph", "Ask which comes first, x1 or x2", "With the levers placed the other way",
        "rests on the units", "A hidden cause would make this decision worse", "To measure next: twice as many rows"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("say more")));
}

TEST(AnswerLines, SayThatThereIsMore) {
  Json json = everything("x");
  for (const char* const key : {"opinions", "other_order", "units", "question"}) json.erase(key);
  const std::string whole = said(json);
  EXPECT_THAT(whole, Not(HasSubstr("say more")));
  // A line less than it needs: what is left out is said to be elsewhere, where a line is free for that.
  const auto needed = static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n'));
  const std::string less = said(json, needed - 1);
  EXPECT_LE(static_cast<std::size_t>(std::count(less.begin(), less.end(), '\n')), needed - 1);
  EXPECT_THAT(said(everything("x"), 4), StartsWith("The interval covers"));
}

// Numbers have the digits of the table, with the unit.
TEST(AnswerLines, NumbersHaveTheDigitsThatMatter) {
  Json json = everything("x");
  json["units"]["decision"]["alterations"] = {{"spend", 1.813116470178634}, {"heating", 1}};
  json["question"]["other_decision"]["alterations"] = {{"DIC", -281.1166905338695}};
  Column dic;
  dic.unit = "umol/kg";
  Column heating;
  heating.levels = {{0.0, "off"}, {1.0, "full"}};
  const std::vector<NamedColumn> columns = {{"DIC", dic}, {"heating", heating}};
  const std::string source = "decision";
  const std::string text = unwrapped(answer_lines(uncertainty_sentences(JsonPart(json, source), columns), 40));
  EXPECT_THAT(text, HasSubstr("the best would be to set DIC to -281.1 umol/kg (60 %)"));
  EXPECT_THAT(text, HasSubstr("the best would be to set spend to 1.813, heating to full (62 % by it"));
}

// What is asked of the other order is one question for a column, a sentence of its own.
TEST(AnswerLines, QuestionsOfAColumnAreOne) {
  Json json = everything("x");
  json["other_order"]["pairs"] = Json::parse(R"([["M2", "A"], ["M2", "B"], ["M3", "A"], ["M4", "A"]])");
  EXPECT_THAT(unwrapped(said(json, 40)),
              HasSubstr("With the levers placed the other way this decision has 30 %. Is M2 known before A or B is "
                        "set? Is M3 known before A is set?"));
  EXPECT_THAT(unwrapped(said(json, 40)), Not(HasSubstr("M4")));  // three pairs at most
}

// No line ends between a number and what it measures.
TEST(WrapText, KeepsANumberAndItsUnitTogether) {
  EXPECT_EQ(wrap_text("chance of 70.5 % now", 15), "chance of\n70.5 % now\n");
  EXPECT_EQ(wrap_text("chance (41 % now)", 10), "chance\n(41 % now)\n");
  EXPECT_EQ(wrap_text("the dose of 3.2 mg, or", 16), "the dose of\n3.2 mg, or\n");
  EXPECT_EQ(wrap_text("take one of 1 2 3 4", 14), "take one of 1\n2 3 4\n");
  EXPECT_EQ(wrap_text("7 incomprehensibilities", 10), "7 incomprehensibilities\n");
}

// Of a plan the other decision is what is set now.
TEST(AnswerLines, APlanSaysWhatIsSetNow) {
  Json json = everything("x");
  json["sequence"] = Json::object();
  EXPECT_THAT(unwrapped(said(json, 40)), HasSubstr("the best would be to set x1 to 0.25, x2 to -0.125 now (60 %)."));
  json["question"]["other_decision"]["alterations"] = Json::object();
  EXPECT_THAT(unwrapped(said(json, 40)), HasSubstr("the best would be to set nothing now (60 %)."));
}

// What looking is worth, and where there is nothing to look at.
TEST(LookingText, SaysWhatCanBeSeen) {
  Looking looking;
  looking.levers.push_back({"rate", 0.5, 0.499, 1.0});
  EXPECT_THAT(unwrapped(looking_text(looking)), HasSubstr("Nothing can be seen before a lever is set"));
  EXPECT_THAT(looking_text(looking), Not(HasSubstr(" \n")));
  looking.variables.push_back({"CO2", 0.849, 0.679});
  EXPECT_THAT(looking_text(looking), HasSubstr("CO2 is worth measuring: +0.17."));
  EXPECT_THAT(looking_text(looking), Not(HasSubstr("Nothing can be seen")));
}

}  // namespace
}  // namespace olem::answer_lines_test
