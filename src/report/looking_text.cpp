#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "olem/report_looking.h"
#include "olem/text.h"
#include "report/column_words.h"
#include "report/layout.h"

namespace olem {

using namespace internal;

namespace {

constexpr double kWidestBar = 30.0;    // characters for a success of 1
constexpr double kWorthSaying = 0.01;  // less is chance

// At the end of a line.
std::string bar(double share) {
  const auto width = static_cast<std::size_t>(std::lround(kWidestBar * std::clamp(share, 0.0, 1.0)));
  return width == 0 ? "" : "  " + std::string(width, '#');
}

}  // namespace

std::string looking_text(const Looking& looking, std::span<const NamedColumn> columns) {
  std::size_t width = 8;
  for (const WorthOfLooking& worth : looking.variables) width = std::max(width, display_width(worth.name));
  for (const ChangeOrWatch& lever : looking.levers) width = std::max(width, display_width(lever.name));
  std::string text;
  if (!looking.variables.empty()) {
    text += "What seeing it before later levers are set is worth:\n\n";
    for (const WorthOfLooking& worth : looking.variables) {
      text += fmt::format("  {}  {:+.3f}  {} to {}{}\n", pad_right(worth.name, width), worth.gain(),
                          percent_text(worth.unseen), percent_text(worth.seen), bar(worth.gain()));
    }
    const WorthOfLooking& most = looking.variables.front();
    text += most.gain() > kWorthSaying ? fmt::format("\n{} is worth measuring: {:+.2f}.\n", most.name, most.gain())
                                       : "\nNothing that could be seen changes what is best.\n";
    text += "\n";
  } else {
    text += wrap_text(
                "Nothing can be seen before a lever is set: no column without a role stands before one in this "
                "order. State in the task's \"sequence\" what will be seen between levers.",
                kLineWidth) +
            "\n";
  }
  text += "Change it or watch it, levers after it answering:\n\n";
  for (const ChangeOrWatch& lever : looking.levers) {
    const double difference = lever.difference();
    const std::string advice = difference > kWorthSaying    ? "change it"
                               : difference < -kWorthSaying ? "watch it"
                                                            : "either";
    const Column& about = about_column(columns, lever.name);
    const std::string value =
        !lever.value ? ""
                     : fmt::format(" at {}", about.levels.empty() ? with_unit(about, short_number(*lever.value))
                                                                  : value_name(about, *lever.value));
    text += fmt::format("  {}  changed{} {}, watched {}: {} ({:+.3f}){}\n", pad_right(lever.name, width), value,
                        percent_text(lever.changed), percent_text(lever.watched), advice, difference,
                        bar(std::abs(difference)));
  }
  return text;
}

}  // namespace olem
