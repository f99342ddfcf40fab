#pragma once

namespace olem {

// ln Gamma(x) for x > 0. Unlike std::lgamma it writes no global variable, so threads may call it at once.
double log_gamma(double x);

}  // namespace olem
