// SPDX-License-Identifier: Apache-2.0
//
// minimum, maximum, min_max, arg_minimum, arg_maximum.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/aggregate/compiled_accumulator.hpp"
#include "tally/aggregate/order.hpp"
#include "tally/aggregate/running_extremum.hpp"
#include "tally/aggregate/single_extrema.hpp"
#include "tally/aggregate/tile.hpp"
#include "tally/aggregate/vector.hpp"
#include "tally/serial.hpp"

namespace tally {

// The least and the greatest value and where each comes first, in one pass. Values are kept as
// order keys, in which -0.0 is below +0.0; for the positions the two zeros are equal. NaN is
// counted apart.
template <element T>
struct extrema {
  using key = bits_of<T>;
  struct end {
    key value;
    std::int64_t at = -1;  // -1: no value yet
  };
  struct state {
    end least{key(~key(0))}, greatest{key(0)};
    std::int64_t first_nan = -1;  // of those that are not skipped
    std::uint64_t nan = 0;        // of all
  };
  using element = T;
  using result = state;
  using parts = extrema;
  static constexpr bool any_order = true;
  static constexpr char const* name = "extrema";

  TALLY_FN state identity() const { return {}; }
  TALLY_FN bool empty(state const& s) const { return s.least.at < 0 && s.first_nan < 0; }

  TALLY_FN state lift(T x, std::uint64_t i) const {
    state s;
    if (is_nan(x)) {
      s.nan = 1;
      s.first_nan = std::int64_t(i);
    } else {
      s.least = s.greatest = {order_key(x), std::int64_t(i)};
    }
    return s;
  }

  TALLY_FN state combine(state const& a, state const& b) const {
    state s;
    s.least = better<true>(a.least, b.least);
    s.greatest = better<false>(a.greatest, b.greatest);
    // As unsigned numbers, -1 comes last.
    bool const first = std::uint64_t(a.first_nan) < std::uint64_t(b.first_nan);
    s.first_nan = first ? a.first_nan : b.first_nan;
    s.nan = a.nan + b.nan;
    return s;
  }
  TALLY_FN state lower(state const& s) const { return s; }

  // Moves the positions.
  static void shift(state& s, std::int64_t by) {
    for (std::int64_t* at : {&s.least.at, &s.greatest.at, &s.first_nan})
      if (*at >= 0 && __builtin_add_overflow(*at, by, at))
        throw error("state: an index of 2^63 or more");
  }
  static void write(byte_writer& out, state const& s) {
    for (end const* e : {&s.least, &s.greatest}) {
      out.put(e->value);
      out.put(e->at);
    }
    out.put(s.first_nan);
    out.put(s.nan);
  }
  static state read(byte_reader& in) {
    state s;
    for (end* e : {&s.least, &s.greatest}) {
      e->value = in.get<key>();
      e->at = in.get<std::int64_t>();
    }
    s.first_nan = in.get<std::int64_t>();
    s.nan = in.get<std::uint64_t>();
    if (s.least.at < -1 || s.greatest.at < -1 || s.first_nan < -1)
      throw error("state: an index is negative");
    return s;
  }

