#include "core/checksum.h"

#include <boost/crc.hpp>

namespace olem::internal {

std::uint64_t crc64(std::string_view bytes) {
  constexpr std::uint64_t kPolynomial = 0x42F0E1EBA9EA3693U;
  constexpr std::uint64_t kAllBits = ~std::uint64_t{0};
  boost::crc_optimal<64, kPolynomial, kAllBits, kAllBits, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace olem::internal
