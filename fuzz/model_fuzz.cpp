#include <bit>
#include <random>

#include "core/checksum.h"
#include "olem/model_file.h"
#include "olem/post_decision.h"
#include "support.h"

using namespace olem::internal;

using namespace olem;

namespace {

constexpr std::size_t kPrefix = 32;  // docs/model-file.md
constexpr std::size_t kChecksum = 8;

std::string eight_bytes(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Draws outcomes as deciding would: forged numbers may make a forecast absurd, never a crash.
void rehearse(const RehearsalModel& model) {
  PostDecisionPlan plan;
  plan.draws = 8;
  plan.outcomes = model.task.outcome;
  for (std::size_t i = 0; i < model.context.size(); ++i)
    plan.context.push_back({model.task.context[i], model.context[i].mean});
  for (const LeverDomain& domain : model.task.alterable) plan.altered.push_back(domain.name);
  PostDecisionSampler sampler(model.samplers, plan, fuzz::small_context());
  sampler.sample(std::vector<double>(plan.altered.size(), 0.5));
}

}  // namespace

// Changes the header or the numbers and then mends sizes and checksum; one input in eight stays broken.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  const std::string_view bytes = fuzz::as_text(data, size);
  std::minstd_rand random(seed);
  const bool whole = size >= kPrefix + kChecksum;
  const std::uint64_t header = whole ? number_at(bytes, 16) : 0;
  if (!whole || random() % 8 == 0 || header > size - kPrefix - kChecksum)
    return fuzz::hand_back(fuzz::mutated(bytes, capacity), data, capacity);
  std::string text(bytes.substr(kPrefix, header));
  std::string numbers(bytes.substr(kPrefix + header, size - kPrefix - header - kChecksum));
  const std::size_t room = capacity - size;
  if (random() % 4 == 0) {
    numbers = fuzz::mutated(numbers, numbers.size() + room);
  } else {
    text = fuzz::mutated_json(text, text.size() + room, static_cast<unsigned>(random()));
  }
  numbers.resize(numbers.size() / 8 * 8);
  std::string result(bytes.substr(0, 16));
  result += eight_bytes(text.size()) + eight_bytes(numbers.size() / 8) + text + numbers;
  return fuzz::hand_back(result + eight_bytes(crc64(result)), data, capacity);
}

// Model files: read, written and read again, and used.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto model = fuzz::accepted([&] { return parse_model(fuzz::as_text(data, size), fuzz::kSource); });
  if (!model) return 0;
  const std::string bytes = model_bytes(*model);
  fuzz::require(model_bytes(parse_model(bytes, "the model written again")) == bytes, "a model survives its file");
  fuzz::accepted([&] {
    rehearse(*model);
    return true;
  });
  return 0;
}
