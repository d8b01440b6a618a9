// SPDX-License-Identifier: Apache-2.0
//
// mean, variance, standard deviation: one exact sum, one exact sum of squares, one rounding.
#pragma once

#include "tally/aggregate/sum.hpp"

namespace tally {
namespace detail {

// The squares of the finite values, for which the sum beside it keeps NaN and infinities.
template <element T>
struct exact_squares {
  square_digits<T> finite;

  TALLY_FN void add(T x) {
    if constexpr (floating<T>) {
      if (!is_finite(x)) return;
    }
    auto const p = take_apart(x);
    std::uint64_t const low = p.significand & 0xffffffff, high = p.significand >> 32;
    finite.add(false, low * low, 2 * p.exponent);
    if (high == 0) return;
    finite.add(false, low * high, 2 * p.exponent + 33);
    finite.add(false, high * high, 2 * p.exponent + 64);
  }

  // Adds a tile, or returns false.
  template <class Tile>
  TALLY_FN bool add_fast(Tile const& t) {
    if constexpr (integer<T>) {
      return add_integers(t);
    } else if constexpr (std::is_same_v<T, double>) {
#if defined(TALLY_NO_CONTRACTION) || !defined(__FMA__)
      // The long dependent chains run twice as fast on 32-byte vectors as on 64-byte ones (on Zen
      // 4).
      constexpr int width = std::min(Tile::vector_bytes, 32);
      tile<T, Tile::skips ? skip : propagate, width> const narrow{t.data, t.count, t.first};
      auto const e = extent_of(narrow, 0x1p-450);
      return e.zero || (e.above && add_folds<4, 2>(narrow, 2 * e.top, square_and_error{}, finite));
#else
      return false;  // the caller's compiler may fuse what must stay apart
#endif
    } else {
      auto const e = extent_of(t);
      return e.zero || add_folds<2, 1>(t, 2 * e.top, square{}, finite);
    }
  }

 private:
  struct square {  // of at most 24 bits: exact
    template <class V>
    TALLY_FN void operator()(V x, V (&value)[1]) const {
      value[0] = x * x;
    }
  };
  struct square_and_error {  // x * x = value[0] + value[1]
    template <class V>
    TALLY_FN void operator()(V x, V (&value)[2]) const {
      constexpr unsigned lanes = sizeof x / sizeof x[0];
      value[0] = x * x;
      double factor[lanes], error[lanes];  // there is no operator for a fused vector operation
      __builtin_memcpy(factor, &x, sizeof x);
      __builtin_memcpy(error, &value[0], sizeof x);
      for (unsigned i = 0; i < lanes; ++i)
        error[i] = __builtin_fma(factor[i], factor[i], -error[i]);
      __builtin_memcpy(&value[1], error, sizeof x);
    }
  };

  // The halves of the squares are summed apart.
  template <class Tile>
  TALLY_FN bool add_integers(Tile const& t) {
    if constexpr (sizeof(T) > 4) {
      unsigned __int128 low = 0, high = 0;  // of the squares' two halves
      for (int k = 0; k < t.count; ++k) {
        std::uint64_t const x = take_apart(t[k]).significand;
        auto const square = static_cast<unsigned __int128>(x) * x;
        low += std::uint64_t(square);
        high += std::uint64_t(square >> 64);
      }
      finite.add(false, std::uint64_t(low), 0);
      finite.add(false, std::uint64_t(low >> 64), 64);
      finite.add(false, std::uint64_t(high), 64);
      finite.add(false, std::uint64_t(high >> 64), 128);
      return true;
    } else {
      std::uint64_t low[lanes] = {}, high[lanes] = {};
      auto const add = [&](int k, int lane) __attribute__((always_inline)) {
        std::int64_t const x = std::int64_t(t[k]);
        std::uint64_t const square = std::uint64_t(x) * std::uint64_t(x);
        low[lane] += square & 0xffffffff;
        high[lane] += square >> 32;
      };
      int const whole = t.count / lanes * lanes;
      for (int k = 0; k < whole; k += lanes)
        for (int lane = 0; lane < lanes; ++lane) add(k + lane, lane);
      for (int k = whole; k < t.count; ++k) add(k, k - whole);
      std::uint64_t l = 0, h = 0;
      for (int lane = 0; lane < lanes; ++lane) l += low[lane], h += high[lane];
      finite.add(false, l, 0);
      finite.add(false, h, 32);
      return true;
    }
  }
};

// Adds a tile of integers to an exact state.
template <integer T>
struct exact_accumulator<T> {
  template <class Tile, class State>
  TALLY_FN void add(Tile const& t, State& s) {
    if constexpr (sizeof(T) == 8) {
      std::uint64_t low[lanes] = {}, high[lanes] = {};
      for_each_lane(t, [&](int k, int lane) __attribute__((always_inline)) {
        low[lane] += std::uint64_t(t[k]) & 0xffffffff;
        high[lane] += std::uint64_t(t[k] >> 32);  // arithmetic for signed types
      });
      std::uint64_t l = 0, h = 0;
      for (int lane = 0; lane < lanes; ++lane) l += low[lane], h += high[lane];
      s.finite.add(false, l, 0);
      deposit(s, h, 32);
    } else {
      std::uint64_t total = 0;
      typename integer_sum<T>::accumulator{}.add(t, total);
      deposit(s, total, 0);
    }
  }
  template <class State>
  void flush(State&) const {}

