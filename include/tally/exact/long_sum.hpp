// SPDX-License-Identifier: Apache-2.0
//
// An exact sum that is rounded after every element, in a few nanoseconds each.
#pragma once

#include <algorithm>

#include "tally/exact/fixed_point.hpp"

namespace tally::detail {

// A sum as an integer in two's complement, in units of 2^lsb. It begins as what Digits hold.
// Additions move their carries at once, so that rounding finds the leading bits where they are;
// most carries do not go far.
template <class Digits>
class long_sum {
  static constexpr int last = Digits::digits - 1, limbs = Digits::digits / 2 + 2;

 public:
  explicit long_sum(Digits sum) {
    sum.carry();
    for (int i = 0; i < last; ++i) limb_[i / 2] |= std::uint64_t(sum.digit[i]) << (i % 2 * 32);
    std::int64_t const top = sum.digit[last], sign = top >> 63;
    limb_[last / 2] |= std::uint64_t(top) << (last % 2 * 32);
    limb_[last / 2 + 1] = std::uint64_t(last % 2 ? top >> 32 : sign);
    for (int i = last / 2 + 2; i < limbs; ++i) limb_[i] = std::uint64_t(sign);
  }

  // Adds significand * 2^exponent, a multiple of 2^lsb.
  void add(bool negative, std::uint64_t significand, int exponent) {
    int const position = exponent - Digits::lsb, shift = position % 64;
    int i = position / 64;
    std::uint64_t const low = significand << shift;
    std::uint64_t const high = shift ? significand >> (64 - shift) : 0;  // less than 2^63
    std::uint64_t& first = limb_[i];
    bool carry = negative ? first < low : first + low < low;
    first += negative ? 0 - low : low;
    std::uint64_t const upper = high + carry;
    std::uint64_t& second = limb_[++i];
    carry = negative ? second < upper : second + upper < upper;
    second += negative ? 0 - upper : upper;
    // A carry that goes through to the end turns all signs above; one that does not, stops there.
    while (carry && ++i < limbs) carry = negative ? limb_[i]-- == 0 : ++limb_[i] == 0;
    top_ = std::max(top_, i < limbs ? i : position / 64 + 1);
  }

  template <floating T>
  T round() {
    bool const negative = limb_[limbs - 1] >> 63;
    std::uint64_t const sign = negative ? ~std::uint64_t(0) : 0;
    while (top_ > 1 && limb_[top_] == sign) --top_;
    bool rest = false;
    for (int i = top_ - 2; i >= 0 && !rest; --i) rest = limb_[i] != 0;
    std::uint64_t high = limb_[top_], low = limb_[top_ - 1];
    bool over = false;
    if (negative) {  // -(x + rest) = ~x + (1 - rest)
      high = ~high, low = ~low;
      if (!rest && ++low == 0) over = ++high == 0;
    }
    natural<5> const x{{std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high),
                        std::uint32_t(high >> 32), over}};
    return round_natural<T>(negative, x, Digits::lsb + 64 * (top_ - 1), rest);
  }

 private:
  std::uint64_t limb_[limbs] = {};
  int top_ = limbs - 1;  // all limbs above are signs
};

}  // namespace tally::detail
