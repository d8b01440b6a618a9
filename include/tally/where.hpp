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

// Where a call can run. One call is written once for all of them.
template <class Where>
concept execution = std::is_same_v<std::remove_cvref_t<Where>, cpu> ||
                    std::is_same_v<std::remove_cvref_t<Where>, gpu> ||
                    std::is_same_v<std::remove_cvref_t<Where>, automatic>;

namespace detail {

// A family of calls, for what `Where` is.
template <template <class> class Calls, class Where>
struct family_on {
  using type = Calls<std::remove_cvref_t<Where>>;
  static_assert(requires { sizeof(type); }, "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
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
