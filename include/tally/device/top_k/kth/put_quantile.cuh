// SPDX-License-Identifier: Apache-2.0
//
// A quantile, as an element or what lies between two, from their keys.
#pragma once

#include "tally/device/top_k/request.hpp"
#include "tally/exact/quick_between.hpp"

namespace tally::device {

// Calls put(T) with an element's type T, which is as wide as the bits.
template <class Bits, class Put>
__device__ void with_type(dtype elements, Put put) {
  if constexpr (sizeof(Bits) == 1) {
    if (elements == dtype::int8) return put(std::int8_t());
    return put(std::uint8_t());
  } else if constexpr (sizeof(Bits) == 2) {
    if (elements == dtype::float16) return put(float16());
    if (elements == dtype::bfloat16) return put(bfloat16());
    if (elements == dtype::int16) return put(std::int16_t());
    return put(std::uint16_t());
  } else if constexpr (sizeof(Bits) == 4) {
    if (elements == dtype::float32) return put(float());
    if (elements == dtype::int32) return put(std::int32_t());
    return put(std::uint32_t());
  } else {
    if (elements == dtype::float64) return put(double());
    if (elements == dtype::int64) return put(std::int64_t());
    return put(std::uint64_t());
  }
}

// The keys at a place and at the next one.
template <class Bits>
struct keys_at {
  Bits here, next;
};

template <class Bits>
struct known_keys {
  keys_at<Bits> keys;
  bool is_known;
};

// About which share of a sorted row is before a quantile.
__device__ inline float share_of(detail::quantile_place const& q) {
  return q.is_fraction() ? float(q.numerator) / float(q.denominator) : float(q.as_double());
}

// A row's quantile of place q; NaN, or 0 of integers, if `keys` is null.
template <class Call>
__device__ void put_quantile(Call const& call, std::uint64_t r, unsigned q,
                             keys_at<typename Call::bits> const* keys,
                             detail::sorted_place const& place) {
  std::uint64_t const to = r * call.how.places + call.how.first + q;
  with_type<typename Call::bits>(call.how.elements, [&]<class T>(T) {
    using result = quantile_of<T>;
    if constexpr (integer<T>)
      if (call.how.of_elements) {
        static_cast<T*>(call.how.out)[to] = keys ? detail::from_ascending_key<T>(keys->here) : T();
        return;
      }
    auto x = quiet_nan<result>();
    if (keys) {
      T const here = detail::from_ascending_key<T>(keys->here);
      T const next = detail::from_ascending_key<T>(keys->next);
      if (!detail::quick_between(here, next, place, x))
        x = detail::between<result>(here, next, place);
    }
    static_cast<result*>(call.how.out)[to] = x;
  });
}

}  // namespace tally::device
