#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "core/text.h"
#include "report/layout.h"
#include "report/page_parts.h"
#include "report/realised_words.h"

namespace olem::internal {

namespace {

constexpr std::uint64_t kMostDecisions = std::uint64_t{1} << 40U;

}  // namespace

std::string realised_answer(const JsonPart& result) {
  const JsonPart part = result["realised"];
  if (part["decisions"].count(kMostDecisions) == 0) return "No outcome is known yet.";
  const double claimed = part["claimed"].finite();
  const double share = part["share"].finite();
  return fmt::format("Success was claimed with {} on average in {}; {} came true ({}). {}", percent_text(claimed),
                     counted(part["decisions"].count(kMostDecisions), "decision"), json_cell(part["came_true"].json()),
                     percent_text(share),
                     realised_verdict(claimed, share, part["p_value"].finite(), part["fits"].flag()));
}

std::string log_sentence(const JsonPart& result) {
  const JsonPart part = result["realised"];
  const auto name = [](const JsonPart& path) { return std::filesystem::path(path.text()).filename().string(); };
  std::string text =
      fmt::format("Log: {}, {}.", name(part["log"]), counted(part["logged"].count(kMostDecisions), "decision"));
  if (part.has("rows"))
    text += fmt::format(" Outcomes: {}, {}.", name(part["rows"]["source"]),
                        counted(part["rows"]["rows"].count(kMostDecisions), "row"));
  return text;
}

void add_realised(Page& page, const JsonPart& result) {
  if (!result.has("realised")) return;
  const JsonPart part = result["realised"];
  page.section("How earlier decisions came out");
  page.paragraph(realised_answer(result));
  if (part["bands"].entries().empty()) return;
  const std::vector<double> interval = part["interval"].finite_numbers();
  if (interval.size() != 2) part["interval"].fail("does not have two numbers");
  page.paragraph(
      fmt::format("95 % interval of the share that came true: {} to {}. Without action the forecast was {} on average. "
                  "Each decision counts once, with the last row that came out of it.",
                  percent_text(interval[0]), percent_text(interval[1]), percent_text(part["without_action"].finite())));
  std::vector<std::vector<std::string>> rows;
  for (const JsonPart& band : part["bands"].entries()) {
    const std::vector<double> range = band["interval"].finite_numbers();
    if (range.size() != 2) band["interval"].fail("does not have two numbers");
    rows.push_back({band_name(band["from"].finite(), band["to"].finite()), json_cell(band["decisions"].json()),
                    percent_text(band["claimed"].finite()), json_cell(band["came_true"].json()),
                    percent_text(band["share"].finite()),
                    fmt::format("{} to {}", percent_text(range[0]), percent_text(range[1]))});
  }
  page.table({"claimed", "decisions", "mean claim", "came true", "share", "95 % interval"}, rows);
}

}  // namespace olem::internal
