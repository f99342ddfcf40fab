#include <cstdio>
#include <exception>
#include <new>
#include <sstream>

#include "command_line.h"
#include "olem/error.h"
#include "olem/version.h"
#include "session.h"

namespace {

using olem::Error;
using olem::ErrorCategory;

// Takes no memory, of which there may be none.
int report(ErrorCategory category, const char* message, const char* more = "") {
  std::fprintf(stderr, "olem: %s%s\n", message, more);
  return olem::exit_code(category);
}

int report_no_memory() {
  return report(ErrorCategory::kResource, "There is not enough memory. Use fewer rows or columns.");
}

int run(std::vector<std::string> arguments) {
  CLI::App app(
      "olem learns the causal order of the columns of a table, graphs from it, and what to change so that an outcome\n"
      "ends up where it is wanted. It says how sure each step is, and obeys what you know.",
      "olem");
  app.set_version_flag("--version", std::string(olem::version()));
  app.require_subcommand(1);
  app.footer(R"(
Examples:
  olem order data.csv            the order of the columns, causes first
  olem graph data.csv            the edges that the data needs
  olem check data.csv            what is wrong with the data
  olem decide task.json          what to change, and to what value
  olem explain task.json         what each variable can do, alone and in pairs
  olem report r.json -o r.html   a page about a result
  olem fit task.json -o m.olem   a model to decide with again and again
  olem order --help              every option, with examples)");
  const std::vector<olem::app::Verb> verbs = {
      olem::app::add_order_verb(app),    olem::app::add_graph_verb(app),   olem::app::add_compare_verb(app),
      olem::app::add_simulate_verb(app), olem::app::add_fit_verb(app),     olem::app::add_decide_verb(app),
      olem::app::add_explain_verb(app),  olem::app::add_report_verb(app),  olem::app::add_study_verb(app),
      olem::app::add_check_verb(app),    olem::app::add_options_verb(app),
  };
  arguments = olem::app::expand_config(app, std::move(arguments));
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::Success& request) {
    std::ostringstream page;  // --help and --version
    const int code = app.exit(request, page, page);
    olem::app::print_out(page.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return report(ErrorCategory::kUsage, olem::app::explain_parse_error(app, error, arguments).c_str());
  }
  olem::app::catch_signals();
  for (const olem::app::Verb& verb : verbs) {
    if (verb.app->parsed()) return verb.run();
  }
  return report(ErrorCategory::kInternal, "No verb ran. This is a defect; please report it.");
}

}  // namespace

int main(int argc, char** argv) {
  olem::app::keep_memory_reserve();
  try {
    return run({argv + 1, argv + argc});
  } catch (const Error& error) {
    const bool stopped = error.category() == ErrorCategory::kInterrupted;
    return stopped && olem::app::memory_ran_out() ? report_no_memory() : report(error.category(), error.what());
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  } catch (const std::exception& error) {
    return report(ErrorCategory::kInternal, error.what(),
                  " This is a defect of olem; please report it with the command.");
  }
}
