// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/claim.hpp"
#include "tally/exact/double_double.hpp"
#include "tally/exact/fixed_point.hpp"
#include "tally/warp/reduce.cuh"

namespace tally::device {

// A superaccumulator that the threads of a block add to, in shared memory (R. M. Neal,
// arXiv:1505.05571; fixed_point.hpp): the value of `Number`, a fixed_point, in digits of 16 bits,
// so that 32-bit atomics do (those of 64 bits are loops there). It sums up integers: no order
// leaves a trace.
template <class Number>
struct block_superaccumulator {
  static constexpr int halves = 2 * Number::digits;
  static constexpr int lsb = Number::lsb, pieces = 4;
  int half[halves];  // the sum of half[i] * 2^(16 i + lsb)

  // Makes it zero: for all threads of the block, before a barrier.
  __device__ void clear() {
#pragma unroll 1  // else the number of rounds is divided out before a kernel's first load
    for (int i = int(threadIdx.x); i < halves; i += int(blockDim.x)) half[i] = 0;
  }

  // Adds a finite double; no bit of it may lie below 2^lsb. Any thread may call it at any time.
  __device__ void add(double x) {
    auto const p = take_apart(x);
    if (p.significand != 0) add(p.negative, p.significand, p.exponent);
  }
  __device__ __noinline__ void add(bool negative, std::uint64_t significand, int exponent) {
    int const position = exponent - Number::lsb;
    if (position < 0) significand >>= position > -63 ? -position : 63;
    int at = position < 0 ? 0 : position / 16, shift = position < 0 ? 0 : position % 16;
    std::uint64_t rest = significand << shift, above = shift ? significand >> (64 - shift) : 0;
    for (; rest | above; ++at) {
      int const digit = int(rest & 0xffff);
      add_half(at, negative ? -digit : digit);
      rest = rest >> 16 | above << 48;
      above >>= 16;
    }
  }

  // Adds N finite doubles of each of a warp's lanes, all of which call this together. That is
  // quicker: the hardware adds the doubles up as integers of 58 bits, or where these do not hold
  // them all, but the values are less than 2^25 apart, in three columns of 26 bits. To be called a
  // few times in a launch.
  template <int N>
  __device__ void add_warp(double const (&x)[N]) {
    int top[N];
#pragma unroll
    for (int i = 0; i < N; ++i) {
      int const field = int(to_bits(x[i]) >> 52) & format<double>::max_field;
      top[i] = warp::detail::redux_of(field, larger{});
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (top[i] == 0 && Number::lsb > -1074) continue;  // all are zero
      if (top[i] < 1) top[i] = 1;
      if (!add_narrow(x[i], top[i]))
        add_by_lanes(sum_of_warp(x[i], top[i]), top[i] - 1075 - 25 - Number::lsb);
    }
  }

  // Adds x * 2^(16 at + lsb) without a look at how large the digits have grown: each thread may
  // call it a few times in a launch.
  __device__ void add_integer(int at, std::int64_t x) {
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece) add_piece(at, x, piece);
  }
  // Adds the piece-th of the `pieces` pieces of such a number, for as many threads to share.
  __device__ void add_piece(int at, std::int64_t x, int piece) {
    int const digit = piece_of(at, x, piece);
    if (digit != 0) TALLY_CLAIM(counter("shared.digit", &half[at + piece], digit));
    if (digit != 0) atomicAdd(&half[at + piece], digit);
  }
  // Adds such a number, and looks at how large digits grow: a thread may call it at any time.
  __device__ void add_integer_checked(int at, std::int64_t x) {
#pragma unroll 1
    for (int piece = 0; piece < pieces; ++piece)
      if (int const digit = piece_of(at, x, piece); digit != 0) add_half(at + piece, digit);
  }

  // The number's digits as `Number` has them.
  __device__ std::int64_t digit(int i) const {
    return half[2 * i] + (std::int64_t(half[2 * i + 1]) << 16);
  }

 private:
  static constexpr unsigned mask26 = (1u << 26) - 1;
  // What half[at + piece] gets of x * 2^(16 at + lsb): 16 bits; the last one, which is signed, gets
  // the rest.
  __device__ static int piece_of(int at, std::int64_t x, int piece) {
    int const last = min(pieces, halves - at) - 1;
    if (piece > last) return 0;
    return piece < last ? int(x >> (16 * piece) & 0xffff) : int(x >> (16 * piece));
  }

