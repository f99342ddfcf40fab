#include "core/rank_share.h"

#include "olem/error.h"
#include "olem/ranks.h"

namespace olem::internal {

namespace {

std::size_t owner_of(std::size_t number, std::size_t ranks) {
  const std::size_t place = number % ranks;
  return (number / ranks) % 2 == 0 ? place : ranks - 1 - place;
}

[[noreturn]] void fail() {
  throw Error(ErrorCategory::kInternal, "The ranks do not understand each other: is it the same olem on all machines?");
}

}  // namespace

std::string_view ByteReader::next(std::size_t size, std::size_t each) {
  if (size > left_.size() / each) fail();
  const std::string_view bytes = left_.substr(0, size * each);
  left_.remove_prefix(bytes.size());
  return bytes;
}

void ByteReader::check_end() const {
  if (!left_.empty()) fail();
}

std::size_t rank_count(const Context& context) {
  return context.ranks == nullptr ? 1 : static_cast<std::size_t>(context.ranks->size());
}

bool makes_item(const Context& context, std::size_t number) {
  return context.ranks == nullptr ||
         owner_of(number, rank_count(context)) == static_cast<std::size_t>(context.ranks->rank());
}

void share_items(const Context& context, std::size_t count, const std::function<void(std::size_t, ByteWriter&)>& write,
                 const std::function<void(std::size_t, ByteReader&)>& read) {
  if (context.ranks == nullptr || count == 0) return;
  const std::size_t ranks = rank_count(context);
  ByteWriter own;
  for (std::size_t i = 0; i < count; ++i) {
    if (makes_item(context, i)) write(i, own);
  }
  context.ranks->exchange(
      own.take(),
      [&](int from, std::string_view text) {
        ByteReader reader(text);
        for (std::size_t i = 0; i < count; ++i) {
          if (owner_of(i, ranks) == static_cast<std::size_t>(from)) read(i, reader);
        }
        reader.check_end();
      },
      context);
}

}  // namespace olem::internal
