#include "order/olem_plus_ranks.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "olem/ranks.h"

namespace olem::internal {

namespace {

template <typename Value>
void write_value(std::string& text, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  text.append(reinterpret_cast<const char*>(&value), sizeof(Value));
}

template <typename Value>
void write_values(std::string& text, const std::vector<Value>& values) {
  write_value(text, values.size());
  text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
}

// Takes values from the front of a text in the order in which they were written.
class ValueReader {
 public:
  explicit ValueReader(const std::string& text) : at_(text.data()) {}

  template <typename Value>
  void read(Value& value) {
    std::memcpy(&value, at_, sizeof(Value));
    at_ += sizeof(Value);
  }

  template <typename Value>
  void read(std::vector<Value>& values) {
    std::size_t size = 0;
    read(size);
    values.resize(size);
    if (size > 0) std::memcpy(static_cast<void*>(values.data()), at_, size * sizeof(Value));
    at_ += size * sizeof(Value);
  }

 private:
  const char* at_;
};

void write_fit(std::string& text, const PlusFit& fit) {
  write_value(text, fit.entropy);
  write_value(text, fit.choice.model);
  write_value(text, fit.choice.smoothing);
  write_value(text, fit.choice.length);
  write_value(text, fit.choice.transformed);
  write_value(text, fit.choice.scaled);
  write_value(text, fit.choice.products.size());
  for (const auto& [first, second] : fit.choice.products) {
    write_value(text, first);
    write_value(text, second);
  }
  write_values(text, fit.contributions);
}

void read_fit(ValueReader& reader, PlusFit& fit) {
  reader.read(fit.entropy);
  reader.read(fit.choice.model);
  reader.read(fit.choice.smoothing);
  reader.read(fit.choice.length);
  reader.read(fit.choice.transformed);
  reader.read(fit.choice.scaled);
  std::size_t products = 0;
  reader.read(products);
  fit.choice.products.resize(products);
  for (auto& [first, second] : fit.choice.products) {
    reader.read(first);
    reader.read(second);
  }
  reader.read(fit.contributions);
}

// The next message of one rank. Those of others that come before it wait in `early`.
std::string message_of(int rank, const Context& context, std::map<int, std::deque<std::string>>& early) {
  // Waiting ranks look more and more rarely, so that they take little from others on the same core.
  constexpr auto kLongest = std::chrono::microseconds(1000);
  auto pause = std::chrono::microseconds(1);
  while (early[rank].empty()) {
    if (std::optional<Ranks::Message> message = context.ranks->receive()) {
      early[message->from].push_back(std::move(message->text));
      continue;
    }
    context.check_interrupt();
    std::this_thread::sleep_for(pause);
    pause = std::min(kLongest, 2 * pause);
  }
  std::string text = std::move(early[rank].front());
  early[rank].pop_front();
  return text;
}

}  // namespace

bool makes_fit(const Context& context, std::size_t number) {
  if (context.ranks == nullptr) return true;
  const auto ranks = static_cast<std::size_t>(context.ranks->size());
  return number % ranks == static_cast<std::size_t>(context.ranks->rank());
}

void share_fits(std::span<PlusFit* const> fits, const Context& context) {
  const Ranks& ranks = *context.ranks;
  const auto size = static_cast<std::size_t>(ranks.size());
  std::map<int, std::deque<std::string>> early;
  // One rank after the other sends while all others receive, so that nobody waits for somebody who waits for him.
  for (int rank = 0; rank < ranks.size() && static_cast<std::size_t>(rank) < fits.size(); ++rank) {
    if (rank == ranks.rank()) {
      std::string text;
      for (auto i = static_cast<std::size_t>(rank); i < fits.size(); i += size) write_fit(text, *fits[i]);
      for (int other = 0; other < ranks.size(); ++other) {
        if (other != rank) ranks.send(other, text);
      }
    } else {
      const std::string text = message_of(rank, context, early);
      ValueReader reader(text);
      for (auto i = static_cast<std::size_t>(rank); i < fits.size(); i += size) read_fit(reader, *fits[i]);
    }
  }
  // Nobody goes on before all have what was sent: messages of the next call would be mixed with those of this one.
  double value = 0.0;
  std::uint32_t owner = 0;
  ranks.smallest({&value, 1}, {&owner, 1}, context);
}

}  // namespace olem::internal
