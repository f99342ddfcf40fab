#include <fmt/format.h>

#include <algorithm>

#include "choices.h"
#include "pages.h"

namespace olem::app {

namespace {

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The names of an option with their dashes: -o --output.
std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

// In single quotes for zsh.
std::string zsh_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// In single quotes for fish, where a backslash escapes too.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
  return out + "'";
}

// A part of a specification of zsh's _arguments, in which these characters mean something.
std::string zsh_part(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '[' || c == ']' || c == ':' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
  return out;
}

// What zsh completes for a value: ":name:action".
std::string zsh_value(const CLI::Option& option, const std::string& name) {
  switch (value_kind(option)) {
    case ValueKind::kNone: return "";
    case ValueKind::kChoice: return fmt::format(":{}:({})", zsh_part(name), fmt::join(choices_of(option), " "));
    case ValueKind::kFile: return fmt::format(":{}:_files", zsh_part(name));
    case ValueKind::kFolder: return fmt::format(":{}:_files -/", zsh_part(name));
    case ValueKind::kOther: break;
  }
  return fmt::format(":{}: ", zsh_part(name));
}

std::string zsh_arguments(const CLI::App& command) {
  std::string text = "_arguments -s";
  int place = 0;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      const char* const optional = option->get_required() ? "" : ":";
      const std::string value = zsh_value(*option, option->get_name(true));
      text += fmt::format(" \\\n        {}", zsh_quoted(fmt::format("{}{}{}", ++place, optional, value)));
      continue;
    }
    const std::vector<std::string> flags = flags_of(*option);
    const bool repeats = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    for (const std::string& flag : flags) {
      const std::string others = repeats ? "*" : fmt::format("({})", fmt::join(flags, " "));
      const std::string equals = value_kind(*option) == ValueKind::kNone ? "" : flag.starts_with("--") ? "=" : "+";
      const std::string spec = fmt::format("{}{}{}[{}]{}", others, flag, equals, zsh_part(option->get_description()),
                                           zsh_value(*option, option->get_type_name()));
      text += fmt::format(" \\\n        {}", zsh_quoted(spec));
    }
  }
  return text + "\n";
}

std::string zsh_commands(const std::vector<const CLI::App*>& commands, const std::string& what) {
  std::string text = "local -a commands=(";
  for (const CLI::App* command : commands) {
    text += " " + zsh_quoted(fmt::format("{}:{}", command->get_name(), command->get_description()));
  }
  return text + fmt::format(" )\n      _describe -t commands {} commands\n", what);
}

// One line for an option of one command.
std::string fish_option(const std::string& condition, const CLI::Option& option) {
  std::string line = fmt::format("complete -c olem -n {}", fish_quoted(condition));
  if (!option.get_positional()) {
    for (const std::string& name : option.get_snames()) line += " -s " + name;
    for (const std::string& name : option.get_lnames()) line += " -l " + name;
  }
  switch (value_kind(option)) {
    case ValueKind::kNone: break;
    case ValueKind::kChoice: {
      const std::string names = fmt::format("{}", fmt::join(choices_of(option), " "));
      line += fmt::format("{} -a {}", option.get_positional() ? "" : " -x", fish_quoted(names));
      break;
    }
    case ValueKind::kFile: line += option.get_positional() ? " -F" : " -r -F"; break;
    case ValueKind::kFolder: line += " -x -a '(__fish_complete_directories)'"; break;
    case ValueKind::kOther:
      if (!option.get_positional()) line += " -x";
      break;
  }
  return fmt::format("{} -d {}\n", line, fish_quoted(option.get_description()));
}

}  // namespace

ValueKind value_kind(const CLI::Option& option) {
  if (!choices_of(option).empty()) return ValueKind::kChoice;
  if (option.get_positional()) return ValueKind::kFile;
  if (option.get_expected_max() == 0) return ValueKind::kNone;
  const std::string type = option.get_type_name();
  return type == "FILE" ? ValueKind::kFile : type == "FOLDER" ? ValueKind::kFolder : ValueKind::kOther;
}

std::vector<CommandPath> command_paths(const CLI::App& app) {
  std::vector<CommandPath> paths;
  for (const CLI::App* verb : subcommands(app)) {
    const std::vector<const CLI::App*> kinds = subcommands(*verb);
    if (kinds.empty()) paths.push_back({verb->get_name(), verb});
    for (const CLI::App* kind : kinds) paths.push_back({verb->get_name() + " " + kind->get_name(), kind});
  }
  return paths;
}

