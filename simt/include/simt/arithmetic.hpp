// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

// Bits and arithmetic.
constexpr int __popc(unsigned x) { return std::popcount(x); }
constexpr int __popcll(unsigned long long x) { return std::popcount(x); }
constexpr int __clz(int x) { return std::countl_zero(unsigned(x)); }
constexpr int __clzll(long long x) { return std::countl_zero((unsigned long long)x); }
constexpr int __ffs(int x) { return __builtin_ffs(x); }
constexpr int __ffsll(long long x) { return __builtin_ffsll(x); }
constexpr unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1) << (31 - bit);
  return reversed;
}
constexpr unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((unsigned long long)high << 32 | low) >> (shift & 31));
}
constexpr unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift < 32 ? __funnelshift_l(low, high, shift) : low;
}
constexpr unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift < 32 ? __funnelshift_r(low, high, shift) : high;
}
constexpr unsigned __umulhi(unsigned x, unsigned y) {
  return unsigned((unsigned long long)x * y >> 32);
}
constexpr unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
constexpr int __mulhi(int x, int y) { return int((long long)x * y >> 32); }
constexpr long long __mul64hi(long long x, long long y) {
  return (long long)((__int128)x * y >> 64);
}
// Bytes 0 to 7 are those of x and y; each 4 bits of the selector take one, or its sign 8 times.
constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  unsigned long long const bytes = (unsigned long long)y << 32 | x;
  unsigned taken = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned const which = selector >> 4 * i, byte = unsigned(bytes >> 8 * (which & 7)) & 0xff;
    taken |= (which & 8 ? (byte >> 7) * 0xff : byte) << 8 * i;
  }
  return taken;
}
// The sum of c and the products of the bytes of a and b.
constexpr int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (signed char)(a >> i) * (signed char)(b >> i);
  return c;
}
constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}
constexpr unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
constexpr int __float_as_int(float x) { return std::bit_cast<int>(x); }
constexpr float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
constexpr float __int_as_float(int x) { return std::bit_cast<float>(x); }
constexpr long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
constexpr double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
constexpr int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
constexpr int __double2loint(double x) { return int(__double_as_longlong(x)); }
constexpr double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)high << 32 | unsigned(low));
}
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
constexpr float __fadd_rn(float x, float y) { return x + y; }
constexpr float __fmul_rn(float x, float y) { return x * y; }
constexpr float __fsub_rn(float x, float y) { return x - y; }
constexpr float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
constexpr double __dadd_rn(double x, double y) { return x + y; }
// Rounded down: what the nearest one exceeds the exact sum by is exact (Knuth's TwoSum).
inline double __dadd_rd(double x, double y) {
  double const sum = x + y, part = sum - x, error = (x - (sum - part)) + (y - part);
  if (sum == 0) return x == 0 && y == 0 && !std::signbit(x) && !std::signbit(y) ? sum : -0.0;
  if (error < 0) return std::nextafter(sum, -std::numeric_limits<double>::infinity());
  bool const overflows = error != error && sum > 0 && std::isfinite(x) && std::isfinite(y);
  return overflows ? std::numeric_limits<double>::max() : sum;
}
inline double __dadd_ru(double x, double y) { return -__dadd_rd(-x, -y); }
// What f computes where the processor rounds down.
template <class F>
double simt_rounded_down(F f) {
  std::fesetround(FE_DOWNWARD);
  double const volatile down = f();
  std::fesetround(FE_TONEAREST);
  return down;
}
inline double __fma_rd(double x, double y, double z) {
  double const product = x * y;
  if (std::fabs(product) > 0x1p-900 && std::fma(x, y, -product) == 0) return __dadd_rd(product, z);
  double const volatile a = x, b = y, c = z;
  return simt_rounded_down([&] { return std::fma(a, b, c); });
}
inline double __fma_ru(double x, double y, double z) { return -__fma_rd(-x, y, -z); }
inline double __dmul_rd(double x, double y) {
  double const volatile a = x, b = y;
  return simt_rounded_down([&] { return a * b; });
}
inline double __dmul_ru(double x, double y) { return -__dmul_rd(-x, y); }
inline double __ddiv_rd(double x, double y) {
  double const volatile a = x, b = y;
  return simt_rounded_down([&] { return a / b; });
}
inline double __ddiv_ru(double x, double y) { return -__ddiv_rd(-x, y); }
inline double __dsqrt_rd(double x) {
  double const volatile a = x;
  return simt_rounded_down([&] { return std::sqrt(a); });
}
// Roots are no midpoints: the next one if the square of the one below is less.
inline double __dsqrt_ru(double x) {
  double const down = __dsqrt_rd(x);
  return std::fma(down, down, -x) < 0
             ? std::nextafter(down, std::numeric_limits<double>::infinity())
             : down;
}
inline float __double2float_rn(double x) { return float(x); }
inline float __double2float_rz(double x) {
  float const nearest = float(x);
  return std::fabs(double(nearest)) > std::fabs(x) ? std::nextafter(nearest, 0.0f) : nearest;
}
inline float __double2float_rd(double x) {
  float const nearest = float(x);
  return double(nearest) > x ? std::nextafter(nearest, -INFINITY) : nearest;
}
inline float __double2float_ru(double x) { return -__double2float_rd(-x); }
constexpr double __dmul_rn(double x, double y) { return x * y; }
constexpr double __dsub_rn(double x, double y) { return x - y; }
constexpr double __ddiv_rn(double x, double y) { return x / y; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
// The least and the most: of floats as fminf and fmaxf have it, which prefer numbers to NaNs, and
// with -0 less than +0.
template <class T, class U>
  requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
constexpr auto min(T x, U y) {
  using both = std::common_type_t<T, U>;
  both const a = both(x), b = both(y);
  if constexpr (std::is_floating_point_v<both>) {
    if (a != a || b != b) return a != a ? b : a;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}
template <class T, class U>
  requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
constexpr auto max(T x, U y) {
  using both = std::common_type_t<T, U>;
  both const a = both(x), b = both(y);
  if constexpr (std::is_floating_point_v<both>) {
    if (a != a || b != b) return a != a ? b : a;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
