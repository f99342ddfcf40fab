#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "olem/json.h"

namespace olem {

// One way to mend what an error, a warning or a problem is about. It is data, so that each surface (C++, command line,
// Python) names the option that it really has.
struct Remedy {
  std::string advice;       // an imperative clause that names no option, without full stop: "Leave the column out"
  std::string option = {};  // key of the option that does it: "drop_columns"; empty: the advice alone
  std::string value = {};   // as a user would type it: "Light"; empty where the user must choose
};

// How a surface names options.
struct Spelling {
  // The option with this key, where it is the subject of a message: "k" or "--k".
  std::function<std::string(std::string_view key)> option;
  // What to write behind the advice: "--drop-columns Light". Empty: the surface has no such option, and the advice
  // stands alone. No value: the advice means nothing there either, and the remedy is left out.
  std::function<std::optional<std::string>(const Remedy& remedy)> remedy;
};

// Of C++: EntropyOptions::ridge = 1e-8, set_read_option(read, "na", "-1"), or the advice alone where no member does it.
const Spelling& member_spelling();

// Of a reader who has no options at hand: every advice stands alone.
const Spelling& advice_spelling();

// The remedies as one sentence, alternatives joined by "or"; "" when there is none. Neighbours with the same advice say
// it once:
//   Leave the column out: --drop-columns Light.
//   Leave the column out (--drop-columns Light or --constant drop), or give more rows.
std::string remedy_text(std::span<const Remedy> remedies, const Spelling& spelling = member_spelling());

// A text of the library itself, such as a help line, with every `key` in backquotes as the surface names that option.
// Not for texts that hold names of the user's.
std::string spell_references(std::string_view text, const Spelling& spelling);

// The columns as the value of an option that takes a list of names: separated by commas, in quotes where needed.
std::string name_list(std::span<const std::string> names);

// Leave these columns out.
Remedy leave_out(std::span<const std::string> columns);

// [{"advice", "option", "value"}]
Json to_json(const std::vector<Remedy>& remedies);

}  // namespace olem
