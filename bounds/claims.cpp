// SPDX-License-Identifier: Apache-2.0
#include "bounds/claims.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tally::bounds {
namespace {

// The lowest bit that is set, as a power of two; infinite for zero.
double lowest_bit(double x) {
  if (x == 0) return HUGE_VAL;
  auto const bits = std::bit_cast<std::uint64_t>(x);
  int const field = int(bits >> 52 & 2047);
  std::uint64_t const fraction = bits & ((std::uint64_t(1) << 52) - 1);
  int const zeros = std::countr_zero(field ? fraction | std::uint64_t(1) << 52 : fraction);
  return std::ldexp(1.0, std::max(field, 1) - 1075 + zeros);
}

// How much of `precision` bits a + b takes, of numbers that are multiples of `unit`.
long double filled(double a, double b, int precision) {
  double const unit = std::min(lowest_bit(a), lowest_bit(b));
  if (unit == HUGE_VAL) return 0;
  double const sum = a + b;
  if (!std::isfinite(sum)) return 2;
  return std::ldexp(std::fabs((long double)(sum)) / unit, -precision);
}

template <class T>
void check_each_within(char const* name, site where, T const* used, int n, double allowed) {
  T most = 0;
  for (int i = 0; i < n; ++i) {
    T const size = used[i] < 0 ? -used[i] : used[i];
    if (!(size <= most)) most = size;
  }
  record(name, where, most == 0 ? 0 : (long double)(most) / allowed, double(most), allowed,
         std::uint64_t(n));
}

template <class T>
void check_each_adds(char const* name, site where, T const* a, T const* b, int n) {
  constexpr int precision = sizeof(T) == 4 ? 24 : 53;
  long double most = -1;
  int at = 0;
  for (int i = 0; i < n; ++i) {
    long double const ratio = filled(a[i], b[i], precision);
    if (!(ratio <= most)) most = ratio, at = i;
  }
  record(name, where, most, a[at], b[at], std::uint64_t(n));
}

}  // namespace

void check_within(char const* name, site where, double const* used, int n, double allowed) {
  check_each_within(name, where, used, n, allowed);
}
void check_within(char const* name, site where, float const* used, int n, double allowed) {
  check_each_within(name, where, used, n, allowed);
}
void check_within(char const* name, site where, std::int64_t const* used, int n, double allowed) {
  check_each_within(name, where, used, n, allowed);
}
void check_adds(char const* name, site where, double const* a, double const* b, int n) {
  check_each_adds(name, where, a, b, n);
}
void check_adds(char const* name, site where, float const* a, float const* b, int n) {
  check_each_adds(name, where, a, b, n);
}
void check_one_within(char const* name, site where, double used, double allowed) {
  check_each_within(name, where, &used, 1, allowed);
}
void check_one_adds(char const* name, site where, double a, double b) {
  check_each_adds(name, where, &a, &b, 1);
}

void check_lanes(char const* name, site where, double const* x, int n) {
  exact sum;
  double unit = HUGE_VAL;
  for (int i = 0; i < n; ++i) {
    sum.add(x[i]);
    unit = std::min(unit, lowest_bit(x[i]));
    if (!std::isfinite(x[i])) return record(name, where, 2, x[i], 0);
  }
  if (unit == HUGE_VAL) return record(name, where, 0, 0, 0);
  record(name, where, std::ldexp(sum.magnitude() / unit, -53), double(sum.value()), unit);
}

void check_pieces(char const* name, site where, double x, int low, int high, int exponent) {
  exact off(x);
  off.add(-double(low), exponent);
  off.add(-double(high), exponent + 16);
  long double const used = std::max(std::fabs(double(low)), std::fabs(double(high))) / 65536;
  record(name, where, off.is_zero() ? used : 2, x, low);
}

void check_counter(char const* name, site where, int const* at, int add) {
  double const sum = double(*at) + double(add);
  record(name, where, std::fabs((long double)(sum)) / (sum < 0 ? 0x1p31L : 0x1p31L - 1), *at, add);
}

void check_stored(char const* name, site where, exact const& found, exact const& wanted) {
  exact off = wanted;
  off.subtract(found);
  long double const size = off.magnitude();
  record(name, where, size == 0 ? 1 : 2, double(wanted.value()), double(size));
}

// The allowance is what a double has below: a product's last bit must not lie there.
void check_product(char const* name, site where, double a, double b, double product, double error) {
  exact off;
  off.add_product(a, b);
  long double const used = off.is_zero() ? 0 : std::ldexp(1.0L, -1074 - off.lowest());
  off.add(-product);
  off.add(-error);
  record(name, where, off.is_zero() ? used : 2, a, b);
}

}  // namespace tally::bounds
