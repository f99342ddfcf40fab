#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "olem/context.h"

// Work that ranks share: items with numbers, each made by one rank, whose results go to all others as bytes.
namespace olem::internal {

// Values one after the other, as they lie in memory: all ranks run the same program on machines of one kind.
class ByteWriter {
 public:
  template <class Value>
  void write(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(Value));
  }
  template <class Value>
  void write(const std::vector<Value>& values) {
    write(values.size());
    if constexpr (std::is_trivially_copyable_v<Value>) {
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
    } else {
      for (const Value& value : values) write(value);
    }
  }
  void write(const std::string& text) {
    write(text.size());
    bytes_ += text;
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Takes values in the order in which they were written. An internal error where there are none left.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  template <class Value>
  void read(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::memcpy(static_cast<void*>(&value), next(sizeof(Value)).data(), sizeof(Value));
  }
  template <class Value>
  void read(std::vector<Value>& values) {
    const std::size_t size = count();
    if constexpr (std::is_trivially_copyable_v<Value>) {
      const std::string_view bytes = next(size, sizeof(Value));
      values.resize(size);
      if (size > 0) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    } else {
      values.clear();
      for (std::size_t i = 0; i < size; ++i) read(values.emplace_back());
    }
  }
  void read(std::string& text) { text = next(count()); }

  template <class Value>
  Value take() {
    Value value{};
    read(value);
    return value;
  }

  // An internal error when something is left.
  void check_end() const;

 private:
  std::size_t count() { return take<std::size_t>(); }
  std::string_view next(std::size_t size, std::size_t each = 1);

  std::string_view left_;
};

// How many processes share the work of this context.
std::size_t rank_count(const Context& context);

// Whether this process makes the item with this number. Ranks take turns there and back, so that of items whose cost
// falls with their number none gets the dearest of every turn.
bool makes_item(const Context& context, std::size_t number);

// write(i) puts down each of the `count` items that this rank made, read(i) takes up each of the others. All ranks must
// call it with as many; alone nothing is done. Ends with the context's interruption.
void share_items(const Context& context, std::size_t count, const std::function<void(std::size_t, ByteWriter&)>& write,
                 const std::function<void(std::size_t, ByteReader&)>& read);

}  // namespace olem::internal
