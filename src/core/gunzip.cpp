#include "core/gunzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "olem/error.h"

namespace olem::internal {

namespace {

// Ends the stream whatever happens.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16;
    ready_ = ::inflateInit2(&stream, MAX_WBITS + kGzipOnly) == Z_OK;
  }
  ~Inflater() {
    if (ready_) ::inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool ready() const { return ready_; }

  z_stream stream{};

 private:
  bool ready_ = false;
};

// What the last 4 bytes say: the size of the last part, modulo 2^32. A hint, since nobody promises that it is true;
// deflate cannot make a byte of more than 1032.
std::size_t announced_size(std::string_view bytes) {
  constexpr std::size_t kMostPerByte = 1032;
  constexpr std::size_t kTrailer = 4;
  if (bytes.size() < kTrailer) return 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kTrailer; ++i)
    size |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[bytes.size() - kTrailer + i])) << (8 * i);
  return std::min(size, bytes.size() * kMostPerByte);
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

std::string gunzip(std::string_view bytes, const std::string& source, const Context& context) {
  const auto fail = [&](const char* why) {
    throw Error(ErrorCategory::kData, fmt::format("{}: The file is compressed with gzip, but {}.", source, why),
                {{"Compress the data again"}});
  };
  Inflater inflater;
  if (!inflater.ready()) throw Error(ErrorCategory::kResource, fmt::format("{}: There is no memory left.", source));
  z_stream& stream = inflater.stream;
  const std::string what = fmt::format("Unpacking {}", source);
  constexpr std::size_t kLeast = 1 << 16;
  constexpr std::size_t kStep = 1 << 20;  // between two looks at interruption
  std::string content;
  std::size_t used = 0;
  const std::size_t first = std::max(kLeast, announced_size(bytes) + 1);
  context.require_memory(bytes.size() + first, what);
  content.resize(first);
  std::size_t taken = 0;
  for (;;) {
    context.check_interrupt();
    if (used == content.size()) {
      context.require_memory(bytes.size() + content.size() * 2, what);
      content.resize(content.size() * 2);
    }
    const std::size_t input = std::min<std::size_t>(bytes.size() - taken, std::numeric_limits<uInt>::max());
    const std::size_t room = std::min(content.size() - used, kStep);
    // zlib's interface is older than const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
    stream.avail_in = static_cast<uInt>(input);
    stream.next_out = reinterpret_cast<Bytef*>(content.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    taken += input - stream.avail_in;
    used += room - stream.avail_out;
    if (status == Z_STREAM_END) {
      // Another part may follow; zeros at the end are padding of tapes.
      const std::size_t next = std::min(bytes.find_first_not_of('\0', taken), bytes.size());
      if (next == bytes.size()) break;
      if (!is_gzip(bytes.substr(next))) fail("something else follows behind its end");
      taken = next;
      if (::inflateReset(&stream) != Z_OK) fail("it is damaged");
      continue;
    }
    if (status == Z_MEM_ERROR)
      throw Error(ErrorCategory::kResource, fmt::format("{}: There is no memory left.", source));
    if (status != Z_OK && status != Z_BUF_ERROR) fail("it is damaged");
    if (taken == bytes.size() && stream.avail_out > 0) fail("it is cut off");
  }
  content.resize(used);
  return content;
}

}  // namespace olem::internal
