#include "core/rank_share.h"

#include <gtest/gtest.h>

#include <utility>

#include "olem/error.h"

namespace olem::test {
namespace {

using internal::ByteReader;
using internal::ByteWriter;

const std::vector<std::string> kNames = {"a", "", "Größe", std::string("\0b", 2)};
const std::vector<double> kNumbers = {0.1, -0.0, 5e-324, 1e308};

std::string written() {
  ByteWriter writer;
  writer.write(true);
  writer.write(kNames);
  writer.write(kNumbers);
  writer.write(std::vector<double>());
  writer.write(std::string("end"));
  return writer.take();
}

TEST(ByteReader, GivesBackWhatWasWritten) {
  const std::string bytes = written();
  ByteReader reader(bytes);
  EXPECT_TRUE(reader.take<bool>());
  std::vector<std::string> names = {"left over"};
  reader.read(names);
  EXPECT_EQ(names, kNames);
  std::vector<double> numbers;
  reader.read(numbers);
  EXPECT_EQ(std::memcmp(numbers.data(), kNumbers.data(), kNumbers.size() * sizeof(double)), 0);
  reader.read(numbers);
  EXPECT_TRUE(numbers.empty());
  EXPECT_THROW(reader.check_end(), Error);
  EXPECT_EQ(reader.take<std::string>(), "end");
  reader.check_end();
}

TEST(ByteReader, RefusesToReadBehindTheEnd) {
  const std::string bytes = written();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    const auto read_all = [&] {
      reader.take<bool>();
      reader.take<std::vector<std::string>>();
      reader.take<std::vector<double>>();
      reader.take<std::vector<double>>();
      reader.take<std::string>();
    };
    EXPECT_THROW(read_all(), Error) << size;
  }
  ByteWriter writer;
  writer.write(SIZE_MAX);  // a size whose bytes are no longer a number
  const std::string lying = writer.take();
  ByteReader reader(lying);
  EXPECT_THROW(reader.take<std::vector<double>>(), Error);
}

TEST(SharedItems, AreAllMadeHereWithoutRanks) {
  const Context context;
  EXPECT_EQ(internal::rank_count(context), 1U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(internal::makes_item(context, i));
  internal::share_items(
      context, 3, [](std::size_t, ByteWriter&) { ADD_FAILURE(); }, [](std::size_t, ByteReader&) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace olem::test
