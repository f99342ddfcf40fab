#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "olem/report.h"
#include "report/layout.h"

namespace olem::internal {

std::string gaps_sentence(const GapSummary& gaps, const std::optional<Agreement>& agreement, std::string_view learned) {
  constexpr std::size_t kListed = 8;
  std::vector<GapSummary::ColumnGaps> columns = gaps.columns;
  std::stable_sort(columns.begin(), columns.end(), [](const auto& a, const auto& b) { return a.missing > b.missing; });
  std::vector<std::string> listed;
  for (std::size_t k = 0; k < std::min(kListed, columns.size()); ++k)
    listed.push_back(fmt::format("{} of {}", columns[k].missing, columns[k].name));
  if (columns.size() > kListed) listed.push_back(fmt::format("others in {} more columns", columns.size() - kListed));
  std::string text = fmt::format("Missing: {} in {} of {} rows ({}), imputed in {}.", counted(gaps.cells(), "cell"),
                                 gaps.incomplete_rows, gaps.rows, fmt::join(listed, ", "),
                                 counted(gaps.imputations, "completed table"));
  if (agreement && agreement->differing.size() > 1) {
    const double differing = agreement->mean_differing();
    text += differing == 0.0
                ? fmt::format(" The {} learned from them are the same.", learned)
                : fmt::format(
                      " The {} learned from them differ from the one used, which agrees best with the others, "
                      "in {:.1f} of {} pairs of columns on average.",
                      learned, differing, agreement->pairs);
  }
  return text;
}

}  // namespace olem::internal

namespace olem {

using namespace internal;

std::string gaps_text(const GapSummary& gaps, const std::optional<Agreement>& agreement, std::string_view learned) {
  return wrap_text(gaps_sentence(gaps, agreement, learned), kLineWidth);
}

}  // namespace olem
