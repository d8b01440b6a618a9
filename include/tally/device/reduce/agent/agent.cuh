// SPDX-License-Identifier: Apache-2.0
//
// An agent (CUB's term) is what a block does for an aggregate that takes any order: the kernel
// calls it, and agent_for says which agent an aggregate has.
#pragma once

#include <concepts>

#include "tally/aggregate/names.hpp"
#include "tally/device/grid/status_word.cuh"
#include "tally/device/input/batch.cuh"
#include "tally/device/reduce/agent/plain.cuh"

namespace tally::detail {
template <element T, class Lower>
struct zeros_seen_as;  // logic.hpp
}

namespace tally::device {

// An agent is a small type, trivially copyable, that is handed to the kernel. It has
//
//   element, result            of the aggregate
//   threads                    of a block, whole warps; a small launch has fewer
//   blocks_a_multiprocessor    of a launch that is not small
//   dynamic_bytes              of shared memory, beside `shared`
//   loads_ahead                whether the next elements are on their way while it adds some: worth
//                              it where an element takes many instructions, and there are not the
//                              warps to do that for one another
//   schedules_dynamically      whether long work is scheduled dynamically: a ticket comes with a
//                              barrier, which an agent of few instructions an element bears; not
//                              together with loads_ahead
//   shared, accumulator        what a block's threads share, and what each has for itself
//   start(acc, shared)         before the first element; afterwards all threads see `shared`
//   add(acc, shared, x, live, index)
//                              adds the elements x[k], of index index(k): a batch of some vectors,
//                              of which there is vector j if bit j of `live` is set; else it has
//                              zeros, which do not count. It may change x.
//   add(acc, shared, x, index) adds a single element; not all threads may call it
//   close(acc, shared)         when the block's elements are all added; afterwards all threads see
//                              their total
//   words, sums                status words that a block publishes, and sums that all add to (the
//                              mailbox has none if they are more than workspace::max_sums)
//   publish(acc, shared, mailbox)
//                              tells the first block this one's totals
//   collect(acc, shared, mailbox, blocks)
//                              adds those of so many other blocks to the first one's; when it
//                              returns in the first thread, all have been read: the launch's epoch
//                              ends then
//   finish(acc, shared, n, out)  writes the result; in the first thread, whether there is one
//
// All threads of a block call each of them together, unless it says otherwise.
template <class Agent>
concept agent =
    requires(Agent const a, typename Agent::accumulator acc, typename Agent::shared shared,
             batch<typename Agent::element, 1, 1> batch, std::uint64_t (*index)(int),
             typename Agent::element x, std::uint64_t n, mailbox box, typename Agent::result* out) {
      { Agent::threads } -> std::convertible_to<unsigned>;
      { Agent::blocks_a_multiprocessor } -> std::convertible_to<unsigned>;
      { Agent::dynamic_bytes } -> std::convertible_to<std::size_t>;
      { Agent::loads_ahead } -> std::convertible_to<bool>;
      { Agent::schedules_dynamically } -> std::convertible_to<bool>;
      { Agent::words } -> std::convertible_to<int>;
      { Agent::sums } -> std::convertible_to<int>;
      a.start(acc, shared);
      a.add(acc, shared, batch, 1u, index);
      a.add(acc, shared, x, n);
      a.close(acc, shared);
      a.publish(acc, shared, box);
      a.collect(acc, shared, box, 1);
      { a.finish(acc, shared, n, out) } -> std::same_as<bool>;
    };

// Whether the result is an exact state: then what is not finite must not add to its digits.
template <aggregate A>
inline constexpr bool gives_state =
    std::is_same_v<typename A::result, typename A::state> && std::is_class_v<typename A::state>;

// The agent of an aggregate: agent_for<A>::make(a, skips_nan) returns it, from the aggregate and
// whether NaNs are skipped; or it is agent_for<A>::type{skips_nan, a}.
template <aggregate A>
struct agent_for {
  static_assert(sizeof(typename A::state) <= 128, "a state of more than 128 bytes: too large");
  using type = plain_agent<A>;
};

// The agents of Tally's own aggregates, in the headers of this folder; a source that
// uses one without its header does not compile. <tally/gpu_aggregates.cuh> brings all of them.
template <floating T, floating R, floating State>
struct agent_for<exact_sum<T, R, State>>;  // sum.cuh
template <floating T>
struct agent_for<exact_sum_state<T>>;  // sum.cuh
template <integer T, integer R>
struct agent_for<integer_sum<T, R>>;  // integer_sum.cuh
template <integer T>
struct agent_for<integer_product<T>>;  // integer_sum.cuh
template <element T, class Lower>
struct agent_for<detail::zeros_seen_as<T, Lower>>;  // logic.cuh
template <floating T, floating R>
struct agent_for<exact_dot<T, R>>;  // dot.cuh
template <floating T>
struct agent_for<exact_dot_state<T>>;  // dot.cuh
template <integer T, integer R>
struct agent_for<integer_dot<T, R>>;  // integer_sum.cuh
template <element T, bool Squares>
struct agent_for<moments<T, Squares>>;  // moments.cuh
template <element T>
struct agent_for<exact_moments<T>>;  // moments.cuh
template <element T, floating R>
struct agent_for<exact_mean<T, R>>;  // moments.cuh
template <element T, floating R, bool Root>
struct agent_for<exact_variance<T, R, Root>>;  // second_moments.cuh
template <element T, element R>
struct agent_for<exact_sum_of_squares<T, R>>;  // second_moments.cuh
template <element T, floating R>
struct agent_for<exact_norm<T, R>>;  // second_moments.cuh
template <element T, bool Least>
struct agent_for<detail::extremum<T, Least>>;  // extrema.cuh
template <element T, bool Least>
struct agent_for<detail::arg_extremum<T, Least>>;  // extrema.cuh
template <element T, class F>
struct agent_for<detail::of_extremum_values<T, F>>;  // extrema.cuh
template <element T>
struct agent_for<detail::described<T>>;  // describe.cuh
template <aggregate A, aggregate B>
struct agent_for<detail::both<A, B>>;  // together.cuh

template <aggregate A>
auto make_agent(A const& a, bool skips_nan) {
  static_assert(requires { sizeof(agent_for<A>); }, "include <tally/gpu_aggregates.cuh>");
  if constexpr (requires { agent_for<A>::make(a, skips_nan); }) {
    static_assert(agent<decltype(agent_for<A>::make(a, skips_nan))>);
    return agent_for<A>::make(a, skips_nan);
  } else {
    static_assert(agent<typename agent_for<A>::type>);
    return typename agent_for<A>::type{skips_nan, a};
  }
}

}  // namespace tally::device
