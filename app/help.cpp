#include "help.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "choices.h"
#include "command_line.h"
#include "olem/error.h"
#include "olem/text.h"
#include "session.h"
#include "terminal.h"

namespace olem::app {

namespace {

constexpr std::size_t kPageWidth = 110;

class HelpFormatter : public CLI::Formatter {
 public:
  // Descriptions wrapped beside the names.
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr std::size_t kLeast = 40;
    const std::size_t terminal = terminal_width(STDOUT_FILENO);
    const std::size_t width = std::min(terminal == 0 ? kPageWidth : terminal, kPageWidth);
    const std::string& text = option->get_description();
    if (text.empty()) return "";
    std::string lines = wrap_text(text, std::max(width - std::min(width, get_column_width()), kLeast));
    lines.pop_back();
    return lines;
  }

  // Positional arguments have a name that says what they are, and no type.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) return "";
    // Defaults stand in the descriptions, and a flag that rules another out says so by its words.
    std::string text = CLI::Formatter::make_option_opts(option);
    text.erase(std::min(text.find(" Excludes:"), text.size()));
    const std::string value = "=" + option->get_default_str();
    if (value.size() > 1 && text.ends_with(value)) text.resize(text.size() - value.size());
    return text;
  }

  std::string make_help(const CLI::App* verb, std::string name, CLI::AppFormatMode mode) const override {
    // A kind of a verb may have the name of a verb: olem simulate order.
    const bool is_verb = verb->get_parent() != nullptr && verb->get_parent()->get_parent() == nullptr;
    const std::vector<std::string> first = is_verb ? first_flags(verb->get_name()) : std::vector<std::string>();
    if (mode != CLI::AppFormatMode::Normal || first.empty()) return CLI::Formatter::make_help(verb, name, mode);
    std::vector<const CLI::Option*> shown;
    for (const std::string& flag : first) {
      if (const CLI::Option* const option = find_flag(*verb, "--" + flag)) shown.push_back(option);
    }
    const auto all = verb->get_options([](const CLI::Option* option) { return option->nonpositional(); });
    return make_description(verb) + make_usage(verb, std::move(name)) + make_positionals(verb) +
           make_group("Options", false, shown) +
           fmt::format("\nAll {} options, by group: olem {} --help-all\n", all.size() - 2, verb->get_name()) +
           make_footer(verb);
  }
};

struct HelpArguments {
  std::vector<std::string> words;
};

int print_help(const CLI::App& app, const HelpArguments& arguments) {
  const CLI::App* verb = &app;
  std::string before;
  for (const std::string& word : arguments.words) {
    const auto found = verb->get_subcommands([&](const CLI::App* part) { return part->get_name() == word; });
    if (found.empty()) {
      std::vector<std::string> names;
      for (const CLI::App* part : verb->get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(part->get_name());
      throw Error(ErrorCategory::kUsage,
                  verb == &app ? unknown_verb_text(word, names) : unknown_kind_text(verb->get_name(), word, names));
    }
    before += (before.empty() ? "" : " ") + verb->get_name();
    verb = found.front();
  }
  // Not app.help(): that of the program would be that of the verb at hand, which is this one.
  print_out(app.get_formatter()->make_help(verb, before.empty() ? app.get_name() : before + " " + verb->get_name(),
                                           CLI::AppFormatMode::Normal));
  return 0;
}

}  // namespace

std::vector<std::string> first_flags(const std::string& verb) {
  static const std::map<std::string, std::vector<std::string>> kFlags = {
      {"order",
       {"method", "before", "tier", "knowledge", "bootstrap", "columns", "drop-columns", "missing", "json", "output"}},
      {"graph", {"method", "order", "cutoff", "before", "tier", "columns", "missing", "graph-file", "json", "output"}},
      {"fit",
       {"output", "data", "sampler", "method", "order", "graph", "missing", "drop-columns", "no-calibrate", "seed"}},
      {"decide",
       {"model", "context", "contexts", "target", "proposals", "quick", "missing", "report", "json", "output"}},
      {"explain", {"model", "context", "contexts", "at", "sampler", "missing", "points", "svg", "json", "output"}},
      {"serve", {"port", "log", "target", "proposals", "caution", "time-limit", "seed", "threads"}},
  };
  const auto place = kFlags.find(verb);
  return place == kFlags.end() ? std::vector<std::string>() : place->second;
}

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->label("SUBCOMMAND", "VERB");
  formatter->label("SUBCOMMANDS", "VERB");
  formatter->label("Positionals", "Arguments");
  return formatter;
}

std::function<int()> fill_help_verb(CLI::App* verb) {
  auto arguments = std::make_shared<HelpArguments>();
  CLI::Option* const option =
      verb->add_option("VERB", arguments->words, "verb, and its kind if it has several; without it, the list of verbs");
  std::vector<std::string> names;
  for (const CLI::App* other : verb->get_parent()->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(other->get_name());
  keep_choices(*option, std::move(names));
  verb->footer(R"(
Examples:
  olem help
  olem help decide
  olem help simulate auf
  olem decide --help-all

Exit codes: 0 done, 2 usage.)");
  return [verb, arguments] { return print_help(*verb->get_parent(), *arguments); };
}

}  // namespace olem::app
