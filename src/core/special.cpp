#include "core/special.h"

#include <boost/math/special_functions/gamma.hpp>

namespace olem::internal {

double log_gamma(double x) {
  // Without promotion to long double, which differs between platforms.
  using NoPromotion = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::lgamma(x, NoPromotion());
}

}  // namespace olem::internal
