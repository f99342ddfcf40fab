#include "decide/judge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "decide/helpers.h"
#include "olem/random.h"

namespace olem::judge_test {

using namespace internal;
namespace {

class Judging : public testing::Test {
 protected:
  static constexpr int kFew = 1000;
  static constexpr int kMany = 4000;

  Subset all() const { return {0, 1}; }
  Judged judged(Judge& judge, double dose, double rate) const {
    return judge.judge(prepared_.setting(all(), {dose, rate}), FoundBy::kDirectAscent);
  }

  Context context_;
  RehearsalModel model_ = test::farm_model(300, "gp");
  DecisionProblem problem_ = decision_problem(model_, named_values(model_.task.context, std::vector<double>{-0.5}));
  PreparedProblem prepared_{problem_, DecisionOptions(), context_};
};

TEST_F(Judging, FewDrawsAreTheFirstOfMany) {
  Judge few(prepared_, kFew, DrawStream::kRelease);
  Judge many(prepared_, kMany, DrawStream::kRelease);
  const Judged first = judged(few, 1.0, 0.5);
  const Judged second = judged(many, 1.0, 0.5);
  ASSERT_EQ(first.inside.size(), std::size_t{kFew});
  EXPECT_TRUE(std::equal(first.inside.begin(), first.inside.end(), second.inside.begin()));
}

// Also when the same judge has seen other sets of altered variables in between.
TEST_F(Judging, ADecisionIsJudgedAlikeWheneverItIsJudged) {
  Judge judge(prepared_, kFew, DrawStream::kChoice);
  const Judged before = judged(judge, 1.0, 0.5);
  judge.judge(prepared_.setting({1}, {0.5}), FoundBy::kDirectAscent);
  judge.judge(prepared_.idle(), FoundBy::kNoAction);
  EXPECT_EQ(judged(judge, 1.0, 0.5).inside, before.inside);
}

TEST_F(Judging, WhatIsWorthMuchIsNotDoubtful) {
  Judge few(prepared_, kFew, DrawStream::kRelease);
  const Judged decision = judged(few, 1.5, prepared_.expected()[1]);
  ASSERT_GT(decision.success, judged(few, -1.0, prepared_.expected()[1]).success + 0.2);
  const Subset doubtful = few.doubtful(decision);
  EXPECT_FALSE(std::binary_search(doubtful.begin(), doubtful.end(), std::size_t{0}));
}

// What few draws call plain, many would not have released.
TEST_F(Judging, LeavingOutThePlainChangesNoRelease) {
  Judge few(prepared_, kFew, DrawStream::kRelease);
  Judge many(prepared_, kMany, DrawStream::kRelease);
  RandomStream random(3, "test.judge");
  int plain = 0;
  int released = 0;
  for (int round = 0; round < 30; ++round) {
    const double dose = random.uniform(-1.5, 1.5);
    const double rate = random.uniform(-1.5, 1.5);
    const Subset doubtful = few.doubtful(judged(few, dose, rate));
    const Judged decision = judged(many, dose, rate);
    const Setting with_all = many.release(decision, all(), std::nullopt).setting;
    EXPECT_EQ(many.release(decision, doubtful, std::nullopt).setting, with_all) << dose << ", " << rate;
    plain += doubtful.size() < 2 ? 1 : 0;
    released += with_all != decision.setting ? 1 : 0;
  }
  EXPECT_GT(plain, 5);
  EXPECT_GT(released, 5);
}

}  // namespace
}  // namespace olem::judge_test
