// SPDX-License-Identifier: Apache-2.0
//
// Integers of 192 bits: what a block sees of a long fixed-point number, from some bit on.
#pragma once

#include <cuda_runtime.h>

#include "tally/exact/float_format.hpp"

namespace tally::device {

// In two's complement, the least significant word first. What is cut off below is rounded down;
// `cut` says whether anything was.
struct window_integer {
  static constexpr int words = 3, bits = 64 * words;
  std::uint64_t word[words];
  bool cut;

  __device__ bool negative() const { return std::int64_t(word[words - 1]) < 0; }

  // The sum; it must fit.
  __device__ window_integer& operator+=(window_integer const& other) {
    cut = cut || other.cut;
    return add(other.word, false);
  }
  __device__ friend window_integer operator+(window_integer a, window_integer const& b) {
    return a += b;
  }

  // Adds (negative ? -1 : 1) * significand * 2^position.
  __device__ void add(bool negative, std::uint64_t significand, int position) {
    if (position < 0) {
      std::uint64_t const whole = position > -64 ? significand >> -position : 0;
      bool const rest = position > -64 ? whole << -position != significand : significand != 0;
      significand = whole + (negative && rest);
      cut = cut || rest;
      position = 0;
    }
    int const at = position / 64, shift = position % 64;
    std::uint64_t const low = significand << shift;
    std::uint64_t const high = shift ? significand >> (64 - shift) : 0;
    std::uint64_t x[words];
#pragma unroll
    for (int i = 0; i < words; ++i) x[i] = i == at ? low : i == at + 1 ? high : 0;
    add(x, negative);
  }
  // Adds x / 2^lsb.
  template <floating T>
  __device__ void add(T x, int lsb) {
    auto const p = take_apart(x);
    add(p.negative, p.significand, p.exponent - lsb);
  }

  // Divides by 2^(32 digits).
  __device__ void drop(int digits) {
#pragma unroll 1
    for (; digits > 0; --digits) {
      cut = cut || (word[0] & 0xffffffff) != 0;
#pragma unroll
      for (int i = 0; i < words - 1; ++i) word[i] = word[i] >> 32 | word[i + 1] << 32;
      word[words - 1] = std::uint64_t(std::int64_t(word[words - 1]) >> 32);
    }
  }

  // The least number of bits that the number, or its complement, has.
  __device__ int width() const {
    std::uint64_t const sign = negative() ? ~std::uint64_t(0) : 0;
#pragma unroll
    for (int i = words - 1; i >= 0; --i)
      if (std::uint64_t const x = word[i] ^ sign) return 64 * i + 64 - leading_zeros(x);
    return 0;
  }

  // The number divided by 2^by, rounded down, whose quotient has 64 bits and a sign at most 63; and
  // whether bits were left.
  __device__ std::int64_t shifted(int by, bool& rest) const {
    std::uint64_t const sign = negative() ? ~std::uint64_t(0) : 0;
    auto const at = [&](int i) {
      return i >= words ? sign : i == 2 ? word[2] : i == 1 ? word[1] : word[0];
    };
    int const from = by / 64, shift = by % 64;
    std::uint64_t const low = at(from), high = at(from + 1);
    std::uint64_t left = low & ((std::uint64_t(1) << shift) - 1);
    for (int i = 0; i < words; ++i)
      if (i < from) left |= word[i];
    rest = left != 0;
    return std::int64_t(shift ? low >> shift | high << (64 - shift) : low);
  }
  // The number times 2^lsb, rounded once, as if nothing had been cut off.
  template <floating T>
  __device__ T round(int lsb) const {
    bool const below = negative();
    std::uint64_t x[words], carry = below;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      x[i] = (below ? ~word[i] : word[i]) + carry;
      carry = carry && x[i] == 0;
    }
    bool const two = x[2] == 0, one = two && x[1] == 0;
    std::uint64_t const top = one ? x[0] : two ? x[1] : x[2];
    std::uint64_t const next = one ? 0 : two ? x[0] : x[1];
    if (top == 0) return T{};
    int const shift = leading_zeros(top);
    bool const rest = (next << shift) != 0 || (!two && x[0] != 0);
    return round_to<T>(below, top << shift | (next >> (63 - shift)) >> 1,
                       lsb +
                           (one   ? 63
                            : two ? 127
                                  : 191) -
                           shift,
                       rest);
  }

 private:
  __device__ window_integer& add(std::uint64_t const (&x)[words], bool negated) {
    std::uint64_t const flip = negated ? ~std::uint64_t(0) : 0;
    bool carry = negated;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      std::uint64_t const y = x[i] ^ flip, sum = word[i] + y, with_carry = sum + carry;
      carry = sum < y || with_carry < sum;
      word[i] = with_carry;
    }
    return *this;
  }
};

}  // namespace tally::device
