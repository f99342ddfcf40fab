#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/svg.h"

namespace olem::internal::plot {

constexpr double kFontSize = 12.0;
constexpr std::size_t kColours = 7;

// A length with at most two decimals; never "-0".
std::string length(double value);

// About as wide as the text will be, in pixels: fonts differ.
double text_width(std::string_view text, double font_size = kFontSize);

// Cut to the width with an ellipsis, on whole characters.
std::string shorten(const std::string& text, double width);

// <text> at (x, y); `anchor` is start, middle or end. Text that is cut to `width` keeps its whole in a tooltip.
std::string text_at(double x, double y, const std::string& text, std::string_view anchor, std::string_view classes,
                    double width = 1e9);

// What stands for a style: class of its colour, "stroke-dasharray" attribute or nothing, marker around (x, y). Hollow
// markers are outlines, where the form has an inside.
std::string colour_class(std::size_t style);
std::string dash_attribute(std::size_t style);
std::string marker_at(std::size_t style, double x, double y, bool hollow = false);
// Neighbouring styles are told apart without colour.
std::string_view bar_opacity(std::size_t style);

// Of the scale of heat maps, at a share in [0, 1]: "#rrggbb".
std::string ramp_colour(double share);

// One panel with its upper left corner in the origin.
std::string panel_markup(const Panel& panel, double width, double height);

}  // namespace olem::internal::plot
