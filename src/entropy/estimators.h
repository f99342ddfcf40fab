#pragma once

#include <memory>
#include <string>

#include "olem/entropy.h"

namespace olem::internal {

// One starter per kind of estimator, for the registry in entropy.cpp.
std::unique_ptr<EntropySequence> start_knn_entropy(const Table& table, const EntropyOptions& options,
                                                   const Context& context);
std::unique_ptr<EntropySequence> start_weighted_entropy(const Table& table, const EntropyOptions& options,
                                                        const Context& context);
std::unique_ptr<EntropySequence> start_ensemble_entropy(const Table& table, const EntropyOptions& options,
                                                        const Context& context);
std::unique_ptr<EntropySequence> start_gaussian_entropy(const Table& table, const EntropyOptions& options,
                                                        const Context& context);

// psi(k) for positive whole numbers.
double digamma_integer(int k);

// The columns as the search for neighbours sees them: jittered and scaled as the options say, with the logarithms of
// the scales to add to an entropy.
struct SearchColumns {
  std::vector<std::vector<double>> values;
  std::vector<double> log_scale;
};
SearchColumns make_search_columns(const Table& table, const EntropyOptions& options, const Context& context);

// Half of ln of a squared distance, under the tie policy; NaN for a point to be left out.
double log_distance(double squared, const EntropyOptions& options);

// Throws the data error of TiePolicy::kError.
[[noreturn]] void refuse_zero_distances(const Table& table, std::size_t zeros);

}  // namespace olem::internal
