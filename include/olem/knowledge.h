#pragma once

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

  bool empty() const { return tiers.empty() && before.empty(); }
};

// Reads {"tiers": [["a", "b"], ["c"]], "before": [["a", "c"]]}; comments (//) are allowed. Unknown keys, wrong types
// and names that stand in two tiers are data errors.
Knowledge read_knowledge(const std::string& path);
Knowledge parse_knowledge(std::string_view text, const std::string& source);
Json to_json(const Knowledge& knowledge);

// The knowledge about the columns of one table, ready to be obeyed: a strict partial order, closed under
// transitivity. O(d^3 / 64) to build.
class Precedence {
 public:
  Precedence() = default;  // nothing is known
  // Throws a data error for an unknown name (with the closest one) and for a contradiction, whose cycle it prints
  // as a -> b -> a.
  Precedence(const Knowledge& knowledge, const std::vector<std::string>& names);

  bool empty() const { return must_precede_.empty(); }
  // True when i must come before j.
  bool precedes(std::size_t i, std::size_t j) const { return !empty() && must_precede_[i][j]; }
  // True when no other variable of `remaining` must come after `candidate`: it may be last among them.
  bool may_be_last(std::size_t candidate, const std::vector<std::size_t>& remaining) const;

 private:
  std::vector<std::vector<bool>> must_precede_;
};

}  // namespace olem
