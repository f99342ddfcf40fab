#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "olem/context.h"
#include "olem/random.h"

namespace olem::internal {

// One span per coordinate, all of the same length: the points of a set, coordinate by coordinate.
using Coordinates = std::vector<std::span<const double>>;

// The lower triangle, column-major n x n, of exp(-||x_i - x_j||^2 / 2) over the points, with `jitter` added to the
// diagonal. Columns are shared out over the threads.
void fill_rbf_kernel(const Coordinates& points, double jitter, double* matrix, const Context& context);

// Draws from the zero-mean Gaussian process with that kernel at the points and returns the weights w of
// f(x) = sum_i w_i exp(-||x - x_i||^2 / 2). With K + jitter I = L L^T and z standard normal, w = L^-T z: f at the
// points is K w = L z - jitter w, the usual draw L z less the part that only the jitter put there.
std::vector<double> draw_rbf_weights(const Coordinates& points, RandomStream& random, const Context& context);

// out[i] += f(x_i) for the rows x_i of `at`. A row's value does not depend on the other rows.
void add_rbf_expansion(const Coordinates& anchors, std::span<const double> weights, const Coordinates& at,
                       std::span<double> out, const Context& context);

}  // namespace olem::internal
