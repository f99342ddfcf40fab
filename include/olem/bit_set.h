#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace olem {

// A set of small numbers as the bits of 64-bit words, bit i of the set being bit i % 64 of word i / 64. Bits past the
// size of a set are always 0.
using BitRow = std::span<const std::uint64_t>;

// True when `row` contains `i`; i must be below the size of the set.
inline bool contains(BitRow row, std::size_t i) { return ((row[i / 64] >> (i % 64)) & 1U) != 0; }

inline std::size_t count(BitRow row) {
  std::size_t total = 0;
  for (const std::uint64_t word : row) total += static_cast<std::size_t>(std::popcount(word));
  return total;
}

// Calls visit(i) for every member, ascending.
template <class Visit>
void for_each(BitRow row, Visit visit) {
  for (std::size_t w = 0; w < row.size(); ++w) {
    for (std::uint64_t word = row[w]; word != 0; word &= word - 1) {
      visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
}

inline std::vector<std::size_t> members(BitRow row) {
  std::vector<std::size_t> list;
  for_each(row, [&](std::size_t i) { list.push_back(i); });
  return list;
}

// True when every member of `part` is a member of `whole`; both have the same size.
inline bool is_subset(BitRow part, BitRow whole) {
  for (std::size_t w = 0; w < part.size(); ++w) {
    if ((part[w] & ~whole[w]) != 0) return false;
  }
  return true;
}

// True when the two sets, of the same size, share a member.
inline bool intersects(BitRow a, BitRow b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w]) != 0) return true;
  }
  return false;
}

// A set of the numbers 0 .. size - 1.
class BitSet {
 public:
  explicit BitSet(std::size_t size = 0) : words_((size + 63) / 64) {}

  bool test(std::size_t i) const { return contains(words_, i); }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void reset(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  std::size_t count() const { return olem::count(words_); }
  std::vector<std::size_t> members() const { return olem::members(words_); }

  void unite(BitRow other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other[w];
  }

  operator BitRow() const { return words_; }
  bool operator==(const BitSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

// A square matrix of bits. In a matrix of edges, A[i][j] = 1 means i -> j.
class BitMatrix {
 public:
  explicit BitMatrix(std::size_t size = 0) : size_(size), stride_((size + 63) / 64), words_(size * stride_) {}

  std::size_t size() const { return size_; }
  bool test(std::size_t i, std::size_t j) const { return contains(row(i), j); }
  void set(std::size_t i, std::size_t j) { words_[i * stride_ + j / 64] |= std::uint64_t{1} << (j % 64); }
  void reset(std::size_t i, std::size_t j) { words_[i * stride_ + j / 64] &= ~(std::uint64_t{1} << (j % 64)); }
  BitRow row(std::size_t i) const { return {words_.data() + i * stride_, stride_}; }
  std::size_t count() const { return olem::count(words_); }

  // Adds the members of `other` to row i.
  void unite_row(std::size_t i, BitRow other) {
    for (std::size_t w = 0; w < stride_; ++w) words_[i * stride_ + w] |= other[w];
  }

  bool operator==(const BitMatrix&) const = default;

 private:
  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace olem