  struct ends_of_tiles {
    // Without a NaN, the bits of a tile are compared as signed numbers, once they are made to
    // increase with the value; a NaN is then at one end or the other.
    template <class Tile>
    TALLY_CPU_FN void add(Tile const& t, state& s) {
      if constexpr (floating<T>)
        if (laden) return add_with_nan(t, s);
      constexpr int lanes = Tile::vector_bytes / sizeof(T), unroll = 2;
      using vector = detail::vec<ordered, lanes>;
      vector least[unroll] = {}, greatest[unroll] = {};
      for (int u = 0; u < unroll; ++u) least[u] = greatest[u] += in_order(t.data[0]);
      detail::for_each_group<unroll * lanes>(
          t, t.data[0], [&](T const* p) __attribute__((always_inline)) {
            for (int u = 0; u < unroll; ++u) {
              auto const x = in_order(detail::load<vector>(p + u * lanes));
              least[u] = detail::min_of(least[u], x);
              greatest[u] = detail::max_of(greatest[u], x);
            }
          });
      vector const low = detail::min_of(least[0], least[1]);
      vector const high = detail::max_of(greatest[0], greatest[1]);
      if constexpr (floating<T>)
        if (detail::any(low < in_order(infinity<T>(true))) ||
            detail::any(high > in_order(infinity<T>())))
          return add_with_nan(t, s);
      // Rare on most data: only where a tile beats all before it is the position searched for.
      if (s.least.at < 0 || detail::any(low < in_order(from_order_key<T>(s.least.value))))
        lower_least(t, s, order_key(from_ordered(detail::fold_lanes(low, [](auto a, auto b) {
                      return a < b ? a : b;
                    }))));
      if (s.greatest.at < 0 || detail::any(high > in_order(from_order_key<T>(s.greatest.value))))
        raise_greatest(t, s, order_key(from_ordered(detail::fold_lanes(high, [](auto a, auto b) {
                         return a > b ? a : b;
                       }))));
    }
    TALLY_CPU_FN void flush(state& s) {
      settle(late_least, s.least);
      settle(late_greatest, s.greatest);
    }

   private:
    // Where an end lies of which only the value is known yet: on sorted data, each tile has a new
    // one. `data` is null if there is none.
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
      bool const other = e.at >= 0 && zeros_merged(value) != zeros_merged(e.value);
      if (t.stays && other) {
        e = {value, std::int64_t(t.index(0))};
        l = {t.data, t.count, t.first};
      } else {
        settle(l, e);
        e = better<Least>(e, {value, first_with(t, value)});
      }
    }
    using ordered = std::conditional_t<floating<T>, std::make_signed_t<key>,
                                       std::conditional_t<std::is_same_v<T, bool>, key, T>>;
    // Both ways, of one element's bits or a vector of them.
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
    // What the last, incomplete vector has is looked at one by one.
    template <class Tile>
    TALLY_CPU_FN void add_with_nan(Tile const& t, state& s) {
      constexpr int lanes = Tile::vector_bytes / sizeof(T);
      using vector = detail::vec<ordered, lanes>;
      constexpr ordered highest = std::numeric_limits<ordered>::max(), lowest = ordered(~highest);
      vector nan{}, low = nan + highest, high = nan + lowest;
      int const whole = t.count / lanes * lanes;
      for (int k = 0; k < whole; k += lanes) {
        detail::fetch_ahead(t.data + k, sizeof low);
        auto const b = detail::load<vector>(t.data + k), x = in_order(b);
        auto const is = (b & ordered(~format<T>::sign)) > ordered(format<T>::infinity);
        low = detail::min_of(low, is ? low : x);
        high = detail::max_of(high, is ? high : x);
        nan -= is;
      }
      auto least = detail::fold_lanes(low, [](auto a, auto b) { return a < b ? a : b; });
      auto most = detail::fold_lanes(high, [](auto a, auto b) { return a > b ? a : b; });
      auto found =
          std::uint64_t(detail::fold_lanes(nan, [](auto a, auto b) { return decltype(a)(a + b); }));
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
      using vector = detail::vec<ordered, lanes>;
      ordered const wanted = in_order(from_order_key<T>(zeros_merged(value)));
      // The number of the first vector that has it; a tile of bytes has fewer than 127,
      // any other fewer than 4096.
      constexpr ordered none = sizeof(T) == 1 ? 127 : 4096;
      int const vectors = t.count / lanes;
      vector const zero{};
      vector first = zero + none;
      for (int i = 0; i < vectors; ++i) {
        auto x = in_order(detail::load<vector>(t.data + i * lanes));
        if constexpr (floating<T>)  // one comparison: of two, g++ 12 makes a loop over the lanes
          x = x == in_order(from_bits<T>(format<T>::sign)) ? zero : x;
        vector const at = zero + ordered(i);
        first = x == wanted ? detail::min_of(first, at) : first;
      }
      int const found =
          int(detail::fold_lanes(first, [](auto a, auto b) { return a < b ? a : b; }));
      int k = std::min(found, vectors) * lanes;
      while (zeros_merged(order_key(t[k])) != zeros_merged(value)) ++k;
      return std::int64_t(t.index(k));
    }
  };
  using accumulator = detail::compiled_accumulator<ends_of_tiles>;

