#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "olem/version.h"
#include "pages.h"

namespace olem::app {

namespace {

// Text as roff prints it: a dash that can be copied into a shell, and no line that begins like a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += fmt::format("\\&{}", c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string page_heading(const std::string& title) {
  return fmt::format(".TH {} 1 \"\" \"olem {}\" \"Causal orders and decisions\"\n", roff(upper_case(title)), version());
}

// "-o, --output FILE"
std::string flag_heading(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("\\fB\\-{}\\fR, ", roff(name));
  for (const std::string& name : option.get_lnames()) names += fmt::format("\\fB\\-\\-{}\\fR, ", roff(name));
  names.erase(names.size() - 2);
  const std::string type = option.get_type_name();
  return option.get_expected_max() == 0 || type.empty() ? names : fmt::format("{} \\fI{}\\fR", names, roff(type));
}

// Arguments, then the flags by group in the order of --help, which stands last itself.
std::string options_sections(const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> groups = {{"Arguments", ""}};
  for (const CLI::Option* option : command.get_options()) {
    const bool positional = option->get_positional();
    const bool help = option == command.get_help_ptr() || option == command.get_help_all_ptr();
    const std::string group = positional ? "Arguments" : help ? "Help" : option->get_group();
    auto place = std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return known.first == group; });
    if (place == groups.end()) place = groups.insert(groups.end(), {group, ""});
    const std::string title =
        positional ? fmt::format("\\fI{}\\fR", roff(option->get_name(true))) : flag_heading(*option);
    place->second += fmt::format(".TP\n{}\n{}\n", title, roff(option->get_description()));
  }
  std::stable_partition(groups.begin(), groups.end(), [](const auto& group) { return group.first != "Help"; });
  std::string text;
  for (const auto& [name, flags] : groups) {
    if (!flags.empty()) text += fmt::format(".SS {}\n{}", roff(name), flags);
  }
  return text;
}

// What stands below --help as sections: a line such as "Examples:" begins one, and so do the exit codes; indented lines
// are kept as they are; other text is filled, under NOTES.
std::string footer_sections(const std::string& footer) {
  constexpr std::string_view kCodes = "Exit codes: ";
  std::string text;
  std::istringstream lines(footer);
  bool verbatim = false;
  bool notes = false;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("  ");
    if (verbatim != indented) text += indented ? ".EX\n" : ".EE\n";
    verbatim = indented;
    if (indented) {
      text += roff(line) + "\n";
    } else if (line.empty()) {
      if (notes) text += ".PP\n";
    } else if (line.ends_with(':')) {
      text += fmt::format(".SH {}\n", roff(upper_case(line.substr(0, line.size() - 1))));
      notes = false;
    } else if (line.starts_with(kCodes)) {
      text += fmt::format(".SH EXIT STATUS\n{}\n", roff(line.substr(kCodes.size())));
      notes = false;
    } else {
      text += fmt::format("{}{}\n", notes ? "" : ".SH NOTES\n", roff(line));
      notes = true;
    }
  }
  if (verbatim) text += ".EE\n";
  // groff warns of a paragraph before a heading.
  for (std::size_t at = 0; (at = text.find(".PP\n.SH", at)) != std::string::npos;) text.erase(at, 4);
  if (text.ends_with(".PP\n")) text.erase(text.size() - 4);
  return text;
}

std::string synopsis(const std::string& words, const CLI::App& command) {
  std::string text = fmt::format("\\fBolem {}\\fR", roff(words));
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = fmt::format("\\fI{}\\fR", roff(option->get_name(true)));
    text += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  return text + " [\\fIoptions\\fR]\n";
}

std::vector<const CLI::App*> parts_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

Page verb_page(const CLI::App& verb) {
  const std::string& name = verb.get_name();
  const std::string title = "olem-" + name;
  std::string text = page_heading(title);
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", roff(title), roff(verb.get_description()));
  const std::vector<const CLI::App*> kinds = parts_of(verb);
  if (kinds.empty()) text += synopsis(name, verb);
  for (const CLI::App* kind : kinds) {
    text += fmt::format("{}{}", kind == kinds.front() ? "" : ".br\n", synopsis(name + " " + kind->get_name(), *kind));
  }
  if (kinds.empty()) text += ".SH OPTIONS\n" + options_sections(verb);
  for (const CLI::App* kind : kinds) {
    text += fmt::format(".SH OLEM {} {}\n{}.\n{}", roff(upper_case(name)), roff(upper_case(kind->get_name())),
                        roff(kind->get_description()), options_sections(*kind));
  }
  text += footer_sections(verb.get_footer());
  text += ".SH SEE ALSO\n.BR olem (1)\n";
  return {fmt::format("man/man1/{}.1", title), std::move(text)};
}

Page program_page(const CLI::App& app) {
  std::string text = page_heading("olem");
  text += ".SH NAME\nolem \\- learn causal orders from data and recommend decisions\n.SH SYNOPSIS\n";
  text +=
      "\\fBolem\\fR \\fIverb\\fR [\\fIarguments\\fR] [\\fIoptions\\fR]\n.br\n\\fBolem\\fR \\fIverb\\fR "
      "\\fB\\-\\-help\\fR\n";
  text += fmt::format(".SH DESCRIPTION\n{}\n.SH VERBS\n", roff(app.get_description()));
  for (const CLI::App* verb : parts_of(app)) {
    text += fmt::format(".TP\n.BR olem\\-{} (1)\n{}\n", roff(verb->get_name()), roff(verb->get_description()));
  }
  text += ".SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options())
    text += fmt::format(".TP\n{}\n{}\n", flag_heading(*option), roff(option->get_description()));
  text += footer_sections(app.get_footer());
  text += ".SH EXIT STATUS\n";
  const std::pair<int, const char*> codes[] = {{0, "done"},
                                               {2, "usage: a flag or its value"},
                                               {3, "bad input: the content of a file"},
                                               {4, "the task cannot be solved as stated"},
                                               {5, "a file is missing, unreadable or cannot be written"},
                                               {6, "not enough memory or time"},
                                               {70, "a defect of olem"},
                                               {130, "interrupted"}};
  for (const auto& [code, meaning] : codes) text += fmt::format(".TP\n{}\n{}\n", code, roff(meaning));
  return {"man/man1/olem.1", std::move(text)};
}

}  // namespace

std::vector<Page> manual_pages(const CLI::App& app) {
  std::vector<Page> pages = {program_page(app)};
  for (const CLI::App* verb : parts_of(app)) pages.push_back(verb_page(*verb));
  return pages;
}

}  // namespace olem::app
