// SPDX-License-Identifier: Apache-2.0
//
// Exact prefix sums by blocks: each is rounded once. A block sees the numbers through a window of
// 192 bits, from the largest one in the tile, or in the sum so far, down. Mostly that holds every
// bit. Where bits are cut off, a prefix is known up to some units of the window's last place, and
// mostly all numbers between have one rounding; else the thread adds up all digits of its prefix.
// All of it is integers: no order leaves a trace.
#pragma once

#include "tally/definition/sum.hpp"
#include "tally/device/prefix/prefix.cuh"
#include "tally/device/sum/carried_sum.cuh"
#include "tally/device/sum/exact.cuh"

namespace tally::device {

template <floating In, floating Out, class Number>
struct exact_prefix {
  using element = In;
  using result = Out;
  static constexpr int threads = 256, blocks_a_multiprocessor = 2;
  static constexpr int words = Number::digits;
  static_assert(words >= window_integer::words);

  struct shared {
    carried_sum<Number> before;
    block_superaccumulator<Number> of_tile;  // where elements lie far apart
    window_integer window;                   // what the tile sees of `before`
    int base;
    unsigned top[threads / warp_size];
  };
  struct carry {
    std::uint32_t tiles;  // that `before` is of
  };

  bool skips_nan, has_init;
  Out init;

  __device__ void start(carry& c, shared& s) const {
    c.tiles = 0;
    s.before.clear();
    __syncthreads();
    if (has_init && threadIdx.x == 0) s.before.add(init);
    __syncthreads();
  }

  template <class Tile, class Results>
  __device__ void scan(carry& c, shared& s, mailbox const& at, Tile const& tile, Results& out,
                       Out* total) const {
    items_of<In, Tile::items> read;
    tile.read(read);
    array_of<In, items_of<In, Tile::items>> const x(read);  // for loops that are not unrolled
    int const base = base_for(top_of(s, read));
    // Every thread's own sum, then of those before it.
    seen_sum mine{};
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) add(mine, read[k], base);
    seen_sum all;
    seen_sum here = block::exclusive_scan<threads>(mine, joiner{}, seen_sum{}, all);
    if (!tile.is_last()) publish(s, at, tile, x, all, base);
    s.before.collect(at, c.tiles, tile.number);
    c.tiles = tile.number;
    if (threadIdx.x == 0) {
      s.base = max(base, base_for(s.before.top()));
      window_integer const window = s.before.from_digit(s.base);
      s.window = window;
    }
    __syncthreads();
    // What is cut off, in units of the window's last place: of each element of the tile before the
    // base was raised, and some more.
    bool const was_cut = all.sum.cut;
    here.sum.drop(s.base - base);
    here.sum += s.window;
    here.seen |= s.before.seen();
    unsigned const unknown = was_cut ? tile.count + Tile::items + 2 : Tile::items + 2;
    Out rounded[Tile::items];
#pragma unroll 1
    for (int k = 0; k < Tile::items; ++k) {
      if (tile.exclusive) rounded[k] = round(s, tile, here, unknown, k);
      add(here, x.value[k], s.base);
      if (!tile.exclusive) rounded[k] = round(s, tile, here, unknown, k + 1);
    }
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) out.set(k, rounded[k]);
    unsigned const last = tile.count > 0 ? (tile.count - 1) / Tile::items : 0;
    if (tile.is_last() && total && threadIdx.x == last)
      *total = round(s, tile, here, unknown, Tile::items);
  }

 private:
  // The finite ones of some values, and which others there were.
  struct seen_sum {
    window_integer sum;
    unsigned seen;
  };
  struct joiner {
    __device__ seen_sum operator()(seen_sum l, seen_sum const& r) const {
      l.sum += r.sum;
      l.seen |= r.seen;
      return l;
    }
  };

  // The number of the digit where a window begins that holds some sums of a tile's elements below
  // 2^top, and the sum so far.
  static __device__ int base_for(int top) {
    constexpr int room = 16, bits = window_integer::bits;
    int const above = top + room - bits;
    return above > 0 ? (above + 31) / 32 : 0;
  }
  // A bit above all elements of the tile, counted from the last one of Number.
  static constexpr int shift = format<In>::lowest - Number::lsb;
  template <class Items>
  static __device__ int top_of(shared& s, Items const& x) {
    unsigned field = 0;
#pragma unroll
    for (int k = 0; k < x.size; ++k) {
      auto const p =
          unsigned((to_bits(x[k]) & format<In>::infinity) >> (format<In>::precision - 1));
      if (p < unsigned(format<In>::max_field)) field = max(field, p);
    }
    field = __reduce_max_sync(~0u, field);
    if (threadIdx.x % warp_size == 0) s.top[threadIdx.x / warp_size] = field;
    __syncthreads();
    for (unsigned const other : s.top) field = max(field, other);
    return int(field) + format<In>::precision + shift;
  }

  __device__ bool counts(In x) const { return !(skips_nan && is_nan(x)); }
  __device__ void add(seen_sum& to, In x, int base) const {
    if (!is_finite(x)) {
      if (counts(x)) to.seen |= special_values::of(x);
      return;
    }
    auto const p = take_apart(x);
    to.sum.add(p.negative, p.significand, p.exponent - Number::lsb - 32 * base);
  }

  template <class Tile, class Items>
  __device__ void publish(shared& s, mailbox const& to, Tile const& tile, Items const& x,
                          seen_sum const& all, int base) const {
    if (!all.sum.cut) {
      if (threadIdx.x == 0) carried_sum<Number>::publish(to, tile.number, all.sum, base, all.seen);
      return;
    }
    s.of_tile.clear();
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < Tile::items; ++k) {
      if (!is_finite(x.value[k])) continue;
      auto const p = take_apart(x.value[k]);
      if (p.significand != 0) s.of_tile.add(p.negative, p.significand, p.exponent);
    }
    __syncthreads();
    carried_sum<Number>::publish(to, tile.number, s.of_tile, all.seen);
  }

  // The prefix of the tile up to the thread's k-th element, which is `sum`, or more by less than
  // `unknown` units.
  template <class Tile>
  __device__ Out round(shared const& s, Tile const& tile, seen_sum const& sum, unsigned unknown,
                       int k) const {
    if (sum.seen != 0) return special_values::sum<Out>(sum.seen);
    int const lsb = Number::lsb + 32 * s.base;
    Out const least = sum.sum.template round<Out>(lsb);
    if (!sum.sum.cut) return least;
    window_integer more = sum.sum;
    more.add(false, unknown, 0);
    if (to_bits(more.template round<Out>(lsb)) == to_bits(least)) return least;
    return round_all_digits(s, tile, min(tile.position(k), tile.count));
  }
  template <class Tile>
  __device__ __noinline__ Out round_all_digits(shared const& s, Tile const& tile,
                                               unsigned end) const {
    Number sum{};
    s.before.add_to(sum);
#pragma unroll 1
    for (unsigned i = 0; i < end; ++i) {
      In const x = tile.data[tile.place(i)];
      if (!is_finite(x)) continue;
      auto const p = take_apart(x);
      sum.add(p.negative, p.significand, p.exponent);
    }
    return sum.template round<Out>();
  }
};

template <floating In, floating Out, floating State>
struct prefix_for<exact_running_sum<In, Out, State>> {
  static auto make(auto const&, bool skips_nan, bool, std::optional<Out> const& init) {
    return exact_prefix<In, Out, detail::sum_digits<State>>{skips_nan, init.has_value(),
                                                            init.value_or(Out{})};
  }
};

}  // namespace tally::device
