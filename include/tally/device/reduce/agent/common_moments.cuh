// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute several aggregates of sums and squares, whose totals they have in common.
#pragma once

#include "tally/aggregate/results.hpp"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"

namespace tally::device {

// How many elements there are, and how many NaN. (The sum counts NaNs, unless they are skipped.)
template <element T>
struct count_elements : moments<T, false> {
  struct result {
    std::uint64_t count, nan_count;
  };
  TALLY_HD result lower(typename moments<T, false>::state const& s,
                        std::uint64_t skipped = 0) const {
    return {s.count, s.sum.nan + skipped};
  }
};

template <class A, bool Squares>
inline constexpr bool is_made_of_moments = false;
template <class A, bool Squares>
  requires tally::element<typename A::element>
inline constexpr bool is_made_of_moments<A, Squares> =
    std::is_base_of_v<moments<typename A::element, Squares>, A>;
template <class A>
inline constexpr bool has_squares = is_made_of_moments<A, true>;
template <class A>
inline constexpr bool is_moment = has_squares<A> || is_made_of_moments<A, false>;

// Whether an aggregate's result can be had from `moments`.
template <class A>
inline constexpr bool is_from_moments = is_moment<A>;
template <class T, class R>
inline constexpr bool is_from_moments<exact_sum<T, R, T>> = true;
template <class T>
inline constexpr bool is_from_moments<exact_sum_state<T>> = true;
template <class T, class R>
inline constexpr bool is_from_moments<integer_sum<T, R>> = true;

template <bool Squares, aggregate A, aggregate... Rest>
struct common_moments : moments<typename A::element, Squares> {
  results<A, Rest...> all;
};

template <bool Squares, aggregate... Ops>
using common_moments_base =
    moments_agent<common_moments<Squares, Ops...>, Squares, (gives_state<Ops> || ...)>;

// When the totals are complete, as many of a block's warps as there are aggregates compute a result
// each.
template <bool Squares, aggregate... Ops>
struct common_moments_agent : common_moments_base<Squares, Ops...> {
  using base = common_moments_base<Squares, Ops...>;
  // Fewer threads than alone: agents beside it in a joint_agent need registers, too.
  static constexpr int threads = sizeof(typename base::element) < 8 ? 512 : 384;
  static constexpr int blocks_a_multiprocessor = Squares ? 1 : 2;
  using typename base::accumulator;
  using typename base::shared;
  using typename base::state;

  // out.template at<i>() is where the i-th result goes.
  template <class Out>
  __device__ bool finish(accumulator const&, shared& s, std::uint64_t n, Out out) const {
    std::uint64_t const absent = base::absent(s);
    finish_from<0>(s, n - absent, absent, out);
    if (threadIdx.x != 0) return false;
    return n > absent || !any_empty(std::make_index_sequence<sizeof...(Ops)>());
  }

 private:
  template <std::size_t i, class Out>
  __device__ void finish_from(shared const& s, std::uint64_t count, std::uint64_t absent,
                              Out out) const {
    if constexpr (i < sizeof...(Ops)) {
      auto const& op = get<i>(this->a.all);
      auto* const at = out.template at<i>();
      unsigned const warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
      if (warp == i % warps && !rounded(op, s, count, at) && threadIdx.x % warp_size == 0)
        lower(op, s, count, absent, at);
      finish_from<i + 1>(s, count, absent, out);
    }
  }

  // Writes the result of `a` if approximations tell what it is; by a whole warp.
  template <class A>
  static __device__ bool rounded(A const& a, shared const& s, std::uint64_t count,
                                 typename A::result* out) {
    if constexpr (is_moment<A>) {
      return base::rounded_quickly(a, s, count, out);
    } else if constexpr (floating<typename A::element> && !gives_state<A>) {
      typename A::result r;
      if (!round_quickly(s.sum, run_of_digits(s.sum), r)) return false;
      if (threadIdx.x % warp_size == 0) *out = r;
      return true;
    } else {
      return false;
    }
  }
  template <class A, class Result>
  static __device__ __noinline__ void lower(A const& a, shared const& s, std::uint64_t count,
                                            std::uint64_t absent, Result* out) {
    state const t = base::total(s, count);
    if constexpr (std::is_same_v<typename A::state, state>)
      *out = lowered(a, t, absent);
    else if constexpr (is_moment<A>)
      *out = lowered(a, typename A::state{t.sum, t.count, {}}, absent);
    else if constexpr (integer<typename A::element>)
      *out = Result(t.sum.finite.modulo_2_64());
    else
      *out = a.lower(t.sum);
  }
  template <class A>
  static __device__ auto lowered(A const& a, typename A::state const& s, std::uint64_t absent) {
    if constexpr (std::is_same_v<A, count_elements<typename A::element>>)
      return a.lower(s, absent);
    else
      return a.lower(s);
  }

  template <std::size_t... i>
  __device__ bool any_empty(std::index_sequence<i...>) const {
    return (is_empty(get<i>(this->a.all)) || ...);
  }
  template <class A>
  static __device__ bool is_empty(A const& a) {
    if constexpr (requires { a.empty(typename A::state{}); })
      return a.empty(typename A::state{});
    else
      return false;
  }
};

template <element T>
inline constexpr bool counts_nan<count_elements<T>> = true;
template <bool Squares, aggregate... Ops>
inline constexpr bool counts_nan<common_moments<Squares, Ops...>> = (counts_nan<Ops> || ...);
template <bool Squares, aggregate... Ops>
inline constexpr bool gives_double<common_moments<Squares, Ops...>> = (gives_double<Ops> || ...);

template <element T>
struct lanes_result<count_elements<T>> {
  static __device__ bool of(auto const&, auto const&, std::uint64_t n, std::uint32_t absent,
                            typename count_elements<T>::result& out) {
    out = {n, absent};
    return true;
  }
};
template <bool Squares, aggregate... Ops>
struct lanes_result<common_moments<Squares, Ops...>> {
  static __device__ bool of(auto const& a, auto const& s, std::uint64_t n, std::uint32_t absent,
                            auto const& out) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return (lanes_result<Ops>::of(get<i>(a.all), s, n, absent, *out.template at<i>()) && ...);
    }(std::index_sequence_for<Ops...>());
  }
};
template <bool Squares, aggregate... Ops>
  requires(!(gives_state<Ops> || ...))
struct lanes_for<common_moments_agent<Squares, Ops...>> {
  static auto make(auto const& agent) {
    return make_lanes_of_moments<common_moments<Squares, Ops...>, Squares>(agent.a,
                                                                           agent.skips_nan);
  }
};

}  // namespace tally::device