 private:
  static TALLY_FN key zeros_merged(key value) {
    if constexpr (floating<T>)
      return value == order_key(from_bits<T>(format<T>::sign)) ? order_key(T{}) : value;
    return value;
  }

  // The more extreme value; its position unless the other's is as extreme and comes first.
  template <bool Least>
  static TALLY_FN end better(end const& a, end const& b) {
    if (a.at < 0) return b;
    if (b.at < 0) return a;
    key const x = zeros_merged(a.value), y = zeros_merged(b.value);
    end out;
    out.value = (a.value < b.value) == Least ? a.value : b.value;
    out.at = (x == y ? a.at < b.at : (x < y) == Least) ? a.at : b.at;
    return out;
  }
};

namespace detail {

template <element T, bool Least>
struct extremum : extrema<T> {
  using parts = extrema<T>;
  using result = T;
  static single_extremum<T, Least> on_device() { return {}; }
  static constexpr char const* name = Least ? "minimum" : "maximum";
  TALLY_HD T lower(typename parts::state const& s) const {
    if constexpr (floating<T>)
      if (s.first_nan >= 0) return quiet_nan<T>();
    return from_order_key<T>(Least ? s.least.value : s.greatest.value);
  }
};

template <element T, bool Least>
struct arg_extremum : extrema<T> {
  using parts = extrema<T>;
  using result = std::int64_t;
  static single_arg_extremum<T, Least> on_device() { return {}; }
  static constexpr char const* name = Least ? "arg_minimum" : "arg_maximum";
  TALLY_HD std::int64_t lower(typename parts::state const& s) const {
    return s.first_nan >= 0 ? s.first_nan : Least ? s.least.at : s.greatest.at;
  }
};

template <bool Least>
struct extremum_family {
  template <element T>
  auto on() const {
    return extremum<T, Least>{};
  }
  template <element In, element Out>
    requires std::is_same_v<In, Out>
  auto scanning() const {
    return running_extremum<In, Least>{};
  }
};

template <bool Least>
struct arg_extremum_family {
  template <element T>
  auto on() const {
    return arg_extremum<T, Least>{};
  }
};

}  // namespace detail

// minimum{}, maximum{}: NaN if any element is. -0.0 is less than +0.0.
struct minimum : detail::extremum_family<true> {};
struct maximum : detail::extremum_family<false> {};

// arg_minimum{}, arg_maximum{}: the index of the first least or greatest element, or of the first
// NaN. The zeros are equal.
struct arg_minimum : detail::arg_extremum_family<true> {};
struct arg_maximum : detail::arg_extremum_family<false> {};

// min_max{}: both values.
struct min_max {
  template <element T>
  struct values {
    T minimum, maximum;
    bool operator==(values const&) const = default;
  };
  template <element T>
  struct bound : extrema<T> {
    using parts = extrema<T>;
    using result = values<T>;
    static constexpr char const* name = "min_max";
    static detail::two_extrema<T, result> on_device() { return {}; }
    TALLY_HD result lower(typename parts::state const& s) const {
      return {detail::extremum<T, true>{}.lower(s), detail::extremum<T, false>{}.lower(s)};
    }
  };
  template <element T>
  auto on() const {
    return bound<T>{};
  }
};

}  // namespace tally
