// SPDX-License-Identifier: Apache-2.0
//
// mean, variance, standard deviation: one exact sum, one exact sum of squares, one rounding.
#pragma once

#include "tally/aggregate/estimate.hpp"
#include "tally/aggregate/exact_accumulator.hpp"
#include "tally/aggregate/exact_squares.hpp"
#include "tally/aggregate/moments_window.hpp"

namespace tally {
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
    std::conditional_t<Squares, detail::exact_squares<T>, none> squares;
  };
  using element = T;
  using result = state;
  static constexpr bool any_order = true;
  static constexpr char const* name = "moments";

  TALLY_HD state identity() const { return {}; }
  TALLY_FN state lift(T x, std::uint64_t) const {
    state s;
    s.sum.add(x);
    s.count = 1;
    if constexpr (Squares) s.squares.add(x);
    return s;
  }
  TALLY_HD state combine(state left, state const& right) const {
    left.sum.merge(right.sum);
    left.count += right.count;
    if constexpr (Squares) left.squares.finite.add(right.squares.finite);
    return left;
  }
  TALLY_HD state lower(state const& s) const { return s; }
  TALLY_HD bool empty(state const& s) const { return s.count == 0; }

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
    TALLY_CPU_FN void add(Tile const& t, state& s) {
      if constexpr (Tile::skips) {
        std::uint32_t live = 0;
        for (int k = 0; k < t.count; ++k) live += t.live(k);
        s.count += live;
      } else {
        s.count += std::uint64_t(t.count);
      }
      if constexpr (!Squares)
        sum.add(t, s.sum);
      else if constexpr (!floating<T>)
        add_apart(t, s);
      else
        add_floating(t, s);
    }
    void flush(state& s) {
      sum.flush(s.sum);
      if constexpr (Squares) {
        table.flush(s.squares.finite);
        detail::count_path(detail::path::squares_fast, fast);
        detail::count_path(detail::path::squares_table, tables);
        detail::count_path(detail::path::squares_elements, elements);
      }
    }

   private:
    static constexpr std::uint64_t few = 8;  // tiles, for which a table does not pay
    detail::exact_accumulator<T> sum;
    detail::moments_window both;
    detail::exponent_table<double> table;  // of squares
    std::uint64_t fast = 0, tables = 0, elements = 0;
    detail::table_streak streak;

    template <class Tile>
    TALLY_CPU_FN bool add_together(Tile const& t, state& s) {
      if constexpr (!detail::fits_moments_window<T>) return false;
      if (!both.add(t, s)) return false;
      ++sum.windows;
      ++fast;
      return true;
    }
    // What is not finite is counted with the sum, and left out.
    template <class Tile>
    TALLY_CPU_FN void add_floating(Tile t, state& s) {
      T finite[Tile::size];
      bool const hard = streak.lasts() && detail::exact_accumulator<T>::all_finite(t);
      if (hard) streak.next();
      for (int tries = 0; tries < 2 && !hard; ++tries) {  // one loop: add_together is much code
        if (add_together(t, s)) return streak.was_fast();
        if (tries > 0 || !detail::exact_accumulator<T>::set_aside(t, s.sum, finite)) break;
        t.data = finite;
      }
      add_apart(t, s, hard);
    }
    template <class Tile>
    TALLY_CPU_FN void add_apart(Tile const& t, state& s, bool hard = false) {
      sum.add(t, s.sum);
      if (!hard && s.squares.add_fast(t)) {
        ++fast;
        streak.was_fast();
      } else if (elements >= few && add_to_table(t, s)) {
        ++tables;
        if (!hard) streak.was_not();
      } else {
        for (int k = 0; k < t.count; ++k)
          if (t.live(k)) s.squares.add(t[k]);
        ++elements;
      }
    }
    // Squares as doubles and their errors; false if one is too large or too small.
    template <class Tile>
    TALLY_CPU_FN bool add_to_table(Tile const& t, state& s) {
      double squares[2][Tile::size];
      int const parts = s.squares.in_doubles(t, squares);
      for (int i = 0; i < parts; ++i) {
        if (!table.has_room_for(Tile::size)) table.flush(s.squares.finite);
        table.add(tile<double, propagate, Tile::vector_bytes>{squares[i], t.count, 0});
      }
      return parts > 0;
    }
  };
};

namespace detail {

template <floating R, bool Squares, element T>
TALLY_HD R mean_of(typename moments<T, Squares>::state const& s) {
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
TALLY_HD R variance_of(typename moments<T, true>::state const& s, std::uint64_t ddof, bool root) {
  if (!s.sum.is_finite_sum() || s.count <= ddof) return quiet_nan<R>();
  bool negative;
  auto const sum = s.sum.finite.magnitude(negative);
  auto const squares = s.squares.finite.magnitude(negative);
  auto const n = natural_of(s.count);
  constexpr int a = 2 * (decltype(s.sum.finite)::digits + 1);
  constexpr int b = decltype(s.squares.finite)::digits + 3;
  constexpr int size = a > b ? a : b;
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
    TALLY_HD result lower(typename parts::state const& s) const {
      return detail::mean_of<result, false, T>(s);
    }
    // The same from less: false if this does not tell.
    TALLY_HD bool estimate(detail::leading const& sum, detail::leading const&, std::uint64_t count,
                           result& out) const {
      return detail::estimate_mean(sum, count, out);
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

// What is made of second moments; a device has one kernel for all of it.
enum class second_moment : unsigned char { variance, standard_deviation, sum_of_squares, norm };

// variance{}, standard_deviation{}: divided by n, or by n - ddof; NaN if n <= ddof.
template <class R, bool Root>
struct basic_variance {
  std::uint64_t ddof = 0;

  template <element T>
  struct bound : moments<T, true> {
    using parts = moments<T, true>;
    using result = detail::moment_result<T, R>;
    static constexpr char const* name = Root ? "standard_deviation" : "variance";
    static constexpr auto which =
        Root ? second_moment::standard_deviation : second_moment::variance;
    std::uint64_t ddof = 0;
    TALLY_HD result lower(typename parts::state const& s) const {
      return detail::variance_of<result, T>(s, ddof, Root);
    }
    TALLY_HD bool estimate(detail::leading const& sum, detail::leading const& squares,
                           std::uint64_t count, result& out) const {
      return detail::estimate_variance(sum, squares, count, ddof, Root, out);
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
