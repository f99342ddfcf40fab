#include <fmt/format.h>

#include <memory>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/report_page.h"
#include "session.h"

namespace olem::app {

namespace {

struct ReportArguments {
  CommonOptions common;
  std::string result;
};

int run_report(const ReportArguments& arguments) {
  const std::string page = arguments.common.output;
  if (page.empty()) throw Error(ErrorCategory::kUsage, "-o is missing: name the page to write.");
  CommonOptions common = arguments.common;
  common.output.clear();  // the page here, not the JSON
  Session session(common);
  session.reserve_file(page, "-o");
  session.protect(arguments.result, "the result itself");
  const Json result = Json::parse(read_file(arguments.result, session.context()), nullptr, false);
  if (result.is_discarded()) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: This is no JSON. Give a file that olem wrote with -o or --json.", arguments.result));
  }
  write_file_atomically(page, report_page(result, arguments.result), common.force);
  session.finish("report", {{"result", arguments.result}, {"page", page}}, Json::object(),
                 fmt::format("Written: {}.\n", page));
  return 0;
}

}  // namespace

Verb add_report_verb(CLI::App& app) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* const verb = app.add_subcommand("report", "make a page that explains a result, for a browser or for print");
  verb->add_option("RESULT", arguments->result, "JSON result of olem order, graph, fit, decide, explain or study")
      ->required();
  add_common_options(*verb, arguments->common, "the page to write");
  verb->footer(R"(
Examples:
  olem decide task.json --details -o decision.json
  olem report decision.json -o decision.html
  olem order data.csv -o order.json && olem report order.json -o order.html

Exit codes: 0 done, 2 usage, 3 bad input, 5 file, 6 memory or time, 130 interrupted.)");
  return {verb, [arguments] { return run_report(*arguments); }};
}

}  // namespace olem::app
