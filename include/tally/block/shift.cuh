// SPDX-License-Identifier: Apache-2.0
//
// Values move between the threads of a block of any size and shape, in the order of
// thread_index(). All its threads make the same call together; calls may follow one another
// without a barrier between, and take less time with the same double_buffer (double_buffer.cuh).
#pragma once

#include "tally/block/partials.cuh"

namespace tally::block {

// What the thread `from` passed, the same in all calls.
template <class T, detail::call_buffer Buffer = detail::single_buffer>
__device__ T broadcast(T x, int from, Buffer&& buffer = {}) {
  return detail::publish(buffer, x, from % warp_size)[from / warp_size];
}
// What the first thread passed.
template <class T, detail::call_buffer Buffer = detail::single_buffer>
__device__ T broadcast(T x, Buffer&& buffer = {}) {
  return broadcast(x, 0, buffer);
}

// What the thread before passed; the first thread keeps its own.
template <class T, detail::call_buffer Buffer = detail::single_buffer>
__device__ T shift_up(T x, Buffer&& buffer = {}) {
  T const* const last_of_warp = detail::publish(buffer, x, warp::live_lanes() - 1);
  T const before = warp::shift_up(x);
  bool const crosses = warp::lane() == 0 && thread_index() > 0;
  return crosses ? last_of_warp[detail::warp_index() - 1] : before;
}

// What the thread after passed; the last thread keeps its own.
template <class T, detail::call_buffer Buffer = detail::single_buffer>
__device__ T shift_down(T x, Buffer&& buffer = {}) {
  T const* const first_of_warp = detail::publish(buffer, x);
  int const next = warp::lane() + 1;
  T const after = warp::broadcast(x, next < warp::live_lanes() ? next : next - 1);
  bool const crosses = next == warp_size && thread_index() + 1 < thread_count();
  return crosses ? first_of_warp[detail::warp_index() + 1] : after;
}

}  // namespace tally::block
