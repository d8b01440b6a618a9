// SPDX-License-Identifier: Apache-2.0
#include "random.hpp"

#include <cmath>
#include <numbers>

namespace tally::cli {
namespace {

// ln x for a normal x > 0, to about 1e-15: ln m = 2 atanh((m - 1) / (m + 1)) as a series.
double logarithm(double x) {
  int exponent;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) m *= 2, --exponent;
  double const z = (m - 1) / (m + 1), square = z * z;
  double series = 0;
  for (int k = 23; k > 0; k -= 2) series = series * square + 1.0 / k;
  return 2 * z * series + exponent * std::numbers::ln2;
}

}  // namespace

// Marsaglia's polar method: two at a time.
double random_numbers::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double u, v, s;
  do {
    u = 2 * uniform<double>() - 1;
    v = 2 * uniform<double>() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  double const scale = std::sqrt(-2 * logarithm(s) / s);
  spare_ = v * scale;
  has_spare_ = true;
  return u * scale;
}

}  // namespace tally::cli
