// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "tally/aggregate/windows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Sums of finite elements that lie anywhere: one sum for every sign and exponent, or for a few
// exponents together, which is exact. No element costs more than another. (The large
// superaccumulator of R. Neal, arXiv:1505.05571.) Neighbours go to different copies of the sums, so
// that they do not wait for each other.
template <floating T>
class exponent_table {  // floats and narrower: integer sums of significands
  static constexpr int fraction = 23, entries = 512, copies = 4;
  static constexpr std::uint64_t one = std::uint64_t(1) << 44;  // counts, above a sum's lower bits
  static constexpr std::uint64_t most = 1 << 20;                // elements between two flushes

 public:
  static constexpr int few = 2048;  // elements, for which a table does not pay

  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if (count_ + Tile::size > most) flush(s);
    if (!sums_) sums_ = std::make_unique<table>();
    float converted[Tile::size];
    float const* const x = as_floats(t, converted).data;
    auto& sum = sums_->sum;
    auto const add = [&](int copy, float value) __attribute__((always_inline)) {
      std::uint32_t const b = to_bits(value);
      sum[copy][b >> fraction] += (b & ((1u << fraction) - 1)) | one;
    };
    int k = 0;
    for (; k + copies <= t.count; k += copies)
      for (int c = 0; c < copies; ++c) add(c, x[k + c]);
    for (; k < t.count; ++k) add(0, x[k]);
    count_ += std::uint64_t(t.count);
  }

  template <class State>
  TALLY_CPU_COLD void flush(State& s) {
    if (!sums_ || count_ == 0) return;
    for (int at = 0; at < entries; ++at) {
      std::uint64_t sum = 0;
      for (auto& copy : sums_->sum) sum += std::exchange(copy[at], 0);
      if (sum == 0) continue;
      bool const negative = at >= entries / 2;
      int const field = at % (entries / 2);
      int const exponent = std::max(field, 1) + format<float>::lowest - 1;
      s.finite.add(negative, sum % one, exponent);
      if (field) s.finite.add(negative, sum / one << fraction, exponent);
    }
    count_ = 0;
  }

 private:
  struct table {
    // Padded: addresses 4096 bytes apart would seem to be the same.
    std::uint64_t sum[copies][entries + 8] = {};
  };
  std::unique_ptr<table> sums_;
  std::uint64_t count_ = 0;
};

// Doubles: the upper 27 bits and the rest, which are doubles, are added side by side. The sums of
// eight exponents together have room for 2^18 of them.
template <>
class exponent_table<double> {
  using pair = vec<double, 2>;
  static constexpr int entries = 512, copies = 2;
  static constexpr std::uint64_t most = 1 << 18;
  static constexpr int smaller = 64;  // doubles from 2 on are added 2^64 times smaller, or a sum
                                      // might overflow
 public:
  static constexpr int few = 2048;

  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::uint64_t, lanes>;
    if (count_ + Tile::size > most) flush(s);
    if (!sums_) sums_ = std::make_unique<table>();
    auto& sum = sums_->sum;
    for_each_group<lanes>(t, 0.0, [&](double const* p) __attribute__((always_inline)) {
      auto x = load<doubles>(p);
      if constexpr (Tile::skips) x = x == x ? x : 0 * x;
      bits const b = cast<bits>(x);
      x = (b & upper_half) != 0 ? x * power_of_two(-smaller) : x;
      doubles const high = cast<doubles>(cast<bits>(x) & (~std::uint64_t(0) << 26));
      pair halves[lanes];
      side_by_side<double, lanes>(high, x - high, halves);
      TALLY_CPU_UNROLL
      for (int i = 0; i < lanes; ++i) sum[to_bits(p[i]) >> 55][i % copies] += halves[i];
    });
    count_ += std::uint64_t(t.count);
  }

  template <class State>
  TALLY_CPU_COLD void flush(State& s) {
    if (!sums_ || count_ == 0) return;
    for (int at = 0; at < entries; ++at) {
      pair sum = sums_->sum[at][0];
      sum += sums_->sum[at][1];
      sums_->sum[at][0] = sums_->sum[at][1] = sum - sum;
      for (int half = 0; half < 2; ++half) {
        auto const p = take_apart(double(sum[half]));
        bool const was_upper = at & entries / 4;
        if (p.significand)
          s.finite.add(p.negative, p.significand, p.exponent + (was_upper ? smaller : 0));
      }
    }
    count_ = 0;
  }

 private:
  static constexpr std::uint64_t upper_half = std::uint64_t(1) << 62;  // the exponent's first bit
  struct table {
    pair sum[entries][copies] = {};
  };

  std::unique_ptr<table> sums_;
  std::uint64_t count_ = 0;
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
