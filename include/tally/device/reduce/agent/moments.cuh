// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute exact sums, sums of squares and counts in one read: the agent of aggregates
// whose states are `moments`.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/definition/moments.hpp"
#include "tally/device/grid/sparse_totals.cuh"
#include "tally/device/reduce/agent/agent.cuh"
#include "tally/device/reduce/rows/lanes_of_moments.cuh"
#include "tally/device/sum/half_squares.cuh"
#include "tally/device/sum/round.cuh"

namespace tally::device {

// Ziv's quick phase (double_double.hpp): quick_phase<A>::round(a, sum, squares, n, out) makes the
// result of approximations of the totals of n elements, if they tell what it is. States and integer
// results have none.
template <class A>
struct quick_phase;
template <element T, floating R>
struct quick_phase<exact_mean<T, R>> {
  static __device__ bool round(exact_mean<T, R> const&, detail::approximation const& sum,
                               detail::approximation const&, std::uint64_t n, R& out) {
    return detail::quick_mean(sum, n, out);
  }
};

// The agent of an aggregate A with the states of `moments`.
template <aggregate A, bool Squares, bool GivesState>
struct moments_agent {
  using element = typename A::element;
  using result = typename A::result;
  using state = typename moments<element, Squares>::state;
  using sum_type = typename exact_adder<element>::shared_type;
  using square_number = detail::square_digits<element>;
  using adder = std::conditional_t<Squares, square_adder<element>, exact_adder<element>>;
  static constexpr bool is_double = std::is_same_v<element, double>;
  static constexpr bool is_quick = !Squares || narrow_integer<element>;  // of few instructions
  static constexpr int threads = is_quick || (floating<element> && !is_double) ? 512 : 384;
  static constexpr int blocks_a_multiprocessor =  // one where two have not the shared memory
      Squares && floating<element> && !is_double ? 1 : 2;
  static constexpr bool loads_ahead = Squares && floating<element> && !is_double;
  static constexpr bool schedules_dynamically = is_quick;
  static constexpr int square_words = Squares ? square_number::digits : 0;
  static constexpr int totals = sum_type::words + square_words + 1;
  static constexpr int words = status_words_of<totals>, sums = totals;
  static constexpr int dynamic_bytes = adder::dynamic_bytes;

  struct shared {
    sum_type sum;
    std::conditional_t<Squares, block_superaccumulator<square_number>, int> squares;
    int absent;  // NaN that are skipped
  };
  struct accumulator {
    adder sums;
    int absent;
  };

  bool skips_nan;
  A a;

  __device__ void start(accumulator& acc, shared& s) const {
    s.sum.clear();
    if constexpr (Squares) s.squares.clear();
    adder::clear_apart();
    if (threadIdx.x == 0) s.absent = 0, absent_elsewhere() = 0;  // of rows blocks collect nothing
    acc.absent = 0;
    __syncthreads();
  }

  template <class Batch, class Index>
  __device__ void add(accumulator& acc, shared& s, Batch& x, unsigned, Index) const {
    if constexpr (floating<element>)
      if (skips_nan) acc.absent += x.replace_nan_by_zero();
    if constexpr (floating<element> && GivesState) set_specials_aside(x, s.sum);
    if constexpr (Squares)
      acc.sums.add(x, s.sum, s.squares);
    else
      acc.sums.add(x, s.sum);
  }
  __device__ void add(accumulator& acc, shared& s, element x, std::uint64_t) const {
    if (skips_nan && is_nan(x)) {
      ++acc.absent;
      return;
    }
    if constexpr (Squares)
      acc.sums.add_one(x, s.sum, s.squares);
    else
      acc.sums.add_one(x, s.sum);
  }

  __device__ void close(accumulator& acc, shared& s) const {
    if constexpr (Squares)
      acc.sums.close(s.sum, s.squares);
    else
      acc.sums.close(s.sum);
    if (skips_nan && acc.absent) atomicAdd(&s.absent, acc.absent);
    __syncthreads();
    if (close_apart(s)) __syncthreads();
  }

  __device__ void publish(accumulator const&, shared& s, mailbox const& to) const {
    publish_words<totals>([&](int i) { return word(s, i); }, to);
  }
  __device__ void collect(accumulator&, shared& s, mailbox const& from, int blocks) const {
    unsigned long long* const more = &absent_elsewhere();
    if (threadIdx.x == 0) *more = 0;
    __syncthreads();
    collect_words<totals>(from, blocks, [&](int i, std::int64_t x, int piece) {
      if (i < sum_type::words) {
        s.sum.add_word(i, x, piece);
      } else if (i < totals - 1) {
        if constexpr (Squares) s.squares.add_piece(2 * (i - sum_type::words), x, piece);
      } else if (piece == 0) {
        atomicAdd(more, (unsigned long long)x);
      }
    });
  }

