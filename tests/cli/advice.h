#pragma once

#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "helpers.h"

namespace olem::test {

// The flags in a text, each with the verb that stands behind it in "--ties NAME of olem order", else with "". What
// stands in quotes is a name of the user's or an echo of the command line, and no advice.
inline std::vector<std::pair<std::string, std::string>> flags_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> flags;
  const auto in_flag = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    std::size_t end = at + 2;
    while (end < text.size() && in_flag(text[end])) ++end;
    const std::string flag(text.substr(at, end - at));
    at = end;
    if (flag.size() < 3 || flag[2] == '-' || (before != ' ' && before != '(' && before != '\n')) continue;
    // The value stands between the flag and its verb: one word, or several in quotes.
    constexpr std::string_view kOf = " of olem ";
    const std::size_t of = text.find(kOf, end);
    const std::string_view value = of == std::string_view::npos ? "" : text.substr(end, of - end);
    const bool near = of != std::string_view::npos &&
                      (value.starts_with(" '") ? value.ends_with('\'') : value.find(' ', 1) == std::string_view::npos);
    std::string verb;
    if (near) {
      const std::size_t first = of + kOf.size();
      std::size_t last = first;
      while (last < text.size() && std::islower(static_cast<unsigned char>(text[last])) != 0) ++last;
      verb = text.substr(first, last - first);
    }
    flags.emplace_back(flag, verb);
  }
  return flags;
}

// The flags of a verb, as `olem VERB --help-all` lists them.
inline const std::set<std::string>& flags_of(const std::vector<std::string>& verb) {
  static std::map<std::vector<std::string>, std::set<std::string>> known;
  const auto [place, is_new] = known.try_emplace(verb);
  if (!is_new) return place->second;
  const std::string help = run_olem(joined(verb, {"--help-all"})).out;
  for (std::size_t line = 0; line < help.size(); line = help.find('\n', line) + 1) {
    const std::string_view rest = std::string_view(help).substr(line, help.find('\n', line) - line);
    const std::size_t flag = rest.find_first_not_of(' ');
    constexpr std::size_t kFarthest = 8;  // descriptions stand further to the right
    if (flag != std::string_view::npos && flag > 0 && flag <= kFarthest && rest[flag] == '-') {
      const std::size_t dashes = rest.find("--");
      if (dashes == std::string_view::npos) continue;
      place->second.insert(std::string(rest.substr(dashes, rest.find_first_of(" ,=", dashes) - dashes)));
    }
  }
  return place->second;
}

// The words of a command line that name its verb.
inline std::vector<std::string> verb_in(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return {};
  if (arguments[0] == "simulate" && arguments.size() > 1) return {arguments[0], arguments[1]};
  return {arguments[0]};
}

// What the text advises although the verb at hand, or the one that it names, does not have it: flags, and keys of a
// task that no task may have.
inline std::vector<std::string> unknown_advice(const std::vector<std::string>& verb, const std::string& text) {
  static const std::set<std::string> kTaskKeys = {
      "name",     "note",   "data", "reading",         "columns",     "context",      "alterable", "outcome", "desired",
      "observed", "before", "cost", "max_alterations", "constraints", "known_before", "after",     "ignore"};
  std::vector<std::string> unknown;
  for (const auto& [flag, other] : flags_in(text)) {
    if (!flags_of(other.empty() ? verb : std::vector<std::string>{other}).contains(flag)) unknown.push_back(flag);
  }
  constexpr std::string_view kInTask = "\" in the task";
  for (std::size_t end = text.find(kInTask); end != std::string::npos; end = text.find(kInTask, end + 1)) {
    const std::size_t open = text.rfind('"', end - 1);
    const std::string key = text.substr(open + 1, end - open - 1);
    if (!kTaskKeys.contains(key)) unknown.push_back(key);
  }
  return unknown;
}

// Everything that olem says can be done as it says.
inline void expect_sound_advice(const std::vector<std::string>& arguments, const ProcessResult& result) {
  const std::vector<std::string> verb = verb_in(arguments);
  if (verb.empty() || verb[0].starts_with('-')) return;
  EXPECT_THAT(unknown_advice(verb, result.err), testing::ElementsAre()) << result.err;
  const auto json = nlohmann::ordered_json::parse(result.out, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    EXPECT_THAT(unknown_advice(verb, result.out), testing::ElementsAre()) << result.out;
    return;
  }
  for (const char* const key : {"warnings", "problems"}) {
    if (!json.contains(key)) continue;
    for (const auto& entry : json[key]) {
      const std::string text = entry["text"].get<std::string>() + " " + entry.value("remedy", "");
      EXPECT_THAT(unknown_advice(verb, text), testing::ElementsAre()) << text;
      for (const auto& remedy : entry["remedies"]) {
        const std::string advice = remedy["advice"];
        EXPECT_FALSE(advice.empty());
        EXPECT_THAT(flags_in(advice), testing::ElementsAre()) << advice;
        EXPECT_FALSE(advice.ends_with('.')) << advice;
      }
    }
  }
}

}  // namespace olem::test
