#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "olem/explain.h"
#include "report/svg.h"

namespace olem::internal {

// Parts of the figures that explain decisions, for files and pages alike. Success is on one scale in all curves of a
// figure, from 0 to `success_top`.
double success_top(const Explanation& explanation);

// Where the values of a curve stand on its axis: at their numbers, or as levels with words one after the other.
std::vector<double> curve_places(const SuccessCurve& curve);
double curve_place(const SuccessCurve& curve, double value);  // of a level that is none of them, the nearest

// One alterable variable: success over its domain with the others left alone and, where there is a decision, with the
// others as decided; where data is lacking the ground is grey.
plot::Panel curve_panel(const Explanation& explanation, const SuccessCurve& curve, double top);

// Where an outcome is wanted; of a count, `whole`, with the bars of the outermost numbers.
plot::Shade wanted_shade(std::optional<double> low, std::optional<double> high, bool whole);

// Of an outcome with levels: the share of each as a bar, the names of the levels beside the bars, and how high a panel
// with so many of them is.
plot::Bars level_bars(const std::string& label, const std::vector<std::size_t>& counts, std::size_t style);
void name_levels(plot::Panel& panel, const std::vector<std::string>& levels, const std::vector<std::string>& wanted);
double level_panel_height(std::size_t levels, std::size_t sets);

// Where one outcome ends up, without action and with the decision, and where it is wanted.
plot::Panel outcome_panel(const Explanation& explanation, const OutcomeHistogram& histogram);

// The same as a figure of its own for a page where it is drawn again and again: its axis moves in steps of half the
// range of `without_action`, so that a shape that moves a little is seen to move. `width` in pixels.
plot::Figure outcome_figure(const Explanation& explanation, const OutcomeHistogram& histogram,
                            const OutcomeForecast& without_action, double width);

// Success of each variable at its best alone, and of the best pair that it is in.
plot::Panel ranking_panel(const Explanation& explanation);

plot::Panel pair_panel(const Explanation& explanation, const SuccessMap& map, double top);

}  // namespace olem::internal
