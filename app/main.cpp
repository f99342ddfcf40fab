#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>

#include "command_line.h"
#include "help.h"
#include "olem/error.h"
#include "olem/version.h"
#include "session.h"
#include "spelling.h"
#include "terminal.h"

namespace {

using olem::Error;
using olem::ErrorCategory;

struct Verb {
  const char* name;
  const char* help;
  std::function<int()> (*fill)(CLI::App* verb);
};

// The verb that shows the flags of all others.
constexpr const char* kOptionsVerb = "options";
constexpr const char* kHelpVerb = "help";

constexpr Verb kVerbs[] = {
    {"init", "draft a task from a table, with guesses and comments to read and change", olem::app::fill_init_verb},
    {"order", "learn the causal order of the columns of a table", olem::app::fill_order_verb},
    {"graph", "learn a causal graph, by an order and the edges that the data needs or at once",
     olem::app::fill_graph_verb},
    {"compare", "compare a learned graph or order with the true graph", olem::app::fill_compare_verb},
    {"simulate", "make data with a known truth", olem::app::fill_simulate_verb},
    {"fit", "learn the order and the samplers of a task and keep them in a file", olem::app::fill_fit_verb},
    {"update", "bring a model up to date with new rows", olem::app::fill_update_verb},
    {"decide", "find what to change so that the outcome ends up where it is wanted", olem::app::fill_decide_verb},
    {"explain", "show what each alterable variable can do for the outcome, alone and in pairs",
     olem::app::fill_explain_verb},
    {"report", "make a page that explains a result, for a browser or for print", olem::app::fill_report_verb},
    {"serve", "rehearse decisions in a browser: levers, forecasts, recommendations", olem::app::fill_serve_verb},
    {"study", "repeat the experiments of the paper beside its numbers", olem::app::fill_study_verb},
    {"check", "list what is wrong or doubtful about a table, a task or a model, and what to do",
     olem::app::fill_check_verb},
    {"explain-warning", "explain a warning by its code: what it means and what to do",
     olem::app::fill_explain_warning_verb},
    {kHelpVerb, "show the options of a verb that are needed most, with examples", olem::app::fill_help_verb},
    {kOptionsVerb, "print every option of every verb, or completions for a shell; write manual pages",
     olem::app::fill_options_verb},
};

// Takes no memory, of which there may be none.
int report(ErrorCategory category, const char* message, const char* more = "") {
  const bool coloured = olem::app::has_colours(STDERR_FILENO);
  std::fprintf(stderr, "%solem:%s %s%s\n", coloured ? "\x1b[31m" : "", coloured ? "\x1b[0m" : "", message, more);
  return olem::exit_code(category);
}

int report_no_memory() {
  return report(ErrorCategory::kResource, "There is not enough memory. Use fewer rows or columns.");
}

// The verb, or the kind of it, that was understood last.
const CLI::App& verb_at_hand(const CLI::App& app) {
  const CLI::App* verb = &app;
  for (auto parsed = verb->get_subcommands(); !parsed.empty(); parsed = verb->get_subcommands()) verb = parsed.back();
  return *verb;
}

int run(std::vector<std::string> arguments) {
  CLI::App app(
      "olem learns the causal order of the columns of a table, graphs from it, and what to change so that an outcome\n"
      "ends up where it is wanted. It reports the evidence for each step and obeys what you know.",
      "olem");
  app.set_version_flag("-V,--version", std::string(olem::version()));
  app.require_subcommand(1);
  app.formatter(olem::app::help_formatter());
  app.footer(R"(
Examples:
  olem init data.csv             a task to start from
  olem order data.csv            the order of the columns, causes first
  olem graph data.csv            the edges that the data needs
  olem check data.csv            what is wrong with the data
  olem decide task.json          what to change, and to what value
  olem explain task.json         what each variable can do, alone and in pairs
  olem report r.json -o r.html   a page about a result
  olem fit task.json -o m.olem   a model to decide with again and again
  olem serve m.olem              a page to rehearse decisions in a browser
  olem help order                the options that are needed most, with examples
  olem order --help-all          every option)");
  // Only what may be meant gets its flags: all of them together take half of the time of a start.
  const auto is_said = [&](const char* word) {
    return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
  };
  std::vector<std::pair<const CLI::App*, std::function<int()>>> works;
  for (const Verb& verb : kVerbs) {
    CLI::App* const added = app.add_subcommand(verb.name, verb.help);
    added->group("Verbs");
    added->set_help_all_flag("--help-all", "Print every option, by group, and exit");
    if (is_said(verb.name) || is_said(kOptionsVerb)) works.emplace_back(added, verb.fill(added));
  }
  try {
    arguments = olem::app::expand_config(app, std::move(arguments));
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
    olem::app::catch_signals();
    for (const auto& [verb, work] : works) {
      if (verb->parsed()) return work();
    }
  } catch (const CLI::Success& request) {
    std::ostringstream page;  // --help and --version
    const int code = app.exit(request, page, page);
    olem::app::print_out(page.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return report(ErrorCategory::kUsage, olem::app::explain_parse_error(app, error, arguments).c_str());
  } catch (const Error& error) {
    if (error.category() == ErrorCategory::kInterrupted && olem::app::memory_ran_out()) return report_no_memory();
    return report(error.category(), error.text(olem::app::flag_spelling(verb_at_hand(app))).c_str());
  }
  return report(ErrorCategory::kInternal, "No verb ran. This is a defect; please report it.");
}

}  // namespace

int main(int argc, char** argv) {
  olem::app::keep_memory_reserve();
  try {
    return run({argv + 1, argv + argc});
  } catch (const Error& error) {  // while telling of another end, such as --help
    return report(error.category(), error.what());
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  } catch (const std::exception& error) {
    return report(ErrorCategory::kInternal, error.what(),
                  " This is a defect of olem; please report it with the command.");
  }
}
