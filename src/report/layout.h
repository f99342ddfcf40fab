#pragma once

#include <cstddef>
#include <string>

#include "olem/graph.h"

namespace olem {

constexpr std::size_t kLineWidth = 100;

// Blanks added up to `width` characters as shown.
std::string pad_right(const std::string& text, std::size_t width);

// "67.6 %"
std::string percent_text(double share);

// "  a > b > c", broken between names.
std::string order_chain(const Order& order);

}  // namespace olem
