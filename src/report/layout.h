#pragma once

#include <cstddef>
#include <string>

#include "olem/graph.h"
#include "olem/rehearsal.h"

namespace olem::internal {

constexpr std::size_t kLineWidth = 100;

// Blanks added up to `width` characters as shown.
std::string pad_right(const std::string& text, std::size_t width);

// Four digits.
std::string short_number(double value);

// "67.6 %"
std::string percent_text(double share);

// "  a > b > c", broken between names.
std::string order_chain(const Order& order);

// The order of a model's variables, or with a graph the parents of each, with a sentence before it.
std::string model_heading(const RehearsalModel& model);

}  // namespace olem::internal
