#include "spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <utility>

#include "command_line.h"
#include "session.h"

namespace olem::app {

namespace {

// What a task says that other verbs have flags for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTaskKeys = {
    {{"before", "before"}, {"tier", "before"}, {"observed", "observed"}, {"after", "after"}}};

std::string_view task_key(std::string_view option) {
  for (const auto& [name, key] : kTaskKeys) {
    if (name == option) return key;
  }
  return "";
}

struct OtherVerb {
  std::string_view name;
  std::function<int()> (*fill)(CLI::App* verb);
};

// The verbs that learn what a verb looks at or works with.
std::vector<OtherVerb> related_verbs(const std::string& verb, bool reads_task) {
  if (verb == "serve") return {{"fit", fill_fit_verb}};
  if (verb == "check" && reads_task) return {{"fit", fill_fit_verb}, {"decide", fill_decide_verb}};
  if (verb == "check") return {{"order", fill_order_verb}, {"fit", fill_fit_verb}};
  return {};
}

bool is_learned_elsewhere(const CLI::App& verb, const CLI::Option& own) {
  return flag_given(verb, "--model") && own.get_group() != kResourceGroup && own.get_group() != "Context";
}

std::string spell_flag(const CLI::Option& option, const Remedy& remedy) {
  const std::string flag = flag_name(remedy.option);
  if (option.get_expected_max() == 0) return remedy.value == "false" ? "without " + flag : flag;
  if (remedy.value.empty()) return fmt::format("{} {}", flag, option.get_type_name());
  return fmt::format("{}{}{}", flag, remedy.value.starts_with('-') ? "=" : " ", shell_word(remedy.value));
}

// Fills the other verb for the purpose: an ordinary run makes the flags of one verb only.
std::optional<std::string> spell_for_other(const OtherVerb& other, const Remedy& remedy) {
  CLI::App verb("", std::string(other.name));
  const auto work = other.fill(&verb);
  const CLI::Option* const option = find_flag(verb, flag_name(remedy.option));
  if (option == nullptr) return std::nullopt;
  return fmt::format("{} of olem {}", spell_flag(*option, remedy), other.name);
}

std::string spell_remedy(const CLI::App& verb, bool reads_task, const Remedy& remedy) {
  if (remedy.option.empty()) return "";
  if (const CLI::Option* const own = find_flag(verb, flag_name(remedy.option)); own != nullptr) {
    if (is_learned_elsewhere(verb, *own)) {
      if (const auto words = spell_for_other({"fit", fill_fit_verb}, remedy)) return *words;
    }
    return spell_flag(*own, remedy);
  }
  if (const std::string_view key = task_key(remedy.option); reads_task && !key.empty())
    return fmt::format("\"{}\" in the task", key);
  for (const OtherVerb& other : related_verbs(verb.get_name(), reads_task)) {
    if (const auto words = spell_for_other(other, remedy)) return *words;
  }
  return "";
}

// Whether a control character, which could make a terminal do something, begins here: also those of two bytes in UTF-8.
bool is_control(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  return byte(at) < ' ' || byte(at) == 0x7F || (byte(at) == 0xC2 && byte(at + 1) >= 0x80 && byte(at + 1) < 0xA0);
}

bool has_task_argument(const CLI::App& verb) {
  const auto options = verb.get_options();
  return verb.get_name() != "check" && std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
           return option->get_positional() && option->get_name(true) == "TASK";
         });
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view kHarmless = "_-+=:,./%@";
  constexpr unsigned char kBeyondAscii = 0x80;
  bool plain = !word.empty();
  bool control = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    plain =
        plain && (byte >= kBeyondAscii || std::isalnum(byte) != 0 || kHarmless.find(word[i]) != std::string_view::npos);
    control = control || is_control(word, i);
  }
  if (control) {
    std::string quoted = "$'";
    for (std::size_t i = 0; i < word.size(); ++i) {
      const auto byte = static_cast<unsigned char>(word[i]);
      const bool hidden = is_control(word, i) || (i > 0 && is_control(word, i - 1) && byte >= kBeyondAscii);
      if (hidden) {
        quoted += fmt::format("\\{:03o}", byte);
      } else {
        quoted += word[i] == '\'' || word[i] == '\\' ? fmt::format("\\{}", word[i]) : std::string(1, word[i]);
      }
    }
    return quoted + "'";
  }
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

Spelling flag_spelling(const CLI::App& verb, bool reads_task) {
  Spelling spelling;
  spelling.option = [&verb](std::string_view option) {
    const std::string flag = flag_name(option);
    return find_flag(verb, flag) != nullptr ? flag : std::string(option);
  };
  spelling.remedy = [&verb, reads_task](const Remedy& remedy) {
    return std::optional<std::string>(spell_remedy(verb, reads_task, remedy));
  };
  return spelling;
}

Spelling flag_spelling(const CLI::App& verb) { return flag_spelling(verb, has_task_argument(verb)); }

std::string with_flags(std::string_view text) {
  static const Spelling kFlags{flag_name, nullptr};
  return spell_references(text, kFlags);
}

}  // namespace olem::app
