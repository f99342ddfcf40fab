#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "olem/json.h"

namespace olem {

// What is known about the order before looking at the data, by column name.
struct Knowledge {
  // Every variable of a tier comes before every variable of each later tier. Variables that are in no tier are
  // free. An empty list: no tiers.
  std::vector<std::vector<std::string>> tiers;
  std::vector<std::pair<std::string, std::string>> before;  // first comes before second
  std::string source;                                       // where it was read from, for messages

  bool empty() const { return tiers.empty() && before.empty(); }
};

// Reads {"tiers": [["a", "b"], ["c"]], "before": [["a", "c"]]}; comments (//) are allowed. An entry of "before" may be
// a chain of more than two names. Unknown and repeated keys, wrong types and names that stand in two tiers are data
// errors that name the file.
Knowledge read_knowledge(const std::string& path);
Knowledge parse_knowledge(std::string_view text, const std::string& source);
Json to_json(const Knowledge& knowledge);

// The same from lists of names: tiers, the earliest first, and chains in which earlier names come before later ones.
// Throws a usage error for a chain of less than two names, and a data error for a name that stands in two tiers.
Knowledge make_knowledge(std::vector<std::vector<std::string>> tiers,
                         const std::vector<std::vector<std::string>>& before, const std::string& source = "");

// Both together. Only one of them may have tiers, since the order between two lists of tiers is not known; otherwise
// a usage error.
Knowledge combine_knowledge(const Knowledge& first, const Knowledge& second);

// The knowledge about the columns of one table, ready to be obeyed: a strict partial order, closed under
// transitivity. Built in O(d^3 / 64), d^2 / 8 bytes.
class Precedence {
 public:
  Precedence() = default;  // nothing is known
  // Throws a data error for a name that is no column (with the closest one) or stands in two tiers, and for a
  // contradiction: its shortest cycle is printed as a -> b -> a with the statements that make it.
  Precedence(const Knowledge& knowledge, const std::vector<std::string>& names);

  bool empty() const { return successors_.empty(); }
  // True when i must come before j.
  bool precedes(std::size_t i, std::size_t j) const {
    return !empty() && ((successors_[i * words_ + j / 64] >> (j % 64)) & 1U) != 0;
  }
  // True when no other variable of `remaining` must come after `candidate`: it may be last among them.
  bool may_be_last(std::size_t candidate, std::span<const std::size_t> remaining) const;
  // All variables of `remaining` that may be last among them, in the order given; never empty unless `remaining` is.
  // O(|remaining| d / 64).
  std::vector<std::size_t> last_candidates(std::span<const std::size_t> remaining) const;

  // The same order among some of the columns, renumbered: `columns[i]` becomes i. What follows through a column that
  // is left out stays known.
  Precedence restricted_to(std::span<const std::size_t> columns) const;

 private:
  explicit Precedence(std::size_t size);
  void set(std::size_t i, std::size_t j) { successors_[i * words_ + j / 64] |= std::uint64_t{1} << (j % 64); }

  std::size_t words_ = 0;                  // of one row
  std::vector<std::uint64_t> successors_;  // row i, bit j: i comes before j
};

// What an order of columns turns round of what is known, as "a before b, c before d and 3 more"; empty when nothing.
std::string contradiction_text(const Precedence& known, std::span<const std::size_t> order,
                               const std::vector<std::string>& names);

}  // namespace olem
