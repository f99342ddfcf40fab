#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "olem/column.h"
#include "olem/random.h"

namespace olem::internal::sampling {

// The rows of a table that say what the gaps of one column may be.
struct ImputationRows {
  std::vector<std::vector<double>> inputs;  // standardised, one entry per row of the table
  std::vector<std::size_t> known;           // rows in which the column is known, ascending
  std::vector<double> target;               // its values there
  std::vector<std::size_t> gaps;            // the other rows, ascending
};

// Adds what a model is given of another column: numbers as they are, positive ones as logarithms, an indicator for each
// level of a category but the most frequent one; each with mean 0 and deviation 1. A column that never varies adds
// nothing.
void add_inputs(std::span<const double> cells, const Column& about, std::vector<std::vector<double>>& inputs);

// Values for the gaps: draws from a model of the column given the inputs whose parameters are drawn too. Linear and
// normal up to the shape of the noise, or logistic (olem/impute.h says for which type).
std::vector<double> draw_gaps(const ImputationRows& rows, const Column& about, RandomStream& random);

}  // namespace olem::internal::sampling
