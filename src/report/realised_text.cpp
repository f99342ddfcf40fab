#include <fmt/format.h>

#include <cmath>

#include "core/text.h"
#include "olem/report_realised.h"
#include "olem/text.h"
#include "report/layout.h"
#include "report/realised_words.h"

namespace olem {

using namespace internal;

namespace internal {

std::string band_name(double from, double to) {
  return from == 0.0 ? fmt::format("below {:.0f} %", 100.0 * to)
                     : fmt::format("{:.0f} % to {:.0f} %", 100.0 * from, 100.0 * to);
}

std::string realised_verdict(double claimed, double share, double p_value, bool fits) {
  if (fits) return fmt::format("The claims fit what came out (p = {:.2g}).", p_value);
  return fmt::format("The claims were too {} by {:.1f} percentage points (p = {:.2g}).",
                     claimed > share ? "high" : "low", 100.0 * std::abs(claimed - share), p_value);
}

}  // namespace internal

std::string realised_sentence(const RealisedCalibration& realised) {
  if (realised.all.decisions == 0)
    return fmt::format("{} in {}; no outcome is known yet.", counted(realised.logged, "decision"), realised.source);
  return fmt::format("Success was claimed with {} on average in {}; {} came true ({}).",
                     percent_text(realised.all.claimed), counted(realised.all.decisions, "decision"),
                     realised.all.came_true, percent_text(realised.all.share()));
}

std::vector<std::string> realised_sentences(const RealisedCalibration& realised) {
  std::vector<std::string> sentences = {realised_sentence(realised)};
  if (realised.all.decisions == 0) return sentences;
  sentences.push_back(fmt::format("95 % interval of the share that came true: {} to {}.",
                                  percent_text(realised.all.low), percent_text(realised.all.high)));
  sentences.push_back(realised_verdict(realised.all.claimed, realised.all.share(), realised.p_value, realised.fits()));
  sentences.push_back(
      fmt::format("Without action the forecast was {} on average.", percent_text(realised.without_action)));
  const std::size_t waiting = realised.logged - realised.all.decisions;
  if (waiting > 0)
    sentences.push_back(fmt::format("{} of the log {} for {} outcome.", counted(waiting, "decision"),
                                    waiting == 1 ? "waits" : "wait", waiting == 1 ? "its" : "their"));
  return sentences;
}

std::string realised_text(const RealisedCalibration& realised) {
  const std::vector<std::string> sentences = realised_sentences(realised);
  std::string text = sentences.front() + "\n";
  if (realised.all.decisions == 0) return text;
  text += wrap_text(fmt::format("{}", fmt::join(sentences.begin() + 1, sentences.end(), " ")), kLineWidth);
  text += fmt::format("\n  {:<14} {:>9} {:>10} {:>9} {:>8}   {}\n", "claimed", "decisions", "mean claim", "came true",
                      "share", "95 % interval");
  for (const RealisedBand& band : realised.bands) {
    text += fmt::format("  {:<14} {:>9} {:>10} {:>9} {:>8}   {} to {}\n", band_name(band.from, band.to), band.decisions,
                        percent_text(band.claimed), band.came_true, percent_text(band.share()), percent_text(band.low),
                        percent_text(band.high));
  }
  return text;
}

}  // namespace olem