  __device__ bool finish(accumulator const&, shared& s, std::uint64_t n, result* out) const {
    if (threadIdx.x >= warp_size) return false;
    n -= absent(s);
    if (rounded_quickly(a, s, n, out)) return true;
    return threadIdx.x == 0 && lower(a, s, n, out);
  }

 protected:
  // How many NaNs all blocks skipped; any thread may ask when the totals are complete.
  __device__ static std::uint64_t absent(shared const& s) {
    return std::uint64_t(s.absent) + (gridDim.x > 1 ? absent_elsewhere() : 0);
  }
  __device__ static state total(shared const& s, std::uint64_t count) {
    state t;
    t.count = count;
    s.sum.store(t.sum);
    if constexpr (Squares)
      for (int i = 0; i < square_words; ++i) t.squares.finite.digit[i] = s.squares.digit(i);
    return t;
  }

  // Writes the result of `op` if approximations of the totals tell what it is; by a whole warp.
  template <class Op>
  __device__ static bool rounded_quickly(Op const& op, shared const& s, std::uint64_t n,
                                         typename Op::result* out) {
    using detail::approximation;
    if constexpr (requires(approximation x, typename Op::result r) {
                    quick_phase<Op>::round(op, x, x, n, r);
                  }) {
      for (int i = 0; i < specials; ++i)
        if (s.sum.count(special(i)) != 0) return false;
      approximation sum, squares;
      approximate(s, sum, squares);
      return round_quickly(op, sum, squares, n, out);
    }
    return false;
  }

 private:
  __device__ static bool close_apart(shared& s) {
    if constexpr (Squares)
      return adder::close_apart(s.sum, s.squares);
    else
      return adder::close_apart(s.sum);
  }
  // Approximates both totals by a warp: one half of it the sum, the other one the squares.
  __device__ static void approximate(shared const& s, detail::approximation& sum,
                                     detail::approximation& squares) {
    bool const second = Squares && threadIdx.x % warp_size >= warp_size / 2;
    auto const digit = [&](int i) {
      if constexpr (Squares)
        if (second) return s.squares.digit(i);
      return s.sum.digits.digit(i);
    };
    digit_run run([&](int i) { return s.sum.digits.digit(i); }, sum_type::words - specials);
    int lsb = exact_adder<element>::number::lsb;
    if constexpr (Squares) {
      digit_run const other([&](int i) { return s.squares.digit(i); }, square_words);
      if (second) run = other, lsb = square_number::lsb;
    }
    detail::approximation const mine = run.size() > 0
                                           ? detail::approximation_of(digit, run.low, run.high, lsb)
                                           : detail::approximation{};
    sum = warp::broadcast(mine, 0);
    squares = Squares ? warp::broadcast(mine, warp_size / 2) : detail::approximation{};
  }

  // Both functions stay calls: inlined, they would take registers from the whole kernel.
  template <class Op>
  __device__ static __noinline__ bool round_quickly(Op const& op, detail::approximation sum,
                                                    detail::approximation squares, std::uint64_t n,
                                                    typename Op::result* out) {
    typename Op::result r;
    if (!quick_phase<Op>::round(op, sum, squares, n, r)) return false;
    if (threadIdx.x % warp_size == 0) *out = r;
    return true;
  }
  __device__ static __noinline__ bool lower(A const& a, shared const& s, std::uint64_t count,
                                            result* out) {
    state const t = total(s, count);
    *out = a.lower(t);
    return !a.empty(t);
  }
  __device__ static unsigned long long& absent_elsewhere() {
    __shared__ unsigned long long count;
    return count;
  }
  __device__ static std::uint64_t word(shared const& s, int i) {
    if (i < sum_type::words) return s.sum.word(i);
    if constexpr (Squares)
      if (i < totals - 1) return std::uint64_t(s.squares.digit(i - sum_type::words));
    return std::uint64_t(s.absent);
  }
};

template <element T, bool Squares>
struct agent_for<moments<T, Squares>> {
  using type = moments_agent<moments<T, Squares>, Squares, true>;
};
template <element T>
struct agent_for<exact_moments<T>> {
  using type = moments_agent<exact_moments<T>, true, true>;
};
template <element T, floating R>
struct agent_for<exact_mean<T, R>> {
  using type = moments_agent<exact_mean<T, R>, false, false>;
};

}  // namespace tally::device
