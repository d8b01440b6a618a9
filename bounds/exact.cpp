// SPDX-License-Identifier: Apache-2.0
#include "bounds/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tally::bounds {

void exact::add(double x, int scale) {
  if (!std::isfinite(x) || x == 0) return;
  auto const bits = std::bit_cast<std::uint64_t>(x);
  int const field = int(bits >> 52 & 2047);
  std::uint64_t const fraction = bits & ((std::uint64_t(1) << 52) - 1);
  add(bits >> 63, field ? fraction | std::uint64_t(1) << 52 : fraction,
      std::max(field, 1) - 1075 + scale);
}

void exact::add(bool negative, std::uint64_t significand, int exponent) {
  int const position = exponent - lsb, i = position / 32, shift = position % 32;
  auto const wide = static_cast<unsigned __int128>(significand) << shift;
  for (int k = 0; k < 3; ++k) {
    auto const part = std::int64_t(std::uint32_t(wide >> 32 * k));
    limb_[i + k] += negative ? -part : part;
  }
  low_ = std::min(low_, i), high_ = std::max(high_, i + 2);
  if (++pending_ > 1 << 28) carry();
}

void exact::add_product(double x, double y) {
  int a, b;
  double const m = std::frexp(x, &a) * 0x1p53, n = std::frexp(y, &b) * 0x1p53;
  auto const product =
      static_cast<unsigned __int128>(std::fabs(m)) * static_cast<unsigned __int128>(std::fabs(n));
  bool const negative = (m < 0) != (n < 0);
  add(negative, std::uint64_t(product), a + b - 106);
  add(negative, std::uint64_t(product >> 64), a + b - 42);
}

void exact::add(exact const& other, bool negative) {
  for (int i = other.low_; i <= other.high_; ++i)
    limb_[i] += negative ? -other.limb_[i] : other.limb_[i];
  low_ = std::min(low_, other.low_), high_ = std::max(high_, other.high_);
  pending_ += other.pending_ + 1;
  if (pending_ > 1 << 28) carry();
}

void exact::carry() {
  std::int64_t over = 0;
  for (int i = low_; i < limbs; ++i) {
    if (i > high_ && (over == 0 || over == -1)) {
      limb_[i] += over, high_ = i;
      break;
    }
    std::int64_t const t = limb_[i] + over;
    limb_[i] = t & 0xffffffff;
    over = t >> 32;
    high_ = std::max(high_, i);
  }
  pending_ = 1;
}

int exact::absolute(std::uint32_t (&out)[limbs + 1], bool& negative) const {
  std::int64_t over = 0;
  int i = low_;
  for (; i <= high_; ++i) {
    std::int64_t const t = limb_[i] + over;
    out[i] = std::uint32_t(t);
    over = t >> 32;
  }
  for (; i < limbs && over != 0 && over != -1; ++i) out[i] = std::uint32_t(over), over >>= 32;
  negative = over < 0;
  if (negative) {
    std::uint64_t one = 1;
    for (int k = low_; k < i; ++k) {
      one += std::uint32_t(~out[k]);
      out[k] = std::uint32_t(one);
      one >>= 32;
    }
    if (one && i <= limbs) out[i++] = 1;
  }
  while (i > low_ && out[i - 1] == 0) --i;
  return i;
}

// The first 65 to 96 bits of the absolute value, whose last one is worth 2^last; whether there are
// others; and the exponent of the first one.
struct exact::leading {
  unsigned __int128 bits = 0;
  int last = 0, first = 0;
  bool others = false, negative = false;
};

exact::leading exact::take_leading() const {
  leading out;
  std::uint32_t limb[limbs + 1];
  int const count = absolute(limb, out.negative);
  if (count <= low_) return out;
  for (int k = 1; k <= 3; ++k)
    out.bits = out.bits << 32 | (count - k >= low_ ? limb[count - k] : 0);
  out.last = 32 * (count - 3) + lsb;
  out.first = 32 * count + lsb - 1 - std::countl_zero(limb[count - 1]);
  for (int i = low_; i < count - 3 && !out.others; ++i) out.others = limb[i] != 0;
  return out;
}

long double exact::value() const {
  auto const x = take_leading();
  long double const size = std::ldexp((long double)(x.bits), x.last);
  return x.negative ? -size : size;
}

int exact::lowest() const {
  std::uint32_t limb[limbs + 1];
  bool negative;
  int const count = absolute(limb, negative);
  for (int i = low_; i < count; ++i)
    if (limb[i]) return 32 * i + lsb + std::countr_zero(limb[i]);
  return 32 * limbs + lsb;
}

long double exact::rounded(int precision, int least) const {
  auto const x = take_leading();
  if (x.bits == 0) return 0;
  int const last = std::max(x.first - precision + 1, least), drop = last - x.last;
  if (last > x.first + 1) return 0;
  auto const kept = x.bits >> drop, half = static_cast<unsigned __int128>(1) << (drop - 1);
  auto const rest = x.bits & (2 * half - 1);
  bool const up = rest > half || (rest == half && (x.others || (kept & 1)));
  long double const size = std::ldexp((long double)(kept + up), last);
  return x.negative ? -size : size;
}

long double exact::to_boundary(int precision, int least) const {
  auto const x = take_leading();
  if (x.bits == 0) return std::ldexp(0.5L, least);
  int const last = std::max(x.first - precision + 1, least), drop = last - x.last;
  if (last > x.first + 1) return std::ldexp(0.5L, least) - magnitude();
  auto const kept = x.bits >> drop;
  // The boundary is half a unit above what is left after cutting; both sides of it are near.
  exact distance = *this;
  distance.add(!x.negative, std::uint64_t(kept), last);
  distance.add(!x.negative, 1, last - 1);
  return distance.magnitude();
}

}  // namespace tally::bounds
