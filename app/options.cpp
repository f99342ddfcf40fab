#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "olem/error.h"
#include "olem/graph_learner.h"
#include "pages.h"
#include "session.h"
#include "spelling.h"

namespace olem::app {

namespace {

std::string escape_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string verb_tables(const CLI::App& verb, const std::string& before = "") {
  std::string page = fmt::format("\n## olem {}{}\n\n{}.\n", before, verb.get_name(), verb.get_description());
  std::vector<std::string> groups;
  std::map<std::string, std::string> rows;
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : option->get_name(false, true);
    if (option == verb.get_help_ptr() || option == verb.get_help_all_ptr()) continue;
    const std::string group = option->get_positional() ? "Arguments" : option->get_group();
    if (rows.find(group) == rows.end()) groups.push_back(group);
    const std::string type = option->get_positional() ? "" : option->get_type_name();
    rows[group] +=
        fmt::format("| `{}{}{}` | {} |\n", name, type.empty() ? "" : " ", type, escape_cell(option->get_description()));
  }
  for (const std::string& group : groups)
    page += fmt::format("\n### {}\n\n| option | meaning |\n| --- | --- |\n{}", group, rows[group]);
  for (const CLI::App* kind : verb.get_subcommands([](const CLI::App*) { return true; })) {
    page += verb_tables(*kind, verb.get_name() + " ");
  }
  return page;
}

std::string values_of(const OptionSet& set) {
  std::string page;
  for (const Option& option : set.options()) {
    page += fmt::format("\n`{}`: {}, default {}.\n", flag_name(option.name), option.rule, option.text());
    if (option.choices.empty()) continue;
    page += "\n";
    for (const Choice& choice : option.choices)
      page += fmt::format("* `{}`: {}\n", choice.name, with_flags(choice.help));
  }
  return page;
}

std::string markdown_page(const CLI::App& app) {
  std::string page =
      "# Options\n\nEvery option of every verb, as `olem options` prints them. Long names without the dashes are the "
      "keys of a "
      "`--config` file.\n";
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) page += verb_tables(*verb);
  GraphOptions graph;
  page += "\n## Methods of olem order and olem graph\n\n";
  for (const GraphLearnerKind& kind : graph_learners()) page += fmt::format("* `{}`: {}\n", kind.name, kind.help);
  page += "\n## Values of the options of the methods\n";
  std::set<std::string> told;
  for (const GraphLearnerKind& kind : graph_learners()) {
    const OptionSet all = kind.describe(graph);
    OptionSet fresh;
    for (const Option& option : all.options()) {
      if (told.insert(option.name).second) fresh.add(option);
    }
    page += values_of(fresh);
  }
  return page;
}

struct OptionsArguments {
  std::string format = "markdown";
  std::string folder;
  bool force = false;
};

constexpr Choice kFormatChoices[] = {{"markdown", "the page docs/options.md"},
                                     {"bash", "completion for bash"},
                                     {"zsh", "completion for zsh"},
                                     {"fish", "completion for fish"}};

// Below share/ of an installation, where the shells of Debian and man look.
std::vector<Page> installed_pages(const CLI::App& app) {
  std::vector<Page> pages = manual_pages(app);
  pages.push_back({"bash-completion/completions/olem", bash_completion(app)});
  pages.push_back({"zsh/vendor-completions/_olem", zsh_completion(app)});
  pages.push_back({"fish/vendor_completions.d/olem.fish", fish_completion(app)});
  return pages;
}

void write_pages(const CLI::App& app, const OptionsArguments& arguments) {
  for (const Page& page : installed_pages(app)) {
    const std::filesystem::path path = std::filesystem::path(arguments.folder) / page.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      throw Error(ErrorCategory::kFile,
                  fmt::format("Cannot make the folder {}: {}.", path.parent_path().string(), error.message()));
    }
    write_file_atomically(path.string(), page.text, arguments.force);
  }
}

int run_options(const CLI::App& app, const OptionsArguments& arguments) {
  if (!arguments.folder.empty()) {
    write_pages(app, arguments);
  } else if (arguments.format == "bash") {
    print_out(bash_completion(app));
  } else if (arguments.format == "zsh") {
    print_out(zsh_completion(app));
  } else if (arguments.format == "fish") {
    print_out(fish_completion(app));
  } else {
    print_out(markdown_page(app));
  }
  return 0;
}

}  // namespace

std::function<int()> fill_options_verb(CLI::App* verb) {
  auto arguments = std::make_shared<OptionsArguments>();
  OptionSet format;
  format.name_choice("format", arguments->format, kFormatChoices, "what to print");
  const std::string group = "Output";
  add_described_options(*verb, format, group);
  verb->add_option("-o,--output", arguments->folder,
                   "write manual pages and completions into this folder instead, laid out like /usr/share")
      ->type_name("FOLDER")
      ->group(group);
  verb->add_flag("--force", arguments->force, "replace files that exist")->group(group);
  verb->footer(R"(
Examples:
  olem options > options.md
  source <(olem options --format bash)
  olem options -o ~/.local/share

Exit codes: 0 done, 2 usage, 5 file.)");
  return [verb, arguments] { return run_options(*verb->get_parent(), *arguments); };
}

}  // namespace olem::app
