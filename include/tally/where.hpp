// SPDX-License-Identifier: Apache-2.0
//
// Where a call runs, and what it does about NaNs.
#pragma once

#include <type_traits>

namespace tally {

// This machine's cores. Results do not depend on the number of threads.
struct cpu {
  int threads = 0;  // at most so many; 0: every core that the process may use
};

struct gpu;       // gpu.hpp: a device, and a stream of it
class automatic;  // automatic.hpp: where the array of each call lies
template <class Where>
struct distributed;  // distributed.hpp: a slice of an array, the rest of which other ranks have

namespace detail {

template <class Where>
inline constexpr bool is_execution =
    std::is_same_v<Where, cpu> || std::is_same_v<Where, gpu> || std::is_same_v<Where, automatic>;
template <class Where>
inline constexpr bool is_execution<distributed<Where>> = is_execution<std::remove_cvref_t<Where>>;

}  // namespace detail

// Where a call can run. One call is written once for all of them.
template <class Where>
concept execution = detail::is_execution<std::remove_cvref_t<Where>>;

namespace detail {

// A family of calls, for what `Where` is.
template <template <class> class Calls, class Where>
struct family_on {
  using type = Calls<std::remove_cvref_t<Where>>;
  static_assert(
      requires { sizeof(type); },
      "include <tally/gpu.hpp>, <tally/automatic.hpp> or <tally/distributed.hpp>");
};
template <template <class> class Calls, class Where>
using calls_on = typename family_on<Calls, Where>::type;

}  // namespace detail

// What a NaN in the input does: poison the answer, or count as absent.
enum class nan_policy : unsigned char { propagate, skip };
inline constexpr nan_policy propagate = nan_policy::propagate;
inline constexpr nan_policy skip = nan_policy::skip;

struct reduce_options {
  nan_policy nan = propagate;
};

}  // namespace tally
