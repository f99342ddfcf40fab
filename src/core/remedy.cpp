#include "olem/remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace olem {

namespace {

bool is_number(const std::string& text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

// As between the quotes of a literal: a name of the user's may hold anything.
std::string escaped(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      shown += fmt::format("\\{}", c);
    } else if (const auto byte = static_cast<unsigned char>(c); byte < ' ' || byte == 0x7F) {
      shown += fmt::format("\\{:03o}", byte);
    } else {
      shown += c;
    }
  }
  return shown;
}

// Where C++ has an option.
struct Member {
  std::string_view key;
  std::string_view name;          // as it is written
  std::string_view choices = {};  // the enumeration whose enumerators are the values
};

constexpr Member kMembers[] = {
    {"after", "Task::after"},
    {"before", "Knowledge::before"},
    {"bootstrap", "OrderOptions::bootstrap"},
    {"cam_max_parents", "CamOptions::max_parents"},
    {"cam_neighbours", "CamOptions::neighbours"},
    {"clime_lambda", "ListenOptions::clime_lambda"},
    {"constant", "ReadingOptions::constant", "ConstantPolicy"},
    {"criterion", "PruneOptions::criterion", "SmoothingCriterion"},
    {"dag", "GraphOptions::dag"},
    {"decision", "DecisionOptions::method", "DecisionMethod"},
    {"density", "AufSimulationOptions::density"},
    {"device", "EntropyOptions::device", "Device"},
    {"diffan_epochs", "DiffanOptions::epochs"},
    {"diffan_warm_up", "DiffanOptions::warm_up"},
    {"estimator", "EntropyOptions::estimator"},
    {"fresh", "StudyOptions::fresh"},
    {"graph_method", "GraphOptions::method"},
    {"grid_points", "DecisionOptions::grid_points"},
    {"independence_alpha", "IndependenceOptions::alpha"},
    {"instruction_set", "EntropyOptions::instruction_set", "InstructionSet"},
    {"journal", "StudyOptions::journal"},
    {"k", "EntropyOptions::k"},
    {"memory", "Context::memory_limit"},
    {"method", "method"},  // of OrderOptions and of GraphOptions
    {"network_epochs", "NetworkOptions::epochs"},
    {"notears_iterations", "NotearsOptions::iterations"},
    {"notears_threshold", "NotearsOptions::threshold"},
    {"observed", "Task::observed"},
    {"olem_plus_units", "OlemPlusOptions::units", "ColumnUnits"},
    {"optimizer", "DecisionOptions::optimizer"},
    {"port", "ServeOptions::port"},
    {"ridge", "EntropyOptions::ridge"},
    {"sampler", "SamplerOptions::sampler"},
    {"smoothing_search", "PruneOptions::smoothing_search", "SmoothingSearch"},
    {"so_far", "DecisionProblem::so_far"},
    {"stein_eta_hessian", "SteinOptions::eta_hessian"},
    {"stein_eta_score", "SteinOptions::eta_score"},
    {"stein_median", "SteinOptions::median", "SteinMedian"},
    {"stein_rows", "SteinOptions::rows"},
    {"tier", "Knowledge::tiers"},
    {"ties", "EntropyOptions::ties", "TiePolicy"},
    {"time_limit", "Context::deadline"},
    {"types", "MixedSimulationOptions::types"},
    {"variables", "variables"},  // of the options of each simulator
};

// Of ReadOptions, which are set by their key and text.
struct ReadMember {
  std::string_view key;
  std::string_view name;
};

constexpr ReadMember kReadMembers[] = {
    {"columns", "columns"},           {"decimal", "decimal"},       {"delimiter", "delimiter"},
    {"drop_columns", "drop_columns"}, {"missing", "missing"},       {"na", "na"},
    {"no_header", "header"},          {"skip_lines", "skip_lines"}, {"type", "types"},
};

// "kOlemRh" of "olem-rh".
std::string enumerator(std::string_view value) {
  std::string name = "k";
  bool capital = true;
  for (const char c : value) {
    if (c == '-' || c == '_') {
      capital = true;
      continue;
    }
    name += capital && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    capital = false;
  }
  return name;
}

