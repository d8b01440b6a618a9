// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/cpu/tile/simd.hpp"
#include "tally/cpu/tile/tile.hpp"
#include "tally/exact/order_key.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Adds a tile to extrema: its ends, and where they lie only if they beat those before. Without
// Positions, that is not looked for: all are 0.
template <element T, bool Positions = true>
class extrema_accumulator {
  using key = typename extrema<T>::key;
  using end = typename extrema<T>::end;
  using state = typename extrema<T>::state;

 public:
  // Without a NaN, the bits of a tile are compared as signed numbers, once they are made to
  // increase with the value; a NaN is then at one end or the other.
  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, state& s) {
    if constexpr (floating<T>)
      if (laden) return add_with_nan(t, s);
    constexpr int lanes = Tile::vector_bytes / sizeof(T), unroll = 2;
    using vector = vec<ordered, lanes>;
    vector least[unroll] = {}, greatest[unroll] = {};
    for (int u = 0; u < unroll; ++u) least[u] = greatest[u] += in_order(t.data[0]);
    for_each_group<unroll * lanes>(t, t.data[0], [&](T const* p) __attribute__((always_inline)) {
      for (int u = 0; u < unroll; ++u) {
        auto const x = in_order(load<vector>(p + u * lanes));
        least[u] = min_of(least[u], x);
        greatest[u] = max_of(greatest[u], x);
      }
    });
    vector const low = min_of(least[0], least[1]);
    vector const high = max_of(greatest[0], greatest[1]);
    if constexpr (floating<T>)
      if (any(low < in_order(infinity<T>(true))) || any(high > in_order(infinity<T>())))
        return add_with_nan(t, s);
    // Rare on most data: only where a tile beats all before it is the position searched for.
    if (s.least.at < 0 || any(low < in_order(from_order_key<T>(s.least.value))))
      lower_least(t, s, order_key(from_ordered(least_lane(low))));
    if (s.greatest.at < 0 || any(high > in_order(from_order_key<T>(s.greatest.value))))
      raise_greatest(t, s, order_key(from_ordered(greatest_lane(high))));
  }
  TALLY_CPU_FN void flush(state& s) {
    settle(late_least, s.least);
    settle(late_greatest, s.greatest);
  }

 private:
  // The tile of an end whose index is not looked for yet: on sorted data, the next tile has another
  // end. `data` is null if there is none.
  struct late {
    T const* data = nullptr;
    int count = 0;
    std::uint64_t first = 0;
  };
  late late_least, late_greatest;
  bool laden = false;  // the last tile had a NaN

  static TALLY_CPU_FN void settle(late& l, end& e) {
    if (!l.data) return;
    e.at = first_with(tile<T, propagate, 32, 1024>{l.data, l.count, l.first}, e.value);
    l.data = nullptr;
  }
  // `value` is more extreme than e.value, if there is one.
  template <bool Least, class Tile>
  static TALLY_CPU_FN void move_end(Tile const& t, end& e, late& l, key value) {
    if constexpr (!Positions) {
      e = {value, 0};
      return;
    }
    bool const other =
        e.at >= 0 && extrema<T>::zeros_merged(value) != extrema<T>::zeros_merged(e.value);
    if (t.stays && other) {
      e = {value, std::int64_t(t.index(0))};
      l = {t.data, t.count, t.first};
    } else {
      settle(l, e);
      e = extrema<T>::template better<Least>(e, {value, first_with(t, value)});
    }
  }
  using ordered = std::conditional_t<floating<T>, std::make_signed_t<key>,
                                     std::conditional_t<std::is_same_v<T, bool>, key, T>>;
  // Makes an element's bits, or a vector of them, increase with the value; its own inverse.
  template <class Bits>
  static TALLY_CPU_FN Bits flip_negative(Bits b) {
    if constexpr (floating<T>)
      return Bits(b ^ ((b >> (8 * sizeof(T) - 1)) & ordered(~format<T>::sign)));
    else
      return b;
  }
  static TALLY_CPU_FN ordered in_order(T x) { return flip_negative(ordered(to_bits(x))); }
  template <class Vector>
  static TALLY_CPU_FN Vector in_order(Vector bits) {
    return flip_negative(bits);
  }
  static TALLY_CPU_FN T from_ordered(ordered x) { return from_bits<T>(key(flip_negative(x))); }

  template <class Tile>
  TALLY_CPU_FN void lower_least(Tile const& t, state& s, key low) {
    move_end<true>(t, s.least, late_least, low);
  }
  template <class Tile>
  TALLY_CPU_FN void raise_greatest(Tile const& t, state& s, key high) {
    move_end<false>(t, s.greatest, late_greatest, high);
  }
  // Elements of the last, incomplete vector are looked at one by one.
  template <class Tile>
  TALLY_CPU_FN void add_with_nan(Tile const& t, state& s) {
    constexpr int lanes = Tile::vector_bytes / sizeof(T);
    using vector = vec<ordered, lanes>;
    constexpr ordered highest = std::numeric_limits<ordered>::max(), lowest = ordered(~highest);
    vector nan{}, low = nan + highest, high = nan + lowest;
    int const whole = t.count / lanes * lanes;
    for (int k = 0; k < whole; k += lanes) {
      fetch_ahead(t.data + k, sizeof low);
      auto const b = load<vector>(t.data + k), x = in_order(b);
      auto const is = (b & ordered(~format<T>::sign)) > ordered(format<T>::infinity);
      low = min_of(low, is ? low : x);
      high = max_of(high, is ? high : x);
      nan -= is;
    }
    auto least = least_lane(low);
    auto most = greatest_lane(high);
    auto found = std::uint64_t(fold_lanes(nan, [](auto a, auto b) { return decltype(a)(a + b); }));
    for (int k = whole; k < t.count; ++k) {
      if (is_nan(t[k])) {
        ++found;
      } else {
        least = std::min(least, in_order(t[k]));
        most = std::max(most, in_order(t[k]));
      }
    }
    s.nan += found;
    laden = found != 0;
    if (!Tile::skips && found && s.first_nan < 0) {
      int k = 0;
      while (!is_nan(t[k])) ++k;
      s.first_nan = std::int64_t(t.index(k));
    }
    if (found == std::uint64_t(t.count)) return;
    auto const lower = order_key(from_ordered(least)), upper = order_key(from_ordered(most));
    if (s.least.at < 0 || lower < s.least.value) lower_least(t, s, lower);
    if (s.greatest.at < 0 || upper > s.greatest.value) raise_greatest(t, s, upper);
  }
  template <class Tile>
  static TALLY_CPU_FN std::int64_t first_with(Tile const& t, key value) {
    constexpr int lanes = Tile::vector_bytes / sizeof(T);
    using vector = vec<ordered, lanes>;
    ordered const wanted = in_order(from_order_key<T>(extrema<T>::zeros_merged(value)));
    // The number of the first vector that has it; a tile of bytes has fewer than 127,
    // any other fewer than 4096.
    constexpr ordered none = sizeof(T) == 1 ? 127 : 4096;
    int const vectors = t.count / lanes;
    vector const zero{};
    vector first = zero + none;
    for (int i = 0; i < vectors; ++i) {
      auto x = in_order(load<vector>(t.data + i * lanes));
      if constexpr (floating<T>)  // one comparison: of two, g++ 12 makes a loop over the lanes
        x = x == in_order(from_bits<T>(format<T>::sign)) ? zero : x;
      vector const at = zero + ordered(i);
      first = x == wanted ? min_of(first, at) : first;
    }
    int const found = int(least_lane(first));
    int k = std::min(found, vectors) * lanes;
    while (extrema<T>::zeros_merged(order_key(t[k])) != extrema<T>::zeros_merged(value)) ++k;
    return std::int64_t(t.index(k));
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
