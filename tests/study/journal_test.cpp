#include "study/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "olem/error.h"
#include "support/process.h"

namespace olem::test {

using namespace internal;
namespace {

using ::testing::HasSubstr;

const JournalHeader kHeader = {"order", 7, "1.2.3"};

JournalRecord record(int number) {
  return {"cell " + std::to_string(number), {{"div", number / 3.0}, {"sid", 1e-300 * number}}, 0.25 * number};
}

void expect_records(const std::vector<JournalRecord>& records, std::size_t count) {
  ASSERT_EQ(records.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const JournalRecord expected = record(static_cast<int>(i));
    EXPECT_EQ(records[i].cell, expected.cell);
    EXPECT_EQ(records[i].values, expected.values);  // to the last bit
    EXPECT_EQ(records[i].seconds, expected.seconds);
  }
}

std::string message_of(const std::function<void()>& call, ErrorCategory category) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

class JournalTest : public testing::Test {
 protected:
  std::string write_three() {
    Journal journal(path_, kHeader, false);
    for (int i = 0; i < 3; ++i) journal.append(record(i));
    return read_text(path_);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("study.journal");
};

TEST_F(JournalTest, GivesBackWhatWasAppended) {
  write_three();
  {
    Journal journal(path_, kHeader, false);
    expect_records(journal.records(), 3);
    EXPECT_FALSE(journal.dropped_torn_line());
    journal.append(record(3));
  }
  expect_records(read_journal(path_, kHeader), 4);
}

// A process may die, and a disk may stop, after any byte.
TEST_F(JournalTest, GoesOnFromEveryCut) {
  const std::string whole = write_three();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    folder_.write("study.journal", whole.substr(0, size));
    const auto lines =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
    const std::size_t kept = lines > 0 ? lines - 1 : 0;
    {
      Journal journal(path_, kHeader, false);
      ASSERT_NO_FATAL_FAILURE(expect_records(journal.records(), kept)) << size;
      EXPECT_EQ(journal.dropped_torn_line(), size > 0 && whole[size - 1] != '\n') << size;
      for (std::size_t i = kept; i < 3; ++i) journal.append(record(static_cast<int>(i)));
    }
    ASSERT_EQ(read_text(path_), whole) << size;
  }
}

TEST_F(JournalTest, FindsEveryChangedByteBeforeTheLastLine) {
  const std::string whole = write_three();
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t at = whole.find('\n') + 1; at + 1 < last_line; ++at) {
    if (whole[at] == '\n') continue;
    std::string changed = whole;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    folder_.write("study.journal", changed);
    EXPECT_THAT(message_of([&] { Journal(path_, kHeader, false); }, ErrorCategory::kData), HasSubstr("checksum")) << at;
    EXPECT_EQ(read_text(path_), changed);
  }
}

TEST_F(JournalTest, BelongsToOneStudySeedAndVersion) {
  write_three();
  const JournalHeader others[] = {{"sachs", 7, "1.2.3"}, {"order", 8, "1.2.3"}, {"order", 7, "1.2.4"}};
  for (const JournalHeader& other : others) {
    EXPECT_THAT(message_of([&] { Journal(path_, other, false); }, ErrorCategory::kData),
                HasSubstr("StudyOptions::fresh = true"));
  }
  Journal fresh(path_, others[0], true);
  expect_records(fresh.records(), 0);
}

TEST_F(JournalTest, NeverTouchesAFileOfAnotherKind) {
  for (const char* const content : {"a,b\n1,2\n", "no line end", "\n"}) {
    folder_.write("study.journal", content);
    for (const bool fresh : {false, true}) {
      EXPECT_THAT(message_of([&] { Journal(path_, kHeader, fresh); }, ErrorCategory::kData),
                  HasSubstr("is not a journal of olem study"));
    }
    EXPECT_EQ(read_text(path_), content);
  }
}

TEST_F(JournalTest, IsForOneProcessAtATime) {
  Journal journal(path_, kHeader, false);
  const pid_t child = ::fork();
  if (child == 0) {
    bool refused = false;
    try {
      Journal second(path_, kHeader, false);
    } catch (const Error& error) {
      refused = error.category() == ErrorCategory::kFile &&
                std::string(error.what()).find(std::to_string(::getppid())) != std::string::npos;
    }
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(JournalTest, ReasonsOfTheSystemAreTold) {
  EXPECT_THAT(message_of([&] { Journal(folder_.file("none/j"), kHeader, false); }, ErrorCategory::kFile),
              HasSubstr("No such file"));
  EXPECT_THAT(message_of([&] { Journal("/dev/full", kHeader, false); }, ErrorCategory::kFile),
              HasSubstr("not a plain file"));
}

}  // namespace
}  // namespace olem::test
