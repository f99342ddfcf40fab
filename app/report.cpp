#include <fmt/format.h>

#include <memory>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/json_text.h"
#include "olem/report_page.h"
#include "session.h"

namespace olem::app {

namespace {

struct ReportArguments {
  std::string result;
  std::string page;
  bool force = false;
};

int run_report(const ReportArguments& arguments) {
  if (arguments.page.empty()) throw Error(ErrorCategory::kUsage, "-o is missing: name the page to write.");
  check_writable(arguments.page, arguments.force);
  protect_input(arguments.page, arguments.result, "the result itself");
  const Json result = parse_json_text(read_file(arguments.result), arguments.result);
  write_file_atomically(arguments.page, report_page(result, arguments.result), arguments.force);
  print_out(fmt::format("Written: {}.\n", arguments.page));
  return 0;
}

}  // namespace

std::function<int()> fill_report_verb(CLI::App* verb) {
  auto arguments = std::make_shared<ReportArguments>();
  verb->add_option("RESULT", arguments->result, "JSON result of olem order, graph, fit, decide, explain or study")
      ->required();
  verb->add_option("-o,--output", arguments->page, "the page to write")->type_name("FILE");
  verb->add_flag("--force", arguments->force, "replace an existing page");
  verb->footer(R"(
Examples:
  olem decide task.json --details -o decision.json
  olem report decision.json -o decision.html
  olem order data.csv -o order.json && olem report order.json -o order.html

Exit codes: 0 done, 2 usage, 3 bad input, 5 file.)");
  return [arguments] { return run_report(*arguments); };
}

}  // namespace olem::app
