#include <fmt/format.h>

#include <bit>

#include "core/checksum.h"
#include "study/journal.h"
#include "support.h"

using namespace olem::internal;

using namespace olem;

namespace {

constexpr std::size_t kDigits = 16;  // of a checksum, before a blank and what it is of

// The line with the checksum that its content should have.
std::string repaired(std::string_view line) {
  const std::string_view content = line.size() > kDigits ? line.substr(kDigits + 1) : line;
  return fmt::format("{:016x} {}", crc64(content), content);
}

}  // namespace

// Half of the inputs get right checksums in every line.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  const std::string text = fuzz::mutated(fuzz::as_text(data, size), capacity);
  if (seed % 2 == 0) return fuzz::hand_back(text, data, capacity);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    result += repaired(std::string_view(text).substr(at, end - at));
    if (end == std::string::npos) break;
    result += '\n';
    at = end + 1;
  }
  return fuzz::hand_back(result, data, capacity);
}

// Journals of a study, torn or whole.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  const JournalHeader header{"sachs", 1, "0.1.0"};
  const auto content = fuzz::accepted([&] { return parse_journal(text, header, fuzz::kSource); });
  if (!content) return 0;
  fuzz::require(content->sound <= size, "no more is sound than there is");
  const JournalContent sound = parse_journal(text.substr(0, content->sound), header, fuzz::kSource);
  fuzz::require(sound.sound == content->sound && sound.records.size() == content->records.size(),
                "without its torn line a journal is the same");
  for (const JournalRecord& record : content->records) {
    const std::string line = record_text(record);
    fuzz::require(record_text(parse_record(line, "the record written again")) == line, "a record survives its line");
  }
  return 0;
}