std::string bash_completion(const CLI::App& app) {
  std::string verbs_with_kinds;
  std::string kinds;
  for (const CLI::App* verb : subcommands(app)) {
    if (subcommands(*verb).empty()) continue;
    verbs_with_kinds += (verbs_with_kinds.empty() ? "" : " | ") + verb->get_name();
    kinds +=
        fmt::format("      {}) _olem_words {} ;;\n", verb->get_name(), fmt::join(names_of(subcommands(*verb)), " "));
  }
  std::string values;
  std::string positionals;
  std::string flags;
  for (const CommandPath& path : command_paths(app)) {
    std::vector<std::string> own;
    for (const CLI::Option* option : path.app->get_options()) {
      std::string action;
      switch (value_kind(*option)) {
        case ValueKind::kNone: break;
        case ValueKind::kChoice: action = fmt::format("_olem_words {}", fmt::join(choices_of(*option), " ")); break;
        case ValueKind::kFile: action = "return"; break;
        case ValueKind::kFolder: action = "_olem_folders"; break;
        case ValueKind::kOther: action = "_olem_nothing"; break;
      }
      if (option->get_positional()) {
        if (value_kind(*option) == ValueKind::kChoice) {
          positionals += fmt::format("      \"{}\") {} ;;\n", path.words, action);
        }
        continue;
      }
      for (const std::string& flag : flags_of(*option)) {
        own.push_back(flag);
        if (!action.empty()) values += fmt::format("    \"{} {}\") {}; return ;;\n", path.words, flag, action);
      }
    }
    flags += fmt::format("    \"{}\") _olem_words {} ;;\n", path.words, fmt::join(own, " "));
  }
  return fmt::format(
      R"(# Completion of olem for bash. Written by olem options --format bash.
_olem_words() {{ mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur"); }}
_olem_folders() {{ compopt -o dirnames +o default 2> /dev/null; }}
_olem_nothing() {{ compopt +o default 2> /dev/null; }}

# An empty answer is completed as a file.
_olem() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} flag=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _olem_words {0} --help --version
    return
  fi
  case $command in
    {1})
      if ((COMP_CWORD == 2)); then
        case $command in
{2}        esac
        return
      fi
      command+=" ${{COMP_WORDS[2]}}"
      ;;
  esac
  # bash takes --flag=value apart at the sign.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $flag == = ]]; then
    flag=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case "$command $flag" in
{3}  esac
  if [[ $cur != -* ]]; then
    case $command in
{4}    esac
    return
  fi
  case $command in
{5}  esac
}}
complete -o default -F _olem olem
)",
      fmt::join(names_of(subcommands(app)), " "), verbs_with_kinds, kinds, values, positionals, flags);
}

std::string zsh_completion(const CLI::App& app) {
  std::string text = "#compdef olem\n# Completion of olem for zsh. Written by olem options --format zsh.\n_olem() {\n";
  text +=
      fmt::format("  if ((CURRENT == 2)); then\n      {}      return\n  fi\n", zsh_commands(subcommands(app), "verb"));
  text += "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n";
  for (const CLI::App* verb : subcommands(app)) {
    const std::vector<const CLI::App*> kinds = subcommands(*verb);
    if (kinds.empty()) {
      text += fmt::format("    {})\n      {}      ;;\n", verb->get_name(), zsh_arguments(*verb));
      continue;
    }
    text += fmt::format("    {})\n      if ((CURRENT == 2)); then\n      {}      return\n      fi\n", verb->get_name(),
                        zsh_commands(kinds, "kind"));
    text += "      local kind=$words[2]\n      shift words\n      ((CURRENT--))\n      case $kind in\n";
    for (const CLI::App* kind : kinds)
      text += fmt::format("      {})\n      {}      ;;\n", kind->get_name(), zsh_arguments(*kind));
    text += "      esac\n      ;;\n";
  }
  return text + "  esac\n}\n_olem \"$@\"\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string text = R"(# Completion of olem for fish. Written by olem options --format fish.
# Whether the command line begins with these words; and whether it holds no others.
function __olem_begins
    set -l words (commandline -opc)
    set -l last (math (count $argv) + 1)
    test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
end
function __olem_is
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end
complete -c olem -f
)";
  for (const CLI::Option* option : app.get_options()) text += fish_option("__olem_is", *option);
  for (const CLI::App* verb : subcommands(app)) {
    text += fmt::format("complete -c olem -n __olem_is -a {} -d {}\n", verb->get_name(),
                        fish_quoted(verb->get_description()));
    for (const CLI::App* kind : subcommands(*verb)) {
      text += fmt::format("complete -c olem -n {} -a {} -d {}\n", fish_quoted("__olem_is " + verb->get_name()),
                          kind->get_name(), fish_quoted(kind->get_description()));
    }
  }
  for (const CommandPath& path : command_paths(app)) {
    for (const CLI::Option* option : path.app->get_options()) {
      text += fish_option("__olem_begins " + path.words, *option);
    }
  }
  return text;
}

}  // namespace olem::app
