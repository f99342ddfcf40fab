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
  const Json result = parse_json_text(read_file(arguments.result, session.context()), arguments.result);
  const std::string text = report_page(result, arguments.result);
  session.finish("report", {{"result", arguments.result}, {"page", page}}, Json::object(),
                 fmt::format("Written: {}.\n", page), "", [&] { write_file_atomically(page, text, common.force); });
  return 0;
}

}  // namespace

std::function<int()> fill_report_verb(CLI::App* verb) {
  auto arguments = std::make_shared<ReportArguments>();
  verb->add_option("RESULT", arguments->result, "JSON result of olem order, graph, fit, decide, explain or study")
      ->required();
  add_common_options(*verb, arguments->common, "the page to write");
  verb->footer(R"(
Examples:
  olem decide task.json --details -o decision.json
  olem report decision.json -o decision.html
  olem order data.csv -o order.json && olem report order.json -o order.html

Exit codes: 0 done, 2 usage, 3 bad input, 5 file, 6 memory or time, 130 interrupted.)");
  return [arguments] { return run_report(*arguments); };
}

}  // namespace olem::app