 private:
  template <class State>
  static TALLY_FN void deposit(State& s, std::uint64_t value, int exponent) {
    bool const negative = std::is_signed_v<T> && std::int64_t(value) < 0;
    s.finite.add(negative, negative ? 0 - value : value, exponent);
  }
};

}  // namespace detail

// sum / n with exact parts. The common base of the aggregates below; Squares adds the second
// moment.
template <element T, bool Squares>
struct moments {
  struct none {
    static void write(byte_writer&) {}
  };
  struct state {
    exact_state<T> sum;
    std::uint64_t count = 0;
    [[no_unique_address]] std::conditional_t<Squares, detail::exact_squares<T>, none> squares;
  };
  using element = T;
  using result = state;
  static constexpr bool any_order = true;
  static constexpr char const* name = "moments";

  state identity() const { return {}; }
  TALLY_FN state lift(T x, std::uint64_t) const {
    state s;
    s.sum.add(x);
    s.count = 1;
    if constexpr (Squares) s.squares.add(x);
    return s;
  }
  state combine(state left, state const& right) const {
    left.sum.merge(right.sum);
    left.count += right.count;
    if constexpr (Squares) left.squares.finite.add(right.squares.finite);
    return left;
  }
  state lower(state const& s) const { return s; }
  bool empty(state const& s) const { return s.count == 0; }

  static void write(byte_writer& out, state const& s) {
    out.put(s.count);
    s.sum.write(out);
    if constexpr (Squares) s.squares.finite.write(out);
  }
  static state read(byte_reader& in) {
    state s;
    s.count = in.get<std::uint64_t>();
    s.sum = exact_state<T>::read(in);
    if constexpr (Squares) s.squares.finite = detail::square_digits<T>::read(in);
    return s;
  }

  struct accumulator {
    template <class Tile>
    TALLY_FN void add(Tile const& t, state& s) {
      sum.add(t, s.sum);
      if constexpr (Tile::skips) {
        std::uint32_t live = 0;
        for (int k = 0; k < t.count; ++k) live += t.live(k);
        s.count += live;
      } else {
        s.count += std::uint64_t(t.count);
      }
      if constexpr (Squares) {
        if (s.squares.add_fast(t))
          ++fast;
        else
          add_slow(t, s);
      }
    }
    void flush(state& s) const {
      sum.flush(s.sum);
      detail::count_path(detail::path::squares_fast, fast);
    }

   private:
    detail::exact_accumulator<T> sum;
    std::uint64_t fast = 0;

    template <class Tile>
    static __attribute__((noinline)) void add_slow(Tile const& t, state& s) {
      for (int k = 0; k < t.count; ++k)
        if (t.live(k)) s.squares.add(t[k]);
      detail::count_path(detail::path::squares_elements);
    }
  };
};

namespace detail {

template <floating R, bool Squares, element T>
R mean_of(typename moments<T, Squares>::state const& s) {
  if (!s.sum.is_finite_sum()) return s.sum.template result<R>();
  if (s.count == 0) return quiet_nan<R>();
  bool negative;
  auto const total = s.sum.finite.magnitude(negative);
  if (total.bit_length() == 0) return R{};
  auto const n = natural_of(s.count).template slice<4>(0);
  return round_cut<R>(negative, divide(total, n, s.sum.finite.lsb, false));
}

// (n * squares - sum^2) / (n * (n - ddof)), in units of 2^(2 lsb): rounded once, or its root.
template <floating R, element T>
R variance_of(typename moments<T, true>::state const& s, std::uint64_t ddof, bool root) {
  if (!s.sum.is_finite_sum() || s.count <= ddof) return quiet_nan<R>();
  bool negative;
  auto const sum = s.sum.finite.magnitude(negative);
  auto const squares = s.squares.finite.magnitude(negative);
  auto const n = natural_of(s.count);
  constexpr int size =
      std::max(2 * (decltype(s.sum.finite)::digits + 1), decltype(s.squares.finite)::digits + 3);
  auto spread = multiply(squares, n).template slice<size>(0);
  subtract(spread, multiply(sum, sum).template slice<size>(0));
  if (spread.bit_length() == 0) return R{};
  auto const divisor = multiply(n, natural_of(s.count - ddof));
  auto const value = divide(spread, divisor, s.squares.finite.lsb, root);
  return round_cut<R>(false, root ? square_root(value) : value);
}

template <element T, class R>
using moment_result =
    std::conditional_t<!std::is_void_v<R>, R, std::conditional_t<integer<T>, double, T>>;

}  // namespace detail

// mean{}: the exact sum over n, rounded once; the input's type, or double for integers.
template <class R = void>
struct basic_mean {
  template <element T>
  struct bound : moments<T, false> {
    using parts = moments<T, false>;
    using result = detail::moment_result<T, R>;
    static constexpr char const* name = "mean";
    result lower(typename parts::state const& s) const {
      return detail::mean_of<result, false, T>(s);
    }
  };
  template <class Other>
  constexpr basic_mean<Other> as() const {
    return {};
  }
  template <element T>
  auto on() const {
    return bound<T>{};
  }
};
using mean = basic_mean<>;

// variance{}, standard_deviation{}: divided by n, or by n - ddof; NaN if n <= ddof.
template <class R, bool Root>
struct basic_variance {
  std::uint64_t ddof = 0;

  template <element T>
  struct bound : moments<T, true> {
    using parts = moments<T, true>;
    using result = detail::moment_result<T, R>;
    static constexpr char const* name = Root ? "standard_deviation" : "variance";
    std::uint64_t ddof = 0;
    result lower(typename parts::state const& s) const {
      return detail::variance_of<result, T>(s, ddof, Root);
    }
  };
  template <class Other>
  constexpr basic_variance<Other, Root> as() const {
    return {ddof};
  }
  template <element T>
  auto on() const {
    bound<T> b;
    b.ddof = ddof;
    return b;
  }
};
using variance = basic_variance<void, false>;
using standard_deviation = basic_variance<void, true>;

}  // namespace tally
