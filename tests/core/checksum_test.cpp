#include "core/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace olem::checksum_test {

using namespace internal;
namespace {

// Of CRC-64/XZ; `xz --check=crc64` stores the same numbers.
TEST(Crc64, KnownAnswers) {
  EXPECT_EQ(crc64(""), 0U);
  EXPECT_EQ(crc64("123456789"), 0x995DC9BBDF1939FAU);
}

// The whole message goes in, zero bytes too.
TEST(Crc64, LengthCounts) {
  EXPECT_NE(crc64(std::string(7, '\0')), crc64(std::string(8, '\0')));
  EXPECT_NE(crc64("a"), crc64(std::string("a\0", 2)));
}

}  // namespace
}  // namespace olem::checksum_test
