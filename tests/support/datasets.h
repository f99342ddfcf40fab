#pragma once

#include <string>

#include "olem/table.h"

namespace olem::test {

// The known-answer data set KA5: 400 rows, 5 columns x0..x4, true edges 0->1, 0->2, 1->3, 2->3, 3->4. Rebuilt from
// SplitMix64 with seed 5 and the normal quantile, so it needs no file.
Table ka5();

// A standard normal sample, columns x0, x1, ...
Table normal_table(std::size_t rows, std::size_t columns, std::uint64_t seed);

// A linear model in which column j depends on about half of the columns before it, unit normal noise, columns in causal
// order x0, x1, ...
Table linear_table(std::size_t rows, std::size_t columns, std::uint64_t seed);

// Path of a file of the source tree, such as "data/sachs/sachs.csv".
std::string source_path(const std::string& relative);

}  // namespace olem::test
