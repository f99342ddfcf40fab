#include "olem/model_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/json_text.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/version.h"
#include "rehearse/model_header.h"

namespace olem {

using namespace internal;

namespace {

// As in PNG: the first byte is no text, and a transfer that changes line ends changes it.
constexpr std::string_view kMagic = "\x89OLEM\r\n\x1a";
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint32_t kOtherByteOrder = 0x04030201;
constexpr std::size_t kPrefixSize = 32;  // magic, byte order, format, bytes of the header, count of the numbers
constexpr std::size_t kNumberSize = 8;
constexpr std::size_t kChecksumSize = 8;

// Little endian on every machine.
template <class Unsigned>
void put(std::string& bytes, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
}

template <class Unsigned>
Unsigned get(std::string_view bytes, std::size_t at) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value |= static_cast<Unsigned>(static_cast<Unsigned>(static_cast<unsigned char>(bytes[at + i])) << (8 * i));
  }
  return value;
}

[[noreturn]] void refuse(const std::string& source, const std::string& text) {
  throw Error(ErrorCategory::kData, fmt::format("{}: {}", source, text));
}

[[noreturn]] void refuse_size(const std::string& source, std::string_view rule, std::size_t size) {
  refuse(source, fmt::format("This model file is not whole: it should have {} bytes, but has {}. Copy it again, or fit "
                             "the model again.",
                             rule, size));
}

// Where the parts of a file are.
struct Parts {
  std::string_view header;
  std::string_view numbers;
};

// In the order in which a failure can be told most plainly; nothing behind a failed check is looked at.
Parts take_apart(std::string_view bytes, const std::string& source) {
  if (!looks_like_model(bytes)) {
    refuse(source, "This is not a model file of olem. Fit a task to have one.");
  }
  if (bytes.size() < kPrefixSize + kChecksumSize) {
    refuse_size(source, fmt::format("at least {}", kPrefixSize + kChecksumSize), bytes.size());
  }
  const auto byte_order = get<std::uint32_t>(bytes, 8);
  if (byte_order == kOtherByteOrder) {
    refuse(source,
           "The numbers of this model file are big endian, but olem keeps them little endian on every machine.");
  }
  if (byte_order != kByteOrder) {
    refuse(source, "This model file is damaged: its byte order cannot be read. Copy it again, or fit the model again.");
  }
  const auto format = get<std::uint32_t>(bytes, 12);
  if (format > kModelFormat) {
    refuse(source, fmt::format("This model file has format {}, but olem {} reads formats up to {}. Use the version of "
                               "olem that wrote it, or fit the model again.",
                               format, version(), kModelFormat));
  }
  if (format == 0) refuse(source, "This model file is damaged: it has format 0, which does not exist.");
  const auto header = get<std::uint64_t>(bytes, 16);
  const auto numbers = get<std::uint64_t>(bytes, 24);
  // Compared without a sum or product that could overflow.
  const std::uint64_t room = bytes.size() - kPrefixSize - kChecksumSize;
  if (header > room || numbers > (room - header) / kNumberSize) {
    refuse_size(source, fmt::format("more than {}", bytes.size()), bytes.size());
  }
  const std::uint64_t whole = kPrefixSize + header + numbers * kNumberSize + kChecksumSize;
  if (whole != bytes.size()) refuse_size(source, fmt::format("{}", whole), bytes.size());
  const std::size_t end = bytes.size() - kChecksumSize;
  if (crc64(bytes.substr(0, end)) != get<std::uint64_t>(bytes, end)) {
    refuse(source, "This model file is damaged: its checksum is wrong. Copy it again, or fit the model again.");
  }
  return {bytes.substr(kPrefixSize, header), bytes.substr(kPrefixSize + header, numbers * kNumberSize)};
}

}  // namespace

bool looks_like_model(std::string_view beginning) {
  return !beginning.empty() && kMagic.starts_with(beginning.substr(0, kMagic.size()));
}

std::string model_bytes(const RehearsalModel& model) {
  std::vector<double> numbers;
  // A file name in a warning need not be UTF-8; JSON must be.
  const std::string header = model_header(model, numbers).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string bytes(kMagic);
  bytes.reserve(kPrefixSize + header.size() + numbers.size() * kNumberSize + kChecksumSize);
  put(bytes, kByteOrder);
  put(bytes, static_cast<std::uint32_t>(kModelFormat));
  put(bytes, static_cast<std::uint64_t>(header.size()));
  put(bytes, static_cast<std::uint64_t>(numbers.size()));
  bytes += header;
  for (const double number : numbers) put(bytes, std::bit_cast<std::uint64_t>(number));
  put(bytes, crc64(bytes));
  return bytes;
}

RehearsalModel parse_model(std::string_view bytes, const std::string& source) {
  const Parts parts = take_apart(bytes, source);
  std::vector<double> numbers(parts.numbers.size() / kNumberSize);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::bit_cast<double>(get<std::uint64_t>(parts.numbers, i * kNumberSize));
  }
  return read_model_header(parse_json_text(parts.header, source), numbers, source);
}

void write_model(const std::string& path, const RehearsalModel& model, bool overwrite) {
  write_file_atomically(path, model_bytes(model), overwrite);
}

RehearsalModel read_model(const std::string& path, const Context& context) {
  return parse_model(read_file(path, context), path == "-" ? "standard input" : path);
}

}  // namespace olem
