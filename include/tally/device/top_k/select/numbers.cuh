// SPDX-License-Identifier: Apache-2.0
//
// Elements as numbers that a GPU compares in one instruction, where an order's keys take many: the
// larger a number, the better. NaN is better than every number, or worse.
#pragma once

#include "tally/exact/rank_order.hpp"

namespace tally::device {

// The keys of the worst and the best number of an order.
template <class Bits>
struct number_keys {
  Bits worst, best;

  __device__ explicit number_keys(rank_order<Bits> const& order) : worst(0), best(Bits(~Bits(0))) {
    if (order.sign == 0) return;
    Bits const positive = order(order.infinity),
               negative = order(Bits(order.sign | order.infinity));
    worst = positive < negative ? positive : negative;
    best = positive < negative ? negative : positive;
  }
  // What is beyond these is no number's key.
  __device__ Bits kept(Bits key) const { return key < worst ? worst : key > best ? best : key; }
};

template <class Bits>
struct integer_numbers {
  using bits = Bits;
  using number = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;
  static constexpr bool has_nan = false;

  __device__ explicit integer_numbers(rank_order<Bits> const& order) : flip_(order.flip) {}

  __device__ number of(Bits x) const { return number(x) ^ flip_; }
  __device__ static bool is_above(number a, number b) { return a > b; }
  // The number that has a key.
  __device__ number of_key(Bits key) const { return key; }
  // What no number is above.
  __device__ static number top() { return ~number(0); }

 private:
  number flip_;
};

template <floating T, bool NanIsBest>
struct float_numbers {
  using bits = bits_of<T>;
  using number = std::conditional_t<sizeof(T) == 8, double, float>;
  static constexpr bool has_nan = true;

  __device__ explicit float_numbers(rank_order<bits> const& order)
      : order_(order), turn_(order.flip & 1 ? number(-1) : number(1)) {}

  __device__ number of(bits x) const {
    if constexpr (sizeof(T) == 2)
      return detail::to_float(from_bits<T>(x)) * turn_;
    else
      return from_bits<T>(x) * turn_;
  }
  __device__ static bool is_above(number a, number b) { return NanIsBest ? !(a <= b) : a > b; }
  __device__ number of_key(bits key) const { return of(order_.element_of(key)); }
  __device__ static number top() { return infinity<number>(false); }

 private:
  rank_order<bits> order_;
  number turn_;
};

// Calls f with the numbers of an order; `NanIsWorst` if it is known that no order has NaN first.
template <bool NanIsWorst = false, class Bits, class F>
__device__ auto with_numbers(rank_order<Bits> const& order, F f) {
  if constexpr (sizeof(Bits) > 1) {
    auto const with_float = [&]<class T>(T) {
      if constexpr (!NanIsWorst)
        if (!(order.flip & 1) && !order.skips) return f(float_numbers<T, true>(order));
      return f(float_numbers<T, false>(order));
    };
    if (order.sign != 0) {
      if constexpr (sizeof(Bits) == 8) return with_float(double());
      if constexpr (sizeof(Bits) == 4) return with_float(float());
      if constexpr (sizeof(Bits) == 2) {
        if (order.infinity == format<float16>::infinity) return with_float(float16());
        return with_float(bfloat16());
      }
    }
  }
  return f(integer_numbers<Bits>(order));
}

}  // namespace tally::device