std::optional<std::string> as_member(const Remedy& remedy) {
  const auto has_key = [&](const auto& entry) { return entry.key == remedy.option; };
  const std::string& value = remedy.value;
  if (const auto* const read = std::find_if(std::begin(kReadMembers), std::end(kReadMembers), has_key);
      read != std::end(kReadMembers)) {
    return value.empty() ? fmt::format("ReadOptions::{}", read->name)
                         : fmt::format("set_read_option(read, \"{}\", \"{}\")", read->key, escaped(value));
  }
  // Parameters of a call, and what is an option of the programs alone.
  if (remedy.option == "unknown" && !value.empty()) return "UnknownPolicy::" + enumerator(value);
  if (remedy.option == "like" && !value.empty()) return fmt::format("rehearsal_defaults(\"{}\")", escaped(value));
  const auto* const member = std::find_if(std::begin(kMembers), std::end(kMembers), has_key);
  if (member == std::end(kMembers)) return "";
  if (value.empty()) return std::string(member->name);
  if (!member->choices.empty()) return fmt::format("{} = {}::{}", member->name, member->choices, enumerator(value));
  const bool literal = value == "true" || value == "false" || is_number(value);
  return literal ? fmt::format("{} = {}", member->name, value)
                 : fmt::format("{} = \"{}\"", member->name, escaped(value));
}

// Remedies with the same advice, and the ways to do it.
struct Advice {
  std::string text;
  std::vector<std::string> ways;
};

std::vector<Advice> spell_all(std::span<const Remedy> remedies, const Spelling& spelling) {
  std::vector<Advice> all;
  for (Remedy remedy : remedies) {
    // Longer ones, such as the names of hundreds of columns, are in the data alone.
    constexpr std::size_t kLongestValue = 200;
    if (remedy.value.size() > kLongestValue) remedy.value.clear();
    const std::optional<std::string> way = spelling.remedy(remedy);
    if (!way) continue;
    if (all.empty() || all.back().text != remedy.advice) all.push_back({remedy.advice, {}});
    std::vector<std::string>& ways = all.back().ways;
    if (!way->empty() && std::find(ways.begin(), ways.end(), *way) == ways.end()) ways.push_back(*way);
  }
  return all;
}

// "a, b or c"
std::string either(const std::vector<std::string>& ways) {
  if (ways.size() == 1) return ways.front();
  return fmt::format("{} or {}", fmt::join(ways.begin(), ways.end() - 1, ", "), ways.back());
}

std::string lower_first(std::string text) {
  const auto is_in = [&](std::size_t at, char low, char high) {
    return at < text.size() && text[at] >= low && text[at] <= high;
  };
  if (is_in(0, 'A', 'Z') && is_in(1, 'a', 'z')) text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string end_sentence(const std::string& text) { return text.ends_with('?') ? text : text + "."; }

}  // namespace

const Spelling& member_spelling() {
  static const Spelling kSpelling{[](std::string_view key) { return std::string(key); }, as_member};
  return kSpelling;
}

const Spelling& advice_spelling() {
  static const Spelling kSpelling{[](std::string_view key) { return std::string(key); },
                                  [](const Remedy&) { return std::optional<std::string>(""); }};
  return kSpelling;
}

std::string remedy_text(std::span<const Remedy> remedies, const Spelling& spelling) {
  const std::vector<Advice> all = spell_all(remedies, spelling);
  if (all.empty()) return "";
  if (all.size() == 1) {
    const Advice& only = all.front();
    return end_sentence(only.ways.empty() ? only.text : fmt::format("{}: {}", only.text, either(only.ways)));
  }
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += i + 1 == all.size() ? ", or " : ", ";
    text += i == 0 ? all[i].text : lower_first(all[i].text);
    if (!all[i].ways.empty()) text += fmt::format(" ({})", either(all[i].ways));
  }
  return end_sentence(text);
}

std::string spell_references(std::string_view text, const Spelling& spelling) {
  std::string spelled;
  for (;;) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    spelled += text.substr(0, close == std::string_view::npos ? close : open);
    if (close == std::string_view::npos) return spelled;
    spelled += spelling.option(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
}

std::string name_list(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ",";
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const bool plain = name.find_first_of(",\"") == std::string::npos &&
                       (name.empty() || (!is_blank(name.front()) && !is_blank(name.back())));
    if (plain) {
      list += name;
      continue;
    }
    list += '"';
    for (const char c : name) list += c == '"' ? "\"\"" : std::string(1, c);
    list += '"';
  }
  return list;
}

Remedy leave_out(std::span<const std::string> columns) {
  return {columns.size() == 1 ? "Leave the column out" : "Leave the columns out", "drop_columns", name_list(columns)};
}

Json to_json(const std::vector<Remedy>& remedies) {
  Json list = Json::array();
  for (const Remedy& remedy : remedies)
    list.push_back({{"advice", remedy.advice}, {"option", remedy.option}, {"value", remedy.value}});
  return list;
}

}  // namespace olem
