// SPDX-License-Identifier: Apache-2.0
//
// Rows whose elements lie side by side, each by vectors: sums of narrow elements in doubles, with a
// bound of all that their additions leave out, others as a lane has them. What is in doubt is
// reduced as a row alone.
#pragma once

#include <bit>

#include "sum_lanes.hpp"
#include "tally/cpu/tile/conversions.hpp"

namespace tally::detail {

// Whether such rows are faster by vectors, from some length on.
template <class A>
concept has_vectors = has_lanes<A> && requires { lanes_for<A>::shortest_by_vectors; };
// Shorter rows are faster by lanes, and a state takes little of the time of longer ones.
template <has_vectors A>
bool suit_vectors(row_layout const& rows) {
  return !rows.is_apart() && rows.length >= lanes_for<A>::shortest_by_vectors &&
         rows.length <= 4096;
}

// The sum of n elements from x on, and a bound of its error: 0 if all are zeros, and not finite
// unless they are.
struct bounded_sum {
  double sum, error;
};

// There must be a vector of elements at least.
template <int Width, floating T>
TALLY_CPU_FN bounded_sum bounded_sum_of(T const* x, std::uint64_t n) {
  constexpr int lanes = Width / 8, at_once = 2 * lanes;
  using bits = vec<std::uint32_t, at_once>;
  vec<double, lanes> first{}, second{};
  bits most{};
  auto const add = [&](bits b, auto low, auto high) __attribute__((always_inline)) {
    first += low, second += high;
    most = max_of(most, b & 0x7fffffff);
  };
  auto const add_bits = [&](bits b) __attribute__((always_inline)) {
    auto const y = cast<vec<float, at_once>>(b);
    add(b, to_doubles<lanes>(half_of<0, float, at_once>(y)),
        to_doubles<lanes>(half_of<1, float, at_once>(y)));
  };
  std::uint64_t i = 0;
  for (; n - i >= at_once; i += at_once) {
    fetch_ahead(x + i, at_once * sizeof(T));
    if constexpr (std::is_same_v<T, float>)
      add(load<bits>(x + i), load_doubles<lanes>(x + i), load_doubles<lanes>(x + i + lanes));
    else
      add_bits(float_bits<false, at_once>(x + i));
  }
  if (i < n) {  // once more the last vector, less the elements that have been added
    bits place;
    for (int k = 0; k < at_once; ++k) place[k] = unsigned(k);
    auto const last = float_bits<false, at_once>(x + n - at_once);
    add_bits(place >= unsigned(i + at_once - n) ? last : 0 * last);
  }
  std::uint32_t const largest = greatest_lane(most);
  if (int(largest >> 23) >= seen_as<T>::not_finite) return {0, quiet_nan<double>()};
  // Each element is in so many additions at most, two less, of sums below n times the largest.
  double const additions = double(n / at_once + 8);
  return {sum_of_lanes(first + second),
          from_bits<float>(largest) * double(n) * (additions * 0x1p-53)};
}

// The sums of n elements from x on, as those of a lane.
template <class L, class T>
TALLY_CPU_FN typename L::sums sums_of_row(T const* x, std::uint64_t n) {
  constexpr int at_once = 2 * lane_count;
  typename L::running all = L::load({}), second = all;
  std::uint64_t i = 0;
  for (; n - i >= at_once; i += at_once) {
    fetch_ahead(x + i, at_once * sizeof(T));
    L::add(all, x + i);
    L::add(second, x + i + lane_count);
  }
  if (i < n) {
    T last[at_once] = {};
    std::copy(x + i, x + n, last);
    L::add(all, last);
    L::add(second, last + lane_count);
  }
  L::append(all, second);
  L::append(all, L::template turned_by<4>(all));
  L::append(all, L::template turned_by<2>(all));
  L::append(all, L::template turned_by<1>(all));
  typename L::sums out;
  L::store(all, out);
  return out;
}

// The result of n elements from x on; false if it is in doubt.
template <has_vectors A, int Width>
TALLY_CPU_FN bool reduce_by_vectors(A const& a, typename A::element const* x, std::uint64_t n,
                                    typename A::result& out) {
  using by = lanes_for<A>;
  if constexpr (by::by_bound) {
    auto const [sum, error] = bounded_sum_of<Width>(x, n);
    return by::finish_bounded(sum, error, n, out);
  } else {
    return by::finish(a, sums_of_row<typename by::by_vectors>(x, n), 0, n, out);
  }
}

// A result for each row, to out's.
template <has_vectors A>
void reduce_rows_by_vectors(A const& a, cpu where, row_elements<typename A::element> const& in,
                            nan_policy nan, rows<typename A::result> const& out) {
  std::uint64_t const count = in.even->count, n = in.even->length;
  int const cores = thread_count(where), threads = count * n < grain_size ? 1 : cores;
  std::uint64_t const some = std::clamp<std::uint64_t>(count / (8 * std::uint64_t(threads)), 1, 64);
  auto const shared = parts_at_once(a);
  with_standard_arithmetic([&] {
    parallel_for(threads, std::size_t((count + some - 1) / some), [&](std::size_t i) {
      std::uint64_t const first = i * some, here = std::min(some, count - first);
      std::uint64_t doubts = 0;
      run_vectorised([&](auto width) __attribute__((always_inline)) {
        for (std::uint64_t k = 0; k < here; ++k)
          if (!reduce_by_vectors<A, width>(a, in.data + in.even->begin(first + k), n,
                                           out.data[out.begin(first + k)]))
            doubts |= std::uint64_t(1) << k;
      });
      for (; doubts != 0; doubts &= doubts - 1) {
        std::uint64_t const r = first + std::uint64_t(std::countr_zero(doubts));
        reduce_row_on_cpu(a, shared, in, r, nan, out.data[out.begin(r)]);
      }
    });
  });
}

}  // namespace tally::detail
