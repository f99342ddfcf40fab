#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "olem/report.h"
#include "report/layout.h"

namespace olem {

using namespace internal;

namespace {

// Ten bars, half as high as they can be where a tenth of the rows lies.
std::string bars(const std::array<std::size_t, kPitBins>& counts, std::size_t rows) {
  constexpr std::array<const char*, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr double kHalf = 4.0;
  const double even = static_cast<double>(rows) / static_cast<double>(kPitBins);
  std::string text;
  for (const std::size_t count : counts) {
    const auto height = static_cast<std::size_t>(std::llround(kHalf * static_cast<double>(count) / even));
    text += kBars[std::min(height, kBars.size() - 1)];
  }
  return text;
}

// Empty where a row was held to be impossible.
std::string likelihood_cell(double value) { return std::isfinite(value) ? fmt::format("{:.3f}", value) : ""; }

std::string gain_cell(double value, double linear) {
  const double gain = value - linear;
  return std::isfinite(gain) ? fmt::format("{:+.3f}", gain) : "";
}

std::string change_cell(double value, double linear) {
  return linear > 0.0 ? fmt::format("{:+.1f} %", 100.0 * (value / linear - 1.0)) : "";
}

// Of the variables that have a diagram; cells with few forecasts are left empty.
std::string reliability_table(const Calibration& calibration, std::size_t width) {
  constexpr std::size_t kFewest = 10;
  std::string rows;
  for (const VariableCalibration& variable : calibration.variables) {
    if (variable.reliability.empty()) continue;
    rows += fmt::format("  {} ", pad_right(variable.name, width));
    for (const ReliabilityBin& bin : variable.reliability)
      rows += bin.forecasts < kFewest ? fmt::format(" {:>6}", "") : fmt::format(" {:>6.0f}", 100.0 * bin.share);
    rows.erase(rows.find_last_not_of(' ') + 1);
    rows += "\n";
  }
  if (rows.empty()) return "";
  std::string head = fmt::format("  {} ", pad_right("variable", width));
  for (std::size_t bin = 0; bin < kReliabilityBins; ++bin)
    head += fmt::format(" {:>6}", fmt::format("{}-{}", 10 * bin, 10 * (bin + 1)));
  return "\n" +
         wrap_text(
             "Share of the cases, in percent, in which a level came true, by its forecast probability in percent "
             "(empty: fewer than 10 forecasts):",
             kLineWidth) +
         "\n" + head + "\n" + rows;
}

}  // namespace

std::string near_text(const NearCalibration& near, std::span<const std::string> names) {
  constexpr std::size_t kTold = 1;
  std::vector<std::string> parts;
  for (const NearCalibration::Variable& variable : near.variables) {
    if (std::find(names.begin(), names.end(), variable.name) == names.end()) continue;
    parts.push_back(fmt::format("{:.0f} % of {}", 100.0 * variable.coverage[kTold], variable.name));
  }
  if (parts.empty()) return "";
  return "\n" + wrap_text(fmt::format(
                              "Calibration near here: in the {} held-out rows nearest to these conditions the {:.0f} % "
                              "interval held {}.",
                              near.rows, 100.0 * kCoverageLevels[kTold], fmt::join(parts, ", ")),
                          kLineWidth);
}

std::string calibration_text(const Calibration& calibration) {
  if (calibration.variables.empty()) return wrap_text(calibration.summary.message, kLineWidth);
  std::size_t width = 8;
  for (const VariableCalibration& variable : calibration.variables)
    width = std::max(width, display_width(variable.name));
  const auto rows = static_cast<double>(calibration.held_out_rows);
  // Two standard errors of a share that is right, widest for the interval of one half.
  const double chance = 100.0 * 2.0 * std::sqrt(0.25 / rows);
  std::string text = wrap_text(
      fmt::format(
          "Forecasts of {} rows by samplers that were fitted to {} others: log-likelihood (nats a row, more is "
          "better) and CRPS (in units of the variable, less is better) with the difference to the linear "
          "sampler, the percentage of rows in the central intervals (chance makes up to ± {:.0f} points), and the "
          "place of the rows in their forecasts (level bars: calibrated).",
          calibration.held_out_rows, calibration.training_rows, chance),
      kLineWidth);
  text += fmt::format("\n  {}  {:>8} {:>8}  {:>9} {:>9}  {:>5} {:>5} {:>5}  {}\n", pad_right("variable", width),
                      "log-lik.", "gain", "CRPS", "change", "50 %", "80 %", "90 %", "place");
  for (const VariableCalibration& variable : calibration.variables) {
    text += fmt::format("  {}  {:>8} {:>8}  {:>9.4g} {:>9} ", pad_right(variable.name, width),
                        likelihood_cell(variable.log_likelihood),
                        gain_cell(variable.log_likelihood, variable.linear_log_likelihood), variable.crps,
                        change_cell(variable.crps, variable.linear_crps));
    for (const double share : variable.coverage) text += fmt::format(" {:>5.0f}", 100.0 * share);
    text += fmt::format("  {}\n", bars(variable.pit, calibration.held_out_rows));
  }
  return text + reliability_table(calibration, width);
}

}  // namespace olem
