// SPDX-License-Identifier: Apache-2.0
#include "bounds/prefixes.hpp"

#include <cmath>

namespace tally::bounds {
namespace {

long double last_place(double x) {
  int exponent;
  std::frexp(x, &exponent);
  return std::ldexp(1.0L, exponent - 53);
}

// Rounded as a type of such a precision does it, whose numbers end somewhere.
long double result_of(exact const& x, int precision, int least) {
  long double const end = std::ldexp(1.0L, 3 - precision - least),
                    out = x.rounded(precision, least);
  return out >= end ? HUGE_VALL : out <= -end ? -HUGE_VALL : out;
}
long double result_of(double x, int shift, int precision, int least) {
  return std::isfinite(x) ? result_of(exact(x, shift), precision, least) : (long double)(x);
}

long double difference(exact const& truth, double a, double b, int shift) {
  exact d = truth;
  d.add(-a, shift);
  d.add(-b, shift);
  return std::ldexp(d.magnitude(), -shift);
}

}  // namespace

noted_sums& noted() {
  static thread_local noted_sums sums;
  return sums;
}

tile_of_sums& last_tile() {
  static thread_local tile_of_sums tile;
  return tile;
}

void tile_of_sums::take(site where, running& truth, double const* x, int count, int shift,
                        int precision, int least) {
  where_ = where, count_ = count;
  auto const& n = noted();
  for (int k = 0; k < count; ++k) {
    truth.sum.add(x[k]);
    off_[k] = difference(truth.sum, n.sum[k], 0, shift);
    parts_off_[k] = difference(truth.sum, n.high[k], n.low[k], shift);
    other_[k] = off_[k] != 0 && result_of(truth.sum, precision, least) !=
                                    result_of(n.sum[k], shift, precision, least);
  }
}

tile_of_sums& tile_of_sums::rounds(char const* name) {
  for (int k = 0; k < count_; ++k)
    record(name, where_, other_[k] ? 2 : 1, noted().sum[k], double(off_[k]));
  return *this;
}
tile_of_sums& tile_of_sums::units(char const* name, double tolerance) {
  if (tolerance == 0) return *this;
  for (int k = 0; k < count_; ++k) {
    double const sum = noted().sum[k];
    if (!std::isfinite(sum)) continue;
    record(name, where_, off_[k] / (tolerance * last_place(sum)), sum, double(off_[k]));
  }
  return *this;
}
tile_of_sums& tile_of_sums::near(char const* name, double error) {
  for (int k = 0; k < count_; ++k) {
    double const sum = noted().sum[k];
    if (!std::isfinite(sum)) continue;
    record(name, where_, std::fmax(off_[k] - last_place(sum) / 2, 0.0L) / error, sum,
           double(off_[k]));
  }
  return *this;
}
tile_of_sums& tile_of_sums::parts(char const* name, double error) {
  for (int k = 0; k < count_; ++k)
    record(name, where_, parts_off_[k] / error, noted().high[k], noted().low[k]);
  return *this;
}
tile_of_sums& tile_of_sums::high(char const* name, double most) {
  for (int k = 0; k < count_; ++k)
    record(name, where_, std::fabs((long double)(noted().high[k])) / most, noted().high[k], most);
  return *this;
}
tile_of_sums& tile_of_sums::low(char const* name, double most) {
  for (int k = 0; k < count_; ++k)
    record(name, where_, std::fabs((long double)(noted().low[k])) / most, noted().low[k], most);
  return *this;
}

void check_offset(char const* name, site where, running const& truth, double high, double low,
                  int shift, double allowed) {
  long double const off = difference(truth.sum, high, low, shift);
  record(name, where, off == 0 ? 0 : off / allowed, double(off), allowed);
}

}  // namespace tally::bounds
