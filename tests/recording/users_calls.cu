// SPDX-License-Identifier: Apache-2.0
#include "recording/users_calls.hpp"

#include "tally/gpu_aggregates.cuh"

namespace recording {

using namespace tally;

template <class T>
T reduce_last_odd(gpu& there, std::span<T const> x, reduce_options options) {
  return reduce(there, x, last_odd{}, options);
}
template <class T>
void reduce_last_odd_into(gpu& there, std::span<T const> x, T* out, reduce_options options) {
  reduce_into(there, x, out, last_odd{}, options);
}
template <class T>
void scan_last_odd(gpu& there, std::span<T const> in, std::span<T> out,
                   scan_options<T> const& options, bool exclusive) {
  scan(there, in, out, last_odd{}, options, exclusive);
}
template <class T>
several_of<T> reduce_several(gpu& there, std::span<T const> x, reduce_options options) {
  return reduce(there, x, several(), options);
}

}  // namespace recording

RECORDING_USERS_CALLS;
