// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "tally/claim.hpp"
#include "tally/cpu/tile/conversions.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Sums of finite elements that lie anywhere: an integer for every sign and exponent, or (of
// doubles) for every sign and eight exponents. No element costs more than another. (This is the
// large superaccumulator of R. M. Neal, arXiv:1505.05571.) Neighbours go to different copies of the
// sums, so that they do not wait for each other.
template <floating T>
class large_superaccumulator {  // of floats and narrower elements
  static constexpr int fraction = 23, entries = 512, copies = 4;
  // Each addend is the float's bits plus this. When a sum is flushed, dividing it by 2^44 plus the
  // bits of the entry's sign and exponent gives the number of its elements, and the remainder is
  // the sum of their fractions.
  static constexpr std::uint64_t one = std::uint64_t(1) << 44;
  static constexpr std::uint64_t max_elements = (1 << 20) - 1024;  // between two flushes

 public:
  static constexpr int break_even = 2048;  // up to so many elements a table does not pay

  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if (count_ + Tile::size > max_elements) flush(s);
    if (!sums_) sums_ = std::make_unique<table>();
    float converted[Tile::size];
    constexpr int group = 4 * copies;
    auto const add = [&](float const* x) __attribute__((always_inline)) {
      TALLY_CPU_UNROLL
      for (int i = 0; i < group; i += copies) add_neighbours(x + i);
    };
    for_each_group<group>(as_floats(t, converted), 0.0f, add, next_tile<Tile>);
    TALLY_CLAIM(tabled(truth_, t));
    count_ += Tile::size;
  }

  template <class State>
  TALLY_CPU_COLD void flush(State& s) {
    if (!sums_ || count_ == 0) return;
    TALLY_CLAIM(flushes(truth_, s.finite));
    for (int at = 0; at < entries; ++at) {
      std::uint64_t sum = 0;
      for (auto& copy : sums_->sum) sum += std::exchange(copy[at], 0);
      if (sum == 0) continue;
      bool const negative = at >= entries / 2;
      int const field = at % (entries / 2);
      int const exponent = std::max(field, 1) + format<float>::lowest - 1;
      std::uint64_t const each =
          one + (std::uint64_t(at) << fraction);  // an addend but for its fraction
      TALLY_CLAIM(within("table.count", double(sum), 0x1p64));
      TALLY_CLAIM(within("table.fractions", double(sum % each), double(each)));
      s.finite.add(negative, sum % each, exponent);
      if (field) s.finite.add(negative, sum / each << fraction, exponent);
    }
    TALLY_CLAIM(flushed("table", truth_, s.finite));
    count_ = 0;
  }

 private:
  struct table {
    // Padded: addresses 4096 bytes apart would seem to be the same.
    std::uint64_t sum[copies][entries + 8] = {};
  };
  std::unique_ptr<table> sums_;
  std::uint64_t count_ = 0;
  TALLY_CLAIMS_NEED(bounds::exact truth_;)

  // All sums are loaded before one is stored, which asm("") holds g++ to: an addition to memory
  // would be more work for the processor than a load, an addition and a store.
  TALLY_CPU_FN void add_neighbours(float const* x) {
    auto& sum = sums_->sum;
    std::uint64_t at[copies], sums[copies];
    TALLY_CPU_UNROLL
    for (int c = 0; c < copies; ++c) {
      std::uint64_t const b = to_bits(x[c]);
      at[c] = b >> fraction;
      std::uint64_t added = b + one + sum[c][at[c]];
      asm("" : "+r"(added));
      sums[c] = added;
    }
    TALLY_CPU_UNROLL
    for (int c = 0; c < copies; ++c) sum[c][at[c]] = sums[c];
  }
};

// The sums of doubles. Significands are shifted left by their exponent modulo 8, so that eight
// exponents share a sum. The halves of these 60 bits are added up side by side; each sum has room
// for 2^34 halves.
template <>
class large_superaccumulator<double> {
  using pair = vec<std::uint64_t, 2>;
  static constexpr int fraction = 52, shared = 3, entries = 4096 >> shared, copies = 4, half = 30;
  static constexpr std::uint64_t max_elements = 1 << 20;  // between two flushes

 public:
  static constexpr int break_even = 2048;  // up to so many elements a table does not pay

  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if (count_ + Tile::size > max_elements) flush(s);
    if (!sums_) sums_ = std::make_unique<table>();
    auto const add = [&](double const* p) __attribute__((always_inline)) {
      if constexpr (Tile::skips) {
        double x[group];
        for (int i = 0; i < group; ++i) x[i] = is_nan(p[i]) ? 0 : p[i];
        add_group(x);
      } else {
        add_group(p);
      }
    };
    for_each_group<group>(t, 0.0, add, next_tile<Tile>);
    TALLY_CLAIM(tabled(truth_, t));
    count_ += std::uint64_t(t.count);
  }

  template <class State>
  TALLY_CPU_COLD void flush(State& s) {
    if (!sums_ || count_ == 0) return;
    TALLY_CLAIM(flushes(truth_, s.finite));
    for (int at = 0; at < entries; ++at) {
      pair sum{};
      for (pair& copy : sums_->sum[at]) sum += std::exchange(copy, pair{});
      TALLY_CLAIM(within("table.halves", double(std::max(sum[0], sum[1])), 0x1p64));
      bool const negative = at >= entries / 2;
      int const exponent = (at % (entries / 2) << shared) + format<double>::lowest - 1;
      for (int i = 0; i < 2; ++i)
        if (sum[i]) s.finite.add(negative, sum[i], exponent + i * half);
    }
    TALLY_CLAIM(flushed("table", truth_, s.finite));
    count_ = 0;
  }

 private:
  struct table {
    pair sum[entries][copies] = {};
  };
  static constexpr int group = copies;
  std::unique_ptr<table> sums_;
  std::uint64_t count_ = 0;
  TALLY_CLAIMS_NEED(bounds::exact truth_;)

  // All sums are loaded before one is stored.
  TALLY_CPU_FN void add_group(double const* x) {
    using words = vec<std::uint64_t, group>;
    constexpr std::uint64_t leading = std::uint64_t(1) << fraction;
    words const b = load<words>(x), field = b >> fraction & format<double>::max_field;
    words const is_small =
        words(field == 0);  // 0 or -1: then as of field 1, without the leading bit
    words significand = (b & format<double>::fraction) | (leading & ~is_small);
    significand <<= (field - is_small) & ((1 << shared) - 1);
    pair sums[group];
    side_by_side<std::uint64_t, group>(significand & ((std::uint64_t(1) << half) - 1),
                                       significand >> half, sums);
    auto& table = sums_->sum;
    TALLY_CPU_UNROLL
    for (int i = 0; i < group; ++i) sums[i] += table[to_bits(x[i]) >> (fraction + shared)][i];
    TALLY_CPU_UNROLL
    for (int i = 0; i < group; ++i) table[to_bits(x[i]) >> (fraction + shared)][i] = sums[i];
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
