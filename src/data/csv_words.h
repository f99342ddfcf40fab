#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/csv_scan.h"
#include "data/csv_number.h"
#include "olem/table.h"

namespace olem::internal {

// A cell of which a message may speak.
struct CellExample {
  std::string text;
  std::size_t line = 0;
};

// The cells of one column in which not everything is a number: each gets the number of its word, from 0 in the order of
// appearance. Of each kind of cell a few examples are kept.
class WordColumn {
 public:
  static constexpr std::size_t kMostWords = 1000;

  // The number of the word of a cell, which must not be missing. `room` is how many words may be kept yet, here and in
  // other columns; beyond that, and beyond kMostWords, the number means nothing and overflow() is true.
  double add(const CsvCell& cell, char decimal, std::size_t& room);

  bool overflow() const { return overflow_; }
  std::size_t size() const { return words_.size(); }
  const std::string& word(std::size_t number) const { return words_[number].text; }
  std::size_t cells(std::size_t number) const { return words_[number].cells; }  // how many
  std::size_t line(std::size_t number) const { return words_[number].line; }    // of the first

  // Cells of one kind: how many, and the first few different ones.
  struct Kind {
    std::size_t count = 0;
    std::vector<CellExample> examples;
  };
  const Kind& texts() const { return kinds_[kText]; }
  const Kind& numbers() const { return kinds_[kNumber]; }
  const Kind& percents() const { return kinds_[kPercent]; }
  // The first cell that would be a number with the other decimal mark; no line when there is none.
  const CellExample& other_decimal() const { return other_decimal_; }

 private:
  enum KindIndex : std::size_t { kText, kNumber, kPercent };
  struct Word {
    std::string text;
    std::size_t cells = 0;
    std::size_t line = 0;
    KindIndex kind = kText;
  };
  KindIndex kind_of(const std::string& word, char decimal, std::size_t line);

  std::deque<Word> words_;  // which stay where they are, so that the index can look at them
  std::unordered_map<std::string_view, std::size_t> index_;
  std::array<Kind, 3> kinds_;
  CellExample other_decimal_;
  bool overflow_ = false;
};

// The levels of a column of words, in the order of their codes: alphabetical by code points, but the negative word of a
// pair (no/yes, false/true, off/on, ...) first, each in its level_spelling. Booleans have both levels, whichever occur.
std::vector<std::string> sorted_levels(std::vector<std::string> words);

// How a word is written as a level: as it is, but the truth values of R, Python and Excel as "true" and "false".
std::string level_spelling(const std::string& word);

}  // namespace olem::internal
