// SPDX-License-Identifier: Apache-2.0
//
// Values move between the threads of a block of any size and shape, in the order of
// thread_index(). All its threads make the same call together; calls may follow one another
// without a barrier between, and take less time with the same `turns` (turns.cuh).
#pragma once

#include "tally/block/partials.cuh"

namespace tally::block {

// What the thread `from` passed, the same in all calls.
template <class T, detail::memory M = detail::every_call>
__device__ T broadcast(T x, int from, M&& m = {}) {
  return detail::publish(m, x, from % warp_size)[from / warp_size];
}
// What the first thread passed.
template <class T, detail::memory M = detail::every_call>
__device__ T broadcast(T x, M&& m = {}) {
  return broadcast(x, 0, m);
}

// What the thread before passed; the first thread keeps its own.
template <class T, detail::memory M = detail::every_call>
__device__ T shift_up(T x, M&& m = {}) {
  T const* const last_of_warp = detail::publish(m, x, warp::live_lanes() - 1);
  T const before = warp::shift_up(x);
  bool const crosses = warp::lane() == 0 && thread_index() > 0;
  return crosses ? last_of_warp[detail::warp_index() - 1] : before;
}

// What the thread after passed; the last thread keeps its own.
template <class T, detail::memory M = detail::every_call>
__device__ T shift_down(T x, M&& m = {}) {
  T const* const first_of_warp = detail::publish(m, x);
  int const next = warp::lane() + 1;
  T const after = warp::broadcast(x, next < warp::live_lanes() ? next : next - 1);
  bool const crosses = next == warp_size && thread_index() + 1 < thread_count();
  return crosses ? first_of_warp[detail::warp_index() + 1] : after;
}

}  // namespace tally::block