  // Adds a warp's values if all are multiples of 2^(top - 1075 - 5), else returns false. No
  // exponent field of theirs is greater than `top`.
  __device__ bool add_narrow(double x, int top) {
    int const unit = max(top - 1080, Number::lsb);
    if (unit < -1022) return false;
    auto const power = [](int e) { return from_bits<double>(std::uint64_t(1023 + e) << 52); };
    auto const whole = std::int64_t(x * power(-unit));
    if (!__all_sync(~0u, double(whole) * power(unit) == x)) return false;
    TALLY_CLAIM(within("warp.narrow", whole, 0x1p58));
    auto const sum = std::int64_t(warp::detail::redux_of(std::uint64_t(whole), plus{}));
    std::uint64_t const magnitude = sum < 0 ? 0 - std::uint64_t(sum) : std::uint64_t(sum);
    // Each of the first lanes has a digit of it.
    int const position = unit - Number::lsb, lane = warp::lane();
    int const down = 16 * lane - position % 16;
    std::uint64_t const from = down < 0 ? magnitude << -down : magnitude >> min(down, 63);
    int const digit = lane < 5 ? int(from & 0xffff) : 0;  // less than 2^79 in all
    TALLY_CLAIM(within("warp.narrow_sum", double(magnitude) * (1 << position % 16), 0x1p79));
    if (digit != 0)
      TALLY_CLAIM(counter("shared.digit", &half[position / 16 + lane], sum < 0 ? -digit : digit));
    if (digit != 0) atomicAdd(&half[position / 16 + lane], sum < 0 ? -digit : digit);
    return true;
  }

  // The sum of a warp's values in units of 2^(top - 1075 - 25), but for those far below, which are
  // added to the digits at once. No exponent field of theirs is greater than `top`.
  __device__ __int128 sum_of_warp(double x, int top) {
    auto p = take_apart(x);
    int const field = int(to_bits(x) >> 52) & format<double>::max_field;
    int const shift = 25 - (top - (field > 1 ? field : 1));
    if (shift < 0) {
      add(p.negative, p.significand, p.exponent);
      p.significand = 0;
    }
    int const up = shift < 0 ? 0 : shift;
    std::int64_t const value =
        p.negative ? -std::int64_t(p.significand) : std::int64_t(p.significand);
    unsigned const low = unsigned(std::uint64_t(value) << up) & mask26;
    unsigned const middle = unsigned((std::uint64_t(value) << up) >> 26) & mask26;
    int const high = int(value >> (52 - up));
    TALLY_CLAIM(within("warp.high", high, 0x1p26));
    __int128 sum = __int128(warp::detail::redux_of(high, plus{})) << 52;
    sum += std::int64_t(warp::detail::redux_of(middle, plus{})) << 26;
    return sum + warp::detail::redux_of(low, plus{});
  }

  // Each lane of a warp adds a digit of sum * 2^(position + lsb), |sum| < 2^86.
  __device__ void add_by_lanes(__int128 sum, int position) {
    bool const negative = sum < 0;
    auto magnitude = static_cast<unsigned __int128>(negative ? -sum : sum);
    TALLY_CLAIM(within("warp.sum", sum, 0x1p86));
    magnitude = position < 0 ? magnitude >> -position : magnitude << position % 16;
    int const at = position < 0 ? 0 : position / 16, lane = warp::lane();
    int const digit = lane < 8 ? int(unsigned(magnitude >> (16 * lane)) & 0xffff) : 0;
    if (digit != 0)
      TALLY_CLAIM(counter("shared.digit", &half[at + lane], negative ? -digit : digit));
    if (digit != 0) atomicAdd(&half[at + lane], negative ? -digit : digit);  // few: not looked at
  }

  // |x| <= 2^16. A digit that has grown large is emptied into the next one, by every thread that
  // sees it: so it exceeds 2^30 by no more than each thread's last addition.
  __device__ void add_half(int i, int x) {
    constexpr int large = 1 << 30;
    for (;; ++i) {
      TALLY_CLAIM(counter("shared.digit", &half[i], x));
      int const now = atomicAdd(&half[i], x) + x;
      if ((now < large && now > -large) || i + 1 == halves) return;
      int const taken = atomicExch(&half[i], 0);
      atomicAdd(&half[i], taken & 0xffff);
      x = taken >> 16;
    }
  }
};

// A thread's exact sum of doubles: an expansion of some that do not overlap (J. R. Shewchuk,
// "Adaptive precision floating-point arithmetic and fast robust geometric predicates", Discrete &
// Computational Geometry 18, 1997), and the block's digits for what does not fit. Each addition is
// a TwoSum.
template <int Components>
class expansion {
 public:
  // The first components are for values that are likely to be large, and are passed over by others.
  template <int Component = 0, class Digits>
  __device__ void put(double x, Digits& digits) {
    auto const sum = detail::two_sum(component_[Component], x);
    component_[Component] = sum.high;
    if (sum.low == 0) return;
    if constexpr (Component + 1 < Components)
      put<Component + 1>(sum.low, digits);
    else
      digits.add(sum.low);
  }
  // Adds the components to the digits; for whole warps.
  template <class Digits>
  __device__ void close(Digits& digits) const {
    digits.add_warp(component_);
  }

 private:
  double component_[Components] = {};
};

}  // namespace tally::device
