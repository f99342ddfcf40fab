#include "data/csv_words.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace olem::internal {

namespace {

// No before yes, whatever the alphabet says.
constexpr std::pair<std::string_view, std::string_view> kOpposites[] = {
    {"no", "yes"},  {"n", "y"},    {"false", "true"}, {"f", "t"},          {"off", "on"}, {"nein", "ja"},
    {"non", "oui"}, {"nej", "ja"}, {"no", "si"},      {"no", "s\xC3\xAD"}, {"nee", "ja"}, {"n\xC3\xA3o", "sim"},
};

// What Excel writes in other languages.
constexpr std::pair<std::string_view, std::string_view> kBooleansOfExcel[] = {
    {"WAHR", "true"},   {"FALSCH", "false"}, {"VRAI", "true"}, {"FAUX", "false"},   {"VERDADERO", "true"},
    {"FALSO", "false"}, {"VERO", "true"},    {"WAAR", "true"}, {"ONWAAR", "false"}, {"VERDADEIRO", "true"},
};

}  // namespace

WordColumn::KindIndex WordColumn::kind_of(const std::string& word, char decimal, std::size_t line) {
  constexpr std::size_t kExamples = 4;
  constexpr std::size_t kShown = 200;
  double ignored = 0.0;
  KindIndex kind = kText;
  switch (read_cell(word, ignored, decimal)) {
    case CellKind::kNumber:
    case CellKind::kTooLarge: kind = kNumber; break;
    case CellKind::kPercent: kind = kPercent; break;
    default: break;
  }
  std::vector<CellExample>& examples = kinds_[kind].examples;
  if (examples.size() < kExamples) examples.push_back({word.substr(0, kShown), line});
  if (kind == kText && other_decimal_.line == 0 &&
      read_cell(word, ignored, decimal == ',' ? '.' : ',') == CellKind::kNumber)
    other_decimal_ = {word.substr(0, kShown), line};
  return kind;
}

double WordColumn::add(const CsvCell& cell, char decimal, std::size_t& room) {
  const std::string undoubled = cell.doubled_quotes ? cell.content() : std::string();
  const std::string_view text = trim(cell.doubled_quotes ? std::string_view(undoubled) : cell.text);
  if (const auto known = index_.find(text); known != index_.end()) {
    Word& word = words_[known->second];
    ++word.cells;
    ++kinds_[word.kind].count;
    return static_cast<double>(known->second);
  }
  Word word{std::string(text), 1, cell.line, kText};
  word.kind = kind_of(word.text, decimal, cell.line);
  ++kinds_[word.kind].count;
  constexpr std::size_t kLongest = 200;  // more is free text
  if (words_.size() == kMostWords || room == 0 || text.size() > kLongest) {
    overflow_ = true;
    return 0.0;
  }
  --room;
  const std::size_t number = words_.size();
  words_.push_back(std::move(word));
  index_.emplace(words_.back().text, number);
  return static_cast<double>(number);
}

std::string level_spelling(const std::string& word) {
  std::string lower = lower_case(word);
  if (lower == "true" || lower == "false") return lower;
  for (const auto& [spelling, value] : kBooleansOfExcel) {
    if (word == spelling) return std::string(value);
  }
  return word;
}

std::vector<std::string> sorted_levels(std::vector<std::string> words) {
  for (std::string& word : words) word = level_spelling(word);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  // One that never changes still has the other.
  if (words.size() == 1 && (words[0] == "true" || words[0] == "false")) return {"false", "true"};
  if (words.size() != 2) return words;
  for (const auto& [negative, positive] : kOpposites) {
    if (lower_case(words[0]) == positive && lower_case(words[1]) == negative) std::swap(words[0], words[1]);
  }
  return words;
}

}  // namespace olem::internal
