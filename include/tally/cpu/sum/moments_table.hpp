// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include "tally/claim.hpp"
#include "tally/cpu/tile/conversions.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// The sums and the sums of squares of finite elements that lie anywhere. It extends Neal's large
// superaccumulator (large_superaccumulator.hpp): for every sign and exponent it has the number of
// elements, the sum of their fractions f and the sum of f^2, all of them integers. From these the
// sum of (1 + f)^2 follows.
template <floating T>
class moments_table {
  using host = typename seen_as<T>::host;  // float or double
  using bits = bits_of<host>;
  using wide = unsigned __int128;
  static constexpr bool is_double = sizeof(host) == 8;
  static constexpr int fraction = format<host>::precision - 1, fields = format<host>::max_field + 1;
  static constexpr bits fraction_bits = format<host>::fraction;
  using word = std::conditional_t<is_double, wide, std::uint64_t>;
  static constexpr int count_at =
      is_double ? 96 : 44;  // where the count begins, above a sum of fractions
  static constexpr word one = word(1) << count_at;
  using pair = vec<std::uint64_t, 2>;
  // Neighbouring floats go to different copies, so that they do not wait for each other.
  static constexpr int copies = is_double ? 1 : 4;
  using entry = std::conditional_t<is_double, wide[2], pair>;  // fractions and count, squares
  // The number of elements between two flushes. There is room for 2^22 squares of 106 bits, or for
  // a copy's 2^18 of 46 bits, and for a count of 20 bits.
  static constexpr std::uint64_t max_elements = (std::uint64_t(1) << (is_double ? 22 : 20)) - 1;

 public:
  static constexpr int break_even = 512;  // up to so many elements a table does not pay

  // Adds to the two numbers s.sum.finite and s.squares.finite, before the next flush.
  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if (count_ + Tile::size > max_elements) flush(s);
    if (!table_) table_ = std::make_unique<table>();
    if constexpr (is_double)
      add_doubles(t);
    else
      add_floats(t);
    TALLY_CLAIM(tabled(sum_, t));
    TALLY_CLAIM(tabled_squares(squares_, t));
    count_ += Tile::size;
  }

  template <class State>
  TALLY_CPU_COLD void flush(State& s) {
    if (count_ == 0) return;
    TALLY_CLAIM(flushes(sum_, s.sum.finite));
    TALLY_CLAIM(flushes(squares_, s.squares.finite));
    for (int at = 0; at < 2 * fields; ++at) {
      word both = 0;
      for (entry& e : table_->of[at]) both += e[0];
      if (both == 0) continue;
      TALLY_CLAIM(within("moments_table.count", double(both), is_double ? 0x1p128 : 0x1p64));
      TALLY_CLAIM(within("moments_table.fractions", double(both % one), double(one)));
      wide sum = both % one, count = both / one, squares = 0;
      for (entry& e : table_->of[at]) {
        TALLY_CLAIM(within("moments_table.squares", double(e[1]), is_double ? 0x1p128 : 0x1p64));
        squares += e[1];
        e[0] = e[1] = 0;
      }
      int const field = at % fields, exponent = std::max(field, 1) + format<host>::lowest - 1;
      if (field > 0) {  // the elements begin with 1, not 0
        squares += (sum << (fraction + 1)) + (count << 2 * fraction);
        sum += count << fraction;
      }
      TALLY_CLAIM(within("moments_table.all_squares", double(squares), 0x1p128));
      deposit(s.sum.finite, at >= fields, sum, exponent);
      deposit(s.squares.finite, false, squares, 2 * exponent);
    }
    TALLY_CLAIM(flushed("moments_table", sum_, s.sum.finite));
    TALLY_CLAIM(flushed("moments_table", squares_, s.squares.finite));
    count_ = 0;
  }

 private:
  struct table {
    entry of[2 * fields][copies] = {};
  };
  std::unique_ptr<table> table_;
  std::uint64_t count_ = 0;
  TALLY_CLAIMS_NEED(bounds::exact sum_, squares_;)

  template <class Tile>
  TALLY_CPU_FN void add_doubles(Tile const& t) {
    constexpr int group = 8;
    auto const add = [&](double const* x) __attribute__((always_inline)) {
      TALLY_CPU_UNROLL
      for (int i = 0; i < group; ++i) {
        bits const b = Tile::skips && is_nan(x[i]) ? 0 : to_bits(x[i]), f = b & fraction_bits;
        entry& e = table_->of[b >> fraction][0];
        e[0] += one | f;
        e[1] += wide(f) * f;
      }
    };
    for_each_group<group>(t, 0.0, add, next_tile<Tile>);
  }
  template <class Tile>
  TALLY_CPU_FN void add_floats(Tile const& t) {
    using words = vec<std::uint64_t, copies>;
    constexpr int group = 2 * copies;
    float converted[Tile::size];
    auto& table = table_->of;
    auto const add = [&](float const* x) __attribute__((always_inline)) {
      pair sums[2][copies];
      TALLY_CPU_UNROLL
      for (int half = 0; half < 2; ++half) {
        words const f = load<words>(x) >> 32 * half & fraction_bits;
        side_by_side<std::uint64_t, copies>(f | one, multiply_low<Tile::vector_bytes, copies>(f, f),
                                            sums[half]);
      }
      TALLY_CPU_UNROLL
      for (int k = 0; k < group; k += copies) {  // all are loaded before one is stored
        TALLY_CPU_UNROLL
        for (int c = 0; c < copies; ++c)
          sums[c % 2][(k + c) / 2] += table[to_bits(x[k + c]) >> fraction][c];
        TALLY_CPU_UNROLL
        for (int c = 0; c < copies; ++c)
          table[to_bits(x[k + c]) >> fraction][c] = sums[c % 2][(k + c) / 2];
      }
    };
    for_each_group<group>(as_floats(t, converted), 0.0f, add, next_tile<Tile>);
  }

  template <class Digits>
  static TALLY_CPU_FN void deposit(Digits& into, bool negative, wide value, int exponent) {
    if (value == 0) return;
    into.add(negative, std::uint64_t(value), exponent);
    into.add(negative, std::uint64_t(value >> 64), exponent + 64);
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
