// SPDX-License-Identifier: Apache-2.0
//
// Elements of a short row as words, of which larger is better: a key, and where there is room for
// it, the index below it, so that no two words are equal. They rank as rank_order's keys do and may
// be others, which take fewer instructions.
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/device/top_k/select/ranked.cuh"
#include "tally/exact/rank_order.hpp"

namespace tally::device {

// As ranked<Bits>, of rows that are so short.
template <class Bits>
struct ranked_in_row : ranked<Bits> {
  static constexpr bool indexed = false;
  using word = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;
};
template <class Bits>
  requires(sizeof(Bits) <= 2)
struct ranked_in_row<Bits> {
  static constexpr bool indexed = true;
  using word = std::uint32_t;
  using type = word;
  __device__ static type of(Bits key, std::uint32_t index) {
    return std::uint32_t(key) << 16 | (0xffff - index);
  }
  __device__ static std::uint32_t index(type x) { return 0xffff - (x & 0xffff); }
  __device__ static bool first(type a, type b) { return a > b; }
};

// What makes them, as values that the host knows.
template <class Bits>
class row_words {
 public:
  using rank = ranked_in_row<Bits>;
  using word = typename rank::word;

  explicit row_words(rank_order<Bits> const& order)
      : order_(order), nans_last_(order.sign != 0 && ((order.flip & 1) || order.skips)) {
    Bits const infinity = Bits(order.sign | order.infinity);  // the negative one
    worst_ = order.sign == 0 ? order.flip : nans_last_ ? Bits(infinity + 1) : infinity;
    Bits const key = sizeof(Bits) == 8               ? order(worst_)
                     : order.sign == 0 || nans_last_ ? Bits(0)
                                                     : Bits(~infinity);
    of_worst_ = rank::indexed ? word(key) << 16 | 0xffff : word(key);
    least_ = word(order.skips) << (rank::indexed ? 16 : 0);
  }

  // An element than which none is worse; and no such element's word is beyond this.
  __device__ Bits worst() const { return worst_; }
  __device__ word of_worst() const { return of_worst_; }
  // The least word of an element that counts.
  __device__ word least() const { return least_; }

  // Makes keys of elements, which lie side by side in words of 32 bits.
  template <int N>
  __device__ void make_keys(std::uint32_t (&raw)[N]) const {
    if constexpr (sizeof(Bits) == 1) {
#pragma unroll
      for (int i = 0; i < N; ++i) raw[i] ^= order_.flip * 0x01010101u;
    } else if constexpr (sizeof(Bits) == 2) {
      make_keys_of_halves(raw);
    } else if constexpr (sizeof(Bits) == 4) {
      make_keys_of_words(raw);
    } else {
#pragma unroll
      for (int i = 0; i < N; i += 2) {
        std::uint64_t const key = order_(std::uint64_t(raw[i + 1]) << 32 | raw[i]);
        raw[i] = std::uint32_t(key), raw[i + 1] = std::uint32_t(key >> 32);
      }
    }
  }
  // What ranks one element.
  __device__ typename rank::type ranked(Bits element, unsigned index) const {
    std::uint32_t raw[sizeof(Bits) == 8 ? 2 : 1] = {};
    __builtin_memcpy(raw, &element, sizeof element);
    make_keys(raw);
    Bits key;
    __builtin_memcpy(&key, raw, sizeof key);
    return rank::of(key, index);
  }
  // The words of elements, of whose keys the first is that of an index.
  template <int Elements>
  __device__ void words_of(std::uint32_t const* keys, unsigned index, word* x) const {
    unsigned const below = 0xffff - index, both = below * 0x10001 - 0x10000;  // its and the next's
#pragma unroll
    for (int i = 0; i < Elements; ++i) {
      if constexpr (sizeof(Bits) == 1)
        x[i] = (keys[i / 4] >> 8 * (i % 4) & 0xff) * 0x10000u + below - unsigned(i);
      else if constexpr (sizeof(Bits) == 2)
        x[i] = __byte_perm(keys[i / 2], both - unsigned(i / 2) * 0x20002, i % 2 ? 0x3276 : 0x1054);
      else if constexpr (sizeof(Bits) == 4)
        x[i] = keys[i];
      else
        x[i] = std::uint64_t(keys[2 * i + 1]) << 32 | keys[2 * i];
    }
  }

 private:
  rank_order<Bits> order_;
  bool nans_last_;
  Bits worst_;
  word of_worst_, least_;

  __device__ float factor() const { return order_.flip & 1 ? -1.f : 1.f; }
  template <int N>
  __device__ void make_keys_of_words(std::uint32_t (&raw)[N]) const {
    if (order_.sign == 0) {
#pragma unroll
      for (int i = 0; i < N; ++i) raw[i] ^= order_.flip;
      return;
    }
    float const factor = this->factor();
#pragma unroll
    for (int i = 0; i < N; ++i) {
      unsigned const x = plain_float(raw[i], factor);
      raw[i] = x ^ (unsigned(int(x) >> 31) | 0x80000000u);
    }
    if (!nans_last_) return;
#pragma unroll
    for (int i = 0; i < N; ++i) ++raw[i];
  }
  template <int N>
  __device__ void make_keys_of_halves(std::uint32_t (&raw)[N]) const {
    if (order_.sign == 0) {
#pragma unroll
      for (int i = 0; i < N; ++i) raw[i] ^= order_.flip * 0x10001u;
      return;
    }
    float const factor = this->factor();
    if (order_.infinity == format<bfloat16>::infinity) {
#pragma unroll
      for (int i = 0; i < N; ++i) raw[i] = plain_halves<bfloat16>(raw[i], factor);
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) raw[i] = plain_halves<float16>(raw[i], factor);
    }
#pragma unroll
    for (int i = 0; i < N; ++i) raw[i] ^= signs_of_halves(raw[i]) | 0x80008000u;
    if (!nans_last_) return;
#pragma unroll
    for (int i = 0; i < N; ++i) raw[i] = least_halves(raw[i], 0x10001u, ~0u);
  }
};

}  // namespace tally::device
